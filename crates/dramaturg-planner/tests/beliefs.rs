//! Characters act on what they have perceived, not on what is so.

mod common;

use common::{Game, judge, model};
use dramaturg_model::{Observation, Step};
use dramaturg_planner::planner::{Inquiry, Planner};

/// A lantern that somebody looks for. What is known of it is where it was seen last.
fn house(lantern_at: &str, more: &str) -> String {
    format!(
        "story \"Lantern\" {{ ticks 1 per s }}
type Place
type Person {{ at: Place }}
type Thing {{ at: Place | Person | unknown }}
object hall, cellar, attic: Place
object lantern: Thing (at = {lantern_at})
character ida: Person (at = hall) {{ goal lantern.at == ida }}
{more}
action go(a: Person, to: Place) by a {{ takes 2 ticks; needs a.at != to; then a.at = to }}
action take(a: Person, t: Thing, p: Place) by a {{ takes 1 tick; needs a.at == p and t.at == p; then t.at = a }}
action search(a: Person, t: Thing, p: Place) by a {{ takes 1 tick .. 3 ticks; needs a.at == p; expect t.at = p; check every 1 tick }}
"
    )
}

fn played(text: &str, ticks: i64) -> (Vec<String>, Vec<String>) {
    let model = model(text);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..ticks);
    // The judge assumes that what is expected comes about; a search need not.
    let sure: Vec<Step> = game.performed.iter().filter(|step| step.action != "search").cloned().collect();
    judge(&model, &sure);
    let beliefs = game.cast.explain(&Inquiry::Beliefs("ida".into())).sentences;
    (game.of("ida"), beliefs)
}

#[test]
fn who_sees_it_takes_it() {
    let (steps, beliefs) = played(&house("hall", ""), 20);
    assert_eq!(steps, ["take(ida, lantern, hall)"]);
    assert_eq!(beliefs, ["lantern.at = ida"]);
}

#[test]
fn who_does_not_know_where_it_is_looks_for_it_until_it_is_found() {
    for place in ["cellar", "attic"] {
        let (steps, beliefs) = played(&house(place, ""), 40);
        assert_eq!(steps.last(), Some(&format!("take(ida, lantern, {place})")), "{steps:?}");
        assert!(steps.iter().any(|step| step.starts_with("search")), "{steps:?}");
        // Nobody looks twice in the same place within so short a time.
        let searches: Vec<&String> = steps.iter().filter(|step| step.starts_with("search")).collect();
        let mut once = searches.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), searches.len(), "{steps:?}");
        assert_eq!(beliefs, ["lantern.at = ida"]);
    }
}

#[test]
fn what_was_seen_is_believed_until_it_is_found_to_be_otherwise() {
    // Ida has something else to do first; meanwhile the lantern is carried off behind her back.
    let text = house("hall", "").replace(
        "goal lantern.at == ida",
        "goal done go(ida, cellar) salience 90\n  goal lantern.at == ida salience 10 while done go(ida, cellar)",
    );
    let model = model(&text);
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..3);
    let seen =
        Observation { fluent: "lantern.at".into(), value: "attic".into(), from: 3, to: None, source: 0, sequence: 1 };
    game.cast.observe(&[seen]);
    game.run(3..5);
    let believed = game.cast.explain(&Inquiry::Beliefs("ida".into())).sentences;
    assert_eq!(believed, ["lantern.at = hall"], "she was in the hall when it was there, and is in the cellar now");
    game.run(5..60);
    let steps = game.of("ida");
    let back = steps.iter().position(|step| step == "go(ida, hall)");
    let found = steps.iter().position(|step| step == "take(ida, lantern, attic)");
    assert!(back.is_some() && back < found, "{steps:?}");
    assert!(!steps.contains(&"take(ida, lantern, hall)".to_owned()), "{steps:?}");
}

#[test]
fn of_places_that_are_as_likely_the_first_in_the_story_is_to_be_looked_at_first() {
    let model = model(&house("attic", ""));
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..1);
    let mut searches: Vec<&Step> = game.open.values().filter(|step| step.action == "search").collect();
    searches.sort_by_key(|step| step.start);
    let places: Vec<&str> = searches.iter().filter_map(|step| step.args.last()).map(|place| place.as_str()).collect();
    assert_eq!(places, ["hall", "cellar", "attic"]);
}

#[test]
fn a_place_that_was_only_thought_of_is_searched_all_the_same() {
    let model = model(&house("attic", ""));
    let mut fails = |_: &Step| false;
    let mut game = Game::new(&model, &mut fails);
    game.run(0..3);
    // Ida is still in the hall, and it has been rehearsed that the cellar would be searched in vain.
    let seen =
        Observation { fluent: "lantern.at".into(), value: "cellar".into(), from: 3, to: None, source: 0, sequence: 1 };
    game.cast.observe(&[seen]);
    game.run(3..60);
    let steps = game.of("ida");
    assert_eq!(steps.last().map(String::as_str), Some("take(ida, lantern, cellar)"), "{steps:?}");
    assert!(!steps.iter().any(|step| step.ends_with("attic)")), "{steps:?}");
}
