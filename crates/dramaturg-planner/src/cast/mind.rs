//! What one character has in mind.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Args, ObjectId, Tick, WishId};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::beliefs::Beliefs;
use super::domain::{Deed, Role};
use super::mending::Mending;
use super::thought::{GivenUp, Thought};
use crate::ground::OperatorId;
use crate::packed::PackedState;

/// A goal that a character has: the wish and its arguments.
pub(crate) type GoalId = (WishId, Args);

/// A deed in names.
pub(crate) type DeedName = (SmolStr, Vec<SmolStr>);

/// What must be remembered of a character whatever becomes of its plans. Speaks in names, for it is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// What it may not do: it waited in vain, or was told no by an answer in a save of an earlier version. Up to which tick; none: for good.
    pub(crate) barred: BTreeMap<DeedName, Option<Tick>>,
    /// How many idle wishes it has had.
    pub(crate) idle_turn: u32,
}

/// What a character will leave alone for a while, as far as was rehearsed. Nothing of it is remembered before it has come about.
#[derive(Clone, Debug)]
pub(crate) struct Foreseen {
    pub(crate) deed: DeedName,
    /// When it gives up waiting.
    pub(crate) from: Tick,
    /// When it may try again.
    pub(crate) until: Tick,
    /// It waited its turn in vain. Whether something came that was waited for is seen when the wait is over.
    pub(crate) gave_way: bool,
}

/// What one character has in mind at one moment of a rehearsal.
pub(crate) struct Mind {
    pub(crate) object: ObjectId,
    /// What somebody said no to that it would have done; until when.
    pub(crate) refused: BTreeMap<DeedName, Option<Tick>>,
    /// What it believes of what can be unknown.
    pub(crate) beliefs: Beliefs,
    /// What it can do, with what it is barred from left out.
    pub(crate) role: Option<Arc<Role>>,
    /// What it intends to do, one thing after another.
    pub(crate) plan: VecDeque<Deed>,
    /// The state that the plan begins in, as it was foreseen.
    pub(crate) expected: Option<PackedState>,
    /// Which goals the plan serves.
    pub(crate) serves: Vec<GoalId>,
    /// The goals that the plan gave up, and why.
    pub(crate) given_up: Vec<(GoalId, GivenUp)>,
    /// What it is thinking about.
    pub(crate) thinking: Option<Thinking>,
    /// It thought in vain about these goals in the state with this hash.
    pub(crate) vain: Option<(u64, Vec<GoalId>)>,
    /// The state with this hash it has considered: the plan at hand leads from there where it should, or nothing better does.
    pub(crate) considered: Option<u64>,
    /// Since when it has been waiting for others.
    pub(crate) waits_since: Option<Tick>,
    /// Its turn is over until this tick: somebody is asked about it.
    pub(crate) asks: bool,
    /// The wish it has for want of a better.
    pub(crate) idle: Option<GoalId>,
    /// What it does or will do first, whatever it intends: that is no longer its own to change.
    pub(crate) bound: Vec<Deed>,
    /// How much the most important of its goals matters.
    pub(crate) salience: i64,
    /// What it may not do changes at this tick.
    pub(crate) role_until: Option<Tick>,
    /// What it gave up in this rehearsal.
    pub(crate) foreseen: Vec<Foreseen>,
}

/// A thought that is not finished.
pub(crate) struct Thinking {
    pub(crate) goals: Vec<GoalId>,
    pub(crate) start: PackedState,
    pub(crate) kind: ThinkingKind,
}

pub(crate) enum ThinkingKind {
    Anew(Box<Thought>),
    Mending(Box<Mending>),
    /// About a plan that could be gone on with.
    Twice(Box<Mending>),
}

impl Mind {
    pub(crate) fn new(object: ObjectId, beliefs: Beliefs, refused: BTreeMap<DeedName, Option<Tick>>) -> Self {
        Self {
            object,
            beliefs,
            refused,
            role: None,
            plan: VecDeque::new(),
            expected: None,
            serves: Vec::new(),
            given_up: Vec::new(),
            thinking: None,
            vain: None,
            considered: None,
            waits_since: None,
            asks: false,
            idle: None,
            bound: Vec::new(),
            salience: 0,
            role_until: None,
            foreseen: Vec::new(),
        }
    }

    /// What it may not do at a tick, with what it remembers: up to when each.
    pub(crate) fn barred<'m>(&'m self, memory: &'m Memory, now: Tick) -> BTreeMap<&'m DeedName, Option<Tick>> {
        let remembered = memory.barred.iter().map(|(deed, until)| (deed, *until));
        let foreseen = self.foreseen.iter().map(|known| (&known.deed, Some(known.until)));
        let refused = self.refused.iter().map(|(deed, until)| (deed, *until));
        remembered.chain(foreseen).chain(refused).filter(|(_, until)| until.is_none_or(|until| until > now)).collect()
    }

    /// Forgets what it intended.
    pub(crate) fn clear_plan(&mut self) {
        self.plan.clear();
        self.serves.clear();
        self.expected = None;
    }

    /// Takes up a plan.
    pub(crate) fn intend(&mut self, way: &[OperatorId], goals: Vec<GoalId>, start: PackedState) {
        let Some(role) = &self.role else { return };
        self.plan = way.iter().map(|operator| role.deed(*operator)).collect();
        self.serves = goals;
        self.considered = Some(start.hash_value());
        self.expected = Some(start);
        self.waits_since = None;
    }

    /// The plan as operators of its role, as far as it can still do all of it.
    pub(crate) fn operators(&self) -> Option<Vec<OperatorId>> {
        let role = self.role.as_ref()?;
        self.plan.iter().map(|deed| role.operator(deed)).collect()
    }
}
