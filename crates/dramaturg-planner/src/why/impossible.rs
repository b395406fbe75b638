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
    let leaves = required(&model.actions[action], &ConditionTime::Start)
        .flat_map(|condition| unmet(model, state, &condition.condition, &values, None));
    Ok(leaves
        .map(|leaf| {
            format!(
                "it needs {} to be {}, and nothing can bring that about: it is {}",
                leaf.what(),
                leaf.wanted,
                leaf.found
            )
        })
        .collect())
}
