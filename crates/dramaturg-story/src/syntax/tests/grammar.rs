//! Every production of the grammar of stories, and the tricky ones as trees.

use dramaturg_model::FileId;
use expect_test::{Expect, expect};

use crate::format::format_story;
use crate::syntax::{parse_expr, parse_story};
use crate::testing::without_spans;

/// Formats a story without faults; what comes out must be the same story.
#[track_caller]
fn check(story: &str, formatted: Expect) {
    let (tree, found) = parse_story(FileId(0), story);
    assert!(found.is_empty(), "{found:#?}");
    let text = format_story(story);
    formatted.assert_eq(&text);
    let (again, found) = parse_story(FileId(0), &text);
    assert!(found.is_empty(), "{found:#?}");
    assert_eq!(without_spans(&tree), without_spans(&again));
}

#[track_caller]
fn check_expr(text: &str, tree: Expect) {
    let (expr, found) = parse_expr(FileId(0), text);
    assert!(found.is_empty(), "{found:#?}");
    tree.assert_eq(&brief(&without_spans(&expr)));
}

#[track_caller]
fn check_clause(text: &str, tree: Expect) {
    let (story, found) = parse_story(FileId(0), text);
    assert!(found.is_empty(), "{found:#?}");
    tree.assert_eq(&brief(&without_spans(&story.items[0].kind)));
}

/// Names are shown by their spelling alone, paths without what they lack.
fn brief(tree: &str) -> String {
    let mut parts = tree.split("Ident { text: ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(&part.replacen("\" }", "\"", 1));
    }
    text.replace(", arguments: None", "").replace(", attributes: []", "").replace(", unit: None", "")
}

#[test]
fn headers_and_files() {
    check(
        "story \"City\" {ticks 1 per min;day 24h begins 7 h ; options 3;language \"en\"} use \"places\"
        level one \"The first\" { type A; use \"part\" } level two{}",
        expect![[r#"
            story "City" { ticks 1 per min; day 24 h; begins 7 h; options 3; language "en" }; use "places"
            level one "The first" { type A; use "part" }; level two {}
        "#]],
    );
}

#[test]
fn types_fluents_objects_characters() {
    check(
        "/// Where people are.
        type Place type Person:Place{ /// how old
        age:int 0..120=20; money:number 0.. ;debt : number ..0; warmth: number -9.5..9 = -1
        mood: happy|sad|Place = happy; alive=true; hands:actuator 2; voice: actuator; size: duration = 2s; number: number }
        fluent peace, war=true fluent talked(a:Person,b:Person|Place) fluent near( a:Person ):number 0..5=1
        fluent far(a: Person) means near(a)>3 and not(peace or war)
        object x \"X\",y:Place object menelaos: Person(age=30,not alive,mood=sad,peace)
        character hector character helen \"Helen\":Person(alive){personality vain;goal peace}
        given peace, near(x)=3 at 30 s for x:Person, y in(a,b) if x!=y given bell.ringing at 3 s",
        expect![[r#"
            /// Where people are.
            type Place
            type Person: Place {                  /// how old
              age: int 0..120 = 20; money: number 0..; debt: number ..0; warmth: number -9.5..9 = -1
              mood: happy | sad | Place = happy; alive = true; hands: actuator 2; voice: actuator; size: duration = 2 s
              number: number
            }
            fluent peace, war = true; fluent talked(a: Person, b: Person | Place); fluent near(a: Person): number 0..5 = 1
            fluent far(a: Person) means near(a) > 3 and not (peace or war)
            object x "X", y: Place; object menelaos: Person (age = 30, not alive, mood = sad, peace)
            character hector; character helen "Helen": Person (alive) { personality vain; goal peace }
            given peace, near(x) = 3 at 30 s for x: Person, y in (a, b) if x != y; given bell.ringing at 3 s
        "#]],
    );
}

#[test]
fn actions() {
    check(
        "action eat(who: Person, it: Apple|Pear) by who with it, other in street #meal #slow {
        takes 2*3s..5s needs it.ripe at end needs who.hungry at 3 s keeps who.alive uses who.hands,2 of a.hands from start to 3 s
        then it.eaten, who.hunger -= 3 at start then b.envious for b: Person if b != who during who.hunger-=1 per tick, x += 15
        expect y = z otherwise not y check every 2 s extend 2 times by 3 s reads a.b, c every 12 ticks
        ask player \"Eat {it}?\" @eat.ask if who == hector answers yes \"Yes.\" @eat.yes, no \"No.\" within 20 s else no
        say \"a\" or \"b\" @b say who:\"c\" or \"d\" @id at end if peace costs 3 late 5 ticks prefer who.calm weight 2 }
        action think { ask game late drop } action wait() { late retime; costs #sport times 2 }",
        expect![[r#"
            action eat(who: Person, it: Apple | Pear) by who with it, other in street #meal #slow {
              takes 2 * 3 s .. 5 s; needs it.ripe at end; needs who.hungry at 3 s; keeps who.alive
              uses who.hands, 2 of a.hands from start to 3 s
              then it.eaten, who.hunger -= 3 at start; then b.envious for b: Person if b != who
              during who.hunger -= 1 per tick, x += 15
              expect y = z; otherwise not y; check every 2 s; extend 2 times by 3 s; reads a.b, c every 12 ticks
              ask player "Eat {it}?" @eat.ask if who == hector answers yes "Yes." @eat.yes, no "No." within 20 s else no
              say "a" or "b" @b; say who: "c" or "d" @id at end if peace; costs 3; late 5 ticks; prefer who.calm weight 2
            }
            action think { ask game; late drop }; action wait() { late retime; costs #sport times 2 }
        "#]],
    );
}

#[test]
fn rules_tasks_and_methods() {
    check(
        "rule a(c: Person) #tag { when c.running if peace then x } rule b { while y; during z += 0.5 per s }
        rule c { after kill(_, patroclus) if x; inject odysseus { goal a salience 90; keep b } if peace inject paris {} }
        rule d { after #romance; say \"x\" } rule e { after goCinema.torn(_); takes 3 s; then x = random (a, b), y = random 1..5, z = random Home | House }
        key task go(p: Person) #romance { offer \"Go.\" @go if peace needs x fills costs 2
        method m if a and b { then x; say \"y\"; do other(p).x; costs 3 } method { do plain } method if c {} }",
        expect![[r#"
            rule a(c: Person) #tag { when c.running if peace; then x }; rule b { while y; during z += 0.5 per s }
            rule c { after kill(_, patroclus) if x; inject odysseus { goal a salience 90; keep b } if peace; inject paris {} }
            rule d { after #romance; say "x" }
            rule e { after goCinema.torn(_); takes 3 s; then x = random (a, b), y = random 1..5, z = random Home | House }
            key task go(p: Person) #romance {
              offer "Go." @go if peace; needs x; fills; costs 2
              method m if a and b { then x; say "y"; do other(p).x; costs 3 }; method { do plain }; method if c {}
            }
        "#]],
    );
}

#[test]
fn pools_populations_personalities_layers() {
    check(
        "pool map \"the map\"(m: Map) of 4{anchors m.kind,m.place takes 180 ticks needs x uses y then z say \"t\" commit when player.heading==m costs 3}
        population citizen(c: Citizen) of 250 { given c.home = random Home personality a 15%, b; goal x keep y prefer z }
        personality earner(c: Citizen){prefer more c.money up to 500 weight 0.5 prefer less c.debt down to 0 keep c.satiety>0 costs #sport times 2 personality other}
        futile stroll(c: Person, to: Place){needs c.location!=to goal c.location==to}
        layer street{horizon 3h;beam 4;steps 9} layer errands above street{elites 25% tolerance 10%} layer bare
        milestone sailed{when a then b say \"c\" next war carrying Person.alive,peace} ending e{when not peace; then x; say \"y\"}",
        expect![[r#"
            pool map "the map" (m: Map) of 4 {
              anchors m.kind, m.place
              takes 180 ticks
              needs x
              uses y
              then z
              say "t"
              commit when player.heading == m
              costs 3
            }
            population citizen(c: Citizen) of 250 { given c.home = random Home; personality a 15 %, b; goal x; keep y; prefer z }
            personality earner(c: Citizen) {
              prefer more c.money up to 500 weight 0.5
              prefer less c.debt down to 0
              keep c.satiety > 0
              costs #sport times 2
              personality other
            }
            futile stroll(c: Person, to: Place) { needs c.location != to; goal c.location == to }
            layer street { horizon 3 h; beam 4; steps 9 }; layer errands above street { elites 25 %; tolerance 10 % }; layer bare
            milestone sailed { when a; then b; say "c"; next war carrying Person.alive, peace }
            ending e { when not peace; then x; say "y" }
        "#]],
    );
}

#[test]
fn wishes() {
    check(
        "goal a then b salience 3 goal anna.hunger==0 at 500 ticks goal done #romance then peace by 3 days then c from 2 s to 5 s salience 80 while winter
        keep x>0 from 3 s to 5 s while y keep z prefer less hours weight 2
        prefer all p:Princess(p.hair==player.fancy)weight 3 while player.fancy!=unknown
        prefer player.motivation follows 10 at 0 s,45 at 10 s within 5 weight 1 while peace",
        expect![[r#"
            goal a then b salience 3; goal anna.hunger == 0 at 500 ticks
            goal done #romance then peace by 3 days then c from 2 s to 5 s salience 80 while winter
            keep x > 0 from 3 s to 5 s while y; keep z; prefer less hours weight 2
            prefer all p: Princess (p.hair == player.fancy) weight 3 while player.fancy != unknown
            prefer player.motivation follows 10 at 0 s, 45 at 10 s within 5 weight 1 while peace
        "#]],
    );
}

#[test]
fn words_are_names_elsewhere() {
    check(
        "type Trip { from: Place; to: Place; level: int; use; at; type; if }
        action use(from: Place, to: Place, takes: Trip) by takes { takes then + else needs from.to==to at end then then, not rule, say.offer = if }
        goal goal then then salience salience while while",
        expect![[r#"
            type Trip { from: Place; to: Place; level: int; use; at; type; if }
            action use(from: Place, to: Place, takes: Trip) by takes {
              takes then + else
              needs from.to == to at end
              then then, not rule, say.offer = if
            }
            goal goal then then salience salience while while
        "#]],
    );
}

#[test]
fn ranges_and_sets() {
    check_expr(
        "x in Place | Fleet",
        expect![[r#"Expr { kind: In(Expr { kind: Path(Path { name: "x" }) }, Types(["Place", "Fleet"])) }"#]],
    );
    check_expr(
        "x in 1..5",
        expect![[
            r#"Expr { kind: In(Expr { kind: Path(Path { name: "x" }) }, Range(Expr { kind: Number(Number { value: 1 }) }, Expr { kind: Number(Number { value: 5 }) })) }"#
        ]],
    );
    check_expr(
        "x in a.b .. c.d",
        expect![[
            r#"Expr { kind: In(Expr { kind: Path(Path { name: "x" }) }, Range(Expr { kind: Path(Path { name: "a", attributes: ["b"] }) }, Expr { kind: Path(Path { name: "c", attributes: ["d"] }) })) }"#
        ]],
    );
    check_expr(
        "today mod 7 in (1, 2)",
        expect![[
            r#"Expr { kind: In(Expr { kind: Arithmetic(Modulo, Expr { kind: Path(Path { name: "today" }) }, Expr { kind: Number(Number { value: 7 }) }) }, Among([Expr { kind: Number(Number { value: 1 }) }, Expr { kind: Number(Number { value: 2 }) }], )) }"#
        ]],
    );
}

#[test]
fn operators_bind_as_usual() {
    check_expr(
        "a + b * c - d",
        expect![[
            r#"Expr { kind: Arithmetic(Subtract, Expr { kind: Arithmetic(Add, Expr { kind: Path(Path { name: "a" }) }, Expr { kind: Arithmetic(Multiply, Expr { kind: Path(Path { name: "b" }) }, Expr { kind: Path(Path { name: "c" }) }) }) }, Expr { kind: Path(Path { name: "d" }) }) }"#
        ]],
    );
    check_expr(
        "not a == -b and (c or d)",
        expect![[
            r#"Expr { kind: And([Expr { kind: Not(Expr { kind: Compare(Equal, Expr { kind: Path(Path { name: "a" }) }, Expr { kind: Negate(Expr { kind: Path(Path { name: "b" }) }) }) }) }, Expr { kind: Group(Expr { kind: Or([Expr { kind: Path(Path { name: "c" }) }, Expr { kind: Path(Path { name: "d" }) }]) }) }]) }"#
        ]],
    );
    check_expr(
        "any m: Map, n in (a, b) (m.x)",
        expect![[
            r#"Expr { kind: Any([Binder { name: "m", range: Types(["Map"]) }, Binder { name: "n", range: Among([Expr { kind: Path(Path { name: "a" }) }, Expr { kind: Path(Path { name: "b" }) }]) }], Expr { kind: Path(Path { name: "m", attributes: ["x"] }) }) }"#
        ]],
    );
    check_expr(
        "f().y + min(1, 2 s)",
        expect![[
            r#"Expr { kind: Arithmetic(Add, Expr { kind: Path(Path { name: "f", arguments: Some([]), attributes: ["y"] }) }, Expr { kind: Path(Path { name: "min", arguments: Some([Expr { kind: Number(Number { value: 1 }) }, Expr { kind: Number(Number { value: 2, unit: Some(Seconds) }) }]) }) }) }"#
        ]],
    );
    check_expr(
        "done map.anchor(map-1, _) and done #romance",
        expect![[
            r#"Expr { kind: And([Expr { kind: Done(Event { kind: Named { name: "map", member: Some("anchor"), arguments: Some([Expr { kind: Path(Path { name: "map-1" }) }, Expr { kind: Wildcard }]) } }) }, Expr { kind: Done(Event { kind: Tag(Tag { name: "romance" }) }) }]) }"#
        ]],
    );
}

#[test]
fn trees_of_tricky_clauses() {
    check_clause(
        "action a { takes 2 * 3 s .. 5 s }",
        expect![[
            r#"Action(ActionDecl { head: Head { name: "a", params: [] }, by: None, with: [], layer: None, tags: [], body: Body { clauses: [Clause { kind: Takes(Expr { kind: Arithmetic(Multiply, Expr { kind: Number(Number { value: 2 }) }, Expr { kind: Number(Number { value: 3, unit: Some(Seconds) }) }) }, Some(Expr { kind: Number(Number { value: 5, unit: Some(Seconds) }) })) }] } })"#
        ]],
    );
    check_clause(
        "personality p(c: C) { costs #sport times 2 }",
        expect![[
            r#"Personality(NamedBody { head: Head { name: "p", params: [Param { name: "c", types: ["C"] }] }, body: Body { clauses: [Clause { kind: Costs(Some(Tag { name: "sport" }), Expr { kind: Number(Number { value: 2 }) }) }] } })"#
        ]],
    );
    check_clause(
        "action a { uses 2 of a.hands from start to 3 s; late 5 ticks }",
        expect![[
            r#"Action(ActionDecl { head: Head { name: "a", params: [] }, by: None, with: [], layer: None, tags: [], body: Body { clauses: [Clause { kind: Uses([Hold { amount: Some(Number { value: 2 }), path: Path { name: "a", attributes: ["hands"] }, window: Some((Start(), After(Expr { kind: Number(Number { value: 3, unit: Some(Seconds) }) }))) }]) }, Clause { kind: Late(UpTo(Expr { kind: Number(Number { value: 5, unit: Some(Ticks) }) })) }] } })"#
        ]],
    );
    check_clause(
        r#"rule r { say who: "a {b.c} \{d\"" or "e" @id at end if f }"#,
        expect![[
            r#"Rule(RuleDecl { head: Head { name: "r", params: [] }, tags: [], body: Body { clauses: [Clause { kind: Say { speaker: Some("who"), lines: [Line { text: Text { pieces: [Words("a "), Slot(Expr { kind: Path(Path { name: "b", attributes: ["c"] }) }), Words(" {d\"")] }, id: None }, Line { text: Text { pieces: [Words("e")] }, id: Some("id") }], anchor: Some(End()), condition: Some(Expr { kind: Path(Path { name: "f" }) }) } }] } })"#
        ]],
    );
    check_clause(
        "goal a then b salience 3",
        expect![[
            r#"Wish(Wish { kind: Goal([Aim { condition: Expr { kind: Path(Path { name: "a" }) }, time: Any }, Aim { condition: Expr { kind: Path(Path { name: "b" }) }, time: Any }], Some(Expr { kind: Number(Number { value: 3 }) })), condition: None })"#
        ]],
    );
    check_clause(
        "prefer all p: Princess (p.hair == player.fancy) weight 3 while x",
        expect![[
            r#"Wish(Wish { kind: Prefer(Holds(Expr { kind: All([Binder { name: "p", range: Types(["Princess"]) }], Expr { kind: Compare(Equal, Expr { kind: Path(Path { name: "p", attributes: ["hair"] }) }, Expr { kind: Path(Path { name: "player", attributes: ["fancy"] }) }) }) }), Some(Expr { kind: Number(Number { value: 3 }) })), condition: Some(Expr { kind: Path(Path { name: "x" }) }) })"#
        ]],
    );
}

#[test]
fn a_line_break_in_a_text_is_a_blank_and_an_empty_line_a_paragraph() {
    check_clause(
        "use \"one\n   two  \n\n  three {a}  \n four\"",
        expect![[
            r#"Use(Text { pieces: [Words("one two\n\nthree "), Slot(Expr { kind: Path(Path { name: "a" }) }), Words(" four")] })"#
        ]],
    );
}

#[test]
fn hover_texts_belong_to_what_follows() {
    let (story, found) = parse_story(FileId(0), "/// One.\n// no\n///  Two.\ntype A {\n  /// Three.\n  b\n}\ntype C");
    assert!(found.is_empty());
    assert_eq!(story.items[0].doc.as_deref(), Some("One.\n Two."));
    assert_eq!(story.items[1].doc, None);
    assert!(without_spans(&story).contains("doc: Some(\"Three.\")"));
}

#[test]
fn a_tree_of_what_is_left() {
    let (story, found) = parse_story(FileId(0), "object a: ;object b\naction x(p) by p { needs ; then q }\n");
    expect![[r#"
        StoryFile { items: [Item { kind: Object(ObjectDecl { names: [Named { name: "a", title: None }], ty: None, inits: [] }), doc: None }, Item { kind: Object(ObjectDecl { names: [Named { name: "b", title: None }], ty: None, inits: [] }), doc: None }, Item { kind: Action(ActionDecl { head: Head { name: "x", params: [Param { name: "p", types: [] }] }, by: None, with: [], layer: None, tags: [], body: Body { clauses: [Clause { kind: Needs(Expr { kind: Missing }, None) }, Clause { kind: Then(Effects { effects: [Effect { target: Path { name: "q" }, change: Yes }], anchor: None, binders: [], condition: None }) }] } }), doc: None }] }
        `;` cannot stand here
        `:` and the type of the object is missing
        `)` cannot stand here
        `;` cannot stand here"#]].assert_eq(&format!(
        "{}\n{}",
        brief(&without_spans(&story)),
        found.iter().map(|it| it.message.clone()).collect::<Vec<_>>().join("\n")
    ));
}
