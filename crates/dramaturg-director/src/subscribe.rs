//! Subscriptions: what the story's rules read from the game again and again, and what those look at that expect something.
//!
//! A subscription is a task that the executor performs by itself, and no step of any plan: it has no end, nobody waits for it, and only
//! what it reads counts. Which there are follows from the story and its level alone; when either changes, the game hears what to read
//! from now on.

use std::collections::BTreeMap;

use dramaturg_model::{Args, Evaluator, Expr, Fixed, FluentRef, LevelId, Model, Param, Rule, State};
use dramaturg_planner::simulate::{Digest, names};
use dramaturg_wire::{self as wire, Task, TaskState};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::convert;
use crate::core::Core;

/// A rule with more instances than this is not watched for each of them.
const INSTANCES_MAX: usize = 64;

/// What is read, and how often.
#[derive(Serialize)]
struct Subscription {
    /// The rule that reads it.
    name: String,
    /// As stories write them.
    fluents: Vec<String>,
    every: u32,
}

/// All subscriptions of a story, in the order of their rules.
fn subscriptions(model: &Model, state: &State) -> Vec<Subscription> {
    let ticks = |every: &Expr| {
        let every = Evaluator::new(model, state).number(every).map_or(0, Fixed::round_half_up);
        u32::try_from(every.max(1)).unwrap_or(u32::MAX)
    };
    let mut found = Vec::new();
    for rule in model.rules.values().filter(|rule| model.is_visible(rule.level, state.level())) {
        let mut add = |fluents: Vec<&FluentRef>, every: Option<&Expr>| {
            let Some(every) = every else { return };
            let fluents = names_of(model, state, rule, &fluents);
            if !fluents.is_empty() {
                found.push(Subscription { name: rule.name.to_string(), fluents, every: ticks(every) });
            }
        };
        if let Some(reads) = &rule.reads {
            add(reads.fluents.iter().collect(), reads.every.as_ref());
        }
        if let Some(expectation) = &rule.expectation {
            let targets = expectation.effects.iter().map(|effect| &effect.target).collect();
            add(targets, expectation.check_every.as_ref());
        }
    }
    found
}

/// Some fluents of a rule by name, for each of its instances.
fn names_of(model: &Model, state: &State, rule: &Rule, fluents: &[&FluentRef]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for args in instances(model, state, &rule.params) {
        for read in fluents {
            let args = Evaluator::with(model, state, &args).args(&read.args);
            let name = model.fluent_name(read.fluent, &args);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Every way to fill parameters; none if there are too many.
fn instances(model: &Model, state: &State, params: &[Param]) -> Vec<Args> {
    let mut all = vec![Args::new()];
    for param in params {
        let values = model.values_of(&param.choices, state.level());
        if all.len().saturating_mul(values.len()) > INSTANCES_MAX {
            return Vec::new();
        }
        let extend = |args: &Args| {
            let longer = values.iter().map(|value| args.iter().copied().chain([*value]).collect::<Args>());
            longer.collect::<Vec<_>>()
        };
        all = all.iter().flat_map(extend).collect();
    }
    all
}

/// What the game was asked to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subscribed {
    /// The steps of those that run, each with its version.
    steps: BTreeMap<u32, u32>,
    /// No subscription has had a higher version.
    versions: u32,
    /// The level for which they were made.
    #[serde(skip)]
    level: Option<LevelId>,
}

/// All subscriptions of a story in its present level, by their steps. What is read in the same way has the same step, in an edited story too.
fn wanted(model: &Model, state: &State) -> BTreeMap<u32, Subscription> {
    let room = u64::from(u32::MAX - Task::SUBSCRIPTIONS);
    let mut wanted = BTreeMap::new();
    for subscription in subscriptions(model, state) {
        let mut place = Digest::of(&subscription) % room;
        while wanted.contains_key(&step_at(place)) {
            place = (place + 1) % room;
        }
        wanted.insert(step_at(place), subscription);
    }
    wanted
}

fn step_at(place: u64) -> u32 {
    Task::SUBSCRIPTIONS.saturating_add(u32::try_from(place).unwrap_or(0))
}

impl Core {
    /// A game has said hello: of what it should read, it reads what its table says.
    pub(crate) fn subscribe(&mut self, tasks: &[wire::TaskRecord]) {
        let known: Vec<_> = tasks.iter().filter(|record| record.task.is_subscription()).collect();
        let runs = known.iter().filter(|record| !matches!(record.state, TaskState::Ended(..)));
        self.subscribed.steps = runs.map(|record| (record.task.step, record.version)).collect();
        let versions = known.iter().map(|record| record.version).max();
        self.subscribed.versions = self.subscribed.versions.max(versions.unwrap_or(0));
        self.renew_subscriptions();
    }

    /// Another level has come, in which other things exist.
    pub(crate) fn follow_level(&mut self) {
        if self.connected && self.chronicle.present().state().level() != self.subscribed.level {
            self.renew_subscriptions();
        }
    }

    /// Takes back what is no longer read, and asks for what is not read yet.
    pub(crate) fn renew_subscriptions(&mut self) {
        let state = self.chronicle.present().state();
        let wanted = wanted(&self.model, state);
        self.subscribed.level = state.level();
        let has = std::mem::take(&mut self.subscribed.steps);
        for (step, version) in has {
            if wanted.contains_key(&step) {
                self.subscribed.steps.insert(step, version);
            } else {
                let task = Task { step, part: 0 };
                self.channel.send(self.now, &wire::ToGame::Cancel { task, version });
            }
        }
        for (step, subscription) in wanted {
            if self.subscribed.steps.contains_key(&step) {
                continue;
            }
            self.subscribed.versions = self.subscribed.versions.saturating_add(1);
            let version = self.subscribed.versions;
            self.subscribed.steps.insert(step, version);
            self.send_subscription(Task { step, part: 0 }, version, &subscription);
        }
    }

    fn send_subscription(&mut self, task: Task, version: u32, subscription: &Subscription) {
        let reads: SmallVec<_> = subscription.fluents.iter().map(|name| self.dictionary.number(name)).collect();
        let execute = wire::Execute {
            task,
            version,
            start: self.clock.last_tick(),
            duration: 0,
            action: self.dictionary.number(&subscription.name),
            actuator: None,
            params: SmallVec::new(),
            guards: SmallVec::new(),
            late: wire::LatePolicy { most: u32::MAX },
            reads,
            every: subscription.every,
            question: None,
        };
        // The game must know every name before the first task that speaks of it.
        if let Some((first, names)) = self.dictionary.news() {
            self.channel.send(self.now, &wire::ToGame::Names { first, names });
        }
        self.channel.send(self.now, &wire::ToGame::Execute(execute));
    }

    /// What a subscription has read, without what is known already: most of it is as it was.
    pub(crate) fn news(&self, observations: Vec<wire::Observation>) -> Vec<wire::Observation> {
        let model = &self.model;
        let is_known = |seen: &wire::Observation| {
            let known = convert::observation(seen, 0, 0);
            let Ok((fluent, args)) = names::fluent(model, &known.fluent) else { return false };
            let args = args.iter().map(|arg| Expr::Value(*arg)).collect();
            let value = self.chronicle.present().value(model, &Expr::Fluent(fluent, args));
            names::value_of(model, fluent, &known.value).is_ok_and(|seen| seen == value)
        };
        observations.into_iter().filter(|seen| !is_known(seen)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_more_instances_than_are_watched_are_read_by_nobody() {
        for (count, expected) in [(INSTANCES_MAX, INSTANCES_MAX), (INSTANCES_MAX + 1, 0)] {
            let names: Vec<String> = (0..count).map(|number| format!("d{number}")).collect();
            let story = format!(
                "story \"Doors\"\ntype Door {{ open }}\nobject {}: Door\n\
                 rule look(it: Door) {{ reads it.open every 7 ticks }}\n",
                names.join(", ")
            );
            let compiled = dramaturg_story::compile_text("doors.story", &story);
            assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
            let state = State::initial(&compiled.model, 0);
            let read: usize = subscriptions(&compiled.model, &state).iter().map(|found| found.fluents.len()).sum();
            assert_eq!(read, expected, "with {count} doors");
        }
    }
}
