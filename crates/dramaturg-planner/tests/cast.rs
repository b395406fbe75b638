//! Characters of whole stories, performed exactly as they plan: the sequences that must come out, and that nobody waits for ever.

mod common;

use common::{Game, judge, model};
use dramaturg_model::{Step, Tick};

const SPARTA: &str = include_str!("../../../stories/troy-sparta.story");
const FUNERAL: &str = include_str!("../../../stories/troy-funeral.story");

#[test]
fn two_funerals_come_out_as_the_paper_tells_them() {
    let model = model(FUNERAL);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..45);
    judge(&model, &game.performed);
    let achilles: Vec<String> = game
        .of("achilles")
        .into_iter()
        .filter(|step| step.split(['(', ',']).nth(1) == Some("achilles") || step.starts_with("prepareFuneral"))
        .collect();
    assert_eq!(
        achilles,
        [
            "pickUp(achilles, sword, achilles-tent)",
            "pickUp(achilles, shield, achilles-tent)",
            "wear(achilles, armor, achilles-tent)",
            "goTo(achilles, achilles-tent, battlefield)",
            "attack(achilles, hector, battlefield)",
            "kill(achilles, hector, battlefield)",
            "liftBody(achilles, hector, battlefield)",
            "goTo(achilles, battlefield, greek-camp)",
            "layDown(achilles, hector, greek-camp)",
            "liftBody(achilles, patroclus, greek-camp)",
            "goTo(achilles, greek-camp, beach)",
            "prepareFuneral(greeks, achilles, patroclus, beach)",
            "performFuneral(achilles, patroclus, beach)",
            "goTo(achilles, beach, achilles-tent)",
            "allowToTake(achilles, priam, hector)",
        ]
    );
    let all: Vec<&str> = game.performed.iter().map(|step| step.action.as_str()).collect();
    assert_eq!(all.iter().filter(|action| **action == "performFuneral").count(), 2, "{all:?}");
    assert_eq!(all.iter().filter(|action| **action == "attendFuneral").count(), 2, "{all:?}");
    assert_eq!(all.iter().filter(|action| **action == "await").count(), 1, "{all:?}");
}

#[test]
fn names_order_and_bystanders_change_nothing() {
    let mut other = FUNERAL.to_owned();
    for (name, new) in
        [("achilles", "brond"), ("odysseus", "wenz"), ("patroclus", "milo"), ("priam", "old-tarn"), ("sword", "pike")]
    {
        other = other.replace(name, new);
    }
    // Three things more, declared before all others.
    other = other.replace("object achilles-tent", "object brond-tent");
    let place = other.find("object brond-tent").unwrap_or(0);
    other.insert_str(place, "object harp \"the harp\", oar \"the oar\": Item (place = battlefield)\nobject cape \"the cape\": Garment (place = greek-camp)\n");
    let (first, second) = (model(FUNERAL), model(&other));
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&first, &mut fails);
    game.run(0..45);
    let known: Vec<(Tick, String)> = game.performed.iter().map(|step| (step.start, step.action.to_string())).collect();
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&second, &mut fails);
    game.run(0..45);
    judge(&second, &game.performed);
    let found: Vec<(Tick, String)> = game.performed.iter().map(|step| (step.start, step.action.to_string())).collect();
    assert_eq!(found, known);
}

#[test]
fn a_walk_that_fails_is_walked_again_and_the_rest_stays() {
    let model = model(SPARTA);
    let mut failed = false;
    let mut fails = |step: &Step| {
        let is_it = step.action == "walk"
            && step.args.first().is_some_and(|arg| arg == "hector")
            && step.args.get(2).is_some_and(|arg| arg == "dock");
        is_it && !std::mem::replace(&mut failed, true)
    };
    let mut game = Game::new(&model, &mut fails);
    game.run(0..45);
    let hector: Vec<String> = game
        .performed
        .iter()
        .filter(|step| step.args.first().is_some_and(|arg| arg == "hector"))
        .map(|step| step.action.to_string())
        .collect();
    let wanted = ["walk", "talk", "give", "negotiatePeace", "walk", "walk", "board", "travel"];
    assert_eq!(hector.get(..8), Some(wanted.map(str::to_owned).as_slice()), "{hector:?}");
}

/// Two who look for each other, and each of whom would leave where the other goes.
const SEEKERS: &str = "story \"Seekers\"
type Place
type Person { location: Place }
object north, south, east: Place
fluent met(a: Person, b: Person)
character ada: Person (location = north) { goal met(ada, bel) }
character bel: Person (location = south) { goal met(bel, ada) }
action walk(who: Person, from: Place, to: Place) by who {
  takes 3 ticks
  needs who.location == from and from != to
  then who.location = to
}
action greet(who: Person, other: Person) by who with other {
  takes 1 tick
  needs who != other and who.location == other.location
  then met(who, other)
}
";

#[test]
fn two_who_look_for_each_other_meet() {
    let model = model(SEEKERS);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..60);
    judge(&model, &game.performed);
    let greetings = game.performed.iter().filter(|step| step.action == "greet").count();
    assert_eq!(greetings, 2, "{:?}", game.performed);
    // Then there is nothing left to do, however long it takes.
    let count = game.performed.len();
    game.run(60..10_000);
    assert_eq!(game.performed.len(), count, "{:?}", game.performed.get(count..));
}
