//! Our own plans, as JSON.

use dramaturg_model::{Model, Plan, Span};

use super::lookup::Lookup;
use super::{Diagnostics, STEPS_MAX, plan_malformed, too_large};

/// Reads a plan and looks its names up, without changing their times.
pub(super) fn read(model: &Model, text: &str, diagnostics: &mut Diagnostics) -> Plan {
    let mut plan: Plan = match serde_json::from_str(text) {
        Ok(plan) => plan,
        Err(error) => {
            let at = offset(text, error.line(), error.column());
            diagnostics.add(plan_malformed::PLAN_MALFORMED, (at, at), format!("this is no plan: {error}"));
            return Plan::default();
        }
    };
    if plan.steps.len() > STEPS_MAX {
        let message = format!("the plan has more than {STEPS_MAX} steps; the rest is not read");
        diagnostics.add(too_large::TOO_LARGE, (0, 0), message);
        plan.steps.truncate(STEPS_MAX);
    }
    let lookup = Lookup::new(model);
    let mut places = Places { text, from: 0 };
    plan.steps.retain_mut(|step| {
        let place = places.next(&step.action, diagnostics);
        let found = match lookup.action(&step.action, place) {
            Ok(found) => found,
            Err(fault) => {
                diagnostics.push(*fault);
                return false;
            }
        };
        let names: Vec<(&str, Span)> = step.args.iter().map(|arg| (arg.as_str(), place)).collect();
        match lookup.args(found, &names, place) {
            Ok(values) => {
                step.args = values.into_iter().map(|value| model.value_name(value)).collect();
                step.action = lookup.declared(found).0.clone();
                true
            }
            Err(faults) => {
                faults.into_iter().for_each(|fault| diagnostics.push(fault));
                false
            }
        }
    });
    plan
}

/// Finds the names of actions again, one after another, so that faults have places.
struct Places<'a> {
    text: &'a str,
    from: usize,
}

impl Places<'_> {
    fn next(&mut self, action: &str, diagnostics: &Diagnostics) -> Span {
        let rest = self.text.get(self.from..).unwrap_or("");
        let quoted = format!("\"{action}\"");
        match rest.find(&quoted) {
            Some(at) => {
                let start = self.from + at + 1;
                self.from = start + action.len();
                diagnostics.span(start, start + action.len())
            }
            None => diagnostics.span(0, 0),
        }
    }
}

/// The byte at a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}
