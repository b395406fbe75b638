//! The repository keeps its own rules.

use std::collections::BTreeMap;

use dramaturg_tests::{repository_paths, root};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_default()
}

/// The lines of a source before its unit tests, which do not count as room.
fn room(source: &str) -> usize {
    let tests = source.lines().position(|line| line.trim() == "#[cfg(test)]" || line.trim() == "#![cfg(test)]");
    tests.unwrap_or_else(|| source.lines().count())
}

#[test]
fn no_source_file_is_a_hall() {
    let halls: Vec<String> = repository_paths()
        .into_iter()
        .filter(|path| path.ends_with(".rs") && !path.contains("/tests"))
        .map(|path| (room(&read(&path)), path))
        .filter(|(lines, _)| *lines > 800)
        .map(|(lines, path)| format!("{path}: {lines} lines"))
        .collect();
    assert!(halls.is_empty(), "over 800 lines, cut them: {halls:#?}");
}

#[test]
fn documents_name_only_paths_that_exist() {
    let mut missing = Vec::new();
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/README.md", "docs/first-story.md"] {
        let text = read(document);
        for word in text.split(['`', '(', ')', ' ', '\n', ',', ';']) {
            let looks = ["crates/", "docs/", "stories/", "fuzz/", "tests/"].iter().any(|start| word.starts_with(start));
            let path = word.split('#').next().unwrap_or(word).trim_end_matches(['/', '.']);
            if looks && !path.contains('*') && !path.contains('<') && !root().join(path).exists() {
                missing.push(format!("{document}: {path}"));
            }
        }
        let folder = document.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or(link);
            if !path.contains("://") && !path.is_empty() && !root().join(folder).join(path).exists() {
                missing.push(format!("{document}: link {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_document_has_one_title() {
    for path in repository_paths().into_iter().filter(|path| path.ends_with(".md")) {
        let text = read(&path);
        let mut fenced = false;
        let mut titles = 0;
        for line in text.lines() {
            fenced ^= line.starts_with("```");
            titles += usize::from(!fenced && line.starts_with("# "));
        }
        assert_eq!(titles, 1, "{path} has {titles} titles");
    }
}

#[test]
fn nothing_is_left_for_later() {
    let words =
        ["TO".to_owned() + "DO", "FIX".to_owned() + "ME", "unimpl".to_owned() + "emented!", "to".to_owned() + "do!("];
    let mut found = Vec::new();
    for path in repository_paths() {
        if !path.ends_with(".rs") {
            continue;
        }
        for (index, line) in read(&path).lines().enumerate() {
            if words.iter().any(|word| line.contains(word.as_str())) {
                found.push(format!("{path}:{}: {}", index + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The dependencies between crates that the manifests have are those that ARCHITECTURE.md allows, no more and no fewer.
#[test]
fn crates_depend_on_what_the_architecture_allows() {
    let document = read("ARCHITECTURE.md");
    let table = document.split("| crate | may depend on |").nth(1).expect("a table of dependencies");
    let quoted = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<String>>();
    let allowed = table.lines().skip(2).take_while(|line| line.starts_with('|')).map(|line| {
        let names = quoted(line);
        (names[0].clone(), names[1..].to_vec())
    });
    let allowed: BTreeMap<String, Vec<String>> = allowed.collect();
    let manifests = repository_paths().into_iter().filter(|path| path.ends_with("/Cargo.toml"));
    let found = manifests.filter(|path| !path.starts_with("fuzz/")).map(|path| {
        let text = read(&path);
        let name = text.split("name = \"").nth(1).and_then(|rest| rest.split('"').next()).expect("a name").to_owned();
        let section = text.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next()).expect("a section");
        let ours = section.lines().filter(|line| line.starts_with("dramaturg"));
        let mut ours: Vec<String> =
            ours.filter_map(|line| line.split(['.', ' ', '=']).next()).map(str::to_owned).collect();
        ours.sort();
        (name, ours)
    });
    let found: BTreeMap<String, Vec<String>> = found.collect();
    assert!(found.len() > 10, "{found:?}");
    assert_eq!(found, allowed, "dependencies between crates, and those that ARCHITECTURE.md allows");
}

/// A game that links the executor builds no sockets.
#[test]
fn the_executor_brings_no_sockets() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let args = ["tree", "--offline", "--package", "dramaturg-executor", "--edges", "normal", "--prefix", "none"];
    let tree = std::process::Command::new(cargo).args(args).current_dir(root()).output().expect("cargo runs");
    let tree = String::from_utf8_lossy(&tree.stdout).into_owned();
    assert!(tree.contains("dramaturg-wire"), "{tree}");
    for name in ["mio", "rustls", "tungstenite", "ring"] {
        assert!(!tree.lines().any(|line| line.starts_with(&format!("{name} "))), "{name} in {tree}");
    }
}

#[test]
fn every_crate_says_what_each_module_is() {
    let silent: Vec<String> = repository_paths()
        .into_iter()
        .filter(|path| path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs"))
        .filter(|path| !read(path).starts_with("//!"))
        .collect();
    assert!(silent.is_empty(), "begin with //! : {silent:#?}");
}
