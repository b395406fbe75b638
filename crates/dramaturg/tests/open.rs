//! What a user names, and what is opened.

use std::fs;
use std::path::PathBuf;

use dramaturg::{OpenError, open};
use tempfile::TempDir;

fn stage(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}

#[test]
fn the_file_called_like_its_folder_is_the_story() {
    let stage = stage(&[
        ("troy/troy.story", "story \"Troy\"\nuse \"cast\"\nuse \"levels/\"\n"),
        ("troy/cast.story", "type Person\nobject anna: Person\n"),
        ("troy/levels/1.story", "fluent first\n"),
        ("troy/other.story", "story \"Other\"\n"),
    ]);
    let opened = open(&stage.path().join("troy"), None).expect("opened");
    assert_eq!(opened.model.title, "Troy");
    assert_eq!(opened.sources.iter().count(), 3);
    assert!(opened.is_usable() && !opened.is_part);
}

#[test]
fn else_the_only_one_with_a_header_is() {
    let stage = stage(&[("a/x.story", "story \"X\"\nuse \"y\"\n"), ("a/y.story", "fluent y\n")]);
    let opened = open(&stage.path().join("a"), None).expect("opened");
    assert_eq!(opened.root, stage.path().join("a/x.story"));
    fs::write(stage.path().join("a/z.story"), "story \"Z\"\n").expect("written");
    assert!(
        matches!(open(&stage.path().join("a"), None), Err(OpenError::ManyStories { roots, .. }) if roots.len() == 2)
    );
}

#[test]
fn a_file_without_header_is_a_part() {
    let stage = stage(&[("part.story", "action go(who: Nobody) { then who.far }\n")]);
    let opened = open(&stage.path().join("part.story"), None).expect("opened");
    assert!(opened.is_part);
    assert!(opened.diagnostics.is_empty(), "names may come from elsewhere: {:?}", opened.diagnostics);
}

#[test]
fn what_is_missing_is_guessed_at() {
    let stage = stage(&[("apple.story", "story \"Apple\"\n")]);
    let near = |name: &str| match open(&stage.path().join(name), None) {
        Err(OpenError::Missing { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert_eq!(near("aple.story"), Some(stage.path().join("apple.story")));
    assert_eq!(near("apple"), Some(stage.path().join("apple.story")));
    assert_eq!(near("quite-something-else.story"), None::<PathBuf>);
}

#[test]
fn pddl_is_opened_as_pair_or_as_folder() {
    let domain = "(define (domain lamp) (:predicates (lit)) (:action light :effect (lit)))";
    let problem = "(define (problem dusk) (:domain lamp) (:init) (:goal (lit)))";
    let stage = stage(&[("domain.pddl", domain), ("problem.pddl", problem), ("plain", domain)]);
    let pair = open(&stage.path().join("domain.pddl"), Some(&stage.path().join("problem.pddl"))).expect("opened");
    let folder = open(stage.path(), None).expect("opened");
    assert_eq!(pair.model, folder.model);
    let sniffed = open(&stage.path().join("plain"), None).expect("opened");
    assert!(sniffed.model.pddl().is_some());
}
