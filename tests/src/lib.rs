//! What tests across crates share: the repository, its stories, blocks of its documents.

pub mod sim;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use dramaturg_story::{Compilation, Files, compile};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or_else(|| here.to_path_buf(), Path::to_path_buf)
}

/// Files below the root of the repository.
pub struct RepositoryFiles;

impl Files for RepositoryFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        std::fs::read_to_string(root().join(path)).ok().map(Arc::from)
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(root().join(folder)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut paths: Vec<String> =
            names.filter(|name| name.ends_with(".story")).map(|name| format!("{folder}/{name}")).collect();
        paths.sort_unstable();
        paths
    }
}

/// The sample stories that are whole stories, by path.
pub fn story_paths() -> Vec<String> {
    let whole = |path: &String| RepositoryFiles.read(path).is_some_and(|text| text.contains("\nstory \""));
    RepositoryFiles.list("stories").into_iter().filter(whole).collect()
}

/// A sample story, compiled; it must be usable.
pub fn sample(name: &str) -> Compilation {
    let compiled = compile(&format!("stories/{name}.story"), &RepositoryFiles);
    assert!(compiled.is_usable(), "{name}: {:?}", compiled.diagnostics);
    compiled
}

/// A fenced block of a document.
pub struct Block {
    /// The words behind the opening fence: `story wrong`.
    pub info: String,
    /// What stands between the fences.
    pub text: String,
    /// The line of the opening fence.
    pub line: usize,
}

/// The fenced blocks of a document.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(info), None) => open = Some(Block { info: info.to_owned(), text: String::new(), line: index + 1 }),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// All files that git would keep, by path below the root.
pub fn repository_paths() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(root().join(&folder)).into_iter().flatten().flatten();
        for entry in entries {
            let path = folder.join(entry.file_name());
            let name = entry.file_name();
            let skipped = ["target", ".git", "corpus", "artifacts"].iter().any(|skip| name == *skip);
            if skipped {
                continue;
            }
            if entry.path().is_dir() {
                open.push(path);
            } else if let Some(path) = path.to_str() {
                found.push(path.to_owned());
            }
        }
    }
    found.sort_unstable();
    found
}
