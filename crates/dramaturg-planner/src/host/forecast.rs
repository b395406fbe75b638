//! The world ahead with the steps that are committed: the state that planners plan from.

use std::collections::BTreeSet;

use dramaturg_model::{Model, Step, Tick};

use crate::chronicle::Chronicle;
use crate::simulate::{ViolationKind, World, WorldEventKind};

/// When a committed step that has not started will: one that is late starts at the next chance.
pub(crate) fn awaited(chronicle: &Chronicle, step: &Step) -> Tick {
    step.start.max(chronicle.present().now().saturating_add(1))
}

/// The world ahead, with what is committed.
pub struct Forecast {
    /// The world at the last tick that was reported, with what is committed scheduled in it.
    pub world: World,
    /// Committed steps that the world does not have, for their conditions do not hold when they start.
    pub refused: BTreeSet<u32>,
}

/// The world ahead with committed steps, those that run already apart: `chronicle` has them.
///
/// A step whose conditions do not hold at its start is left out, for the director does not send it and the game's guards
/// refuse it. A planner that counts on its effects would build on them a chain of steps of which none can ever start.
pub(crate) fn with_committed<'s>(
    model: &Model,
    chronicle: &Chronicle,
    committed: impl Iterator<Item = &'s Step>,
) -> Forecast {
    let waiting = committed.filter(|step| !chronicle.is_running(step.id));
    let waiting: Vec<Step> = waiting.map(|step| Step { start: awaited(chronicle, step), ..step.clone() }).collect();
    let world = with(model, chronicle.ahead(model), &waiting);
    let refused = refused(model, world.clone(), &waiting);
    if refused.is_empty() {
        return Forecast { world, refused };
    }
    let performed: Vec<Step> = waiting.into_iter().filter(|step| !refused.contains(&step.id)).collect();
    Forecast { world: with(model, chronicle.ahead(model), &performed), refused }
}

fn with(model: &Model, mut world: World, steps: &[Step]) -> World {
    for step in steps {
        // The names are the model's own.
        drop(world.schedule(model, step));
    }
    world
}

/// Those of the scheduled steps that the world refuses to start.
fn refused(model: &Model, mut world: World, steps: &[Step]) -> BTreeSet<u32> {
    let Some(last) = steps.iter().map(|step| step.start).max() else { return BTreeSet::new() };
    world.step_to(model, last);
    let refusals = world.drain().into_iter().filter_map(|event| match event.kind {
        WorldEventKind::Violation(found) if prevents_start(found.kind) => found.step,
        _ => None,
    });
    refusals.filter(|id| steps.iter().any(|step| step.id == *id)).collect()
}

fn prevents_start(kind: ViolationKind) -> bool {
    matches!(kind, ViolationKind::StartCondition | ViolationKind::NotInLevel | ViolationKind::NoMethod)
}

#[cfg(test)]
mod tests {
    use dramaturg_model::Plan;

    use super::*;
    use crate::chronicle::ChronicleOptions;

    const STORY: &str = "story \"Door\" { ticks 60 per s }
fluent unlocked
fluent open
action unlock { takes 5 ticks; then unlocked }
action push { takes 5 ticks; needs unlocked; then open }
";

    #[test]
    fn a_committed_step_counts_only_if_it_can_start() {
        let compiled = dramaturg_story::compile_text("door.story", STORY);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let model = compiled.model;
        let chronicle = Chronicle::begin(&model, ChronicleOptions::default());
        let mut plan = Plan::default();
        let none: [&str; 0] = [];
        plan.add("push", none, 10, 5);
        let alone = with_committed(&model, &chronicle, plan.steps.iter());
        assert_eq!(alone.refused, BTreeSet::from([0]));
        assert!(alone.world.waiting().is_empty(), "{:?}", alone.world.waiting());
        plan.add("unlock", none, 4, 5);
        let both = with_committed(&model, &chronicle, plan.steps.iter());
        assert!(both.refused.is_empty(), "{:?}", both.refused);
        assert_eq!(both.world.waiting(), [0, 1]);
    }

    #[test]
    fn a_late_step_starts_at_the_next_chance() {
        let model = dramaturg_story::compile_text("door.story", STORY).model;
        let mut chronicle = Chronicle::begin(&model, ChronicleOptions::default());
        chronicle.advance(&model, 30);
        let mut plan = Plan::default();
        let none: [&str; 0] = [];
        plan.add("unlock", none, 4, 5);
        let mut world = with_committed(&model, &chronicle, plan.steps.iter()).world;
        world.step_to(&model, 35);
        assert!(world.waiting().is_empty());
        plan.add("push", none, 36, 5);
        let both = with_committed(&model, &chronicle, plan.steps.iter());
        assert!(
            both.refused.is_empty(),
            "unlocked in tick 36, at whose end the door can be pushed: {:?}",
            both.refused
        );
    }
}
