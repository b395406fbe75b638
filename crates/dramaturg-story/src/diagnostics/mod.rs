//! What is said about stories: one file a code, each with its page in `docs/diagnostics/`.

use dramaturg_model::Code;

use crate::syntax::place::Place;

pub mod and_or_mixed;
pub mod clause_not_here;
pub mod clause_twice;
pub mod expected;
pub mod open_text;
pub mod stray_character;
pub mod too_deep;
pub mod too_large;
pub mod too_precise;
pub mod unclosed_brace;
pub mod unknown_clause;
pub mod unknown_unit;

/// Every code, in order of name.
pub const ALL: &[Code] = &[
    and_or_mixed::CODE,
    clause_not_here::CODE,
    clause_twice::CODE,
    expected::CODE,
    open_text::CODE,
    stray_character::CODE,
    too_deep::CODE,
    too_large::CODE,
    too_precise::CODE,
    unclosed_brace::CODE,
    unknown_clause::CODE,
    unknown_unit::CODE,
];

/// "in a rule may stand `when`, `then` or `say`"
pub(crate) fn may_stand(place: Place) -> String {
    format!("in {} may stand {}", place.name(), place.choices())
}
