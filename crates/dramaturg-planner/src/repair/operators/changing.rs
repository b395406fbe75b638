//! R6 and R9: other arguments, or another action, in the place of a step.

use dramaturg_model::{Chance, Tick};

use super::Trouble;
use super::lack::Lack;
use crate::repair::draft::Draft;
use crate::repair::moment::Moment;
use crate::repair::occurrence::OccurrenceId;
use crate::repair::plan::StepKey;
use crate::repair::repertoire::{Achiever, FormId};
use crate::repair::slot::SlotId;

/// So many others are compared.
const COMPARED: usize = 6;

impl Draft {
    /// R6: the step that needs something does without, or the one that spoils it helps, with other arguments.
    pub(super) fn rebind(&mut self, trouble: Trouble, chance: &mut Chance) -> bool {
        let key = match trouble.needer.filter(|needer| self.is_open(*needer)) {
            Some(needer) => needer,
            None => match self.spoiler(trouble) {
                Some(spoiler) => spoiler,
                None => return false,
            },
        };
        let helps = trouble.needer != Some(key);
        let step = *self.steps.get(key);
        let repertoire = self.repertoire();
        let action = repertoire.problem.operators[repertoire.operators[step.form]].action;
        let Some(siblings) = repertoire.siblings.get(&action) else { return false };
        let mut best: Option<(i64, FormId)> = None;
        for number in 0..siblings.len().min(COMPARED) {
            let at = if siblings.len() > COMPARED { chance.below(siblings.len()) } else { number };
            let Some(form) = siblings.get(at).copied().filter(|form| *form != step.form) else { continue };
            let meets = |achiever: &Achiever| achiever.form == form;
            if helps && !self.helpers(trouble.lack).any(meets) || !self.is_like(step.form, form, helps) {
                continue;
            }
            let short = self.readiness(form, step.start);
            if best.is_none_or(|(known, _)| short < known || (short == known && chance.below(2) == 0)) {
                best = Some((short, form));
            }
        }
        best.is_some_and(|(_, form)| self.exchange(key, form))
    }

    /// Whether an anchored object stays the same when arguments change, and no other is made.
    fn is_like(&self, old: FormId, new: FormId, helps: bool) -> bool {
        use crate::repair::repertoire::Kind;
        let kinds = &self.projection.repertoire.kinds;
        match (kinds[old], kinds[new]) {
            (Kind::Anchor(one), Kind::Anchor(other)) | (Kind::Reanchor(one), Kind::Reanchor(other)) => {
                one == other || !helps
            }
            _ => true,
        }
    }

    /// Puts another form in the place of a step.
    pub(super) fn exchange(&mut self, key: StepKey, form: FormId) -> bool {
        if !self.is_open(key) {
            return false;
        }
        let start = self.steps.get(key).start;
        self.remove(key);
        self.add(form, start, None);
        true
    }

    /// A step that changes a slot near a tick.
    fn near(&self, slot: SlotId, tick: Tick, chance: &mut Chance) -> Option<StepKey> {
        let timeline = self.projection.timeline(slot);
        let at = timeline.place(Moment::check(tick));
        let near = timeline.entries().get(at.saturating_sub(4)..).unwrap_or(&[]).iter().take(8);
        let near = near.filter_map(|entry| self.steps.owner(OccurrenceId(entry.source.0)));
        let near: Vec<StepKey> = near.filter(|key| self.is_open(*key)).collect();
        near.get(chance.below(near.len())).copied()
    }

    /// R9: another action does what a step does to the slot at hand.
    pub(super) fn replace(&mut self, trouble: Trouble, chance: &mut Chance) -> bool {
        let key = match trouble.lack {
            Lack::Amount { slot, up } if trouble.any_time => self.adverse(slot, up, trouble, chance),
            lack => self.near(lack.slot(), trouble.tick, chance),
        };
        let Some(key) = key else { return false };
        let old = self.steps.get(key).form;
        let others: Vec<FormId> = self
            .helpers(trouble.lack)
            .map(|achiever| achiever.form)
            .filter(|form| *form != old && self.may(*form) && self.is_first_of_its_kind(*form))
            .collect();
        let Some(form) = others.get(chance.below(others.len())).copied() else { return false };
        self.exchange(key, form)
    }
}
