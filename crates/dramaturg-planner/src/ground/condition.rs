//! Ground conditions: one of several conjunctions holds.

use dramaturg_model::{Comparison, Fixed};
use smallvec::SmallVec;

use super::expr::{Frame, Ground, GroundExpr};
use super::variable::{NumberId, Sets, ValueSet, VariableId};

/// A variable has one of some values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The variable.
    pub variable: VariableId,
    /// Its values.
    pub values: ValueSet,
}

/// A weighted sum of numbers stands so to zero: `2·gold - debt + 5 >= 0`. It fails where a number has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberTest {
    /// Numbers with their factors, in ascending order. A factor that is not whole stands alone with its number in the text, so
    /// that rounding is the same as there.
    pub terms: SmallVec<[(NumberId, Fixed); 2]>,
    /// What is added.
    pub constant: Fixed,
    /// How it stands to zero.
    pub sign: Comparison,
}

impl NumberTest {
    /// Whether it holds in a state.
    pub fn holds<G: Ground + ?Sized>(&self, state: &G) -> bool {
        self.sum(state).is_some_and(|sum| self.sign.holds(sum, Fixed::ZERO))
    }

    /// The weighted sum in a state.
    pub fn sum<G: Ground + ?Sized>(&self, state: &G) -> Option<Fixed> {
        let mut sum = self.constant;
        for (number, factor) in &self.terms {
            let value = state.number(*number)?;
            sum = sum + if *factor == Fixed::ONE { value } else { factor.multiply(value) };
        }
        Some(sum)
    }
}

/// All of these hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conjunction {
    /// One literal for each variable, in ascending order.
    pub literals: SmallVec<[Literal; 4]>,
    /// Comparisons of numbers.
    pub numbers: Vec<NumberTest>,
    /// What cannot be said so: products, the time, very long alternatives.
    pub tests: Vec<GroundExpr>,
}

impl Conjunction {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty() && self.numbers.is_empty() && self.tests.is_empty()
    }

    /// Whether it holds in a state.
    #[inline]
    pub fn holds<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G) -> bool {
        self.literals.iter().all(|literal| frame.sets.contains(literal.values, state.variable(literal.variable)))
            && self.numbers.iter().all(|test| test.holds(state))
            && self.tests.iter().all(|test| test.holds(frame, state))
    }

    /// Asks one more thing of a variable with so many values; false if that contradicts what is asked already.
    pub fn ask(&mut self, variable: VariableId, values: ValueSet, size: u32, sets: &mut Sets) -> bool {
        match self.literals.binary_search_by_key(&variable, |literal| literal.variable) {
            Err(place) => {
                self.literals.insert(place, Literal { variable, values });
                true
            }
            Ok(place) => {
                let Some(literal) = self.literals.get_mut(place) else { return true };
                match sets.intersect(literal.values, values, size) {
                    Some(both) => {
                        literal.values = both;
                        true
                    }
                    None => false,
                }
            }
        }
    }

    /// The values asked of a variable.
    pub fn asked(&self, variable: VariableId) -> Option<ValueSet> {
        let place = self.literals.binary_search_by_key(&variable, |literal| literal.variable).ok()?;
        self.literals.get(place).map(|literal| literal.values)
    }
}

/// One of some conjunctions holds: true if one is empty, false if there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// The alternatives.
    pub any: SmallVec<[Conjunction; 1]>,
}

impl Condition {
    /// What always holds.
    pub fn always() -> Self {
        Self { any: SmallVec::from_buf([Conjunction::default()]) }
    }

    /// What never holds.
    pub fn never() -> Self {
        Self::default()
    }

    /// Exactly this.
    pub fn of(conjunction: Conjunction) -> Self {
        Self { any: SmallVec::from_buf([conjunction]) }
    }

    /// Whether it always holds.
    pub fn is_always(&self) -> bool {
        self.any.iter().any(Conjunction::is_empty)
    }

    /// Whether it never holds.
    pub fn is_never(&self) -> bool {
        self.any.is_empty()
    }

    /// The only alternative, if there is one.
    pub fn only(&self) -> Option<&Conjunction> {
        match self.any.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Whether it holds in a state.
    #[inline]
    pub fn holds<G: Ground + ?Sized>(&self, frame: Frame<'_>, state: &G) -> bool {
        self.any.iter().any(|conjunction| conjunction.holds(frame, state))
    }

    /// Whether it may change by time alone.
    pub fn reads_time(&self) -> bool {
        self.any.iter().flat_map(|part| &part.tests).any(GroundExpr::depends_on_time)
    }

    /// Calls `visit` on every variable that is read.
    pub fn for_each_variable(&self, visit: &mut impl FnMut(VariableId)) {
        for conjunction in &self.any {
            conjunction.literals.iter().for_each(|literal| visit(literal.variable));
            for test in &conjunction.tests {
                test.walk(&mut |part| {
                    if let GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) = part {
                        visit(*variable);
                    }
                });
            }
        }
    }

    /// Calls `visit` on every number that is read.
    pub fn for_each_number(&self, visit: &mut impl FnMut(NumberId)) {
        for conjunction in &self.any {
            conjunction.numbers.iter().flat_map(|test| &test.terms).for_each(|(number, _)| visit(*number));
            for test in &conjunction.tests {
                test.walk(&mut |part| {
                    if let GroundExpr::Number(number) = part {
                        visit(*number);
                    }
                });
            }
        }
    }
}
