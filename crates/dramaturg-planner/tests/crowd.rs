//! Populations in a world: what is given to each at a tick, and who has which personality.

mod support;

use std::collections::BTreeSet;

use dramaturg_model::{EventKind, FluentSource, Model};
use dramaturg_planner::simulate::{Cause, Phase, World, WorldEventKind, WorldOptions};
use support::*;

const TOWN: &str = "
type Person { awake; wakes: duration = 10 s; mood: number 0..100 = 50 }
personality merry(p: Person) { keep p.mood > 60 }
personality calm(p: Person) { keep p.mood > 10 }
population citizen \"a neighbour\" (p: Person) of 40 {
  given p.wakes = random 20 s..40 s
  given p.awake at p.wakes
  personality merry 25 %, calm
}
";

#[test]
fn what_is_given_to_a_population_at_a_tick_comes_at_that_tick() {
    let model = text(
        "type Person { awake }
         population citizen \"a neighbour\" (p: Person) of 3 { given p.awake at 7 s }",
    );
    let (awake, _) = model.fluents.iter().find(|(_, fluent)| fluent.name == "awake").unwrap();
    assert!(!model.fluents[awake].is_static, "the world changes it");
    let mut world = world(&model);
    world.step_to(&model, 6);
    assert_eq!(value(&model, world.state(), "citizen-2.awake"), "false");
    world.run(&model, 7, Phase::Observe);
    for name in ["citizen-1.awake", "citizen-2.awake", "citizen-3.awake"] {
        assert_eq!(value(&model, world.state(), name), "true");
    }
    let events = world.drain();
    let given = |kind: &WorldEventKind| matches!(kind, WorldEventKind::Effect { by: Cause::Given, .. });
    assert_eq!(events.iter().filter(|event| event.tick == 7 && given(&event.kind)).count(), 3);
}

#[test]
fn the_tick_may_be_each_ones_own() {
    let model = text(TOWN);
    let mut world = world(&model);
    let (wakes, _) = model.fluents.iter().find(|(_, fluent)| fluent.name == "wakes").unwrap();
    let due: Vec<i64> = model
        .populations
        .values()
        .next()
        .unwrap()
        .objects
        .iter()
        .map(|object| world.state().get(wakes, &[(*object).into()]).as_number().unwrap().round_half_up())
        .collect();
    assert!(due.iter().collect::<BTreeSet<_>>().len() > 3, "{due:?}");
    world.step_to(&model, 50);
    let woken: Vec<i64> = world
        .drain()
        .into_iter()
        .filter(|event| matches!(event.kind, WorldEventKind::Effect { by: Cause::Given, .. }))
        .map(|event| event.tick)
        .collect();
    let mut sorted = due.clone();
    sorted.sort_unstable();
    assert_eq!(woken, sorted);
}

/// The members of the population who break what the merry keep.
fn merry(model: &Model, seed: u64) -> BTreeSet<u32> {
    let mut world = World::begin(model, WorldOptions { seed, ..WorldOptions::default() });
    world.step_to(model, 0);
    let missed = world.drain().into_iter().filter_map(|event| match event.kind {
        WorldEventKind::GoalMissed { args, .. } => args.first().and_then(|arg| arg.as_object()),
        _ => None,
    });
    missed.map(|object| object.0).collect()
}

#[test]
fn each_part_of_a_population_follows_its_personality() {
    let model = text(TOWN);
    assert_eq!(merry(&model, 1).len(), 10, "a quarter of forty");
    assert_eq!(merry(&model, 1), merry(&model, 1));
    assert_ne!(merry(&model, 1), merry(&model, 2), "chance decides who");
    let world = world(&model);
    assert_eq!(world.goals().len(), 40, "everybody has one of the two");
}

#[test]
fn what_is_done_is_never_taken_for_unchanging() {
    let model = text(
        "type Person
         object anna: Person
         fluent door
         fluent wanted
         action wave(p: Person) by p { takes 1 s }
         action nod(p: Person) by p #polite { takes 1 s }
         rule opens { when wanted then door }
         task chat { method short { do wave(anna) } method long { then wanted } }
         ending over { when done chat.short and done #polite and done opens and done chat and done wave(anna) }",
    );
    let done: Vec<_> = model.fluents.values().filter(|f| matches!(f.source, FluentSource::Done(_))).collect();
    assert!(done.len() >= 5);
    for fluent in done {
        assert!(!fluent.is_static, "{}", fluent.name);
    }
    let mut kinds = BTreeSet::new();
    for fluent in model.fluents.values() {
        if let FluentSource::Done(pattern) = &fluent.source {
            kinds.insert(match pattern.kind {
                EventKind::Tag(_) => "tag",
                EventKind::Action(_) => "action",
                EventKind::Task(_) => "task",
                EventKind::Method(..) => "method",
                EventKind::Rule(_) => "rule",
                EventKind::Milestone(_) => "milestone",
                EventKind::Ending(_) => "ending",
            });
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["action", "method", "rule", "tag", "task"]);
}
