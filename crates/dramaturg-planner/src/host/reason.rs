//! Why a plan is made anew.

use std::fmt;

/// What happened that a plan did not provide for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReplanReason {
    /// Nothing has been planned yet.
    #[default]
    Begins,
    /// Nothing happened: the search found a better plan.
    Better,
    /// The session was saved, and search memory was dropped.
    Saved,
    /// The game is not as far as it was thought to be: steps may start sooner.
    LessTime,
    /// A committed step has not started by its tick, or a running one has not ended.
    TimePassed,
    /// What was projected begins too long ago.
    Stale,
    /// Something was seen that the plan does not account for.
    Observed,
    /// What was expected of the player or the world has come about, or not in time.
    Expectation,
    /// A step was committed that the plan at hand has no longer.
    CommittedUnplanned,
    /// A step was committed at the start that it had before.
    CommittedElsewhere,
    /// A step started at another tick than planned, or although it could not be counted on.
    Started,
    /// A running step takes longer or shorter than planned.
    Amended,
    /// A step ended at another tick than planned.
    Ended,
    /// A step ended that lacked something.
    EndedLacking,
    /// A step failed.
    Failed,
    /// A step never started.
    NotPerformed,
    /// Somebody answered a question with no, or not yet.
    Refused,
    /// What somebody had put off may be asked again.
    MayAskAgain,
    /// The director did not take the last plan over.
    Rejected,
    /// Another planner has committed or withdrawn a step.
    OtherPlanner,
    /// The game asked for other goals.
    Goals,
    /// A goal that the game asked for is reached, or too late.
    GoalOver,
}

impl fmt::Display for ReplanReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Begins => "the story begins",
            Self::Better => "a better plan was found",
            Self::Saved => "the session was saved",
            Self::LessTime => "less time has passed than was thought",
            Self::TimePassed | Self::Stale => "time has passed",
            Self::Observed => "something was seen that nobody had planned",
            Self::Expectation => "what was expected has come, or not",
            Self::CommittedUnplanned => "a step was locked that was no longer planned",
            Self::CommittedElsewhere => "a step was locked where it was before",
            Self::Started => "a step started at another time",
            Self::Amended => "a step takes another time than planned",
            Self::Ended => "a step ended at another time",
            Self::EndedLacking => "a step is over that lacked something",
            Self::Failed => "a step failed",
            Self::NotPerformed => "a step was not performed",
            Self::Refused => "somebody said no",
            Self::MayAskAgain => "it may be asked again",
            Self::Rejected => "the last plan came too late",
            Self::OtherPlanner => "somebody else has planned something",
            Self::Goals => "the game asked for something else",
            Self::GoalOver => "what the game asked for is reached, or too late",
        })
    }
}
