//! Goals that are or were followed.

use dramaturg_model::{Args, Owner, Tick, WishId};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::value::{SavedValue, find_args, find_args_for};
use super::watch::SavedWatch;
use super::{Loader, Saver};
use crate::simulate::goals::{Followed, Goal, GoalReport, GoalStatus};
use crate::simulate::watch::{Bindings, Values};

/// All goals. Agendas name a goal by its place among the goals of all wishes, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedGoals {
    followed: Vec<SavedFollowed>,
    past: Vec<SavedPast>,
    /// Whether all must be looked at, whatever has changed.
    fresh: bool,
}

/// A wish that is followed, for each of its bindings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedFollowed {
    wish: SmolStr,
    given_to: Option<SmolStr>,
    condition: Option<SavedWatch>,
    wants: Vec<SavedWatch>,
    goals: Vec<SavedGoal>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedGoal {
    args: Vec<SavedValue>,
    status: GoalStatus,
    armed: bool,
    broken: bool,
    aim: u16,
    taken: Option<Tick>,
    from: Tick,
    to: Tick,
}

/// A goal of a level that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedPast {
    wish: SmolStr,
    owner: Option<SmolStr>,
    args: Vec<SavedValue>,
    status: GoalStatus,
    taken: Option<Tick>,
    aim: u16,
    deadline: Option<Tick>,
}

impl Saver<'_> {
    pub(super) fn goals(&self) -> SavedGoals {
        let labels = self.labels;
        let goals = &self.world.goals;
        let past = |past: &GoalReport| SavedPast {
            wish: labels.wishes.of(past.wish),
            owner: past.owner.map(|owner| labels.objects.of(owner)),
            args: SavedValue::all(labels, &past.args),
            status: past.status,
            taken: past.taken,
            aim: past.aim,
            deadline: past.deadline,
        };
        SavedGoals {
            followed: goals.followed.iter().map(|followed| self.followed(followed)).collect(),
            past: goals.past.iter().map(past).collect(),
            fresh: goals.fresh,
        }
    }

    fn followed(&self, followed: &Followed) -> SavedFollowed {
        let labels = self.labels;
        let own = self.world.goals.goals.iter().skip(followed.first).take(followed.bindings.len());
        let goal = |goal: &Goal| SavedGoal {
            args: SavedValue::all(labels, &followed.bindings.get(goal.index)),
            status: goal.status,
            armed: goal.armed,
            broken: goal.broken,
            aim: goal.aim,
            taken: goal.taken,
            from: goal.from,
            to: goal.to,
        };
        SavedFollowed {
            wish: labels.wishes.of(followed.wish),
            given_to: followed.given_to.map(|object| labels.objects.of(object)),
            condition: followed.condition.map(|watch| self.watch(watch)),
            wants: followed.wants.iter().map(|watch| self.watch(*watch)).collect(),
            goals: own.map(goal).collect(),
        }
    }
}

impl Loader<'_> {
    /// Gives every goal its standing again. Goals given by rules are followed again first.
    pub(super) fn load_goals(&mut self, saved: &SavedGoals) {
        let ready = self.world.goals.followed.len();
        let mut loaded = vec![false; ready];
        for saved in &saved.followed {
            match self.find_followed(saved) {
                Ok(at) => {
                    if let Some(loaded) = loaded.get_mut(at) {
                        *loaded = true;
                    }
                    self.load_followed(at, saved);
                }
                Err(why) => {
                    self.report.dropped(format!("the goal `{}`", saved.wish), why);
                    self.goals.extend(saved.goals.iter().map(|_| None));
                }
            }
        }
        self.world.goals.fresh = saved.fresh || self.joined;
        let new: Vec<WishId> = (self.world.goals.followed.iter().zip(&loaded))
            .filter(|(_, loaded)| !**loaded)
            .map(|(followed, _)| followed.wish)
            .collect();
        for wish in new {
            let what = format!("the goal `{}`", self.labels.wishes.of(wish));
            self.report.defaulted(what, "it is new and will be taken up as at the beginning");
            self.world.goals.fresh = true;
        }
        saved.past.iter().for_each(|past| self.load_past(past));
    }

    /// Where a wish is followed now.
    fn find_followed(&mut self, saved: &SavedFollowed) -> Result<usize, String> {
        let (model, labels) = (self.model, self.labels);
        let wish = labels.wishes.find(&saved.wish).ok_or("nobody wants this any more")?;
        if !matches!(model.wishes[wish].owner, Owner::Injected(_)) {
            let place = self.world.goals.followed.iter().position(|followed| followed.wish == wish);
            return place.ok_or_else(|| "it is not followed any more".to_owned());
        }
        let [goal] = saved.goals.as_slice() else { return Err("a goal given by a rule is one goal".to_owned()) };
        let args = find_args_for(model, labels, &model.wishes[wish].params, &goal.args)?;
        let character = saved.given_to.as_ref().and_then(|name| labels.objects.find(name));
        let character = character.ok_or("whom it was given to does not exist any more")?;
        let bindings = bindings_of(&args).ok_or("it has too many bindings")?;
        let place = self.world.goals.followed.len();
        let mut watches = std::mem::take(&mut self.world.watches);
        self.world.follow(model, &mut watches, wish, bindings, Some(character));
        self.world.watches = watches;
        if self.world.goals.followed.len() > place { Ok(place) } else { Err("it is no goal any more".to_owned()) }
    }

    fn load_followed(&mut self, at: usize, saved: &SavedFollowed) {
        let Some(followed) = self.world.goals.followed.get(at).cloned() else { return };
        let watches = followed.condition.iter().zip(&saved.condition);
        for (watch, saved) in watches.chain(followed.wants.iter().zip(&saved.wants)) {
            self.load_watch(*watch, saved);
        }
        let mut count = 0;
        for saved_goal in &saved.goals {
            let args = find_args(self.labels, &saved_goal.args);
            let index = args.as_ref().ok().and_then(|args| followed.bindings.index(args));
            let place = index.map(|index| followed.first + index);
            match place.and_then(|place| self.world.goals.goals.get_mut(place)) {
                Some(goal) => {
                    count += 1;
                    let SavedGoal { status, armed, broken, aim, taken, from, to, .. } = saved_goal.clone();
                    *goal = Goal { status, armed, broken, aim, taken, from, to, ..goal.clone() };
                }
                None => {
                    let why = args.err().unwrap_or_else(|| "it is not theirs any more".to_owned());
                    self.report.dropped(format!("the goal `{}` for one of its owners", saved.wish), why);
                }
            }
            self.goals.push(place);
        }
        // Whoever joined since then is looked at for the first time.
        self.joined |= count < followed.bindings.len();
    }

    fn load_past(&mut self, saved: &SavedPast) {
        match self.find_past(saved) {
            Ok(past) => self.world.goals.past.push(past),
            Err(why) => self.report.dropped(format!("the past goal `{}`", saved.wish), why),
        }
    }

    fn find_past(&self, saved: &SavedPast) -> Result<GoalReport, String> {
        let wish = self.labels.wishes.find(&saved.wish).ok_or("nobody wants this any more")?;
        let find = |name: &SmolStr| self.labels.objects.find(name).ok_or("whose it was does not exist any more");
        Ok(GoalReport {
            wish,
            owner: saved.owner.as_ref().map(find).transpose()?,
            args: find_args(self.labels, &saved.args)?,
            status: saved.status,
            taken: saved.taken,
            aim: saved.aim,
            deadline: saved.deadline,
        })
    }
}

/// The one binding of these arguments.
fn bindings_of(args: &Args) -> Option<Bindings> {
    Bindings::new(args.iter().map(|arg| Values::new(vec![*arg])).collect())
}
