//! The story acted out ahead of time: who does what in which tick, if nothing unforeseen happens.
//!
//! Characters take turns in every tick, those who have waited longest first. A turn costs what the character's thinking costs; the
//! rehearsed world stands still meanwhile. What comes of it are steps with their times, and a world in which they have happened.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Args, Evaluator, Fixed, LevelId, Model, ObjectId, Status, Step, Tick, WishKind};
use smol_str::SmolStr;

use super::CastOptions;
use super::beliefs::{Senses, slot_of};
use super::domain::{Deed, Domain};
use super::mending::{Mending, what_still_holds};
use super::mind::{DeedName, Foreseen, GoalId, Memory, Mind, Thinking, ThinkingKind};
use super::thought::{Thought, Want};
use super::touched::{Touched, participants, touched};
use super::vain::is_in_vain;
use crate::ground::{GroundWishKind, OperatorId};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::requests::Requests;
use crate::simulate::step::duration_bounds;
use crate::simulate::{GoalStatus, World, WorldEventKind, words};

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
    queue: VecDeque<usize>,
    /// Whether those who have nothing to do look for something.
    for_idle: bool,
    /// Who does something that began in this tick.
    engaged: BTreeSet<ObjectId>,
    /// What runs, as far as it was decided here: what it needs and changes.
    running: BTreeMap<u32, Touched>,
    /// Who waits for something to come about, and how.
    pub(super) waits: BTreeMap<u32, (usize, Deed)>,
    /// From this tick on what was rehearsed is not what a plan says by itself.
    pub(super) doubtful_from: Tick,
    /// Steps that could not be performed when they were due.
    pub(super) refused: BTreeSet<u32>,
    /// What ran or waited when it was last looked.
    open: BTreeSet<u32>,
    /// When steps end, as far as they were seen to.
    ends: BTreeMap<u32, Tick>,
    /// The state at this tick.
    state: Option<PackedState>,
    domain: Option<Arc<Domain>>,
    goals: BTreeMap<ObjectId, Vec<(GoalId, Option<Tick>)>>,
    /// What the game asked of characters.
    requests: Requests,
    next_id: u32,
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
    pub(crate) fn new(world: World, minds: Vec<Mind>, requests: Requests, next_id: u32) -> Self {
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
        if mind.thinking.is_none() && !self.is_sound(at, &domain, &believed, &goals) {
            self.begin_thinking(hand, at, &domain, &believed, &wanted, goals);
        }
        if !self.think(at, budget) {
            return false;
        }
        self.act(hand, at, &domain, &state, &believed);
        true
    }

    /// Whether a character is in the midst of something, its own or another's.
    fn is_engaged(&self, model: &Model, object: ObjectId) -> bool {
        self.engaged.contains(&object) || self.world.is_engaged(model, object)
    }

    /// Whether the plan at hand serves these goals, and its next step can be taken.
    fn is_sound(&self, at: usize, domain: &Domain, state: &PackedState, goals: &[GoalId]) -> bool {
        let Some(mind) = self.minds.get(at) else { return true };
        if mind.vain.as_ref().is_some_and(|(hash, about)| *hash == state.hash_value() && about == goals) {
            return true;
        }
        let next = mind.plan.front().and_then(|deed| domain.operator(deed));
        mind.serves == goals && next.is_some_and(|next| domain.problem.is_applicable(state, next))
    }

    fn begin_thinking(
        &mut self,
        hand: &Stagehand<'_>,
        at: usize,
        domain: &Domain,
        state: &PackedState,
        wanted: &[(GoalId, Option<Tick>)],
        goals: Vec<GoalId>,
    ) {
        let wants: Vec<Want> =
            wanted.iter().map(|(goal, left)| want(&self.requests.model, &self.world, domain, goal, *left)).collect();
        let Some(mind) = self.minds.get_mut(at) else { return };
        let Some(role) = mind.role.clone() else { return };
        mind.vain = None;
        mind.salience = wants.iter().map(|want| want.salience).max().unwrap_or(0);
        // What was given up before is not a reason to plan anew as long as the rest can be reached as it was.
        let serves_all = mind.given_up.is_empty();
        let old = mind.operators().filter(|old| !old.is_empty() && serves_all);
        if let Some(old) = old {
            if let Some(way) = what_still_holds(&role, state, &old, &wants).filter(|way| !way.is_empty()) {
                mind.intend(&way, goals, state.clone());
                return;
            }
            let bounded = wants.iter().any(|want| want.within.is_some()) || hand.options.thought.available.is_some();
            let expected = mind.expected.clone().filter(|_| !bounded && mind.serves == goals);
            let mending = expected.and_then(|expected| {
                Mending::new(Arc::clone(&role), state, &expected, old, wants.clone(), hand.options.thought.states_max)
            });
            if let Some(mending) = mending {
                let kind = ThinkingKind::Mending(Box::new(mending));
                mind.thinking = Some(Thinking { goals, start: state.clone(), kind });
                return;
            }
        }
        let thought = Thought::new(role, state, wants, hand.options.thought);
        let kind = ThinkingKind::Anew(Box::new(thought));
        mind.thinking = Some(Thinking { goals, start: state.clone(), kind });
    }

    /// Thinks on; whether there is nothing more to think about.
    fn think(&mut self, at: usize, budget: &mut Budget) -> bool {
        let Some(mind) = self.minds.get_mut(at) else { return true };
        let Some(mut thinking) = mind.thinking.take() else { return true };
        let resolved = match &mut thinking.kind {
            ThinkingKind::Mending(mending) => match mending.run(budget) {
                None => None,
                Some(Some(way)) => Some((way, Vec::new())),
                Some(None) => {
                    // Nothing of the old plan can be gone on with: think anew.
                    mind.clear_plan();
                    return true;
                }
            },
            ThinkingKind::Anew(thought) => {
                thought.run(budget).map(|resolve| (resolve.way.clone(), resolve.given_up.clone()))
            }
        };
        let Some((way, given_up)) = resolved else {
            mind.thinking = Some(thinking);
            return false;
        };
        let Thinking { goals, start, .. } = thinking;
        mind.given_up = given_up.iter().filter_map(|(place, why)| Some((goals.get(*place)?.clone(), *why))).collect();
        if way.is_empty() {
            mind.clear_plan();
            mind.vain = Some((start.hash_value(), goals));
        } else {
            mind.intend(&way, goals, start);
        }
        true
    }

    /// Takes the next step of a plan, if it can be taken now.
    fn act(
        &mut self,
        hand: &mut Stagehand<'_>,
        at: usize,
        domain: &Domain,
        state: &PackedState,
        believed: &PackedState,
    ) {
        let model = hand.model;
        let Some(mind) = self.minds.get_mut(at) else { return };
        let Some(deed) = mind.plan.front().cloned() else { return };
        let Some(operator) = domain.operator(&deed) else { return };
        let object = mind.object;
        let others = participants(model, &deed, object);
        let mut touched = touched(domain, state, operator);
        touched.who = others.iter().copied().chain([object]).collect();
        if !domain.problem.is_applicable(state, operator) {
            // Whoever believed that it could be done finds out that something about it is not so.
            let problem = &domain.problem;
            let wrong = touched.reads.iter().filter(|read| state.get(problem, **read) != believed.get(problem, **read));
            wrong.filter_map(|read| slot_of(problem, *read)).for_each(|slot| mind.beliefs.doubt(&slot));
            return;
        }
        if self.would_spoil(at, domain, operator) && self.waits_out(hand, at) {
            return;
        }
        let blocked = others.iter().any(|other| self.is_engaged(model, *other))
            || self.running.values().any(|running| running.is_in_the_way_of(&touched));
        if blocked {
            self.wait(hand, at, &deed);
            return;
        }
        let (action, args) = &deed;
        let declared = &model.actions[*action];
        let Some((least, most)) = duration_bounds(model, self.world.state(), &declared.duration, args) else { return };
        let waits = declared.expectation.is_some();
        let duration =
            if waits || matches!(declared.duration, dramaturg_model::Duration::Contingent(..)) { most } else { least };
        let step = self.step(hand, at, &deed, duration);
        let asks = declared.question.as_ref().is_some_and(|question| {
            let mut scope = Evaluator::with(model, self.world.state(), args);
            question.condition.as_ref().is_none_or(|condition| scope.holds(condition))
        });
        self.engaged.insert(object);
        self.engaged.extend(others);
        let Some(mind) = self.minds.get_mut(at) else { return };
        mind.waits_since = None;
        if asks {
            // Until it is answered nobody knows what comes; the others go on.
            mind.asks = true;
        } else {
            // The names are the model's own.
            let _ = self.world.schedule(model, &step);
            self.running.insert(step.id, touched);
            self.open.insert(step.id);
            if waits {
                self.waits.insert(step.id, (at, deed.clone()));
            }
            mind.plan.pop_front();
            mind.expected = mind
                .role
                .as_ref()
                .and_then(|role| role.problem.successor(mind.expected.as_ref()?, role.operator(&deed)?));
        }
        self.steps.push(step);
    }

    /// Whether a step would spoil the plan of somebody with goals that matter more: then it is better to wait for that one to be
    /// done. Of two who look for each other one stays where it is.
    fn would_spoil(&self, at: usize, domain: &Domain, operator: OperatorId) -> bool {
        let (Some(mind), Some(state)) = (self.minds.get(at), &self.state) else { return false };
        let problem = &domain.problem;
        let comes_first = |other: &Mind, place: usize| (other.salience, at) > (mind.salience, place);
        self.minds.iter().enumerate().any(|(place, other)| {
            if place == at || other.plan.is_empty() || other.idle.is_some() || !comes_first(other, place) {
                return false;
            }
            let engaged = self.world.running().next().is_some() && !other.bound.is_empty();
            let begins = match &other.expected {
                Some(expected) => Some(expected.clone()),
                None if engaged => follow(domain, state.clone(), other.bound.iter()),
                None => Some(state.clone()),
            };
            let Some(begins) = begins.filter(|begins| problem.is_applicable(begins, operator)) else { return false };
            let spoilt = problem.successor(&begins, operator);
            follow(domain, begins, other.plan.iter()).is_some()
                && spoilt.is_none_or(|spoilt| follow(domain, spoilt, other.plan.iter()).is_none())
        })
    }

    /// Whether a character still has the patience to wait for somebody else.
    fn waits_out(&mut self, hand: &Stagehand<'_>, at: usize) -> bool {
        let now = self.tick;
        self.minds.get_mut(at).is_some_and(|mind| {
            let since = *mind.waits_since.get_or_insert(now);
            now - since < hand.options.patience
        })
    }

    /// Somebody or something is not free: the character waits its turn, and gives way when it has waited too long.
    fn wait(&mut self, hand: &mut Stagehand<'_>, at: usize, deed: &Deed) {
        let now = self.tick;
        let Some(mind) = self.minds.get_mut(at) else { return };
        let since = *mind.waits_since.get_or_insert(now);
        if now - since >= hand.options.patience {
            mind.waits_since = None;
            bar(hand, mind, deed, now, true);
        }
    }

    fn step(&mut self, hand: &Stagehand<'_>, at: usize, deed: &Deed, duration: Tick) -> Step {
        let (name, args) = named(hand.model, deed);
        let again = |step: &&Step| step.start == self.tick && step.action == name && step.args == args;
        let used = |id: u32| self.steps.iter().any(|step| step.id == id);
        let known = hand.known.values().filter(|step| !used(step.id)).find(again).map(|step| step.id);
        let id = known.unwrap_or_else(|| {
            self.next_id = self.next_id.saturating_add(1);
            self.next_id - 1
        });
        let serves = self.minds.get(at).map(|mind| mind.serves.as_slice()).unwrap_or_default();
        let model = &self.requests.model;
        let goals = serves.iter().map(|(wish, _)| SmolStr::new(words::wish(model, &model.wishes[*wish])));
        Step {
            id,
            action: name,
            args,
            start: self.tick,
            duration,
            window: None,
            status: Status::default(),
            goals: goals.collect(),
            origin: Default::default(),
        }
    }
}

/// What was waited for in vain is left alone for a while.
fn bar(hand: &Stagehand<'_>, mind: &mut Mind, deed: &Deed, now: Tick, gave_way: bool) {
    let until = now.saturating_add(hand.options.patience);
    mind.foreseen.push(Foreseen { deed: named(hand.model, deed), from: now, until, gave_way });
    mind.role = None;
    mind.clear_plan();
}

/// The state after some deeds; none if one of them cannot be done.
fn follow<'d>(domain: &Domain, state: PackedState, mut deeds: impl Iterator<Item = &'d Deed>) -> Option<PackedState> {
    deeds.try_fold(state, |state, deed| {
        let operator = domain.operator(deed).filter(|operator| domain.problem.is_applicable(&state, *operator))?;
        domain.problem.successor(&state, operator)
    })
}

/// A deed in names.
pub(crate) fn named(model: &Model, deed: &Deed) -> DeedName {
    let (action, args) = deed;
    (model.actions[*action].name.clone(), args.iter().map(|arg| SmolStr::new(model.value_name(*arg))).collect())
}

fn want(model: &Model, world: &World, domain: &Domain, goal: &GoalId, left: Option<Tick>) -> Want {
    let (wish, args) = goal;
    let salience = match &model.wishes[*wish].kind {
        WishKind::Goal { salience, .. } => {
            Evaluator::with(model, world.state(), args).number(salience).map_or(50, Fixed::round_half_up)
        }
        WishKind::Keep { .. } | WishKind::Prefer { .. } => 0,
    };
    let condition = domain.wish(*wish, args).and_then(|wish| match &wish.kind {
        GroundWishKind::Goal { aims, .. } => {
            let reports = world.goals();
            let mut same = reports.iter().filter(|report| report.wish == wish.wish && report.args == *args);
            let aim = same.next_back().map_or(0, |report| usize::from(report.aim));
            aims.get(aim).or(aims.last()).map(|aim| aim.condition.clone())
        }
        _ => None,
    });
    Want { condition: condition.unwrap_or_else(crate::ground::Condition::never), salience, within: left }
}
