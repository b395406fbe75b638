//! A world written down, and read again, perhaps by a story that was edited meanwhile.
//!
//! [`World::save`] gives a [`WorldSave`] that serde writes and reads; [`World::load`] makes a world of it again. With the same model
//! the loaded world goes on exactly as the saved one does: same events, same chance, same saves. With an edited model it takes
//! over what still exists, and a [`LoadReport`] says of everything else what has become of it and why.
//!
//! # The shape of a save
//!
//! One object with these parts. Everything of the story is called by its name (where two share one, the second is `name #2`);
//! wishes, which have no names, by whose they are and their words; effects, conditions, uses and clauses of methods by their
//! number and their words. No number that only the compiled model knows is in it. What belongs to the run — steps, begun rules,
//! doings of tasks, waits, goals — stands in lists, and is referred to by its place in its list.
//!
//! | part | what |
//! |---|---|
//! | `format`, `story` | the version of this format, the story's name |
//! | `tick`, `phase`, `now`, `level` | the next phase to run and its tick, the tick that was run last, the level |
//! | `options` | seed, expectations, what becomes of unmet conditions, whose wishes are followed, detail, work limit |
//! | `objects` | every object there was, so that new ones can be told |
//! | `fluents` | every fluent with its default and all other values; also whether objects of pools are anchored and committed |
//! | `masked` | what was observed in the tick at hand |
//! | `steps`, `held` | steps that wait and run, with the times and totals that were read in; which actuators they hold until when |
//! | `tasks`, `task_steps` | doings of tasks with the clause they have come to; how many steps tasks have made |
//! | `runs`, `edges` | rules that have begun; for every watched rule, milestone and ending, for whom it held when last read |
//! | `waits`, `came` | what is waited for, until when, and how often that was put off; for which steps it has come |
//! | `goals` | every followed goal with its standing, those given by rules too, and those of levels that are over |
//! | `agenda`, `due`, `givens` | what is due in ticks to come and in the tick at hand; what the story gives at ticks |
//! | `happened` | what ended since rules last looked |
//! | `said`, `chance` | which line of each saying was shown last; the state of chance |
//! | `ending`, `over`, `halted`, `effort`, `violations` | how it ended, whether it stopped, how much was done, how much was wrong |
//! | `steps_unlooked`, `waits_unlooked` | whether something has changed since running steps and waits were last looked at |
//!
//! Not in it: what follows from the model (which conditions read which fluents), and events that were not drained.
//!
//! # Edited stories
//!
//! What does not exist any more is dropped, with what depends on it: a step of an action that is gone is cut. A fluent that is new,
//! or a new object's value, is what the story gives when the level begins. A value that its fluent cannot have any more is the
//! fluent's default. A rule that is new has never held, so it fires if it holds now.

use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg_model::{Chance, Model, ObjectId, Tick};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::event::Phase;
use super::rules::RunKey;
use super::step::StepKey;
use super::task::TaskKey;
use super::waits::WaitKey;
use super::world::{Effort, Wiring, World};

pub mod report;
pub use report::{LoadKind, LoadNote, LoadReport};

mod agenda;
mod digest;
pub use digest::Digest;
mod format;
mod goal;
mod holding;
mod labels;
mod options;
mod part;
mod rule;
mod said;
mod state;
mod step;
mod task;
mod value;
mod wait;
mod watch;

pub(super) use labels::Labels;

/// A world by its names; what is in it stands in the documentation of [this module](self).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldSave {
    format: format::Format,
    story: SmolStr,
    tick: Tick,
    phase: Phase,
    now: Tick,
    level: Option<SmolStr>,
    /// The levels that were left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<SmolStr>,
    options: options::SavedOptions,
    objects: Vec<SmolStr>,
    fluents: Vec<state::SavedFluent>,
    masked: Vec<value::SavedSlot>,
    steps: Vec<step::SavedStep>,
    steps_unlooked: bool,
    held: Vec<holding::SavedHeld>,
    tasks: Vec<task::SavedTask>,
    task_steps: u32,
    runs: Vec<rule::SavedRun>,
    edges: Vec<watch::SavedEdge>,
    waits: Vec<wait::SavedWait>,
    waits_unlooked: bool,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    came: BTreeSet<u32>,
    goals: goal::SavedGoals,
    agenda: Vec<agenda::SavedTick>,
    due: Vec<agenda::SavedItem>,
    givens: Vec<SmolStr>,
    happened: Vec<rule::SavedHappened>,
    said: Vec<said::SavedSaying>,
    chance: Chance,
    ending: Option<SmolStr>,
    over: bool,
    halted: bool,
    effort: Effort,
    violations: usize,
}

impl WorldSave {
    /// The name of the story it was saved from.
    pub fn story(&self) -> &str {
        &self.story
    }

    /// The next phase to run and its tick.
    pub fn next_phase(&self) -> (Tick, Phase) {
        (self.tick, self.phase)
    }
}

/// What a save is written from: the world, and the place of everything that runs in its list.
struct Saver<'a> {
    model: &'a Model,
    labels: &'a Labels,
    world: &'a World,
    steps: FxHashMap<StepKey, usize>,
    runs: FxHashMap<RunKey, usize>,
    tasks: FxHashMap<TaskKey, usize>,
    waits: FxHashMap<WaitKey, usize>,
}

/// What a save is read into: the world, and what each place in its lists has become; none where it was dropped.
struct Loader<'a> {
    model: &'a Model,
    labels: &'a Labels,
    report: LoadReport,
    world: World,
    /// The objects that the save knows.
    known: FxHashSet<ObjectId>,
    steps: Vec<Option<StepKey>>,
    runs: Vec<Option<RunKey>>,
    tasks: Vec<Option<TaskKey>>,
    waits: Vec<Option<WaitKey>>,
    goals: Vec<Option<usize>>,
    /// Whether somebody has a goal now who had it not.
    joined: bool,
}

/// Counts in a save are no larger than this, so that counting on from them cannot overflow.
const COUNT_MAX: u64 = u64::MAX >> 2;

impl World {
    /// The world by its names. Events that were not drained are not in it.
    ///
    /// ```
    /// use dramaturg_model::Model;
    /// use dramaturg_planner::simulate::{World, WorldOptions, WorldSave};
    /// let mut model = Model::default();
    /// model.seal();
    /// let mut world = World::begin(&model, WorldOptions::default());
    /// world.step_to(&model, 7);
    /// let text = serde_json::to_string(&world.save(&model)).unwrap();
    /// let save: WorldSave = serde_json::from_str(&text).unwrap();
    /// let (loaded, report) = World::load(&model, &save);
    /// assert!(report.is_clean());
    /// assert_eq!(loaded.next_phase(), world.next_phase());
    /// ```
    pub fn save(&self, model: &Model) -> WorldSave {
        let labels = self.wiring.labels(model);
        let mut runs: Vec<RunKey> = self.rules.runs.keys().copied().collect();
        runs.sort_unstable();
        let mut tasks: Vec<TaskKey> = self.tasks.runs.keys().copied().collect();
        tasks.sort_unstable();
        let saver = Saver {
            model,
            labels,
            world: self,
            steps: self.steps.keyed().map(|(key, _)| key).zip(0..).collect(),
            runs: runs.iter().copied().zip(0..).collect(),
            tasks: tasks.iter().copied().zip(0..).collect(),
            waits: self.waits.open.iter().map(|wait| wait.key).zip(0..).collect(),
        };
        let mut masked: Vec<_> = self.masked.iter().collect();
        masked.sort_unstable();
        WorldSave {
            format: format::Format::NOW,
            story: model.name.clone(),
            tick: self.tick,
            phase: self.phase,
            now: self.state.now(),
            level: self.state.level().map(|level| labels.levels.of(level)),
            left: self.state.left().iter().map(|level| labels.levels.of(*level)).collect(),
            options: options::SavedOptions::new(labels, &self.options),
            objects: model.objects.ids().map(|object| labels.objects.of(object)).collect(),
            fluents: state::save(model, labels, &self.state),
            masked: masked.into_iter().map(|(fluent, args)| value::SavedSlot::new(labels, *fluent, args)).collect(),
            steps: saver.steps(),
            steps_unlooked: self.steps.looked != self.version,
            held: saver.held(),
            tasks: saver.tasks(&tasks),
            task_steps: self.tasks.steps,
            runs: saver.runs(&runs),
            edges: saver.edges(),
            waits: saver.waits(),
            waits_unlooked: self.waits.looked != self.version,
            came: self.waits.came.clone(),
            goals: saver.goals(),
            agenda: saver.agenda(),
            due: saver.due(),
            givens: saver.givens(),
            happened: saver.happened(),
            said: saver.said(),
            chance: self.chance.clone(),
            ending: self.ending.map(|ending| labels.endings.of(ending)),
            over: self.over,
            halted: self.halted,
            effort: self.effort,
            violations: self.violations,
        }
    }

    /// The world that was saved, as far as the model still has what it is about, and what could not be taken over.
    pub fn load(model: &Model, save: &WorldSave) -> (Self, LoadReport) {
        let wiring = Arc::new(Wiring::new(model));
        let labels = wiring.labels(model);
        let mut report = LoadReport::default();
        if save.story != model.name {
            let why = format!("this is the story `{}`", model.name);
            report.mapped(format!("the save of story `{}`", save.story), why);
        }
        let options = save.options.find(labels, &mut report);
        let known = load_objects(model, labels, save, &mut report);
        let level = match &save.level {
            Some(name) => labels.levels.find(name).or_else(|| {
                let why = "there is no such level any more, so the first level begins";
                report.defaulted(format!("level `{name}`"), why);
                model.first_level()
            }),
            None => model.first_level(),
        };
        let mut states = state::StateLoader { model, labels, known: &known, report: &mut report };
        let mut state = states.load(&save.fluents, level, options.seed);
        let (tick, now) = load_times(save, &mut report);
        state.set_now(now);
        state.set_left(save.left.iter().filter_map(|name| labels.levels.find(name)).collect());
        let mut world = Self::unsettled(model, state, options, wiring.clone());
        (world.tick, world.phase) = (tick, save.phase);
        world.settle(model, None);
        let lists = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (steps, runs, tasks, waits, goals) = lists;
        let mut loader =
            Loader { model, labels, report, world, known, steps, runs, tasks, waits, goals, joined: false };
        loader.load_rest(save);
        (loader.world, loader.report)
    }

    /// A number that is the same for two worlds exactly if their saves are (but for chance: it has 64 bits). It covers all that a
    /// save covers: everything that matters to the future, and the counts of work and violations; not events that were not
    /// drained. It costs about as much as writing the save down.
    pub fn content_hash(&self, model: &Model) -> u64 {
        Digest::of(&self.save(model))
    }
}

impl Loader<'_> {
    /// Everything but the state, in an order in which each finds what it refers to.
    fn load_rest(&mut self, save: &WorldSave) {
        self.load_tasks(&save.tasks);
        self.world.tasks.steps = save.task_steps;
        self.load_steps(&save.steps, save.steps_unlooked);
        self.load_held(&save.held);
        self.load_runs(&save.runs);
        self.load_waits(&save.waits, save.waits_unlooked);
        self.world.waits.came.clone_from(&save.came);
        self.load_goals(&save.goals);
        self.load_edges(&save.edges);
        self.load_agenda(&save.agenda, &save.givens);
        self.world.due = self.find_items(&save.due);
        self.load_happened(&save.happened);
        self.load_said(&save.said);
        for slot in &save.masked {
            match slot.find(self.model, self.labels) {
                Ok(slot) => {
                    self.world.masked.insert(slot);
                }
                Err(why) => self.report.dropped(format!("the observation of `{}`", slot.fluent), why),
            }
        }
        self.world.chance = save.chance.clone();
        if let Some(name) = &save.ending {
            self.world.ending = self.labels.endings.find(name);
            if self.world.ending.is_none() {
                let why = "there is no such ending any more, so the story goes on";
                self.report.dropped(format!("ending `{name}`"), why);
            }
        }
        self.world.over = save.over && self.world.ending.is_some();
        self.world.halted = save.halted;
        let Effort { ticks, conditions, writes } = save.effort;
        let cut = |count: u64| count.min(COUNT_MAX);
        self.world.effort = Effort { ticks: cut(ticks), conditions: cut(conditions), writes: cut(writes) };
        self.world.violations = save.violations.min(usize::MAX >> 2);
        // What settling has to report was reported when the world began.
        self.world.events.clear();
    }
}

/// The objects that the save knows; reports those that are gone and those that are new.
fn load_objects(model: &Model, labels: &Labels, save: &WorldSave, report: &mut LoadReport) -> FxHashSet<ObjectId> {
    let mut known = FxHashSet::default();
    for name in &save.objects {
        match labels.objects.find(name) {
            Some(object) => {
                known.insert(object);
            }
            None => report.dropped(format!("object `{name}`"), "there is no such object any more"),
        }
    }
    for object in model.objects.ids().filter(|object| !known.contains(object)) {
        let what = format!("object `{}`", labels.objects.of(object));
        report.defaulted(what, "it is new and begins as the story gives it");
    }
    known
}

/// The next tick and the one that was run last.
fn load_times(save: &WorldSave, report: &mut LoadReport) -> (Tick, Tick) {
    let tick = save.tick.max(0);
    if tick != save.tick {
        report.defaulted(format!("tick {}", save.tick), "no tick of a story has this number");
    }
    let now = if save.phase == Phase::Observe { save.now.clamp(tick.saturating_sub(1), tick) } else { tick };
    if now != save.now {
        report.defaulted(format!("now, tick {}", save.now), format!("the next phase is of tick {tick}"));
    }
    (tick, now)
}
