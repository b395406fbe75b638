//! Names of fluents, values and actions, as plans and observations write them.

use std::fmt;

use dramaturg_model::{Args, Domain, FluentId, Model, Param, Value};
use smol_str::SmolStr;

use super::step::Performed;

/// A name that means nothing in the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameProblem {
    /// There is no such action or task.
    UnknownAction(SmolStr),
    /// There is no such fluent.
    UnknownFluent(SmolStr),
    /// There is no such object or value.
    UnknownValue(SmolStr),
    /// So many arguments are wanted, and so many are given.
    WrongCount {
        /// For what.
        name: SmolStr,
        /// How many it wants.
        wanted: usize,
        /// How many are given.
        found: usize,
    },
    /// A value that cannot stand there.
    WrongType {
        /// The value.
        value: SmolStr,
        /// Where it stands.
        param: SmolStr,
    },
}

impl fmt::Display for NameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownAction(name) => write!(f, "there is no action or task called `{name}`"),
            Self::UnknownFluent(name) => write!(f, "there is no fluent called `{name}`"),
            Self::UnknownValue(name) => write!(f, "nothing is called `{name}`"),
            Self::WrongCount { name, wanted, found } => {
                write!(f, "`{name}` takes {wanted} arguments, not {found}")
            }
            Self::WrongType { value, param } => write!(f, "`{value}` cannot be `{param}`"),
        }
    }
}

impl std::error::Error for NameProblem {}

/// The fluent and arguments of `peace`, `player.location`, `talked(paris, helen)`.
pub fn fluent(model: &Model, text: &str) -> Result<(FluentId, Args), NameProblem> {
    let unknown = || NameProblem::UnknownFluent(SmolStr::new(text));
    let (fluent, args) = match text.split_once('(') {
        Some((name, rest)) => {
            let inside = rest.strip_suffix(')').ok_or_else(unknown)?;
            let names: Vec<&str> = inside.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
            (model.find_relation(name.trim()).ok_or_else(unknown)?, values(model, &names)?)
        }
        None => match (model.find_relation(text), text.rsplit_once('.')) {
            (Some(fluent), _) => (fluent, Args::new()),
            (None, Some((owner, name))) => {
                let owner = model.find_object(owner).ok_or_else(unknown)?;
                let fluent = model.find_attribute(model.objects[owner].ty, name).ok_or_else(unknown)?;
                (fluent, Args::from_slice(&[Value::Object(owner)]))
            }
            (None, None) => return Err(unknown()),
        },
    };
    check(model, &SmolStr::new(text), &model.fluents[fluent].params, &args)?;
    Ok((fluent, args))
}

/// A value of a fluent by its name.
pub fn value_of(model: &Model, fluent: FluentId, text: &str) -> Result<Value, NameProblem> {
    let declared = &model.fluents[fluent];
    let value = model.find_value(text).ok_or_else(|| NameProblem::UnknownValue(SmolStr::new(text)))?;
    let wrong = || NameProblem::WrongType { value: SmolStr::new(text), param: declared.name.clone() };
    match (&declared.domain, value) {
        (Domain::Bool, Value::Bool(_)) => Ok(value),
        (Domain::Choice(choices), _) => {
            // The same spelling may be an object and a name; the domain decides.
            let symbol = model.find_symbol(text).map(Value::Symbol);
            [Some(value), symbol].into_iter().flatten().find(|value| model.is_among(*value, choices)).ok_or_else(wrong)
        }
        (domain, Value::Number(number)) if domain.is_numeric() => Ok(Value::Number(domain.clamp(number))),
        _ => Err(wrong()),
    }
}

fn values(model: &Model, names: &[&str]) -> Result<Args, NameProblem> {
    names
        .iter()
        .map(|name| model.find_value(name).ok_or_else(|| NameProblem::UnknownValue(SmolStr::new(name))))
        .collect()
}

fn check(model: &Model, name: &SmolStr, params: &[Param], args: &[Value]) -> Result<(), NameProblem> {
    if params.len() != args.len() {
        return Err(NameProblem::WrongCount { name: name.clone(), wanted: params.len(), found: args.len() });
    }
    for (arg, param) in args.iter().zip(params) {
        if !model.is_among(*arg, &param.choices) {
            return Err(NameProblem::WrongType { value: model.value_name(*arg), param: param.name.clone() });
        }
    }
    Ok(())
}

/// The action or task of this name.
pub(crate) fn performed(model: &Model, name: &str) -> Result<Performed, NameProblem> {
    let action = model.find_action(name).map(Performed::Action);
    let task = || model.tasks.iter().find(|(_, task)| task.name == name).map(|(id, _)| Performed::Task(id));
    action.or_else(task).ok_or_else(|| NameProblem::UnknownAction(SmolStr::new(name)))
}

/// The arguments of an action or task by name.
pub(crate) fn args(model: &Model, what: Performed, names: &[SmolStr]) -> Result<Args, NameProblem> {
    let (name, params) = match what {
        Performed::Action(action) => (&model.actions[action].name, &model.actions[action].params),
        Performed::Task(task) => (&model.tasks[task].name, &model.tasks[task].params),
    };
    if params.len() != names.len() {
        return Err(NameProblem::WrongCount { name: name.clone(), wanted: params.len(), found: names.len() });
    }
    names.iter().zip(params).map(|(name, param)| argument(model, param, name)).collect()
}

/// An argument by name: the object or the name-value that the parameter may be.
pub(crate) fn argument(model: &Model, param: &Param, name: &str) -> Result<Value, NameProblem> {
    let object = model.find_object(name).map(Value::Object);
    if let Some(object) = object.filter(|object| model.is_among(*object, &param.choices)) {
        return Ok(object);
    }
    match model.find_symbol(name).map(Value::Symbol) {
        Some(symbol) if model.is_among(symbol, &param.choices) => Ok(symbol),
        None if object.is_none() => Err(NameProblem::UnknownValue(SmolStr::new(name))),
        _ => Err(NameProblem::WrongType { value: SmolStr::new(name), param: param.name.clone() }),
    }
}
