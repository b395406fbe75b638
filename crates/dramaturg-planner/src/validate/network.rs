//! V2: the plan's own constraints as a simple temporal network.

use dramaturg_model::{Plan, Tick, TimePoint};
use rustc_hash::FxHashMap;

use super::structure::TICK_MAX;
use super::{Report, ValidateOptions};
use crate::simulate::{Violation, ViolationKind};

/// `to` comes at most `most` ticks after `from`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    most: Tick,
}

/// A point of the plan's time, by number: the origin, then start and end of each step.
pub(super) struct Points {
    numbers: FxHashMap<u32, usize>,
}

impl Points {
    pub(super) fn new(plan: &Plan) -> Self {
        Self { numbers: plan.steps.iter().zip(0..).map(|(step, at)| (step.id, at)).collect() }
    }

    pub(super) fn number(&self, point: TimePoint) -> Option<usize> {
        match point {
            TimePoint::Origin => Some(0),
            TimePoint::Start(id) => self.numbers.get(&id).map(|at| 2 * at + 1),
            TimePoint::End(id) => self.numbers.get(&id).map(|at| 2 * at + 2),
        }
    }
}

/// A point in the words of a message.
pub(super) fn point_name(point: TimePoint) -> String {
    match point {
        TimePoint::Origin => "tick 0".to_owned(),
        TimePoint::Start(id) => format!("the start of step {id}"),
        TimePoint::End(id) => format!("the end of step {id}"),
    }
}

/// Checks that the times satisfy windows and constraints and, if not, whether any times would.
pub(super) fn check(plan: &Plan, options: &ValidateOptions, report: &mut Report) {
    let by_id: FxHashMap<u32, (Tick, Tick)> =
        plan.steps.iter().map(|step| (step.id, (step.start, step.end()))).collect();
    let time = |point: TimePoint| match point {
        TimePoint::Origin => Some(0),
        TimePoint::Start(id) => by_id.get(&id).map(|times| times.0),
        TimePoint::End(id) => by_id.get(&id).map(|times| times.1),
    };
    let before = report.violations.len();
    for step in &plan.steps {
        let Some((earliest, latest)) = step.window else { continue };
        if !(earliest..=latest).contains(&step.start) {
            let message = format!("step {} starts at {}, outside its window", step.id, step.start);
            let violation = Violation::new(ViolationKind::Window, step.start, message).of(step.id);
            report.violations.push(violation.values(format!("{earliest}..{latest}"), step.start.to_string()));
        }
    }
    for constraint in &plan.constraints {
        let (Some(from), Some(to)) = (time(constraint.from), time(constraint.to)) else { continue };
        let apart = to.saturating_sub(from);
        let least = constraint.least.filter(|least| apart < *least).map(|least| format!("at least {least}"));
        let most = constraint.most.filter(|most| apart > *most).map(|most| format!("at most {most}"));
        for wanted in least.into_iter().chain(most) {
            let (first, second) = (point_name(constraint.from), point_name(constraint.to));
            let message = format!("{second} comes {apart} ticks after {first}, but must come {wanted} after it");
            let violation = Violation::new(ViolationKind::Constraint, to, message);
            report.violations.push(violation.values(wanted, apart.to_string()));
        }
    }
    if report.violations.len() > before {
        consistency(plan, options, report);
    }
}

/// Whether any times satisfy the constraints, by Bellman and Ford from the times at hand.
fn consistency(plan: &Plan, options: &ValidateOptions, report: &mut Report) {
    let points = Points::new(plan);
    let count = 2 * plan.steps.len() + 1;
    let mut edges = Vec::new();
    let mut between = |from: usize, to: usize, least: Option<Tick>, most: Option<Tick>| {
        if let Some(most) = most {
            edges.push(Edge { from, to, most: most.clamp(-TICK_MAX, TICK_MAX) });
        }
        if let Some(least) = least {
            edges.push(Edge { from: to, to: from, most: -least.clamp(-TICK_MAX, TICK_MAX) });
        }
    };
    for (at, step) in plan.steps.iter().enumerate() {
        between(2 * at + 1, 2 * at + 2, Some(step.duration), Some(step.duration));
        let (earliest, latest) = step.window.map_or((0, None), |(earliest, latest)| (earliest, Some(latest)));
        between(0, 2 * at + 1, Some(earliest), latest);
    }
    for constraint in &plan.constraints {
        if let (Some(from), Some(to)) = (points.number(constraint.from), points.number(constraint.to)) {
            between(from, to, constraint.least, constraint.most);
        }
    }
    let mut times: Vec<Tick> = vec![0; count];
    for (at, step) in plan.steps.iter().enumerate() {
        for (slot, time) in [(2 * at + 1, step.start), (2 * at + 2, step.end())] {
            if let Some(place) = times.get_mut(slot) {
                *place = time.clamp(-TICK_MAX, TICK_MAX);
            }
        }
    }
    let mut work: u64 = 0;
    for pass in 0..=count {
        let mut changed = false;
        for Edge { from, to, most } in &edges {
            let (Some(earlier), Some(later)) = (times.get(*from).copied(), times.get(*to).copied()) else { continue };
            let bound = earlier.saturating_add(*most);
            if later > bound {
                changed = true;
                if let Some(place) = times.get_mut(*to) {
                    *place = bound;
                }
            }
        }
        work = work.saturating_add(edges.len() as u64);
        if !changed {
            return;
        }
        if work > options.work_max {
            let message = format!("the constraints are too many to see within {} units of work", options.work_max);
            report.violations.push(Violation::new(ViolationKind::TooLarge, 0, message));
            return;
        }
        if pass == count {
            let message = "no times at all satisfy the constraints, windows and durations of this plan".to_owned();
            report.violations.push(Violation::new(ViolationKind::Inconsistent, 0, message));
        }
    }
}
