//! The projection: what every slot will hold at every moment, kept up to date edit by edit.
//!
//! Each slot has a timeline of changes. What an edit changes is folded again until the values are what they were before, and only
//! what reads a slot between those moments is looked at again: conditions, effects that depend on something, durations that are
//! read in, and rules, which may fire or cease to. `presence` is how an occurrence is in it, `work` what an edit makes necessary.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use dramaturg_model::{Table, Tick};

use super::holds::Holds;
use super::moment::Moment;
use super::occurrence::{Occurrence, OccurrenceId};
use super::readers::Readers;
use super::repertoire::{Repertoire, TrackId};
use super::slot::SlotId;
use super::timeline::{Change, Rewrite, Timeline};
use super::tracks::TrackState;
use super::view::View;
use super::work::Work;
use crate::ground::{Condition, Ground, GroundActuatorId, GroundExpr};
use crate::packed::PackedState;

/// What every slot will hold at every moment.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    pub(crate) repertoire: Arc<Repertoire>,
    pub(super) origin: Moment,
    /// Nothing later is looked at.
    pub(crate) horizon: Tick,
    pub(super) timelines: Table<SlotId, Timeline>,
    pub(super) readers: Table<SlotId, Readers>,
    pub(super) occurrences: Table<OccurrenceId, Occurrence>,
    pub(super) free: Vec<OccurrenceId>,
    pub(super) holds: Table<GroundActuatorId, Holds>,
    pub(super) tracks: Table<TrackId, TrackState>,
    pub(super) work: BinaryHeap<Reverse<(Moment, Work)>>,
    /// Conditions that do not hold.
    pub(crate) broken: Vec<(OccurrenceId, u16)>,
    /// How far all required conditions together are from holding.
    pub(crate) unmet: i64,
    /// What conditions that are only weighed miss, in millionths.
    pub(crate) displeasure: i64,
    /// By how much actuators are held too much, in ticks.
    pub(crate) excess: i64,
    /// How many moments have sets that contradict each other.
    pub(crate) clashes: i64,
    /// Which slots may have changed, and where, since somebody last looked.
    pub(crate) touched: Vec<(SlotId, Rewrite)>,
    /// How many pieces of work were done.
    pub(crate) effort: u64,
}

impl Projection {
    /// A world in which nothing happens from a tick on; `value` says what each slot holds.
    pub(crate) fn new(repertoire: Arc<Repertoire>, tick: Tick, value: impl Fn(SlotId) -> i64) -> Self {
        let origin = Moment::observe(tick);
        let timelines = repertoire.slots.ids().map(|slot| Timeline::new(value(slot))).collect();
        let holds = repertoire.problem.actuators.values().map(|actuator| Holds::new(actuator.capacity)).collect();
        let tracks = repertoire.tracks.values().map(|_| TrackState::default()).collect();
        let readers = Table::filled(repertoire.slots.len(), Readers::default());
        Self {
            repertoire,
            origin,
            horizon: tick.saturating_add(1_000_000),
            timelines,
            readers,
            occurrences: Table::new(),
            free: Vec::new(),
            holds,
            tracks,
            work: BinaryHeap::new(),
            broken: Vec::new(),
            unmet: 0,
            displeasure: 0,
            excess: 0,
            clashes: 0,
            touched: Vec::new(),
            effort: 0,
        }
    }

    /// The first tick that is projected.
    pub(crate) const fn first_tick(&self) -> Tick {
        self.origin.tick()
    }

    /// What a slot holds right before a moment.
    #[inline]
    pub(crate) fn before(&self, slot: SlotId, moment: Moment) -> i64 {
        self.timelines[slot].before(&self.repertoire.slots[slot], moment)
    }

    /// The world right before a moment.
    pub(crate) fn view(&self, moment: Moment) -> View<impl Fn(SlotId) -> i64> {
        self.viewed(moment, move |slot| self.before(slot, moment))
    }

    /// The world at a moment, if slots held something else.
    pub(super) fn viewed<F: Fn(SlotId) -> i64>(&self, moment: Moment, value: F) -> View<F> {
        View { variables: self.repertoire.problem.variables.len(), now: moment.tick(), value }
    }

    /// How things are at a tick, before anything starts in it.
    pub(crate) fn state(&self, tick: Tick) -> PackedState {
        let (problem, view) = (&self.repertoire.problem, self.view(Moment::check(tick)));
        let mut state = problem.initial();
        state.set_now(tick);
        for variable in problem.variables.ids() {
            state.set(problem, variable, view.variable(variable));
        }
        for number in problem.numbers.ids() {
            state.set_number(number, view.number(number));
        }
        problem.derive(&mut state);
        state
    }

    /// Whether a condition holds right before a moment.
    pub(crate) fn holds(&self, condition: &Condition, moment: Moment) -> bool {
        condition.holds(self.repertoire.problem.frame(), &self.view(moment))
    }

    /// How far a condition is from holding right before a moment.
    pub(crate) fn distance(&self, condition: &Condition, moment: Moment) -> i64 {
        self.repertoire.distances.of(self.repertoire.problem.frame(), &self.view(moment), condition)
    }

    /// The timeline of a slot.
    pub(crate) fn timeline(&self, slot: SlotId) -> &Timeline {
        &self.timelines[slot]
    }

    /// An occurrence.
    pub(crate) fn occurrence(&self, id: OccurrenceId) -> &Occurrence {
        &self.occurrences[id]
    }

    /// Who holds an actuator.
    pub(crate) fn actuator(&mut self, id: GroundActuatorId) -> &mut Holds {
        &mut self.holds[id]
    }

    /// All actuators.
    pub(crate) fn actuators(&self) -> impl Iterator<Item = (GroundActuatorId, &Holds)> {
        self.holds.iter()
    }

    /// Something is seen at a tick, whatever else happens in it.
    pub(crate) fn see(&mut self, slot: SlotId, tick: Tick, value: i64) {
        let source = (u32::MAX - slot.0, 0);
        self.timelines[slot].insert(Moment::observe(tick), source, Change::Observe(value));
        self.queue_fold(slot);
    }

    /// Something is brought about at the end of a tick's waiting.
    pub(crate) fn bring(&mut self, slot: SlotId, tick: Tick, value: i64) {
        self.timelines[slot].insert(Moment::end(tick), Self::awaited(slot), Change::Set(value));
        self.queue_fold(slot);
    }

    /// Who brings about what is waited for.
    pub(super) const fn awaited(slot: SlotId) -> (u32, u16) {
        (u32::MAX - slot.0, 1)
    }

    pub(crate) fn evaluate(&self, expr: &GroundExpr, moment: Moment, duration: Option<Tick>) -> dramaturg_model::Value {
        expr.value(self.repertoire.problem.frame(), &self.view(moment), duration)
    }
}
