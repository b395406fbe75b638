//! The cast as a planner: publishes what was rehearsed, hears what came of it, and rehearses again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_model::{Fixed, Model, ObjectId, Observation, Step, StepEvent, StepEventKind, Tick};

use super::CastOptions;
use super::acting::named;
use super::beliefs::{Beliefs, Senses, slot_of};
use super::domain::Deed;
use super::mind::{Memory, Mind};
use super::rehearsal::{Domains, Rehearsal, Stagehand};
use super::touched::{participants, touched};
use super::vain::is_in_vain;
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::ledger::Ledger;
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::requests::{Requests, Serves};
use crate::simulate::step::Performed;
use crate::simulate::{Detail, WorldOptions, names, words};

/// Characters that each plan for themselves, on one world.
pub struct Cast {
    pub(super) model: Arc<Model>,
    pub(super) options: CastOptions,
    pub(super) chronicle: Chronicle,
    pub(super) domains: Domains,
    pub(super) memories: BTreeMap<ObjectId, Memory>,
    pub(super) senses: Senses,
    /// What each character has perceived so far.
    pub(super) beliefs: BTreeMap<ObjectId, Beliefs>,
    /// Steps that have ended and that nobody has learnt from yet.
    pub(super) ended: Vec<Step>,
    pub(super) rehearsal: Option<Rehearsal>,
    pub(super) ledger: Ledger,
    pub(super) replies: Vec<GoalReply>,
    /// What the game asked of characters.
    pub(super) requests: Requests,
}

impl Cast {
    /// The cast of a story.
    pub fn new(model: Arc<Model>, options: CastOptions) -> Self {
        // Nobody hears what happens in a planner's own world, only what could not happen.
        let world = WorldOptions { seed: options.seed, detail: Detail::Violations, ..WorldOptions::default() };
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chronicle,
            domains: Domains::new(),
            memories: BTreeMap::new(),
            senses: Senses::of(&model),
            beliefs: BTreeMap::new(),
            ended: Vec::new(),
            rehearsal: None,
            ledger: Ledger::default(),
            replies: Vec::new(),
            requests: Requests::none(&model, Serves::Characters),
            model,
            options,
        }
    }

    /// Begins a rehearsal from what is known. Each character remembers what it had intended.
    fn rehearse(&mut self) -> Rehearsal {
        self.remember();
        let model = &self.model;
        let mut world = self.chronicle.rehearsing(model);
        let mut minds: Vec<Mind> = model
            .characters
            .values()
            .map(|character| {
                Mind::new(character.object, self.beliefs.get(&character.object).cloned().unwrap_or_default())
            })
            .collect();
        for step in self.ledger.taken.values().filter(|step| !self.chronicle.is_running(step.id)) {
            let asked = self.performer(step).filter(|_| self.asks(step));
            match minds.iter_mut().find(|mind| Some(mind.object) == asked) {
                Some(mind) => mind.asks = true,
                // The names are the model's own.
                None => drop(world.schedule(model, step)),
            }
        }
        let mut bound: Vec<&Step> = self.ledger.taken.values().collect();
        bound.sort_by_key(|step| (step.start, step.id));
        let mut waits = BTreeMap::new();
        // What was to come after somebody has found something out rests on what nobody can know before.
        let mut curious: BTreeSet<ObjectId> = BTreeSet::new();
        for step in bound {
            if let Some((performer, deed)) = self.performer(step).zip(self.deed(step))
                && let Some((at, mind)) = minds.iter_mut().enumerate().find(|(_, mind)| mind.object == performer)
            {
                if model.actions[deed.0].expectation.is_some() {
                    waits.insert(step.id, (at, deed.clone()));
                }
                curious.extend(finds_out(model, &deed).then_some(performer));
                mind.bound.push(deed);
            }
        }
        let mut ours: Vec<&Step> = self.ledger.published.values().collect();
        ours.sort_by_key(|step| (step.start, step.id));
        for step in ours {
            if let Some((performer, deed)) = self.performer(step).zip(self.deed(step))
                && !curious.contains(&performer)
                && let Some(mind) = minds.iter_mut().find(|mind| mind.object == performer)
            {
                curious.extend(finds_out(model, &deed).then_some(performer));
                mind.plan.push_back(deed);
            }
        }
        // What had been intended for later follows what was published.
        if let Some(old) = &mut self.rehearsal {
            for (mind, old) in minds.iter_mut().zip(&mut old.minds) {
                if !curious.contains(&mind.object) {
                    mind.plan.append(&mut old.plan);
                }
                mind.idle = old.idle.take();
                mind.salience = old.salience;
            }
        }
        let mut rehearsal = Rehearsal::new(world, minds, self.requests.clone(), self.ledger.next_id);
        rehearsal.waits = waits;
        rehearsal
    }

    /// What was foreseen and has come about is remembered when a rehearsal is over.
    pub(super) fn remember(&mut self) {
        let now = self.ledger.now.least;
        for mind in self.rehearsal.iter_mut().flat_map(|rehearsal| &mut rehearsal.minds) {
            let memory = self.memories.entry(mind.object).or_default();
            for known in
                mind.foreseen.drain(..).filter(|known| known.gave_way && known.from <= now && known.until > now)
            {
                memory.barred.entry(known.deed).or_insert(Some(known.until));
            }
        }
    }

    pub(super) fn deed(&self, step: &Step) -> Option<Deed> {
        let what = names::performed(&self.model, &step.action).ok()?;
        let args = names::args(&self.model, what, &step.args).ok()?;
        match what {
            Performed::Action(action) => Some((action, args)),
            Performed::Task(_) => None,
        }
    }

    pub(super) fn performer(&self, step: &Step) -> Option<ObjectId> {
        let (action, args) = self.deed(step)?;
        args.get(usize::from(self.model.actions[action].performer?))?.as_object()
    }

    fn asks(&self, step: &Step) -> bool {
        self.deed(step).is_some_and(|(action, args)| {
            let question = self.model.actions[action].question.as_ref();
            question.is_some_and(|question| {
                let state = self.chronicle.present().state();
                let mut scope = dramaturg_model::Evaluator::with(&self.model, state, &args);
                question.condition.as_ref().is_none_or(|condition| scope.holds(condition))
            })
        })
    }

    /// Everybody perceives what is around, and what came of what it did.
    fn look_around(&mut self) {
        for step in std::mem::take(&mut self.ended) {
            self.learn_from(&step);
        }
        if !self.senses.are_needed() {
            return;
        }
        let state = self.chronicle.present().state();
        for character in self.model.characters.values() {
            let beliefs = self.beliefs.entry(character.object).or_default();
            beliefs.perceive(&self.model, &self.senses, state, character.object);
        }
    }

    /// Whoever took part in a step knows what came of it, and who waited in vain does something else.
    fn learn_from(&mut self, step: &Step) {
        let (Some(performer), Some(deed)) = (self.performer(step), self.deed(step)) else { return };
        let state = self.chronicle.present().state();
        if self.chronicle.present().has_come_for(step.id) {
            // It may have been in vain before.
            let memory = self.memories.entry(performer).or_default();
            memory.barred.retain(|barred, until| until.is_none() || *barred != named(&self.model, &deed));
        } else if is_in_vain(&self.model, state, &deed) {
            let until = self.ledger.now.most.saturating_add(self.options.patience);
            self.memories.entry(performer).or_default().barred.insert(named(&self.model, &deed), Some(until));
            self.upset();
            return;
        }
        let Some(domain) = self.domains.get(&state.level()).filter(|_| self.senses.are_needed()) else { return };
        let Some((operator, packed)) = domain.operator(&deed).zip(domain.pack(state)) else { return };
        let writes = touched(domain, &packed, operator).writes;
        let slots: Vec<_> = writes.iter().filter_map(|variable| slot_of(&domain.problem, *variable)).collect();
        for who in participants(&self.model, &deed, performer).into_iter().chain([performer]) {
            let beliefs = self.beliefs.entry(who).or_default();
            for slot in slots.iter().filter(|slot| self.model.unknown_of(slot.0).is_some()) {
                beliefs.learn(slot, state.get(slot.0, &slot.1));
            }
        }
    }

    /// Things came otherwise: what was rehearsed does not count any longer.
    fn upset(&mut self) {
        if let Some(rehearsal) = &mut self.rehearsal {
            self.ledger.next_id = self.ledger.next_id.max(rehearsal.next_id());
            // Its minds are asked once more what they had intended.
            rehearsal.tick = Tick::MIN;
        }
    }

    pub(super) fn is_upset(&self) -> bool {
        self.rehearsal.as_ref().is_none_or(|rehearsal| rehearsal.tick == Tick::MIN)
    }

    /// The steps that the rehearsal has come to and that may still be published.
    fn wanted(&self) -> BTreeMap<u32, Step> {
        let steps = self.rehearsal.iter().filter(|_| !self.is_upset()).flat_map(|rehearsal| &rehearsal.steps);
        let open =
            steps.filter(|step| !self.ledger.taken.contains_key(&step.id) && step.start >= self.ledger.insert_from);
        open.map(|step| (step.id, step.clone())).collect()
    }

    /// What a question about a step was answered with.
    fn answered(&mut self, id: u32, answer: &str) {
        if !matches!(answer, "no" | "later") {
            return;
        }
        let Some(step) = self.ledger.lose(id) else { return };
        let Some((performer, deed)) = self.performer(&step).zip(self.deed(&step)) else { return };
        let until = (answer == "later").then(|| self.ledger.now.most.saturating_add(self.options.later));
        self.memories.entry(performer).or_default().barred.insert(named(&self.model, &deed), until);
        self.upset();
    }
}

/// Whether somebody does this to find out what can be unknown.
fn finds_out(model: &Model, deed: &Deed) -> bool {
    let expectation = model.actions[deed.0].expectation.as_ref();
    expectation.is_some_and(|found| found.effects.iter().any(|effect| model.unknown_of(effect.target.fluent).is_some()))
}

impl Planner for Cast {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            let named = names::fluent(&self.model, &seen.fluent).ok();
            let is_known = named.as_ref().is_some_and(|(fluent, args)| {
                let value = names::value_of(&self.model, *fluent, &seen.value).ok();
                value == Some(self.chronicle.present().state().get(*fluent, args))
            });
            // What nothing in a level can change was taken for granted when it was grounded.
            if let Some((fluent, args)) = named.filter(|_| !is_known) {
                self.domains.retain(|_, domain| domain.problem.place(fluent, &args).is_some());
            }
            // What the model has no name for cannot matter.
            let _ = self.chronicle.observe(&self.model, seen);
            if !is_known || seen.from > self.chronicle.present().now() {
                self.upset();
            }
        }
    }

    fn feedback(&mut self, events: &[StepEvent]) {
        for event in events {
            let id = event.step;
            match &event.kind {
                StepEventKind::Locked => {
                    self.ledger.take(id);
                }
                StepEventKind::Accepted | StepEventKind::Progress(_) => {}
                StepEventKind::Answered(answer) => self.answered(id, answer),
                StepEventKind::Started(tick) => {
                    self.ledger.take(id);
                    if let Some(step) = self.ledger.taken.get(&id).cloned() {
                        let asked = self.asks(&step);
                        let _ = self.chronicle.started(&self.model, &step, *tick);
                        let refused = self.rehearsal.as_ref().is_some_and(|rehearsal| rehearsal.refused.contains(&id));
                        if asked || refused || step.start != *tick {
                            self.upset();
                        }
                    }
                }
                StepEventKind::Amended(duration) => {
                    self.chronicle.amended(id, *duration);
                    self.upset();
                }
                StepEventKind::Finished(tick) => {
                    self.chronicle.finished(id, *tick);
                    let step = self.ledger.lose(id);
                    self.ended.extend(step.clone());
                    let planned = step.is_some_and(|step| step.start.saturating_add(step.duration) == *tick);
                    let foreseen = self.rehearsal.as_ref().is_some_and(|known| known.end_of(id) == Some(*tick));
                    if !planned && !foreseen {
                        self.upset();
                    }
                }
                StepEventKind::Failed(_) => {
                    self.chronicle.cut(id, self.ledger.now.least);
                    self.ledger.lose(id);
                    self.upset();
                }
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    self.ledger.lose(id);
                    self.upset();
                }
            }
        }
    }

    fn rejected(&mut self, version: u64) {
        if self.ledger.reject(version) {
            self.upset();
        }
    }

    fn exogenous(&mut self, change: &PlanDelta) {
        for step in &change.put {
            let _ = self.chronicle.started(&self.model, step, step.start);
        }
        for id in &change.removed {
            self.chronicle.withdrawn(*id, self.ledger.now.least);
        }
        self.upset();
    }

    fn set_goals(&mut self, change: &GoalChange) {
        let (changes, replies) = self.requests.take(&self.model, change, self.ledger.now.most);
        self.replies.extend(replies);
        if changes {
            // What is wanted is part of what was grounded.
            self.domains.clear();
            self.upset();
        }
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        if self.ledger.pass(now, insert_from).is_some() {
            self.upset();
        }
        self.chronicle.advance(&self.model, now.least);
        self.chronicle.drain();
        self.look_around();
        self.requests.look(self.chronicle.present().state(), now.least);
        for memory in self.memories.values_mut() {
            memory.barred.retain(|_, until| until.is_none_or(|until| until > now.least));
        }
        // What starts before is no longer ours, whether or not it has been locked.
        self.ledger.take_begun();
        // Steps that were not published in time cannot be: they are rehearsed again, later.
        let late = self.rehearsal.iter().flat_map(|rehearsal| &rehearsal.steps).any(|step| {
            let known = self.ledger.taken.contains_key(&step.id) || self.ledger.published.contains_key(&step.id);
            step.start >= now.least && step.start < self.ledger.insert_from && !known
        });
        // What should have started by now, as far as is known, will start later than it was rehearsed.
        let mut waiting =
            self.ledger.taken.values().filter(|step| !self.chronicle.is_running(step.id) && !self.asks(step));
        if late || waiting.any(|step| step.start <= now.least) {
            self.upset();
        }
    }

    fn deliberate(&mut self, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.is_upset() {
            if !budget.take() {
                return Progress::Searching;
            }
            let rehearsal = self.rehearse();
            self.rehearsal = Some(rehearsal);
        }
        let until = self.ledger.now.most.max(self.ledger.insert_from).saturating_add(self.options.horizon);
        let Some(rehearsal) = &mut self.rehearsal else { return Progress::Idle };
        let mut hand = Stagehand {
            model: &self.model,
            options: &self.options,
            domains: &mut self.domains,
            memories: &mut self.memories,
            senses: &self.senses,
            insert_from: self.ledger.insert_from,
            known: &self.ledger.published,
        };
        let done = rehearsal.run(&mut hand, until, budget);
        self.ledger.next_id = self.ledger.next_id.max(rehearsal.next_id());
        let model = &self.requests.model;
        let given_up = rehearsal.minds.iter().flat_map(|mind| &mind.given_up);
        let core: Vec<_> = given_up.map(|((wish, _), _)| words::wish(model, &model.wishes[*wish]).into()).collect();
        match (done, rehearsal.is_at_rest()) {
            (false, _) => Progress::Searching,
            (true, true) if core.is_empty() => Progress::Complete { cost: Fixed::ZERO },
            (true, true) => Progress::Infeasible { proof: false, core },
            // What was asked may be answered at any moment.
            (true, false) if rehearsal.minds.iter().any(|mind| mind.asks) => Progress::Searching,
            (true, false) => Progress::Idle,
        }
    }

    fn publish(&mut self) -> PlanDelta {
        let upset = self.is_upset();
        // Until it has been rehearsed again, what was published stands.
        let wanted = if upset { self.ledger.published.clone() } else { self.wanted() };
        let mut delta = self.ledger.changes(&wanted);
        let reached =
            self.rehearsal.as_ref().map_or(self.ledger.now.least, |rehearsal| rehearsal.tick.saturating_sub(1));
        let rest = self.rehearsal.as_ref().is_some_and(Rehearsal::is_at_rest);
        // What comes of a question nobody knows.
        let asked = wanted.values().chain(self.ledger.taken.values()).filter(|step| self.asks(step));
        let asked = asked.filter(|step| !self.chronicle.is_running(step.id)).map(|step| step.start).min();
        // Nor when a wait ends that is no longer ours to shorten.
        let waits = self.ledger.taken.values().filter_map(|step| {
            let end = self.rehearsal.as_ref()?.end_of(step.id)?;
            (end < step.start.saturating_add(step.duration)).then_some(end.saturating_sub(1))
        });
        // Nor what comes of a step that should have started by now.
        let mut overdue = self.ledger.taken.values().filter(|step| step.start <= self.ledger.now.least);
        let overdue = overdue.find(|step| !self.chronicle.is_running(step.id)).map(|_| self.ledger.now.least);
        let doubtful = self.rehearsal.as_ref().map(|rehearsal| rehearsal.doubtful_from.saturating_sub(1));
        let known = waits.chain(asked).chain(overdue).chain(doubtful).fold(reached, Tick::min);
        delta.valid_until = Some(if upset { self.ledger.now.least } else { known.max(self.ledger.now.least) });
        delta.complete = !upset && rest;
        delta.reason = if delta.is_empty() { String::new() } else { self.why_changed(&delta) };
        self.ledger.publish(wanted);
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => self.why(*id),
            Inquiry::WhyNot { action, args } => self.why_not(action, args),
            Inquiry::Beliefs(name) => self.believed_by(name),
        }
    }

    fn save(&mut self) -> PlannerSave {
        self.write()
    }
}

impl Cast {
    fn why_changed(&self, delta: &PlanDelta) -> String {
        let mut who: Vec<&str> = delta
            .put
            .iter()
            .filter_map(|step| self.performer(step))
            .map(|object| self.model.objects[object].name.as_str())
            .collect();
        who.sort_unstable();
        who.dedup();
        let why = match who.as_slice() {
            [] => "something is no longer intended".to_owned(),
            names => format!("{} made up their minds", names.join(", ")),
        };
        // How little was disturbed.
        let old = self.ledger.published.len();
        let changed = delta.put.iter().filter(|step| self.ledger.published.contains_key(&step.id)).count();
        match old {
            0 => why,
            _ => format!("{why}; {} of {old} steps stay", old.saturating_sub(delta.removed.len() + changed)),
        }
    }
}
