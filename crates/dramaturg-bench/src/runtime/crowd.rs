//! Many sessions at once, with their games in another process.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg_director::DirectorOptions;
use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Figures, Served, SessionOptions};
use dramaturg_model::Tick;
use dramaturg_planner::scripted::ScriptOptions;
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::Codec;
use dramaturg_wire::link::LinkError;
use serde::Serialize;

use super::elsewhere::{Games, Order, Spawn};
use super::fates::{FateFigures, Fates, Stretch};
use super::games::{GamesOrder, GamesReport};
use super::machine::{core_seconds, resident_bytes};
use super::progress::Progress;
use super::pulse::{RATE, ticks};
use super::punctual::Punctuality;
use super::score::Score;
use super::serving::{Serving, Sink};
use super::waits::{WaitFigures, Waits};
use crate::memory::Memory;

/// So many ticks after the last start the games go.
const AFTER: Tick = 60;
/// How long idle sessions are left alone before they are weighed.
const IDLE: Duration = Duration::from_secs(2);
/// υ: every how many ticks games report the time.
const UPSILON: u32 = 12;

/// Tasks are sent so many ticks ahead, which a machine may sleep for.
const AHEAD: Tick = 60;

/// Many sessions at once.
#[derive(Clone, Copy, Debug)]
pub struct Crowd {
    /// How many.
    pub sessions: usize,
    /// How long tasks start.
    pub seconds: u32,
    /// How many tasks start in a second, in each.
    pub per_second: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct CrowdFigures {
    /// How many sessions there were.
    pub sessions: usize,
    /// Tasks of all sessions.
    pub tasks: u64,
    /// When they started, as the games tell.
    #[serde(flatten)]
    pub punctuality: Punctuality,
    /// Tasks that never started.
    pub not_started: u64,
    /// Of these, those that the director neither sent nor recorded.
    pub lost: u64,
    /// Tasks in a hundred that started in their tick, of those whose tick took place.
    pub on_time_percent: f64,
    /// Frames that directors sent again.
    pub resent: u64,
    /// How often a director's clock began anew.
    pub clock_relocks: u64,
    /// Cores that the director's process used on average.
    pub director_cores: Option<f64>,
    /// Cores that the games' process used on average: the baseline, for it does nothing but tick and talk.
    pub games_cores: Option<f64>,
    /// How long threads of the director's process waited for a core.
    pub director_waits: WaitFigures,
    /// The same for those of the games' process.
    pub games_waits: WaitFigures,
    /// What became of every task, as the directors tell it.
    pub fates: FateFigures,
}

/// What sessions weigh in which nothing happens but time.
#[derive(Clone, Debug, Serialize)]
pub struct IdleFigures {
    /// How many there were.
    pub sessions: usize,
    /// Bytes that each of them holds, as the allocator counts.
    pub allocated_bytes: u64,
    /// Bytes by which the process grew for each; none where the system does not tell.
    pub resident_bytes: Option<u64>,
}

impl IdleFigures {
    /// The larger of both figures, in KiB.
    pub fn kibibytes(&self) -> f64 {
        self.allocated_bytes.max(self.resident_bytes.unwrap_or(0)) as f64 / 1024.0
    }
}

impl Crowd {
    /// Seconds that [`Crowd::run`] takes.
    pub fn lasts(&self) -> u32 {
        (self.end() / ticks(1)) as u32 + 2
    }

    /// Seconds that [`Crowd::weigh`] takes.
    pub fn weighs(&self) -> u32 {
        IDLE.as_secs() as u32 + 2
    }

    /// The first tasks start in this tick: until then everybody has connected.
    fn from(&self) -> Tick {
        120 + self.sessions as Tick * 36 / 100
    }

    fn end(&self) -> Tick {
        self.from() + ticks(self.seconds) + AFTER
    }

    /// Weighs sessions in which nothing happens. The first thing to do in a process, for memory that was used before would hide it.
    pub fn weigh(
        &self,
        memory: &dyn Memory,
        spawn: &Spawn<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<IdleFigures, LinkError> {
        let serving = Serving::begin(vec![self.served(0)], 2, None)?;
        let order = GamesOrder { address: serving.address().to_owned(), games: self.sessions, ticks: Tick::MAX };
        let mut games = Games::begin(spawn)?;
        let before = resident_bytes();
        memory.count();
        games.go(&Order::Crowd(order))?;
        let began = Instant::now();
        while began.elapsed() < IDLE {
            thread::sleep(Duration::from_millis(100));
            progress.at(began.elapsed().as_secs_f64());
        }
        let (held, after) = (memory.held() as u64, resident_bytes());
        memory.stop();
        games.end::<GamesReport>()?;
        serving.end()?;
        let each = |bytes: u64| bytes / self.sessions.max(1) as u64;
        Ok(IdleFigures {
            sessions: self.sessions,
            allocated_bytes: each(held),
            resident_bytes: before.zip(after).map(|(before, after)| each(after.saturating_sub(before))),
        })
    }

    /// Lets all sessions perform.
    pub fn run(&self, spawn: &Spawn<'_>, progress: &mut Progress<'_>) -> Result<CrowdFigures, LinkError> {
        let length = ticks(self.seconds);
        let steps = self.score(length, 0).plan.steps.len();
        let between = (Tick::from(RATE) / Tick::from(self.per_second.max(1))).max(1);
        let stretch = Stretch { from: self.from(), between, end: self.end() };
        let fates = Arc::new(Mutex::new(Fates::new(steps, stretch)));
        let heard = Arc::clone(&fates);
        let sink: Sink = Box::new(move |session, event| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).hear(session, event);
        });
        let serving = Serving::begin(vec![self.served(length)], 2, Some(sink))?;
        let order = GamesOrder { address: serving.address().to_owned(), games: self.sessions, ticks: self.end() };
        let mut games = Games::begin(spawn)?;
        let (began, used, waits) = (Instant::now(), core_seconds(), Waits::begin());
        games.go(&Order::Crowd(order))?;
        let report: GamesReport = games.report(&mut || progress.at(began.elapsed().as_secs_f64()))?;
        if let Some(trouble) = &report.trouble {
            return Err(LinkError::Protocol(format!("{} of the games had to give up: {trouble}", report.broken)));
        }
        let cores = |(before, after): (f64, f64)| (after - before) / began.elapsed().as_secs_f64();
        let director_cores = used.zip(core_seconds()).map(cores);
        let director_waits = waits.end();
        let ended = serving.end()?;
        let sum = |part: fn(&Figures) -> u64| ended.values().map(part).sum::<u64>();
        let tasks = steps as u64 * self.sessions as u64;
        let fates = fates.lock().unwrap_or_else(PoisonError::into_inner).figures();
        let punctuality = report.punctuality;
        Ok(CrowdFigures {
            sessions: report.connected,
            tasks,
            not_started: tasks.saturating_sub(punctuality.started()),
            lost: sum(|figures| figures.lost),
            on_time_percent: punctuality.on_time as f64 * 100.0
                / tasks.saturating_sub(punctuality.in_skipped_ticks).max(1) as f64,
            resent: sum(|figures| figures.resent),
            clock_relocks: sum(|figures| figures.clock_relocks),
            director_cores,
            games_cores: report.cores,
            director_waits,
            games_waits: report.waits,
            fates,
            punctuality,
        })
    }

    fn score(&self, length: Tick, number: u64) -> Score {
        Score::village().with_greetings(self.from(), length, self.per_second, self.seed ^ number)
    }

    /// The village, with tasks for so many ticks.
    fn served(&self, length: Tick) -> Served {
        let (crowd, village) = (*self, Score::village());
        let mut number = 0;
        let open = move |name: &str, codec: Codec| {
            number += 1;
            let score = village.clone().with_greetings(crowd.from(), length, crowd.per_second, crowd.seed ^ number);
            let options = DirectorOptions {
                session: name.to_owned(),
                codec,
                upsilon: UPSILON,
                omega: 6,
                // A dispatcher that looked at the plan so seldom would have to send everything so far ahead.
                period: AHEAD,
                world: WorldOptions { detail: Detail::Texts, ..WorldOptions::default() },
                ..DirectorOptions::default()
            };
            Ok(Opening { director: score.director(options, ScriptOptions::default()), journal: None })
        };
        Served { names: vec!["village".to_owned()], options: SessionOptions::default(), open: Box::new(open) }
    }
}
