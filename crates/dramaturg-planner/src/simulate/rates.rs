//! Contributions: changes spread over a duration.

use dramaturg_model::{Amount, Args, Contribution, Fixed, FluentId, Model, Tick, Value};
use smallvec::SmallVec;

use super::batch::{Batch, Reader, is_slot};
use super::event::Cause;
use super::step::Performed;
use super::world::World;

/// A total that was read in when a step started.
#[derive(Clone, Debug)]
pub(super) struct Total {
    /// Which contribution of its action or rule.
    pub(super) number: usize,
    /// The variables it was read with.
    pub(super) variables: SmallVec<[Value; 4]>,
    pub(super) fluent: FluentId,
    pub(super) args: Args,
    pub(super) total: Fixed,
}

/// Reads in the totals among contributions.
pub(super) fn totals(reader: &Reader<'_>, contributions: &[Contribution]) -> Vec<Total> {
    let mut totals = Vec::new();
    for (number, contribution) in contributions.iter().enumerate() {
        let Amount::Total(amount) = &contribution.amount else { continue };
        let fluent = contribution.target.fluent;
        reader.scope().for_each(&contribution.binders, &mut |scope| {
            let args = scope.args(&contribution.target.args);
            if let Some(total) = scope.number(amount).filter(|_| is_slot(reader.model, fluent, &args)) {
                let variables = SmallVec::from_slice(scope.variables());
                totals.push(Total { number, variables, fluent, args, total });
            }
        });
    }
    totals
}

/// What is in after k of n ticks: ⌊total·k/n⌋ millionths.
pub(crate) fn share(total: Fixed, ticks: Tick, of: Tick) -> i64 {
    let shared = (i128::from(total.0) * i128::from(ticks)).div_euclid(i128::from(of.max(1)));
    shared.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Reads what contributions add in one tick, the `elapsed`th of so many.
pub(super) fn contribute(
    reader: &Reader<'_>,
    contributions: &[Contribution],
    totals: &[Total],
    (elapsed, of): (Tick, Tick),
    batch: &mut Batch,
) {
    for contribution in contributions {
        let Amount::PerTick(amount) = &contribution.amount else { continue };
        let fluent = contribution.target.fluent;
        reader.scope().for_each(&contribution.binders, &mut |scope| {
            if contribution.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let args = scope.args(&contribution.target.args);
            if let Some(amount) = scope.number(amount).filter(|_| is_slot(reader.model, fluent, &args)) {
                batch.add(fluent, args, amount, reader.cause);
            }
        });
    }
    for Total { number, variables, fluent, args, total } in totals {
        let condition = contributions.get(*number).and_then(|contribution| contribution.condition.as_ref());
        if let Some(condition) = condition {
            let reader = Reader { args: variables, ..*reader };
            if !reader.scope().holds(condition) {
                continue;
            }
        }
        let amount = Fixed(share(*total, elapsed, of) - share(*total, elapsed - 1, of));
        batch.add(*fluent, args.clone(), amount, reader.cause);
    }
}

impl World {
    /// P5: everything that is contributed in this tick.
    pub(super) fn contribute(&mut self, model: &Model) {
        let mut batch = Batch::default();
        for key in &self.steps.contributing {
            let Some(step) = self.steps.get(*key) else { continue };
            let Performed::Action(action) = step.what else { continue };
            let elapsed = self.tick.saturating_sub(step.start).saturating_add(1);
            let duration = step.duration;
            if elapsed > duration && !step.waits {
                continue;
            }
            let cause = Cause::Step(step.id);
            let reader = Reader { model, state: &self.state, args: &step.args, duration: Some(duration), cause };
            let contributions = &model.actions[action].contributions;
            contribute(&reader, contributions, &step.totals, (elapsed, duration), &mut batch);
        }
        self.contribute_rules(model, &mut batch);
        self.write(model, batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_shared_exactly() {
        let total = Fixed::from_int(15);
        let parts: i64 = (1..=7).map(|k| share(total, k, 7) - share(total, k - 1, 7)).sum();
        assert_eq!(parts, total.0);
        assert_eq!(share(total, 1, 7), 2_142_857);
        assert_eq!(share(Fixed(-1), 1, 2), -1, "rounded down, not towards nought");
    }
}
