//! The cast as a planner: publishes what was rehearsed, hears what came of it, and rehearses again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dramaturg_model::{Fixed, FluentId, Model, ObjectId, Step, Tick, Value};

use super::CastOptions;
use super::acting::named;
use super::beliefs::{Beliefs, Senses, slot_of};
use super::domain::Deed;
use super::mind::{DeedName, Memory, Mind};
use super::rehearsal::{Domains, Rehearsal, Stagehand};
use super::save::SavedCast;
use super::touched::{participants, touched};
use super::vain::is_in_vain;
use crate::host::{Ended, Hosted, Proposal, ReplanReason, Serves, Situation, Strategy};
use crate::planner::{Budget, Explanation, Inquiry, PlanDelta, Progress, Workers};
use crate::simulate::step::Performed;
use crate::simulate::{Detail, WorldEvent, WorldOptions, names, words};

/// Characters that each plan for themselves, on one world.
pub type Cast = Hosted<CharacterRollout>;

/// Plans for characters: the story is played ahead, and in it each character plans for itself from what it believes.
pub struct CharacterRollout {
    pub(super) options: CastOptions,
    pub(super) domains: Domains,
    pub(super) memories: BTreeMap<ObjectId, Memory>,
    pub(super) senses: Senses,
    /// What each character has perceived so far.
    pub(super) beliefs: BTreeMap<ObjectId, Beliefs>,
    /// Steps that have ended and that nobody has learnt from yet.
    pub(super) ended: Vec<Step>,
    pub(super) rehearsal: Option<Rehearsal>,
}

impl CharacterRollout {
    /// Begins a rehearsal from what is known. Each character remembers what it had intended.
    fn rehearse(&mut self, now: &mut Situation) -> Rehearsal {
        self.remember(now);
        let now = &*now;
        let model = &now.model;
        let mut world = now.chronicle.rehearsing(model);
        let mut minds: Vec<Mind> = model
            .characters
            .values()
            .map(|character| {
                let beliefs = self.beliefs.get(&character.object).cloned().unwrap_or_default();
                Mind::new(character.object, beliefs, Self::refusals(now, character.object))
            })
            .collect();
        for step in now.plan.committed.values().filter(|step| !now.chronicle.is_running(step.id)) {
            let asked = Self::performer(now, step).filter(|_| Self::asks(now, step));
            match minds.iter_mut().find(|mind| Some(mind.object) == asked) {
                Some(mind) => mind.asks = true,
                // The names are the model's own.
                None => drop(world.schedule(model, step)),
            }
        }
        let mut bound: Vec<&Step> = now.plan.committed.values().collect();
        bound.sort_by_key(|step| (step.start, step.id));
        let mut waits = BTreeMap::new();
        // What was to come after somebody has found something out rests on what nobody can know before.
        let mut curious: BTreeSet<ObjectId> = BTreeSet::new();
        for step in bound {
            if let Some((performer, deed)) = Self::performer(now, step).zip(Self::deed(now, step))
                && let Some((at, mind)) = minds.iter_mut().enumerate().find(|(_, mind)| mind.object == performer)
            {
                if model.actions[deed.0].expectation.is_some() {
                    waits.insert(step.id, (at, deed.clone()));
                }
                curious.extend(finds_out(model, &deed).then_some(performer));
                mind.bound.push(deed);
            }
        }
        let mut ours: Vec<&Step> = now.plan.published.values().collect();
        ours.sort_by_key(|step| (step.start, step.id));
        for step in ours {
            if let Some((performer, deed)) = Self::performer(now, step).zip(Self::deed(now, step))
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
        let mut rehearsal = Rehearsal::new(world, minds, now.goals.clone(), now.plan.next_number());
        rehearsal.waits = waits;
        rehearsal
    }

    /// What was foreseen and has come about is remembered when a rehearsal is over.
    pub(super) fn remember(&mut self, now: &mut Situation) {
        let now = now.plan.now.least;
        for mind in self.rehearsal.iter_mut().flat_map(|rehearsal| &mut rehearsal.minds) {
            let memory = self.memories.entry(mind.object).or_default();
            for known in
                mind.foreseen.drain(..).filter(|known| known.gave_way && known.from <= now && known.until > now)
            {
                memory.barred.entry(known.deed).or_insert(Some(known.until));
            }
        }
    }

    /// What somebody said no to that a character would have done, and until when.
    pub(super) fn refusals(now: &Situation, performer: ObjectId) -> BTreeMap<DeedName, Option<Tick>> {
        let own = now.cooldowns.iter().filter(|(action, args, _)| {
            let what = names::performed(&now.model, action).ok();
            let place = what.and_then(|what| match what {
                Performed::Action(action) => now.model.actions[action].performer,
                Performed::Task(_) => None,
            });
            let name = place.and_then(|place| args.get(usize::from(place)));
            name.is_some_and(|name| now.model.find_object(name) == Some(performer))
        });
        own.map(|(action, args, until)| ((action.clone(), args.to_vec()), until)).collect()
    }

    pub(super) fn deed(now: &Situation, step: &Step) -> Option<Deed> {
        let what = names::performed(&now.model, &step.action).ok()?;
        let args = names::args(&now.model, what, &step.args).ok()?;
        match what {
            Performed::Action(action) => Some((action, args)),
            Performed::Task(_) => None,
        }
    }

    pub(super) fn performer(now: &Situation, step: &Step) -> Option<ObjectId> {
        let (action, args) = Self::deed(now, step)?;
        args.get(usize::from(now.model.actions[action].performer?))?.as_object()
    }

    fn asks(now: &Situation, step: &Step) -> bool {
        Self::deed(now, step).is_some_and(|(action, args)| {
            let question = now.model.actions[action].question.as_ref();
            question.is_some_and(|question| {
                let state = now.chronicle.present().state();
                let mut scope = dramaturg_model::Evaluator::with(&now.model, state, &args);
                question.condition.as_ref().is_none_or(|condition| scope.holds(condition))
            })
        })
    }

    /// Everybody perceives what is around, and what came of what it did.
    fn look_around(&mut self, now: &mut Situation) {
        for step in std::mem::take(&mut self.ended) {
            self.learn_from(now, &step);
        }
        if !self.senses.are_needed() {
            return;
        }
        let state = now.chronicle.present().state();
        for character in now.model.characters.values() {
            let beliefs = self.beliefs.entry(character.object).or_default();
            beliefs.perceive(&now.model, &self.senses, state, character.object);
        }
    }

    /// Whoever took part in a step knows what came of it, and who waited in vain does something else.
    fn learn_from(&mut self, now: &mut Situation, step: &Step) {
        let (Some(performer), Some(deed)) = (Self::performer(now, step), Self::deed(now, step)) else { return };
        let state = now.chronicle.present().state();
        if now.chronicle.present().has_come_for(step.id) {
            // It may have been in vain before.
            let memory = self.memories.entry(performer).or_default();
            memory.barred.retain(|barred, until| until.is_none() || *barred != named(&now.model, &deed));
        } else if is_in_vain(&now.model, state, &deed) {
            let until = now.plan.now.most.saturating_add(self.options.patience);
            self.memories.entry(performer).or_default().barred.insert(named(&now.model, &deed), Some(until));
            self.drop_rehearsal(now);
            return;
        }
        let Some(domain) = self.domains.get(&state.level()).filter(|_| self.senses.are_needed()) else { return };
        let Some((operator, packed)) = domain.operator(&deed).zip(domain.pack(state)) else { return };
        let writes = touched(domain, &packed, operator).writes;
        let slots: Vec<_> = writes.iter().filter_map(|variable| slot_of(&domain.problem, *variable)).collect();
        for who in participants(&now.model, &deed, performer).into_iter().chain([performer]) {
            let beliefs = self.beliefs.entry(who).or_default();
            for slot in slots.iter().filter(|slot| now.model.unknown_of(slot.0).is_some()) {
                beliefs.learn(slot, state.get(slot.0, &slot.1));
            }
        }
    }

    /// What was rehearsed does not count any longer.
    fn drop_rehearsal(&mut self, now: &mut Situation) {
        if let Some(rehearsal) = &mut self.rehearsal {
            now.plan.skip_to(rehearsal.next_id());
            // Its minds are asked once more what they had intended.
            rehearsal.tick = Tick::MIN;
        }
    }

    pub(super) fn is_upset(&self) -> bool {
        self.rehearsal.as_ref().is_none_or(|rehearsal| rehearsal.tick == Tick::MIN)
    }

    /// The steps that the rehearsal has come to and that may still be published.
    fn wanted(&self, now: &Situation) -> BTreeMap<u32, Step> {
        let steps = self.rehearsal.iter().filter(|_| !self.is_upset()).flat_map(|rehearsal| &rehearsal.steps);
        let open =
            steps.filter(|step| !now.plan.committed.contains_key(&step.id) && step.start >= now.plan.insert_from);
        open.map(|step| (step.id, step.clone())).collect()
    }
}

/// Whether somebody does this to find out what can be unknown.
fn finds_out(model: &Model, deed: &Deed) -> bool {
    let expectation = model.actions[deed.0].expectation.as_ref();
    expectation.is_some_and(|found| found.effects.iter().any(|effect| model.unknown_of(effect.target.fluent).is_some()))
}

impl Strategy for CharacterRollout {
    const NAME: &'static str = "cast";
    const SERVES: Serves = Serves::Characters;
    type Options = CastOptions;
    type Saved = SavedCast;

    fn new(model: &Arc<Model>, options: CastOptions) -> Self {
        Self {
            domains: Domains::new(),
            memories: BTreeMap::new(),
            senses: Senses::of(model),
            beliefs: BTreeMap::new(),
            ended: Vec::new(),
            rehearsal: None,
            options,
        }
    }

    fn world(&self) -> WorldOptions {
        // Nobody hears what happens in a planner's own world, only what could not happen.
        WorldOptions { seed: self.options.seed, detail: Detail::Violations, ..WorldOptions::default() }
    }

    fn later(&self) -> Tick {
        self.options.later
    }

    fn invalidate(&mut self, now: &mut Situation, reason: ReplanReason) {
        match reason {
            // A rehearsal knows when goals are over and when something may be asked about again.
            ReplanReason::GoalOver | ReplanReason::MayAskAgain => return,
            // What is wanted is part of what was grounded.
            ReplanReason::Goals => self.domains.clear(),
            _ => {}
        }
        self.drop_rehearsal(now);
    }

    /// What nothing in a level can change was taken for granted when it was grounded.
    fn surprised(&mut self, _: &Situation, fluent: FluentId, args: &[Value]) {
        self.domains.retain(|_, domain| domain.problem.place(fluent, args).is_some());
    }

    fn is_unforeseen(&self, now: &Situation, step: &Step) -> bool {
        let refused = self.rehearsal.as_ref().is_some_and(|rehearsal| rehearsal.refused.contains(&step.id));
        refused || Self::asks(now, step)
    }

    fn finished(&mut self, _: &mut Situation, ended: &Ended) -> Option<ReplanReason> {
        self.ended.extend(ended.step.clone());
        let planned = ended.step.as_ref().is_some_and(|step| step.end() == ended.tick);
        let foreseen = self.rehearsal.as_ref().is_some_and(|known| known.end_of(ended.id) == Some(ended.tick));
        (!planned && !foreseen).then_some(ReplanReason::Ended)
    }

    fn world_advanced(&mut self, now: &mut Situation, _: &[WorldEvent]) -> Option<ReplanReason> {
        self.look_around(now);
        let tick = now.plan.now.least;
        for memory in self.memories.values_mut() {
            memory.barred.retain(|_, until| until.is_none_or(|until| until > tick));
        }
        None
    }

    fn awaits_answer(&self, now: &Situation, step: &Step) -> bool {
        Self::asks(now, step)
    }

    /// Steps that were not published in time cannot be: they are rehearsed again, later.
    fn time_passed(&mut self, now: &mut Situation) -> Option<ReplanReason> {
        let (least, insert_from) = (now.plan.now.least, now.plan.insert_from);
        let mut rehearsed = self.rehearsal.iter().flat_map(|rehearsal| &rehearsal.steps);
        let is_late =
            rehearsed.any(|step| step.start >= least && step.start < insert_from && now.plan.step(step.id).is_none());
        is_late.then_some(ReplanReason::TimePassed)
    }

    fn search(&mut self, now: &mut Situation, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.is_upset() {
            if !budget.take() {
                return Progress::Searching;
            }
            let rehearsal = self.rehearse(now);
            self.rehearsal = Some(rehearsal);
        }
        let until = now.plan.now.most.max(now.plan.insert_from).saturating_add(self.options.horizon);
        let Some(rehearsal) = &mut self.rehearsal else { return Progress::Idle };
        let mut hand = Stagehand {
            model: &now.model,
            options: &self.options,
            domains: &mut self.domains,
            memories: &mut self.memories,
            senses: &self.senses,
            insert_from: now.plan.insert_from,
            known: &now.plan.published,
        };
        let done = rehearsal.run(&mut hand, until, budget);
        now.plan.skip_to(rehearsal.next_id());
        let model = &now.goals.model;
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

    fn proposal(&mut self, now: &mut Situation) -> Proposal {
        let now = &*now;
        let least = now.plan.now.least;
        // Until it has been rehearsed again, what was published stands.
        let Some(rehearsal) = self.rehearsal.as_ref().filter(|_| !self.is_upset()) else {
            return Proposal { valid_until: Some(least), ..Proposal::default() };
        };
        let wanted = self.wanted(now);
        // What comes of a question nobody knows.
        let asked = wanted.values().chain(now.waiting()).filter(|step| Self::asks(now, step));
        let asked = asked.map(|step| step.start).min();
        // Nor when a wait ends that is no longer ours to shorten.
        let waits = now.plan.committed.values().filter_map(|step| {
            let end = rehearsal.end_of(step.id)?;
            (end < step.end()).then_some(end.saturating_sub(1))
        });
        // Nor what comes of a step that should have started by now.
        let overdue = now.waiting().find(|step| step.start <= least).map(|_| least);
        let doubtful = rehearsal.doubtful_from.saturating_sub(1);
        let reached = rehearsal.tick.saturating_sub(1).min(doubtful);
        let known = waits.chain(asked).chain(overdue).fold(reached, Tick::min);
        let complete = rehearsal.is_at_rest();
        Proposal { steps: Some(wanted), valid_until: Some(known.max(least)), complete, cost: None }
    }

    fn reason(&self, now: &Situation, delta: &PlanDelta) -> Option<String> {
        Some(Self::why_changed(now, delta))
    }

    fn explain(&self, now: &Situation, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => self.why(now, *id),
            Inquiry::WhyNot { action, args } => self.why_not(now, action, args),
            Inquiry::Beliefs(name) => self.believed_by(now, name),
        }
    }

    fn save(&mut self, now: &mut Situation) -> SavedCast {
        self.write(now)
    }

    fn load(now: &mut Situation, saved: SavedCast) -> Self {
        Self::read(now, saved)
    }
}

impl CharacterRollout {
    fn why_changed(now: &Situation, delta: &PlanDelta) -> String {
        let mut who: Vec<&str> = delta
            .put
            .iter()
            .filter_map(|step| Self::performer(now, step))
            .map(|object| now.model.objects[object].name.as_str())
            .collect();
        who.sort_unstable();
        who.dedup();
        let why = match who.as_slice() {
            [] => "something is no longer intended".to_owned(),
            names => format!("{} made up their minds", names.join(", ")),
        };
        // How little was disturbed.
        let old = now.plan.published.len();
        let changed = delta.put.iter().filter(|step| now.plan.published.contains_key(&step.id)).count();
        match old {
            0 => why,
            _ => format!("{why}; {} of {old} steps stay", old.saturating_sub(delta.removed.len() + changed)),
        }
    }
}
