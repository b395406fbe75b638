//! Where sources come from, and which files make up a story.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Diagnostic, FileId, LevelId, Sources, Span};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::diagnostics;
use crate::syntax::tree::{Item, ItemKind, StoryFile};

/// Files by path, handed in by the shell: the compiler itself reads nothing.
pub trait Files {
    /// The text of a file, if it exists. Paths use `/`.
    fn read(&self, path: &str) -> Option<Arc<str>>;
    /// The paths of all `.story` files directly in a folder, in order of name.
    fn list(&self, folder: &str) -> Vec<String>;
    /// The paths of the translations beside a story: `lang/de.ftl` and the like, in order of name.
    fn translations(&self, _root: &str) -> Vec<String> {
        Vec::new()
    }
}

/// Files held in memory: for tests, tools and the studio.
#[derive(Clone, Debug, Default)]
pub struct MemoryFiles(pub BTreeMap<String, Arc<str>>);

impl MemoryFiles {
    /// One file.
    pub fn single(path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self(BTreeMap::from([(path.into(), text.into())]))
    }
}

impl Files for MemoryFiles {
    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.0.get(path).cloned()
    }

    fn list(&self, folder: &str) -> Vec<String> {
        let inside = |path: &&String| {
            let name = match folder {
                "" => Some(path.as_str()),
                folder => path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')),
            };
            name.is_some_and(|name| !name.contains('/') && name.ends_with(".story"))
        };
        self.0.keys().filter(inside).cloned().collect()
    }

    fn translations(&self, root: &str) -> Vec<String> {
        let folder = folder_of(root);
        let lang = join(folder, "lang/");
        self.0.keys().filter(|path| path.starts_with(&lang) && path.ends_with(".ftl")).cloned().collect()
    }
}

/// A parsed file of the story.
pub(crate) struct Parsed {
    pub(crate) tree: Arc<StoryFile>,
    pub(crate) uses: FxHashMap<Span, Vec<usize>>,
}

/// All files of a story, parsed; the first is the root.
pub(crate) struct Loaded {
    pub(crate) sources: Sources,
    pub(crate) files: Vec<Parsed>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses one file: the compiler's cache, or the parser itself.
pub(crate) type Parse<'a> = dyn FnMut(FileId, &Arc<str>) -> (Arc<StoryFile>, Arc<Vec<Diagnostic>>) + 'a;

/// Reads the root and everything it uses, each file once.
pub(crate) fn load(root: &str, files: &dyn Files, parse: &mut Parse<'_>) -> Loaded {
    let mut loaded = Loaded { sources: Sources::new(), files: Vec::new(), diagnostics: Vec::new() };
    let mut known: FxHashMap<SmolStr, usize> = FxHashMap::default();
    let text = files.read(root).unwrap_or_else(|| Arc::from(""));
    add(&mut loaded, &mut known, root, &text, parse);
    let mut next = 0;
    while next < loaded.files.len() {
        let Some(tree) = loaded.files.get(next).map(|file| Arc::clone(&file.tree)) else { break };
        let base =
            loaded.sources.file(FileId(next as u32)).map_or(String::new(), |file| folder_of(&file.path).to_owned());
        let mut uses = Vec::new();
        collect_uses(&tree.items, &mut uses);
        for (span, path) in uses {
            let wanted = join(&base, &path);
            let paths = if path.ends_with('/') {
                files.list(wanted.trim_end_matches('/'))
            } else {
                vec![format!("{wanted}.story")]
            };
            let mut indexes = Vec::new();
            for path in &paths {
                if let Some(index) = known.get(path.as_str()) {
                    indexes.push(*index);
                } else if let Some(text) = files.read(path) {
                    indexes.push(add(&mut loaded, &mut known, path, &text, parse));
                }
            }
            if indexes.is_empty() {
                let near = nearest_file(&base, &path, &loaded.sources, files);
                loaded.diagnostics.push(diagnostics::unknown_file::diagnostic(span, &path, near.as_deref()));
            }
            if let Some(file) = loaded.files.get_mut(next) {
                file.uses.insert(span, indexes);
            }
        }
        next += 1;
    }
    loaded
}

fn add(
    loaded: &mut Loaded,
    known: &mut FxHashMap<SmolStr, usize>,
    path: &str,
    text: &Arc<str>,
    parse: &mut Parse<'_>,
) -> usize {
    let file = loaded.sources.add(path, Arc::clone(text));
    let (tree, found) = parse(file, text);
    loaded.diagnostics.extend(found.iter().cloned());
    let index = loaded.files.len();
    known.insert(SmolStr::new(path), index);
    loaded.files.push(Parsed { tree, uses: FxHashMap::default() });
    index
}

fn collect_uses(items: &[Item], uses: &mut Vec<(Span, String)>) {
    for item in items {
        match &item.kind {
            ItemKind::Use(path) => uses.push((path.span, path.plain())),
            ItemKind::Level(level) => collect_uses(&level.items, uses),
            _ => {}
        }
    }
}

fn nearest_file(base: &str, path: &str, sources: &Sources, files: &dyn Files) -> Option<String> {
    let folder = folder_of(path);
    if let Some(without) = path.strip_suffix(".story")
        && files.read(&join(base, path)).is_some()
    {
        return Some(without.to_owned());
    }
    let names = files.list(join(base, folder).trim_end_matches('/'));
    // The root itself cannot be meant.
    let root = sources.file(FileId(0)).map_or("", |file| file.path.as_str());
    let names: Vec<String> = names
        .iter()
        .filter(|name| *name != root)
        .filter_map(|name| name.rsplit('/').next())
        .map(|name| join(folder, name.trim_end_matches(".story")))
        .collect();
    super::names::nearest(path, names.iter().map(String::as_str)).map(str::to_owned)
}

/// The folder of a path, without the last `/`.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A path relative to a folder, with `.` and `..` resolved.
pub(crate) fn join(folder: &str, path: &str) -> String {
    let whole = if folder.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.is_empty()) => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

/// A declaration and the level it stands in.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'t> {
    pub(crate) item: &'t Item,
    pub(crate) level: Option<LevelId>,
}

/// All declarations in order, files in the place of their first `use`, with the levels around them. `open` makes a level's id.
pub(crate) fn flatten<'t>(
    files: &'t [Parsed],
    open: &mut dyn FnMut(&'t Item, Option<LevelId>) -> LevelId,
) -> Vec<Placed<'t>> {
    struct Walk<'w, 't> {
        files: &'t [Parsed],
        taken: Vec<bool>,
        open: &'w mut dyn FnMut(&'t Item, Option<LevelId>) -> LevelId,
        placed: Vec<Placed<'t>>,
    }
    impl<'t> Walk<'_, 't> {
        fn file(&mut self, index: usize, level: Option<LevelId>) {
            match self.taken.get_mut(index) {
                Some(taken) if !*taken => *taken = true,
                _ => return,
            }
            let files: &'t [Parsed] = self.files;
            if let Some(file) = files.get(index) {
                self.items(file, &file.tree.items, level);
            }
        }

        fn items(&mut self, file: &'t Parsed, items: &'t [Item], level: Option<LevelId>) {
            for item in items {
                match &item.kind {
                    ItemKind::Use(path) => {
                        for index in file.uses.get(&path.span).into_iter().flatten() {
                            self.file(*index, level);
                        }
                    }
                    ItemKind::Level(inner) => {
                        let id = (self.open)(item, level);
                        self.placed.push(Placed { item, level });
                        self.items(file, &inner.items, Some(id));
                    }
                    _ => self.placed.push(Placed { item, level }),
                }
            }
        }
    }
    let mut walk = Walk { files, taken: vec![false; files.len()], open, placed: Vec::new() };
    walk.file(0, None);
    walk.placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_using_file() {
        assert_eq!(join("troy", "levels/1-sparta"), "troy/levels/1-sparta");
        assert_eq!(join("troy/levels", "../cast"), "troy/cast");
        assert_eq!(join("", "./cast"), "cast");
        assert_eq!(folder_of("troy/troy.story"), "troy");
    }
}
