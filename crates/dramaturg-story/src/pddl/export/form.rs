//! How each fluent is written.

use dramaturg_model::{Change, Choices, Domain, Expr, Fluent, FluentId, FluentSource, Table, Value};

use super::Exporter;
use super::tree::Pddl;

/// How a fluent is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A predicate.
    Predicate,
    /// A predicate whose last argument is the value.
    Choice {
        /// What it may be.
        choices: Choices,
        /// Whether it has a value for all arguments, always; then `!=` is simply `not`.
        is_total: bool,
    },
    /// A function.
    Function,
    /// A derived predicate.
    Derived,
    /// Written out wherever it is read.
    Meaning,
    /// Not at all.
    Nothing,
}

impl Exporter<'_> {
    /// Finds the names that are values of something; others, such as answers to questions, are not written.
    pub(super) fn find_symbols(&mut self) {
        let fluents = self.model.fluents.values();
        let domains = fluents.clone().filter_map(|fluent| match &fluent.domain {
            Domain::Choice(choices) => Some(choices),
            _ => None,
        });
        let params = fluents.flat_map(|fluent| &fluent.params);
        let params = params.chain(self.model.actions.values().flat_map(|action| &action.params));
        for choices in domains.chain(params.map(|param| &param.choices)) {
            for symbol in &choices.symbols {
                self.symbol_uses[*symbol] = true;
            }
        }
    }

    /// Decides for each fluent, and lists those that are left out.
    pub(super) fn choose_forms(&mut self) {
        let may_lose_value = self.losing_value();
        for (id, fluent) in self.model.fluents.iter() {
            let form = match (&fluent.source, &fluent.domain) {
                _ if !self.is_visible(fluent.level) => Form::Nothing,
                (FluentSource::Means(_), _) => Form::Meaning,
                (FluentSource::Derived { .. }, _) => Form::Derived,
                (_, Domain::Bool) => Form::Predicate,
                (_, Domain::Choice(choices)) => {
                    let is_total = !may_lose_value[id] && self.has_all_values(id);
                    Form::Choice { choices: choices.clone(), is_total }
                }
                (_, Domain::Number(_) | Domain::Int(_) | Domain::Duration) if self.is_temporal() => Form::Function,
                _ => Form::Nothing,
            };
            self.forms.push(form);
        }
        if !self.is_temporal() {
            self.list_numbers();
        }
    }

    fn list_numbers(&mut self) {
        let has_costs = self.model.actions.values().any(|action| action.cost.is_some());
        for fluent in self.model.fluents.values() {
            // Costs have a place of their own.
            if has_costs && fluent.name == "total-cost" {
                continue;
            }
            let is_number = fluent.domain.is_numeric() && !matches!(fluent.source, FluentSource::Means(_));
            if !is_number || !self.is_visible(fluent.level) {
                continue;
            }
            let why = match fluent.is_static {
                true => "classical PDDL has no numbers; conditions that depend on it alone are written out as facts",
                false => "classical PDDL has no numbers",
            };
            self.leave_out(format!("the number {}", self.shown(fluent)), why, fluent.place);
        }
    }

    /// A fluent as stories call it.
    pub(super) fn shown(&self, fluent: &Fluent) -> String {
        match fluent.attribute_of {
            Some(ty) => format!("{}.{}", self.model.types[ty].name, fluent.name),
            None => fluent.name.to_string(),
        }
    }

    /// Which fluents something may leave without a value.
    fn losing_value(&self) -> Table<FluentId, bool> {
        let mut losing = Table::filled(self.model.fluents.len(), false);
        for pool in self.model.pools.values() {
            for fluent in &pool.anchors {
                losing[*fluent] = true;
            }
        }
        let effects = self.model.actions.values().flat_map(|action| &action.effects);
        for effect in effects {
            // A value that is read or computed may be none.
            if !matches!(&effect.change, Change::Set(Expr::Var(_) | Expr::Value(Value::Object(_) | Value::Symbol(_)))) {
                losing[effect.target.fluent] = true;
            }
        }
        losing
    }

    /// Whether a fluent has a value for all arguments in the beginning.
    fn has_all_values(&mut self, fluent: FluentId) -> bool {
        let declared = &self.model.fluents[fluent];
        let choices: Vec<&Choices> = declared.params.iter().map(|param| &param.choices).collect();
        let Some(all) = self.combinations(&choices) else { return false };
        all.iter().all(|args| self.state.get(fluent, args) != Value::Nothing)
    }

    /// The predicates and functions as the domain declares them.
    pub(super) fn declarations(&self) -> (Vec<Pddl>, Vec<Pddl>) {
        let (mut predicates, mut functions) = (Vec::new(), Vec::new());
        for (id, fluent) in self.model.fluents.iter() {
            let mut params = Vec::new();
            for (position, param) in fluent.params.iter().enumerate() {
                let name = super::names::sanitised(&param.name);
                // Parameters of a declaration need names of their own, whatever the author called them.
                let is_taken =
                    fluent.params.iter().take(position).any(|other| super::names::sanitised(&other.name) == name);
                let name = if is_taken { format!("?{name}-{}", position + 1) } else { format!("?{name}") };
                params.extend([Pddl::atom(name), Pddl::atom("-"), self.parameter_type(&param.choices)]);
            }
            let name = self.names.fluents[id].clone();
            match &self.forms[id] {
                Form::Predicate | Form::Derived => predicates.push(Pddl::call(&name, params)),
                Form::Choice { choices, .. } => {
                    params.extend([Pddl::atom("?is"), Pddl::atom("-"), self.parameter_type(choices)]);
                    predicates.push(Pddl::call(&name, params));
                }
                Form::Function => functions.push(Pddl::call(&name, params)),
                Form::Meaning | Form::Nothing => {}
            }
        }
        (predicates, functions)
    }

    /// Some choices as the type of a declaration. What came from PDDL keeps its `either`; elsewhere it is spared, because
    /// tools differ in where they read it.
    pub(super) fn declared_type(&self, choices: &Choices) -> Pddl {
        let names: Vec<Pddl> = choices.types.iter().map(|ty| Pddl::atom(&self.names.types[*ty])).collect();
        let is_plain = choices.symbols.is_empty();
        match names.as_slice() {
            [name] if is_plain => name.clone(),
            [_, ..] if is_plain && self.model.pddl().is_some() => Pddl::call("either", names),
            [] if !choices.symbols.is_empty() => Pddl::atom(&self.tables.symbol_type),
            _ => self.root_type(),
        }
    }

    /// The type of a parameter in a declaration: so wide that everything that is written fits.
    fn parameter_type(&self, choices: &Choices) -> Pddl {
        let meets = |left: &Choices, right: &Choices| {
            let kin = |a, b| self.model.is_subtype(a, b) || self.model.is_subtype(b, a);
            left.types.iter().any(|a| right.types.iter().any(|b| kin(*a, *b)))
                || left.symbols.iter().any(|symbol| right.symbols.contains(symbol))
        };
        match self.tables.wide_choices().any(|wide| meets(wide, choices)) {
            true => self.root_type(),
            false => self.declared_type(choices),
        }
    }
}
