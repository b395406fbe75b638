//! Whatever is written, the parser goes on, and says little.

use dramaturg_model::FileId;
use proptest::prelude::*;

use super::soup::soup;
use crate::syntax::lexer::lex;
use crate::syntax::parse_expr;
use crate::syntax::token::TokenKind;
use crate::testing::{parse, samples};

#[test]
fn samples_have_no_faults() {
    for (name, text) in samples() {
        let found = parse(&name, &text);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

/// One missing token is one mistake.
#[test]
fn a_missing_token_gives_about_one_message() {
    let (mut cases, mut total) = (0, 0);
    for (name, text) in samples() {
        for token in lex(FileId(0), &text, 0, text.len()).tokens {
            if token.kind == TokenKind::End {
                continue;
            }
            let (start, end) = (token.start as usize, token.end as usize);
            let without = format!("{}{}{}", &text[..start], " ".repeat(end - start), &text[end..]);
            let found = parse(&name, &without);
            let place = text[..start].lines().count();
            assert!(found.len() <= 3, "{name}:{place} without `{}`: {found:#?}", &text[start..end]);
            cases += 1;
            total += found.len();
        }
    }
    let hundredths = total * 100 / cases;
    assert!((80..=105).contains(&hundredths), "{total} messages in {cases} cases");
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        parse("a.story", &text);
        parse("a.play", &text);
        parse_expr(FileId(0), &text);
    }

    #[test]
    fn any_tokens_are_read(text in soup()) {
        parse("a.story", &text);
        parse("a.play", &text);
        parse_expr(FileId(0), &text);
    }

    /// Whatever half of a sample is there: an editor asks after every keystroke.
    #[test]
    fn any_stretch_of_a_sample_is_read(sample in 0..25_usize, from in 0.0..1.0_f64, to in 0.0..1.0_f64) {
        let (name, text) = &samples()[sample];
        let boundary = |share: f64| {
            let wanted = (text.len() as f64 * share) as usize;
            (0..=wanted).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
        };
        let (from, to) = (boundary(from.min(to)), boundary(from.max(to)));
        for diagnostic in parse(name, &text[from..to]) {
            prop_assert!(diagnostic.labels.iter().all(|label| label.span.end as usize <= to - from), "{:?}", diagnostic);
        }
    }
}

#[test]
fn every_place_lies_in_the_text_and_between_characters() {
    for text in ["goal ä $ö (", "story \"ü {ö ü", "story \"{ä +}\"", "rule ö { when ü ==", "goal 5 sec"] {
        for diagnostic in parse("a.story", text) {
            for label in &diagnostic.labels {
                assert!(
                    text.get(label.span.start as usize..label.span.end as usize).is_some(),
                    "{text}: {diagnostic:?}"
                );
            }
        }
    }
}
