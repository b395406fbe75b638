//! Checking again after an edit gives exactly what a full compile gives.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_story::{Files, MemoryFiles, Session, compile};
use dramaturg_tests::{RepositoryFiles, story_paths};
use proptest::prelude::*;

/// One edit of a line.
#[derive(Clone, Debug)]
enum Edit {
    Delete(usize),
    Duplicate(usize),
    Swap(usize, usize),
    /// Cuts a line off after so many characters.
    Cut(usize, usize),
    /// Puts a line of the story somewhere else.
    Insert(usize, usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        any::<usize>().prop_map(Edit::Delete),
        any::<usize>().prop_map(Edit::Duplicate),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::Swap(a, b)),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::Cut(a, b)),
        any::<(usize, usize)>().prop_map(|(a, b)| Edit::Insert(a, b)),
    ];
    prop::collection::vec(edit, 1..6)
}

fn apply(text: &str, edit: &Edit) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let count = lines.len().max(1);
    match edit {
        Edit::Delete(at) if !lines.is_empty() => {
            lines.remove(at % count);
        }
        Edit::Duplicate(at) if !lines.is_empty() => lines.insert(at % count, lines[at % count]),
        Edit::Swap(a, b) if !lines.is_empty() => lines.swap(a % count, b % count),
        Edit::Cut(at, length) if !lines.is_empty() => {
            let line = lines[at % count];
            let end = line.char_indices().map(|(index, _)| index).nth(length % (line.chars().count() + 1));
            lines[at % count] = &line[..end.unwrap_or(line.len())];
        }
        Edit::Insert(from, to) if !lines.is_empty() => lines.insert(to % count, lines[from % count]),
        _ => {}
    }
    lines.join("\n") + "\n"
}

/// All story files in memory.
fn repository() -> MemoryFiles {
    let files = RepositoryFiles.list("stories");
    MemoryFiles(
        files.into_iter().map(|path| (path.clone(), RepositoryFiles.read(&path).unwrap())).collect::<BTreeMap<_, _>>(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_session_says_what_a_full_compile_says(story in 0..12_usize, part in any::<bool>(), edits in edits()) {
        let paths = story_paths();
        let root = &paths[story % paths.len()];
        let mut files = repository();
        let mut session = Session::default();
        session.compile(root, &files);
        // Edits of a part that the story uses must be noticed too.
        let used = if part && root.contains("dungeon") { "stories/dungeon-parts.story" } else { root.as_str() };
        for edit in &edits {
            let text = apply(&files.0[used], edit);
            files.0.insert(used.to_owned(), Arc::from(text));
            let again = session.compile(root, &files);
            let whole = compile(root, &files);
            prop_assert_eq!(again.diagnostics, whole.diagnostics);
            prop_assert!(again.model == whole.model, "the models differ");
            prop_assert_eq!(again.is_part, whole.is_part);
        }
    }
}
