//! Goals that are followed: taken up, reached, missed, dropped. They look at the world in P3.

use std::collections::BTreeSet;

use dramaturg_model::{
    Aim, AimTime, Args, Evaluator, Expr, Fixed, Injection, Model, ObjectId, Owner, PersonalityId, RuleId, Share, Tick,
    Value, Wish, WishId, WishKind,
};
use serde::{Deserialize, Serialize};

use super::agenda::Item;
use super::event::{ViolationKind, WorldEventKind};
use super::explain;
use super::watch::{Bindings, Values, WatchId, Watched, Watches};
use super::world::{Follow, World};

/// Names one goal of one owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GoalKey(pub(super) usize);

/// Where a goal, or something to be kept, stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GoalStatus {
    /// It makes no sense yet.
    Waiting,
    /// It is wanted; of something to be kept: it is kept so far.
    Active,
    /// It was reached at this tick.
    Reached(Tick),
    /// It was missed, or broken, at this tick.
    Missed(Tick),
    /// It ceased to make sense at this tick.
    Dropped(Tick),
}

/// A goal of one owner and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoalReport {
    /// The wish.
    pub wish: WishId,
    /// Whose it is; none: the story's.
    pub owner: Option<ObjectId>,
    /// Its arguments.
    pub args: Args,
    /// Where it stands.
    pub status: GoalStatus,
    /// When it was taken up last.
    pub taken: Option<Tick>,
    /// Which of its aims it has come to, counted from 0.
    pub aim: u16,
    /// The tick by which that aim must be reached, or up to which it must hold.
    pub deadline: Option<Tick>,
}

#[derive(Clone, Debug)]
pub(super) struct Followed {
    pub(super) wish: WishId,
    /// Who was given it by a rule.
    pub(super) given_to: Option<ObjectId>,
    pub(super) bindings: Bindings,
    pub(super) condition: Option<WatchId>,
    /// One for each aim; for something to be kept just one.
    pub(super) wants: Vec<WatchId>,
    /// The goal of its first binding.
    pub(super) first: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub(super) followed: usize,
    pub(super) index: usize,
    pub(super) status: GoalStatus,
    /// Whether its condition held when it was last looked at.
    pub(super) armed: bool,
    /// Whether what must be kept is broken now.
    pub(super) broken: bool,
    pub(super) aim: u16,
    pub(super) taken: Option<Tick>,
    /// The times of the aim at hand, from the story's beginning.
    pub(super) from: Tick,
    pub(super) to: Tick,
}

impl Goal {
    fn deadline(&self) -> Option<Tick> {
        (self.to > 0).then_some(self.to)
    }
}

/// All goals that are followed.
#[derive(Clone, Debug, Default)]
pub(super) struct Goals {
    pub(super) followed: Vec<Followed>,
    pub(super) goals: Vec<Goal>,
    /// Goals of levels that are over.
    pub(super) past: Vec<GoalReport>,
    /// Whether all must be looked at, whatever has changed.
    pub(super) fresh: bool,
}

impl World {
    /// Every goal that is or was followed, in order of the model.
    pub fn goals(&self) -> Vec<GoalReport> {
        self.goals.past.iter().cloned().chain(self.goals.goals.iter().map(|goal| self.goal_report(goal))).collect()
    }

    fn goal_report(&self, goal: &Goal) -> GoalReport {
        let followed = self.goals.followed.get(goal.followed);
        let args = followed.map_or_else(Args::new, |followed| followed.bindings.get(goal.index));
        let wish = followed.map_or(WishId(u32::MAX), |followed| followed.wish);
        let given = followed.and_then(|followed| followed.given_to);
        let owner = given.or_else(|| args.first().and_then(|arg| arg.as_object()));
        GoalReport {
            wish,
            owner,
            args,
            status: goal.status,
            taken: goal.taken,
            aim: goal.aim,
            deadline: goal.deadline(),
        }
    }

    /// Follows the wishes of the level at hand. Goals of the level before that are still wanted go on.
    pub(super) fn settle_goals(&mut self, model: &Model, watches: &mut Watches) {
        let level = self.state.level();
        let before = std::mem::take(&mut self.goals);
        let reports: Vec<GoalReport> = before
            .goals
            .iter()
            .map(|goal| {
                let followed = before.followed.get(goal.followed);
                GoalReport {
                    wish: followed.map_or(WishId(u32::MAX), |followed| followed.wish),
                    owner: followed.and_then(|followed| followed.given_to),
                    args: followed.map_or_else(Args::new, |followed| followed.bindings.get(goal.index)),
                    status: goal.status,
                    taken: goal.taken,
                    aim: goal.aim,
                    deadline: goal.deadline(),
                }
            })
            .collect();
        self.goals.fresh = true;
        self.goals.past = before.past;
        for (id, wish) in model.wishes.iter().filter(|(_, wish)| model.is_visible(wish.level, level)) {
            if let Some((bindings, owner)) = self.owners(model, wish) {
                self.follow(model, watches, id, bindings, owner);
            }
        }
        for followed in before.followed.iter().filter(|followed| {
            let wish = &model.wishes[followed.wish];
            matches!(wish.owner, Owner::Injected(_)) && model.is_visible(wish.level, level)
        }) {
            self.follow(model, watches, followed.wish, followed.bindings.clone(), followed.given_to);
        }
        self.agenda.forget_goals();
        // What is still wanted keeps its standing; what is not is kept as past.
        for (old, report) in before.goals.iter().zip(reports) {
            let kept = self.goals.followed.iter().find_map(|followed| {
                let same = followed.wish == report.wish && followed.given_to == report.owner;
                same.then(|| followed.bindings.index(&report.args)).flatten().map(|index| followed.first + index)
            });
            match kept.and_then(|at| Some((at, self.goals.goals.get_mut(at)?))) {
                Some((at, goal)) => {
                    for tick in [old.from, old.to].into_iter().filter(|tick| *tick > self.tick) {
                        self.agenda.add(tick, Item::Goal(GoalKey(at)));
                    }
                    let Goal { status, armed, broken, aim, taken, from, to, .. } = old.clone();
                    *goal = Goal { status, armed, broken, aim, taken, from, to, ..goal.clone() };
                }
                None => {
                    let mut report = report;
                    if report.status == GoalStatus::Active {
                        report.status = GoalStatus::Dropped(self.tick);
                    }
                    self.goals.past.push(report);
                }
            }
        }
    }

    /// Everybody whose wish it is, as bindings of its parameters.
    fn owners(&self, model: &Model, wish: &Wish) -> Option<(Bindings, Option<ObjectId>)> {
        let objects: Option<Vec<ObjectId>> = match wish.owner {
            Owner::Story => None,
            Owner::Character(object) => Some(vec![object]),
            Owner::Personality(personality) => {
                let holders = model.characters.values().filter(|c| has(model, &c.personalities, personality, 0));
                let mut holders: Vec<ObjectId> = holders.map(|character| character.object).collect();
                for population in model.populations.values() {
                    let dealt = population.personalities_of_all(self.options.seed);
                    let theirs = population.objects.iter().zip(dealt);
                    let wanted = |dealt: PersonalityId| {
                        let whole = Share { personality: dealt, amount: None };
                        has(model, &[whole], personality, 0)
                    };
                    holders.extend(theirs.filter(|(_, dealt)| dealt.is_some_and(wanted)).map(|(object, _)| *object));
                }
                Some(holders)
            }
            Owner::Population(population) => Some(model.populations[population].objects.clone()),
            Owner::Injected(_) | Owner::Futile(_) => return None,
        };
        let objects = match (self.options.follow, objects) {
            (Follow::Nobody, _) | (Follow::Story, Some(_)) | (Follow::Character(_), None) => return None,
            (Follow::Everybody, objects) | (Follow::Story, objects @ None) => objects,
            (Follow::Character(wanted), Some(mut objects)) => {
                objects.retain(|object| *object == wanted);
                if objects.is_empty() {
                    return None;
                }
                Some(objects)
            }
        };
        let given = match wish.owner {
            Owner::Character(object) => Some(object),
            _ => None,
        };
        let level = self.state.level();
        let values = wish.params.iter().enumerate().map(|(at, param)| match &objects {
            Some(objects) if at == 0 => {
                let exist = objects.iter().filter(|object| model.is_visible(model.objects[**object].level, level));
                Values::new(exist.map(|object| Value::Object(*object)).collect())
            }
            _ => Values::new(model.values_of(&param.choices, level)),
        });
        Some((Bindings::new(values.collect())?, given))
    }

    pub(super) fn follow(
        &mut self,
        model: &Model,
        watches: &mut Watches,
        wish: WishId,
        bindings: Bindings,
        given_to: Option<ObjectId>,
    ) {
        let declared = &model.wishes[wish];
        let wants = match &declared.kind {
            WishKind::Goal { aims, .. } => (0..aims.len())
                .map(|number| watches.add(model, Watched::Aim(wish, number as u16), bindings.clone()))
                .collect(),
            WishKind::Keep { .. } => vec![watches.add(model, Watched::Keep(wish), bindings.clone())],
            WishKind::Prefer { .. } => return,
        };
        let condition =
            declared.condition.as_ref().map(|_| watches.add(model, Watched::Condition(wish), bindings.clone()));
        let first = self.goals.goals.len();
        let followed = self.goals.followed.len();
        for index in 0..bindings.len() {
            let status = GoalStatus::Waiting;
            let goal =
                Goal { followed, index, status, armed: false, broken: false, aim: 0, taken: None, from: 0, to: 0 };
            self.goals.goals.push(goal);
        }
        self.goals.followed.push(Followed { wish, given_to, bindings, condition, wants, first });
    }

    /// P2: a rule gives goals to a character.
    pub(super) fn inject(&mut self, model: &Model, rule: RuleId, injection: &Injection, args: &Args) {
        let mut scope = Evaluator::with(model, &self.state, args);
        if injection.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
            return;
        }
        let Some(character) = scope.value(&injection.character).as_object() else { return };
        for wish in injection.wishes.iter().copied() {
            self.happen(|| WorldEventKind::Injected { rule, character, wish, args: args.clone() });
            let is_followed = match self.options.follow {
                Follow::Everybody => true,
                Follow::Character(wanted) => wanted == character,
                Follow::Story | Follow::Nobody => false,
            };
            if !is_followed {
                continue;
            }
            let known = self.goals.followed.iter().find_map(|followed| {
                let same = followed.wish == wish && followed.given_to == Some(character);
                same.then(|| followed.bindings.index(args)).flatten().map(|index| followed.first + index)
            });
            match known.and_then(|at| self.goals.goals.get_mut(at)) {
                // Given again, it is taken up again.
                Some(goal) => (goal.armed, goal.status) = (false, GoalStatus::Waiting),
                None => {
                    let values = args.iter().map(|arg| Values::new(vec![*arg])).collect();
                    let mut watches = std::mem::take(&mut self.watches);
                    if let Some(bindings) = Bindings::new(values) {
                        self.follow(model, &mut watches, wish, bindings, Some(character));
                    }
                    self.watches = watches;
                }
            }
            self.goals.fresh = true;
        }
    }

    /// P3: looks at every goal that something has happened to.
    pub(super) fn look_at_goals(&mut self, model: &Model) {
        let mut keys: BTreeSet<usize> = BTreeSet::new();
        for at in 0..self.goals.followed.len() {
            let Some(followed) = self.goals.followed.get(at) else { continue };
            let first = followed.first;
            for watch in followed.wants.iter().chain(&followed.condition) {
                if self.watches.is_dirty_at(*watch) {
                    let turned = self.watches.refresh(model, &self.state, *watch);
                    self.effort.conditions += turned.len() as u64 + 1;
                    keys.extend(turned.into_iter().map(|(index, _)| first + index as usize));
                }
            }
        }
        for item in &self.due {
            if let Item::Goal(GoalKey(key)) = item {
                keys.insert(*key);
            }
        }
        if std::mem::take(&mut self.goals.fresh) {
            keys.extend(0..self.goals.goals.len());
        }
        for key in keys {
            self.look_at_goal(model, key);
        }
    }

    fn look_at_goal(&mut self, model: &Model, key: usize) {
        let Some(mut goal) = self.goals.goals.get(key).cloned() else { return };
        let Some(followed) = self.goals.followed.get(goal.followed).cloned() else { return };
        let (wish, args) = (followed.wish, followed.bindings.get(goal.index));
        let declared = &model.wishes[wish];
        let holds = followed.condition.is_none_or(|watch| self.watches.get(watch).value(goal.index));
        if holds && !goal.armed {
            let since = match declared.owner {
                // The story's own goals count from tick 0, wherever this world begins.
                Owner::Story if declared.condition.is_none() && declared.level.is_none() => 0,
                _ => self.tick,
            };
            (goal.status, goal.aim, goal.broken, goal.taken) = (GoalStatus::Active, 0, false, Some(since));
            self.begin_aim(model, declared, &args, key, &mut goal, since);
            self.happen(|| WorldEventKind::GoalTaken { wish, args: args.clone() });
        } else if !holds && goal.armed && goal.status == GoalStatus::Active {
            goal.status = GoalStatus::Dropped(self.tick);
            self.happen(|| WorldEventKind::GoalDropped { wish, args: args.clone() });
        }
        goal.armed = holds;
        match &declared.kind {
            WishKind::Goal { aims, .. } => self.pursue(model, &followed, aims, &args, key, &mut goal),
            WishKind::Keep { condition, .. } => self.guard(model, &followed, condition, &args, &mut goal),
            WishKind::Prefer { .. } => {}
        }
        if let Some(place) = self.goals.goals.get_mut(key) {
            *place = goal;
        }
    }

    /// Reads in the times of an aim that is taken up.
    fn begin_aim(&mut self, model: &Model, wish: &Wish, args: &Args, key: usize, goal: &mut Goal, since: Tick) {
        (goal.from, goal.to) = (0, 0);
        let mut scope = Evaluator::with(model, &self.state, args);
        let mut ticks = |expr: &Expr| scope.number(expr).map_or(0, Fixed::round_half_up).max(0);
        let (from, to) = match &wish.kind {
            WishKind::Goal { aims, .. } => match aims.get(usize::from(goal.aim)).map(|aim| &aim.time) {
                Some(AimTime::At(at) | AimTime::By(at)) => {
                    let at = ticks(at);
                    (at, at)
                }
                Some(AimTime::During(from, to)) => (ticks(from), ticks(to)),
                Some(AimTime::Eventually) | None => return,
            },
            WishKind::Keep { window: Some((from, to)), .. } => (ticks(from), ticks(to)),
            WishKind::Keep { .. } | WishKind::Prefer { .. } => return,
        };
        (goal.from, goal.to) = (since.saturating_add(from), since.saturating_add(to));
        for tick in [goal.from, goal.to] {
            if tick > self.tick {
                self.enter(tick, Item::Goal(GoalKey(key)));
            }
        }
    }

    fn pursue(&mut self, model: &Model, followed: &Followed, aims: &[Aim], args: &Args, key: usize, goal: &mut Goal) {
        let wish = followed.wish;
        while goal.status == GoalStatus::Active {
            let Some((aim, watch)) =
                aims.get(usize::from(goal.aim)).zip(followed.wants.get(usize::from(goal.aim)).copied())
            else {
                goal.status = GoalStatus::Reached(self.tick);
                self.happen(|| WorldEventKind::GoalReached { wish, args: args.clone() });
                return;
            };
            let holds = self.watches.get(watch).value(goal.index);
            let now = self.tick;
            let (reached, missed) = match aim.time {
                AimTime::Eventually => (holds, false),
                AimTime::At(_) => (holds && now == goal.to, now > goal.to || (now == goal.to && !holds)),
                AimTime::By(_) => (holds && now <= goal.to, now > goal.to || (now == goal.to && !holds)),
                AimTime::During(..) => (now >= goal.to, now >= goal.from && now < goal.to && !holds),
            };
            if missed {
                goal.status = GoalStatus::Missed(now);
                self.happen(|| WorldEventKind::GoalMissed { wish, args: args.clone() });
                self.unmet_wish(model, ViolationKind::GoalMissed, wish, &aim.condition, args);
            } else if reached {
                goal.aim += 1;
                if usize::from(goal.aim) < aims.len() {
                    self.begin_aim(model, &model.wishes[wish], args, key, goal, now);
                }
            } else {
                return;
            }
        }
    }

    fn guard(&mut self, model: &Model, followed: &Followed, condition: &Expr, args: &Args, goal: &mut Goal) {
        let has_window = matches!(model.wishes[followed.wish].kind, WishKind::Keep { window: Some(_), .. });
        let inside = !has_window || (goal.from <= self.tick && self.tick < goal.to);
        let holds = followed.wants.first().is_none_or(|watch| self.watches.get(*watch).value(goal.index));
        let wanted = matches!(goal.status, GoalStatus::Active) || (goal.armed && goal.broken);
        if !wanted || holds || !inside {
            goal.broken &= !holds;
            return;
        }
        if !goal.broken {
            goal.broken = true;
            goal.status = GoalStatus::Missed(self.tick);
            let wish = followed.wish;
            self.happen(|| WorldEventKind::GoalMissed { wish, args: args.clone() });
            self.unmet_wish(model, ViolationKind::KeepBroken, wish, condition, args);
        }
    }

    /// Reports every part of a wish that is not met.
    fn unmet_wish(&mut self, model: &Model, kind: ViolationKind, wish: WishId, condition: &Expr, args: &Args) {
        let who = if kind == ViolationKind::KeepBroken { "what must be kept" } else { "a goal" };
        let place = model.wishes[wish].place;
        for leaf in explain::unmet(model, &self.state, condition, args, None) {
            let violation = leaf.violation(kind, self.tick, who).at(place);
            self.violation(violation);
        }
    }
}

/// Whether a personality is among shares, also inside others; a circle of them must not hang us.
fn has(model: &Model, shares: &[Share], wanted: PersonalityId, depth: usize) -> bool {
    depth <= model.personalities.len()
        && shares.iter().any(|share| {
            share.personality == wanted
                || has(model, &model.personalities[share.personality].includes, wanted, depth + 1)
        })
}
