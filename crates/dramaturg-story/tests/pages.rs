//! Every code has a page: the wrong story has exactly the faults it marks, the cure none; and the index lists them all.

use std::collections::BTreeMap;

use dramaturg_model::Severity;
use dramaturg_story::diagnostics::ALL;
use dramaturg_story::format::format_story;
use dramaturg_story::{Compilation, MemoryFiles, compile};

/// The line of a page whose code another part of dramaturg reports and tests.
const REPORTED_ELSEWHERE: &str = "Reported by: ";

/// All pages by code, without the index.
#[expect(clippy::disallowed_methods, reason = "tests read the pages")]
fn pages() -> BTreeMap<String, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics");
    let entries =
        std::fs::read_dir(folder).expect("there are pages").map(|entry| entry.expect("they can be listed").path());
    entries
        .map(|path| {
            let code = path.file_stem().expect("a page has a name").to_string_lossy().into_owned();
            (code, std::fs::read_to_string(path).expect("a page can be read"))
        })
        .filter(|(code, _)| code != "README")
        .collect()
}

/// Whether another part of dramaturg reports the code of a page.
fn is_reported_elsewhere(page: &str) -> bool {
    page.lines()
        .find(|line| !line.is_empty() && !line.starts_with('#'))
        .is_some_and(|it| it.starts_with(REPORTED_ELSEWHERE))
}

/// The fenced blocks of a kind: file names and texts. A block without a name is `test.story`.
fn blocks(page: &str, kind: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        if let Some(info) = line.strip_prefix("```") {
            let words: Vec<&str> = info.split_whitespace().collect();
            open = words.first() == Some(&"story") && words.get(1) == Some(&kind);
            if open {
                let name = words.iter().find_map(|word| word.strip_prefix("file=")).unwrap_or("test.story");
                found.push((name.to_owned(), String::new()));
            }
        } else if let Some((_, text)) = found.last_mut().filter(|_| open) {
            text.push_str(line);
            text.push('\n');
        }
    }
    found
}

fn compiled(files: &[(String, String)]) -> Compilation {
    let memory = files.iter().map(|(path, text)| (path.clone(), text.as_str().into())).collect();
    compile(&files.first().expect("there is a block").0, &MemoryFiles(memory))
}

/// What is said, and what the comments `//! code` want: file, line and code, in order.
fn said_and_wanted(files: &[(String, String)]) -> (Vec<String>, Vec<String>) {
    let compiled = compiled(files);
    let place = |found: &dramaturg_model::Diagnostic| {
        let file = compiled.sources.file(found.span().file).expect("a place lies in a file");
        format!("{}:{} {}", file.path, file.line_column(found.span().start).0, found.code.name)
    };
    let mut said: Vec<String> = compiled.diagnostics.iter().map(place).collect();
    let mut wanted: Vec<String> = Vec::new();
    for (path, text) in files {
        for (index, line) in text.lines().enumerate() {
            let codes = line.split_once("//!").map_or("", |(_, codes)| codes);
            wanted.extend(
                codes.split([' ', ',']).filter(|it| !it.is_empty()).map(|it| format!("{path}:{} {it}", index + 1)),
            );
        }
    }
    said.sort();
    wanted.sort();
    (said, wanted)
}

#[test]
fn every_code_has_a_page_and_every_page_a_code() {
    let pages = pages();
    for code in ALL {
        let page = pages.get(code.name).unwrap_or_else(|| panic!("there is no page for {}", code.name));
        assert!(!is_reported_elsewhere(page), "{} is reported here", code.name);
    }
    for (name, page) in &pages {
        assert!(page.starts_with(&format!("# {name}\n")), "the page of {name} begins with its name");
        let known = ALL.iter().any(|code| code.name == name);
        assert!(known || is_reported_elsewhere(page), "nothing reports {name}");
    }
}

#[test]
fn codes_are_in_order_and_named_once() {
    let names: Vec<&str> = ALL.iter().map(|code| code.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}

#[test]
fn the_wrong_story_has_its_fault_and_the_cure_has_none() {
    for (name, page) in pages() {
        // PDDL pages are checked beside the reader of PDDL.
        if is_reported_elsewhere(&page) || name.starts_with("pddl-") {
            continue;
        }
        let wrong = blocks(&page, "wrong");
        let (said, wanted) = said_and_wanted(&wrong);
        assert_eq!(said, wanted, "the wrong story of {name}");
        assert!(wanted.iter().any(|it| it.ends_with(&format!(" {name}"))), "the wrong story of {name} shows it");
        let cure = blocks(&page, "cure");
        let (said, wanted) = said_and_wanted(&cure);
        assert_eq!((said, wanted), (Vec::new(), Vec::new()), "the cure of {name}");
        for (path, text) in cure.iter().filter(|(path, _)| path.ends_with(".story")) {
            assert_eq!(format_story(text), *text, "{path} of {name} is formatted");
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests read the pages")]
fn the_index_lists_them_all() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/diagnostics/README.md");
    let index = std::fs::read_to_string(path).expect("there is an index");
    let mut listed: Vec<String> = Vec::new();
    for row in index.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [link, severity, when] = cells.as_slice() else { panic!("a row has three cells: {row}") };
        let name = link.split(['[', ']']).nth(1).expect("a code is linked");
        assert_eq!(*link, format!("[{name}]({name}.md)"));
        assert!(!when.is_empty(), "{name} has a line");
        if let Some(code) = ALL.iter().find(|code| code.name == name) {
            let wanted = match code.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Hint => "hint",
            };
            assert_eq!(*severity, wanted, "{name}");
        }
        listed.push(name.to_owned());
    }
    listed.sort();
    let all: Vec<String> = pages().into_keys().collect();
    assert_eq!(listed, all, "the index has one row for each page");
}
