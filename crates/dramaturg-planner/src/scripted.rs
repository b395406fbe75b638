//! A planner that plans nothing: it performs a script. What comes of it in time, under delays, failures and contradictions, is what
//! the concurrent framework is tested with; real planners stand behind the same contract.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Model, Observation, Plan, Step, StepEvent, StepEventKind, Tick};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::chronicle::{Chronicle, ChronicleOptions, ChronicleSave};
use crate::ledger::Ledger;
use crate::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress, TickBounds, Workers,
};
use crate::simulate::step::{Performed, duration_bounds};
use crate::simulate::{Detail, ViolationKind, WorldEventKind, WorldOptions, names};

/// How a script is performed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptOptions {
    /// Steps are published so many ticks before they start.
    pub horizon: Tick,
    /// A step that was not performed is planned again so often.
    pub retries: u32,
    /// Moves steps about, as far as it may, so that those who handle them can show that they bear it: one in so many, each time
    /// something is published; 0: none.
    pub fidget: u32,
    /// Where chance begins.
    pub seed: u64,
}

impl Default for ScriptOptions {
    fn default() -> Self {
        Self { horizon: 600, retries: 0, fidget: 0, seed: 0 }
    }
}

/// A planner that performs a script.
pub struct Scripted {
    model: Arc<Model>,
    options: ScriptOptions,
    /// What is still to be published, by start.
    script: VecDeque<Step>,
    chronicle: Chronicle,
    /// The steps that are published and not ended.
    plan: BTreeMap<u32, Step>,
    ledger: Ledger,
    tries: BTreeMap<u32, u32>,
    chance: Chance,
    /// Ticks that steps were moved by, and a thousand for each that was given up.
    cost: i64,
    valid_until: Option<Tick>,
    /// The next step to look at; none: all have been.
    look: Option<usize>,
    replies: Vec<GoalReply>,
}

#[derive(Serialize, Deserialize)]
struct Saved {
    options: ScriptOptions,
    script: VecDeque<Step>,
    chronicle: ChronicleSave,
    plan: BTreeMap<u32, Step>,
    #[serde(flatten)]
    ledger: Ledger,
    tries: BTreeMap<u32, u32>,
    chance: Chance,
    cost: i64,
    valid_until: Option<Tick>,
}

const NAME: &str = "scripted";
/// So many ticks after a `later` a question is asked again.
const LATER: Tick = 60;

impl Scripted {
    /// A planner that performs these steps.
    pub fn new(model: Arc<Model>, plan: &Plan, options: ScriptOptions) -> Self {
        let mut script: Vec<Step> = plan.steps.clone();
        script.sort_by_key(|step| (step.start, step.id));
        let next_id = script.iter().map(|step| step.id.saturating_add(1)).max().unwrap_or(0);
        // Nobody hears what happens in a planner's own world, only what could not happen.
        let world = WorldOptions { detail: Detail::Violations, ..WorldOptions::default() };
        let chronicle = Chronicle::begin(&model, ChronicleOptions { world, ..ChronicleOptions::default() });
        Self {
            chance: Chance::new(options.seed),
            script: script.into(),
            chronicle,
            plan: BTreeMap::new(),
            ledger: Ledger { next_id, ..Ledger::default() },
            tries: BTreeMap::new(),
            cost: 0,
            valid_until: None,
            look: Some(0),
            replies: Vec::new(),
            model,
            options,
        }
    }

    /// Goes on from what was saved.
    pub fn load(model: Arc<Model>, save: &PlannerSave) -> Result<Self, String> {
        if save.planner != NAME {
            return Err(format!("this was saved by the planner `{}`, not by `{NAME}`", save.planner));
        }
        let saved: Saved = serde_json::from_str(&save.data).map_err(|error| error.to_string())?;
        let (chronicle, _) = Chronicle::load(&model, &saved.chronicle);
        Ok(Self {
            model,
            options: saved.options,
            script: saved.script,
            chronicle,
            plan: saved.plan,
            ledger: saved.ledger,
            tries: saved.tries,
            chance: saved.chance,
            cost: saved.cost,
            valid_until: saved.valid_until,
            look: Some(0),
            replies: Vec::new(),
        })
    }

    /// Takes the next step of the script into the plan, if its time comes near.
    fn take_next(&mut self) -> bool {
        let until = self.ledger.now.most.saturating_add(self.options.horizon);
        let Some(mut step) = self.script.pop_front_if(|step| step.start <= until) else { return false };
        self.place(&mut step);
        self.plan.insert(step.id, step);
        true
    }

    /// Moves a step to where it may start.
    fn place(&mut self, step: &mut Step) {
        if step.start < self.ledger.insert_from {
            self.cost = self.cost.saturating_add(self.ledger.insert_from - step.start);
            step.start = self.ledger.insert_from;
        }
    }

    /// A step was not performed: it is planned again, or given up.
    fn again(&mut self, step: Step) {
        let tries = self.tries.remove(&step.id).unwrap_or(0);
        if tries >= self.options.retries {
            self.cost = self.cost.saturating_add(1000);
            return;
        }
        let mut step = Step { id: self.ledger.number(), ..step };
        self.place(&mut step);
        self.tries.insert(step.id, tries + 1);
        self.plan.insert(step.id, step);
    }

    /// Somebody else has started this: the next step that does the same is not performed as well.
    fn leave_out(&mut self, done: &Step) {
        let is_same = |step: &Step| (&step.action, &step.args) == (&done.action, &done.args);
        let published = self.plan.values().find(|step| is_same(step)).map(|step| step.id);
        if let Some(id) = published {
            self.plan.remove(&id);
        } else if let Some(at) = self.script.iter().position(is_same) {
            self.script.remove(at);
        }
    }

    /// What a question about a step was answered with: after a no it is given up, after a later it is asked about again.
    fn answered(&mut self, id: u32, answer: &str) {
        if !matches!(answer, "no" | "later") {
            return;
        }
        let planned = self.plan.remove(&id);
        let Some(mut step) = self.ledger.lose(id).or(planned) else { return };
        if answer == "no" {
            self.cost = self.cost.saturating_add(1000);
            return;
        }
        step.id = self.ledger.number();
        step.start = self.ledger.insert_from.saturating_add(LATER);
        self.plan.insert(step.id, step);
    }

    /// Takes one more step into the script, to be done as soon as may be: `goal done ring(mara)`. A script can do what it is told,
    /// and reach nothing else.
    fn add(&mut self, goal: &str) -> Result<(), String> {
        let told = goal.strip_prefix("goal done ").map(str::trim).filter(|told| !told.starts_with('#'));
        let told = told.ok_or("a script is performed, whatever the goals; only `goal done X` adds X to it")?;
        let (name, args) = match told.split_once('(') {
            Some((name, args)) => (name, args.strip_suffix(')').ok_or("a `)` is missing")?),
            None => (told, ""),
        };
        let args: Vec<SmolStr> =
            args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).map(SmolStr::new).collect();
        let model = &self.model;
        let what = names::performed(model, name).map_err(|problem| problem.to_string())?;
        let values = names::args(model, what, &args).map_err(|problem| problem.to_string())?;
        let duration = match what {
            Performed::Task(_) => 1,
            Performed::Action(action) => {
                let state = self.chronicle.present().state();
                let bounds = duration_bounds(model, state, &model.actions[action].duration, &values);
                bounds.map(|(least, _)| least).ok_or_else(|| format!("how long `{name}` takes is not known"))?
            }
        };
        let id = self.ledger.number();
        let step = Step {
            id,
            action: SmolStr::new(name),
            args,
            start: self.ledger.insert_from,
            duration,
            window: None,
            status: Default::default(),
            goals: Vec::new(),
            origin: Default::default(),
        };
        // In front of what is not published yet: its start is placed when its turn comes.
        self.script.push_front(step);
        Ok(())
    }

    /// Moves some steps about.
    fn fidget(&mut self) {
        let insert_from = self.ledger.insert_from;
        let one_in = self.options.fidget as usize;
        for step in self.plan.values_mut().filter(|step| step.start >= insert_from) {
            if one_in > 0 && self.chance.below(one_in) == 0 {
                step.start = insert_from.max(step.start + self.chance.below(9) as Tick - 4);
            }
        }
    }

    /// Looks ahead: up to which tick everything can be performed as planned.
    fn foresee(&self) -> Option<Tick> {
        let mut world = self.chronicle.ahead(&self.model);
        let mut starts = vec![self.ledger.now.most];
        let steps =
            self.plan.values().chain(self.ledger.taken.values()).filter(|step| !self.chronicle.is_running(step.id));
        for step in steps {
            if world.schedule(&self.model, step).is_err() {
                return Some(step.start.saturating_sub(1));
            }
            starts.push(step.start);
        }
        starts.sort_unstable();
        starts.dedup();
        // From one start to the next, for what comes after the first trouble does not matter.
        starts.into_iter().find_map(|start| {
            world.step_to(&self.model, start);
            world.drain().into_iter().find_map(|event| match event.kind {
                WorldEventKind::Violation(found) if concerns_a_step(found.kind) => Some(event.tick.saturating_sub(1)),
                _ => None,
            })
        })
    }
}

pub(crate) fn concerns_a_step(kind: ViolationKind) -> bool {
    matches!(
        kind,
        ViolationKind::StartCondition
            | ViolationKind::ThroughoutCondition
            | ViolationKind::EndCondition
            | ViolationKind::TimedCondition
            | ViolationKind::OverCapacity
            | ViolationKind::Conflict
            | ViolationKind::NoMethod
            | ViolationKind::WrongDuration
            | ViolationKind::AfterEnding
    )
}

impl Planner for Scripted {
    fn observe(&mut self, observations: &[Observation]) {
        for seen in observations {
            // What the model has no name for cannot matter to a script.
            let _ = self.chronicle.observe(&self.model, seen);
        }
        self.look = Some(0);
    }

    fn feedback(&mut self, events: &[StepEvent]) {
        for event in events {
            let id = event.step;
            match &event.kind {
                StepEventKind::Locked => {
                    // What the director has is what was published, even if it has been moved here since.
                    self.ledger.take(id);
                    self.plan.remove(&id);
                }
                StepEventKind::Accepted | StepEventKind::Progress(_) => {}
                StepEventKind::Answered(answer) => self.answered(id, answer),
                StepEventKind::Started(tick) => {
                    self.ledger.take(id);
                    self.plan.remove(&id);
                    if let Some(step) = self.ledger.taken.get(&id) {
                        let _ = self.chronicle.started(&self.model, step, *tick);
                    }
                }
                StepEventKind::Amended(duration) => self.chronicle.amended(id, *duration),
                StepEventKind::Finished(tick) => {
                    self.chronicle.finished(id, *tick);
                    self.ledger.lose(id);
                    self.tries.remove(&id);
                }
                StepEventKind::Failed(_) => {
                    self.chronicle.cut(id, self.ledger.now.least);
                    if let Some(step) = self.ledger.lose(id) {
                        self.again(step);
                    }
                }
                StepEventKind::Missed(_) | StepEventKind::GuardFailed | StepEventKind::Cancelled => {
                    let planned = self.plan.remove(&id);
                    if let Some(step) = self.ledger.lose(id).or(planned) {
                        self.again(step);
                    }
                }
            }
            if !matches!(event.kind, StepEventKind::Accepted | StepEventKind::Progress(_)) {
                self.look = Some(0);
            }
        }
    }

    fn rejected(&mut self, version: u64) {
        if self.ledger.reject(version) {
            self.look = Some(0);
        }
    }

    fn exogenous(&mut self, change: &PlanDelta) {
        for step in &change.put {
            let _ = self.chronicle.started(&self.model, step, step.start);
            self.leave_out(step);
        }
        for id in &change.removed {
            self.chronicle.withdrawn(*id, self.ledger.now.least);
        }
        self.look = Some(0);
    }

    fn set_goals(&mut self, change: &GoalChange) {
        for goal in &change.goals {
            let added = self.add(goal);
            let reason = match &added {
                Ok(()) => "it is the next thing in the script".to_owned(),
                Err(why) => why.clone(),
            };
            self.replies.push(GoalReply { goal: goal.clone(), accepted: added.is_ok(), reason, expected: None });
        }
        self.look = Some(0);
    }

    fn advance(&mut self, now: TickBounds, insert_from: Tick) {
        if let Some(released) = self.ledger.pass(now, insert_from) {
            self.plan.extend(released.into_iter().map(|step| (step.id, step)));
            self.look = Some(0);
        }
        self.chronicle.advance(&self.model, now.least);
        self.chronicle.drain();
        // What starts before is no longer ours, whether or not it has been locked.
        self.ledger.take_begun();
        self.plan.retain(|id, _| !self.ledger.taken.contains_key(id));
        let late: Vec<u32> =
            self.plan.values().filter(|step| step.start < self.ledger.insert_from).map(|step| step.id).collect();
        for id in late {
            if let Some(mut step) = self.plan.remove(&id) {
                self.place(&mut step);
                self.plan.insert(id, step);
                self.look = Some(0);
            }
        }
        self.look = self.look.or(Some(0));
    }

    fn deliberate(&mut self, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        while budget.take() {
            if self.take_next() {
                self.look = Some(0);
                continue;
            }
            let Some(at) = self.look else {
                let cost = Fixed::from_int(self.cost);
                return if self.script.is_empty() { Progress::Complete { cost } } else { Progress::Idle };
            };
            // One unit for each step that is looked at; the look itself comes with the last.
            if at < self.plan.len() {
                self.look = Some(at + 1);
                continue;
            }
            self.look = None;
            self.fidget();
            self.valid_until = self.foresee();
        }
        Progress::Searching
    }

    fn publish(&mut self) -> PlanDelta {
        // While not everything has been looked at, nothing beyond what was known is promised.
        let mut delta = self.ledger.changes(&self.plan);
        // What was taken by the director is in its hands; that it left the plan is no news.
        delta.removed.retain(|id| !self.ledger.taken.contains_key(id));
        delta.valid_until = if self.look.is_some() { Some(self.ledger.now.least) } else { self.valid_until };
        delta.complete = self.look.is_none() && self.valid_until.is_none() && self.script.is_empty();
        delta.cost = Some(Fixed::from_int(self.cost));
        delta.reason =
            if delta.is_empty() { String::new() } else { format!("the script reaches tick {}", self.ledger.now.most) };
        self.ledger.publish(self.plan.clone());
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        std::mem::take(&mut self.replies)
    }

    fn explain(&self, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(step) if self.plan.contains_key(step) || self.ledger.taken.contains_key(step) => {
                Explanation::of(format!("step {step} stands in the script"))
            }
            Inquiry::Why(step) => Explanation::of(format!("step {step} is not in the plan")),
            Inquiry::Beliefs(name) => {
                Explanation::of(format!("a script asks nobody what they believe, `{name}` neither"))
            }
            Inquiry::WhyNot { action, .. } => {
                Explanation::of(format!("`{action}` does not stand in the script at this time"))
            }
        }
    }

    fn save(&mut self) -> PlannerSave {
        self.look = Some(0);
        let chronicle = self.chronicle.save(&self.model);
        // The world runs again from where its window begins, here as after loading, so that nothing tells the two apart.
        (self.chronicle, _) = Chronicle::load(&self.model, &chronicle);
        let saved = Saved {
            options: self.options.clone(),
            script: self.script.clone(),
            chronicle,
            plan: self.plan.clone(),
            ledger: self.ledger.clone(),
            tries: self.tries.clone(),
            chance: self.chance.clone(),
            cost: self.cost,
            valid_until: self.valid_until,
        };
        let data = serde_json::to_string(&saved).unwrap_or_default();
        PlannerSave { planner: NAME.to_owned(), data }
    }
}
