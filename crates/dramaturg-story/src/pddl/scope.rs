//! The variables in reach at a place.

use dramaturg_model::{Choices, Param, Var};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// How many variables may be in reach of one place.
pub(super) const VARIABLES_MAX: usize = 1000;

/// Parameters and bound variables, outermost first. The last of equal names is meant.
#[derive(Debug, Default)]
pub(super) struct Scope {
    params: Vec<Param>,
    /// The variables of each name, outermost first.
    by_name: FxHashMap<SmolStr, Vec<u16>>,
    /// Whether `?duration` is in reach.
    pub(super) has_duration: bool,
    /// Whether a list may name a variable twice: in declarations the names mean nothing.
    pub(super) may_repeat: bool,
    /// Whether this is the metric, where `total-time` is in reach.
    pub(super) is_metric: bool,
}

impl Scope {
    /// How many variables are in reach.
    pub(super) fn len(&self) -> usize {
        self.params.len()
    }

    /// Brings a variable into reach.
    pub(super) fn push(&mut self, param: Param) {
        self.by_name.entry(param.name.clone()).or_default().push(self.params.len() as u16);
        self.params.push(param);
    }

    /// Takes variables out of reach until so many are left.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.params.len() > len {
            let Some(param) = self.params.pop() else { return };
            if let Some(variables) = self.by_name.get_mut(&param.name) {
                variables.pop();
                if variables.is_empty() {
                    self.by_name.remove(&param.name);
                }
            }
        }
    }

    /// A variable by its name without the question mark, and what it may be.
    pub(super) fn find(&self, name: &str) -> Option<(Var, &Choices)> {
        let index = *self.by_name.get(name)?.last()?;
        Some((Var(index), &self.params.get(usize::from(index))?.choices))
    }

    /// The names in reach.
    pub(super) fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.params.iter().map(|param| &param.name)
    }
}
