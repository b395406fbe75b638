//! A planner that plans nothing: it performs a script. What comes of it in time, under delays, failures and contradictions, is what
//! the concurrent framework is tested with; real planners stand behind the same contract.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Model, Plan, Step, Tick};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::host::foresight::concerns_a_step;
use crate::host::{Ended, Hosted, Loss, Proposal, ReplanReason, Serves, Situation, Strategy, by_id};
use crate::planner::{Budget, Explanation, GoalReply, Inquiry, PlanDelta, Progress, Workers};
use crate::simulate::{Detail, WorldEventKind, WorldOptions};

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
pub type Scripted = Hosted<Script>;

impl Scripted {
    /// A planner that performs these steps.
    pub fn performing(model: Arc<Model>, plan: &Plan, options: ScriptOptions) -> Self {
        Self::new(model, (plan.clone(), options))
    }
}

/// What performs a script.
#[derive(Clone, Serialize, Deserialize)]
pub struct Script {
    options: ScriptOptions,
    /// What is still to be published, by start.
    script: VecDeque<Step>,
    /// The steps that are published and not ended.
    #[serde(with = "by_id")]
    plan: BTreeMap<u32, Step>,
    #[serde(with = "by_id")]
    tries: BTreeMap<u32, u32>,
    chance: Chance,
    /// Ticks that steps were moved by, and a thousand for each that was given up.
    cost: i64,
    valid_until: Option<Tick>,
    /// The next step to look at; none: all have been.
    #[serde(skip, default = "from_the_first")]
    look: Option<usize>,
}

fn from_the_first() -> Option<usize> {
    Some(0)
}

/// So many ticks after a `later` a question is asked again.
const LATER: Tick = 60;

impl Script {
    /// Takes the next step of the script into the plan, if its time comes near.
    fn take_next(&mut self, now: &mut Situation) -> bool {
        let until = now.plan.now.most.saturating_add(self.options.horizon);
        let Some(mut step) = self.script.pop_front_if(|step| step.start <= until) else { return false };
        self.place(now, &mut step);
        self.plan.insert(step.id, step);
        true
    }

    /// Moves a step to where it may start.
    fn place(&mut self, now: &Situation, step: &mut Step) {
        if step.start < now.plan.insert_from {
            self.cost = self.cost.saturating_add(now.plan.insert_from - step.start);
            step.start = now.plan.insert_from;
        }
    }

    /// A step was not performed: it is planned again, or given up.
    fn again(&mut self, now: &mut Situation, step: Step) {
        let tries = self.tries.remove(&step.id).unwrap_or(0);
        if tries >= self.options.retries {
            self.cost = self.cost.saturating_add(1000);
            return;
        }
        let mut step = Step { id: now.plan.number(), ..step };
        self.place(now, &mut step);
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

    /// Takes one more step into the script, to be done as soon as may be: `goal done ring(mara)`. A script can do what it is told,
    /// and reach nothing else.
    fn add(&mut self, now: &mut Situation, goal: &str) -> Result<(), String> {
        let told = goal.strip_prefix("goal done ").map(str::trim).filter(|told| !told.starts_with('#'));
        let told = told.ok_or("a script is performed, whatever the goals; only `goal done X` adds X to it")?;
        let (name, args) = match told.split_once('(') {
            Some((name, args)) => (name, args.strip_suffix(')').ok_or("a `)` is missing")?),
            None => (told, ""),
        };
        let args: Vec<SmolStr> =
            args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).map(SmolStr::new).collect();
        let step = now.new_step(name, &args, now.plan.insert_from)?;
        // In front of what is not published yet: its start is placed when its turn comes.
        self.script.push_front(step);
        Ok(())
    }

    /// Moves some steps about.
    fn fidget(&mut self, now: &Situation) {
        let insert_from = now.plan.insert_from;
        let one_in = self.options.fidget as usize;
        for step in self.plan.values_mut().filter(|step| step.start >= insert_from) {
            if one_in > 0 && self.chance.below(one_in) == 0 {
                step.start = insert_from.max(step.start + self.chance.below(9) as Tick - 4);
            }
        }
    }

    /// Looks ahead: up to which tick everything can be performed as planned.
    fn foresee(&self, now: &Situation) -> Option<Tick> {
        let mut world = now.chronicle.ahead(&now.model);
        let mut starts = vec![now.plan.now.most];
        let steps =
            self.plan.values().chain(now.plan.committed.values()).filter(|step| !now.chronicle.is_running(step.id));
        for step in steps {
            if world.schedule(&now.model, step).is_err() {
                return Some(step.start.saturating_sub(1));
            }
            starts.push(step.start);
        }
        starts.sort_unstable();
        starts.dedup();
        // From one start to the next, for what comes after the first trouble does not matter.
        starts.into_iter().find_map(|start| {
            world.step_to(&now.model, start);
            world.drain().into_iter().find_map(|event| match event.kind {
                WorldEventKind::Violation(found) if concerns_a_step(found.kind) => Some(event.tick.saturating_sub(1)),
                _ => None,
            })
        })
    }
}

impl Strategy for Script {
    const NAME: &'static str = "scripted";
    const SERVES: Serves = Serves::Nobody;
    type Options = (Plan, ScriptOptions);
    type Saved = Self;

    fn new(_: &Arc<Model>, (plan, options): Self::Options) -> Self {
        let mut script = plan.steps;
        script.sort_by_key(|step| (step.start, step.id));
        Self {
            chance: Chance::new(options.seed),
            script: script.into(),
            plan: BTreeMap::new(),
            tries: BTreeMap::new(),
            cost: 0,
            valid_until: None,
            look: from_the_first(),
            options,
        }
    }

    fn first_number(&self) -> u32 {
        self.script.iter().map(|step| step.id.saturating_add(1)).max().unwrap_or(0)
    }

    fn world(&self) -> WorldOptions {
        // Nobody hears what happens in a planner's own world, only what could not happen.
        WorldOptions { detail: Detail::Violations, ..WorldOptions::default() }
    }

    fn later(&self) -> Tick {
        LATER
    }

    fn invalidate(&mut self, _: &mut Situation, reason: ReplanReason) {
        // What is late is looked at again whenever time passes.
        if reason != ReplanReason::TimePassed {
            self.look = from_the_first();
        }
    }

    fn reported(&mut self) {
        self.look = from_the_first();
    }

    fn committed(&mut self, _: &mut Situation, id: u32) -> Option<ReplanReason> {
        // What the director has is what was published, even if it has been moved here since.
        self.plan.remove(&id);
        None
    }

    fn released(&mut self, _: &mut Situation, steps: Vec<Step>) {
        self.plan.extend(steps.into_iter().map(|step| (step.id, step)));
    }

    fn finished(&mut self, _: &mut Situation, ended: &Ended) -> Option<ReplanReason> {
        self.tries.remove(&ended.id);
        None
    }

    /// After a no a step is given up, after a later it is asked about again; otherwise it is tried again.
    fn lost(&mut self, now: &mut Situation, id: u32, step: Option<Step>, loss: Loss) {
        let planned = self.plan.remove(&id);
        let Some(mut step) = step.or(planned) else { return };
        match loss {
            Loss::NotPerformed => self.again(now, step),
            Loss::Refused => self.cost = self.cost.saturating_add(1000),
            Loss::PutOff => {
                step.id = now.plan.number();
                step.start = now.plan.insert_from.saturating_add(LATER);
                self.plan.insert(step.id, step);
            }
        }
    }

    fn others(&mut self, _: &mut Situation, steps: &[Step]) {
        steps.iter().for_each(|step| self.leave_out(step));
    }

    fn told_goal(&mut self, now: &mut Situation, goal: &SmolStr) -> GoalReply {
        let added = self.add(now, goal);
        let reason = match &added {
            Ok(()) => "it is the next thing in the script".to_owned(),
            Err(why) => why.clone(),
        };
        self.look = from_the_first();
        GoalReply { goal: goal.clone(), accepted: added.is_ok(), reason, expected: None }
    }

    fn time_passed(&mut self, now: &mut Situation) -> Option<ReplanReason> {
        let late = self.plan.values().filter(|step| step.start < now.plan.insert_from);
        let late: Vec<u32> = late.map(|step| step.id).collect();
        for id in late {
            if let Some(mut step) = self.plan.remove(&id) {
                self.place(now, &mut step);
                self.plan.insert(id, step);
                self.look = from_the_first();
            }
        }
        self.look = self.look.or(from_the_first());
        None
    }

    fn search(&mut self, now: &mut Situation, budget: &mut Budget, _: &Workers<'_>) -> Progress {
        while budget.take() {
            if self.take_next(now) {
                self.look = from_the_first();
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
            self.fidget(now);
            self.valid_until = self.foresee(now);
        }
        Progress::Searching
    }

    fn proposal(&mut self, now: &mut Situation) -> Proposal {
        Proposal {
            steps: Some(self.plan.clone()),
            // While not everything has been looked at, nothing beyond what was known is promised.
            valid_until: if self.look.is_some() { Some(now.plan.now.least) } else { self.valid_until },
            complete: self.look.is_none() && self.valid_until.is_none() && self.script.is_empty(),
            cost: Some(Fixed::from_int(self.cost)),
        }
    }

    fn reason(&self, now: &Situation, _: &PlanDelta) -> Option<String> {
        Some(format!("the script reaches tick {}", now.plan.now.most))
    }

    fn explain(&self, now: &Situation, inquiry: &Inquiry) -> Explanation {
        match inquiry {
            Inquiry::Why(step) if self.plan.contains_key(step) || now.plan.committed.contains_key(step) => {
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

    fn save(&mut self, _: &mut Situation) -> Self {
        self.clone()
    }

    fn load(_: &mut Situation, saved: Self) -> Self {
        saved
    }
}
