//! Diagnostics for people, as text with the lines they speak of, and for machines, as JSON.

use std::ops::Range;

use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use dramaturg_model::{Diagnostic, Edit, FileId, Severity, Sources, Span};
use serde::Serialize;

/// Writes diagnostics of one set of sources. It keeps what it found out about their lines, so write many with one of these.
///
/// ```
/// use dramaturg::render::Renderer;
/// let compiled = dramaturg::story::compile_text("bell.story", "story \"Bell\"\nfluent rung\ngoal runk");
/// let text = Renderer::new(&compiled.sources, false).text(&compiled.diagnostics[0]);
/// assert!(text.contains("unknown-name"));
/// assert!(text.contains("bell.story:3:6"));
/// ```
pub struct Renderer<'s> {
    lines: Lines<'s>,
    config: Config,
}

impl<'s> Renderer<'s> {
    /// With or without colour.
    pub fn new(sources: &'s Sources, color: bool) -> Self {
        let config = Config::new().with_index_type(IndexType::Char).with_color(color);
        Self { lines: Lines { sources, known: Vec::new() }, config }
    }

    /// One diagnostic as text of several lines: what, where, why there, and what to do.
    pub fn text(&mut self, diagnostic: &Diagnostic) -> String {
        let Some(place) = self.place(diagnostic.span()) else { return plain(diagnostic) };
        let (kind, color) = match diagnostic.severity() {
            Severity::Error => (ReportKind::Custom("error", Color::Red), Color::Red),
            Severity::Warning => (ReportKind::Custom("warning", Color::Yellow), Color::Yellow),
            Severity::Hint => (ReportKind::Custom("hint", Color::Cyan), Color::Cyan),
        };
        let mut report = Report::build(kind, place)
            .with_config(self.config)
            .with_code(diagnostic.code.name)
            .with_message(&diagnostic.message);
        // In order of place, the file of the fault first: then the lines of one file are shown together.
        let mut labels: Vec<_> = diagnostic.labels.iter().enumerate().collect();
        let file = diagnostic.span().file;
        labels.sort_by_key(|(_, label)| (label.span.file != file, label.span));
        for (order, (index, label)) in labels.into_iter().enumerate() {
            let Some(place) = self.place(label.span) else { continue };
            let color = if index == 0 { color } else { Color::Blue };
            // Only what has words is underlined.
            let text = if label.text.is_empty() { "here" } else { &label.text };
            report = report.with_label(Label::new(place).with_message(text).with_color(color).with_order(order as i32));
        }
        for help in helps(diagnostic) {
            report = report.with_help(help);
        }
        let mut bytes = Vec::new();
        match report.finish().write(&mut self.lines, &mut bytes) {
            Ok(()) => String::from_utf8_lossy(&bytes).lines().map(str::trim_end).collect::<Vec<_>>().join("\n") + "\n",
            Err(_) => plain(diagnostic),
        }
    }

    /// Where in its file, in characters; inside it, whatever the diagnostic says.
    fn place(&self, span: Span) -> Option<Place> {
        let text = &self.lines.sources.file(span.file)?.text;
        let (start, end) = (span.start as usize, span.end as usize);
        let before = |at: usize| text.get(..text.floor_char_boundary(at)).map_or(0, |before| before.chars().count());
        // An empty stretch cannot be seen, so the character behind it is shown.
        let start = before(start);
        let end = before(end).max((start + 1).min(before(text.len()))).max(start);
        Some(Place { file: span.file, range: start..end })
    }
}

/// What to do: the hint, then the fix if the hint does not say it already.
fn helps(diagnostic: &Diagnostic) -> Vec<String> {
    let mut helps: Vec<String> = diagnostic.hint.iter().cloned().collect();
    if let Some(fix) = &diagnostic.fix {
        let said = |hint: &String| {
            let writes = |edit: &Edit| !edit.text.is_empty() && hint.contains(&format!("`{}`", edit.text.trim()));
            hint.contains(fix.title.as_str()) || fix.edits.iter().all(writes)
        };
        if !helps.iter().any(said) {
            helps.push(fix.title.clone());
        }
    }
    helps
}

/// For what stands in no file.
fn plain(diagnostic: &Diagnostic) -> String {
    let severity = severity_name(diagnostic.severity());
    let mut text = format!("[{}] {severity}: {}\n", diagnostic.code.name, diagnostic.message);
    for help in helps(diagnostic) {
        text.push_str("  Help: ");
        text.push_str(&help);
        text.push('\n');
    }
    text
}

/// As people and machines read it.
pub const fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Hint => "hint",
    }
}

struct Place {
    file: FileId,
    range: Range<usize>,
}

impl ariadne::Span for Place {
    type SourceId = FileId;

    fn source(&self) -> &FileId {
        &self.file
    }

    fn start(&self) -> usize {
        self.range.start
    }

    fn end(&self) -> usize {
        self.range.end
    }
}

struct Lines<'s> {
    sources: &'s Sources,
    known: Vec<(FileId, Source<&'s str>)>,
}

impl<'s> Cache<FileId> for &mut Lines<'s> {
    type Storage = &'s str;

    fn fetch(&mut self, id: &FileId) -> Result<&Source<&'s str>, impl std::fmt::Debug> {
        let at = match self.known.iter().position(|(known, _)| known == id) {
            Some(at) => at,
            None => {
                let Some(file) = self.sources.file(*id) else { return Err("no such file") };
                self.known.push((*id, Source::from(&*file.text)));
                self.known.len() - 1
            }
        };
        self.known.get(at).map(|(_, source)| source).ok_or("no such file")
    }

    fn display<'a>(&self, id: &'a FileId) -> Option<impl std::fmt::Display + 'a> {
        self.sources.file(*id).map(|file| file.path.clone())
    }
}

/// A diagnostic for machines.
#[derive(Debug, Serialize)]
pub struct Finding<'d> {
    /// The stable name of its kind.
    pub code: &'static str,
    /// `error`, `warning` or `hint`.
    pub severity: &'static str,
    /// What is wrong, in one sentence.
    pub message: &'d str,
    /// Where; none for what stands in no file.
    pub place: Option<JsonPlace<'d>>,
    /// Places that explain it, the place of the fault first.
    pub labels: Vec<JsonLabel<'d>>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'d str>,
    /// A change that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<JsonFix<'d>>,
}

/// A stretch of a file, lines and columns from 1; the end is the first character behind it.
#[derive(Debug, Serialize)]
pub struct JsonPlace<'d> {
    /// The file as the user named it.
    pub file: &'d str,
    /// The line of its first character.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The line of its end.
    pub end_line: u32,
    /// The column of its end.
    pub end_column: u32,
}

/// A place and what is said there.
#[derive(Debug, Serialize)]
pub struct JsonLabel<'d> {
    /// Where.
    pub place: JsonPlace<'d>,
    /// What.
    pub text: &'d str,
}

/// A change of sources.
#[derive(Debug, Serialize)]
pub struct JsonFix<'d> {
    /// What it does.
    pub title: &'d str,
    /// Stretches and what takes their place.
    pub edits: Vec<JsonEdit<'d>>,
}

/// One stretch replaced.
#[derive(Debug, Serialize)]
pub struct JsonEdit<'d> {
    /// What is taken out (empty to insert).
    pub place: JsonPlace<'d>,
    /// What is put there.
    pub text: &'d str,
}

/// A diagnostic for machines.
pub fn finding<'d>(sources: &'d Sources, diagnostic: &'d Diagnostic) -> Finding<'d> {
    let label = |label: &'d dramaturg_model::Label| {
        Some(JsonLabel { place: json_place(sources, label.span)?, text: &label.text })
    };
    let edit = |edit: &'d Edit| Some(JsonEdit { place: json_place(sources, edit.span)?, text: &edit.text });
    Finding {
        code: diagnostic.code.name,
        severity: severity_name(diagnostic.severity()),
        message: &diagnostic.message,
        place: json_place(sources, diagnostic.span()),
        labels: diagnostic.labels.iter().filter_map(label).collect(),
        hint: diagnostic.hint.as_deref(),
        fix: diagnostic
            .fix
            .as_ref()
            .map(|fix| JsonFix { title: &fix.title, edits: fix.edits.iter().filter_map(edit).collect() }),
    }
}

/// A place for machines; none for what stands in no file.
pub fn json_place(sources: &Sources, span: Span) -> Option<JsonPlace<'_>> {
    let file = sources.file(span.file)?;
    let (line, column) = file.line_column(span.start);
    let (end_line, end_column) = file.line_column(span.end);
    Some(JsonPlace { file: &file.path, line, column, end_line, end_column })
}
