//! Segments are one chain: each header says which session and segment it is, and how the segment before it ends.
//! Whatever does not join is damage: a segment that is missing, empty, renamed or of another session, and one whose end
//! is gone.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::header::{Chain, Header, SegmentEnd};
use super::record::Record;
use super::segment::{self, SegmentReader};
use super::{Damage, JournalError};

/// A segment that was read to its end.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub(super) path: PathBuf,
    pub(super) header: Box<Header>,
    pub(super) end: SegmentEnd,
    /// The length of its file, which may have more than what counts.
    pub(super) file_bytes: u64,
}

/// Why a segment has no header.
pub(super) enum Headless {
    /// It is damaged.
    Damaged(Damage),
    /// The system does not let it be read.
    Unread(JournalError),
}

impl From<Damage> for Headless {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// Reads the header of a segment. With it comes the length of the file.
pub(super) fn header(disk: &mut dyn Disk, path: &Path) -> Result<(Box<Header>, u64), Headless> {
    let damaged = |problem: String| Headless::Damaged(Damage::segment(path.to_owned(), problem));
    let (from, length) = match disk.read(path) {
        Ok(read) => read,
        // It is no regular file.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(damaged(error.to_string())),
        Err(error) => return Err(Headless::Unread(JournalError::disk(path, &error))),
    };
    match SegmentReader::new(from, path, length).next() {
        Some(Ok((Record::Header(header), _))) => Ok((header, length)),
        Some(Err(damage)) => Err(Headless::Damaged(damage)),
        Some(Ok(_)) => Err(damaged("it does not begin with a header".to_owned())),
        None => Err(damaged("it is empty".to_owned())),
    }
}

/// Whether a header belongs to the file that it is in. `number` is that of the file's name; none: its name is no
/// segment's.
pub(super) fn is_named(path: &Path, number: Option<u64>, header: &Header) -> Result<(), Damage> {
    match number {
        Some(number) if number != header.segment => {
            let says = format!("its header says that it is segment {}: it was renamed or swapped", header.segment);
            Err(Damage::segment(path.to_owned(), says))
        }
        _ => Ok(()),
    }
}

/// Whether a header is of this session, as far as that is known of both.
pub(super) fn is_of(path: &Path, session: Option<&str>, header: &Header) -> Result<(), Damage> {
    match (session, header.chain.as_ref().map(|chain| chain.session.as_str())) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            let (ours, theirs) = (short(ours), short(theirs));
            let problem = format!("it belongs to the session `{theirs}`, the segments before it to `{ours}`");
            Err(Damage::segment(path.to_owned(), problem))
        }
        _ => Ok(()),
    }
}

/// Whether the segment with this header follows that one. What it gives is to be noted.
pub(super) fn joins(before: &Finished, path: &Path, header: &Header) -> Result<Option<String>, Damage> {
    let wrong = |problem: String| Err(Damage::segment(path.to_owned(), problem));
    let Some(chain) = &header.chain else { return joins_unchained(before, path, header) };
    is_of(path, before.header.chain.as_ref().map(|before| before.session.as_str()), header)?;
    let Some(previous) = &chain.previous else {
        return wrong(format!("it says that it is the first segment, but segment {} is before it", before.end.segment));
    };
    if previous.segment != before.end.segment {
        if previous.segment > before.end.segment {
            let why = format!("segment {} follows it", header.segment);
            return Err(Damage::missing(sibling(path, previous.segment), why));
        }
        let (previous, between) = (previous.segment, before.end.segment);
        return wrong(format!("it says that it follows segment {previous}, but segment {between} is between them"));
    }
    if *previous != before.end {
        let problem = format!("it does not end as segment {} says: {}", header.segment, differs(previous, &before.end));
        return Err(Damage::segment(before.path.clone(), problem));
    }
    is_told(path, header, chain, previous)?;
    let surplus = before.file_bytes.saturating_sub(previous.bytes);
    match &chain.gap {
        Some(gap) if surplus > 0 => Ok(Some(format!(
            "the last {surplus} bytes of `{}` do not count: writing failed there ({})",
            before.path.display(),
            gap.reason
        ))),
        None if surplus > 0 => {
            let problem = format!("it has {surplus} bytes more than segment {} says", header.segment);
            Err(Damage::segment(before.path.clone(), problem))
        }
        _ => Ok(None),
    }
}

/// Whether a header gives an account of every input: what was not written counts as whole only if the journal itself
/// says why.
fn is_told(path: &Path, header: &Header, chain: &Chain, previous: &SegmentEnd) -> Result<(), Damage> {
    let told = chain.gap.as_ref().map_or(0, |gap| gap.inputs);
    if previous.inputs.checked_add(told) == Some(header.inputs) {
        return Ok(());
    }
    let (ends, begins) = (previous.inputs, header.inputs);
    let problem =
        format!("the segment before it ends after input {ends}, it begins after input {begins} and does not say why");
    Err(Damage::segment(path.to_owned(), problem))
}

/// The same for a segment of format 1, which says nothing of the one before: only numbers can be compared.
fn joins_unchained(before: &Finished, path: &Path, header: &Header) -> Result<Option<String>, Damage> {
    if before.header.chain.is_some() {
        let problem = "it has an older format than the segment before it".to_owned();
        return Err(Damage::segment(path.to_owned(), problem));
    }
    let expected = before.end.segment.saturating_add(1);
    // A segment that could not be used was put aside under this name, and its number was left out.
    let put_aside = |number: u64| sibling(path, number).with_extension(segment::DAMAGED).exists();
    if header.segment != expected && !(expected..header.segment).all(put_aside) {
        let why = format!("segment {} follows it", header.segment);
        return Err(Damage::missing(sibling(path, expected), why));
    }
    Ok(None)
}

fn differs(said: &SegmentEnd, found: &SegmentEnd) -> String {
    if found.bytes < said.bytes {
        return format!("{} of {} bytes are there", found.bytes, said.bytes);
    }
    if found.inputs != said.inputs {
        return format!("it ends after input {} instead of {}", found.inputs, said.inputs);
    }
    "its last record has another checksum".to_owned()
}

fn sibling(path: &Path, number: u64) -> PathBuf {
    segment::file(path.parent().unwrap_or(Path::new("")), number)
}

/// The whole name of a session would let who reads a report take it over.
fn short(session: &str) -> String {
    let mut short: String = session.chars().take(8).collect();
    if short.len() < session.len() {
        short.push('…');
    }
    short
}
