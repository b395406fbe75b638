//! PDDL in and out: the language of planning competitions, so that other people's domains run here and other people's
//! planners run our stories.
//!
//! # Layout
//!
//! In: text to `lexer` to `sexpr` to a [`Model`], section by section: `domain` and `problem` walk the sections;
//! `types`, `declare`, `formula`, `numeric`, `effect`, `action`, `derived` and `metric` read what stands in
//! them; `reader` holds what is known so far. Out: `export`. What is said about faults is in `fault`.
//!
//! # How PDDL maps to the model
//!
//! - A predicate is a yes-or-no fluent (false by default); a function is a number without default (`total-cost`: 0).
//! - An `:action` has [`dramaturg_model::Duration::Instant`], its conditions at the start and its effects at the end, which is
//!   the same tick. A `:durative-action` has its parts where PDDL puts them.
//! - One unit of PDDL's time is [`PddlOptions::ticks_per_unit`] ticks; ε is one tick.
//! - Deletes stand before adds, because in PDDL an action that deletes and adds the same fact leaves it true.
//! - The goal is a wish of the story with one aim; the metric a wish of the story that is only weighed.

mod action;
mod declare;
mod derived;
mod domain;
mod effect;
mod export;
mod fault;
mod formula;
mod lexer;
mod metric;
mod nearest;
mod number;
mod numeric;
mod problem;
mod reader;
mod scope;
mod sexpr;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod types;

use dramaturg_model::{Diagnostic, FileId, Model, sort_diagnostics};

pub use export::{Export, ExportOptions, LeftOut, PddlLevel, plan_names, to_pddl};
use reader::Reader;

/// How PDDL is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PddlOptions {
    /// How many ticks make one unit of PDDL's time. Durations are rounded to ticks, so this is the resolution of plans.
    pub ticks_per_unit: i64,
    /// How many bytes a file may have; a larger one is not read.
    pub file_bytes_max: usize,
    /// How many lists may lie within each other. Much more than the default needs a large stack.
    pub nesting_max: usize,
}

impl Default for PddlOptions {
    fn default() -> Self {
        Self { ticks_per_unit: 1000, file_bytes_max: 16 << 20, nesting_max: 128 }
    }
}

/// A domain and a problem to a model. A bad file gives diagnostics and what could be understood.
///
/// ```
/// use dramaturg_model::FileId;
/// use dramaturg_story::pddl::{PddlOptions, compile_pddl};
/// let domain = "(define (domain lamp) (:predicates (lit))
///     (:action light :parameters () :precondition (not (lit)) :effect (lit)))";
/// let problem = "(define (problem dusk) (:domain lamp) (:init) (:goal (lit)))";
/// let (model, diagnostics) =
///     compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &PddlOptions::default());
/// assert!(diagnostics.is_empty());
/// assert!(model.find_action("light").is_some());
/// ```
pub fn compile_pddl(
    domain: (FileId, &str),
    problem: Option<(FileId, &str)>,
    options: &PddlOptions,
) -> (Model, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let domain_items = sexpr::parse(domain.0, domain.1, options, &mut faults);
    let problem_items = problem.map(|(file, text)| sexpr::parse(file, text, options, &mut faults));
    let mut reader = Reader::new(options, faults);
    let domain = reader.domain_sections(&domain_items, domain.0);
    let problem = problem.map(|(file, _)| reader.problem_sections(problem_items.as_deref().unwrap_or(&[]), file));

    // Objects before what speaks of types: an object may be of several types at once, which makes a type of its own.
    reader.read_types(&domain);
    reader.read_objects(&domain, problem.as_ref());
    reader.read_domain(&domain);
    if let Some(problem) = &problem {
        reader.read_problem(problem);
    }
    let (model, mut faults) = reader.finish();
    sort_diagnostics(&mut faults);
    (model, faults)
}
