//! What never changes, written out as facts: conditions and numbers that PDDL cannot compute, and sets of objects that are no
//! type.

use dramaturg_model::{Args, Choices, Evaluator, Expr, Fixed, FluentSource, Model, Value, Var};
use rustc_hash::FxHashMap;

use super::scope::{Meaning, Scope};
use super::tree::Pddl;
use super::{Cannot, Exporter};

/// How many combinations of arguments are written out at most.
const ROWS_MAX: usize = 100_000;

/// Generated predicates and functions with their facts.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) predicates: Vec<Pddl>,
    pub(super) functions: Vec<Pddl>,
    pub(super) facts: Vec<Pddl>,
    /// The type of everything in a story.
    pub(super) root_type: String,
    /// The type of names that are values.
    pub(super) symbol_type: String,
    /// The type that only the exported character has.
    pub(super) character_type: String,
    wide: Vec<Choices>,
    /// Predicates for sets of objects and names.
    kinds: FxHashMap<Choices, String>,
    /// Predicates and functions for expressions, by what they stand for.
    expressions: Vec<(Expr, Vec<Option<Meaning>>, String)>,
}

impl Tables {
    /// Sets of objects and names that some variable runs over without having a type for them.
    pub(super) fn wide_choices(&self) -> impl Iterator<Item = &Choices> {
        self.wide.iter()
    }

    /// Remembers that a variable runs over these without having a type for them.
    pub(super) fn note_wide(&mut self, choices: &Choices) {
        if !self.wide.contains(choices) {
            self.wide.push(choices.clone());
        }
    }
}

impl Exporter<'_> {
    /// The type of everything. Tools differ in what they do with `object`, so stories have a type of their own for this.
    pub(super) fn root_type(&self) -> Pddl {
        match self.tables.root_type.as_str() {
            "" => Pddl::atom("object"),
            own => Pddl::atom(own),
        }
    }

    /// All combinations of these choices; none if there are too many.
    pub(super) fn combinations(&self, choices: &[&Choices]) -> Option<Vec<Args>> {
        let values: Vec<Vec<Value>> =
            choices.iter().map(|choices| self.model.values_of(choices, self.story_level)).collect();
        let count = values.iter().try_fold(1usize, |count, values| count.checked_mul(values.len()))?;
        if count > ROWS_MAX {
            return None;
        }
        let mut all = vec![Args::new()];
        for values in &values {
            let longer = all.iter().flat_map(|args| {
                values.iter().map(move |value| {
                    let mut args = args.clone();
                    args.push(*value);
                    args
                })
            });
            all = longer.collect();
        }
        Some(all)
    }

    /// A predicate that is true of exactly these choices.
    pub(super) fn kind_predicate(&mut self, choices: &Choices) -> String {
        if let Some(known) = self.tables.kinds.get(choices) {
            return known.clone();
        }
        let mut parts: Vec<&str> = choices.types.iter().map(|ty| self.model.types[*ty].name.as_str()).collect();
        parts.extend(choices.symbols.iter().map(|symbol| self.model.symbols[*symbol].as_str()));
        let name = self.names.fresh(&format!("is-{}", parts.join("-or-")), "set");
        self.tables.predicates.push(Pddl::call(&name, [Pddl::atom("?x"), Pddl::atom("-"), self.root_type()]));
        for value in self.model.values_of(choices, self.story_level) {
            if let Some(value) = self.names.value(value) {
                self.tables.facts.push(Pddl::fact(&name, &[value.to_owned()]));
            }
        }
        self.tables.kinds.insert(choices.clone(), name.clone());
        name
    }

    /// A condition over what never changes, as a predicate of the variables it reads.
    pub(super) fn tabulated_condition(&mut self, expr: &Expr, scope: &Scope) -> Option<Pddl> {
        self.tabulated(expr, scope, "holds", |value, fact| match value {
            Value::Bool(true) => Some(fact),
            _ => None,
        })
    }

    /// A number over what never changes, as a function of the variables it reads.
    pub(super) fn tabulated_number(&mut self, expr: &Expr, scope: &Scope) -> Option<Pddl> {
        self.tabulated(expr, scope, "amount", |value, fact| {
            let number: Fixed = value.as_number()?;
            Some(Pddl::call("=", [fact, Pddl::atom(number.to_string())]))
        })
    }

    fn tabulated(
        &mut self,
        expr: &Expr,
        scope: &Scope,
        kind: &str,
        row: impl Fn(Value, Pddl) -> Option<Pddl>,
    ) -> Option<Pddl> {
        if !is_static(self.model, expr) {
            return None;
        }
        let mut read = vec![false; scope.len()];
        expr.walk(&mut |part| {
            if let Expr::Var(Var(index)) = part
                && let Some(slot) = read.get_mut(usize::from(*index))
            {
                *slot = true;
            }
        });
        let terms = scope.terms();
        let meanings: Vec<Option<Meaning>> =
            terms.iter().zip(&read).map(|(term, read)| read.then(|| term.meaning.clone())).collect();
        let variables: Vec<(usize, &Choices)> = meanings
            .iter()
            .enumerate()
            .filter_map(|(index, meaning)| match meaning {
                Some(Meaning::Variable(choices)) => Some((index, choices)),
                _ => None,
            })
            .collect();
        let args: Vec<String> =
            variables.iter().filter_map(|(index, _)| Some(terms.get(*index)?.text.clone())).collect();
        let known = self.tables.expressions.iter().find(|(known, of, _)| known == expr && *of == meanings);
        if let Some((_, _, name)) = known {
            return Some(Pddl::fact(name, &args));
        }
        let all = self.combinations(&variables.iter().map(|(_, choices)| *choices).collect::<Vec<_>>())?;
        let name = self.names.fresh(kind, kind);
        let mut values: Vec<Value> = terms
            .iter()
            .map(|term| match &term.meaning {
                Meaning::Constant(value) => *value,
                Meaning::Variable(_) => Value::Nothing,
            })
            .collect();
        for combination in &all {
            for ((index, _), value) in variables.iter().zip(combination) {
                if let Some(slot) = values.get_mut(*index) {
                    *slot = *value;
                }
            }
            let names: Option<Vec<String>> =
                combination.iter().map(|value| self.names.value(*value).map(str::to_owned)).collect();
            let value = Evaluator::with(self.model, &self.state, &values).value(expr);
            self.tables.facts.extend(row(value, Pddl::fact(&name, &names?)));
        }
        let mut params = Vec::new();
        for (number, (_, choices)) in variables.iter().enumerate() {
            params.extend([Pddl::atom(format!("?x{}", number + 1)), Pddl::atom("-"), self.declared_type(choices)]);
        }
        let declaration = Pddl::call(&name, params);
        match kind {
            "holds" => self.tables.predicates.push(declaration),
            _ => self.tables.functions.push(declaration),
        }
        self.tables.expressions.push((expr.clone(), meanings.clone(), name.clone()));
        Some(Pddl::fact(&name, &args))
    }

    /// A reason, unless what never changes could be written out instead.
    pub(super) fn or_tabulated(&mut self, cannot: Cannot, expr: &Expr, scope: &Scope) -> Result<Pddl, Cannot> {
        self.tabulated_condition(expr, scope).ok_or(cannot)
    }
}

/// Whether nothing that it reads ever changes; fluents that mean something else must be written out.
pub(super) fn is_static(model: &Model, expr: &Expr) -> bool {
    let mut is_static = true;
    expr.walk(&mut |part| match part {
        Expr::Now | Expr::TimeOfDay | Expr::DayNumber | Expr::StepDuration => is_static = false,
        Expr::Fluent(fluent, _) => {
            let fluent = &model.fluents[*fluent];
            is_static &= fluent.is_static && matches!(fluent.source, FluentSource::Stored | FluentSource::Done(_));
        }
        _ => {}
    });
    is_static
}
