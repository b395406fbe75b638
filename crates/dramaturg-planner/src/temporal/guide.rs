//! How early a target can be reached from a state in which things are in the making, if nothing were ever undone.

use std::sync::Arc;

use dramaturg_model::{Table, Tick};

use super::footprint::Slot;
use super::stage::Stage;
use super::timeline::Timeline;
use crate::ground::{OperatorId, VariableId};
use crate::packed::PackedState;
use crate::search::{Relaxation, Relaxed, Target};

/// Durations, in a unit that leaves them few enough values, and what operators work with.
#[derive(Clone, Debug)]
pub(super) struct Durations {
    relaxation: Arc<Relaxation>,
    costs: Table<OperatorId, u32>,
    holds: Table<OperatorId, Box<[Slot]>>,
    /// So many ticks are one unit.
    unit: Tick,
}

/// A course that takes as long as one that is known has about so many units.
const UNITS: Tick = 2_000;

impl Durations {
    /// Those of a stage on which some course takes so long.
    pub(super) fn new(stage: &Stage, end: Tick) -> Self {
        let unit = (end / UNITS).max(1);
        let duration = |id| stage.problem.duration(&stage.start, id).unwrap_or(0).max(0);
        let costs: Table<OperatorId, u32> = stage
            .problem
            .operators
            .ids()
            .map(|id| u32::try_from(duration(id) / unit).unwrap_or(u32::MAX / 4096))
            .collect();
        let latest = stage.problem.operators.ids().map(|id| {
            let tick = stage.calendar.as_ref().and_then(|calendar| calendar.latest(id, duration(id)));
            // Moments are rounded down, so that none seems later than it is.
            tick.map_or(u32::MAX, |tick| u32::try_from(tick.max(0) / unit + 1).unwrap_or(u32::MAX))
        });
        Self {
            relaxation: Arc::new(Relaxation::of_moments(&stage.problem, &costs, &latest.collect())),
            holds: stage.problem.operators.ids().map(|id| stage.footprints.of(id).holds().into()).collect(),
            costs,
            unit,
        }
    }

    /// A moment in units.
    pub(super) fn units(&self, moment: Tick) -> u32 {
        u32::try_from(moment.max(0) / self.unit).unwrap_or(u32::MAX / 4096)
    }
}

/// A value that somebody needs, and how long all takes that comes after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awaited {
    pub(super) variable: VariableId,
    pub(super) value: u32,
    /// In units.
    pub(super) tail: u32,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// Nothing can be over earlier, in units.
    pub(super) least: u32,
    /// When all is likely to be over, in units.
    pub(super) end: u32,
    /// How long all that is still to be done takes, one after another.
    pub(super) work: u32,
    /// How many steps that is.
    pub(super) steps: u32,
}

/// Computes how early one target can be reached.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    durations: Arc<Durations>,
    relaxed: Relaxed,
    awaited: Vec<Awaited>,
    /// How long each slot is still worked with, and those for which that is not 0.
    loads: Vec<u32>,
    loaded: Vec<Slot>,
}

impl Guide {
    /// For a target, of which some values are awaited by what comes after.
    pub(super) fn new(stage: &Stage, durations: &Arc<Durations>, target: &Target, awaited: Vec<Awaited>) -> Self {
        Self {
            relaxed: Relaxed::new(&stage.problem, Arc::clone(&durations.relaxation), target),
            durations: Arc::clone(durations),
            awaited,
            loads: vec![0; stage.footprints.slots],
            loaded: Vec::new(),
        }
    }

    /// How early the target can be reached; none if it cannot.
    pub(super) fn estimate(&mut self, stage: &Stage, state: &PackedState, timeline: &Timeline) -> Option<Estimate> {
        let durations = Arc::clone(&self.durations);
        let ready = |variable: VariableId| durations.units(timeline.of(variable.0).set);
        let work = self.relaxed.estimate_moments(&stage.problem, state, ready)?;
        let mut least = self.relaxed.dearest().max(durations.units(timeline.end));
        for awaited in &self.awaited {
            let cost = self.relaxed.cost_of(&stage.problem, awaited.variable, awaited.value).unwrap_or(0);
            least = least.max(cost + awaited.tail);
        }
        let mut end = least;
        let mut longest: u32 = 0;
        for operator in self.relaxed.plan() {
            longest = longest.saturating_add(durations.costs[*operator]);
            for slot in &durations.holds[*operator] {
                if let Some(load) = self.loads.get_mut(*slot as usize) {
                    if *load == 0 {
                        self.loaded.push(*slot);
                    }
                    *load += durations.costs[*operator];
                }
            }
        }
        for slot in self.loaded.drain(..) {
            let moments = timeline.of(slot);
            let free = durations.units(moments.set.max(moments.read).max(moments.kept));
            let load = self.loads.get_mut(slot as usize).map_or(0, std::mem::take);
            end = end.max(free + load);
        }
        // What comes at the start of an operator counts nothing in moments, but its time is worked all the same.
        let work = work.max(longest);
        Some(Estimate { least, end, work, steps: self.relaxed.plan().len() as u32 })
    }

    /// The operators that can be performed at once on the way of the last estimate.
    pub(super) fn preferred(&self) -> &[OperatorId] {
        self.relaxed.preferred()
    }
}
