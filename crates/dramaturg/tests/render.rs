//! Diagnostics as text and as JSON.

use dramaturg::model::{Code, Diagnostic, FileId, Sources, Span};
use dramaturg::{Renderer, render};
use expect_test::expect;

#[test]
fn several_places_are_shown_together() {
    let mut sources = Sources::single("a.story", "fluent käse\nfluent brot\nfluent käse\n");
    let other = sources.add("b.story", "fluent wein\n");
    let found =
        Diagnostic::new(Code::error("duplicate-name"), Span::new(FileId(0), 32, 37), "`käse` is declared twice")
            .here("declared again here")
            .label(Span::new(FileId(0), 7, 12), "first declared here")
            .label(Span::new(other, 7, 11), "goes with it")
            .hint("give one of them another name");
    expect![[r#"
        [31m[duplicate-name] error:[0m `käse` is declared twice
           ╭─[ a.story:3:8 ]
           │
         1 │ fluent käse
           │        ──┬─
           │          ╰─── first declared here
           │
         3 │ fluent käse
           │        ──┬─
           │          ╰─── declared again here
           │
           ├─[ b.story:1:8 ]
           │
         1 │ fluent wein
           │        ──┬─
           │          ╰─── goes with it
           │
           │ Help: give one of them another name
        ───╯
    "#]]
    .assert_eq(&Renderer::new(&sources, false).text(&found));
}

#[test]
fn a_fix_is_shown_unless_the_hint_says_it() {
    let sources = Sources::single("a.story", "takes 5 sec\n");
    let found = Diagnostic::new(Code::error("unknown-unit"), Span::new(FileId(0), 8, 11), "`sec` is not a unit");
    let shown = |found: &Diagnostic| Renderer::new(&sources, false).text(found);
    let fixed = found.clone().fix("write `s`", found.span(), "s");
    assert!(shown(&fixed).contains("Help: write `s`"));
    let both = fixed.hint("did you mean `s`?");
    assert!(!shown(&both).contains("write `s`"), "{}", shown(&both));
    let json = serde_json::to_value(render::finding(&sources, &both)).expect("JSON");
    assert_eq!(json["fix"]["edits"][0]["text"], "s");
    assert_eq!(json["place"]["column"], 9);
}

#[test]
fn strange_places_are_survived() {
    let sources = Sources::single("a.story", "käse\n");
    for (start, end) in [(0, 0), (2, 2), (5, 6), (6, 6), (6, 90), (90, 91), (4, 1)] {
        let found = Diagnostic::new(Code::hint("x"), Span::new(FileId(0), start, end), "strange");
        assert!(Renderer::new(&sources, false).text(&found).contains("strange"));
    }
    let nowhere = Diagnostic::new(Code::warning("x"), Span::NONE, "nowhere").hint("look elsewhere");
    assert_eq!(Renderer::new(&sources, true).text(&nowhere), "[x] warning: nowhere\n  Help: look elsewhere\n");
}
