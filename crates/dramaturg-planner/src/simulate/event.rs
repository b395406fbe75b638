//! What a world reports.

use std::fmt;

use dramaturg_model::{
    ActionId, Args, EndingId, FluentId, LevelId, MilestoneId, ObjectId, RuleId, Span, TaskId, TextId, Tick, Value,
    WishId,
};
use serde::{Deserialize, Serialize};

/// The six phases of a tick, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// P0: what is observed overwrites what was believed.
    Observe,
    /// P1: steps end.
    End,
    /// P2: rules fire until they are at rest, then milestones and endings.
    Rules,
    /// P3: conditions and goals are looked at.
    Check,
    /// P4: steps start.
    Start,
    /// P5: contributions of this tick come in.
    Rates,
}

impl Phase {
    /// The phase after this one in the same tick.
    pub const fn next(self) -> Option<Self> {
        match self {
            Self::Observe => Some(Self::End),
            Self::End => Some(Self::Rules),
            Self::Rules => Some(Self::Check),
            Self::Check => Some(Self::Start),
            Self::Start => Some(Self::Rates),
            Self::Rates => None,
        }
    }
}

/// How much a world reports; each says what the ones before it say, and more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Only what is wrong.
    Violations,
    /// What happens, without the changes of fluents and without texts.
    Happenings,
    /// Texts too.
    Texts,
    /// Every change of a fluent too.
    #[default]
    Everything,
}

/// Who changes a fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// An observation.
    Observation,
    /// Something given for this tick.
    Given,
    /// A step, by its id.
    Step(u32),
    /// A rule.
    Rule(RuleId),
    /// A task.
    Task(TaskId),
    /// A milestone.
    Milestone(MilestoneId),
    /// An ending.
    Ending(EndingId),
}

/// What has become of an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitStatus {
    /// It is waited for.
    Expected,
    /// It was seen.
    Confirmed,
    /// It is waited for longer, for the so-manieth time.
    Late(u32),
    /// It is given up.
    Invalidated,
}

/// Something that happened in a world.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct WorldEvent {
    /// When.
    pub tick: Tick,
    /// In which phase.
    pub phase: Phase,
    /// What.
    pub kind: WorldEventKind,
}

/// The kinds of what happens.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorldEventKind {
    /// A step starts and will end at this tick.
    StepStarted {
        /// The step's id.
        step: u32,
        /// Its action.
        action: ActionId,
        /// Its arguments.
        args: Args,
        /// When it will end.
        until: Tick,
    },
    /// A step ends.
    StepEnded {
        /// The step's id.
        step: u32,
    },
    /// A step ends without its effects: cut off by the end of a level, failed or taken back.
    StepCut {
        /// The step's id.
        step: u32,
    },
    /// A step does not start, for a condition is not met (only where unmet conditions are refused).
    StepRefused {
        /// The step's id.
        step: u32,
    },
    /// A task begins with this method.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// Its arguments.
        args: Args,
        /// The number of the method.
        method: u16,
    },
    /// A task is done.
    TaskEnded {
        /// The task.
        task: TaskId,
        /// Its arguments.
        args: Args,
        /// The number of the method.
        method: u16,
    },
    /// A rule fires.
    RuleFired {
        /// The rule.
        rule: RuleId,
        /// Its arguments.
        args: Args,
    },
    /// A fluent changes.
    Effect {
        /// The fluent.
        fluent: FluentId,
        /// Its arguments.
        args: Args,
        /// What it was.
        old: Value,
        /// What it is.
        new: Value,
        /// Who changes it.
        by: Cause,
    },
    /// Something is said or told.
    Said {
        /// The text.
        text: TextId,
        /// Who speaks; none: the narrator.
        speaker: Option<ObjectId>,
        /// What the slots show, in order.
        slots: Vec<Value>,
        /// The words as shown.
        shown: String,
    },
    /// A goal is taken up.
    GoalTaken {
        /// The wish.
        wish: WishId,
        /// Its arguments.
        args: Args,
    },
    /// A goal is reached.
    GoalReached {
        /// The wish.
        wish: WishId,
        /// Its arguments.
        args: Args,
    },
    /// A goal can no longer be reached in time, or something to be kept is broken.
    GoalMissed {
        /// The wish.
        wish: WishId,
        /// Its arguments.
        args: Args,
    },
    /// A goal is dropped, for it makes no sense any more.
    GoalDropped {
        /// The wish.
        wish: WishId,
        /// Its arguments.
        args: Args,
    },
    /// A rule gives a goal to a character.
    Injected {
        /// The rule.
        rule: RuleId,
        /// Who gets it.
        character: ObjectId,
        /// The wish.
        wish: WishId,
        /// Its arguments: the rule's.
        args: Args,
    },
    /// An expectation is confirmed, waited for longer, or given up.
    Expectation {
        /// Who waits.
        by: Cause,
        /// What has become of it.
        status: WaitStatus,
    },
    /// A milestone comes.
    Milestone {
        /// Which.
        milestone: MilestoneId,
    },
    /// A level begins.
    LevelEntered {
        /// Which.
        level: LevelId,
    },
    /// The story ends.
    Ending {
        /// Which ending.
        ending: EndingId,
    },
    /// Something is not as it must be.
    Violation(Violation),
}

/// What kind of thing is not as it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    /// No such action or task.
    UnknownAction,
    /// Too many or too few arguments.
    WrongCount,
    /// No such object.
    UnknownObject,
    /// An argument that cannot stand there.
    WrongType,
    /// What does not exist in the level.
    NotInLevel,
    /// Performer and participant are the same object.
    SamePerformer,
    /// A duration that is not the action's.
    WrongDuration,
    /// A tick before the beginning, or beyond all time.
    WrongTick,
    /// Two steps with one id.
    DuplicateId,
    /// A constraint or link that names no step.
    UnknownStep,
    /// A start condition that does not hold.
    StartCondition,
    /// A condition that does not hold throughout.
    ThroughoutCondition,
    /// A condition that does not hold at the end.
    EndCondition,
    /// A condition that does not hold at its moment.
    TimedCondition,
    /// Two steps that set one fluent to different values at once.
    Conflict,
    /// Two happenings that touch the same fluent with less than ε between them.
    Interference,
    /// A task none of whose methods applies.
    NoMethod,
    /// Rules that raise each other without end.
    RuleLoop,
    /// A step that was never performed, for the story was over.
    AfterEnding,
    /// More of an actuator is held than there is.
    OverCapacity,
    /// Times that break a constraint of the plan.
    Constraint,
    /// Constraints that no times satisfy.
    Inconsistent,
    /// A start outside its window.
    Window,
    /// A goal that is not reached.
    GoalNotReached,
    /// A goal that is not reached in its time.
    GoalMissed,
    /// Something to be kept that is broken.
    KeepBroken,
    /// No way of starting steps bears every duration the world may choose.
    NotControllable,
    /// A limit of this program, not of the plan.
    TooLarge,
}

/// Something that is not as it must be: when, where, what was wanted and what was found.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// When.
    pub tick: Tick,
    /// Whose step.
    pub step: Option<u32>,
    /// Which fluent, as stories write it.
    pub fluent: Option<String>,
    /// What it should be.
    pub wanted: String,
    /// What it is.
    pub found: String,
    /// Where it is written.
    pub place: Span,
    /// All of it in one sentence.
    pub message: String,
}

impl Violation {
    /// A violation with a message only.
    pub fn new(kind: ViolationKind, tick: Tick, message: impl Into<String>) -> Self {
        Self {
            kind,
            tick,
            step: None,
            fluent: None,
            wanted: String::new(),
            found: String::new(),
            place: Span::NONE,
            message: message.into(),
        }
    }

    /// Says whose step.
    #[must_use]
    pub fn of(mut self, step: u32) -> Self {
        self.step = Some(step);
        self
    }

    /// Says where it is written.
    #[must_use]
    pub fn at(mut self, place: Span) -> Self {
        self.place = place;
        self
    }

    /// Says what was wanted and what was found.
    #[must_use]
    pub fn values(mut self, wanted: impl Into<String>, found: impl Into<String>) -> Self {
        self.wanted = wanted.into();
        self.found = found.into();
        self
    }

    /// Says which fluent.
    #[must_use]
    pub fn about(mut self, fluent: impl Into<String>) -> Self {
        self.fluent = Some(fluent.into());
        self
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tick {}: {}", self.tick, self.message)
    }
}
