//! Worlds that are saved and loaded go on as if nothing had been.

mod support;

use dramaturg_model::{Model, Observation};
use dramaturg_planner::simulate::{Phase, World, WorldSave};
use support::driver::Driver;
use support::fair::FAIR;
use support::*;

fn written(model: &Model, world: &World) -> String {
    serde_json::to_string(&world.save(model)).unwrap()
}

/// Saves, writes down, reads again and loads; nothing may be lost.
fn reload(model: &Model, world: &World) -> World {
    let text = written(model, world);
    let save: WorldSave = serde_json::from_str(&text).unwrap();
    assert_eq!(serde_json::to_string(&save).unwrap(), text);
    let (loaded, report) = World::load(model, &save);
    assert!(report.is_clean(), "{:#?}", report.notes);
    assert_same(&written(model, &loaded), &text, "save of what was loaded");
    assert_eq!(loaded.content_hash(model), world.content_hash(model));
    assert_eq!(loaded.next_phase(), world.next_phase());
    assert_eq!(loaded.now(), world.now());
    assert_eq!(loaded.state(), world.state());
    assert_eq!(loaded.goals(), world.goals());
    loaded
}

/// Shows only where two long texts part.
#[track_caller]
fn assert_same(first: &str, second: &str, what: &str) {
    if let Some(at) = first.bytes().zip(second.bytes()).position(|(first, second)| first != second) {
        let around = |text: &str| text.chars().skip(at.saturating_sub(200)).take(300).collect::<String>();
        panic!("{what}:\n  {}\n  {}", around(first), around(second));
    }
    assert_eq!(first.len(), second.len(), "{what}");
}

/// What a run has come through, so that the tests are known to test something.
#[derive(Default, Debug)]
struct Seen {
    mid_tick: usize,
    running: usize,
    waits: usize,
    runs: usize,
    tasks: usize,
    ended: usize,
    given: usize,
    held: usize,
    masked: usize,
    happened: usize,
    past: usize,
}

fn goes_on(name: &str, seeds: std::ops::Range<u64>, moments: usize) -> Seen {
    model_goes_on(name, &story(name), seeds, moments)
}

/// Drives a world by chance, saving it at any moment; both go on alike.
fn model_goes_on(name: &str, model: &Model, seeds: std::ops::Range<u64>, moments: usize) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut driver = Driver::new(seed);
        let options = driver.options(model, seed);
        let mut world = World::begin(model, options);
        for _ in 0..moments {
            driver.drive(model, &mut world);
            if driver.below(3) > 0 {
                continue;
            }
            seen.mid_tick += usize::from(world.next_phase().1 != Phase::Observe);
            seen.running += usize::from(world.running().next().is_some());
            let text = written(model, &world);
            seen.waits += usize::from(!text.contains("\"waits\":[]"));
            seen.runs += usize::from(!text.contains("\"runs\":[]"));
            seen.tasks += usize::from(!text.contains("\"tasks\":[]"));
            seen.ended += usize::from(world.ending().is_some());
            seen.given += usize::from(text.contains("{\"wish\":\"rule "));
            seen.held += usize::from(!text.contains("\"held\":[]"));
            seen.masked += usize::from(!text.contains("\"masked\":[]"));
            seen.happened += usize::from(!text.contains("\"happened\":[]"));
            seen.past += usize::from(!text.contains("\"past\":[]"));
            let mut loaded = reload(model, &world);
            let mut other = driver.clone();
            for step in 0..1 + moments / 8 {
                let (first, second) = (driver.drive(model, &mut world), other.drive(model, &mut loaded));
                assert_same(&first, &second, &format!("events of {name}, seed {seed}, {step} after"));
                let (first, second) = (written(model, &world), written(model, &loaded));
                assert_same(&first, &second, &format!("save of {name}, seed {seed}, {step} after"));
            }
            world = loaded;
        }
    }
    seen
}

#[test]
fn apple_goes_on() {
    let seen = goes_on("apple", 0..40, 40);
    assert!(seen.mid_tick > 50 && seen.running > 50, "{seen:?}");
}

#[test]
fn princess_goes_on() {
    let seen = goes_on("princess", 0..25, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn diamond_goes_on() {
    let seen = goes_on("diamond", 0..25, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20 && seen.waits + seen.runs > 5, "{seen:?}");
}

#[test]
fn orc_quest_goes_on() {
    let seen = goes_on("orc-quest", 0..25, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn troy_sparta_goes_on() {
    let seen = goes_on("troy-sparta", 0..20, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn troy_funeral_goes_on() {
    let seen = goes_on("troy-funeral", 0..20, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn dungeon_goes_on() {
    let seen = goes_on("dungeon", 0..20, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn dungeon_key_goes_on() {
    let seen = goes_on("dungeon-key", 0..20, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}

#[test]
fn city_goes_on() {
    goes_on("city", 0..2, 9);
}

#[test]
fn lala_land_goes_on() {
    let seen = goes_on("lala-land", 0..25, 40);
    assert!(seen.mid_tick > 20 && seen.tasks > 5, "{seen:?}");
}

#[test]
fn lala_land_days_goes_on() {
    let seen = goes_on("lala-land-days", 0..25, 40);
    assert!(seen.mid_tick > 20 && seen.tasks > 5, "{seen:?}");
}

#[test]
fn werewolf_goes_on() {
    let seen = goes_on("werewolf", 0..25, 40);
    assert!(seen.mid_tick > 20, "{seen:?}");
}

#[test]
fn everything_at_once_goes_on() {
    let model = text(FAIR);
    let seen = model_goes_on("fair", &model, 0..50, 60);
    assert!(seen.mid_tick > 300 && seen.running > 300, "{seen:?}");
    assert!(seen.waits > 100 && seen.runs > 100 && seen.tasks > 100 && seen.ended > 10, "{seen:?}");
    assert!(seen.given > 100 && seen.held > 300 && seen.masked > 30 && seen.past > 100, "{seen:?}");
    assert!(seen.happened > 10, "{seen:?}");
}

#[test]
fn the_hash_tells_worlds_apart() {
    let model = text(FAIR);
    let mut world = world(&model);
    let mut other = world.clone();
    assert_eq!(world.content_hash(&model), other.content_hash(&model));
    world.step_to(&model, 0);
    assert_ne!(world.content_hash(&model), other.content_hash(&model), "time counts");
    other.step_to(&model, 0);
    assert_eq!(world.content_hash(&model), other.content_hash(&model));
    let before = world.content_hash(&model);
    world.drain();
    assert_eq!(world.content_hash(&model), before, "what was drained does not");
    let observation =
        Observation { fluent: "bell.mood".into(), value: "51".into(), from: 1, to: None, source: 0, sequence: 0 };
    world.observe(&model, &observation).unwrap();
    assert_ne!(world.content_hash(&model), before, "what is to come counts");
}

/// Derived predicates, actions that take time, and facts that the clock brings.
const LIFTS: (&str, &str) = (
    "(define (domain lifts)
       (:requirements :typing :derived-predicates :durative-actions :timed-initial-literals :fluents)
       (:types floor person)
       (:predicates (on ?p - person ?f - floor) (next ?a ?b - floor) (lift ?f - floor) (reach ?a ?b - floor) (shut))
       (:functions (trips))
       (:derived (reach ?a ?b - floor) (or (next ?a ?b) (exists (?c - floor) (and (next ?a ?c) (reach ?c ?b)))))
       (:durative-action go :parameters (?a ?b - floor) :duration (= ?duration 3)
         :condition (and (at start (lift ?a)) (at start (reach ?a ?b)) (over all (not (shut))))
         :effect (and (at start (not (lift ?a))) (at end (lift ?b)) (at end (increase (trips) 1))))
       (:durative-action build :parameters (?a ?b - floor) :duration (= ?duration 2)
         :condition (at start (lift ?a)) :effect (at end (next ?a ?b))))",
    "(define (problem tower) (:domain lifts)
       (:objects a b c - floor anna - person)
       (:init (lift a) (next a b) (on anna c) (= (trips) 0) (at 4 (shut)) (at 6 (not (shut))))
       (:goal (and (lift c) (not (next b b)))))",
);

#[test]
fn a_model_that_came_from_pddl_goes_on() {
    let model = pddl(LIFTS.0, LIFTS.1);
    let seen = model_goes_on("lifts", &model, 0..20, 40);
    assert!(seen.mid_tick > 20 && seen.running > 20, "{seen:?}");
}
