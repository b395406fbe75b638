//! The sections of a problem: objects, initial state, goal, metric.

use dramaturg_model::{
    Aim, AimTime, Change, Expr, FileId, FluentRef, FluentSource, Initial, Owner, Span, Value, Wish, WishKind,
};

use super::fault;
use super::number;
use super::reader::{Kind, Reader};
use super::scope::Scope;
use super::sexpr::Sexpr;

/// Where the sections of a problem stand.
#[derive(Default)]
pub(super) struct ProblemSections<'s> {
    pub(super) objects: Option<&'s Sexpr>,
    init: Option<&'s Sexpr>,
    goal: Option<&'s Sexpr>,
    metric: Option<&'s Sexpr>,
}

/// Sections that a problem may have.
const SECTIONS: [&str; 8] =
    [":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length", ":situation"];

impl Reader {
    /// Sorts the sections of a problem.
    pub(super) fn problem_sections<'s>(&mut self, items: &'s [Sexpr], file: FileId) -> ProblemSections<'s> {
        let mut sections = ProblemSections::default();
        let Some((name, items)) = self.definition(items, file, "problem") else { return sections };
        self.problem_name = name;
        for item in items {
            let slot = match item.head() {
                ":domain" => {
                    self.check_domain_name(item);
                    continue;
                }
                // The length of a plan is the planner's business; requirements are believed from what is used.
                ":requirements" | ":length" => continue,
                ":objects" => &mut sections.objects,
                ":init" => &mut sections.init,
                ":goal" => &mut sections.goal,
                ":metric" => &mut sections.metric,
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

    fn check_domain_name(&mut self, section: &Sexpr) {
        let Some(name) = section.tail().first() else { return };
        let Some(text) = self.name(name, "the name of a domain") else { return };
        if *text != self.domain_name && !self.domain_name.is_empty() {
            let fault = fault::other_domain(name.span, &self.domain_name, text);
            self.report(fault);
        }
    }

    /// Reads everything but objects.
    pub(super) fn read_problem(&mut self, problem: &ProblemSections<'_>) {
        let facts = problem.init.map_or(&[][..], Sexpr::tail);
        self.model.initial.reserve(facts.len());
        for fact in facts {
            // Some write the facts as one conjunction.
            if fact.head() == "and" {
                fact.tail().iter().for_each(|fact| self.initial(fact, None));
            } else {
                self.initial(fact, None);
            }
        }
        if let Some(section) = problem.goal {
            self.goal(section);
        }
        if let Some(section) = problem.metric {
            self.metric(section);
        }
    }

    /// A fact, a number, or either at a time.
    fn initial(&mut self, fact: &Sexpr, at: Option<&Expr>) {
        match (fact.head(), fact.tail()) {
            // A predicate may be called `at` as well; only a time is a number.
            ("at", [time, body]) if at.is_none() && body.list().is_some() => {
                let Some(number) = time.atom().and_then(|atom| number::parse(atom)) else {
                    self.initial_fact(fact, true, at);
                    return;
                };
                match number {
                    Ok(units) => {
                        let ticks = self.in_ticks(Expr::number(units));
                        self.initial(body, Some(&ticks));
                    }
                    Err(number::TooLarge) => self.report(fault::number_too_large(time.span)),
                }
            }
            ("=", [function, value]) => self.initial_number(function, value, fact.span, at),
            ("not", [body]) => self.initial_fact(body, false, at),
            _ => self.initial_fact(fact, true, at),
        }
    }

    fn initial_fact(&mut self, fact: &Sexpr, value: bool, at: Option<&Expr>) {
        let Some(head) = fact.list().and_then(<[_]>::first) else {
            self.expected(fact, "a fact such as `(at truck-1 depot)`");
            return;
        };
        let Some(name) = self.name(head, "a predicate") else { return };
        let Some(fluent) = self.fluent(Kind::Predicate, name, head.span) else { return };
        if let FluentSource::Derived { .. } = self.model.fluents[fluent].source {
            let place = self.fluent_place(fluent);
            self.report(fault::derived_set(fact.span, name, place));
            return;
        }
        let Some((args, _)) = self.arguments(fact, fluent, fact.tail(), &Scope::default()) else { return };
        let change = Change::Set(Expr::Value(Value::Bool(value)));
        self.give(FluentRef { fluent, args }, change, at, fact.span);
    }

    fn initial_number(&mut self, function: &Sexpr, value: &Sexpr, place: Span, at: Option<&Expr>) {
        let head = function.list().and_then(<[_]>::first).unwrap_or(function);
        let Some(name) = self.name(head, "a function") else { return };
        let Some(fluent) = self.fluent(Kind::Function, name, head.span) else { return };
        let Some((args, _)) = self.arguments(function, fluent, function.tail(), &Scope::default()) else { return };
        let value = self.number(value, &mut Scope::default());
        if !matches!(value, Expr::Value(_)) {
            self.report(fault::expected(place, "a computed value", "a number"));
            return;
        }
        self.give(FluentRef { fluent, args }, Change::Set(value), at, place);
    }

    fn give(&mut self, target: FluentRef, change: Change, at: Option<&Expr>, place: Span) {
        let at = at.cloned();
        self.model.initial.push(Initial {
            binders: Vec::new(),
            condition: None,
            target,
            change,
            at,
            level: None,
            place,
        });
    }

    fn goal(&mut self, section: &Sexpr) {
        let [condition] = section.tail() else {
            self.count(section, section.tail(), 1);
            return;
        };
        let condition = self.condition(condition, &mut Scope::default());
        let aim = Aim { condition, time: AimTime::Eventually, performs: None };
        let kind = WishKind::Goal { aims: vec![aim], salience: Expr::int(50) };
        self.add_wish(kind, section.span);
    }

    /// Something the story itself wants.
    pub(super) fn add_wish(&mut self, kind: WishKind, place: Span) {
        let wish = Wish { owner: Owner::Story, params: Vec::new(), kind, condition: None, level: None, place };
        self.model.wishes.push(wish);
    }
}
