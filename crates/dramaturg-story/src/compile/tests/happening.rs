//! Rules, patterns of events, and what `done` watches.

use expect_test::expect;

use crate::testing::shown;

#[test]
fn triggers() {
    expect![[r#"
        rule cheers(p: Person) when $0.running if not $0.glad
          then at end: $0.glad = true
          then at end: $0.running = false
          say at start: test.cheers.say.1
        rule tires(p: Person) while $0.running
          during: $0.energy += -0.5 per tick
        rule rests always
          during: bert.energy += 1 per tick
        rule bows(p: Person) after action race($0, bert) if $0.glad
          takes 3
          then at end: $0.glad = false
        rule claps after action race(_, anna)
          then at end: anna.glad = true
        rule hums after #sport
          then at end: bert.glad = true
        rule echo after action race
          then at end: bert.glad = true
    "#]]
    .assert_eq(&shown(
        r#"story "Triggers"
             type Person { running; energy: number 0..9; glad }
             object anna, bert: Person
             action race(a: Person, b: Person) by a with b #sport { then a.running, b.glad }
             rule cheers(p: Person) { when p.running if not p.glad; then p.glad, not p.running; say "{p}!" }
             rule tires(p: Person) { while p.running; during p.energy -= 0.5 per tick }
             rule rests { during bert.energy += 1 per tick }
             rule bows(p: Person) { after race(p, bert) if p.glad; takes 3 ticks; then not p.glad }
             rule claps { after race(_, anna); then anna.glad }
             rule hums { after #sport; then bert.glad }
             rule echo { after race; then bert.glad }
             goal anna.glad and anna.energy > 3"#,
        &["rule"],
    ));
}

#[test]
fn injections() {
    expect![[r#"
        rule warn(p: Person) when storm
          inject anna: goal anna.home salience 90; keep not $0.safe if not $0.home
          inject $0: goal $0.safe by 9 salience 50
        wish of rule warn: goal anna.home salience 90
        wish of rule warn: keep not $0.safe
        wish of rule warn: goal $0.safe by 9 salience 50
    "#]]
    .assert_eq(&shown(
        r#"story "Inject"
             type Person { home; safe }
             character anna: Person
             fluent storm
             action brew { then storm }
             action calm { then not storm }
             rule warn(p: Person) {
               when storm
               inject anna { goal anna.home salience 90; keep not p.safe } if not p.home
               inject p { goal p.safe by 9 ticks }
             }
             action walk(p: Person) by p { then p.home, p.safe }"#,
        &["rule", "wish"],
    ));
}

#[test]
fn done_becomes_a_fluent_that_the_end_sets() {
    expect![[r#"
        fluent Person.glad: yes or no = false
        fluent done kiss(anna, bert): yes or no watches action kiss(anna, bert)
        fluent done kiss($0, $0)(p: Person): yes or no watches action kiss($0, $0)
        fluent done kiss($0, _)(x: Person): yes or no watches action kiss($0, _)
        fluent done kiss: yes or no watches action kiss
        fluent done #love: yes or no watches #love
        fluent done wave(bert): yes or no watches action wave(bert)
        action kiss(a: Person, b: Person) by $0 with $1 #love
          takes 1
          needs at start: $0 != $1
          then at end: $0.glad = true
          then at end: done kiss(anna, bert) = true if ($0 == anna and $1 == bert)
          then at end: done kiss($0, $0)($0) = true if $1 == $0
          then at end: done kiss($0, _)($0) = true
          then at end: done kiss = true
          then at end: done #love = true
          uses 1 of $0 as a whole from start to end
          uses 1 of $1 as a whole from start to end
        action wave(a: Person) by $0 #love
          takes 1
          then at end: $0.glad = true
          then at end: done #love = true
          then at end: done wave(bert) = true if $0 == bert
          uses 1 of $0 as a whole from start to end
        wish of story: goal (done kiss(anna, bert) and anna.glad) salience 50
        wish of story: goal any p: Person (done kiss($0, $0)($0)) salience 50
        wish of story: goal any x: Person (done kiss($0, _)($0)) salience 50
        wish of story: goal done kiss (performs action kiss) salience 50
        wish of story: goal done #love (performs #love) then done wave(bert) (performs action wave(bert)) salience 50
    "#]]
    .assert_eq(&shown(
        r#"story "Done"
             type Person { glad }
             object anna, bert: Person
             action kiss(a: Person, b: Person) by a with b #love { then a.glad }
             action wave(a: Person) by a #love { then a.glad }
             goal done kiss(anna, bert) and anna.glad
             goal any p: Person (done kiss(p, p))
             goal any x: Person (done kiss(x, _))
             goal done kiss
             goal done #love then done wave(bert)"#,
        &["fluent", "action", "wish"],
    ));
}

#[test]
fn the_same_pattern_is_one_fluent() {
    expect![[r#"
        fluent Person.glad: yes or no = false
        fluent done wave($0)(p: Guest | Person): yes or no watches action wave($0)
    "#]]
    .assert_eq(&shown(
        r#"story "Done"
             type Person { glad }
             type Guest: Person
             object anna: Guest
             action wave(p: Person) by p { then p.glad }
             rule one(p: Guest) { when done wave(p) and not p.glad; then p.glad }
             goal any q: Person (done wave(q) and q.glad)"#,
        &["fluent"],
    ));
}

#[test]
fn done_of_tasks_methods_rules_and_ends() {
    expect![[r#"
        fluent a: yes or no = false
        fluent done sing(alto): yes or no watches task sing(alto)
        fluent done sing.low: yes or no watches task sing method 0
        fluent done echo: yes or no watches rule echo
        rule echo when a
          then at end: a = false
          then at end: done echo = true
        task sing(x: Part)
          offer test.sing.offer.1
          method low
            then at start: a = true
            say at start: test.sing.say.1
            then at start: done sing(alto) = true if $0 == alto
            then at start: done sing.low = true
          method high if a
            then at start: a = false
            then at start: done sing(alto) = true if $0 == alto
        milestone over when (done sing(alto) and done sing.low and done echo) next two carrying [] [one]
        ending home when a [two]
          then at start: a = false
    "#]]
    .assert_eq(&shown(
        r#"story "Done"
             fluent a
             task sing(x: Part) { offer "Sing."; method low { then a; say "{x}" }; method high if a { then not a } }
             type Part
             object alto: Part
             rule echo { when a; then not a }
             level one { milestone over { when done sing(alto) and done sing.low and done echo; next two } }
             level two { ending home { when a; then not a } }
             keep not a while a"#,
        &["fluent", "task", "rule", "milestone", "ending"],
    ));
}
