//! What cannot be changed any more, as the opening of a stage: the state that it leads to, and when it touches what.

use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};

use super::score::Score;
use crate::chronicle::Chronicle;
use crate::host::forecast::{awaited, with_committed};
use crate::temporal::stage::Stage;
use crate::temporal::timeline::Timeline;

/// The stage after what runs and what is fixed, with times counted from a tick; none if that leads to a state that the problem does not
/// have.
pub(super) fn stage(model: &Model, score: &Score, chronicle: &Chronicle, fixed: &[Step], base: Tick) -> Option<Stage> {
    let waiting = fixed.iter().filter(|step| !chronicle.is_running(step.id));
    let mut spans: Vec<(&Step, Tick, Tick)> = chronicle.running().collect();
    spans.extend(waiting.map(|step| (step, awaited(chronicle, step), step.duration)));
    spans.sort_by_key(|(step, start, _)| (*start, step.id));
    let mut opening = Timeline::new(score.footprints.slots, score.epsilon);
    let mut last = chronicle.present().now();
    for (step, start, duration) in spans {
        last = last.max(start.saturating_add(duration));
        match score.operator(step) {
            Some(operator) => {
                let before = opening.clone();
                opening.occupy(score.footprints.of(operator), start - base, duration, |_, _| {});
                // Steps that were locked before things came otherwise may get in each other's way: the later moment counts.
                opening.not_before(&before);
            }
            // What the problem has no operator for may touch anything.
            None => opening.hold_up(start + duration - base),
        }
    }
    let mut world = with_committed(model, chronicle, fixed.iter()).world;
    world.step_to(model, last);
    Some(Stage {
        problem: Arc::clone(&score.problem),
        start: score.problem.pack(world.state())?,
        target: score.target.clone(),
        footprints: Arc::clone(&score.footprints),
        opening,
        parts: None,
        givens: Vec::new(),
        calendar: None,
        epsilon: score.epsilon,
        objective: score.objective.clone(),
    })
}
