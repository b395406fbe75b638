//! Worlds to look ahead with.

use super::event::Detail;
use super::world::{Expectations, Unmet, World};

impl World {
    /// A copy in which what is expected comes as expected, and nothing is reported: for looking ahead.
    pub fn assuming(&self) -> Self {
        let mut world = self.clone();
        world.options.expectations = Expectations::Assumed;
        world.options.unmet = Unmet::Refused;
        world.options.detail = Detail::Violations;
        world.drain();
        world
    }
}
