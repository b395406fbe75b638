//! Worlds that are saved and loaded go on as if nothing had been.

mod support;

use dramaturg_model::Model;
use dramaturg_planner::simulate::{Phase, World, WorldSave};
use support::driver::Driver;
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
}

fn goes_on(name: &str, seeds: std::ops::Range<u64>, moments: usize) -> Seen {
    model_goes_on(name, &story(name), seeds, moments)
}

/// Drives a world by chance, saving it at any moment; both go on alike.
fn model_goes_on(name: &str, model: &Model, seeds: std::ops::Range<u64>, moments: usize) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        let mut driver = Driver::new(seed);
        let options = driver.options(seed);
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

/// A story with all that a world can be in the middle of.
const FAIR: &str = r#"
type Place
type Person { at: Place; mood: number 0..100 = 50; coins: number 0.. = 5; tired; hands: actuator; feet: actuator }
type Balloon { colour: red | blue = red }
object square, pier: Place
object bell: Person (at = square)
fluent rung; fluent cheers: int 0..50; fluent wet; fluent met(a: Person, b: Person); fluent night means timeOfDay > 30 s
fluent weary(p: Person) means p.mood < 30
given rung at 12 s
given bell.mood += 3 at 25 s

action stroll(p: Person, to: Place) by p {
  takes 3 s .. 9 s
  needs p.at != to
  keeps not p.tired
  uses p.feet
  during p.mood += 0.4 per s
  then p.at = to
  then p.coins -= 1 at 2 s
  say "{p} strolls." or "{p} ambles." or "{p} wanders." at end
}
action juggle(p: Person) by p #show {
  takes 8 s
  needs p.coins > 0
  needs p.mood > 5 at 4 s
  uses p.hands from start to 3 s, p.feet from 2 s to 5 s
  during p.mood -= 1 per s if not wet
  during cheers += 1 per s
  then p.tired = true if p.mood < 40
  then cheers += 2 at 5 s
  say p: "Hop!" or "Hey!"
  say "It falls." at 6 s
}
action rest(p: Person) by p { takes 4 s; during p.mood += 7; then not p.tired, p.mood = random 20..80 }
action call(p: Person, q: Person) by p with q {
  takes 5 s
  uses p.hands, q.hands
  expect q.at = p.at
  extend 2 times by 3 s
  otherwise p.mood -= 10
  then met(p, q)
}
rule rains { when cheers >= 6 if not wet; takes 7 s; then wet; then cheers -= 4 at 3 s; during cheers += 3; say "Rain." at end }
rule dries { when wet; takes 5 s; then not wet }
rule comes(p: Person) {
  when p.tired
  takes 6 s
  expect p.at = pier
  check every 1 s
  extend 1 times by 4 s
  otherwise p.coins += 1
}
rule tires(p: Person) { while p.at == pier and night; during p.mood -= 0.25 per s }
rule longs(p: Person) { after call(p, _); inject dora { goal p.at == pier by 9 s salience 70 while not wet } }
rule claps { after #show; then cheers += 1 }
task evening { offer "An evening"; method grand if cheers > 3 { say "Grand." or "Splendid."; do juggle(dora); then cheers += 1; do quiet }
  method small { do rest(dora); do quiet } }
task quiet { method { then rung; do stroll(dora, pier) } }
character dora "Dora": Person (at = square) { goal dora.at == pier then dora.coins > 8 by 40 s; keep dora.mood > 10 }
personality greedy(p: Person) { keep p.coins > 1 }
personality shy(p: Person) { keep cheers < 20 from 5 s to 30 s }
population guest "a guest" (g: Person) of 5 {
  given g.at = random Place
  given g.mood = random 1..99
  given g.tired at 9 s
  goal met(g, dora) while not wet
  personality greedy 40 %, shy
}
pool balloon "a balloon" (b: Balloon) of 2 { anchors b.colour; takes 2 s; commit when wet }
level day { milestone dusk { when cheers >= 12; next dusk-level carrying Person.at, Person.mood, cheers; say "Dusk." } }
level dusk-level {
  object lamp: Place
  rule lit { when wet; then cheers += 1 }
  goal cheers > 30 by 60 s
  ending late { when cheers >= 45; say "It is late." }
}
goal rung by 20 s then cheers > 10
"#;

#[test]
fn everything_at_once_goes_on() {
    let model = text(FAIR);
    let seen = model_goes_on("fair", &model, 0..60, 60);
    assert!(seen.mid_tick > 300 && seen.running > 300, "{seen:?}");
    assert!(seen.waits > 100 && seen.runs > 100 && seen.tasks > 100 && seen.ended > 10, "{seen:?}");
}
