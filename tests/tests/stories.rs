//! The sample stories are whole, formatted and in step with their plays.

use dramaturg_model::Severity;
use dramaturg_story::format::{format_play, format_story};
use dramaturg_story::{Files, compile, compile_plays};
use dramaturg_tests::{RepositoryFiles, story_paths};

#[test]
fn all_samples_are_here() {
    let names: Vec<String> =
        story_paths().iter().map(|path| path.replace("stories/", "").replace(".story", "")).collect();
    let wanted = [
        "apple",
        "city",
        "diamond",
        "dungeon",
        "dungeon-key",
        "fair",
        "lala-land",
        "lala-land-days",
        "orc-quest",
        "princess",
        "troy-funeral",
        "troy-sparta",
        "werewolf",
    ];
    for name in wanted {
        assert!(names.iter().any(|found| found == name), "stories/{name}.story is missing");
    }
}

#[test]
fn stories_compile_without_a_warning() {
    for path in story_paths() {
        let compiled = compile(&path, &RepositoryFiles);
        let found: Vec<String> = compiled
            .diagnostics
            .iter()
            .filter(|found| found.severity() != Severity::Hint)
            .map(|found| format!("{}: {}: {}", compiled.sources.place(found.span()), found.code.name, found.message))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn plays_parse_and_resolve() {
    for path in story_paths() {
        let play = path.replace(".story", ".play");
        let text = RepositoryFiles.read(&play).unwrap_or_else(|| panic!("{play} is missing"));
        let plays = compile_plays(&path, &RepositoryFiles, &[(&play, &text)]);
        let found: Vec<String> = plays
            .diagnostics
            .iter()
            .map(|found| format!("{}: {}", plays.sources.place(found.span()), found.message))
            .collect();
        assert!(found.is_empty(), "{found:#?}");
        assert!(!plays.plays.is_empty(), "{play} has no play");
        assert!(plays.plays.iter().all(|play| !play.steps.is_empty()));
    }
}

#[test]
fn samples_are_formatted() {
    for path in RepositoryFiles.list("stories") {
        let text = RepositoryFiles.read(&path).unwrap();
        assert_eq!(format_story(&text), &*text, "{path}");
        let play = path.replace(".story", ".play");
        if let Some(text) = RepositoryFiles.read(&play) {
            assert_eq!(format_play(&text), &*text, "{play}");
        }
    }
}
