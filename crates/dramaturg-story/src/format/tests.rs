//! The formatter as a whole.

use dramaturg_model::FileId;
use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;
use crate::syntax::lexer::lex;
use crate::syntax::tests::soup::soup;
use crate::syntax::{parse_play, parse_story};
use crate::testing::{parse, samples, without_spans};

fn format_file(name: &str, text: &str) -> String {
    if name.ends_with(".play") { format_play(text) } else { format_story(text) }
}

fn tree(name: &str, text: &str) -> String {
    if name.ends_with(".play") {
        without_spans(&parse_play(FileId(0), text).0)
    } else {
        without_spans(&parse_story(FileId(0), text).0)
    }
}

fn comments(text: &str) -> Vec<&str> {
    let lexed = lex(FileId(0), text, 0, text.len());
    lexed.comments.iter().map(|comment| &text[comment.start as usize..comment.end as usize]).collect()
}

#[track_caller]
fn check(story: &str, formatted: Expect) {
    let text = format_story(story);
    formatted.assert_eq(&text);
    assert_eq!(format_story(&text), text, "formatting again changes nothing");
    assert_eq!(tree("a.story", story), tree("a.story", &text));
}

#[test]
fn samples_are_formatted() {
    for (name, text) in samples() {
        let formatted = format_file(&name, &text);
        for (index, (before, after)) in text.lines().zip(formatted.lines()).enumerate() {
            assert_eq!(before, after, "{name}:{}", index + 1);
        }
        assert_eq!(text, formatted, "{name}");
    }
}

#[test]
fn faulty_texts_stay_as_they_are() {
    for text in ["goal   (", "  fluent  a\n action {", "rule r { when  a; takes 5 sec }\r\n"] {
        assert_eq!(format_story(text), text);
    }
    assert_eq!(format_play("play  \"x\" {"), "play  \"x\" {");
}

#[test]
fn nothing_stays_nothing() {
    assert_eq!(format_story(""), "");
    assert_eq!(format_story(" \n\n "), "");
    assert_eq!(format_story("\n\n// only this\n\n"), "// only this\n");
    assert_eq!(format_story(" ; "), "");
}

#[test]
fn comments_keep_their_places() {
    check(
        "// top\n\n\n// second\nrule a { // behind the brace\n\n  // own line\n   when x   // aligned\n then y // aligned too\n\n   // last\n\n}   // behind\n// end",
        expect![[r#"
            // top

            // second
            rule a { // behind the brace

              // own line
              when x    // aligned
              then y // aligned too

              // last
            }   // behind
            // end
        "#]],
    );
    check(
        "fluent a // one\n  , b(c: D) // two\n  // three\n  : int\ngoal a // four\n  and // five\n b",
        expect![[r#"
            fluent a // one
              , b(c: D) // two
              // three
              : int
            goal a // four
              and // five
              b
        "#]],
    );
    check(
        "rule a // why\n { when x // how\n ; // what\n say \"y\" }",
        expect![[r#"
        rule a // why
          {
          when x  // how
          // what
          say "y"
        }
    "#]],
    );
    check(
        "type A // one\n ; /// two\n ; type B",
        expect![[r#"
        type A // one
        /// two
        type B
    "#]],
    );
    check(
        "rule a {\n // nothing yet\n}\nrule b {\n}",
        expect![[r#"
        rule a {
          // nothing yet
        }
        rule b {}
    "#]],
    );
}

#[test]
fn blank_lines_stay_and_do_not_multiply() {
    check(
        "type A\n\n\n\ntype B\ntype C {\n\n\n  x\n\n\n  y\n\n}",
        expect![[r#"
        type A

        type B
        type C {
          x

          y
        }
    "#]],
    );
}

#[test]
fn a_body_of_one_line_stays_one_while_there_is_room() {
    check(
        "rule a {when x;then y;}",
        expect![[r#"
        rule a { when x; then y }
    "#]],
    );
    check(
        "rule a {\nwhen x;then y;}",
        expect![[r#"
        rule a {
          when x; then y
        }
    "#]],
    );
    check(
        "rule aLongName { when somethingHappens and somethingElseHappens; then thisIsSo, thatIsSo; say \"And so on, until the end.\" }",
        expect![[r#"
            rule aLongName {
              when somethingHappens and somethingElseHappens
              then thisIsSo, thatIsSo
              say "And so on, until the end."
            }
        "#]],
    );
}

#[test]
fn long_clauses_are_broken_at_their_parts() {
    check(
        "given road(aLongName, anotherLongName), road(anotherLongName, aLongName) for aLongName in (one, two), anotherLongName: Place if aLongName != anotherLongName",
        expect![[r#"
            given road(aLongName, anotherLongName), road(anotherLongName, aLongName)
              for aLongName in (one, two), anotherLongName: Place if aLongName != anotherLongName
        "#]],
    );
    check(
        "rule a { when aVeryLongName.attribute == anotherVeryLongName.attribute and aVeryLongName.other == anotherVeryLongName.other and third }",
        expect![[r#"
            rule a {
              when aVeryLongName.attribute == anotherVeryLongName.attribute and aVeryLongName.other == anotherVeryLongName.other
                and third
            }
        "#]],
    );
    check(
        "action aVeryLongNameOfAnAction(firstParameter: SomeType, secondParameter: SomeOtherType, thirdParameter: YetAnotherType) by firstParameter { then x }",
        expect![[r#"
            action aVeryLongNameOfAnAction(firstParameter: SomeType, secondParameter: SomeOtherType, thirdParameter: YetAnotherType)
              by firstParameter {
              then x
            }
        "#]],
    );
    check(
        "fluent a means max(aVeryLongNameOfAFluent(first, second), anotherVeryLongNameOfAFluent(first, second), thirdVeryLongNameOfAFluent(x)) > 3",
        expect![[r#"
            fluent a
              means max(aVeryLongNameOfAFluent(first, second), anotherVeryLongNameOfAFluent(first, second),
              thirdVeryLongNameOfAFluent(x)) > 3
        "#]],
    );
}

#[test]
fn line_breaks_of_the_author_stay_at_good_places() {
    check(
        "given a,\n b\n for x: T\n if\n x == y\n or z",
        expect![[r#"
        given a,
          b
          for x: T
          if x == y
          or z
    "#]],
    );
    check(
        "action a {\n say \"one\" or\n \"two\"\n or \"three\" }",
        expect![[r#"
        action a {
          say "one" or "two"
            or "three"
        }
    "#]],
    );
}

#[test]
fn lines_of_a_text_are_indented() {
    check(
        "rule a {\n when x\n say \"One   \n two.\n\n\n     Three.\" if y\n}",
        expect![[r#"
        rule a {
          when x
          say "One
            two.

            Three." if y
        }
    "#]],
    );
}

/// A sample with its blanks changed at some places.
fn respaced() -> impl Strategy<Value = (String, String)> {
    let gap = prop_oneof![
        3 => Just(" "),
        2 => Just("\n"),
        2 => Just(""),
        1 => Just("\n\n\n  "),
        1 => Just("   \t"),
        1 => Just("\r\n"),
        1 => Just(" // a comment\n"),
        1 => Just("\n // one\n\n/// two\n"),
    ];
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), gap), 0..40);
    (0..25_usize, changes).prop_map(|(sample, changes)| {
        let (name, text) = samples().swap_remove(sample);
        let tokens = lex(FileId(0), &text, 0, text.len()).tokens;
        let mut gaps = vec![None; tokens.len()];
        for (index, gap) in changes {
            gaps[index.index(tokens.len())] = Some(gap);
        }
        let mut changed = String::new();
        let mut before = 0;
        for (token, gap) in tokens.iter().zip(gaps) {
            // Blanks may go only beside signs that never join with a neighbour.
            let apart = |at: Option<char>| at.is_some_and(|sign| "(){},;".contains(sign));
            let may_go = apart(changed.chars().next_back()) || apart(text[token.start as usize..].chars().next());
            changed += match gap {
                Some("") if !may_go => " ",
                Some(gap) => gap,
                None => &text[before..token.start as usize],
            };
            changed += &text[token.start as usize..token.end as usize];
            before = token.end as usize;
        }
        (name, changed)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn formatting_changes_nothing_that_is_said((name, text) in respaced()) {
        let found = parse(&name, &text);
        prop_assert!(found.is_empty(), "blanks mean nothing: {:?}", found);
        let formatted = format_file(&name, &text);
        prop_assert_eq!(tree(&name, &text), tree(&name, &formatted));
        prop_assert_eq!(comments(&text), comments(&formatted));
        prop_assert_eq!(format_file(&name, &formatted), formatted, "formatting again changes nothing");
    }

    #[test]
    fn anything_can_be_formatted(text in soup()) {
        for format in [format_story, format_play] {
            let formatted = format(&text);
            prop_assert_eq!(format(&formatted), formatted);
        }
    }

    #[test]
    fn any_bytes_can_be_formatted(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        format_story(&String::from_utf8_lossy(&bytes));
    }
}
