//! The sections of a domain.

use dramaturg_model::{FileId, Span};
use smol_str::SmolStr;

use super::fault;
use super::reader::Reader;
use super::sexpr::Sexpr;

/// Where the sections of a domain stand.
#[derive(Default)]
pub(super) struct DomainSections<'s> {
    pub(super) types: Option<&'s Sexpr>,
    pub(super) constants: Option<&'s Sexpr>,
    pub(super) predicates: Option<&'s Sexpr>,
    pub(super) functions: Option<&'s Sexpr>,
    /// Actions of both kinds, in order.
    pub(super) actions: Vec<&'s Sexpr>,
    pub(super) derived: Vec<&'s Sexpr>,
}

/// What we cannot read, and what to do about it. Requirements and sections have the same names.
const UNSUPPORTED: [(&str, &str); 13] = [
    (":constraints", "leave the constraints out; a story can `keep` a condition"),
    (":preferences", "leave the preferences out, or make them goals; a story can `prefer`"),
    (":process", "a story says this by a rule with `while`"),
    (":processes", "a story says this by a rule with `while`"),
    (":event", "a story says this by a rule with `when`"),
    (":events", "a story says this by a rule with `when`"),
    (":time", "a story says processes and events by rules"),
    (":htn", "a story says tasks and methods by `task` and `method`"),
    (":hierarchy", "a story says tasks and methods by `task` and `method`"),
    (":task", "a story says tasks and methods by `task` and `method`"),
    (":method", "a story says tasks and methods by `task` and `method`"),
    (":probabilistic-effects", "leave the probabilities out"),
    (":rewards", "use a metric over functions"),
];

/// Sections that a domain may have.
const SECTIONS: [&str; 9] = [
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":action",
    ":durative-action",
    ":derived",
    ":axiom",
];

impl Reader {
    /// What we cannot read of this name is reported; whether it was.
    pub(super) fn is_unsupported(&mut self, name: &str, what: &str, span: Span) -> bool {
        let Some((name, cure)) = UNSUPPORTED.iter().find(|(unsupported, _)| *unsupported == name) else { return false };
        self.report(fault::unsupported(span, &format!("{what} `{name}`"), cure));
        true
    }

    /// Finds `(define (domain NAME) …)` or `(define (problem NAME) …)`.
    pub(super) fn definition<'s>(
        &mut self,
        items: &'s [Sexpr],
        file: FileId,
        wanted: &str,
    ) -> Option<(SmolStr, &'s [Sexpr])> {
        let title =
            |item: &'s Sexpr| item.tail().first().filter(|title| item.head() == "define" && title.head() == wanted);
        let mut found = None;
        for item in items {
            match (title(item), found) {
                (Some(title), None) => found = Some((title, item)),
                (Some(title), Some((first, _))) => {
                    self.report(fault::second_section(title.span, &format!("(define ({wanted} …))"), first.span));
                }
                // A file may hold domain and problem together.
                (None, _) if item.head() == "define" => {}
                (None, _) => self.expected(item, &format!("`(define ({wanted} …) …)`")),
            }
        }
        let Some((title, item)) = found else {
            let place = items.first().map_or(Span::new(file, 0, 0), |item| item.span.before());
            self.report(fault::no_definition(place, wanted));
            return None;
        };
        let name = title.tail().first().and_then(|name| self.name(name, "a name")).cloned().unwrap_or_default();
        Some((name, item.tail().get(1..).unwrap_or(&[])))
    }

    /// Sorts the sections of a domain.
    pub(super) fn domain_sections<'s>(&mut self, items: &'s [Sexpr], file: FileId) -> DomainSections<'s> {
        let mut sections = DomainSections::default();
        let Some((name, items)) = self.definition(items, file, "domain") else { return sections };
        self.domain_name = name;
        for item in items {
            let slot = match item.head() {
                ":requirements" => {
                    self.requirements(item);
                    continue;
                }
                ":action" | ":durative-action" => {
                    sections.actions.push(item);
                    continue;
                }
                ":derived" | ":axiom" => {
                    sections.derived.push(item);
                    continue;
                }
                ":types" => &mut sections.types,
                ":constants" => &mut sections.constants,
                ":predicates" => &mut sections.predicates,
                ":functions" => &mut sections.functions,
                head => {
                    self.unknown_section(item, head, &SECTIONS);
                    continue;
                }
            };
            match slot {
                Some(first) => {
                    let first = first.span;
                    self.report(fault::second_section(item.span, item.head(), first));
                }
                None => *slot = Some(item),
            }
        }
        sections
    }

    /// A section that is not known here.
    pub(super) fn unknown_section(&mut self, item: &Sexpr, head: &str, known: &[&str]) {
        if self.is_unsupported(head, "the section", item.span) {
            return;
        }
        if !head.starts_with(':') {
            self.expected(item, "a section such as `(:action …)`");
            return;
        }
        let known: Vec<SmolStr> = known.iter().map(SmolStr::new).collect();
        let nearest = self.nearest(head, &known);
        let span = item.list().and_then(<[_]>::first).map_or(item.span, |head| head.span);
        self.report(fault::unknown(span, "section", head, nearest.as_deref(), "leave it out"));
    }

    /// Requirements are believed from what is used, not from what is declared; only what we cannot read is told.
    fn requirements(&mut self, section: &Sexpr) {
        for requirement in section.tail() {
            if let Some(name) = self.name(requirement, "a requirement such as `:typing`") {
                self.is_unsupported(name, "the requirement", requirement.span);
            }
        }
    }

    /// Reads everything but types and objects.
    pub(super) fn read_domain(&mut self, domain: &DomainSections<'_>) {
        let all_objects = self.objects_in_reach;
        self.objects_in_reach = domain_objects(domain, self);
        self.read_predicates(domain.predicates);
        self.read_functions(domain.functions);
        self.read_derived(&domain.derived);
        for action in &domain.actions {
            self.read_action(action);
        }
        self.objects_in_reach = all_objects;
    }
}

/// How many objects are constants. They were declared first.
fn domain_objects(domain: &DomainSections<'_>, reader: &Reader) -> usize {
    let Some(section) = domain.constants else { return 0 };
    let file = section.span.file;
    let is_constant =
        |place: Span| place.file == file && section.span.start <= place.start && place.end <= section.span.end;
    reader.model.objects.values().take_while(|object| is_constant(object.place)).count()
}
