//! Actions: conditions, effects, contributions, what they hold, expect, ask and say.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn the_plainest_action() {
    expect![[r#"
        action ring
          takes 1
          then at end: rung = true
    "#]]
    .assert_eq(&shown(
        r#"story "Plain"
             fluent rung
             action ring { then rung }
             goal rung"#,
        &["action"],
    ));
}

#[test]
fn conditions_have_their_times() {
    expect![[r#"
        action go
          takes 9
          needs at start: a
          needs at end: b
          needs at start + 3: (a and b)
          needs at start: a
          needs throughout: not b
          needs at start: b, weight 2
          needs at start: (not b or a), weight 1
          then at end: a = true
          then at end: b = true
          costs 2.5
          late 5
        action drop
          takes 1
          then at end: a = false
          then at end: b = false
          late drop
    "#]]
    .assert_eq(&shown(
        r#"story "Needs"
             fluent a, b
             action go {
               takes 9 ticks
               needs a
               needs b at end
               needs a and b at 3 ticks
               needs a at start
               keeps not b
               prefer b weight 2
               prefer a while b
               costs 2.5
               late 5 ticks
               then a, b
             }
             action drop { late drop; then not a, not b }
             goal a and b"#,
        &["action"],
    ));
}

#[test]
fn effects_have_their_moments() {
    expect![[r#"
        action go(p: Person) by $0
          takes 5 .. 9
          then at start: $0.at = away
          then at start + 3: $0.coins += 2 if $0.at == away
          then at start + 3: $0.coins += -1 if $0.at == away
          then at end: $1.envious = true for q: Person if ($1 != $0 and $1.coins < $0.coins)
          then at end: $1.at = random (home, away) for q in (anna, bert)
          then at end: $1.envious = false for q in (anna, bert)
          uses 1 of $0 as a whole from start to end
    "#]]
    .assert_eq(&shown(
        r#"story "Effects"
             type Person { at: home | away; envious; coins: int 0..9 }
             object anna, bert: Person
             action go(p: Person) by p {
               takes 5 ticks .. 9 ticks
               then p.at = away at start
               then p.coins += 2, p.coins -= 1 at 3 ticks if p.at == away
               then q.envious for q: Person if q != p and q.coins < p.coins
               then q.at = random (home, away), not q.envious for q in (anna, bert)
             }
             goal anna.envious and bert.at == away"#,
        &["action"],
    ));
}

#[test]
fn contributions() {
    expect![[r#"
        action eat(p: Person) by $0
          takes 20
          during: $0.hunger += -1 per tick
          during: $0.steps += 0.5 per tick
          during: $0.hunger += -15 in all
          during: $1.hunger += 0.5 per tick for q: Person if $1 != $0
          uses 1 of $0 as a whole from start to end
    "#]]
    .assert_eq(&shown(
        r#"story "Rates" { ticks 10 per s }
             type Person { hunger: number 0..100 = 50; steps: int 0..99 }
             object anna: Person
             action eat(p: Person) by p {
               takes 2 s
               during p.hunger -= 1 per tick, p.steps += 5 per s
               during p.hunger -= 15
               during q.hunger += 0.5 per tick for q: Person if q != p
             }
             goal anna.hunger == 0 and anna.steps > 3"#,
        &["action"],
    ));
}

#[test]
fn who_performs_is_occupied_unless_actuators_are_listed() {
    expect![[r#"
        action greet(a: Person, b: Person) by $0 with $1
          takes 1
          needs at start: $0 != $1
          then at end: $0.glad = true
          uses 1 of $0 as a whole from start to end
          uses 1 of $1 as a whole from start to end
        action carry(a: Person, b: Person) by $0 with $1
          takes 9
          needs at start: $0 != $1
          then at end: $1.glad = true
          uses 2 of $0.hands from start to start + 3
          uses 1 of $0.voice from start + 3 to end
          uses 1 of $1 as a whole from start to end
    "#]]
    .assert_eq(&shown(
        r#"story "Hands"
             type Person { hands: actuator 2; voice: actuator; glad }
             object anna, bert: Person
             action greet(a: Person, b: Person) by a with b { then a.glad }
             action carry(a: Person, b: Person) by a with b {
               takes 9 ticks
               uses 2 of a.hands from start to 3 ticks, a.voice from 3 ticks to end
               then b.glad
             }
             goal anna.glad and bert.glad"#,
        &["action"],
    ));
}

#[test]
fn expectations_and_readings() {
    expect![[r#"
        action wait
          takes 30
          expect at end: seated = true
          check every 5
          extend 2 times by 10
          otherwise at end: told = false
          otherwise at end: seated = false
          reads seated, told
        rule comes when told
          takes 9
          expect at end: seated = true
          check every 3
          otherwise at end: told = false
        rule watch always
          reads told every 12
    "#]]
    .assert_eq(&shown(
        r#"story "Wait"
             fluent seated, told
             action wait {
               takes 30 ticks
               expect seated
               check every 5 ticks
               extend 2 times by 10 ticks
               otherwise not told, not seated
               reads seated, told
             }
             rule comes { when told; takes 9 ticks; expect seated; check every 3 ticks; otherwise not told }
             rule watch { reads told every 12 ticks }
             goal seated"#,
        &["action", "rule"],
    ));
}

#[test]
fn questions_and_texts() {
    expect![[r#"
        action invite(p: Person) by $0 #social
          takes 1
          then at end: $0.asked = true
          uses 1 of $0 as a whole from start to end
          ask player test.invite.ask.1 if not $0.asked answers ["yes ask.yes", "later test.invite.answers.2"] within Some(("9", "yes"))
          say at start: test.invite.say.1 or test.invite.say.2 by $0 if not $0.asked
          say at end: smile
        action knock(p: Person) by $0
          takes 1
          then at end: $0.asked = true
          uses 1 of $0 as a whole from start to end
          ask game  answers [] within None
        text name.anna: Anna
        text test.invite.ask.1 (derived): May {p = $0} come?
        text ask.yes: Yes.
        text test.invite.answers.2 (derived): Later.
        text test.invite.say.1 (derived): Shall we?
        text test.invite.say.2 (derived): Come along.
        text smile: {p = $0} smiles.
    "#]].assert_eq(&shown(
            r#"story "Ask"
             type Person { asked }
             character anna: Person { goal anna.asked }
             action invite(p: Person) by p #social {
               then p.asked
               ask player "May {p} come?" if not p.asked answers yes "Yes." @ask.yes, later "Later." within 9 ticks else yes
               say p: "Shall we?" or "Come along." if not p.asked
               say "{p} smiles." @smile at end
             }
             action knock(p: Person) by p { ask game; then p.asked }"#,
            &["action", "text"],
        ));
}

#[test]
fn tags_and_layers() {
    expect![[r#"
        action shop in errands #food #walk
          takes 1
          then at end: shopped = true
        action walk in street
          takes 1
          then at end: shopped = true
        layer errands above street horizon Some(90) steps None beam Some(12) ["0.25", "0.1"]
        layer street horizon None steps Some(4) beam None ["none", "none"]
    "#]]
    .assert_eq(&shown(
        r#"story "Layers"
             layer errands above street { horizon 90 ticks; beam 12; elites 25 %; tolerance 10 % }
             layer street { steps 4 }
             fluent shopped
             action shop in errands #food #walk #food { then shopped }
             action walk in street { then shopped }
             goal shopped"#,
        &["action", "layer"],
    ));
}
