//! Tasks, methods and texts.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn tasks_and_methods() {
    expect![[r#"
        task goCinema(p: Person) key fills #romance costs 2
          needs not night
          offer test.goCinema.offer.1
          offer test.goCinema.offer.2 if $0.asked
          method invited if $0.asked
            do task ask($0)
            do task walk(mia)
          method _ costs 4
            then at start: band = false
            then at start: relaxed = true
            say at start: truce
        task ask(p: Person)
          method _
            then at start: $0.asked = true
            then at start: night = true
        task walk(p: Person)
          method _
            do action stroll($0)
    "#]]
    .assert_eq(&shown(
        r#"story "Evening"
             type Person { asked }
             object mia: Person
             fluent night, relaxed, band = true
             key task goCinema(p: Person) #romance {
               offer "Go with {p}."
               offer "Go again." if p.asked
               needs not night
               method invited if p.asked { do ask(p); do walk(mia) }
               method { then not band, relaxed; say "Nobody argues." @truce; costs 4 }
               costs 2
               fills
             }
             task ask(p: Person) { method { then p.asked, night } }
             action stroll(p: Person) { then p.asked }
             task walk(p: Person) { method { do stroll(p) } }
             goal relaxed and not band"#,
        &["task"],
    ));
}

#[test]
fn ids_follow_from_places() {
    expect![[r#"
        text name.first-act: The first act
        text name.anna: Anna
        text test.sing.say.1 (derived): One, {p = $0}.
        text two: Two.
        text test.sing.say.3 (derived): Three: {sung = sung}.
        text test.sing.ask.1 (derived): Four?
        text test.hum.say.1 (derived): Five.
        text test.over.say.1 (derived): Six.
    "#]].assert_eq(&shown(
            r#"story "Texts"
             type Person
             object anna "Anna": Person
             fluent sung
             action sing(p: Person) { then sung; say "One, {p}." or "Two." @two; say "Three: {sung}." at end; ask player "Four?" }
             rule hum { when sung; say "Five." }
             level first-act "The first act" { ending over { when sung; say "Six." } }"#,
            &["text"],
        ));
}

#[test]
fn names_used_again_in_levels_are_qualified() {
    expect![[r#"
        action sing [one]
          takes 1
          then at end: sung = true
          say at start: test.sing.say.1
        action two.sing [two]
          takes 1
          then at end: two.sung = true
          say at start: test.two.sing.say.1
        text name.one: One
        text name.two: Two
        text test.sing.say.1 (derived): One.
        text test.two.sing.say.1 (derived): Two.
    "#]]
    .assert_eq(&shown(
        r#"story "Texts"
             level one { fluent sung; action sing { then sung; say "One." }; milestone over { when sung; next two } }
             level two { fluent sung; action sing { then sung; say "Two." }; goal sung }"#,
        &["text", "action"],
    ));
}

#[test]
fn slots_and_their_names() {
    expect![[r#"
        text name.hut: hut
        text name.anna: anna
        text test.count.say.1 (derived): {p = $0} in {p-at = $0.at}: {p-coins = $0.coins}, {p-coins = $0.coins}, {value = ($0.coins * 2)}, {near = near($0, anna)}.
    "#]].assert_eq(&shown(
            r#"story "Slots"
             type Place
             type Person { at: Place; coins: int 0..9 }
             object hut: Place
             object anna: Person (at = hut)
             fluent near(a: Person, b: Person)
             action count(p: Person) { then p.coins += 1, near(p, p); say "{p} in {p.at}: {p.coins}, {(p.coins)}, {p.coins * 2}, {near(p, anna)}." }"#,
            &["text"],
        ));
}
