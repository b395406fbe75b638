//! Many changes written as one: all are read before the first is written, all sets before all additions, ranges last.

use dramaturg_model::state::random_value;
use dramaturg_model::{
    Args, Binder, Chance, Change, Effect, Evaluator, Expr, Fixed, FluentId, FluentRef, Model, State, Tick, Value,
};
use rustc_hash::FxHashMap;

use super::event::{Cause, Violation, ViolationKind, WorldEventKind};
use super::world::World;

/// Changes that have been read and not yet written.
#[derive(Clone, Debug, Default)]
pub(super) struct Batch {
    sets: Vec<(FluentId, Args, Value, Cause)>,
    adds: Vec<(FluentId, Args, Fixed, Cause)>,
}

/// What the changes of a batch are read against.
pub(super) struct Reader<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    /// The first variables.
    pub(super) args: &'a [Value],
    /// How long the step at hand takes.
    pub(super) duration: Option<Tick>,
    pub(super) cause: Cause,
}

impl<'a> Reader<'a> {
    pub(super) fn scope(&self) -> Evaluator<'a, State> {
        let scope = Evaluator::with(self.model, self.state, self.args);
        match self.duration {
            Some(duration) => scope.lasting(duration),
            None => scope,
        }
    }
}

impl Batch {
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty() && self.adds.is_empty()
    }

    pub(super) fn set(&mut self, fluent: FluentId, args: Args, value: Value, cause: Cause) {
        self.sets.push((fluent, args, value, cause));
    }

    pub(super) fn add(&mut self, fluent: FluentId, args: Args, amount: Fixed, cause: Cause) {
        self.adds.push((fluent, args, amount, cause));
    }

    /// Reads one effect.
    pub(super) fn effect(&mut self, reader: &Reader<'_>, effect: &Effect, chance: &mut Chance) {
        self.change(reader, (&effect.binders, effect.condition.as_ref()), &effect.target, &effect.change, chance);
    }

    /// Reads one change, once for each binding for which its condition holds.
    pub(super) fn change(
        &mut self,
        reader: &Reader<'_>,
        (binders, condition): (&[Binder], Option<&Expr>),
        target: &FluentRef,
        change: &Change,
        chance: &mut Chance,
    ) {
        let domain = &reader.model.fluents[target.fluent].domain;
        reader.scope().for_each(binders, &mut |scope| {
            if condition.is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let args = scope.args(&target.args);
            if !is_slot(reader.model, target.fluent, &args) {
                return;
            }
            match change {
                Change::Set(value) => self.set(target.fluent, args, scope.value(value), reader.cause),
                Change::Random(set) => {
                    let value = random_value(scope, set, domain, chance);
                    self.set(target.fluent, args, value, reader.cause);
                }
                Change::Add(amount) => {
                    if let Some(amount) = scope.number(amount) {
                        self.add(target.fluent, args, amount, reader.cause);
                    }
                }
            }
        });
    }
}

/// Whether a fluent has a value for these arguments: through a name that is no object nothing can be set.
pub(super) fn is_slot(model: &Model, fluent: FluentId, args: &[Value]) -> bool {
    let params = &model.fluents[fluent].params;
    params.len() == args.len() && args.iter().zip(params).all(|(arg, param)| model.is_among(*arg, &param.choices))
}

/// What a fluent was before the batch, and who changed it last.
#[derive(Clone, Debug)]
struct Touched {
    fluent: FluentId,
    args: Args,
    old: Value,
    cause: Cause,
    was_set: Option<(Value, Cause)>,
}

/// Finds the entry of a slot; a short list needs no hashing. It is kept between batches for its room only.
#[derive(Clone, Debug, Default)]
pub(super) struct TouchedList {
    entries: Vec<Touched>,
    index: FxHashMap<(FluentId, Args), usize>,
}

impl TouchedList {
    const SHORT: usize = 12;

    fn slot(&mut self, state: &State, fluent: FluentId, args: Args, cause: Cause) -> &mut Touched {
        let found = if self.entries.len() <= Self::SHORT {
            self.entries.iter().position(|entry| entry.fluent == fluent && entry.args == args)
        } else {
            self.index.get(&(fluent, args.clone())).copied()
        };
        let at = found.unwrap_or(self.entries.len());
        if found.is_none() {
            let old = state.get(fluent, &args);
            self.entries.push(Touched { fluent, args, old, cause, was_set: None });
            if self.entries.len() == Self::SHORT + 1 {
                let keys = self.entries.iter().map(|entry| (entry.fluent, entry.args.clone()));
                self.index.clear();
                self.index.extend(keys.zip(0..));
            } else if let Some(entry) = self.entries.last().filter(|_| at > Self::SHORT) {
                self.index.insert((entry.fluent, entry.args.clone()), at);
            }
        }
        #[expect(clippy::indexing_slicing, reason = "either found in the list or pushed just now")]
        &mut self.entries[at]
    }
}

impl World {
    /// Writes a batch: sets, then additions, then ranges. Fluents observed in this tick keep what was observed.
    pub(super) fn write(&mut self, model: &Model, batch: Batch) {
        self.write_past_mask(model, batch, true);
    }

    /// Writes what is observed or given for this tick, and masks it for the rest of the tick.
    pub(super) fn write_observed(&mut self, model: &Model, batch: Batch) {
        let slots: Vec<_> = batch.sets.iter().map(|(fluent, args, ..)| (*fluent, args.clone())).collect();
        let added: Vec<_> = batch.adds.iter().map(|(fluent, args, ..)| (*fluent, args.clone())).collect();
        self.write_past_mask(model, batch, false);
        self.masked.extend(slots.into_iter().chain(added));
    }

    fn write_past_mask(&mut self, model: &Model, mut batch: Batch, masks: bool) {
        if batch.is_empty() {
            return;
        }
        if masks && !self.masked.is_empty() {
            let masked = &self.masked;
            batch.sets.retain(|(fluent, args, ..)| !masked.contains(&(*fluent, args.clone())));
            batch.adds.retain(|(fluent, args, ..)| !masked.contains(&(*fluent, args.clone())));
        }
        self.effort.writes += (batch.sets.len() + batch.adds.len()) as u64;
        let mut touched = std::mem::take(&mut self.touched);
        let mut conflicts = Vec::new();
        for (fluent, args, value, cause) in batch.sets {
            if value == Value::Nothing {
                continue;
            }
            let slot = touched.slot(&self.state, fluent, args, cause);
            if let Some((other, by)) = slot.was_set.filter(|(other, by)| *other != value && *by != cause) {
                conflicts.push((fluent, slot.args.clone(), (other, by), (value, cause)));
            }
            // Within one action of PDDL what is added wins over what is deleted.
            let keeps =
                slot.was_set.is_some_and(|(other, by)| by == cause && other.is_true() && model.pddl().is_some());
            if !keeps {
                slot.was_set = Some((value, cause));
                slot.cause = cause;
                self.state.set(fluent, &slot.args, value);
            }
        }
        for (fluent, args, amount, cause) in batch.adds {
            let Some(old) = self.state.get(fluent, &args).as_number() else { continue };
            let slot = touched.slot(&self.state, fluent, args, cause);
            slot.cause = cause;
            self.state.set(fluent, &slot.args, Value::Number(old + amount));
        }
        for Touched { fluent, args, old, cause, .. } in touched.entries.drain(..) {
            let mut new = self.state.get(fluent, &args);
            if let Value::Number(number) = new {
                let inside = Value::Number(model.fluents[fluent].domain.clamp(number));
                if inside != new {
                    new = inside;
                    self.state.set(fluent, &args, new);
                }
            }
            if new != old {
                self.changed(fluent, &args);
                if self.reports_effects() {
                    self.report(WorldEventKind::Effect { fluent, args, old, new, by: cause });
                }
            }
        }
        self.touched = touched;
        self.derive(model);
        for (fluent, args, (first, by), (second, cause)) in conflicts {
            self.conflict(model, model.fluent_name(fluent, &args), [(first, by), (second, cause)]);
        }
    }

    fn conflict(&mut self, model: &Model, name: String, [(first, by), (second, cause)]: [(Value, Cause); 2]) {
        let (first, second) = (model.value_name(first), model.value_name(second));
        let who = |cause| describe_cause(model, cause);
        let message =
            format!("{} sets `{name}` to {second} and {} sets it to {first} at the same time", who(cause), who(by));
        let mut violation =
            Violation::new(ViolationKind::Conflict, self.tick, message).about(name).values(first, second);
        if let Cause::Step(step) = cause {
            violation.step = Some(step);
        }
        self.violation(violation);
    }

    /// Tells everything that reads a fluent that it has changed.
    fn changed(&mut self, fluent: FluentId, args: &[Value]) {
        self.version += 1;
        self.versions[fluent] = self.version;
        self.watches.changed(fluent, args);
        // Whoever reads a derived fluent also counts as reading what it is derived from.
        self.stale |= self.wiring.derives_from(fluent);
    }

    /// Computes derived fluents anew if something they read has changed.
    fn derive(&mut self, model: &Model) {
        if std::mem::take(&mut self.stale) {
            self.state.derive(model);
        }
    }
}

/// Somebody who changes a fluent, as messages name it.
pub(super) fn describe_cause(model: &Model, cause: Cause) -> String {
    match cause {
        Cause::Observation => "an observation".to_owned(),
        Cause::Given => "what is given".to_owned(),
        Cause::Step(step) => format!("step {step}"),
        Cause::Rule(rule) => format!("rule `{}`", model.rules[rule].name),
        Cause::Task(task) => format!("task `{}`", model.tasks[task].name),
        Cause::Milestone(milestone) => format!("milestone `{}`", model.milestones[milestone].name),
        Cause::Ending(ending) => format!("ending `{}`", model.endings[ending].name),
    }
}
