//! Late, old and disordered reports.

use dramaturg_model::{Model, Observation, Step};

use super::*;

const STORY: &str = "story \"Bell\"
  type Bell { rung: int 0..1000 = 0; loud }
  object bell: Bell
  object player: Bell
  action ring(it: Bell) { takes 10 ticks; then it.rung += 1 }
  rule hear { when bell.rung == 2; then player.loud }";

fn model() -> Model {
    let compiled = dramaturg_story::compile_text("bell.story", STORY);
    assert!(compiled.diagnostics.iter().all(|found| !found.is_error()), "{:?}", compiled.diagnostics);
    compiled.model
}

fn ring(id: u32, start: Tick) -> Step {
    let mut plan = dramaturg_model::Plan::default();
    plan.add("ring", ["bell"], start, 10);
    Step { id, ..plan.steps.remove(0) }
}

fn seen(fluent: &str, value: &str, from: Tick, to: Option<Tick>) -> Observation {
    Observation { fluent: fluent.into(), value: value.into(), from, to, source: 0, sequence: 0 }
}

fn value(model: &Model, world: &World, fluent: &str) -> String {
    let (fluent, args) = names::fluent(model, fluent).expect("it is known");
    model.value_name(world.state().get(fluent, &args)).to_string()
}

fn begin(model: &Model, window: Tick) -> Chronicle {
    Chronicle::begin(model, ChronicleOptions { window, ..ChronicleOptions::default() })
}

#[test]
fn a_step_ends_when_the_game_says_so() {
    let model = model();
    let mut chronicle = begin(&model, 600);
    chronicle.started(&model, &ring(1, 5), 5).expect("known");
    chronicle.advance(&model, 20);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "0", "nobody said that it has ended");
    chronicle.finished(1, 18);
    chronicle.advance(&model, 20);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "1");
    assert_eq!(chronicle.reruns(), 1, "the report lay in the past");
    chronicle.finished(1, 30);
    chronicle.advance(&model, 40);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "1", "a step ends once");
}

#[test]
fn what_was_seen_in_the_past_counts_from_then() {
    let model = model();
    let mut chronicle = begin(&model, 600);
    for (id, start) in [(1, 0), (2, 20), (3, 40)] {
        chronicle.started(&model, &ring(id, start), start).expect("known");
        chronicle.finished(id, start + 10);
    }
    chronicle.advance(&model, 60);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "3");
    let fired =
        |events: &[WorldEvent]| events.iter().filter(|event| format!("{event:?}").contains("RuleFired")).count();
    assert_eq!(fired(&chronicle.drain()), 1);
    // It had been rung ten times already when the second stroke ended, so two come on top of that.
    chronicle.observe(&model, &seen("bell.rung", "10", 15, Some(25))).expect("known");
    chronicle.advance(&model, 60);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "12");
    assert_eq!(fired(&chronicle.drain()), 0, "what no longer happens is not told again");
}

#[test]
fn what_is_older_than_the_window_counts_from_its_edge() {
    let model = model();
    let mut chronicle = begin(&model, 10);
    chronicle.advance(&model, 5);
    for tick in 6..200 {
        chronicle.advance(&model, tick);
    }
    assert!(chronicle.oldest() > 150, "{}", chronicle.oldest());
    chronicle.observe(&model, &seen("bell.rung", "7", 3, None)).expect("known");
    chronicle.advance(&model, 200);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "7");
    assert!(chronicle.observe(&model, &seen("bell.colour", "red", 3, None)).is_err());
}

#[test]
fn a_step_that_took_longer_is_no_trouble_when_the_world_runs_again() {
    let model = model();
    let mut chronicle = begin(&model, 600);
    chronicle.started(&model, &ring(1, 5), 5).expect("known");
    chronicle.advance(&model, 30);
    chronicle.finished(1, 27);
    chronicle.advance(&model, 31);
    chronicle.observe(&model, &seen("player.loud", "true", 3, None)).expect("known");
    chronicle.advance(&model, 32);
    assert_eq!(chronicle.reruns(), 2);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "1");
    let troubles = chronicle.drain().into_iter().filter(|event| format!("{event:?}").contains("Violation"));
    assert_eq!(troubles.collect::<Vec<_>>(), []);
}

/// However late and disordered reports come, the world is the one they tell of.
#[test]
fn order_of_arrival_does_not_matter() {
    let model = model();
    for seed in 0..40 {
        let mut chance = dramaturg_model::Chance::new(seed);
        let mut reports: Vec<(Tick, u32, bool)> = Vec::new();
        for id in 0..12 {
            let start = chance.below(150) as Tick;
            reports.push((start, id, true));
            reports.push((start + 1 + chance.below(30) as Tick, id, false));
        }
        let mut in_order = begin(&model, 1_000);
        reports.sort_by_key(|(tick, id, starts)| (*tick, !*starts, *id));
        let tell = |chronicle: &mut Chronicle, (tick, id, starts): (Tick, u32, bool)| match starts {
            true => chronicle.started(&model, &ring(id, tick), tick).expect("known"),
            false => chronicle.finished(id, tick),
        };
        for report in &reports {
            in_order.advance(&model, report.0 - 1);
            tell(&mut in_order, *report);
        }
        in_order.advance(&model, 200);
        let mut late = begin(&model, 1_000);
        let mut arrivals: Vec<_> =
            reports.iter().map(|report| (report.0 + chance.below(40) as Tick, *report)).collect();
        // A start is never told after its end, but both may be told long after other things.
        arrivals.sort_by_key(|(at, (_, _, starts))| (*at, !*starts));
        let mut told = BTreeSet::new();
        let mut waiting: Vec<(Tick, u32, bool)> = Vec::new();
        for (at, report) in arrivals {
            late.advance(&model, at);
            if report.2 {
                told.insert(report.1);
                tell(&mut late, report);
            } else {
                waiting.push(report);
            }
            let (ready, rest) = waiting.into_iter().partition(|report| told.contains(&report.1));
            waiting = rest;
            Vec::into_iter(ready).for_each(|report| tell(&mut late, report));
        }
        late.advance(&model, 200);
        assert_eq!(late.present().state().entries(), in_order.present().state().entries(), "seed {seed}");
    }
}

#[test]
fn what_was_reported_after_the_present_is_in_the_world_ahead() {
    let model = model();
    let mut chronicle = begin(&model, 600);
    chronicle.advance(&model, 4);
    // Its start is known before the time of its tick was reported.
    chronicle.started(&model, &ring(1, 8), 8).expect("known");
    chronicle.started(&model, &ring(2, 9), 9).expect("known");
    chronicle.cut(2, 11);
    chronicle.observe(&model, &seen("player.loud", "true", 10, None)).expect("known");
    assert_eq!(chronicle.present().now(), 4);
    let mut world = chronicle.ahead(&model);
    world.look_at(&model, 17);
    assert_eq!(value(&model, &world, "bell.rung"), "0");
    assert_eq!(value(&model, &world, "player.loud"), "true");
    world.look_at(&model, 18);
    assert_eq!(value(&model, &world, "bell.rung"), "1", "the one that was cut has no effect");
}

const FADING: &str = "story \"Embers\"
  type Fire { heat: number 0..100 = 100; smoke: number 0..50 = 0; lit }
  object fire: Fire
  rule fades { during fire.heat -= 0.5 per tick }
  rule smokes { while fire.lit; during fire.smoke += 1 per tick }
  rule goesOut { when fire.heat == 0; then not fire.lit }";

fn fading() -> Model {
    let compiled = dramaturg_story::compile_text("embers.story", FADING);
    assert!(compiled.diagnostics.iter().all(|found| !found.is_error()), "{:?}", compiled.diagnostics);
    compiled.model
}

#[test]
fn a_tick_that_changes_nothing_is_not_repeated() {
    let model = fading();
    let mut chronicle = begin(&model, 600);
    chronicle.observe(&model, &seen("fire.heat", "60", 500_000, None)).expect("known");
    chronicle.advance(&model, 100);
    assert_eq!(value(&model, chronicle.present(), "fire.heat"), "49.5");
    chronicle.advance(&model, 499_999);
    assert_eq!(value(&model, chronicle.present(), "fire.heat"), "0");
    chronicle.advance(&model, 500_010);
    assert_eq!(value(&model, chronicle.present(), "fire.heat"), "55", "what was seen fades from the tick after");
    chronicle.advance(&model, 10_000_000);
    assert_eq!(value(&model, chronicle.present(), "fire.heat"), "0");
    assert!(chronicle.present().effort().ticks < 400, "{:?}", chronicle.present().effort());
}

#[test]
fn a_world_that_goes_on_in_slices_comes_to_the_same() {
    let model = fading();
    let play = |work: u64| {
        let mut chronicle = begin(&model, 600);
        let reports = [
            ("fire.lit", "true", 50),
            ("fire.heat", "80", 300),
            ("fire.smoke", "3", 2_000),
            ("fire.lit", "true", 2_010),
        ];
        for (fluent, to, from) in reports {
            chronicle.observe(&model, &seen(fluent, to, from, None)).expect("known");
        }
        let mut calls = 1;
        while !chronicle.advance_within(&model, 5_000, work) {
            calls += 1;
            assert!(calls < 20_000, "each call gets on");
        }
        assert_eq!(chronicle.present().now(), 5_000);
        // A late report lies within the window, as it does after one long call.
        chronicle.observe(&model, &seen("fire.smoke", "7", 4_990, None)).expect("known");
        while !chronicle.advance_within(&model, 5_001, work) {}
        let found = ["fire.heat", "fire.smoke", "fire.lit"].map(|name| value(&model, chronicle.present(), name));
        (calls, found)
    };
    let (calls, whole) = play(u64::MAX);
    assert_eq!(calls, 1);
    assert_eq!(whole, ["0", "18", "true"], "it smokes on from what was seen last");
    for work in [1, 7, 100, 300] {
        let (calls, found) = play(work);
        assert!(calls > 1, "{calls} calls of {work}");
        assert_eq!(found, whole, "slices of {work}");
    }
}

#[test]
fn more_reports_than_are_kept_are_settled_early() {
    let model = fading();
    let mut chronicle = begin(&model, 600);
    for tick in 0..40 {
        for _ in 0..REPORTS_MAX / 8 {
            chronicle.observe(&model, &seen("fire.smoke", "9", tick, None)).expect("known");
        }
        chronicle.advance(&model, tick);
        assert!(chronicle.report_count() <= REPORTS_MAX + REPORTS_MAX / 8, "{}", chronicle.report_count());
    }
    assert_eq!(value(&model, chronicle.present(), "fire.smoke"), "9");
}

#[test]
fn a_step_that_was_given_up_after_its_time_has_not_come_to_its_end() {
    let model = model();
    let mut chronicle = begin(&model, 600);
    chronicle.started(&model, &ring(1, 5), 5).expect("known");
    chronicle.advance(&model, 10);
    // The game was away, and cannot say what became of it.
    chronicle.cut(1, 30);
    chronicle.advance(&model, 40);
    assert_eq!(value(&model, chronicle.present(), "bell.rung"), "0");
}
