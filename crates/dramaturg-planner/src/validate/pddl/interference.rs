//! No moving targets: two happenings closer than ε may not touch the same thing, unless both only read it or both only add to it.

use dramaturg_model::{
    Args, Binder, Change, ConditionTime, Evaluator, Expr, FluentId, FluentRef, FluentSource, Model, Moment, State,
    Tick, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Happening, Run, What, name};
use crate::simulate::{Violation, ViolationKind};

/// A fluent with its arguments.
type Slot = (FluentId, Args);

/// How something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Written {
    /// It becomes this.
    Set(Value),
    /// Something is added, and sums do not care for their order.
    Added,
}

/// Everything one happening reads and writes.
#[derive(Default)]
struct Footprint {
    reads: FxHashSet<Slot>,
    writes: FxHashMap<Slot, Written>,
}

/// More slots than this are not listed for one condition.
const SLOTS_MAX: usize = 1 << 16;

impl Run<'_> {
    /// Reports every pair that interferes.
    pub(super) fn interfere(&mut self, together: &[Happening], before: &[Happening], epsilon: Tick) {
        let prints: Vec<(Happening, Footprint)> =
            before.iter().chain(together).map(|happening| (*happening, self.footprint(happening.what))).collect();
        for (at, (second, theirs)) in prints.iter().enumerate().skip(before.len()) {
            for (first, ours) in prints.iter().take(at) {
                if second.tick.saturating_sub(first.tick) < epsilon
                    && let Some(slot) = clash(ours, theirs)
                {
                    self.report_clash(*first, *second, &slot, epsilon);
                }
            }
            self.checks += at as u64;
        }
    }

    fn report_clash(&mut self, first: Happening, second: Happening, (fluent, args): &Slot, epsilon: Tick) {
        let who = |happening: Happening| match happening.what {
            What::Given(_) => "what is given for this time".to_owned(),
            What::Start(at) => format!("the start of step {}", self.steps.get(at).map_or(0, |step| step.id)),
            What::End(at) => format!("the end of step {}", self.steps.get(at).map_or(0, |step| step.id)),
            What::Instant(at) => format!("step {}", self.steps.get(at).map_or(0, |step| step.id)),
        };
        let fluent = name(self.model, *fluent, args);
        let apart = second.tick.saturating_sub(first.tick);
        let message = format!(
            "{} and {} both touch `{fluent}` and are {apart} ticks apart; they must be at least {epsilon} apart",
            who(first),
            who(second)
        );
        let mut violation = Violation::new(ViolationKind::Interference, second.tick, message)
            .about(fluent)
            .values(format!("at least {epsilon} ticks apart"), apart.to_string());
        if let What::Start(at) | What::End(at) | What::Instant(at) = second.what {
            violation.step = self.steps.get(at).map(|step| step.id);
            violation.place = self.action(at).map_or(violation.place, |(_, action)| action.place);
        }
        self.report.violations.push(violation);
    }

    fn footprint(&self, what: What) -> Footprint {
        let mut print = Footprint::default();
        let (at, moments): (usize, &[Moment]) = match what {
            What::Given(number) => {
                if let Some(given) = self.model.initial.get(number) {
                    let whom = (given.binders.as_slice(), given.condition.as_ref());
                    let scope = Evaluator::new(self.model, &self.state);
                    print.effect(self.model, &self.state, scope, whom, &given.target, &given.change);
                }
                return print;
            }
            What::Start(at) => (at, &[Moment::Start]),
            What::End(at) => (at, &[Moment::End]),
            What::Instant(at) => (at, &[Moment::Start, Moment::End]),
        };
        let Some((step, action)) = self.action(at) else { return print };
        for condition in action.conditions.iter().filter(|condition| condition.weight.is_none()) {
            let is_due = match what {
                What::Start(_) => condition.time == ConditionTime::Start,
                What::End(_) => condition.time == ConditionTime::End,
                What::Instant(_) | What::Given(_) => true,
            };
            if is_due {
                print.read(self.model, &self.state, &condition.condition, &step.args);
            }
        }
        for effect in action.effects.iter().filter(|effect| moments.contains(&effect.moment)) {
            let whom = (effect.binders.as_slice(), effect.condition.as_ref());
            print.effect(self.model, &self.state, self.scope(step), whom, &effect.target, &effect.change);
        }
        print
    }
}

/// A slot over which two happenings interfere; the first in order, so that messages do not change from run to run.
fn clash(ours: &Footprint, theirs: &Footprint) -> Option<Slot> {
    let mut slots: Vec<&Slot> = Vec::new();
    slots.extend(ours.reads.iter().filter(|slot| theirs.writes.contains_key(*slot)));
    slots.extend(theirs.reads.iter().filter(|slot| ours.writes.contains_key(*slot)));
    for (slot, how) in &ours.writes {
        let agrees = match (how, theirs.writes.get(slot)) {
            (_, None) | (Written::Added, Some(Written::Added)) => true,
            // Two may make the same fact true, or false.
            (Written::Set(ours), Some(Written::Set(theirs))) => ours == theirs && matches!(ours, Value::Bool(_)),
            _ => false,
        };
        if !agrees {
            slots.push(slot);
        }
    }
    slots.into_iter().min().cloned()
}

impl Footprint {
    fn effect(
        &mut self,
        model: &Model,
        state: &State,
        mut scope: Evaluator<'_, State>,
        (binders, condition): (&[Binder], Option<&Expr>),
        target: &FluentRef,
        change: &Change,
    ) {
        scope.for_each(binders, &mut |scope| {
            let variables = scope.variables().to_vec();
            if let Some(condition) = condition {
                self.read(model, state, condition, &variables);
                if !scope.holds(condition) {
                    return;
                }
            }
            target.args.iter().for_each(|arg| self.read(model, state, arg, &variables));
            let slot = (target.fluent, scope.args(&target.args));
            match change {
                Change::Set(value) => {
                    self.read(model, state, value, &variables);
                    let value = scope.value(value);
                    // Within one happening what is added wins over what is deleted.
                    let kept = self.writes.get(&slot) == Some(&Written::Set(Value::Bool(true)));
                    if !(kept && value == Value::Bool(false)) {
                        self.writes.insert(slot, Written::Set(value));
                    }
                }
                Change::Add(amount) => {
                    self.read(model, state, amount, &variables);
                    self.writes.entry(slot).or_insert(Written::Added);
                }
                Change::Random(_) => {
                    self.writes.insert(slot, Written::Set(Value::Nothing));
                }
            }
        });
    }

    /// Every fluent in an expression, whether or not its value decides.
    fn read(&mut self, model: &Model, state: &State, expr: &Expr, variables: &[Value]) {
        if self.reads.len() > SLOTS_MAX {
            return;
        }
        match expr {
            Expr::Fluent(fluent, args) => {
                args.iter().for_each(|arg| self.read(model, state, arg, variables));
                let args = Evaluator::with(model, state, variables).args(args);
                let declared = &model.fluents[*fluent];
                if declared.is_static || !self.reads.insert((*fluent, args.clone())) {
                    return;
                }
                match &declared.source {
                    FluentSource::Means(meaning) => self.read(model, state, meaning, &args),
                    FluentSource::Derived { rules, .. } => {
                        rules.iter().for_each(|rule| self.read(model, state, rule, &args));
                    }
                    FluentSource::Stored | FluentSource::Done(_) => {}
                }
            }
            Expr::Quantified(_, binders, inner) => {
                let mut scope = Evaluator::with(model, state, variables);
                scope.for_each(binders, &mut |scope| {
                    let variables = scope.variables().to_vec();
                    self.read(model, state, inner, &variables);
                });
            }
            other => other.children().into_iter().for_each(|child| self.read(model, state, child, variables)),
        }
    }
}
