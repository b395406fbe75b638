//! What is said about stories: one file a code, each with its page in `docs/diagnostics/`.

use dramaturg_model::Code;

use crate::syntax::place::Place;

pub mod anchored_elsewhere;
pub mod and_or_mixed;
pub mod bad_slot;
pub mod circular_meaning;
pub mod clause_not_here;
pub mod clause_twice;
pub mod derived_set;
pub mod does_nothing;
pub mod duplicate_name;
pub mod edge_never_falls;
pub mod empty_task;
pub mod endless_wait;
pub mod expected;
pub mod may_divide_by_zero;
pub mod milestone_without_next;
pub mod never_read;
pub mod never_set;
pub mod no_tick_length;
pub mod no_value;
pub mod nobody_performs;
pub mod not_a_character;
pub mod not_linear;
pub mod one_value;
pub mod open_text;
pub mod out_of_range;
pub mod pddl_broad_type;
pub mod pddl_negative_cycle;
pub mod pddl_no_definition;
pub mod pddl_other_domain;
pub mod pddl_unsupported;
pub mod plain_yes;
pub mod recursive_task;
pub mod set_twice;
pub mod shadowed_name;
pub mod story_twice;
pub mod stray_character;
pub mod text_id_twice;
pub mod too_deep;
pub mod too_large;
pub mod too_many_hands;
pub mod too_precise;
pub mod total_of_unknown_length;
pub mod uncalled_task;
pub mod unclosed_brace;
pub mod uneven_time;
pub mod unknown_attribute;
pub mod unknown_clause;
pub mod unknown_file;
pub mod unknown_name;
pub mod unknown_performer;
pub mod unknown_tag;
pub mod unknown_type;
pub mod unknown_unit;
pub mod unpinned_text;
pub mod unreachable_method;
pub mod unseen_expectation;
pub mod untranslated;
pub mod unused_parameter;
pub mod wrong_count;
pub mod wrong_type;

/// Every code, in order of name.
pub const ALL: &[Code] = &[
    anchored_elsewhere::CODE,
    and_or_mixed::CODE,
    bad_slot::CODE,
    circular_meaning::CODE,
    clause_not_here::CODE,
    clause_twice::CODE,
    derived_set::CODE,
    does_nothing::CODE,
    duplicate_name::CODE,
    edge_never_falls::CODE,
    empty_task::CODE,
    endless_wait::CODE,
    expected::CODE,
    may_divide_by_zero::CODE,
    milestone_without_next::CODE,
    never_read::CODE,
    never_set::CODE,
    no_tick_length::CODE,
    no_value::CODE,
    nobody_performs::CODE,
    not_a_character::CODE,
    not_linear::CODE,
    one_value::CODE,
    open_text::CODE,
    out_of_range::CODE,
    pddl_broad_type::CODE,
    pddl_negative_cycle::CODE,
    pddl_no_definition::CODE,
    pddl_other_domain::CODE,
    pddl_unsupported::CODE,
    plain_yes::CODE,
    recursive_task::CODE,
    set_twice::CODE,
    shadowed_name::CODE,
    story_twice::CODE,
    stray_character::CODE,
    text_id_twice::CODE,
    too_deep::CODE,
    too_large::CODE,
    too_many_hands::CODE,
    too_precise::CODE,
    total_of_unknown_length::CODE,
    uncalled_task::CODE,
    unclosed_brace::CODE,
    uneven_time::CODE,
    unknown_attribute::CODE,
    unknown_clause::CODE,
    unknown_file::CODE,
    unknown_name::CODE,
    unknown_performer::CODE,
    unknown_tag::CODE,
    unknown_type::CODE,
    unknown_unit::CODE,
    unpinned_text::CODE,
    unreachable_method::CODE,
    unseen_expectation::CODE,
    untranslated::CODE,
    unused_parameter::CODE,
    wrong_count::CODE,
    wrong_type::CODE,
];

/// "in a rule may stand `when`, `then` or `say`"
pub(crate) fn may_stand(place: Place) -> String {
    format!("in {} may stand {}", place.name(), place.choices())
}
