//! One repair after another: a defect is picked, a way of repairing it is tried, and the best plan so far is kept.

use dramaturg_model::{Chance, Tick};

use super::defect::{Class, Cost};
use super::draft::Draft;
use super::occurrence::OccurrenceId;
use super::operators::WAYS;
use super::plan::StepKey;
use super::preference::{Patience, Preference};
use super::repertoire::FormId;
use crate::packed::PackedState;
use crate::planner::Budget;

/// A draft that is being repaired.
#[derive(Clone, Debug)]
pub(crate) struct Workshop {
    pub(crate) draft: Draft,
    /// What the best plan lacks; undoing the journal leads back to it.
    pub(crate) best: Cost,
    patience: Patience,
    /// How many repairs have been tried since the best plan was found.
    pub(crate) quiet: u32,
    /// How many repairs have been tried since so little of what is required was missing.
    pub(crate) vain: u32,
    /// Counts the best plans.
    pub(crate) edition: u64,
    /// Steps that may start sooner, now that nothing required is missing any longer; the first of them last.
    hurry: Vec<StepKey>,
}

/// What came of a repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nothing is wrong.
    Perfect,
    /// It did not lead to a better plan.
    Tried,
    /// It led to a better plan.
    Improved,
}

/// So many repairs in vain are tried on what is required alone, before it is taken for something that cannot be had.
const EARNEST: u32 = 512;

/// So many repairs in a row are then tried on what is liked, and as many on what is required.
const SPELL: u32 = 64;

/// So many ways are tried for a defect, until one of them does something.
const TRIES: u32 = 3;

/// A chain of steps waits at most so many ticks for what is under way.
const FOOTING_MAX: Tick = 3_600;

/// No more steps than this are looked at when they might start sooner.
const HURRY_MAX: usize = 256;

/// What rests on steps that are in the way is followed so far.
const ROOM_ROUNDS: u32 = 8;

/// No preference for any way of repairing any class of defects.
pub(crate) fn no_preference() -> Vec<Preference> {
    WAYS.iter().map(|ways| Preference::new(ways.len())).collect()
}

impl Workshop {
    /// Begins with a draft, which is the best plan so far.
    pub(crate) fn new(mut draft: Draft, patience: Option<u32>) -> Self {
        draft.settle();
        draft.steps.commit();
        Self {
            best: draft.cost(),
            draft,
            patience: Patience::new(patience),
            quiet: 0,
            vain: 0,
            edition: 0,
            hurry: Vec::new(),
        }
    }

    /// One repair.
    pub(crate) fn turn(&mut self, preferences: &mut [Preference], chance: &mut Chance) -> Turn {
        if let Some(key) = self.hurry.pop() {
            let improved = self.hasten(key, chance);
            self.quiet = if improved { 0 } else { self.quiet.saturating_add(1) };
            return if improved { Turn::Improved } else { Turn::Tried };
        }
        // What is required and cannot be had does not keep for ever what is liked from being repaired: they take turns.
        let spares =
            self.best.hard > 0 && self.vain.checked_sub(EARNEST).is_some_and(|vain| (vain / SPELL).is_multiple_of(2));
        let Some((class, defect)) = self.draft.pick_defect(spares, chance) else { return Turn::Perfect };
        let Some(preference) = preferences.get_mut(class as usize) else { return Turn::Perfect };
        let missing = self.draft.missing_of(class, defect);
        preference.judge(missing);
        let mut done = false;
        for _ in 0..if Class::NUMBERS.contains(&class) { TRIES } else { 1 } {
            let way = preference.pick(missing, chance);
            let way = WAYS.get(class as usize).and_then(|ways| ways.get(way)).copied();
            done = way.is_some_and(|way| self.draft.repair(defect, way, chance));
            if done {
                self.draft.settle();
                break;
            }
            preference.regret();
        }
        let cost = self.draft.cost();
        let improved = done && cost < self.best;
        self.vain = self.vain.saturating_add(1);
        if improved {
            self.note_best(cost);
        }
        if self.patience.is_over(improved) {
            self.draft.roll_back();
            preferences.iter_mut().for_each(Preference::forget);
            for class in Class::NUMBERS {
                preferences.get_mut(class as usize).into_iter().for_each(Preference::fade);
            }
        }
        self.quiet = if improved { 0 } else { self.quiet.saturating_add(1) };
        if improved { Turn::Improved } else { Turn::Tried }
    }

    /// Whether a condition of the step with this id does not hold.
    pub(crate) fn lacks(&self, id: u32) -> bool {
        let (steps, projection) = (&self.draft.steps, &self.draft.projection);
        let owner = |occurrence: OccurrenceId| steps.owner(occurrence).and_then(|key| steps.get(key).id);
        projection.broken.iter().any(|(occurrence, _)| owner(*occurrence) == Some(id))
    }

    /// Goes back to the best plan.
    pub(crate) fn recall(&mut self) {
        self.draft.roll_back();
    }

    /// Takes out of the best plan what nobody needs, as far as it starts before a tick.
    pub(crate) fn sweep(&mut self, until: Tick) {
        self.recall();
        let soon = self.draft.steps.open().iter().copied();
        let mut soon: Vec<_> = soon.filter(|key| self.draft.steps.get(*key).start < until).collect();
        soon.sort_by_key(|key| (std::cmp::Reverse(self.draft.steps.get(*key).start), *key));
        for key in soon {
            if !self.draft.steps.get(key).alive {
                continue;
            }
            self.draft.remove(key);
            if self.keep_if_better() {
                continue;
            }
            for (form, again) in self.draft.simpler_anchors(key) {
                let start = self.draft.steps.get(key).start;
                self.draft.remove(key);
                again.into_iter().for_each(|again| self.draft.remove(again));
                self.draft.add(form, start, None);
                if self.keep_if_better() {
                    break;
                }
            }
        }
    }

    /// Takes out of the best plan what cannot be performed in it, one by one, as far as less is missing without. Whether anything was.
    pub(crate) fn shed(&mut self, budget: &mut Budget) -> bool {
        self.recall();
        let owner = |(id, _): &(OccurrenceId, u16)| self.draft.steps.owner(*id);
        let broken = self.draft.projection.broken.iter().filter_map(owner);
        let mut broken: Vec<StepKey> = broken.filter(|key| self.draft.is_open(*key)).collect();
        // The last first: what only it needed is then looked at without it.
        broken.sort_by_key(|key| (std::cmp::Reverse(self.draft.steps.get(*key).start), *key));
        broken.dedup();
        let mut better = false;
        for key in broken {
            if !budget.take() {
                break;
            }
            self.draft.remove(key);
            better |= self.keep_if_better();
        }
        self.quiet = if better { 0 } else { self.quiet };
        better
    }

    /// When all is over that nobody can change, and how things are then if nothing else is done.
    pub(crate) fn footing(&mut self) -> (Tick, PackedState) {
        self.recall();
        self.clear();
        self.draft.settle();
        let (steps, projection) = (&self.draft.steps, &self.draft.projection);
        let ends = steps.alive().map(|(_, step)| projection.occurrence(step.occurrence).end());
        let last = self.draft.insert_from.saturating_add(FOOTING_MAX);
        let tick = ends.max().unwrap_or(0).min(last).max(self.draft.insert_from);
        let state = projection.state(tick);
        self.recall();
        (tick, state)
    }

    /// Tries a chain of steps: beside the best plan, with what is in its way taken out, or instead of all that is open. Whether that
    /// is better.
    pub(crate) fn propose(&mut self, chain: &[(FormId, Tick)]) -> bool {
        for (instead, makes_room) in [(false, false), (false, true), (true, false)] {
            self.recall();
            if instead {
                self.clear();
            }
            let links: Vec<StepKey> = chain.iter().map(|(form, start)| self.draft.add(*form, *start, None)).collect();
            if makes_room {
                self.make_room(&links);
            }
            if self.keep_if_better() {
                self.quiet = 0;
                return true;
            }
        }
        false
    }

    /// Takes out what can be changed.
    fn clear(&mut self) {
        let open: Vec<StepKey> = self.draft.steps.open().to_vec();
        open.into_iter().for_each(|key| self.draft.remove(key));
    }

    /// Takes out what holds too much or cannot be performed, and what cannot be performed without that, except for some steps.
    fn make_room(&mut self, except: &[StepKey]) {
        for _ in 0..ROOM_ROUNDS {
            self.draft.settle();
            let broken = self.draft.projection.broken.iter().map(|(id, _)| *id);
            let held = self.draft.projection.actuators().filter(|(_, holds)| holds.excess() > 0);
            let crowded = held.flat_map(|(_, holds)| holds.crowded_from(0)).map(|hold| OccurrenceId(hold.source));
            let owners = broken.chain(crowded).filter_map(|id| self.draft.steps.owner(id));
            let can_go = |key: &StepKey| self.draft.is_open(*key) && !except.contains(key);
            let mut going: Vec<StepKey> = owners.filter(can_go).collect();
            going.sort_unstable();
            going.dedup();
            if going.is_empty() {
                return;
            }
            going.into_iter().for_each(|key| self.draft.remove(key));
        }
    }

    /// Keeps what was done to the best plan if it is better so, else undoes it.
    fn keep_if_better(&mut self) -> bool {
        self.draft.settle();
        let cost = self.draft.cost();
        let better = cost < self.best;
        if better {
            self.note_best(cost);
        } else {
            self.draft.roll_back();
        }
        better
    }

    /// The plan at hand is the best one.
    fn note_best(&mut self, cost: Cost) {
        self.draft.steps.commit();
        if cost.hard < self.best.hard {
            self.vain = 0;
            if cost.hard == 0 {
                self.hurry_up();
            }
        }
        self.best = cost;
        self.edition += 1;
    }

    /// What has been put somewhere so that it fits may fit sooner: other repairs would come upon that only by chance.
    fn hurry_up(&mut self) {
        let mut open: Vec<StepKey> = self.draft.steps.open().to_vec();
        open.sort_by_key(|key| (self.draft.steps.get(*key).start, *key));
        open.truncate(HURRY_MAX);
        open.reverse();
        self.hurry = open;
    }

    /// Lets a step of the best plan start as soon as it can. Whether that is better.
    fn hasten(&mut self, key: StepKey, chance: &mut Chance) -> bool {
        self.draft.is_open(key) && self.draft.hasten_step(key, chance) && self.keep_if_better()
    }

    /// Time has passed, and what starts before a tick is no longer ours.
    pub(crate) fn advance(&mut self, insert_from: Tick, is_published: impl Fn(u32) -> bool) {
        self.recall();
        self.draft.advance(insert_from, is_published);
        let cost = self.draft.cost();
        if cost.hard != self.best.hard {
            self.vain = 0;
        }
        if cost != self.best {
            (self.best, self.quiet) = (cost, 0);
            self.edition += 1;
        }
    }
}
