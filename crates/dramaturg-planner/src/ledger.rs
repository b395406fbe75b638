//! What a planner has published, and what of it is no longer its own: every planner behind the contract keeps such a book.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Step, Tick};
use serde::{Deserialize, Serialize};

use crate::planner::{PlanDelta, TickBounds};

/// What was published, what is in other hands, and from when on anything may be changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// What was published and is still ours to change.
    #[serde(with = "by_id")]
    pub(crate) published: BTreeMap<u32, Step>,
    /// The same before the last publication.
    #[serde(with = "by_id")]
    pub(crate) published_before: BTreeMap<u32, Step>,
    /// Steps that are no longer ours and have not ended.
    #[serde(with = "by_id")]
    pub(crate) taken: BTreeMap<u32, Step>,
    /// Of these, the ones that nobody has locked: they only start before what may be changed.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unlocked: BTreeSet<u32>,
    /// Between which ticks the game is.
    pub(crate) now: TickBounds,
    /// Nothing before this tick is ours to change.
    pub(crate) insert_from: Tick,
    /// The number of the next new step.
    pub(crate) next_id: u32,
    /// Counts what was published.
    pub(crate) version: u64,
}

impl Ledger {
    /// A number that no step has had.
    pub(crate) fn number(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        id
    }

    /// Time passes. If it turned out that less of it has passed than was thought, so that steps may start sooner than
    /// was planned for, these are ours again: what was out of reach only by its start.
    pub(crate) fn pass(&mut self, now: TickBounds, insert_from: Tick) -> Option<Vec<Step>> {
        let goes_back = insert_from < self.insert_from;
        (self.now, self.insert_from) = (now, insert_from);
        goes_back.then(|| {
            let unlocked = &mut self.unlocked;
            let released = self.taken.extract_if(.., |id, step| step.start >= insert_from && unlocked.remove(id));
            let released: Vec<Step> = released.map(|(_, step)| step).collect();
            self.published.extend(released.iter().map(|step| (step.id, step.clone())));
            released
        })
    }

    /// A step was locked or has started: it is no longer ours. Whether it was.
    pub(crate) fn take(&mut self, id: u32) -> bool {
        self.unlocked.remove(&id);
        let step = self.published.remove(&id);
        let is_ours = step.is_some();
        self.taken.extend(step.map(|step| (id, step)));
        is_ours
    }

    /// What starts before anything may be changed is no longer ours, whether or not it has been locked. Which that is.
    pub(crate) fn take_begun(&mut self) -> Vec<u32> {
        let begun = self.published.extract_if(.., |_, step| step.start < self.insert_from);
        let ids: Vec<u32> = begun.map(|(id, step)| (self.taken.insert(id, step), id).1).collect();
        self.unlocked.extend(&ids);
        ids
    }

    /// A step has ended or will never begin.
    pub(crate) fn lose(&mut self, id: u32) -> Option<Step> {
        self.unlocked.remove(&id);
        self.taken.remove(&id).or_else(|| self.published.remove(&id))
    }

    /// What was published as this version was not taken over; whether it was the last one: then what was published before stands.
    pub(crate) fn reject(&mut self, version: u64) -> bool {
        let is_last = version == self.version;
        if is_last {
            self.published.clone_from(&self.published_before);
            let taken = &self.taken;
            self.published.retain(|id, _| !taken.contains_key(id));
        }
        is_last
    }

    /// What changes if this is wanted from now on. What starts too soon to be changed stays.
    pub(crate) fn changes(&mut self, wanted: &BTreeMap<u32, Step>) -> PlanDelta {
        self.version += 1;
        let mut delta = PlanDelta { version: self.version, ..PlanDelta::between(&self.published, wanted) };
        delta.removed.retain(|id| self.published.get(id).is_some_and(|step| step.start >= self.insert_from));
        delta
    }

    /// Nothing changes.
    pub(crate) fn stay(&mut self) -> PlanDelta {
        self.version += 1;
        self.published_before.clone_from(&self.published);
        PlanDelta { version: self.version, ..PlanDelta::default() }
    }

    /// This is published from now on.
    pub(crate) fn publish(&mut self, wanted: BTreeMap<u32, Step>) {
        self.published_before = std::mem::replace(&mut self.published, wanted);
    }
}

/// Steps by their numbers. As part of something larger their keys come as text, and are read as numbers again.
mod by_id {
    use std::collections::BTreeMap;

    use dramaturg_model::Step;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use smol_str::SmolStr;

    pub(super) fn serialize<S: Serializer>(steps: &BTreeMap<u32, Step>, serializer: S) -> Result<S::Ok, S::Error> {
        steps.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<u32, Step>, D::Error> {
        let read: BTreeMap<SmolStr, Step> = BTreeMap::deserialize(deserializer)?;
        read.into_iter().map(|(id, step)| Ok((id.parse().map_err(D::Error::custom)?, step))).collect()
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
        ledger: Ledger,
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
        assert_eq!(saved.ledger.published, BTreeMap::from([(7, step(7, 20))]));
        assert_eq!(saved.ledger.taken.keys().copied().collect::<Vec<_>>(), [12]);
        assert_eq!((saved.ledger.insert_from, saved.ledger.next_id, saved.ledger.version), (9, 13, 3));
        assert_eq!(saved.ledger.now, TickBounds { least: 4, most: 5 });
        let again = serde_json::to_string(&saved).expect("it can be written");
        let again: Saved = serde_json::from_str(&again).expect("it can be read again");
        assert_eq!((again.before, again.ledger, again.after), (1, saved.ledger, BTreeMap::from([(2, 6)])));
    }

    #[test]
    fn what_was_refused_never_happened_but_what_was_taken_meanwhile_stays_taken() {
        let mut ledger = Ledger { insert_from: 5, ..Ledger::default() };
        let first = BTreeMap::from([(1, step(1, 10)), (2, step(2, 20))]);
        assert_eq!(ledger.changes(&first).version, 1);
        ledger.publish(first.clone());
        let second = BTreeMap::from([(1, step(1, 10)), (3, step(3, 30))]);
        let delta = ledger.changes(&second);
        assert_eq!((delta.version, delta.put.len(), delta.removed), (2, 1, vec![2]));
        ledger.publish(second.clone());
        assert!(ledger.take(1) && !ledger.take(1));
        assert!(!ledger.reject(1), "that one was taken over long ago");
        assert_eq!(ledger.published.keys().copied().collect::<Vec<_>>(), [3]);
        assert!(ledger.reject(2));
        assert_eq!(ledger.published.keys().copied().collect::<Vec<_>>(), [2]);
        // What begins before anything may be changed can be neither moved nor taken back.
        ledger.pass(TickBounds::exactly(21), 22);
        ledger.take_begun();
        assert_eq!(ledger.taken.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert!(ledger.changes(&BTreeMap::new()).is_empty());
    }
}
