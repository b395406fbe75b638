//! Effects: nested `forall` and `when` become binders and a condition on each single effect.

use dramaturg_model::{
    Binder, Change, ConditionTime, Effect, Expr, FluentRef, FluentSource, Moment, Operator, Quantifier, Set, Span,
    Value, Var,
};

use super::action::Timed;
use super::fault;
use super::numeric::negative;
use super::reader::{COPIES_MAX, Kind, Reader};
use super::scope::Scope;
use super::sexpr::Sexpr;

/// What stands around an effect.
#[derive(Default)]
pub(super) struct Around {
    /// When it happens, once that is said.
    moment: Option<Moment>,
    /// Variables of `forall`.
    binders: Vec<Binder>,
    /// Conditions of `when`.
    conditions: Vec<When>,
}

struct When {
    condition: Expr,
    /// When it is read, if that is said.
    time: Option<ConditionTime>,
    /// How many variables were in reach there: quantifiers in it bind from here on.
    variables: usize,
    place: Span,
}

impl Around {
    /// An action without duration has all its effects at its end.
    pub(super) fn instant() -> Self {
        Self { moment: Some(Moment::End), ..Self::default() }
    }
}

impl Reader {
    /// Reads effects, flat.
    pub(super) fn effects(&mut self, sexpr: &Sexpr, scope: &mut Scope, around: &mut Around, effects: &mut Vec<Effect>) {
        if sexpr.list().is_none() {
            self.expected(sexpr, "an effect such as `(at ?x ?y)`");
            return;
        }
        let args = sexpr.tail();
        match sexpr.head() {
            "and" => {
                for part in args {
                    self.effects(part, scope, around, effects);
                }
            }
            "forall" => self.for_all(sexpr, args, scope, around, effects),
            "when" => self.when(sexpr, args, scope, around, effects),
            "at" if around.moment.is_none() => self.timed_effect(sexpr, args, scope, around, effects),
            "not" => {
                if let (true, Some(fact)) = (self.count(sexpr, args, 1), args.first()) {
                    self.fact(fact, false, scope, around, effects);
                }
            }
            "assign" | "increase" | "decrease" | "scale-up" | "scale-down" => {
                self.numeric_effect(sexpr, args, scope, around, effects);
            }
            "" if sexpr.list().is_some_and(<[_]>::is_empty) => {}
            "" => self.expected(sexpr, "an effect such as `(at ?x ?y)`"),
            _ => self.fact(sexpr, true, scope, around, effects),
        }
    }

    fn for_all(
        &mut self,
        sexpr: &Sexpr,
        args: &[Sexpr],
        scope: &mut Scope,
        around: &mut Around,
        effects: &mut Vec<Effect>,
    ) {
        let [variables, body] = args else {
            self.count(sexpr, args, 2);
            return;
        };
        let (outer, outer_binders) = (scope.len(), around.binders.len());
        let binders = self.binders(variables, scope);
        around.binders.extend(binders);
        self.effects(body, scope, around, effects);
        around.binders.truncate(outer_binders);
        scope.truncate(outer);
    }

    fn when(
        &mut self,
        sexpr: &Sexpr,
        args: &[Sexpr],
        scope: &mut Scope,
        around: &mut Around,
        effects: &mut Vec<Effect>,
    ) {
        let [condition, body] = args else {
            self.count(sexpr, args, 2);
            return;
        };
        let outer = around.conditions.len();
        let (variables, place) = (scope.len(), condition.span);
        if around.moment.is_some() {
            let condition = self.condition(condition, scope);
            around.conditions.push(When { condition, time: None, variables, place });
        } else {
            for Timed { time, condition, place } in self.timed_conditions(condition, scope) {
                around.conditions.push(When { condition, time: Some(time), variables, place });
            }
        }
        self.effects(body, scope, around, effects);
        around.conditions.truncate(outer);
    }

    fn timed_effect(
        &mut self,
        sexpr: &Sexpr,
        args: &[Sexpr],
        scope: &mut Scope,
        around: &mut Around,
        effects: &mut Vec<Effect>,
    ) {
        let moment = match args.first().and_then(Sexpr::atom).map(|atom| atom.as_str()) {
            Some("start") => Moment::Start,
            Some("end") => Moment::End,
            _ => {
                self.expected(sexpr, "`(at start …)` or `(at end …)`");
                return;
            }
        };
        let [_, body] = args else {
            self.count(sexpr, args, 2);
            return;
        };
        around.moment = Some(moment);
        self.effects(body, scope, around, effects);
        around.moment = None;
    }

    /// A predicate that becomes true or false.
    fn fact(&mut self, sexpr: &Sexpr, value: bool, scope: &Scope, around: &Around, effects: &mut Vec<Effect>) {
        let Some(head) = sexpr.list().and_then(<[_]>::first) else {
            self.expected(sexpr, "a predicate with its arguments");
            return;
        };
        let Some(name) = self.name(head, "a predicate") else { return };
        let Some(fluent) = self.fluent(Kind::Predicate, name, head.span) else { return };
        if let FluentSource::Derived { .. } = self.model.fluents[fluent].source {
            let place = self.fluent_place(fluent);
            self.report(fault::derived_set(sexpr.span, name, place));
            return;
        }
        let Some((args, guards)) = self.arguments(sexpr, fluent, sexpr.tail(), scope) else { return };
        let change = Change::Set(Expr::Value(Value::Bool(value)));
        self.add_effect(sexpr.span, FluentRef { fluent, args }, change, guards, scope, around, effects);
    }

    fn numeric_effect(
        &mut self,
        sexpr: &Sexpr,
        args: &[Sexpr],
        scope: &mut Scope,
        around: &Around,
        effects: &mut Vec<Effect>,
    ) {
        let [target, amount] = args else {
            self.count(sexpr, args, 2);
            return;
        };
        let head = target.list().and_then(<[_]>::first).unwrap_or(target);
        let Some(name) = self.name(head, "a function") else { return };
        let Some(fluent) = self.fluent(Kind::Function, name, head.span) else { return };
        let Some((args, guards)) = self.arguments(target, fluent, target.tail(), scope) else { return };
        let amount = self.number(amount, scope);
        let old = || Expr::Fluent(fluent, args.clone());
        let change = match sexpr.head() {
            "increase" => Change::Add(amount),
            "decrease" => Change::Add(negative(amount)),
            "scale-up" => Change::Set(Expr::arithmetic(Operator::Multiply, old(), amount)),
            "scale-down" => Change::Set(Expr::arithmetic(Operator::Divide, old(), amount)),
            _ => Change::Set(amount),
        };
        self.add_effect(sexpr.span, FluentRef { fluent, args }, change, guards, scope, around, effects);
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "where the effect stands and where it goes are two pairs that always travel"
    )]
    fn add_effect(
        &mut self,
        place: Span,
        target: FluentRef,
        change: Change,
        guards: Vec<Expr>,
        scope: &Scope,
        around: &Around,
        effects: &mut Vec<Effect>,
    ) {
        let Some(moment) = around.moment.clone() else {
            let found = "an effect without a time";
            self.report(fault::expected(place, found, "`(at start …)` or `(at end …)` around it"));
            return;
        };
        let Some(mut parts) = self.conditions_around(&moment, scope, around) else { return };
        parts.extend(guards);
        let condition = Some(Expr::all(parts)).filter(|condition| *condition != Expr::And(Vec::new()));
        effects.push(Effect { moment, binders: around.binders.clone(), condition, target, change, place });
    }

    /// The conditions of all `when` around an effect, fit to stand inside all its binders.
    fn conditions_around(&mut self, moment: &Moment, scope: &Scope, around: &Around) -> Option<Vec<Expr>> {
        let mut parts = Vec::with_capacity(around.conditions.len());
        for when in &around.conditions {
            let is_same_time = match &when.time {
                None => true,
                Some(ConditionTime::Start) => *moment == Moment::Start,
                Some(ConditionTime::End) => *moment == Moment::End,
                Some(_) => false,
            };
            if !is_same_time {
                let cure = "let condition and effect have the same time, or remember the condition by a predicate set at start";
                self.report(fault::unsupported(when.place, "a condition read at another time than its effect", cure));
                return None;
            }
            let mut copied = 0;
            when.condition.walk(&mut |_| copied += 1);
            if copied > self.copies_left {
                self.copies_left = 0;
                self.report(fault::too_many_copies(when.place, COPIES_MAX));
                return None;
            }
            self.copies_left -= copied;
            let mut condition = when.condition.clone();
            shift_bound(&mut condition, when.variables, scope.len().saturating_sub(when.variables));
            parts.push(condition);
        }
        Some(parts)
    }
}

/// Makes room for `by` more variables: those from `first` on are counted on.
pub(super) fn shift_bound(expr: &mut Expr, first: usize, by: usize) {
    if by == 0 {
        return;
    }
    let shift_all = |parts: &mut Vec<Expr>| parts.iter_mut().for_each(|part| shift_bound(part, first, by));
    match expr {
        Expr::Var(Var(index)) if usize::from(*index) >= first => *index = index.saturating_add(by as u16),
        Expr::Value(_) | Expr::Var(_) | Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => {}
        Expr::Fluent(_, parts) | Expr::And(parts) | Expr::Or(parts) => shift_all(parts),
        Expr::Not(inner) => shift_bound(inner, first, by),
        Expr::Compare(_, left, right) | Expr::Arithmetic(_, left, right) => {
            shift_bound(left, first, by);
            shift_bound(right, first, by);
        }
        Expr::In(value, set) => {
            match set {
                Set::Among(values) => shift_all(values),
                Set::Choices(_) => {}
                Set::Range(least, most) => {
                    shift_bound(least, first, by);
                    shift_bound(most, first, by);
                }
            }
            shift_bound(value, first, by);
        }
        Expr::Call(_, parts) => parts.iter_mut().for_each(|part| shift_bound(part, first, by)),
        Expr::Quantified(Quantifier::Any | Quantifier::All, binders, inner) => {
            binders.iter_mut().filter_map(|binder| binder.among.as_mut()).for_each(shift_all);
            shift_bound(inner, first, by);
        }
    }
}
