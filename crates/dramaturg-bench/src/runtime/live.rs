//! The ways of sending, in real time: the same stream for each, all at once, over TCP.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Served, SessionOptions};
use dramaturg_director::{DirectorOptions, Event, EventKind, Journey, Policy};
use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, TaskView};
use dramaturg_model::Tick;
use dramaturg_planner::scripted::ScriptOptions;
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError};

use super::policy::{PolicyFigures, mean};
use super::progress::Progress;
use super::pulse::{Beat, Pulse, RATE, ticks};
use super::score::Score;
use super::serving::{Serving, Sink};

/// The first task starts in this tick: the paper's window lies that far ahead.
const FROM: Tick = 240;
/// Ticks between two tasks: at least one, at most this.
const GAP: usize = 40;
/// So many ticks after the last task the games go: the paper's repairs take that long.
const AFTER: Tick = 240;

/// A way of sending in real time.
#[derive(Clone, Copy, Debug)]
pub struct Contender {
    /// What it is called.
    pub name: &'static str,
    /// How steps are sent.
    pub policy: Policy,
    /// μ
    pub mu: Journey,
}

/// The paper's way and ours in the paper's setting, and ours with μ as it was measured.
pub const CONTENDERS: [Contender; 3] = [
    Contender { name: "paper", policy: Policy::Paper, mu: Journey::Given(1) },
    Contender { name: "decoupled", policy: Policy::Decoupled, mu: Journey::Given(1) },
    Contender { name: "decoupled, μ measured", policy: Policy::Decoupled, mu: Journey::Measured },
];

/// The ways of sending, each with a game of its own.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    /// How long.
    pub seconds: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// Shared by the games and the server that they play with.
#[derive(Default)]
struct Backstage {
    /// Which tick each game is in.
    ticks: [AtomicI64; CONTENDERS.len()],
    /// Whose session is called what.
    sessions: Mutex<BTreeMap<String, usize>>,
    /// How many ticks before their start tasks of the stream were sent.
    leads: Mutex<[Vec<Tick>; CONTENDERS.len()]>,
}

impl Live {
    /// Seconds that it takes.
    pub fn lasts(&self) -> u32 {
        (self.end() / ticks(1)) as u32 + 1
    }

    fn end(&self) -> Tick {
        FROM + ticks(self.seconds) + AFTER
    }

    fn score(&self) -> Score {
        let mut score = Score::drums(FROM, ticks(self.seconds) as usize, GAP, self.seed);
        score.plan.steps.retain(|step| step.start < FROM + ticks(self.seconds));
        score
    }

    /// Performs the stream in each way, and tells what came of it in the order of [`CONTENDERS`].
    pub fn run(&self, progress: &mut Progress<'_>) -> Result<Vec<PolicyFigures>, LinkError> {
        let score = self.score();
        let backstage = Arc::new(Backstage::default());
        let served = (0..CONTENDERS.len()).map(|number| self.served(number, &score, &backstage)).collect();
        let scripted = score.plan.steps.len() as u32;
        let serving = Serving::begin(served, 1, Some(sink(&backstage, scripted)))?;
        let links = CONTENDERS.iter().map(|_| serving.link()).collect::<Result<Vec<_>, _>>()?;
        let played = thread::scope(|scope| {
            let games = links.into_iter().zip(CONTENDERS).zip(&backstage.ticks);
            let games: Vec<_> = games
                .map(|((link, contender), now)| scope.spawn(move || self.play(link, contender.name, scripted, now)))
                .collect();
            while games.iter().any(|game| !game.is_finished()) {
                thread::sleep(Duration::from_millis(100));
                progress.at(backstage.ticks[0].load(Ordering::Relaxed) as f64 / f64::from(RATE));
            }
            let join = |game: thread::ScopedJoinHandle<'_, _>| {
                // A panic of a game is a panic of the measurement.
                game.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            games.into_iter().map(join).collect::<Result<Vec<Breaker>, LinkError>>()
        });
        let ended = serving.end();
        let (played, ended) = (played?, ended?);
        let leads = backstage.leads.lock().unwrap_or_else(PoisonError::into_inner);
        let sessions = backstage.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = |number: usize| {
            let name = sessions.iter().find(|(_, known)| **known == number).map(|(name, _)| name);
            name.and_then(|name| ended.get(name)).map_or(0, |figures| figures.missed as usize)
        };
        let all = played.iter().zip(leads.iter()).enumerate();
        Ok(all.map(|(number, (game, leads))| game.figures(scripted, leads, recorded(number))).collect())
    }

    fn served(&self, number: usize, score: &Score, backstage: &Arc<Backstage>) -> Served {
        let (score, backstage, contender) = (score.clone(), Arc::clone(backstage), CONTENDERS[number]);
        let open = move |name: &str, codec: Codec| {
            backstage.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), number);
            let options = DirectorOptions {
                session: name.to_owned(),
                codec,
                policy: contender.policy,
                mu: contender.mu,
                world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
                ..DirectorOptions::default()
            };
            let script = ScriptOptions { retries: 1, ..ScriptOptions::default() };
            Ok(Opening { director: score.director(options, script), journal: None })
        };
        Served { names: vec![contender.name.to_owned()], options: SessionOptions::default(), open: Box::new(open) }
    }

    fn play(&self, mut link: impl Link, story: &str, scripted: u32, now: &AtomicI64) -> Result<Breaker, LinkError> {
        let options = ExecutorOptions { story: Some(story.to_owned()), ..ExecutorOptions::default() };
        let mut executor = Executor::new(options);
        let mut game = Breaker { scripted, ..Breaker::default() };
        let mut pulse = Pulse::begin(Duration::ZERO);
        loop {
            let beat = pulse.wait();
            now.store(beat.tick, Ordering::Relaxed);
            game.beat = Some(beat);
            executor.frame(beat.tick, &mut game, &mut link)?;
            if beat.tick >= self.end() {
                executor.goodbye("that was all");
                executor.frame(beat.tick + 1, &mut game, &mut link)?;
                return Ok(game);
            }
        }
    }
}

/// Notes in the server's thread how far ahead tasks of the stream are sent.
fn sink(backstage: &Arc<Backstage>, scripted: u32) -> Sink {
    let backstage = Arc::clone(backstage);
    Box::new(move |session: &str, event: &Event| {
        if let EventKind::Dispatched { task, start, .. } = &event.kind
            && task.step < scripted
            && let Some(number) =
                backstage.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(session).copied()
        {
            let tick = backstage.ticks[number].load(Ordering::Relaxed);
            backstage.leads.lock().unwrap_or_else(PoisonError::into_inner)[number].push(start - tick);
        }
    })
}

/// A game in which every task of the stream fails at once, and what is planned because of that does not.
#[derive(Default)]
struct Breaker {
    beat: Option<Beat>,
    scripted: u32,
    failures: Vec<Tick>,
    repairs: Vec<Tick>,
    on_time: usize,
    late: usize,
}

impl Game for Breaker {
    fn start(&mut self, task: &TaskView<'_>) {
        if task.id().step >= self.scripted {
            self.repairs.push(task.started());
        } else if task.start() == task.started() || self.beat.is_some_and(|beat| beat.has_skipped(task.start())) {
            self.on_time += 1;
        } else {
            self.late += 1;
        }
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        if task.id().step < self.scripted {
            self.failures.push(tick);
            return Report::Failed("the drum broke".into());
        }
        if tick >= task.started() + task.duration() { Report::Finished } else { Report::Running }
    }
}

impl Breaker {
    fn figures(&self, scripted: u32, leads: &[Tick], missed: usize) -> PolicyFigures {
        let reactions: Vec<Tick> =
            self.failures.iter().zip(&self.repairs).map(|(failed, tick)| tick - failed).collect();
        let (tasks, late) = (scripted as usize, self.late + missed);
        PolicyFigures {
            tasks,
            on_time: self.on_time,
            late,
            lost: tasks.saturating_sub(self.on_time + late),
            lock_lead_ticks_mean: mean(leads),
            reaction_ticks_mean: mean(&reactions),
            reaction_ticks_max: reactions.iter().copied().max().unwrap_or(0),
        }
    }
}
