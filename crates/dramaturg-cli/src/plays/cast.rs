//! Who performs a play: a script as far as one is there, else the planner that the story asks for.

use dramaturg::model::{ActionId, EventKind, MethodStep, Model, Plan, TaskId};
use dramaturg::story::Play;
use dramaturg::story::compile::play::{PlayStep, Sight};

use super::script::{Script, all_steps};
use crate::staging::planners::{PlannerKind, asked_for};

/// Who performs a play.
pub enum Performer {
    /// A script: the plan beside the story, what the play itself has done, or nothing where rules do everything.
    Script(Plan),
    /// These planners, which are not there.
    Missing(Vec<PlannerKind>),
}

/// Who performs this play.
pub fn performer(script: &Script, play: &Play) -> Performer {
    let model = &script.story;
    let steps = all_steps(&play.steps);
    let has = |is: fn(&PlayStep) -> bool| steps.iter().any(|step| is(&step.kind));
    let mut wanted = asked_for(model);
    for step in &steps {
        match &step.kind {
            PlayStep::Goals(who, _) => wanted.push(goals_of(model, who.is_some())),
            PlayStep::Offered(_) | PlayStep::Choose(_) | PlayStep::Force => wanted.push(PlannerKind::Narrative),
            PlayStep::Do(event) if !can_be_scripted(model, event.kind) => wanted.push(PlannerKind::Narrative),
            _ => {}
        }
    }
    let asks_a_planner = |step: &PlayStep| match step {
        PlayStep::Goals(..) | PlayStep::Offered(_) | PlayStep::Choose(_) | PlayStep::Force => true,
        PlayStep::Do(event) => !can_be_scripted(model, event.kind),
        _ => false,
    };
    let asks = steps.iter().any(|step| asks_a_planner(&step.kind));
    // A plan was made for the beginning that the story has.
    if let Some(plan) = &script.plan
        && !asks
        && !has(|step| matches!(step, PlayStep::Given(_) | PlayStep::Level(_)))
    {
        return Performer::Script(plan.clone());
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted.retain(|kind| !kind.is_there());
    if wanted.is_empty() {
        return Performer::Script(Plan::default());
    }
    if asks {
        return Performer::Missing(wanted);
    }
    if has(|step| matches!(step, PlayStep::Do(_))) && does_what_it_sees(&script.model, play) {
        return Performer::Script(Plan::default());
    }
    Performer::Missing(wanted)
}

fn goals_of(model: &Model, of_character: bool) -> PlannerKind {
    match asked_for(model).first() {
        Some(kind) if *kind != PlannerKind::Repair || !of_character => *kind,
        _ if of_character => PlannerKind::Cast,
        _ => PlannerKind::Repair,
    }
}

/// Whether a script can do it: an action, or a task that is one transition.
fn can_be_scripted(model: &Model, kind: EventKind) -> bool {
    match kind {
        EventKind::Action(_) => true,
        EventKind::Task(task) => {
            let mut inside = Inside::default();
            inside.add(model, task);
            inside.actions.is_empty()
        }
        _ => false,
    }
}

/// Whether everything that a play wants to see performed is done by the play itself.
fn does_what_it_sees(model: &Model, play: &Play) -> bool {
    let steps = all_steps(&play.steps);
    let mut done = Inside::default();
    for step in &steps {
        if let PlayStep::Do(event) = &step.kind {
            match event.kind {
                EventKind::Action(action) => done.actions.push(action),
                EventKind::Task(task) => done.add(model, task),
                _ => {}
            }
        }
    }
    steps.iter().all(|step| match &step.kind {
        PlayStep::See(Sight::Event(event), _) => match event.kind {
            EventKind::Action(action) => done.actions.contains(&action),
            EventKind::Task(task) | EventKind::Method(task, _) => done.tasks.contains(&task),
            EventKind::Tag(_) => false,
            EventKind::Rule(_) | EventKind::Milestone(_) | EventKind::Ending(_) => true,
        },
        _ => true,
    })
}

/// What is done with a task: itself, the tasks inside it, and their actions.
#[derive(Default)]
struct Inside {
    tasks: Vec<TaskId>,
    actions: Vec<ActionId>,
}

impl Inside {
    fn add(&mut self, model: &Model, task: TaskId) {
        if self.tasks.contains(&task) {
            return;
        }
        self.tasks.push(task);
        for step in model.tasks[task].methods.iter().flat_map(|method| &method.steps) {
            match step {
                MethodStep::DoTask(inner, ..) => self.add(model, *inner),
                MethodStep::DoAction(action, ..) => self.actions.push(*action),
                MethodStep::Say(_) | MethodStep::Then(_) => {}
            }
        }
    }
}
