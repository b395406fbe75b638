//! The three ways of sending, in virtual time, on one and the same stream of tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input, Journey, Policy};
use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, TaskView};
use dramaturg_model::{Chance, Model, Plan, Tick};
use dramaturg_planner::planner::Workers;
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_planner::simulate::{Detail, WorldOptions};
use serde::Serialize;

const STORY: &str = "story \"Beat\" { ticks 60 per s }
type Drum { beats: int 0..1000000 = 0 }
object drum: Drum
action beat(it: Drum) { takes 2 ticks; then it.beats += 1 }
";

/// A stream of tasks, a link and a planning cycle.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRun {
    /// How steps are sent.
    pub policy: Policy,
    /// ω
    pub omega: Tick,
    /// υ
    pub upsilon: u32,
    /// The longest journey of a message, in ticks.
    pub mu: Tick,
    /// Whether journeys take any time up to that, instead of exactly so long.
    pub jitter: bool,
    /// One planning cycle in so many takes half as long again; 0: none.
    pub overruns: usize,
    /// How many ticks the planner takes; the paper's takes ω.
    pub cycle: Tick,
    /// How many tasks.
    pub tasks: usize,
    /// Ticks between two tasks: at least one, at most this.
    pub gap: usize,
    /// Every task fails once, so that the planner must put in another: how soon that starts is the reaction.
    pub fails: bool,
    /// Where chance begins.
    pub seed: u64,
}

impl PolicyRun {
    /// The paper's own setting: 60 ticks a second, one plan a second, five reports a second, messages of a tick.
    pub fn paper_setting(policy: Policy) -> Self {
        Self {
            policy,
            omega: 60,
            upsilon: 12,
            mu: 1,
            jitter: false,
            overruns: 0,
            cycle: if policy == Policy::Decoupled { 3 } else { 60 },
            tasks: 4_000,
            gap: 5,
            fails: false,
            seed: 1,
        }
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PolicyFigures {
    /// Tasks of the stream.
    pub tasks: usize,
    /// Started in their tick.
    pub on_time: usize,
    /// Started late, missed, or found too late to be sent; all of them recorded.
    pub late: usize,
    /// Never sent and never spoken of.
    pub lost: usize,
    /// How many ticks before its start a task was sent, on average.
    pub lock_lead_ticks_mean: f64,
    /// From a failure to the start of what was planned because of it, on average.
    pub reaction_ticks_mean: f64,
    /// The longest of these.
    pub reaction_ticks_max: Tick,
}

struct Drummer {
    tick: Tick,
    fails: bool,
    /// The first step that was not in the script.
    scripted: u32,
    started: BTreeMap<u32, (Tick, Tick)>,
    failures: Vec<Tick>,
}

impl Game for Drummer {
    fn start(&mut self, task: &TaskView<'_>) {
        self.started.insert(task.id().step, (task.start(), self.tick));
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        if self.fails && task.id().step < self.scripted {
            self.failures.push(tick);
            return Report::Failed("the drum broke".into());
        }
        if tick >= task.started() + task.duration() { Report::Finished } else { Report::Running }
    }
}

/// Frames under way, each with the tick at which it arrives.
#[derive(Default)]
pub(crate) struct Road(Vec<(Tick, u64, Vec<u8>)>, u64);

impl Road {
    pub(crate) fn send(&mut self, at: Tick, frame: &[u8]) {
        self.1 += 1;
        self.0.push((at, self.1, frame.to_vec()));
    }

    pub(crate) fn arrived(&mut self, now: Tick) -> Vec<Vec<u8>> {
        let mut due: Vec<_> = self.0.extract_if(.., |(at, ..)| *at <= now).collect();
        due.sort_by_key(|(at, number, _)| (*at, *number));
        due.into_iter().map(|(.., frame)| frame).collect()
    }
}

fn model() -> Arc<Model> {
    Arc::new(dramaturg_story::compile_text("beat.story", STORY).model)
}

impl PolicyRun {
    fn script(&self) -> Plan {
        let mut chance = Chance::new(self.seed);
        let mut plan = Plan::default();
        let mut start = 400;
        for _ in 0..self.tasks {
            start += 1 + chance.below(self.gap) as Tick;
            plan.add("beat", ["drum"], start, 2);
        }
        plan
    }

    /// Runs it, with no waiting: only ticks pass.
    pub fn run(&self) -> PolicyFigures {
        let (model, script) = (model(), self.script());
        let options = DirectorOptions {
            policy: self.policy,
            omega: self.omega,
            upsilon: self.upsilon,
            mu: Journey::Given(self.mu),
            world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
            ..DirectorOptions::default()
        };
        let script_options = ScriptOptions { horizon: 600, retries: 1, fidget: 0, seed: self.seed };
        let planner = Scripted::performing(Arc::clone(&model), &script, script_options);
        let mut director = Director::new(Core::new(model, options), Box::new(planner), dramaturg_planners::loader());
        let mut executor = Executor::new(ExecutorOptions { resend: 600, ..ExecutorOptions::default() });
        let scripted = u32::try_from(self.tasks).unwrap_or(u32::MAX);
        let mut game = Drummer { tick: 0, fails: self.fails, scripted, started: BTreeMap::new(), failures: Vec::new() };
        let mut chance = Chance::new(self.seed ^ 0xBEA7);
        let (mut to_game, mut to_director) = (Road::default(), Road::default());
        let (mut thinks_until, mut leads, mut late) = (None, Vec::new(), BTreeSet::new());
        let last = script.end() + 4 * self.omega + 400;
        for tick in 0..last {
            let now = tick * 1_000_000 / 60;
            let mut journey = || if self.jitter { chance.below(self.mu as usize + 1) as Tick } else { self.mu };
            let mut inputs = vec![Input::Pump { now, frames: to_director.arrived(tick) }];
            if thinks_until.is_some_and(|until| until <= tick) {
                inputs.push(Input::End { now, units: 100_000 });
                thinks_until = None;
            }
            if thinks_until.is_none() {
                inputs.push(Input::Begin { now });
            }
            inputs.push(Input::Pump { now, frames: Vec::new() });
            for input in &inputs {
                director.step(input, &Workers::single(), &mut |frame| to_game.send(tick + journey(), frame));
            }
            if thinks_until.is_none() {
                let long = self.overruns > 0 && chance.below(self.overruns) == 0;
                thinks_until = Some(tick + if long { self.cycle.max(self.omega) * 3 / 2 } else { self.cycle });
            }
            for event in director.drain() {
                match event.kind {
                    EventKind::Dispatched { start, .. } => leads.push(start - tick),
                    EventKind::Late { step, .. } => {
                        late.insert(step);
                    }
                    _ => {}
                }
            }
            for frame in to_game.arrived(tick) {
                // Both ends are ours.
                let _ = executor.receive(&frame);
            }
            game.tick = tick;
            executor.tick(tick, &mut game);
            let mut journey = || if self.jitter { chance.below(self.mu as usize + 1) as Tick } else { self.mu };
            executor.poll(&mut |frame| to_director.send(tick + journey(), frame));
        }
        self.figures(&script, &game, &late, &leads)
    }

    fn figures(&self, script: &Plan, game: &Drummer, late: &BTreeSet<u32>, leads: &[Tick]) -> PolicyFigures {
        let mut figures = PolicyFigures { tasks: script.steps.len(), ..PolicyFigures::default() };
        for step in &script.steps {
            match game.started.get(&step.id) {
                Some((planned, started)) if started == planned => figures.on_time += 1,
                Some(_) => figures.late += 1,
                None if late.contains(&step.id) => figures.late += 1,
                None => figures.lost += 1,
            }
        }
        figures.lock_lead_ticks_mean = mean(leads);
        let mut again = game.started.iter().filter(|(id, _)| **id >= game.scripted).map(|(_, (_, tick))| *tick);
        let reactions: Vec<Tick> =
            game.failures.iter().filter_map(|failed| again.next().map(|tick| tick - failed)).collect();
        figures.reaction_ticks_mean = mean(&reactions);
        figures.reaction_ticks_max = reactions.iter().copied().max().unwrap_or(0);
        figures
    }
}

pub(super) fn mean(ticks: &[Tick]) -> f64 {
    if ticks.is_empty() { 0.0 } else { ticks.iter().sum::<Tick>() as f64 / ticks.len() as f64 }
}
