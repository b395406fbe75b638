//! The pages of the PDDL codes: the wrong text has exactly its fault, the cure none.

use crate::diagnostics::{
    pddl_broad_type, pddl_negative_cycle, pddl_no_definition, pddl_other_domain, pddl_unsupported,
};
use crate::pddl::testing::check;

#[expect(clippy::disallowed_methods, reason = "tests read the pages")]
fn page(code: &str) -> String {
    let path = format!("{}/../../docs/diagnostics/{code}.md", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| format!("{path}: {error}"))
}

fn block<'p>(page: &'p str, kind: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("```pddl {kind}\n")).expect("the page has the block");
    rest.split_once("```").expect("the block is closed").0
}

#[test]
fn pages_show_the_fault_and_its_cure() {
    let codes = [
        pddl_broad_type::CODE,
        pddl_negative_cycle::CODE,
        pddl_no_definition::CODE,
        pddl_other_domain::CODE,
        pddl_unsupported::CODE,
    ];
    for code in codes {
        let page = page(code.name);
        assert!(page.starts_with(&format!("# {}\n", code.name)), "{page}");
        let (wrong, cure) = (block(&page, "wrong"), block(&page, "cure"));
        assert!(wrong.contains(&format!(";! {}\n", code.name)), "{}", code.name);
        check(wrong);
        check(cure);
    }
}
