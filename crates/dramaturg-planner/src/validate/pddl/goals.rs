//! Goals in PDDL's sense: what is wanted must hold in the end; what is constrained is looked at after every happening.

use dramaturg_model::{AimTime, Args, Evaluator, Expr, Fixed, Model, Owner, State, Tick, WishId, WishKind};

use super::super::{Goals, Report, preferences};
use crate::simulate::{GoalReport, GoalStatus, ViolationKind, unmet};

/// Goals and what has been seen of them.
pub(super) struct GoalTrack {
    goals: Vec<Tracked>,
    preferences: preferences::Curves,
}

struct Tracked {
    wish: WishId,
    aim: usize,
    from: Tick,
    to: Option<Tick>,
    status: GoalStatus,
    /// The first state in which it was broken or missed.
    failed: Option<State>,
    /// When it was looked at last, and whether it held from then on.
    since: Tick,
    held: bool,
}

impl Tracked {
    /// Nothing has changed since it was looked at, and now it is a later time.
    fn pass(&mut self, time: &AimTime, now: Tick) {
        let Some(to) = self.to.filter(|_| self.status == GoalStatus::Active) else { return };
        match time {
            AimTime::At(_) if self.since <= to && to < now => {
                self.status = if self.held { GoalStatus::Reached(to) } else { GoalStatus::Missed(to) };
            }
            AimTime::During(..) if now > self.from && self.since < to => {
                if !self.held {
                    self.status = GoalStatus::Missed(self.from.max(self.since));
                } else if now >= to {
                    self.status = GoalStatus::Reached(to);
                }
            }
            _ => {}
        }
    }
}

impl GoalTrack {
    pub(super) fn new(model: &Model, initial: &State, goals: Goals) -> Self {
        let mut tracked = Vec::new();
        let wanted = |owner: Owner| match goals {
            Goals::All => matches!(owner, Owner::Story | Owner::Character(_)),
            Goals::Story => owner == Owner::Story,
            Goals::Character(object) => owner == Owner::Character(object),
            Goals::None => false,
        };
        let mut scope = Evaluator::new(model, initial);
        let mut ticks = |expr: &Expr| scope.number(expr).map_or(0, Fixed::round_half_up);
        for (wish, declared) in model.wishes.iter().filter(|(_, wish)| wanted(wish.owner) && wish.params.is_empty()) {
            let times: Vec<(Tick, Option<Tick>)> = match &declared.kind {
                WishKind::Goal { aims, .. } => aims
                    .iter()
                    .map(|aim| match &aim.time {
                        AimTime::Eventually => (0, None),
                        AimTime::At(at) | AimTime::By(at) => (ticks(at), Some(ticks(at))),
                        AimTime::During(from, to) => (ticks(from), Some(ticks(to))),
                    })
                    .collect(),
                WishKind::Keep { window: Some((from, to)), .. } => vec![(ticks(from), Some(ticks(to)))],
                WishKind::Keep { window: None, .. } => vec![(0, None)],
                WishKind::Prefer { .. } => continue,
            };
            tracked.extend(times.into_iter().enumerate().map(|(aim, (from, to))| Tracked {
                wish,
                aim,
                from,
                to,
                status: GoalStatus::Active,
                failed: None,
                since: Tick::MIN,
                held: true,
            }));
        }
        Self { goals: tracked, preferences: preferences::Curves::new(model, initial, goals) }
    }

    /// Looks at the state after a happening.
    pub(super) fn look(&mut self, model: &Model, state: &State) {
        let now = state.now();
        for goal in &mut self.goals {
            let wish = &model.wishes[goal.wish];
            if goal.status != GoalStatus::Active || wish.condition.as_ref().is_some_and(|c| !holds(model, state, c)) {
                continue;
            }
            match &wish.kind {
                WishKind::Keep { condition, .. } => {
                    let inside = now >= goal.from && goal.to.is_none_or(|to| now < to);
                    if inside && !holds(model, state, condition) {
                        goal.status = GoalStatus::Missed(now);
                        goal.failed = Some(state.clone());
                    }
                }
                WishKind::Goal { aims, .. } => {
                    let Some(aim) = aims.get(goal.aim) else { continue };
                    goal.pass(&aim.time, now);
                    let held = holds(model, state, &aim.condition);
                    (goal.since, goal.held) = (now, held);
                    // A goal without a time is looked at in the end only.
                    if matches!(aim.time, AimTime::By(_)) && goal.to.is_some_and(|to| now <= to) && held {
                        goal.status = GoalStatus::Reached(now);
                    }
                }
                WishKind::Prefer { .. } => {}
            }
        }
    }

    /// Reports what is not reached or not kept in the end.
    pub(super) fn finish(mut self, model: &Model, state: &State, report: &mut Report) {
        let now = state.now();
        for goal in &mut self.goals {
            let wish = &model.wishes[goal.wish];
            if let WishKind::Goal { aims, .. } = &wish.kind
                && let Some(aim) = aims.get(goal.aim)
            {
                goal.pass(&aim.time, Tick::MAX);
            }
            let (condition, kind) = match &wish.kind {
                WishKind::Keep { condition, .. } => (condition, ViolationKind::KeepBroken),
                WishKind::Goal { aims, .. } => match aims.get(goal.aim) {
                    Some(aim) if matches!(aim.time, AimTime::Eventually) => {
                        (&aim.condition, ViolationKind::GoalNotReached)
                    }
                    Some(aim) => (&aim.condition, ViolationKind::GoalMissed),
                    None => continue,
                },
                WishKind::Prefer { .. } => continue,
            };
            if goal.status == GoalStatus::Active && kind != ViolationKind::KeepBroken {
                let reached = kind == ViolationKind::GoalNotReached && holds(model, state, condition);
                goal.status = if reached { GoalStatus::Reached(now) } else { GoalStatus::Missed(now) };
            }
            if matches!(goal.status, GoalStatus::Missed(_)) {
                let seen = goal.failed.as_ref().unwrap_or(state);
                for leaf in unmet(model, seen, condition, &[], None) {
                    report.violations.push(leaf.violation(kind, seen.now(), "a goal").at(wish.place));
                }
            }
            report.goals.push(GoalReport {
                wish: goal.wish,
                owner: None,
                args: Args::new(),
                status: goal.status,
                taken: Some(0),
                aim: goal.aim as u16,
                deadline: goal.to,
            });
        }
        self.preferences.report(model, state, report);
    }
}

fn holds(model: &Model, state: &State, condition: &Expr) -> bool {
    Evaluator::new(model, state).holds(condition)
}
