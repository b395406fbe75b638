//! A stretch of a course that is to be planned anew, and what the rest of the course needs of it.

use std::sync::Arc;

use dramaturg_model::Tick;

use super::course::Course;
use super::footprint::Slot;
use super::guide::{Awaited, Durations};
use super::stage::Stage;
use super::timeline::Timeline;
use crate::ground::{Condition, Conjunction, Literal, OperatorId, ValueSet, VariableId};
use crate::packed::PackedState;
use crate::search::Target;

/// A stretch of a course that is to be planned anew.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// What stays before it.
    pub(super) prefix: Vec<OperatorId>,
    /// How many steps it has.
    pub(super) size: usize,
    /// What stays after it.
    pub(super) suffix: Vec<OperatorId>,
    /// The state and the times before it.
    pub(super) state: PackedState,
    pub(super) timeline: Timeline,
    /// What must be so after it.
    pub(super) target: Target,
    /// By when, as seen from the end.
    pub(super) awaited: Vec<Awaited>,
}

impl Window {
    /// All of a course that is not there yet and may have about so many steps.
    pub(super) fn all(stage: &Stage, size: usize) -> Self {
        Self {
            prefix: Vec::new(),
            size,
            suffix: Vec::new(),
            state: stage.start.clone(),
            timeline: stage.opening.clone(),
            target: stage.target.clone(),
            awaited: Vec::new(),
        }
    }

    /// The stretch of a course from one step to before another.
    pub(super) fn new(
        stage: &Stage,
        durations: &Arc<Durations>,
        course: &Course,
        from: usize,
        to: usize,
    ) -> Option<Self> {
        let (prefix, suffix) = (course.steps.get(..from)?, course.steps.get(to..)?);
        let mut state = stage.start.clone();
        let mut timeline = stage.opening.clone();
        for (operator, (start, duration)) in prefix.iter().zip(course.starts.iter().zip(&course.durations)) {
            stage.problem.apply_to(&mut state, *operator);
            timeline.occupy(stage.footprints.of(*operator), *start, *duration, |_, _| {});
        }
        let mut window = Self {
            prefix: prefix.to_vec(),
            size: to - from,
            suffix: suffix.to_vec(),
            target: stage.target.clone(),
            awaited: Vec::new(),
            state,
            timeline,
        };
        if !suffix.is_empty() {
            let mut after = window.state.clone();
            for operator in course.steps.get(from..to)? {
                stage.problem.apply_to(&mut after, *operator);
            }
            window.await_suffix(stage, durations, course, to, &after);
        }
        Some(window)
    }

    /// What the steps after the window, or the goals that they do not touch, need is to be as it was.
    fn await_suffix(&mut self, stage: &Stage, durations: &Durations, course: &Course, to: usize, after: &PackedState) {
        let variables = stage.problem.variables.len();
        let mut is_set = vec![false; stage.footprints.slots];
        let mut needed: Vec<Slot> = Vec::new();
        let mut need = |slot: Slot, is_set: &[bool]| {
            if (slot as usize) < variables && is_set.get(slot as usize) == Some(&false) {
                needed.push(slot);
            }
        };
        for operator in &self.suffix {
            let footprint = stage.footprints.of(*operator);
            let conditional = footprint.sets();
            footprint.reads().chain(conditional).for_each(|slot| need(slot, &is_set));
            for slot in footprint.sets() {
                if let Some(set) = is_set.get_mut(slot as usize) {
                    *set = true;
                }
            }
        }
        for condition in &stage.target.conditions {
            condition.for_each_variable(&mut |variable| need(variable.0, &is_set));
        }
        needed.sort_unstable();
        needed.dedup();
        needed.retain(|slot| !stage.problem.variables[VariableId(*slot)].derived);
        let backwards = self.backwards(stage, course, to);
        let mut only = Conjunction::default();
        for slot in needed {
            let variable = VariableId(slot);
            let value = after.get(&stage.problem, variable);
            only.literals.push(Literal { variable, values: ValueSet::One(value) });
            let moments = backwards.of(slot);
            let tail = (moments.set.max(moments.read).max(moments.added) + stage.epsilon).max(moments.kept);
            self.awaited.push(Awaited { variable, value, tail: durations.units(tail) });
        }
        self.target = Target::new(vec![Condition::of(only)]);
    }

    /// When slots are touched after the window, seen from the end.
    fn backwards(&self, stage: &Stage, course: &Course, to: usize) -> Timeline {
        let mut timeline = Timeline::new(stage.footprints.slots, stage.epsilon);
        let durations: &[Tick] = course.durations.get(to..).unwrap_or(&[]);
        for (operator, duration) in self.suffix.iter().zip(durations).rev() {
            let mirrored = stage.footprints.of(*operator).mirrored();
            let (start, _) = timeline.earliest(&mirrored, *duration);
            timeline.occupy(&mirrored, start, *duration, |_, _| {});
        }
        timeline
    }

    /// The whole course with other steps in the window.
    pub(super) fn with(&self, steps: &[OperatorId]) -> Vec<OperatorId> {
        let mut all = Vec::with_capacity(self.prefix.len() + steps.len() + self.suffix.len());
        all.extend_from_slice(&self.prefix);
        all.extend_from_slice(steps);
        all.extend_from_slice(&self.suffix);
        all
    }
}
