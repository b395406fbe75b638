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

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn somebody_must_be_of_the_type() {
        expect![[r#"
            4 `play`: nobody-performs: nothing is of type Actor, so nobody can perform `play`
              2 `Actor`: no object has this type
              hint: declare a character or an object of that type
        "#]]
        .assert_eq(&told(
            r#"story "Stage"
             type Actor
             fluent played
             action play(a: Actor) by a { then played }
             goal played"#,
        ));
        check(
            r#"story "Stage"
             type Actor { seen }
             type Star: Actor
             type Ghost
             type Extra
             object greta: Star
             population choir(x: Extra) of 3 { }
             action play(a: Actor) by a { then a.seen }
             action hum(x: Extra) by x { then greta.seen }
             action haunt(a: Actor, g: Ghost) by a with g { then a.seen } //! nobody-performs
             action meet(a: Actor | Ghost) by a { then greta.seen }
             action light(g: Ghost) { then greta.seen; say "{g}" }
             goal greta.seen"#,
        );
    }
}
