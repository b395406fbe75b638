//! Plans in files: those of the planning competitions and of VAL, and our own JSON.
//!
//! [`read_plan`] takes any text and always yields a plan and diagnostics; what it cannot read is left out and named with its place.
//! [`write_plan`] writes what it reads.

use dramaturg_model::{Code, Diagnostic, FileId, Model, Plan, Span};

mod ipc;
mod json;
mod lay;
mod lookup;
pub mod plan_malformed;
pub mod too_large;
pub mod uneven_time;
pub mod unknown_name;
mod write;
pub mod wrong_count;
pub mod wrong_type;

pub use write::write_plan;

/// How a plan is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// One step a line, as the competitions and VAL write it.
    Ipc,
    /// Our own.
    Json,
}

/// Larger files are not read.
pub const BYTES_MAX: usize = 64 << 20;
/// Longer plans are cut off.
pub const STEPS_MAX: usize = 1_000_000;
/// More diagnostics than this help nobody.
pub const DIAGNOSTICS_MAX: usize = 100;

/// Reads a plan: JSON if it begins with a brace, otherwise one step a line.
///
/// A plan without times is laid out one step after another: in a story by how long each step takes, in classical PDDL one tick
/// a step.
///
/// ```
/// use dramaturg_model::{FileId, Model};
/// use dramaturg_planner::planfile::read_plan;
/// let mut model = Model::default();
/// model.seal();
/// let (plan, diagnostics) = read_plan(&model, FileId(0), "(fly icarus)\n");
/// assert!(plan.steps.is_empty());
/// assert_eq!(diagnostics[0].code.name, "unknown-name");
/// ```
pub fn read_plan(model: &Model, file: FileId, text: &str) -> (Plan, Vec<Diagnostic>) {
    let mut diagnostics = Diagnostics { file, found: Vec::new(), left_out: 0 };
    if text.len() > BYTES_MAX {
        let message = format!("the file has {} bytes; plans of more than {BYTES_MAX} bytes are not read", text.len());
        diagnostics.add(too_large::TOO_LARGE, (0, 0), message);
        return (Plan::default(), diagnostics.found);
    }
    let plan = match text.trim_start().starts_with('{') {
        true => json::read(model, text, &mut diagnostics),
        false => ipc::read(model, text, &mut diagnostics),
    };
    (plan, diagnostics.finish())
}

/// What is said about a plan file while it is read.
struct Diagnostics {
    file: FileId,
    found: Vec<Diagnostic>,
    left_out: usize,
}

impl Diagnostics {
    fn add(&mut self, code: Code, (start, end): (usize, usize), message: impl Into<String>) {
        let span = self.span(start, end);
        self.push(Diagnostic::new(code, span, message));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.len() < DIAGNOSTICS_MAX {
            self.found.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    fn finish(mut self) -> Vec<Diagnostic> {
        if self.left_out > 0 {
            let message = format!("{} more faults are not shown", self.left_out);
            let span = self.span(0, 0);
            self.found.push(Diagnostic::new(plan_malformed::PLAN_MALFORMED, span, message));
        }
        self.found
    }
}
