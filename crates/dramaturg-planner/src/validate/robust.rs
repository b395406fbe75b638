//! V3: whether a plan bears every duration the world may choose.

use dramaturg_model::{
    Action, Amount, Change, Duration, Effect, Expr, FluentId, FluentRef, Model, ObjectId, Plan, State, Status,
    TimePoint, UseTarget, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::controllable::{Controllability, Network};
use super::network::Points;
use super::structure::Resolved;
use super::{Report, ValidateOptions};
use crate::simulate::reads::{Argument, Reads};
use crate::simulate::step::duration_bounds;
use crate::simulate::{GoalStatus, Violation, ViolationKind};

/// More points than this are not checked: the algorithm is cubic.
const POINTS_MAX: usize = 8_192;

/// Something a step touches, as far as its text and arguments say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Thing {
    Fluent(FluentId, SmallVec<[Option<Value>; 3]>),
    Object(ObjectId),
}

struct Touch {
    step: usize,
    args: SmallVec<[Option<Value>; 3]>,
    writes: bool,
}

pub(super) fn check(
    model: &Model,
    initial: &State,
    plan: &Plan,
    steps: &[Resolved],
    options: &ValidateOptions,
    report: &mut Report,
) {
    let is_contingent = |step: &Resolved| {
        step.action().is_some_and(|action| matches!(model.actions[action].duration, Duration::Contingent(..)))
    };
    if !steps.iter().any(is_contingent) {
        return;
    }
    let points = Points::new(plan);
    let count = 2 * plan.steps.len() + 1;
    if count > POINTS_MAX {
        let message = format!("a plan with more than {} steps is not checked for all durations", POINTS_MAX / 2);
        report.violations.push(Violation::new(ViolationKind::TooLarge, 0, message));
        return;
    }
    let mut network = Network::new(count);
    let number = |point: TimePoint| points.number(point);
    let mut free: FxHashSet<u32> = FxHashSet::default();
    for constraint in &plan.constraints {
        for point in [constraint.from, constraint.to] {
            if let TimePoint::Start(id) | TimePoint::End(id) = point {
                free.insert(id);
            }
        }
        if let (Some(from), Some(to)) = (number(constraint.from), number(constraint.to)) {
            network.between(from, to, constraint.least, constraint.most);
        }
    }
    for link in &plan.links {
        let ends = link.from.zip(link.to).map(|(from, to)| (TimePoint::End(from), TimePoint::Start(to)));
        if let Some((Some(from), Some(to))) = ends.map(|(from, to)| (number(from), number(to))) {
            network.between(from, to, Some(0), None);
        }
    }
    let windows: FxHashMap<u32, _> = plan.steps.iter().map(|step| (step.id, step.window)).collect();
    for step in steps {
        let (Some(start), Some(end)) = (number(TimePoint::Start(step.id)), number(TimePoint::End(step.id))) else {
            continue;
        };
        match windows.get(&step.id).copied().flatten() {
            Some((earliest, latest)) => network.between(0, start, Some(earliest), Some(latest)),
            None if free.contains(&step.id) && step.status != Status::Running => {
                network.between(0, start, Some(0), None)
            }
            // A plan that leaves no room means the tick it says.
            None => network.between(0, start, Some(step.start), Some(step.start)),
        }
        let bounds = step
            .action()
            .and_then(|action| duration_bounds(model, initial, &model.actions[action].duration, &step.args));
        match bounds {
            Some((least, most)) if is_contingent(step) => network.contingent(start, end, least, most),
            _ => network.between(start, end, Some(step.duration), Some(step.duration)),
        }
    }
    for (before, after) in orders(model, steps) {
        let pair = steps.get(before).zip(steps.get(after));
        let ends = pair.map(|(before, after)| (number(TimePoint::End(before.id)), number(TimePoint::Start(after.id))));
        if let Some((Some(from), Some(to))) = ends {
            network.between(from, to, Some(0), None);
        }
    }
    // What reaches a goal in time must do so however long it takes.
    for goal in &report.goals {
        let GoalStatus::Reached(tick) = goal.status else { continue };
        let Some(deadline) = goal.deadline.filter(|deadline| *deadline >= tick) else { continue };
        for step in steps.iter().filter(|step| step.end() == tick) {
            if let Some(end) = number(TimePoint::End(step.id)) {
                network.between(0, end, None, Some(deadline));
            }
        }
    }
    match network.check(options.work_max) {
        Controllability::Controllable => {}
        Controllability::Unknown => {
            let message = format!("not checked for all durations within {} units of work", options.work_max);
            report.violations.push(Violation::new(ViolationKind::TooLarge, 0, message));
        }
        Controllability::Uncontrollable(point) => {
            let step = point.checked_sub(1).and_then(|point| plan.steps.get(point / 2));
            let message = match step {
                Some(step) => format!(
                    "no way of starting steps bears every duration the world may choose; step {} is where it fails",
                    step.id
                ),
                None => "no way of starting steps bears every duration the world may choose".to_owned(),
            };
            let mut violation = Violation::new(ViolationKind::NotControllable, step.map_or(0, |s| s.start), message);
            violation.step = step.map(|step| step.id);
            report.violations.push(violation);
        }
    }
}

/// Pairs of steps of which the first must end before the second starts: what one writes the other reads or writes, or both hold
/// the same thing.
fn orders(model: &Model, steps: &[Resolved]) -> Vec<(usize, usize)> {
    let mut in_order: Vec<usize> = (0..steps.len()).collect();
    in_order.sort_by_key(|at| steps.get(*at).map(|step| (step.start, step.end())));
    let mut fluents: FxHashMap<FluentId, Vec<Touch>> = FxHashMap::default();
    let mut objects: FxHashMap<ObjectId, Vec<usize>> = FxHashMap::default();
    let mut orders = FxHashSet::default();
    for at in in_order {
        let Some(step) = steps.get(at) else { continue };
        let Some(action) = step.action().map(|action| &model.actions[action]) else { continue };
        let ended = |other: usize| steps.get(other).is_some_and(|other| other.end() <= step.start);
        for (thing, writes) in touched(model, action, &step.args) {
            match thing {
                Thing::Fluent(fluent, args) => {
                    let touches = fluents.entry(fluent).or_default();
                    for earlier in touches.iter().filter(|earlier| earlier.step != at && ended(earlier.step)) {
                        if (writes || earlier.writes) && overlap(&args, &earlier.args) {
                            orders.insert((earlier.step, at));
                        }
                    }
                    touches.push(Touch { step: at, args, writes });
                }
                Thing::Object(object) => {
                    let holders = objects.entry(object).or_default();
                    orders.extend(
                        holders.iter().filter(|other| **other != at && ended(**other)).map(|other| (*other, at)),
                    );
                    holders.push(at);
                }
            }
        }
    }
    let mut orders: Vec<_> = orders.into_iter().collect();
    orders.sort_unstable();
    orders
}

fn overlap(left: &[Option<Value>], right: &[Option<Value>]) -> bool {
    left.iter().zip(right).all(|(left, right)| left.is_none() || right.is_none() || left == right)
}

/// Everything an action touches, and whether it writes it.
fn touched(model: &Model, action: &Action, args: &[Value]) -> Vec<(Thing, bool)> {
    let mut reads = Reads::default();
    let params = action.params.len();
    let mut written: Vec<&FluentRef> = Vec::new();
    action.conditions.iter().for_each(|condition| reads.include(model, &condition.condition, params));
    let expected = action.expectation.iter().flat_map(|expectation| &expectation.effects);
    for Effect { condition, target, change, .. } in action.effects.iter().chain(expected) {
        condition.iter().for_each(|condition| reads.include(model, condition, params));
        if let Change::Set(value) | Change::Add(value) = change {
            reads.include(model, value, params);
        }
        written.push(target);
    }
    for contribution in &action.contributions {
        contribution.condition.iter().for_each(|condition| reads.include(model, condition, params));
        let (Amount::PerTick(amount) | Amount::Total(amount)) = &contribution.amount;
        reads.include(model, amount, params);
        written.push(&contribution.target);
    }
    let value = |argument: &Argument| match argument {
        Argument::Is(value) => Some(*value),
        Argument::Param(param) => args.get(usize::from(*param)).copied(),
        Argument::Any => None,
    };
    let mut things: Vec<(Thing, bool)> = reads
        .fluents
        .iter()
        .filter(|(fluent, _)| !model.fluents[*fluent].is_static)
        .map(|(fluent, arguments)| (Thing::Fluent(*fluent, arguments.iter().map(value).collect()), false))
        .collect();
    let known = |expr: &Expr| match expr {
        Expr::Value(value) => Some(*value),
        Expr::Var(var) => args.get(usize::from(var.0)).copied(),
        _ => None,
    };
    for target in written {
        things.push((Thing::Fluent(target.fluent, target.args.iter().map(known).collect()), true));
    }
    for hold in &action.uses {
        let held = match &hold.target {
            UseTarget::Whole(whole) => known(whole),
            UseTarget::Actuator(_, args) => args.first().and_then(known),
        };
        things.extend(held.and_then(Value::as_object).map(|object| (Thing::Object(object), true)));
    }
    things
}
