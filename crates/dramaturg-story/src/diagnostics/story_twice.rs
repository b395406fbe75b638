//! `story-twice`: two headers in one story.

use dramaturg_model::{Code, Diagnostic, Span};

/// Two headers in one story.
pub const CODE: Code = Code::error("story-twice");

/// A second `story` header.
pub fn diagnostic(span: Span, first: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, "a story has one header, and this is the second")
        .label(first, "the first one")
        .hint("a part of a story has no header; leave this one out")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, compile_files, told_files};

    #[test]
    fn one_header_for_all_files() {
        let root = "use \"part\"\nstory \"Yard\"\nfluent swept\ngoal swept";
        let part = "story \"Part\" { ticks 5 per s }\naction sweep { then swept }";
        expect![[r#"
            yard.story:2 `story "Yard"`: story-twice: a story has one header, and this is the second
              part.story:1 `story "Part" { ticks 5 per s }`: the first one
              hint: a part of a story has no header; leave this one out
        "#]]
        .assert_eq(&told_files(&[("yard.story", root), ("part.story", part)]));
        check(
            r#"story "Yard"
             fluent swept
             story "Yard again" { options 3 } //! story-twice
             action sweep { then swept }
             goal swept"#,
        );
    }

    #[test]
    fn a_part_has_none() {
        let root = "story \"Yard\"\nuse \"part\"\nfluent swept\ngoal swept";
        assert_eq!(told_files(&[("yard.story", root), ("part.story", "action sweep { then swept }")]), "");
        let part = compile_files(&[("part.story", "action sweep { then swept }")]);
        assert!(part.is_part && part.diagnostics.is_empty());
    }
}
