//! Which fluents an expression reads, found once from its text.

use dramaturg_model::{Expr, FluentId, FluentSource, Model, Value};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// What stands as argument of a fluent that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Argument {
    /// The parameter with this number.
    Param(u16),
    /// A value.
    Is(Value),
    /// Something that is only known when it is read: a bound variable or another fluent.
    Any,
}

/// The arguments of a fluent that is read.
pub(crate) type Arguments = SmallVec<[Argument; 3]>;

/// Everything an expression reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Each fluent with its arguments, once, in order of reading.
    pub(crate) fluents: Vec<(FluentId, Arguments)>,
    /// Whether its value may change although no fluent does.
    pub(crate) timed: bool,
}

impl Reads {
    /// What an expression over so many parameters reads, also through what fluents mean and are derived from.
    pub(crate) fn of(model: &Model, expr: &Expr, params: usize) -> Self {
        let mut reads = Self::default();
        reads.include(model, expr, params);
        reads
    }

    /// Adds what another expression over the same parameters reads.
    pub(crate) fn include(&mut self, model: &Model, expr: &Expr, params: usize) {
        let scope: Arguments = (0..params).map(|index| Argument::Param(index as u16)).collect();
        let mut seen = self.fluents.iter().cloned().collect();
        self.walk(model, expr, &scope, &mut seen);
    }

    fn walk(&mut self, model: &Model, expr: &Expr, scope: &[Argument], seen: &mut FxHashSet<(FluentId, Arguments)>) {
        match expr {
            Expr::Now | Expr::TimeOfDay | Expr::DayNumber => self.timed = true,
            Expr::Fluent(fluent, args) => {
                let arguments: Arguments = args.iter().map(|arg| argument(arg, scope)).collect();
                if seen.insert((*fluent, arguments.clone())) {
                    self.fluents.push((*fluent, arguments.clone()));
                    match &model.fluents[*fluent].source {
                        FluentSource::Means(meaning) => self.walk(model, meaning, &arguments, seen),
                        FluentSource::Derived { rules, .. } => {
                            for rule in rules {
                                self.walk(model, rule, &arguments, seen);
                            }
                        }
                        FluentSource::Stored | FluentSource::Done(_) => {}
                    }
                }
                args.iter().for_each(|arg| self.walk(model, arg, scope, seen));
            }
            other => other.children().into_iter().for_each(|child| self.walk(model, child, scope, seen)),
        }
    }
}

/// What an argument is, as far as the text says.
pub(crate) fn argument(expr: &Expr, scope: &[Argument]) -> Argument {
    match expr {
        Expr::Value(value) => Argument::Is(*value),
        Expr::Var(var) => scope.get(usize::from(var.0)).copied().unwrap_or(Argument::Any),
        _ => Argument::Any,
    }
}
