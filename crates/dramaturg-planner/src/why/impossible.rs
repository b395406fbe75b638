//! Why an action can never be done, whatever is planned.

use dramaturg_model::{ConditionTime, Model, State};
use smol_str::SmolStr;

use crate::simulate::step::{Performed, required};
use crate::simulate::{names, unmet};

/// What an action, written as in a story, lacks in a state, one sentence for each part of its conditions; the error says why it is no
/// action of the story.
pub fn impossible(model: &Model, state: &State, text: &str) -> Result<Vec<String>, String> {
    let (name, args) = match text.split_once('(') {
        Some((name, args)) => (name.trim(), args.trim_end().strip_suffix(')').ok_or("a `)` is missing")?),
        None => (text.trim(), ""),
    };
    let args: Vec<SmolStr> = args.split(',').map(str::trim).filter(|arg| !arg.is_empty()).map(SmolStr::new).collect();
    let what = names::performed(model, name).map_err(|problem| problem.to_string())?;
    let values = names::args(model, what, &args).map_err(|problem| problem.to_string())?;
    let Performed::Action(action) = what else {
        return Err(format!("`{name}` is a task; only actions are planned one by one"));
    };
    let leaves: Vec<_> = required(&model.actions[action], &ConditionTime::Start)
        .flat_map(|condition| unmet(model, state, &condition.condition, &values, None))
        .collect();
    // What never changes is reason enough.
    let is_fixed = |fluent: &Option<String>| {
        let known = fluent.as_ref().and_then(|fluent| names::fluent(model, fluent).ok());
        known.is_some_and(|(fluent, _)| model.fluents[fluent].is_static)
    };
    let fixed = leaves.iter().any(|leaf| is_fixed(&leaf.fluent));
    let told = leaves.iter().filter(|leaf| !fixed || is_fixed(&leaf.fluent)).map(|leaf| {
        let why = if fixed { ", and nothing ever changes that" } else { "" };
        format!("it needs {} to be {}, but it is {}{why}", leaf.what(), leaf.wanted, leaf.found)
    });
    Ok(told.collect())
}
