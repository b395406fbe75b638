//! A problem in which nothing is ever undone: compiled once, shared by all who search in the problem.
//!
//! Propositions are the values of variables, the sets of values that conditions ask for, and the comparisons of numbers that they
//! make. Components are the ways in which something can become true: an operator's plain effects, each conditional effect, what
//! rules and derived fluents add. Whatever cannot be said so is taken for true, so that a target which cannot be reached here can
//! never be reached.

use std::sync::Arc;

use dramaturg_model::{Comparison, Fixed, Id, Table, ids};
use rustc_hash::FxHashMap;

use super::parts::{Origins, Parts};
use super::steps::whole_cost;
use crate::ground::{
    Condition, Conjunction, GroundChange, GroundEffect, GroundTime, GroundTrigger, Lists, Literal, NumberId,
    NumberTest, OperatorId, Problem, ValueSet, VariableId,
};

ids! {
    /// Something that may become true.
    PropositionId,
    /// A way in which something may become true.
    ComponentId,
}

/// A way in which something may become true.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// The operator that does it; none: it comes by itself.
    pub(super) operator: Option<OperatorId>,
    /// How many propositions it waits for.
    pub(super) needs: u32,
    /// What its operator costs.
    pub(super) cost: u32,
    /// What it waits for may cost no more.
    pub(super) latest: u32,
}

/// A change of a number that helps a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Push {
    /// The comparison.
    pub(super) test: PropositionId,
    /// How much nearer it comes each time; none: at once, as far as can be said.
    pub(super) gain: Option<Fixed>,
}

/// Variables with more values than this, when they are counted up or down, are taken to have all of them at once.
const STEPS_MAX: u32 = 64;

/// A problem in which nothing is ever undone.
#[derive(Clone, Debug)]
pub struct Relaxation {
    /// Values come first, numbered as in the problem's index.
    pub(super) facts: usize,
    pub(super) sets: Arc<FxHashMap<Literal, PropositionId>>,
    pub(super) tests: Vec<(PropositionId, NumberTest)>,
    pub(super) count: usize,
    /// The sets that a value is in.
    pub(super) within: Lists<PropositionId>,
    /// The components that wait for a proposition.
    pub(super) readers: Lists<ComponentId>,
    pub(super) components: Table<ComponentId, Component>,
    /// What each component waits for.
    pub(super) needs: Lists<PropositionId>,
    /// What each component makes true.
    pub(super) effects: Lists<PropositionId>,
    /// Which comparisons each component helps.
    pub(super) pushes: Lists<Push>,
    /// Whether there are any.
    pub(super) has_pushes: bool,
    /// Components that wait for nothing.
    pub(super) free: Vec<ComponentId>,
    /// Derived facts that may become false again, which nobody here can follow.
    pub(super) released: Vec<PropositionId>,
    /// Where propositions come from; none: nobody has looked.
    pub(super) origins: Option<Origins>,
}

impl Relaxation {
    /// Compiles a problem. Costs are those of operators, or one for each.
    pub fn new(problem: &Problem, unit_costs: bool) -> Self {
        let cost = |id| if unit_costs { 1 } else { whole_cost(problem, id) };
        let costs = problem.operators.ids().map(cost).collect();
        let mut writer = Writer::new(problem, &costs, None);
        writer.write();
        writer.finish()
    }

    /// Compiles a problem in which costs are moments: what an operator makes at its start is there at once, all else when it has
    /// taken its time; one that starts too late makes nothing.
    pub(crate) fn of_moments(
        problem: &Problem,
        durations: &Table<OperatorId, u32>,
        latest: &Table<OperatorId, u32>,
    ) -> Self {
        let mut writer = Writer::new(problem, durations, Some(latest));
        writer.write();
        writer.finish()
    }

    /// How many propositions there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many of them are values of variables; they come first.
    pub fn facts(&self) -> usize {
        self.facts
    }

    pub(super) fn tests(&self) -> &[(PropositionId, NumberTest)] {
        &self.tests
    }

    /// The proposition of a literal, if a condition of the problem asks for it or it is a plain value.
    pub(super) fn literal(&self, problem: &Problem, literal: Literal) -> Option<PropositionId> {
        match literal.values {
            ValueSet::One(value) => Some(fact(problem, literal.variable, value)),
            _ => self.sets.get(&literal).copied(),
        }
    }

    /// The proposition of a comparison, if a condition of the problem makes it.
    pub(super) fn test(&self, test: &NumberTest) -> Option<PropositionId> {
        self.tests.iter().find(|(_, known)| known == test).map(|(id, _)| *id)
    }
}

pub(super) fn fact(problem: &Problem, variable: VariableId, value: u32) -> PropositionId {
    PropositionId::from_index(problem.index.fact(variable, value))
}

struct Writer<'p> {
    problem: &'p Problem,
    costs: &'p Table<OperatorId, u32>,
    /// The latest moment of each operator, where costs are moments.
    latest: Option<&'p Table<OperatorId, u32>>,
    facts: usize,
    sets: FxHashMap<Literal, PropositionId>,
    tests: Vec<(PropositionId, NumberTest)>,
    /// The comparisons that read a number, with its factor.
    tests_of: FxHashMap<NumberId, Vec<usize>>,
    parts: Parts,
}

impl<'p> Writer<'p> {
    fn new(
        problem: &'p Problem,
        costs: &'p Table<OperatorId, u32>,
        latest: Option<&'p Table<OperatorId, u32>>,
    ) -> Self {
        let facts = problem.variables.iter().map(|(id, variable)| problem.index.fact(id, variable.size())).max();
        Self {
            problem,
            costs,
            latest,
            facts: facts.unwrap_or(0),
            sets: FxHashMap::default(),
            tests: Vec::new(),
            tests_of: FxHashMap::default(),
            parts: Parts { count: facts.unwrap_or(0), ..Parts::default() },
        }
    }

    fn write(&mut self) {
        let problem = self.problem;
        // Comparisons must be known before what helps them.
        for operator in problem.operators.values() {
            for phase in &operator.snap.phases {
                self.note(&phase.condition);
                phase.effects.iter().for_each(|effect| self.note(&effect.condition));
            }
        }
        problem.derived.iter().for_each(|derived| self.note(&derived.condition));
        for rule in problem.rules.values() {
            match &rule.trigger {
                GroundTrigger::When(condition, guard) => {
                    self.note(condition);
                    self.note(guard);
                }
                GroundTrigger::While(condition) | GroundTrigger::After(condition) => self.note(condition),
                GroundTrigger::Always => {}
            }
            rule.effects.iter().for_each(|part| self.note(&part.effect.condition));
        }
        problem.wishes.iter().flat_map(|wish| wish.conditions()).for_each(|condition| self.note(condition));
        for id in problem.operators.ids() {
            self.operator(id);
        }
        for derived in &problem.derived {
            for part in &derived.condition.any {
                let needs = self.propositions(part);
                let effect = fact(problem, derived.variable, derived.yes);
                self.component(None, 0, &needs, &[effect], &[]);
            }
        }
        for rule in problem.rules.values().filter(|rule| rule.duration.is_none()) {
            let GroundTrigger::When(condition, guard) = &rule.trigger else { continue };
            let parts = self.both(&condition.any, guard);
            let effects: Vec<&GroundEffect> = rule.effects.iter().map(|part| &part.effect).collect();
            self.changes(None, 0, &parts, &effects);
        }
    }

    /// Numbers the comparisons and sets of a condition.
    fn note(&mut self, condition: &Condition) {
        for part in &condition.any {
            part.literals.iter().for_each(|literal| {
                self.literal(*literal);
            });
            part.numbers.iter().for_each(|test| {
                self.test(test);
            });
        }
    }

    fn literal(&mut self, literal: Literal) -> PropositionId {
        if let ValueSet::One(value) = literal.values {
            return fact(self.problem, literal.variable, value);
        }
        if let Some(known) = self.sets.get(&literal) {
            return *known;
        }
        let id = PropositionId::from_index(self.parts.count);
        self.parts.count += 1;
        self.sets.insert(literal, id);
        let size = self.problem.variables[literal.variable].size();
        for value in self.problem.sets.values(literal.values, size) {
            self.parts.within.push((fact(self.problem, literal.variable, value).0, id));
        }
        id
    }

    fn test(&mut self, test: &NumberTest) -> PropositionId {
        let first = test.terms.first().map(|(number, _)| *number);
        let known = first.and_then(|number| self.tests_of.get(&number)).into_iter().flatten();
        let mut found = known.filter_map(|place| self.tests.get(*place)).filter(|(_, known)| known == test);
        if let Some((id, _)) = found.next() {
            return *id;
        }
        let id = PropositionId::from_index(self.parts.count);
        self.parts.count += 1;
        for (number, _) in &test.terms {
            self.tests_of.entry(*number).or_default().push(self.tests.len());
        }
        self.tests.push((id, test.clone()));
        id
    }

    fn propositions(&mut self, part: &Conjunction) -> Vec<PropositionId> {
        let mut found: Vec<PropositionId> = part.literals.iter().map(|literal| self.literal(*literal)).collect();
        for test in &part.numbers {
            found.push(self.test(test));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Every way in which one of some conjunctions and a condition hold together. Contradictions do no harm: they are never reached.
    fn both(&self, parts: &[Conjunction], condition: &Condition) -> Vec<Conjunction> {
        if condition.is_always() {
            return parts.to_vec();
        }
        let mut found = Vec::with_capacity(parts.len() * condition.any.len());
        for part in parts {
            for other in &condition.any {
                let mut both = part.clone();
                both.literals.extend(other.literals.iter().copied());
                both.numbers.extend(other.numbers.iter().cloned());
                found.push(both);
            }
        }
        found
    }

    fn operator(&mut self, id: OperatorId) {
        let problem = self.problem;
        let operator = &problem.operators[id];
        let only_at_start = self.latest.is_some()
            && operator.timed.as_ref().is_some_and(|timed| {
                timed.contributions.is_empty() && timed.effects.iter().all(|part| part.time == GroundTime::Start)
            });
        let mut parts = vec![Conjunction::default()];
        let mut set_before: Vec<VariableId> = Vec::new();
        let mut last = Vec::new();
        let cost_at_end = self.costs[id];
        for (place, phase) in (1..).zip(&operator.snap.phases) {
            let at_start = only_at_start || self.latest.is_some() && place < operator.snap.phases.len();
            let cost = if at_start { 0 } else { cost_at_end };
            // What an earlier phase has changed is no longer asked of the state before.
            let mut condition = phase.condition.clone();
            for part in &mut condition.any {
                part.literals.retain(|literal| !set_before.contains(&literal.variable));
                if !set_before.is_empty() {
                    part.numbers.clear();
                }
            }
            parts = self.both(&parts, &condition);
            let plain = phase.sets.iter().map(|(variable, value)| fact(problem, *variable, *value));
            let plain: Vec<PropositionId> = plain.collect();
            let effects: Vec<&GroundEffect> = phase.effects.iter().collect();
            for part in &parts {
                let needs = self.propositions(part);
                if !plain.is_empty() {
                    self.component(Some(id), cost, &needs, &plain, &[]);
                }
            }
            self.changes(Some(id), cost, &parts, &effects);
            set_before.extend(phase.sets.iter().map(|(variable, _)| *variable));
            set_before.extend(phase.effects.iter().filter_map(|effect| effect.change.variable()));
            last.clone_from(&parts);
        }
        for rule in problem.index.rules_after(id) {
            let rule = &problem.rules[*rule];
            let GroundTrigger::After(guard) = &rule.trigger else { continue };
            if rule.duration.is_none() {
                let parts = self.both(&last, guard);
                let effects: Vec<&GroundEffect> = rule.effects.iter().map(|part| &part.effect).collect();
                self.changes(Some(id), cost_at_end, &parts, &effects);
            }
        }
    }

    /// Components for changes that are not plain.
    fn changes(&mut self, operator: Option<OperatorId>, cost: u32, parts: &[Conjunction], effects: &[&GroundEffect]) {
        let problem = self.problem;
        for effect in effects {
            for part in self.both(parts, &effect.condition) {
                let needs = self.propositions(&part);
                match &effect.change {
                    GroundChange::Set(variable, value) => {
                        self.component(operator, cost, &needs, &[fact(problem, *variable, *value)], &[]);
                    }
                    GroundChange::Leave(variable, from, to) => {
                        let mut needs = needs;
                        needs.push(fact(problem, *variable, *from));
                        needs.sort_unstable();
                        needs.dedup();
                        self.component(operator, cost, &needs, &[fact(problem, *variable, *to)], &[]);
                    }
                    GroundChange::Shift(variable, by) => self.shift(operator, cost, &needs, *variable, by.as_number()),
                    GroundChange::Assign(variable, expr) => match expr {
                        crate::ground::GroundExpr::Value(value) => {
                            let index = problem.variables[*variable].index_of(*value);
                            let effect: Vec<_> =
                                index.map(|index| fact(problem, *variable, index)).into_iter().collect();
                            self.component(operator, cost, &needs, &effect, &[]);
                        }
                        _ => self.anything(operator, cost, &needs, *variable),
                    },
                    GroundChange::SetNumber(number, expr) => {
                        let pushes = self.pushes_of(*number, |test, factor| {
                            let Some(to) = expr.as_number().filter(|_| test.terms.len() == 1) else {
                                return Some(None);
                            };
                            test.sign.holds(factor.multiply(to) + test.constant, Fixed::ZERO).then_some(None)
                        });
                        self.component(operator, cost, &needs, &[], &pushes);
                    }
                    GroundChange::AddNumber(number, expr) => {
                        let by = expr.as_number();
                        let pushes = self.pushes_of(*number, |test, factor| {
                            let Some(by) = by else { return Some(None) };
                            let by = factor.multiply(by);
                            let helps = match test.sign {
                                Comparison::AtLeast | Comparison::More => by > Fixed::ZERO,
                                Comparison::AtMost | Comparison::Less => by < Fixed::ZERO,
                                _ => by != Fixed::ZERO,
                            };
                            helps.then_some(Some(by.abs()))
                        });
                        self.component(operator, cost, &needs, &[], &pushes);
                    }
                    // Search leaves what chance decides as it is.
                    GroundChange::Random(..) | GroundChange::RandomNumber(..) => {}
                }
            }
        }
    }

    fn pushes_of(&self, number: NumberId, gain: impl Fn(&NumberTest, Fixed) -> Option<Option<Fixed>>) -> Vec<Push> {
        let mut found = Vec::new();
        for (id, test) in self.tests_of.get(&number).into_iter().flatten().filter_map(|place| self.tests.get(*place)) {
            let factor =
                test.terms.iter().find(|(known, _)| *known == number).map_or(Fixed::ZERO, |(_, factor)| *factor);
            found.extend(gain(test, factor).map(|gain| Push { test: *id, gain }));
        }
        found
    }

    fn shift(
        &mut self,
        operator: Option<OperatorId>,
        cost: u32,
        needs: &[PropositionId],
        variable: VariableId,
        by: Option<Fixed>,
    ) {
        let declared = &self.problem.variables[variable];
        let size = declared.size();
        let Some(by) = by.filter(|by| by.is_int() && size <= STEPS_MAX) else {
            return self.anything(operator, cost, needs, variable);
        };
        for value in 0..size {
            let to = (i64::from(value) + by.floor_int()).clamp(0, i64::from(size) - 1) as u32;
            if to != value && declared.value(value).as_number().is_some() {
                let mut needs = needs.to_vec();
                needs.push(fact(self.problem, variable, value));
                needs.sort_unstable();
                needs.dedup();
                self.component(operator, cost, &needs, &[fact(self.problem, variable, to)], &[]);
            }
        }
    }

    /// A variable may get any value.
    fn anything(&mut self, operator: Option<OperatorId>, cost: u32, needs: &[PropositionId], variable: VariableId) {
        let size = self.problem.variables[variable].size();
        let all: Vec<PropositionId> = (0..size).map(|value| fact(self.problem, variable, value)).collect();
        self.component(operator, cost, needs, &all, &[]);
    }

    fn component(
        &mut self,
        operator: Option<OperatorId>,
        cost: u32,
        needs: &[PropositionId],
        effects: &[PropositionId],
        pushes: &[Push],
    ) {
        // What is asked for and made true again is no effect.
        let effects: Vec<PropositionId> = effects.iter().copied().filter(|effect| !needs.contains(effect)).collect();
        if effects.is_empty() && pushes.is_empty() {
            return;
        }
        let latest = operator.zip(self.latest).map_or(u32::MAX, |(operator, latest)| latest[operator]);
        let id = self.parts.components.push(Component { operator, needs: needs.len() as u32, cost, latest });
        self.parts.needs.extend(needs.iter().map(|need| (id.0, *need)));
        self.parts.effects.extend(effects.iter().map(|effect| (id.0, *effect)));
        self.parts.pushes.extend(pushes.iter().map(|push| (id.0, *push)));
    }

    fn finish(self) -> Relaxation {
        let problem = self.problem;
        let no = |yes: u32| u32::from(yes == 0);
        let released = problem.derived.iter().map(|derived| fact(problem, derived.variable, no(derived.yes)));
        let mut released: Vec<PropositionId> = released.collect();
        released.sort_unstable();
        released.dedup();
        let mut relaxation = self.parts.finish(self.facts, Arc::new(self.sets), self.tests, released);
        relaxation.origins = Some(Origins::of(&relaxation));
        relaxation
    }
}
