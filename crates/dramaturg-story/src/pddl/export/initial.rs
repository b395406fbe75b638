//! The objects and the initial state of an exported problem.

use dramaturg_model::{Args, Change, Choices, Expr, Fixed, FluentId, FluentRef, Initial, ObjectId, Value};

use super::Exporter;
use super::form::Form;
use super::tree::Pddl;

impl Exporter<'_> {
    /// Everything that is true in the beginning, in order of fluent and arguments.
    pub(super) fn initial_facts(&mut self) -> Vec<Pddl> {
        let mut facts = Vec::new();
        let entries: Vec<(FluentId, Args, Value)> =
            self.state.entries().into_iter().map(|(fluent, args, value)| (fluent, args.clone(), value)).collect();
        for by_fluent in entries.chunk_by(|a, b| a.0 == b.0) {
            let Some((fluent, ..)) = by_fluent.first() else { continue };
            if self.has_default(*fluent) {
                continue;
            }
            facts.extend(by_fluent.iter().filter_map(|(fluent, args, value)| self.initial_fact(*fluent, args, *value)));
        }
        for (id, fluent) in self.model.fluents.iter() {
            if !self.has_default(id) {
                continue;
            }
            let choices: Vec<&Choices> = fluent.params.iter().map(|param| &param.choices).collect();
            match self.combinations(&choices) {
                Some(all) => {
                    facts.extend(all.iter().filter_map(|args| self.initial_fact(id, args, self.state.get(id, args))));
                }
                None => {
                    let what = format!("the starting values of {}", self.shown(fluent));
                    self.leave_out(what, "there are too many", fluent.place);
                }
            }
        }
        facts.extend(self.timed_facts());
        self.list_chance();
        facts
    }

    /// Whether PDDL would not know the default of a written fluent by itself.
    fn has_default(&self, fluent: FluentId) -> bool {
        let is_written = matches!(self.forms[fluent], Form::Predicate | Form::Choice { .. } | Form::Function);
        is_written && !matches!(self.model.default_value(fluent), Value::Bool(false) | Value::Nothing)
    }

    fn initial_fact(&self, fluent: FluentId, args: &[Value], value: Value) -> Option<Pddl> {
        let name = self.names.fluents.try_at(fluent)?;
        let mut texts = self.argument_names(args)?;
        match (&self.forms[fluent], value) {
            (Form::Predicate, Value::Bool(true)) => Some(Pddl::fact(name, &texts)),
            (Form::Choice { .. }, Value::Object(_) | Value::Symbol(_)) => {
                texts.extend(self.argument_names(&[value])?);
                Some(Pddl::fact(name, &texts))
            }
            (Form::Function, Value::Number(number)) => {
                Some(Pddl::call("=", [Pddl::fact(name, &texts), Pddl::atom(number.to_string())]))
            }
            _ => None,
        }
    }

    /// The names of values, if all of them exist in the exported level.
    fn argument_names(&self, args: &[Value]) -> Option<Vec<String>> {
        let name = |value: &Value| {
            let is_there = value.as_object().is_none_or(|object| self.is_visible(self.model.objects[object].level));
            self.names.value(*value).filter(|_| is_there).map(str::to_owned)
        };
        args.iter().map(name).collect()
    }

    /// What the world makes true at a later time.
    fn timed_facts(&mut self) -> Vec<Pddl> {
        let mut facts = Vec::new();
        for given in self.model.initial.iter().filter(|given| given.at.is_some()) {
            if !self.is_visible(given.level) {
                continue;
            }
            match self.timed_fact(given) {
                Some(written) => facts.extend(written),
                None => {
                    let what = format!(
                        "what is given for {} at a later time",
                        self.shown(&self.model.fluents[given.target.fluent])
                    );
                    let why =
                        if self.is_temporal() { "PDDL wants plain facts there" } else { "classical PDDL has no time" };
                    self.leave_out(what, why, given.place);
                }
            }
        }
        facts
    }

    fn timed_fact(&self, given: &Initial) -> Option<Vec<Pddl>> {
        let Initial { binders, condition: None, target, change: Change::Set(Expr::Value(value)), at: Some(at), .. } =
            given
        else {
            return None;
        };
        let (true, Expr::Value(Value::Number(ticks))) = (self.is_temporal() && binders.is_empty(), at) else {
            return None;
        };
        let args = plain_args(target)?;
        let time = Pddl::atom(ticks.divide(Fixed::from_int(self.ticks_per_unit())).to_string());
        let fact = match (&self.forms[target.fluent], value) {
            (Form::Predicate, Value::Bool(false)) => self.initial_fact(target.fluent, &args, Value::Bool(true))?.not(),
            // The old value would have to be deleted, and nobody knows it beforehand.
            (Form::Choice { .. }, _) => return None,
            _ => self.initial_fact(target.fluent, &args, *value)?,
        };
        Some(vec![Pddl::call("at", [time, fact])])
    }

    /// Values that chance decides are those of one seed.
    fn list_chance(&mut self) {
        let populations = self.model.populations.values().filter(|population| self.is_visible(population.level));
        let given = self.model.initial.iter().chain(populations.flat_map(|population| &population.given));
        let random: Vec<(FluentId, dramaturg_model::Span)> = given
            .filter(|given| matches!(given.change, Change::Random(_)) && self.is_visible(given.level))
            .map(|given| (given.target.fluent, given.place))
            .collect();
        for (fluent, place) in random {
            if self.forms[fluent] != Form::Nothing {
                let what = format!("the chance in the start of {}", self.shown(&self.model.fluents[fluent]));
                self.leave_out(what, "the values of seed 0 are written", place);
            }
        }
    }

    /// The constants and the other objects, with their types. PDDL's own order is kept for models that came from it: their
    /// constants were first.
    pub(super) fn object_lists(&self) -> (Vec<Pddl>, Vec<Pddl>) {
        let keeps_order = self.model.pddl().is_some();
        let last_used = self.model.objects.ids().rfind(|object| self.domain_uses[*object]);
        let (mut constants, mut objects) = (Vec::new(), Vec::new());
        for (id, object) in self.model.objects.iter().filter(|(_, object)| self.is_visible(object.level)) {
            let is_constant = if keeps_order { last_used.is_some_and(|last| id <= last) } else { self.domain_uses[id] };
            let list = if is_constant { &mut constants } else { &mut objects };
            list.extend([Pddl::atom(&self.names.objects[id]), Pddl::atom("-"), self.type_of(id, object.ty)]);
        }
        for (id, symbol) in self.names.symbols.iter() {
            if !self.symbol_uses[id] {
                continue;
            }
            constants.extend([Pddl::atom(symbol), Pddl::atom("-"), Pddl::atom(&self.tables.symbol_type)]);
        }
        (constants, objects)
    }

    fn type_of(&self, object: ObjectId, ty: dramaturg_model::TypeId) -> Pddl {
        match self.options.character == Some(object) && !self.tables.character_type.is_empty() {
            true => Pddl::atom(&self.tables.character_type),
            false => Pddl::atom(&self.names.types[ty]),
        }
    }
}

fn plain_args(target: &FluentRef) -> Option<Vec<Value>> {
    let value = |arg: &Expr| match arg {
        Expr::Value(value) => Some(*value),
        _ => None,
    };
    target.args.iter().map(value).collect()
}
