//! What can be asked of a playwright about the plan at hand.

use dramaturg_model::Fixed;

use super::aims::Want;
use super::moment::Moment;
use super::planner::LocalRepair;

impl LocalRepair {
    /// What the best plan lacks: what is required in units, then what is liked. None before the first deliberation.
    pub fn cost(&self) -> Option<(Fixed, Fixed)> {
        self.workshop.as_ref().map(|workshop| (Fixed(workshop.best.hard * 1000), Fixed(workshop.best.soft)))
    }

    /// How many steps the plan at hand has.
    pub fn planned(&self) -> usize {
        self.workshop.as_ref().map_or(self.intended.len(), |workshop| workshop.draft.steps.alive().count())
    }

    /// How far a number is projected to be off its curve on average, beyond what does no harm; none where none is followed.
    pub fn mean_off_curve(&self) -> Option<Fixed> {
        let draft = &self.workshop.as_ref()?.draft;
        draft.aims.iter().find_map(|aim| match &aim.want {
            Want::Follow(curve) => Some(Fixed(curve.mean(draft.projection.first_tick()))),
            _ => None,
        })
    }

    /// How far a number is projected to be from its curve on average, tick by tick; none where none is followed.
    pub fn mean_curve_error(&self) -> Option<Fixed> {
        let draft = &self.workshop.as_ref()?.draft;
        let curve = draft.aims.iter().find_map(|aim| match &aim.want {
            Want::Follow(curve) => Some(curve),
            _ => None,
        })?;
        let (first, end) = (draft.projection.first_tick(), curve.end());
        let error = |tick| (draft.projection.before(curve.slot, Moment::check(tick)) - curve.wanted(tick)).abs();
        Some(Fixed((first..end).map(error).sum::<i64>() / (end - first).max(1)))
    }
}
