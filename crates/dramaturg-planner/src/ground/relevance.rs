//! Backward from goals: which operators can help at all.
//!
//! A value of a variable is relevant if a goal, or a condition of a relevant operator, asks for it. An operator is relevant if it
//! can bring about a relevant value. Where a change may be unwelcome as well as welcome (conditions of effects, rules, derived
//! fluents, tests), all values count.

use dramaturg_model::{EventKind, Fixed, Model, Operator as Operation, Table, Trigger, Value};

use super::condition::Condition;
use super::expr::GroundExpr;
use super::operator::{
    Derived, GroundChange, GroundContribution, GroundEffect, GroundRule, GroundTrigger, Operator, OperatorId, Phase,
};
use super::variable::{NumberId, Place, Sets, Variable, VariableId};

/// What is relevant so far.
struct Relevance<'a> {
    variables: &'a Table<VariableId, Variable>,
    sets: &'a Sets,
    values: Table<VariableId, Vec<u64>>,
    numbers: Table<NumberId, Direction>,
    changed: bool,
}

/// Which changes of a number matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Direction {
    up: bool,
    down: bool,
}

impl Direction {
    const BOTH: Self = Self { up: true, down: true };

    const fn is_any(self) -> bool {
        self.up || self.down
    }
}

/// What relevance is computed on.
pub(crate) struct RelevanceInput<'a> {
    pub(crate) variables: &'a Table<VariableId, Variable>,
    pub(crate) numbers: usize,
    pub(crate) sets: &'a Sets,
    pub(crate) operators: &'a [Operator],
    pub(crate) rules: &'a [GroundRule],
    pub(crate) derived: &'a [Derived],
    pub(crate) model: &'a Model,
}

/// The operators that can help reach one of the conditions, or raise (true) or lower (false) one of the likings.
pub(crate) fn relevant(
    input: &RelevanceInput<'_>,
    conditions: &[Condition],
    likings: &[(GroundExpr, bool)],
) -> Table<OperatorId, bool> {
    let operators: Table<OperatorId, &Operator> = input.operators.iter().collect();
    let words = |variable: &Variable| vec![0u64; variable.size().div_ceil(64) as usize];
    let mut relevance = Relevance {
        variables: input.variables,
        sets: input.sets,
        values: input.variables.values().map(words).collect(),
        numbers: Table::filled(input.numbers, Direction::default()),
        changed: true,
    };
    conditions.iter().for_each(|condition| relevance.ask(condition));
    likings.iter().for_each(|(expr, more)| relevance.like(expr, *more));
    let mut kept: Table<OperatorId, bool> = Table::filled(operators.len(), false);
    let mut left: Vec<OperatorId> = operators.ids().collect();
    // Kept operators whose further effects may come to matter later.
    let mut watched: Vec<OperatorId> = Vec::new();
    let mut rules_done = vec![false; input.rules.len()];
    let mut derived_done = vec![false; input.derived.len()];
    while std::mem::take(&mut relevance.changed) {
        left.retain(|id| {
            let helps = relevance.helps(operators[*id]);
            if helps {
                kept[*id] = true;
                relevance.keep(operators[*id], &mut watched, *id);
            }
            !helps
        });
        for id in &watched {
            relevance.effects(operators[*id]);
        }
        for (derived, done) in input.derived.iter().zip(&mut derived_done) {
            if !*done && relevance.is_touched(derived.variable) {
                *done = true;
                relevance.ask_all(&derived.condition);
            }
        }
        for (rule, done) in input.rules.iter().zip(&mut rules_done) {
            if relevance.touches(rule) {
                relevance.rule(rule);
                if !std::mem::replace(done, true) {
                    // What a rule waits for helps because the rule does.
                    let starters = left.iter().copied().filter(|id| starts(input, rule, operators[*id]));
                    for id in starters.collect::<Vec<_>>() {
                        kept[id] = true;
                        relevance.changed = true;
                        relevance.keep(operators[id], &mut watched, id);
                    }
                    left.retain(|id| !kept[*id]);
                }
            }
        }
    }
    kept
}

/// Whether the end of an operator may be what a rule waits for.
fn starts(input: &RelevanceInput<'_>, rule: &GroundRule, operator: &Operator) -> bool {
    let Trigger::After(pattern, _) = &input.model.rules[rule.rule].trigger else { return false };
    let action = operator.action;
    match pattern.kind {
        EventKind::Action(wanted) => wanted == action,
        EventKind::Tag(tag) => input.model.actions[action].tags.contains(&tag),
        _ => false,
    }
}

impl Relevance<'_> {
    fn mark(&mut self, variable: VariableId, value: u32) {
        if let Some(word) = self.values[variable].get_mut(value as usize / 64) {
            let bit = 1 << (value % 64);
            self.changed |= *word & bit == 0;
            *word |= bit;
        }
    }

    fn mark_all(&mut self, variable: VariableId) {
        (0..self.variables[variable].size()).for_each(|value| self.mark(variable, value));
    }

    fn mark_number(&mut self, number: NumberId, direction: Direction) {
        let known = &mut self.numbers[number];
        let both = Direction { up: known.up || direction.up, down: known.down || direction.down };
        self.changed |= *known != both;
        *known = both;
    }

    /// Makes relevant what raises (or lowers) an expression; sums are followed into their parts.
    fn like(&mut self, expr: &GroundExpr, more: bool) {
        match expr {
            GroundExpr::Value(_) => {}
            GroundExpr::Number(number) => self.mark_number(*number, Direction { up: more, down: !more }),
            GroundExpr::Arithmetic(Operation::Add, left, right) => {
                self.like(left, more);
                self.like(right, more);
            }
            GroundExpr::Arithmetic(Operation::Subtract, left, right) => {
                self.like(left, more);
                self.like(right, !more);
            }
            GroundExpr::Arithmetic(Operation::Multiply, left, right) => match (left.as_number(), right.as_number()) {
                (Some(by), None) => self.like(right, more == (by >= Fixed::ZERO)),
                (None, Some(by)) => self.like(left, more == (by >= Fixed::ZERO)),
                _ => self.read(expr),
            },
            other => self.read(other),
        }
    }

    fn is_relevant(&self, variable: VariableId, value: u32) -> bool {
        self.values[variable].get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
    }

    fn is_touched(&self, variable: VariableId) -> bool {
        self.values[variable].iter().any(|word| *word != 0)
    }

    /// Makes relevant what a condition asks for.
    fn ask(&mut self, condition: &Condition) {
        for conjunction in &condition.any {
            for literal in &conjunction.literals {
                let sets = self.sets;
                let size = self.variables[literal.variable].size();
                for value in sets.values(literal.values, size) {
                    self.mark(literal.variable, value);
                }
            }
            for (number, _) in conjunction.numbers.iter().flat_map(|test| &test.terms) {
                self.mark_number(*number, Direction::BOTH);
            }
            conjunction.tests.iter().for_each(|test| self.read(test));
        }
    }

    /// Makes relevant every value of all that a condition reads.
    fn ask_all(&mut self, condition: &Condition) {
        let mut variables = Vec::new();
        condition.for_each_variable(&mut |variable| variables.push(variable));
        variables.into_iter().for_each(|variable| self.mark_all(variable));
        let mut numbers = Vec::new();
        condition.for_each_number(&mut |number| numbers.push(number));
        numbers.into_iter().for_each(|number| self.mark_number(number, Direction::BOTH));
    }

    fn read(&mut self, expr: &GroundExpr) {
        let (mut variables, mut numbers) = (Vec::new(), Vec::new());
        expr.walk(&mut |part| match part {
            GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) => variables.push(*variable),
            GroundExpr::Number(number) => numbers.push(*number),
            _ => {}
        });
        variables.into_iter().for_each(|variable| self.mark_all(variable));
        numbers.into_iter().for_each(|number| self.mark_number(number, Direction::BOTH));
    }

    fn change_helps(&self, change: &GroundChange) -> bool {
        match change {
            GroundChange::Set(variable, value) | GroundChange::Leave(variable, _, value) => {
                self.is_relevant(*variable, *value)
            }
            GroundChange::Assign(variable, _) | GroundChange::Shift(variable, _) => self.is_touched(*variable),
            GroundChange::Random(variable, values) => values.iter().any(|value| self.is_relevant(*variable, *value)),
            GroundChange::AddNumber(number, GroundExpr::Value(Value::Number(amount))) => {
                let direction = self.numbers[*number];
                (direction.up && *amount > Fixed::ZERO) || (direction.down && *amount < Fixed::ZERO)
            }
            GroundChange::SetNumber(number, _)
            | GroundChange::AddNumber(number, _)
            | GroundChange::RandomNumber(number, ..) => self.numbers[*number].is_any(),
        }
    }

    /// Whether an operator can bring about something relevant.
    fn helps(&self, operator: &Operator) -> bool {
        let phases = operator.snap.phases.iter().any(|phase| {
            phase.sets.iter().any(|(variable, value)| self.is_relevant(*variable, *value))
                || phase.effects.iter().any(|effect| self.change_helps(&effect.change))
        });
        // What is true only while an action runs may be what another waits for.
        phases
            || operator.timed.as_ref().is_some_and(|timed| {
                timed.effects.iter().any(|part| self.change_helps(&part.effect.change))
                    || timed.contributions.iter().any(|part| self.place_touched(part.target))
            })
    }

    /// Makes relevant what an operator needs.
    fn keep(&mut self, operator: &Operator, watched: &mut Vec<OperatorId>, id: OperatorId) {
        operator.snap.phases.iter().for_each(|phase| self.ask(&phase.condition));
        if let Some(timed) = &operator.timed {
            timed.conditions.iter().for_each(|part| self.ask(&part.condition));
        }
        if operator.timed.is_some() || operator.snap.phases.iter().any(|phase| !phase.effects.is_empty()) {
            watched.push(id);
            self.effects(operator);
        }
    }

    /// Makes relevant what the relevant effects of a kept operator read.
    fn effects(&mut self, operator: &Operator) {
        for Phase { effects, .. } in &operator.snap.phases {
            effects.iter().for_each(|effect| self.effect(effect));
        }
        if let Some(timed) = &operator.timed {
            timed.effects.iter().for_each(|part| self.effect(&part.effect));
            timed.contributions.iter().for_each(|part| self.contribution(part));
        }
    }

    /// The conditions of an effect that helps: it may also have to be kept from happening.
    fn effect(&mut self, effect: &GroundEffect) {
        if self.change_touches(&effect.change) {
            self.ask_all(&effect.condition);
            effect.change.reads().into_iter().for_each(|expr| self.read(expr));
        }
    }

    fn change_touches(&self, change: &GroundChange) -> bool {
        change.variable().is_some_and(|variable| self.is_touched(variable))
            || change.number().is_some_and(|number| self.numbers[number].is_any())
    }

    fn contribution(&mut self, part: &GroundContribution) {
        if self.place_touched(part.target) {
            self.ask_all(&part.condition);
            self.read(&part.amount);
        }
    }

    fn place_touched(&self, place: Place) -> bool {
        match place {
            Place::Variable(variable) | Place::Member(variable, _) => self.is_touched(variable),
            Place::Number(number) => self.numbers[number].is_any(),
            Place::Constant(_) => false,
        }
    }

    fn touches(&self, rule: &GroundRule) -> bool {
        rule.effects.iter().any(|part| self.change_touches(&part.effect.change))
            || rule.contributions.iter().any(|part| self.place_touched(part.target))
    }

    fn rule(&mut self, rule: &GroundRule) {
        match &rule.trigger {
            GroundTrigger::When(condition, guard) => {
                self.ask_all(condition);
                self.ask_all(guard);
            }
            GroundTrigger::While(condition) | GroundTrigger::After(condition) => self.ask_all(condition),
            GroundTrigger::Always => {}
        }
        rule.effects.iter().for_each(|part| self.effect(&part.effect));
        rule.contributions.iter().for_each(|part| self.contribution(part));
    }
}
