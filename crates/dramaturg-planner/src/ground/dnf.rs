//! Ground expressions to conditions: alternatives of literals wherever that stays short.

use dramaturg_model::{Clock, Comparison, Fixed, Operator, Table, Tick, Value};
use smallvec::SmallVec;

use super::condition::{Condition, Conjunction, NumberTest};
use super::expr::{Frame, Ground, GroundExpr};
use super::lower::{all_of, negate};
use super::variable::{Meaning, Number, NumberId, Sets, ValueSet, Variable, VariableId};

/// More alternatives than this are kept as one test.
const ALTERNATIVES_MAX: usize = 64;
/// More combinations of values than this are not looked at one by one.
const CASES_MAX: u64 = 4096;

/// Turns ground expressions into conditions.
pub(crate) struct Dnf<'a> {
    pub(crate) variables: &'a Table<VariableId, Variable>,
    pub(crate) numbers: &'a Table<NumberId, Number>,
    pub(crate) clock: &'a Clock,
    pub(crate) sets: &'a mut Sets,
}

/// A state of which only two variables are known.
struct Two {
    first: (VariableId, u32),
    second: (VariableId, u32),
}

impl Ground for Two {
    fn variable(&self, variable: VariableId) -> u32 {
        if variable == self.first.0 { self.first.1 } else { self.second.1 }
    }

    fn number(&self, _: NumberId) -> Option<Fixed> {
        None
    }

    fn now(&self) -> Tick {
        0
    }
}

impl Dnf<'_> {
    /// The condition that an expression holds.
    pub(crate) fn condition(&mut self, expr: &GroundExpr) -> Condition {
        let mut any = self.signed(expr, true);
        if any.iter().any(Conjunction::is_empty) {
            return Condition::always();
        }
        any.dedup();
        Condition { any: any.into_iter().collect() }
    }

    /// Both conditions.
    pub(crate) fn both(&mut self, left: &Condition, right: &Condition) -> Condition {
        if left.is_always() {
            return right.clone();
        }
        if right.is_always() {
            return left.clone();
        }
        let mut any = SmallVec::new();
        for left in &left.any {
            for right in &right.any {
                if let Some(both) = self.join(left, right) {
                    any.push(both);
                }
            }
        }
        Condition { any }
    }

    fn signed(&mut self, expr: &GroundExpr, sign: bool) -> Vec<Conjunction> {
        match (expr, sign) {
            (GroundExpr::Value(value), _) => {
                if value.is_true() == sign {
                    vec![Conjunction::default()]
                } else {
                    Vec::new()
                }
            }
            (GroundExpr::Not(inner), _) => self.signed(inner, !sign),
            (GroundExpr::And(parts), true) | (GroundExpr::Or(parts), false) => self.product(parts, sign),
            (GroundExpr::Or(parts), true) | (GroundExpr::And(parts), false) => {
                let mut any = Vec::new();
                for part in parts {
                    any.extend(self.signed(part, sign));
                    if any.len() > ALTERNATIVES_MAX {
                        return vec![opaque(expr, sign)];
                    }
                }
                any
            }
            (leaf, _) => self.leaf(leaf, sign),
        }
    }

    fn product(&mut self, parts: &[GroundExpr], sign: bool) -> Vec<Conjunction> {
        let mut all = vec![Conjunction::default()];
        let mut expanded: Vec<(Vec<Conjunction>, &GroundExpr)> =
            parts.iter().map(|part| (self.signed(part, sign), part)).collect();
        // Short parts first, so that contradictions are seen before the alternatives multiply.
        expanded.sort_by_key(|(any, _)| any.len());
        for (any, part) in expanded {
            let any = if all.len() * any.len() > ALTERNATIVES_MAX { vec![opaque(part, sign)] } else { any };
            let mut next = Vec::with_capacity(all.len() * any.len());
            for left in &all {
                for right in &any {
                    next.extend(self.join(left, right));
                }
            }
            all = next;
            if all.is_empty() {
                break;
            }
        }
        all
    }

    /// Both conjunctions; none if they contradict.
    pub(crate) fn join(&mut self, left: &Conjunction, right: &Conjunction) -> Option<Conjunction> {
        let mut both = left.clone();
        for literal in &right.literals {
            let size = self.variables[literal.variable].size();
            if !both.ask(literal.variable, literal.values, size, self.sets) {
                return None;
            }
        }
        both.numbers.extend(right.numbers.iter().cloned());
        both.tests.extend(right.tests.iter().cloned());
        Some(both)
    }

    fn frame(&self) -> Frame<'_> {
        Frame { variables: self.variables, sets: self.sets, clock: self.clock }
    }

    /// A condition with nothing but values, comparisons and arithmetic inside.
    fn leaf(&mut self, expr: &GroundExpr, sign: bool) -> Vec<Conjunction> {
        let mut variables: SmallVec<[VariableId; 4]> = SmallVec::new();
        let (mut numbers, mut timed) = (false, false);
        expr.walk(&mut |part| match part {
            GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) if !variables.contains(variable) => {
                variables.push(*variable);
            }
            GroundExpr::Number(_) => numbers = true,
            GroundExpr::Now | GroundExpr::TimeOfDay | GroundExpr::DayNumber | GroundExpr::StepDuration => timed = true,
            _ => {}
        });
        match variables.as_slice() {
            [] => match linear_test(expr).and_then(|test| self.signed_test(test, sign)) {
                Some(test) => vec![Conjunction { numbers: vec![test], ..Conjunction::default() }],
                None => vec![opaque(expr, sign)],
            },
            [only] if !numbers && !timed => match self.whole(expr, *only).filter(|_| sign) {
                Some(found) => found.into_iter().collect(),
                None if self.cases(&[*only]) <= CASES_MAX * 17 => self.one(expr, *only, sign),
                None => vec![opaque(expr, sign)],
            },
            [first, second] if !numbers && !timed && self.cases(&[*first, *second]) <= CASES_MAX => {
                self.two(expr, *first, *second, sign)
            }
            [first, ..] => {
                let least = variables.iter().copied().min_by_key(|variable| self.variables[*variable].size());
                let least = least.unwrap_or(*first);
                if self.cases(&[least]) <= ALTERNATIVES_MAX as u64 && variables.len() <= 3 {
                    self.split(expr, least, sign)
                } else {
                    vec![opaque(expr, sign)]
                }
            }
        }
    }

    /// The opposite of a comparison is the opposite sign, unless a number may have no value: then both are false.
    fn signed_test(&self, test: NumberTest, sign: bool) -> Option<NumberTest> {
        if sign {
            return Some(test);
        }
        let exist = test.terms.iter().all(|(number, _)| self.numbers[*number].initial.is_some());
        exist.then(|| NumberTest { sign: test.sign.negated(), ..test })
    }

    fn cases(&self, variables: &[VariableId]) -> u64 {
        variables.iter().map(|variable| u64::from(self.variables[*variable].size())).product()
    }

    /// A whole number compared with a constant: a stretch of its values, found without looking at each.
    fn whole(&mut self, expr: &GroundExpr, variable: VariableId) -> Option<Option<Conjunction>> {
        let Meaning::Whole { least, count, .. } = self.variables[variable].meaning else { return None };
        let GroundExpr::Compare(sign, left, right) = expr else { return None };
        let (sign, bound) = match (&**left, &**right) {
            (GroundExpr::Variable(_), GroundExpr::Value(Value::Number(bound))) => (*sign, *bound),
            (GroundExpr::Value(Value::Number(bound)), GroundExpr::Variable(_)) => (sign.swapped(), *bound),
            _ => return None,
        };
        let (down, is_int) = (i128::from(bound.floor_int()), bound.is_int());
        let up = if is_int { down } else { down + 1 };
        let (from, to) = match sign {
            Comparison::AtLeast => (up, i128::MAX),
            Comparison::More => (down + 1, i128::MAX),
            Comparison::AtMost => (i128::MIN, down),
            Comparison::Less => (i128::MIN, up - 1),
            Comparison::Equal if is_int => (down, down),
            Comparison::Equal | Comparison::NotEqual => return None,
        };
        let (first, last) = (i128::from(least), i128::from(least) + i128::from(count) - 1);
        let (from, to) = (from.max(first), to.min(last));
        if from > to {
            return Some(None);
        }
        let (from, to) = ((from - first) as u32, (to - first) as u32);
        let size = self.variables[variable].size();
        let values = match (from, to) {
            (0, to) if to + 1 == size => return Some(Some(Conjunction::default())),
            (0, to) if to + 2 == size => ValueSet::Not(to + 1),
            (1, to) if to + 1 == size => ValueSet::Not(0),
            (from, to) if from == to => ValueSet::One(from),
            (from, to) => ValueSet::Range(from, to),
        };
        let mut conjunction = Conjunction::default();
        conjunction.ask(variable, values, size, self.sets);
        Some(Some(conjunction))
    }

    /// The values of the only variable for which it holds.
    fn one(&mut self, expr: &GroundExpr, variable: VariableId, sign: bool) -> Vec<Conjunction> {
        let size = self.variables[variable].size();
        let frame = self.frame();
        let holds: Vec<bool> = (0..size)
            .map(|value| {
                let state = Two { first: (variable, value), second: (variable, value) };
                expr.holds(frame, &state) == sign
            })
            .collect();
        self.literal(variable, &holds).into_iter().collect()
    }

    fn literal(&mut self, variable: VariableId, holds: &[bool]) -> Option<Conjunction> {
        let size = holds.len() as u32;
        let found = self.sets.intern(size, |value| holds.get(value as usize).copied().unwrap_or(false))?;
        let mut conjunction = Conjunction::default();
        if let Some(values) = found {
            conjunction.ask(variable, values, size, self.sets);
        }
        Some(conjunction)
    }

    /// For groups of values of the first variable the values of the second.
    fn two(&mut self, expr: &GroundExpr, first: VariableId, second: VariableId, sign: bool) -> Vec<Conjunction> {
        let sizes = (self.variables[first].size(), self.variables[second].size());
        let frame = self.frame();
        let mut columns: Vec<(Vec<bool>, Vec<bool>)> = Vec::new();
        for left in 0..sizes.0 {
            let holds: Vec<bool> = (0..sizes.1)
                .map(|right| {
                    let state = Two { first: (first, left), second: (second, right) };
                    expr.holds(frame, &state) == sign
                })
                .collect();
            if !holds.contains(&true) {
                continue;
            }
            let place = match columns.iter().position(|(_, known)| *known == holds) {
                Some(place) => place,
                None => {
                    columns.push((vec![false; sizes.0 as usize], holds));
                    columns.len() - 1
                }
            };
            if let Some(value) = columns.get_mut(place).and_then(|(values, _)| values.get_mut(left as usize)) {
                *value = true;
            }
        }
        if columns.len() > ALTERNATIVES_MAX {
            return vec![opaque(expr, sign)];
        }
        let mut any = Vec::new();
        for (left, right) in columns {
            if let (Some(left), Some(right)) = (self.literal(first, &left), self.literal(second, &right)) {
                any.extend(self.join(&left, &right));
            }
        }
        any
    }

    /// One alternative for each value of a variable, with the variable put in.
    fn split(&mut self, expr: &GroundExpr, variable: VariableId, sign: bool) -> Vec<Conjunction> {
        let size = self.variables[variable].size();
        let mut any = Vec::new();
        for value in 0..size {
            let fixed = self.put_in(expr, variable, value);
            let cases = self.signed(&fixed, sign);
            if any.len() + cases.len() > ALTERNATIVES_MAX {
                return vec![opaque(expr, sign)];
            }
            let is: Vec<bool> = (0..size).map(|other| other == value).collect();
            let Some(is) = self.literal(variable, &is) else { continue };
            for case in cases {
                any.extend(self.join(&is, &case));
            }
        }
        any
    }

    /// The expression with a variable's value put in and constants computed.
    fn put_in(&self, expr: &GroundExpr, variable: VariableId, value: u32) -> GroundExpr {
        let inner = |expr: &GroundExpr| self.put_in(expr, variable, value);
        let built = match expr {
            GroundExpr::Variable(found) if *found == variable => {
                return GroundExpr::Value(self.variables[variable].value(value));
            }
            GroundExpr::Is(found, set) if *found == variable => {
                return GroundExpr::Value(Value::Bool(self.sets.contains(*set, value)));
            }
            GroundExpr::And(parts) => return all_of(parts.iter().map(inner).collect()),
            GroundExpr::Or(parts) => return super::lower::any_of(parts.iter().map(inner).collect()),
            GroundExpr::Not(part) => return negate(inner(part)),
            GroundExpr::Switch(on, cases) => {
                if let GroundExpr::Value(on) = inner(on) {
                    let case = cases.iter().find(|(value, _)| *value == on);
                    return case.map_or(GroundExpr::Value(Value::Nothing), |(_, case)| inner(case));
                }
                let cases = cases.iter().map(|(value, case)| (*value, inner(case))).collect();
                return GroundExpr::Switch(Box::new(inner(on)), cases);
            }
            GroundExpr::Compare(sign, left, right) => {
                GroundExpr::Compare(*sign, Box::new(inner(left)), Box::new(inner(right)))
            }
            GroundExpr::Among(part, values) => GroundExpr::Among(Box::new(inner(part)), values.clone()),
            GroundExpr::Arithmetic(sign, left, right) => {
                GroundExpr::Arithmetic(*sign, Box::new(inner(left)), Box::new(inner(right)))
            }
            GroundExpr::Call(function, args) => GroundExpr::Call(*function, args.iter().map(inner).collect()),
            GroundExpr::Cut(domain, part) => GroundExpr::Cut(domain.clone(), Box::new(inner(part))),
            other => return other.clone(),
        };
        let constant = built.children().into_iter().all(|part| matches!(part, GroundExpr::Value(_)));
        if constant {
            let nobody = Two { first: (variable, value), second: (variable, value) };
            return GroundExpr::Value(built.value(self.frame(), &nobody, None));
        }
        built
    }
}

fn opaque(expr: &GroundExpr, sign: bool) -> Conjunction {
    let test = if sign { expr.clone() } else { negate(expr.clone()) };
    Conjunction { tests: vec![test], ..Conjunction::default() }
}

/// A comparison of sums of numbers.
fn linear_test(expr: &GroundExpr) -> Option<NumberTest> {
    let GroundExpr::Compare(sign, left, right) = expr else { return None };
    let mut sum = Sum::default();
    sum.add(left, Fixed::ONE)?;
    sum.add(right, -Fixed::ONE)?;
    if sum.terms.is_empty() {
        return None;
    }
    sum.terms.sort_unstable_by_key(|(number, _)| *number);
    let repeated = sum.terms.windows(2).any(|pair| matches!(pair, [a, b] if a.0 == b.0));
    let sign: Comparison = *sign;
    (!repeated).then_some(NumberTest { terms: sum.terms, constant: sum.constant, sign })
}

#[derive(Default)]
struct Sum {
    terms: SmallVec<[(NumberId, Fixed); 2]>,
    constant: Fixed,
}

impl Sum {
    /// Adds a multiple of an expression; none if it is no plain sum, or rounding could differ.
    fn add(&mut self, expr: &GroundExpr, factor: Fixed) -> Option<()> {
        match expr {
            GroundExpr::Value(Value::Number(number)) if factor.abs() == Fixed::ONE || factor.is_int() => {
                self.constant = self.constant + factor.multiply(*number);
                Some(())
            }
            GroundExpr::Number(number) => {
                self.terms.push((*number, factor));
                Some(())
            }
            GroundExpr::Arithmetic(Operator::Add, left, right) => {
                self.add(left, factor)?;
                self.add(right, factor)
            }
            GroundExpr::Arithmetic(Operator::Subtract, left, right) => {
                self.add(left, factor)?;
                self.add(right, -factor)
            }
            GroundExpr::Arithmetic(Operator::Multiply, left, right) => {
                let (by, rest) = match (left.as_number(), right.as_number()) {
                    (Some(by), None) => (by, right),
                    (None, Some(by)) => (by, left),
                    _ => return None,
                };
                let plain = matches!(**rest, GroundExpr::Number(_)) && factor.abs() == Fixed::ONE;
                let exact = by.is_int() && factor.is_int();
                if plain || exact { self.add(rest, factor.multiply(by)) } else { None }
            }
            _ => None,
        }
    }
}
