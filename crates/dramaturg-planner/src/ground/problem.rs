//! The ground problem: what every planner searches in.

use std::hash::Hasher;

use dramaturg_model::{Args, Clock, FluentId, LevelId, Model, Table, Value};
use rustc_hash::{FxHashMap, FxHasher};

use super::condition::Condition;
use super::expr::Frame;
use super::index::Index;
use super::operator::{Derived, GroundActuator, GroundActuatorId, GroundRule, GroundRuleId, Operator, OperatorId};
use super::variable::{Meaning, Number, NumberId, Place, Sets, Variable, VariableId};
use super::wish::GroundWish;

/// The ground form of a model for one level, seen from one state: immutable, shared by all planners. Its ids never leave the
/// planner crate; [`Problem::operator_name`] and [`Problem::value_name`] say them in names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The level whose objects exist.
    pub level: Option<LevelId>,
    /// How ticks relate to time.
    pub clock: Clock,
    /// Variables with finitely many values.
    pub variables: Table<VariableId, Variable>,
    /// Numbers.
    pub numbers: Table<NumberId, Number>,
    /// Interned sets of values.
    pub sets: Sets,
    /// Actions with their arguments.
    pub operators: Table<OperatorId, Operator>,
    /// Rules with their arguments, in order of priority.
    pub rules: Table<GroundRuleId, GroundRule>,
    /// Fluents computed from others, in order of strata.
    pub derived: Vec<Derived>,
    /// Wishes of everybody.
    pub wishes: Vec<GroundWish>,
    /// Actuators that operators use.
    pub actuators: Table<GroundActuatorId, GroundActuator>,
    /// Arguments of operators and rules.
    pub(crate) args: Vec<Value>,
    /// Where fluents that change are found.
    pub(crate) places: FxHashMap<(FluentId, Args), Place>,
    /// Look-ups.
    pub index: Index,
    /// How many words a packed state has.
    pub words: usize,
    /// The same for the same content, on every machine.
    pub hash: u128,
}

impl Problem {
    /// What gives values their meaning.
    #[inline]
    pub fn frame(&self) -> Frame<'_> {
        Frame { variables: &self.variables, sets: &self.sets, clock: &self.clock }
    }

    /// The arguments of an operator.
    pub fn args(&self, operator: OperatorId) -> &[Value] {
        let range = self.operators[operator].args;
        self.args.get(range.start as usize..(range.start + range.len) as usize).unwrap_or(&[])
    }

    /// The arguments of a rule.
    pub fn rule_args(&self, rule: GroundRuleId) -> &[Value] {
        let range = self.rules[rule].args;
        self.args.get(range.start as usize..(range.start + range.len) as usize).unwrap_or(&[])
    }

    /// Where a fluent with arguments is found; none if it never changes.
    pub fn place(&self, fluent: FluentId, args: &[Value]) -> Option<Place> {
        self.places.get(&(fluent, Args::from_slice(args))).copied()
    }

    /// An operator in names: `walk(hector, dock)`.
    pub fn operator_name(&self, model: &Model, operator: OperatorId) -> String {
        model.action_name(self.operators[operator].action, self.args(operator))
    }

    /// A value of a variable in names: `hector.location == dock`, `clear(a)`, `none of clear(a), on(b, a)`.
    pub fn value_name(&self, model: &Model, variable: VariableId, value: u32) -> String {
        let declared = &self.variables[variable];
        match &declared.meaning {
            Meaning::Fluent { fluent, args, .. } | Meaning::Whole { fluent, args, .. } => {
                let name = model.fluent_name(*fluent, args);
                match declared.value(value) {
                    Value::Bool(true) => name,
                    Value::Bool(false) => format!("not {name}"),
                    other => format!("{name} == {}", model.value_name(other)),
                }
            }
            Meaning::Group { facts, .. } => match facts.get(value as usize) {
                Some((fluent, args)) => model.fluent_name(*fluent, args),
                None => {
                    let names: Vec<String> =
                        facts.iter().map(|(fluent, args)| model.fluent_name(*fluent, args)).collect();
                    format!("none of {}", names.join(", "))
                }
            },
        }
    }

    /// The conditions that the story itself wants in the end: its goals that are not bound to a time.
    pub fn story_goals(&self, model: &Model) -> Vec<&Condition> {
        let own = |wish: &&GroundWish| model.wishes[wish.wish].owner == dramaturg_model::Owner::Story;
        let goals =
            self.wishes.iter().filter(own).filter(|wish| matches!(wish.kind, super::wish::GroundWishKind::Goal { .. }));
        goals.flat_map(GroundWish::conditions).collect()
    }

    /// The number of operators, variables, values and numbers: a measure of size.
    pub fn size(&self) -> (usize, usize, usize, usize) {
        let values = self.variables.values().map(|variable| variable.size() as usize).sum();
        (self.operators.len(), self.variables.len(), values, self.numbers.len())
    }
}

/// A hash of what a problem says.
pub(crate) fn content_hash(problem: &Problem, model: &Model) -> u128 {
    let mut hashers = [FxHasher::default(), FxHasher::default()];
    let mut put = |value: u64| {
        let [first, second] = &mut hashers;
        first.write_u64(value);
        second.write_u64(value.rotate_left(29) ^ 0x9E37_79B9_7F4A_7C15);
    };
    let value = |value: Value| match value {
        Value::Nothing => 0,
        Value::Bool(value) => 1 + u64::from(value),
        Value::Number(number) => (number.0 as u64).wrapping_mul(8) ^ 3,
        Value::Symbol(symbol) => u64::from(symbol.0) * 8 + 4,
        Value::Object(object) => u64::from(object.0) * 8 + 5,
    };
    let text = |text: &str, put: &mut dyn FnMut(u64)| {
        text.bytes().for_each(|byte| put(u64::from(byte)));
        put(u64::MAX);
    };
    model.actions.values().for_each(|action| text(&action.name, &mut put));
    model.fluents.values().for_each(|fluent| text(&fluent.name, &mut put));
    model.objects.values().for_each(|object| text(&object.name, &mut put));
    for variable in problem.variables.values() {
        put(u64::from(variable.initial) << 32 | u64::from(variable.size()));
        match &variable.meaning {
            Meaning::Fluent { fluent, args, values } => {
                put(u64::from(fluent.0));
                args.iter().chain(values).for_each(|arg| put(value(*arg)));
            }
            Meaning::Whole { fluent, args, least, .. } => {
                put(u64::from(fluent.0) << 1);
                put(*least as u64);
                args.iter().for_each(|arg| put(value(*arg)));
            }
            Meaning::Group { facts, .. } => {
                for (fluent, args) in facts {
                    put(u64::from(fluent.0) << 2);
                    args.iter().for_each(|arg| put(value(*arg)));
                }
            }
        }
    }
    for number in problem.numbers.values() {
        put(u64::from(number.fluent.0));
        number.args.iter().for_each(|arg| put(value(*arg)));
        put(number.initial.map_or(u64::MAX, |initial| initial.0 as u64));
    }
    for operator in problem.operators.values() {
        put(u64::from(operator.action.0) << 32 | u64::from(operator.args.len));
        for phase in &operator.snap.phases {
            for literal in phase.condition.any.iter().flat_map(|any| &any.literals) {
                put(u64::from(literal.variable.0) << 32 | u64::from(set_code(literal.values)));
            }
            for (variable, value) in &phase.sets {
                put(u64::from(variable.0) << 32 | u64::from(*value));
            }
            put(phase.effects.len() as u64);
        }
    }
    problem.args.iter().for_each(|arg| put(value(*arg)));
    let [first, second] = hashers;
    u128::from(first.finish()) << 64 | u128::from(second.finish())
}

fn set_code(set: super::variable::ValueSet) -> u32 {
    use super::variable::ValueSet;
    match set {
        ValueSet::One(value) => value << 2,
        ValueSet::Not(value) => value << 2 | 1,
        ValueSet::Range(least, most) => (least.wrapping_mul(65_599) ^ most) << 2 | 2,
        ValueSet::Set(id) => id.0 << 2 | 3,
    }
}
