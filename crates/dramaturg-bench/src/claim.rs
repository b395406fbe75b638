//! Figures beside their targets.

use serde::Serialize;

/// A figure, its target, and whether it is met: honestly, on this machine, in this run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it should be: `at most` or `at least`.
    pub sense: Sense,
    /// The target.
    pub target: f64,
    /// Whether the figure meets it.
    pub met: bool,
}

/// On which side of the target a figure should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sense {
    /// The less the better.
    AtMost,
    /// The more the better.
    AtLeast,
}

impl Claim {
    /// The figure should be at most the target.
    pub fn at_most(name: impl Into<String>, value: f64, target: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, sense: Sense::AtMost, target, met: value <= target }
    }

    /// The figure should be at least the target.
    pub fn at_least(name: impl Into<String>, value: f64, target: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, sense: Sense::AtLeast, target, met: value >= target }
    }
}
