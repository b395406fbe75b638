//! What is said about faults in PDDL. The codes are those of stories where the meaning is the same; the words are PDDL's.

use dramaturg_model::{Diagnostic, Span};

use crate::diagnostics::{
    circular_meaning, derived_set, duplicate_name, expected, too_deep, too_large, unclosed_brace, unknown_name,
    unknown_type, wrong_count, wrong_type,
};
pub(super) use crate::diagnostics::{
    pddl_broad_type::broad_type, pddl_negative_cycle::negative_cycle, pddl_no_definition::no_definition,
    pddl_other_domain::other_domain, pddl_unsupported::unsupported,
};

/// How many faults of one file are told; the rest would help nobody and cost memory.
pub(super) const COUNT_MAX: usize = 1000;

/// The beginning of a long name.
pub(super) fn shortened(name: &str) -> String {
    match name.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", name.get(..end).unwrap_or("")),
        None => name.to_owned(),
    }
}

pub(super) fn file_too_large(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::new(too_large::CODE, span, format!("this file is larger than {limit} bytes"))
        .hint("the limit is `file_bytes_max` of the PDDL options: raise it, or cut the problem down")
}

pub(super) fn number_too_large(span: Span) -> Diagnostic {
    Diagnostic::new(too_large::CODE, span, "a number beyond what can be counted")
        .hint("numbers go up to 9223372036854, about nine million million: choose a larger unit")
}

pub(super) fn too_many_variables(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::new(too_large::CODE, span, format!("more than {limit} variables are in reach here"))
        .hint("this limit cannot be raised: cut the action into several")
}

pub(super) fn too_many_copies(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::new(too_large::CODE, span, "conditions of nested `when` effects are repeated too often")
        .hint(format!("written out they have more than {limit} parts, and this limit cannot be raised: name the condition by a derived predicate"))
}

pub(super) fn too_deep(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::new(too_deep::CODE, span, format!("more than {limit} lists lie within each other here"))
        .hint("the limit is `nesting_max` of the PDDL options: raise it, or name a part by a derived predicate")
}

pub(super) fn deep_types(span: Span, limit: usize) -> Diagnostic {
    Diagnostic::new(too_deep::CODE, span, format!("more than {limit} types are kinds of each other here"))
        .hint("the limit is `nesting_max` of the PDDL options: raise it, or leave types out")
}

pub(super) fn nothing_to_close(span: Span) -> Diagnostic {
    Diagnostic::new(expected::CODE, span, "this `)` closes nothing").fix("take it out", span, "")
}

pub(super) fn unclosed(open: Span, name: &str, count: usize) -> Diagnostic {
    let what = if name.is_empty() { "this list".to_owned() } else { format!("`({}`", shortened(name)) };
    Diagnostic::new(unclosed_brace::CODE, open, format!("{what} is not closed"))
        .here("opened here")
        .hint(format!("{count} `)` are missing at the end, or one after this list"))
}

pub(super) fn unclosed_before(open: Span, name: &str, next: Span) -> Diagnostic {
    Diagnostic::new(unclosed_brace::CODE, open, format!("`({}` is not closed", shortened(name)))
        .here("opened here")
        .label(next, "and here begins something new")
        .hint("put `)` before what begins there")
}

pub(super) fn expected(span: Span, found: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(expected::CODE, span, format!("{found} cannot stand here")).here(format!("expected {wanted}"))
}

pub(super) fn missing(span: Span, after: &str, wanted: &str) -> Diagnostic {
    Diagnostic::new(expected::CODE, span, format!("something is missing in {after}")).here(format!("expected {wanted}"))
}

pub(super) fn unknown(span: Span, what: &str, name: &str, nearest: Option<&str>, cure: &str) -> Diagnostic {
    let found = Diagnostic::new(unknown_name::CODE, span, format!("there is no {what} `{}`", shortened(name)));
    with_nearest(found, span, nearest, cure)
}

pub(super) fn unknown_type(span: Span, name: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(unknown_type::CODE, span, format!("there is no type `{}`", shortened(name)));
    with_nearest(found, span, nearest, "declare it in `(:types …)`")
}

fn with_nearest(found: Diagnostic, span: Span, nearest: Option<&str>, cure: &str) -> Diagnostic {
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint(cure),
    }
}

pub(super) fn duplicate(span: Span, what: &str, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(duplicate_name::CODE, span, format!("the {what} `{}` is declared twice", shortened(name)))
        .here("declared again here")
        .label(first, "first declared here")
        .hint("give one of them another name")
}

pub(super) fn second_section(span: Span, name: &str, first: Span) -> Diagnostic {
    Diagnostic::new(duplicate_name::CODE, span, format!("`{name}` stands here a second time"))
        .label(first, "it stands here already")
        .hint("put both into one")
}

pub(super) fn wrong_count(span: Span, name: &str, wanted: usize, found: usize, declared: Span) -> Diagnostic {
    let plural = if wanted == 1 { "" } else { "s" };
    let cure = if found < wanted { "say the missing ones" } else { "leave the surplus ones out" };
    Diagnostic::new(
        wrong_count::CODE,
        span,
        format!("`{name}` takes {wanted} argument{plural}, and {found} are written"),
    )
    .label(declared, "declared here")
    .hint(cure)
}

pub(super) fn wrong_type(span: Span, name: &str, found: &str, wanted: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(wrong_type::CODE, span, format!("`{name}` is of type {found}, and never {wanted}"))
        .here(format!("expected {wanted}"))
        .label(declared, "declared here")
        .hint("check the order of the arguments, and the types of the declarations")
}

pub(super) fn derived_set(span: Span, name: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(derived_set::CODE, span, format!("`{name}` is derived and cannot be set"))
        .label(declared, "it is derived by this")
        .hint("set what it is derived from")
}

pub(super) fn circular_type(span: Span, names: &str) -> Diagnostic {
    Diagnostic::new(circular_meaning::CODE, span, "a type is a kind of itself")
        .here(names)
        .hint("leave one of these parents out")
}
