//! Expressions: names looked up, types checked, constants folded.

use dramaturg_model::{Binder, Choices, Comparison, Expr, Function, Operator, Param, Quantifier, Set, Span, Value};

use super::lowering::{Deferred, Lowering};
use super::scope::Scope;
use super::ty::{Ty, choices_meet};
use crate::diagnostics;
use crate::syntax::tree::{self, ExprKind};

impl Lowering {
    /// A condition.
    pub(crate) fn condition(&mut self, scope: &mut Scope, written: &tree::Expr) -> Expr {
        self.typed(scope, written, &Ty::Bool, Span::NONE)
    }

    /// A time in ticks.
    pub(crate) fn duration_expr(&mut self, scope: &mut Scope, written: &tree::Expr) -> Expr {
        self.typed(scope, written, &Ty::Duration, Span::NONE)
    }

    /// A plain number.
    pub(crate) fn number_expr(&mut self, scope: &mut Scope, written: &tree::Expr) -> Expr {
        self.typed(scope, written, &Ty::Number, Span::NONE)
    }

    /// An expression that must have a type.
    pub(crate) fn typed(&mut self, scope: &mut Scope, written: &tree::Expr, wanted: &Ty, because: Span) -> Expr {
        let (expr, found) = self.expr(scope, written, Some(wanted));
        self.fit(written.span, &found, wanted, because);
        expr
    }

    /// Reports a value that does not fit where it stands.
    pub(crate) fn fit(&mut self, span: Span, found: &Ty, wanted: &Ty, because: Span) {
        let fits = match (wanted, found) {
            (_, Ty::Unknown) | (Ty::Unknown, _) => true,
            (Ty::Number, Ty::Int) => true,
            (Ty::Choice(wanted), Ty::Choice(found)) => choices_meet(&self.model, wanted, found),
            (wanted, found) => wanted == found,
        };
        if fits {
            return;
        }
        let (wanted_text, found_text) = (wanted.describe(&self.model), found.describe_found(&self.model));
        let mut report = diagnostics::wrong_type::diagnostic(span, &wanted_text, &found_text, because);
        if *wanted == Ty::Duration && found.is_plain_number() {
            report = report.hint("say the unit: `ticks`, `ms`, `s`, `min`, `h` or `days`");
        } else if *wanted == Ty::Int && *found == Ty::Number {
            report = report.hint("whole numbers hold no fractions; use `floor(…)`");
        } else if *wanted == Ty::Bool && because == Span::NONE {
            report = report.hint("compare it with something");
        }
        self.report(report);
    }

    /// An expression and its type. `expected` helps to find names that are values.
    pub(crate) fn expr(&mut self, scope: &mut Scope, written: &tree::Expr, expected: Option<&Ty>) -> (Expr, Ty) {
        match &written.kind {
            ExprKind::Missing => Self::nothing(),
            ExprKind::Number(number) => self.number(*number),
            ExprKind::Bool(value) => (Expr::Value(Value::Bool(*value)), Ty::Bool),
            ExprKind::Wildcard => {
                self.report(diagnostics::unknown_name::wildcard(written.span));
                Self::nothing()
            }
            ExprKind::Group(inner) => self.expr(scope, inner, expected),
            ExprKind::And(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|part| self.condition(scope, part)).collect();
                (Expr::And(parts), Ty::Bool)
            }
            ExprKind::Or(parts) => {
                let parts: Vec<Expr> = parts.iter().map(|part| self.condition(scope, part)).collect();
                (Expr::Or(parts), Ty::Bool)
            }
            ExprKind::Not(inner) => (self.condition(scope, inner).negate(), Ty::Bool),
            ExprKind::Compare(sign, left, right) => self.comparison(scope, written.span, *sign, left, right),
            ExprKind::In(value, set) => self.membership(scope, value, set),
            ExprKind::Arithmetic(sign, left, right) => self.arithmetic(scope, written.span, *sign, left, right),
            ExprKind::Negate(inner) => self.negation(scope, inner),
            ExprKind::Any(binders, inner) => self.quantified(scope, Quantifier::Any, binders, inner),
            ExprKind::All(binders, inner) => self.quantified(scope, Quantifier::All, binders, inner),
            ExprKind::Done(event) => (self.done(scope, event), Ty::Bool),
            ExprKind::Path(path) => self.path(scope, path, expected),
        }
    }

    fn number(&mut self, number: tree::Number) -> (Expr, Ty) {
        match number.unit {
            None if number.value.is_int() => (Expr::number(number.value), Ty::Int),
            None | Some(tree::Unit::Percent) => (Expr::number(number.value), Ty::Number),
            Some(_) => match self.duration(number) {
                Some(ticks) => (Expr::int(ticks), Ty::Duration),
                None => (Expr::Value(Value::Nothing), Ty::Unknown),
            },
        }
    }

    /// Whether it is a bare name that only the other side can explain.
    fn needs_help(&self, scope: &Scope, written: &tree::Expr) -> bool {
        match &written.kind {
            ExprKind::Group(inner) => self.needs_help(scope, inner),
            ExprKind::Path(path) => {
                path.arguments.is_none()
                    && path.attributes.is_empty()
                    && scope.find(&path.name.text).is_none()
                    && self.names.find(&path.name.text, scope.level).is_none()
            }
            _ => false,
        }
    }

    fn comparison(
        &mut self,
        scope: &mut Scope,
        span: Span,
        sign: tree::Comparison,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> (Expr, Ty) {
        let (left_expr, left_ty, right_expr, right_ty) = if self.needs_help(scope, left) {
            let (right_expr, right_ty) = self.expr(scope, right, None);
            let (left_expr, left_ty) = self.expr(scope, left, Some(&right_ty));
            (left_expr, left_ty, right_expr, right_ty)
        } else {
            let (left_expr, left_ty) = self.expr(scope, left, None);
            let (right_expr, right_ty) = self.expr(scope, right, Some(&left_ty));
            (left_expr, left_ty, right_expr, right_ty)
        };
        let sign = match sign {
            tree::Comparison::Equal => Comparison::Equal,
            tree::Comparison::NotEqual => Comparison::NotEqual,
            tree::Comparison::Less => Comparison::Less,
            tree::Comparison::AtMost => Comparison::AtMost,
            tree::Comparison::More => Comparison::More,
            tree::Comparison::AtLeast => Comparison::AtLeast,
        };
        let order = !matches!(sign, Comparison::Equal | Comparison::NotEqual);
        if order {
            for (side, ty) in [(left, &left_ty), (right, &right_ty)] {
                if !ty.is_numeric() && *ty != Ty::Unknown {
                    self.fit(side.span, ty, &Ty::Number, Span::NONE);
                    return (Expr::FALSE, Ty::Bool);
                }
            }
        }
        if !left_ty.can_meet(&right_ty, &self.model) {
            let (left_text, right_text) = (left_ty.describe_found(&self.model), right_ty.describe_found(&self.model));
            let mut report = if order {
                diagnostics::wrong_type::never_ordered(span, &left_text, &right_text)
            } else {
                diagnostics::wrong_type::never_equal(span, &left_text, &right_text)
            };
            let mixes = |a: &Ty, b: &Ty| *a == Ty::Duration && b.is_plain_number();
            if mixes(&left_ty, &right_ty) || mixes(&right_ty, &left_ty) {
                report = report.hint("say the unit: `ticks`, `ms`, `s`, `min`, `h` or `days`");
            }
            self.report(report);
        }
        (Expr::compare(sign, left_expr, right_expr), Ty::Bool)
    }

    fn membership(&mut self, scope: &mut Scope, value: &tree::Expr, set: &tree::Set) -> (Expr, Ty) {
        let (expr, ty) = self.expr(scope, value, None);
        let set = self.set(scope, set, &ty, value.span);
        (Expr::In(Box::new(expr), set), Ty::Bool)
    }

    /// A set whose members must be able to meet a type.
    pub(crate) fn set(&mut self, scope: &mut Scope, set: &tree::Set, wanted: &Ty, because: Span) -> Set {
        match set {
            tree::Set::Among(values, _) => Set::Among(
                values
                    .iter()
                    .map(|value| {
                        let (expr, found) = self.expr(scope, value, Some(wanted));
                        if !wanted.can_meet(&found, &self.model) {
                            self.fit(value.span, &found, wanted, because);
                        }
                        expr
                    })
                    .collect(),
            ),
            tree::Set::Types(types) => {
                let choices = self.types_named(types);
                let found = Ty::Choice(choices.clone());
                if let Some(first) = types.first()
                    && !choices.types.is_empty()
                    && !wanted.can_meet(&found, &self.model)
                {
                    self.fit(first.span, &found, wanted, because);
                }
                Set::Choices(choices)
            }
            tree::Set::Range(least, most) => {
                let wanted = if *wanted == Ty::Int { &Ty::Number } else { wanted };
                if !wanted.is_numeric() && *wanted != Ty::Unknown {
                    self.fit(because, wanted, &Ty::Number, least.span);
                    return Set::Among(Vec::new());
                }
                let least = self.typed(scope, least, wanted, because);
                let most = self.typed(scope, most, wanted, because);
                Set::Range(Box::new(least), Box::new(most))
            }
        }
    }

    fn arithmetic(
        &mut self,
        scope: &mut Scope,
        span: Span,
        sign: tree::Operator,
        left: &tree::Expr,
        right: &tree::Expr,
    ) -> (Expr, Ty) {
        let (left_expr, left_ty) = self.expr(scope, left, None);
        let (right_expr, right_ty) = self.expr(scope, right, None);
        for (side, ty) in [(left, &left_ty), (right, &right_ty)] {
            if !ty.is_numeric() && *ty != Ty::Unknown {
                self.fit(side.span, ty, &Ty::Number, Span::NONE);
                return Self::nothing();
            }
        }
        if left_ty == Ty::Unknown || right_ty == Ty::Unknown {
            return Self::nothing();
        }
        let durations = (left_ty == Ty::Duration, right_ty == Ty::Duration);
        let whole = left_ty == Ty::Int && right_ty == Ty::Int;
        let plain = if whole { Ty::Int } else { Ty::Number };
        let (sign, ty) = match (sign, durations) {
            (tree::Operator::Add, (true, true)) => (Operator::Add, Ty::Duration),
            (tree::Operator::Subtract, (true, true)) => (Operator::Subtract, Ty::Duration),
            (tree::Operator::Modulo, (true, true)) => (Operator::Modulo, Ty::Duration),
            (tree::Operator::Divide, (true, true)) => (Operator::Divide, Ty::Number),
            (tree::Operator::Multiply, (true, false) | (false, true)) => (Operator::Multiply, Ty::Duration),
            (tree::Operator::Divide, (true, false)) => (Operator::Divide, Ty::Duration),
            (tree::Operator::Add, (false, false)) => (Operator::Add, plain),
            (tree::Operator::Subtract, (false, false)) => (Operator::Subtract, plain),
            (tree::Operator::Multiply, (false, false)) => (Operator::Multiply, plain),
            (tree::Operator::Modulo, (false, false)) => (Operator::Modulo, plain),
            (tree::Operator::Divide, (false, false)) => (Operator::Divide, Ty::Number),
            (sign, (true, false)) => {
                debug_assert!(matches!(sign, tree::Operator::Add | tree::Operator::Subtract | tree::Operator::Modulo));
                self.fit(right.span, &right_ty, &Ty::Duration, left.span);
                return Self::nothing();
            }
            (tree::Operator::Divide | tree::Operator::Multiply, _) => {
                self.fit(right.span, &right_ty, &Ty::Number, left.span);
                return Self::nothing();
            }
            (_, _) => {
                self.fit(left.span, &left_ty, &Ty::Duration, right.span);
                return Self::nothing();
            }
        };
        self.watch_linearity(span, right.span, sign, &left_expr, &right_expr);
        let rounds = ty == Ty::Duration && matches!(sign, Operator::Multiply | Operator::Divide);
        let expr = fold(Expr::arithmetic(sign, left_expr, right_expr));
        (if rounds { round_ticks(expr) } else { expr }, ty)
    }

    fn watch_linearity(&mut self, span: Span, right_span: Span, sign: Operator, left: &Expr, right: &Expr) {
        match sign {
            Operator::Multiply if !is_constant(left) && !is_constant(right) => {
                let (left, right) = (left.clone(), right.clone());
                self.deferred.push(Deferred::Product { span, left, right });
            }
            Operator::Divide | Operator::Modulo => {
                let exact = sign == Operator::Divide;
                self.deferred.push(Deferred::Divisor { span: right_span, divisor: right.clone(), exact });
            }
            _ => {}
        }
    }

    fn negation(&mut self, scope: &mut Scope, inner: &tree::Expr) -> (Expr, Ty) {
        let (expr, ty) = self.expr(scope, inner, None);
        if !ty.is_numeric() && ty != Ty::Unknown {
            self.fit(inner.span, &ty, &Ty::Number, Span::NONE);
            return Self::nothing();
        }
        (fold(Expr::arithmetic(Operator::Subtract, Expr::int(0), expr)), ty)
    }

    fn quantified(
        &mut self,
        scope: &mut Scope,
        quantifier: Quantifier,
        binders: &[tree::Binder],
        inner: &tree::Expr,
    ) -> (Expr, Ty) {
        let depth = scope.variables.len();
        let binders = self.binders(scope, binders);
        let inner = self.condition(scope, inner);
        self.report_unused(scope, depth);
        scope.truncate(depth);
        (Expr::Quantified(quantifier, binders, Box::new(inner)), Ty::Bool)
    }

    /// Binds binders; the caller truncates the scope afterwards.
    pub(crate) fn binders(&mut self, scope: &mut Scope, binders: &[tree::Binder]) -> Vec<Binder> {
        binders
            .iter()
            .map(|binder| {
                let (choices, among) = match &binder.range {
                    tree::BinderRange::Types(types) => (self.types_named(types), None),
                    tree::BinderRange::Among(values) => self.among(scope, values),
                };
                self.bind(scope, &binder.name, choices.clone());
                Binder { param: Param { name: binder.name.text.clone(), choices }, among }
            })
            .collect()
    }

    /// `in (a, b)`: the types of all values together, and the values.
    fn among(&mut self, scope: &mut Scope, values: &[tree::Expr]) -> (Choices, Option<Vec<Expr>>) {
        let mut choices = Choices::default();
        let mut exprs = Vec::new();
        for value in values {
            let (expr, ty) = self.expr(scope, value, None);
            match ty {
                Ty::Choice(found) => {
                    for ty in found.types {
                        if !choices.types.contains(&ty) {
                            choices.types.push(ty);
                        }
                    }
                    for symbol in found.symbols {
                        if !choices.symbols.contains(&symbol) {
                            choices.symbols.push(symbol);
                        }
                    }
                }
                Ty::Unknown => {}
                other => {
                    let found = other.describe(&self.model);
                    self.report(diagnostics::wrong_type::diagnostic(value.span, "an object", &found, Span::NONE));
                }
            }
            exprs.push(expr);
        }
        (choices, Some(exprs))
    }

    /// Hints at variables from `depth` on that nothing used.
    pub(crate) fn report_unused(&mut self, scope: &Scope, depth: usize) {
        for variable in scope.variables.iter().skip(depth).filter(|variable| !variable.used) {
            let report = diagnostics::unused_parameter::diagnostic(variable.span, &variable.name, variable.removal);
            self.diagnostics.push(report);
        }
    }
}

/// Whether it is a plain value.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(_))
}

/// Computes what consists of plain numbers.
pub(crate) fn fold(expr: Expr) -> Expr {
    if let Expr::Arithmetic(sign, left, right) = &expr
        && let (Expr::Value(Value::Number(left)), Expr::Value(Value::Number(right))) = (&**left, &**right)
    {
        return Expr::number(sign.apply(*left, *right));
    }
    expr
}

/// A duration in whole ticks.
pub(crate) fn round_ticks(expr: Expr) -> Expr {
    match expr {
        Expr::Value(Value::Number(number)) => Expr::int(number.round_half_up()),
        other => Expr::Call(Function::RoundTicks, [Box::new(other)].into_iter().collect()),
    }
}
