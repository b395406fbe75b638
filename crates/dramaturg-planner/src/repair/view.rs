//! The world as conditions and expressions read it, when something says what each slot holds.

use dramaturg_model::{Fixed, Tick};

use super::slot::{NOTHING, SlotId, of_number, of_variable};
use crate::ground::{Ground, NumberId, VariableId};

/// The world at a tick, slot by slot.
#[derive(Clone, Copy)]
pub(crate) struct View<F> {
    /// How many variables there are; numbers come after them.
    pub(super) variables: usize,
    pub(super) now: Tick,
    /// What a slot holds.
    pub(super) value: F,
}

impl<F: Fn(SlotId) -> i64> Ground for View<F> {
    #[inline]
    fn variable(&self, variable: VariableId) -> u32 {
        (self.value)(of_variable(variable)) as u32
    }

    #[inline]
    fn number(&self, number: NumberId) -> Option<Fixed> {
        let value = (self.value)(of_number(self.variables, number));
        (value != NOTHING).then_some(Fixed(value))
    }

    #[inline]
    fn now(&self) -> Tick {
        self.now
    }
}
