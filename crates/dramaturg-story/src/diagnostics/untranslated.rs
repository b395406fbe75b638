//! `untranslated`: a text that a translation lacks.

use dramaturg_model::{Code, Diagnostic, Span};

/// A text that a translation lacks.
pub const CODE: Code = Code::hint("untranslated");

/// A language lacks a text.
pub fn diagnostic(span: Span, id: &str, file: &str) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{file}` has no text for `{id}`")).hint("add it there, with the same slots")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::told_files;

    #[test]
    fn a_language_lacks_a_text() {
        let root = "story \"Song\"\ntype Person { glad }\nobject anna \"Anna\": Person\n\
                    population choir \"a singer\" (p: Person) of 20 { goal p.glad }\n\
                    action sing(p: Person) by p { then p.glad; say \"La.\" @song.la; say \"Lo.\" @song.lo }";
        let german = "# Lieder\nsong-la = La.\n    .long = Laaa.\n-name-choir = ein Sänger\n";
        expect![[r#"
            song/song.story:3 `"Anna"`: untranslated: `song/lang/de.ftl` has no text for `name.anna`
              hint: add it there, with the same slots
            song/song.story:5 `"Lo."`: untranslated: `song/lang/de.ftl` has no text for `song.lo`
              hint: add it there, with the same slots
        "#]]
        .assert_eq(&told_files(&[("song/song.story", root), ("song/lang/de.ftl", german)]));
    }

    #[test]
    fn all_is_translated_or_nothing() {
        let root = "story \"Song\"\nfluent sung\naction sing { then sung; say \"La.\" @song.la }\ngoal sung";
        assert_eq!(told_files(&[("song.story", root), ("lang/de.ftl", "song-la = La.")]), "");
        assert_eq!(told_files(&[("song.story", root), ("other/lang/de.ftl", "")]), "");
        assert_eq!(told_files(&[("song.story", root)]), "");
    }
}
