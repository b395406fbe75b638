//! What actions hold while they last: who is busy, and which actuators.

use dramaturg_model::{Action, ActuatorId, Table, UseTarget, Value};

use super::scope::Scope;
use super::tree::Pddl;
use super::{Cannot, Exporter};

/// The predicates and functions that say what is free.
#[derive(Debug, Default)]
pub(super) struct Locks {
    /// `(free ?x)`: nothing holds the whole of it.
    whole: Option<String>,
    actuators: Table<ActuatorId, Option<Lock>>,
}

#[derive(Clone, Debug)]
struct Lock {
    name: String,
    /// How much there is of it; with 1 it is a predicate, else a function.
    capacity: i64,
}

/// What an action needs and does to hold something.
#[derive(Default)]
pub(super) struct Held {
    pub(super) at_start: Vec<Pddl>,
    pub(super) start_effects: Vec<Pddl>,
    pub(super) end_effects: Vec<Pddl>,
}

impl Exporter<'_> {
    /// Names a lock for everything that some action holds. Classical actions take no time, so they hold nothing.
    pub(super) fn choose_locks(&mut self) {
        self.locks.actuators = Table::filled(self.model.actuators.len(), None);
        if !self.is_temporal() {
            return;
        }
        for usage in self.model.actions.values().flat_map(|action| &action.uses) {
            match &usage.target {
                UseTarget::Whole(_) if self.locks.whole.is_none() => {
                    self.locks.whole = Some(self.names.fresh("free", "lock"));
                }
                UseTarget::Actuator(id, _) if self.locks.actuators[*id].is_none() => {
                    let actuator = &self.model.actuators[*id];
                    let word = if actuator.capacity == 1 { "free" } else { "left" };
                    let name = self.names.fresh(&format!("{word}-{}", actuator.name), "lock");
                    self.locks.actuators[*id] = Some(Lock { name, capacity: actuator.capacity });
                }
                UseTarget::Whole(_) | UseTarget::Actuator(..) => {}
            }
        }
    }

    /// What an action holds, from its start to its end: a use of a part of its time holds all of it, which is safe.
    pub(super) fn held(&mut self, action: &Action, scope: &mut Scope) -> Result<Held, Cannot> {
        // Name of the lock, its arguments, how much of it, and of how much.
        let mut wanted: Vec<(String, Vec<String>, i64, i64)> = Vec::new();
        let mut want = |name: &str, args: Vec<String>, amount: i64, capacity: i64| match wanted
            .iter_mut()
            .find(|(other, of, ..)| other == name && *of == args)
        {
            Some((_, _, sum, _)) => *sum = sum.saturating_add(amount).min(capacity),
            None => wanted.push((name.to_owned(), args, amount, capacity)),
        };
        for usage in &action.uses {
            let mut reads = Vec::new();
            match &usage.target {
                UseTarget::Actuator(id, args) => {
                    let args = self.texts(args, scope, &mut reads)?;
                    if let Some(lock) = &self.locks.actuators[*id] {
                        want(&lock.name, args, usage.amount, lock.capacity);
                    }
                }
                UseTarget::Whole(object) => {
                    let object = self.term(object, scope, &mut reads)?.text;
                    if let Some(name) = &self.locks.whole {
                        want(name, vec![object.clone()], 1, 1);
                    }
                    // Whoever is busy as a whole does nothing with a part either.
                    for (id, actuator) in self.model.actuators.iter() {
                        if let (Some(lock), Some(_)) = (&self.locks.actuators[id], actuator.attribute_of) {
                            want(&lock.name, vec![object.clone()], lock.capacity, lock.capacity);
                        }
                    }
                }
            }
            if !reads.is_empty() {
                return Err(Cannot::because("what it holds is read through another fluent"));
            }
        }
        let mut held = Held::default();
        for (name, args, amount, capacity) in wanted {
            let lock = Pddl::fact(&name, &args);
            if capacity == 1 {
                held.at_start.push(lock.clone());
                held.start_effects.push(lock.clone().not());
                held.end_effects.push(lock);
            } else {
                let amount = Pddl::atom(amount.to_string());
                held.at_start.push(Pddl::call(">=", [lock.clone(), amount.clone()]));
                held.start_effects.push(Pddl::call("decrease", [lock.clone(), amount.clone()]));
                held.end_effects.push(Pddl::call("increase", [lock, amount]));
            }
        }
        Ok(held)
    }

    /// Declares the locks and opens them all.
    pub(super) fn write_locks(&mut self) {
        let objects: Vec<String> = self
            .model
            .objects
            .iter()
            .filter(|(_, object)| self.is_visible(object.level))
            .filter_map(|(id, _)| self.names.value(Value::Object(id)).map(str::to_owned))
            .collect();
        let mut locks: Vec<(String, i64, bool)> = self.locks.whole.iter().map(|name| (name.clone(), 1, true)).collect();
        for (id, actuator) in self.model.actuators.iter() {
            if let Some(lock) = &self.locks.actuators[id] {
                locks.push((lock.name.clone(), lock.capacity, !actuator.params.is_empty()));
            }
        }
        for (name, capacity, has_owner) in locks {
            let params = if has_owner { vec![Pddl::atom("?x"), Pddl::atom("-"), self.root_type()] } else { Vec::new() };
            let declaration = Pddl::call(&name, params);
            match capacity {
                1 => self.tables.predicates.push(declaration),
                _ => self.tables.functions.push(declaration),
            }
            let owners: Vec<Vec<String>> =
                if has_owner { objects.iter().map(|object| vec![object.clone()]).collect() } else { vec![Vec::new()] };
            for owner in owners {
                let lock = Pddl::fact(&name, &owner);
                self.tables.facts.push(match capacity {
                    1 => lock,
                    many => Pddl::call("=", [lock, Pddl::atom(many.to_string())]),
                });
            }
        }
    }
}
