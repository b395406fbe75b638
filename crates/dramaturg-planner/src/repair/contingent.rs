//! Contingent support: what a locked step needs, and has only if somebody else does what is expected of them.
//!
//! A locked step cannot wait for it any more. Where the plan itself can bring the same about before, it does so, and what is only
//! expected no longer matters.

use smallvec::SmallVec;

use super::form::Need;
use super::moment::Moment;
use super::occurrence::OccurrenceId;
use super::projection::Projection;
use super::slot::SlotId;
use super::timeline::{Change, Entry};

/// A condition that holds only if what is expected comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contingency {
    /// Who needs it.
    pub(crate) occurrence: OccurrenceId,
    /// Which of its conditions.
    pub(crate) need: u16,
    /// It would have to hold already here, right before what is expected comes.
    pub(crate) before: Moment,
}

impl Projection {
    /// The conditions of a step that hold only if somebody does what is expected, each with where it would have to hold without.
    pub(crate) fn contingencies(&self, id: OccurrenceId, found: &mut Vec<Contingency>) {
        let occurrence = self.occurrence(id);
        let needs = &self.repertoire.forms[occurrence.form].needs;
        for (need, number) in needs.iter().zip(0..) {
            let holds = occurrence.needs.get(usize::from(number)).is_some_and(|state| state.short == 0);
            if need.weight.is_some() || !holds {
                continue;
            }
            let moment = occurrence.need_moments(need.when).map(|(from, _)| from);
            let before = moment.filter(|moment| *moment >= self.origin).and_then(|moment| self.rests_on(need, moment));
            found.extend(before.map(|before| Contingency { occurrence: id, need: number, before }));
        }
    }

    /// Right before which moment a condition would have to hold, if it holds at another only for what is expected in between.
    fn rests_on(&self, need: &Need, moment: Moment) -> Option<Moment> {
        let mut expected: SmallVec<[(SlotId, Moment); 2]> = SmallVec::new();
        for slot in &need.reads {
            let timeline = self.timeline(*slot);
            let past = timeline.entries().get(..timeline.place(moment)).unwrap_or(&[]);
            // What was seen or set for certain makes everything before it indifferent.
            let recent = past.iter().rev().take_while(|entry| {
                self.is_expected(*slot, entry) || !matches!(entry.change, Change::Set(_) | Change::Observe(_))
            });
            if let Some(first) = recent.filter(|entry| self.is_expected(*slot, entry)).last() {
                expected.push((*slot, first.moment));
            }
        }
        let first = expected.iter().map(|(_, since)| *since).min()?;
        // The world if nobody had done what is expected.
        let without = self.viewed(moment, |slot| {
            let since = expected.iter().find(|(known, _)| *known == slot).map(|(_, since)| *since);
            self.before(slot, since.unwrap_or(moment))
        });
        (!need.condition.holds(self.repertoire.problem.frame(), &without)).then_some(first)
    }

    /// Whether somebody else is to bring this about.
    fn is_expected(&self, slot: SlotId, entry: &Entry) -> bool {
        if entry.source == Self::awaited(slot) {
            return true;
        }
        let source = self.occurrences.try_at(OccurrenceId(entry.source.0));
        let deeds = source.map(|source| &self.repertoire.forms[source.form].deeds);
        deeds.and_then(|deeds| deeds.get(usize::from(entry.source.1))).is_some_and(|deed| deed.expected)
    }
}
