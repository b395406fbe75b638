//! `nobody-performs`: an action that no object can perform.

use dramaturg_model::{Code, Diagnostic, Model};

/// An action that no object can perform.
pub const CODE: Code = Code::warning("nobody-performs");

/// Reports actions whose performer or participants can be nobody.
pub fn rule(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for action in model.actions.values() {
        for param in action.performer.iter().chain(&action.participants) {
            let Some(param) = action.params.get(usize::from(*param)) else { continue };
            if let [ty] = param.choices.types.as_slice()
                && model.objects_of(*ty).is_empty()
            {
                let ty = &model.types[*ty];
                diagnostics.push(
                    Diagnostic::new(CODE, action.place, format!("nobody is a {}, so nobody can perform `{}`", ty.name, action.name))
                        .label(ty.place, "no object has this type")
                        .hint("declare a character or an object of that type"),
                );
                break;
            }
        }
    }
}
