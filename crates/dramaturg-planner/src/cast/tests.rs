//! The cases of the two Troy stories, with minds and searches only; how they come out in time is what plays show.

use std::sync::Arc;

use dramaturg_model::{Model, ObjectId, State, Tick};
use dramaturg_story::compile_text;

use super::domain::Domain;
use super::{Dropping, Manner, Resolve, Thought, ThoughtOptions};
use crate::planner::Budget;
use crate::schedule::in_sequence;
use crate::validate::{Goals, ValidateOptions, validate};

const SPARTA: &str = include_str!("../../../../stories/troy-sparta.story");

fn model(text: &str) -> Arc<Model> {
    let compiled = compile_text("test.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// What a character makes up its mind to, and the names of what it does. The plan is judged.
fn resolve(model: &Model, name: &str, options: ThoughtOptions) -> (Resolve, Vec<String>) {
    let state = State::initial(model, 0);
    let domain = Domain::new(model, &state);
    assert_eq!(domain.trouble, None);
    let object = model.find_object(name).unwrap_or(ObjectId(u32::MAX));
    let role = Arc::new(domain.role(object));
    let start = domain.pack(&state);
    assert!(start.is_some());
    let Some(start) = start else { return Default::default() };
    let wants = domain.wants(model, &start, object).into_iter().map(|(_, want)| want).collect();
    let mut thought = Thought::new(Arc::clone(&role), &start, wants, options);
    // In small pieces, as in a game.
    let mut rounds = 0;
    let found = loop {
        rounds += 1;
        assert!(rounds < 1_000_000, "it does not come to an end");
        if let Some(found) = thought.run(&mut Budget::of(7)) {
            break found.clone();
        }
    };
    let plan = in_sequence(model, &role.problem, &start, &found.way, 0);
    let report = validate(model, &state, &plan, &ValidateOptions { goals: Goals::None, ..ValidateOptions::default() });
    assert!(report.valid, "{report:?}");
    let names = found.way.iter().map(|step| role.problem.operator_name(model, *step)).collect();
    (found, names)
}

#[test]
fn hector_and_paris_have_the_plans_of_the_paper() {
    let sparta = model(SPARTA);
    let (hector, names) = resolve(&sparta, "hector", ThoughtOptions::default());
    assert_eq!(
        names,
        [
            "walk(hector, guest-room, throne-room)",
            "talk(hector, menelaos, throne-room)",
            "give(hector, menelaos, hector-troy-gift, throne-room)",
            "negotiatePeace(hector, menelaos, throne-room)",
            "walk(hector, throne-room, dock)",
            "board(hector, ships, dock)",
            "travel(hector, dock, troy, ships, sea)",
        ]
    );
    assert_eq!(hector.duration, 31);
    for manner in [Manner::Together, Manner::AllGoals, Manner::GoalByGoal] {
        let (paris, names) = resolve(&sparta, "paris", ThoughtOptions { manner, ..ThoughtOptions::default() });
        assert_eq!((names.len(), paris.duration, paris.kept.len()), (11, 35, 5), "{names:?}");
        println!("{manner:?}: {} states", paris.expanded);
        assert!(paris.expanded <= 200, "{manner:?}: {}", paris.expanded);
    }
}

#[test]
fn more_wishes_take_hardly_more_thought() {
    let more = "    goal talked(paris, hector) salience 40\n    goal paris.refreshed salience 30\n    goal paris.fed salience 30\n";
    let hard = SPARTA.replace(
        "    goal paris.location == troy salience 50\n",
        &format!("    goal paris.location == troy salience 50\n{more}"),
    );
    assert_ne!(hard, SPARTA);
    let (paris, names) =
        resolve(&model(&hard), "paris", ThoughtOptions { manner: Manner::AllGoals, ..ThoughtOptions::default() });
    assert_eq!(names.len(), 17, "{names:?}");
    println!("paris-hard: {} states", paris.expanded);
    assert!(paris.expanded <= 100, "{}", paris.expanded);
    // What would be left for the end, when he has sailed, is done where it can be.
    let (_, names) = resolve(&model(&hard), "paris", ThoughtOptions::default());
    let place = |name: &str| names.iter().position(|found| found.starts_with(name));
    assert!(place("eat") < place("board") && place("drink") < place("board"), "{names:?}");
}

#[test]
fn what_does_not_fit_into_the_time_is_given_up() {
    let sparta = model(SPARTA);
    let kept = |name: &str, available: Tick, dropping: Dropping| {
        let options = ThoughtOptions { available: Some(available), dropping, ..ThoughtOptions::default() };
        let (resolve, _) = resolve(&sparta, name, options);
        (resolve.kept.clone(), resolve.duration)
    };
    assert_eq!(kept("hector", 3, Dropping::Best), (vec![], 0));
    for available in 4..8 {
        assert_eq!(kept("hector", available, Dropping::Best), (vec![0], 4));
    }
    assert_eq!(kept("hector", 8, Dropping::Best), (vec![0, 1], 8));
    assert_eq!(kept("hector", 30, Dropping::Best), (vec![0, 1], 8));
    assert_eq!(kept("hector", 31, Dropping::Best), (vec![0, 1, 2], 31));
    assert_eq!(kept("paris", 7, Dropping::Best), (vec![0, 1], 7));
    assert_eq!(kept("paris", 8, Dropping::Greedy), (vec![0, 1], 7));
    assert_eq!(kept("paris", 8, Dropping::Best), (vec![1, 2, 3], 8));
    assert_eq!(kept("paris", 9, Dropping::Best), (vec![0, 1, 2], 9));
    assert_eq!(kept("paris", 12, Dropping::Best), (vec![0, 1, 2, 3], 12));
    assert_eq!(kept("paris", 35, Dropping::Best), (vec![0, 1, 2, 3, 4], 35));
}

#[test]
fn helen_follows_whom_she_was_convinced_by() {
    let text = SPARTA
        .replace("    goal paris.location == troy salience 50\n", "    goal helen.location == troy salience 99\n");
    let text = [
        "paris-troy-gift.holder == menelaos salience 90",
        "seduced(helen, paris) salience 85",
        "convinced(helen, paris) salience 80",
        "talked(paris, agamemnon) salience 60",
    ]
    .iter()
    .fold(text, |text, goal| text.replace(&format!("    goal {goal}\n"), ""));
    let (_, names) = resolve(&model(&text), "paris", ThoughtOptions::default());
    assert_eq!(names.len(), 6, "{names:?}");
}
