//! Reading a segment, record by record, until its end or the first that is not whole.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Files};
use super::record::{HEAD, RECORD_MAX, Record};
use super::{Damage, DamageKind, JournalError};

const EXTENSION: &str = "journal";
/// What a segment is called by that cannot be used.
pub(super) const DAMAGED: &str = "damaged";

/// The file of a segment.
pub fn file(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:08}.{EXTENSION}"))
}

/// The segments in a folder by number.
pub fn list(folder: &Path) -> Result<Vec<(u64, PathBuf)>, JournalError> {
    list_on(&mut Files, folder)
}

/// The segments in a folder of a disk, by number.
pub fn list_on(disk: &mut dyn Disk, folder: &Path) -> Result<Vec<(u64, PathBuf)>, JournalError> {
    let files = disk.list(folder).map_err(|error| JournalError::disk(folder, &error))?;
    let mut segments: Vec<_> = files.into_iter().filter_map(|path| Some((number(&path)?, path))).collect();
    segments.sort();
    Ok(segments)
}

/// The number of a segment by the name of its file. No other writing of it is one, so that no two files have the same.
pub(super) fn number(path: &Path) -> Option<u64> {
    let number = u64::from(path.file_stem()?.to_str()?.parse::<u32>().ok()?);
    (path.file_name() == file(Path::new(""), number).file_name()).then_some(number)
}

/// Reads a segment.
pub struct SegmentReader<R> {
    from: R,
    file: PathBuf,
    at: u64,
    length: u64,
    over: bool,
}

/// A record that was read, with its checksum.
pub type Read1 = (Record, u32);

impl SegmentReader<Box<dyn Read>> {
    /// Opens a segment.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        Self::open_on(&mut Files, path)
    }

    /// Opens a segment of a disk.
    pub fn open_on(disk: &mut dyn Disk, path: &Path) -> Result<Self, JournalError> {
        let (from, length) = disk.read(path).map_err(|error| JournalError::disk(path, &error))?;
        Ok(Self::new(from, path, length))
    }
}

impl<R: Read> SegmentReader<R> {
    /// Reads so many bytes; the name is for messages.
    pub fn new(from: R, file: &Path, length: u64) -> Self {
        Self { from, file: file.to_owned(), at: 0, length, over: false }
    }

    /// Reads no further than so many bytes.
    pub(super) fn limit(&mut self, bytes: u64) {
        self.length = self.length.min(bytes);
    }

    /// How many bytes were good so far.
    pub fn at(&self) -> u64 {
        self.at
    }

    fn damage(&mut self, problem: impl Into<String>) -> Damage {
        self.over = true;
        Damage {
            kind: DamageKind::Record,
            file: self.file.clone(),
            at: self.at,
            bytes: self.length - self.at,
            problem: problem.into(),
            segments_behind: 0,
        }
    }

    fn read(&mut self) -> Result<Read1, Damage> {
        let left = self.length - self.at;
        let mut head = [0; HEAD];
        if left < HEAD as u64 || self.from.read_exact(&mut head).is_err() {
            return Err(self.damage("the last record was torn"));
        }
        let [a, b, c, d, e, f, g, h] = head;
        let (length, sum) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        if length > RECORD_MAX {
            return Err(self.damage("no record is so long"));
        }
        if u64::from(length) > left - HEAD as u64 {
            return Err(self.damage("the last record was torn"));
        }
        // No more is asked for than the file has.
        let mut bytes = vec![0; length as usize];
        if let Err(error) = self.from.read_exact(&mut bytes) {
            return Err(self.damage(error.to_string()));
        }
        if crc32fast::hash(&bytes) != sum {
            return Err(self.damage("the checksum of a record is wrong"));
        }
        let record = Record::read(&bytes).map_err(|problem| self.damage(problem))?;
        self.at += HEAD as u64 + u64::from(length);
        Ok((record, sum))
    }
}

impl<R: Read> Iterator for SegmentReader<R> {
    type Item = Result<Read1, Damage>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.over && self.at < self.length).then(|| self.read())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_longer_than_any_is_damage_and_nothing_is_set_aside_for_it() {
        for length in [RECORD_MAX + 1, u32::MAX] {
            let bytes = [&length.to_le_bytes()[..], &[0; 60]].concat();
            // A file that claims to be long enough.
            let mut reader = SegmentReader::new(&bytes[..], Path::new("1.journal"), u64::MAX);
            let damage = reader.next().expect("something is said").expect_err("it is damage");
            assert!(damage.problem.contains("so long"), "{}", damage.problem);
            assert!(reader.next().is_none(), "and nothing is read behind it");
        }
    }
}
