//! Plans, and what comes back while they are performed. All of it speaks in names, so that it survives edits of the story.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::fixed::Fixed;
use crate::tick::Tick;

/// One planned action with its time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Names this step within the plan and its successors.
    pub id: u32,
    /// The action's name.
    pub action: SmolStr,
    /// Its arguments by name.
    #[serde(default)]
    pub args: Vec<SmolStr>,
    /// The tick at which it starts.
    pub start: Tick,
    /// How many ticks it takes.
    pub duration: Tick,
    /// The earliest and latest start, if the plan leaves room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<(Tick, Tick)>,
    /// What has become of it.
    #[serde(default)]
    pub status: Status,
    /// The wishes it serves, by their text form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goals: Vec<SmolStr>,
    /// Who put it there.
    #[serde(default)]
    pub origin: StepOrigin,
}

impl Step {
    /// A step that is proposed, and serves nothing in particular.
    pub fn new(id: u32, action: SmolStr, args: Vec<SmolStr>, start: Tick, duration: Tick) -> Self {
        let (status, origin) = (Status::default(), StepOrigin::default());
        Self { id, action, args, start, duration, window: None, status, goals: Vec::new(), origin }
    }

    /// The tick at which it ends.
    pub fn end(&self) -> Tick {
        self.start.saturating_add(self.duration)
    }
}

/// What has become of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The planner may still change it.
    #[default]
    Proposed,
    /// The director has fixed it.
    Locked,
    /// It is on its way.
    Dispatched,
    /// The executor has it.
    Accepted,
    /// It has started.
    Running,
    /// It has ended.
    Done,
    /// It ended without its effects.
    Failed,
    /// It came too late.
    Missed,
    /// It was taken back.
    Cancelled,
    /// The game died between its start and its report.
    Unknown,
}

/// Who put a step into a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepOrigin {
    /// A planner.
    #[default]
    Planner,
    /// A rule.
    Rule,
    /// To pass the time.
    Filler,
    /// A repair of the plan.
    Repair,
    /// A plan file.
    File,
}

/// Why a step is there: it makes something true that a later step or a goal needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CausalLink {
    /// The step that makes it true; none: it was so at the start.
    pub from: Option<u32>,
    /// The step that needs it; none: a goal.
    pub to: Option<u32>,
    /// What, in the words of the story.
    pub fact: SmolStr,
}

/// A point in the time of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimePoint {
    /// Tick 0.
    Origin,
    /// The start of a step.
    Start(u32),
    /// The end of a step.
    End(u32),
}

/// The second point comes at least and at most so many ticks after the first: one edge of a simple temporal network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeConstraint {
    /// The first point.
    pub from: TimePoint,
    /// The second point.
    pub to: TimePoint,
    /// At least so many ticks later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<Tick>,
    /// At most so many ticks later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<Tick>,
}

/// Steps with their times, and why they are there.
///
/// ```
/// use dramaturg_model::Plan;
/// let mut plan = Plan::default();
/// plan.add("take", ["anna", "apple"], 475, 5);
/// plan.add("eat", ["anna", "apple"], 480, 20);
/// assert_eq!(plan.end(), 500);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The steps, in any order.
    pub steps: Vec<Step>,
    /// Why they are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<CausalLink>,
    /// How their times hang together.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<TimeConstraint>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Fixed>,
    /// Whether it reaches its goals.
    #[serde(default)]
    pub complete: bool,
    /// The last tick up to which it is known to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<Tick>,
    /// Counts what was published.
    #[serde(default)]
    pub version: u64,
}

impl Plan {
    /// Adds a step and returns its id.
    pub fn add<A: Into<SmolStr>>(
        &mut self,
        action: impl Into<SmolStr>,
        args: impl IntoIterator<Item = A>,
        start: Tick,
        duration: Tick,
    ) -> u32 {
        let id = self.steps.iter().map(|step| step.id + 1).max().unwrap_or(0);
        self.steps.push(Step {
            id,
            action: action.into(),
            args: args.into_iter().map(Into::into).collect(),
            start,
            duration,
            window: None,
            status: Status::Proposed,
            goals: Vec::new(),
            origin: StepOrigin::Planner,
        });
        id
    }

    /// The tick at which its last step ends.
    pub fn end(&self) -> Tick {
        self.steps.iter().map(Step::end).max().unwrap_or(0)
    }
}

/// Something seen: a fluent had a value from one tick until before another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// The fluent with its arguments, as stories write it: `player.location`.
    pub fluent: SmolStr,
    /// Its value by name.
    pub value: SmolStr,
    /// From this tick.
    pub from: Tick,
    /// Until before this tick; none: from then on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Tick>,
    /// Who saw it.
    #[serde(default)]
    pub source: u32,
    /// Counts what that observer sent.
    #[serde(default)]
    pub sequence: u64,
}

/// What happened to a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepEvent {
    /// Which step.
    pub step: u32,
    /// Which version of it.
    pub version: u32,
    /// What.
    pub kind: StepEventKind,
}

/// The kinds of events of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepEventKind {
    /// The director has fixed it.
    Locked,
    /// The executor has it.
    Accepted,
    /// It started at this tick.
    Started(Tick),
    /// It is so far.
    Progress(Fixed),
    /// It will take so long.
    Amended(Tick),
    /// It ended at this tick.
    Finished(Tick),
    /// It ended without its effects, for this reason.
    Failed(SmolStr),
    /// It came so many ticks too late.
    Missed(Tick),
    /// A condition was false when it would have started.
    GuardFailed,
    /// It was taken back.
    Cancelled,
    /// The question it asks was answered so.
    Answered(SmolStr),
}
