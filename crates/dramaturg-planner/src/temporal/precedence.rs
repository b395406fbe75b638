//! Goals that must be reached before others: what one goal leaves behind for ever may be what another needs. A floor is painted from the
//! far end, because nobody walks on wet paint.
//!
//! Which facts can never hold together is computed for pairs. What may hold right after a goal is reached, and what can ever hold from
//! there on, then says which other goals can no longer be reached; and what is dead after all goals that come before one is of no use
//! for reaching it.

use dramaturg_model::Model;

use crate::ground::{Index, Literal, Operator, OperatorId, Problem, ValueSet, VariableId};
use crate::packed::PackedState;
use crate::search::Target;

/// No more work than this is done: pairs of facts and operators, and of goals and operators.
const WORK_MAX: usize = 20_000_000;

/// A set of facts.
type Facts = Vec<u64>;

fn has(facts: &[u64], fact: usize) -> bool {
    facts.get(fact / 64).is_some_and(|word| word >> (fact % 64) & 1 == 1)
}

fn put(facts: &mut [u64], fact: usize) -> bool {
    let Some(word) = facts.get_mut(fact / 64) else { return false };
    let before = *word;
    *word |= 1 << (fact % 64);
    *word != before
}

/// What an operator asks for and does, in facts.
struct Deed {
    id: OperatorId,
    needs: Vec<usize>,
    /// What holds after it, or may.
    gives: Vec<usize>,
    /// All facts of the variables that it writes.
    written: Facts,
}

/// A goal, and those that must come before it.
struct Goal {
    fact: usize,
    literal: (VariableId, u32),
    before: Vec<usize>,
    /// What can never hold again once it is reached.
    dead: Facts,
}

/// The same problem, in which a goal is only reached after all that must come before it; none if there is nothing of that kind, or it
/// cannot be said.
pub(super) fn preceded(model: &Model, problem: &Problem, start: &PackedState, target: &Target) -> Option<Problem> {
    if !problem.rules.is_empty() || !problem.derived.is_empty() {
        return None;
    }
    let mut precedence = Precedence::new(problem, start, target)?;
    precedence.pair(start);
    precedence.order();
    let goals = precedence.goals;
    if goals.iter().all(|goal| goal.before.is_empty()) {
        return None;
    }
    let mut operators = problem.operators.clone();
    for deed in &precedence.deeds {
        let reached = goals.iter().filter(|goal| deed.gives.contains(&goal.fact));
        for before in reached.flat_map(|goal| &goal.before).filter_map(|before| goals.get(*before)) {
            let (variable, value) = before.literal;
            for part in operators[deed.id].snap.phases.iter_mut().take(1).flat_map(|phase| &mut phase.condition.any) {
                part.literals.push(Literal { variable, values: ValueSet::One(value) });
            }
        }
    }
    let index = Index::new(&problem.variables, &operators, &problem.rules, &problem.derived, &[], model.objects.len());
    Some(Problem { operators, index, ..Problem::clone(problem) })
}

struct Precedence<'p> {
    problem: &'p Problem,
    words: usize,
    deeds: Vec<Deed>,
    goals: Vec<Goal>,
    /// For each fact those that may hold together with it.
    together: Vec<Facts>,
}

impl<'p> Precedence<'p> {
    fn new(problem: &'p Problem, start: &PackedState, target: &Target) -> Option<Self> {
        let ends = problem.variables.iter().map(|(id, variable)| problem.index.fact(id, variable.size()));
        let facts = ends.max()?;
        let words = facts.div_ceil(64);
        let mut literals = Vec::new();
        for condition in &target.conditions {
            let only = condition.only().filter(|only| only.numbers.is_empty() && only.tests.is_empty())?;
            for literal in &only.literals {
                let ValueSet::One(value) = literal.values else { return None };
                if start.get(problem, literal.variable) != value {
                    literals.push((literal.variable, value));
                }
            }
        }
        let operators = problem.operators.len();
        if literals.len() < 2 || operators * words * 8 + literals.len() * literals.len() * operators > WORK_MAX {
            return None;
        }
        let goal = |literal: (VariableId, u32)| {
            let fact = problem.index.fact(literal.0, literal.1);
            Goal { fact, literal, before: Vec::new(), dead: vec![0; words] }
        };
        let goals = literals.into_iter().map(goal).collect();
        let mut precedence = Self { problem, words, deeds: Vec::new(), goals, together: vec![vec![0; words]; facts] };
        precedence.deeds = problem.operators.iter().map(|(id, operator)| precedence.deed(id, operator)).collect();
        Some(precedence)
    }

    fn deed(&self, id: OperatorId, operator: &Operator) -> Deed {
        let problem = self.problem;
        let mut deed = Deed { id, needs: Vec::new(), gives: Vec::new(), written: vec![0; self.words] };
        if let Some(only) = operator.snap.phases.first().and_then(|phase| phase.condition.only()) {
            for literal in &only.literals {
                if let ValueSet::One(value) = literal.values {
                    deed.needs.push(problem.index.fact(literal.variable, value));
                }
            }
        }
        // What is set last counts; what depends on something may come or not.
        let mut last: Vec<(VariableId, Option<u32>)> = Vec::new();
        let mut write = |variable: VariableId, value: Option<u32>| {
            last.retain(|(known, _)| *known != variable || value.is_none());
            last.push((variable, value));
        };
        for phase in &operator.snap.phases {
            phase.sets.iter().for_each(|(variable, value)| write(*variable, Some(*value)));
            phase
                .effects
                .iter()
                .filter_map(|effect| effect.change.variable())
                .for_each(|variable| write(variable, None));
        }
        for (variable, value) in last {
            let all = 0..problem.variables[variable].size();
            for value in all.clone() {
                put(&mut deed.written, problem.index.fact(variable, value));
            }
            let given = all.filter(|other| value.is_none_or(|value| value == *other));
            deed.gives.extend(given.map(|value| problem.index.fact(variable, value)));
        }
        deed
    }

    /// What may hold right before a deed, beside what it asks for; none if that never holds together.
    fn beside(&self, deed: &Deed) -> Option<Facts> {
        let mut beside = vec![u64::MAX; self.words];
        for need in &deed.needs {
            let row = self.together.get(*need)?;
            if deed.needs.iter().any(|other| !has(row, *other)) {
                return None;
            }
            beside.iter_mut().zip(row).for_each(|(word, row)| *word &= row);
        }
        Some(beside)
    }

    /// Finds all pairs of facts that may hold together.
    fn pair(&mut self, start: &PackedState) {
        let variables = self.problem.variables.ids();
        let first: Vec<usize> = variables.map(|id| self.problem.index.fact(id, start.get(self.problem, id))).collect();
        for one in &first {
            for other in &first {
                self.join(*one, *other);
            }
        }
        let deeds = std::mem::take(&mut self.deeds);
        let mut reachable = vec![0u64; self.words];
        for fact in &first {
            put(&mut reachable, *fact);
        }
        loop {
            let mut changed = false;
            for deed in &deeds {
                if deed.needs.iter().any(|need| !has(&reachable, *need)) {
                    continue;
                }
                let Some(mut after) = self.beside(deed) else { continue };
                for (word, (written, reachable)) in after.iter_mut().zip(deed.written.iter().zip(&reachable)) {
                    *word &= !written & reachable;
                }
                for given in &deed.gives {
                    changed |= put(&mut reachable, *given);
                    deed.gives.iter().for_each(|other| changed |= self.join(*given, *other));
                    changed |= self.join_all(*given, &after);
                }
            }
            if !changed {
                break;
            }
        }
        self.deeds = deeds;
    }

    fn join(&mut self, one: usize, other: usize) -> bool {
        let mut changed = false;
        for (fact, with) in [(one, other), (other, one)] {
            changed |= self.together.get_mut(fact).is_some_and(|row| put(row, with));
        }
        changed
    }

    fn join_all(&mut self, fact: usize, others: &[u64]) -> bool {
        let Some(row) = self.together.get_mut(fact) else { return false };
        let mut fresh: Vec<usize> = Vec::new();
        for (place, (row, others)) in row.iter_mut().zip(others).enumerate() {
            let mut new = others & !*row;
            *row |= others;
            while new != 0 {
                fresh.push(place * 64 + new.trailing_zeros() as usize);
                new &= new - 1;
            }
        }
        for other in &fresh {
            if let Some(row) = self.together.get_mut(*other) {
                put(row, fact);
            }
        }
        !fresh.is_empty()
    }

    /// What may hold right after a goal is reached by any operator that may reach it then.
    fn after(&self, goal: &Goal) -> Facts {
        let mut after = vec![0u64; self.words];
        for deed in self.deeds.iter().filter(|deed| self.may_reach(goal, deed)) {
            let Some(beside) = self.beside(deed) else { continue };
            for (word, (beside, written)) in after.iter_mut().zip(beside.iter().zip(&deed.written)) {
                *word |= beside & !written;
            }
            for given in &deed.gives {
                put(&mut after, *given);
            }
        }
        after
    }

    /// Whether an operator reaches a goal with nothing that is dead after all that comes before it.
    fn may_reach(&self, goal: &Goal, deed: &Deed) -> bool {
        let uses = |before: &usize| {
            self.goals.get(*before).is_some_and(|before| deed.needs.iter().any(|need| has(&before.dead, *need)))
        };
        deed.gives.contains(&goal.fact) && !goal.before.iter().any(uses)
    }

    /// All that can ever hold from some facts on, if nothing were ever undone; a goal only by what may still reach it.
    fn closure(&self, from: &[u64], goal: Option<&Goal>) -> Facts {
        let mut facts = from.to_vec();
        let mut waiting: Vec<&Deed> = self.deeds.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|deed| {
                if deed.needs.iter().any(|need| !has(&facts, *need)) {
                    return true;
                }
                let barred = goal.filter(|goal| deed.gives.contains(&goal.fact) && !self.may_reach(goal, deed));
                for given in deed.gives.iter().filter(|given| barred.is_none_or(|goal| goal.fact != **given)) {
                    put(&mut facts, *given);
                }
                false
            });
            if waiting.len() == before {
                return facts;
            }
        }
    }

    /// Finds which goals must come before which, until no more are found.
    fn order(&mut self) {
        loop {
            let mut found: Vec<(usize, usize)> = Vec::new();
            for at in 0..self.goals.len() {
                let Some(goal) = self.goals.get(at) else { continue };
                let after = self.after(goal);
                let ever = self.closure(&after, None);
                for (number, other) in self.goals.iter().enumerate() {
                    if number == at || goal.before.contains(&number) || other.before.contains(&at) {
                        continue;
                    }
                    // Both may be reached at once.
                    let both = |deed: &Deed| deed.gives.contains(&goal.fact) && deed.gives.contains(&other.fact);
                    if self.deeds.iter().any(both) {
                        continue;
                    }
                    let mut without = after.clone();
                    if let Some(word) = without.get_mut(other.fact / 64) {
                        *word &= !(1 << (other.fact % 64));
                    }
                    if !has(&self.closure(&without, Some(other)), other.fact) {
                        found.push((at, number));
                    }
                }
                if let Some(goal) = self.goals.get_mut(at) {
                    goal.dead = ever.iter().map(|word| !word).collect();
                }
            }
            if found.is_empty() {
                return;
            }
            for (at, before) in found {
                if let Some(goal) = self.goals.get_mut(at) {
                    goal.before.push(before);
                }
            }
        }
    }
}
