//! A story under way: director and game tick by tick, and what happens in each of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg::model::{Args, Evaluator, Fixed, Model, ObjectId, Tick, WishId, WishKind};
use dramaturg::planner::simulate::{GoalReport, GoalStatus, words};
use dramaturg_director::EventKind;
use dramaturg_executor::scripted::{Happening, What as Act};
use dramaturg_wire::Task;

use super::answers::offered;
use super::happened::{By, Deed, Happened, What};
use super::lines::{Lines, Source, objects};
use crate::exit::Failure;
use crate::plays::scene;
use crate::staging::actor::Asked;
use crate::staging::lockstep::LinkKind;
use crate::staging::setting::Setting;
use crate::staging::stage::{Named, Stage};
use dramaturg::planner::cast::Places;

/// A story that has stood still for so long is over, even if its planner still looks for something to do: it looks ahead no farther.
const QUIET: Tick = 120;

/// In which order the things of one tick are told: as the world does them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Ended,
    Followed,
    Wanted,
    Started,
}

/// What happened in a tick, each in its phase.
type Tellings = Vec<(Phase, Happened)>;

/// A step that is under way.
struct Doing {
    named: Named,
    /// When it started.
    since: Tick,
    /// Whether it has told its line of this tick.
    told: bool,
    /// Whether it ended in this tick.
    ended: bool,
}

/// Which goal, whose, with which arguments.
type GoalKey = (WishId, Option<ObjectId>, Args);

/// A story under way.
pub struct Theatre<'s> {
    /// The story.
    pub model: Arc<Model>,
    stage: Stage<'s>,
    places: Places,
    lines: Lines,
    doing: BTreeMap<u32, Doing>,
    goals: BTreeMap<GoalKey, GoalStatus>,
    /// Who answered what has been answered and not heard of yet.
    answered: BTreeMap<Task, (String, By)>,
    /// When something happened last.
    last: Tick,
}

impl<'s> Theatre<'s> {
    /// A story before its first tick.
    pub fn open(setting: &'s Setting) -> Result<Self, Failure> {
        let stage = Stage::new(setting, LinkKind::Inline).map_err(|error| Failure::trouble(error.to_string()))?;
        let model = Arc::clone(&setting.model);
        let mut theatre = Self {
            places: Places::of(&model),
            lines: Lines::of(&model),
            model,
            stage,
            doing: BTreeMap::new(),
            goals: BTreeMap::new(),
            answered: BTreeMap::new(),
            last: 0,
        };
        while theatre.next() < 0 {
            theatre.tick()?;
        }
        Ok(theatre)
    }

    /// The tick that comes next.
    pub fn next(&self) -> Tick {
        self.stage.both.next()
    }

    /// Director and game.
    pub fn stage(&self) -> &Stage<'s> {
        &self.stage
    }

    /// The question that has been open longest.
    pub fn question(&self) -> Option<&Asked> {
        self.stage.open.first()
    }

    /// What somebody is doing.
    pub fn deed_of(&self, who: ObjectId) -> Option<&Named> {
        let name = &self.model.objects[who].name;
        let is_in = |deed: &Deed| {
            deed.performer.as_ref().is_some_and(|other| other == name) || deed.participants.iter().any(|p| p == name)
        };
        self.doing
            .values()
            .filter(|doing| !doing.ended)
            .find(|doing| is_in(&deed(&self.model, &doing.named)))
            .map(|doing| &doing.named)
    }

    /// Whether a step is under way.
    pub fn is_doing(&self, step: u32) -> bool {
        self.doing.get(&step).is_some_and(|doing| !doing.ended)
    }

    /// Whether the story has ended, or nothing more will come by itself.
    pub fn is_over(&self) -> bool {
        let is_quiet = || self.next() - self.last > QUIET && self.stage.stands_still();
        self.ending().is_some() || self.stage.open.is_empty() && (self.stage.is_over() || is_quiet())
    }

    /// How the story ended, if it did.
    pub fn ending(&self) -> Option<&str> {
        self.stage.world().ending().map(|ending| self.model.endings[ending].name.as_str())
    }

    /// Answers a question that is open.
    pub fn answer(&mut self, asked: &Asked, answer: &str, by: By) -> Result<(), Failure> {
        let answered = self.stage.answer(asked.task, answer);
        answered.map_err(|error| Failure::usage(format!("“{}”: {error}", asked.question.text)))?;
        self.answered.insert(asked.task, (asked.action.clone(), by));
        Ok(())
    }

    /// Runs one tick; what happened in it.
    pub fn tick(&mut self) -> Result<Vec<Happened>, Failure> {
        self.doing.retain(|_, doing| !doing.ended);
        self.doing.values_mut().for_each(|doing| doing.told = false);
        let asked: BTreeMap<Task, String> =
            self.stage.open.iter().map(|open| (open.task, open.action.clone())).collect();
        let brought = self.stage.tick().map_err(|error| Failure::trouble(error.to_string()))?;
        if let Some(trouble) = self.stage.both.trouble() {
            return Err(Failure::trouble(format!("director and game lost each other: {trouble}")));
        }
        let mut happened = Tellings::new();
        for act in &brought.acts {
            self.acted(act, &mut happened);
        }
        let mut rules = Vec::new();
        for event in &brought.events {
            match &event.kind {
                EventKind::World { tick, what } => self.told(*tick, what, &mut rules, &mut happened),
                EventKind::Line { tick, id, speaker, text } => {
                    self.said(*tick, (id, text), speaker.as_ref(), &rules, &mut happened);
                }
                EventKind::Answered { task, tick, answer } => {
                    let timed_out = || (asked.get(task).cloned().unwrap_or_default(), By::Time);
                    let (action, by) = self.answered.remove(task).unwrap_or_else(timed_out);
                    let what = What::Answered { action, answer: answer.clone(), by };
                    happened.push((Phase::Followed, self.seen_by_all(*tick, what)));
                }
                _ => {}
            }
        }
        self.wanted(&mut happened);
        if !happened.is_empty() {
            self.last = self.next();
        }
        happened.sort_by_key(|(phase, happened)| (happened.tick, *phase));
        Ok(happened.into_iter().map(|(_, happened)| happened).collect())
    }

    /// What the game did.
    fn acted(&mut self, Happening { tick, task, what }: &Happening, happened: &mut Tellings) {
        let step = task.map_or(0, |task| task.step);
        match what {
            Act::Started { action, params, .. } => {
                let named = Named { name: action.clone(), args: params.clone() };
                happened.push((Phase::Started, self.done(*tick, &named, What::Starts)));
                self.doing.insert(step, Doing { named, since: *tick, told: false, ended: false });
            }
            Act::Finished { .. } => {
                if let Some(named) = self.end(step) {
                    happened.push((Phase::Ended, self.done(*tick, &named, What::Ends)));
                }
            }
            Act::Failed { reason, .. } => {
                if let Some(named) = self.end(step) {
                    let fails = |deed| What::Fails { deed, reason: reason.clone() };
                    happened.push((Phase::Ended, self.done(*tick, &named, fails)));
                }
            }
            Act::Cancelled { .. } => {
                self.end(step);
            }
            Act::Asked { .. } => {
                let open = self.stage.open.iter().find(|open| Some(open.task) == *task);
                happened.extend(open.map(|asked| (Phase::Started, self.seen_by_all(*tick, question(asked)))));
            }
            _ => {}
        }
    }

    /// A step ends; its parts may do so one after another.
    fn end(&mut self, step: u32) -> Option<Named> {
        let doing = self.doing.get_mut(&step).filter(|doing| !doing.ended)?;
        doing.ended = true;
        Some(doing.named.clone())
    }

    /// What the director told of the world.
    fn told(&self, tick: Tick, told: &str, rules: &mut Vec<Named>, happened: &mut Tellings) {
        let all = |what| Some(self.seen_by_all(tick, what));
        let followed = match scene::happening(told) {
            Some(scene::What::Rule(named)) => {
                let who = objects(&self.model, &named.args);
                let what = What::Rule { rule: named.name.clone(), args: named.args.clone() };
                rules.push(named);
                Some(self.seen(tick, what, &who, &[]))
            }
            Some(scene::What::Milestone(name)) => all(What::Milestone { name }),
            Some(scene::What::Ending(name)) => all(What::Ending { name }),
            _ => told.strip_prefix("level ").and_then(|name| all(What::Level { name: name.to_owned() })),
        };
        happened.extend(followed.map(|followed| (Phase::Followed, followed)));
    }

    /// A text was shown.
    fn said(
        &mut self,
        tick: Tick,
        line: (&str, &str),
        speaker: Option<&String>,
        rules: &[Named],
        happened: &mut Tellings,
    ) {
        let steps: Vec<(bool, &Named)> = self.doing.values().map(|doing| (!doing.told, &doing.named)).collect();
        let (mut who, mut named, mut phase) = (Vec::new(), Vec::new(), Phase::Followed);
        let at = match self.lines.source((&*self.model, self.stage.world().state()), line, &steps, rules) {
            Source::Step(at) => Some(at),
            Source::Rule(rule) => {
                who = objects(&self.model, &rule.args);
                None
            }
            Source::Nobody => None,
        };
        if let Some(doing) = at.and_then(|at| self.doing.values_mut().nth(at)) {
            doing.told = true;
            if doing.since == tick {
                phase = Phase::Started;
            }
            named = objects(&self.model, &doing.named.args);
            who = people(&self.model, &deed(&self.model, &doing.named));
        }
        who.extend(speaker.and_then(|speaker| self.model.find_object(speaker)));
        let what = What::Line { speaker: speaker.cloned(), text: line.1.to_owned() };
        let seen = match who.is_empty() {
            true => self.seen_by_all(tick, what),
            false => self.seen(tick, what, &who, &named),
        };
        happened.push((phase, seen));
    }

    /// Goals that stand otherwise than before.
    fn wanted(&mut self, happened: &mut Tellings) {
        let tick = self.next() - 1;
        for report in self.stage.world().goals() {
            let key = (report.wish, report.owner, report.args.clone());
            let old = self.goals.insert(key, report.status).unwrap_or(GoalStatus::Waiting);
            if old != report.status && report.status != GoalStatus::Waiting {
                let who: Vec<ObjectId> = report.owner.into_iter().collect();
                let goal = self.goal(&report);
                // What somebody wants, nobody else sees.
                happened.extend(goal.map(|what| (Phase::Wanted, self.seen_by_these(tick, what, who))));
            }
        }
    }

    /// A goal and where it stands; none for what is only kept or liked.
    pub fn goal(&self, report: &GoalReport) -> Option<What> {
        let model = &*self.model;
        let wish = model.wishes.try_at(report.wish)?;
        let WishKind::Goal { aims, salience } = &wish.kind else { return None };
        let aim = aims.get(usize::from(report.aim)).or(aims.last())?;
        let state = self.stage.world().state();
        let salience = Evaluator::with(model, state, &report.args).number(salience).map_or(50, Fixed::round_half_up);
        let standing = match report.status {
            GoalStatus::Waiting => "waiting",
            GoalStatus::Active => "active",
            GoalStatus::Reached(_) => "reached",
            GoalStatus::Missed(_) => "missed",
            GoalStatus::Dropped(_) => "dropped",
        };
        let owner = report.owner.map(|owner| model.objects[owner].name.to_string());
        Some(What::Goal { owner, goal: words::expr(model, &aim.condition, &report.args), salience, standing })
    }

    fn done(&self, tick: Tick, named: &Named, what: impl FnOnce(Deed) -> What) -> Happened {
        let deed = deed(&self.model, named);
        let (who, args) = (people(&self.model, &deed), objects(&self.model, &named.args));
        self.seen(tick, what(deed), &who, &args)
    }

    /// Something that these do, and that names these objects.
    fn seen(&self, tick: Tick, what: What, who: &[ObjectId], named: &[ObjectId]) -> Happened {
        let seers = self.places.seers(&self.model, self.stage.world().state(), who, named);
        self.seen_by_these(tick, what, seers)
    }

    fn seen_by_all(&self, tick: Tick, what: What) -> Happened {
        self.seen_by_these(tick, what, self.cast())
    }

    fn seen_by_these(&self, tick: Tick, what: What, seers: Vec<ObjectId>) -> Happened {
        let seen_by = seers.iter().map(|who| self.model.objects[*who].name.to_string()).collect();
        Happened { tick, what, seen_by, seers }
    }

    /// The characters of the level at hand, in the order of acting.
    pub fn cast(&self) -> Vec<ObjectId> {
        let level = self.stage.world().state().level();
        let all = self.model.characters.values().map(|character| character.object);
        all.filter(|who| self.model.is_visible(self.model.objects[*who].level, level)).collect()
    }
}

/// Who does something, and who takes part.
pub fn deed(model: &Model, named: &Named) -> Deed {
    let action = model.find_action(&named.name).map(|action| &model.actions[action]);
    let arg = |at: &u16| named.args.get(usize::from(*at)).cloned();
    Deed {
        action: named.name.clone(),
        args: named.args.clone(),
        performer: action.and_then(|action| action.performer).as_ref().and_then(arg),
        participants: action.map_or_else(Vec::new, |action| action.participants.iter().filter_map(arg).collect()),
    }
}

fn people(model: &Model, deed: &Deed) -> Vec<ObjectId> {
    deed.performer.iter().chain(&deed.participants).filter_map(|name| model.find_object(name)).collect()
}

fn question(asked: &Asked) -> What {
    let (within, otherwise) = asked.question.within.clone().unzip();
    What::Question {
        action: asked.action.clone(),
        args: asked.params.clone(),
        text: asked.question.text.clone(),
        answers: offered(asked),
        within,
        otherwise,
    }
}
