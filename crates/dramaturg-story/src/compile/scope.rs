//! The parameters and binders that can be seen at a place.

use dramaturg_model::{Choices, LevelId, Span, Var};
use smol_str::SmolStr;

use crate::syntax::tree;

/// A parameter or binder.
pub(crate) struct Variable {
    pub(crate) name: SmolStr,
    pub(crate) choices: Choices,
    pub(crate) span: Span,
    pub(crate) used: bool,
    /// What to take out of the source to be rid of it, if that can be told.
    pub(crate) removal: Option<Span>,
}

/// What can be seen at a place, and whose texts are numbered there.
pub(crate) struct Scope {
    pub(crate) level: Option<LevelId>,
    pub(crate) variables: Vec<Variable>,
    /// The declaration that texts' ids begin with.
    pub(crate) declaration: SmolStr,
    /// How many texts of each clause word there were.
    pub(crate) texts: Vec<(&'static str, u32)>,
    /// Whether the place is a slot of a text, where an unknown name is a bad slot.
    pub(crate) in_slot: bool,
}

impl Scope {
    pub(crate) fn new(level: Option<LevelId>, declaration: SmolStr) -> Self {
        Self { level, variables: Vec::new(), declaration, texts: Vec::new(), in_slot: false }
    }

    pub(crate) fn push(&mut self, name: &tree::Ident, choices: Choices) {
        self.variables.push(Variable { name: name.text.clone(), choices, span: name.span, used: false, removal: None });
    }

    /// Drops the binders above this many.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.variables.truncate(len);
    }

    /// A variable by name, without using it.
    pub(crate) fn find(&self, name: &str) -> Option<(Var, &Variable)> {
        let index = self.variables.iter().rposition(|variable| variable.name == name)?;
        self.variables.get(index).map(|variable| (Var(index as u16), variable))
    }

    /// A variable by name, which is now used.
    pub(crate) fn using(&mut self, name: &str) -> Option<(Var, Choices)> {
        let index = self.variables.iter().rposition(|variable| variable.name == name)?;
        let variable = self.variables.get_mut(index)?;
        variable.used = true;
        Some((Var(index as u16), variable.choices.clone()))
    }

    /// The number of the next text of a clause word, from 1.
    pub(crate) fn next_text(&mut self, clause: &'static str) -> u32 {
        for (word, count) in &mut self.texts {
            if *word == clause {
                *count += 1;
                return *count;
            }
        }
        self.texts.push((clause, 1));
        1
    }
}
