//! Subscriptions: what the story's rules read from the game again and again, and what those look at that expect something.
//!
//! A subscription is a task like any other to the game, and no step of any plan here: it has no end, nobody waits for it, and only what
//! it reads counts.

use dramaturg_model::{Args, Evaluator, Expr, Fixed, FluentRef, Model, Param, Rule, Tick};
use dramaturg_planner::simulate::names;
use dramaturg_wire as wire;
use smallvec::SmallVec;

use crate::convert;
use crate::core::Core;

/// Their steps are counted down from here: no planner counts so far up.
const LAST: u32 = u32::MAX;
/// A rule with more instances than this is not watched for each of them.
const INSTANCES_MAX: usize = 64;

/// What is read, and how often.
struct Subscription {
    /// The rule that reads it.
    name: String,
    /// As stories write them.
    fluents: Vec<String>,
    every: u32,
}

/// All subscriptions of a story, in the order of their rules.
fn subscriptions(model: &Model, state: &dramaturg_model::State) -> Vec<Subscription> {
    let ticks = |every: &Expr| {
        let every = Evaluator::new(model, state).number(every).map_or(0, Fixed::round_half_up);
        u32::try_from(every.max(1)).unwrap_or(u32::MAX)
    };
    let mut found = Vec::new();
    for rule in model.rules.values() {
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
fn names_of(model: &Model, state: &dramaturg_model::State, rule: &Rule, fluents: &[&FluentRef]) -> Vec<String> {
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
fn instances(model: &Model, state: &dramaturg_model::State, params: &[Param]) -> Vec<Args> {
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

/// Whether a task is a subscription.
pub(crate) fn is_subscription(model: &Model, task: wire::Task) -> bool {
    // A rule may read, and expect something too.
    ((LAST - task.step) as usize) < model.rules.len() * 2
}

impl Core {
    /// Subscribes to what the story reads, from a tick on, unless the game has said that it has the subscription.
    pub(crate) fn subscribe(&mut self, tasks: &[wire::TaskRecord], tick: Tick) {
        for (subscription, number) in subscriptions(&self.model, self.chronicle.present().state()).into_iter().zip(0..)
        {
            let task = wire::Task { step: LAST - number, part: 0 };
            if tasks.iter().any(|record| record.task == task) {
                continue;
            }
            let reads: SmallVec<_> = subscription.fluents.iter().map(|name| self.dictionary.number(name)).collect();
            let execute = wire::Execute {
                task,
                version: 1,
                start: tick,
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
