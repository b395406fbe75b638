//! The untimed reading of the lifted model: every action with every argument, tried out.

use dramaturg_model::{
    Action, ActionId, Amount, Args, Change, ConditionTime, Contribution, Duration, Effect, Evaluator, EventKind, Fixed,
    FluentId, FluentSource, Model, Moment, PatternArg, State, Tick, Value,
};

/// All instances that can be performed now, with the states they lead to.
pub(crate) fn successors(model: &Model, state: &State) -> Vec<(ActionId, Args, State)> {
    let mut found = Vec::new();
    for (id, action) in model.actions.iter().filter(|(_, a)| model.is_visible(a.level, state.level())) {
        let sets: Vec<Vec<Value>> =
            action.params.iter().map(|param| model.values_of(&param.choices, state.level())).collect();
        let sets: Vec<&[Value]> = sets.iter().map(Vec::as_slice).collect();
        for args in super::super::world::product(&sets) {
            if let Some(next) = perform(model, state, action, &args) {
                found.push((id, args.into_iter().collect(), next));
            }
        }
    }
    found
}

/// The state after an action from start to end, as one transition.
pub(crate) fn perform(model: &Model, state: &State, action: &Action, args: &[Value]) -> Option<State> {
    let ticks = match &action.duration {
        Duration::Fixed(ticks) => Evaluator::with(model, state, args).number(ticks).map(|n| n.round_half_up()),
        _ => None,
    };
    let is_instant = action.duration == Duration::Instant;
    let holds = |state: &State, times: &[ConditionTime]| {
        action
            .conditions
            .iter()
            .filter(|timed| timed.weight.is_none() && (times.contains(&timed.time)))
            .all(|timed| scope(model, state, args, ticks).holds(&timed.condition))
    };
    if !holds(state, &[ConditionTime::Start]) {
        return None;
    }
    let expected = action.expectation.iter().flat_map(|expectation| &expectation.effects);
    let effects: Vec<&Effect> = action.effects.iter().chain(expected).collect();
    let is_start = |effect: &&&Effect| effect.moment == Moment::Start && !is_instant;
    let mut next = state.clone();
    write(model, &mut next, effects.iter().filter(is_start).copied(), (args, ticks), &[]);
    if !holds(&next, &[ConditionTime::Throughout, ConditionTime::End]) {
        return None;
    }
    let later = effects.iter().filter(|effect| !is_start(effect)).copied();
    write(model, &mut next, later, (args, ticks), &action.contributions);
    done(model, &mut next, action, args);
    Some(next)
}

/// Sets what is `done` by an action.
fn done(model: &Model, state: &mut State, action: &Action, args: &[Value]) {
    let own = model.actions.iter().find(|(_, other)| other.name == action.name).map(|(id, _)| EventKind::Action(id));
    for (fluent, declared) in model.fluents.iter() {
        let FluentSource::Done(pattern) = &declared.source else { continue };
        let matches =
            Some(pattern.kind) == own || matches!(pattern.kind, EventKind::Tag(tag) if action.tags.contains(&tag));
        let wanted = pattern.args.clone().unwrap_or_default();
        if !matches || wanted.iter().zip(args).any(|(wanted, arg)| matches!(wanted, PatternArg::Is(v) if v != arg)) {
            continue;
        }
        let param = |index: usize| {
            let place =
                wanted.iter().position(|arg| matches!(arg, PatternArg::Var(var) if usize::from(var.0) == index));
            place.map(|place| args[place])
        };
        let target: Option<Args> = (0..declared.params.len()).map(param).collect();
        if let Some(target) = target {
            state.set(fluent, &target, Value::Bool(true));
        }
    }
}

fn scope<'a>(model: &'a Model, state: &'a State, args: &[Value], ticks: Option<Tick>) -> Evaluator<'a, State> {
    let scope = Evaluator::with(model, state, args);
    match ticks {
        Some(ticks) => scope.lasting(ticks),
        None => scope,
    }
}

/// Sets, then additions, then ranges; derived fluents last.
fn write<'e>(
    model: &Model,
    state: &mut State,
    effects: impl Iterator<Item = &'e Effect>,
    (args, ticks): (&[Value], Option<Tick>),
    contributions: &[Contribution],
) {
    let before = state.clone();
    let mut sets: Vec<(FluentId, Args, Value)> = Vec::new();
    let mut adds = Vec::new();
    for effect in effects {
        scope(model, &before, args, ticks).for_each(&effect.binders, &mut |scope| {
            if effect.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let target = scope.args(&effect.target.args);
            let params = &model.fluents[effect.target.fluent].params;
            if target.iter().zip(params).any(|(arg, param)| !model.is_among(*arg, &param.choices)) {
                return;
            }
            match &effect.change {
                Change::Set(value) => match scope.value(value) {
                    Value::Nothing => {}
                    value => sets.push((effect.target.fluent, target, value)),
                },
                Change::Add(amount) => {
                    adds.extend(scope.number(amount).map(|amount| (effect.target.fluent, target, amount)));
                }
                Change::Random(_) => {}
            }
        });
    }
    for part in contributions {
        scope(model, &before, args, ticks).for_each(&part.binders, &mut |scope| {
            if part.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                return;
            }
            let target = scope.args(&part.target.args);
            let amount = match &part.amount {
                Amount::PerTick(amount) => {
                    scope.number(amount).map(|amount| amount.multiply(Fixed::from_int(ticks.unwrap_or(1))))
                }
                Amount::Total(amount) => scope.number(amount),
            };
            adds.extend(amount.map(|amount| (part.target.fluent, target, amount)));
        });
    }
    let mut touched: Vec<(FluentId, Args)> = Vec::new();
    for (fluent, args, value) in sets {
        state.set(fluent, &args, value);
        touched.push((fluent, args));
    }
    for (fluent, args, amount) in adds {
        if let Value::Number(old) = state.get(fluent, &args) {
            state.set(fluent, &args, Value::Number(old + amount));
            touched.push((fluent, args));
        }
    }
    for (fluent, args) in touched {
        if let Value::Number(number) = state.get(fluent, &args) {
            state.set(fluent, &args, Value::Number(model.fluents[fluent].domain.clamp(number)));
        }
    }
    if model.fluents.values().any(|fluent| matches!(fluent.source, FluentSource::Derived { .. })) {
        state.derive(model);
    }
}
