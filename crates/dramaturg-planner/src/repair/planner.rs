//! The playwright: the story's own planner, local search over repairs of one plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, FluentId, Model, Step, Tick, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::RepairOptions;
use super::preference::Preference;
use super::repertoire::Repertoire;
use super::skeleton::Skeleton;
use super::workshop::{Turn, Workshop, no_preference};
use crate::host::{Ended, Foresight, Hosted, Loss, Proposal, ReplanReason, Serves, Situation, Strategy, by_id};
use crate::planner::{Budget, Explanation, Inquiry, Progress, Workers};
use crate::simulate::{Detail, WorldEvent, WorldEventKind, WorldOptions};

/// The story's own planner.
pub type Playwright = Hosted<LocalRepair>;

/// Plans for the story by local search: one plan is repaired, defect by defect.
pub struct LocalRepair {
    pub(super) options: RepairOptions,
    pub(super) repertoire: Option<Arc<Repertoire>>,
    /// The plan at hand; none until it is worked on, and after things came otherwise.
    pub(super) workshop: Option<Workshop>,
    /// The best plan, while there is no workshop.
    pub(super) intended: BTreeMap<u32, Step>,
    pub(super) preferences: Vec<Preference>,
    pub(super) chance: Chance,
    /// Which edition of the plan was published last, with what was foreseen of it and when, and whether anything was left out.
    pub(super) foreseen: Option<(u64, Tick, Foresight, bool)>,
    /// The words of what is wanted, by number of the aim.
    pub(super) wishes: Vec<SmolStr>,
    /// How long nothing better was found, before the projection was made anew for no other reason than its age, and what was missing then.
    pub(super) rested: Option<(u32, i64)>,
    /// A chain of steps that is looked for because repairing did not get there; none: not yet.
    pub(super) skeleton: Option<Skeleton>,
    /// Whether a chain was looked for since things last came otherwise.
    pub(super) has_looked: bool,
}

/// What a playwright must keep to go on elsewhere. What it has projected is projected again.
#[derive(Serialize, Deserialize)]
pub struct SavedRepair {
    options: RepairOptions,
    #[serde(with = "by_id")]
    intended: BTreeMap<u32, Step>,
    preferences: Vec<Preference>,
    chance: Chance,
}

/// Projections that begin too long ago are made anew, so that they do not carry the past along.
const STALE: Tick = 600;

/// After so many repairs in which what is required came no nearer a chain of steps is looked for by search.
const LONG_ENOUGH: u32 = 60;

impl LocalRepair {
    fn is_stale(&self, now: &Situation) -> bool {
        let begins = |workshop: &Workshop| workshop.draft.projection.first_tick();
        self.workshop.as_ref().is_some_and(|workshop| now.plan.now.least.saturating_sub(begins(workshop)) > STALE)
    }
}

impl Strategy for LocalRepair {
    const NAME: &'static str = "repair";
    const SERVES: Serves = Serves::Story;
    type Options = RepairOptions;
    type Saved = SavedRepair;

    fn new(_: &Arc<Model>, options: RepairOptions) -> Self {
        Self {
            repertoire: None,
            workshop: None,
            intended: BTreeMap::new(),
            preferences: no_preference(),
            chance: Chance::new(options.seed ^ 0x00C0_FFEE_0B5E_55ED),
            foreseen: None,
            wishes: Vec::new(),
            rested: None,
            skeleton: None,
            has_looked: false,
            options,
        }
    }

    fn world(&self) -> WorldOptions {
        WorldOptions { seed: self.options.seed, detail: Detail::Happenings, ..WorldOptions::default() }
    }

    fn later(&self) -> Tick {
        self.options.later
    }

    /// What was projected does not count any longer, but the plan does until it has been looked at.
    fn invalidate(&mut self, now: &mut Situation, reason: ReplanReason) {
        let aged = self.workshop.as_ref().filter(|_| reason == ReplanReason::Stale);
        self.rested = aged.map(|workshop| (workshop.quiet, workshop.best.hard));
        if let Some(workshop) = self.workshop.take() {
            self.intended = self.extract(now, workshop);
        }
        self.foreseen = None;
        (self.skeleton, self.has_looked) = (None, false);
        // What is wanted is part of what was grounded.
        if matches!(reason, ReplanReason::Goals | ReplanReason::Saved) {
            self.repertoire = None;
        }
    }

    /// What was taken for granted when the level was grounded may be so no longer.
    fn surprised(&mut self, _: &Situation, fluent: FluentId, args: &[Value]) {
        let grounded = |repertoire: &Arc<Repertoire>| repertoire.problem.place(fluent, args).is_some();
        self.repertoire = self.repertoire.take().filter(grounded);
    }

    fn committed(&mut self, _: &mut Situation, id: u32) -> Option<ReplanReason> {
        let workshop = self.workshop.as_mut()?;
        workshop.recall();
        let found = workshop.draft.steps.alive().find(|(_, step)| step.id == Some(id)).map(|(key, _)| key);
        match found {
            Some(key) => {
                workshop.draft.steps.fix(key);
                None
            }
            // It was published, and the plan has been made without it since.
            None => Some(ReplanReason::CommittedUnplanned),
        }
    }

    fn released(&mut self, _: &mut Situation, steps: Vec<Step>) {
        self.intended.extend(steps.into_iter().map(|step| (step.id, step)));
    }

    fn finished(&mut self, _: &mut Situation, ended: &Ended) -> Option<ReplanReason> {
        if ended.step.as_ref().is_some_and(|step| step.end() != ended.tick) {
            return Some(ReplanReason::Ended);
        }
        // Nobody can repair that any more, and nobody must.
        let lacked = self.workshop.as_ref().is_some_and(|workshop| workshop.lacks(ended.id));
        lacked.then_some(ReplanReason::EndedLacking)
    }

    fn lost(&mut self, now: &mut Situation, id: u32, _: Option<Step>, _: Loss) {
        if let Some(workshop) = self.workshop.take() {
            self.intended = self.extract(now, workshop);
        }
        self.intended.remove(&id);
    }

    fn world_advanced(&mut self, _: &mut Situation, events: &[WorldEvent]) -> Option<ReplanReason> {
        let mut waits = events.iter().filter(|event| matches!(event.kind, WorldEventKind::Expectation { .. }));
        waits.next().map(|_| ReplanReason::Expectation)
    }

    fn time_passed(&mut self, now: &mut Situation) -> Option<ReplanReason> {
        if self.is_stale(now) {
            return Some(ReplanReason::Stale);
        }
        if let Some(workshop) = &mut self.workshop {
            workshop.advance(now.plan.insert_from, |id| now.plan.step(id).is_some());
        }
        None
    }

    fn search(&mut self, now: &mut Situation, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.workshop.is_none() {
            if !budget.take() {
                return Progress::Searching;
            }
            self.workshop = self.open_workshop(now);
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        let enough = if workshop.draft.follows { self.options.enough_for_curves } else { self.options.enough };
        let (mut improved, mut perfect) = (false, false);
        while let Some(workshop) = &mut self.workshop {
            let has_looked = self.has_looked;
            let looks = |workshop: &Workshop| !has_looked && workshop.best.hard > 0;
            let is_stuck = |workshop: &Workshop| looks(workshop) && workshop.vain >= LONG_ENOUGH;
            while !perfect && workshop.quiet < enough && !is_stuck(workshop) && budget.take() {
                match workshop.turn(&mut self.preferences, &mut self.chance) {
                    Turn::Perfect => perfect = true,
                    Turn::Tried => {}
                    Turn::Improved => improved = true,
                }
            }
            if perfect || budget.left() == 0 || !looks(workshop) {
                break;
            }
            improved |= self.look_for_chain(budget);
        }
        let Some(workshop) = &self.workshop else { return Progress::Idle };
        let cost = Fixed(workshop.best.hard.saturating_mul(1000).saturating_add(workshop.best.soft));
        let rests = workshop.quiet >= enough && (self.has_looked || workshop.best.hard == 0);
        match (perfect || rests, workshop.best.hard) {
            (true, 0) => Progress::Complete { cost },
            (true, _) => Progress::Infeasible { proof: false, core: self.given_up(now) },
            (false, _) if improved => Progress::Improved { cost },
            (false, _) => Progress::Searching,
        }
    }

    fn proposal(&mut self, now: &mut Situation) -> Proposal {
        let (steps, until, whole) = match self.known_foresight(now) {
            Some((foresight, whole)) => (None, foresight.until, whole),
            // Until it has been worked on again, what was published stands, and nothing is promised of it.
            None if self.workshop.is_none() => (None, Some(now.plan.now.least), false),
            None => {
                let mut wanted = self.wanted(now);
                let count = wanted.len();
                let foresight = self.foresee(now, &mut wanted);
                let whole = wanted.len() == count;
                let edition = self.workshop.as_ref().map_or(0, |workshop| workshop.edition);
                self.foreseen = Some((edition, now.plan.now.most, foresight, whole));
                (Some(wanted), foresight.until, whole)
            }
        };
        let best = self.workshop.as_ref().map(|workshop| &workshop.best);
        Proposal {
            steps,
            valid_until: until.map(|until| until.max(now.plan.now.least)),
            complete: best.is_some_and(|best| best.hard == 0 && whole),
            cost: best.map(|best| Fixed(best.hard.saturating_mul(1000).saturating_add(best.soft))),
        }
    }

    fn explain(&self, now: &Situation, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => self.why(now, *id),
            Inquiry::WhyNot { action, args } => self.why_not(now, action, args),
            Inquiry::Beliefs(_) => Explanation::of("the story's own planner knows the world as it is reported"),
        }
    }

    fn save(&mut self, _: &mut Situation) -> SavedRepair {
        SavedRepair {
            options: self.options,
            intended: self.intended.clone(),
            preferences: self.preferences.clone(),
            chance: self.chance.clone(),
        }
    }

    fn load(now: &mut Situation, saved: SavedRepair) -> Self {
        // Preferences of another version of the planner mean nothing to this one.
        let fresh = no_preference();
        let preferences = if saved.preferences.len() == fresh.len() { saved.preferences } else { fresh };
        let new = Self::new(&now.model, saved.options);
        Self { intended: saved.intended, preferences, chance: saved.chance, ..new }
    }
}
