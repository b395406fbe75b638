//! `anchored-elsewhere`: an effect on what a pool anchors.

use dramaturg_model::{Code, Diagnostic, Span};

/// An effect on what a pool anchors.
pub const CODE: Code = Code::error("anchored-elsewhere");

/// An effect sets an attribute that only anchoring may choose.
pub fn diagnostic(span: Span, attribute: &str, pool: Span) -> Diagnostic {
    Diagnostic::new(CODE, span, format!("`{attribute}` is chosen by anchoring and cannot be set otherwise"))
        .label(pool, "anchored here")
        .hint("anchor it again instead, while it is not committed")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::{check, told};

    #[test]
    fn only_anchoring_chooses() {
        expect![[r#"
            6 `m.shows`: anchored-elsewhere: `shows` is chosen by anchoring and cannot be set otherwise
              5 `m.shows`: anchored here
              hint: anchor it again instead, while it is not committed
        "#]]
        .assert_eq(&told(
            r#"story "Maps"
             type Place
             type Map { shows: Place }
             object cave, well: Place
             pool map(m: Map) of 2 { anchors m.shows }
             action redraw(m: Map) { then m.shows = well }
             goal any m: Map (m.shows == cave)"#,
        ));
        check(
            r#"story "Maps"
             type Place
             type Map { shows: Place; folded }
             object cave, well: Place
             pool map(m: Map) of 2 { anchors m.shows; then m.folded }
             given map-1.shows = well //! anchored-elsewhere
             action see(m: Map) { takes 3 ticks; check every 1 tick; expect m.shows = well } //! anchored-elsewhere
             action unfold(m: Map) { then not m.folded }
             goal any m: Map (m.shows == cave and not m.folded)"#,
        );
    }

    #[test]
    fn other_objects_of_the_type_are_free() {
        check(
            r#"story "Maps"
             type Place
             type Map { shows: Place }
             object cave, well: Place
             object oldMap, newMap: Map (shows = cave)
             pool map(m: Map) of 2 { anchors m.shows }
             action redraw { then oldMap.shows = well }
             goal any m: Map (m.shows == well) and newMap.shows == cave"#,
        );
    }
}
