//! Values and fluents by name.

use dramaturg_model::{Args, Fixed, FluentId, Model, Param, Value};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::labels::Labels;

/// A value by name. It says whether it is an object or a name-value, for both may be spelt alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SavedValue {
    Nothing,
    Bool(bool),
    Number(Fixed),
    Symbol(SmolStr),
    Object(SmolStr),
}

impl SavedValue {
    pub(super) fn new(labels: &Labels, value: Value) -> Self {
        match value {
            Value::Nothing => Self::Nothing,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::Symbol(symbol) => Self::Symbol(labels.symbols.of(symbol)),
            Value::Object(object) => Self::Object(labels.objects.of(object)),
        }
    }

    pub(super) fn all(labels: &Labels, values: &[Value]) -> Vec<Self> {
        values.iter().map(|value| Self::new(labels, *value)).collect()
    }

    /// The value, or the name that means nothing any more.
    pub(super) fn find(&self, labels: &Labels) -> Result<Value, SmolStr> {
        match self {
            Self::Nothing => Ok(Value::Nothing),
            Self::Bool(value) => Ok(Value::Bool(*value)),
            Self::Number(number) => Ok(Value::Number(*number)),
            Self::Symbol(name) => labels.symbols.find(name).map(Value::Symbol).ok_or_else(|| name.clone()),
            Self::Object(name) => labels.objects.find(name).map(Value::Object).ok_or_else(|| name.clone()),
        }
    }
}

/// The arguments, or why they cannot be.
pub(super) fn find_args(labels: &Labels, saved: &[SavedValue]) -> Result<Args, String> {
    let args: Result<Args, SmolStr> = saved.iter().map(|value| value.find(labels)).collect();
    args.map_err(|name| format!("`{name}` does not exist any more"))
}

/// The arguments for parameters, or why they cannot stand there.
pub(super) fn find_args_for(
    model: &Model,
    labels: &Labels,
    params: &[Param],
    saved: &[SavedValue],
) -> Result<Args, String> {
    let args = find_args(labels, saved)?;
    if args.len() != params.len() {
        return Err(format!("it takes {} arguments now, not {}", params.len(), args.len()));
    }
    // No value may stand anywhere: it is what an attribute of nobody comes to.
    let fits = |(arg, param): (&Value, &Param)| *arg == Value::Nothing || model.is_among(*arg, &param.choices);
    match args.iter().zip(params).find(|pair| !fits(*pair)) {
        Some((arg, param)) => Err(format!("`{}` cannot be its `{}` any more", model.value_name(*arg), param.name)),
        None => Ok(args),
    }
}

/// A fluent with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSlot {
    pub(super) fluent: SmolStr,
    pub(super) args: Vec<SavedValue>,
}

impl SavedSlot {
    pub(super) fn new(labels: &Labels, fluent: FluentId, args: &[Value]) -> Self {
        Self { fluent: labels.fluents.of(fluent), args: SavedValue::all(labels, args) }
    }

    pub(super) fn find(&self, model: &Model, labels: &Labels) -> Result<(FluentId, Args), String> {
        let Some(fluent) = labels.fluents.find(&self.fluent) else {
            return Err(format!("there is no fluent `{}` any more", self.fluent));
        };
        let args = find_args_for(model, labels, &model.fluents[fluent].params, &self.args)?;
        Ok((fluent, args))
    }
}
