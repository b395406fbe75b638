//! Plans written down.

use std::fmt::Write;

use dramaturg_model::{Duration, Fixed, Model, Plan, Tick};

use super::Format;

/// Writes a plan. Times stand in units of PDDL's time where the model has them, otherwise in ticks; classical plans have none.
pub fn write_plan(model: &Model, plan: &Plan, format: Format) -> String {
    match format {
        Format::Ipc => ipc(model, plan),
        Format::Json => match serde_json::to_string_pretty(plan) {
            Ok(text) => text + "\n",
            // A plan is names and numbers, which JSON can always hold.
            Err(_) => String::new(),
        },
    }
}

fn ipc(model: &Model, plan: &Plan) -> String {
    let is_classical = model.pddl().is_some_and(|origin| !origin.temporal);
    let unit = model.pddl().map_or(1, |origin| origin.ticks_per_unit).max(1);
    let mut steps: Vec<_> = plan.steps.iter().collect();
    steps.sort_by_key(|step| (step.start, step.id));
    let mut text = String::new();
    for step in steps {
        let mut words = step.action.to_string();
        for arg in &step.args {
            words.push(' ');
            words.push_str(arg);
        }
        // Writing to a text cannot fail.
        let _ = if is_classical {
            writeln!(text, "({words})")
        } else {
            let is_instant = model
                .find_action(&step.action)
                .is_some_and(|action| model.actions[action].duration == Duration::Instant)
                && !model.pddl().is_some_and(|origin| origin.momentary.contains(&step.action));
            let duration = if is_instant { String::new() } else { format!(" [{}]", units(step.duration, unit)) };
            writeln!(text, "{}: ({words}){duration}", units(step.start, unit))
        };
    }
    if let Some(cost) = plan.cost {
        let _ = writeln!(text, "; cost = {cost}");
    }
    text
}

/// Ticks in units, with as many decimals as a unit needs.
fn units(ticks: Tick, unit: i64) -> String {
    let decimals = unit.ilog10() as usize + usize::from(10_i64.pow(unit.ilog10()) != unit);
    if decimals == 0 {
        return ticks.to_string();
    }
    let exact = Fixed::from_int(ticks).divide(Fixed::from_int(unit)).to_string();
    let (whole, rest) = exact.split_once('.').unwrap_or((&exact, ""));
    format!("{whole}.{rest:0<decimals$}")
}
