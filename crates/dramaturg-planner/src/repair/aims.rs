//! Aims: what the story wants of the projection, and how far it is from having it.

use std::collections::BTreeMap;

use dramaturg_model::{Comparison, Fixed, Model, Owner, Tick, WishId, WishKind};

use super::curve::Curve;
use super::moment::Moment;
use super::projection::Projection;
use super::repertoire::Repertoire;
use super::slot::{SlotId, of_number, of_variable};
use super::timeline::Rewrite;
use crate::ground::{
    Condition, Conjunction, GroundAim, GroundAimTime, GroundExpr, GroundLiking, GroundWish, GroundWishKind, Place,
};
use crate::simulate::{GoalReport, GoalStatus};

/// One unit of what is required; what is only liked counts in millionths beside it, never against it.
pub(crate) const UNIT: i64 = 1000;

/// What is wanted.
#[derive(Clone, Debug)]
pub(crate) enum Want {
    /// That each of these comes to hold after the one before, the last by a tick at the latest.
    Reach {
        /// Not before this tick.
        from: Tick,
        /// In this order.
        stages: Vec<Condition>,
        /// At the latest.
        by: Option<Tick>,
    },
    /// That this holds in the end.
    End(Condition),
    /// That this holds at a tick.
    At(Condition, Tick),
    /// That this holds from one tick until before another.
    Keep(Condition, Tick, Tick),
    /// Less of this, down to a bound; or more, up to one.
    Amount {
        /// Of what.
        value: GroundExpr,
        /// No more than this counts.
        bound: Option<GroundExpr>,
        /// Less or more.
        less: bool,
    },
    /// That a number follows a curve.
    Follow(Curve),
}

/// Something wanted, and how it stands.
#[derive(Clone, Debug)]
pub(crate) struct Aim {
    /// Which of the ground problem's wishes.
    pub(crate) wish: usize,
    pub(crate) want: Want,
    /// Only from when on this holds.
    pub(crate) once: Option<Condition>,
    /// Thousandths for what is required, millionths for what is liked.
    pub(crate) weight: i64,
    pub(crate) hard: bool,
    /// Where all that is wanted is that one number be larger, or smaller: whether larger.
    pub(crate) rises: Option<bool>,
    pub(crate) reads: Vec<SlotId>,
    /// How much is missing.
    pub(crate) cost: i64,
    /// Where it is missing, or where it is reached.
    pub(crate) tick: Tick,
    /// How many ticks it takes until it is reached, where sooner is better.
    pub(crate) wait: Tick,
}

impl Aim {
    /// Measures again, after something was written anew in the timelines that it reads.
    pub(crate) fn measure(&mut self, projection: &Projection, rewrite: Rewrite) {
        (self.cost, self.wait) = (0, 0);
        let first = projection.first_tick();
        let mut begin = first;
        if let Some(once) = &self.once {
            match first_holding(projection, once, &self.reads, first) {
                Some(tick) => begin = tick,
                None => return,
            }
        }
        match &mut self.want {
            Want::Reach { from, stages, by } => {
                let mut tick = begin.max(*from);
                for (done, stage) in stages.iter().enumerate() {
                    let found = first_holding(projection, stage, &self.reads, tick);
                    match found.filter(|found| by.is_none_or(|by| *found <= by)) {
                        Some(found) => tick = found,
                        None => {
                            let look = by.unwrap_or(projection.horizon);
                            let left = (stages.len() - done - 1) as i64;
                            let short = projection.distance(stage, Moment::check(look)).max(1);
                            self.cost = (short + left) * self.weight;
                            self.tick = by.unwrap_or(tick);
                            return;
                        }
                    }
                }
                (self.tick, self.wait) = (tick, tick - begin);
            }
            Want::End(condition) => {
                self.tick = projection.horizon;
                self.cost = projection.distance(condition, Moment::check(projection.horizon)) * self.weight;
                if self.cost == 0 && self.hard {
                    let last = self.reads.iter().filter_map(|slot| projection.timeline(*slot).entries().last());
                    self.wait = last.map(|entry| entry.moment.seen_at() - first).max().unwrap_or(0).max(0);
                }
            }
            Want::At(condition, tick) => {
                self.tick = *tick;
                if *tick >= first {
                    self.cost = projection.distance(condition, Moment::check(*tick)) * self.weight;
                }
            }
            Want::Keep(condition, from, to) => {
                let (from, to) = ((*from).max(begin), *to);
                if let Some(tick) = first_holding_not(projection, condition, &self.reads, from).filter(|t| *t < to) {
                    self.tick = tick;
                    self.cost = projection.distance(condition, Moment::check(tick)).max(1) * self.weight;
                }
            }
            Want::Amount { value, bound, less } => {
                let moment = Moment::check(projection.horizon);
                let number =
                    |expr: &GroundExpr| projection.evaluate(expr, moment, None).as_number().unwrap_or_default();
                let (value, bound) = (number(value), bound.as_ref().map(number));
                let missed = match (*less, bound) {
                    (true, bound) => value - bound.unwrap_or_default(),
                    (false, Some(bound)) => bound - value,
                    (false, None) => -value,
                };
                let missed = if bound.is_some() { missed.max(Fixed::ZERO) } else { missed };
                self.cost = missed.multiply(Fixed(self.weight)).0;
                self.tick = projection.horizon;
            }
            Want::Follow(curve) => {
                curve.measure(projection, rewrite);
                self.cost = Fixed(curve.mean(first)).multiply(Fixed(self.weight)).0;
            }
        }
    }

    /// The condition that is missing, if it is one.
    pub(crate) fn condition(&self, projection: &Projection) -> Option<&Condition> {
        match &self.want {
            Want::End(condition) | Want::At(condition, _) | Want::Keep(condition, ..) => Some(condition),
            Want::Reach { stages, by, .. } => {
                let look = Moment::check(by.unwrap_or(projection.horizon));
                stages.iter().find(|stage| !projection.holds(stage, look)).or(stages.last())
            }
            Want::Amount { .. } | Want::Follow(_) => None,
        }
    }
}

/// The first tick in whose P3 a condition holds.
pub(crate) fn first_holding(
    projection: &Projection,
    condition: &Condition,
    reads: &[SlotId],
    from: Tick,
) -> Option<Tick> {
    let holds = |tick: Tick| projection.holds(condition, Moment::check(tick));
    if holds(from) {
        return Some(from);
    }
    projection.changes(reads, condition, from).into_iter().find(|tick| holds(*tick))
}

fn first_holding_not(projection: &Projection, condition: &Condition, reads: &[SlotId], from: Tick) -> Option<Tick> {
    let fails = |tick: Tick| !projection.holds(condition, Moment::check(tick));
    if fails(from) {
        return Some(from);
    }
    projection.changes(reads, condition, from).into_iter().find(|tick| fails(*tick))
}

/// What the story wants, as its goals stand.
///
/// `asked` is what a game asked for in place of the story's goals, each with the tick until which it counts.
pub(crate) fn aims(
    model: &Model,
    repertoire: &Repertoire,
    projection: &Projection,
    goals: &[GoalReport],
    asked: Option<&BTreeMap<WishId, Option<Tick>>>,
) -> Vec<Aim> {
    let reader = AimReader { model, repertoire, projection, goals, asked };
    let wishes = repertoire.problem.wishes.iter().enumerate();
    wishes
        .filter(|(_, wish)| model.wishes[wish.wish].owner == Owner::Story)
        .filter_map(|wish| reader.aim(wish))
        .collect()
}

struct AimReader<'a> {
    model: &'a Model,
    repertoire: &'a Repertoire,
    projection: &'a Projection,
    goals: &'a [GoalReport],
    asked: Option<&'a BTreeMap<WishId, Option<Tick>>>,
}

impl AimReader<'_> {
    fn number(&self, expr: &GroundExpr) -> Option<Fixed> {
        self.projection.evaluate(expr, Moment::observe(self.projection.first_tick()), None).as_number()
    }

    fn ticks(&self, expr: &GroundExpr) -> Tick {
        self.number(expr).map_or(0, Fixed::round_half_up).max(0)
    }

    fn aim(&self, (number, wish): (usize, &GroundWish)) -> Option<Aim> {
        let mut reports = self.goals.iter().filter(|report| report.wish == wish.wish && report.args == wish.args);
        let report = reports.next_back();
        let now = self.projection.first_tick();
        let is_on = self.projection.holds(&wish.condition, Moment::observe(now));
        let bound = !wish.condition.is_always();
        // What makes no sense now may do so once its condition comes to hold.
        let once = (bound && !is_on).then(|| wish.condition.clone());
        let (want, weight, hard) = match &wish.kind {
            GroundWishKind::Goal { aims, salience } => {
                let salience = self.number(salience).map_or(50, Fixed::round_half_up).clamp(1, 1000);
                (self.goal(aims, wish, report, once.is_some())?, (UNIT * salience / 50).max(1), true)
            }
            GroundWishKind::Keep { condition, window } => {
                let taken = report.and_then(|report| report.taken).unwrap_or(now);
                let (from, to) = match window {
                    Some((from, to)) => (taken + self.ticks(from), taken + self.ticks(to)),
                    None => (now, Tick::MAX),
                };
                (Want::Keep(condition.clone(), from, to), 10 * UNIT, true)
            }
            GroundWishKind::Prefer { liking, weight } => {
                if once.is_some() && !matches!(liking, GroundLiking::Holds(_)) {
                    return None;
                }
                (self.liking(liking, wish)?, self.number(weight).unwrap_or(Fixed::ONE).0, false)
            }
        };
        let mut reads = self.reads(&want);
        reads.extend(once.iter().flat_map(|once| self.repertoire.writer().slots_of(once)));
        reads.sort_unstable();
        reads.dedup();
        let rises = rises(&want);
        Some(Aim { wish: number, want, once, weight, hard, rises, reads, cost: 0, tick: now, wait: 0 })
    }

    fn goal(&self, aims: &[GroundAim], wish: &GroundWish, report: Option<&GoalReport>, later: bool) -> Option<Want> {
        let status = report.map_or(GoalStatus::Active, |report| report.status);
        let at = report.map_or(0, |report| usize::from(report.aim));
        let asked = self.asked.map(|asked| asked.get(&wish.wish));
        let by = match asked {
            Some(None) => return None,
            Some(Some(by)) => *by,
            None => None,
        };
        if let (Some(by), [aim, ..]) = (by, aims) {
            let stages = vec![aim.condition.clone()];
            return Some(Want::Reach { from: self.projection.first_tick(), stages, by: Some(by) });
        }
        let untimed = wish.condition.is_always()
            && matches!(aims, [GroundAim { time: GroundAimTime::Eventually, .. }])
            && !matches!(status, GoalStatus::Missed(_));
        if let ([aim], true) = (aims, untimed) {
            let reads = self.repertoire.writer().slots_of(&aim.condition);
            // A story's goals that are bound to no time are to hold together in the end.
            if reads.iter().all(|slot| !self.projection.timeline(*slot).is_flowing()) {
                return Some(Want::End(aim.condition.clone()));
            }
        }
        let (active, now) =
            (status == GoalStatus::Active || status == GoalStatus::Waiting, self.projection.first_tick());
        if !active && !later {
            return None;
        }
        let (at, since) = match (later, report) {
            (false, Some(report)) => (at, report.taken.unwrap_or(0)),
            _ => (0, if wish.condition.is_always() { 0 } else { now }),
        };
        let rest = aims.get(at..)?;
        let first = rest.first()?;
        let deadline = report.filter(|_| !later && at > 0).and_then(|report| report.deadline);
        Some(match &first.time {
            GroundAimTime::At(tick) => {
                Want::At(first.condition.clone(), deadline.unwrap_or_else(|| since + self.ticks(tick)))
            }
            GroundAimTime::During(from, to) => {
                let length = self.ticks(to) - self.ticks(from);
                let from = deadline.map_or_else(|| since + self.ticks(from), |to| to - length);
                Want::Keep(first.condition.clone(), from, from + length)
            }
            GroundAimTime::By(tick) => Want::Reach {
                from: now,
                stages: vec![first.condition.clone()],
                by: Some(deadline.unwrap_or_else(|| since + self.ticks(tick))),
            },
            GroundAimTime::Eventually => {
                let plain = rest.iter().take_while(|aim| aim.time == GroundAimTime::Eventually);
                Want::Reach { from: now, stages: plain.map(|aim| aim.condition.clone()).collect(), by: None }
            }
        })
    }

    fn liking(&self, liking: &GroundLiking, wish: &GroundWish) -> Option<Want> {
        Some(match liking {
            GroundLiking::Holds(condition) => Want::End(condition.clone()),
            GroundLiking::More(value, bound) => {
                Want::Amount { value: value.clone(), bound: bound.clone(), less: false }
            }
            GroundLiking::Less(value, bound) => Want::Amount { value: value.clone(), bound: bound.clone(), less: true },
            GroundLiking::Follows { value, points, within } => {
                let slot = match value {
                    GroundExpr::Number(number) => of_number(self.repertoire.problem.variables.len(), *number),
                    GroundExpr::Variable(variable) => of_variable(*variable),
                    _ => return None,
                };
                let points: Option<Vec<(Tick, i64)>> = points
                    .iter()
                    .map(|(value, tick)| Some((self.number(tick)?.round_half_up(), self.number(value)?.0)))
                    .collect();
                // Only where somebody can change it is there anything to do.
                debug_assert!(matches!(self.model.wishes[wish.wish].kind, WishKind::Prefer { .. }));
                let points = points
                    .filter(|points| points.last().is_some_and(|(tick, _)| *tick > self.projection.first_tick()))?;
                Want::Follow(Curve::new(slot, points, self.number(within)?.0))
            }
        })
    }

    fn reads(&self, want: &Want) -> Vec<SlotId> {
        let writer = self.repertoire.writer();
        match want {
            Want::Reach { stages, .. } => stages.iter().flat_map(|stage| writer.slots_of(stage)).collect(),
            Want::End(condition) | Want::At(condition, _) | Want::Keep(condition, ..) => writer.slots_of(condition),
            Want::Amount { value, bound, .. } => {
                let bound = bound.iter().flat_map(|bound| writer.reads_of(bound));
                writer.reads_of(value).into_iter().chain(bound).collect()
            }
            Want::Follow(curve) => vec![curve.slot],
        }
    }
}

/// Whether a number should be larger, where that is all that is wanted; or smaller.
fn rises(want: &Want) -> Option<bool> {
    let condition = match want {
        Want::End(condition) | Want::At(condition, _) => condition,
        Want::Reach { stages, .. } if stages.len() == 1 => stages.first()?,
        _ => return None,
    };
    let [Conjunction { literals, numbers, tests }] = condition.any.as_slice() else { return None };
    match (literals.is_empty() && tests.is_empty(), numbers.as_slice()) {
        (true, [test]) if test.terms.len() == 1 => {
            let is_positive = test.terms.iter().all(|(_, factor)| *factor > Fixed::ZERO);
            match test.sign {
                Comparison::AtLeast | Comparison::More => Some(is_positive),
                Comparison::AtMost | Comparison::Less => Some(!is_positive),
                Comparison::Equal | Comparison::NotEqual => None,
            }
        }
        _ => None,
    }
}

/// The slot of a place that changes.
pub(crate) fn slot_of(repertoire: &Repertoire, place: Place) -> Option<SlotId> {
    match place {
        Place::Variable(variable) | Place::Member(variable, _) => Some(of_variable(variable)),
        Place::Number(number) => Some(of_number(repertoire.problem.variables.len(), number)),
        Place::Constant(_) => None,
    }
}
