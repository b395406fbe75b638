//! `set-twice`: two `given` that disagree.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two `given` that disagree.
pub const CODE: Code = Code::error("set-twice");

/// The same fluent is given two values.
pub fn diagnostic(span: Span, fluent: &str, value: &str, first: Span, other: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{fluent}` is given two values: {other} and {value}"))
        .here(format!("{value} here"))
        .label(first, format!("{other} here"))
        .hint("keep one of them")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn two_that_disagree() {
        expect![[r#"
            4 `front.colour = red`: set-twice: `front.colour` is given two values: blue and red
              here: red here
              3 `colour = blue`: blue here
              hint: keep one of them
        "#]]
        .assert_eq(&told(
            r#"story "Paint"
             type Door { colour: red | blue }
             object front: Door (colour = blue)
             given front.colour = red
             action paint(d: Door) { then d.colour = blue }
             goal front.colour == blue"#,
        ));
        check(
            r#"story "Paint"
             fluent colour: red | blue | green
             given colour = red
             given colour = red
             given colour = blue //! set-twice
             action paint { then colour = green }
             goal colour == green"#,
        );
    }

    #[test]
    fn adding_and_later_times_are_no_second_value() {
        check(
            r#"story "Purse"
             fluent coins: int 0..9
             given coins = 3
             given coins += 2
             given coins = 9 at 5 ticks
             action spend { then coins -= 1 }
             goal coins == 0"#,
        );
    }

    #[test]
    fn a_level_may_differ_from_the_story() {
        check(
            r#"story "Levels"
             fluent colour: red | blue
             given colour = red
             action paint { then colour = blue }
             level one { given colour = blue; milestone over { when colour == blue; next two } }
             level two { given colour = red; given colour = blue; goal colour == blue } //! set-twice"#,
        );
    }

    #[test]
    fn for_each_of_many() {
        check(
            r#"story "Roads"
             type Place
             object hut, yard: Place
             fluent road(a: Place, b: Place)
             given road(a, b) for a: Place, b: Place if a != b
             given not road(hut, hut)
             given not road(hut, yard) //! set-twice
             action build { then road(yard, hut) }
             goal road(yard, hut)"#,
        );
    }
}
