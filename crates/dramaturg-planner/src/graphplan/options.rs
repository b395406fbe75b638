//! What is asked of Graphplan, and what it answers.

use std::fmt;

use dramaturg_model::Tick;

use super::plan::LayeredPlan;

/// How long a plan with layers takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LayerTime {
    /// One step after another, as one performer does it: the sum of all durations.
    #[default]
    Sequential,
    /// The steps of a layer side by side: the sum of the longest durations of the layers.
    Layered,
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphplanOptions {
    /// Whether failures are explained, so that what had no part in them is not tried again. Without it, search goes back one choice
    /// after another and remembers whole sets of goals, as Blum and Furst had it.
    pub learn: bool,
    /// The plan may take so many ticks; none: as many as it likes.
    pub available: Option<Tick>,
    /// How the ticks of a plan are counted.
    pub time: LayerTime,
    /// Give up beyond so many layers.
    pub layers_max: u32,
    /// Refuse problems with more components than this: rows of bits grow with their square.
    pub components_max: u32,
}

impl Default for GraphplanOptions {
    fn default() -> Self {
        Self { learn: true, available: None, time: LayerTime::Sequential, layers_max: 1_000, components_max: 12_000 }
    }
}

/// How far Graphplan has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It can go on.
    Searching,
    /// Here is a plan with the fewest layers; under a time limit, with the fewest layers that fit in.
    Found(LayeredPlan),
    /// There is no plan of steps one after another or beside each other, however many: this is proved. What waiting or overlapping may
    /// bring is not seen here; [`sees_everything`](crate::search::proof::sees_everything) says whether that matters.
    Exhausted,
    /// No such plan fits into the time: this is proved. One that takes longer may exist.
    OutOfTime,
    /// There is none with so few layers as [`GraphplanOptions::layers_max`] allows.
    GaveUp,
    /// The problem says something that Graphplan does not follow.
    Unsupported {
        /// What.
        what: Unsupported,
    },
}

/// What Graphplan does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unsupported {
    /// A condition compares numbers.
    NumberTest,
    /// A condition asks for something that is no set of values: the time, a product, a very long alternative.
    Test,
    /// A condition reads a fluent that is computed from others.
    Derived,
    /// An action changes the world at its start and again at its end.
    Phases,
    /// A rule that fires at once when something becomes true or is done changes what something planned depends on.
    Rule,
    /// A new value is computed from more than one variable, from numbers or from the time.
    Assignment,
    /// A whole number is counted up or down in more than one way by one action.
    Shift,
    /// The target has too many alternatives.
    Alternatives,
    /// Time is limited, and how long an action takes depends on the state.
    Duration,
    /// There are more components than [`GraphplanOptions::components_max`].
    TooLarge,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NumberTest => "a condition compares numbers",
            Self::Test => "a condition asks for the time, for something computed, or for too many alternatives",
            Self::Derived => "a condition reads a fluent that is computed from others",
            Self::Phases => "an action changes the world at its start and again at its end",
            Self::Rule => "a rule fires at once",
            Self::Assignment => "a new value is computed from several others",
            Self::Shift => "an action counts a whole number in several ways",
            Self::Alternatives => "what is wanted has too many alternatives",
            Self::Duration => "how long an action takes depends on the state",
            Self::TooLarge => "there is too much that can be done",
        })
    }
}

/// How much work it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Trials: a producer for a goal, or a way to keep an unwanted effect away.
    pub nodes: u64,
    /// Those of them that went with what was chosen before.
    pub choices: u64,
    /// Sets of goals that were known to fail.
    pub memo_hits: u64,
    /// Sets of goals that are known to fail.
    pub memos: u64,
    /// How many layers of actions have been built.
    pub levels: u32,
    /// The first level at which all goals are present and no two exclude each other.
    pub first_mutex_free: Option<u32>,
    /// The level from which on nothing new appears.
    pub level_off: Option<u32>,
}
