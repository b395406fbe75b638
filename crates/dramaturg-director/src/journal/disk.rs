//! Where segments are kept: files, or in tests something that fails when it is told to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

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
}

/// The files of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files;

impl Disk for Files {
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>> {
        // In append mode what is written after a cut goes to the new end.
        let _ = fs::remove_file(path);
        Ok(Box::new(OpenOptions::new().append(true).create_new(true).open(path)?))
    }

    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(length)?;
        Ok(Box::new(file))
    }

    fn rename(&mut self, from: &Path, to: &Path, sync: bool) -> io::Result<()> {
        fs::rename(from, to)?;
        match to.parent().filter(|_| sync) {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    }
}

impl Sink for File {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
