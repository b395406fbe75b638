//! The texts a story is made of, and places in them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::table::Table;

crate::ids! {
    /// One source file.
    FileId,
}

/// A stretch of one source file, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The place of things that stand in no file: built-ins and generated declarations.
    pub const NONE: Self = Self { file: FileId(u32::MAX), start: 0, end: 0 };

    /// A stretch of a file.
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The shortest stretch that covers both (of one file; otherwise this one).
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty stretch just behind this one.
    pub const fn after(self) -> Self {
        Self { file: self.file, start: self.end, end: self.end }
    }

    /// The empty stretch just before this one.
    pub const fn before(self) -> Self {
        Self { file: self.file, start: self.start, end: self.start }
    }
}

/// One file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path as the user named it, with `/`.
    pub path: String,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// A file with its text; lines are counted once, here.
    pub fn new(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at as u32 + 1))
            .collect();
        Self { path: path.into(), text, line_starts }
    }

    /// Line and column of a byte, both from 1; the column counts characters.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1) - 1;
        let start = self.line_starts.get(line).copied().unwrap_or(0);
        let column = self
            .text
            .get(start as usize..offset as usize)
            .map_or(offset.saturating_sub(start), |before| before.chars().count() as u32);
        (line as u32 + 1, column + 1)
    }

    /// How many lines there are.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }
}

/// All files of a story.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Table<FileId, SourceFile>,
}

impl Sources {
    /// No files.
    pub fn new() -> Self {
        Self::default()
    }

    /// One file.
    pub fn single(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        let mut sources = Self::new();
        sources.add(path, text);
        sources
    }

    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile::new(path, text))
    }

    /// Puts another text in the place of a file's text.
    pub fn replace(&mut self, id: FileId, text: impl Into<Arc<str>>) {
        if self.files.try_at(id).is_some() {
            let path = self.files[id].path.clone();
            self.files[id] = SourceFile::new(path, text);
        }
    }

    /// A file by its id.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.try_at(id)
    }

    /// The id of the file with this path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files.iter().find(|(_, file)| file.path == path).map(|(id, _)| id)
    }

    /// All files in order of reading.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter()
    }

    /// The text of a stretch, empty if there is none.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|file| file.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// `file:line:column` of a stretch's beginning, for people; empty for generated things.
    pub fn place(&self, span: Span) -> String {
        self.file(span.file).map_or_else(String::new, |file| {
            let (line, column) = file.line_column(span.start);
            format!("{}:{line}:{column}", file.path)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_lines_and_characters_from_one() {
        let sources = Sources::single("a.story", "käse\nbrot");
        let file = FileId(0);
        assert_eq!(sources.place(Span::new(file, 0, 1)), "a.story:1:1");
        assert_eq!(sources.place(Span::new(file, 3, 4)), "a.story:1:3");
        assert_eq!(sources.place(Span::new(file, 6, 7)), "a.story:2:1");
        assert_eq!(sources.text(Span::new(file, 6, 10)), "brot");
        assert_eq!(sources.place(Span::NONE), "");
    }
}
