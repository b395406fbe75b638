//! What a plan costs and how well it pleases.

use dramaturg_model::{
    Curve, Evaluator, Expr, Fixed, Liking, Model, ObjectId, Owner, State, Tick, Value, Wish, WishId, WishKind,
};

use super::structure::Resolved;
use super::{Goals, Preference, Report};
use crate::simulate::World;

/// A curve is only followed tick by tick over so many ticks.
const CURVE_TICKS_MAX: Tick = 1 << 20;

/// What all steps cost, read in the state from which the plan starts.
pub(super) fn cost(model: &Model, initial: &State, steps: &[Resolved]) -> Fixed {
    let costs = steps.iter().map(|step| match step.action().map(|action| &model.actions[action].cost) {
        Some(Some(cost)) => Evaluator::with(model, initial, &step.args).number(cost).unwrap_or(Fixed::ZERO),
        _ => Fixed::ONE,
    });
    costs.fold(Fixed::ZERO, |sum, cost| sum + cost)
}

/// Everybody's preferences; curves are looked at in every tick.
pub(super) struct Curves {
    wishes: Vec<(WishId, Option<ObjectId>, Vec<Value>)>,
    followed: Vec<Followed>,
}

struct Followed {
    wish: usize,
    since: Tick,
    off: Fixed,
    ticks: i64,
}

impl Curves {
    pub(super) fn new(model: &Model, initial: &State, goals: Goals) -> Self {
        let mut wishes = Vec::new();
        for (id, wish) in model.wishes.iter().filter(|(_, wish)| matches!(wish.kind, WishKind::Prefer { .. })) {
            if !model.is_visible(wish.level, initial.level()) {
                continue;
            }
            let owners: Vec<Option<ObjectId>> = match (wish.owner, goals) {
                (Owner::Story, Goals::All | Goals::Story) => vec![None],
                (Owner::Character(object), Goals::All) => vec![Some(object)],
                (Owner::Character(object), Goals::Character(wanted)) if object == wanted => vec![Some(object)],
                _ => Vec::new(),
            };
            wishes.extend(owners.into_iter().map(|owner| {
                let args = owner.filter(|_| !wish.params.is_empty()).map(Value::Object);
                (id, owner, args.into_iter().collect())
            }));
        }
        let follows = |wish: &Wish| matches!(&wish.kind, WishKind::Prefer { liking: Liking::Follows(_), .. });
        let followed = wishes
            .iter()
            .enumerate()
            .filter(|(_, (id, ..))| follows(&model.wishes[*id]))
            .map(|(at, _)| Followed { wish: at, since: initial.now(), off: Fixed::ZERO, ticks: 0 });
        let followed = followed.collect();
        Self { wishes, followed }
    }

    /// Lets the world run, tick by tick if a curve must be seen.
    pub(super) fn run(&mut self, model: &Model, world: &mut World, until: Tick) {
        let begin = world.now();
        if !self.followed.is_empty() && until.saturating_sub(begin) <= CURVE_TICKS_MAX {
            for tick in begin..until {
                if world.is_halted() {
                    return;
                }
                world.look_at(model, tick);
                self.look(model, world.state());
            }
        }
        world.look_at(model, until);
        self.look(model, world.state());
    }

    fn look(&mut self, model: &Model, state: &State) {
        for followed in &mut self.followed {
            let Some((id, _, args)) = self.wishes.get(followed.wish) else { continue };
            let WishKind::Prefer { liking: Liking::Follows(curve), .. } = &model.wishes[*id].kind else { continue };
            let mut scope = Evaluator::with(model, state, args);
            if model.wishes[*id].condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                continue;
            }
            let now = Fixed::from_int(state.now().saturating_sub(followed.since));
            followed.off = followed.off + off_curve(&mut scope, curve, now);
            followed.ticks += 1;
        }
    }

    /// Adds how well everything is met in the end.
    pub(super) fn report(&self, model: &Model, state: &State, report: &mut Report) {
        for (at, (id, owner, args)) in self.wishes.iter().enumerate() {
            let WishKind::Prefer { liking, weight } = &model.wishes[*id].kind else { continue };
            let mut scope = Evaluator::with(model, state, args);
            if model.wishes[*id].condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
                continue;
            }
            let weight = scope.number(weight).unwrap_or(Fixed::ONE);
            let mut number = |expr: &Expr| scope.number(expr).unwrap_or(Fixed::ZERO);
            let missed = match liking {
                Liking::Holds(condition) => {
                    if scope.holds(condition) {
                        Fixed::ZERO
                    } else {
                        Fixed::ONE
                    }
                }
                Liking::More(value, Some(bound)) => (number(bound) - number(value)).max(Fixed::ZERO),
                Liking::More(value, None) => -number(value),
                Liking::Less(value, Some(bound)) => (number(value) - number(bound)).max(Fixed::ZERO),
                Liking::Less(value, None) => number(value),
                Liking::Follows(_) => {
                    let followed = self.followed.iter().find(|followed| followed.wish == at);
                    followed.map_or(Fixed::ZERO, |f| f.off.divide(Fixed::from_int(f.ticks.max(1))))
                }
            };
            report.metric = report.metric + missed.multiply(weight);
            report.preferences.push(Preference { wish: *id, owner: *owner, missed, weight });
        }
    }
}

/// How far a value is off its curve at a time, beyond what does no harm.
fn off_curve(scope: &mut Evaluator<'_, State>, curve: &Curve, now: Fixed) -> Fixed {
    let Some(value) = scope.number(&curve.value) else { return Fixed::ZERO };
    let within = scope.number(&curve.within).unwrap_or(Fixed::ZERO);
    let points: Vec<(Fixed, Fixed)> =
        curve.points.iter().filter_map(|(value, time)| Some((scope.number(time)?, scope.number(value)?))).collect();
    let after = points.iter().position(|(time, _)| *time > now);
    let wanted = match after {
        Some(0) => points.first().map(|(_, value)| *value),
        None => points.last().map(|(_, value)| *value),
        Some(at) => match (points.get(at - 1), points.get(at)) {
            (Some((from, low)), Some((to, high))) => {
                let part = (now - *from).divide(*to - *from);
                Some(*low + (*high - *low).multiply(part))
            }
            _ => None,
        },
    };
    wanted.map_or(Fixed::ZERO, |wanted| ((value - wanted).abs() - within).max(Fixed::ZERO))
}
