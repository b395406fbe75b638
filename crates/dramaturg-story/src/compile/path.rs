//! Paths: `x`, `f(a, b)`, `x.location.opens`, the built-in names and functions.

use dramaturg_model::{ActuatorId, Diagnostic, Expr, FluentId, FluentRef, Function, Span, Value};

use super::lowering::{Attribute, Lowering};
use super::names::{Meaning, nearest};
use super::scope::Scope;
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree::{self, Path};

/// What a path leads to where an actuator or a fluent to be set is wanted.
pub(crate) enum Target {
    Fluent(FluentRef),
    Actuator(ActuatorId, Vec<Expr>),
}

impl Lowering {
    /// A path as a value.
    pub(crate) fn path(&mut self, scope: &mut Scope, path: &Path, expected: Option<&Ty>) -> (Expr, Ty) {
        let head_span = if path.attributes.is_empty() { path.span } else { path.name.span };
        let expected = if path.attributes.is_empty() { expected } else { None };
        let (mut expr, mut ty) = match &path.arguments {
            Some(arguments) => self.call(scope, &path.name, arguments, head_span),
            None => self.name(scope, &path.name, expected),
        };
        for attribute in &path.attributes {
            (expr, ty) = self.read_attribute(expr, &ty, attribute);
        }
        (expr, ty)
    }

    fn read_attribute(&mut self, owner: Expr, ty: &Ty, name: &tree::Ident) -> (Expr, Ty) {
        let choices = match ty {
            Ty::Unknown => return Self::nothing(),
            Ty::Choice(choices) => choices,
            other => {
                let found = other.describe_found(&self.model);
                self.report(diagnostics::unknown_attribute::not_an_object(name.span, &name.text, &found));
                return Self::nothing();
            }
        };
        if choices.types.is_empty() && choices.symbols.is_empty() {
            return Self::nothing();
        }
        match self.attribute(choices, name) {
            Some(Attribute::Fluent(fluent)) => {
                let ty = Ty::of_domain(&self.model.fluents[fluent].domain);
                (Expr::Fluent(fluent, vec![owner]), ty)
            }
            Some(Attribute::Actuator(actuator)) => {
                let place = self.model.actuators[actuator].place;
                self.report(diagnostics::wrong_type::declared(name.span, "a value", "an actuator", place));
                Self::nothing()
            }
            None => Self::nothing(),
        }
    }

    /// A bare name.
    fn name(&mut self, scope: &mut Scope, name: &tree::Ident, expected: Option<&Ty>) -> (Expr, Ty) {
        if let Some((var, choices)) = scope.using(&name.text) {
            return (Expr::Var(var), Ty::of_choices(&choices));
        }
        if let Some(declared) = self.names.find(&name.text, scope.level) {
            // Where a value of that name is meant, the clash of the two was reported at the value's declaration.
            if let Some(value) = self.symbol_value(&name.text, expected) {
                return value;
            }
            return match declared.meaning {
                Meaning::Object(object) => {
                    (Expr::Value(Value::Object(object)), Ty::object(self.model.objects[object].ty))
                }
                Meaning::Fluent(fluent) => self.fluent_call(scope, fluent, &[], name, name.span),
                other => {
                    let report = diagnostics::wrong_type::declared(name.span, "a value", other.kind(), declared.span);
                    self.report(with_done_hint(report, other, &name.text, ""));
                    Self::nothing()
                }
            };
        }
        match name.text.as_str() {
            "now" => return (Expr::Now, Ty::Duration),
            "timeOfDay" => return (Expr::TimeOfDay, Ty::Duration),
            "dayNumber" => return (Expr::DayNumber, Ty::Int),
            _ => {}
        }
        if let Some(value) = self.symbol_value(&name.text, expected) {
            return value;
        }
        // Whatever made the expected type unknown was reported; this name may be fine.
        if expected != Some(&Ty::Unknown) {
            self.report_unknown_value(scope, name, expected);
        }
        Self::nothing()
    }

    /// The name as one of the values that are expected.
    fn symbol_value(&self, name: &str, expected: Option<&Ty>) -> Option<(Expr, Ty)> {
        let Some(Ty::Choice(choices)) = expected else { return None };
        let symbol = *self.symbols.get(name)?;
        choices.symbols.contains(&symbol).then(|| (Expr::Value(Value::Symbol(symbol)), Ty::symbol(symbol)))
    }

    fn report_unknown_value(&mut self, scope: &Scope, name: &tree::Ident, expected: Option<&Ty>) {
        if name.text.is_empty() || self.missing.contains(&name.text) {
            return;
        }
        if scope.in_slot {
            self.report_bad_slot(scope, name);
            return;
        }
        // What is near must also fit: parameters, values and names of the type that is wanted.
        let fits = |ty: &Ty| expected.is_none_or(|wanted| wanted.can_meet(ty, &self.model));
        let mut known: Vec<&str> = scope
            .variables
            .iter()
            .filter(|variable| fits(&Ty::of_choices(&variable.choices)))
            .map(|variable| variable.name.as_str())
            .collect();
        if let Some(Ty::Choice(choices)) = expected {
            known.extend(choices.symbols.iter().map(|symbol| self.model.symbols[*symbol].as_str()));
        }
        known.extend(self.names.known(scope.level, |meaning| match meaning {
            Meaning::Object(object) => fits(&Ty::object(self.model.objects[object].ty)),
            Meaning::Fluent(fluent) => fits(&Ty::of_domain(&self.model.fluents[fluent].domain)),
            _ => false,
        }));
        let near = nearest(&name.text, known.into_iter()).map(str::to_owned);
        let wanted = expected.map_or("a value".to_owned(), |ty| ty.describe_found(&self.model));
        self.unknown(name, &wanted, near.as_deref());
    }

    /// A name in a slot that means nothing.
    fn report_bad_slot(&mut self, scope: &Scope, name: &tree::Ident) {
        let known: Vec<&str> = scope.variables.iter().map(|variable| variable.name.as_str()).collect();
        let near = nearest(&name.text, known.iter().copied()).map(str::to_owned);
        let near = near.or_else(|| self.names.nearest(&name.text, scope.level, is_value));
        let known: Vec<String> = known.iter().map(|name| format!("`{{{name}}}`")).collect();
        self.report(diagnostics::bad_slot::diagnostic(name.span, &name.text, &known, near.as_deref()));
    }

    /// `name(arguments)`: a fluent or a function.
    fn call(&mut self, scope: &mut Scope, name: &tree::Ident, arguments: &[tree::Expr], span: Span) -> (Expr, Ty) {
        match self.names.find(&name.text, scope.level) {
            Some(declared) => match declared.meaning {
                Meaning::Fluent(fluent) => return self.fluent_call(scope, fluent, arguments, name, span),
                other => {
                    let report = diagnostics::wrong_type::declared(name.span, "a fluent", other.kind(), declared.span);
                    self.report(with_done_hint(report, other, &name.text, "(…)"));
                }
            },
            None => match function(&name.text) {
                Some((function, count)) => return self.function_call(scope, function, count, name, arguments, span),
                None if scope.in_slot => self.report_bad_slot(scope, name),
                None => {
                    let mut known = self.names.known(scope.level, |meaning| matches!(meaning, Meaning::Fluent(_)));
                    known.extend(FUNCTIONS.iter().map(|(name, _, _)| *name));
                    let near = nearest(&name.text, known.into_iter()).map(str::to_owned);
                    self.unknown(name, "a fluent", near.as_deref());
                }
            },
        }
        for argument in arguments {
            self.expr(scope, argument, None);
        }
        Self::nothing()
    }

    fn function_call(
        &mut self,
        scope: &mut Scope,
        function: Function,
        count: Option<usize>,
        name: &tree::Ident,
        arguments: &[tree::Expr],
        span: Span,
    ) -> (Expr, Ty) {
        let wanted = count.unwrap_or(arguments.len().max(1));
        if arguments.len() != wanted {
            self.report(diagnostics::wrong_count::diagnostic(span, &name.text, wanted, arguments.len(), Span::NONE));
            return Self::nothing();
        }
        let mut exprs = Vec::new();
        let mut result: Option<Ty> = None;
        for argument in arguments {
            let (expr, ty) = self.expr(scope, argument, None);
            match (&result, &ty) {
                (_, Ty::Unknown) => return Self::nothing(),
                (None, ty) if ty.is_numeric() => result = Some(ty.clone()),
                (Some(first), ty) if first == ty => {}
                (Some(first), ty) if first.is_plain_number() && ty.is_plain_number() => result = Some(Ty::Number),
                (first, ty) => {
                    let wanted = first.clone().unwrap_or(Ty::Number);
                    self.fit(argument.span, ty, &wanted, name.span);
                    return Self::nothing();
                }
            }
            exprs.push(Box::new(expr));
        }
        let ty = match (function, result.unwrap_or(Ty::Number)) {
            (Function::Floor, Ty::Number | Ty::Int) => Ty::Int,
            (Function::Hypot, Ty::Int) => Ty::Number,
            (_, ty) => ty,
        };
        (Expr::Call(function, exprs.into_iter().collect()), ty)
    }

    /// A fluent with its arguments.
    pub(crate) fn fluent_call(
        &mut self,
        scope: &mut Scope,
        fluent: FluentId,
        arguments: &[tree::Expr],
        name: &tree::Ident,
        span: Span,
    ) -> (Expr, Ty) {
        let declared = &self.model.fluents[fluent];
        let (params, place) = (declared.params.clone(), declared.place);
        let ty = Ty::of_domain(&declared.domain);
        let args = self.arguments(scope, &name.text, &params, arguments, span, place);
        match args {
            Some(args) => (Expr::Fluent(fluent, args), ty),
            None => (Expr::Value(Value::Nothing), Ty::Unknown),
        }
    }

    /// Arguments for parameters; none after a wrong count.
    pub(crate) fn arguments(
        &mut self,
        scope: &mut Scope,
        name: &str,
        params: &[dramaturg_model::Param],
        arguments: &[tree::Expr],
        span: Span,
        declared: Span,
    ) -> Option<Vec<Expr>> {
        if params.len() != arguments.len() {
            for argument in arguments {
                self.expr(scope, argument, None);
            }
            let report = diagnostics::wrong_count::diagnostic(span, name, params.len(), arguments.len(), declared);
            self.report(report);
            return None;
        }
        let args = params
            .iter()
            .zip(arguments)
            .map(|(param, argument)| self.typed(scope, argument, &Ty::of_choices(&param.choices), declared));
        Some(args.collect())
    }

    /// A path that is to be set or held.
    pub(crate) fn target(&mut self, scope: &mut Scope, path: &Path) -> Option<Target> {
        let Some((last, owners)) = path.attributes.split_last() else {
            return self.plain_target(scope, path);
        };
        let owner = Path {
            name: path.name.clone(),
            arguments: path.arguments.clone(),
            attributes: owners.to_vec(),
            span: owners.last().map_or(path.name.span, |owner| path.name.span.to(owner.span)),
        };
        let (expr, ty) = self.path(scope, &owner, None);
        let choices = match ty {
            Ty::Unknown => return None,
            Ty::Choice(choices) => choices,
            other => {
                let found = other.describe_found(&self.model);
                self.report(diagnostics::unknown_attribute::not_an_object(last.span, &last.text, &found));
                return None;
            }
        };
        match self.attribute(&choices, last)? {
            Attribute::Fluent(fluent) => Some(Target::Fluent(FluentRef { fluent, args: vec![expr] })),
            Attribute::Actuator(actuator) => Some(Target::Actuator(actuator, vec![expr])),
        }
    }

    fn plain_target(&mut self, scope: &mut Scope, path: &Path) -> Option<Target> {
        let arguments = path.arguments.as_deref().unwrap_or(&[]);
        if scope.using(&path.name.text).is_some() {
            let span = path.name.span;
            self.report(diagnostics::wrong_type::diagnostic(span, "a fluent", "a parameter", Span::NONE));
            return None;
        }
        let accept = |meaning| matches!(meaning, Meaning::Fluent(_) | Meaning::Actuator(_));
        match self.meaning(&path.name, scope.level, "a fluent", accept)?.meaning {
            Meaning::Fluent(fluent) => {
                let (expr, _) = self.fluent_call(scope, fluent, arguments, &path.name, path.span);
                match expr {
                    Expr::Fluent(fluent, args) => Some(Target::Fluent(FluentRef { fluent, args })),
                    _ => None,
                }
            }
            Meaning::Actuator(actuator) => {
                let declared = &self.model.actuators[actuator];
                let (params, place) = (declared.params.clone(), declared.place);
                let args = self.arguments(scope, &path.name.text, &params, arguments, path.span, place)?;
                Some(Target::Actuator(actuator, args))
            }
            _ => None,
        }
    }

    /// A path that must be a fluent that is stored, to be set or observed.
    pub(crate) fn settable(&mut self, scope: &mut Scope, path: &Path) -> Option<FluentRef> {
        match self.target(scope, path)? {
            Target::Fluent(reference) => {
                let fluent = &self.model.fluents[reference.fluent];
                if matches!(fluent.source, dramaturg_model::FluentSource::Means(_)) {
                    let report = diagnostics::derived_set::diagnostic(path.span, &fluent.name, fluent.place);
                    self.report(report);
                    return None;
                }
                Some(reference)
            }
            Target::Actuator(actuator, _) => {
                let place = self.model.actuators[actuator].place;
                self.report(diagnostics::wrong_type::declared(path.span, "a fluent", "an actuator", place));
                None
            }
        }
    }
}

fn is_value(meaning: Meaning) -> bool {
    matches!(meaning, Meaning::Object(_) | Meaning::Fluent(_))
}

/// The functions of numbers, with how many arguments they take.
const FUNCTIONS: [(&str, Function, Option<usize>); 5] = [
    ("floor", Function::Floor, Some(1)),
    ("abs", Function::Abs, Some(1)),
    ("min", Function::Min, None),
    ("max", Function::Max, None),
    ("hypot", Function::Hypot, Some(2)),
];

pub(crate) fn function(name: &str) -> Option<(Function, Option<usize>)> {
    FUNCTIONS.iter().find(|(known, _, _)| *known == name).map(|(_, function, count)| (*function, *count))
}

/// Whether it is the name of a built-in value.
pub(crate) fn is_built_in(name: &str) -> bool {
    matches!(name, "now" | "timeOfDay" | "dayNumber")
}

/// Something that happens stands where a value must: what was meant is whether it has happened.
fn with_done_hint(report: Diagnostic, found: Meaning, name: &str, arguments: &str) -> Diagnostic {
    if matches!(found, Meaning::Action(_) | Meaning::Task(_) | Meaning::Rule(_)) {
        return report.hint(format!("to ask whether it has happened, write `done {name}{arguments}`"));
    }
    report
}
