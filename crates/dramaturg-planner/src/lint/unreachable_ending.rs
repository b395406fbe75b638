//! `unreachable-ending`: an ending that can never come.

use dramaturg_model::{Code, Diagnostic, Model};

use super::prospect::Prospect;
use super::unreachable_goal::wanted;

/// An ending that can never come.
pub const CODE: Code = Code::warning("unreachable-ending");

/// Reports endings whose condition no level can reach.
pub(crate) fn rule(model: &Model, prospect: &Prospect, found: &mut Vec<Diagnostic>) {
    for (id, ending) in model.endings.iter() {
        let mut levels = prospect.where_visible(model, ending.level).peekable();
        if levels.peek().is_some() && levels.all(|level| level.never_ends(id)) {
            found.push(
                Diagnostic::new(CODE, ending.place, format!("the ending `{}` can never come", ending.name))
                    .hint(format!("nothing can bring about {}", wanted(model, &ending.when))),
            );
        }
    }
}
