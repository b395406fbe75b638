//! A problem in which actions that others need to happen inside them start and end as two operators.

use std::sync::Arc;

use dramaturg_model::{Args, FluentId, Model, Table, Tick};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::footprint::{Footprint, Footprints};
use super::given::{Given, givens};
use super::stage::{Part, Stage};
use super::timeline::Timeline;
use crate::ground::operator::unit_cost;
use crate::ground::{
    BitPlace, Condition, Conjunction, GroundChange, GroundEffect, GroundTime, Index, Literal, Meaning, Operator,
    OperatorId, Phase, Problem, Sets, Snap, Timed, ValueSet, Variable, VariableId,
};

/// Which operators have something that is so only while they last, and that somebody may want.
pub(super) fn enclosing(problem: &Problem, target: &crate::search::Target) -> Vec<OperatorId> {
    // Every set of values that somebody asks a variable for.
    let mut asked: FxHashSet<Literal> = FxHashSet::default();
    let mut ask = |condition: &Condition| asked.extend(condition.any.iter().flat_map(|part| &part.literals));
    for operator in problem.operators.values() {
        match &operator.timed {
            Some(timed) => {
                timed.conditions.iter().for_each(|part| ask(&part.condition));
                timed.effects.iter().for_each(|part| ask(&part.effect.condition));
            }
            None => {
                operator.snap.phases.iter().for_each(|phase| {
                    ask(&phase.condition);
                    phase.effects.iter().for_each(|effect| ask(&effect.condition));
                });
            }
        }
    }
    target.conditions.iter().for_each(ask);
    let mut asked: Vec<Literal> = asked.into_iter().collect();
    asked.sort_unstable();
    let wanted = |variable: VariableId, during: u32, after: u32| {
        let from = asked.partition_point(|literal| literal.variable < variable);
        let own = asked.get(from..).unwrap_or(&[]).iter().take_while(|literal| literal.variable == variable);
        own.clone().any(|literal| {
            problem.sets.contains(literal.values, during) && !problem.sets.contains(literal.values, after)
        })
    };
    let encloses = |operator: &Operator| {
        let Some(timed) = &operator.timed else { return false };
        let at_end = |variable: VariableId| {
            timed.effects.iter().filter(|part| part.time != GroundTime::Start).find_map(|part| {
                match part.effect.change {
                    GroundChange::Set(found, value) | GroundChange::Leave(found, _, value) if found == variable => {
                        Some(value)
                    }
                    _ => None,
                }
            })
        };
        timed.effects.iter().filter(|part| part.time == GroundTime::Start).any(|part| match part.effect.change {
            GroundChange::Set(variable, during) | GroundChange::Leave(variable, _, during) => {
                at_end(variable).is_some_and(|after| after != during && wanted(variable, during, after))
            }
            _ => false,
        })
    };
    problem.operators.iter().filter(|(_, operator)| encloses(operator)).map(|(id, _)| id).collect()
}

/// Builds a problem with split operators.
struct Splitter<'p> {
    base: &'p Problem,
    variables: Table<VariableId, Variable>,
    sets: Sets,
    operators: Table<OperatorId, Operator>,
    footprints: Vec<Footprint>,
    parts: Table<OperatorId, Part>,
    /// The operator of the base problem that each comes from.
    origins: Table<OperatorId, Option<OperatorId>>,
    words: usize,
    /// Bits used in the last word.
    bits: u8,
}

/// A stage in which some operators are split, and where its operators come from.
pub(super) struct SplitStage {
    pub(super) stage: Arc<Stage>,
    pub(super) origins: Table<OperatorId, Option<OperatorId>>,
}

impl SplitStage {
    /// How many operators are split.
    pub(super) fn starts(&self) -> usize {
        let parts = self.stage.parts.iter().flat_map(Table::values);
        parts.filter(|part| matches!(part, Part::Start(..))).count()
    }
}

/// A stage in which some operators start and end as two, and what is given at a tick happens as an operator.
pub(super) fn split(model: &Model, base: &Stage, enclosing: &[OperatorId]) -> SplitStage {
    let problem = &base.problem;
    let mut splitter = Splitter {
        base: problem,
        variables: problem.variables.clone(),
        sets: problem.sets.clone(),
        operators: Table::new(),
        footprints: Vec::new(),
        parts: Table::new(),
        origins: Table::new(),
        words: problem.words,
        bits: 64,
    };
    let mut over: Vec<Literal> = Vec::new();
    for (id, operator) in problem.operators.iter() {
        match &operator.timed {
            Some(timed) if enclosing.binary_search(&id).is_ok() => {
                let running = splitter.split(id, operator, timed, base.footprints.of(id));
                over.push(Literal { variable: running, values: ValueSet::One(0) });
            }
            _ => splitter.add(operator.clone(), Part::Whole, base.footprints.of(id).clone(), Some(id)),
        }
    }
    let givens = splitter.givens(model);
    let Splitter { variables, sets, operators, footprints, parts, origins, words, .. } = splitter;
    let index = Index::new(&variables, &operators, &problem.rules, &problem.derived, &[], model.objects.len());
    let problem = Problem { variables, sets, operators, index, words, ..Problem::clone(problem) };
    let mut start = problem.initial();
    start.set_now(base.start.now());
    for variable in base.problem.variables.ids() {
        start.set(&problem, variable, base.start.get(&base.problem, variable));
    }
    for number in base.problem.numbers.ids() {
        start.set_number(number, base.start.number(number));
    }
    let mut target = base.target.clone();
    if !over.is_empty() {
        target
            .conditions
            .push(Condition::of(Conjunction { literals: over.into_iter().collect(), ..Conjunction::default() }));
    }
    // All else comes after variables, of which there are more now.
    let more = (problem.variables.len() - base.problem.variables.len()) as u32;
    let slots = base.footprints.slots + more as usize;
    let footprints =
        footprints.into_iter().map(|footprint| footprint.with_more_variables(base.problem.variables.len(), more));
    let stage = Stage {
        footprints: Arc::new(Footprints::from_parts(footprints.collect(), slots)),
        opening: Timeline::new(slots, base.epsilon),
        problem: Arc::new(problem),
        start,
        target,
        parts: Some(parts),
        givens,
        calendar: None,
        epsilon: base.epsilon,
        objective: base.objective.clone(),
    };
    SplitStage { stage: Arc::new(stage), origins }
}

impl Splitter<'_> {
    fn add(&mut self, operator: Operator, part: Part, footprint: Footprint, origin: Option<OperatorId>) {
        self.operators.push(operator);
        self.parts.push(part);
        self.footprints.push(footprint);
        self.origins.push(origin);
    }

    /// A variable with values that are counted from 0, for this problem alone.
    fn variable(&mut self, size: u32) -> VariableId {
        let width = (u32::BITS - size.saturating_sub(1).leading_zeros()).max(1) as u8;
        if self.bits + width > 64 {
            self.words += 1;
            self.bits = 0;
        }
        let place = BitPlace { word: self.words as u32 - 1, shift: self.bits, width };
        self.bits += width;
        let meaning = Meaning::Whole { fluent: FluentId(0), args: Args::new(), least: 0, count: size, nothing: false };
        self.variables.push(Variable { meaning, initial: 0, derived: false, place })
    }

    /// Splits an operator; the variable that says whether it is running.
    fn split(&mut self, id: OperatorId, operator: &Operator, timed: &Timed, footprint: &Footprint) -> VariableId {
        let running = self.variable(2);
        let mut at_start = asks(running, 0);
        let mut at_end = asks(running, 1);
        let mut keeps = Condition::always();
        for part in timed.conditions.iter().filter(|part| part.weight.is_none()) {
            match part.time {
                GroundTime::Start => at_start = self.both(&at_start, &part.condition),
                GroundTime::End => at_end = self.both(&at_end, &part.condition),
                GroundTime::Throughout | GroundTime::After(_) => keeps = self.both(&keeps, &part.condition),
            }
        }
        let effects = |wanted: bool| {
            let parts = timed.effects.iter().filter(move |part| (part.time == GroundTime::Start) == wanted);
            parts.map(|part| part.effect.clone())
        };
        let start = phase(at_start, effects(true), (running, 1));
        let end = phase(at_end, effects(false), (running, 0));
        let own = |phase| Operator {
            snap: Snap { phases: SmallVec::from_iter([phase]) },
            cost: unit_cost(),
            ..operator.clone()
        };
        let (first, second) = (self.operators.next_id(), OperatorId(self.operators.len() as u32 + 1));
        self.add(own(start), Part::Start(second, keeps), footprint.start(), Some(id));
        self.add(own(end), Part::End(first), footprint.end(), None);
        running
    }

    /// Operators for what is given at a tick, one after another.
    fn givens(&mut self, model: &Model) -> Vec<(Tick, OperatorId)> {
        let found = givens(model, self.base);
        let Some(action) = self.base.operators.values().next().map(|operator| operator.action) else {
            return Vec::new();
        };
        let count = found.len() as u32;
        let passed = (count > 0).then(|| self.variable(count + 1));
        let mut givens = Vec::new();
        for (number, Given { at, change, slot }) in (0u32..).zip(found) {
            let Some(passed) = passed else { break };
            let effect = GroundEffect { condition: Condition::always(), change };
            let operator = Operator {
                action,
                args: crate::ground::operator::ArgsRange::default(),
                performer: None,
                cost: unit_cost(),
                snap: Snap {
                    phases: SmallVec::from_iter([phase(
                        asks(passed, number),
                        std::iter::once(effect),
                        (passed, number + 1),
                    )]),
                },
                timed: None,
            };
            givens.push((at, self.operators.next_id()));
            self.add(operator, Part::Given(at), Footprint::setting(slot), None);
        }
        givens
    }

    /// Both conditions together.
    fn both(&mut self, left: &Condition, right: &Condition) -> Condition {
        let mut any = SmallVec::new();
        for one in &left.any {
            for other in &right.any {
                let mut both = one.clone();
                let agrees = other.literals.iter().all(|literal| {
                    let size = self.variables[literal.variable].size();
                    both.ask(literal.variable, literal.values, size, &mut self.sets)
                });
                if agrees {
                    both.numbers.extend(other.numbers.iter().cloned());
                    both.tests.extend(other.tests.iter().cloned());
                    any.push(both);
                }
            }
        }
        Condition { any }
    }
}

/// That a variable has a value.
fn asks(variable: VariableId, value: u32) -> Condition {
    let mut only = Conjunction::default();
    only.literals.push(Literal { variable, values: ValueSet::One(value) });
    Condition::of(only)
}

/// A phase with these effects that also marks a variable.
fn phase(condition: Condition, effects: impl Iterator<Item = GroundEffect>, mark: (VariableId, u32)) -> Phase {
    let mut phase = Phase { condition, ..Phase::default() };
    phase.sets.push(mark);
    for effect in effects {
        match effect.change {
            GroundChange::Set(variable, value) if effect.condition.is_always() => phase.sets.push((variable, value)),
            _ => phase.effects.push(effect),
        }
    }
    phase
}
