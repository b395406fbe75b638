//! Instances to operators and rules: conditions and changes over the variables of the ground state.
//!
//! [`operator`] and [`rule`] put the pieces together; [`effect`] makes the changes; conditions are made here.

mod effect;
mod operator;
mod rule;

pub(crate) use effect::whole_amount;

use dramaturg_model::{ActuatorId, Args, Expr, FluentId, FluentSource, Table, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::ground::condition::{Condition, Conjunction};
use crate::ground::dnf::Dnf;
use crate::ground::entity::Entity;
use crate::ground::expr::GroundExpr;
use crate::ground::lower::Lower;
use crate::ground::operator::{ArgsRange, GroundActuator, GroundActuatorId};
use crate::ground::options::Meter;
use crate::ground::places::{FactPlace, Places};
use crate::ground::prune::FactReader;
use crate::ground::reach::resolve;
use crate::ground::template::{ConditionPart, LiteralPart, Sign};
use crate::ground::variable::{Place, Sets, ValueSet};

/// Builds operators, rules and derived fluents.
pub(crate) struct Assembler<'p, 'a, 'm> {
    pub(crate) places: &'p Places<'a, 'm>,
    pub(crate) meter: &'p mut Meter,
    pub(crate) sets: Sets,
    pub(crate) args: Vec<Value>,
    pub(crate) actuators: Table<GroundActuatorId, GroundActuator>,
    known_actuators: FxHashMap<(Option<ActuatorId>, Args), GroundActuatorId>,
    /// Fluents made for `done X`.
    done: Vec<FluentId>,
}

impl<'p, 'a, 'm> Assembler<'p, 'a, 'm> {
    pub(crate) fn new(places: &'p Places<'a, 'm>, meter: &'p mut Meter) -> Self {
        Self {
            places,
            meter,
            sets: Sets::default(),
            args: Vec::new(),
            actuators: Table::new(),
            known_actuators: FxHashMap::default(),
            done: places
                .world
                .model
                .fluents
                .iter()
                .filter(|(_, fluent)| matches!(fluent.source, FluentSource::Done(_)))
                .map(|(id, _)| id)
                .collect(),
        }
    }

    pub(super) fn reader(&self) -> FactReader<'p, 'm> {
        FactReader { world: self.places.world, facts: self.places.facts }
    }

    pub(super) fn dnf(&mut self) -> Dnf<'_> {
        Dnf {
            variables: &self.places.variables,
            numbers: &self.places.numbers,
            clock: &self.places.world.model.clock,
            sets: &mut self.sets,
        }
    }

    pub(super) fn values(&self, binding: &[Entity]) -> Args {
        binding.iter().map(|entity| self.places.world.entities.value(*entity)).collect()
    }

    pub(super) fn keep_args(&mut self, args: &[Value]) -> ArgsRange {
        let start = self.args.len() as u32;
        self.args.extend_from_slice(args);
        ArgsRange { start, len: args.len() as u32 }
    }

    /// The ground form of an expression.
    pub(crate) fn expr(&mut self, expr: &Expr, variables: &[Value]) -> GroundExpr {
        Lower::new(self.places, variables, self.meter).expr(expr)
    }

    /// The condition that an expression holds.
    pub(crate) fn condition(&mut self, expr: &Expr, variables: &[Value]) -> Condition {
        let ground = self.expr(expr, variables);
        self.dnf().condition(&ground)
    }

    /// The condition that all of a part holds; `full` also looks at what the join has already checked.
    pub(super) fn part(&mut self, part: &ConditionPart<'m>, binding: &[Entity], full: bool) -> Condition {
        if part.impossible {
            return Condition::never();
        }
        if full && !self.fixed_holds(part, binding) {
            return Condition::never();
        }
        let mut conjunction = Conjunction::default();
        for literal in &part.literals {
            if !self.literal(literal, binding, &mut conjunction) {
                return Condition::never();
            }
        }
        let mut condition = Condition::of(conjunction);
        if !part.rest.is_empty() {
            let values = self.values(binding);
            for (expr, sign) in &part.rest {
                let ground = self.expr(expr, &values);
                let ground = if *sign { ground } else { crate::ground::lower::negate(ground) };
                let mut dnf = self.dnf();
                let other = dnf.condition(&ground);
                condition = dnf.both(&condition, &other);
            }
        }
        condition
    }

    pub(super) fn fixed_holds(&self, part: &ConditionPart<'m>, binding: &[Entity]) -> bool {
        let constraints = part.constraints.iter().all(|constraint| {
            (resolve(constraint.left, binding) == resolve(constraint.right, binding)) == constraint.equal
        });
        if !constraints || part.fixed.is_empty() {
            return constraints;
        }
        let values = self.values(binding);
        let world = self.places.world;
        let mut evaluator = dramaturg_model::Evaluator::with(world.model, world.state, &values);
        part.fixed.iter().all(|(expr, sign)| evaluator.holds(expr) == *sign)
    }

    /// Adds a literal; false if it can never hold here.
    #[inline]
    pub(super) fn literal(&mut self, literal: &LiteralPart, binding: &[Entity], conjunction: &mut Conjunction) -> bool {
        let world = self.places.world;
        let relation = &world.relations[literal.atom.relation];
        if literal.sign == Sign::Other {
            return self.other_value(literal, binding, conjunction);
        }
        let wanted = literal.sign == Sign::Yes;
        let row = self.reader().row(&literal.atom, binding);
        let place = match row {
            None => return !wanted,
            Some(_) if relation.is_static => return wanted,
            Some(row) => self.places.fact(literal.atom.relation, row),
        };
        match place {
            FactPlace::Always => wanted,
            FactPlace::Never => !wanted,
            FactPlace::At(variable, value) => {
                let size = self.places.variables[variable].size();
                let values = match (wanted, size) {
                    (true, _) => ValueSet::One(value),
                    (false, 2) => ValueSet::One(1 - value),
                    (false, _) => ValueSet::Not(value),
                };
                conjunction.ask(variable, values, size, &mut self.sets)
            }
        }
    }

    /// The fluent has a value, and not this one.
    pub(super) fn other_value(
        &mut self,
        literal: &LiteralPart,
        binding: &[Entity],
        conjunction: &mut Conjunction,
    ) -> bool {
        let world = self.places.world;
        let Some(fluent) = world.relations[literal.atom.relation].fluent else { return false };
        let mut cells: SmallVec<[Entity; 8]> = literal.atom.terms.iter().map(|term| resolve(*term, binding)).collect();
        let value = cells.pop().map_or(Value::Nothing, |cell| world.entities.value(cell));
        let args = self.values(&cells);
        match self.places.place(fluent, &args) {
            Place::Constant(found) => found != Value::Nothing && found != value,
            Place::Variable(id) => {
                let variable = &self.places.variables[id];
                let holds =
                    |index| !matches!(variable.value(index), found if found == value || found == Value::Nothing);
                match self.sets.intern(variable.size(), holds) {
                    None => false,
                    Some(None) => true,
                    Some(Some(values)) => conjunction.ask(id, values, variable.size(), &mut self.sets),
                }
            }
            Place::Member(..) | Place::Number(_) => false,
        }
    }
}
