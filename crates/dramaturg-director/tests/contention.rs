//! A machine that has other things to do: director and game get their turns late, and what stood in the plan in time is
//! performed all the same.

mod common;

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input};
use dramaturg_executor::{Executor, ExecutorOptions, Game, TaskView};
use dramaturg_model::{Chance, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_wire::Outcome;

const STORY: &str = "story \"Square\" { ticks 60 per s }
type Villager { voice: actuator }
object ann, bob, cid: Villager
action greet(who: Villager) { takes 10 ticks; uses who.voice; late 30 ticks }
action bow(who: Villager) { takes 10 ticks; uses who.voice }
";

/// Everything gets its turns at once until this moment, in microseconds.
const CALM: i64 = 4_000_000;
/// Everything ends with this moment.
const END: i64 = 24_000_000;
/// Ticks between two steps.
const GAP: Tick = 12;

/// When each task was to start and when it did.
#[derive(Default)]
struct Noted(Vec<(u32, Tick, Tick)>);

impl Game for Noted {
    fn start(&mut self, task: &TaskView<'_>) {
        self.0.push((task.id().step, task.start(), task.started()));
    }
}

/// How long both sides have to wait for a core, at most, in microseconds.
#[derive(Clone, Copy)]
struct Contention {
    director: usize,
    game: usize,
}

/// What came of it.
struct Played {
    steps: usize,
    noted: Noted,
    events: Vec<EventKind>,
}

impl Played {
    fn given_up(&self) -> Vec<&EventKind> {
        let is_given_up = |kind: &&EventKind| match kind {
            EventKind::Late { policy, .. } => policy != "send",
            EventKind::Status { outcome, .. } => outcome.is_final() && *outcome != Outcome::Finished,
            _ => false,
        };
        self.events.iter().filter(is_given_up).collect()
    }

    /// How late each step was, as the director heard it.
    fn told(&self) -> Vec<(u32, Tick)> {
        let started = |kind: &EventKind| match kind {
            EventKind::Status { task, outcome: Outcome::Started { late }, .. } => Some((task.step, *late)),
            _ => None,
        };
        self.events.iter().filter_map(started).collect()
    }
}

/// Both sides play one action again and again, sent a second ahead; after a calm beginning they wait for cores.
fn play(action: &str, contention: Contention, seed: u64) -> Played {
    let model = common::compile(STORY);
    let mut plan = Plan::default();
    for (number, start) in (120..END * 60 / 1_000_000 - 240).step_by(GAP as usize).enumerate() {
        plan.add(action, [["ann", "bob", "cid"][number % 3]], start, 10);
    }
    let steps = plan.steps.len();
    let planner = Scripted::performing(Arc::clone(&model), &plan, ScriptOptions::default());
    let options = DirectorOptions { omega: 6, period: 60, ..common::options() };
    let mut director = Director::new(Core::new(model, options), Box::new(planner), dramaturg_planners::loader());
    let mut executor = Executor::new(ExecutorOptions::default());
    let (mut noted, mut events, mut chance) = (Noted::default(), Vec::new(), Chance::new(seed));
    let (mut to_game, mut to_director): (Vec<Vec<u8>>, Vec<Vec<u8>>) = Default::default();
    let (mut director_turn, mut game_turn) = (0, 0);
    for now in (0..END).step_by(1_000) {
        let mut wait = |most: usize| if now < CALM { 0 } else { chance.below(most + 1) as i64 };
        if game_turn <= now {
            for frame in to_game.drain(..) {
                executor.receive(&frame).expect("the director speaks the protocol");
            }
            let tick = now * 60 / 1_000_000;
            executor.tick(tick, &mut noted);
            executor.poll(&mut |frame| to_director.push(frame.to_vec()));
            game_turn = (tick + 1) * 1_000_000 / 60 + 1 + wait(contention.game);
        }
        if director_turn <= now {
            let frames = std::mem::take(&mut to_director);
            let again = Input::Pump { now, frames: Vec::new() };
            for input in [Input::Pump { now, frames }, Input::Begin { now }, Input::End { now, units: 400 }, again] {
                director.step(&input, &Workers::single(), &mut |frame| to_game.push(frame.to_vec()));
            }
            events.extend(director.drain().into_iter().map(|event| event.kind));
            director_turn = now + 5_000 + wait(contention.director);
        }
    }
    Played { steps, noted, events }
}

#[test]
fn what_may_be_late_is_late_and_said_so_but_never_given_up() {
    for seed in 1..=20 {
        let played = play("greet", Contention { director: 1_000_000, game: 300_000 }, seed);
        assert_eq!(played.given_up(), Vec::<&EventKind>::new(), "seed {seed}");
        assert_eq!(played.noted.0.len(), played.steps, "seed {seed}");
        let late: Vec<(u32, Tick)> =
            played.noted.0.iter().map(|(step, planned, started)| (*step, started - planned)).collect();
        assert!(late.iter().any(|(_, late)| *late > 0), "seed {seed} is too easy");
        assert!(late.iter().all(|(_, late)| (0..=30).contains(late)), "seed {seed}: {late:?}");
        assert_eq!(played.told(), late, "seed {seed}");
    }
}

#[test]
fn what_is_likely_to_be_in_time_is_sent_though_the_longest_journey_would_be_too_long() {
    for seed in 1..=20 {
        let played = play("bow", Contention { director: 600_000, game: 0 }, seed);
        assert_eq!(played.given_up(), Vec::<&EventKind>::new(), "seed {seed}");
        assert_eq!(played.noted.0.len(), played.steps, "seed {seed}");
        assert!(played.noted.0.iter().all(|(_, planned, started)| planned == started), "seed {seed}");
    }
}

#[test]
fn what_is_too_late_for_sure_is_not_sent_and_said_to_be_missed() {
    let played = play("bow", Contention { director: 3_000_000, game: 0 }, 1);
    let given_up = played.given_up().len();
    assert!(given_up > 0);
    assert_eq!(played.noted.0.len() + given_up, played.steps, "{:?}", played.given_up());
    assert!(played.noted.0.iter().all(|(_, planned, started)| planned == started));
}
