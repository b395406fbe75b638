//! Stories that say themselves what is wrong with them.

mod shown;
mod shown_wish;
mod told;
mod words;

use dramaturg_model::{Diagnostic, FileId, SourceFile};

pub(crate) use shown::{shown, shown_model};
pub(crate) use told::{compile_files, cured, told, told_files};

/// Compiles a story and checks that exactly those codes are reported that stand behind `//!` at the end of a line, each on
/// that line.
#[track_caller]
pub(crate) fn check(story: &str) {
    compare(story, &crate::compile_text("test.story", story).diagnostics);
}

/// The same for syntax alone: names need not be declared.
#[track_caller]
pub(crate) fn check_syntax(story: &str) {
    compare(story, &parse("test.story", story));
}

#[track_caller]
fn compare(story: &str, found: &[Diagnostic]) {
    let source = SourceFile::new("test.story", story);
    let line_of = |diagnostic: &Diagnostic| source.line_column(diagnostic.span().start).0 as usize;
    let mut wrong = String::new();
    // The end of the file may be a line of its own, which `lines` does not show.
    for (index, line) in story.split('\n').enumerate() {
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

/// The first fault in the syntax of a story.
#[track_caller]
pub(crate) fn first_fault(story: &str) -> Diagnostic {
    parse("test.story", story).into_iter().next().expect("something is reported")
}

/// The story with the fix of the first fault in its syntax.
#[track_caller]
pub(crate) fn apply_fix(story: &str) -> String {
    let mut edits = first_fault(story).fix.expect("there is a fix").edits;
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

/// A tree as text without the places in it, to compare what two texts say.
pub(crate) fn without_spans(tree: &impl std::fmt::Debug) -> String {
    let full = format!("{tree:?}");
    let mut parts = full.split("Span {");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        for label in [", span: ", ", word: "] {
            if let Some(shorter) = text.strip_suffix(label) {
                text.truncate(shorter.len());
            }
        }
        text.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    text
}
