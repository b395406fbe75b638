//! `unpinned-text`: a derived id although translations exist.

use dramaturg_model::{Code, Diagnostic, Span};

/// A derived id although translations exist.
pub const CODE: Code = Code::hint("unpinned-text");

/// The id changes when texts before it are added or removed.
pub fn diagnostic(span: Span, id: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("the id of this text, `{id}`, follows from its place and will change with it"))
        .fix(format!("write `@{id}`"), span.after(), format!(" @{id}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{compile_files, told_files};

    #[test]
    fn ids_are_written_once_there_are_translations() {
        let root = "story \"Song\"\nfluent sung\naction sing { then sung; say \"La.\" }\ngoal sung";
        let german = "song-sing-say-1 = La.";
        expect![[r#"
            song.story:3 `"La."`: unpinned-text: the id of this text, `song.sing.say.1`, follows from its place and will change with it
              fix: write `@song.sing.say.1`
        "#]].assert_eq(&told_files(&[("song.story", root), ("lang/de.ftl", german)]));
        assert_eq!(told_files(&[("song.story", root)]), "");
    }

    #[test]
    fn the_fix_writes_the_id() {
        let root = "story \"Song\"\nfluent sung\naction sing { then sung; say \"La.\" if sung }\ngoal sung";
        let german = "song-sing-say-1 = La.";
        let found = compile_files(&[("song.story", root), ("lang/de.ftl", german)]).diagnostics;
        let edit = &found[0].fix.as_ref().expect("there is a fix").edits[0];
        let mut text = root.to_owned();
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        assert!(text.contains("say \"La.\" @song.sing.say.1 if sung"), "{text}");
        assert_eq!(told_files(&[("song.story", &text), ("lang/de.ftl", german)]), "");
    }
}
