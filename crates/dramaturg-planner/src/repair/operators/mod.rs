//! The ways of repairing a plan.
//!
//! # Layout
//!
//! [`lack`] says what exactly a condition lacks. `insert` adds what brings it about, `moving` moves steps, `removing` takes them out,
//! `changing` puts another action or other arguments in their place (`anchoring`: simpler objects), `tracking` brings a number nearer to its curve.

mod anchoring;
mod changing;
mod insert;
pub(super) mod lack;
mod moving;
mod removing;
mod tracking;

use dramaturg_model::{Chance, Tick};

use super::aims::Want;
use super::contingent::Contingency;
use super::defect::{Class, Defect};
use super::draft::Draft;
use super::moment::Moment;
use super::plan::StepKey;
use lack::Lack;

/// A way of repairing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// R1: put in what brings it about.
    Insert,
    /// R2: move what brings it about.
    MoveSupporter,
    /// R3: move what needs it.
    MoveNeeder,
    /// R4: take out what spoils it.
    RemoveSpoiler,
    /// R5: take out what needs it.
    RemoveNeeder,
    /// R6: other arguments.
    Rebind,
    /// R7: make an object.
    Spawn,
    /// R8: move what is in the way to the next gap.
    ShiftAside,
    /// R9: another action that brings it about.
    Replace,
    /// R10: take out what nobody needs.
    Prune,
    /// R2, for the sake of time: sooner.
    Hasten,
}

/// The ways in which each class of defects is repaired, in order of the classes.
pub(crate) const WAYS: [&[Repair]; Class::COUNT] = [
    &[Repair::MoveNeeder, Repair::RemoveNeeder],
    &[Repair::MoveNeeder, Repair::RemoveNeeder],
    &[
        Repair::Insert,
        Repair::MoveSupporter,
        Repair::MoveNeeder,
        Repair::RemoveSpoiler,
        Repair::RemoveNeeder,
        Repair::Rebind,
        Repair::Spawn,
        Repair::Replace,
    ],
    &[Repair::Insert, Repair::RemoveSpoiler],
    &[Repair::Insert, Repair::RemoveSpoiler],
    &[Repair::ShiftAside, Repair::RemoveNeeder],
    &[Repair::Prune],
    &[Repair::Insert, Repair::MoveSupporter],
    &[Repair::Insert, Repair::MoveSupporter, Repair::RemoveSpoiler, Repair::Rebind, Repair::Replace],
    &[Repair::Insert, Repair::RemoveSpoiler, Repair::Replace],
    &[Repair::Prune, Repair::Hasten],
];

/// What is to be repaired, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trouble {
    /// What is missing.
    pub(super) lack: Lack,
    /// It must be there in P3 of this tick.
    pub(super) tick: Tick,
    /// Who needs it; none: a goal.
    pub(super) needer: Option<StepKey>,
    /// Whether any later tick will do as well.
    pub(super) any_time: bool,
}

impl Draft {
    /// Tries one way of repairing a defect. Whether anything was done.
    pub(crate) fn repair(&mut self, defect: Defect, way: Repair, chance: &mut Chance) -> bool {
        match defect {
            Defect::Past(key) => match way {
                Repair::MoveNeeder => {
                    self.shift(key, self.insert_from);
                    true
                }
                _ => self.drop_step(key),
            },
            Defect::SetConflict(source) => match (self.steps.owner(source), way) {
                (Some(key), Repair::MoveNeeder) => {
                    let start = self.steps.get(key).start + 1;
                    self.is_open(key) && {
                        self.shift(key, start);
                        true
                    }
                }
                (Some(key), _) => self.drop_step(key),
                (None, _) => false,
            },
            Defect::Overlap(actuator) => self.part_holders(actuator, way, chance),
            Defect::Anchor(object) => self.keep_last_reanchor(object),
            Defect::Effort => match way {
                Repair::Hasten => self.hasten(chance),
                _ => self.prune(chance),
            },
            Defect::Aim(number) => match self.aims.get(number).map(|aim| &aim.want) {
                Some(Want::Follow(_)) => self.follow(number, way, chance),
                Some(Want::Amount { .. }) => self.weigh(number, way, chance),
                _ => self.trouble_of_aim(number, chance).is_some_and(|trouble| self.mend(trouble, way, chance)),
            },
            Defect::Need(id, need) => {
                let (_, moment) = self.projection.shortfall(id, need);
                if way == Repair::MoveNeeder {
                    return self.move_needer(id, need, moment, chance);
                }
                let repertoire = self.repertoire();
                let form = &repertoire.forms[self.projection.occurrence(id).form];
                let Some(condition) = form.needs.get(usize::from(need)).map(|need| &need.condition) else {
                    return false;
                };
                let Some(lack) = self.lack(condition, moment, way == Repair::Spawn, chance) else { return false };
                // What is read at the end of a step must be there a tick before.
                let tick = if moment < Moment::check(moment.tick()) { moment.tick() - 1 } else { moment.tick() };
                let needer = self.steps.owner(id);
                self.mend(Trouble { lack, tick, needer, any_time: false }, way, chance)
            }
            Defect::Contingent(Contingency { occurrence, need, before }) => {
                let repertoire = self.repertoire();
                let form = &repertoire.forms[self.projection.occurrence(occurrence).form];
                let Some(need) = form.needs.get(usize::from(need)) else { return false };
                let Some(lack) = self.lack(&need.condition, before, false, chance) else { return false };
                let trouble = Trouble { lack, tick: before.tick() - 1, needer: None, any_time: false };
                trouble.tick >= self.insert_from && self.mend(trouble, way, chance)
            }
        }
    }

    fn trouble_of_aim(&self, number: usize, chance: &mut Chance) -> Option<Trouble> {
        let aim = self.aims.get(number)?;
        let (any_time, tick) = match &aim.want {
            Want::End(_) => (true, self.insert_from),
            Want::Reach { by, .. } => (by.is_none(), aim.tick.max(self.insert_from)),
            _ => (false, aim.tick),
        };
        let look = if any_time { self.projection.horizon } else { tick };
        let condition = aim.condition(&self.projection)?;
        let lack = self.lack(condition, Moment::check(look), false, chance)?;
        Some(Trouble { lack, tick, needer: None, any_time })
    }

    /// Tries one way to bring about what is missing.
    fn mend(&mut self, trouble: Trouble, way: Repair, chance: &mut Chance) -> bool {
        match way {
            Repair::Insert => self.insert(trouble, false, chance),
            Repair::Spawn => self.insert(trouble, true, chance),
            Repair::MoveSupporter => self.move_supporter(trouble, chance),
            Repair::RemoveSpoiler => self.remove_spoiler(trouble, chance),
            Repair::RemoveNeeder => trouble.needer.is_some_and(|key| self.drop_step(key)),
            Repair::Rebind => self.rebind(trouble, chance),
            Repair::Replace => self.replace(trouble, chance),
            Repair::MoveNeeder | Repair::ShiftAside | Repair::Prune | Repair::Hasten => false,
        }
    }

    /// Whether a step is there and ours to change.
    pub(super) fn is_open(&self, key: StepKey) -> bool {
        let step = self.steps.get(key);
        step.alive && !step.fixed
    }

    /// Takes a step out, if it is ours.
    pub(super) fn drop_step(&mut self, key: StepKey) -> bool {
        let open = self.is_open(key);
        if open {
            self.remove(key);
        }
        open
    }
}
