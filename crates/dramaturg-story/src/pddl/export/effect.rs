//! Effects as PDDL writes them.

use dramaturg_model::{Binder, Change, Domain, Effect, Expr, Fixed, FluentId, Operator, Range, Value};

use super::condition::{Read, numeral};
use super::form::Form;
use super::inline::{conjuncts, inline};
use super::scope::Scope;
use super::tree::Pddl;
use super::{Cannot, Exporter};

/// One effect: for each of the variables, if the conditions hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// `?x - type ?y - type`
    pub(super) variables: Vec<Pddl>,
    pub(super) conditions: Vec<Pddl>,
    pub(super) effect: Pddl,
}

impl Exporter<'_> {
    /// An effect of the model as effects of PDDL; none if its fluent is left out.
    pub(super) fn effect(&mut self, effect: &Effect, scope: &mut Scope) -> Result<Vec<Piece>, Cannot> {
        let fluent = effect.target.fluent;
        if matches!(self.forms[fluent], Form::Nothing | Form::Meaning | Form::Derived) {
            return Ok(Vec::new());
        }
        let outer = scope.len();
        let mut pieces = Vec::new();
        let around = Piece { variables: Vec::new(), conditions: Vec::new(), effect: Pddl::call("and", []) };
        let result = self.for_each(&effect.binders, effect, around, scope, &mut pieces);
        scope.truncate(outer);
        result.map(|()| pieces)
    }

    /// Binds the variables, then writes the effect.
    fn for_each(
        &mut self,
        binders: &[Binder],
        effect: &Effect,
        mut around: Piece,
        scope: &mut Scope,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Cannot> {
        let Some((binder, rest)) = binders.split_first() else { return self.single(effect, around, scope, pieces) };
        let Some(among) = &binder.among else {
            let (ty, guard) = self.binder_type(&binder.param.choices);
            let variable = scope.push_variable(&binder.param.name, &binder.param.choices);
            around.conditions.extend(guard.map(|guard| Pddl::fact(&guard, std::slice::from_ref(&variable))));
            around.variables.extend([Pddl::atom(variable), Pddl::atom("-"), ty]);
            return self.for_each(rest, effect, around, scope, pieces);
        };
        for value in among {
            let outer = scope.len();
            let mut reads = Vec::new();
            let term = self.term(value, scope, &mut reads)?;
            scope.push(term);
            let mut around = around.clone();
            self.bind(reads, &mut around);
            self.for_each(rest, effect, around, scope, pieces)?;
            scope.truncate(outer);
        }
        Ok(())
    }

    /// Values read on the way are bound like all others; the facts say which they are.
    fn bind(&mut self, reads: Vec<Read>, around: &mut Piece) {
        for read in reads {
            let ty = self.variable_type(&read.choices);
            around.variables.extend([Pddl::atom(read.variable), Pddl::atom("-"), ty]);
            around.conditions.push(read.fact);
        }
    }

    fn single(
        &mut self,
        effect: &Effect,
        mut around: Piece,
        scope: &mut Scope,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Cannot> {
        let known = scope.known.len();
        if let Some(condition) = &effect.condition {
            for part in conjuncts(inline(self.model, condition, scope.len())?) {
                let written = self.condition(&part, scope)?;
                around.conditions.push(written);
                let fixed = self.fixed_by(&part, scope);
                scope.known.extend(fixed);
            }
        }
        let result = self.change(effect, around, scope, pieces);
        scope.known.truncate(known);
        result
    }

    fn change(
        &mut self,
        effect: &Effect,
        mut around: Piece,
        scope: &mut Scope,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Cannot> {
        let fluent = effect.target.fluent;
        let mut reads = Vec::new();
        let targets: Result<Vec<Expr>, Cannot> =
            effect.target.args.iter().map(|arg| inline(self.model, arg, scope.len())).collect();
        let args = self.texts(&targets?, scope, &mut reads)?;
        match (self.forms[fluent].clone(), &effect.change) {
            (_, Change::Random(_)) => Err(Cannot::because("its outcome is left to chance")),
            (Form::Predicate, Change::Set(value)) => {
                self.bind(reads, &mut around);
                self.set_fact(fluent, &args, value, &around, scope, pieces)
            }
            (Form::Choice { choices, .. }, Change::Set(value)) => {
                let value = inline(self.model, value, scope.len())?;
                let new = match value {
                    Expr::Value(Value::Nothing) => None,
                    value => Some(self.term(&value, scope, &mut reads)?.text),
                };
                self.bind(reads, &mut around);
                let name = self.names.fluents[fluent].clone();
                let fact = |value: &str| Pddl::fact(&name, &[args.as_slice(), &[value.to_owned()]].concat());
                match scope.known_value(fluent, &args).map(|old| old.text.clone()) {
                    Some(old) if Some(&old) == new.as_ref() => {}
                    Some(old) => pieces.push(Piece { effect: fact(&old).not(), ..around.clone() }),
                    None => {
                        let old = scope.helper();
                        let ty = self.variable_type(&choices);
                        let mut delete = Piece { effect: fact(&old).not(), ..around.clone() };
                        delete.conditions.push(fact(&old));
                        delete.variables.extend([Pddl::atom(old), Pddl::atom("-"), ty]);
                        pieces.push(delete);
                    }
                }
                pieces.extend(new.map(|new| Piece { effect: fact(&new), ..around }));
                Ok(())
            }
            (Form::Function, Change::Set(value) | Change::Add(value)) => {
                let is_added = matches!(effect.change, Change::Add(_));
                let value = inline(self.model, value, scope.len())?;
                let amount = self.number(&value, scope, &mut reads)?;
                self.bind(reads, &mut around);
                let target = Pddl::fact(&self.names.fluents[fluent], &args);
                self.set_number(fluent, target, is_added, (&value, amount), around, pieces)
            }
            _ => Err(Cannot::because(format!(
                "it changes {} in a way PDDL has not",
                self.shown(&self.model.fluents[fluent])
            ))),
        }
    }

    fn set_fact(
        &mut self,
        fluent: FluentId,
        args: &[String],
        value: &Expr,
        around: &Piece,
        scope: &mut Scope,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Cannot> {
        let fact = Pddl::fact(&self.names.fluents[fluent], args);
        let value = inline(self.model, value, scope.len())?;
        if let Expr::Value(Value::Bool(value)) = value {
            let effect = if value { fact } else { fact.not() };
            pieces.push(Piece { effect, ..around.clone() });
            return Ok(());
        }
        let condition = self.condition(&value, scope)?;
        let cases = [(condition.clone().not(), fact.clone().not()), (condition, fact)];
        for (condition, effect) in cases {
            let mut piece = Piece { effect, ..around.clone() };
            piece.conditions.push(condition);
            pieces.push(piece);
        }
        Ok(())
    }

    /// A number that is set or added to. PDDL knows no bounds, so where they may be reached each case is said.
    fn set_number(
        &mut self,
        fluent: FluentId,
        target: Pddl,
        is_added: bool,
        (value, amount): (&Expr, Pddl),
        around: Piece,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), Cannot> {
        let range = match &self.model.fluents[fluent].domain {
            Domain::Number(range) => *range,
            Domain::Int(range) if is_whole(value) => *range,
            Domain::Duration if is_whole(value) => Range::default(),
            _ => return Err(Cannot::because("it rounds numbers")),
        };
        let (verb, amount) = match (is_added, value) {
            (false, _) => ("assign", amount),
            (true, Expr::Value(Value::Number(number))) if *number < Fixed::ZERO => ("decrease", numeral(-*number)),
            // A constant would be read as its opposite, which is another expression.
            (true, Expr::Arithmetic(Operator::Subtract, zero, taken))
                if **zero == Expr::int(0) && !matches!(**taken, Expr::Value(_)) =>
            {
                match amount {
                    Pddl::List(mut parts) if parts.len() == 3 => ("decrease", parts.remove(2)),
                    amount => ("increase", amount),
                }
            }
            (true, _) => ("increase", amount),
        };
        let plain = Pddl::call(verb, [target.clone(), amount.clone()]);
        let is_inside = matches!(value, Expr::Value(Value::Number(number)) if !is_added && range.contains(*number));
        if is_inside || range == Range::default() {
            pieces.push(Piece { effect: plain, ..around });
            return Ok(());
        }
        let result = match verb {
            "increase" => Pddl::call("+", [target.clone(), amount]),
            "decrease" => Pddl::call("-", [target.clone(), amount]),
            _ => amount,
        };
        let mut inside = Piece { effect: plain, ..around.clone() };
        // What only adds never falls below the least, what only takes away never rises above the most.
        let direction = if is_added { sign_of(value) } else { None };
        let bounds = [(range.least, ">=", "<", Sign::Positive), (range.most, "<=", ">", Sign::Negative)];
        for (bound, inside_sign, outside_sign, _) in bounds.into_iter().filter(|(.., safe)| direction != Some(*safe)) {
            let Some(bound) = bound.map(numeral) else { continue };
            inside.conditions.push(Pddl::call(inside_sign, [result.clone(), bound.clone()]));
            let mut outside = around.clone();
            outside.conditions.push(Pddl::call(outside_sign, [result.clone(), bound.clone()]));
            outside.effect = Pddl::call("assign", [target.clone(), bound]);
            pieces.push(outside);
        }
        pieces.push(inside);
        Ok(())
    }
}

/// Which way a number certainly points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Positive,
    Negative,
}

fn sign_of(expr: &Expr) -> Option<Sign> {
    match expr {
        Expr::Value(Value::Number(number)) if *number >= Fixed::ZERO => Some(Sign::Positive),
        Expr::Value(Value::Number(_)) => Some(Sign::Negative),
        Expr::StepDuration => Some(Sign::Positive),
        Expr::Arithmetic(Operator::Multiply | Operator::Divide, left, right) => {
            let is_same = sign_of(left)? == sign_of(right)?;
            Some(if is_same { Sign::Positive } else { Sign::Negative })
        }
        _ => None,
    }
}

/// Whether a number is certainly whole.
fn is_whole(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(Value::Number(number)) if number.is_int())
}

/// Effects as one, neighbours with the same variables and conditions together.
pub(super) fn joined(pieces: Vec<Piece>) -> Vec<Pddl> {
    let mut groups: Vec<(Piece, Vec<Pddl>)> = Vec::new();
    for piece in pieces {
        match groups.last_mut() {
            Some((first, effects)) if first.variables == piece.variables && first.conditions == piece.conditions => {
                effects.push(piece.effect);
            }
            _ => {
                let effect = piece.effect.clone();
                groups.push((piece, vec![effect]));
            }
        }
    }
    groups
        .into_iter()
        .flat_map(|(around, effects)| {
            if around.variables.is_empty() && around.conditions.is_empty() {
                return effects;
            }
            let mut effect = Pddl::all(effects);
            if !around.conditions.is_empty() {
                effect = Pddl::call("when", [Pddl::all(around.conditions), effect]);
            }
            if !around.variables.is_empty() {
                effect = Pddl::call("forall", [Pddl::List(around.variables), effect]);
            }
            vec![effect]
        })
        .collect()
}
