//! What tests of worlds and plans share.
#![allow(dead_code, reason = "each test file uses some of it")]

pub mod driver;
pub mod fair;

use std::sync::Arc;

use dramaturg_model::{FileId, Model, Plan, State, Tick, Value};
use dramaturg_planner::simulate::{World, WorldEvent, WorldEventKind, WorldOptions};
use dramaturg_planner::validate::{Report, ValidateOptions, validate};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use dramaturg_story::{MemoryFiles, compile};

/// A story of the repository.
#[expect(clippy::disallowed_methods, reason = "a test is a shell: it may read files")]
pub fn story(name: &str) -> Model {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stories");
    let mut files = MemoryFiles::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "story") {
            let text: Arc<str> = std::fs::read_to_string(&path).unwrap().into();
            files.0.insert(path.file_name().unwrap().to_str().unwrap().to_owned(), text);
        }
    }
    usable(compile(&format!("{name}.story"), &files))
}

/// A story written in a test.
pub fn text(story: &str) -> Model {
    usable(dramaturg_story::compile_text("test.story", &format!("story \"Test\" {{ ticks 1 per s }}\n{story}")))
}

fn usable(compiled: dramaturg_story::Compilation) -> Model {
    let errors: Vec<_> = compiled.diagnostics.iter().filter(|found| found.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    compiled.model
}

/// A PDDL domain and problem, with 1000 ticks a unit.
pub fn pddl(domain: &str, problem: &str) -> Model {
    let options = PddlOptions::default();
    let (model, found) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &options);
    assert!(!found.iter().any(dramaturg_model::Diagnostic::is_error), "{found:#?}");
    model
}

pub fn object(model: &Model, name: &str) -> Value {
    Value::Object(model.find_object(name).unwrap())
}

/// A world before tick 0.
pub fn world(model: &Model) -> World {
    World::begin(model, WorldOptions::default())
}

/// The value of a fluent as stories write both.
pub fn value(model: &Model, state: &State, fluent: &str) -> String {
    let (fluent, args) = dramaturg_planner::simulate::names::fluent(model, fluent).unwrap();
    model.value_name(state.get(fluent, &args)).to_string()
}

/// Does a task and runs the tick in which its result appears.
pub fn do_task(model: &Model, world: &mut World, name: &str) {
    let (task, _) = model.tasks.iter().find(|(_, task)| task.name == name).unwrap();
    world.do_task(model, task, &[]).unwrap_or_else(|problem| panic!("{name}: {problem}"));
    let now = world.next_phase().0;
    world.step_to(model, now);
}

/// Every event as one word or two, in order.
pub fn trace(model: &Model, events: &[WorldEvent]) -> Vec<String> {
    let words = |event: &WorldEvent| match &event.kind {
        WorldEventKind::RuleFired { rule, .. } => Some(format!("rule {}", model.rules[*rule].name)),
        WorldEventKind::TaskStarted { task, method, .. } => Some(format!("{}:{method}", model.tasks[*task].name)),
        WorldEventKind::Said { shown, .. } => Some(format!("\"{shown}\"")),
        WorldEventKind::Ending { ending } => Some(format!("ending {}", model.endings[*ending].name)),
        WorldEventKind::Milestone { milestone } => Some(format!("milestone {}", model.milestones[*milestone].name)),
        WorldEventKind::Violation(violation) => Some(format!("! {}", violation.message)),
        WorldEventKind::Injected { wish, .. } => Some(format!("injected {}", wish.0)),
        _ => None,
    };
    events.iter().filter_map(words).collect()
}

/// Steps one after another, each as long as given: `("walk", "hector dock", 2)`.
pub fn sequence(steps: &[(&str, &str, Tick)]) -> Plan {
    let mut plan = Plan::default();
    let mut start = 0;
    for (action, args, duration) in steps {
        plan.add(*action, args.split_whitespace(), start, *duration);
        start += duration;
    }
    plan
}

pub fn judge(model: &Model, plan: &Plan, options: &ValidateOptions) -> Report {
    validate(model, &State::initial(model, 0), plan, options)
}

pub fn assert_valid(report: &Report) {
    let messages: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
    assert!(report.valid, "{messages:#?}");
}
