//! Who holds which actuators.

use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::part::{Parts, SavedPart};
use super::value::{SavedValue, find_args_for};
use super::{Loader, Saver};
use crate::simulate::actuators::{Held, Holding};
use crate::simulate::step::{Performed, StepKey};

/// Something that is held, and by whom, in order of taking hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedHeld {
    what: SavedActuator,
    by: Vec<SavedHolding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum SavedActuator {
    Actuator { name: SmolStr, args: Vec<SavedValue> },
    Itself(SmolStr),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedHolding {
    step: usize,
    part: SavedPart,
    amount: i64,
    until: Tick,
}

impl Saver<'_> {
    pub(super) fn held(&self) -> Vec<SavedHeld> {
        let (model, labels) = (self.model, self.labels);
        let mut all: Vec<(&Held, _)> = self.world.actuators.held.iter().collect();
        all.sort_unstable_by_key(|(held, _)| match held {
            Held::Actuator(actuator, args) => (actuator.0, Some(args.clone()), None),
            Held::Itself(object) => (u32::MAX, None, Some(*object)),
        });
        let mut saved = Vec::new();
        for (held, holdings) in all {
            let what = match held {
                Held::Actuator(actuator, args) => SavedActuator::Actuator {
                    name: labels.actuators.of(*actuator),
                    args: SavedValue::all(labels, args),
                },
                Held::Itself(object) => SavedActuator::Itself(labels.objects.of(*object)),
            };
            let save = |holding: &Holding| {
                let step = *self.steps.get(&holding.step)?;
                let part = self.uses_of(holding.step)?.save(model, labels, holding.number);
                Some(SavedHolding { step, part, amount: holding.amount, until: holding.until })
            };
            let by: Vec<SavedHolding> = holdings.iter().filter_map(save).collect();
            if !by.is_empty() {
                saved.push(SavedHeld { what, by });
            }
        }
        saved
    }

    fn uses_of(&self, step: StepKey) -> Option<Parts<'_>> {
        match self.world.steps.get(step)?.what {
            Performed::Action(action) => Some(Parts::Uses(&self.model.actions[action].uses)),
            Performed::Task(_) => None,
        }
    }
}

impl Loader<'_> {
    /// Lets steps take hold again of what they held. Whoever was cut holds nothing.
    pub(super) fn load_held(&mut self, saved: &[SavedHeld]) {
        for saved in saved {
            match self.find_held(&saved.what) {
                Ok(held) => saved.by.iter().for_each(|holding| self.hold(&held, holding)),
                Err((name, why)) => self.report.dropped(format!("the hold on `{name}`"), why),
            }
        }
    }

    fn find_held(&self, saved: &SavedActuator) -> Result<Held, (SmolStr, String)> {
        let (model, labels) = (self.model, self.labels);
        match saved {
            SavedActuator::Actuator { name, args } => {
                let gone = || (name.clone(), "there is no such actuator any more".to_owned());
                let actuator = labels.actuators.find(name).ok_or_else(gone)?;
                let args = find_args_for(model, labels, &model.actuators[actuator].params, args);
                Ok(Held::Actuator(actuator, args.map_err(|why| (name.clone(), why))?))
            }
            SavedActuator::Itself(name) => {
                let gone = || (name.clone(), "there is no such object any more".to_owned());
                labels.objects.find(name).map(Held::Itself).ok_or_else(gone)
            }
        }
    }

    fn hold(&mut self, held: &Held, saved: &SavedHolding) {
        let (model, labels) = (self.model, self.labels);
        let Some(key) = self.steps.get(saved.step).copied().flatten() else { return };
        let Some(step) = self.world.steps.get_mut(key) else { return };
        let Performed::Action(action) = step.what else { return };
        let Some(number) = Parts::Uses(&model.actions[action].uses).find(model, labels, &saved.part) else {
            let what = format!("the hold of step {} on `{}`", step.id, saved.part.words);
            self.report.dropped(what, "its action uses this no more");
            return;
        };
        step.held.push((held.clone(), saved.amount));
        let holding = Holding { step: key, number, amount: saved.amount, until: saved.until };
        self.world.actuators.held.entry(held.clone()).or_default().push(holding);
    }
}
