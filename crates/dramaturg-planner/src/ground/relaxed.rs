//! What an expression can come to when every reached value stays possible for ever: evaluation without deletes.

use dramaturg_model::eval::compare;
use dramaturg_model::{Args, Binder, Comparison, Evaluator, Expr, FluentId, FluentSource, Quantifier, Set, Value};
use smallvec::SmallVec;

use super::entity::Entity;
use super::relation::RelationKind;
use super::world::World;

/// The values an expression can have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Possible {
    /// Any number, or more values than are worth listing.
    pub(crate) anything: bool,
    /// Each once, in no order that matters.
    pub(crate) values: SmallVec<[Value; 4]>,
}

/// Whether a condition can hold and can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chance {
    pub(crate) hold: bool,
    pub(crate) fail: bool,
}

/// More combinations than this are not looked at one by one.
const COMBINATIONS_MAX: usize = 4096;
/// More values than this are not listed.
const VALUES_MAX: usize = 512;

impl Possible {
    fn anything() -> Self {
        Self { anything: true, values: SmallVec::new() }
    }

    fn one(value: Value) -> Self {
        Self { anything: false, values: SmallVec::from_slice(&[value]) }
    }

    fn of_chance(chance: Chance) -> Self {
        let mut values = SmallVec::new();
        if chance.hold {
            values.push(Value::Bool(true));
        }
        if chance.fail {
            values.push(Value::Bool(false));
        }
        Self { anything: false, values }
    }

    fn add(&mut self, value: Value) {
        if !self.anything && !self.values.contains(&value) {
            self.values.push(value);
            if self.values.len() > VALUES_MAX {
                *self = Self::anything();
            }
        }
    }

    fn join(&mut self, other: Self) {
        if other.anything {
            *self = Self::anything();
        }
        for value in other.values {
            self.add(value);
        }
    }

    fn chance(&self) -> Chance {
        Chance {
            hold: self.anything || self.values.contains(&Value::Bool(true)),
            fail: self.anything || self.values.iter().any(|value| !value.is_true()),
        }
    }
}

/// Evaluates expressions over all that has been reached so far.
pub(crate) struct Relaxed<'w, 'm> {
    world: &'w World<'m>,
    variables: SmallVec<[Value; 8]>,
    /// Expressions looked at, for the meter.
    pub(crate) work: u64,
    /// Beyond this much work everything counts as possible, and the meter will stop the whole.
    budget: u64,
}

impl<'w, 'm> Relaxed<'w, 'm> {
    pub(crate) fn new(world: &'w World<'m>, variables: &[Value], budget: u64) -> Self {
        Self { world, variables: SmallVec::from_slice(variables), work: 0, budget }
    }

    /// Whether a condition can hold and can fail.
    pub(crate) fn chance(&mut self, expr: &Expr) -> Chance {
        self.work += 1;
        if self.work > self.budget {
            return Chance { hold: true, fail: true };
        }
        match expr {
            Expr::And(parts) => {
                let mut all = Chance { hold: true, fail: false };
                for part in parts {
                    let part = self.chance(part);
                    all = Chance { hold: all.hold && part.hold, fail: all.fail || part.fail };
                    if !all.hold {
                        break;
                    }
                }
                all
            }
            Expr::Or(parts) => {
                let mut any = Chance { hold: false, fail: true };
                for part in parts {
                    let part = self.chance(part);
                    any = Chance { hold: any.hold || part.hold, fail: any.fail && part.fail };
                    if !any.fail {
                        break;
                    }
                }
                any
            }
            Expr::Not(inner) => {
                let inner = self.chance(inner);
                Chance { hold: inner.fail, fail: inner.hold }
            }
            Expr::Compare(sign, left, right) => {
                let (left, right) = (self.possible(left), self.possible(right));
                self.compared(*sign, &left, &right)
            }
            Expr::In(value, set) => {
                let value = self.possible(value);
                self.is_in(&value, set)
            }
            Expr::Quantified(quantifier, binders, inner) => {
                // A list whose members change could stand for several sets at once; that is not worth following.
                let listed = binders.iter().filter_map(|binder| binder.among.as_ref()).flatten();
                if listed.clone().any(|value| !self.world.is_static_expr(value)) {
                    return Chance { hold: true, fail: true };
                }
                let any = *quantifier == Quantifier::Any;
                let mut total = Chance { hold: !any, fail: any };
                self.for_each(binders, &mut |scope| {
                    let part = scope.chance(inner);
                    if any {
                        total = Chance { hold: total.hold || part.hold, fail: total.fail && part.fail };
                    } else {
                        total = Chance { hold: total.hold && part.hold, fail: total.fail || part.fail };
                    }
                });
                total
            }
            other => self.possible(other).chance(),
        }
    }

    /// The values an expression can have.
    pub(crate) fn possible(&mut self, expr: &Expr) -> Possible {
        self.work += 1;
        if self.work > self.budget {
            return Possible::anything();
        }
        match expr {
            Expr::Value(value) => Possible::one(*value),
            Expr::Var(var) => Possible::one(self.variables.get(usize::from(var.0)).copied().unwrap_or(Value::Nothing)),
            Expr::Fluent(fluent, args) => {
                let mut result = Possible::default();
                match self.tuples(args) {
                    Some(tuples) => {
                        for args in tuples {
                            result.join(self.fluent(*fluent, &args));
                        }
                        result
                    }
                    None => Possible::anything(),
                }
            }
            Expr::Arithmetic(..) | Expr::Call(..) if self.world.is_quick(expr) => {
                Possible::one(Evaluator::with(self.world.model, self.world.state, &self.variables).value(expr))
            }
            Expr::Arithmetic(..)
            | Expr::Call(..)
            | Expr::Now
            | Expr::TimeOfDay
            | Expr::DayNumber
            | Expr::StepDuration => Possible::anything(),
            condition => Possible::of_chance(self.chance(condition)),
        }
    }

    /// All combinations of arguments that are possible; none if there are too many.
    pub(crate) fn tuples(&mut self, args: &[Expr]) -> Option<Vec<Args>> {
        let mut tuples: Vec<Args> = vec![Args::new()];
        for arg in args {
            let possible = self.possible(arg);
            if possible.anything || tuples.len() * possible.values.len() > COMBINATIONS_MAX {
                return None;
            }
            let mut longer = Vec::with_capacity(tuples.len() * possible.values.len());
            for tuple in &tuples {
                for value in &possible.values {
                    let mut tuple = tuple.clone();
                    tuple.push(*value);
                    longer.push(tuple);
                }
            }
            tuples = longer;
        }
        Some(tuples)
    }

    /// The values that a fluent can have for these arguments.
    fn fluent(&mut self, fluent: FluentId, args: &[Value]) -> Possible {
        let world = self.world;
        let declared = &world.model.fluents[fluent];
        let fits = args.iter().zip(&declared.params).all(|(arg, param)| world.model.is_among(*arg, &param.choices));
        if !fits {
            return Possible::one(Value::Nothing);
        }
        if let FluentSource::Means(meaning) = &declared.source {
            let mut inner = Relaxed::new(world, args, self.budget.saturating_sub(self.work));
            let mut possible = inner.possible(meaning);
            self.work += inner.work;
            for value in &mut possible.values {
                if let Value::Number(number) = value {
                    *value = Value::Number(declared.domain.clamp(*number));
                }
            }
            return possible;
        }
        if world.is_static[fluent] {
            return Possible::one(world.state.get(fluent, args));
        }
        let Some(id) = world.of_fluent[fluent] else { return Possible::one(world.state.get(fluent, args)) };
        let relation = &world.relations[id];
        let mut tuple: SmallVec<[Entity; 8]> = SmallVec::new();
        for arg in args {
            match world.entities.of(*arg) {
                Some(entity) => tuple.push(entity),
                None => return Possible::one(Value::Nothing),
            }
        }
        match relation.kind {
            RelationKind::Flag => match relation.find(&tuple, &world.domains) {
                None => Possible::one(Value::Bool(false)),
                Some(row) => {
                    let marks = relation.marks(row);
                    Possible::of_chance(Chance { hold: true, fail: !marks.initial || marks.deleted })
                }
            },
            RelationKind::Valued => {
                let Some(index) = world.by_args[id] else { return Possible::anything() };
                let mut possible = Possible::default();
                let mut next = relation.first(index, tuple.iter().copied(), &world.domains);
                while let Some(row) = next {
                    if let Some(value) = relation.row(row).last() {
                        possible.add(world.entities.value(*value));
                    }
                    next = relation.next(index, row);
                }
                possible
            }
            RelationKind::Number => match relation.find(&tuple, &world.domains) {
                None => Possible::one(world.state.get(fluent, args)),
                Some(_) => Possible::anything(),
            },
            RelationKind::Instance => Possible::anything(),
        }
    }

    fn compared(&mut self, sign: Comparison, left: &Possible, right: &Possible) -> Chance {
        let pairs = left.values.len() * right.values.len();
        self.work += pairs as u64;
        if left.anything || right.anything || pairs > COMBINATIONS_MAX * 16 {
            // Against no value at all nothing holds, whatever the other side is.
            let only_nothing = |side: &Possible| !side.anything && side.values.iter().all(|v| *v == Value::Nothing);
            return Chance { hold: !(only_nothing(left) || only_nothing(right)), fail: true };
        }
        let mut chance = Chance { hold: false, fail: false };
        for left in &left.values {
            for right in &right.values {
                let holds = compare(sign, *left, *right);
                chance.hold |= holds;
                chance.fail |= !holds;
                if chance.hold && chance.fail {
                    return chance;
                }
            }
        }
        chance
    }

    fn is_in(&mut self, value: &Possible, set: &Set) -> Chance {
        match set {
            Set::Among(members) => {
                let mut any = Chance { hold: false, fail: true };
                for member in members {
                    let member = self.possible(member);
                    let part = self.compared(Comparison::Equal, value, &member);
                    any = Chance { hold: any.hold || part.hold, fail: any.fail && part.fail };
                }
                any
            }
            Set::Choices(choices) => {
                if value.anything {
                    return Chance { hold: true, fail: true };
                }
                let among = |value: &Value| self.world.model.is_among(*value, choices);
                Chance { hold: value.values.iter().any(among), fail: !value.values.iter().all(among) }
            }
            Set::Range(least, most) => {
                let (least, most) = (self.possible(least), self.possible(most));
                let (low, high) = (
                    self.compared(Comparison::AtLeast, value, &least),
                    self.compared(Comparison::AtMost, value, &most),
                );
                Chance { hold: low.hold && high.hold, fail: low.fail || high.fail }
            }
        }
    }

    /// Calls `visit` once for each binding that is possible.
    pub(crate) fn for_each(&mut self, binders: &[Binder], visit: &mut dyn FnMut(&mut Self)) {
        let Some((binder, rest)) = binders.split_first() else { return visit(self) };
        let values: Vec<Value> = match &binder.among {
            Some(among) => {
                let mut listed = Possible::default();
                for value in among {
                    listed.join(self.possible(value));
                }
                listed.values.to_vec()
            }
            None => self.world.model.values_of(&binder.param.choices, self.world.level),
        };
        for value in values {
            self.work += 1;
            if self.work > self.budget {
                return;
            }
            self.variables.push(value);
            self.for_each(rest, visit);
            self.variables.pop();
        }
    }
}
