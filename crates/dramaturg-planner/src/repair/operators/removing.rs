//! R4 and R10: steps are taken out.

use dramaturg_model::Chance;

use super::Trouble;
use super::lack::Lack;
use crate::repair::draft::Draft;
use crate::repair::moment::Moment;
use crate::repair::occurrence::OccurrenceId;
use crate::repair::plan::StepKey;
use crate::repair::repertoire::Kind;
use crate::repair::slot::SlotId;

/// So many steps are looked at in search of an action.
const SCANNED: usize = 256;

impl Draft {
    /// The step that gave a slot the value it has at a tick.
    pub(super) fn spoiler(&self, trouble: Trouble) -> Option<StepKey> {
        let timeline = self.projection.timeline(trouble.lack.slot());
        let look = if trouble.any_time { self.projection.horizon } else { trouble.tick };
        let at = timeline.place(Moment::check(look));
        let entry = at.checked_sub(1).and_then(|at| timeline.entries().get(at))?;
        self.steps.owner(OccurrenceId(entry.source.0)).filter(|key| self.is_open(*key))
    }

    /// A step that changes a number the wrong way: any of them where only the end counts, else one near the tick.
    pub(super) fn adverse(&self, slot: SlotId, up: bool, trouble: Trouble, chance: &mut Chance) -> Option<StepKey> {
        let wrong = Lack::Amount { slot, up: !up };
        let any = if trouble.any_time { self.step_for(wrong, chance) } else { None };
        any.or_else(|| self.contributor(slot, trouble.tick, Some(wrong), chance))
    }

    /// A step that helps with a lack: each action is as likely, however often it is planned.
    pub(super) fn step_for(&self, lack: Lack, chance: &mut Chance) -> Option<StepKey> {
        let helpers = self.helpers(lack).count();
        let form = self.helpers(lack).nth(chance.below(helpers))?.form;
        let open = self.steps.open();
        let (before, after) = open.split_at_checked(chance.below(open.len()))?;
        let round = after.iter().chain(before).take(SCANNED);
        round.copied().find(|key| self.steps.get(*key).form == form)
    }

    /// R4: what spoils it is taken out.
    pub(super) fn remove_spoiler(&mut self, trouble: Trouble, chance: &mut Chance) -> bool {
        let spoiler = match trouble.lack {
            Lack::Amount { slot, up } => self.adverse(slot, up, trouble, chance),
            _ => self.spoiler(trouble),
        };
        let spoiler = spoiler.filter(|spoiler| Some(*spoiler) != trouble.needer);
        spoiler.is_some_and(|spoiler| self.drop_step(spoiler))
    }

    /// The step to be looked at when the plan is looked over. Where nothing is wished for, each in its turn: none is passed over, and
    /// neighbours, which share what they read, come one after the other. Else any of them, between other repairs.
    pub(super) fn look_over(&mut self, chance: &mut Chance) -> Option<StepKey> {
        if self.tally.wished.total() == 0 {
            return self.steps.look_on();
        }
        let open = self.steps.open();
        open.get(chance.below(open.len())).copied()
    }

    /// R10: a step that nobody needs is taken out.
    pub(super) fn prune(&mut self, chance: &mut Chance) -> bool {
        let Some(key) = self.look_over(chance) else { return false };
        let before = self.cost();
        if before.hard == 0 && self.relies_on(key) {
            return false;
        }
        let mark = self.steps.journal.len();
        self.remove(key);
        self.settle();
        if self.cost() >= before {
            self.undo_to(mark);
            return false;
        }
        true
    }

    /// Of several times that an object is anchored again only the last stays.
    pub(super) fn keep_last_reanchor(&mut self, object: u32) -> bool {
        let repertoire = self.repertoire();
        let again = self
            .steps
            .open()
            .iter()
            .copied()
            .filter(|key| repertoire.kinds[self.steps.get(*key).form] == Kind::Reanchor(object));
        let mut again: Vec<StepKey> = again.collect();
        again.sort_by_key(|key| (self.steps.get(*key).start, *key));
        again.pop();
        again.iter().for_each(|key| self.remove(*key));
        !again.is_empty()
    }
}
