//! R2, R3 and R8: steps are moved.

use dramaturg_model::{Chance, Tick};

use super::{Repair, Trouble};
use crate::ground::GroundActuatorId;
use crate::repair::draft::Draft;
use crate::repair::moment::Moment;
use crate::repair::occurrence::OccurrenceId;
use crate::repair::plan::{Planned, StepKey};

/// So many changes of a slot are looked at in search of a step.
const NEAR: usize = 8;
/// So many ends of holds are looked at in search of a gap.
const HOPS_MAX: u32 = 96;
/// After so many of them it is looked for elsewhere.
const HOPS_HERE: u32 = 48;

impl Draft {
    /// The steps that change a slot near a tick, nearest last, with what they change it by.
    fn movable(&self, trouble: Trouble) -> Vec<StepKey> {
        let timeline = self.projection.timeline(trouble.lack.slot());
        let at = timeline.place(Moment::check(trouble.tick));
        let entries = timeline.entries();
        let after = entries.get(at..).unwrap_or(&[]).iter().take(NEAR);
        let before = entries.get(..at).unwrap_or(&[]).iter().rev().take(NEAR);
        let sources = after.chain(before).map(|entry| OccurrenceId(entry.source.0));
        let mut keys: Vec<StepKey> = sources.filter_map(|source| self.steps.owner(source)).collect();
        keys.dedup();
        keys.retain(|key| self.is_open(*key));
        keys
    }

    /// R2: a step that could bring it about does so at another time.
    pub(super) fn move_supporter(&mut self, trouble: Trouble, chance: &mut Chance) -> bool {
        let near = self.movable(trouble);
        let helpers: Vec<_> = self.helpers(trouble.lack).copied().collect();
        let mut can: Vec<(StepKey, Tick)> = Vec::new();
        for key in near {
            let step = *self.steps.get(key);
            if Some(key) == trouble.needer {
                continue;
            }
            if let Some(achiever) = helpers.iter().find(|achiever| achiever.form == step.form) {
                let length = self.projection.occurrence(step.occurrence).duration;
                let start = trouble.tick - self.ready_after(*achiever, length);
                if start >= self.insert_from && start != step.start {
                    can.push((key, start));
                }
            }
        }
        let Some((key, start)) = can.get(chance.below(can.len())).copied() else { return false };
        self.shift(key, start);
        true
    }

    /// R3: a step moves to where its condition holds.
    pub(super) fn move_needer(&mut self, id: OccurrenceId, need: u16, moment: Moment, chance: &mut Chance) -> bool {
        let Some(key) = self.steps.owner(id).filter(|key| self.is_open(*key)) else { return false };
        let repertoire = self.repertoire();
        let form = &repertoire.forms[self.projection.occurrence(id).form];
        let Some(need) = form.needs.get(usize::from(need)) else { return false };
        let start = self.steps.get(key).start;
        let offset = moment.tick() - start;
        let ticks = self.projection.changes(&need.reads, &need.condition, self.insert_from + offset);
        let mut can: Vec<Tick> = ticks
            .into_iter()
            .filter(|tick| *tick != moment.tick() && self.projection.holds(&need.condition, Moment::check(*tick)))
            .map(|tick| (tick - offset).max(self.insert_from))
            .collect();
        can.retain(|tick| *tick != start);
        let nearest = can.iter().copied().min_by_key(|tick| (tick - start).abs());
        let chosen = if chance.below(2) == 0 { nearest } else { can.get(chance.below(can.len())).copied() };
        let Some(to) = chosen else { return false };
        self.shift(key, to);
        true
    }

    /// R8: of those who hold too much, one moves to the next gap.
    pub(super) fn part_holders(&mut self, actuator: GroundActuatorId, way: Repair, chance: &mut Chance) -> bool {
        let Some((key, from, length, amount)) = self.holder_in_the_way(actuator, chance) else { return false };
        if way != Repair::ShiftAside {
            return self.drop_step(key);
        }
        let step = *self.steps.get(key);
        let offset = from - step.start;
        let later = chance.below(3) > 0;
        let first = self.insert_from + offset;
        let holds = self.projection.actuator(actuator);
        let mut found = holds.gap(from.max(first), length, amount, step.occurrence.0, later);
        if found.is_none_or(|found| found < first) {
            found = holds.gap(from.max(first), length, amount, step.occurrence.0, true);
        }
        let Some(start) = found.map(|found| found - offset).filter(|start| *start >= self.insert_from) else {
            return false;
        };
        self.shift(key, start);
        true
    }

    fn holder_in_the_way(&self, actuator: GroundActuatorId, chance: &mut Chance) -> Option<(StepKey, Tick, Tick, i64)> {
        let holds = &self.projection.holds[actuator];
        let first = chance.below(holds.count());
        holds.crowded_from(first).find_map(|hold| {
            let key = self.steps.owner(OccurrenceId(hold.source)).filter(|key| self.is_open(*key))?;
            Some((key, hold.from, hold.to - hold.from, hold.amount))
        })
    }

    /// A step, if it is its turn, starts as soon as it can.
    pub(super) fn hasten(&mut self, chance: &mut Chance) -> bool {
        self.look_over(chance).is_some_and(|key| self.hasten_step(key, chance))
    }

    /// A step starts as soon as its conditions hold and what it uses is free.
    pub(in crate::repair) fn hasten_step(&mut self, key: StepKey, chance: &mut Chance) -> bool {
        let step = *self.steps.get(key);
        let repertoire = self.repertoire();
        let form = &repertoire.forms[step.form];
        let length = self.projection.occurrence(step.occurrence).duration;
        let changes = |draft: &Self| -> Vec<Tick> {
            let needs = form.needs.iter().filter(|need| need.weight.is_none());
            needs.flat_map(|need| draft.projection.changes(&need.reads, &need.condition, draft.insert_from)).collect()
        };
        // Looked for only where something is not there from the beginning.
        let mut ready: Option<Vec<Tick>> = None;
        let (mut tick, mut hops) = (self.insert_from, 0);
        while tick < step.start {
            let next = if self.readiness(step.form, tick) > 0 {
                let ready = ready.get_or_insert_with(|| changes(self));
                ready.iter().copied().filter(|ready| *ready > tick).min()
            } else {
                match self.first_release(step, tick, length) {
                    None => {
                        self.shift(key, tick);
                        return true;
                    }
                    released => released,
                }
            };
            hops += 1;
            tick = match (next, hops) {
                (None, _) | (_, HOPS_MAX..) => return false,
                // In a long plan the first part of the time is looked at, and another somewhere in the rest.
                (Some(next), HOPS_HERE) => next + chance.below(usize::try_from(step.start - next).unwrap_or(0)) as Tick,
                (Some(next), _) => next,
            };
        }
        false
    }

    /// When the first of those lets go who keep a step from starting at a tick; none if nobody does.
    fn first_release(&mut self, step: Planned, tick: Tick, length: Tick) -> Option<Tick> {
        let repertoire = self.repertoire();
        let mut released = None;
        for grip in &repertoire.forms[step.form].grips {
            let offset = grip.from.offset(length);
            let (from, to) = (tick + offset, tick + grip.to.offset(length).min(length));
            let holds = self.projection.actuator(grip.actuator);
            if holds.more_with(from, to, grip.amount, Some(step.occurrence.0)) > 0 {
                let first = holds.first_release(from, to, step.occurrence.0);
                // Who wants more than there is never starts.
                released = released.max(Some(first.map_or(Tick::MAX, |first| first - offset)));
            }
        }
        released
    }
}
