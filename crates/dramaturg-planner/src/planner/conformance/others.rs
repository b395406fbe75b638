//! Those who have a part in the plan beside its planner: the game that asks for goals, other planners, people with
//! questions, and a director for whom a plan comes too late.

use dramaturg_model::{Action, Step, Tick, Value};
use smol_str::SmolStr;

use super::life::Life;
use crate::planner::{GoalReply, Inquiry, PlanDelta};
use crate::simulate::step::duration_bounds;

/// Steps of other planners are numbered from here on: who has several planners gives each its own numbers.
const FOREIGN: u32 = 2_000_000;

impl Life<'_> {
    /// A plan comes too late, and is not taken over.
    pub(super) fn rejects(&mut self, delta: &PlanDelta) -> bool {
        let rejects = !delta.is_empty() && self.has_whim();
        if rejects {
            self.rejected = Some(delta.version);
            self.outcome.whims.rejected += 1;
            self.note(|| format!("version {} is rejected", delta.version));
        }
        rejects
    }

    /// The game asks for other goals.
    pub(super) fn ask_for_goals(&mut self) {
        if !self.has_whim() {
            return;
        }
        if let Some(change) = self.pick(self.subject.goals) {
            self.outcome.whims.goals += 1;
            self.asked.extend(change.goals.iter().cloned());
            self.note(|| format!("goals {:?}", change.goals));
            self.planner.set_goals(&change);
        }
    }

    /// Each goal is answered once, with a reason.
    pub(super) fn hear_replies(&mut self) -> Result<(), String> {
        let replies = self.planner.replies();
        let answered: Vec<&SmolStr> = replies.iter().map(|reply| &reply.goal).collect();
        if answered != self.asked.iter().collect::<Vec<_>>() {
            return Err(format!("9: the goals {:?} were answered by {answered:?}", self.asked));
        }
        if let Some(GoalReply { goal, .. }) = replies.iter().find(|reply| reply.reason.is_empty()) {
            return Err(format!("9: the goal `{goal}` was answered without a reason"));
        }
        self.asked.clear();
        match self.planner.replies().is_empty() {
            true => Ok(()),
            false => Err("9: goals were answered twice".to_owned()),
        }
    }

    /// Another planner on the same world commits a step, or takes back one that has not begun.
    pub(super) fn others_plan(&mut self) {
        if !self.has_whim() {
            return;
        }
        let model = self.subject.model;
        let waiting: Vec<u32> =
            self.foreign.values().filter(|step| step.start > self.now).map(|step| step.id).collect();
        if let Some(id) = self.pick(&waiting).filter(|_| self.whims.below(2) == 0) {
            self.foreign.remove(&id);
            self.truth.withdrawn(id, self.now);
            self.truth.advance(model, self.now);
            self.outcome.whims.withdrawn += 1;
            self.note(|| format!("foreign step {id} is withdrawn"));
            self.planner.exogenous(&PlanDelta { removed: vec![id], ..PlanDelta::default() });
            return;
        }
        let Some(step) = self.foreign_step() else { return };
        if self.truth.started(model, &step, step.start).is_ok() {
            // No whole plan accounts for it.
            self.history = None;
            self.outcome.whims.foreign += 1;
            self.note(|| format!("foreign step {} {}{:?} for tick {}", step.id, step.action, step.args, step.start));
            self.foreign.insert(step.id, step.clone());
            self.planner.exogenous(&PlanDelta { put: vec![step], ..PlanDelta::default() });
        }
    }

    /// An action with arguments that it can have.
    fn deed(&mut self) -> Option<(&Action, Vec<Value>)> {
        let model = self.subject.model;
        let actions: Vec<&Action> = model.actions.iter().map(|(_, action)| action).collect();
        let action = self.pick(&actions)?;
        let level = self.truth.present().state().level();
        let mut args = Vec::new();
        for param in &action.params {
            args.push(self.pick(&model.values_of(&param.choices, level))?);
        }
        Some((action, args))
    }

    fn foreign_step(&mut self) -> Option<Step> {
        let ahead = 1 + self.whims.below(40) as Tick;
        let (start, id) = (self.now + ahead, FOREIGN + self.outcome.whims.foreign);
        let model = self.subject.model;
        let (action, args) = self.deed()?;
        let (name, declared) = (action.name.clone(), action.duration.clone());
        let (duration, _) = duration_bounds(model, self.truth.present().state(), &declared, &args)?;
        let args = args.iter().map(|arg| model.value_name(*arg)).collect();
        Some(Step {
            id,
            action: name,
            args,
            start,
            duration,
            window: None,
            status: Default::default(),
            goals: Vec::new(),
            origin: Default::default(),
        })
    }

    /// Somebody asks why, why not, and who believes what: there is always an answer.
    pub(super) fn explain(&mut self) -> Result<(), String> {
        if !self.has_whim() {
            return Ok(());
        }
        let mut steps: Vec<u32> = self.open.keys().chain(self.locked.keys()).copied().collect();
        steps.push(FOREIGN - 1);
        let why = self.pick(&steps).map(Inquiry::Why);
        let model = self.subject.model;
        let why_not = self.deed().map(|(action, args)| Inquiry::WhyNot {
            action: action.name.clone(),
            args: args.iter().map(|arg| model.value_name(*arg)).collect(),
        });
        let who = model.objects.iter().map(|(_, object)| object.name.clone()).next();
        let beliefs = Inquiry::Beliefs(who.unwrap_or_else(|| "nobody".into()));
        for inquiry in why.into_iter().chain(why_not).chain([beliefs]) {
            let answer = self.planner.explain(&inquiry);
            if answer.sentences.is_empty() || answer.sentences.iter().any(String::is_empty) {
                return Err(format!("12: {inquiry:?} was not answered at tick {}", self.now));
            }
            self.outcome.whims.explained += 1;
        }
        Ok(())
    }
}
