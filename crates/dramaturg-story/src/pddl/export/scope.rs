//! Variables on the way out.

use dramaturg_model::{Choices, FluentId, Value};
use rustc_hash::FxHashSet;

use super::names::sanitised;

/// What a variable of the model is called in PDDL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// `?from`, or the name of a constant.
    pub(super) text: String,
    pub(super) meaning: Meaning,
}

/// What a term may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A variable that runs over these.
    Variable(Choices),
    /// This value.
    Constant(Value),
}

/// A choice fluent whose value is known because a condition says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) fluent: FluentId,
    pub(super) args: Vec<String>,
    pub(super) value: Term,
}

/// The variables in reach of a place, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    terms: Vec<Term>,
    names: FxHashSet<String>,
    /// Names for variables that the model does not have.
    helpers: usize,
    pub(super) known: Vec<Known>,
    /// Whether `?duration` is in reach.
    pub(super) has_duration: bool,
    /// Whether `total-time` is.
    pub(super) is_metric: bool,
}

impl Scope {
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn term(&self, index: u16) -> Option<&Term> {
        self.terms.get(usize::from(index))
    }

    pub(super) fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// A variable for the next parameter or binder; it gets another name if that one is in reach already.
    pub(super) fn push_variable(&mut self, name: &str, choices: &Choices) -> String {
        let text = self.free_name(&format!("?{}", sanitised(name)));
        self.push(Term { text: text.clone(), meaning: Meaning::Variable(choices.clone()) });
        text
    }

    /// The next variable stands for this.
    pub(super) fn push(&mut self, term: Term) {
        self.names.insert(term.text.clone());
        self.terms.push(term);
    }

    /// Forgets variables until so many are left.
    pub(super) fn truncate(&mut self, len: usize) {
        while self.terms.len() > len {
            let Some(term) = self.terms.pop() else { return };
            // Two variables of a list may stand for the same constant.
            if !self.terms.contains(&term) {
                self.names.remove(&term.text);
            }
        }
    }

    /// A variable that the model does not have, for a value that is read on the way.
    pub(super) fn helper(&mut self) -> String {
        self.helpers += 1;
        let text = self.free_name(&format!("?value{}", self.helpers));
        self.names.insert(text.clone());
        text
    }

    fn free_name(&self, wanted: &str) -> String {
        let is_free = |name: &String| name != "?duration" && !self.names.contains(name);
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// The value of a choice fluent, if it is known here.
    pub(super) fn known_value(&self, fluent: FluentId, args: &[String]) -> Option<&Term> {
        let is_it = |known: &&Known| known.fluent == fluent && known.args == args;
        self.known.iter().find(is_it).map(|known| &known.value)
    }
}
