//! What is seen that nobody planned.

use dramaturg_model::{Chance, Domain, FluentSource, Observation, Tick, Value};

use super::life::Life;

/// What is seen late was so at most so many ticks ago.
const LATE_MOST: usize = 20;

impl Life<'_> {
    /// Something is seen now.
    pub(super) fn surprise(&mut self) {
        if self.trial.surprises == 0 || self.chance.below(self.trial.surprises) != 0 {
            return;
        }
        let mut chance = self.chance.clone();
        let seen = self.sight(&mut chance, self.now);
        self.chance = chance;
        if let Some(seen) = seen {
            self.see(&seen);
        }
    }

    /// Something is heard of now that was so some time ago.
    pub(super) fn see_late(&mut self) {
        if !self.has_whim() {
            return;
        }
        let mut chance = self.whims.clone();
        let ago = 1 + chance.below(LATE_MOST) as Tick;
        let seen = self.sight(&mut chance, (self.now - ago).max(self.truth.oldest()).max(0));
        self.whims = chance;
        if let Some(seen) = seen {
            self.outcome.whims.late += u32::from(self.see(&seen));
        }
    }

    /// Something that can be seen, of a tick.
    fn sight(&self, chance: &mut Chance, from: Tick) -> Option<Observation> {
        let model = self.subject.model;
        let changing: Vec<_> = model
            .fluents
            .iter()
            .filter(|(_, fluent)| fluent.source == FluentSource::Stored && !fluent.is_static)
            .map(|(id, _)| id)
            .collect();
        let fluent = changing.get(chance.below(changing.len())).copied()?;
        let declared = &model.fluents[fluent];
        let level = self.truth.present().state().level();
        let mut args = Vec::new();
        for param in &declared.params {
            let values = model.values_of(&param.choices, level);
            args.push(values.get(chance.below(values.len())).copied()?);
        }
        let value = match &declared.domain {
            Domain::Bool => Value::Bool(chance.below(2) == 0),
            Domain::Choice(choices) => {
                let values = model.values_of(choices, level);
                values.get(chance.below(values.len())).copied()?
            }
            _ => return None,
        };
        Some(Observation {
            fluent: model.fluent_name(fluent, &args).into(),
            value: model.value_name(value),
            from,
            to: None,
            source: 0,
            sequence: u64::from(self.outcome.surprises),
        })
    }

    /// Everybody sees it; whether it can be seen.
    fn see(&mut self, seen: &Observation) -> bool {
        let model = self.subject.model;
        let can = self.truth.observe(model, seen).is_ok();
        if can {
            self.truth.advance(model, self.now);
            self.outcome.surprises += 1;
            self.note(|| format!("{} = {} from tick {}", seen.fluent, seen.value, seen.from));
            self.history = None;
            self.planner.observe(std::slice::from_ref(seen));
        }
        can
    }
}
