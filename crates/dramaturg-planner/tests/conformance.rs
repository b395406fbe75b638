//! Every planner keeps the contract. Each one gets a life of its own for many seeds: locks, failures, surprises, saves.

use std::sync::Arc;

use dramaturg_model::{Chance, FileId, Model, Plan, Tick};
use dramaturg_planner::cast::{Cast, CastOptions};
use dramaturg_planner::planner::conformance::{Outcome, Subject, Trial, check};
use dramaturg_planner::planner::{GoalChange, Planner, PlannerSave};
use dramaturg_planner::repair::{Playwright, RepairOptions};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_planner::temporal::{Conductor, ConductorOptions};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};

const DOORS: &str = "story \"Doors\"
type Door { open; locked: int 0..9 = 0; hinge: actuator }
object front, back, cellar: Door
fluent guest: inside | outside = outside
action unlatch(it: Door) { takes 5 ticks; uses it.hinge; needs not it.open; then it.open }
action latch(it: Door) { takes 3 ticks; uses it.hinge; needs it.open; then not it.open }
action enter(it: Door) { takes 8 ticks; needs it.open and guest == outside; then guest = inside }
action leave(it: Door) { takes 8 ticks; needs it.open and guest == inside; then guest = outside }
action knock(it: Door) { takes 2 ticks; then it.locked += 1 }
rule draught { when front.open and back.open; then not back.open }
";

fn doors() -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("doors.story", DOORS);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// Goals as a game writes them: each owner with one wish of theirs.
fn goals(written: &[(Option<&str>, &[&str])]) -> Vec<GoalChange> {
    let change = |(owner, goals): &(Option<&str>, &[&str])| GoalChange {
        owner: owner.map(Into::into),
        goals: goals.iter().map(|goal| (*goal).into()).collect(),
    };
    written.iter().map(change).collect()
}

/// How many lives each planner has; `DRAMATURG_LIVES` asks for more than the suite takes the time for.
fn lives(least: u64) -> u64 {
    option_env!("DRAMATURG_LIVES").and_then(|asked| asked.parse().ok()).unwrap_or(0).max(least)
}

/// A script that would do no harm if nothing came between, and some that would.
fn script(seed: u64) -> Plan {
    let mut chance = Chance::new(seed ^ 0xD00E);
    let mut plan = Plan::default();
    let mut start: Tick = 8;
    for _ in 0..14 {
        let door = ["front", "back", "cellar"][chance.below(3)];
        let (action, duration) =
            [("unlatch", 5), ("enter", 8), ("leave", 8), ("latch", 3), ("knock", 2), ("knock", 2)][chance.below(6)];
        plan.add(action, [door], start, duration);
        start += 2 + chance.below(24) as Tick;
    }
    plan
}

#[test]
fn the_scripted_planner_keeps_the_contract() {
    let model = doors();
    let goals = goals(&[(None, &["goal done knock(front)", "goal guest == inside"]), (Some("ann"), &["nonsense ("])]);
    let mut all = Outcome::default();
    for seed in 0..lives(240) {
        let options = ScriptOptions { horizon: 60, retries: 1, fidget: (seed % 4) as u32, seed };
        let make = |seed: u64| -> Box<dyn Planner> {
            let options = ScriptOptions { seed, ..options.clone() };
            Box::new(Scripted::performing(Arc::clone(&model), &script(seed), options))
        };
        let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
            Ok(Box::new(Scripted::load(Arc::clone(&model), save)?))
        };
        let subject = Subject { model: &model, make: &make, load: &load, goals: &goals, decides: false };
        let trial = Trial {
            seed,
            rounds: 40,
            units: 1 + (seed % 40) as u32,
            surprises: (seed % 3) as usize * 3,
            failures: (seed % 5) as usize * 3,
            whims: (seed % 2) as usize * (2 + (seed % 5) as usize),
        };
        all.add(&check(&subject, trial).unwrap_or_else(|why| panic!("seed {seed}: {why}")));
    }
    assert_busy("doors", &all, (501, 101, 101, 501, 50));
}

/// Lives in which the game performs what the cast had locked and no longer believes to be possible.
const LIVES_WITH_UNMET_STEPS: [u64; 6] = [56, 62, 97, 114, 117, 119];

#[test]
fn the_cast_keeps_the_contract() {
    let sparta = include_str!("../../../stories/troy-sparta.story");
    let funeral = include_str!("../../../stories/troy-funeral.story");
    let of_sparta = goals(&[(Some("hector"), &["goal hector.location == dock"]), (None, &["goal nothing"])]);
    let of_funeral = goals(&[(Some("priam"), &["goal nothing at all"]), (Some("nobody"), &["goal true"])]);
    for (name, text, goals) in [("sparta", sparta, of_sparta), ("funeral", funeral, of_funeral)] {
        let compiled = dramaturg_story::compile_text("troy.story", text);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let model = Arc::new(compiled.model);
        let mut all = Outcome::default();
        for seed in (0..lives(36)).chain(LIVES_WITH_UNMET_STEPS) {
            let make = |_: u64| -> Box<dyn Planner> { Box::new(Cast::new(Arc::clone(&model), CastOptions::default())) };
            let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
                Ok(Box::new(Cast::load(Arc::clone(&model), save)?))
            };
            let subject = Subject { model: &model, make: &make, load: &load, goals: &goals, decides: true };
            let trial = Trial {
                seed,
                rounds: 12,
                units: 40 + (seed % 7) as u32 * 60,
                surprises: (seed % 3) as usize * 2,
                failures: (seed % 5) as usize * 3,
                whims: if seed % 2 == 1 && seed < 50 { 2 } else { 0 },
            };
            let outcome = check(&subject, trial).unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}"));
            all.add(&outcome);
        }
        assert_busy(name, &all, (101, 6, 9, 51, 2));
    }
}

#[test]
fn the_playwright_keeps_the_contract() {
    let apple = include_str!("../../../stories/apple.story");
    let princess = include_str!("../../../stories/princess.story");
    let diamond = include_str!("../../../stories/diamond.story");
    let doors = format!("{DOORS}goal guest == inside and cellar.open and not back.open\n");
    let goals = goals(&[
        (None, &["goal back.open by 90 ticks"]),
        (None, &["goal guest == outside"]),
        (Some("ann"), &["goal true"]),
        (None, &["nonsense ("]),
    ]);
    for (name, text) in [("apple", apple), ("princess", princess), ("diamond", diamond), ("doors", doors.as_str())] {
        let compiled = dramaturg_story::compile_text("playwright.story", text);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let model = Arc::new(compiled.model);
        let mut all = Outcome::default();
        for seed in 0..lives(36) {
            let make = |seed: u64| -> Box<dyn Planner> {
                let options = RepairOptions { seed, look: 60, ..RepairOptions::default() };
                Box::new(Playwright::new(Arc::clone(&model), options))
            };
            let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
                Ok(Box::new(Playwright::load(Arc::clone(&model), save)?))
            };
            let subject = Subject { model: &model, make: &make, load: &load, goals: &goals, decides: true };
            let trial = Trial {
                seed,
                rounds: 40,
                units: 1 + (seed % 7) as u32 * 60,
                surprises: (seed % 3) as usize * 4,
                failures: (seed % 5) as usize * 3,
                whims: (seed % 2) as usize * (2 + (seed % 3) as usize),
            };
            let outcome = check(&subject, trial).unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}"));
            all.add(&outcome);
        }
        // The apple waits for its time; the others begin at once.
        let performed = if name == "apple" { 0 } else { 6 };
        assert_busy(name, &all, (performed, 6, 0, 6, if name == "apple" { 0 } else { 1 }));
    }
}

#[test]
fn the_conductor_keeps_the_contract() {
    let shop = (include_str!("shop.domain.pddl"), include_str!("shop.problem.pddl"));
    let doors = format!("{DOORS}goal guest == inside and cellar.open and not back.open\n");
    let doors = Arc::new(dramaturg_story::compile_text("doors.story", &doors).model);
    let goals = goals(&[(None, &["goal true"]), (Some("ann"), &["nonsense ("])]);
    for (name, model) in [("shop", pddl(shop)), ("doors", doors)] {
        let mut all = Outcome::default();
        for seed in 0..lives(42) {
            let make = |seed: u64| -> Box<dyn Planner> {
                let options = ConductorOptions { seed, stride: 7, states_max: 2_000, ..ConductorOptions::default() };
                Box::new(Conductor::new(Arc::clone(&model), options))
            };
            let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
                Ok(Box::new(Conductor::load(Arc::clone(&model), save)?))
            };
            let subject = Subject { model: &model, make: &make, load: &load, goals: &goals, decides: true };
            let trial = Trial {
                seed,
                rounds: 40,
                units: 1 + (seed % 7) as u32 * 60,
                surprises: (seed % 3) as usize * 4,
                failures: (seed % 5) as usize * 3,
                whims: (seed % 2) as usize * (2 + (seed % 3) as usize),
            };
            let outcome = check(&subject, trial).unwrap_or_else(|why| panic!("{name}, seed {seed}: {why}"));
            all.add(&outcome);
        }
        assert_busy(name, &all, (51, 21, 21, 51, 5));
    }
}

/// Enough has happened for the trial to mean something: steps performed, things seen, plans judged, plans published, and
/// each of the rarer things.
fn assert_busy(name: &str, all: &Outcome, least: (u32, u32, u32, usize, u32)) {
    let (performed, surprises, judged, published, whims) = least;
    assert!(
        all.performed >= performed
            && all.surprises >= surprises
            && all.judged >= judged
            && all.published() >= published
            && all.whims.rarest() >= whims,
        "{name}: {} performed, {} seen, {} judged, {} published, {:?}",
        all.performed,
        all.surprises,
        all.judged,
        all.published(),
        all.whims
    );
}

fn pddl((domain, problem): (&str, &str)) -> Arc<Model> {
    let options = PddlOptions { ticks_per_unit: 1, ..PddlOptions::default() };
    let (model, faults) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &options);
    assert!(faults.is_empty(), "{faults:?}");
    Arc::new(model)
}

/// The suite is worth something: planners that break a point of the contract are found out.
#[test]
fn breaches_are_noticed() {
    use dramaturg_model::{Observation, StepEvent};
    use dramaturg_planner::planner::{
        Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Progress, TickBounds, Workers,
    };

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Breach {
        /// 1: promises more than it knows.
        Promises,
        /// 2: moves what is locked.
        MovesLocked,
        /// 3: puts steps where it may not.
        TooEarly,
        /// 4: uses more than its budget.
        Overspends,
        /// 6: does not do the same again.
        Whims,
        /// 8: forgets when it saves.
        Forgets,
        /// 9: leaves goals unanswered.
        Silent,
        /// 11: does again what was refused.
        Insists,
        /// 12: has nothing to say.
        Mute,
    }
    struct Bad {
        inner: Scripted,
        breach: Breach,
        whim: u64,
        insert_from: Tick,
        sent: Vec<dramaturg_model::Step>,
    }
    impl Planner for Bad {
        fn observe(&mut self, observations: &[Observation]) {
            if self.breach != Breach::Promises {
                self.inner.observe(observations);
            }
        }
        fn feedback(&mut self, events: &[StepEvent]) {
            self.inner.feedback(events);
        }
        fn rejected(&mut self, version: u64) {
            self.inner.rejected(version);
        }
        fn exogenous(&mut self, change: &PlanDelta) {
            self.inner.exogenous(change);
        }
        fn set_goals(&mut self, change: &GoalChange) {
            self.inner.set_goals(change);
        }
        fn advance(&mut self, now: TickBounds, insert_from: Tick) {
            self.insert_from = insert_from;
            self.inner.advance(now, insert_from);
        }
        fn deliberate(&mut self, budget: &mut Budget, workers: &Workers<'_>) -> Progress {
            let progress = self.inner.deliberate(budget, workers);
            if self.breach == Breach::Overspends {
                budget.used = budget.units + 1;
            }
            progress
        }
        fn publish(&mut self) -> PlanDelta {
            let mut delta = self.inner.publish();
            self.sent.extend(delta.put.iter().cloned());
            match self.breach {
                Breach::Promises => delta.valid_until = None,
                Breach::MovesLocked => {
                    let locked = self.sent.iter().find(|step| step.start < self.insert_from).cloned();
                    delta.put.extend(locked.map(|step| dramaturg_model::Step { start: self.insert_from + 50, ..step }));
                }
                Breach::TooEarly => delta.put.iter_mut().for_each(|step| step.start = self.insert_from - 1),
                Breach::Whims => delta.version += self.whim,
                _ => {}
            }
            delta
        }
        fn replies(&mut self) -> Vec<GoalReply> {
            let replies = self.inner.replies();
            if self.breach == Breach::Silent { Vec::new() } else { replies }
        }
        fn explain(&self, inquiry: &Inquiry) -> Explanation {
            if self.breach == Breach::Mute { Explanation::default() } else { self.inner.explain(inquiry) }
        }
        fn skip_numbers(&mut self, _: u32) {}

        fn save(&mut self) -> PlannerSave {
            self.inner.save()
        }
    }
    let (model, goals) = (doors(), goals(&[(None, &["goal done knock(front)"])]));
    let whims = std::cell::Cell::new(0);
    for breach in [
        Breach::Promises,
        Breach::MovesLocked,
        Breach::TooEarly,
        Breach::Overspends,
        Breach::Whims,
        Breach::Forgets,
        Breach::Silent,
        Breach::Insists,
        Breach::Mute,
    ] {
        let make = |seed: u64| -> Box<dyn Planner> {
            whims.set(whims.get() + 1);
            let options = ScriptOptions { horizon: 60, retries: 1, fidget: 0, seed };
            let inner = Scripted::performing(Arc::clone(&model), &script(seed), options);
            Box::new(Bad { inner, breach, whim: whims.get(), insert_from: 0, sent: Vec::new() })
        };
        let load = |save: &PlannerSave| -> Result<Box<dyn Planner>, String> {
            let model = Arc::clone(&model);
            if breach == Breach::Forgets {
                return Ok(Box::new(Scripted::performing(model, &Plan::default(), ScriptOptions::default())));
            }
            Ok(Box::new(Scripted::load(model, save)?))
        };
        let subject =
            Subject { model: &model, make: &make, load: &load, goals: &goals, decides: breach == Breach::Insists };
        let found = (0..60).any(|seed| {
            let trial = Trial { seed, rounds: 40, units: 60, surprises: 2, failures: 0, whims: 4 };
            check(&subject, trial).is_err()
        });
        assert!(found, "{breach:?} was not noticed");
    }
}

/// A step that fails in the very tick in which it starts had begun: what it does at its start stays done.
#[test]
fn a_script_knows_what_a_step_did_before_it_failed() {
    use dramaturg_model::{StepEvent, StepEventKind};
    use dramaturg_planner::planner::{Budget, TickBounds, Workers};
    let text = "story \"Lamp\"
fluent lit, seen
action strike { takes 10 ticks; then lit at start }
action look { takes 1 tick; needs lit; then seen }
";
    let compiled = dramaturg_story::compile_text("lamp.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    let mut plan = Plan::default();
    let nobody: [&str; 0] = [];
    plan.add("strike", nobody, 5, 10);
    plan.add("look", nobody, 40, 1);
    let mut planner = Scripted::performing(Arc::new(compiled.model), &plan, ScriptOptions::default());
    let foresees = |planner: &mut Scripted, now: Tick| {
        planner.advance(TickBounds::exactly(now), now + 1);
        planner.deliberate(&mut Budget::of(1_000), &Workers::single());
        planner.publish()
    };
    let strike = foresees(&mut planner, 4).put.first().map(|step| step.id).expect("it is published");
    let tell = |kind| StepEvent { step: strike, version: 1, kind };
    planner.feedback(&[tell(StepEventKind::Locked), tell(StepEventKind::Started(5))]);
    planner.feedback(&[tell(StepEventKind::Failed("it went wrong".into()))]);
    assert_eq!(foresees(&mut planner, 5).valid_until, None, "the lamp is lit, so that somebody can look");
}
