//! The two files.

use std::fmt::Write;

use super::names::{name_comments, sanitised};
use super::tree::Pddl;
use super::{Export, Exporter};

/// Which words in conditions and effects need which requirement.
const REQUIREMENTS: [(&str, &str); 13] = [
    ("not", ":negative-preconditions"),
    ("or", ":disjunctive-preconditions"),
    ("imply", ":disjunctive-preconditions"),
    ("=", ":equality"),
    ("exists", ":existential-preconditions"),
    ("forall", ":universal-preconditions"),
    ("when", ":conditional-effects"),
    (":derived", ":derived-predicates"),
    (":durative-action", ":durative-actions"),
    (":functions", ":fluents"),
    ("increase-cost", ":action-costs"),
    ("bounds", ":duration-inequalities"),
    ("timed", ":timed-initial-literals"),
];

impl Exporter<'_> {
    /// Puts everything on paper.
    pub(super) fn finish(mut self) -> Export {
        let goal = self.goal();
        let metric = self.metric();
        let facts = self.initial_facts();
        let names = self.names.pairs(self.model);
        let (domain_name, problem_name) = self.file_names();

        let mut problem = format!("(define (problem {problem_name})\n  (:domain {domain_name})\n");
        let (constants, objects) = self.object_lists();
        write_typed(":objects", &objects, &mut problem);
        problem.push_str("  (:init");
        let costs = self.has_costs.then(|| Pddl::call("=", [Pddl::call("total-cost", []), Pddl::atom("0")]));
        for fact in facts.iter().chain(&self.tables.facts).chain(&costs) {
            problem.push_str("\n    ");
            fact.write(4, &mut problem);
        }
        problem.push_str(")\n");
        Pddl::call(":goal", [goal]).write_section(&mut problem);
        if let Some(metric) = metric {
            metric.write_section(&mut problem);
        }
        problem.push_str(")\n");

        let mut sections = String::new();
        self.write_types(&mut sections);
        write_typed(":constants", &constants, &mut sections);
        self.write_fluents(&mut sections);
        for derived in &self.derived {
            derived.write_section(&mut sections);
        }
        for action in &self.actions {
            let _ = writeln!(sections, "  {action}");
        }
        let mut domain = name_comments(&names);
        let _ = writeln!(domain, "(define (domain {domain_name})");
        let _ = writeln!(domain, "  (:requirements {})", requirements(&sections, &problem).join(" "));
        domain.push_str(&sections);
        domain.push_str(")\n");
        Export { domain, problem, left_out: self.left_out, names }
    }

    fn file_names(&self) -> (String, String) {
        if let Some(origin) = self.model.pddl() {
            let problem =
                if origin.problem.is_empty() { origin.domain.to_string() } else { origin.problem.to_string() };
            return (origin.domain.to_string(), problem);
        }
        let name = if self.model.name.is_empty() { self.model.title.as_str() } else { self.model.name.as_str() };
        let domain = sanitised(name);
        let level = self.story_level.map(|level| self.model.levels[level].name.to_string());
        let character = self.options.character.map(|character| self.model.objects[character].name.to_string());
        let parts: Vec<String> = level.into_iter().chain(character).map(|part| sanitised(&part)).collect();
        let problem = if parts.is_empty() { domain.clone() } else { format!("{domain}-{}", parts.join("-")) };
        (domain, problem)
    }

    fn write_types(&self, text: &mut String) {
        let mut types = Vec::new();
        for (id, ty) in self.model.types.iter() {
            let name = &self.names.types[id];
            if self.model.pddl().is_some() && name == "object" {
                continue;
            }
            let parent = ty.parent.map_or(self.root_type(), |parent| Pddl::atom(&self.names.types[parent]));
            types.extend([Pddl::atom(name), Pddl::atom("-"), parent]);
        }
        if let (Some(character), false) = (self.options.character, self.tables.character_type.is_empty()) {
            let parent = &self.names.types[self.model.objects[character].ty];
            types.extend([Pddl::atom(&self.tables.character_type), Pddl::atom("-"), Pddl::atom(parent)]);
        }
        if !self.tables.symbol_type.is_empty() {
            types.extend([Pddl::atom(&self.tables.symbol_type), Pddl::atom("-"), self.root_type()]);
        }
        if !self.tables.root_type.is_empty() {
            types.extend([self.root_type(), Pddl::atom("-"), Pddl::atom("object")]);
        }
        write_typed(":types", &types, text);
    }

    fn write_fluents(&self, text: &mut String) {
        let (mut predicates, mut functions) = self.declarations();
        predicates.extend(self.tables.predicates.iter().cloned());
        functions.extend(self.tables.functions.iter().cloned());
        if self.has_costs {
            functions.push(Pddl::call("total-cost", []));
        }
        for (keyword, declarations) in [(":predicates", predicates), (":functions", functions)] {
            if !declarations.is_empty() {
                let _ = write!(text, "  ({keyword}");
                for declaration in declarations {
                    text.push_str("\n    ");
                    declaration.write(4, text);
                    if keyword == ":functions" {
                        text.push_str(" - number");
                    }
                }
                text.push_str(")\n");
            }
        }
    }
}

/// A list of names with types, one group of a type a line.
fn write_typed(keyword: &str, items: &[Pddl], text: &mut String) {
    if items.is_empty() {
        return;
    }
    let _ = write!(text, "  ({keyword}");
    let mut last: Option<&Pddl> = None;
    for group in items.chunks(3) {
        let [name, _, ty] = group else { continue };
        match last {
            Some(last) if last == ty => text.push(' '),
            Some(last) => {
                text.push_str(" - ");
                last.write(0, text);
                text.push_str("\n    ");
            }
            None => text.push_str("\n    "),
        }
        name.write(0, text);
        last = Some(ty);
    }
    if let Some(last) = last {
        text.push_str(" - ");
        last.write(0, text);
    }
    text.push_str(")\n");
}

/// The requirements of what was written.
fn requirements(domain: &str, problem: &str) -> Vec<&'static str> {
    let is_used = |word: &str| match word {
        "increase-cost" => domain.contains("(total-cost)"),
        "bounds" => {
            domain.contains("= ?duration") && (domain.contains("(>= ?duration") || domain.contains("(<= ?duration"))
        }
        "timed" => problem.lines().any(|line| line.trim_start().starts_with("(at ") && is_timed(line)),
        ":functions" => domain.contains("(:functions") && !is_cost_only(domain),
        word if word.starts_with(':') => domain.contains(&format!("({word}")),
        word => [domain, problem].iter().any(|text| text.contains(&format!("({word} "))),
    };
    let mut found = vec![":strips", ":typing"];
    for (word, requirement) in REQUIREMENTS {
        if is_used(word) && !found.contains(&requirement) {
            found.push(requirement);
        }
    }
    found
}

/// A predicate may be called `at` too.
fn is_timed(line: &str) -> bool {
    let time = line.trim_start().trim_start_matches("(at ").split(' ').next().unwrap_or("");
    time.parse::<dramaturg_model::Fixed>().is_ok()
}

/// Costs alone need no numbers.
fn is_cost_only(domain: &str) -> bool {
    !domain.contains(":durative-action") && !domain.contains("(assign") && {
        let increases = domain.matches("(increase ").count() + domain.matches("(decrease ").count();
        increases == domain.matches("(increase (total-cost)").count()
    }
}
