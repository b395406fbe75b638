//! The effects of one happening, written as one.

use dramaturg_model::{Args, Binder, Change, Evaluator, Expr, Fixed, FluentId, FluentRef, Model, State, Value};
use rustc_hash::FxHashSet;

/// What a happening writes: deletions first, so that what is added wins, then assignments, then sums.
#[derive(Default)]
pub(super) struct Writes {
    deleted: Vec<(FluentId, Args)>,
    set: Vec<(FluentId, Args, Value)>,
    added: Vec<(FluentId, Args, Fixed)>,
}

impl Writes {
    pub(super) fn is_empty(&self) -> bool {
        self.deleted.is_empty() && self.set.is_empty() && self.added.is_empty()
    }

    pub(super) fn add(&mut self, fluent: FluentId, args: Args, amount: Fixed) {
        self.added.push((fluent, args, amount));
    }

    /// Reads one effect in the state before the happening.
    pub(super) fn read(
        &mut self,
        scope: &mut Evaluator<'_, State>,
        (binders, condition): (&[Binder], Option<&Expr>),
        target: &FluentRef,
        change: &Change,
    ) {
        let fluent = target.fluent;
        scope.for_each(binders, &mut |scope| {
            if condition.is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let args = scope.args(&target.args);
            if args.contains(&Value::Nothing) {
                return;
            }
            match change {
                Change::Set(value) => match scope.value(value) {
                    Value::Bool(false) => self.deleted.push((fluent, args)),
                    value => self.set.push((fluent, args, value)),
                },
                Change::Add(amount) => {
                    if let Some(amount) = scope.number(amount) {
                        self.added.push((fluent, args, amount));
                    }
                }
                // PDDL knows no chance.
                Change::Random(_) => {}
            }
        });
    }

    /// Writes everything; the fluents that may be others now.
    pub(super) fn apply(self, model: &Model, state: &mut State) -> FxHashSet<FluentId> {
        let mut changed = FxHashSet::default();
        for (fluent, args) in self.deleted {
            state.set(fluent, &args, Value::Bool(false));
            changed.insert(fluent);
        }
        for (fluent, args, value) in self.set {
            state.set(fluent, &args, value);
            changed.insert(fluent);
        }
        let mut sums: Vec<(FluentId, Args)> = Vec::new();
        for (fluent, args, amount) in self.added {
            if let Some(old) = state.get(fluent, &args).as_number() {
                state.set(fluent, &args, Value::Number(old + amount));
                changed.insert(fluent);
                sums.push((fluent, args));
            }
        }
        for (fluent, args) in sums {
            if let Some(sum) = state.get(fluent, &args).as_number() {
                let inside = model.fluents[fluent].domain.clamp(sum);
                if inside != sum {
                    state.set(fluent, &args, Value::Number(inside));
                }
            }
        }
        changed
    }
}
