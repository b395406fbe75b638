//! What is given at ticks, as changes of a problem.

use dramaturg_model::{Change, Evaluator, Fixed, Model, State, Tick, Value};

use super::footprint::Slot;
use crate::ground::{GroundChange, GroundExpr, Place, Problem};

/// A change that comes at a tick, whatever is planned.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// When.
    pub(super) at: Tick,
    /// What.
    pub(super) change: GroundChange,
    /// What it touches.
    pub(super) slot: Slot,
}

/// All that is given at ticks and that a problem knows, in order of time.
pub(super) fn givens(model: &Model, problem: &Problem) -> Vec<Given> {
    let initial = State::initial(model, 0);
    let numbers = problem.variables.len() as Slot;
    let mut found: Vec<Given> = Vec::new();
    for given in model.timed_given() {
        let mut scope = Evaluator::new(model, &initial);
        let Some(at) = given.at.as_ref().and_then(|at| scope.number(at)).map(Fixed::round_half_up) else {
            continue;
        };
        let Change::Set(value) = &given.change else { continue };
        let value = scope.value(value);
        let args = scope.args(&given.target.args);
        let (change, slot) = match (problem.place(given.target.fluent, &args), value) {
            (Some(Place::Variable(variable)), value) => match problem.variables[variable].index_of(value) {
                Some(index) => (GroundChange::Set(variable, index), variable.0),
                None => continue,
            },
            (Some(Place::Member(variable, index)), Value::Bool(true)) => {
                (GroundChange::Set(variable, index), variable.0)
            }
            (Some(Place::Member(variable, index)), _) => {
                let none = problem.variables[variable].size().saturating_sub(1);
                (GroundChange::Leave(variable, index, none), variable.0)
            }
            (Some(Place::Number(number)), value) => {
                (GroundChange::SetNumber(number, GroundExpr::Value(value)), numbers + number.0)
            }
            (Some(Place::Constant(_)) | None, _) => continue,
        };
        found.push(Given { at, change, slot });
    }
    found.sort_by_key(|given| (given.at, given.slot));
    found
}
