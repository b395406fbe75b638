//! Times for starts and ends that stand among each other: a network of moments, each as early as all others allow.

use dramaturg_model::Tick;
use smallvec::SmallVec;

use super::course::NOBODY;
use super::footprint::{Footprint, Slot};
use super::stage::{Part, Stage};
use crate::ground::{Condition, OperatorId};
use crate::packed::PackedState;

/// A moment: the start or the end of a step.
type Moment = u32;

/// The second comes at least so much after the first.
#[derive(Clone, Copy, Debug)]
struct Arc {
    from: Moment,
    to: Moment,
    least: Tick,
}

/// The moments that touched a slot, since it was set.
#[derive(Clone, Debug, Default)]
struct Touched {
    set: Option<Moment>,
    added: SmallVec<[Moment; 4]>,
    read: SmallVec<[Moment; 4]>,
    kept: SmallVec<[Moment; 4]>,
}

/// A step that has started and not ended.
struct Running<'s> {
    start: OperatorId,
    end: OperatorId,
    step: u32,
    keeps: &'s Condition,
}

/// Gives times to starts and ends that stand among each other.
#[derive(Clone, Debug)]
pub(super) struct Weaver {
    slots: Vec<Touched>,
    touched: Vec<Slot>,
    arcs: Vec<Arc>,
    times: Vec<Tick>,
    waits: Vec<Moment>,
}

impl Weaver {
    pub(super) fn new(slots: usize) -> Self {
        let slots = vec![Touched::default(); slots];
        Self { slots, touched: Vec::new(), arcs: Vec::new(), times: Vec::new(), waits: Vec::new() }
    }

    /// The state after all steps, with times written for each: the end of an action has the time and no duration. None if they
    /// cannot be performed so, or not in time.
    pub(super) fn run(
        &mut self,
        stage: &Stage,
        steps: &[OperatorId],
        starts: &mut Vec<Tick>,
        durations: &mut Vec<Tick>,
        causes: &mut Vec<u32>,
    ) -> Option<PackedState> {
        for slot in self.touched.drain(..) {
            if let Some(touched) = self.slots.get_mut(slot as usize) {
                *touched = Touched::default();
            }
        }
        self.arcs.clear();
        self.waits.clear();
        let mut state = stage.start.clone();
        let mut running: SmallVec<[Running<'_>; 8]> = SmallVec::new();
        // Each step has two moments, also where the second is of no use.
        let mut fixed: SmallVec<[(Moment, Tick); 4]> = SmallVec::new();
        for (step, operator) in (0u32..).zip(steps) {
            let (first, second) = (step * 2, step * 2 + 1);
            let footprint = stage.footprints.of(*operator);
            let mut duration = 0;
            let part = stage.part(*operator);
            if matches!(part, Part::Whole | Part::Start(..)) {
                duration = stage.duration(&state, *operator)?;
            }
            if !stage.problem.apply_to(&mut state, *operator) {
                return None;
            }
            durations.push(duration);
            self.touch(&footprint.start_reads, &footprint.start_sets, &footprint.start_adds, first, stage.epsilon);
            match part {
                Part::Given(at) => fixed.push((first, *at)),
                Part::Whole | Part::Start(..) => {
                    self.arcs.push(Arc { from: first, to: second, least: duration });
                    self.arcs.push(Arc { from: second, to: first, least: -duration });
                    self.keep(&footprint.keeps, first, second);
                    self.touch(&footprint.end_reads, &footprint.end_sets, &footprint.end_adds, second, stage.epsilon);
                    if let Part::Start(end, keeps) = part {
                        running.push(Running { start: *operator, end: *end, step, keeps });
                    }
                }
                Part::End(start) => {
                    let place = running.iter().position(|other| other.start == *start)?;
                    let begun = running.remove(place);
                    // The end of a step is the moment that its start has made room for.
                    self.arcs.push(Arc { from: first, to: begun.step * 2 + 1, least: 0 });
                    self.arcs.push(Arc { from: begun.step * 2 + 1, to: first, least: 0 });
                }
            }
            if running.iter().any(|other| !stage.problem.holds(&state, other.keeps)) {
                return None;
            }
        }
        for begun in &running {
            self.foresee(stage.footprints.of(begun.end), begun.step * 2 + 1, stage.epsilon);
        }
        self.settle(steps.len() * 2, &fixed)?;
        for step in 0..steps.len() as u32 {
            starts.push(self.times.get(step as usize * 2).copied().unwrap_or(0));
            causes.push(self.cause(step));
        }
        Some(state)
    }

    /// The other step that a step waits for, at its start or at its end.
    fn cause(&self, step: u32) -> u32 {
        let mut moment = step * 2;
        for _ in 0..3 {
            let Some(before) = self.waits.get(moment as usize).copied().filter(|before| *before != NOBODY) else {
                break;
            };
            if before / 2 != step {
                return before / 2;
            }
            moment = before;
        }
        NOBODY
    }

    fn keep(&mut self, slots: &[Slot], first: Moment, second: Moment) {
        for slot in slots {
            self.touched.push(*slot);
            let Some(touched) = self.slots.get_mut(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.added);
            self.arcs.extend(before.filter(|other| **other != first).map(|other| Arc {
                from: *other,
                to: first,
                least: 0,
            }));
            touched.kept.push(second);
        }
    }

    fn touch(&mut self, reads: &[Slot], sets: &[Slot], adds: &[Slot], moment: Moment, epsilon: Tick) {
        for slot in reads {
            self.touched.push(*slot);
            let Some(touched) = self.slots.get_mut(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.added);
            self.arcs.extend(before.map(|other| Arc { from: *other, to: moment, least: epsilon }));
            touched.read.push(moment);
        }
        for slot in adds {
            self.touched.push(*slot);
            let Some(touched) = self.slots.get_mut(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.read);
            self.arcs.extend(before.map(|other| Arc { from: *other, to: moment, least: epsilon }));
            self.arcs.extend(touched.kept.iter().map(|other| Arc { from: *other, to: moment, least: 0 }));
            touched.added.push(moment);
        }
        for slot in sets {
            self.touched.push(*slot);
            let Some(touched) = self.slots.get_mut(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.added).chain(&touched.read);
            self.arcs.extend(before.map(|other| Arc { from: *other, to: moment, least: epsilon }));
            // The end up to which something is kept may be this very moment.
            let kept = touched.kept.iter().filter(|other| **other != moment);
            self.arcs.extend(kept.map(|other| Arc { from: *other, to: moment, least: 0 }));
            *touched = Touched { set: Some(moment), ..Touched::default() };
        }
    }

    /// An end that is still to come comes after all that has touched what it will touch.
    fn foresee(&mut self, end: &Footprint, moment: Moment, epsilon: Tick) {
        for slot in &end.start_reads {
            let Some(touched) = self.slots.get(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.added);
            self.arcs.extend(before.map(|other| Arc { from: *other, to: moment, least: epsilon }));
        }
        for slot in &end.start_sets {
            let Some(touched) = self.slots.get(*slot as usize) else { continue };
            let before = touched.set.iter().chain(&touched.added).chain(&touched.read);
            self.arcs.extend(before.map(|other| Arc { from: *other, to: moment, least: epsilon }));
            let kept = touched.kept.iter().filter(|other| **other != moment);
            self.arcs.extend(kept.map(|other| Arc { from: *other, to: moment, least: 0 }));
        }
    }

    /// Times as early as all arcs allow; none if there are no such times.
    fn settle(&mut self, moments: usize, fixed: &[(Moment, Tick)]) -> Option<()> {
        self.times.clear();
        self.times.resize(moments, 0);
        self.waits.clear();
        self.waits.resize(moments, NOBODY);
        // Whatever waits longer than all takes one after another waits for itself.
        let steps: Tick = self.arcs.iter().map(|arc| arc.least.max(0)).sum();
        let horizon = fixed.iter().map(|(_, at)| *at).max().unwrap_or(0).saturating_add(steps);
        for (moment, at) in fixed {
            if let Some(time) = self.times.get_mut(*moment as usize) {
                *time = *at;
            }
        }
        for _ in 0..=moments {
            let mut moved = false;
            for Arc { from, to, least } in &self.arcs {
                let after = self.times.get(*from as usize).copied().unwrap_or(0) + least;
                if let Some(time) = self.times.get_mut(*to as usize)
                    && after > *time
                {
                    if after > horizon {
                        return None;
                    }
                    *time = after;
                    moved = true;
                    if let Some(wait) = self.waits.get_mut(*to as usize) {
                        *wait = *from;
                    }
                }
            }
            if !moved {
                let kept = fixed.iter().all(|(moment, at)| self.times.get(*moment as usize) == Some(at));
                return kept.then_some(());
            }
            // Nothing that is given at its time can be put off.
            if fixed.iter().any(|(moment, at)| self.times.get(*moment as usize).is_some_and(|time| time > at)) {
                return None;
            }
        }
        None
    }
}
