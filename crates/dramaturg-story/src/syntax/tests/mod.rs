//! Tests of the parser as a whole.

mod grammar;
mod pages;
mod plays;
mod robustness;
pub(crate) mod soup;
