//! What a planner has published, and what of it is committed.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Step, Tick};
use serde::{Deserialize, Serialize};

use crate::planner::{PlanDelta, TickBounds};

/// What was published, what of it is committed, and from when on anything may be changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PublishedPlan {
    /// What was published and is still the planner's to change.
    #[serde(with = "super::by_id")]
    pub published: BTreeMap<u32, Step>,
    /// The same before the last publication.
    #[serde(with = "super::by_id")]
    published_before: BTreeMap<u32, Step>,
    /// Steps that are no longer the planner's to change, and have not ended.
    #[serde(with = "super::by_id", rename = "taken")]
    pub committed: BTreeMap<u32, Step>,
    /// Of these, the ones that nobody has locked: they only start before what may be changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    unlocked: BTreeSet<u32>,
    /// Between which ticks the game is.
    pub now: TickBounds,
    /// Nothing before this tick is ours to change.
    pub insert_from: Tick,
    /// The number of the next new step.
    next_id: u32,
    /// Counts what was published.
    version: u64,
}

impl PublishedPlan {
    /// A number that no step has had, for a new one.
    pub fn number(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        id
    }

    /// The next number that [`PublishedPlan::number`] gives.
    pub fn next_number(&self) -> u32 {
        self.next_id
    }

    /// Numbers below this one have been given to steps.
    pub fn skip_to(&mut self, next: u32) {
        self.next_id = self.next_id.max(next);
    }

    /// The step of a number, if it has not ended.
    pub fn step(&self, id: u32) -> Option<&Step> {
        self.committed.get(&id).or_else(|| self.published.get(&id))
    }

    /// Time passes. If it turned out that less of it has passed than was thought, so that steps may start sooner than
    /// was planned for, these are ours again: what was out of reach only by its start.
    pub(super) fn pass(&mut self, now: TickBounds, insert_from: Tick) -> Option<Vec<Step>> {
        let goes_back = insert_from < self.insert_from;
        (self.now, self.insert_from) = (now, insert_from);
        goes_back.then(|| {
            let unlocked = &mut self.unlocked;
            let released = self.committed.extract_if(.., |id, step| step.start >= insert_from && unlocked.remove(id));
            let released: Vec<Step> = released.map(|(_, step)| step).collect();
            self.published.extend(released.iter().map(|step| (step.id, step.clone())));
            released
        })
    }

    /// A step was locked or has started: it is no longer ours. Whether it was.
    pub(super) fn commit(&mut self, id: u32) -> bool {
        self.unlocked.remove(&id);
        let step = self.published.remove(&id);
        let is_ours = step.is_some();
        self.committed.extend(step.map(|step| (id, step)));
        is_ours
    }

    /// What starts before anything may be changed is no longer ours, whether or not it has been locked. Which that is.
    pub(super) fn commit_begun(&mut self) -> Vec<u32> {
        let begun = self.published.extract_if(.., |_, step| step.start < self.insert_from);
        let ids: Vec<u32> = begun.map(|(id, step)| (self.committed.insert(id, step), id).1).collect();
        self.unlocked.extend(&ids);
        ids
    }

    /// A step has ended or will never begin.
    pub(super) fn forget(&mut self, id: u32) -> Option<Step> {
        self.unlocked.remove(&id);
        self.published_before.remove(&id);
        self.committed.remove(&id).or_else(|| self.published.remove(&id))
    }

    /// What was published as this version was not taken over; whether it was the last one: then what was published before stands.
    pub(super) fn reject(&mut self, version: u64) -> bool {
        let is_last = version == self.version;
        if is_last {
            self.published.clone_from(&self.published_before);
            let committed = &self.committed;
            self.published.retain(|id, _| !committed.contains_key(id));
        }
        is_last
    }

    /// What changes if this is wanted from now on. What starts too soon to be changed stays.
    pub(super) fn changes(&mut self, wanted: &BTreeMap<u32, Step>) -> PlanDelta {
        self.version += 1;
        let mut delta = PlanDelta { version: self.version, ..PlanDelta::between(&self.published, wanted) };
        delta.removed.retain(|id| self.published.get(id).is_some_and(|step| step.start >= self.insert_from));
        delta
    }

    /// Nothing changes.
    pub(super) fn republish(&mut self) -> PlanDelta {
        self.version += 1;
        self.published_before.clone_from(&self.published);
        PlanDelta { version: self.version, ..PlanDelta::default() }
    }

    /// This is published from now on.
    pub(super) fn publish(&mut self, wanted: BTreeMap<u32, Step>) {
        self.published_before = std::mem::replace(&mut self.published, wanted);
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_model::Plan;

    use super::*;

    /// What planners save, with a book in it.
    #[derive(Serialize, Deserialize)]
    struct Saved {
        before: u32,
        #[serde(flatten)]
        plan: PublishedPlan,
        after: BTreeMap<u32, u32>,
    }

    fn step(id: u32, start: Tick) -> Step {
        let mut plan = Plan::default();
        plan.add("ring", ["bell"], start, 3);
        Step { id, ..plan.steps.remove(0) }
    }

    #[test]
    fn saves_of_planners_that_listed_all_of_it_themselves_are_still_read() {
        let ring = serde_json::to_string(&step(7, 20)).expect("a step can be written");
        let text = format!(
            "{{\"before\":1,\"published\":{{\"7\":{ring}}},\"published_before\":{{}},\"taken\":{{\"12\":{ring}}},\
             \"now\":{{\"least\":4,\"most\":5}},\"insert_from\":9,\"next_id\":13,\"version\":3,\"after\":{{\"2\":6}}}}"
        );
        let saved: Saved = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(saved.plan.published, BTreeMap::from([(7, step(7, 20))]));
        assert_eq!(saved.plan.committed.keys().copied().collect::<Vec<_>>(), [12]);
        assert_eq!((saved.plan.insert_from, saved.plan.next_id, saved.plan.version), (9, 13, 3));
        assert_eq!(saved.plan.now, TickBounds { least: 4, most: 5 });
        let again = serde_json::to_string(&saved).expect("it can be written");
        let again: Saved = serde_json::from_str(&again).expect("it can be read again");
        assert_eq!((again.before, again.plan, again.after), (1, saved.plan, BTreeMap::from([(2, 6)])));
    }

    #[test]
    fn what_was_refused_never_happened_but_what_was_taken_meanwhile_stays_taken() {
        let mut plan = PublishedPlan { insert_from: 5, ..PublishedPlan::default() };
        let first = BTreeMap::from([(1, step(1, 10)), (2, step(2, 20))]);
        assert_eq!(plan.changes(&first).version, 1);
        plan.publish(first.clone());
        let second = BTreeMap::from([(1, step(1, 10)), (3, step(3, 30))]);
        let delta = plan.changes(&second);
        assert_eq!((delta.version, delta.put.len(), delta.removed), (2, 1, vec![2]));
        plan.publish(second.clone());
        assert!(plan.commit(1) && !plan.commit(1));
        assert!(!plan.reject(1), "that one was taken over long ago");
        assert_eq!(plan.published.keys().copied().collect::<Vec<_>>(), [3]);
        assert!(plan.reject(2));
        assert_eq!(plan.published.keys().copied().collect::<Vec<_>>(), [2]);
        // What begins before anything may be changed can be neither moved nor taken back.
        plan.pass(TickBounds::exactly(21), 22);
        plan.commit_begun();
        assert_eq!(plan.committed.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert!(plan.changes(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn what_was_committed_only_by_its_start_may_be_changed_again_if_time_goes_back() {
        let mut plan = PublishedPlan { insert_from: 5, ..PublishedPlan::default() };
        plan.publish(BTreeMap::from([(1, step(1, 10)), (2, step(2, 20)), (3, step(3, 30))]));
        // The game is taken to be 30 ticks further than it is; one step is locked meanwhile.
        assert_eq!(plan.pass(TickBounds { least: 0, most: 31 }, 35), None);
        assert_eq!(plan.commit_begun(), [1, 2, 3]);
        assert!(!plan.commit(2), "it was committed already");
        let released = plan.pass(TickBounds { least: 1, most: 3 }, 15).expect("time went back");
        assert_eq!(released, [step(3, 30)], "neither what was locked nor what starts too soon");
        assert_eq!(plan.published.keys().copied().collect::<Vec<_>>(), [3]);
        assert_eq!(plan.committed.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(plan.changes(&BTreeMap::new()).removed, [3]);
    }
}
