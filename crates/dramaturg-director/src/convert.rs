//! The one place where the words of the wire become those of the model, and back.

use dramaturg_model::{self as model, Fixed, Liking, Model, Tick, Value, WishKind};
use dramaturg_planner::simulate::{WorldEvent, WorldEventKind, words};
use dramaturg_wire as wire;
use smol_str::SmolStr;

use crate::language::Language;

/// An observation of the game as one of the model.
pub fn observation(seen: &wire::Observation, source: u32, sequence: u64) -> model::Observation {
    model::Observation {
        fluent: SmolStr::new(&seen.fluent),
        value: value(&seen.value),
        from: seen.from,
        to: seen.to,
        source,
        sequence,
    }
}

/// A value of the game by its name in the model.
fn value(value: &wire::Value) -> SmolStr {
    match value {
        wire::Value::Bool(value) => SmolStr::new(if *value { "true" } else { "false" }),
        wire::Value::Number(millionths) => SmolStr::new(Fixed(*millionths).to_string()),
        wire::Value::Name(name) => SmolStr::new(name),
    }
}

/// A text that was said, as a line for the game, in its language if there is a translation.
pub fn line(model: &Model, language: Option<&Language>, event: &WorldEvent) -> Option<wire::Line> {
    let WorldEventKind::Said { text, speaker, slots, shown } = &event.kind else { return None };
    Some(wire::Line {
        tick: event.tick,
        id: model.texts[*text].id.to_string(),
        speaker: speaker.map(|speaker| model.objects[speaker].name.to_string()),
        slots: slots.iter().map(|slot| model.value_name(*slot).to_string()).collect(),
        text: language.and_then(|language| language.text(model, *text, slots)).unwrap_or_else(|| shown.clone()),
    })
}

/// What happened in the world, in the words of the story; none for what the stream tells in another way.
pub fn happening(model: &Model, event: &WorldEvent) -> Option<String> {
    let names = |args: &[Value]| {
        let args: Vec<_> = args.iter().map(|arg| model.value_name(*arg).to_string()).collect();
        if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) }
    };
    Some(match &event.kind {
        WorldEventKind::RuleFired { rule, args } => format!("rule {}{}", model.rules[*rule].name, names(args)),
        WorldEventKind::TaskStarted { task, args, method } => {
            format!("task {}{}", method_name(model, *task, *method), names(args))
        }
        WorldEventKind::TaskEnded { task, args, method } => {
            format!("done {}{}", method_name(model, *task, *method), names(args))
        }
        WorldEventKind::GoalTaken { wish: id, args } => format!("goal taken up: {}", wish(model, *id, args)),
        WorldEventKind::GoalReached { wish: id, args } => format!("goal reached: {}", wish(model, *id, args)),
        WorldEventKind::GoalMissed { wish: id, args } => format!("goal missed: {}", wish(model, *id, args)),
        WorldEventKind::GoalDropped { wish: id, args } => format!("goal dropped: {}", wish(model, *id, args)),
        WorldEventKind::Injected { character, wish: id, args, .. } => {
            format!("goal given to {}: {}", model.objects[*character].name, wish(model, *id, args))
        }
        WorldEventKind::Expectation { status, .. } => format!("expectation {status:?}").to_lowercase(),
        WorldEventKind::Milestone { milestone } => format!("milestone {}", model.milestones[*milestone].name),
        WorldEventKind::LevelEntered { level } => format!("level {}", model.levels[*level].name),
        WorldEventKind::Ending { ending } => format!("ending {}", model.endings[*ending].name),
        WorldEventKind::Effect { fluent, args, new, .. } => {
            format!("{} = {}", model.fluent_name(*fluent, args), model.value_name(*new))
        }
        WorldEventKind::Violation(found) => format!("trouble: {}", found.message),
        WorldEventKind::StepStarted { .. }
        | WorldEventKind::StepEnded { .. }
        | WorldEventKind::StepCut { .. }
        | WorldEventKind::StepRefused { .. }
        | WorldEventKind::Said { .. } => return None,
    })
}

/// A task with the method by which it is done, if that has a name.
fn method_name(model: &Model, task: model::TaskId, method: u16) -> String {
    let task = &model.tasks[task];
    let method = task.methods.get(usize::from(method)).and_then(|method| method.name.as_ref());
    method.map_or_else(|| task.name.to_string(), |method| format!("{}.{method}", task.name))
}

/// What a wish wants.
fn wish(model: &Model, id: model::WishId, args: &[Value]) -> String {
    let condition = match &model.wishes[id].kind {
        WishKind::Goal { aims, .. } => aims.first().map(|aim| &aim.condition),
        WishKind::Keep { condition, .. } => Some(condition),
        WishKind::Prefer { liking, .. } => match liking {
            Liking::Holds(value) | Liking::More(value, _) | Liking::Less(value, _) => Some(value),
            Liking::Follows(curve) => Some(&curve.value),
        },
    };
    condition.map_or_else(String::new, |condition| words::expr(model, condition, args))
}

/// What became of a step, for planners.
pub fn step_event(step: u32, version: u32, tick: Tick, outcome: &wire::Outcome) -> model::StepEvent {
    let kind = match outcome {
        wire::Outcome::Accepted => model::StepEventKind::Accepted,
        wire::Outcome::Started { .. } => model::StepEventKind::Started(tick),
        wire::Outcome::Progress { thousandths } => {
            model::StepEventKind::Progress(Fixed(i64::from(*thousandths).saturating_mul(1_000)))
        }
        wire::Outcome::Amended { duration } => model::StepEventKind::Amended(*duration),
        wire::Outcome::Finished => model::StepEventKind::Finished(tick),
        wire::Outcome::Failed { reason } => model::StepEventKind::Failed(SmolStr::new(reason)),
        wire::Outcome::Missed { by } => model::StepEventKind::Missed(*by),
        wire::Outcome::GuardFailed { .. } => model::StepEventKind::GuardFailed,
        wire::Outcome::Cancelled => model::StepEventKind::Cancelled,
        wire::Outcome::Unknown => model::StepEventKind::Failed(SmolStr::new_static("whether it ran is not known")),
    };
    model::StepEvent { step, version, kind }
}
