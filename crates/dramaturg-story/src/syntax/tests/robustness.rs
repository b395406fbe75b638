//! Whatever is written, the parser goes on, and says little.

use dramaturg_model::FileId;
use proptest::prelude::*;

use crate::syntax::lexer::lex;
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
    }
}
