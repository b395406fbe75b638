//! `unreachable-level`: a level that no milestone leads to.

use dramaturg_model::{Code, Diagnostic, Model};

use super::prospect::Prospect;

/// A level that is never come to.
pub const CODE: Code = Code::warning("unreachable-level");

/// Reports levels that no reachable milestone leads to.
pub(crate) fn rule(model: &Model, prospect: &Prospect, found: &mut Vec<Diagnostic>) {
    if prospect.levels.iter().any(|level| !level.is_complete()) {
        return;
    }
    for (id, level) in model.levels.iter().filter(|(id, _)| !prospect.reaches(model, *id)) {
        let leading: Vec<&str> = model
            .milestones
            .values()
            .filter(|milestone| milestone.next == Some(id))
            .map(|milestone| milestone.name.as_str())
            .collect();
        let report = Diagnostic::new(CODE, level.place, format!("the level `{}` is never come to", level.name));
        found.push(match leading.as_slice() {
            [] => report.hint(format!("no milestone says `next {}`", level.name)),
            names => report.hint(format!("`{}` leads to it, but can never be reached", names.join("`, `"))),
        });
    }
}
