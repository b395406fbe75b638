//! Wishes of every kind and of everybody.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn goals() {
    expect![[r#"
        wish of story: goal a salience 50
        wish of story: goal a at 50 salience 50
        wish of story: goal n > 3 by 1800 salience 80 while winter
        wish of story: goal a from 10 to 20 then b by 40 then done go (performs action go) salience 15
    "#]]
    .assert_eq(&shown(
        r#"story "Goals" { ticks 10 per s; day 60 s }
             fluent a, b, winter
             fluent n: number 0..99
             action go { then a, b, winter, n += 1 }
             goal a
             goal a at 50 ticks
             goal n > 3 by 3 days salience 80 while winter
             goal a from 1 s to 2 s then b by 4 s then done go salience 10 + 5"#,
        &["wish"],
    ));
}

#[test]
fn what_is_kept_and_preferred() {
    expect![[r#"
        wish of story: keep n >= 0
        wish of story: keep not a from 10 to 20 while n > 3
        wish of story: prefer a weight 2
        wish of story: prefer less d weight 1
        wish of story: prefer more n to 50 weight 0.5 while a
        wish of story: prefer less n to 5 weight 1
        wish of story: prefer n follows 10 at 0, 45 at 100 within 5 weight 1
    "#]]
    .assert_eq(&shown(
        r#"story "Keeps" { ticks 10 per s }
             fluent a
             fluent n: number 0..99
             fluent d: duration
             action go { then a, n += 1, d += 1 tick }
             keep n >= 0
             keep not a from 1 s to 2 s while n > 3
             prefer a weight 2
             prefer less d
             prefer more n up to 50 weight 0.5 while a
             prefer less n down to 5
             prefer n follows 10 at 0 s, 45 at 10 s within 5"#,
        &["wish"],
    ));
}

#[test]
fn characters_say_more_in_levels() {
    expect![[r#"
        given paris.glad = true
        given paris.at = troy [war]
        wish of character paris: goal paris.at == troy salience 50
        wish of character paris: goal not paris.glad salience 20 [voyage]
        wish of character paris: keep paris.at == troy [war]
        character paris: 3 wishes
    "#]].assert_eq(&shown(
            r#"story "Levels"
             type Person { at: sparta | troy; glad }
             character paris: Person (glad) { goal paris.at == troy }
             action sail(p: Person) by p { then p.at = troy, not p.glad }
             level voyage { character paris { goal not paris.glad salience 20 }; milestone landed { when paris.at == troy; next war } }
             level war { character paris (at = troy) { keep paris.at == troy } }"#,
            &["character", "wish", "given"],
        ));
}

#[test]
fn personalities_and_populations() {
    expect![[r#"
        object hut "hut": Home
        object villa "villa": Home
        object citizen-1 "a neighbour": Citizen of population citizen
        object citizen-2 "a neighbour": Citizen of population citizen
        object citizen-3 "a neighbour": Citizen of population citizen
        object mayor "Mayor": Citizen
        wish of personality saver: prefer more $0.money to 500 weight 0.5
        wish of personality earner: keep $0.money > 0
        wish of population citizen: goal $0.money > 9 salience 50
        character mayor: 0 wishes, earner 0.5
        personality saver(c: Citizen): 1 wishes
          costs #sport times 2
        personality earner(c: Citizen): 1 wishes, saver
        population citizen of 3: 1 wishes, earner 0.15, saver 0.85
          given $0.home = random Home
          given $0.money = 5
    "#]]
    .assert_eq(&shown(
        r#"story "City"
             type Home
             type Citizen { home: Home; money: number 0..999 }
             object hut, villa: Home
             personality saver(c: Citizen) { prefer more c.money up to 500 weight 0.5; costs #sport times 2 }
             personality earner(c: Citizen) { personality saver; keep c.money > 0 }
             population citizen "a neighbour" (c: Citizen) of 3 {
               given c.home = random Home
               given c.money = 5
               goal c.money > 9
               personality earner 15 %, saver 85 %
             }
             character mayor: Citizen (home = villa) { personality earner 0.5 }
             action work(c: Citizen) by c { needs c.home == hut; then c.money += 1 }
             action run(c: Citizen) by c #sport { then c.money -= 1 }"#,
        &["personality", "population", "object", "wish", "character"],
    ));
}

#[test]
fn goals_of_the_idle() {
    expect![[r#"
        wish of futile stroll: goal $0.at == $1 salience 50
        futile stroll(p: Person, to: Place) needs $0.at != $1: 1 wishes
    "#]]
    .assert_eq(&shown(
        r#"story "Idle"
             type Place
             type Person { at: Place }
             object hut, yard: Place
             character anna: Person (at = hut)
             futile stroll(p: Person, to: Place) { needs p.at != to; goal p.at == to }
             action walk(p: Person, to: Place) by p { then p.at = to; say "{yard}" }"#,
        &["futile", "wish"],
    ));
}
