//! The conductor: plans in time behind the contract of all planners.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Fixed, FluentId, Model, Step, Tick, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::ConductorOptions;
use super::baton::{Baton, Beat};
use super::score::Score;
use crate::host::{Ended, Foresight, Hosted, Loss, Proposal, ReplanReason, Serves, Situation, Strategy, foresee};
use crate::planner::{Budget, Explanation, Inquiry, Progress, Workers};
use crate::simulate::{Detail, WorldOptions};

/// Plans in time while the plan is performed.
pub type Conductor = Hosted<Scheduling>;

/// Plans in time: a first plan by search, better schedules of it by large neighbourhood search and tabu search.
pub struct Scheduling {
    pub(super) options: ConductorOptions,
    pub(super) score: Option<Arc<Score>>,
    /// The course at hand; none until it is worked on, and where there is nothing to plan with.
    pub(super) baton: Option<Baton>,
    /// What is to be done, in an order in which it can be; starts and ids are those of the best plan.
    pub(super) intended: Vec<Step>,
    /// Of what is intended, so many steps at the front are left as they are while better plans are looked for.
    pub(super) held: usize,
    /// What did not come to its end and is to be done again, first of all.
    pub(super) again: Vec<Step>,
    /// The observed state is outside what was grounded from the first one: it is grounded anew from there.
    pub(super) strange: bool,
    /// Whether a step was committed that the search is still free to move.
    pub(super) ahead_of_us: bool,
    /// Whether any step was ever committed.
    pub(super) has_begun: bool,
    /// Counts changes of what is intended.
    pub(super) edition: u64,
    /// Which edition was published last, with what was foreseen of it and when.
    pub(super) foreseen: Option<(u64, Tick, Foresight)>,
    /// Whether things came otherwise since the course was laid.
    pub(super) upset: bool,
}

/// What a conductor must keep to go on elsewhere. What it searched is searched again.
#[derive(Serialize, Deserialize)]
pub struct SavedSchedule {
    options: ConductorOptions,
    intended: Vec<Step>,
    again: Vec<Step>,
    strange: bool,
    has_begun: bool,
}

/// So many ticks after a `later` a question may be asked again.
const LATER: Tick = 10;

impl Scheduling {
    /// The tick at which the best plan is over; none while there is no plan.
    pub fn end(&self) -> Option<Tick> {
        self.baton.as_ref().filter(|baton| baton.leads() && !self.upset).map(Baton::end)
    }

    pub(super) fn earliest(&self, now: &Situation) -> Tick {
        now.plan.insert_from.max(self.options.from)
    }

    /// Whether the stage begins before the first tick that may still be changed.
    fn is_stale(&self, now: &Situation) -> bool {
        let is_late = |baton: &Baton| baton.course().is_some() && (self.ahead_of_us || baton.base < self.earliest(now));
        self.baton.as_ref().is_some_and(is_late)
    }

    /// Takes a step out of what is intended.
    fn take_out(&mut self, id: u32) -> Option<Step> {
        let place = self.intended.iter().position(|step| step.id == id)?;
        self.held -= usize::from(place < self.held);
        Some(self.intended.remove(place))
    }

    /// What can be foreseen of what is intended.
    fn foresight(&mut self, now: &mut Situation, wanted: &BTreeMap<u32, Step>) -> Foresight {
        if let Some((edition, at, foresight)) = self.foreseen
            && edition == self.edition
            && now.plan.now.most <= at.saturating_add(self.options.look / 2)
        {
            return foresight;
        }
        let look = now.plan.now.most.max(now.plan.insert_from).saturating_add(self.options.look);
        let world = now.forecast().world;
        let foresight = foresee(&now.model, world, wanted, look);
        self.foreseen = Some((self.edition, now.plan.now.most, foresight));
        foresight
    }

    fn cost(&self) -> Option<Fixed> {
        let baton = self.baton.as_ref().filter(|baton| baton.leads() && !self.upset)?;
        Some(baton.cost())
    }
}

impl Strategy for Scheduling {
    const NAME: &'static str = "conductor";
    const SERVES: Serves = Serves::Nobody;
    type Options = ConductorOptions;
    type Saved = SavedSchedule;

    fn new(_: &Arc<Model>, options: ConductorOptions) -> Self {
        Self {
            score: None,
            baton: None,
            intended: Vec::new(),
            held: 0,
            again: Vec::new(),
            strange: false,
            ahead_of_us: false,
            has_begun: false,
            edition: 0,
            foreseen: None,
            upset: true,
            options,
        }
    }

    fn world(&self) -> WorldOptions {
        // Nobody hears what happens in a planner's own world, only what could not happen.
        WorldOptions { seed: self.options.seed, detail: Detail::Violations, ..WorldOptions::default() }
    }

    fn later(&self) -> Tick {
        LATER
    }

    /// The order of steps stays for now, their times do not.
    fn invalidate(&mut self, _: &mut Situation, reason: ReplanReason) {
        self.upset = true;
        self.foreseen = None;
        // Other operators than before may be used.
        if matches!(reason, ReplanReason::Refused | ReplanReason::MayAskAgain | ReplanReason::Saved) {
            (self.score, self.baton, self.held) = (None, None, 0);
        }
    }

    /// What was taken for granted when the problem was grounded may be so no longer.
    fn surprised(&mut self, _: &Situation, fluent: FluentId, args: &[Value]) {
        if self.score.as_ref().is_some_and(|score| !score.knows(fluent, args)) {
            (self.score, self.strange) = (None, true);
        }
    }

    fn committed(&mut self, now: &mut Situation, id: u32) -> Option<ReplanReason> {
        let step = now.plan.committed.get(&id)?;
        self.has_begun = true;
        let is_held = self.intended.iter().take(self.held).any(|known| known.id == id);
        let reason = match self.take_out(id) {
            Some(known) if known != *step => Some(ReplanReason::CommittedElsewhere),
            Some(_) => {
                self.ahead_of_us |= !is_held;
                None
            }
            None => Some(ReplanReason::CommittedUnplanned),
        };
        self.upset |= self.baton.as_ref().is_none_or(|baton| !baton.leads());
        reason
    }

    fn released(&mut self, _: &mut Situation, steps: Vec<Step>) {
        self.again.extend(steps);
    }

    fn finished(&mut self, _: &mut Situation, ended: &Ended) -> Option<ReplanReason> {
        (ended.expected != Some(ended.tick)).then_some(ReplanReason::Ended)
    }

    /// What was not performed is to be done again; what was refused is not.
    fn lost(&mut self, now: &mut Situation, id: u32, step: Option<Step>, loss: Loss) {
        let intended = self.take_out(id);
        if loss == Loss::NotPerformed
            && let Some(step) = step.or(intended)
        {
            self.again.push(Step { id: now.plan.number(), ..step });
        }
    }

    /// What should have ended by now, as far as is known, will do so later than planned.
    fn time_passed(&mut self, now: &mut Situation) -> Option<ReplanReason> {
        let soon = now.plan.now.least.saturating_add(1);
        let mut running = now.chronicle.running();
        let is_overdue =
            running.any(|(step, start, lasts)| lasts > step.duration && start.saturating_add(lasts) <= soon);
        is_overdue.then_some(ReplanReason::TimePassed)
    }

    fn search(&mut self, now: &mut Situation, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        if self.upset || self.is_stale(now) {
            if !budget.take() {
                return Progress::Searching;
            }
            self.lay(now);
        }
        let mut improved = false;
        let mut rests = false;
        while budget.left() > 0 && !rests {
            let Some(baton) = &mut self.baton else { return Progress::Infeasible { proof: false, core: Vec::new() } };
            let leads = baton.leads();
            if leads && (baton.quiet >= self.options.enough || (self.has_begun && !self.options.replans)) {
                rests = true;
                break;
            }
            match baton.beat(budget, &self.options) {
                Beat::Same => {}
                Beat::Rest => rests = true,
                Beat::Better => {
                    improved = true;
                    if !leads && baton.base < now.plan.insert_from.max(self.options.from) {
                        // It took so long to find that its first steps would come too late.
                        self.held = 0;
                        self.write_down(now);
                        self.upset = true;
                        self.lay(now);
                    }
                }
            }
        }
        if improved {
            self.foreseen = None;
            self.write_down(now);
        }
        let is_over = self.baton.as_ref().is_none_or(Baton::is_over);
        match self.cost() {
            _ if is_over => Progress::Infeasible { proof: false, core: Vec::new() },
            Some(cost) if rests => Progress::Complete { cost },
            Some(cost) if improved => Progress::Improved { cost },
            _ => Progress::Searching,
        }
    }

    fn proposal(&mut self, now: &mut Situation) -> Proposal {
        let leads = self.baton.as_ref().is_some_and(Baton::leads) && !self.upset;
        let soon = self.intended.iter().any(|step| step.start < now.plan.insert_from);
        if !leads || soon {
            // Until there is a plan again, what was published stands, and nothing is promised of it.
            return Proposal { valid_until: Some(now.plan.now.least), ..Proposal::default() };
        }
        let wanted: BTreeMap<u32, Step> = self.intended.iter().map(|step| (step.id, step.clone())).collect();
        let foresight = self.foresight(now, &wanted);
        Proposal {
            steps: Some(wanted),
            valid_until: foresight.until.map(|until| until.max(now.plan.now.least)),
            complete: foresight.trouble.is_none(),
            cost: self.cost(),
        }
    }

    fn explain(&self, now: &Situation, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(id) => {
                match now.plan.committed.get(id).or_else(|| self.intended.iter().find(|step| step.id == *id)) {
                    Some(step) if now.plan.committed.contains_key(id) => {
                        Explanation::of(format!("step {id} is under way since tick {} or about to be", step.start))
                    }
                    Some(step) => Explanation::of(format!(
                        "step {id} starts at tick {}, as early as what it touches allows in the best order so far",
                        step.start
                    )),
                    None => Explanation::of(format!("step {id} is not in the plan")),
                }
            }
            Inquiry::WhyNot { action, args } => {
                let known = self.intended.iter().find(|step| step.action == *action && step.args == *args);
                Explanation::of(match known {
                    Some(step) => format!("`{action}` is in the plan, at tick {}", step.start),
                    None if self.end().is_none() => "there is no plan yet that reaches the goals".to_owned(),
                    None => format!("the best plan so far reaches its goals without `{}`", called(action, args)),
                })
            }
            Inquiry::Beliefs(_) => Explanation::of("this planner knows the world as it is reported"),
        }
    }

    fn save(&mut self, _: &mut Situation) -> SavedSchedule {
        SavedSchedule {
            options: self.options,
            intended: self.intended.clone(),
            again: self.again.clone(),
            strange: self.strange,
            has_begun: self.has_begun,
        }
    }

    fn load(now: &mut Situation, saved: SavedSchedule) -> Self {
        let new = Self::new(&now.model, saved.options);
        Self { intended: saved.intended, again: saved.again, strange: saved.strange, has_begun: saved.has_begun, ..new }
    }
}

fn called(action: &SmolStr, args: &[SmolStr]) -> String {
    let args: Vec<&str> = args.iter().map(SmolStr::as_str).collect();
    format!("{action}({})", args.join(", "))
}
