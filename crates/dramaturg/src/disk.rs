//! Sources from disk.

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use dramaturg_model::{Diagnostic, Sources, Span};
use dramaturg_story::Files;
use dramaturg_story::diagnostics::stray_character;

/// The files of a disk, as the compiler asks for them. What could not be read as text is remembered, since the compiler itself
/// knows only whether a file is there.
#[derive(Debug, Default)]
pub struct DiskFiles {
    troubles: RefCell<Vec<ReadTrouble>>,
    garbled: RefCell<Vec<Garbled>>,
}

/// A file that is there and could not be read.
#[derive(Debug)]
pub struct ReadTrouble {
    /// The file.
    pub path: String,
    /// Why.
    pub error: io::Error,
}

/// A file that is not UTF-8: bytes that are none were replaced by `\u{FFFD}`.
#[derive(Debug)]
struct Garbled {
    path: String,
    byte: u8,
    at: usize,
}

impl DiskFiles {
    /// No troubles yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What could not be read, and not because it does not exist.
    pub fn troubles(&self) -> Vec<ReadTrouble> {
        self.troubles.take()
    }

    /// One error for each file that is not UTF-8, at its first strange byte.
    pub fn encoding_faults(&self, sources: &Sources) -> Vec<Diagnostic> {
        let found = self.garbled.borrow();
        let faults = found.iter().filter_map(|Garbled { path, byte, at }| {
            let at = u32::try_from(*at).ok()?;
            let span = Span::new(sources.find(path)?, at, at + '\u{FFFD}'.len_utf8() as u32);
            let message = format!("the byte 0x{byte:02X} is not UTF-8 text");
            Some(Diagnostic::new(stray_character::CODE, span, message).hint("save the file in the encoding UTF-8"))
        });
        faults.collect()
    }

    fn text(&self, path: &str, bytes: Vec<u8>) -> Arc<str> {
        match String::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let byte = error.as_bytes().get(at).copied().unwrap_or_default();
                self.garbled.borrow_mut().push(Garbled { path: path.to_owned(), byte, at });
                String::from_utf8_lossy(error.as_bytes()).into()
            }
        }
    }

    fn listing(folder: &str, extension: &str) -> Vec<String> {
        let shown = if folder.is_empty() { "." } else { folder };
        let Ok(entries) = fs::read_dir(shown) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.path().is_file())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| Path::new(name).extension().is_some_and(|found| found == extension))
            .map(|name| join(folder, &name))
            .collect();
        names.sort_unstable();
        names
    }
}

impl Files for DiskFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        match fs::read(path) {
            Ok(bytes) => Some(self.text(path, bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                self.troubles.borrow_mut().push(ReadTrouble { path: path.to_owned(), error });
                None
            }
        }
    }

    fn list(&self, folder: &str) -> Vec<String> {
        Self::listing(folder, "story")
    }

    fn translations(&self, root: &str) -> Vec<String> {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        Self::listing(&join(folder, "lang"), "ftl")
    }
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{}/{name}", folder.trim_end_matches('/')) }
}

/// A path as sources write it: with `/`.
pub fn written(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_list_their_stories_and_translations_in_order_of_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = written(folder.path());
        fs::create_dir(folder.path().join("lang")).expect("written");
        for name in ["b.story", "a.story", "a.play", "lang/fr.ftl", "lang/de.ftl"] {
            fs::write(folder.path().join(name), "").expect("written");
        }
        let files = DiskFiles::new();
        assert_eq!(files.list(&root), [format!("{root}/a.story"), format!("{root}/b.story")]);
        let translations = files.translations(&format!("{root}/a.story"));
        assert_eq!(translations, [format!("{root}/lang/de.ftl"), format!("{root}/lang/fr.ftl")]);
        assert_eq!(files.read(&format!("{root}/c.story")), None);
        assert!(files.troubles().is_empty(), "a missing file is no trouble");
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.story");
        fs::write(&path, b"story \"A\"\n// \xFF\n").expect("written");
        let files = DiskFiles::new();
        let text = files.read(&written(&path)).expect("read");
        let faults = files.encoding_faults(&Sources::single(written(&path), text));
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].message, "the byte 0xFF is not UTF-8 text");
    }
}
