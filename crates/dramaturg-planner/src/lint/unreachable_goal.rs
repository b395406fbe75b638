//! `unreachable-goal`: a goal that nothing can ever bring about.

use dramaturg_model::{Code, Diagnostic, Expr, Model, Owner, WishKind};

use super::prospect::Prospect;
use crate::simulate::words;

/// A goal that cannot be reached even if nothing were ever undone.
pub const CODE: Code = Code::warning("unreachable-goal");

/// Reports goals of the story and of characters that no level can reach.
pub(crate) fn rule(model: &Model, prospect: &Prospect, found: &mut Vec<Diagnostic>) {
    for (id, wish) in model.wishes.iter() {
        let WishKind::Goal { aims, .. } = &wish.kind else { continue };
        if !matches!(wish.owner, Owner::Story | Owner::Character(_) | Owner::Injected(_)) || !wish.params.is_empty() {
            continue;
        }
        let mut levels = prospect.where_visible(model, wish.level).peekable();
        if levels.peek().is_none() || !levels.all(|level| level.is_impossible(id)) {
            continue;
        }
        let wanted: Vec<String> = aims.iter().map(|aim| wanted(model, &aim.condition)).collect();
        found.push(
            Diagnostic::new(CODE, wish.place, "this goal can never be reached, even if nothing were ever undone")
                .hint(format!("nothing can bring about {}", wanted.join(", then "))),
        );
    }
}

pub(crate) fn wanted(model: &Model, condition: &Expr) -> String {
    format!("`{}`", words::expr(model, condition, &[]))
}
