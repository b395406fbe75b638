//! What an action mentions in its text, also where grounding has found that it cannot matter: by PDDL's rules two steps that touch the
//! same thing are kept apart whether or not its value decides.

use dramaturg_model::{Args, Binder, Change, Effect, Evaluator, Expr, FluentId, FluentSource, Model, State, Value};
use rustc_hash::FxHashMap;

use super::footprint::Slot;
use crate::ground::{Place, Problem};

/// Gives slots to all that actions mention. What is no variable and no number of the problem has slots after those.
pub(super) struct Mentions<'m> {
    model: &'m Model,
    problem: &'m Problem,
    state: State,
    others: FxHashMap<(FluentId, Args), Slot>,
    /// How many slots there are so far.
    pub(super) slots: usize,
}

impl<'m> Mentions<'m> {
    pub(super) fn new(model: &'m Model, problem: &'m Problem) -> Self {
        let slots = problem.variables.len() + problem.numbers.len();
        Self { model, problem, state: State::initial(model, 0), others: FxHashMap::default(), slots }
    }

    /// What an effect of an action with these arguments reads and changes.
    pub(super) fn effect(&mut self, effect: &Effect, args: &[Value], reads: &mut Vec<Slot>, sets: &mut Vec<Slot>) {
        self.for_each(&effect.binders, args, &mut |mentions, variables| {
            if let Some(condition) = &effect.condition {
                mentions.read(condition, variables, reads);
            }
            effect.target.args.iter().for_each(|arg| mentions.read(arg, variables, reads));
            let target = Evaluator::with(mentions.model, &mentions.state, variables).args(&effect.target.args);
            let plain = match &effect.change {
                Change::Set(value) => {
                    mentions.read(value, variables, reads);
                    effect.condition.is_none()
                }
                Change::Add(amount) => {
                    mentions.read(amount, variables, reads);
                    false
                }
                Change::Random(_) => false,
            };
            // Sums, and what depends on a condition, are known from the problem's own effects where it has them.
            if plain || mentions.problem.place(effect.target.fluent, &target).is_none() {
                sets.push(mentions.slot(effect.target.fluent, target));
            }
        });
    }

    fn for_each(&mut self, binders: &[Binder], variables: &[Value], visit: &mut dyn FnMut(&mut Self, &[Value])) {
        if binders.is_empty() {
            return visit(self, variables);
        }
        let mut all: Vec<Vec<Value>> = Vec::new();
        let mut scope = Evaluator::with(self.model, &self.state, variables);
        scope.for_each(binders, &mut |scope| all.push(scope.variables().to_vec()));
        all.iter().for_each(|variables| visit(self, variables));
    }

    fn slot(&mut self, fluent: FluentId, args: Args) -> Slot {
        match self.problem.place(fluent, &args) {
            Some(Place::Variable(variable) | Place::Member(variable, _)) => variable.0,
            Some(Place::Number(number)) => self.problem.variables.len() as Slot + number.0,
            Some(Place::Constant(_)) | None => {
                let next = self.slots;
                let slot = *self.others.entry((fluent, args)).or_insert(next as Slot);
                self.slots += usize::from(slot as usize == next);
                slot
            }
        }
    }

    /// Every fluent in an expression of an action with these arguments.
    pub(super) fn read(&mut self, expr: &Expr, variables: &[Value], found: &mut Vec<Slot>) {
        match expr {
            Expr::Fluent(fluent, args) => {
                args.iter().for_each(|arg| self.read(arg, variables, found));
                let declared = &self.model.fluents[*fluent];
                if declared.is_static {
                    return;
                }
                let args = Evaluator::with(self.model, &self.state, variables).args(args);
                let slot = self.slot(*fluent, args.clone());
                if found.contains(&slot) {
                    return;
                }
                found.push(slot);
                match &declared.source {
                    FluentSource::Means(meaning) => self.read(meaning, &args, found),
                    FluentSource::Derived { rules, .. } => rules.iter().for_each(|rule| self.read(rule, &args, found)),
                    FluentSource::Stored | FluentSource::Done(_) => {}
                }
            }
            Expr::Quantified(_, binders, inner) => {
                self.for_each(binders, variables, &mut |mentions, variables| mentions.read(inner, variables, found));
            }
            other => other.children().into_iter().for_each(|child| self.read(child, variables, found)),
        }
    }
}
