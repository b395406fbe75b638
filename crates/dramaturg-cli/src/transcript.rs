//! What happens in a world, told to people and to machines.

use std::collections::BTreeMap;

use anstyle::Style;
use dramaturg::model::{Clock, Fixed, Model, ObjectId, Piece, Plan, Sources, Tick, Value, WishId};
use dramaturg::planner::simulate::{
    Cause, GoalReport, GoalStatus, Phase, Violation, ViolationKind, WaitStatus, WorldEvent, WorldEventKind,
};
use dramaturg::render::{JsonPlace, json_place};
use serde::Serialize;

use crate::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, SPOKEN};

/// Something that happened, in names.
#[derive(Clone, Debug, Serialize)]
pub struct Happening {
    /// When.
    pub tick: Tick,
    /// In which phase.
    pub phase: Phase,
    /// What kind of thing.
    pub kind: &'static str,
    /// Its name with its arguments: a step, a rule, a fluent, a goal.
    pub name: String,
    /// The id of the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// When it will end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Tick>,
    /// Who speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Tells what happens in one world.
pub struct Teller<'m> {
    model: &'m Model,
    sources: &'m Sources,
    steps: BTreeMap<u32, String>,
    last: Option<Tick>,
}

impl<'m> Teller<'m> {
    /// Of a world of this model.
    pub fn new(model: &'m Model, sources: &'m Sources) -> Self {
        Self { model, sources, steps: BTreeMap::new(), last: None }
    }

    /// An event in names.
    pub fn happening(&mut self, event: &WorldEvent) -> Happening {
        let model = self.model;
        let mut told = Happening {
            tick: event.tick,
            phase: event.phase,
            kind: "",
            name: String::new(),
            step: None,
            until: None,
            speaker: None,
            old: None,
            new: None,
            by: None,
        };
        (told.kind, told.name) = match &event.kind {
            WorldEventKind::StepStarted { step, action, args, until } => {
                let name = model.action_name(*action, args);
                self.steps.insert(*step, name.clone());
                (told.step, told.until) = (Some(*step), Some(*until));
                ("step-started", name)
            }
            WorldEventKind::StepEnded { step } => {
                told.step = Some(*step);
                ("step-ended", self.step(*step))
            }
            WorldEventKind::StepCut { step } => {
                told.step = Some(*step);
                ("step-cut", self.step(*step))
            }
            WorldEventKind::StepRefused { step } => {
                told.step = Some(*step);
                ("step-refused", self.step(*step))
            }
            WorldEventKind::TaskStarted { task, args, .. } => {
                ("task-started", called(model, &model.tasks[*task].name, args))
            }
            WorldEventKind::TaskEnded { task, args, .. } => {
                ("task-ended", called(model, &model.tasks[*task].name, args))
            }
            WorldEventKind::RuleFired { rule, args } => ("rule-fired", called(model, &model.rules[*rule].name, args)),
            WorldEventKind::Effect { fluent, args, old, new, by } => {
                told.old = Some(model.value_name(*old).to_string());
                told.new = Some(model.value_name(*new).to_string());
                told.by = Some(self.cause(*by));
                ("change", model.fluent_name(*fluent, args))
            }
            WorldEventKind::Said { speaker, shown, .. } => {
                told.speaker = speaker.map(|speaker| object_title(model, speaker));
                ("said", shown.clone())
            }
            WorldEventKind::GoalTaken { wish, args } => ("goal-taken", self.wish(*wish, args)),
            WorldEventKind::GoalReached { wish, args } => ("goal-reached", self.wish(*wish, args)),
            WorldEventKind::GoalMissed { wish, args } => ("goal-missed", self.wish(*wish, args)),
            WorldEventKind::GoalDropped { wish, args } => ("goal-dropped", self.wish(*wish, args)),
            WorldEventKind::Injected { rule, character, wish, args } => {
                told.by = Some(called(model, &model.rules[*rule].name, args));
                told.speaker = Some(object_title(model, *character));
                ("goal-given", self.wish(*wish, args))
            }
            WorldEventKind::Expectation { by, status } => {
                let kind = match status {
                    WaitStatus::Expected => "expected",
                    WaitStatus::Confirmed => "expectation-met",
                    WaitStatus::Late(_) => "expectation-late",
                    WaitStatus::Invalidated => "expectation-given-up",
                };
                (kind, self.cause(*by))
            }
            WorldEventKind::Milestone { milestone } => ("milestone", model.milestones[*milestone].name.to_string()),
            WorldEventKind::LevelEntered { level } => ("level-entered", model.levels[*level].name.to_string()),
            WorldEventKind::Ending { ending } => ("ending", model.endings[*ending].name.to_string()),
            WorldEventKind::Violation(violation) => {
                told.step = violation.step;
                let kind = if is_about_goals(violation.kind) { "goal-lost" } else { "violation" };
                (kind, violation.message.clone())
            }
        };
        told
    }

    /// What happened as a line for people: in front the tick, if it is another than on the line before.
    pub fn line(&mut self, told: &Happening) -> String {
        let Happening { name, .. } = told;
        let text = match told.kind {
            "step-started" => {
                let until = told.until.unwrap_or(told.tick);
                format!("{BOLD}{name}{BOLD:#} {DIM}until {}{DIM:#}", self.time(until))
            }
            "step-ended" => format!("{DIM}{name} ends{DIM:#}"),
            "step-cut" => format!("{DOUBTFUL}{name} is cut short{DOUBTFUL:#}"),
            "step-refused" => format!("{BAD}{name} cannot start{BAD:#}"),
            "task-started" => format!("{BOLD}{name}{BOLD:#}"),
            "task-ended" => format!("{DIM}{name} is done{DIM:#}"),
            "rule-fired" => format!("rule {BOLD}{name}{BOLD:#}"),
            "change" => {
                let of = |value: &Option<String>| value.clone().unwrap_or_default();
                let by = of(&told.by);
                format!("{DIM}  {name}: {} → {} by {by}{DIM:#}", of(&told.old), of(&told.new))
            }
            "said" => match &told.speaker {
                Some(speaker) => format!("{BOLD}{speaker}:{BOLD:#} {SPOKEN}“{name}”{SPOKEN:#}"),
                None => format!("{SPOKEN}{name}{SPOKEN:#}"),
            },
            "goal-taken" => format!("{DIM}takes up {name}{DIM:#}"),
            "goal-reached" => format!("{GOOD}reached{GOOD:#} {name}"),
            "goal-missed" => format!("{BAD}missed{BAD:#} {name}"),
            "goal-given" => format!("{} now wants: {name}", told.speaker.clone().unwrap_or_default()),
            "milestone" => format!("milestone {BOLD}{name}{BOLD:#}"),
            "level-entered" => format!("level {BOLD}{name}{BOLD:#} begins"),
            "ending" => format!("{GOOD}the story ends: {name}{GOOD:#}"),
            "goal-lost" => format!("{DIM}{name}{DIM:#}"),
            "violation" => format!("{BAD}{name}{BAD:#}"),
            other => format!("{DIM}{} {name}{DIM:#}", other.replace('-', " ")),
        };
        let is_new = self.last.replace(told.tick) != Some(told.tick);
        let gutter = if is_new { self.time(told.tick) } else { String::new() };
        let style = Style::new().bold();
        format!("{style}{gutter:>11}{style:#}  {text}")
    }

    /// A tick as the story's clock shows it.
    pub fn time(&self, tick: Tick) -> String {
        clock_time(&self.model.clock, tick)
    }

    fn step(&self, id: u32) -> String {
        self.steps.get(&id).cloned().unwrap_or_else(|| format!("step {id}"))
    }

    fn cause(&self, cause: Cause) -> String {
        let model = self.model;
        match cause {
            Cause::Observation => "observation".to_owned(),
            Cause::Given => "given".to_owned(),
            Cause::Step(step) => self.step(step),
            Cause::Rule(rule) => format!("rule {}", model.rules[rule].name),
            Cause::Task(task) => format!("task {}", model.tasks[task].name),
            Cause::Milestone(milestone) => format!("milestone {}", model.milestones[milestone].name),
            Cause::Ending(ending) => format!("ending {}", model.endings[ending].name),
        }
    }

    fn wish(&self, wish: WishId, args: &[Value]) -> String {
        wish_text(self.model, self.sources, wish, args)
    }
}

fn called(model: &Model, name: &str, args: &[Value]) -> String {
    if args.is_empty() {
        return name.to_owned();
    }
    let args: Vec<String> = args.iter().map(|arg| model.value_name(*arg).to_string()).collect();
    format!("{name}({})", args.join(", "))
}

/// The name for show of an object.
fn object_title(model: &Model, object: ObjectId) -> String {
    let object = &model.objects[object];
    let pieces = model.texts.try_at(object.title).map_or(&[][..], |text| &text.pieces);
    let words =
        pieces.iter().filter_map(|piece| if let Piece::Words(words) = piece { Some(words.as_str()) } else { None });
    let title: String = words.collect();
    if title.is_empty() { object.name.to_string() } else { title }
}

/// A wish as it is written, with what its parameters stand for.
pub fn wish_text(model: &Model, sources: &Sources, wish: WishId, args: &[Value]) -> String {
    let Some(declared) = model.wishes.try_at(wish) else { return "a wish".to_owned() };
    let written: Vec<&str> = sources.text(declared.place).split_whitespace().collect();
    let mut text = written.join(" ");
    if text.chars().count() > 100 {
        text = text.chars().take(99).chain(['…']).collect();
    }
    let bound = declared.params.iter().zip(args);
    let bound: Vec<String> = bound.map(|(param, arg)| format!("{} = {}", param.name, model.value_name(*arg))).collect();
    if bound.is_empty() { text } else { format!("{text} ({})", bound.join(", ")) }
}

/// A tick as a clock shows it: day and hour where ticks are long, seconds where the story has them, else ticks.
pub fn clock_time(clock: &Clock, tick: Tick) -> String {
    let Some(rate) = clock.ticks_per_second.filter(|rate| *rate > Fixed::ZERO) else { return format!("tick {tick}") };
    if rate >= Fixed::ONE || clock.day.is_none() {
        return format!("{} s", Fixed::from_int(tick).divide(rate));
    }
    // Whole seconds a tick: the rate itself is rounded to millionths.
    let tick_seconds = Fixed::ONE.divide(rate).round_half_up();
    let minutes = clock.time_of_day(tick).saturating_mul(tick_seconds) / 60;
    format!("day {} {:02}:{:02}", clock.day_number(tick) + 1, minutes / 60, minutes % 60)
}

/// A goal and where it stands, for machines.
#[derive(Debug, Serialize)]
pub struct JsonGoal {
    /// As it is written.
    pub wish: String,
    /// Whose it is; none: the story's.
    pub owner: Option<String>,
    /// `waiting`, `active`, `reached`, `missed` or `dropped`.
    pub status: &'static str,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<Tick>,
}

/// A goal and where it stands.
pub fn goal(model: &Model, sources: &Sources, report: &GoalReport) -> JsonGoal {
    let (status, tick) = match report.status {
        GoalStatus::Waiting => ("waiting", None),
        GoalStatus::Active => ("active", None),
        GoalStatus::Reached(tick) => ("reached", Some(tick)),
        GoalStatus::Missed(tick) => ("missed", Some(tick)),
        GoalStatus::Dropped(tick) => ("dropped", Some(tick)),
    };
    let owner = report.owner.map(|owner| model.objects[owner].name.to_string());
    JsonGoal { wish: wish_text(model, sources, report.wish, &report.args), owner, status, tick }
}

/// Where a goal stands, as a line for people.
pub fn goal_line(clock: &Clock, goal: &JsonGoal) -> String {
    let style = match goal.status {
        "reached" => GOOD,
        "missed" => BAD,
        _ => DIM,
    };
    let owner = goal.owner.as_ref().map(|owner| format!("{owner}: ")).unwrap_or_default();
    let since = goal.tick.map(|tick| format!(" {DIM}at {}{DIM:#}", clock_time(clock, tick))).unwrap_or_default();
    format!("  {style}{:>8}{style:#}  {owner}{}{since}", goal.status, goal.wish)
}

/// Whether what is wrong is that a wish came to nothing, and not that a step could not be performed.
pub const fn is_about_goals(kind: ViolationKind) -> bool {
    matches!(kind, ViolationKind::GoalMissed | ViolationKind::GoalNotReached | ViolationKind::KeepBroken)
}

/// A violation for machines.
#[derive(Debug, Serialize)]
pub struct JsonViolation<'s> {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// When.
    pub tick: Tick,
    /// Whose step.
    pub step: Option<u32>,
    /// Which action that is, with its arguments.
    pub action: Option<String>,
    /// Which fluent.
    pub fluent: Option<&'s str>,
    /// What it should be.
    pub wanted: &'s str,
    /// What it is.
    pub found: &'s str,
    /// All of it in one sentence.
    pub message: &'s str,
    /// Where it is written.
    pub place: Option<JsonPlace<'s>>,
}

/// A violation with the name of its step.
pub fn violation<'s>(sources: &'s Sources, plan: &Plan, found: &'s Violation) -> JsonViolation<'s> {
    let step = found.step.and_then(|id| plan.steps.iter().find(|step| step.id == id));
    let action = step.map(|step| match step.args.is_empty() {
        true => step.action.to_string(),
        false => format!("{}({})", step.action, step.args.join(", ")),
    });
    JsonViolation {
        kind: found.kind,
        tick: found.tick,
        step: found.step,
        action,
        fluent: found.fluent.as_deref(),
        wanted: &found.wanted,
        found: &found.found,
        message: &found.message,
        place: json_place(sources, found.place),
    }
}
