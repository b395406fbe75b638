//! What a story is told about itself, as text.

use std::fmt::Write;

use dramaturg_model::{Diagnostic, Sources, Span};

use crate::{Compilation, MemoryFiles, compile, compile_text};

/// Everything that is said about a story: places by line and by what stands there, hints and fixes.
pub(crate) fn told(story: &str) -> String {
    let compiled = compile_text("test.story", story);
    tell(&compiled.sources, &compiled.diagnostics)
}

/// The same for a story of several files, of which the first is the root.
pub(crate) fn told_files(files: &[(&str, &str)]) -> String {
    let compiled = compile_files(files);
    tell(&compiled.sources, &compiled.diagnostics)
}

/// A story of several files, of which the first is the root.
pub(crate) fn compile_files(files: &[(&str, &str)]) -> Compilation {
    let memory = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).into())).collect();
    compile(files.first().expect("there is a root").0, &MemoryFiles(memory))
}

/// Diagnostics as text.
pub(crate) fn tell(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let place = |span: Span| {
        let file = sources.file(span.file).expect("a place lies in a file");
        let path = if file.path == "test.story" { String::new() } else { format!("{}:", file.path) };
        let words: Vec<&str> = sources.text(span).split_whitespace().collect();
        format!("{path}{} `{}`", file.line_column(span.start).0, words.join(" "))
    };
    let mut text = String::new();
    for found in diagnostics {
        let _ = writeln!(text, "{}: {}: {}", place(found.span()), found.code.name, found.message);
        for (index, label) in found.labels.iter().enumerate() {
            if index > 0 {
                let _ = writeln!(text, "  {}: {}", place(label.span), label.text);
            } else if !label.text.is_empty() {
                let _ = writeln!(text, "  here: {}", label.text);
            }
        }
        if let Some(hint) = &found.hint {
            let _ = writeln!(text, "  hint: {hint}");
        }
        if let Some(fix) = &found.fix {
            let _ = writeln!(text, "  fix: {}", fix.title);
        }
    }
    text
}

/// Applies the fix of the first thing that is said about a story, and checks that nothing is left to say; the lines changed.
#[track_caller]
pub(crate) fn cured(story: &str) -> String {
    let compiled = compile_text("test.story", story);
    let first = compiled.diagnostics.into_iter().next().expect("something is reported");
    let mut edits = first.fix.expect("there is a fix").edits;
    edits.sort_by_key(|edit| edit.span.start);
    let mut text = story.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    assert_eq!(told(&text), "", "{text}");
    let changed = story.lines().zip(text.lines()).filter(|(before, after)| before != after);
    let lines: Vec<&str> = changed.map(|(_, after)| after.trim()).collect();
    lines.join("\n")
}
