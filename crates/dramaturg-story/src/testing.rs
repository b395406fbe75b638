//! Stories that say themselves what is wrong with them.

use dramaturg_model::{Diagnostic, FileId, SourceFile};

/// Compiles a story as far as it can be compiled so far.
fn compile(text: &str) -> Vec<Diagnostic> {
    crate::syntax::parse_story(FileId(0), text).1
}

/// Checks that exactly those codes are reported that stand behind `//!` at the end of a line, each on that line.
#[track_caller]
pub(crate) fn check(story: &str) {
    let found = compile(story);
    let source = SourceFile::new("test.story", story);
    let line_of = |diagnostic: &Diagnostic| source.line_column(diagnostic.span().start).0 as usize;
    let mut wrong = String::new();
    for (index, line) in story.lines().enumerate() {
        let comment = line.split_once("//!").map_or("", |(_, codes)| codes);
        let mut wanted: Vec<&str> = comment.split([',', ' ']).filter(|code| !code.is_empty()).collect();
        let mut got: Vec<&str> =
            found.iter().filter(|diagnostic| line_of(diagnostic) == index + 1).map(|it| it.code.name).collect();
        wanted.sort_unstable();
        got.sort_unstable();
        if wanted != got {
            let shown: String = line.chars().take(200).collect();
            wrong += &format!("\nline {}: {shown}\n  wanted {wanted:?}, got {got:?}", index + 1);
        }
    }
    let messages: Vec<String> =
        found.iter().take(20).map(|it| format!("line {}: {}: {}", line_of(it), it.code.name, it.message)).collect();
    assert!(wrong.is_empty(), "{wrong}\n\nall that was reported:\n{}\n", messages.join("\n"));
}

/// The first thing that is reported about a story.
#[track_caller]
pub(crate) fn first(story: &str) -> Diagnostic {
    compile(story).into_iter().next().expect("something is reported")
}

/// The story with the fix of the first thing that is reported about it.
#[track_caller]
pub(crate) fn apply_fix(story: &str) -> String {
    let mut edits = first(story).fix.expect("there is a fix").edits;
    edits.sort_by_key(|edit| edit.span.start);
    let mut text = story.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    text
}

/// The sample stories and plays, by file name.
#[expect(clippy::disallowed_methods, reason = "tests read the samples")]
pub(crate) fn samples() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories");
    let mut samples: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("there are samples")
        .map(|entry| entry.expect("the samples can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "story" || extension == "play"))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).expect("a sample can be read"))
        })
        .collect();
    samples.sort();
    assert!(samples.len() >= 25, "the samples are all there");
    samples
}

/// What is reported about a `.story` or `.play` file before names are looked at.
pub(crate) fn parse(name: &str, text: &str) -> Vec<Diagnostic> {
    if name.ends_with(".play") {
        crate::syntax::parse_play(FileId(0), text).1
    } else {
        crate::syntax::parse_story(FileId(0), text).1
    }
}
