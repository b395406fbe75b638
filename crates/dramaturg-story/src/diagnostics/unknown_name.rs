//! `unknown-name`: a name that nothing in reach is called.

use dramaturg_model::{Code, Diagnostic, Span};

/// A name that nothing in reach is called.
pub const CODE: Code = Code::error("unknown-name");

/// Nothing is called `name`; `wanted` says what could stand here.
pub fn diagnostic(span: Span, name: &str, wanted: &str, nearest: Option<&str>) -> Diagnostic {
    let found =
        Diagnostic::new(CODE, span, format!("nothing here is called `{name}`")).here(format!("expected {wanted}"));
    if let Some((left, right)) = subtraction(name) {
        let written = format!("{left} - {right}");
        return found.hint(format!("to subtract, write `{written}`")).fix(format!("write `{written}`"), span, written);
    }
    match nearest {
        Some(near) => found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, near),
        None => found.hint("declare it, or check the spelling"),
    }
}

/// `_` outside a pattern.
pub fn wildcard(span: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "`_` stands for anything, but only in patterns, as in `after give(_, helen)`")
        .hint("name what is meant; for \"some object\" write `any x: T (…)`")
}

/// `x-1` is one name; whoever wrote it meant a subtraction.
fn subtraction(name: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    name.rsplit_once('-').filter(|(left, right)| !left.is_empty() && digits(right))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn the_nearest_name_that_would_do() {
        expect![[r#"
            4 `lti`: unknown-name: nothing here is called `lti`
              here: expected yes or no
              hint: did you mean `lit`?
              fix: write `lit`
        "#]]
        .assert_eq(&told(
            r#"story "Lamp"
             fluent lit
             action light { then lit }
             goal lti"#,
        ));
        let text = cured(
            r#"story "Lamp"
             fluent lit
             action light { then lit }
             goal lti"#,
        );
        assert_eq!(text, "goal lit");
    }

    #[test]
    fn what_is_near_must_also_fit() {
        expect![[r#"
            8 `gardene`: unknown-name: nothing here is called `gardene`
              here: expected Place or `away`
              hint: did you mean `garden`?
              fix: write `garden`
        "#]]
        .assert_eq(&told(
            r#"story "Walk"
             type Place
             type Person { location: Place | away }
             fluent gardener
             object garden: Place
             object anna: Person
             action walk(p: Person, to: Place) by p { then p.location = to, gardener }
             goal anna.location == gardene and gardener"#,
        ));
        expect![[r#"
            5 `awy`: unknown-name: nothing here is called `awy`
              here: expected Place or `away`
              hint: did you mean `away`?
              fix: write `away`
        "#]]
        .assert_eq(&told(
            r#"story "Walk"
             type Place
             type Person { location: Place | away }
             object garden: Place
             object anna: Person (location = awy)
             action walk(p: Person, to: Place) by p { then p.location = to }
             goal anna.location == garden"#,
        ));
    }

    #[test]
    fn a_value_is_known_only_where_it_is_expected() {
        check(
            r#"story "Door"
             fluent door: shut | ajar | open
             fluent knocks: int 0..9
             action knock { then knocks += 1, door = ajar }
             action enter { needs door in (ajar, open); then door = open }
             goal open == door
             goal knocks == ajar //! unknown-name
             goal door == opne //! unknown-name
             goal door in (shut, ajra) //! unknown-name"#,
        );
    }

    #[test]
    fn a_hyphen_is_no_minus() {
        let text = cured(
            r#"story "Purse"
             fluent coins: int 0..9 = 3
             action spend { needs coins-1 >= 0; then coins -= 1 }
             goal coins == 0"#,
        );
        assert_eq!(text, "action spend { needs coins - 1 >= 0; then coins -= 1 }");
        check(
            r#"story "Purse"
             type Coin { spent }
             object coin-1: Coin
             action spend(c: Coin) { then c.spent }
             goal coin-1.spent"#,
        );
    }

    #[test]
    fn every_kind_of_name() {
        check(
            r#"story "Names"
             type Person { glad; hands: actuator }
             layer street
             personality kind(p: Person) { prefer p.glad }
             character anna: Person { personality knd } //! unknown-name
             character ana { goal anna.glad } //! unknown-name
             action cheer(p: Person) by p in stret { then p.glad } //! unknown-name
             action wave(p: Person) by p { uses q.hands; then p.glad } //! unknown-name
             action sing(p: Person) by p { then p.glad; say nobody: "La." } //! unknown-name
             task sulk { offer "Sulk."; method pout { do chear(anna) } } //! unknown-name
             rule hum { after whistle(_); inject anna { goal anna.glad } } //! unknown-name
             goal done sulk.puot //! unknown-name
             goal flor(2.5) == 2 //! unknown-name
             level one { milestone over { when anna.glad; next tow carrying sadness } } //! unknown-name, unknown-name
             level two { goal anna.glad }"#,
        );
    }

    #[test]
    fn a_function_may_be_misspelt() {
        let text = cured(
            r#"story "Steps"
             fluent steps: number
             action step { then steps += 0.5 }
             goal flor(steps) == 2"#,
        );
        assert_eq!(text, "goal floor(steps) == 2");
    }

    #[test]
    fn what_a_level_declares_is_known_in_it_alone() {
        expect![[r#"
            7 `found`: unknown-name: nothing here is called `found`
              here: expected yes or no
              3 `found`: known only in the level where it is declared
              hint: declare it outside of the levels that use it
        "#]]
        .assert_eq(&told(
            r#"story "Levels"
             level cellar {
               fluent found
               action search { then found }
               milestone up { when found; next attic }
             }
             level attic { goal found }"#,
        ));
    }

    #[test]
    fn the_wildcard_stands_in_patterns() {
        check(
            r#"story "Gifts"
             type Person
             object anna: Person
             fluent given-to(p: Person)
             action give(p: Person) { then given-to(p) }
             rule forget { after give(_); then not given-to(anna) }
             goal given-to(_) //! unknown-name"#,
        );
        expect![[r#"
            6 `_`: unknown-name: `_` stands for anything, but only in patterns, as in `after give(_, helen)`
              hint: name what is meant; for "some object" write `any x: T (…)`
        "#]]
        .assert_eq(&told(
            r#"story "Gifts"
             type Person
             object anna: Person
             fluent given-to(p: Person)
             action give(p: Person) { then given-to(p) }
             goal given-to(_)"#,
        ));
    }

    #[test]
    fn one_unknown_name_hides_nothing_and_drags_nothing_along() {
        check(
            r#"story "Quiet"
             type Place
             type Person { location: Place }
             object home: Place
             object anna: Person (location = hme) //! unknown-name
             action walk(p: Person, to: Place) by p { needs nobodyKnows; then p.location = to } //! unknown-name
             action sleep(p: Person) by p { then tired(p) } //! unknown-name
             goal anna.location == home"#,
        );
    }
}
