//! The story acted out ahead of time: who does what in which tick, if nothing unforeseen happens.
//!
//! Characters take turns in every tick, those who have waited longest first. A turn costs what the character's thinking costs; the
//! rehearsed world stands still meanwhile. What comes of it are steps with their times, and a world in which they have happened.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Args, LevelId, Model, ObjectId, Step, Tick};

use super::CastOptions;
use super::acting::{bar, named};
use super::beliefs::{Senses, slot_of};
use super::domain::{Deed, Domain};
use super::mind::{GoalId, Memory, Mind};
use super::touched::Touched;
use super::vain::is_in_vain;
use crate::host::RuntimeGoals;
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::simulate::{GoalStatus, World, WorldEventKind};

/// Levels that were grounded, by level.
pub(crate) type Domains = BTreeMap<Option<LevelId>, Arc<Domain>>;

/// The story acted out ahead of time.
pub(crate) struct Rehearsal {
    pub(crate) world: World,
    /// The tick whose turns are taken.
    pub(crate) tick: Tick,
    pub(crate) minds: Vec<Mind>,
    /// What was decided, in the order of deciding.
    pub(crate) steps: Vec<Step>,
    /// Who still has a turn in this tick.
    pub(super) queue: VecDeque<usize>,
    /// Whether those who have nothing to do look for something.
    pub(super) for_idle: bool,
    /// Who does something that began in this tick.
    pub(super) engaged: BTreeSet<ObjectId>,
    /// What runs, as far as it was decided here: what it needs and changes.
    pub(super) running: BTreeMap<u32, Touched>,
    /// Who waits for something to come about, and how.
    pub(super) waits: BTreeMap<u32, (usize, Deed)>,
    /// From this tick on what was rehearsed is not what a plan says by itself.
    pub(super) doubtful_from: Tick,
    /// Steps that could not be performed when they were due.
    pub(super) refused: BTreeSet<u32>,
    /// What ran or waited when it was last looked.
    pub(super) open: BTreeSet<u32>,
    /// When steps end, as far as they were seen to.
    ends: BTreeMap<u32, Tick>,
    /// The state at this tick.
    pub(super) state: Option<PackedState>,
    pub(super) domain: Option<Arc<Domain>>,
    goals: BTreeMap<ObjectId, Vec<(GoalId, Option<Tick>)>>,
    /// What the game asked of characters.
    pub(super) requests: RuntimeGoals,
    pub(super) next_id: u32,
    /// Why somebody cannot plan.
    pub(crate) trouble: Option<String>,
}

/// Where everything stands that a rehearsal does not own.
pub(crate) struct Stagehand<'c> {
    pub(crate) model: &'c Model,
    pub(crate) options: &'c CastOptions,
    pub(crate) domains: &'c mut Domains,
    pub(crate) memories: &'c mut BTreeMap<ObjectId, Memory>,
    /// What can be unknown to somebody.
    pub(crate) senses: &'c Senses,
    /// Nothing may start before this tick.
    pub(crate) insert_from: Tick,
    /// Steps that were published and may be used again, so that what stays the same keeps its number.
    pub(crate) known: &'c BTreeMap<u32, Step>,
}

impl Rehearsal {
    /// A rehearsal that begins in a world, with these characters and what they had intended.
    pub(crate) fn new(world: World, minds: Vec<Mind>, requests: RuntimeGoals, next_id: u32) -> Self {
        let tick = world.next_phase().0;
        let open = world.running().chain(world.waiting()).collect();
        Self {
            world,
            tick,
            minds,
            steps: Vec::new(),
            queue: VecDeque::new(),
            for_idle: false,
            engaged: BTreeSet::new(),
            running: BTreeMap::new(),
            waits: BTreeMap::new(),
            doubtful_from: Tick::MAX,
            refused: BTreeSet::new(),
            open,
            ends: BTreeMap::new(),
            state: None,
            domain: None,
            goals: BTreeMap::new(),
            requests,
            next_id,
            trouble: None,
        }
    }

    /// The next number of a step.
    pub(crate) fn next_id(&self) -> u32 {
        self.next_id
    }

    /// When a step ends, as far as that was seen.
    pub(crate) fn end_of(&self, step: u32) -> Option<Tick> {
        self.ends.get(&step).copied()
    }

    /// Whether anybody wants anything that is not given up.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.world.ending().is_some() || self.minds.iter().all(|mind| mind.plan.is_empty() && !mind.asks)
    }

    /// Rehearses up to a tick, as far as the budget reaches; whether it got there.
    pub(crate) fn run(&mut self, hand: &mut Stagehand<'_>, until: Tick, budget: &mut Budget) -> bool {
        while self.tick <= until && self.world.ending().is_none() {
            if self.state.is_none() {
                if !budget.take() {
                    return false;
                }
                self.begin_tick(hand);
                // Nobody begins anything when the story is over.
                continue;
            }
            if self.tick < hand.insert_from {
                // Nothing may start that soon: only time passes.
                self.queue.clear();
                self.for_idle = true;
            }
            while let Some(at) = self.queue.front().copied() {
                if budget.left() == 0 {
                    return false;
                }
                if self.turn(hand, at, budget) {
                    self.queue.pop_front();
                }
            }
            if !self.for_idle {
                self.for_idle = true;
                self.queue = self.order();
                continue;
            }
            self.end_tick(hand);
        }
        true
    }

    /// The world as conditions see it in this tick, and who wants what in it.
    fn begin_tick(&mut self, hand: &mut Stagehand<'_>) {
        self.world.look_before_starts(hand.model, self.tick);
        self.note_refused();
        self.engaged.clear();
        let open: BTreeSet<u32> = self.world.running().chain(self.world.waiting()).collect();
        for id in self.open.difference(&open) {
            self.ends.insert(*id, self.tick);
            let Some(wait) = self.waits.remove(id) else { continue };
            // How long a wait takes is known once it is over.
            let own = self.steps.iter_mut().rfind(|step| step.id == *id);
            let is_own = own.is_some();
            if let Some(step) = own {
                step.duration = (self.tick - step.start).max(1);
            }
            let has_come = self.world.has_come_for(*id);
            if !is_in_vain(hand.model, self.world.state(), &wait.1) {
                continue;
            }
            if has_come {
                // It came and went again. Who looks only at the plan takes it to be there still.
                self.doubtful_from = self.doubtful_from.min(self.tick);
            } else if let Some(mind) = self.minds.get_mut(wait.0).filter(|_| is_own) {
                bar(hand, mind, &wait.1, self.tick, false);
            }
        }
        self.look_around(hand, &open);
        self.running.retain(|id, _| open.contains(id));
        self.open = open;
        self.enter_domain(hand);
        self.goals.clear();
        self.requests.look(self.world.state(), self.tick);
        for (owner, wish, deadline) in self.requests.open() {
            let left = deadline.map(|deadline| deadline - self.tick);
            self.goals.entry(owner).or_default().push(((wish, Args::new()), left));
        }
        for report in self.world.goals() {
            let active = report.owner.filter(|_| report.status == GoalStatus::Active);
            if let Some(owner) = active.filter(|owner| !self.requests.replace(*owner, &report)) {
                let left = report.deadline.map(|deadline| deadline - self.tick);
                self.goals.entry(owner).or_default().push(((report.wish, report.args), left));
            }
        }
        self.for_idle = false;
        self.queue = self.order();
    }

    /// What could not be performed here a game may perform all the same: from then on nothing is certain.
    fn note_refused(&mut self) {
        for event in self.world.drain() {
            if let WorldEventKind::Violation(found) = event.kind
                && let Some(step) = found.step
            {
                self.refused.insert(step);
                self.doubtful_from = self.doubtful_from.min(self.tick);
            }
        }
    }

    /// Everybody perceives what is around, and what came of what it did.
    fn look_around(&mut self, hand: &Stagehand<'_>, open: &BTreeSet<u32>) {
        if !hand.senses.are_needed() {
            return;
        }
        let (model, state) = (hand.model, self.world.state());
        for mind in &mut self.minds {
            let done = self.running.iter().filter(|(id, step)| !open.contains(id) && step.who.contains(&mind.object));
            for variable in done.flat_map(|(_, step)| &step.writes) {
                let slot = self.domain.as_ref().and_then(|domain| slot_of(&domain.problem, *variable));
                if let Some(slot) = slot.filter(|slot| model.unknown_of(slot.0).is_some()) {
                    mind.beliefs.learn(&slot, state.get(slot.0, &slot.1));
                }
            }
            mind.beliefs.perceive(model, hand.senses, state, mind.object);
        }
    }

    /// Those who have waited longest come first, then the order in which characters are declared.
    fn order(&self) -> VecDeque<usize> {
        let mut order: Vec<usize> = (0..self.minds.len()).collect();
        order.sort_by_key(|at| (self.minds.get(*at).and_then(|mind| mind.waits_since).unwrap_or(Tick::MAX), *at));
        order.into()
    }

    fn end_tick(&mut self, hand: &Stagehand<'_>) {
        self.world.step_to(hand.model, self.tick);
        self.note_refused();
        self.tick = self.world.next_phase().0.max(self.tick.saturating_add(1));
        self.state = None;
    }

    /// Finds the ground problem of the level at hand; makes one if there is none, or none that knows this state.
    fn enter_domain(&mut self, hand: &mut Stagehand<'_>) {
        let (model, state) = (&self.requests.model, self.world.state());
        let level = state.level();
        let known = hand.domains.get(&level).filter(|domain| domain.pack(state).is_some());
        let domain = match known {
            Some(domain) => Arc::clone(domain),
            None => {
                let domain = Arc::new(Domain::new(model, state));
                hand.domains.insert(level, Arc::clone(&domain));
                domain
            }
        };
        self.state = domain.pack(state);
        let same = self.domain.as_ref().is_some_and(|old| Arc::ptr_eq(old, &domain));
        if !same {
            for mind in &mut self.minds {
                (mind.role, mind.thinking, mind.expected, mind.vain) = (None, None, None, None);
            }
            self.trouble = domain.trouble.clone();
            self.domain = Some(domain);
        }
    }

    /// One character's turn; whether it is over.
    fn turn(&mut self, hand: &mut Stagehand<'_>, at: usize, budget: &mut Budget) -> bool {
        let (Some(domain), Some(state)) = (self.domain.clone(), self.state.clone()) else { return true };
        let Some(mind) = self.minds.get(at) else { return true };
        let object = mind.object;
        let believed = match hand.senses.are_needed() {
            true => mind.beliefs.imagined_in(hand.model, hand.senses, &domain.problem, &state),
            false => state.clone(),
        };
        if mind.asks || self.is_engaged(hand.model, object) {
            return true;
        }
        // Who goes on thinking has paid for the turn.
        if mind.thinking.is_none() {
            budget.take();
        }
        let wanted = self.goals.get(&object).cloned().unwrap_or_default();
        let wanted =
            if wanted.is_empty() && self.for_idle { self.idle_goal(hand, at, &domain, &believed) } else { wanted };
        let goals: Vec<GoalId> = wanted.iter().map(|(goal, _)| goal.clone()).collect();
        if goals.is_empty() {
            if let Some(mind) = self.minds.get_mut(at).filter(|mind| mind.idle.is_none()) {
                mind.clear_plan();
            }
            return true;
        }
        let Some(mind) = self.minds.get_mut(at) else { return true };
        let now = self.tick;
        if mind.role_until.is_some_and(|until| until <= now) {
            (mind.role, mind.vain, mind.role_until) = (None, None, None);
        }
        if mind.role.is_none() {
            let memory = hand.memories.entry(object).or_default();
            let barred = mind.barred(memory, now);
            let role_until = barred.values().flatten().min().copied();
            let role = match barred.is_empty() {
                true => domain.shared_role(object),
                false => Arc::new(domain.role_without(object, &|deed| barred.contains_key(&named(hand.model, deed)))),
            };
            (mind.role, mind.role_until) = (Some(role), role_until);
        }
        if mind.thinking.is_none() {
            if !self.is_sound(at, &domain, &believed, &goals) {
                self.begin_thinking(hand, at, &domain, &believed, &wanted, goals);
            } else {
                self.think_twice(at, &domain, &believed, &wanted);
            }
        }
        if !self.think(at, budget) {
            return false;
        }
        self.act(hand, at, &domain, &state, &believed);
        true
    }

    /// Whether a character is in the midst of something, its own or another's.
    pub(super) fn is_engaged(&self, model: &Model, object: ObjectId) -> bool {
        self.engaged.contains(&object) || self.world.is_engaged(model, object)
    }
}
