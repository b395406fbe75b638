//! `no-value`: an object without a starting value for a fluent that has no default.

use dramaturg_model::{Code, Diagnostic, Span};

/// An object without a starting value for a fluent that has no default.
pub const CODE: Code = Code::error("no-value");

/// A fluent that has no value when the story begins.
pub struct Missing<'a> {
    /// With its arguments: `anna.location`.
    pub fluent: &'a str,
    /// How many others of it have none either.
    pub others: usize,
    /// How a value is given: `location = …`.
    pub given: &'a str,
    /// Where the fluent is declared.
    pub declared: Span,
    /// Behind the fluent's values, and a name for the absence of one.
    pub absence: Option<(Span, &'a str)>,
}

/// Something has no value when the story begins.
pub fn diagnostic(place: Span, missing: &Missing<'_>) -> Diagnostic {
    let Missing { fluent, others, given, declared, absence } = missing;
    let message = match others {
        0 => format!("`{fluent}` has no value when the story begins"),
        1 => format!("`{fluent}` and one other have no value when the story begins"),
        _ => format!("`{fluent}` and {others} others have no value when the story begins"),
    };
    let name = absence.map_or("nowhere", |(_, name)| name);
    let hint = format!("give it one (`{given}`), or add a name for its absence to the values (`| {name}`)");
    let declared = if place == *declared { Span::NONE } else { *declared };
    let found = Diagnostic::new(CODE, place, message).label(declared, "no default here").hint(hint);
    match absence {
        Some((behind, name)) => found.fix(format!("add `| {name}` to the values"), *behind, format!(" | {name}")),
        None => found,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, cured, told};

    #[test]
    fn an_attribute_without_default() {
        expect![[r#"
            5 `anna`: no-value: `anna.location` has no value when the story begins
              3 `location`: no default here
              hint: give it one (`location = …`), or add a name for its absence to the values (`| nowhere`)
              fix: add `| nowhere` to the values
        "#]]
        .assert_eq(&told(
            r#"story "Walk"
             type Place
             type Person { location: Place }
             object home: Place
             object anna: Person
             action walk(p: Person, to: Place) by p { then p.location = to }
             goal anna.location == home"#,
        ));
        let text = cured(
            r#"story "Walk"
             type Place
             type Person { location: Place }
             object home: Place
             object anna: Person
             action walk(p: Person, to: Place) by p { then p.location = to }
             goal anna.location == home"#,
        );
        assert_eq!(text, "type Person { location: Place | nowhere }");
    }

    #[test]
    fn somebody_is_missed_by_another_name() {
        let text = cured(
            r#"story "Friends"
             type Person { friend: Person }
             character anna: Person { goal anna.friend == anna }
             action choose(p: Person) by p { then p.friend = p }"#,
        );
        assert_eq!(text, "type Person { friend: Person | nobody }");
    }

    #[test]
    fn every_way_to_give_one() {
        check(
            r#"story "Walk"
             type Place
             type Person { location: Place; home: Place = hut; mood: glad | sad; last: Place | nowhere }
             object hut, yard: Place
             object anna: Person (location = hut)
             object bert, carl: Person
             population guest(g: Person) of 3 { given g.location = random Place }
             given bert.location = yard
             given carl.location = bert.location
             fluent spot: Place
             fluent next(p: Place): Place
             given spot = hut
             given next(p) = hut for p: Place
             action walk(p: Person, to: Place) { then p.location = to, p.last = to, p.mood = sad, spot = next(to) }
             goal anna.location == yard and anna.home == hut and anna.mood == sad and anna.last == hut and spot == yard"#,
        );
    }

    #[test]
    fn many_at_one_place_are_one_message() {
        expect![[r#"
            5 `guest`: no-value: `guest-1.location` and 29 others have no value when the story begins
              3 `location`: no default here
              hint: give it one (`location = …`), or add a name for its absence to the values (`| nowhere`)
              fix: add `| nowhere` to the values
            6 `next`: no-value: `next(hut)` and one other have no value when the story begins
              hint: give it one (`given next(…) = …`), or add a name for its absence to the values (`| nowhere`)
              fix: add `| nowhere` to the values
        "#]]
        .assert_eq(&told(
            r#"story "Crowd"
             type Place
             type Person { location: Place }
             object hut, yard: Place
             population guest(g: Person) of 30 { goal g.location == hut }
             fluent next(p: Place): Place
             action walk(p: Person, to: Place) by p { then p.location = next(to), next(to) = to }"#,
        ));
    }

    #[test]
    fn each_level_begins_anew() {
        check(
            r#"story "Levels"
             type Place
             type Person { location: Place; last: Place }
             object hut: Place
             object anna: Person //! no-value
             action walk(p: Person, to: Place) { then p.location = to, p.last = to }
             level one {
               given anna.location = hut
               given anna.last = hut
               milestone over { when anna.location == hut; next two carrying Person.last }
             }
             level two { level inner { goal anna.location == hut and anna.last == hut } }"#,
        );
    }

    #[test]
    fn what_a_pool_anchors_has_none_before() {
        check(
            r#"story "Maps"
             type Place
             type Map { shows: Place }
             object cave: Place
             pool map(m: Map) of 3 { anchors m.shows }
             goal any m: Map (m.shows == cave)"#,
        );
    }
}
