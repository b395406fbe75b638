//! `plain-yes`: `x = true` where `x` says the same.

use dramaturg_model::{Code, Diagnostic, Span};

/// `x = true` where `x` says the same.
pub const CODE: Code = Code::hint("plain-yes");

/// `x = true` or `x = false`.
pub fn diagnostic(span: Span, written: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{written}` says the same")).fix(format!("write `{written}`"), span, written)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn naming_it_is_enough() {
        check(
            r#"story "Lamp"
             type Lamp { lit; broken }
             object lamp: Lamp (lit = true, not broken) //! plain-yes
             fluent dark = true
             given dark = false //! plain-yes
             action light(l: Lamp) { then l.lit, dark = l.broken }
             action smash(l: Lamp) { then l.broken = true } //! plain-yes
             goal lamp.lit == true and not dark"#,
        );
    }

    #[test]
    fn the_fix_names_it() {
        expect![[r#"
            4 `l.lit = false`: plain-yes: `not l.lit` says the same
              fix: write `not l.lit`
        "#]]
        .assert_eq(&told(
            r#"story "Lamp"
             type Lamp { lit }
             object lamp: Lamp
             action douse(l: Lamp) { then l.lit = false }
             goal lamp.lit"#,
        ));
        let text = cured(
            r#"story "Lamp"
             type Lamp { lit }
             object lamp: Lamp
             action douse(l: Lamp) { then l.lit = false }
             goal lamp.lit"#,
        );
        assert_eq!(text, "action douse(l: Lamp) { then not l.lit }");
        let text = cured(
            r#"story "Lamp"
             type Lamp { lit }
             object lamp: Lamp (lit = false)
             action light(l: Lamp) { then l.lit }
             goal lamp.lit"#,
        );
        assert_eq!(text, "object lamp: Lamp (not lit)");
    }
}
