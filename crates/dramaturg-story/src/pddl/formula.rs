//! Conditions.

use dramaturg_model::{Choices, Comparison, Expr, FluentId, Quantifier, Set, Span, Value};

use super::fault;
use super::reader::{Kind, Reader};
use super::scope::Scope;
use super::sexpr::Sexpr;

impl Reader {
    /// A condition. What cannot be read counts as true, so that the rest can be.
    pub(super) fn condition(&mut self, sexpr: &Sexpr, scope: &mut Scope) -> Expr {
        let Some(items) = sexpr.list() else {
            self.expected(sexpr, "a condition such as `(at ?x ?y)`");
            return Expr::TRUE;
        };
        let Some((head, args)) = items.split_first() else { return Expr::TRUE };
        let Some(name) = self.name(head, "a predicate, `and`, `or`, `not`, …") else { return Expr::TRUE };
        match name.as_str() {
            "and" => Expr::all(self.conditions(args, scope)),
            "or" => any(self.conditions(args, scope)),
            "not" => match self.count(sexpr, args, 1) {
                true => self.first_condition(args, scope).negate(),
                false => Expr::TRUE,
            },
            "imply" => match args {
                [cause, outcome] => {
                    let cause = self.condition(cause, scope).negate();
                    any([cause, self.condition(outcome, scope)])
                }
                _ => {
                    self.count(sexpr, args, 2);
                    Expr::TRUE
                }
            },
            "forall" => self.quantified(sexpr, Quantifier::All, args, scope),
            "exists" => self.quantified(sexpr, Quantifier::Any, args, scope),
            "=" => self.equality(sexpr, args, scope),
            "<" => self.comparison(sexpr, Comparison::Less, args, scope),
            "<=" => self.comparison(sexpr, Comparison::AtMost, args, scope),
            ">" => self.comparison(sexpr, Comparison::More, args, scope),
            ">=" => self.comparison(sexpr, Comparison::AtLeast, args, scope),
            "preference" => {
                let cure = "leave the preference out, or make it a goal; a story can `prefer`";
                self.report(fault::unsupported(sexpr.span, "a preference", cure));
                Expr::TRUE
            }
            _ => self.atom(sexpr, name, head.span, args, scope),
        }
    }

    fn conditions(&mut self, items: &[Sexpr], scope: &mut Scope) -> Vec<Expr> {
        items.iter().map(|item| self.condition(item, scope)).collect()
    }

    fn first_condition(&mut self, args: &[Sexpr], scope: &mut Scope) -> Expr {
        args.first().map_or(Expr::TRUE, |first| self.condition(first, scope))
    }

    /// Whether there are so many arguments; a fault if not.
    pub(super) fn count(&mut self, sexpr: &Sexpr, args: &[Sexpr], wanted: usize) -> bool {
        if args.len() != wanted {
            self.report(fault::wrong_count(sexpr.span, sexpr.head(), wanted, args.len(), Span::NONE));
        }
        args.len() == wanted
    }

    fn quantified(&mut self, sexpr: &Sexpr, quantifier: Quantifier, args: &[Sexpr], scope: &mut Scope) -> Expr {
        let [variables, body] = args else {
            self.count(sexpr, args, 2);
            return Expr::TRUE;
        };
        let outer = scope.len();
        let binders = self.binders(variables, scope);
        let body = self.condition(body, scope);
        scope.truncate(outer);
        if binders.is_empty() { body } else { Expr::Quantified(quantifier, binders, Box::new(body)) }
    }

    /// `=` compares objects or numbers.
    fn equality(&mut self, sexpr: &Sexpr, args: &[Sexpr], scope: &mut Scope) -> Expr {
        let [left, right] = args else {
            self.count(sexpr, args, 2);
            return Expr::TRUE;
        };
        if self.is_numeric(left) || self.is_numeric(right) {
            return self.comparison(sexpr, Comparison::Equal, args, scope);
        }
        let (left, right) = (self.term(left, None, scope), self.term(right, None, scope));
        match (left, right) {
            (Some((left, _)), Some((right, _))) => Expr::compare(Comparison::Equal, left, right),
            _ => Expr::TRUE,
        }
    }

    fn comparison(&mut self, sexpr: &Sexpr, sign: Comparison, args: &[Sexpr], scope: &mut Scope) -> Expr {
        let [left, right] = args else {
            self.count(sexpr, args, 2);
            return Expr::TRUE;
        };
        Expr::compare(sign, self.number(left, scope), self.number(right, scope))
    }

    /// A predicate with its arguments.
    fn atom(
        &mut self,
        sexpr: &Sexpr,
        name: &smol_str::SmolStr,
        place: Span,
        args: &[Sexpr],
        scope: &mut Scope,
    ) -> Expr {
        let Some(fluent) = self.fluent(Kind::Predicate, name, place) else { return Expr::TRUE };
        match self.arguments(sexpr, fluent, args, scope) {
            // Where a variable may be more than the fluent takes, it is false of the others; the evaluation says so itself.
            Some((args, _)) => Expr::Fluent(fluent, args),
            None => Expr::TRUE,
        }
    }

    /// The arguments of a fluent, and what must hold for them to be ones it takes.
    pub(super) fn arguments(
        &mut self,
        sexpr: &Sexpr,
        fluent: FluentId,
        args: &[Sexpr],
        scope: &Scope,
    ) -> Option<(Vec<Expr>, Vec<Expr>)> {
        let wanted = self.params_of(fluent).len();
        if args.len() != wanted {
            let fault = fault::wrong_count(sexpr.span, sexpr.head(), wanted, args.len(), self.fluent_place(fluent));
            self.report(fault);
            return None;
        }
        let mut terms = Vec::with_capacity(wanted);
        let mut guards = Vec::new();
        let mut is_good = true;
        for (position, arg) in args.iter().enumerate() {
            match self.term(arg, Some((fluent, position)), scope) {
                Some((term, guard)) => {
                    terms.push(term);
                    guards.extend(guard);
                }
                None => is_good = false,
            }
        }
        is_good.then_some((terms, guards))
    }

    /// A variable or object, fit for a parameter of a fluent; and what must hold to be so, if that is not certain.
    fn term(&mut self, arg: &Sexpr, wanted: Option<(FluentId, usize)>, scope: &Scope) -> Option<(Expr, Option<Expr>)> {
        let name = self.name(arg, "a variable or an object")?;
        let (term, choices) = match name.strip_prefix('?') {
            Some(variable) => match scope.find(variable) {
                Some((var, choices)) => (Expr::Var(var), choices.clone()),
                None => {
                    self.unknown_variable(variable, arg.span, scope);
                    return None;
                }
            },
            None => {
                let object = self.object(name, arg.span)?;
                let term = Expr::Value(Value::Object(object));
                if self.untyped.contains(&object) {
                    return Some((term, None));
                }
                (term, Choices::of_type(self.model.objects[object].ty))
            }
        };
        let Some((fluent, position)) = wanted else { return Some((term, None)) };
        let Some(wanted) = self.wanted(fluent, position) else { return Some((term, None)) };
        // No types at all: the declaration was faulty, and that was told.
        if wanted.types.is_empty() || self.types.is_subset(&choices, wanted) {
            return Some((term, None));
        }
        let may_meet = self.types.may_meet(&choices, wanted);
        let (shown, wanted_shown) = (self.choices_shown(&choices), self.choices_shown(wanted));
        let guard = Expr::In(Box::new(term.clone()), Set::Choices(wanted.clone()));
        let declared = self.fluent_place(fluent);
        // An object is of one type, so it cannot be sometimes this and sometimes that.
        if !may_meet || !matches!(term, Expr::Var(_)) {
            self.report(fault::wrong_type(arg.span, name, &shown, &wanted_shown, declared));
            return None;
        }
        self.report(fault::broad_type(arg.span, name, &shown, &wanted_shown, declared));
        Some((term, Some(guard)))
    }

    fn unknown_variable(&mut self, name: &str, span: Span, scope: &Scope) {
        let nearest = self.nearest(name, scope.names()).map(|name| format!("?{name}"));
        let cure = match name {
            "duration" => "only durative actions have a duration",
            _ => "declare it in `:parameters`, or bind it by `forall` or `exists`",
        };
        self.report(fault::unknown(span, "variable", &format!("?{name}"), nearest.as_deref(), cure));
    }
}

/// One of these; nested alternatives are flattened like [`Expr::all`] flattens what must hold together.
fn any(parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Expr::Or(inner) => flat.extend(inner),
            Expr::Value(Value::Bool(false)) => {}
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Expr::Or(flat) }
}
