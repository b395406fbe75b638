//! What a character plans, wants and believes.

use std::cmp::Reverse;

use dramaturg::model::{Clock, FluentSource, ObjectId, Status, Tick, Value};

use dramaturg::planner::cast::{Beliefs, Senses};
use dramaturg::planner::planner::Inquiry;

use super::happened::What;
use super::perspective::title;
use super::theatre::{Theatre, deed};
use crate::staging::stage::Named;
use crate::transcript::clock_time;

/// A character at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Portrait {
    /// The name for show.
    pub title: String,
    /// What it does, or takes part in, now.
    pub doing: Option<String>,
    /// Its steps in the published plan, by start.
    pub plan: Vec<Planned>,
    /// Its goals: those that are wanted first, the most salient first.
    pub goals: Vec<Wanted>,
    /// What is so about it, as the director knows the world, and what it believes of what can be unknown: a fluent and its value.
    pub beliefs: Vec<(String, String)>,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// When it starts.
    pub start: Tick,
    /// What it is.
    pub text: String,
    /// `planned`, `asked`, `sent` or `running`.
    pub standing: &'static str,
}

/// A goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How much it matters.
    pub salience: i64,
    /// What is wanted.
    pub text: String,
    /// `active`, `waiting`, `reached`, `missed` or `dropped`.
    pub standing: &'static str,
}

impl Portrait {
    /// Of a character.
    pub fn of(theatre: &Theatre<'_>, who: ObjectId) -> Self {
        let model = &theatre.model;
        Self {
            title: title(model, who),
            doing: theatre.deed_of(who).map(ToString::to_string),
            plan: plan(theatre, who),
            goals: goals(theatre, who),
            beliefs: beliefs(theatre, who),
        }
    }

    /// Its plan, a line a step.
    pub fn plan_lines(&self, clock: &Clock) -> Vec<String> {
        let line =
            |step: &Planned| format!("{:>8}  {:<7}  {}", clock_time(clock, step.start), step.standing, step.text);
        or_nothing(self.plan.iter().map(line).collect(), "no plan")
    }

    /// Its goals, a line each.
    pub fn goal_lines(&self) -> Vec<String> {
        let line = |goal: &Wanted| format!("{:>8}  {:<7}  {}", goal.salience, goal.standing, goal.text);
        or_nothing(self.goals.iter().map(line).collect(), "no goals")
    }

    /// Its beliefs, a line each.
    pub fn belief_lines(&self) -> Vec<String> {
        or_nothing(self.beliefs.iter().map(|(fluent, value)| format!("  {fluent} = {value}")).collect(), "no beliefs")
    }
}

fn or_nothing(lines: Vec<String>, nothing: &str) -> Vec<String> {
    if lines.is_empty() { vec![format!("  {nothing}")] } else { lines }
}

fn plan(theatre: &Theatre<'_>, who: ObjectId) -> Vec<Planned> {
    let name = &theatre.model.objects[who].name;
    let mut steps = Vec::new();
    for (id, entry) in theatre.stage().core().board().entries() {
        let step = &entry.step;
        let args = step.args.iter().map(ToString::to_string).collect();
        let named = Named { name: step.action.to_string(), args };
        if deed(&theatre.model, &named).performer.is_none_or(|performer| performer != *name) {
            continue;
        }
        let standing = match step.status {
            _ if theatre.is_doing(*id) => "running",
            _ if entry.asking => "asked",
            Status::Proposed => "planned",
            _ => "sent",
        };
        steps.push((step.start, *id, Planned { start: step.start, text: named.to_string(), standing }));
    }
    steps.sort_by_key(|(start, id, _)| (*start, *id));
    steps.into_iter().map(|(_, _, planned)| planned).collect()
}

fn goals(theatre: &Theatre<'_>, who: ObjectId) -> Vec<Wanted> {
    let reports = theatre.stage().world().goals();
    let own = reports.iter().filter(|report| report.owner == Some(who)).filter_map(|report| theatre.goal(report));
    let mut goals: Vec<Wanted> = own
        .filter_map(|what| match what {
            What::Goal { goal, salience, standing, .. } => Some(Wanted { salience, text: goal, standing }),
            _ => None,
        })
        .collect();
    let rank = |standing: &str| ["active", "waiting"].iter().position(|other| *other == standing).unwrap_or(2);
    goals.sort_by_key(|goal| (rank(goal.standing), Reverse(goal.salience)));
    goals
}

fn beliefs(theatre: &Theatre<'_>, who: ObjectId) -> Vec<(String, String)> {
    let (model, state) = (&*theatre.model, theatre.stage().world().state());
    let value = Value::Object(who);
    let mut found = Vec::new();
    // Its own attributes, also those that are as they are by default.
    for (id, fluent) in model.fluents.iter() {
        let [param] = &fluent.params[..] else { continue };
        let is_own = fluent.attribute_of.is_some() && fluent.source == FluentSource::Stored;
        let is_known = is_own && model.is_visible(fluent.level, state.level());
        if is_known && model.is_among(value, &param.choices) {
            let name = model.fluent_name(id, &[value]);
            found.push((name, model.value_name(state.get(id, &[value])).to_string()));
        }
    }
    // What it has perceived of what can be unknown.
    let asked = Inquiry::Beliefs(model.objects[who].name.clone());
    let told = theatre.stage().both.session.director().explain(&asked).sentences;
    let mut beliefs = Beliefs::read(model, told.iter().filter_map(|line| line.split_once(" = ")));
    // The planner may not have looked since it last had something to do; the character has.
    let senses = Senses::of(model);
    beliefs.perceive(model, &senses, state, who);
    let perceived: Vec<(String, String)> = beliefs
        .in_names(model, &senses, state.level())
        .into_iter()
        .map(|(fluent, value)| (fluent, value.to_string()))
        .collect();
    let is_perceived = |name: &str| perceived.iter().any(|(fluent, _)| fluent == name);
    // Everything else that speaks of it.
    for (id, args, now) in state.entries() {
        let fluent = &model.fluents[id];
        let is_stored = fluent.source == FluentSource::Stored;
        let speaks = now == value || fluent.attribute_of.is_none() && args.contains(&value);
        let name = model.fluent_name(id, args);
        if is_stored && speaks && !is_perceived(&name) {
            found.push((name, model.value_name(now).to_string()));
        }
    }
    found.retain(|(name, _)| !is_perceived(name));
    found.extend(perceived);
    found
}
