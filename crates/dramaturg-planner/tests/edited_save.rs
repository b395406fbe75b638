//! Saves that are loaded into a story that was edited meanwhile, and saves that make no sense.

mod support;

use dramaturg_model::{Chance, Model, Plan};
use dramaturg_planner::simulate::{LoadKind, LoadReport, World, WorldEventKind, WorldSave};
use serde_json::Value as Json;
use support::driver::Driver;
use support::fair::FAIR;
use support::*;

const STORY: &str = r#"
type Place
type Person { at: Place; hunger: number 0..100 = 20; mood: calm | glad | angry = calm }
object home, park, shop: Place
object ben: Person (at = home)
fluent rung
fluent visits: int 0.. 
given anna.hunger = 80
given ben.mood = angry
action walk(p: Person, to: Place) by p { takes 10 s; needs p.at != to; during p.hunger += 20; then p.at = to }
action wave(p: Person) by p { takes 4 s; then visits += 1 }
rule rings { when visits >= 1; takes 20 s; then rung }
character anna "Anna": Person (at = home) { goal rung by 100 s }
"#;

/// The world at tick 6: anna is on her way, ben has waved, and the bell is about to ring.
fn begun() -> (Model, World) {
    let model = text(STORY);
    let mut world = world(&model);
    let mut plan = Plan::default();
    plan.add("walk", ["anna", "park"], 2, 10);
    plan.add("wave", ["ben"], 0, 4);
    plan.add("walk", ["ben", "shop"], 30, 10);
    plan.steps.iter().for_each(|step| world.schedule(&model, step).unwrap());
    world.step_to(&model, 6);
    (model, world)
}

/// Loads the world at tick 6 into the story with one thing replaced.
fn edited(old: &str, new: &str) -> (Model, World, LoadReport) {
    let (model, world) = begun();
    assert!(STORY.contains(old), "{old}");
    let edited = text(&STORY.replace(old, new));
    let (loaded, report) = World::load(&edited, &world.save(&model));
    (edited, loaded, report)
}

#[track_caller]
fn noted(report: &LoadReport, kind: LoadKind, what: &str) {
    let found = report.notes.iter().any(|note| note.kind == kind && note.what.contains(what) && !note.why.is_empty());
    assert!(found, "{kind:?} {what}: {:#?}", report.notes);
}

#[test]
fn an_edit_that_changes_nothing_saved_is_clean() {
    let (model, mut world, report) = edited("takes 4 s", "takes 5 s");
    assert!(report.is_clean(), "{:#?}", report.notes);
    world.step_to(&model, 60);
    assert_eq!(value(&model, world.state(), "anna.at"), "park");
    assert_eq!(value(&model, world.state(), "ben.at"), "shop");
    assert_eq!(value(&model, world.state(), "rung"), "true", "the rule that had begun went on");
    assert_eq!(value(&model, world.state(), "anna.hunger"), "100");
}

#[test]
fn a_renamed_fluent_is_dropped_and_begins_anew() {
    let (model, world, report) = {
        let (model, world) = begun();
        let edited = text(&STORY.replace("hunger", "appetite"));
        let (loaded, report) = World::load(&edited, &world.save(&model));
        (edited, loaded, report)
    };
    noted(&report, LoadKind::Dropped, "fluent `Person.hunger`");
    noted(&report, LoadKind::Defaulted, "fluent `Person.appetite`");
    assert_eq!(value(&model, world.state(), "anna.appetite"), "80", "as the story gives it");
    assert_eq!(value(&model, world.state(), "ben.appetite"), "20");
    noted(&report, LoadKind::Dropped, "what step 0 adds to `Person.hunger`");
}

#[test]
fn a_removed_object_takes_its_steps_and_values_along() {
    let (model, world) = begun();
    let ben = "object ben: Person (at = home)";
    let edited = text(&STORY.replace(ben, "").replace("given ben.mood = angry", ""));
    let (mut loaded, report) = World::load(&edited, &world.save(&model));
    noted(&report, LoadKind::Dropped, "object `ben`");
    noted(&report, LoadKind::Dropped, "step 2 `walk`");
    assert_eq!(report.notes.len(), 2, "{:#?}", report.notes);
    loaded.step_to(&edited, 60);
    assert_eq!(value(&edited, loaded.state(), "anna.at"), "park");
}

#[test]
fn a_narrowed_domain_defaults_what_is_outside() {
    let (model, world) = begun();
    let edited = STORY.replace("hunger: number 0..100", "hunger: number 0..50").replace("given anna.hunger = 80", "");
    let edited = text(&edited.replace("calm | glad | angry", "calm | glad").replace("given ben.mood = angry", ""));
    let (loaded, report) = World::load(&edited, &world.save(&model));
    noted(&report, LoadKind::Defaulted, "`anna.hunger`");
    noted(&report, LoadKind::Defaulted, "`ben.mood`");
    assert_eq!(value(&edited, loaded.state(), "anna.hunger"), "20");
    assert_eq!(value(&edited, loaded.state(), "ben.mood"), "calm");
}

#[test]
fn a_step_of_a_removed_action_is_cut() {
    let (model, world) = begun();
    let walk = STORY.lines().find(|line| line.starts_with("action walk")).unwrap();
    let edited = text(&STORY.replace(walk, ""));
    let (mut loaded, report) = World::load(&edited, &world.save(&model));
    noted(&report, LoadKind::Dropped, "step 0 `walk`");
    noted(&report, LoadKind::Dropped, "step 2 `walk`");
    assert!(report.notes.iter().all(|note| note.why.contains("so it is cut")), "{:#?}", report.notes);
    assert_eq!(loaded.running().count() + loaded.waiting().len(), 0);
    loaded.step_to(&edited, 60);
    assert_eq!(value(&edited, loaded.state(), "anna.at"), "home");
    let hands_free = loaded.drain().iter().all(|event| !matches!(event.kind, WorldEventKind::StepEnded { .. }));
    assert!(hands_free);
}

#[test]
fn an_added_fluent_has_its_default_and_a_new_object_begins() {
    let (model, world, report) = edited("fluent rung", "fluent rung; fluent lamps: int 0..9 = 4");
    noted(&report, LoadKind::Defaulted, "fluent `lamps`");
    assert_eq!(report.notes.len(), 1, "{:#?}", report.notes);
    assert_eq!(value(&model, world.state(), "lamps"), "4");
    let (model, world, report) = edited("object ben: Person", "object ben, carl: Person");
    noted(&report, LoadKind::Defaulted, "object `carl`");
    assert_eq!(report.notes.len(), 1, "{:#?}", report.notes);
    assert_eq!(value(&model, world.state(), "carl.at"), "home");
}

#[test]
fn a_changed_default_leaves_who_had_the_old_one() {
    let (model, world, report) = edited("hunger: number 0..100 = 20", "hunger: number 0..100 = 33");
    noted(&report, LoadKind::Mapped, "the default of `Person.hunger`");
    assert_eq!(value(&model, world.state(), "ben.hunger"), "20");
}

#[test]
fn a_removed_rule_and_goal_are_reported() {
    let rule = "rule rings { when visits >= 1; takes 20 s; then rung }\n";
    let (model, mut world, report) = edited(rule, "");
    noted(&report, LoadKind::Dropped, "what rule `rings` has begun");
    noted(&report, LoadKind::Dropped, "rule `rings`");
    world.step_to(&model, 60);
    assert_eq!(value(&model, world.state(), "rung"), "false");
    let (_, _, report) = edited("by 100 s", "by 90 s");
    noted(&report, LoadKind::Dropped, "by 100");
    noted(&report, LoadKind::Defaulted, "by 90");
}

#[test]
fn a_new_rule_fires_if_it_holds() {
    let (model, mut world, report) =
        edited("fluent rung", "rule new { when visits >= 1; then anna.mood = glad }\nfluent rung");
    assert!(report.is_clean(), "{:#?}", report.notes);
    world.step_to(&model, 7);
    assert_eq!(value(&model, world.state(), "anna.mood"), "glad");
    // What holds only since the edit raises an edge, too.
    let (model, mut world, _) = edited("when visits >= 1", "when visits < 1");
    world.step_to(&model, 7);
    let fired = world.drain().iter().any(|event| matches!(event.kind, WorldEventKind::RuleFired { .. }));
    assert!(!fired, "it holds no more");
}

#[test]
fn an_unknown_format_is_refused_with_a_message() {
    let (model, world) = begun();
    let mut save = serde_json::to_value(world.save(&model)).unwrap();
    save["format"] = 99.into();
    let problem = serde_json::from_value::<WorldSave>(save).unwrap_err().to_string();
    assert!(problem.contains("format 99"), "{problem}");
}

/// Puts something else at a place that chance chooses.
fn spoil(json: &mut Json, chance: &mut Chance) {
    let descends = chance.below(6) > 0;
    match json {
        Json::Array(items) if descends && !items.is_empty() => {
            let at = chance.below(items.len());
            match chance.below(12) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                _ => spoil(&mut items[at], chance),
            }
        }
        Json::Object(fields) if descends && !fields.is_empty() => {
            let at = chance.below(fields.len());
            let field = fields.iter_mut().nth(at).unwrap().1;
            spoil(field, chance);
        }
        Json::Number(number) if chance.below(4) > 0 => {
            let near = number.as_i64().unwrap_or(0);
            let all = [0, 1, -1, near.wrapping_add(1), near.wrapping_sub(1), i64::MAX, i64::MIN, 1 << 40, 7];
            *json = all[chance.below(all.len())].into();
        }
        Json::Bool(value) => *value = !*value,
        Json::String(name) if chance.below(3) > 0 => {
            let all =
                ["", "anna", "home", "walk", "#2", "dora", "square", "juggle", "cheers", "#1", "9", "observe", "all"];
            *name = all[chance.below(all.len())].to_owned();
        }
        other => {
            let all = [Json::Null, Json::Bool(true), 3.into(), "none".into(), Json::Array(Vec::new())];
            *other = all[chance.below(all.len())].clone();
        }
    }
}

/// Spoils saves of a story and runs what can be loaded; how many could.
fn survives(model: &Model, seeds: std::ops::Range<u64>, each: usize) -> (usize, usize) {
    let (mut loaded, mut refused) = (0, 0);
    for seed in seeds {
        let mut driver = Driver::new(seed);
        let options = driver.options(model, seed);
        let mut world = World::begin(model, options);
        for _ in 0..driver.below(25) {
            driver.drive(model, &mut world);
        }
        let good = serde_json::to_value(world.save(model)).unwrap();
        let mut chance = Chance::new(seed);
        for _ in 0..each {
            let mut bad = good.clone();
            for _ in 0..1 + chance.below(4) {
                spoil(&mut bad, &mut chance);
            }
            let Ok(save) = serde_json::from_value::<WorldSave>(bad) else {
                refused += 1;
                continue;
            };
            loaded += 1;
            let (mut world, report) = World::load(model, &save);
            assert!(report.notes.iter().all(|note| !note.what.is_empty() && !note.why.is_empty()));
            for _ in 0..4 {
                let (tick, _) = world.next_phase();
                world.step_to(model, tick.saturating_add(3));
                let text = serde_json::to_string(&world.save(model)).unwrap();
                serde_json::from_str::<WorldSave>(&text).unwrap();
            }
        }
    }
    (loaded, refused)
}

#[test]
fn a_spoilt_save_never_panics() {
    let (loaded, refused) = survives(&text(FAIR), 0..40, 60);
    assert!(loaded > 200 && refused > 200, "{loaded} loaded, {refused} refused");
    for name in ["apple", "troy-funeral", "diamond", "lala-land-days"] {
        let (loaded, refused) = survives(&story(name), 0..6, 60);
        assert!(loaded > 20 && refused > 20, "{name}: {loaded} loaded, {refused} refused");
    }
}

#[test]
fn a_save_of_another_story_is_reported() {
    let (model, world) = begun();
    let other = story("apple");
    let (mut loaded, report) = World::load(&other, &world.save(&model));
    noted(&report, LoadKind::Mapped, "the save of story");
    loaded.step_to(&other, 20);
    let save = serde_json::to_string(&world.save(&model)).unwrap();
    let cut = &save[..save.len() / 2];
    assert!(serde_json::from_str::<WorldSave>(cut).is_err());
}
