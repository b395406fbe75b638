//! The playwright: the story's own planner behind the contract of all planners.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Model, Observation, Step, StepEvent, StepEventKind, Tick};
use smol_str::SmolStr;

use super::RepairOptions;
use super::aims::{Want, aims};
use super::draft::Draft;
use super::foresight::{Foresight, foresee};
use super::moment::Moment;
use super::outlook::Outlook;
use super::preference::Preference;
use super::repertoire::{FormId, Repertoire};
use super::skeleton::{Skeleton, in_a_row};
use super::workshop::{Turn, Workshop, no_preference};
use crate::chronicle::{Chronicle, ChronicleOptions};
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::simulate::step::Performed;
use crate::simulate::{Detail, World, WorldEventKind, WorldOptions, names, words};

/// What somebody said no to, or not yet, by names, with the tick from which it may be asked again.
pub(super) type Barred = Vec<(SmolStr, Vec<SmolStr>, Option<Tick>)>;

/// The story's own planner.
pub struct Playwright {
    pub(super) model: Arc<Model>,
    pub(super) options: RepairOptions,
    pub(super) chronicle: Chronicle,
    pub(super) repertoire: Option<Arc<Repertoire>>,
    /// The plan at hand; none until it is worked on, and after things came otherwise.
    pub(super) workshop: Option<Workshop>,
    /// The best plan, while there is no workshop.
    pub(super) intended: BTreeMap<u32, Step>,
    pub(super) preferences: Vec<Preference>,
    pub(super) chance: Chance,
    /// What was published and is still ours to change.
    pub(super) published: BTreeMap<u32, Step>,
    /// The same before the last publication.
    pub(super) published_before: BTreeMap<u32, Step>,
    /// Steps that are no longer ours and have not ended.
    pub(super) taken: BTreeMap<u32, Step>,
    pub(super) barred: Barred,
    pub(super) now: TickBounds,
    pub(super) insert_from: Tick,
    pub(super) next_id: u32,
    pub(super) version: u64,
    pub(super) replies: Vec<GoalReply>,
    /// Which edition of the plan was published last, with what was foreseen of it and when, and whether anything was left out.
    foreseen: Option<(u64, Tick, Foresight, bool)>,
    /// The words of what is wanted, by number of the aim.
    wishes: Vec<SmolStr>,
    /// How long nothing better was found, before the projection was made anew for no other reason than its age.
    rested: u32,
    /// A chain of steps that is looked for because repairing did not get there; none: not yet.
    skeleton: Option<Skeleton>,
    /// Whether a chain was looked for since things last came otherwise.
    has_looked: bool,
    /// Why the plan is being changed.
    pub(super) reason: &'static str,
}

impl Playwright {
    /// The planner of a story.
    pub fn new(model: Arc<Model>, options: RepairOptions) -> Self {
        let world = WorldOptions { seed: options.seed, detail: Detail::Happenings, ..WorldOptions::default() };
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chronicle,
            repertoire: None,
            workshop: None,
            intended: BTreeMap::new(),
            preferences: no_preference(),
            chance: Chance::new(options.seed ^ 0x00C0_FFEE_0B5E_55ED),
            published: BTreeMap::new(),
            published_before: BTreeMap::new(),
            taken: BTreeMap::new(),
            barred: Vec::new(),
            now: TickBounds::default(),
            insert_from: 0,
            next_id: 0,
            version: 0,
            replies: Vec::new(),
            foreseen: None,
            wishes: Vec::new(),
            rested: 0,
            skeleton: None,
            has_looked: false,
            reason: FIRST_PLAN,
            model,
            options,
        }
    }

    /// What the best plan lacks: what is required in units, then what is liked. None before the first deliberation.
    pub fn cost(&self) -> Option<(Fixed, Fixed)> {
        self.workshop.as_ref().map(|workshop| (Fixed(workshop.best.hard * 1000), Fixed(workshop.best.soft)))
    }

    /// How many steps the plan at hand has.
    pub fn planned(&self) -> usize {
        self.workshop.as_ref().map_or(self.intended.len(), |workshop| workshop.draft.steps.alive().count())
    }

    /// How far a number is projected to be off its curve on average, beyond what does no harm; none where none is followed.
    pub fn mean_off_curve(&self) -> Option<Fixed> {
        let draft = &self.workshop.as_ref()?.draft;
        draft.aims.iter().find_map(|aim| match &aim.want {
            Want::Follow(curve) => Some(Fixed(curve.mean(draft.projection.first_tick()))),
            _ => None,
        })
    }

    /// How far a number is projected to be from its curve on average, tick by tick; none where none is followed.
    pub fn mean_curve_error(&self) -> Option<Fixed> {
        let draft = &self.workshop.as_ref()?.draft;
        let curve = draft.aims.iter().find_map(|aim| match &aim.want {
            Want::Follow(curve) => Some(curve),
            _ => None,
        })?;
        let (first, end) = (draft.projection.first_tick(), curve.end());
        let error = |tick| (draft.projection.before(curve.slot, Moment::check(tick)) - curve.wanted(tick)).abs();
        Some(Fixed((first..end).map(error).sum::<i64>() / (end - first).max(1)))
    }

    /// Things came otherwise: what was projected does not count any longer, but the plan does until it has been looked at.
    pub(super) fn upset(&mut self, reason: &'static str) {
        if let Some(workshop) = self.workshop.take() {
            self.intended = self.extract(workshop);
        }
        self.reason = reason;
        (self.foreseen, self.rested) = (None, 0);
        (self.skeleton, self.has_looked) = (None, false);
    }

    /// The best plan in names. Steps that nobody has heard of get their ids now.
    fn extract(&mut self, mut workshop: Workshop) -> BTreeMap<u32, Step> {
        workshop.recall();
        let keys: Vec<_> = workshop.draft.steps.alive().filter(|(_, step)| !step.fixed).map(|(key, _)| key).collect();
        let mut intended = BTreeMap::new();
        for key in keys {
            let step = self.named(&mut workshop.draft, key);
            intended.insert(step.id, step);
        }
        intended
    }

    pub(super) fn named(&mut self, draft: &mut Draft, key: super::plan::StepKey) -> Step {
        let planned = *draft.steps.get(key);
        let id = planned.id.unwrap_or_else(|| {
            self.next_id = self.next_id.saturating_add(1);
            self.next_id - 1
        });
        draft.steps.get_mut(key).id = Some(id);
        let repertoire = &draft.projection.repertoire;
        let operator = repertoire.operators[planned.form];
        let args = repertoire.problem.args(operator).iter();
        Step {
            id,
            action: self.model.actions[repertoire.problem.operators[operator].action].name.clone(),
            args: args.map(|arg| SmolStr::new(self.model.value_name(*arg))).collect(),
            start: planned.start,
            duration: draft.projection.occurrence(planned.occurrence).duration,
            window: None,
            status: Default::default(),
            goals: self.serves(draft, planned.form),
            origin: dramaturg_model::StepOrigin::Repair,
        }
    }

    /// The wishes that an action has directly to do with.
    fn serves(&self, draft: &Draft, form: FormId) -> Vec<SmolStr> {
        let repertoire = &draft.projection.repertoire;
        let form = &repertoire.forms[form];
        let slots = form.deeds.iter().map(|deed| deed.slot).chain(form.spreads.iter().map(|spread| spread.slot));
        let slots: Vec<_> = slots.collect();
        let aims = draft.aims.iter().zip(&self.wishes);
        let served = aims.filter(|(aim, _)| aim.reads.iter().any(|slot| slots.contains(slot)));
        served.map(|(_, words)| words.clone()).collect()
    }

    /// The form of a step; none if there is no such action in this level.
    fn form_of(&self, repertoire: &Repertoire, action: &str, args: &[SmolStr]) -> Option<FormId> {
        let what = names::performed(&self.model, action).ok()?;
        let args = names::args(&self.model, what, args).ok()?;
        match what {
            Performed::Action(action) => repertoire.form(action, &args),
            Performed::Task(_) => None,
        }
    }

    /// The world as it will be without any step that is still ours.
    fn ahead(&self) -> World {
        let mut world = self.chronicle.ahead(&self.model);
        for step in self.taken.values().filter(|step| !self.chronicle.is_running(step.id)) {
            // The names are the model's own.
            drop(world.schedule(&self.model, step));
        }
        world
    }

    /// Begins to work on what is intended, from what is known.
    fn open_workshop(&mut self) -> Option<Workshop> {
        let world = self.ahead();
        let known = self
            .repertoire
            .take()
            .and_then(|repertoire| Outlook::new(&self.model, &repertoire, &world).map(|outlook| (repertoire, outlook)));
        let (repertoire, outlook) = match known {
            Some(known) => known,
            None => {
                let repertoire = Arc::new(Repertoire::new(&self.model, world.state()));
                let outlook = Outlook::new(&self.model, &repertoire, &world)?;
                (repertoire, outlook)
            }
        };
        self.repertoire = Some(Arc::clone(&repertoire));
        let first = outlook.projection.first_tick();
        let goals = world.goals();
        let wanted = aims(&self.model, &repertoire, &outlook.projection, &goals);
        let words = wanted.iter().filter_map(|aim| repertoire.problem.wishes.get(aim.wish));
        self.wishes = words.map(|wish| words::wish(&self.model, &self.model.wishes[wish.wish]).into()).collect();
        let far = wanted.iter().map(|aim| match &aim.want {
            Want::Follow(curve) => curve.end(),
            Want::At(_, tick) => *tick,
            Want::Keep(_, _, to) if *to < Tick::MAX => *to,
            _ => 0,
        });
        let far = far.max().unwrap_or(0).max(first.saturating_add(self.options.horizon));
        let outlook = outlook.until(far);
        let mut draft = Draft::new(outlook.projection, wanted, self.insert_from.max(first));
        draft.barred = self.barred.iter().filter_map(|(name, args, _)| self.form_of(&repertoire, name, args)).collect();
        for (id, occurrence) in outlook.fixed {
            draft.adopt(draft.projection.occurrence(occurrence).form, id, occurrence);
        }
        let intended = std::mem::take(&mut self.intended);
        for step in intended.values().filter(|step| !self.taken.contains_key(&step.id)) {
            if let Some(form) = self.form_of(&repertoire, &step.action, &step.args) {
                // What nobody has heard of and can no longer start then is put off.
                let start = if step.start < first { draft.insert_from } else { step.start };
                draft.add(form, start, Some(step.id));
            }
        }
        let published = &self.published;
        draft.advance(draft.insert_from, |id| published.contains_key(&id));
        let mut workshop = Workshop::new(draft, self.options.patience);
        workshop.quiet = std::mem::take(&mut self.rested);
        Some(workshop)
    }

    /// Looks for a chain of steps by search; whether one makes the plan better.
    fn look_for_chain(&mut self, budget: &mut Budget) -> bool {
        let Some(workshop) = &mut self.workshop else { return false };
        let repertoire = workshop.draft.repertoire();
        if self.skeleton.is_none() {
            // A chain is looked for only where it is not enough to do without what cannot be done.
            if workshop.shed(budget) {
                return true;
            }
            workshop.recall();
            let from = repertoire.problem.pack(self.chronicle.present().state());
            self.skeleton = from.and_then(|from| Skeleton::new(&repertoire, &workshop.draft.aims, &from));
        }
        let found = match &mut self.skeleton {
            Some(skeleton) => match skeleton.run(budget) {
                Some(found) => found,
                None => return false,
            },
            None => None,
        };
        (self.skeleton, self.has_looked) = (None, true);
        let chain = found.map(|way| in_a_row(&repertoire, &way, workshop.draft.insert_from)).unwrap_or_default();
        !chain.is_empty() && workshop.propose(&chain)
    }

    /// The steps of the best plan that can be performed as far as is known.
    fn wanted(&mut self) -> BTreeMap<u32, Step> {
        let Some(mut workshop) = self.workshop.take() else { return self.published.clone() };
        workshop.sweep(self.insert_from.saturating_add(self.options.look));
        let draft = &mut workshop.draft;
        let late = draft.insert_from;
        let mut keys: Vec<_> =
            draft.steps.open().iter().copied().filter(|key| draft.steps.get(*key).start >= late).collect();
        keys.retain(|key| {
            let needs = &draft.projection.occurrence(draft.steps.get(*key).occurrence).needs;
            let form = &draft.projection.repertoire.forms[draft.steps.get(*key).form];
            needs.iter().zip(&form.needs).all(|(state, need)| state.short == 0 || need.weight.is_some())
        });
        keys.sort_by_key(|key| (draft.steps.get(*key).start, *key));
        let wanted =
            keys.into_iter().map(|key| self.named(&mut workshop.draft, key)).map(|step| (step.id, step)).collect();
        self.workshop = Some(workshop);
        wanted
    }

    /// Up to when the plan can be performed; what cannot be is left out of it.
    fn foresee(&mut self, wanted: &mut BTreeMap<u32, Step>) -> Foresight {
        let look = self.now.most.max(self.insert_from).saturating_add(self.options.look);
        let world = self.ahead();
        let mut foresight = foresee(&self.model, world.clone(), wanted, look);
        for _ in 0..RETRIES {
            let Some(trouble) = foresight.trouble.filter(|trouble| wanted.contains_key(trouble)) else { break };
            wanted.remove(&trouble);
            foresight = foresee(&self.model, world.clone(), wanted, look);
        }
        foresight
    }

    /// What was foreseen of the plan when it was published, if it is still the same and that was not too long ago.
    fn known_foresight(&self) -> Option<(Foresight, bool)> {
        let workshop = self.workshop.as_ref()?;
        let (edition, at, foresight, whole) = self.foreseen?;
        let fresh = self.now.most <= at.saturating_add(self.options.look / 2);
        (edition == workshop.edition && fresh).then_some((foresight, whole))
    }

    fn answered(&mut self, id: u32, answer: &str) {
        if !matches!(answer, "no" | "later") {
            return;
        }
        let Some(step) = self.taken.remove(&id).or_else(|| self.published.remove(&id)) else { return };
        let until = (answer == "later").then(|| self.now.most.saturating_add(self.options.later));
        self.barred.push((step.action, step.args, until));
        self.upset("somebody said no");
        self.intended.remove(&id);
    }

    /// A step is in other hands now.
    fn take(&mut self, id: u32) {
        let Some(step) = self.published.remove(&id) else { return };
        self.taken.insert(id, step);
        if let Some(workshop) = &mut self.workshop {
            workshop.recall();
            let found = workshop.draft.steps.alive().find(|(_, step)| step.id == Some(id)).map(|(key, _)| key);
            match found {
                Some(key) => workshop.draft.steps.fix(key),
                // It was published, and the plan has been made without it since.
                None => self.upset("a step was locked that was no longer planned"),
            }
        }
    }
}

/// Steps that turn out to be impossible are left out of a publication one after another, so often.
const RETRIES: u32 = 6;
/// Projections that begin too long ago are made anew, so that they do not carry the past along.
const STALE: Tick = 600;

/// After so many repairs in vain a chain of steps is looked for by search.
const LONG_ENOUGH: u32 = 60;

const FIRST_PLAN: &str = "the story begins";
const BETTER: &str = "a better plan was found";

impl Planner for Playwright {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            let named = names::fluent(&self.model, &seen.fluent).ok();
            let is_known = named.as_ref().is_some_and(|(fluent, args)| {
                let value = names::value_of(&self.model, *fluent, &seen.value).ok();
                value == Some(self.chronicle.present().state().get(*fluent, args))
            });
            if let Some((fluent, args)) = named.filter(|_| !is_known) {
                let grounded = |repertoire: &Arc<Repertoire>| repertoire.problem.place(fluent, &args).is_some();
                // What was taken for granted when the level was grounded may be so no longer.
                self.repertoire = self.repertoire.take().filter(grounded);
            }
            // What the model has no name for cannot matter.
            let _ = self.chronicle.observe(&self.model, seen);
            if !is_known || seen.from > self.chronicle.present().now() {
                self.upset("something was seen that nobody had planned");
            }
        }
    }

    fn feedback(&mut self, events: &[StepEvent]) {
        for event in events {
            let id = event.step;
            match &event.kind {
                StepEventKind::Locked => self.take(id),
                StepEventKind::Accepted | StepEventKind::Progress(_) => {}
                StepEventKind::Answered(answer) => self.answered(id, answer),
                StepEventKind::Started(tick) => {
                    self.take(id);
                    if let Some(step) = self.taken.get(&id) {
                        let _ = self.chronicle.started(&self.model, step, *tick);
                        if step.start != *tick {
                            self.upset("a step started at another time");
                        }
                    }
                }
                StepEventKind::Amended(duration) => {
                    self.chronicle.amended(id, *duration);
                    self.upset("a step takes another time than planned");
                }
                StepEventKind::Finished(tick) => {
                    self.chronicle.finished(id, *tick);
                    if self.taken.remove(&id).is_some_and(|step| step.end() != *tick) {
                        self.upset("a step ended at another time");
                    }
                }
                StepEventKind::Failed(_) => {
                    self.chronicle.cut(id, self.now.least);
                    self.taken.remove(&id);
                    self.upset("a step failed");
                }
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    self.taken.remove(&id);
                    self.published.remove(&id);
                    self.upset("a step was not performed");
                    self.intended.remove(&id);
                }
            }
        }
    }

    fn rejected(&mut self, version: u64) {
        if version == self.version {
            self.published.clone_from(&self.published_before);
            let taken = &self.taken;
            self.published.retain(|id, _| !taken.contains_key(id));
            self.upset("the last plan came too late");
        }
    }

    fn exogenous(&mut self, change: &PlanDelta) {
        for step in &change.put {
            let _ = self.chronicle.started(&self.model, step, step.start);
        }
        self.upset("somebody else has planned something");
    }

    fn set_goals(&mut self, change: &GoalChange) {
        for goal in &change.goals {
            let reason = "the story's goals are those that are written in it".to_owned();
            self.replies.push(GoalReply { goal: goal.clone(), accepted: false, reason, expected: None });
        }
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        self.now = now;
        self.insert_from = self.insert_from.max(insert_from);
        self.chronicle.advance(&self.model, now.least);
        let waits = self.chronicle.drain().iter().any(|event| matches!(event.kind, WorldEventKind::Expectation { .. }));
        if waits {
            self.upset("what was expected has come, or not");
        }
        let before = self.barred.len();
        self.barred.retain(|(_, _, until)| until.is_none_or(|until| until > now.least));
        if self.barred.len() != before {
            self.upset("it may be asked again");
        }
        // What starts before is no longer ours, whether or not it has been locked.
        let gone: Vec<u32> =
            self.published.values().filter(|step| step.start < self.insert_from).map(|step| step.id).collect();
        gone.into_iter().for_each(|id| self.take(id));
        // What should have started by now, as far as is known, will start later than planned.
        let mut waiting = self.taken.values().filter(|step| !self.chronicle.is_running(step.id));
        let is_late = waiting.any(|step| step.start <= now.least);
        let is_stale = self
            .workshop
            .as_ref()
            .is_some_and(|workshop| now.least.saturating_sub(workshop.draft.projection.first_tick()) > STALE);
        if is_late || is_stale {
            let rested = self.workshop.as_ref().filter(|_| !is_late).map_or(0, |workshop| workshop.quiet);
            self.upset("time has passed");
            self.rested = rested;
        } else if let Some(workshop) = &mut self.workshop {
            let (published, taken) = (&self.published, &self.taken);
            workshop.advance(self.insert_from, |id| published.contains_key(&id) || taken.contains_key(&id));
        }
    }

    fn deliberate(&mut self, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.workshop.is_none() {
            if !budget.take() {
                return Progress::Searching;
            }
            self.workshop = self.open_workshop();
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        let enough = if workshop.draft.follows { self.options.enough_for_curves } else { self.options.enough };
        let (mut improved, mut perfect) = (false, false);
        while let Some(workshop) = &mut self.workshop {
            let looks = !self.has_looked && workshop.best.hard > 0;
            let pause = if looks { LONG_ENOUGH.min(enough) } else { enough };
            while !perfect && workshop.quiet < pause && budget.take() {
                match workshop.turn(&mut self.preferences, &mut self.chance) {
                    Turn::Perfect => perfect = true,
                    Turn::Tried => {}
                    Turn::Improved => improved = true,
                }
            }
            if perfect || budget.left() == 0 || (workshop.quiet >= pause && !looks) {
                break;
            }
            improved |= self.look_for_chain(budget);
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        if improved && self.reason.is_empty() {
            self.reason = BETTER;
        }
        let cost = Fixed(workshop.best.hard.saturating_mul(1000).saturating_add(workshop.best.soft));
        let rests = workshop.quiet >= enough && (self.has_looked || workshop.best.hard == 0);
        match (perfect || rests, workshop.best.hard) {
            (true, 0) => Progress::Complete { cost },
            (true, _) => Progress::Infeasible { proof: false, core: self.given_up() },
            (false, _) if improved => Progress::Improved { cost },
            (false, _) => Progress::Searching,
        }
    }

    fn publish(&mut self) -> PlanDelta {
        let known = self.known_foresight();
        let (wanted, until, whole) = match known {
            Some((foresight, whole)) => (None, foresight.until, whole),
            // Until it has been worked on again, what was published stands, and nothing is promised of it.
            None if self.workshop.is_none() => (None, Some(self.now.least), false),
            None => {
                let mut wanted = self.wanted();
                let count = wanted.len();
                let foresight = self.foresee(&mut wanted);
                let whole = wanted.len() == count;
                let edition = self.workshop.as_ref().map_or(0, |workshop| workshop.edition);
                self.foreseen = Some((edition, self.now.most, foresight, whole));
                (Some(wanted), foresight.until, whole)
            }
        };
        let mut delta = wanted.as_ref().map(|wanted| PlanDelta::between(&self.published, wanted)).unwrap_or_default();
        delta.removed.retain(|id| self.published.get(id).is_some_and(|step| step.start >= self.insert_from));
        self.version += 1;
        delta.version = self.version;
        delta.valid_until = until.map(|until| until.max(self.now.least));
        if let Some(workshop) = &self.workshop {
            delta.complete = workshop.best.hard == 0 && whole;
            delta.cost = Some(Fixed(workshop.best.hard.saturating_mul(1000).saturating_add(workshop.best.soft)));
        }
        if !delta.is_empty() {
            delta.reason = if self.reason.is_empty() { BETTER } else { self.reason }.to_owned();
            self.reason = "";
        }
        self.published_before = match wanted {
            Some(wanted) => std::mem::replace(&mut self.published, wanted),
            None => self.published.clone(),
        };
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => self.why(*id),
            Inquiry::WhyNot { action, args } => self.why_not(action, args),
            Inquiry::Beliefs(_) => Explanation::of("the story's own planner knows the world as it is reported"),
        }
    }

    fn save(&mut self) -> PlannerSave {
        self.write()
    }
}
