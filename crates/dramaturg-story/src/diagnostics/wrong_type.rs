//! `wrong-type`: values that can never meet.

use dramaturg_model::{Code, Diagnostic, Span};

/// Values that can never meet.
pub const CODE: Code = Code::error("wrong-type");

/// `found` stands where only `wanted` can.
pub fn diagnostic(span: Span, wanted: &str, found: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this is {found}, but {wanted} is needed here"))
        .here(format!("is {found}"))
        .label(declared, format!("{wanted} is wanted because of this"))
}

/// The same, where the place to show is that of what was found.
pub fn declared(span: Span, wanted: &str, found: &str, declared: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("this is {found}, but {wanted} is needed here"))
        .here(format!("is {found}"))
        .label(declared, format!("declared as {found} here"))
}

/// Two sides of a comparison that are never equal.
pub fn never_equal(span: Span, left: &str, right: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{left} and {right} can never be equal"))
        .hint("compare values of the same kind")
}

/// Two sides of a comparison of which none can be the larger one.
pub fn never_ordered(span: Span, left: &str, right: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("{left} cannot be compared with {right}"))
        .hint("compare values of the same kind")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn conditions_are_yes_or_no() {
        expect![[r#"
            4 `coins`: wrong-type: this is a number, but yes or no is needed here
              here: is a number
              hint: compare it with something
        "#]]
        .assert_eq(&told(
            r#"story "Purse"
             fluent coins: int 0..9
             action earn { then coins += 1 }
             goal coins"#,
        ));
        check(
            r#"story "Purse"
             fluent coins: int 0..9
             fluent rich
             action earn { needs not coins; then coins += 1 } //! wrong-type
             action boast { needs coins or rich; then rich } //! wrong-type
             action wait { needs 3; then coins += 1 } //! wrong-type
             goal coins > 3 and rich"#,
        );
    }

    #[test]
    fn values_that_cannot_meet() {
        expect![[r#"
            7 `tom == yard`: wrong-type: Cat and Place can never be equal
              hint: compare values of the same kind
        "#]]
        .assert_eq(&told(
            r#"story "Yard"
             type Cat { at: Place }
             type Place { open }
             object tom: Cat (at = yard)
             object yard: Place
             action jump(c: Cat, p: Place) by c { then c.at = p, p.open }
             goal tom == yard
             goal tom.at.open"#,
        ));
    }

    #[test]
    fn kinds_meet_their_parents() {
        check(
            r#"story "Kings"
             type Person { guest: Person | nobody }
             type King: Person
             type Cow
             object rex: King
             object anna: Person
             object berta: Cow
             action invite(k: King, p: Person) by k { then k.guest = p }
             action crown(p: Person) by p { then p.guest = rex }
             goal anna.guest == rex and rex.guest in King
             goal anna.guest == berta //! wrong-type
             goal anna.guest in Cow //! wrong-type
             goal anna.guest in 1..3 //! wrong-type"#,
        );
    }

    #[test]
    fn arguments() {
        expect![[r#"
            7 `c`: wrong-type: this is Cat, but Place is needed here
              here: is Cat
              6 `near`: Place is wanted because of this
        "#]]
        .assert_eq(&told(
            r#"story "Near"
             type Cat
             type Place
             object tom: Cat
             object yard: Place
             fluent near(c: Cat, p: Place)
             action walk(c: Cat, p: Place) by c { then near(c, c) }
             goal near(tom, yard)"#,
        ));
    }

    #[test]
    fn durations_have_units() {
        expect![[r#"
            3 `5`: wrong-type: this is a number, but a duration is needed here
              here: is a number
              hint: say the unit: `ticks`, `ms`, `s`, `min`, `h` or `days`
        "#]]
        .assert_eq(&told(
            r#"story "Soup"
             fluent cooked
             action cook { takes 5; then cooked }
             goal cooked"#,
        ));
        check(
            r#"story "Soup"
             fluent cooked
             fluent boil: duration = 3 ticks
             action cook { takes 2 * boil + boil / 2; needs now > 5; then cooked } //! wrong-type
             action wait { takes boil + 1; then cooked } //! wrong-type
             action rest { takes 1 + boil; then cooked } //! wrong-type
             action pause { takes boil * boil; then cooked } //! wrong-type
             action sleep { takes 5 / boil; then cooked } //! wrong-type
             goal cooked salience 3 ticks //! wrong-type
             goal boil / 1 tick > 2 and boil mod 2 ticks == 1 tick"#,
        );
    }

    #[test]
    fn whole_numbers_hold_no_fractions() {
        expect![[r#"
            3 `2.5`: wrong-type: this is a number, but a whole number is needed here
              here: is a number
              2 `apples`: a whole number is wanted because of this
              hint: whole numbers hold no fractions; use `floor(…)`
        "#]]
        .assert_eq(&told(
            r#"story "Apples"
             fluent apples: int 0..9
             action eat { then apples = 2.5 }
             goal apples == 0"#,
        ));
        check(
            r#"story "Apples"
             fluent apples: int 0..9 = 4
             fluent weight: number 0..9
             action halve { then apples = floor(apples * 0.5), weight = apples }
             action bite { then apples -= 0.5 } //! wrong-type
             goal apples == 0 and weight == 2.5"#,
        );
    }

    #[test]
    fn changes_fit_what_changes() {
        check(
            r#"story "Lamp"
             type Lamp { hands: actuator; oil: number 0..9; lit }
             object lamp: Lamp (oil, lit) //! wrong-type
             action fill(l: Lamp) { uses l.oil; then l.oil } //! wrong-type, wrong-type
             action light(l: Lamp) { then l.lit += 1 } //! wrong-type
             action burn(l: Lamp) { takes 3 ticks; during l.oil = 3 } //! wrong-type
             action waste(l: Lamp) { then l.oil -= 1 per tick } //! wrong-type
             action look(l: Lamp) { reads l.hands; then l = lamp } //! wrong-type, wrong-type
             given lamp.lit at end //! wrong-type
             goal lamp.lit and lamp.oil > lamp.hands //! wrong-type"#,
        );
    }

    #[test]
    fn what_is_declared_as_something_else_is_shown() {
        expect![[r#"
            4 `ring`: wrong-type: this is an action, but a value is needed here
              here: is an action
              3 `ring`: declared as an action here
              hint: to ask whether it has happened, write `done ring`
            5 `rung`: wrong-type: this is a fluent, but a task or an action is needed here
              here: is a fluent
              2 `rung`: declared as a fluent here
        "#]]
        .assert_eq(&told(
            r#"story "Bell"
             fluent rung
             action ring { then rung }
             goal ring
             task toll { offer "Toll."; method { do rung } }"#,
        ));
    }

    #[test]
    fn one_wrong_wish_is_one_message() {
        check(
            r#"story "Curve"
             fluent glad
             fluent joy: number 0..9
             action cheer { then glad, joy += 1 }
             prefer glad follows 3 at 0 ticks, 5 at 9 ticks within 2 //! wrong-type
             prefer joy follows 3 at 0 ticks, 5 at 9 ticks within 2 ticks //! wrong-type
             prefer more glad up to 5 //! wrong-type"#,
        );
    }

    #[test]
    fn a_default_is_a_plain_value() {
        check(
            r#"story "Start"
             fluent first: int 0..9 = 2 + 3
             fluent second: int 0..9 = first //! wrong-type
             action count { then first += 1, second += first }
             goal second == 9"#,
        );
    }
}
