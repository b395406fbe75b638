//! The world as plain data, and what drives it through time.

use std::sync::{Arc, OnceLock};

use dramaturg_model::{
    Args, Chance, EndingId, Evaluator, Expr, FluentId, FluentSource, Model, ObjectId, Observation, State, Table, Tick,
    Value,
};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::actuators::Actuators;
use super::agenda::{Agenda, Item};
use super::batch::TouchedList;
use super::event::{Detail, Phase, Violation, ViolationKind, WorldEvent, WorldEventKind};
use super::goals::Goals;
use super::levels::Turns;
use super::names::{self, NameProblem};
use super::reads::Reads;
use super::rules::{Happened, RuleRuns};
use super::said::Voice;
use super::save::Labels;
use super::step::{StepWiring, Steps};
use super::task::TaskRuns;
use super::waits::Waits;
use super::watch::Watches;

/// How a world is driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldOptions {
    /// Where chance begins.
    pub seed: u64,
    /// How much is reported.
    pub detail: Detail,
    /// Whether what is expected comes as planned.
    pub expectations: Expectations,
    /// What becomes of a step whose condition is not met.
    pub unmet: Unmet,
    /// Whose wishes are followed.
    pub follow: Follow,
    /// The world stops, with a report, when it has done so much work: ticks, readings and writings together.
    pub work_max: u64,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            detail: Detail::Everything,
            expectations: Expectations::Assumed,
            unmet: Unmet::Refused,
            follow: Follow::Everybody,
            work_max: u64::MAX,
        }
    }
}

/// Whether what is expected comes as planned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expectations {
    /// It comes when the wait is over: what plans and plain simulations assume.
    #[default]
    Assumed,
    /// Only when it is observed: what a running game shows.
    Watched,
}

/// What becomes of a step whose condition is not met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unmet {
    /// It does not start.
    #[default]
    Refused,
    /// It is performed all the same, so that one fault is not reported again by everything after it.
    Performed,
}

/// Whose wishes are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The story's, all characters' and all populations'.
    #[default]
    Everybody,
    /// The story's only.
    Story,
    /// One character's only.
    Character(ObjectId),
    /// Nobody's.
    Nobody,
}

/// How much work has been done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Ticks that were not passed over.
    pub ticks: u64,
    /// Conditions read.
    pub conditions: u64,
    /// Changes written.
    pub writes: u64,
}

impl Effort {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.ticks.saturating_add(self.conditions).saturating_add(self.writes)
    }
}

/// What the model says about reading, found once and shared by all copies of a world.
#[derive(Debug)]
pub(super) struct Wiring {
    derived_from: FxHashSet<FluentId>,
    pub(super) steps: StepWiring,
    /// How saves name what the model declares; made when it is first needed.
    labels: OnceLock<Labels>,
}

impl Wiring {
    pub(super) fn new(model: &Model) -> Self {
        let mut derived_from = FxHashSet::default();
        for fluent in model.fluents.values() {
            if let FluentSource::Derived { rules, .. } = &fluent.source {
                for rule in rules {
                    let reads = Reads::of(model, rule, fluent.params.len());
                    derived_from.extend(reads.fluents.into_iter().map(|(fluent, _)| fluent));
                }
            }
        }
        Self { derived_from, steps: StepWiring::new(model), labels: OnceLock::new() }
    }

    pub(super) fn labels(&self, model: &Model) -> &Labels {
        self.labels.get_or_init(|| Labels::new(model))
    }

    pub(super) fn derives_from(&self, fluent: FluentId) -> bool {
        self.derived_from.contains(&fluent)
    }
}

/// A story world in motion.
///
/// It is driven from outside: schedule steps, do tasks, hand in observations, and let it run to a tick. Nothing happens by itself,
/// so copies can be run ahead to see what would come.
///
/// ```
/// use dramaturg_model::Model;
/// use dramaturg_planner::simulate::{World, WorldOptions};
/// let mut model = Model::default();
/// model.seal();
/// let mut world = World::begin(&model, WorldOptions::default());
/// world.step_to(&model, 1_000_000_000);
/// assert_eq!(world.now(), 1_000_000_000);
/// assert_eq!(world.effort().ticks, 2, "a tick in which nothing can change is passed over");
/// ```
#[derive(Clone, Debug)]
pub struct World {
    pub(super) state: State,
    /// The tick of the next phase.
    pub(super) tick: Tick,
    /// The next phase to run.
    pub(super) phase: Phase,
    pub(super) options: WorldOptions,
    pub(super) wiring: Arc<Wiring>,
    pub(super) agenda: Agenda,
    /// What is due in the tick at hand.
    pub(super) due: Vec<Item>,
    pub(super) steps: Steps,
    pub(super) actuators: Actuators,
    pub(super) watches: Watches,
    pub(super) rules: RuleRuns,
    pub(super) goals: Goals,
    pub(super) waits: Waits,
    pub(super) tasks: TaskRuns,
    pub(super) chance: Chance,
    pub(super) voice: Voice,
    /// What was observed in this tick.
    pub(super) masked: FxHashSet<(FluentId, Args)>,
    /// What ended since rules last looked.
    pub(super) happened: Vec<Happened>,
    /// Counts changes, so that conditions know whether they must be read again.
    pub(super) version: u64,
    /// When each fluent changed last.
    pub(super) versions: Table<FluentId, u64>,
    pub(super) touched: TouchedList,
    /// Whether derived fluents must be computed anew.
    pub(super) stale: bool,
    pub(super) ending: Option<EndingId>,
    /// Whether the tick in which the story ended has been looked at.
    pub(super) over: bool,
    pub(super) turns: Turns,
    pub(super) halted: bool,
    pub(super) effort: Effort,
    pub(super) events: Vec<WorldEvent>,
    pub(super) violations: usize,
    /// The version that the last whole tick began with.
    pub(super) tick_version: u64,
    /// Whether the last whole tick changed nothing although rules contributed in it: until something is due or changes,
    /// every further tick would change nothing either.
    pub(super) is_steady: bool,
}

/// More violations than this are counted, not kept.
const VIOLATIONS_MAX: usize = 10_000;

impl World {
    /// The world before tick 0.
    pub fn begin(model: &Model, options: WorldOptions) -> Self {
        let state = State::initial(model, options.seed);
        Self::new(model, state, options)
    }

    /// The world in a state; the next tick to run is the state's.
    pub fn new(model: &Model, state: State, options: WorldOptions) -> Self {
        let mut world = Self::unsettled(model, state, options, Arc::new(Wiring::new(model)));
        world.settle(model, None);
        world
    }

    pub(super) fn unsettled(model: &Model, state: State, options: WorldOptions, wiring: Arc<Wiring>) -> Self {
        let tick = state.now();
        Self {
            state,
            tick,
            phase: Phase::Observe,
            wiring,
            agenda: Agenda::default(),
            due: Vec::new(),
            steps: Steps::default(),
            actuators: Actuators::default(),
            watches: Watches::default(),
            rules: RuleRuns::default(),
            goals: Goals::default(),
            waits: Waits::default(),
            tasks: TaskRuns::default(),
            // Not the stream the initial state was drawn from.
            chance: Chance::new(options.seed ^ 0x5EED_0F57_0241_E5A1),
            voice: Voice::default(),
            masked: FxHashSet::default(),
            happened: Vec::new(),
            version: 0,
            versions: Table::filled(model.fluents.len(), 0),
            touched: TouchedList::default(),
            stale: false,
            ending: None,
            over: false,
            turns: Turns::default(),
            halted: false,
            effort: Effort::default(),
            events: Vec::new(),
            violations: 0,
            tick_version: 0,
            is_steady: false,
            options,
        }
    }

    /// A world in which only values are written: nobody watches it.
    pub(super) fn bare(&self, model: &Model, state: State) -> Self {
        let options = WorldOptions { detail: Detail::Violations, ..self.options.clone() };
        Self::unsettled(model, state, options, self.wiring.clone())
    }

    /// The state as it is now.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The tick that was run last (or is being run), or the first one before any.
    pub fn now(&self) -> Tick {
        self.state.now()
    }

    /// The next phase to run and its tick.
    pub fn next_phase(&self) -> (Tick, Phase) {
        (self.tick, self.phase)
    }

    /// How the story ended, if it did.
    pub fn ending(&self) -> Option<EndingId> {
        self.ending
    }

    /// Whether the world stopped because it had done all the work it may.
    pub fn is_halted(&self) -> bool {
        self.halted
    }

    /// How much work has been done.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Whether anything waits, runs or is due.
    pub fn is_idle(&self) -> bool {
        self.agenda.next().is_none() && self.steps.is_empty() && self.tasks.is_empty() && !self.waits.any()
    }

    /// Whether nothing will ever change by itself: nothing waits, runs or is due, and no rule counts the time.
    pub fn is_at_rest(&self) -> bool {
        self.ending.is_some() || self.is_idle() && self.next_busy() == Tick::MAX
    }

    /// Takes out everything that was reported since the last call.
    pub fn drain(&mut self) -> Vec<WorldEvent> {
        std::mem::take(&mut self.events)
    }

    /// How many violations there were, also those beyond what is kept.
    pub fn violations(&self) -> usize {
        self.violations
    }

    /// The value of an expression without variables, now.
    pub fn value(&self, model: &Model, expr: &Expr) -> Value {
        Evaluator::new(model, &self.state).value(expr)
    }

    /// Hands in an observation. One for a tick to come waits for it; any other counts as made now, since a world has no
    /// past.
    pub fn observe(&mut self, model: &Model, observation: &Observation) -> Result<(), NameProblem> {
        let (fluent, args) = names::fluent(model, &observation.fluent)?;
        let value = names::value_of(model, fluent, &observation.value)?;
        let is_ahead = observation.from > self.tick || (observation.from == self.tick && self.phase == Phase::Observe);
        if is_ahead {
            self.agenda.add(observation.from, Item::Observe(fluent, args, value));
        } else {
            self.see(model, fluent, args, value);
        }
        Ok(())
    }

    /// Runs every tick up to and including this one.
    pub fn step_to(&mut self, model: &Model, tick: Tick) {
        self.run(model, tick, Phase::Rates);
    }

    /// Runs up to P3 of this tick: the world as conditions and goals see it.
    pub fn look_at(&mut self, model: &Model, tick: Tick) {
        self.run(model, tick, Phase::Check);
    }

    /// Runs every tick up to and including this one, but stops between two ticks once it has done so much work. Returns
    /// whether it came all the way. At least one tick is run, so that whoever calls it again gets there.
    pub fn step_toward(&mut self, model: &Model, tick: Tick, work: u64) -> bool {
        let stop = self.effort.total().saturating_add(work);
        self.run_until(model, tick, Phase::Rates, stop);
        self.halted || (self.tick, self.phase) > (tick, Phase::Rates)
    }

    /// Runs every phase up to and including this one.
    pub fn run(&mut self, model: &Model, tick: Tick, phase: Phase) {
        self.run_until(model, tick, phase, u64::MAX);
    }

    fn run_until(&mut self, model: &Model, tick: Tick, phase: Phase, stop: u64) {
        let mut is_first = true;
        while (self.tick, self.phase) <= (tick, phase) && !self.halted {
            if self.phase == Phase::Observe {
                if !is_first && self.effort.total() >= stop {
                    return;
                }
                is_first = false;
                self.tick = self.next_busy().clamp(self.tick, tick);
                if self.over {
                    self.tick = tick;
                }
                self.state.set_now(self.tick);
            }
            // The tick in which the story ends is looked at once more; then nothing happens.
            let looks = self.ending.is_none() || (self.phase == Phase::Check && !self.over);
            if looks {
                self.run_phase(model);
            }
            match self.phase.next() {
                Some(next) => self.phase = next,
                None => {
                    self.phase = Phase::Observe;
                    self.tick = self.tick.saturating_add(1);
                    if self.tick == Tick::MAX {
                        self.halt("the last tick of all is reached".to_owned());
                    }
                }
            }
        }
    }

    /// The next tick in which anything can change.
    fn next_busy(&self) -> Tick {
        let soon = self.effort.ticks == 0
            || self.watches.is_dirty()
            || self.watches.needs_every_tick()
            || self.steps.need_every_tick(self.version)
            || self.waits.need_look(self.version)
            || self.rules.need_every_tick(self.is_steady && self.version == self.tick_version)
            || !self.happened.is_empty();
        if soon { self.tick } else { self.agenda.next().unwrap_or(Tick::MAX) }
    }

    pub(super) fn check_work(&mut self) {
        if self.effort.total() > self.options.work_max && !self.halted {
            self.halt(format!("stopped after {} units of work, the limit of this run", self.options.work_max));
        }
    }

    fn halt(&mut self, message: String) {
        self.halted = true;
        self.violation(Violation::new(ViolationKind::TooLarge, self.tick, message));
    }

    pub(super) fn reports(&self, detail: Detail) -> bool {
        self.options.detail >= detail
    }

    pub(super) fn reports_effects(&self) -> bool {
        self.reports(Detail::Everything)
    }

    /// Reports something that happens, if anybody wants to know.
    pub(super) fn happen(&mut self, kind: impl FnOnce() -> WorldEventKind) {
        if self.reports(Detail::Happenings) {
            self.report(kind());
        }
    }

    pub(super) fn report(&mut self, kind: WorldEventKind) {
        self.events.push(WorldEvent { tick: self.tick, phase: self.phase, kind });
    }

    pub(super) fn violation(&mut self, violation: Violation) {
        self.violations += 1;
        if self.violations <= VIOLATIONS_MAX {
            self.report(WorldEventKind::Violation(violation));
        }
    }
}
