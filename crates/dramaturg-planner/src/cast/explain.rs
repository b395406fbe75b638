//! What a cast says for itself while it performs: why, why not, and who believes what.

use std::sync::Arc;

use dramaturg_model::{Args, ObjectId, Step};
use smol_str::SmolStr;

use super::acting::named;
use super::domain::{Deed, Role};
use super::mind::Mind;
use super::planner::CharacterRollout;
use super::thought::GivenUp;
use crate::host::Situation;
use crate::planner::Explanation;
use crate::simulate::step::Performed;
use crate::simulate::{GoalStatus, names, words};
use crate::why::{Absence, Course, Goal, impossible};

/// So many states are looked at for an answer.
const STATES: u32 = 2_000;

impl CharacterRollout {
    pub(super) fn why(&self, now: &Situation, id: u32) -> Explanation {
        let Some(step) = now.plan.step(id) else {
            return Explanation::of(format!("step {id} is not in the plan"));
        };
        if step.goals.is_empty() {
            return Explanation::of("it passes the time");
        }
        let chains = Self::performer(now, step).and_then(|performer| {
            let (course, _) = self.course(now, performer)?;
            let operator = Self::steps_of(now, performer).position(|known| known.id == id)?;
            (operator < course.way.len()).then(|| course.why(&now.model, operator))
        });
        let sentences = chains.unwrap_or_else(|| step.goals.iter().map(|goal| format!("it serves `{goal}`")).collect());
        Explanation { sentences }
    }

    pub(super) fn why_not(&self, now: &Situation, action: &SmolStr, args: &[SmolStr]) -> Explanation {
        let text = format!("{action}({})", args.join(", "));
        let deed = match self.deed_named(now, action, args) {
            Ok(deed) => deed,
            Err(problem) => return Explanation::of(problem),
        };
        let performer = now.model.actions[deed.0].performer.and_then(|place| deed.1.get(usize::from(place)));
        let Some(performer) = performer.and_then(|arg| arg.as_object()) else {
            return Explanation::of(format!("`{text}` is nobody's to do"));
        };
        let name = &now.model.objects[performer].name;
        let mut sentences = Vec::new();
        match self.mind(performer) {
            None => return Explanation::of(format!("`{name}` is no character, so nobody plans for it")),
            Some(mind) if mind.thinking.is_some() || self.is_upset() => {
                sentences.push(format!("{name} is still thinking: the budget ended before there was a plan"));
            }
            Some(mind) => sentences.extend(self.given_up(now, mind)),
        }
        let deed_name = named(&now.model, &deed);
        let in_vain = self.memories.get(&performer).and_then(|memory| memory.barred.get(&deed_name).copied());
        match in_vain.or_else(|| Self::refusals(now, performer).get(&deed_name).copied()) {
            Some(Some(until)) => sentences.push(format!("{name} leaves it alone until tick {until}")),
            Some(None) => sentences.push(format!("{name} was told not to")),
            None => {}
        }
        match self.course(now, performer) {
            Some((course, role)) => match role.operator(&deed) {
                Some(operator) => {
                    let absence = Absence::find(&now.model, &course, operator, STATES);
                    sentences.extend(absence.sentences(&now.model, &course, &text));
                }
                None => {
                    sentences.push(format!("`{text}` can never be done here"));
                    let state = now.chronicle.present().state();
                    sentences.extend(impossible(&now.model, state, &text).unwrap_or_default());
                }
            },
            None => sentences.push(format!("no plan of {name} needs `{text}`")),
        }
        Explanation { sentences }
    }

    pub(super) fn believed_by(&self, now: &Situation, name: &SmolStr) -> Explanation {
        let who = now.model.find_object(name).filter(|who| Self::mind_exists(now, *who));
        let Some(who) = who else { return Explanation::of(format!("no character is called `{name}`")) };
        let beliefs = self.beliefs.get(&who).cloned().unwrap_or_default();
        let told = beliefs.in_names(&now.model, &self.senses, now.chronicle.present().state().level());
        if told.is_empty() {
            return Explanation::of(format!("nothing can be unknown to `{name}`"));
        }
        Explanation { sentences: told.into_iter().map(|(fluent, value)| format!("{fluent} = {value}")).collect() }
    }

    fn mind_exists(now: &Situation, who: ObjectId) -> bool {
        now.model.characters.values().any(|character| character.object == who)
    }

    fn mind(&self, who: ObjectId) -> Option<&Mind> {
        self.rehearsal.as_ref()?.minds.iter().find(|mind| mind.object == who)
    }

    fn deed_named(&self, now: &Situation, action: &SmolStr, args: &[SmolStr]) -> Result<Deed, String> {
        let what = names::performed(&now.model, action).map_err(|problem| problem.to_string())?;
        let values = names::args(&now.model, what, args).map_err(|problem| problem.to_string())?;
        match what {
            Performed::Action(action) => Ok((action, values)),
            Performed::Task(_) => Err(format!("`{action}` is a task; only actions are planned one by one")),
        }
    }

    /// What a character gave up, and why.
    fn given_up(&self, now: &Situation, mind: &Mind) -> Vec<String> {
        let name = &now.model.objects[mind.object].name;
        let told = mind.given_up.iter().map(|((wish, _), why)| {
            let goal = words::wish(&now.model, &now.goals.model.wishes[*wish]);
            format!("{name} has given up `{goal}`: {}", reason(*why))
        });
        told.collect()
    }

    /// The steps of a character that have not ended, in their order. Most change something only in the end, so those that run
    /// belong to what comes.
    fn steps_of(now: &Situation, performer: ObjectId) -> impl Iterator<Item = &Step> {
        let own = now.plan.committed.values().chain(now.plan.published.values());
        let mut steps: Vec<&Step> = own.filter(|step| Self::performer(now, step) == Some(performer)).collect();
        steps.sort_by_key(|step| (step.start, step.id));
        steps.into_iter()
    }

    /// What a character is about to do, from what it believes now on, with what it can do at all.
    fn course(&self, now: &Situation, performer: ObjectId) -> Option<(Course, Arc<Role>)> {
        let world = now.chronicle.present();
        let state = world.state();
        let domain = self.domains.get(&state.level())?;
        let packed = domain.pack(state)?;
        let start = match self.beliefs.get(&performer).filter(|_| self.senses.are_needed()) {
            Some(beliefs) => beliefs.imagined_in(&now.model, &self.senses, &domain.problem, &packed),
            None => packed,
        };
        let role = Arc::new(domain.role(performer));
        let deeds = Self::steps_of(now, performer).filter_map(|step| Self::deed(now, step));
        let way: Vec<_> = deeds.map_while(|deed| role.operator(&deed)).collect();
        let wanted = world.goals().into_iter().filter(|goal| goal.owner == Some(performer));
        let wanted = wanted.filter(|goal| goal.status == GoalStatus::Active && !now.goals.replace(performer, goal));
        let asked = now.goals.open().filter(|(owner, ..)| *owner == performer);
        let wanted = asked.map(|(_, wish, _)| (wish, Args::new())).chain(wanted.map(|goal| (goal.wish, goal.args)));
        let goals = wanted.filter_map(|(wish, args)| {
            let condition = domain.wish(wish, &args)?.conditions().last()?.clone();
            Some(Goal { name: words::wish(&now.model, &now.goals.model.wishes[wish]), condition })
        });
        Some((Course::new(Arc::clone(&role.problem), &start, &way, goals.collect()), role))
    }
}

/// Why a goal of a character is not planned for.
fn reason(why: GivenUp) -> &'static str {
    match why {
        GivenUp::OutOfReach => "nothing that this character can do leads there",
        GivenUp::Contradiction => "it cannot be had together with goals that matter more",
        GivenUp::NoTime => "there is not enough time for it beside goals that matter more",
        GivenUp::NotFound => "no way was found within the states that may be looked at",
    }
}
