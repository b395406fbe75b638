//! Diagnostics that need to know what can be reached.
//!
//! Each level is grounded once with everything that may be true when it begins; a goal, ending or action is reported only if it cannot
//! be reached even though nothing were ever undone. One file a code, each with its page in `docs/diagnostics/`.

use dramaturg_model::{Code, Diagnostic, Model, sort_diagnostics};

use crate::ground::Limits;

pub mod contract_unmet;
pub mod dead_end;
pub mod goals_conflict;
pub mod impossible_action;
pub mod keep_broken_at_start;
mod prospect;
pub mod rule_loop;
pub mod unreachable_ending;
pub mod unreachable_goal;
pub mod unreachable_level;

use prospect::{Cast, Prospect};

/// Every code of this module, in order of name.
pub const ALL: &[Code] = &[
    contract_unmet::CODE,
    dead_end::CODE,
    goals_conflict::CODE,
    impossible_action::CODE,
    keep_broken_at_start::CODE,
    rule_loop::CODE,
    unreachable_ending::CODE,
    unreachable_goal::CODE,
    unreachable_level::CODE,
];

/// How far to look.
#[derive(Clone, Copy, Debug)]
pub struct LintOptions {
    /// Whether to look for states from which the goal cannot be reached.
    pub deep: bool,
    /// How many states to look at then.
    pub states_max: usize,
    /// Where grounding gives up; what is not known then is not reported.
    pub limits: Limits,
}

impl Default for LintOptions {
    fn default() -> Self {
        let limits = Limits { max_operators: 200_000, max_variables: 1_000_000, max_work: 20_000_000 };
        Self { deep: false, states_max: 20_000, limits }
    }
}

/// Looks at a model that compiled without errors.
///
/// ```
/// use dramaturg_planner::lint::{LintOptions, lint};
/// let story = "story \"Door\"\nfluent open\nfluent locked = true\naction enter { needs not locked; then open; say \"In.\" }\ngoal open";
/// let compiled = dramaturg_story::compile_text("door.story", story);
/// let codes: Vec<&str> = lint(&compiled.model, &LintOptions::default()).iter().map(|found| found.code.name).collect();
/// assert_eq!(codes, ["impossible-action", "unreachable-goal"]);
/// ```
pub fn lint(model: &Model, options: &LintOptions) -> Vec<Diagnostic> {
    let mut found = reached(model, Cast::Few, options.limits);
    // What one member of a population cannot do another might: a finding stands only if it holds of everybody.
    if !found.is_empty() && Cast::Few.leaves_out(model) {
        found = reached(model, Cast::All, options.limits);
    }
    contract_unmet::rule(model, &mut found);
    keep_broken_at_start::rule(model, &mut found);
    if options.deep {
        dead_end::rule(model, options, &mut found);
    }
    sort_diagnostics(&mut found);
    found
}

/// The findings that follow from what can be reached.
fn reached(model: &Model, cast: Cast, limits: Limits) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let prospect = Prospect::of(model, cast, limits);
    rule_loop::rule(model, &prospect, &mut found);
    impossible_action::rule(model, &prospect, limits, &mut found);
    unreachable_level::rule(model, &prospect, &mut found);
    unreachable_goal::rule(model, &prospect, &mut found);
    unreachable_ending::rule(model, &prospect, &mut found);
    goals_conflict::rule(model, &prospect, &mut found);
    found
}
