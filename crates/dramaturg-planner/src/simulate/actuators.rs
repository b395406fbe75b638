//! Actuators: what does only so many things at a time.

use dramaturg_model::{ActuatorId, Args, Model, ObjectId, State, Tick, UseTarget, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::batch::Reader;
use super::step::StepKey;

/// Something that can be held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Held {
    /// A declared actuator.
    Actuator(ActuatorId, Args),
    /// An object as a whole, which does one thing at a time.
    Itself(ObjectId),
}

/// What one use takes hold of.
pub(super) type Demands = SmallVec<[(Held, i64); 2]>;

#[derive(Clone, Debug)]
pub(super) struct Holding {
    pub(super) step: StepKey,
    pub(super) number: usize,
    pub(super) amount: i64,
    pub(super) until: Tick,
}

/// Who holds what.
#[derive(Clone, Debug, Default)]
pub(super) struct Actuators {
    pub(super) held: FxHashMap<Held, SmallVec<[Holding; 1]>>,
}

/// More is held than there is.
pub(super) struct Overlap {
    pub(super) held: Held,
    /// All that is held, with the new use.
    pub(super) amount: i64,
    pub(super) capacity: i64,
    /// For how many ticks.
    pub(super) ticks: Tick,
    /// Who holds it besides.
    pub(super) others: Vec<StepKey>,
}

/// What a use takes hold of. An object as a whole is itself and all its actuators.
pub(super) fn demands(reader: &Reader<'_>, target: &UseTarget, amount: i64) -> Demands {
    let mut scope = reader.scope();
    match target {
        UseTarget::Actuator(actuator, args) => {
            let args = scope.args(args);
            let exists = !args.contains(&Value::Nothing);
            exists.then(|| (Held::Actuator(*actuator, args), amount)).into_iter().collect()
        }
        UseTarget::Whole(whole) => match scope.value(whole) {
            Value::Object(object) => whole_of(reader.model, reader.state, object),
            _ => Demands::new(),
        },
    }
}

fn whole_of(model: &Model, state: &State, object: ObjectId) -> Demands {
    let ty = model.objects[object].ty;
    let mut demands = Demands::new();
    demands.push((Held::Itself(object), 1));
    for (id, actuator) in model.actuators.iter() {
        let is_part = actuator.attribute_of.is_some_and(|of| model.is_subtype(ty, of));
        if is_part && model.is_visible(actuator.level, state.level()) {
            let args = Args::from_slice(&[Value::Object(object)]);
            demands.push((Held::Actuator(id, args), actuator.capacity));
        }
    }
    demands
}

/// How many things something does at a time.
pub(super) fn capacity(model: &Model, held: &Held) -> i64 {
    match held {
        Held::Actuator(actuator, _) => model.actuators[*actuator].capacity,
        Held::Itself(_) => 1,
    }
}

/// Something that can be held, as stories write it.
pub(super) fn held_name(model: &Model, held: &Held) -> String {
    match held {
        Held::Actuator(actuator, args) => {
            let actuator = &model.actuators[*actuator];
            let args: Vec<_> = args.iter().map(|arg| model.value_name(*arg)).collect();
            match args.as_slice() {
                [] => actuator.name.to_string(),
                [owner] if actuator.attribute_of.is_some() => format!("{owner}.{}", actuator.name),
                args => format!("{}({})", actuator.name, args.join(", ")),
            }
        }
        Held::Itself(object) => model.objects[*object].name.to_string(),
    }
}

impl Actuators {
    /// Takes hold for a step's use until a tick; what is held too much of.
    pub(super) fn acquire(
        &mut self,
        model: &Model,
        (step, number): (StepKey, usize),
        demands: &Demands,
        (now, until): (Tick, Tick),
    ) -> Vec<Overlap> {
        let mut overlaps = Vec::new();
        for (held, amount) in demands {
            let holdings = self.held.entry(held.clone()).or_default();
            let capacity = capacity(model, held);
            let before: i64 = holdings.iter().map(|holding| holding.amount).fold(0, i64::saturating_add);
            if before.saturating_add(*amount) > capacity && *amount > 0 {
                overlaps.push(Overlap {
                    held: held.clone(),
                    amount: before.saturating_add(*amount),
                    capacity,
                    ticks: overlap(holdings, before.saturating_add(*amount), capacity, until).saturating_sub(now),
                    others: holdings.iter().map(|holding| holding.step).collect(),
                });
            }
            holdings.push(Holding { step, number, amount: *amount, until });
        }
        overlaps
    }

    /// Lets go of what one use of a step holds, or of all that it holds.
    pub(super) fn release(&mut self, step: StepKey, number: Option<usize>, demands: &Demands) {
        for (held, _) in demands {
            if let Some(holdings) = self.held.get_mut(held) {
                holdings
                    .retain(|holding| holding.step != step || number.is_some_and(|number| number != holding.number));
                if holdings.is_empty() {
                    self.held.remove(held);
                }
            }
        }
    }

    /// Something is held longer, or shorter, than it was meant to.
    pub(super) fn extend(&mut self, step: StepKey, demands: &Demands, old: Tick, new: Tick) {
        for (held, _) in demands {
            for holding in self.held.get_mut(held).into_iter().flatten() {
                if holding.step == step && holding.until == old {
                    holding.until = new;
                }
            }
        }
    }
}

/// The tick at which enough has been let go of.
fn overlap(holdings: &[Holding], mut amount: i64, capacity: i64, until: Tick) -> Tick {
    let mut by_end: Vec<_> = holdings.iter().map(|holding| (holding.until, holding.amount)).collect();
    by_end.sort_unstable();
    for (end, released) in by_end {
        amount = amount.saturating_sub(released);
        if amount <= capacity {
            return end.min(until);
        }
    }
    until
}
