//! What exactly a condition lacks.

use dramaturg_model::{Chance, Comparison, Fixed};

use crate::ground::{Condition, Conjunction, Frame, Literal, NumberTest, ValueSet};
use crate::repair::draft::Draft;
use crate::repair::moment::Moment;
use crate::repair::repertoire::{Achiever, Gain};
use crate::repair::slot::{SlotId, of_number, of_variable};

/// What is missing.
#[derive(Clone, Copy, Debug)]
pub(in crate::repair) enum Lack {
    /// A variable should have one of these values.
    Value(SlotId, ValueSet),
    /// A number should be larger, or smaller.
    Amount {
        /// Which.
        slot: SlotId,
        /// Larger.
        up: bool,
    },
    /// Something should be otherwise.
    Other(SlotId),
}

impl Lack {
    pub(in crate::repair) const fn slot(self) -> SlotId {
        match self {
            Self::Value(slot, _) | Self::Amount { slot, .. } | Self::Other(slot) => slot,
        }
    }

    /// Whether somebody who changes the slot so is of help.
    pub(in crate::repair) fn is_met_by(self, frame: Frame<'_>, gain: Gain) -> bool {
        match (self, gain) {
            (Self::Value(_, set), Gain::Value(value)) => frame.sets.contains(set, value as u32),
            (Self::Value(_, _), Gain::Any | Gain::Amount(_)) | (Self::Other(_), _) => true,
            (Self::Amount { up, .. }, Gain::Amount(amount)) => amount == 0 || (amount > 0) == up,
            (Self::Amount { .. }, Gain::Any | Gain::Value(_)) => true,
        }
    }
}

impl Draft {
    /// What a condition lacks right before a moment: of the alternative that is nearest, or of any.
    pub(super) fn lack(&self, condition: &Condition, moment: Moment, any: bool, chance: &mut Chance) -> Option<Lack> {
        let problem = &self.projection.repertoire.problem;
        let view = self.projection.view(moment);
        let far = |all: &Conjunction| self.projection.repertoire.distances.of_all(problem.frame(), &view, all);
        let all = if any || chance.below(4) == 0 {
            condition.any.get(chance.below(condition.any.len()))?
        } else {
            condition.any.iter().min_by_key(|all| far(all))?
        };
        let literals = all
            .literals
            .iter()
            .filter(|literal| !problem.sets.contains(literal.values, self.value_of(literal, moment)));
        let numbers = all.numbers.iter().filter(|test| !test.holds(&view));
        let tests = all.tests.iter().filter(|test| !test.holds(problem.frame(), &view));
        let count = literals.clone().count() + numbers.clone().count() + tests.clone().count();
        let at = chance.below(count);
        if let Some(literal) = literals.clone().nth(at) {
            return Some(Lack::Value(of_variable(literal.variable), literal.values));
        }
        let at = at - literals.count();
        if let Some(test) = numbers.clone().nth(at) {
            return self.number_lack(test, moment, chance);
        }
        let test = tests.clone().nth(at - numbers.count())?;
        let reads = self.projection.repertoire.writer().reads_of(test);
        reads.get(chance.below(reads.len())).map(|slot| Lack::Other(*slot))
    }

    fn value_of(&self, literal: &Literal, moment: Moment) -> u32 {
        self.projection.before(of_variable(literal.variable), moment) as u32
    }

    fn number_lack(&self, test: &NumberTest, moment: Moment, chance: &mut Chance) -> Option<Lack> {
        let (number, factor) = test.terms.get(chance.below(test.terms.len()))?;
        let slot = of_number(self.projection.repertoire.problem.variables.len(), *number);
        let Some(sum) = test.sum(&self.projection.view(moment)) else { return Some(Lack::Other(slot)) };
        let rise = match test.sign {
            Comparison::AtLeast | Comparison::More => true,
            Comparison::AtMost | Comparison::Less => false,
            Comparison::Equal => sum < Fixed::ZERO,
            Comparison::NotEqual => chance.below(2) == 0,
        };
        Some(Lack::Amount { slot, up: rise == (*factor > Fixed::ZERO) })
    }

    /// Everybody who can help with a lack.
    pub(super) fn helpers(&self, lack: Lack) -> impl Iterator<Item = &Achiever> {
        let repertoire = &self.projection.repertoire;
        let frame = repertoire.problem.frame();
        repertoire.achievers[lack.slot()].iter().filter(move |achiever| lack.is_met_by(frame, achiever.gain))
    }
}
