//! A number is brought nearer to its curve, or made less, or more.

use dramaturg_model::{Chance, Tick};

use super::{Lack, Repair, Trouble};
use crate::repair::aims::Want;
use crate::repair::draft::Draft;
use crate::repair::moment::Moment;
use crate::repair::occurrence::OccurrenceId;
use crate::repair::plan::StepKey;
use crate::repair::repertoire::{Achiever, FormId, Gain};
use crate::repair::slot::SlotId;

/// So many candidates are compared.
const COMPARED: usize = 4;
/// Steps are moved by at most two to this power.
const REACH: usize = 9;

impl Draft {
    /// Tries one way of bringing a number nearer to its curve.
    pub(super) fn follow(&mut self, number: usize, way: Repair, chance: &mut Chance) -> bool {
        let Some(Want::Follow(curve)) = self.aims.get(number).map(|aim| &aim.want) else { return false };
        // What comes first decides about what comes later: of two places the earlier one.
        let area = usize::try_from(curve.area()).unwrap_or(1);
        let spot = curve.spot(chance.below(area).min(chance.below(area)) as i64);
        let off = curve.off(&self.projection, spot);
        let since = curve.off_since(&self.projection, spot);
        let slot = curve.slot;
        let lack = Lack::Amount { slot, up: off < 0 };
        let tick = if chance.below(2) == 0 { since } else { spot };
        match way {
            Repair::Insert => self.nudge(lack, tick, chance),
            Repair::MoveSupporter => self.jog(slot, spot, chance),
            Repair::RemoveSpoiler => {
                let wrong = Lack::Amount { slot, up: off > 0 };
                let near = self.contributor(slot, spot, Some(wrong), chance);
                near.is_some_and(|key| self.drop_step(key))
            }
            Repair::Rebind => {
                let Some(key) = self.contributor(slot, spot, None, chance) else { return false };
                self.rebind(Trouble { lack, tick: spot, needer: Some(key), any_time: false }, chance)
            }
            _ => {
                let Some(key) = self.contributor(slot, spot, None, chance) else { return false };
                self.swap_contributor(key, slot, chance)
            }
        }
    }

    /// Tries one way of having less, or more.
    pub(super) fn weigh(&mut self, number: usize, way: Repair, chance: &mut Chance) -> bool {
        let Some(aim) = self.aims.get(number) else { return false };
        let Want::Amount { less, .. } = aim.want else { return false };
        let Some(slot) = aim.reads.get(chance.below(aim.reads.len())).copied() else { return false };
        let lack = Lack::Amount { slot, up: !less };
        let key = self.step_for(Lack::Other(slot), chance);
        match way {
            Repair::Insert => {
                let trouble = Trouble { lack, tick: self.insert_from, needer: None, any_time: true };
                self.insert(trouble, false, chance)
            }
            Repair::RemoveSpoiler => key.is_some_and(|key| self.drop_step(key)),
            Repair::Replace => key.is_some_and(|key| self.swap_contributor(key, slot, chance)),
            _ => false,
        }
    }

    /// Puts in something that changes a number in the wanted direction around a tick.
    fn nudge(&mut self, lack: Lack, tick: Tick, chance: &mut Chance) -> bool {
        let helpers: Vec<Achiever> = self.helpers(lack).filter(|achiever| self.may(achiever.form)).copied().collect();
        let mut best: Option<(i64, FormId, Tick)> = None;
        for _ in 0..COMPARED {
            let Some(achiever) = helpers.get(chance.below(helpers.len())) else { return false };
            let length = self.length_at(achiever.form, tick);
            let start = (tick - chance.below(usize::try_from(length).unwrap_or(1)) as Tick).max(self.insert_from);
            let start = self.beside(achiever.form, start, length, chance.below(2) == 0);
            let short = self.readiness(achiever.form, start);
            if best.is_none_or(|(known, ..)| short < known) {
                best = Some((short, achiever.form, start));
            }
        }
        let Some((_, form, start)) = best else { return false };
        self.add(form, start, None);
        true
    }

    /// The next start, later or earlier, at which everything that an action holds is free.
    pub(super) fn beside(&mut self, form: FormId, start: Tick, length: Tick, later: bool) -> Tick {
        let repertoire = self.repertoire();
        let mut fitting = start;
        for grip in &repertoire.forms[form].grips {
            let (from, to) = (grip.from.offset(length), grip.to.offset(length).min(length));
            let holds = self.projection.actuator(grip.actuator);
            let found = holds.gap(fitting + from, to - from, grip.amount, u32::MAX, later);
            match found.map(|found| found - from).filter(|found| *found >= self.insert_from) {
                Some(found) => fitting = found,
                None => return start,
            }
        }
        fitting
    }

    /// A step of ours that changes a number near a tick, and in a direction, if one is wanted.
    pub(super) fn contributor(
        &self,
        slot: SlotId,
        tick: Tick,
        lack: Option<Lack>,
        chance: &mut Chance,
    ) -> Option<StepKey> {
        let timeline = self.projection.timeline(slot);
        let at = timeline.place(Moment::check(tick));
        let (mut low, mut high) = (at, at);
        let mut found = None;
        // Outwards from the tick, until luck says that this one will do.
        for _ in 0..12 {
            let place = if chance.below(2) == 0 && low > 0 {
                low -= 1;
                low
            } else {
                high += 1;
                high - 1
            };
            let Some(entry) = timeline.entries().get(place) else { continue };
            let owner = self.steps.owner(OccurrenceId(entry.source.0)).filter(|key| self.is_open(*key));
            let Some(key) = owner.filter(|key| lack.is_none_or(|lack| self.goes(*key, lack))) else { continue };
            found = Some(key);
            if chance.below(2) == 0 {
                break;
            }
        }
        found
    }

    /// Whether a step changes a number in a direction.
    pub(super) fn goes(&self, key: StepKey, lack: Lack) -> bool {
        let form = self.steps.get(key).form;
        self.helpers(lack).any(|achiever| achiever.form == form && achiever.gain != Gain::Amount(0))
    }

    /// Moves a step that changes a number by some ticks, few or many.
    fn jog(&mut self, slot: SlotId, tick: Tick, chance: &mut Chance) -> bool {
        let Some(key) = self.contributor(slot, tick, None, chance) else { return false };
        let span = 1 << chance.below(REACH + 1);
        let by = 1 + chance.below(span) as Tick;
        let step = *self.steps.get(key);
        let start = if chance.below(2) == 0 { step.start + by } else { step.start - by };
        let start = start.max(self.insert_from);
        self.shift(key, start);
        start != step.start
    }

    /// Another action that changes the same number in the place of a step.
    fn swap_contributor(&mut self, key: StepKey, slot: SlotId, chance: &mut Chance) -> bool {
        let (old, start) = (self.steps.get(key).form, self.steps.get(key).start);
        let repertoire = self.repertoire();
        let all = &repertoire.achievers[slot];
        let mut best: Option<(i64, FormId)> = None;
        for _ in 0..COMPARED {
            let Some(achiever) = all.get(chance.below(all.len())) else { return false };
            if achiever.form == old || !self.may(achiever.form) {
                continue;
            }
            let short = self.readiness(achiever.form, start);
            if best.is_none_or(|(known, _)| short < known) {
                best = Some((short, achiever.form));
            }
        }
        best.is_some_and(|(_, form)| self.exchange(key, form))
    }
}
