//! Characters of whole stories, performed exactly as they plan: the sequences that must come out, and that nobody waits for ever.

mod common;

use common::{Game, judge, model};
use dramaturg_model::{Model, Observation, Step, Tick};
use dramaturg_planner::cast::{Cast, CastOptions};
use dramaturg_planner::planner::{Budget, GoalChange, Inquiry, Planner, Progress, TickBounds, Workers};
use smol_str::SmolStr;

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

/// A story told of others: every object has another name, all declarations but those of characters and levels (whose order means
/// something) stand in reverse, and there are three things more.
fn retold(text: &str, names: &[&str], more: &str) -> String {
    let is_inside = |found: char| found.is_alphanumeric() || found == '-' || found == '_';
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(from) = rest.find(is_inside) {
        let to = rest[from..].find(|found| !is_inside(found)).map_or(rest.len(), |length| from + length);
        let word = &rest[from..to];
        renamed.push_str(&rest[..from]);
        match names.iter().position(|name| *name == word) {
            Some(place) => renamed.push_str(&format!("x{}-of-them", names.len() - place)),
            None => renamed.push_str(word),
        }
        rest = &rest[to..];
    }
    renamed.push_str(rest);
    let mut blocks: Vec<String> = Vec::new();
    for line in renamed.lines() {
        let begins = line.starts_with(|first: char| first.is_ascii_lowercase());
        match blocks.last_mut().filter(|_| !begins) {
            Some(block) => *block += &format!("\n{line}"),
            None => blocks.push(line.to_owned()),
        }
    }
    let (stays, mut turns): (Vec<String>, Vec<String>) = blocks
        .into_iter()
        .partition(|block| ["story", "//", "character", "level"].iter().any(|kind| block.starts_with(kind)));
    turns.push(more.to_owned());
    turns.reverse();
    let at = stays.iter().position(|block| block.starts_with("story")).map_or(0, |at| at + 1);
    let (head, tail) = stays.split_at(at);
    [head, &turns, tail].concat().join("\n")
}

/// How often each character does what, by its place in the story.
fn shapes(text: &str, ticks: Tick) -> Vec<Vec<String>> {
    let model = model(text);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..ticks);
    judge(&model, &game.performed);
    let of = |who: &SmolStr| {
        let own =
            game.performed.iter().filter(|step| step.args.iter().find(|arg| is_character(&model, arg)) == Some(who));
        let mut actions: Vec<String> = own.map(|step| step.action.to_string()).collect();
        actions.sort();
        actions
    };
    model.characters.values().map(|character| of(&model.objects[character.object].name)).collect()
}

fn is_character(model: &Model, name: &str) -> bool {
    model.characters.values().any(|character| model.objects[character.object].name == name)
}

#[test]
fn names_order_and_bystanders_change_nothing() {
    let funeral = [
        "achilles",
        "odysseus",
        "patroclus",
        "hector",
        "paris",
        "priam",
        "sword",
        "shield",
        "armor",
        "disguise",
        "bronze",
        "achilles-tent",
        "greek-camp",
        "beach",
        "battlefield",
        "troy-palace",
        "greeks",
        "trojans",
        "death-of-patroclus",
        "death-of-hector",
    ];
    let sparta = [
        "hector",
        "paris",
        "menelaos",
        "helen",
        "agamemnon",
        "sea",
        "troy",
        "throne-room",
        "guest-room",
        "royal-bedroom",
        "kitchen",
        "armory",
        "dock",
        "stable",
        "garden",
        "ships",
        "hector-troy-gift",
        "paris-troy-gift",
        "wine",
        "bread",
        "spear",
    ];
    let things = "object harp \"the harp\", oar \"the oar\": Item (place = x5-of-them)\nobject cape: Garment (place = x6-of-them)";
    let cups = "object cup \"the cup\", bowl \"the bowl\", ring \"the ring\": Item (holder = x15-of-them)";
    for (text, names, more, ticks) in [(FUNERAL, &funeral[..], things, 45), (SPARTA, &sparta, cups, 38)] {
        let (known, found) = (shapes(text, ticks), shapes(&retold(text, names, more), ticks));
        assert!(known.iter().map(Vec::len).sum::<usize>() > 15, "{known:?}");
        assert_eq!(found, known);
    }
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

const DANCERS: &str = "story \"Dancers\" { ticks 1 per s }
type Place
type Guest { at: Place }
fluent danced(a: Guest, b: Guest)
object hall, porch, garden: Place
character ada: Guest (at = hall) { goal danced(ada, bea) }
character bea: Guest (at = porch) { goal danced(bea, cora) }
character cora: Guest (at = garden) { goal danced(cora, ada) }
action go(a: Guest, to: Place) by a { takes 2 ticks; needs a.at != to; then a.at = to }
action dance(a: Guest, b: Guest) by a with b { takes 6 ticks; needs a.at == b.at and a != b; then danced(a, b) }
";

/// Cora had meant to meet Ada in the hall. Ada went away while Cora was held up; nobody walks to where nobody is any more.
#[test]
fn a_plan_that_others_have_spoilt_is_not_begun() {
    let model = model(DANCERS);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..60);
    judge(&model, &game.performed);
    assert_eq!(game.of("cora"), ["dance(bea, cora)", "go(cora, porch)", "dance(cora, ada)"]);
    assert_eq!(game.performed.iter().filter(|step| step.action == "dance").count(), 3, "{:?}", game.performed);
}

#[test]
fn a_cast_that_performs_says_why_and_why_not() {
    let model = model(SPARTA);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..3);
    let give = game.open.values().find(|step| step.action == "give" && step.args.iter().any(|arg| arg == "hector"));
    let why = game.cast.explain(&Inquiry::Why(give.expect("Hector is to give something").id)).sentences.join("\n");
    assert!(why.contains("which `negotiatePeace(hector"), "the chain is told: {why}");
    let not = |cast: &Cast, action: &str, args: &[&str]| {
        let args = args.iter().map(SmolStr::new).collect();
        cast.explain(&Inquiry::WhyNot { action: action.into(), args }).sentences.join("\n")
    };
    let board = not(&game.cast, "board", &["hector", "ships", "dock"]);
    assert!(board.contains("is in the plan"), "{board}");
    let talk = not(&game.cast, "talk", &["hector", "agamemnon", "garden"]);
    assert!(talk.contains("`talk(hector, agamemnon, garden)` cannot be done") && talk.contains("it needs `"), "{talk}");
    assert!(not(&game.cast, "fly", &["hector"]).contains("`fly`"));
    // Before there was time to think.
    let mut cast = Cast::new(model, CastOptions::default());
    cast.advance(TickBounds::exactly(0), 1);
    assert_eq!(cast.deliberate(&mut Budget::of(3), &Workers::single()), Progress::Searching);
    let early = not(&cast, "board", &["hector", "ships", "dock"]);
    assert!(early.contains("still thinking: the budget ended"), "{early}");
}

/// A gate that somebody else opens.
const GATE: &str = "story \"Gate\" { ticks 1 per s }
type Place
type Person { at: Place }
object yard, road: Place
fluent gate: shut | open
character ann: Person (at = yard) { goal ann.at == road }
action await(a: Person) by a { takes 1 tick .. 40 ticks; needs gate == shut; expect gate = open; check every 1 tick }
action pass(a: Person) by a { takes 1 tick; needs a.at == yard and gate == open; then a.at = road }
";

#[test]
fn a_wait_for_what_came_and_went_again_was_not_in_vain() {
    let model = model(GATE);
    let seen = |value: &str, from| Observation {
        fluent: "gate".into(),
        value: value.into(),
        from,
        to: None,
        source: 0,
        sequence: 1,
    };
    for came in [true, false] {
        let mut fails = |_: &Step| false;
        let mut game = Game::new(&model, &mut fails);
        game.run(0..6);
        assert_eq!(game.of("ann"), ["await(ann)"]);
        if came {
            game.cast.observe(&[seen("open", 4), seen("shut", 5)]);
        }
        game.end_all_at(6);
        game.run(6..20);
        let waits = game.of("ann").len();
        assert_eq!(waits, if came { 2 } else { 1 }, "whoever waited in vain does not wait again so soon");
        game.cast.observe(&[seen("open", 20)]);
        game.end_all_at(20);
        game.run(20..30);
        assert_eq!(game.of("ann").last().map(String::as_str), Some("pass(ann)"));
    }
}

/// Somebody who wants to go out, in a house where there is more to see.
const HOUSE: &str = "story \"House\" { ticks 2 per s }
type Place
type Person { at: Place; steps: int 0..99 = 0; tired }
object hall, yard, cellar, attic: Place
fluent met(a: Person, b: Person)
character ann: Person (at = hall) { goal ann.at == yard }
character bob: Person (at = attic)
action go(a: Person, to: Place) by a { takes 4 ticks; needs a.at != to; then a.at = to, a.steps += 1 }
action meet(a: Person, b: Person) by a with b { takes 1 tick; needs a != b and a.at == b.at; then met(a, b) }
";

fn asked(owner: Option<&str>, goals: &[&str]) -> GoalChange {
    GoalChange { owner: owner.map(SmolStr::from), goals: goals.iter().map(|goal| SmolStr::from(*goal)).collect() }
}

#[test]
fn a_game_gives_a_character_other_goals() {
    let model = model(HOUSE);
    for saves in [false, true] {
        let mut fails = |_: &Step| false;
        let mut game = Game::new(&model, &mut fails);
        game.cast
            .set_goals(&asked(Some("ann"), &["goal met(ann, bob) and (ann.at == cellar or ann.at == hall) by 30 s"]));
        let replies = game.cast.replies();
        assert!(matches!(replies.as_slice(), [reply] if reply.accepted), "{replies:?}");
        game.run(0..2);
        if saves {
            let save = game.cast.save();
            game.cast = Cast::load(std::sync::Arc::clone(&model), &save).expect("it was just saved");
        }
        game.run(2..40);
        judge(&model, &game.performed);
        let last = game.performed.iter().rfind(|step| step.action == "go").map(|step| step.args.join(" "));
        assert!(matches!(last.as_deref(), Some("ann hall" | "ann cellar")), "{:?}", game.of("ann"));
        assert!(game.of("ann").contains(&"meet(ann, bob)".to_owned()), "{:?}", game.of("ann"));
        assert_eq!(game.of("ann").iter().filter(|step| step.contains("yard")).count(), 0, "{:?}", game.of("ann"));
        // She has what was asked of her; now she may want nothing at all, or something else again.
        game.cast.set_goals(&asked(Some("ann"), &[]));
        let before = game.performed.len();
        game.run(40..50);
        assert_eq!(game.performed.len(), before, "who wants nothing does nothing");
        game.cast.set_goals(&asked(Some("ann"), &["ann.steps >= 4 salience 10"]));
        game.run(50..80);
        assert_eq!(game.of("ann").iter().filter(|step| step.starts_with("go(ann")).count(), 4);
    }
}

#[test]
fn goals_that_cannot_be_understood_are_refused_with_the_reason() {
    let model = model(HOUSE);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    let refused = [
        (Some("ann"), "goal ann.at == moon", "nothing is called `moon`"),
        (Some("ann"), "goal ann.at", "`ann.at` has a value: say which, with `==`"),
        (Some("ann"), "goal ann.mood == 3", "there is no fluent called `ann.mood`"),
        (Some("ann"), "goal (ann.tired", "a `)` is missing"),
        (Some("ann"), "goal ann.at < yard", "`ann.at` is no number, so that `<` says nothing"),
        (Some("ann"), "goal ann.tired by noon", "`noon` is no number"),
        (Some("ann"), "goal done go(ann, yard)", "what must hold can be a goal here, not what must be done"),
        (Some("ann"), "", "what is wanted is missing at the end"),
        (Some("zoe"), "goal ann.tired", "no character is called `zoe`"),
        (None, "goal ann.tired", "the story's own goals are not a character's: say whose it is to be"),
    ];
    for (owner, goal, why) in refused {
        game.cast.set_goals(&asked(owner, &[goal]));
        let replies = game.cast.replies();
        let [reply] = replies.as_slice() else { panic!("{replies:?}") };
        assert!(!reply.accepted, "{goal}");
        assert_eq!(reply.reason, why, "{goal}");
    }
    let deep = format!("goal {}ann.tired{}", "(".repeat(10_000), ")".repeat(10_000));
    game.cast.set_goals(&asked(Some("ann"), &[&deep]));
    assert!(game.cast.replies().iter().all(|reply| !reply.accepted));
    // Nothing of it was taken up, so that she does what the story has her want.
    game.run(0..20);
    assert_eq!(game.of("ann"), ["go(ann, yard)"]);
}

#[test]
fn the_smallest_pieces_of_work_lead_to_the_same_plan() {
    for text in [SPARTA, FUNERAL] {
        let model = model(text);
        let planned = |units: u32| {
            let mut cast = Cast::new(std::sync::Arc::clone(&model), CastOptions::default());
            cast.advance(TickBounds::exactly(0), 1);
            for _ in 0..200_000 {
                let mut budget = Budget::of(units);
                // Who waits for an answer goes on searching, with nothing left to do.
                let searches = cast.deliberate(&mut budget, &Workers::single()) == Progress::Searching;
                if !searches || budget.left() > 0 {
                    return cast.publish().put;
                }
            }
            panic!("{units} units at a time do not get on");
        };
        let plan = planned(1_000_000);
        assert!(plan.len() > 10, "{plan:?}");
        for units in [1, 2, 7] {
            assert!(planned(units) == plan, "{units} units at a time");
        }
    }
}
