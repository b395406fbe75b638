//! The game that `run` plays with: it does as it is told, and knows its own world.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg::model::{Chance, Evaluator, Expr, Model, Observation, Plan, Step, Tick, Value};
use dramaturg::planner::simulate::{Detail, Expectations, Follow, Unmet, World, WorldOptions, WorldSave, names};
use dramaturg_executor::scripted::{Happening, Which};
use dramaturg_executor::{Game, Report, ScriptedGame, TaskView, ValueRef};
use dramaturg_wire::{self as wire, Fault, Line, Question, Task};

use super::course::Course;
use super::player::{Deed, Mood, Player};

/// A question that the game was to ask.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The task that asks.
    pub task: Task,
    /// The action that it decides about.
    pub action: String,
    /// The objects that would be done with.
    pub params: Vec<String>,
    /// Since when it is open.
    pub tick: Tick,
    /// The words, the answers, and which is taken if none comes.
    pub question: Question,
}

/// A scripted game with a world of its own, in which tasks have their effects: so guards have something to look at.
pub struct Actor {
    model: Arc<Model>,
    game: ScriptedGame,
    /// The world up to the tick before: steps must be in it before their tick begins.
    world: World,
    /// The same as conditions see it in this tick, if somebody has looked.
    seen: OnceCell<World>,
    tick: Tick,
    /// The steps that were put into the world: the parts of one are one thing there.
    performed: BTreeSet<u32>,
    /// What was asked in this tick.
    questions: Vec<Asked>,
    /// Who plays; none: everything goes as planned.
    player: Option<Player>,
    /// What the player did since somebody asked.
    deeds: Vec<Deed>,
    /// What the game must tell the director of that, because nobody reads it.
    reports: Vec<wire::Observation>,
    /// How the numbers came out that the story wants to follow a curve; nobody looks where nobody plays.
    courses: Vec<Course>,
    /// Why the director turned the game away or ended the session.
    pub ended: Option<String>,
}

impl Actor {
    /// A game in which one task in so many fails (0: none), by chance from a seed, and whose player does as expected or not.
    pub fn new(model: Arc<Model>, plan: &Plan, fails: usize, seed: u64, expectations: Expectations) -> Self {
        let mut game = ScriptedGame::new();
        let mut chance = Chance::new(seed ^ 0x0FA1_1ED0);
        let mut counts = std::collections::BTreeMap::<&str, u32>::new();
        for step in plan.steps.iter().filter(|_| fails > 0) {
            let count = counts.entry(step.action.as_str()).or_default();
            *count += 1;
            if chance.below(fails) == 0 {
                game.fail(step.action.as_str(), Which::Nth(*count), 0, "made to fail");
            }
        }
        let options = WorldOptions {
            seed,
            expectations,
            detail: Detail::Violations,
            follow: Follow::Nobody,
            unmet: Unmet::Performed,
            ..WorldOptions::default()
        };
        let world = World::begin(&model, options);
        Self {
            model,
            game,
            world,
            seen: OnceCell::new(),
            tick: 0,
            performed: BTreeSet::new(),
            questions: Vec::new(),
            player: None,
            deeds: Vec::new(),
            reports: Vec::new(),
            courses: Vec::new(),
            ended: None,
        }
    }

    /// The same game with a simulated player, who does not do as expected.
    #[must_use]
    pub fn played(mut self, player: Player) -> Self {
        self.player = Some(player);
        self.courses = Course::all(&self.model);
        self
    }

    /// What the player did since this was last asked.
    pub fn take_deeds(&mut self) -> Vec<Deed> {
        std::mem::take(&mut self.deeds)
    }

    /// What the game must tell the director by itself.
    pub fn take_reports(&mut self) -> Vec<wire::Observation> {
        std::mem::take(&mut self.reports)
    }

    /// How the numbers came out that the story wants to follow a curve.
    pub fn courses(&self) -> &[Course] {
        &self.courses
    }

    /// Its world, to be kept in a save.
    pub fn save(&self) -> WorldSave {
        self.world.save(&self.model)
    }

    /// Goes on from a world that was kept.
    pub fn load(&mut self, save: &WorldSave) {
        (self.world, _) = World::load(&self.model, save);
        self.seen.take();
    }

    /// What happened since this was last asked.
    pub fn take_transcript(&mut self) -> Vec<Happening> {
        self.game.take_transcript()
    }

    /// What was asked in the last tick.
    pub fn take_questions(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.questions)
    }

    /// What goes otherwise than planned, and who answers.
    pub fn game(&mut self) -> &mut ScriptedGame {
        &mut self.game
    }

    /// Something is so in the game's own world, from the tick that comes next.
    pub fn set(&mut self, seen: &Observation) {
        // A name that the story does not have is refused by the director, who tells it.
        let _ = self.world.observe(&self.model, seen);
    }

    fn perform(&mut self, task: &TaskView<'_>) {
        if self.performed.insert(task.id().step) {
            let step = Step {
                id: task.id().step,
                action: task.action().into(),
                args: task.params().map(Into::into).collect(),
                start: task.started(),
                duration: task.duration(),
                window: None,
                status: Default::default(),
                goals: Vec::new(),
                origin: Default::default(),
            };
            // A task that the story does not have changes nothing.
            let _ = self.world.schedule(&self.model, &step);
        }
    }
}

/// A value as observations carry it.
pub fn wire_value(model: &Model, value: Value) -> wire::Value {
    match value {
        Value::Bool(value) => wire::Value::Bool(value),
        Value::Number(number) => wire::Value::Number(number.0),
        _ => wire::Value::Name(model.value_name(value).to_string()),
    }
}

impl Game for Actor {
    fn begin(&mut self, tick: Tick) {
        self.world.step_to(&self.model, tick.saturating_sub(1));
        self.world.drain();
        self.seen.take();
        self.questions.clear();
        self.tick = tick;
        self.game.begin(tick);
        let Some(player) = &mut self.player else { return };
        let state = self.world.state();
        // What the world is like after one tick shows in the next.
        self.courses.iter_mut().for_each(|course| course.note(&self.model, state, tick.saturating_sub(1)));
        for deed in player.acts(&self.model, state, tick) {
            // It changes what the story reads, so the story has it.
            let _ = self.world.observe(&self.model, &deed.observation());
            if deed.is_untold {
                let value = wire_value(&self.model, deed.value);
                self.reports.push(wire::Observation { fluent: deed.fluent.clone(), value, from: tick, to: None });
            }
            self.deeds.push(deed);
        }
    }

    fn start(&mut self, task: &TaskView<'_>) {
        self.perform(task);
        match self.player.as_mut().map(|player| player.mood(task.actuator())) {
            Some(Mood::Refusing) => self.game.fail(task.action(), Which::Next, 0, "the player will not"),
            Some(Mood::Dawdling(by)) => self.game.stretch(task.action(), Which::Next, by),
            Some(Mood::Willing) | None => {}
        }
        self.game.start(task);
    }

    fn ask(&mut self, task: &TaskView<'_>, question: &Question) {
        self.questions.push(Asked {
            task: task.id(),
            action: task.action().to_owned(),
            params: task.params().map(str::to_owned).collect(),
            tick: self.tick,
            question: question.clone(),
        });
        if let Some(player) = &mut self.player {
            let (which, after) = player.answers(question.answers.len());
            if let Some((answer, _)) = question.answers.get(which) {
                self.game.answer(task.action(), answer.clone());
                self.game.answer_after(after);
            }
        }
        self.game.ask(task, question);
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let report = self.game.poll(task, tick);
        match report {
            Report::Failed(_) => self.world.cut(task.id().step),
            Report::Amended(duration) => self.world.amend(task.id().step, duration),
            _ => {}
        }
        report
    }

    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        let model = &*self.model;
        let (fluent, args) = names::fluent(model, fluent).ok()?;
        let args = args.iter().map(|arg| Expr::Value(*arg)).collect();
        let seen = self.seen.get_or_init(|| {
            let mut world = self.world.clone();
            world.look_at(model, self.tick);
            world
        });
        match Evaluator::new(model, seen.state()).value(&Expr::Fluent(fluent, args)) {
            Value::Bool(value) => Some(ValueRef::Bool(value)),
            Value::Number(number) => Some(ValueRef::Number(number.0)),
            Value::Object(object) => Some(ValueRef::Name(model.objects[object].name.as_str())),
            Value::Symbol(symbol) => Some(ValueRef::Name(model.symbols[symbol].as_str())),
            Value::Nothing => None,
        }
    }

    fn show(&mut self, line: &Line) {
        self.game.show(line);
    }

    fn cancel(&mut self, task: &TaskView<'_>) {
        self.world.cut(task.id().step);
        self.game.cancel(task);
    }

    fn resume_task(&mut self, task: &TaskView<'_>) {
        self.game.resume_task(task);
    }

    fn welcome(&mut self, session: &str, story: &str) {
        self.game.welcome(session, story);
    }

    fn fault(&mut self, fault: &Fault) {
        self.ended = Some(fault.message.clone());
        self.game.fault(fault);
    }

    fn goodbye(&mut self, reason: &str) {
        self.ended = Some(reason.to_owned());
        self.game.goodbye(reason);
    }
}
