//! Random edits of the sample stories: whatever an author does to a story, it compiles to something and to messages about it.

use std::sync::{Arc, OnceLock};

use dramaturg_model::{Diagnostic, Sources, Span};
use dramaturg_story::format::{format_play, format_story};
use dramaturg_story::{Compilation, MemoryFiles, compile, compile_plays};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;

/// The samples, by file name; read once.
#[expect(clippy::disallowed_methods, reason = "tests read the samples")]
fn samples() -> &'static [(String, Arc<str>)] {
    static SAMPLES: OnceLock<Vec<(String, Arc<str>)>> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories");
        let entries = std::fs::read_dir(folder).expect("there are samples");
        let mut samples: Vec<(String, Arc<str>)> = entries
            .map(|entry| entry.expect("the samples can be listed").path())
            .filter(|path| path.extension().is_some_and(|it| it == "story" || it == "play"))
            .map(|path| {
                let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).expect("a sample can be read").into())
            })
            .collect();
        samples.sort();
        samples
    })
}

/// The names of the samples that are stories, or plays.
fn names(extension: &str) -> Vec<&'static str> {
    samples().iter().map(|(name, _)| name.as_str()).filter(|name| name.ends_with(extension)).collect()
}

fn text(name: &str) -> &'static str {
    samples().iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
}

/// All samples, one of them with another text.
fn with(name: &str, text: &str) -> MemoryFiles {
    let mut files: MemoryFiles = MemoryFiles(samples().iter().cloned().collect());
    files.0.insert(name.to_owned(), text.into());
    files
}

/// One thing done to a text.
#[derive(Clone, Debug)]
enum Change {
    DropLine(Index),
    RepeatLine(Index),
    SwapLines(Index, Index),
    DropWord(Index),
    RepeatWord(Index),
    BringWord(Index, Index, Index),
    CutOff(Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Change::DropLine),
        index().prop_map(Change::RepeatLine),
        (index(), index()).prop_map(|(one, other)| Change::SwapLines(one, other)),
        index().prop_map(Change::DropWord),
        index().prop_map(Change::RepeatWord),
        (index(), index(), index()).prop_map(|(at, sample, word)| Change::BringWord(at, sample, word)),
        index().prop_map(Change::CutOff),
    ]
}

/// A text in pieces that join to it: words, blanks and single signs.
fn pieces(text: &str) -> Vec<&str> {
    let kind = |it: char| {
        if it.is_alphanumeric() {
            0
        } else if it.is_whitespace() {
            1
        } else {
            2
        }
    };
    let mut found = Vec::new();
    let mut start = 0;
    let mut last: Option<char> = None;
    for (at, it) in text.char_indices() {
        if last.is_some_and(|last| kind(last) != kind(it) || kind(it) == 2) {
            found.push(&text[start..at]);
            start = at;
        }
        last = Some(it);
    }
    found.push(&text[start..]);
    found
}

fn changed(text: &str, change: &Change) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut words = pieces(text);
    if lines.is_empty() || words.is_empty() {
        return text.to_owned();
    }
    match change {
        Change::DropLine(at) => {
            lines.remove(at.index(lines.len()));
            lines.concat()
        }
        Change::RepeatLine(at) => {
            let at = at.index(lines.len());
            lines.insert(at, lines[at]);
            lines.concat()
        }
        Change::SwapLines(one, other) => {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            lines.swap(one, other);
            lines.concat()
        }
        Change::DropWord(at) => {
            words.remove(at.index(words.len()));
            words.concat()
        }
        Change::RepeatWord(at) => {
            let at = at.index(words.len());
            words.insert(at, words[at]);
            words.concat()
        }
        Change::BringWord(at, sample, word) => {
            let other = pieces(&sample.get(samples()).1);
            words.insert(at.index(words.len()), *word.get(other.as_slice()));
            words.concat()
        }
        Change::CutOff(at) => {
            words.truncate(at.index(words.len()));
            words.concat()
        }
    }
}

fn edited(name: &str, changes: &[Change]) -> String {
    changes.iter().fold(text(name).to_owned(), |text, change| changed(&text, change))
}

/// What compiling yields, and that it does not take long: no edit may make a story of a few hundred lines slow.
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests look at the clock")]
fn in_time<T>(work: impl FnOnce() -> T) -> T {
    let begun = std::time::Instant::now();
    let result = work();
    assert!(begun.elapsed().as_secs() < 10, "it took {:?}", begun.elapsed());
    result
}

/// Places lie in their files between characters, and fixes can be applied.
fn check_places(sources: &Sources, diagnostics: &[Diagnostic]) {
    let whole = |span: Span| {
        let file = sources.file(span.file).unwrap_or_else(|| panic!("{span:?} lies in a file"));
        let (start, end) = (span.start as usize, span.end as usize);
        assert!(file.text.get(start..end).is_some(), "{span:?} lies in {} between characters", file.path);
    };
    for found in diagnostics {
        assert!(!found.message.is_empty());
        found.labels.iter().for_each(|label| whole(label.span));
        let Some(fix) = &found.fix else { continue };
        let mut edits = fix.edits.clone();
        edits.iter().for_each(|edit| whole(edit.span));
        edits.sort_by_key(|edit| edit.span);
        let apart = |one: Span, other: Span| one.file != other.file || one.end <= other.start;
        assert!(edits.windows(2).all(|two| apart(two[0].span, two[1].span)), "{fix:?} does not overlap itself");
    }
}

/// A model without the places in it.
fn said(compilation: &Compilation) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("place");
                fields.values_mut().for_each(strip);
            }
            Value::Array(items) => {
                items.retain(|item| !is_span(item));
                items.iter_mut().for_each(strip);
            }
            _ => {}
        }
    }
    fn is_span(value: &Value) -> bool {
        value
            .as_object()
            .is_some_and(|fields| fields.len() == 3 && fields.contains_key("start") && fields.contains_key("file"))
    }
    let mut value = serde_json::to_value(&compilation.model).expect("a model can be written");
    strip(&mut value);
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_edited_story_compiles(sample in any::<Index>(), changes in prop::collection::vec(change(), 1..6)) {
        let names = names(".story");
        let name = sample.get(&names);
        let edited = edited(name, &changes);
        let compiled = in_time(|| compile(name, &with(name, &edited)));
        check_places(&compiled.sources, &compiled.diagnostics);
        // A handful of edits is a handful of faults, however much else they touch.
        prop_assert!(compiled.diagnostics.len() < 400, "{}", compiled.diagnostics.len());
    }

    #[test]
    fn an_edited_play_compiles(sample in any::<Index>(), changes in prop::collection::vec(change(), 1..6)) {
        let names = names(".play");
        let name = sample.get(&names);
        let edited = edited(name, &changes);
        let story = name.replace(".play", ".story");
        let plays = in_time(|| compile_plays(&story, &with(name, &edited), &[(name, &edited)]));
        check_places(&plays.sources, &plays.diagnostics);
    }

    #[test]
    fn a_story_under_an_edited_one_still_plays(sample in any::<Index>(), changes in prop::collection::vec(change(), 1..4)) {
        let names = names(".play");
        let name = sample.get(&names);
        let story = name.replace(".play", ".story");
        let edited = edited(&story, &changes);
        let plays = compile_plays(&story, &with(&story, &edited), &[(name, text(name))]);
        check_places(&plays.sources, &plays.diagnostics);
    }

    #[test]
    fn formatting_changes_nothing_that_is_meant(sample in any::<Index>(), changes in prop::collection::vec(change(), 0..4)) {
        let names = names(".story");
        let name = sample.get(&names);
        let edited = edited(name, &changes);
        let formatted = format_story(&edited);
        let (before, after) = (compile(name, &with(name, &edited)), compile(name, &with(name, &formatted)));
        prop_assert_eq!(said(&before), said(&after));
        let codes = |compiled: &Compilation| -> Vec<&'static str> { compiled.diagnostics.iter().map(|it| it.code.name).collect() };
        prop_assert_eq!(codes(&before), codes(&after));
    }
}

#[test]
fn samples_have_nothing_but_hints() {
    for name in names(".story") {
        let compiled = compile(name, &with(name, text(name)));
        let worse: Vec<&Diagnostic> =
            compiled.diagnostics.iter().filter(|it| it.severity() != dramaturg_model::Severity::Hint).collect();
        assert!(worse.is_empty(), "{name}: {worse:?}");
        assert_eq!(compiled.is_part, name == "dungeon-parts.story", "{name}");
        check_places(&compiled.sources, &compiled.diagnostics);
    }
}

#[test]
fn plays_of_the_samples_have_no_faults() {
    for name in names(".play") {
        let story = name.replace(".play", ".story");
        let plays = compile_plays(&story, &with(name, text(name)), &[(name, text(name))]);
        assert!(plays.diagnostics.is_empty() && !plays.plays.is_empty(), "{name}: {:?}", plays.diagnostics);
        assert_eq!(format_play(&format_play(text(name))), format_play(text(name)), "{name}");
    }
}

#[test]
fn formatting_the_samples_keeps_their_models() {
    for name in names(".story") {
        let formatted = format_story(text(name));
        let before = compile(name, &with(name, text(name)));
        assert_eq!(said(&before), said(&compile(name, &with(name, &formatted))), "{name}");
    }
}
