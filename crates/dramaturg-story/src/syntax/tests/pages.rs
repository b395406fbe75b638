//! The pages of the syntax codes: the wrong story has exactly its fault, the cure none.

use crate::diagnostics::{
    and_or_mixed, clause_not_here, clause_twice, expected, open_text, stray_character, too_deep, too_large,
    too_precise, unclosed_brace, unknown_clause, unknown_unit,
};
use crate::format::format_story;
use crate::testing::check;

#[expect(clippy::disallowed_methods, reason = "tests read the pages")]
fn page(code: &str) -> String {
    let path = format!("{}/../../docs/diagnostics/{code}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| format!("{path}: {error}"))
}

fn block<'p>(page: &'p str, kind: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("```story {kind}\n")).expect("the page has the block");
    rest.split_once("```").expect("the block is closed").0
}

#[test]
fn pages_show_the_fault_and_its_cure() {
    for code in [
        and_or_mixed::CODE,
        clause_not_here::CODE,
        clause_twice::CODE,
        expected::CODE,
        open_text::CODE,
        stray_character::CODE,
        too_deep::CODE,
        too_large::CODE,
        too_precise::CODE,
        unclosed_brace::CODE,
        unknown_clause::CODE,
        unknown_unit::CODE,
    ] {
        let page = page(code.name);
        assert!(page.starts_with(&format!("# {}\n", code.name)), "{page}");
        let (wrong, cure) = (block(&page, "wrong"), block(&page, "cure"));
        assert!(wrong.contains(&format!("//! {}\n", code.name)), "{}", code.name);
        check(wrong);
        check(cure);
        assert_eq!(format_story(cure), cure, "{}", code.name);
    }
}
