//! `nobody-performs`: an action that no object can perform.

use dramaturg_model::{Code, Diagnostic, Model};

/// An action that no object can perform.
pub const CODE: Code = Code::warning("nobody-performs");

/// Reports actions whose performer or participants can be nobody.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for action in model.actions.values() {
        for param in action.performer.iter().chain(&action.participants) {
            let Some(param) = action.params.get(usize::from(*param)) else { continue };
            let types = param.choices.types.as_slice();
            if let Some(first) = types.first()
                && types.iter().all(|ty| model.objects_of(*ty).is_empty())
            {
                let names: Vec<&str> = types.iter().map(|ty| model.types[*ty].name.as_str()).collect();
                let names = names.join(" or ");
                let message = format!("nothing is of type {names}, so nobody can perform `{}`", action.name);
                diagnostics.push(
                    Diagnostic::new(CODE, action.place, message)
                        .label(model.types[*first].place, "no object has this type")
                        .hint("declare a character or an object of that type"),
                );
                break;
            }
        }
    }
}
