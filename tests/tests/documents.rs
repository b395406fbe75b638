//! What documents show is true.

use dramaturg_model::{FileId, State};
use dramaturg_planner::planfile::read_plan;
use dramaturg_planner::validate::{ValidateOptions, validate};
use dramaturg_story::syntax::{parse_play, parse_story};
use dramaturg_story::{compile_text, format::format_story};
use dramaturg_tests::{blocks, root};

fn document(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn every_block_of_the_reference_parses() {
    let text = document("docs/language.md");
    let mut seen = 0;
    for block in blocks(&text) {
        let found = match block.info.as_str() {
            "story" => parse_story(FileId(0), &block.text).1,
            "play" => parse_play(FileId(0), &block.text).1,
            _ => continue,
        };
        assert!(found.is_empty(), "docs/language.md:{}: {found:?}", block.line);
        seen += 1;
    }
    assert!(seen >= 13, "only {seen} blocks were found");
}

#[test]
fn the_first_story_compiles_and_its_plan_is_valid() {
    let text = document("docs/first-story.md");
    let blocks = blocks(&text);
    let stories: Vec<_> = blocks.iter().filter(|block| block.info.starts_with("story")).collect();
    assert_eq!(stories.len(), 2);
    for story in &stories {
        let compiled = compile_text("lighthouse.story", &story.text);
        assert!(compiled.diagnostics.is_empty(), "line {}: {:?}", story.line, compiled.diagnostics);
        assert_eq!(format_story(&story.text), story.text, "line {} is not formatted", story.line);
    }
    let plan = blocks.iter().find(|block| block.info.starts_with("plan")).unwrap();
    let model = compile_text("lighthouse.story", &stories[0].text).model;
    let (read, found) = read_plan(&model, FileId(0), &plan.text);
    assert!(found.is_empty(), "{found:?}");
    let report = validate(&model, &State::initial(&model, 0), &read, &ValidateOptions::default());
    assert!(report.valid, "{report:?}");
    let mut without = read.clone();
    without.steps.remove(0);
    assert!(!validate(&model, &State::initial(&model, 0), &without, &ValidateOptions::default()).valid);
}

#[test]
fn the_story_on_the_front_page_compiles() {
    let text = document("README.md");
    let story = blocks(&text).into_iter().find(|block| block.info == "story").unwrap();
    let compiled = compile_text("bell.story", &story.text);
    assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
    assert!(story.text.lines().filter(|line| !line.is_empty()).count() <= 20);
    let (plan, found) = read_plan(&compiled.model, FileId(0), "(climb mara)\n(ring mara)\n");
    assert!(found.is_empty(), "{found:?}");
    let report = validate(&compiled.model, &State::initial(&compiled.model, 0), &plan, &ValidateOptions::default());
    assert!(report.valid, "{report:?}");
    assert_eq!(plan.end(), 40);
}

#[test]
fn the_story_about_characters_compiles() {
    let text = document("docs/characters.md");
    let story = blocks(&text).into_iter().find(|block| block.info == "story").unwrap();
    let compiled = compile_text("lantern.story", &story.text);
    assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
    assert_eq!(format_story(&story.text), story.text);
}

/// `docs/events.md` has every kind of event, each as it is written, and nothing else.
#[test]
fn the_document_of_events_tells_all_of_them() {
    use dramaturg_director::Event;
    let document = std::fs::read_to_string(root().join("docs/events.md")).expect("it is there");
    let mut told = std::collections::BTreeSet::new();
    for block in blocks(&document) {
        for line in block.text.lines() {
            let event: Event = serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}\n{why}"));
            assert_eq!(serde_json::to_string(&event).expect("events can be written"), line);
            let value: serde_json::Value = serde_json::from_str(line).expect("it was read before");
            told.insert(value["event"].as_str().expect("every event has a kind").to_owned());
        }
    }
    let source = std::fs::read_to_string(root().join("crates/dramaturg-director/src/event.rs")).expect("it is there");
    let kinds = source.split("pub enum EventKind {").nth(1).expect("the kinds are there");
    let declared: std::collections::BTreeSet<String> = kinds
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.strip_suffix(" {"))
        .filter(|name| name.starts_with(char::is_uppercase))
        .map(|name| {
            let mut snake = String::new();
            for letter in name.chars() {
                if letter.is_uppercase() && !snake.is_empty() {
                    snake.push('_');
                }
                snake.extend(letter.to_lowercase());
            }
            snake
        })
        .collect();
    assert!(declared.len() > 20, "{declared:?}");
    assert_eq!(told, declared);
}
