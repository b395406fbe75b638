//! Operators one after another, and the times that follow: each as early as what it touches allows, in the order in which they
//! stand.

use dramaturg_model::Tick;

use super::cost::Cost;
use super::footprint::Slot;
use super::stage::{Part, Stage};
use super::timeline::{Kind, Timeline};
use super::weave::Weaver;
use crate::ground::OperatorId;
use crate::packed::PackedState;

/// No step.
pub(super) const NOBODY: u32 = u32::MAX;

/// A course that leads to the target, with its times.
#[derive(Clone, Debug)]
pub(super) struct Course {
    /// The operators, in an order in which they can be performed one by one.
    pub(super) steps: Vec<OperatorId>,
    /// When each starts.
    pub(super) starts: Vec<Tick>,
    /// How long each takes.
    pub(super) durations: Vec<Tick>,
    /// The step that each waits for.
    pub(super) causes: Vec<u32>,
    /// What it costs.
    pub(super) cost: Cost,
}

impl Course {
    /// When a step ends.
    pub(super) fn end(&self, step: usize) -> Tick {
        self.starts.get(step).copied().unwrap_or(0) + self.durations.get(step).copied().unwrap_or(0)
    }
}

/// Who was the last to touch each slot, by kind.
#[derive(Clone, Copy, Debug)]
struct Who {
    set: u32,
    added: u32,
    read: u32,
    kept: u32,
}

const UNTOUCHED: Who = Who { set: NOBODY, added: NOBODY, read: NOBODY, kept: NOBODY };

impl Who {
    fn of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Set => self.set,
            Kind::Added => self.added,
            Kind::Read => self.read,
            Kind::Kept => self.kept,
        }
    }

    fn note(&mut self, kind: Kind, step: u32) {
        match kind {
            Kind::Set => self.set = step,
            Kind::Added => self.added = step,
            Kind::Read => self.read = step,
            Kind::Kept => self.kept = step,
        }
    }
}

/// Gives courses their times; what it needs for that is kept from one to the next.
#[derive(Clone, Debug)]
pub(super) struct Clockwork {
    timeline: Timeline,
    who: Vec<Who>,
    state: PackedState,
    weaver: Weaver,
    /// The times of the last course.
    pub(super) starts: Vec<Tick>,
    pub(super) durations: Vec<Tick>,
    pub(super) causes: Vec<u32>,
}

impl Clockwork {
    pub(super) fn new(stage: &Stage) -> Self {
        let slots = stage.footprints.slots;
        Self {
            timeline: Timeline::new(slots, stage.epsilon),
            who: vec![UNTOUCHED; slots],
            state: stage.start.clone(),
            weaver: Weaver::new(slots),
            starts: Vec::new(),
            durations: Vec::new(),
            causes: Vec::new(),
        }
    }

    /// The cost of operators one after another; none if they cannot be performed so, miss the target, or end later than a bound
    /// allows.
    pub(super) fn cost(&mut self, stage: &Stage, steps: &[OperatorId], bound: Tick) -> Option<Cost> {
        self.starts.clear();
        self.durations.clear();
        self.causes.clear();
        if stage.parts.is_some() {
            return self.woven_cost(stage, steps, bound);
        }
        self.perform(stage, steps, bound)?;
        let reached = stage.target.is_reached(&stage.problem, &self.state);
        reached.then(|| stage.objective.cost(&stage.problem, &self.state, self.timeline.end))
    }

    /// Whether operators can be performed one after another, each in its time.
    pub(super) fn fits(&mut self, stage: &Stage, steps: &[OperatorId]) -> bool {
        self.starts.clear();
        self.durations.clear();
        self.causes.clear();
        self.perform(stage, steps, Tick::MAX).is_some()
    }

    /// Gives whole operators their times.
    fn perform(&mut self, stage: &Stage, steps: &[OperatorId], bound: Tick) -> Option<()> {
        self.timeline.overwrite(&stage.opening);
        self.who.fill(UNTOUCHED);
        self.state.clone_from(&stage.start);
        for (place, operator) in (0u32..).zip(steps) {
            let duration = stage.duration(&self.state, *operator)?;
            if !stage.problem.apply_to(&mut self.state, *operator) {
                return None;
            }
            let footprint = stage.footprints.of(*operator);
            let (start, cause) = stage.earliest(&self.timeline, *operator, duration)?;
            if start + duration > bound {
                return None;
            }
            let who = &mut self.who;
            let cause = cause.and_then(|(slot, kind)| who.get(slot as usize).map(|found| found.of(kind)));
            self.timeline.occupy(footprint, start, duration, |slot: Slot, kind| {
                if let Some(found) = who.get_mut(slot as usize) {
                    found.note(kind, place);
                }
            });
            self.starts.push(start);
            self.durations.push(duration);
            self.causes.push(cause.unwrap_or(NOBODY));
        }
        Some(())
    }

    /// As [`Clockwork::cost`], for starts and ends that stand among each other. What is given before the last of them ends happens
    /// too, whether or not the steps say so.
    fn woven_cost(&mut self, stage: &Stage, steps: &[OperatorId], bound: Tick) -> Option<Cost> {
        let mut all = steps.to_vec();
        let is_given = |operator: &&OperatorId| matches!(stage.part(**operator), Part::Given(_));
        let mut given = steps.iter().filter(is_given).count();
        loop {
            self.starts.clear();
            self.durations.clear();
            self.causes.clear();
            let state = self.weaver.run(stage, &all, &mut self.starts, &mut self.durations, &mut self.causes)?;
            let times = self.starts.iter().zip(&self.durations).zip(&all);
            let ends = times.filter(|(_, operator)| !is_given(operator)).map(|((start, length), _)| start + length);
            let end = ends.max().unwrap_or(0);
            if end > bound {
                return None;
            }
            match stage.givens.get(given) {
                Some((at, operator)) if *at <= end => {
                    all.push(*operator);
                    given += 1;
                }
                _ => {
                    let reached = stage.target.is_reached(&stage.problem, &state);
                    return reached.then(|| stage.objective.cost(&stage.problem, &state, end));
                }
            }
        }
    }

    /// A course of its own; none if it does not lead to the target.
    pub(super) fn course(&mut self, stage: &Stage, steps: Vec<OperatorId>) -> Option<Course> {
        let cost = self.cost(stage, &steps, Tick::MAX)?;
        Some(self.taken(steps, cost))
    }

    /// The course whose cost was asked for last.
    pub(super) fn taken(&self, steps: Vec<OperatorId>, cost: Cost) -> Course {
        Course {
            steps,
            starts: self.starts.clone(),
            durations: self.durations.clone(),
            causes: self.causes.clone(),
            cost,
        }
    }
}
