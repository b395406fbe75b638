//! A problem as one performer has it: the same world, but only what this one can do.

use dramaturg_model::{Fixed, ObjectId, Table, Value};

use super::expr::GroundExpr;
use super::index::Index;
use super::operator::{GroundDuration, GroundRuleId, Operator, OperatorId};
use super::problem::Problem;

impl Problem {
    /// The problem with only those operators that this object performs. States are the same, so what is known of the one holds for
    /// the other. Operators cost their duration in ticks, so that the cheapest way is the one that
    /// takes the least time. What is `barred` is left out.
    pub fn role(&self, performer: ObjectId, objects: usize, barred: &dyn Fn(OperatorId) -> bool) -> Self {
        let mut own: Vec<OperatorId> =
            self.index.performed_by(performer).iter().copied().filter(|id| !barred(*id)).collect();
        // In the order of the story, not of the facts they were found by: of equals the first is taken.
        own.sort_by_key(|id| (self.operators[*id].action, self.args(*id)));
        self.with_operators(&own, objects, u128::from(performer.0 + 1), &|operator| {
            let ticks = operator.timed.as_ref().map_or(0, |timed| longest(&timed.duration));
            operator.cost = GroundExpr::Value(Value::Number(Fixed::from_int(ticks.max(1))));
        })
    }

    /// The problem without some of its operators. States are the same.
    pub fn without(&self, objects: usize, barred: &dyn Fn(OperatorId) -> bool) -> Self {
        let kept: Vec<OperatorId> = self.operators.ids().filter(|id| !barred(*id)).collect();
        let mark = self
            .operators
            .ids()
            .filter(|id| barred(*id))
            .fold(0, |mark: u128, id| mark.wrapping_mul(0x0001_0000_01B3).wrapping_add(u128::from(id.0) + 1));
        self.with_operators(&kept, objects, mark, &|_| {})
    }

    /// The problem with these of its operators, each changed; `mark` tells it from others with the same states.
    fn with_operators(&self, kept: &[OperatorId], objects: usize, mark: u128, change: &dyn Fn(&mut Operator)) -> Self {
        let mut after: Vec<(u32, GroundRuleId)> = Vec::new();
        let mut operators: Table<OperatorId, Operator> = Table::new();
        for id in kept {
            let mut operator = self.operators[*id].clone();
            change(&mut operator);
            let own = operators.push(operator);
            after.extend(self.index.rules_after(*id).iter().map(|rule| (own.0, *rule)));
        }
        let index = Index::new(&self.variables, &operators, &self.rules, &self.derived, &after, objects);
        let mark = mark.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        Self {
            level: self.level,
            clock: self.clock,
            variables: self.variables.clone(),
            numbers: self.numbers.clone(),
            sets: self.sets.clone(),
            operators,
            rules: self.rules.clone(),
            derived: self.derived.clone(),
            wishes: self.wishes.clone(),
            actuators: self.actuators.clone(),
            args: self.args.clone(),
            places: self.places.clone(),
            index,
            words: self.words,
            hash: self.hash ^ mark,
        }
    }
}

/// How many ticks something takes at most, as far as that can be said beforehand.
fn longest(duration: &GroundDuration) -> i64 {
    let ticks = |expr: &GroundExpr| expr.as_number().map_or(1, Fixed::round_half_up);
    match duration {
        GroundDuration::Instant => 0,
        GroundDuration::Fixed(expr) | GroundDuration::Contingent(_, expr) => ticks(expr),
        GroundDuration::Chosen(least, _) => least.as_ref().map_or(1, ticks),
    }
}
