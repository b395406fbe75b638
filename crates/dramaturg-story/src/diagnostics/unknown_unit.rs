//! `unknown-unit`: a number with a unit that there is not.

use dramaturg_model::{Code, Diagnostic, Span};

/// The code.
pub const CODE: Code = Code::error("unknown-unit");

/// `word` stands behind a number and means `unit`.
pub(crate) fn unknown(number: Span, span: Span, word: &str, unit: &str) -> Diagnostic {
    let whole = Span::new(span.file, number.end, span.end);
    Diagnostic::new(CODE, span, format!("`{word}` is not a unit, or stands too far from its number"))
        .hint(format!("write `{unit}`; the units are `ticks`, `ms`, `s`, `min`, `h`, `days` and `%`"))
        .fix(format!("write `{unit}`"), whole, format!(" {unit}"))
}

/// `word` stands behind `per` and is no unit; in the header, ticks and days are none either.
pub(crate) fn after_per(span: Span, word: &str, header: bool) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("`{word}` is not a unit of time"));
    let meant = crate::syntax::unit::meant_by(word)
        .filter(|unit| *unit != "%" && !(header && matches!(*unit, "ticks" | "days")));
    let meant = match meant {
        Some("ticks") => Some("tick"),
        Some("days") => Some("day"),
        other => other,
    };
    match meant {
        Some(unit) => found.hint(format!("did you mean `{unit}`?")).fix(format!("write `{unit}`"), span, unit),
        None if header => found.hint("the units behind `per` are `ms`, `s`, `min` and `h`"),
        None => found.hint("the units behind `per` are `tick`, `ms`, `s`, `min`, `h` and `day`"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::testing::{apply_fix, check, check_syntax, cured, first_fault, told};

    #[test]
    fn other_spellings_are_found() {
        check_syntax("story \"S\" { ticks 60 per s }\naction go {\n  takes 5 sec //! unknown-unit\n  say \"x\"\n}");
        check_syntax("story \"S\"\ntype A {\n  size: duration = 5 minutes //! unknown-unit\n  b\n}");
        check_syntax("story \"S\"\ntype A\nobject a: A (x = 5 Hours, y = 2) //! unknown-unit");
        check_syntax("story \"S\"\naction go {\n  takes 3   s //! unknown-unit\n  say \"x\"\n}");
        check_syntax("story \"S\"\naction go {\n  takes 3 tciks //! unknown-unit\n  say \"x\"\n}");
    }

    #[test]
    fn what_may_follow_a_number_is_left_alone() {
        check_syntax(
            "story \"S\" { ticks 60 per s }
            type A { d: int = 5 m: int = 3; hands: actuator 2 }
            pool p(a: A) of 4 { anchors a.m }
            fluent x: int
            goal x >= 5 salience 90
            keep x > 2 from 3 s to 5 s
            action go(a: A) { uses 2 of a.hands; extend 2 times by 3 s; say \"x\" }",
        );
    }

    #[test]
    fn the_fix_writes_the_unit() {
        assert_eq!(apply_fix("goal x by 5sec"), "goal x by 5 s");
        assert_eq!(first_fault("goal x by 50 percent").code, CODE);
    }

    #[test]
    fn the_unit_behind_per() {
        expect![[r#"
            3 `sec`: unknown-unit: `sec` is not a unit of time
              hint: did you mean `s`?
              fix: write `s`
            4 `bucket`: unknown-unit: `bucket` is not a unit of time
              hint: the units behind `per` are `tick`, `ms`, `s`, `min`, `h` and `day`
        "#]]
        .assert_eq(&told(
            r#"story "Bath" { ticks 2 per s }
             fluent water: number 0..9
             action fill { takes 2 s; during water += 1 per sec }
             action pour { takes 2 s; during water += 1 per bucket }
             goal water > 1"#,
        ));
        let text = cured(
            r#"story "Bath" { ticks 2 per seconds }
             fluent water: number 0..9
             action fill { takes 2 s; during water += 1 per s }
             goal water > 1"#,
        );
        assert_eq!(text, r#"story "Bath" { ticks 2 per s }"#);
        check(
            r#"story "Bath" { ticks 2 per tick } //! unknown-unit
             fluent water: number 0..9
             action fill { takes 2 ticks; during water += 1 per tick }
             goal water > 1"#,
        );
    }
}
