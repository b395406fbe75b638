//! `docs/limits.md` against the source: its defaults, its options, its tests, and whether it leaves a limit out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates whose limits the page lists.
const CRATES: [&str; 3] =
    ["crates/dramaturg-wire/src", "crates/dramaturg-director/src", "crates/dramaturg-executor/src"];

/// Names that end like limits and are none: what they are instead.
const NOT_LIMITS: [(&str, &str); 9] = [
    ("NUMBER_MAX", "where numbers in saves and checkpoints are clamped"),
    ("COUNT_MAX", "where counts in saves are clamped"),
    ("LATENESS_MAX", "the last column of a histogram"),
    ("MARKS_MAX", "how many reports a pace is measured from"),
    ("STALLS_MAX", "how many stalls are not taken for a slow link or planner"),
    ("EPOCH_MAX", "where what a game says of epochs is clamped"),
    ("DOUBTS_MAX", "how many doubts about a journal are told one by one"),
    ("FRAME_TICKS_MAX", "how many ticks of silence one frame of the game counts as"),
    ("UNANSWERED_MAX", "after how many calls without an answer their number leaps"),
];

/// Constants of one name in several files mean different things; the page lists the one in this file.
const WHICH: [(&str, &str); 2] = [("HEAD_MAX", "none: the first line of a save"), ("ENDED_MAX", "board.rs")];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            found.push((path, text));
        }
    }
}

fn all_sources(folders: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| sources(&root().join(folder), &mut found));
    found
}

/// The rows of all tables of the page that have so many columns, without their heads.
fn rows(columns: usize) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/limits.md")).expect("the page");
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| limit |") && !line.starts_with("| what |"));
    rows.map(cells).filter(|cells| cells.len() == columns).collect()
}

/// A number with its unit, in bytes, microseconds or as it is.
fn amount(text: &str) -> u64 {
    let text = text.trim_matches('*');
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let number: u64 = number.replace(',', "").parse().unwrap_or_else(|_| panic!("`{text}` is no number"));
    number
        * match unit {
            "" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "ms" => 1_000,
            "s" => 1_000_000,
            other => panic!("`{other}` is no unit that the test knows"),
        }
}

/// The value of a simple expression, in microseconds where it is a duration.
fn value(expression: &str, constants: &BTreeMap<String, String>) -> Option<u64> {
    let expression = expression.trim().trim_end_matches(" as usize").trim();
    if let Some(inner) = expression.strip_prefix("Duration::from_secs(") {
        return Some(value(inner.trim_end_matches(')'), constants)? * 1_000_000);
    }
    if let Some(inner) = expression.strip_prefix("Duration::from_millis(") {
        return Some(value(inner.trim_end_matches(')'), constants)? * 1_000);
    }
    if let Some((left, right)) = expression.split_once(" << ") {
        return Some(value(left, constants)? << value(right, constants)?);
    }
    if let Some((left, right)) = expression.split_once(" / ") {
        return Some(value(left, constants)? / value(right, constants)?);
    }
    expression.replace('_', "").parse().ok().or_else(|| value(constants.get(expression)?, constants))
}

/// What a name stands for in the source, in microseconds where it is a time: a constant, or the default of a field.
fn default_of(name: &str, sources: &[(PathBuf, String)], constants: &BTreeMap<String, String>) -> Vec<u64> {
    let scale = |name: &str| match name {
        name if name.ends_with("_milliseconds") => 1_000,
        name if name.ends_with("_seconds") => 1_000_000,
        _ => 1,
    };
    if let Some(expression) = constants.get(name) {
        return value(expression, constants).into_iter().collect();
    }
    let field = format!("{name}: ");
    let mut found = Vec::new();
    for (_, text) in sources {
        // Fields have defaults where a struct implements it.
        for part in text.split("fn default() -> Self {").skip(1) {
            let end = part.find("\n    }\n").unwrap_or(part.len());
            let body = part.get(..end).unwrap_or_default();
            let at = body
                .match_indices(&field)
                .find(|(at, _)| !body[..*at].ends_with(|before: char| before.is_alphanumeric() || before == '_'));
            if let Some((at, _)) = at {
                let rest = &body[at + field.len()..];
                let expression = rest.split([',', '}', '\n']).next().unwrap_or_default();
                found.extend(value(expression, constants).map(|value| value * scale(name)));
            }
        }
    }
    found
}

/// Every constant of the crates by its name. Tests have constants of their own.
fn constants(sources: &[(PathBuf, String)]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (path, text) in sources {
        for line in text.split("#[cfg(test)]").next().unwrap_or_default().lines() {
            let Some(rest) =
                line.split_once("const ").map(|(_, rest)| rest).filter(|_| !line.trim_start().starts_with("//"))
            else {
                continue;
            };
            let Some((name, rest)) = rest.split_once(": ") else { continue };
            let Some((_, expression)) = rest.split_once(" = ") else { continue };
            let other = WHICH.iter().find(|(ambiguous, _)| *ambiguous == name);
            if other.is_none_or(|(_, file)| path.ends_with(file)) {
                found.insert(name.to_owned(), expression.trim_end_matches(';').to_owned());
            }
        }
    }
    found
}

fn name_of(cell: &str) -> String {
    cell.trim_matches('`').to_owned()
}

#[test]
fn every_default_is_that_of_the_source() {
    let sources = all_sources(&CRATES);
    let constants = constants(&sources);
    let rows = rows(6);
    assert!(rows.len() > 50, "only {} limits were found", rows.len());
    for row in rows {
        let (limit, default, name) = (&row[0], amount(&row[1]), name_of(&row[4]));
        let found = default_of(&name, &sources, &constants);
        assert!(found.contains(&default), "{limit}: the page says {}, `{name}` is {found:?}", row[1]);
    }
}

#[test]
fn every_option_is_one_of_serve_and_has_the_default_of_the_page() {
    let serve = fs::read_to_string(root().join("crates/dramaturg-cli/src/commands/serve.rs")).expect("the command");
    for row in rows(6).iter().filter(|row| row[3] != "fixed") {
        let option = row[3].split('`').nth(1).unwrap_or_else(|| panic!("`{}` names no option", row[3]));
        let field = option.trim_start_matches("--").replace('-', "_");
        let at = serve.find(&format!("\n    {field}: ")).unwrap_or_else(|| panic!("serve has no {option}"));
        let head = serve[..at].rsplit("default_value_t = ").next().unwrap_or_default();
        let default = head.split([',', ')']).next().unwrap_or_default();
        let mut default = value(default, &BTreeMap::new()).unwrap_or_else(|| panic!("{option}: {default}"));
        if row[1].ends_with(" s") {
            default *= 1_000_000;
        }
        if row[3].contains("twice") {
            default *= 2;
        }
        assert_eq!(default, amount(&row[1]), "{option}");
    }
}

#[test]
fn every_test_that_is_named_exists() {
    let sources = all_sources(&["crates", "tests"]);
    let text = fs::read_to_string(root().join("docs/limits.md")).expect("the page");
    let listed = rows(6).into_iter().map(|row| name_of(&row[5])).collect::<Vec<_>>();
    for name in &listed {
        let function = format!("fn {name}(");
        assert!(sources.iter().any(|(_, text)| text.contains(&function)), "there is no test `{name}`");
    }
    assert!(text.contains("a_thousand_games_of_one_machine_connect_at_once"));
}

#[test]
fn no_limit_of_the_source_is_left_out() {
    let sources = all_sources(&CRATES);
    let listed: Vec<String> = rows(6).iter().map(|row| name_of(&row[4])).collect();
    for name in constants(&sources).keys() {
        let is_limit = name.ends_with("_MAX") || name.ends_with("_FREE");
        let is_known = listed.contains(name) || NOT_LIMITS.iter().any(|(other, _)| other == name);
        assert!(!is_limit || is_known, "`{name}` is not in docs/limits.md");
    }
    let limits = fs::read_to_string(root().join("crates/dramaturg-wire/src/link/limits.rs")).expect("a source");
    let body =
        limits.split("pub struct Limits {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("the struct");
    for line in body.lines().filter_map(|line| line.trim().strip_prefix("pub ")) {
        let field = line.split(':').next().unwrap_or_default();
        // Two have their defaults from constants, which stand in the page.
        let constant = field.to_uppercase();
        assert!(listed.iter().any(|name| name == field || *name == constant), "`{field}` is not in docs/limits.md");
    }
}

#[test]
fn the_sum_is_right() {
    let rows = rows(4);
    let (last, parts) = rows.split_last().expect("a table");
    assert!(last[0].contains("all") && parts.len() > 8, "{rows:?}");
    let mut sum = 0;
    for row in parts {
        let product = amount(&row[1]) * amount(&row[2]);
        assert_eq!(product, amount(&row[3]), "{}", row[0]);
        sum += product;
    }
    assert_eq!(sum, amount(&last[3]));
}
