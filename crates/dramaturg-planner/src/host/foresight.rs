//! Up to when a plan can be performed, by the simulator's word.

use std::collections::BTreeMap;

use dramaturg_model::{Model, Step, Tick};

use crate::simulate::{ViolationKind, World, WorldEventKind};

/// What the simulator says about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foresight {
    /// Everything can be performed up to this tick; none: all of it.
    pub until: Option<Tick>,
    /// The step that cannot.
    pub trouble: Option<u32>,
}

/// Runs a world ahead with these steps, no further than a tick.
pub fn foresee(model: &Model, mut world: World, steps: &BTreeMap<u32, Step>, until: Tick) -> Foresight {
    let mut starts: Vec<Tick> = Vec::with_capacity(steps.len() + 1);
    let mut last = world.now();
    for step in steps.values() {
        if world.schedule(model, step).is_err() {
            return Foresight { until: Some(step.start.saturating_sub(1)), trouble: Some(step.id) };
        }
        starts.push(step.start);
        last = last.max(step.end());
    }
    starts.retain(|start| *start < until);
    starts.push(last.min(until));
    starts.sort_unstable();
    starts.dedup();
    // From one start to the next, for what comes after the first trouble does not matter.
    for start in starts {
        world.step_to(model, start);
        for event in world.drain() {
            if let WorldEventKind::Violation(found) = event.kind
                && concerns_a_step(found.kind)
            {
                return Foresight { until: Some(event.tick.saturating_sub(1)), trouble: found.step };
            }
        }
    }
    Foresight { until: (last > until).then_some(until), trouble: None }
}

/// Whether a violation is that of a step, and not of a goal or of the world.
pub(crate) fn concerns_a_step(kind: ViolationKind) -> bool {
    matches!(
        kind,
        ViolationKind::StartCondition
            | ViolationKind::ThroughoutCondition
            | ViolationKind::EndCondition
            | ViolationKind::TimedCondition
            | ViolationKind::OverCapacity
            | ViolationKind::Conflict
            | ViolationKind::NoMethod
            | ViolationKind::WrongDuration
            | ViolationKind::AfterEnding
    )
}
