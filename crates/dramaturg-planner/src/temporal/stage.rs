//! What plans are made on: a problem, where it starts and where it leads, and how its operators take time.

use std::sync::Arc;

use dramaturg_model::{Table, Tick};

use super::calendar::Calendar;
use super::cost::Objective;
use super::footprint::Footprints;
use super::timeline::{Cause, Timeline};
use crate::ground::{Condition, OperatorId, Problem};
use crate::packed::PackedState;
use crate::search::Target;

/// What an operator of a stage is.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// An action from its start to its end.
    Whole,
    /// The start of one, whose end is this operator; what must hold until then.
    Start(OperatorId, Condition),
    /// The end of one, whose start is this operator.
    End(OperatorId),
    /// Something that is given at a tick.
    Given(Tick),
}

/// A problem with all that plans in time ask of it.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// The problem: each operator one step of a course.
    pub(super) problem: Arc<Problem>,
    /// Where it starts.
    pub(super) start: PackedState,
    /// Where it leads.
    pub(super) target: Target,
    /// What operators read and change, and when.
    pub(super) footprints: Arc<Footprints>,
    /// What was touched before the first step of a course, by what has begun already: times are counted from the first tick in which
    /// a step may start.
    pub(super) opening: Timeline,
    /// What each operator is; none: all are whole actions.
    pub(super) parts: Option<Table<OperatorId, Part>>,
    /// What is given at a tick, in order of time.
    pub(super) givens: Vec<(Tick, OperatorId)>,
    /// When operators may happen; none: at any time.
    pub(super) calendar: Option<Arc<Calendar>>,
    /// By how much happenings that touch the same thing are apart.
    pub(super) epsilon: Tick,
    /// What counts.
    pub(super) objective: Objective,
}

impl Stage {
    /// What an operator is.
    #[inline]
    pub(super) fn part(&self, operator: OperatorId) -> &Part {
        self.parts.as_ref().map_or(&Part::Whole, |parts| &parts[operator])
    }

    /// How early a whole operator that takes so long may start after all that a timeline knows, and what it waits for; none if its
    /// time is over.
    #[inline]
    pub(super) fn earliest(&self, timeline: &Timeline, operator: OperatorId, duration: Tick) -> Option<(Tick, Cause)> {
        let (start, cause) = timeline.earliest(self.footprints.of(operator), duration);
        let Some(calendar) = &self.calendar else { return Some((start, cause)) };
        let at = calendar.earliest(operator, start, duration, self.epsilon)?;
        Some((at, cause.filter(|_| at == start)))
    }

    /// How long an operator takes when it starts in a state; none if that is no duration that an action may have.
    #[inline]
    pub(super) fn duration(&self, state: &PackedState, operator: OperatorId) -> Option<Tick> {
        if self.problem.operators[operator].timed.is_none() {
            return Some(0);
        }
        self.problem.duration(state, operator).filter(|ticks| *ticks >= 1)
    }
}
