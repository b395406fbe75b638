//! Effects, contributions and what is given.

use dramaturg_model::{
    Amount, Change, Contribution, Domain, Effect, Expr, Fixed, FluentRef, Initial, LevelId, Moment, Operator, PoolId,
    Set, Span, Value,
};

use super::expr::fold;
use super::lowering::Lowering;
use super::scope::Scope;
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree::{self, ChangeKind};

/// Where a list of effects stands.
#[derive(Clone)]
pub(crate) struct EffectPlace {
    /// When its effects come unless `at` says otherwise.
    pub(crate) moment: Moment,
    /// The pool whose anchored attributes may be set here.
    pub(crate) pool: Option<PoolId>,
}

impl EffectPlace {
    pub(crate) const END: Self = Self { moment: Moment::End, pool: None };
}

impl Lowering {
    /// A list of effects at a moment.
    pub(crate) fn effects(&mut self, scope: &mut Scope, written: &tree::Effects, at: &EffectPlace) -> Vec<Effect> {
        let moment = match &written.anchor {
            Some(anchor) => self.moment(scope, anchor),
            None => at.moment.clone(),
        };
        let depth = scope.variables.len();
        let binders = self.binders(scope, &written.binders);
        let condition = written.condition.as_ref().map(|condition| self.condition(scope, condition));
        let mut effects = Vec::new();
        for effect in &written.effects {
            let Some((target, change)) = self.change(scope, effect) else { continue };
            self.check_anchored(&target, effect.target.span, at.pool);
            effects.push(Effect {
                moment: moment.clone(),
                binders: binders.clone(),
                condition: condition.clone(),
                target,
                change,
                place: effect.span,
            });
        }
        self.report_unused(scope, depth);
        scope.truncate(depth);
        effects
    }

    /// What is anchored may be set by its own pool only; other objects of the type are free.
    fn check_anchored(&mut self, target: &FluentRef, span: Span, pool: Option<PoolId>) {
        let Some((owner, place)) = self.anchored_by.get(&target.fluent).copied() else { return };
        let free = match target.args.first() {
            Some(Expr::Value(Value::Object(object))) => !self.model.pools[owner].objects.contains(object),
            _ => false,
        };
        if Some(owner) != pool && !free {
            let name = self.model.fluents[target.fluent].name.clone();
            self.report(diagnostics::anchored_elsewhere::diagnostic(span, &name, place));
        }
    }

    /// One effect: what changes, and how.
    fn change(&mut self, scope: &mut Scope, effect: &tree::Effect) -> Option<(FluentRef, Change)> {
        let target = self.settable(scope, &effect.target)?;
        let domain = self.model.fluents[target.fluent].domain.clone();
        let place = self.model.fluents[target.fluent].place;
        let change = match &effect.change {
            ChangeKind::Yes | ChangeKind::No => {
                if domain != Domain::Bool {
                    let ty = Ty::of_domain(&domain);
                    let found = ty.describe(&self.model);
                    let report = diagnostics::wrong_type::declared(effect.span, "yes or no", &found, place);
                    if ty != Ty::Unknown {
                        self.report(report.hint("say what it becomes: `= …`, `+= …` or `-= …`"));
                    }
                    return None;
                }
                Change::Set(Expr::Value(Value::Bool(effect.change == ChangeKind::Yes)))
            }
            ChangeKind::Set(tree::Amount::Random(set)) => {
                let wanted = match Ty::of_domain(&domain) {
                    Ty::Int => Ty::Number,
                    other => other,
                };
                let drawn = self.set(scope, set, &wanted, effect.target.span);
                self.check_drawn(set, &drawn, &domain, place);
                Change::Random(drawn)
            }
            ChangeKind::Set(tree::Amount::Expr(value, per)) => {
                self.refuse_rate(per.as_ref());
                let expr = self.assigned(scope, value, &domain, place);
                if domain == Domain::Bool
                    && let Expr::Value(Value::Bool(yes)) = expr
                {
                    let path = self.written(effect.target.span);
                    let short = if yes { path } else { format!("not {path}") };
                    self.report(diagnostics::plain_yes::diagnostic(effect.span, &short));
                }
                Change::Set(expr)
            }
            ChangeKind::Add(amount) | ChangeKind::Subtract(amount) => {
                let expr = self.added(scope, amount, &domain, effect.span, place)?;
                if let tree::Amount::Expr(_, per) = amount {
                    self.refuse_rate(per.as_ref());
                }
                let subtract = matches!(effect.change, ChangeKind::Subtract(_));
                Change::Add(if subtract { negated(expr) } else { expr })
            }
        };
        Some((target, change))
    }

    /// Numbers to draw from must lie in the range, too.
    fn check_drawn(&mut self, written: &tree::Set, drawn: &Set, domain: &Domain, declared: Span) {
        let (Domain::Number(range) | Domain::Int(range)) = domain else { return };
        let pairs: Vec<(Span, &Expr)> = match (written, drawn) {
            (tree::Set::Among(written, _), Set::Among(values)) => {
                written.iter().map(|value| value.span).zip(values).collect()
            }
            (tree::Set::Range(least, most), Set::Range(from, to)) => vec![(least.span, from), (most.span, to)],
            _ => return,
        };
        for (span, value) in pairs {
            if let Expr::Value(Value::Number(number)) = value
                && !range.contains(*number)
            {
                let text = range_text(range);
                self.report(diagnostics::out_of_range::diagnostic(span, &number.to_string(), &text, declared));
            }
        }
    }

    fn refuse_rate(&mut self, per: Option<&tree::Ident>) {
        if let Some(per) = per {
            let report = diagnostics::wrong_type::diagnostic(per.span, "a change at once", "a rate", Span::NONE);
            self.report(report.hint("rates belong to `during`"));
        }
    }

    /// The right side of `=`: of the fluent's type and, where it is a literal, inside its range.
    pub(crate) fn assigned(&mut self, scope: &mut Scope, value: &tree::Expr, domain: &Domain, declared: Span) -> Expr {
        let expr = self.typed(scope, value, &Ty::of_domain(domain), declared);
        if let (Expr::Value(Value::Number(number)), Domain::Number(range) | Domain::Int(range)) = (&expr, domain)
            && !range.contains(*number)
        {
            let text = range_text(range);
            self.report(diagnostics::out_of_range::diagnostic(value.span, &number.to_string(), &text, declared));
        }
        expr
    }

    /// The right side of `+=` and `-=`.
    fn added(
        &mut self,
        scope: &mut Scope,
        amount: &tree::Amount,
        domain: &Domain,
        span: Span,
        declared: Span,
    ) -> Option<Expr> {
        if !domain.is_numeric() {
            let ty = Ty::of_domain(domain);
            let report = diagnostics::wrong_type::declared(span, "a number", &ty.describe(&self.model), declared);
            if ty != Ty::Unknown {
                self.report(report.hint("only numbers and durations can be added to"));
            }
            return None;
        }
        match amount {
            tree::Amount::Random(_) => {
                let report = diagnostics::wrong_type::diagnostic(span, "a number", "a random choice", declared);
                self.report(report.hint("write `= random …`"));
                None
            }
            tree::Amount::Expr(value, _) => Some(self.typed(scope, value, &Ty::of_domain(domain), declared)),
        }
    }

    /// A `during` list: contributions spread over the duration.
    pub(crate) fn contributions(
        &mut self,
        scope: &mut Scope,
        written: &tree::Effects,
        contingent: Option<Span>,
        endless: bool,
    ) -> Vec<Contribution> {
        if let Some(tree::Anchor::Start(span) | tree::Anchor::End(span)) = &written.anchor {
            let report =
                diagnostics::wrong_type::diagnostic(*span, "a change over the whole time", "a moment", Span::NONE);
            self.report(report.hint("leave `at` out, or use `then`"));
        }
        let depth = scope.variables.len();
        let binders = self.binders(scope, &written.binders);
        let condition = written.condition.as_ref().map(|condition| self.condition(scope, condition));
        let mut contributions = Vec::new();
        for effect in &written.effects {
            let Some(target) = self.settable(scope, &effect.target) else { continue };
            self.check_anchored(&target, effect.target.span, None);
            let fluent = &self.model.fluents[target.fluent];
            let (mut domain, place) = (fluent.domain.clone(), fluent.place);
            let (amount, subtract) = match &effect.change {
                ChangeKind::Add(amount) => (amount, false),
                ChangeKind::Subtract(amount) => (amount, true),
                _ => {
                    let report = diagnostics::wrong_type::diagnostic(
                        effect.span,
                        "a contribution (`+=` or `-=`)",
                        "a change at once",
                        Span::NONE,
                    );
                    self.report(report.hint("use `then … at start`, or `during … += …`"));
                    continue;
                }
            };
            let per = match amount {
                tree::Amount::Expr(_, per) => per.as_ref(),
                tree::Amount::Random(_) => None,
            };
            // A rate may have decimals although the number itself is whole.
            if per.is_some()
                && let Domain::Int(range) = domain
            {
                domain = Domain::Number(range);
            }
            let Some(expr) = self.added(scope, amount, &domain, effect.span, place) else { continue };
            let expr = if subtract { negated(expr) } else { expr };
            let amount = match per {
                Some(per) => {
                    let Some(ticks) = self.ticks_in(per) else { continue };
                    Amount::PerTick(divided(expr, ticks))
                }
                None => {
                    if let Some(takes) = contingent {
                        self.report(diagnostics::total_of_unknown_length::diagnostic(effect.span, takes));
                    } else if endless {
                        self.report(diagnostics::total_of_unknown_length::without_end(effect.span));
                    }
                    Amount::Total(expr)
                }
            };
            let (binders, condition) = (binders.clone(), condition.clone());
            contributions.push(Contribution { binders, condition, target, amount, place: effect.span });
        }
        self.report_unused(scope, depth);
        scope.truncate(depth);
        contributions
    }

    /// A `given` list.
    pub(crate) fn given(&mut self, scope: &mut Scope, written: &tree::Effects, level: Option<LevelId>) -> Vec<Initial> {
        let at = match &written.anchor {
            None => None,
            Some(tree::Anchor::After(time)) => Some(self.duration_expr(scope, time)),
            Some(tree::Anchor::Start(_)) => None,
            Some(tree::Anchor::End(span)) => {
                let report = diagnostics::wrong_type::diagnostic(*span, "a time", "an end", Span::NONE);
                self.report(report.hint("say at which time: `at 30 s`"));
                None
            }
        };
        let depth = scope.variables.len();
        let binders = self.binders(scope, &written.binders);
        let condition = written.condition.as_ref().map(|condition| self.condition(scope, condition));
        let mut given = Vec::new();
        for effect in &written.effects {
            let Some((target, change)) = self.change(scope, effect) else { continue };
            self.check_anchored(&target, effect.target.span, None);
            let (binders, condition, at) = (binders.clone(), condition.clone(), at.clone());
            given.push(Initial { binders, condition, target, change, at, level, place: effect.span });
        }
        self.report_unused(scope, depth);
        scope.truncate(depth);
        given
    }

    /// The starting values behind an object.
    pub(crate) fn inits(
        &mut self,
        object: dramaturg_model::ObjectId,
        inits: &[tree::Init],
        level: Option<LevelId>,
        scope: &mut Scope,
    ) {
        let ty = self.model.objects[object].ty;
        for init in inits {
            let choices = dramaturg_model::Choices::of_type(ty);
            let Some(attribute) = self.attribute(&choices, &init.name) else { continue };
            let super::lowering::Attribute::Fluent(fluent) = attribute else {
                let place = self.attribute_declared(attribute);
                let report =
                    diagnostics::wrong_type::declared(init.span, "an attribute with a value", "an actuator", place);
                self.report(report);
                continue;
            };
            let declared = &self.model.fluents[fluent];
            let (domain, place) = (declared.domain.clone(), declared.place);
            let value = match &init.value {
                Some(value) => self.assigned(scope, value, &domain, place),
                None if domain == Domain::Bool => Expr::Value(Value::Bool(!init.negated)),
                None => {
                    let ty = Ty::of_domain(&domain);
                    let report =
                        diagnostics::wrong_type::declared(init.span, "yes or no", &ty.describe(&self.model), place);
                    if ty != Ty::Unknown {
                        self.report(report.hint(format!("say its value: `{} = …`", init.name.text)));
                    }
                    continue;
                }
            };
            if init.value.is_some()
                && domain == Domain::Bool
                && let Expr::Value(Value::Bool(yes)) = value
            {
                let short = if yes { init.name.text.to_string() } else { format!("not {}", init.name.text) };
                self.report(diagnostics::plain_yes::diagnostic(init.span, &short));
            }
            self.model.initial.push(Initial {
                binders: Vec::new(),
                condition: None,
                target: FluentRef { fluent, args: vec![Expr::Value(Value::Object(object))] },
                change: Change::Set(value),
                at: None,
                level,
                place: init.span,
            });
        }
    }
}

/// The same with the other sign.
pub(crate) fn negated(expr: Expr) -> Expr {
    fold(Expr::arithmetic(Operator::Subtract, Expr::int(0), expr))
}

fn divided(expr: Expr, ticks: Fixed) -> Expr {
    if ticks == Fixed::ONE {
        return expr;
    }
    fold(Expr::arithmetic(Operator::Divide, expr, Expr::number(ticks)))
}

/// For messages: "0 to 100", "0 or more".
pub(crate) fn range_text(range: &dramaturg_model::Range) -> String {
    match (range.least, range.most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("{most} or less"),
        (None, None) => "any number".to_owned(),
    }
}
