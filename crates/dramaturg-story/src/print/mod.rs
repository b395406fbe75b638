//! Stories out: a model that came from PDDL, written as a story.
//!
//! # Layout
//!
//! `names` gives everything a name that stories allow and that nothing else has; `expr` writes conditions and numbers; `action`
//! writes actions; this file writes the rest and lets the formatter lay it out. What a story cannot say is listed.

mod action;
mod expr;
mod names;

use std::collections::BTreeMap;
use std::fmt::Write;

use dramaturg_model::{
    Change, Domain, Fluent, FluentId, FluentSource, Initial, Liking, Model, Range, Span, TypeId, Value, Wish, WishKind,
};

use crate::format::format_story;
use names::Names;

/// A story, and what it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The story.
    pub story: String,
    /// What a story cannot say, or says otherwise.
    pub left_out: Vec<LeftOut>,
}

/// Something that a story cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What: `the action fly`.
    pub what: String,
    /// Why it cannot be said, or what is said instead.
    pub why: String,
    /// Where it is declared.
    pub place: Span,
}

/// Writes a model that came from PDDL as a story.
///
/// An action without duration takes one tick in a story. Types get a capital; names keep their hyphens, unless a story has another
/// use for them.
///
/// ```
/// use dramaturg_model::FileId;
/// use dramaturg_story::pddl::{PddlOptions, compile_pddl};
/// let domain = "(define (domain lamp) (:predicates (lit)) (:action light :precondition (not (lit)) :effect (lit)))";
/// let problem = "(define (problem dusk) (:domain lamp) (:init) (:goal (lit)))";
/// let (model, _) = compile_pddl((FileId(0), domain), Some((FileId(1), problem)), &PddlOptions::default());
/// let printed = dramaturg_story::print::to_story(&model);
/// assert!(printed.story.contains("needs not lit"), "{}", printed.story);
/// assert!(dramaturg_story::compile_text("lamp.story", &printed.story).is_usable());
/// ```
pub fn to_story(model: &Model) -> Printed {
    let mut printer = Printer { model, names: Names::new(model), text: String::new(), left_out: Vec::new() };
    printer.header();
    printer.types();
    printer.objects();
    printer.fluents();
    printer.given();
    for (id, _) in model.actions.iter() {
        printer.action(id);
    }
    printer.wishes();
    printer.list_the_rest();
    Printed { story: format_story(&printer.text), left_out: printer.left_out }
}

/// What is written so far. Writing to a text cannot fail, so results of `write!` are dropped.
struct Printer<'m> {
    model: &'m Model,
    names: Names,
    text: String,
    left_out: Vec<LeftOut>,
}

impl Printer<'_> {
    fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>, place: Span) {
        self.left_out.push(LeftOut { what: what.into(), why: why.into(), place });
    }

    fn header(&mut self) {
        let title = match self.model.pddl() {
            Some(origin) => format!("{}: {}", origin.domain, origin.problem),
            None => self.model.title.clone(),
        };
        let title = title.replace('\\', "\\\\").replace('"', "\\\"").replace('{', "\\{");
        let _ = writeln!(self.text, "story \"{title}\"\n");
    }

    fn types(&mut self) {
        for (id, ty) in self.model.types.iter() {
            let name = self.names.ty(id);
            let _ = match ty.parent {
                Some(parent) => writeln!(self.text, "type {name}: {}", self.names.ty(parent)),
                None => writeln!(self.text, "type {name}"),
            };
        }
        self.text.push('\n');
    }

    fn objects(&mut self) {
        let mut by_type: BTreeMap<TypeId, Vec<&str>> = BTreeMap::new();
        for (id, object) in self.model.objects.iter() {
            by_type.entry(object.ty).or_default().push(self.names.object(id));
        }
        for (ty, names) in by_type {
            let _ = writeln!(self.text, "object {}: {}", names.join(", "), self.names.ty(ty));
        }
        self.text.push('\n');
    }

    fn fluents(&mut self) {
        for (id, fluent) in self.model.fluents.iter() {
            let body = self.meaning(id, fluent);
            let mut scope = self.scope();
            let params = scope.params(&fluent.params);
            let head = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
            let meaning = body.map(|body| scope.condition(&body));
            let domain = match &fluent.domain {
                Domain::Bool | Domain::Choice(_) => String::new(),
                Domain::Number(range) => format!(": number{}", range_text(range)),
                Domain::Int(range) => format!(": int{}", range_text(range)),
                Domain::Duration => ": duration".to_owned(),
            };
            let means = match meaning {
                Some(Ok(meaning)) => format!(" means {meaning}"),
                Some(Err(cannot)) => {
                    let what = format!("the meaning of {}", fluent.name);
                    self.leave_out(what, cannot.0, fluent.place);
                    String::new()
                }
                None => String::new(),
            };
            let name = self.names.fluent(id);
            let _ = writeln!(self.text, "fluent {name}{head}{domain}{means}");
        }
        self.text.push('\n');
    }

    /// What a derived fluent means, if it does not need itself.
    fn meaning(&mut self, id: FluentId, fluent: &Fluent) -> Option<dramaturg_model::Expr> {
        match &fluent.source {
            FluentSource::Means(body) => Some(body.clone()),
            FluentSource::Derived { rules, .. } => {
                if self.needs_itself(id) {
                    let why = "it is derived from itself, which `means` cannot say: here it is an ordinary fluent";
                    self.leave_out(format!("how {} is derived", fluent.name), why, fluent.place);
                    return None;
                }
                Some(match rules.as_slice() {
                    [only] => only.clone(),
                    rules => dramaturg_model::Expr::Or(rules.to_vec()),
                })
            }
            FluentSource::Stored | FluentSource::Done(_) => None,
        }
    }

    fn needs_itself(&self, id: FluentId) -> bool {
        let mut seen = vec![id];
        let mut next = 0;
        while let Some(fluent) = seen.get(next).copied() {
            next += 1;
            let FluentSource::Derived { rules, .. } = &self.model.fluents[fluent].source else { continue };
            let mut found = Vec::new();
            for rule in rules {
                rule.walk(&mut |part| {
                    if let dramaturg_model::Expr::Fluent(fluent, _) = part {
                        found.push(*fluent);
                    }
                });
            }
            if found.contains(&id) {
                return true;
            }
            found.retain(|fluent| !seen.contains(fluent));
            seen.extend(found);
        }
        false
    }

    /// What is given, one clause for each fluent and time.
    fn given(&mut self) {
        let mut groups: Vec<(FluentId, Option<&dramaturg_model::Expr>, Vec<&Initial>)> = Vec::new();
        for initial in &self.model.initial {
            match groups
                .iter_mut()
                .rfind(|(fluent, at, _)| *fluent == initial.target.fluent && *at == initial.at.as_ref())
            {
                Some((_, _, group)) if initial.binders.is_empty() && initial.condition.is_none() => group.push(initial),
                _ => groups.push((initial.target.fluent, initial.at.as_ref(), vec![initial])),
            }
        }
        for (fluent, at, group) in groups {
            let mut parts = Vec::new();
            for initial in group {
                let mut scope = self.scope();
                let change = scope.change(&initial.target, &initial.change);
                match change {
                    Ok(change) => parts.push(change),
                    Err(cannot) => {
                        let what = format!("a value of {}", self.model.fluents[fluent].name);
                        self.leave_out(what, cannot.0, initial.place);
                    }
                }
            }
            let at = at.map(|at| self.scope().duration(at));
            let at = match at {
                Some(Ok(at)) => format!(" at {at}"),
                Some(Err(_)) | None => String::new(),
            };
            // A clause of thousands of facts is hard on people and tools alike.
            for parts in parts.chunks(64) {
                let _ = writeln!(self.text, "given {}{at}", parts.join(", "));
            }
        }
        self.text.push('\n');
    }

    fn wishes(&mut self) {
        for wish in self.model.wishes.values() {
            match self.wish(wish) {
                Ok(text) => {
                    let _ = writeln!(self.text, "{text}");
                }
                Err(cannot) => self.leave_out("a wish", cannot.0, wish.place),
            }
        }
    }

    fn wish(&self, wish: &Wish) -> Result<String, expr::Cannot> {
        let mut scope = self.scope();
        Ok(match &wish.kind {
            WishKind::Goal { aims, .. } => {
                let mut parts = Vec::new();
                for aim in aims {
                    let time = scope.aim_time(&aim.time)?;
                    parts.push(format!("{}{time}", scope.condition(&aim.condition)?));
                }
                format!("goal {}", parts.join(" then "))
            }
            WishKind::Keep { condition, window } => {
                let window = match window {
                    Some((from, to)) => format!(" from {} to {}", scope.duration(from)?, scope.duration(to)?),
                    None => String::new(),
                };
                format!("keep {}{window}", scope.condition(condition)?)
            }
            WishKind::Prefer { liking, weight } => {
                let liking = match liking {
                    Liking::Holds(condition) => scope.condition(condition)?,
                    Liking::More(value, None) => format!("more {}", scope.number(value)?),
                    Liking::Less(value, None) => format!("less {}", scope.number(value)?),
                    _ => return Err(expr::Cannot("bounds and curves do not come from PDDL".to_owned())),
                };
                match weight {
                    dramaturg_model::Expr::Value(Value::Number(one)) if *one == dramaturg_model::Fixed::ONE => {
                        format!("prefer {liking}")
                    }
                    weight => format!("prefer {liking} weight {}", scope.number(weight)?),
                }
            }
        })
    }

    fn list_the_rest(&mut self) {
        let model = self.model;
        for rule in model.rules.values() {
            self.leave_out(format!("the rule {}", rule.name), "only what comes from PDDL is written", rule.place);
        }
        for task in model.tasks.values() {
            self.leave_out(format!("the task {}", task.name), "only what comes from PDDL is written", task.place);
        }
        for (id, fluent) in model.fluents.iter() {
            let is_number = fluent.domain.is_numeric() && fluent.default.is_none();
            let given = model.initial.iter().filter(|given| given.target.fluent == id).count();
            let wanted: usize = fluent.params.iter().map(|param| model.values_of(&param.choices, None).len()).product();
            if is_number && given < wanted {
                let what = format!("{} of {wanted} values of {}", wanted - given, fluent.name);
                self.leave_out(what, "PDDL leaves them undefined; in a story they are 0", fluent.place);
            }
        }
    }
}

fn range_text(range: &Range) -> String {
    match (range.least, range.most) {
        (None, None) => String::new(),
        (least, most) => {
            let text = |bound: Option<dramaturg_model::Fixed>| bound.map(|bound| bound.to_string()).unwrap_or_default();
            format!(" {}..{}", text(least), text(most))
        }
    }
}

/// Whether a change makes a fact true or false.
fn as_bool(change: &Change) -> Option<bool> {
    match change {
        Change::Set(dramaturg_model::Expr::Value(Value::Bool(value))) => Some(*value),
        _ => None,
    }
}
