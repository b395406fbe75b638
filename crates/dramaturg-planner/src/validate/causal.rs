//! V1 and V2 in ticks: a world performs the plan, and what is not as it must be is collected.

use dramaturg_model::{Model, State, Status, Tick, WishKind};

use super::structure::Resolved;
use super::{Level, Report, ValidateOptions, preferences};
use crate::simulate::step::Performed;
use crate::simulate::{
    Detail, Expectations, GoalStatus, Phase, Unmet, Violation, ViolationKind, World, WorldEventKind, WorldOptions,
    unmet,
};

/// The deadlines of goals are followed so often: goals after goals may each have one.
const DEADLINES_MAX: usize = 64;

pub(super) fn run(model: &Model, initial: &State, steps: &[Resolved], options: &ValidateOptions, report: &mut Report) {
    let mut world = World::new(
        model,
        initial.clone(),
        WorldOptions {
            seed: options.seed,
            detail: Detail::Violations,
            expectations: Expectations::Assumed,
            unmet: Unmet::Performed,
            follow: options.goals.follow(),
            work_max: options.work_max,
        },
    );
    for step in steps {
        put(model, &mut world, step);
    }
    // Before the first tick it counts as having been looked at.
    let begin = initial.now();
    let mut curves = preferences::Curves::new(model, initial, options.goals);
    let end = steps.iter().map(|step| step.end() + Tick::from(step.duration == 0)).max().unwrap_or(begin).max(begin);
    let end = options.until.unwrap_or(end);
    curves.run(model, &mut world, end);
    // A goal with a deadline may be reached after the last step, by what rules do.
    for _ in 0..DEADLINES_MAX {
        let deadlines = world.goals().into_iter().filter(|goal| goal.status == GoalStatus::Active);
        let last = deadlines.filter_map(|goal| goal.deadline).max();
        match last.filter(|last| *last > world.now() && options.until.is_none()) {
            Some(last) => curves.run(model, &mut world, last),
            None => break,
        }
    }
    collect(&mut world, options, report);
    if world.ending().is_some() {
        for id in world.waiting() {
            let message = format!("step {id} is never performed, for the story is over");
            report.violations.push(Violation::new(ViolationKind::AfterEnding, world.now(), message).of(id));
        }
    }
    open_goals(model, &world, begin, report);
    report.goals = world.goals();
    report.end = world.now();
    report.state = world.state().clone();
    report.effort = world.effort();
    curves.report(model, world.state(), report);
}

fn put(model: &Model, world: &mut World, step: &Resolved) {
    let runs = matches!(step.status, Status::Running | Status::Unknown) && step.start < world.now();
    match step.what {
        Performed::Action(action) if runs => {
            world.resume(model, step.id, action, step.args.clone(), (step.start, step.duration));
        }
        what => world.put(step.id, what, step.args.clone(), step.start, Some(step.duration), None),
    }
}

fn collect(world: &mut World, options: &ValidateOptions, report: &mut Report) {
    let count = world.violations();
    let mut kept = 0;
    for event in world.drain() {
        if let WorldEventKind::Violation(violation) = event.kind {
            kept += 1;
            if level_of(violation.kind) <= options.level {
                report.violations.push(violation);
            }
        }
    }
    if count > kept {
        let message = format!("{} more violations are not shown", count - kept);
        report.violations.push(Violation::new(ViolationKind::TooLarge, world.now(), message));
    }
}

/// The level at which a kind of violation counts.
fn level_of(kind: ViolationKind) -> Level {
    match kind {
        ViolationKind::OverCapacity
        | ViolationKind::Constraint
        | ViolationKind::Inconsistent
        | ViolationKind::Window
        | ViolationKind::GoalMissed => Level::V2,
        ViolationKind::NotControllable => Level::V3,
        _ => Level::V1,
    }
}

/// Goals that were wanted from the beginning and are not reached. What was taken up on the way is the next plan's business.
fn open_goals(model: &Model, world: &World, begin: Tick, report: &mut Report) {
    let (now, phase) = world.next_phase();
    debug_assert!(phase != Phase::Check || now >= begin);
    for goal in world.goals() {
        let wish = &model.wishes[goal.wish];
        let WishKind::Goal { aims, .. } = &wish.kind else { continue };
        let is_open = goal.status == GoalStatus::Active && goal.taken.is_some_and(|taken| taken <= begin);
        let Some(aim) = aims.get(usize::from(goal.aim)).filter(|_| is_open) else { continue };
        let leaves = unmet(model, world.state(), &aim.condition, &goal.args, None);
        for leaf in &leaves {
            let violation = leaf.violation(ViolationKind::GoalNotReached, world.now(), "a goal");
            report.violations.push(violation.at(wish.place));
        }
        if leaves.is_empty() {
            let message = "a goal is not reached within the plan".to_owned();
            report.violations.push(Violation::new(ViolationKind::GoalNotReached, world.now(), message).at(wish.place));
        }
    }
}
