//! Types, objects, fluents, units, what is given.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn types_objects_and_names_for_show() {
    expect![[r#"
        type Place
        type Person
        type King: Person
        object throne-room "the throne room": Place
        object rose-garden "rose garden": Place
        object menelaos "menelaos": King
        object anna-maria "Anna maria": Person
    "#]]
    .assert_eq(&shown(
        r#"story "Court"
             type Place
             type Person { at: Place }
             type King: Person
             object throne-room "the throne room", rose-garden: Place
             object menelaos: King (at = throne-room)
             character anna-maria: Person (at = rose-garden) { goal anna-maria.at == throne-room }
             action walk(p: Person, to: Place) by p { then p.at = to; say "{menelaos}" }"#,
        &["type", "object"],
    ));
}

#[test]
fn domains_and_their_defaults() {
    expect![[r#"
        fluent Person.at: Place | away = away
        fluent Person.home: Place = none, static
        fluent Person.age: int 1..99 = 1
        fluent Person.pulse: number ..-1 = -1
        fluent mood: glad | sad = glad
        fluent wait: duration = 0
        fluent warm: number .. = 0.5, static
        fluent open: yes or no = true, static
        fluent near(a: Person, b: Person | Place): yes or no = false
        fluent ready(p: Person): yes or no means ($0.at == $0.home and $0.age > 3)
        actuator Person.hands: 2
        actuator Person.voice: 1
    "#]].assert_eq(&shown(
            r#"story "Domains"
             type Place
             type Person { at: Place | away; home: Place; age: int 1..99; hands: actuator 2; voice: actuator; pulse: number ..-1 }
             object hut: Place
             object anna: Person (home = hut)
             fluent mood: glad | sad
             fluent wait: duration
             fluent warm: number = 0.5
             fluent open = true
             fluent near(a: Person, b: Person | Place)
             fluent ready(p: Person) means p.at == p.home and p.age > 3
             action go(p: Person) by p {
               needs ready(p) and open and mood == glad and wait < 3 ticks
               then p.at = hut, p.age += 1, mood = sad, wait += 1 tick, near(p, hut), p.pulse -= 1
             }
             goal near(anna, anna) and anna.pulse < -3 and warm > 0"#,
            &["fluent", "actuator"],
        ));
}

#[test]
fn what_is_given_in_order() {
    expect![[r#"
        given hut.open = true
        given hut.depth = 2
        given yard.open = true
        given yard.depth = 2
        given road($0, $1) = true for a: Place, b: Place if $0 != $1
        given $0.depth = random 1..3 for p in (hut, yard) if $0.open
        given hut.depth += 1
        given rain = false
        given rain = true at 30
    "#]]
    .assert_eq(&shown(
        r#"story "Given"
             type Place { open; depth: int 0..9 }
             object hut, yard: Place (open, depth = 2)
             fluent road(a: Place, b: Place), rain
             given road(a, b) for a: Place, b: Place if a != b
             given p.depth = random 1..3 for p in (hut, yard) if p.open
             given hut.depth += 1, not rain
             given rain at 30 ticks
             goal road(hut, yard) and hut.open and hut.depth > yard.depth and rain"#,
        &["given"],
    ));
}

#[test]
fn the_clock_and_units() {
    expect![[r#"
        clock 0.5 per s, day Some(21600), begins 12600
        header "Clock" options Some(3) language Some("en")
        action rest
          takes (ticks((2 * wait)) + 15)
          needs at start: (timeOfDay in 14400..16200 and dayNumber == 2 and now > 21600)
          then at end: wait = ticks((wait / 3))
          during: warmth += 0.2 per tick
          during: warmth += -0.000139 per tick
    "#]]
    .assert_eq(&shown(
        r#"story "Clock" { ticks 30 per min; day 12 h; begins 7 h; options 3; language "en" }
             fluent wait: duration = 1 min
             fluent warmth: number 0..9
             action rest {
               takes 2 * wait + 30 s
               needs timeOfDay in 8 h..9 h and dayNumber == 2 and now > 1 days
               during warmth += 6 per min, warmth -= 25 % per h
               then wait = wait / 3
             }
             goal warmth > 3"#,
        &["clock", "header", "action"],
    ));
    expect![[r#"
        clock none per s, day None, begins 0
    "#]]
    .assert_eq(&shown(
        r#"story "No clock"
             fluent done-it
             action go { takes 90 ticks; then done-it }
             goal done-it"#,
        &["clock"],
    ));
}

#[test]
fn arithmetic_is_folded_and_durations_are_rounded() {
    expect![[r#"
        wish of story: goal a == 11.5 salience 50
        wish of story: goal (a - (2 * b)) > -3 salience 50
        wish of story: goal max(a, b, 3) == (((min(a, 2) + floor(b)) + abs((a - b))) + hypot(3, 4)) salience 50
        wish of story: goal (ticks((d * 1.5)) > 2 and (d mod 2) == 0 and (d / 2) > 1) salience 50
    "#]]
    .assert_eq(&shown(
        r#"story "Sums"
             fluent a, b: number 0..99
             fluent d: duration
             action go { then a += 1, b += 1, d += 1 tick }
             goal a == 2 + 3 * 4 - 10 / 4
             goal a - (1 + 1) * b > -3
             goal max(a, b, 3) == min(a, 2) + floor(b) + abs(a - b) + hypot(3, 4)
             goal d * 1.5 > 3 ticks / 2 and d mod 2 ticks == 0 ticks and d / 2 ticks > 1"#,
        &["wish"],
    ));
}

#[test]
fn conditions() {
    expect![[r#"
        wish of story: goal (not (anna.ok and n > 3) or not anna.ok) salience 50
        wish of story: goal (n in 1..5 and n in (1, 3) and anna.at in Place and anna.at in (hut, away) and anna.at != yard) salience 50
        wish of story: goal any p: Person (($0.ok and all q: Guest, r in (hut, yard) (($1.at == $2 or $1 == $0)))) salience 50
        wish of story: goal away == anna.at salience 50
    "#]].assert_eq(&shown(
        r#"story "Conditions"
             type Place
             type Person { at: Place | away; ok }
             type Guest: Person
             object hut, yard: Place
             object anna: Guest
             fluent n: int 0..9
             action go(p: Person) { then p.at = hut, p.ok, n += 1 }
             goal not (anna.ok and n > 3) or not anna.ok
             goal n in 1..5 and n in (1, 3) and anna.at in Place and anna.at in (hut, away) and anna.at != yard
             goal any p: Person (p.ok and all q: Guest, r in (hut, yard) (q.at == r or q == p))
             goal away == anna.at"#,
        &["wish"],
    ));
}

#[test]
fn reading_through_a_fluent() {
    expect![[r#"
        action leave(p: Person) by $0
          takes 1
          needs at start: $0.at.open
          then at end: $0.at.open = false
          uses 1 of $0 as a whole from start to end
    "#]]
    .assert_eq(&shown(
        r#"story "Through"
             type Place { open }
             type Person { at: Place }
             object hut: Place
             object anna: Person (at = hut)
             action leave(p: Person) by p { needs p.at.open; then not p.at.open }
             goal anna.at.open"#,
        &["action"],
    ));
}

#[test]
fn unions_of_types() {
    expect![[r#"
        fluent Cat.fed: yes or no = false
        fluent petted(p: Cat | Dog): yes or no = false
        action pet(p: Dog | Cat)
          takes 1
          then at end: petted($0) = true
          then at end: $0.fed = true
    "#]]
    .assert_eq(&shown(
        r#"story "Unions"
             type Cat { fed }
             type Dog
             object tom: Cat
             object rex: Dog
             fluent petted(p: Cat | Dog)
             action pet(p: Dog | Cat) { then petted(p), p.fed }
             goal petted(rex) and tom.fed"#,
        &["action", "fluent"],
    ));
}
