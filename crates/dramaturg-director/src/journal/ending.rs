//! How a journal ends: with a record that says so. Without it nobody can tell whether something was removed from its
//! end.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::Damage;
use super::disk::{Files, check_regular};
use super::header::Header;
use super::record::{END_BYTES, Record, end_reason};
use super::segment;

/// Beside the segments of a session that is over: why it is.
const REASON: &str = "reason";

/// Whether a journal ends with the record that its session is over for this reason. Only its last bytes are read.
fn has_end(folder: &Path, reason: &str) -> bool {
    let Some((_, path)) = segment::list_on(&mut Files, folder).ok().and_then(|mut segments| segments.pop()) else {
        return false;
    };
    let bytes = END_BYTES.saturating_add(end_reason(reason).len());
    tail(&path, bytes).is_ok_and(|tail| Record::is_end(&tail))
}

fn tail(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-i64::try_from(bytes).unwrap_or(i64::MAX)))?;
    let mut tail = vec![0; bytes];
    file.read_exact(&mut tail)?;
    Ok(tail)
}

/// Says beside the segments why the session is over, and whether its journal says so too.
pub(crate) fn write_reason(folder: &Path, reason: &str) -> io::Result<()> {
    let path = folder.join(REASON);
    check_regular(&path)?;
    let end = if has_end(folder, reason) { "" } else { "its journal has no end\n" };
    fs::write(path, format!("{}\n{end}", end_reason(reason).replace('\n', " ")))
}

/// Whether a journal that has no end had one: then what was written at its end is gone.
pub(super) fn missing(folder: &Path, last: &Path, header: &Header) -> Option<Damage> {
    // Format 1 had no ends.
    header.chain.as_ref()?;
    let path = folder.join(REASON);
    check_regular(&path).ok()?;
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    let (reason, has_no_end) = (lines.next()?, lines.next());
    has_no_end.is_none().then(|| {
        let problem = format!(
            "the journal stops here, but its session had an end (“{reason}”): what was written at the end is gone"
        );
        Damage::segment(last.to_owned(), problem)
    })
}
