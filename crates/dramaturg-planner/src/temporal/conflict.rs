//! Which steps touch the same thing, and moves of steps that respect it.

use dramaturg_model::Tick;

use super::footprint::{Footprint, Slot};
use super::stage::Stage;
use crate::ground::OperatorId;

/// What some steps touch together.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    now: u32,
    read: Vec<u32>,
    set: Vec<u32>,
    added: Vec<u32>,
}

fn mark(marks: &mut [u32], slots: impl Iterator<Item = Slot>, now: u32) {
    for slot in slots {
        if let Some(mark) = marks.get_mut(slot as usize) {
            *mark = now;
        }
    }
}

impl Touched {
    pub(super) fn new(slots: usize) -> Self {
        Self { now: 0, read: vec![0; slots], set: vec![0; slots], added: vec![0; slots] }
    }

    /// Forgets all steps.
    pub(super) fn clear(&mut self) {
        self.now += 1;
    }

    /// One more step.
    pub(super) fn add(&mut self, footprint: &Footprint) {
        mark(&mut self.read, footprint.reads(), self.now);
        mark(&mut self.set, footprint.sets(), self.now);
        mark(&mut self.added, footprint.adds(), self.now);
    }

    /// Whether a step may not change places with all of them.
    pub(super) fn meets(&self, footprint: &Footprint) -> bool {
        let has = |marks: &[u32], slot: Slot| marks.get(slot as usize) == Some(&self.now);
        footprint.reads().any(|slot| has(&self.set, slot) || has(&self.added, slot))
            || footprint.sets().any(|slot| has(&self.read, slot) || has(&self.set, slot) || has(&self.added, slot))
            || footprint.adds().any(|slot| has(&self.read, slot) || has(&self.set, slot))
    }

    /// Steps in which a later one comes before an earlier one, with all between them that it depends on.
    pub(super) fn brought_forward(
        &mut self,
        stage: &Stage,
        steps: &[OperatorId],
        earlier: usize,
        later: usize,
        into: &mut Vec<OperatorId>,
    ) {
        into.clear();
        into.extend_from_slice(steps.get(..earlier).unwrap_or(&[]));
        let (Some(first), Some(last)) = (steps.get(earlier), steps.get(later)) else { return };
        self.clear();
        self.add(stage.footprints.of(*last));
        let between = steps.get(earlier + 1..later).unwrap_or(&[]);
        let mut comes_along = vec![false; between.len()];
        for (place, operator) in between.iter().enumerate().rev() {
            let footprint = stage.footprints.of(*operator);
            if self.meets(footprint) {
                self.add(footprint);
                if let Some(along) = comes_along.get_mut(place) {
                    *along = true;
                }
            }
        }
        into.extend(between.iter().zip(&comes_along).filter(|(_, along)| **along).map(|(step, _)| *step));
        into.extend([*last, *first]);
        into.extend(between.iter().zip(&comes_along).filter(|(_, along)| !**along).map(|(step, _)| *step));
        into.extend_from_slice(steps.get(later + 1..).unwrap_or(&[]));
    }

    /// Steps in the order of their starts, as far as those that touch the same thing keep theirs.
    pub(super) fn by_start(&mut self, stage: &Stage, steps: &[OperatorId], starts: &[Tick]) -> Vec<OperatorId> {
        let mut sorted: Vec<(Tick, OperatorId)> = Vec::with_capacity(steps.len());
        for (operator, start) in steps.iter().zip(starts) {
            self.clear();
            self.add(stage.footprints.of(*operator));
            let mut place = sorted.len();
            while let Some((before, other)) = place.checked_sub(1).and_then(|last| sorted.get(last)) {
                if before <= start || self.meets(stage.footprints.of(*other)) {
                    break;
                }
                place -= 1;
            }
            sorted.insert(place, (*start, *operator));
        }
        sorted.into_iter().map(|(_, operator)| operator).collect()
    }
}
