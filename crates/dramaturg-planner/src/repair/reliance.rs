//! Reliance: whether something required rests on a step, told without taking the step out.
//!
//! Most steps of a good plan are needed, and looking at who reads what they change says so for far less than projecting the plan without
//! them. Where that is not enough to be certain, nothing is said.

use std::cell::Cell;

use super::aims::Want;
use super::draft::Draft;
use super::moment::Moment;
use super::occurrence::OccurrenceId;
use super::plan::StepKey;
use super::projection::Projection;
use super::readers::What;
use super::slot::SlotId;
use super::timeline::Change;
use crate::ground::Condition;

/// The world right before a moment, if one step were not in the plan.
struct Lacking<'a> {
    projection: &'a Projection,
    moment: Moment,
    step: OccurrenceId,
    /// Whether everything that was read is certain.
    sure: Cell<bool>,
}

impl Lacking<'_> {
    fn value(&self, slot: SlotId) -> i64 {
        let timeline = self.projection.timeline(slot);
        let at = timeline.place(self.moment);
        let mut past = timeline.entries().get(..at).unwrap_or(&[]).iter().rev();
        let Some(last) = past.next() else { return self.projection.before(slot, self.moment) };
        if last.source.0 == self.step.0 {
            // Whoever changes it in the same moment, or the step itself once more, is not told apart.
            let alone = |other: &super::timeline::Entry| other.moment < last.moment && other.source.0 != self.step.0;
            self.sure.set(self.sure.get() && past.next().is_none_or(alone));
            return self.projection.before(slot, last.moment);
        }
        if !is_plain(last.change) && self.projection.occurrence(self.step).writes(slot) {
            self.sure.set(false);
        }
        self.projection.before(slot, self.moment)
    }
}

/// Whether nothing that comes before such a change matters after it.
const fn is_plain(change: Change) -> bool {
    matches!(change, Change::Set(_) | Change::Observe(_))
}

impl Draft {
    /// Whether something required is certain to be missing without a step, in a plan that has all that is required.
    pub(super) fn relies_on(&self, key: StepKey) -> bool {
        let (form, step) = (self.steps.get(key).form, self.steps.get(key).occurrence);
        let (projection, repertoire) = (&self.projection, &self.projection.repertoire);
        let parts = || projection.occurrence(step).parts.iter().flatten();
        // What rules make of it would have to be projected.
        let has_rules = !repertoire.tracks.is_empty()
            && (repertoire.tracks_after.try_at(form).is_some_and(|after| !after.is_empty())
                || parts().any(|part| !repertoire.tracks_reading[part.slot].is_empty()));
        if has_rules {
            return false;
        }
        let mut relied = false;
        for part in parts() {
            let timeline = projection.timeline(part.slot);
            let next = timeline.entries().get(timeline.place(part.moment) + 1);
            if !is_plain(part.change) || timeline.is_flowing() || next.is_some_and(|next| !is_plain(next.change)) {
                return false;
            }
            let until = next.map_or(Moment::LAST, |next| next.moment);
            for reading in projection.readers[part.slot].meeting(part.moment, until) {
                let What::Need(number) = reading.what else { return false };
                let form = &repertoire.forms[projection.occurrence(OccurrenceId(reading.who)).form];
                let need = form.needs.get(usize::from(number)).filter(|need| need.weight.is_none());
                relied |= reading.who != step.0
                    && need.is_some_and(|need| {
                        self.fails_without(step, &need.condition, reading.from.max(part.moment.next()))
                    });
            }
            relied |= self.aims_reading(part.slot).any(|aim| match &aim.want {
                _ if !aim.hard || aim.once.is_some() => false,
                Want::End(condition) => self.fails_without(step, condition, Moment::check(projection.horizon)),
                Want::At(condition, tick) => {
                    *tick >= projection.first_tick() && self.fails_without(step, condition, Moment::check(*tick))
                }
                _ => false,
            });
        }
        relied
    }

    /// Whether a condition is certain not to hold right before a moment without a step.
    fn fails_without(&self, step: OccurrenceId, condition: &Condition, moment: Moment) -> bool {
        let lacking = Lacking { projection: &self.projection, moment, step, sure: Cell::new(true) };
        let without = self.projection.viewed(moment, |slot| lacking.value(slot));
        !condition.holds(self.projection.repertoire.problem.frame(), &without) && lacking.sure.get()
    }
}
