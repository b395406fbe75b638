//! `rule-loop`: rules that raise each other's edge without end.

use dramaturg_model::{Code, Diagnostic, Expr, Model, RuleId, Span, State, Trigger, Value};

use super::prospect::Prospect;
use crate::simulate::{Detail, Follow, Violation, ViolationKind, World, WorldEventKind, WorldOptions};

/// Rules that never come to rest.
pub const CODE: Code = Code::error("rule-loop");

/// Reports rules that, once one of them fires, never come to rest: each level is begun once as given, and once for each rule that
/// watches a plain yes or no, with that made so.
pub(crate) fn rule(model: &Model, prospect: &Prospect, found: &mut Vec<Diagnostic>) {
    let rules: Vec<RuleId> = model.rules.ids().collect();
    if rules.is_empty() {
        return;
    }
    for level in &prospect.levels {
        let given = State::entering(model, level.level, None, &[], 0);
        let begun = std::iter::once(given.clone()).chain(rules.iter().filter_map(|id| raised(model, &given, *id)));
        // One circle is enough: its rules would all be reported again from each other.
        if let Some(violation) = begun.into_iter().find_map(|state| loops(model, &state)) {
            report(violation.place, &violation.message, found);
            return;
        }
    }
}

fn report(place: Span, message: &str, found: &mut Vec<Diagnostic>) {
    found.push(
        Diagnostic::new(CODE, place, "once this rule fires, rules raise each other without end")
            .here(message)
            .hint("let one of them fire on something that the others do not undo"),
    );
}

/// The state with what a rule watches made so, if that is a plain yes or no.
fn raised(model: &Model, given: &State, id: RuleId) -> Option<State> {
    let rule = &model.rules[id];
    let Trigger::When(condition, _) = &rule.trigger else { return None };
    let (fluent, args, value) = match condition {
        Expr::Fluent(fluent, args) => (*fluent, args, true),
        Expr::Not(inner) => match &**inner {
            Expr::Fluent(fluent, args) => (*fluent, args, false),
            _ => return None,
        },
        _ => return None,
    };
    if !rule.params.is_empty() || model.fluents[fluent].is_static {
        return None;
    }
    let args: Option<Vec<Value>> = args
        .iter()
        .map(|arg| match arg {
            Expr::Value(value) => Some(*value),
            _ => None,
        })
        .collect();
    let mut state = given.clone();
    state.set(fluent, &args?, Value::Bool(value));
    Some(state)
}

/// What the world says about rules that do not come to rest in the first tick.
fn loops(model: &Model, state: &State) -> Option<Violation> {
    let options = WorldOptions {
        detail: Detail::Violations,
        follow: Follow::Nobody,
        work_max: 2_000_000,
        ..WorldOptions::default()
    };
    let mut world = World::new(model, state.clone(), options);
    world.step_to(model, 1);
    world.drain().into_iter().find_map(|event| match event.kind {
        WorldEventKind::Violation(violation) if violation.kind == ViolationKind::RuleLoop => Some(violation),
        _ => None,
    })
}
