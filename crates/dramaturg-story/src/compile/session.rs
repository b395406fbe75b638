//! Compiling the same story again after an edit.

use std::sync::Arc;

use dramaturg_model::{Diagnostic, FileId};
use rustc_hash::FxHashMap;

use super::files::Files;
use super::{Compilation, compile_with};
use crate::syntax::parse_story;
use crate::syntax::tree::StoryFile;

/// What was parsed, and from which text.
struct Parsed {
    text: Arc<str>,
    tree: Arc<StoryFile>,
    diagnostics: Arc<Vec<Diagnostic>>,
}

/// Compiles a story again and again: files whose text is the same are not parsed again. What comes out is exactly what
/// [`super::compile`] gives, since names, types and checks always look at the whole story.
///
/// ```
/// use dramaturg_story::{MemoryFiles, Session};
/// let mut session = Session::default();
/// let before = MemoryFiles::single("bell.story", "story \"Bell\"\nfluent rung\ngoal rnug");
/// assert!(!session.compile("bell.story", &before).is_usable());
/// let after = MemoryFiles::single("bell.story", "story \"Bell\"\nfluent rung\ngoal rung");
/// assert!(session.compile("bell.story", &after).is_usable());
/// ```
#[derive(Default)]
pub struct Session {
    /// By number of the file, for places in trees carry it.
    parsed: FxHashMap<FileId, Parsed>,
}

impl Session {
    /// Compiles a story from its root file.
    pub fn compile(&mut self, root: &str, files: &dyn Files) -> Compilation {
        compile_with(root, files, &mut |file, text| self.parse(file, text))
    }

    fn parse(&mut self, file: FileId, text: &Arc<str>) -> (Arc<StoryFile>, Arc<Vec<Diagnostic>>) {
        if let Some(parsed) = self.parsed.get(&file)
            && parsed.text == *text
        {
            return (Arc::clone(&parsed.tree), Arc::clone(&parsed.diagnostics));
        }
        let (tree, diagnostics) = parse_story(file, text);
        let (tree, diagnostics) = (Arc::new(tree), Arc::new(diagnostics));
        let parsed = Parsed { text: Arc::clone(text), tree: Arc::clone(&tree), diagnostics: Arc::clone(&diagnostics) };
        self.parsed.insert(file, parsed);
        (tree, diagnostics)
    }
}
