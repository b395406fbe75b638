//! Every production of the grammar of plays.

use dramaturg_model::FileId;
use expect_test::{Expect, expect};

use crate::diagnostics::{expected, too_deep, unclosed_brace, unknown_clause};
use crate::format::format_play;
use crate::syntax::parse_play;
use crate::testing::without_spans;

#[track_caller]
fn check(play: &str, formatted: Expect) {
    let (tree, found) = parse_play(FileId(0), play);
    assert!(found.is_empty(), "{found:#?}");
    let text = format_play(play);
    formatted.assert_eq(&text);
    assert_eq!(without_spans(&tree), without_spans(&parse_play(FileId(0), &text).0));
}

#[test]
fn every_step() {
    check(
        "play \"All\" { given a=b, not c goals hector { goal x by 30 ticks } goals{goal y} level sparta seed 7 force
        until 47.5 s wait 2*3 s finish reload report a.b=c,not d from 236 ticks to 336 ticks report e
        fail walk(_, x) after 3 s fail y stretch take(a) by 10 ticks answer no choose goCinema do barConcert
        see map.anchor(map-1,castle) at 3 s see x by 4 s see \"*light*\" within 60 ticks see #romance see through
        never kill(_) never \"*x*\" check a==b and c offered a,b(c) only hero { see a;see b
        see c } unordered{see d} }
        play \"Empty\"{}",
        expect![[r#"
            play "All" {
              given a = b, not c; goals hector { goal x by 30 ticks }; goals { goal y }; level sparta; seed 7; force
              until 47.5 s; wait 2 * 3 s; finish; reload; report a.b = c, not d from 236 ticks to 336 ticks; report e
              fail walk(_, x) after 3 s; fail y; stretch take(a) by 10 ticks; answer no; choose goCinema; do barConcert
              see map.anchor(map-1, castle) at 3 s; see x by 4 s; see "*light*" within 60 ticks; see #romance; see through
              never kill(_); never "*x*"; check a == b and c; offered a, b(c)
              only hero {
                see a; see b
                see c
              }
              unordered { see d }
            }
            play "Empty" {}
        "#]],
    );
}

#[test]
fn faults_in_plays() {
    let codes = |text: &str| parse_play(FileId(0), text).1.iter().map(|it| it.code).collect::<Vec<_>>();
    assert_eq!(codes("play \"a\" {\n  see x\nplay \"b\" { see y }"), [unclosed_brace::CODE]);
    assert_eq!(codes("play \"a\" { chek x }"), [unknown_clause::CODE]);
    assert_eq!(codes("play { see y }\nplay \"b\" { see }"), [expected::CODE, expected::CODE]);
    assert_eq!(codes("goal x"), [unknown_clause::CODE]);
    assert_eq!(codes(&format!("play \"a\" {{ {}", "unordered {".repeat(5_000))), [too_deep::CODE]);
}
