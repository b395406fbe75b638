//! Why a step is in the plan, and why an action is not.

use smol_str::SmolStr;

use super::moment::Moment;
use super::plan::StepKey;
use super::planner::LocalRepair;
use crate::ground::VariableId;
use crate::host::Situation;
use crate::planner::Explanation;
use crate::simulate::words;

impl LocalRepair {
    /// The goals that the best plan does not reach.
    pub(super) fn given_up(&self, now: &Situation) -> Vec<SmolStr> {
        let Some(workshop) = &self.workshop else { return Vec::new() };
        let missed = workshop.draft.aims.iter().filter(|aim| aim.hard && aim.cost > 0);
        let wishes = missed.filter_map(|aim| workshop.draft.projection.repertoire.problem.wishes.get(aim.wish));
        wishes.map(|wish| SmolStr::new(words::wish(&now.goals.model, &now.goals.model.wishes[wish.wish]))).collect()
    }

    /// Why a step is in the plan: whom it helps, and which wishes it serves.
    pub(super) fn why(&self, now: &Situation, id: u32) -> Explanation {
        let Some(step) = now.plan.step(id) else {
            return Explanation::of(format!("step {id} is not in the plan"));
        };
        let mut sentences: Vec<String> = step.goals.iter().map(|goal| format!("it serves `{goal}`")).collect();
        let key = self.workshop.as_ref().and_then(|workshop| {
            workshop.draft.steps.alive().find(|(_, step)| step.id == Some(id)).map(|(key, _)| key)
        });
        sentences.extend(key.into_iter().flat_map(|key| self.helped_by(now, key)));
        if sentences.is_empty() {
            sentences.push("nothing needs it any more; it will be taken out".to_owned());
        }
        Explanation { sentences }
    }

    /// What other steps need that this one brings about.
    fn helped_by(&self, now: &Situation, key: StepKey) -> Vec<String> {
        let Some(workshop) = &self.workshop else { return Vec::new() };
        let (draft, mut sentences) = (&workshop.draft, Vec::new());
        let projection = &draft.projection;
        let repertoire = &projection.repertoire;
        let name = |form| repertoire.problem.operator_name(&now.model, repertoire.operators[form]);
        let parts = projection.occurrence(draft.steps.get(key).occurrence).parts.iter().flatten();
        for part in parts {
            for (other, step) in draft.steps.alive().filter(|(other, _)| *other != key) {
                let occurrence = projection.occurrence(step.occurrence);
                for need in &repertoire.forms[step.form].needs {
                    let Some((from, _)) = occurrence.need_moments(need.when) else { continue };
                    if !need.reads.contains(&part.slot) || from <= part.moment {
                        continue;
                    }
                    // Only who wrote last before it is read brings it about.
                    let timeline = projection.timeline(part.slot);
                    let last = timeline.place(from).checked_sub(1).and_then(|at| timeline.entries().get(at));
                    let is_last = last.is_some_and(|entry| entry.source.0 == draft.steps.get(key).occurrence.0);
                    if is_last && projection.holds(&need.condition, from) && other != key {
                        sentences.push(format!(
                            "`{}` at tick {} needs {}",
                            name(step.form),
                            step.start,
                            self.words_of(now, part.slot, from)
                        ));
                    }
                }
            }
        }
        sentences.dedup();
        sentences
    }

    fn words_of(&self, now: &Situation, slot: super::slot::SlotId, moment: Moment) -> String {
        let Some(workshop) = &self.workshop else { return String::new() };
        let projection = &workshop.draft.projection;
        let problem = &projection.repertoire.problem;
        match (slot.0 as usize).checked_sub(problem.variables.len()) {
            None => {
                let value = projection.before(slot, moment) as u32;
                format!("`{}`", problem.value_name(&now.model, VariableId(slot.0), value))
            }
            Some(number) => match problem.numbers.values().nth(number) {
                Some(number) => format!("what it does to `{}`", now.model.fluent_name(number.fluent, &number.args)),
                None => "it".to_owned(),
            },
        }
    }

    /// Why an action is not in the plan.
    pub(super) fn why_not(&self, now: &Situation, action: &str, args: &[SmolStr]) -> Explanation {
        let same = |name: &SmolStr, known: &[SmolStr]| name == action && (args.is_empty() || known == args);
        if now.cooldowns.iter().any(|(name, known, _)| same(name, known)) {
            return Explanation::of(format!("`{action}` was asked about, and the answer was no"));
        }
        let mut sentences: Vec<String> =
            self.given_up(now).into_iter().map(|goal| format!("no plan was found that reaches `{goal}`")).collect();
        sentences.extend(self.repertoire.iter().filter_map(|repertoire| repertoire.trouble.clone()));
        sentences.push(format!("nothing that is missing needs `{action}`"));
        Explanation { sentences }
    }
}
