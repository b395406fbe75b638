//! Every sample story is exported, for every character and level, and can be read again.

use crate::pddl::testing::{diagnose, shown};
use crate::pddl::{ExportOptions, PddlLevel, plan_names, to_pddl};
use crate::testing::samples;
use crate::{MemoryFiles, compile};

#[test]
fn samples_are_exported() {
    let samples = samples();
    let files = samples.iter().map(|(name, text)| (name.clone(), std::sync::Arc::from(text.as_str())));
    let files = MemoryFiles(files.collect());
    for (name, _) in samples.iter().filter(|(name, _)| name.ends_with(".story")) {
        let compiled = compile(name, &files);
        if compiled.is_part || !compiled.is_usable() {
            continue;
        }
        let model = compiled.model;
        let characters = model.characters.values().map(|character| Some(character.object)).chain([None]);
        for character in characters {
            for story_level in model.levels.ids().map(Some).chain([None]) {
                for level in [PddlLevel::Classical, PddlLevel::Temporal] {
                    let export = to_pddl(&model, &ExportOptions { level, character, story_level });
                    let (again, faults) = diagnose(&export.domain, Some(&export.problem));
                    let report = shown(&export.domain, Some(&export.problem), &faults);
                    assert!(faults.is_empty(), "{name}\n{report}\n{}", export.domain);
                    let names = plan_names(&export.domain);
                    for action in again.actions.values() {
                        let own = names.get(action.name.as_str()).map_or(action.name.as_str(), String::as_str);
                        let found = model.find_action(own).map(|action| &model.actions[action]);
                        assert_eq!(found.map(|found| found.params.len()), Some(action.params.len()), "{name} {own}");
                    }
                }
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests read the manual")]
#[test]
fn the_manual_shows_what_is_written() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/pddl.md");
    let manual = std::fs::read_to_string(path).expect("there is the manual");
    let block = |kind: &str| {
        let (_, rest) = manual.split_once(&format!("```{kind}\n")).expect("the manual has the block");
        rest.split_once("```").expect("the block is closed").0
    };
    let compiled = compile("lamp.story", &MemoryFiles::single("lamp.story", block("story")));
    assert!(compiled.is_usable(), "{:#?}", compiled.diagnostics);
    let character = compiled.model.find_object("anna");
    let export = to_pddl(&compiled.model, &ExportOptions { character, ..ExportOptions::default() });
    assert_eq!(export.domain, block("pddl"));
}
