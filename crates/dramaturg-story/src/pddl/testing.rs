//! What the tests of PDDL share.

use dramaturg_model::{Diagnostic, FileId, Model, Sources};

use super::{Export, ExportOptions, PddlLevel, PddlOptions, compile_pddl, to_pddl};

/// Compiles without faults.
#[track_caller]
pub(super) fn compile(domain: &str, problem: Option<&str>) -> Model {
    let (model, faults) = diagnose(domain, problem);
    assert!(faults.is_empty(), "{}", shown(domain, problem, &faults));
    model
}

/// Compiles with whatever faults.
pub(super) fn diagnose(domain: &str, problem: Option<&str>) -> (Model, Vec<Diagnostic>) {
    compile_pddl((FileId(0), domain), problem.map(|text| (FileId(1), text)), &PddlOptions::default())
}

/// A domain that stands alone, with or without a problem in the same text.
#[track_caller]
pub(super) fn compile_text(text: &str) -> Model {
    compile(text, text.contains("(problem").then_some(text))
}

/// Checks that exactly those codes are reported that stand behind `;!` at the end of a line, each on that line. Domain and
/// problem stand in one text.
#[track_caller]
pub(super) fn check(text: &str) {
    let has_problem = text.contains("(problem") || text.contains("(:objects");
    let (_, mut faults) = diagnose(text, has_problem.then_some(text));
    // The one text was read twice; what is wrong with its parentheses is said of both.
    faults.iter_mut().for_each(|fault| fault.labels.iter_mut().for_each(|label| label.span.file = FileId(0)));
    dramaturg_model::sort_diagnostics(&mut faults);
    let sources = Sources::single("text", text);
    let line_of =
        |fault: &Diagnostic| sources.file(FileId(0)).map_or(0, |file| file.line_column(fault.span().start).0 as usize);
    for (index, line) in text.lines().enumerate() {
        let mut wanted: Vec<&str> = line.split_once(";!").map_or("", |(_, codes)| codes).split_whitespace().collect();
        let mut found: Vec<&str> =
            faults.iter().filter(|fault| line_of(fault) == index + 1).map(|fault| fault.code.name).collect();
        wanted.sort_unstable();
        found.sort_unstable();
        assert_eq!(wanted, found, "line {}: {line}\n{}", index + 1, shown(text, None, &faults));
    }
}

/// Diagnostics as people read them.
pub(super) fn shown(domain: &str, problem: Option<&str>, faults: &[Diagnostic]) -> String {
    let mut sources = Sources::single("domain", domain);
    if let Some(problem) = problem {
        sources.add("problem", problem);
    }
    let mut text = String::new();
    for fault in faults {
        text += &format!("{}: {}: {}\n", sources.place(fault.span()), fault.code.name, fault.message);
        for label in fault.labels.iter().filter(|label| !label.text.is_empty()) {
            text += &format!("  {}: {}\n", sources.place(label.span), label.text);
        }
        text += &fault.hint.iter().map(|hint| format!("  hint: {hint}\n")).collect::<String>();
    }
    text
}

/// The most that can be exported.
pub(super) fn export_temporal(model: &Model) -> Export {
    to_pddl(model, &ExportOptions { level: PddlLevel::Temporal, ..ExportOptions::default() })
}

/// What a classical planner gets.
pub(super) fn export_classical(model: &Model) -> Export {
    to_pddl(model, &ExportOptions::default())
}
