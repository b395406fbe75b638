//! What a conductor plans with: the problem, grounded, and its operators by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{FluentId, Model, State, Step, Tick, Value};
use smol_str::SmolStr;

use crate::ground::{Goals, GroundOptions, OperatorId, Problem, ground};
use crate::host::Cooldowns;
use crate::search::Target;
use crate::temporal::cost::Objective;
use crate::temporal::footprint::Footprints;

/// A problem with all that plans in time ask of it, whatever state they start from.
pub(super) struct Score {
    pub(super) problem: Arc<Problem>,
    pub(super) footprints: Arc<Footprints>,
    pub(super) objective: Objective,
    pub(super) target: Target,
    pub(super) epsilon: Tick,
    operators: BTreeMap<(SmolStr, Vec<SmolStr>), OperatorId>,
}

impl Score {
    /// Grounded from a state, without what somebody said no to.
    pub(super) fn new(model: &Model, state: &State, refused: &Cooldowns) -> Self {
        let options = GroundOptions { goals: Some(Goals::Story), state: Some(state), ..GroundOptions::default() };
        let mut problem = ground(model, &options).problem;
        if !refused.is_empty() {
            let is_refused = |id| {
                let (action, args) = names(model, &problem, id);
                refused.iter().any(|(name, known, _)| (name, known) == (&action, args.as_slice()))
            };
            problem = problem.without(model.objects.len(), &is_refused);
        }
        let target = Target::new(problem.story_goals(model).into_iter().cloned().collect());
        let mut operators = BTreeMap::new();
        for id in problem.operators.ids() {
            operators.insert(names(model, &problem, id), id);
        }
        Self {
            footprints: Arc::new(Footprints::new(model, &problem)),
            objective: Objective::new(model, &problem),
            epsilon: model.pddl().map_or(1, |origin| origin.epsilon).max(1),
            problem: Arc::new(problem),
            target,
            operators,
        }
    }

    /// The operator of a step; none if the problem does without it.
    pub(super) fn operator(&self, step: &Step) -> Option<OperatorId> {
        self.operators.get(&(step.action.clone(), step.args.clone())).copied()
    }

    /// The action and the arguments of an operator.
    pub(super) fn names(&self, model: &Model, operator: OperatorId) -> (SmolStr, Vec<SmolStr>) {
        names(model, &self.problem, operator)
    }

    /// Whether a fluent is one of those that change in the problem.
    pub(super) fn knows(&self, fluent: FluentId, args: &[Value]) -> bool {
        self.problem.place(fluent, args).is_some()
    }
}

fn names(model: &Model, problem: &Problem, operator: OperatorId) -> (SmolStr, Vec<SmolStr>) {
    let action = model.actions[problem.operators[operator].action].name.clone();
    (action, problem.args(operator).iter().map(|arg| model.value_name(*arg)).collect())
}
