//! The judge of every plan.
//!
//! [`validate`] takes a plan by its names, works on the lifted model, and lists every condition that is not met: when, whose, which
//! fluent, what was wanted, what was found, and where that is written. It shares nothing with grounding or with any planner, so a
//! mistake there cannot hide here. What the levels mean stands in `docs/validate.md`.
//!
//! Stories are judged by the six phases of a tick (`causal` drives a [`World`](crate::simulate::World)); models that came from
//! PDDL are judged in PDDL's own sense by separate code (`pddl`).

use dramaturg_model::{Model, ObjectId, Plan, State, Tick};

use crate::simulate::{Follow, Violation};

pub mod report;
pub use report::{Preference, Report};
pub mod controllable;
pub use controllable::{Controllability, Network};

mod causal;
mod network;
mod pddl;
mod preferences;
mod robust;
mod structure;

/// How far a plan is judged; each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Names, arguments, ids and durations.
    V0,
    /// Every condition when it must hold, and the goals.
    V1,
    /// Times, deadlines and actuators too: the level at which a plan may be performed.
    #[default]
    V2,
    /// It bears every duration the world may choose.
    V3,
}

/// In whose sense a plan is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The six phases of a tick.
    Ticks,
    /// PDDL's happenings.
    Pddl,
}

/// Whose goals a plan must reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Goals {
    /// The story's and everybody's.
    #[default]
    All,
    /// The story's.
    Story,
    /// One character's.
    Character(ObjectId),
    /// Nobody's.
    None,
}

impl Goals {
    fn follow(self) -> Follow {
        match self {
            Self::All => Follow::Everybody,
            Self::Story => Follow::Story,
            Self::Character(object) => Follow::Character(object),
            Self::None => Follow::Nobody,
        }
    }
}

/// How a plan is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidateOptions {
    /// How far.
    pub level: Level,
    /// Whose goals it must reach.
    pub goals: Goals,
    /// In whose sense; none: in that of the language the model came from.
    pub mode: Option<Mode>,
    /// The tick up to which goals may be reached; none: the end of the plan, or the last deadline.
    pub until: Option<Tick>,
    /// Where chance begins.
    pub seed: u64,
    /// Judging stops, with a report, after so much work.
    pub work_max: u64,
}

impl Default for ValidateOptions {
    fn default() -> Self {
        Self { level: Level::V2, goals: Goals::All, mode: None, until: None, seed: 0, work_max: 50_000_000 }
    }
}

/// Judges a plan from a state.
///
/// ```
/// use dramaturg_model::{Model, Plan, State};
/// use dramaturg_planner::validate::{ValidateOptions, validate};
/// let mut model = Model::default();
/// model.seal();
/// let mut plan = Plan::default();
/// plan.add("fly", ["icarus"], 0, 1);
/// let report = validate(&model, &State::empty(&model), &plan, &ValidateOptions::default());
/// assert_eq!(report.violations[0].message, "there is no action or task called `fly`");
/// ```
pub fn validate(model: &Model, initial: &State, plan: &Plan, options: &ValidateOptions) -> Report {
    let mut report = Report::new(initial);
    let steps = structure::check(model, initial, plan, options, &mut report);
    report.cost = preferences::cost(model, initial, &steps);
    let mode = options.mode.unwrap_or(if model.pddl().is_some() { Mode::Pddl } else { Mode::Ticks });
    if options.level >= Level::V1 {
        match mode {
            Mode::Ticks => causal::run(model, initial, &steps, options, &mut report),
            Mode::Pddl => pddl::run(model, initial, &steps, options, &mut report),
        }
    }
    if options.level >= Level::V2 {
        network::check(plan, options, &mut report);
    }
    if options.level >= Level::V3 {
        robust::check(model, initial, plan, &steps, options, &mut report);
    }
    report.violations.sort_by_key(|violation: &Violation| (violation.tick, violation.step, violation.kind));
    report.valid = report.violations.is_empty();
    report
}
