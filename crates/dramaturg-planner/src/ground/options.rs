//! What grounding is asked for, and where it stops.

use std::fmt;

use dramaturg_model::{Expr, LevelId, ObjectId, State};

/// What to ground, for whom, from where and up to which limits.
#[derive(Clone, Debug, Default)]
pub struct GroundOptions<'a> {
    /// The level whose objects exist; none: the level of the state, or the first of the story.
    pub level: Option<LevelId>,
    /// The state to start from; none: the initial state of the level, drawn with the seed.
    pub state: Option<&'a State>,
    /// The seed for what is given by chance when no state is given.
    pub seed: u64,
    /// Keep only what can help these goals; none: keep all that can happen.
    pub goals: Option<Goals>,
    /// Who may perform actions; none: everybody. Of a crowd whose members do the same things, one is enough to ground.
    pub cast: Option<&'a [ObjectId]>,
    /// Which states must be expressible.
    pub scope: Scope,
    /// Whether facts that exclude each other become one variable.
    pub groups: Groups,
    /// Where grounding gives up.
    pub limits: Limits,
}

/// The goals that relevance starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goals {
    /// The story's own wishes.
    Story,
    /// The wishes of one character.
    Character(ObjectId),
    /// Every wish of everybody.
    Everyone,
    /// These conditions, without variables.
    Conditions(Vec<Expr>),
}

/// Which states the problem can express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All that can be reached from the given state.
    #[default]
    Reachable,
    /// All: every fluent may take every value of its domain, so that no surprise from the game needs another grounding.
    Everything,
}

/// When facts that exclude each other become one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Groups {
    /// In models that came from PDDL: stories say it themselves, with fluents that have many values, and a game may report what a
    /// group could not express.
    #[default]
    OfPddl,
    /// Wherever they are found.
    Always,
    /// Never.
    Never,
}

/// Where grounding gives up. What was found until then is kept, so that a too large story still shows something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most ground operators, rules included.
    pub max_operators: u32,
    /// The most ground facts, numbers included.
    pub max_variables: u32,
    /// The most joined rows and evaluated conditions.
    pub max_work: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_operators: 500_000, max_variables: 4_000_000, max_work: 400_000_000 }
    }
}

/// Which limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::max_operators`]
    Operators,
    /// [`Limits::max_variables`]
    Variables,
    /// [`Limits::max_work`]
    Work,
}

impl Limit {
    /// The option that raises it.
    pub const fn option_name(self) -> &'static str {
        match self {
            Self::Operators => "max_operators",
            Self::Variables => "max_variables",
            Self::Work => "max_work",
        }
    }
}

/// Grounding stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitHit {
    /// Which limit was hit.
    pub which: Limit,
    /// Its value.
    pub limit: u64,
}

impl fmt::Display for LimitHit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.which {
            Limit::Operators => "ground actions and rules",
            Limit::Variables => "ground facts",
            Limit::Work => "steps of work",
        };
        write!(
            f,
            "grounding stopped after {} {what}; raise `{}` to go on, or use narrower types",
            self.limit,
            self.which.option_name()
        )
    }
}

/// Counts work and remembers the first limit that was hit.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    limits: Limits,
    /// Steps of work so far.
    pub(crate) work: u64,
    /// The first limit that was hit.
    pub(crate) hit: Option<LimitHit>,
}

impl Meter {
    pub(crate) const fn new(limits: Limits) -> Self {
        Self { limits, work: 0, hit: None }
    }

    /// Counts work; false when there is no more.
    pub(crate) fn spend(&mut self, work: u64) -> bool {
        self.work = self.work.saturating_add(work);
        if self.work > self.limits.max_work {
            self.stop(Limit::Work, self.limits.max_work);
        }
        self.hit.is_none()
    }

    /// How much work is left.
    pub(crate) const fn left(&self) -> u64 {
        if self.hit.is_some() { 0 } else { self.limits.max_work.saturating_sub(self.work) }
    }

    /// Checks how many operators there are; false when there are too many.
    pub(crate) fn allows_operators(&mut self, count: usize) -> bool {
        if count > self.limits.max_operators as usize {
            self.stop(Limit::Operators, u64::from(self.limits.max_operators));
        }
        self.hit.is_none()
    }

    /// Checks how many facts there are; false when there are too many.
    pub(crate) fn allows_facts(&mut self, count: usize) -> bool {
        if count > self.limits.max_variables as usize {
            self.stop(Limit::Variables, u64::from(self.limits.max_variables));
        }
        self.hit.is_none()
    }

    /// Starts counting again, so that what was found before a stop can be put together; what stopped it.
    pub(crate) fn restart(&mut self) -> Option<LimitHit> {
        self.work = if self.hit.is_some() { 0 } else { self.work };
        self.hit.take()
    }

    pub(crate) const fn is_stopped(&self) -> bool {
        self.hit.is_some()
    }

    fn stop(&mut self, which: Limit, limit: u64) {
        if self.hit.is_none() {
            self.hit = Some(LimitHit { which, limit });
        }
    }
}
