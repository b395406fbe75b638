//! `unknown-file`: `use` of a file that is not there.

use dramaturg_model::{Code, Diagnostic, Span};

/// `use` of a file that is not there.
pub const CODE: Code = Code::error("unknown-file");

/// There is no such file.
pub fn diagnostic(span: Span, path: &str, nearest: Option<&str>) -> Diagnostic {
    let found = Diagnostic::new(CODE, span, format!("there is no file `{path}`"));
    match nearest {
        Some(near) => {
            found.hint(format!("did you mean `{near}`?")).fix(format!("write `{near}`"), span, format!("\"{near}\""))
        }
        None => found.hint("paths are relative to this file, with `/`, without `.story`"),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::testing::told_files;

    #[test]
    fn the_nearest_file() {
        let root = "story \"Yard\"\nuse \"plases\"\nobject yard: Place\naction sweep(p: Place) { then p.swept }\ngoal yard.swept";
        let files = [("yard.story", root), ("places.story", "type Place { swept }"), ("yards.story", "type Yard")];
        expect![[r#"
            yard.story:2 `"plases"`: unknown-file: there is no file `plases`
              hint: did you mean `places`?
              fix: write `places`
        "#]]
        .assert_eq(&told_files(&files));
    }

    #[test]
    fn files_are_named_without_extension() {
        let root = "story \"Yard\"\nuse \"places.story\"\nuse \"more/\"\nuse \"far/away\"";
        expect![[r#"
            yard/yard.story:2 `"places.story"`: unknown-file: there is no file `places.story`
              hint: did you mean `places`?
              fix: write `places`
            yard/yard.story:3 `"more/"`: unknown-file: there is no file `more/`
              hint: paths are relative to this file, with `/`, without `.story`
            yard/yard.story:4 `"far/away"`: unknown-file: there is no file `far/away`
              hint: paths are relative to this file, with `/`, without `.story`
        "#]]
        .assert_eq(&told_files(&[("yard/yard.story", root), ("yard/places.story", "type Place")]));
    }

    #[test]
    fn files_that_are_there() {
        let root = "story \"Yard\"\nuse \"parts/\"\nuse \"../shared/places\"\nuse \"parts/cast\"\ngoal yard.swept";
        let cast = "object yard: Place\naction sweep(p: Place) { then p.swept }\nuse \"cast\"";
        let places = "type Place { swept }";
        let files = [("yard/yard.story", root), ("yard/parts/cast.story", cast), ("shared/places.story", places)];
        assert_eq!(told_files(&files), "");
    }
}
