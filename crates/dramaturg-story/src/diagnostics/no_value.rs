//! `no-value`: an object without a starting value for a fluent that has no default.

use dramaturg_model::{Code, Diagnostic, Span};

/// An object without a starting value for a fluent that has no default.
pub const CODE: Code = Code::error("no-value");

/// A fluent that has no value when the story begins.
pub struct Missing<'a> {
    /// With its arguments: `anna.location`.
    pub fluent: &'a str,
    /// How many others of it have none either.
    pub others: usize,
    /// How a value is given: `location = …`.
    pub given: &'a str,
    /// Where the fluent is declared.
    pub declared: Span,
    /// Behind the fluent's values, and a name for the absence of one.
    pub absence: Option<(Span, &'a str)>,
}

/// Something has no value when the story begins.
pub fn diagnostic(place: Span, missing: &Missing<'_>) -> Diagnostic {
    let Missing { fluent, others, given, declared, absence } = missing;
    let message = match others {
        0 => format!("`{fluent}` has no value when the story begins"),
        1 => format!("`{fluent}` and one other have no value when the story begins"),
        _ => format!("`{fluent}` and {others} others have no value when the story begins"),
    };
    let name = absence.map_or("nowhere", |(_, name)| name);
    let hint = format!("give it one (`{given}`), or add a name for its absence to the values (`| {name}`)");
    let declared = if place == *declared { Span::NONE } else { *declared };
    let found = Diagnostic::new(CODE, place, message).label(declared, "no default here").hint(hint);
    match absence {
        Some((behind, name)) => found.fix(format!("add `| {name}` to the values"), *behind, format!(" | {name}")),
        None => found,
    }
}
