//! Occurrences: steps, and rules that fired, as the projection has them.

use dramaturg_model::{Tick, ids};
use smallvec::SmallVec;

use super::form::{Form, Length, When};
use super::moment::Moment;
use super::repertoire::{FormId, TrackId};
use super::slot::SlotId;
use super::timeline::Change;

ids! {
    /// An occurrence.
    OccurrenceId,
}

/// Where an occurrence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A step.
    Step,
    /// A rule that fires at this moment.
    Fired(TrackId, Moment),
    /// A rule that holds until before this tick.
    Level(TrackId, Tick),
}

/// A change that an occurrence has written into a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) moment: Moment,
    pub(crate) slot: SlotId,
    pub(crate) change: Change,
}

/// How a condition of an occurrence stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeedState {
    /// How far it is from holding; 0 if it holds.
    pub(crate) short: i64,
    /// Its place among everything broken.
    pub(crate) place: u32,
}

impl Default for NeedState {
    fn default() -> Self {
        Self { short: 0, place: u32::MAX }
    }
}

/// A step, or a rule that fired.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub(crate) form: FormId,
    pub(crate) origin: Origin,
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
    /// How long it is known to take, whatever it reads.
    pub(crate) told: Option<Tick>,
    pub(crate) alive: bool,
    /// What its deeds write, then what each of its spreads begins and ends with.
    pub(crate) parts: SmallVec<[Option<Part>; 4]>,
    pub(crate) needs: SmallVec<[NeedState; 2]>,
}

impl Occurrence {
    /// The tick at which it ends.
    pub(crate) const fn end(&self) -> Tick {
        self.start.saturating_add(self.duration)
    }

    /// Whether it changes a slot.
    pub(crate) fn writes(&self, slot: SlotId) -> bool {
        self.parts.iter().flatten().any(|part| part.slot == slot)
    }

    /// When a deed is done; none if it is over before.
    pub(crate) fn deed_moment(&self, form: &Form, when: When) -> Option<Moment> {
        match (self.origin, when) {
            (Origin::Fired(_, fired), When::Start | When::Throughout) => Some(fired),
            (Origin::Fired(_, fired), When::End) if matches!(form.length, Length::None) => Some(fired),
            (Origin::Fired(..), When::After(offset)) => Some(Moment::start(self.start + offset.max(1))),
            (_, When::Start | When::Throughout) => Some(Moment::start(self.start)),
            (_, When::End) => Some(Moment::end(self.end())),
            (_, When::After(offset)) => (offset < self.duration).then(|| Moment::start(self.start + offset)),
        }
    }

    /// Between which moments a condition is read; none if it never is.
    pub(crate) fn need_moments(&self, when: When) -> Option<(Moment, Moment)> {
        let point = |moment| Some((moment, moment));
        match when {
            When::Start => point(Moment::check(self.start)),
            When::Throughout => {
                let first = Moment::started(self.start);
                Some((first, first.max(Moment::check(self.end() - 1))))
            }
            When::End => point(Moment::end(self.end())),
            When::After(offset) => {
                let offset = offset.max(1);
                (offset < self.duration)
                    .then(|| (Moment::check(self.start + offset), Moment::check(self.start + offset)))
            }
        }
    }

    /// When what it reads at its start is read.
    pub(crate) fn reading_moment(&self) -> Moment {
        match self.origin {
            Origin::Fired(_, fired) => fired,
            _ => Moment::start(self.start),
        }
    }
}
