//! Goals that a running game gives to characters or to the story, in place of those they had.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Evaluator, Model, ObjectId, Owner, State, Tick, WishId, WishKind};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::planner::{GoalChange, GoalReply, WrittenGoal};
use crate::simulate::GoalReport;

/// Who can be asked: a planner serves either characters or the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serves {
    /// Each of the characters.
    Characters,
    /// The story itself.
    Story,
    /// Nobody: the goals stay what they are.
    Nobody,
}

impl Serves {
    /// Whom a game means: a character, or the story; or why nobody can be meant.
    fn owner(self, story: &Model, name: Option<&SmolStr>) -> Result<Option<ObjectId>, String> {
        match (self, name) {
            (Self::Characters, None) => {
                Err("the story's own goals are not a character's: say whose it is to be".to_owned())
            }
            (Self::Characters, Some(name)) => {
                find_character(story, name).map(Some).ok_or_else(|| format!("no character is called `{name}`"))
            }
            (Self::Nobody, _) => Err("the goals are those that are written in the story".to_owned()),
            (Self::Story, None) => Ok(None),
            (Self::Story, Some(name)) => {
                Err(format!("here the story plans for itself, not `{name}`: leave the name out, or let the cast plan"))
            }
        }
    }
}

/// What a running game asked for.
#[derive(Clone, Debug)]
pub struct RuntimeGoals {
    serves: Serves,
    /// By character; none: of the story.
    by_owner: BTreeMap<Option<ObjectId>, Request>,
    /// The story with what was asked among its wishes, behind all others. The world knows nothing of it.
    pub(crate) model: Arc<Model>,
}

/// What was asked of one character, or of the story: these goals, and no others that it has of its own.
#[derive(Clone, Debug)]
struct Request {
    /// What rules had given it up to this tick does not count any longer.
    since: Tick,
    goals: Vec<Asked>,
}

#[derive(Clone, Debug)]
struct Asked {
    text: SmolStr,
    wish: WishId,
    /// The last tick at which it counts.
    deadline: Option<Tick>,
    /// It was reached, or is too late.
    over: bool,
}

/// A request by its names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<SmolStr>,
    since: Tick,
    goals: Vec<(SmolStr, Option<Tick>, bool)>,
}

impl RuntimeGoals {
    /// Nothing was asked.
    pub(crate) fn none(story: &Arc<Model>, serves: Serves) -> Self {
        Self { serves, by_owner: BTreeMap::new(), model: Arc::clone(story) }
    }

    /// Other goals for somebody; whether that changes anything, and what is said to each goal. Where none can be understood, all
    /// stays as it was.
    pub(crate) fn take(&mut self, story: &Arc<Model>, change: &GoalChange, now: Tick) -> (bool, Vec<GoalReply>) {
        let reply = |goal: &SmolStr, accepted: bool, reason: String| GoalReply {
            goal: goal.clone(),
            accepted,
            reason,
            expected: None,
        };
        let owner = match self.serves.owner(story, change.owner.as_ref()) {
            Ok(owner) => owner,
            Err(why) => return (false, change.goals.iter().map(|goal| reply(goal, false, why.clone())).collect()),
        };
        let (mut goals, mut replies) = (Vec::new(), Vec::new());
        for text in &change.goals {
            match WrittenGoal::read(story, text) {
                Ok(read) => {
                    let deadline = read.within.map(|within| now.saturating_add(within));
                    goals.push(Asked { text: text.clone(), wish: WishId(u32::MAX), deadline, over: false });
                    let who = owner.map_or("the story", |owner| story.objects[owner].name.as_str());
                    replies.push(reply(text, true, format!("it is {who}'s from tick {now} on")));
                }
                Err(why) => replies.push(reply(text, false, why)),
            }
        }
        let changes = change.goals.is_empty() || !goals.is_empty();
        if changes {
            self.by_owner.insert(owner, Request { since: now, goals });
            self.write_into(story);
        }
        (changes, replies)
    }

    /// Puts what was asked behind the wishes of the story. What can no longer be understood is left out.
    fn write_into(&mut self, story: &Arc<Model>) {
        let mut model = Model::clone(story);
        for (owner, request) in &mut self.by_owner {
            request.goals.retain_mut(|goal| {
                let read = WrittenGoal::read(story, &goal.text);
                goal.wish = read.as_ref().map_or(goal.wish, |read| model.wishes.push(read.wish(*owner)));
                read.is_ok()
            });
        }
        self.model = Arc::new(model);
    }

    /// Whether a goal that the story follows does not count, because the game asked for something else.
    pub(crate) fn replace(&self, owner: ObjectId, report: &GoalReport) -> bool {
        self.by_owner.get(&Some(owner)).is_some_and(|request| match self.model.wishes[report.wish].owner {
            Owner::Injected(_) => report.taken.is_none_or(|taken| taken <= request.since),
            _ => true,
        })
    }

    /// Looks at what has been reached, and what is too late; whether anything is. What the story wants at no certain time is to hold in
    /// the end, so that it is never done with.
    pub(crate) fn look(&mut self, state: &State, now: Tick) -> bool {
        let mut news = false;
        for (owner, request) in &mut self.by_owner {
            for goal in request.goals.iter_mut().filter(|goal| !goal.over) {
                let WishKind::Goal { aims, .. } = &self.model.wishes[goal.wish].kind else { continue };
                let mut scope = Evaluator::new(&self.model, state);
                let once = owner.is_some() || goal.deadline.is_some();
                let reached = once && aims.iter().all(|aim| scope.holds(&aim.condition));
                goal.over = reached || goal.deadline.is_some_and(|deadline| deadline < now);
                news |= goal.over;
            }
        }
        news
    }

    /// What was asked of the story in place of its goals, each with the tick until which it counts; none if nothing was.
    pub(crate) fn of_story(&self) -> Option<BTreeMap<WishId, Option<Tick>>> {
        let goals = &self.by_owner.get(&None)?.goals;
        Some(goals.iter().filter(|goal| !goal.over).map(|goal| (goal.wish, goal.deadline)).collect())
    }

    /// What characters have still to reach: who, and until when.
    pub(crate) fn open(&self) -> impl Iterator<Item = (ObjectId, WishId, Option<Tick>)> {
        let by_character = self.by_owner.iter().filter_map(|(owner, request)| Some(((*owner)?, request)));
        by_character.flat_map(|(owner, request)| {
            let open = request.goals.iter().filter(|goal| !goal.over);
            open.map(move |goal| (owner, goal.wish, goal.deadline))
        })
    }

    pub(crate) fn save(&self) -> Vec<SavedRequest> {
        let saved = self.by_owner.iter().map(|(owner, request)| SavedRequest {
            owner: owner.map(|owner| self.model.objects[owner].name.clone()),
            since: request.since,
            goals: request.goals.iter().map(|goal| (goal.text.clone(), goal.deadline, goal.over)).collect(),
        });
        saved.collect()
    }

    pub(crate) fn load(story: &Arc<Model>, serves: Serves, saved: Vec<SavedRequest>) -> Self {
        let mut requests = Self::none(story, serves);
        for request in saved {
            let Ok(owner) = serves.owner(story, request.owner.as_ref()) else { continue };
            let goals = request.goals.into_iter();
            let goals = goals.map(|(text, deadline, over)| Asked { text, wish: WishId(u32::MAX), deadline, over });
            requests.by_owner.insert(owner, Request { since: request.since, goals: goals.collect() });
        }
        if !requests.by_owner.is_empty() {
            requests.write_into(story);
        }
        requests
    }
}

fn find_character(story: &Model, name: &str) -> Option<ObjectId> {
    let object = story.find_object(name)?;
    story.characters.values().any(|character| character.object == object).then_some(object)
}
