//! Lint: the pages of its codes are true, and the samples have nothing to hide.

use dramaturg_model::{Severity, SourceFile};
use dramaturg_planner::lint::{ALL, LintOptions, lint};
use dramaturg_story::{compile, compile_text};
use dramaturg_tests::{RepositoryFiles, blocks, root, story_paths};

/// Everything that is reported about a story, but hints, as (line, code).
fn reported(story: &str) -> Vec<(u32, &'static str)> {
    let compiled = compile_text("page.story", story);
    let source = SourceFile::new("page.story", story);
    let options = LintOptions { deep: true, ..LintOptions::default() };
    let linted = if compiled.is_usable() { lint(&compiled.model, &options) } else { Vec::new() };
    let mut found: Vec<(u32, &'static str)> = compiled
        .diagnostics
        .iter()
        .chain(&linted)
        .filter(|found| found.severity() != Severity::Hint)
        .map(|found| (source.line_column(found.span().start).0, found.code.name))
        .collect();
    found.sort_unstable();
    found
}

fn expected(story: &str) -> Vec<(u32, String)> {
    let mut wanted: Vec<(u32, String)> = story
        .lines()
        .enumerate()
        .filter_map(|(index, line)| line.split_once("//! ").map(|(_, code)| (index as u32 + 1, code.trim().to_owned())))
        .collect();
    wanted.sort_unstable();
    wanted
}

#[test]
fn every_code_has_a_page_with_a_wrong_story_and_its_cure() {
    for code in ALL {
        let path = format!("docs/diagnostics/{}.md", code.name);
        let text = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|_| panic!("{path} is missing"));
        let blocks = blocks(&text);
        let wrong = blocks.iter().find(|block| block.info == "story wrong").expect("a wrong story");
        let found: Vec<(u32, String)> =
            reported(&wrong.text).into_iter().map(|(line, code)| (line, code.to_owned())).collect();
        let wanted = expected(&wrong.text);
        assert!(wanted.iter().any(|(_, name)| name == code.name), "{path} does not show its code");
        // A goal or ending that an impossible action would serve is unreachable as well; the page speaks of its own code.
        for item in &wanted {
            assert!(found.contains(item), "{path}: wanted {wanted:?}, got {found:?}");
        }
        let cure = blocks.iter().find(|block| block.info == "story cure").expect("a cure");
        assert_eq!(reported(&cure.text), [], "{path}: the cure");
    }
}

#[test]
fn the_samples_have_nothing_to_hide() {
    for path in story_paths() {
        let compiled = compile(&path, &RepositoryFiles);
        let found = lint(&compiled.model, &LintOptions::default());
        let found: Vec<String> = found
            .iter()
            .map(|found| format!("{}: {}: {}", compiled.sources.place(found.span()), found.code.name, found.message))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn a_shortest_way_into_the_dead_end_is_told() {
    let story = "story \"Letter\"\nfluent written, burnt, sent\n\
        action write { needs not written and not burnt; then written; say \"a\" }\n\
        action burn { needs written; then burnt, not written; say \"b\" }\n\
        action send { needs written; then sent; say \"c\" }\ngoal sent";
    let compiled = compile_text("letter.story", story);
    let found = lint(&compiled.model, &LintOptions { deep: true, ..LintOptions::default() });
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].message, "after write, burn the goal can no longer be reached");
}

#[test]
fn tasks_have_dead_ends_too() {
    // The pianist who may take the wrong girl to the pictures: without the club there is no way back.
    let text = std::fs::read_to_string(root().join("stories/lala-land.story")).unwrap();
    let without_club = text
        .replace("method if thugsOutside { do miaRomantic }\n", "")
        .replace("given metMia,", "given sullyInvited, metMia,");
    assert_ne!(text, without_club);
    let compiled = compile_text("lala-land.story", &without_club);
    let found = lint(&compiled.model, &LintOptions { deep: true, ..LintOptions::default() });
    assert!(found.iter().any(|found| found.code.name == "dead-end" && found.message.contains("goCinema")), "{found:?}");
}
