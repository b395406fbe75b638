//! The sample stories, performed and judged.

mod support;

use dramaturg_model::{Observation, Plan};
use dramaturg_planner::simulate::{
    Expectations, GoalStatus, Phase, ViolationKind, WaitStatus, World, WorldEventKind, WorldOptions,
};
use dramaturg_planner::validate::{Goals, Level, ValidateOptions};
use support::*;

fn character(model: &dramaturg_model::Model, name: &str) -> ValidateOptions {
    let goals = Goals::Character(model.find_object(name).unwrap());
    ValidateOptions { goals, ..ValidateOptions::default() }
}

#[test]
fn the_apple_is_taken_and_eaten_in_time() {
    let model = story("apple");
    let mut plan = Plan::default();
    plan.add("take", ["anna", "apple"], 475, 5);
    plan.add("eat", ["anna", "apple"], 480, 20);
    let report = judge(&model, &plan, &ValidateOptions::default());
    assert_valid(&report);
    assert_eq!(value(&model, &report.state, "anna.hunger"), "0");
    assert_eq!(report.end, 500);
    assert!(matches!(report.goals[0].status, GoalStatus::Reached(500)));
}

#[test]
fn one_pair_of_hands_cannot_do_two_things() {
    let model = story("apple");
    let mut plan = Plan::default();
    plan.add("take", ["anna", "apple"], 478, 5);
    plan.add("eat", ["anna", "apple"], 480, 20);
    let report = judge(&model, &plan, &ValidateOptions::default());
    let overlap = report.violations.iter().find(|violation| violation.kind == ViolationKind::OverCapacity).unwrap();
    assert!(overlap.message.contains("overlap for 3 ticks"), "{}", overlap.message);
    assert_eq!((overlap.tick, overlap.fluent.as_deref()), (480, Some("anna.hands")));
    // The apple is not yet in the hand when it is to be eaten.
    let early = report.violations.iter().find(|violation| violation.kind == ViolationKind::StartCondition).unwrap();
    assert_eq!(early.fluent.as_deref(), Some("apple.position"));
    assert_eq!((early.wanted.as_str(), early.found.as_str(), early.tick), ("inHand", "onTable", 480));
    assert_ne!(early.place, dramaturg_model::Span::NONE);
    // Without resources only the condition is unmet.
    let causal = judge(&model, &plan, &ValidateOptions { level: Level::V1, ..ValidateOptions::default() });
    assert!(!causal.violations.iter().any(|violation| violation.kind == ViolationKind::OverCapacity));
}

#[test]
fn a_wrong_duration_and_a_late_meal_are_noticed() {
    let model = story("apple");
    let mut plan = Plan::default();
    plan.add("take", ["anna", "apple"], 475, 5);
    plan.add("eat", ["anna", "apple"], 480, 19);
    let report = judge(&model, &plan, &ValidateOptions::default());
    assert!(report.violations.iter().any(|violation| violation.kind == ViolationKind::WrongDuration));
    let mut plan = Plan::default();
    plan.add("take", ["anna", "apple"], 475, 5);
    plan.add("eat", ["anna", "apple"], 481, 20);
    let report = judge(&model, &plan, &ValidateOptions::default());
    let missed = &report.violations[0];
    assert_eq!((missed.kind, missed.tick), (ViolationKind::GoalMissed, 500));
    assert_eq!((missed.wanted.as_str(), missed.found.as_str()), ("0", "1"));
}

fn hector() -> Plan {
    sequence(&[
        ("walk", "hector guest-room throne-room", 2),
        ("talk", "hector menelaos throne-room", 1),
        ("give", "hector menelaos hector-troy-gift throne-room", 1),
        ("negotiatePeace", "hector menelaos throne-room", 4),
        ("walk", "hector throne-room dock", 2),
        ("board", "hector ships dock", 1),
        ("travel", "hector dock troy ships sea", 20),
    ])
}

fn paris() -> Plan {
    sequence(&[
        ("walk", "paris guest-room garden", 2),
        ("talk", "paris agamemnon garden", 1),
        ("walk", "paris garden royal-bedroom", 2),
        ("talk", "paris helen royal-bedroom", 1),
        ("convince", "paris helen royal-bedroom", 2),
        ("walk", "paris royal-bedroom throne-room", 2),
        ("talk", "paris menelaos throne-room", 1),
        ("give", "paris menelaos paris-troy-gift throne-room", 1),
        ("walk", "paris throne-room dock", 2),
        ("board", "paris ships dock", 1),
        ("travel", "paris dock troy ships sea", 20),
    ])
}

#[test]
fn hector_and_paris_reach_their_goals() {
    let model = story("troy-sparta");
    let report = judge(&model, &hector(), &character(&model, "hector"));
    assert_valid(&report);
    assert_eq!(report.end, 31);
    assert_eq!(report.goals.len(), 3);
    let report = judge(&model, &paris(), &character(&model, "paris"));
    assert_valid(&report);
    assert_eq!(report.end, 35);
    assert_eq!(value(&model, &report.state, "helen.location"), "troy", "she follows");
}

/// A step that is put into the tick which was just looked at starts in it, as one that was known before does.
#[test]
fn steps_may_join_the_tick_that_was_looked_at() {
    for (name, plan) in [("troy-sparta", hector()), ("troy-sparta", paris())] {
        let model = story(name);
        let mut known = World::begin(&model, WorldOptions::default());
        plan.steps.iter().for_each(|step| known.schedule(&model, step).unwrap());
        let mut joined = World::begin(&model, WorldOptions::default());
        for step in &plan.steps {
            joined.look_at(&model, step.start);
            joined.schedule_checked(&model, step).unwrap();
        }
        for world in [&mut known, &mut joined] {
            world.step_to(&model, 60);
        }
        assert_eq!(known.state(), joined.state(), "{name}");
        assert_eq!(known.drain(), joined.drain(), "{name}");
        assert_eq!((known.violations(), joined.violations()), (0, 0), "{name}");
    }
}

#[test]
fn both_princes_sail_and_the_next_level_begins() {
    let model = story("troy-sparta");
    let mut plan = hector();
    let mut later = paris();
    // Paris waits until Hector has left the throne room's king alone.
    for step in &mut later.steps {
        step.id += 100;
        step.start += 1;
    }
    plan.steps.append(&mut later.steps);
    let report = judge(&model, &plan, &ValidateOptions::default());
    assert_valid(&report);
    let reached = report.goals.iter().filter(|goal| matches!(goal.status, GoalStatus::Reached(_))).count();
    assert_eq!(reached, 8, "{:#?}", report.goals);
    assert_eq!(value(&model, &report.state, "helen.location"), "gate", "carried into the next level");
    assert_eq!(value(&model, &report.state, "hector.location"), "gate");
    assert_eq!(value(&model, &report.state, "peace"), "true");
}

#[test]
fn a_man_is_not_in_two_places() {
    let model = story("troy-sparta");
    let mut plan = hector();
    // He talks while he walks, to somebody in another room.
    plan.steps[1].start = 1;
    let report = judge(&model, &plan, &character(&model, "hector"));
    let kinds: Vec<_> = report.violations.iter().map(|violation| violation.kind).collect();
    assert!(kinds.contains(&ViolationKind::OverCapacity), "{kinds:?}");
    assert!(kinds.contains(&ViolationKind::StartCondition));
    let mut plan = hector();
    plan.steps[1].args[1] = "hector".into();
    let report = judge(&model, &plan, &character(&model, "hector"));
    assert!(report.violations.iter().any(|violation| violation.kind == ViolationKind::SamePerformer));
}

#[test]
fn the_dungeon_is_left_alive() {
    let model = story("dungeon");
    let mut steps = vec![("walk", "hero c3 c2", 1), ("walk", "hero c2 c1", 1), ("walk", "hero c1 c0", 1)];
    steps.push(("pickUpSword", "hero sword", 1));
    let right = ["hero c0 c1", "hero c1 c2", "hero c2 c3", "hero c3 c4", "hero c4 c5", "hero c5 c6"];
    steps.extend(right.map(|args| ("walk", args, 1)));
    steps.extend([("fight", "hero ogre", 1); 3]);
    steps.push(("walk", "hero c6 c7", 1));
    let report = judge(&model, &sequence(&steps), &character(&model, "hero"));
    assert_valid(&report);
    assert_eq!(steps.len(), 14);
    let found: Vec<_> =
        ["hero.life", "hero.attack", "ogre.life"].map(|fluent| value(&model, &report.state, fluent)).into();
    assert_eq!(found, ["2", "2", "-1"]);
    // One fight less and the way is blocked.
    let mut fewer = steps.clone();
    fewer.remove(12);
    let report = judge(&model, &sequence(&fewer), &character(&model, "hero"));
    let blocked = &report.violations[0];
    assert_eq!(blocked.fluent.as_deref(), Some("ogre.standing"), "{blocked}");
}

#[test]
fn the_pianist_gets_the_girl_and_loses_the_band() {
    let model = story("lala-land");
    let mut world = world(&model);
    world.step_to(&model, 0);
    world.drain();
    for task in ["barConcert", "attendPlay", "coffeeShop", "goCinema"] {
        do_task(&model, &mut world, task);
    }
    assert_eq!(value(&model, world.state(), "miaGirlfriend"), "true");
    assert_eq!(value(&model, world.state(), "bandProblems"), "true");
    let events = world.drain();
    let methods: Vec<String> =
        trace(&model, &events).into_iter().filter(|word| word.contains(':') && !word.contains('"')).collect();
    let expected = ["barConcert:0", "miaHearsYouPlay:0", "attendPlay:1", "coffeeShop:0", "goCinema:0", "miaRomantic:0"];
    assert_eq!(methods, expected);
    assert!(world.goals().iter().all(|goal| matches!(goal.status, GoalStatus::Reached(_))));
}

#[test]
fn tasks_are_steps_of_a_plan_too() {
    let model = story("lala-land");
    let tasks = ["barConcert", "attendPlay", "coffeeShop", "goCinema"];
    let plan = sequence(&tasks.map(|task| (task, "", 1)));
    assert_valid(&judge(&model, &plan, &ValidateOptions::default()));
    let wrong = sequence(&["attendPlay", "barConcert", "coffeeShop", "goCinema"].map(|task| (task, "", 1)));
    let report = judge(&model, &wrong, &ValidateOptions::default());
    assert_eq!(report.violations[0].kind, ViolationKind::NoMethod);
    assert_eq!(report.violations[0].fluent.as_deref(), Some("photoshootOnDay4"), "{}", report.violations[0]);
}

#[test]
fn eight_tasks_day_by_day() {
    let model = story("lala-land-days");
    let mut world = world(&model);
    world.step_to(&model, 0);
    let flow =
        ["meetBand", "pianoPractice", "barConcert", "jobSearch", "attendPlay", "meetBand", "coffeeShop", "goCinema"];
    for task in flow {
        do_task(&model, &mut world, task);
    }
    assert_eq!(value(&model, world.state(), "today"), "4");
    assert_eq!(value(&model, world.state(), "slot"), "2");
    let events = world.drain();
    let words = trace(&model, &events);
    assert!(words.contains(&"\"Day 3.\"".to_owned()), "{words:#?}");
    assert_eq!(words.iter().filter(|word| word.starts_with("ending")).collect::<Vec<_>>(), ["ending twoSongs"]);
}

#[test]
fn a_wolf_turns_once_for_each_edge() {
    let model = story("werewolf");
    let mut world = world(&model);
    world.step_to(&model, 0);
    let turnings = |world: &World| value(&model, world.state(), "turnings");
    do_task(&model, &mut world, "readLetter");
    assert_eq!((turnings(&world), value(&model, world.state(), "lycan")), ("1".into(), "true".into()));
    do_task(&model, &mut world, "waitForNight");
    assert_eq!(turnings(&world), "1", "already turned: no new edge");
    do_task(&model, &mut world, "breathe");
    do_task(&model, &mut world, "waitForDay");
    assert_eq!(value(&model, world.state(), "lycan"), "false");
    do_task(&model, &mut world, "waitForNight");
    assert_eq!(turnings(&world), "2");
}

#[test]
fn what_is_expected_comes_late_or_never() {
    let model = story("diamond");
    let run = |moves: Option<i64>| {
        let options = WorldOptions { expectations: Expectations::Watched, ..WorldOptions::default() };
        let mut world = World::begin(&model, options);
        let tell = model.find_action("tell").unwrap();
        let args = [object(&model, "oldWoman"), object(&model, "diamond")];
        world.perform(0, tell, args.as_slice().into(), 0);
        if let Some(after) = moves {
            let observation = Observation {
                fluent: "player.location".into(),
                value: "forest".into(),
                from: 20 + after,
                to: None,
                source: 0,
                sequence: 0,
            };
            world.observe(&model, &observation).unwrap();
        }
        world.step_to(&model, 2000);
        let events = world.drain();
        let waits: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.kind {
                WorldEventKind::Expectation { status, .. } => Some((event.tick - 20, *status)),
                _ => None,
            })
            .collect();
        (waits, value(&model, world.state(), "told(player, diamond)"))
    };
    assert_eq!(run(Some(120)), (vec![(120, WaitStatus::Confirmed)], "true".into()));
    let late = vec![(300, WaitStatus::Late(1)), (380, WaitStatus::Confirmed)];
    assert_eq!(run(Some(380)), (late, "true".into()));
    let never = vec![(300, WaitStatus::Late(1)), (450, WaitStatus::Late(2)), (600, WaitStatus::Invalidated)];
    assert_eq!(run(None), (never, "false".into()), "the hint is spent");
}

#[test]
fn in_a_plan_what_is_expected_comes_as_planned() {
    let model = story("diamond");
    let mut plan = Plan::default();
    plan.add("tell", ["oldWoman", "diamond"], 0, 20);
    plan.add("reveal", ["diamond"], 320, 60);
    assert_valid(&judge(&model, &plan, &ValidateOptions::default()));
    plan.steps[1].start = 319;
    let report = judge(&model, &plan, &ValidateOptions::default());
    assert_eq!(report.violations[0].fluent.as_deref(), Some("player.location"));
}

#[test]
fn an_observation_masks_the_tick() {
    let model = text(
        "fluent open\naction shut { takes 3 ticks; then not open; say \"x\" }\naction use { needs open; then not open }",
    );
    let mut world = world(&model);
    world.perform(0, model.find_action("shut").unwrap(), Default::default(), 0);
    let seen = Observation { fluent: "open".into(), value: "true".into(), from: 3, to: None, source: 0, sequence: 0 };
    world.observe(&model, &seen).unwrap();
    world.look_at(&model, 3);
    assert_eq!(value(&model, world.state(), "open"), "true", "the end of `shut` does not override what is seen");
    world.step_to(&model, 5);
    assert_eq!(value(&model, world.state(), "open"), "true");
    assert_eq!(world.next_phase(), (6, Phase::Observe));
}

#[test]
fn two_funerals_inject_their_goals() {
    let model = story("troy-funeral");
    let mut world = world(&model);
    let deeds = [
        ("attack", ["hector", "patroclus", "battlefield"].as_slice()),
        ("kill", &["hector", "patroclus", "battlefield"]),
        ("goTo", &["odysseus", "battlefield", "achilles-tent"]),
        ("tell", &["odysseus", "achilles", "death-of-patroclus", "achilles-tent"]),
    ];
    for ((action, args), at) in deeds.into_iter().zip(0..) {
        let args = args.iter().map(|name| object(&model, name)).collect();
        world.perform(at, model.find_action(action).unwrap(), args, i64::from(at));
    }
    world.step_to(&model, 5);
    let events = world.drain();
    let injected = events.iter().filter(|event| matches!(event.kind, WorldEventKind::Injected { .. })).count();
    assert_eq!(injected, 2 + 5 + 1);
    let goals = world.goals();
    let open = goals.iter().filter(|goal| goal.status == GoalStatus::Active).count();
    // Hector's is reached, Odysseus has told; what makes no sense yet waits.
    let waiting = goals.iter().filter(|goal| goal.status == GoalStatus::Waiting).count();
    assert_eq!((open, waiting), (5, 2), "{goals:#?}");
    let tent = goals.iter().find(|goal| goal.status == GoalStatus::Waiting).unwrap();
    assert_eq!(tent.owner, Some(object(&model, "achilles").as_object().unwrap()));
    let violations = trace(&model, &events);
    assert!(!violations.iter().any(|word| word.starts_with('!')), "{violations:#?}");
}

#[test]
fn texts_capitalise_and_never_repeat() {
    let model = text(
        "type Person\nobject anna \"the old anna\": Person\nfluent days: number = 2.5\n\
         action speak(p: Person) by p { say \"{p} waits. {p} and {p} for {days} days.\" }\n\
         action chat(p: Person) by p { say \"a\" or \"b\" or \"c\" }",
    );
    let mut world = world(&model);
    let anna = object(&model, "anna");
    world.perform(0, model.find_action("speak").unwrap(), [anna].as_slice().into(), 0);
    for at in 1..40 {
        world.perform(at, model.find_action("chat").unwrap(), [anna].as_slice().into(), i64::from(at));
    }
    world.step_to(&model, 50);
    let events = world.drain();
    let said: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            WorldEventKind::Said { shown, .. } => Some(shown.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said[0], "The old anna waits. The old anna and the old anna for 2.5 days.");
    assert!(said[1..].windows(2).all(|pair| pair[0] != pair[1]), "{said:?}");
    assert!(["a", "b", "c"].iter().all(|line| said.contains(line)));
}

#[test]
fn a_total_comes_in_exactly_and_stops_at_the_bound() {
    let model = text(
        "type P { x: number 0..100 = 95; body: actuator }\nobject p: P\n\
         action cheer(who: P) { takes 7 ticks; uses who.body; during who.x += 15 }\n\
         action drain(who: P) { takes 7 ticks; uses who.body; during who.x -= 10 }",
    );
    let mut world = world(&model);
    let p = object(&model, "p");
    world.perform(0, model.find_action("drain").unwrap(), [p].as_slice().into(), 0);
    world.look_at(&model, 1);
    assert_eq!(value(&model, world.state(), "p.x"), "93.571428", "⌊-10·1/7⌋ millionths are in");
    world.look_at(&model, 7);
    assert_eq!(value(&model, world.state(), "p.x"), "85");
    world.perform(1, model.find_action("cheer").unwrap(), [p].as_slice().into(), 10);
    world.perform(2, model.find_action("cheer").unwrap(), [p].as_slice().into(), 17);
    world.look_at(&model, 24);
    assert_eq!(value(&model, world.state(), "p.x"), "100");
}

#[test]
fn rules_that_raise_each_other_are_stopped() {
    let model =
        text("fluent a, b\nrule one { when a then b, not a }\nrule two { when b then a, not b }\naction go { then a }");
    let mut world = world(&model);
    world.perform(0, model.find_action("go").unwrap(), Default::default(), 0);
    world.step_to(&model, 2);
    let events = world.drain();
    assert!(events.iter().any(|event| {
        matches!(&event.kind, WorldEventKind::Violation(violation) if violation.kind == ViolationKind::RuleLoop)
    }));
}

#[test]
fn an_action_in_a_task_takes_its_time() {
    let model = text(
        "fluent fetched, drunk, tired\naction fetch { takes 5 ticks; then fetched }\nrule weary { after tea; then tired }\n\
         task tea { offer \"Tea.\"; method { do fetch(); then drunk; say \"Ah.\" } }",
    );
    let mut world = world(&model);
    world.step_to(&model, 0);
    do_task(&model, &mut world, "tea");
    assert_eq!(world.running().count(), 1);
    world.look_at(&model, 5);
    assert_eq!(value(&model, world.state(), "drunk"), "false");
    world.look_at(&model, 6);
    assert_eq!(value(&model, world.state(), "fetched"), "true");
    assert_eq!(value(&model, world.state(), "drunk"), "true");
    assert_eq!(value(&model, world.state(), "tired"), "true");
    assert!(world.is_idle());
}
