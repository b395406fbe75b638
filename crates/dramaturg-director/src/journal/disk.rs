//! Where segments are kept: files, or in tests something that fails when it is told to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

/// Where segments are kept.
pub trait Disk: Send {
    /// Begins a file.
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>>;

    /// Goes on with a file behind its first so many bytes; what followed them is gone.
    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>>;

    /// Gives a file its name, for good if `sync`.
    fn rename(&mut self, from: &Path, to: &Path, sync: bool) -> io::Result<()>;
}

/// A file that is written to its end.
pub trait Sink: Send {
    /// Writes all of it, or fails.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Forgets what lies behind so many bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything is on the disk itself.
    fn sync(&mut self) -> io::Result<()>;

    /// Sees to it that everything is on the disk itself before long. What goes wrong with that is told by the next [`Sink::put`].
    fn sync_soon(&mut self) -> io::Result<()> {
        self.sync()
    }
}

/// The files of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Disk for Files {
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>> {
        // In append mode what is written after a cut goes to the new end.
        let _ = fs::remove_file(path);
        Ok(Box::new(Written::to(OpenOptions::new().append(true).create_new(true).open(path)?)))
    }

    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(length)?;
        Ok(Box::new(Written::to(file)))
    }

    fn rename(&mut self, from: &Path, to: &Path, sync: bool) -> io::Result<()> {
        fs::rename(from, to)?;
        match to.parent().filter(|_| sync) {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}

/// A file, and what went wrong behind its back.
struct Written {
    file: File,
    trouble: Trouble,
}

type Trouble = Arc<Mutex<Option<io::Error>>>;

impl Written {
    fn to(file: File) -> Self {
        Self { file, trouble: Trouble::default() }
    }
}

impl Sink for Written {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(error),
            None => self.file.write_all(bytes),
        }
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn sync_soon(&mut self) -> io::Result<()> {
        match syncer() {
            // The thread is gone only if the program is.
            Some(door) => door.send((self.file.try_clone()?, Arc::clone(&self.trouble))).or_else(|_| self.sync()),
            None => self.sync(),
        }
    }
}

/// One thread waits for the disk on behalf of all journals, so that no session does.
fn syncer() -> Option<&'static Sender<(File, Trouble)>> {
    static DOOR: OnceLock<Option<Sender<(File, Trouble)>>> = OnceLock::new();
    let start = || {
        let (door, todo) = channel::<(File, Trouble)>();
        let work = move || {
            for (file, trouble) in todo {
                if let Err(error) = file.sync_data() {
                    trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        };
        thread::Builder::new().name("journal-sync".to_owned()).spawn(work).ok().map(|_| door)
    };
    DOOR.get_or_init(start).as_ref()
}
