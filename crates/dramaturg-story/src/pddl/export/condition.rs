//! Conditions as PDDL writes them.

use dramaturg_model::{Binder, Choices, Comparison, Domain, Expr, Fixed, FluentId, Quantifier, Set, Value, Var};

use super::form::Form;
use super::scope::{Known, Meaning, Scope, Term};
use super::tree::Pddl;
use super::{Cannot, Exporter};

/// A value that is read on the way: a variable, and the fact that makes it that value.
pub(super) struct Read {
    pub(super) variable: String,
    pub(super) choices: Choices,
    pub(super) fact: Pddl,
}

impl Exporter<'_> {
    /// A condition without fluents that mean something else.
    pub(super) fn condition(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Pddl, Cannot> {
        match self.native_condition(expr, scope) {
            Err(cannot) => self.or_tabulated(cannot, expr, scope),
            written => written,
        }
    }

    fn native_condition(&mut self, expr: &Expr, scope: &mut Scope) -> Result<Pddl, Cannot> {
        match expr {
            Expr::Value(Value::Bool(value)) => Ok(constant(*value)),
            Expr::And(parts) => Ok(Pddl::all(self.conditions(parts, scope)?)),
            Expr::Or(parts) => Ok(Pddl::call("or", self.conditions(parts, scope)?)),
            Expr::Not(inner) => Ok(self.condition(inner, scope)?.not()),
            Expr::Fluent(fluent, args) => self.fact(*fluent, args, scope),
            Expr::Compare(sign, left, right) => self.comparison(*sign, left, right, scope),
            Expr::In(value, set) => self.membership(value, set, scope),
            Expr::Quantified(quantifier, binders, inner) => self.quantified(*quantifier, binders, inner, scope),
            Expr::Now | Expr::TimeOfDay | Expr::DayNumber => Err(Cannot::because("it depends on the time")),
            _ => Err(Cannot::because("it is no condition")),
        }
    }

    fn conditions(&mut self, parts: &[Expr], scope: &mut Scope) -> Result<Vec<Pddl>, Cannot> {
        parts.iter().map(|part| self.condition(part, scope)).collect()
    }

    /// A predicate with its arguments.
    fn fact(&mut self, fluent: FluentId, args: &[Expr], scope: &mut Scope) -> Result<Pddl, Cannot> {
        if !matches!(self.forms[fluent], Form::Predicate | Form::Derived) {
            return Err(self.not_written(fluent));
        }
        let mut reads = Vec::new();
        let args = self.texts(args, scope, &mut reads)?;
        let fact = Pddl::fact(&self.names.fluents[fluent], &args);
        Ok(self.reading(reads, fact))
    }

    pub(super) fn not_written(&self, fluent: FluentId) -> Cannot {
        Cannot::because(format!("it depends on {}, which is left out", self.shown(&self.model.fluents[fluent])))
    }

    /// The arguments of a fluent.
    pub(super) fn texts(
        &mut self,
        args: &[Expr],
        scope: &mut Scope,
        reads: &mut Vec<Read>,
    ) -> Result<Vec<String>, Cannot> {
        args.iter().map(|arg| Ok(self.term(arg, scope, reads)?.text)).collect()
    }

    /// A variable, an object or a name; what is read from a fluent becomes a variable of its own.
    pub(super) fn term(&mut self, expr: &Expr, scope: &mut Scope, reads: &mut Vec<Read>) -> Result<Term, Cannot> {
        match expr {
            Expr::Var(Var(index)) => {
                scope.term(*index).cloned().ok_or_else(|| Cannot::because("it speaks of nothing known"))
            }
            Expr::Value(value @ (Value::Object(_) | Value::Symbol(_))) => self.constant_term(*value),
            Expr::Fluent(fluent, args) => {
                let Form::Choice { choices, .. } = self.forms[*fluent].clone() else {
                    return Err(self.not_written(*fluent));
                };
                let mut args = self.texts(args, scope, reads)?;
                if let Some(known) = scope.known_value(*fluent, &args) {
                    return Ok(known.clone());
                }
                let variable = scope.helper();
                args.push(variable.clone());
                let fact = Pddl::fact(&self.names.fluents[*fluent], &args);
                reads.push(Read { variable: variable.clone(), choices: choices.clone(), fact });
                Ok(Term { text: variable, meaning: Meaning::Variable(choices) })
            }
            _ => Err(Cannot::because("its arguments are computed")),
        }
    }

    fn constant_term(&mut self, value: Value) -> Result<Term, Cannot> {
        if let Value::Object(object) = value {
            if !self.is_visible(self.model.objects[object].level) {
                let name = &self.model.objects[object].name;
                return Err(Cannot::because(format!("{name} does not exist in this level")));
            }
            self.domain_uses[object] = true;
        }
        let text = self.names.value(value).unwrap_or_default().to_owned();
        Ok(Term { text, meaning: Meaning::Constant(value) })
    }

    /// What is said of values that are read: there are such values, and it holds.
    pub(super) fn reading(&mut self, reads: Vec<Read>, said: Pddl) -> Pddl {
        if reads.is_empty() {
            return said;
        }
        let mut variables = Vec::new();
        let mut facts = Vec::new();
        for read in reads {
            // The fact itself says which values there are.
            let ty = self.variable_type(&read.choices);
            variables.extend([Pddl::atom(read.variable), Pddl::atom("-"), ty]);
            facts.push(read.fact);
        }
        Pddl::call("exists", [Pddl::List(variables), Pddl::all(facts.into_iter().chain([said]))])
    }

    /// The type of a variable, and the predicate that says the rest if no type does.
    pub(super) fn binder_type(&mut self, choices: &Choices) -> (Pddl, Option<String>) {
        let ty = self.variable_type(choices);
        let is_one_type = choices.types.len() == 1 && choices.symbols.is_empty();
        let guard = if is_one_type || ty != self.root_type() { None } else { Some(self.kind_predicate(choices)) };
        (ty, guard)
    }

    /// The type of a variable of which something else says the rest. Not all tools read `either` here, so it is only written
    /// when the model came from PDDL with it.
    pub(super) fn variable_type(&mut self, choices: &Choices) -> Pddl {
        match choices.types.as_slice() {
            [_] if choices.symbols.is_empty() => self.declared_type(choices),
            [_, ..] if choices.symbols.is_empty() && self.model.pddl().is_some() => self.declared_type(choices),
            _ => {
                self.tables.note_wide(choices);
                self.root_type()
            }
        }
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        binders: &[Binder],
        inner: &Expr,
        scope: &mut Scope,
    ) -> Result<Pddl, Cannot> {
        let outer = scope.len();
        let result = self.quantified_within(quantifier, binders, inner, scope);
        scope.truncate(outer);
        result
    }

    fn quantified_within(
        &mut self,
        quantifier: Quantifier,
        binders: &[Binder],
        inner: &Expr,
        scope: &mut Scope,
    ) -> Result<Pddl, Cannot> {
        let Some((first, rest)) = binders.split_first() else { return self.condition(inner, scope) };
        if let Some(among) = &first.among {
            let outer = scope.len();
            let mut parts = Vec::new();
            for value in among {
                let mut reads = Vec::new();
                let term = self.term(value, scope, &mut reads)?;
                scope.push(term);
                let part = self.quantified_within(quantifier, rest, inner, scope)?;
                scope.truncate(outer);
                parts.push(self.reading(reads, part));
            }
            return Ok(match quantifier {
                Quantifier::All => Pddl::all(parts),
                Quantifier::Any => Pddl::call("or", parts),
            });
        }
        // Variables that run over all objects share one quantifier.
        let plain = binders.iter().take_while(|binder| binder.among.is_none()).count();
        let (plain, rest) = binders.split_at_checked(plain).unwrap_or((binders, &[]));
        let mut variables = Vec::new();
        let mut guards = Vec::new();
        for binder in plain {
            let (ty, guard) = self.binder_type(&binder.param.choices);
            let variable = scope.push_variable(&binder.param.name, &binder.param.choices);
            guards.extend(guard.map(|guard| Pddl::fact(&guard, std::slice::from_ref(&variable))));
            variables.extend([Pddl::atom(variable), Pddl::atom("-"), ty]);
        }
        let inner = self.quantified_within(quantifier, rest, inner, scope)?;
        Ok(match quantifier {
            Quantifier::All if guards.is_empty() => Pddl::call("forall", [Pddl::List(variables), inner]),
            Quantifier::All => {
                let implied = Pddl::call("imply", [Pddl::all(guards), inner]);
                Pddl::call("forall", [Pddl::List(variables), implied])
            }
            Quantifier::Any if guards.is_empty() => Pddl::call("exists", [Pddl::List(variables), inner]),
            Quantifier::Any => {
                Pddl::call("exists", [Pddl::List(variables), Pddl::all(guards.into_iter().chain([inner]))])
            }
        })
    }

    fn comparison(&mut self, sign: Comparison, left: &Expr, right: &Expr, scope: &mut Scope) -> Result<Pddl, Cannot> {
        if self.is_number(left) || self.is_number(right) {
            return self.number_comparison(sign, left, right, scope);
        }
        if !matches!(sign, Comparison::Equal | Comparison::NotEqual) {
            return Ok(constant(false));
        }
        let is_equal = sign == Comparison::Equal;
        if self.is_bool(left) || self.is_bool(right) {
            return self.bool_comparison(is_equal, left, right, scope);
        }
        // The side that is read from a fluent stands first.
        let (left, right) = match (left, right) {
            (Expr::Fluent(..), _) | (_, Expr::Var(_) | Expr::Value(_)) => (left, right),
            _ => (right, left),
        };
        let mut reads = Vec::new();
        let Expr::Fluent(fluent, args) = left else {
            let (left, right) = (self.term(left, scope, &mut reads)?, self.term(right, scope, &mut reads)?);
            let equal = Pddl::call("=", [Pddl::atom(left.text), Pddl::atom(right.text)]);
            let said = if is_equal { equal } else { equal.not() };
            return Ok(self.reading(reads, said));
        };
        let Form::Choice { is_total, .. } = self.forms[*fluent] else { return Err(self.not_written(*fluent)) };
        if is_equal || is_total {
            let mut args = self.texts(args, scope, &mut reads)?;
            args.push(self.term(right, scope, &mut reads)?.text);
            let fact = Pddl::fact(&self.names.fluents[*fluent], &args);
            return Ok(self.reading(reads, if is_equal { fact } else { fact.not() }));
        }
        let (left, right) = (self.term(left, scope, &mut reads)?, self.term(right, scope, &mut reads)?);
        let differ = Pddl::call("=", [Pddl::atom(left.text), Pddl::atom(right.text)]).not();
        Ok(self.reading(reads, differ))
    }

    fn bool_comparison(
        &mut self,
        is_equal: bool,
        left: &Expr,
        right: &Expr,
        scope: &mut Scope,
    ) -> Result<Pddl, Cannot> {
        let (left_said, right_said) = match (left, right) {
            (other, Expr::Value(Value::Bool(value))) | (Expr::Value(Value::Bool(value)), other) => {
                let said = self.condition(other, scope)?;
                return Ok(if *value == is_equal { said } else { said.not() });
            }
            _ => (self.condition(left, scope)?, self.condition(right, scope)?),
        };
        let both = Pddl::all([left_said.clone(), right_said.clone()]);
        let neither = Pddl::all([left_said.not(), right_said.not()]);
        let same = Pddl::call("or", [both, neither]);
        Ok(if is_equal { same } else { same.not() })
    }

    fn number_comparison(
        &mut self,
        sign: Comparison,
        left: &Expr,
        right: &Expr,
        scope: &mut Scope,
    ) -> Result<Pddl, Cannot> {
        let mut reads = Vec::new();
        let (left, right) = (self.number(left, scope, &mut reads)?, self.number(right, scope, &mut reads)?);
        let said = match sign {
            Comparison::Equal => Pddl::call("=", [left, right]),
            Comparison::NotEqual => Pddl::call("=", [left, right]).not(),
            Comparison::Less | Comparison::AtMost | Comparison::More | Comparison::AtLeast => {
                Pddl::call(sign.sign(), [left, right])
            }
        };
        Ok(self.reading(reads, said))
    }

    fn membership(&mut self, value: &Expr, set: &Set, scope: &mut Scope) -> Result<Pddl, Cannot> {
        match set {
            Set::Among(values) => {
                let parts: Result<Vec<Pddl>, Cannot> =
                    values.iter().map(|other| self.comparison(Comparison::Equal, value, other, scope)).collect();
                Ok(Pddl::call("or", parts?))
            }
            Set::Range(least, most) => {
                let least = self.number_comparison(Comparison::AtLeast, value, least, scope)?;
                let most = self.number_comparison(Comparison::AtMost, value, most, scope)?;
                Ok(Pddl::all([least, most]))
            }
            Set::Choices(choices) => {
                let mut reads = Vec::new();
                let term = self.term(value, scope, &mut reads)?;
                // A value that was just read may have the type at once.
                let is_plain_type = choices.symbols.is_empty() && choices.types.len() == 1;
                if let (true, Some(read)) = (is_plain_type, reads.last_mut())
                    && read.variable == term.text
                {
                    read.choices = choices.clone();
                    return Ok(self.reading(reads, constant(true)));
                }
                let kind = self.kind_predicate(choices);
                let said = Pddl::fact(&kind, &[term.text]);
                Ok(self.reading(reads, said))
            }
        }
    }

    pub(super) fn is_number(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(Value::Number(_)) | Expr::Arithmetic(..) | Expr::Call(..) => true,
            Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => true,
            Expr::Fluent(fluent, _) => self.model.fluents[*fluent].domain.is_numeric(),
            _ => false,
        }
    }

    fn is_bool(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(Value::Bool(_)) | Expr::And(_) | Expr::Or(_) | Expr::Not(_) => true,
            Expr::Compare(..) | Expr::In(..) | Expr::Quantified(..) => true,
            Expr::Fluent(fluent, _) => self.model.fluents[*fluent].domain == Domain::Bool,
            _ => false,
        }
    }

    /// The choice fluent whose value a condition says, if it is that simple.
    pub(super) fn fixed_by(&mut self, condition: &Expr, scope: &mut Scope) -> Option<Known> {
        let Expr::Compare(Comparison::Equal, left, right) = condition else { return None };
        let is_simple = |expr: &Expr| matches!(expr, Expr::Var(_) | Expr::Value(Value::Object(_) | Value::Symbol(_)));
        let (fluent, args, value) = match (&**left, &**right) {
            (Expr::Fluent(fluent, args), value) | (value, Expr::Fluent(fluent, args)) => (fluent, args, value),
            _ => return None,
        };
        if !matches!(self.forms[*fluent], Form::Choice { .. }) || !is_simple(value) || !args.iter().all(is_simple) {
            return None;
        }
        let mut reads = Vec::new();
        let args = self.texts(args, scope, &mut reads).ok()?;
        let value = self.term(value, scope, &mut reads).ok()?;
        Some(Known { fluent: *fluent, args, value })
    }
}

/// What always or never holds.
pub(super) fn constant(value: bool) -> Pddl {
    Pddl::call(if value { "and" } else { "or" }, [])
}

/// A number as PDDL writes it.
pub(super) fn numeral(number: Fixed) -> Pddl {
    Pddl::atom(number.to_string())
}
