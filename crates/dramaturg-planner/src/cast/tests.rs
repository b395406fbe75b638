use std::sync::Arc;

use dramaturg_model::{Model, State, StepEvent, StepEventKind, Tick};
use dramaturg_story::compile_text;

use super::{Cast, CastOptions};
use crate::planner::{Budget, Planner, TickBounds, Workers};

const SPARTA: &str = include_str!("../../../../stories/troy-sparta.story");
const FUNERAL: &str = include_str!("../../../../stories/troy-funeral.story");

fn model(text: &str) -> Arc<Model> {
    let compiled = compile_text("test.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// Performs what a cast publishes, each step in its tick and for as long as it was to take; says what was performed.
fn perform(model: &Arc<Model>, ticks: Tick) -> Vec<String> {
    let mut cast = Cast::new(Arc::clone(model), CastOptions::default());
    let mut performed = Vec::new();
    let mut steps = std::collections::BTreeMap::new();
    let mut running: Vec<(u32, Tick)> = Vec::new();
    for now in 0..ticks {
        let mut events = Vec::new();
        running.retain(|(id, end)| {
            if *end == now {
                events.push(StepEvent { step: *id, kind: StepEventKind::Finished(now), version: 0 });
            }
            *end > now
        });
        for (id, step) in &steps {
            let step: &dramaturg_model::Step = step;
            if step.start == now {
                let names: Vec<&str> = step.args.iter().map(|arg| arg.as_str()).collect();
                performed.push(format!("{now} {}({})", step.action, names.join(", ")));
                events.push(StepEvent { step: *id, kind: StepEventKind::Locked, version: 0 });
                events.push(StepEvent { step: *id, kind: StepEventKind::Started(now), version: 0 });
                running.push((*id, now + step.duration));
            }
        }
        steps.retain(|_, step| step.start > now);
        cast.feedback(&events);
        cast.advance(TickBounds::exactly(now), now + 1);
        while cast.deliberate(&mut Budget::of(10_000), &Workers::single()) == crate::planner::Progress::Searching {}
        let delta = cast.publish();
        for id in delta.removed {
            steps.remove(&id);
        }
        for step in delta.put {
            assert!(step.start > now, "{step:?} at {now}");
            steps.insert(step.id, step);
        }
    }
    performed
}

#[test]
fn two_princes_go_home() {
    let troy = model(FUNERAL);
    let domain = super::domain::Domain::new(&troy, &State::initial(&troy, 0));
    for (id, operator) in domain.problem.operators.iter() {
        let name = domain.problem.operator_name(&troy, id);
        if name.starts_with("pickUp(achilles") { println!("{id:?} {name} {:?}", operator.performer); }
    }
    let performed = perform(&model(SPARTA), 60);
    println!("{}", performed.join("\n"));
    assert!(performed.is_empty());
}

#[test]
fn two_funerals() {
    let performed = perform(&model(FUNERAL), 40);
    println!("{}", performed.join("\n"));
    assert!(performed.is_empty());
}
