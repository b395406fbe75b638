//! Where segments are kept: files, or in tests memory, or something that fails when it is told to.

use std::any::Any;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::JournalError;

/// Where segments are kept. What is not said otherwise is done with the files of the system.
pub trait Disk: Send {
    /// Begins a file.
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>>;

    /// Goes on with a file behind its first so many bytes; what followed them is gone.
    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>>;

    /// Gives a file its name, for good if `sync`.
    fn rename(&mut self, from: &Path, to: &Path, sync: bool) -> io::Result<()>;

    /// The files in a folder; none if there is no such folder.
    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        entries.map(|entry| entry.map(|entry| entry.path())).collect()
    }

    /// Reads a file, which is so long.
    fn read(&mut self, path: &Path) -> io::Result<(Box<dyn Read>, u64)> {
        check_regular(path)?;
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok((Box::new(BufReader::new(file)), length))
    }

    /// Removes a file.
    fn remove(&mut self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    /// Makes a folder, if there is none, and makes sure that nobody else writes there as long as what is returned
    /// lives.
    fn claim(&mut self, folder: &Path) -> Result<Box<dyn Any + Send>, JournalError> {
        make_private(folder).map_err(|error| JournalError::disk(folder, &error))?;
        let path = folder.join("lock");
        let file = check_regular(&path).and_then(|()| File::create(&path));
        let file = file.map_err(|error| JournalError::disk(&path, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(Box::new(file)),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse(folder.to_owned())),
            Err(TryLockError::Error(error)) => Err(JournalError::disk(&path, &error)),
        }
    }
}

/// A file that is written to its end.
pub trait Sink: Send {
    /// Writes all of it, or fails.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Forgets what lies behind so many bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Returns when everything is on the disk itself.
    fn sync(&mut self) -> io::Result<()>;

    /// Makes sure that what is written can be found again: that the file has this path. Fails if it was deleted or
    /// moved away.
    fn check(&mut self, path: &Path) -> io::Result<()> {
        let _ = path;
        Ok(())
    }

    /// Sees to it that everything is on the disk itself before long. What goes wrong with that is told by the next
    /// [`Sink::put`].
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
        check_regular(path)?;
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

    fn check(&mut self, path: &Path) -> io::Result<()> {
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(gone(path)),
            found => found?,
        };
        if is_same(&found, &self.file.metadata()?) { Ok(()) } else { Err(gone(path)) }
    }

    fn sync_soon(&mut self) -> io::Result<()> {
        match syncer() {
            // The thread is gone only if the program is.
            Some(door) => door.send((self.file.try_clone()?, Arc::clone(&self.trouble))).or_else(|_| self.sync()),
            None => self.sync(),
        }
    }
}

fn gone(path: &Path) -> io::Error {
    // The folder is called as the session is, and who reads that in a log could take the session over.
    let name = path.file_name().unwrap_or_default().display();
    let text = format!("`{name}` was deleted or moved away");
    io::Error::new(io::ErrorKind::NotFound, text)
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Elsewhere a file that is open cannot be deleted, and one that was put in its place has another length.
#[cfg(not(unix))]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    one.len() == other.len()
}

/// Fails if something is there that is no regular file: opening a pipe waits for ever for its other end.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            let text = format!("it is {}, and a journal is made of regular files", kind(found.file_type()));
            Err(io::Error::new(io::ErrorKind::InvalidInput, text))
        }
        _ => Ok(()),
    }
}

/// What is there instead of a regular file or folder.
pub(crate) fn kind(found: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return "a pipe";
        }
        if found.is_socket() {
            return "a socket";
        }
        if found.is_block_device() || found.is_char_device() {
            return "a device";
        }
    }
    if found.is_dir() {
        "a folder"
    } else if found.is_file() {
        "a file"
    } else {
        "something else"
    }
}

/// Makes a folder that only its owner can look into, if there is none.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(found) => {
            let text = format!("it is {}, and a journal is a folder", kind(found.file_type()));
            return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
        }
        Err(_) => {}
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
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

/// Files that are only remembered: for tests and simulations, where a director dies thousands of times in a second.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: Arc<Mutex<BTreeMap<PathBuf, Content>>>,
}

type Content = Arc<Mutex<Vec<u8>>>;

fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Alters the last file, by name: as a crash does that leaves half a record behind, or a disk that loses what it
    /// was given.
    pub fn alter_last(&self, alter: impl FnOnce(&mut Vec<u8>)) {
        if let Some(content) = held(&self.files).values().next_back() {
            alter(&mut held(content));
        }
    }

    fn find(&self, path: &Path) -> io::Result<Content> {
        held(&self.files).get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Disk for Memory {
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>> {
        let content = Content::default();
        held(&self.files).insert(path.to_owned(), Arc::clone(&content));
        Ok(Box::new(content))
    }

    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>> {
        let mut content = self.find(path)?;
        content.cut(length)?;
        Ok(Box::new(content))
    }

    fn rename(&mut self, from: &Path, to: &Path, _: bool) -> io::Result<()> {
        let content = self.find(from)?;
        let mut files = held(&self.files);
        files.remove(from);
        files.insert(to.to_owned(), content);
        Ok(())
    }

    fn list(&mut self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(held(&self.files).keys().filter(|path| path.parent() == Some(folder)).cloned().collect())
    }

    fn read(&mut self, path: &Path) -> io::Result<(Box<dyn Read>, u64)> {
        let bytes = held(&*self.find(path)?).clone();
        let length = bytes.len() as u64;
        Ok((Box::new(Cursor::new(bytes)), length))
    }

    fn remove(&mut self, path: &Path) -> io::Result<()> {
        held(&self.files).remove(path);
        Ok(())
    }

    fn claim(&mut self, _: &Path) -> Result<Box<dyn Any + Send>, JournalError> {
        // Nobody else can see it.
        Ok(Box::new(()))
    }
}

impl Sink for Content {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        held(self).extend_from_slice(bytes);
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        held(self).truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}
