//! The story's own planner: repairs a plan, defect by defect, for as long as it is asked to.
//!
//! # Layout
//!
//! `repertoire` is a level in dense tables: `slot`s, `form`s of actions and rules, `distance`s between values. `projection` is what will
//! come of a plan, at every `moment`, kept up to date edit by edit: a `timeline` for each slot with what `flow`s in it, `occurrence`s with
//! their `readers`, `holds` on actuators, and rules in `tracks`. `aims` say what is missing, a `curve` how far a number is off.
mod aims;
mod curve;
mod distance;
mod flow;
mod form;
mod holds;
mod moment;
mod occurrence;
mod projection;
mod readers;
mod repertoire;
mod slot;
mod timeline;
mod tracks;
mod outlook;
#[cfg(test)]
mod tests;
