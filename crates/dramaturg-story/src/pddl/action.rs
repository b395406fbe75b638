//! Actions, with and without duration.

use dramaturg_model::{
    Action, ActionOrigin, Binder, Change, ConditionTime, Duration, Effect, Expr, Function, LatePolicy, Moment,
    Operator, Quantifier, Span, TimedCondition, Value,
};
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::effect::Around;
use super::fault;
use super::number;
use super::reader::Reader;
use super::scope::Scope;
use super::sexpr::Sexpr;

/// A condition with its time and place.
pub(super) struct Timed {
    pub(super) time: ConditionTime,
    pub(super) condition: Expr,
    pub(super) place: Span,
}

/// What follows the keywords of an action.
#[derive(Default)]
struct Parts<'s> {
    parameters: Option<&'s Sexpr>,
    duration: Option<&'s Sexpr>,
    condition: Option<&'s Sexpr>,
    effect: Option<&'s Sexpr>,
}

impl Reader {
    /// Reads an action.
    pub(super) fn read_action(&mut self, section: &Sexpr) {
        let is_durative = section.head() == ":durative-action";
        let Some((name, items)) = section.tail().split_first() else {
            self.report(fault::missing(section.span, "an action", "a name"));
            return;
        };
        let Some(name) = self.name(name, "the name of an action").cloned() else { return };
        if let Some(first) = self.actions.get(&name).copied() {
            self.report(fault::duplicate(section.span, "action", &name, first));
            return;
        }
        self.actions.insert(name.clone(), section.span);
        let parts = self.action_parts(items, is_durative);
        self.temporal |= is_durative;

        let mut scope = Scope::default();
        let params = match parts.parameters.map(|list| (list, list.list())) {
            Some((_, Some(items))) => self.params(items, &mut scope),
            Some((atom, None)) => {
                self.expected(atom, "a list of parameters such as `(?x - type)`");
                Vec::new()
            }
            None => Vec::new(),
        };
        let duration = match is_durative {
            true => self.duration(parts.duration, section, &mut scope),
            false => Duration::Instant,
        };
        scope.has_duration = is_durative;
        let conditions = match (parts.condition, is_durative) {
            (Some(condition), true) => self.timed_conditions(condition, &mut scope),
            (Some(condition), false) => self.conditions_at_start(condition, &mut scope),
            (None, _) => Vec::new(),
        };
        let conditions = conditions.into_iter();
        let mut conditions: Vec<TimedCondition> = conditions
            .map(|Timed { time, condition, place }| TimedCondition { time, condition, weight: None, place })
            .collect();
        let mut effects = Vec::new();
        if let Some(effect) = parts.effect {
            let mut around = if is_durative { Around::default() } else { Around::instant() };
            self.effects(effect, &mut scope, &mut around, &mut effects);
        }
        // What takes no time at all starts and ends at once.
        let takes_nothing = duration == Duration::Fixed(Expr::int(0));
        if takes_nothing {
            conditions.iter_mut().for_each(|condition| condition.time = ConditionTime::Start);
            effects.iter_mut().for_each(|effect| effect.moment = Moment::End);
            self.momentary.push(name.clone());
        }
        let duration = if takes_nothing { Duration::Instant } else { duration };
        // In PDDL what an action both deletes and adds is true after it.
        effects.sort_by_key(|effect| !is_delete(effect));
        self.model.actions.push(Action {
            name,
            params,
            performer: None,
            participants: Vec::new(),
            layer: None,
            tags: Vec::new(),
            duration,
            conditions,
            effects,
            contributions: Vec::new(),
            uses: Vec::new(),
            expectation: None,
            reads: None,
            question: None,
            says: Vec::new(),
            cost: None,
            late: LatePolicy::default(),
            origin: ActionOrigin::Authored,
            level: None,
            place: section.span,
            doc: None,
        });
    }

    fn action_parts<'s>(&mut self, items: &'s [Sexpr], is_durative: bool) -> Parts<'s> {
        let mut parts = Parts::default();
        let mut rest = items;
        while let Some((keyword, after)) = rest.split_first() {
            let condition = if is_durative { ":condition" } else { ":precondition" };
            let slot = match keyword.atom().map_or("", SmolStr::as_str) {
                ":parameters" => &mut parts.parameters,
                ":duration" if is_durative => &mut parts.duration,
                // Both words occur in both kinds of actions.
                ":precondition" | ":condition" => &mut parts.condition,
                ":effect" | ":effects" => &mut parts.effect,
                _ => {
                    let wanted = format!("`:parameters`, `{condition}` or `:effect`");
                    self.expected(keyword, &wanted);
                    rest = after;
                    continue;
                }
            };
            let Some((value, after)) = after.split_first() else {
                self.report(fault::missing(keyword.span, "an action", "a list after this word"));
                return parts;
            };
            if let Some(first) = slot {
                let first = first.span;
                let name = keyword.atom().cloned().unwrap_or_default();
                self.report(fault::second_section(keyword.span, &name, first));
            } else {
                *slot = Some(value);
            }
            rest = after;
        }
        parts
    }

    /// Each part of a conjunction on its own, so that messages can name the one that fails.
    fn conditions_at_start(&mut self, sexpr: &Sexpr, scope: &mut Scope) -> Vec<Timed> {
        if sexpr.head() == "and" {
            return sexpr.tail().iter().flat_map(|part| self.conditions_at_start(part, scope)).collect();
        }
        let condition = self.condition(sexpr, scope);
        timed(ConditionTime::Start, condition, sexpr.span)
    }

    /// `(at start …)`, `(over all …)`, `(at end …)`, all of them in `and` and `forall`.
    pub(super) fn timed_conditions(&mut self, sexpr: &Sexpr, scope: &mut Scope) -> Vec<Timed> {
        let args = sexpr.tail();
        let first = args.first().and_then(Sexpr::atom).map_or("", SmolStr::as_str);
        let time = match (sexpr.head(), first) {
            ("and", _) => return args.iter().flat_map(|part| self.timed_conditions(part, scope)).collect(),
            ("forall", _) => return self.timed_for_all(sexpr, args, scope),
            ("at", "start") => ConditionTime::Start,
            ("over", "all") => ConditionTime::Throughout,
            ("at", "end") => ConditionTime::End,
            ("", _) if sexpr.list().is_some_and(<[_]>::is_empty) => return Vec::new(),
            ("preference", _) => {
                let condition = self.condition(sexpr, scope);
                return timed(ConditionTime::Start, condition, sexpr.span);
            }
            _ => {
                self.expected(sexpr, "`(at start …)`, `(over all …)` or `(at end …)`");
                return Vec::new();
            }
        };
        let [_, body] = args else {
            self.count(sexpr, args, 2);
            return Vec::new();
        };
        self.parts_at(time, body, scope)
    }

    fn parts_at(&mut self, time: ConditionTime, body: &Sexpr, scope: &mut Scope) -> Vec<Timed> {
        if body.head() == "and" {
            return body.tail().iter().flat_map(|part| self.parts_at(time.clone(), part, scope)).collect();
        }
        let condition = self.condition(body, scope);
        timed(time, condition, body.span)
    }

    fn timed_for_all(&mut self, sexpr: &Sexpr, args: &[Sexpr], scope: &mut Scope) -> Vec<Timed> {
        let [variables, body] = args else {
            self.count(sexpr, args, 2);
            return Vec::new();
        };
        let outer = scope.len();
        let binders: Vec<Binder> = self.binders(variables, scope);
        let mut parts = self.timed_conditions(body, scope);
        scope.truncate(outer);
        for part in &mut parts {
            let inner = std::mem::replace(&mut part.condition, Expr::TRUE);
            part.condition = Expr::Quantified(Quantifier::All, binders.clone(), Box::new(inner));
        }
        parts
    }

    /// Reads `:duration`.
    fn duration(&mut self, constraint: Option<&Sexpr>, section: &Sexpr, scope: &mut Scope) -> Duration {
        let Some(constraint) = constraint else {
            self.report(fault::missing(section.span, "a durative action", "`:duration (= ?duration …)`"));
            return Duration::Fixed(Expr::int(0));
        };
        let mut bounds = Bounds::default();
        self.duration_constraint(constraint, false, scope, &mut bounds);
        match (bounds.exact, bounds.least, bounds.most) {
            (Some(exact), ..) => Duration::Fixed(exact),
            (None, least, most) => Duration::Chosen(least, most),
        }
    }

    fn duration_constraint(&mut self, sexpr: &Sexpr, is_at_end: bool, scope: &mut Scope, bounds: &mut Bounds) {
        let args = sexpr.tail();
        match (sexpr.head(), args) {
            ("and", _) => args.iter().for_each(|part| self.duration_constraint(part, is_at_end, scope, bounds)),
            ("at", [time, body]) if time.atom().is_some_and(|time| time == "start" || time == "end") => {
                let is_at_end = time.atom().is_some_and(|time| time == "end");
                self.duration_constraint(body, is_at_end, scope, bounds);
            }
            (sign @ ("=" | "<=" | ">="), [variable, limit])
                if variable.atom().is_some_and(|name| name == "?duration") =>
            {
                let limit_expr = self.number(limit, scope);
                let mut reads_fluent = false;
                limit_expr.walk(&mut |part| reads_fluent |= matches!(part, Expr::Fluent(..)));
                if is_at_end && reads_fluent {
                    let cure = "write it without `at end`: the duration is then fixed when the action starts";
                    self.report(fault::unsupported(sexpr.span, "a duration that is only known at the end", cure));
                }
                let ticks = self.in_ticks(limit_expr);
                bounds.add(sign, ticks);
            }
            ("", _) if sexpr.list().is_some_and(<[_]>::is_empty) => {}
            _ => self.expected(sexpr, "`(= ?duration …)`, `(<= ?duration …)` or `(>= ?duration …)`"),
        }
    }

    /// Units of PDDL's time as whole ticks.
    pub(super) fn in_ticks(&self, units: Expr) -> Expr {
        match units {
            Expr::Value(Value::Number(units)) => Expr::int(number::ticks(units, self.options.ticks_per_unit)),
            units => {
                let ticks = match self.options.ticks_per_unit {
                    1 => units,
                    many => Expr::arithmetic(Operator::Multiply, units, Expr::int(many)),
                };
                Expr::Call(Function::RoundTicks, SmallVec::from_iter([Box::new(ticks)]))
            }
        }
    }
}

/// The bounds of a duration, in ticks.
#[derive(Default)]
struct Bounds {
    exact: Option<Expr>,
    least: Option<Expr>,
    most: Option<Expr>,
}

impl Bounds {
    /// Of several lower bounds the largest counts, of several upper ones the smallest.
    fn add(&mut self, sign: &str, limit: Expr) {
        let (slot, function) = match sign {
            "=" => (&mut self.exact, None),
            ">=" => (&mut self.least, Some(Function::Max)),
            _ => (&mut self.most, Some(Function::Min)),
        };
        *slot = Some(match (slot.take(), function) {
            (Some(Expr::Call(known, mut parts)), Some(function)) if known == function => {
                parts.push(Box::new(limit));
                Expr::Call(function, parts)
            }
            (Some(first), Some(function)) => {
                Expr::Call(function, SmallVec::from_iter([Box::new(first), Box::new(limit)]))
            }
            (_, _) => limit,
        });
    }
}

/// What is always true need not be said.
fn timed(time: ConditionTime, condition: Expr, place: Span) -> Vec<Timed> {
    match condition {
        Expr::Value(Value::Bool(true)) => Vec::new(),
        Expr::And(parts) if parts.is_empty() => Vec::new(),
        Expr::And(parts) => parts.into_iter().flat_map(|part| timed(time.clone(), part, place)).collect(),
        condition => vec![Timed { time, condition, place }],
    }
}

/// Whether an effect makes a fact false.
pub(super) fn is_delete(effect: &Effect) -> bool {
    effect.change == Change::Set(Expr::FALSE)
}
