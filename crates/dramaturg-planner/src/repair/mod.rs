//! The story's own planner: repairs a plan, defect by defect, for as long as it is asked to.
//!
//! # Layout
//!
//! `repertoire` is a level in dense tables: `slot`s, `form`s of actions and rules, `distance`s between values. `projection` is what will
//! come of a plan, at every `moment`, kept up to date edit by edit (`presence`: an occurrence in it, `work`: what an edit makes necessary, `view`: how conditions read it): a `timeline` for each slot with what `flow`s in it, `occurrence`s with
//! their `readers`, `holds` on actuators, and rules in `tracks`. `outlook` makes one from the world as it is known. `aims` say what is
//! missing, a `curve` how far a number is off, and a `tally` how much that is together.
//!
//! A `draft` is a `plan` with its projection and cost; `defect` says what is wrong with it (`contingent`: what rests on others), [`operators`] how that can be repaired, and
//! `workshop` does it, one repair after another, by [`preference`], without trying what `reliance` rules out. [`planner`] is all of it behind the contract of planners:
//! `opening` begins, `publishing` says what is planned, `figures` how good it is; with a `skeleton` by search where repairing does not get there and `why`.

mod aims;
mod contingent;
mod curve;
mod defect;
mod distance;
mod draft;
mod figures;
mod flow;
mod form;
mod holds;
mod moment;
mod occurrence;
mod opening;
pub(crate) mod operators;
mod outlook;
mod plan;
pub mod planner;
pub use planner::{LocalRepair, Playwright};
pub mod preference;
mod presence;
mod projection;
mod publishing;
mod readers;
mod reliance;
mod repertoire;
mod skeleton;
mod slot;
mod tally;
mod timeline;
mod tracks;
mod view;
mod why;
mod work;
mod workshop;

#[cfg(test)]
mod tests;

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

/// How a playwright plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairOptions {
    /// Where chance begins.
    pub seed: u64,
    /// After so many repairs without a better plan it goes back to the best one; none: never.
    pub patience: Option<u32>,
    /// After so many repairs without a better plan it rests, until something happens.
    pub enough: u32,
    /// The same where a number follows a curve.
    pub enough_for_curves: u32,
    /// What is wanted at no certain time is looked for so many ticks ahead.
    pub horizon: Tick,
    /// What is published has been played through so many ticks ahead.
    pub look: Tick,
    /// After a `later` it waits so many ticks before it asks again.
    pub later: Tick,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            patience: Some(30),
            enough: 600,
            enough_for_curves: 20_000,
            horizon: 36_000,
            look: 240,
            later: 10,
        }
    }
}
