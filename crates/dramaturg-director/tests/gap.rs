//! What the game did while the journal could not be written: a director that dies then comes back from before it, and
//! the game tells it what happened meanwhile.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::compile;
use common::journaling::{Small, again, recover, small};
use dramaturg_director::journal::RecoveryReport;
use dramaturg_director::{Core, Director, DirectorOptions, EventKind, Input, Journal, JournalOptions, Journey};
use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, TaskView};
use dramaturg_model::{Model, Plan, Tick};
use dramaturg_planner::cast::{Cast, CastOptions};
use dramaturg_planner::planner::{Planner, Workers};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};

const ERRANDS: usize = 30;

/// Everything that can be done is another errand: what was done twice shows.
fn story() -> String {
    let names: Vec<String> = (0..ERRANDS).map(|number| format!("e{number}")).collect();
    let goals: Vec<String> = names.iter().map(|name| format!("  goal {name}.ran\n")).collect();
    format!(
        "story \"Errands\" {{ ticks 60 per s }}
type Errand {{ ran }}
type Person {{ hands: actuator; feet: actuator }}
object {}: Errand
character ann: Person {{
{}}}
action run(who: Person, what: Errand) by who {{ takes 12 ticks; uses who.hands, who.feet from 2 ticks to 8 ticks; needs not what.ran; then what.ran }}
",
        names.join(", "),
        goals.concat(),
    )
}

/// A game that knows what it did, under which number, and of which errands it says that they failed the first time.
#[derive(Default)]
struct Runner {
    started: Vec<(u32, String)>,
    finished: BTreeSet<String>,
    fails: usize,
}

impl Runner {
    fn what(task: &TaskView<'_>) -> String {
        task.params().last().unwrap_or_default().to_owned()
    }
}

impl Game for Runner {
    fn start(&mut self, task: &TaskView<'_>) {
        if task.id().part == 0 {
            self.started.push((task.id().step, Self::what(task)));
        }
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let what = Self::what(task);
        let tries = self.started.iter().filter(|(_, started)| *started == what).count();
        let number: usize = what.get(1..).and_then(|number| number.parse().ok()).unwrap_or(0);
        if self.fails > 0 && number.is_multiple_of(self.fails) && tries == 1 && tick - task.started() >= 2 {
            return Report::Failed("it went wrong".into());
        }
        if tick < task.started() + task.duration() {
            return Report::Running;
        }
        if task.id().part == 0 {
            self.finished.insert(what);
        }
        Report::Finished
    }
}

struct Rig {
    model: Arc<Model>,
    director: Director,
    journal: Journal,
    room: Arc<AtomicU64>,
    executor: Executor,
    game: Runner,
    frames: Vec<Vec<u8>>,
    tick: Tick,
    /// What was sent under which number, since the director was last started.
    sent: BTreeMap<u32, String>,
    events: Vec<EventKind>,
}

fn options() -> DirectorOptions {
    DirectorOptions { omega: 1, upsilon: 1, mu: Journey::Given(0), session: "7f3a".to_owned(), ..Default::default() }
}

impl Rig {
    fn new(folder: &Path, planner: fn(Arc<Model>) -> Box<dyn Planner>) -> Self {
        let model = compile(&story());
        let mut director = Director::new(
            Core::new(Arc::clone(&model), options()),
            planner(Arc::clone(&model)),
            dramaturg_planners::loader(),
        );
        let room = Arc::new(AtomicU64::new(u64::MAX));
        let disk = Box::new(Small { room: Arc::clone(&room) });
        let keeping = JournalOptions { segment_bytes: 1 << 30, ..small() };
        let journal = Journal::create_on(disk, folder, keeping, &mut director).expect("begun");
        Self {
            model,
            director,
            journal,
            room,
            executor: Executor::new(ExecutorOptions::default()),
            game: Runner::default(),
            frames: Vec::new(),
            tick: 0,
            sent: BTreeMap::new(),
            events: Vec::new(),
        }
    }

    fn input(&mut self, input: &Input) {
        self.journal.append(input, &self.director);
        let Self { director, frames, .. } = self;
        director.step(input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
        self.journal.settle(&mut self.director);
        for event in self.director.drain() {
            if let EventKind::Dispatched { task, args, .. } = &event.kind {
                let what = args.last().expect("an errand").clone();
                assert!(self.sent.insert(task.step, what.clone()).is_none_or(|before| before == what));
            }
            self.events.push(event.kind);
        }
    }

    fn until(&mut self, end: Tick) {
        while self.tick < end {
            for frame in std::mem::take(&mut self.frames) {
                self.executor.receive(&frame).expect("the director speaks the protocol");
            }
            self.executor.tick(self.tick, &mut self.game);
            let mut frames = Vec::new();
            self.executor.poll(&mut |frame| frames.push(frame.to_vec()));
            let now = self.now();
            self.input(&Input::Pump { now, frames });
            if self.tick % 6 == 0 {
                self.input(&Input::Begin { now });
                self.input(&Input::End { now, units: 2_000 });
                self.input(&Input::Pump { now, frames: Vec::new() });
            }
            self.tick += 1;
        }
    }

    fn now(&self) -> i64 {
        self.tick * 16_667
    }

    /// The link breaks and is there again at once.
    fn reconnect(&mut self) {
        let now = self.now();
        self.input(&Input::Disconnected { now, reason: "the link broke".to_owned() });
        self.frames.clear();
        self.executor.reconnect();
    }

    /// The director dies and is started again from its journal, while the game goes on.
    fn restart(self, folder: &Path) -> (Self, RecoveryReport) {
        let Self { model, director, journal, room, mut executor, game, tick, .. } = self;
        drop((director, journal));
        room.store(u64::MAX, Ordering::Relaxed);
        let recovered = recover(folder, &model).expect("recovered");
        executor.reconnect();
        let mut rig = Self {
            model,
            director: recovered.director,
            journal: recovered.journal,
            room,
            executor,
            game,
            frames: Vec::new(),
            tick,
            sent: BTreeMap::new(),
            events: Vec::new(),
        };
        let now = rig.now();
        rig.input(&Input::Disconnected { now, reason: "the director was started again".to_owned() });
        (rig, recovered.report)
    }

    /// The steps that the game had, and nobody knows what they were.
    fn unaccounted(&self) -> impl Iterator<Item = u32> {
        let told = self.events.iter().filter_map(|event| match event {
            EventKind::Unaccounted { tasks } => Some(tasks),
            _ => None,
        });
        let recalled = |step: &u32| {
            self.events.iter().any(|event| matches!(event, EventKind::Recalled { step: known, .. } if known == step))
        };
        told.flatten().map(|record| record.task.step).filter(move |step| !recalled(step))
    }

    /// Which errands the director takes for run.
    fn believed(&self) -> BTreeSet<String> {
        let present = self.director.core().chronicle().present();
        let (fluent, _) = self.model.fluents.iter().find(|(_, fluent)| fluent.name == "ran").expect("a fluent");
        let is_run = |name: &String| {
            let object = self.model.find_object(name).expect("an errand");
            present.state().get(fluent, &[dramaturg_model::Value::Object(object)]) == dramaturg_model::Value::Bool(true)
        };
        (0..ERRANDS).map(|number| format!("e{number}")).filter(is_run).collect()
    }
}

fn script(model: Arc<Model>) -> Box<dyn Planner> {
    let mut plan = Plan::default();
    for number in 0..ERRANDS {
        plan.add("run", ["ann".to_owned(), format!("e{number}")], 20 + 14 * number as Tick, 12);
    }
    Box::new(Scripted::performing(model, &plan, ScriptOptions { horizon: 60, retries: 2, ..ScriptOptions::default() }))
}

fn cast(model: Arc<Model>) -> Box<dyn Planner> {
    Box::new(Cast::new(model, CastOptions::default()))
}

/// A gap of the journal: how the game goes on in it.
struct Gap {
    planner: fn(Arc<Model>) -> Box<dyn Planner>,
    /// Of so many errands one fails the first time; 0: none.
    fails: usize,
    reconnects: usize,
    /// So many ticks.
    long: Tick,
}

/// The end of it, and what was started before the director was started again.
fn play(gap: &Gap) -> (Rig, Vec<(u32, String)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rig = Rig::new(folder.path(), gap.planner);
    rig.game.fails = gap.fails;
    rig.until(60);
    rig.room.store(0, Ordering::Relaxed);
    for part in 1..=gap.reconnects + 1 {
        rig.until(60 + gap.long * part as Tick / (gap.reconnects + 1) as Tick);
        if part <= gap.reconnects {
            rig.reconnect();
        }
    }
    assert!(!rig.journal.is_writing());
    let before = rig.game.started.clone();
    assert!(gap.long < 30 || before.len() > 3, "{before:?}");
    let (mut rig, report) = rig.restart(folder.path());
    assert!(report.tick <= 60, "{report:?}");
    rig.until(60 + gap.long + 1_500);
    let report = again(folder.path(), &rig.model);
    assert!(report.is_identical(), "{report:?}");
    (rig, before)
}

#[test]
fn what_was_performed_in_a_gap_is_neither_performed_again_nor_mistaken_for_something_else() {
    let mut failures = Vec::new();
    for (name, planner) in [("scripted", script as fn(_) -> _), ("cast", cast)] {
        for fails in [0, 3] {
            for reconnects in [0, 1, 3] {
                for long in [20, 90, 200] {
                    let case = format!("{name}, fails {fails}, reconnects {reconnects}, {long} ticks");
                    let (rig, before) = play(&Gap { planner, fails, reconnects, long });
                    let mut check = |holds: bool, what: String| {
                        if !holds {
                            failures.push(format!("{case}: {what}"));
                        }
                    };
                    check(rig.executor.is_connected(), "the game did not get back into its session".to_owned());
                    // No number stands for two things.
                    let numbers: BTreeMap<u32, String> = before.iter().cloned().collect();
                    for (id, what) in &rig.sent {
                        let is_other = numbers.get(id).is_some_and(|before| before != what);
                        check(!is_other, format!("step {id} was {:?}, and then {what}", numbers.get(id)));
                    }
                    // What was done is not done again, whether it was planned before the gap or in it; only what came to
                    // nothing is left unaccounted for.
                    for step in rig.unaccounted() {
                        let what = numbers.get(&step);
                        let number: Option<usize> = what.and_then(|what| what[1..].parse().ok());
                        let failed = number.is_some_and(|number| fails > 0 && number.is_multiple_of(fails));
                        check(failed, format!("step {step} is unaccounted for, and was {what:?}"));
                    }
                    let after = rig.game.started.iter().skip(before.len());
                    for (_, what) in after {
                        let was_done = before.iter().filter(|(_, started)| started == what).count();
                        let number: usize = what[1..].parse().expect("a number");
                        let tries = if fails > 0 && number.is_multiple_of(fails) { 2 } else { 1 };
                        check(was_done < tries, format!("{what} was run again"));
                    }
                    // Everything is done in the end, and the director knows it.
                    check(rig.game.finished.len() == ERRANDS, format!("only {:?} were run", rig.game.finished.len()));
                    let believed = rig.believed();
                    check(believed == rig.game.finished, format!("{} are believed to be run", believed.len()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
