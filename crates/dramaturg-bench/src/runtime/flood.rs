//! A game that has ten thousand tasks waiting and starts a thousand a second, over TCP.

use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Served, SessionOptions};
use dramaturg_director::{DirectorOptions, Journey};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::Tick;
use dramaturg_planner::scripted::ScriptOptions;
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError};
use serde::Serialize;

use super::progress::Progress;
use super::pulse::{Pulse, ticks};
use super::punctual::{Punctual, Punctuality};
use super::score::Score;
use super::serving::Serving;
use crate::memory::Memory;
use crate::timing::{Samples, Timing};

/// The first tasks are published so many ticks before they are sent.
const NOTICE: Tick = 180;
/// A game is warm after so many ticks in which tasks started: its tables have been as full as they get.
const WARM: Tick = 420;
/// In the midst of that nothing comes in for so many ticks, as on a link that stalls, so that its buffers have been that full too.
const STALL: Tick = 60;
/// The longest journey of a message on this machine, in ticks.
const MU: Tick = 1;

/// What is performed.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    /// How long starts are measured.
    pub seconds: u32,
    /// So long before their start tasks are sent.
    pub ahead_seconds: u32,
    /// How many tasks start in a second.
    pub per_second: u32,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct FloodFigures {
    /// Tasks of the stream.
    pub tasks: u64,
    /// When they started.
    #[serde(flatten)]
    pub punctuality: Punctuality,
    /// Tasks that never started, whether or not that was recorded.
    pub not_started: u64,
    /// How many tasks waited with the game on average, once warm.
    pub waiting_mean: f64,
    /// The executor's part of a frame: decoding what came, the tick, encoding what goes.
    pub tick: Timing,
    /// The whole frame: reading from the socket and writing to it too.
    pub frame: Timing,
    /// How much too late the game's thread woke for a tick: the baseline, for no tick can be better than its beginning.
    pub wake: Timing,
    /// How often the executor's part of a frame asked for memory, once warm.
    pub allocations: usize,
    /// Ticks that were measured.
    pub ticks: u64,
}

impl Flood {
    /// Seconds that it takes.
    pub fn lasts(&self) -> u32 {
        (self.end() / ticks(1)) as u32 + 1
    }

    fn first(&self) -> Tick {
        ticks(self.ahead_seconds) + NOTICE
    }

    fn end(&self) -> Tick {
        self.first() + WARM + ticks(self.seconds)
    }

    /// Performs it.
    pub fn run(&self, memory: &(dyn Memory + Sync), progress: &mut Progress<'_>) -> Result<FloodFigures, LinkError> {
        let ahead = ticks(self.ahead_seconds);
        // In the end as many wait as ever.
        let score = Score::flood(self.first(), self.end() - self.first() + ahead + NOTICE, self.per_second);
        let tasks = score.plan.steps.iter().filter(|step| step.start <= self.end()).count() as u64;
        let open = move |name: &str, codec: Codec| {
            let options = DirectorOptions {
                session: name.to_owned(),
                codec,
                mu: Journey::Given(MU),
                // A dispatcher that looked at the plan so seldom would have to send everything so far ahead.
                period: ahead,
                world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
                ..DirectorOptions::default()
            };
            let script = ScriptOptions { horizon: ahead + NOTICE / 2, ..ScriptOptions::default() };
            Ok(Opening { director: score.director(options, script), journal: None })
        };
        let served =
            Served { names: vec!["flood".to_owned()], options: SessionOptions::default(), open: Box::new(open) };
        let serving = Serving::begin(vec![served], 1, None)?;
        let link = serving.link()?;
        let now = AtomicI64::new(0);
        let played = thread::scope(|scope| {
            let game = scope.spawn(|| self.play(link, memory, &now));
            while !game.is_finished() {
                thread::sleep(Duration::from_millis(100));
                progress.at(now.load(Ordering::Relaxed) as f64 / ticks(1) as f64);
            }
            // A panic of the game is a panic of the measurement.
            game.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let served = serving.end();
        let mut figures = played?;
        served?;
        figures.tasks = tasks;
        figures.not_started = tasks.saturating_sub(figures.punctuality.started());
        Ok(figures)
    }

    /// The game: one call a frame.
    fn play(&self, link: impl Link, memory: &(dyn Memory + Sync), now: &AtomicI64) -> Result<FloodFigures, LinkError> {
        let mut link = Watched { link, memory, taken: Duration::ZERO, calls: 0, stalls: false };
        let mut executor = Executor::new(ExecutorOptions { game: "flood".to_owned(), ..ExecutorOptions::default() });
        let mut game = Punctual::new();
        let (mut tick, mut frame, mut wake) = (Samples::new(), Samples::new(), Samples::new());
        let (mut allocations, mut waiting, mut measured) = (0, 0, 0);
        let from = self.first() + WARM;
        let measures = from..from + ticks(self.seconds);
        let stalls = from - WARM / 2..from - WARM / 2 + STALL;
        let mut pulse = Pulse::begin(Duration::ZERO);
        loop {
            let beat = pulse.wait();
            game.hear(beat);
            if beat.tick >= measures.start && measured == 0 {
                memory.count();
            }
            (link.taken, link.calls, link.stalls) = (Duration::ZERO, 0, stalls.contains(&beat.tick));
            let (began, calls) = (Instant::now(), memory.calls_here());
            executor.frame(beat.tick, &mut game, &mut link)?;
            let (took, calls) = (began.elapsed(), memory.calls_here().saturating_sub(calls));
            if measures.contains(&beat.tick) {
                tick.add(took.saturating_sub(link.taken));
                frame.add(took);
                wake.add(beat.late);
                allocations += calls.saturating_sub(link.calls);
                waiting += executor.waiting_count();
                measured += 1;
            }
            if beat.tick >= self.end() {
                break;
            }
            now.store(beat.tick, Ordering::Relaxed);
        }
        memory.stop();
        executor.goodbye("that was all");
        executor.poll(&mut |frame| drop(link.send(frame)));
        Ok(FloodFigures {
            tasks: 0,
            punctuality: game.noted,
            not_started: 0,
            waiting_mean: waiting as f64 / measured.max(1) as f64,
            tick: tick.timing(),
            frame: frame.timing(),
            wake: wake.timing(),
            allocations,
            ticks: measured,
        })
    }
}

/// A link that knows how long it was at work and how often it asked for memory: what is not the executor's.
struct Watched<'m, L> {
    link: L,
    memory: &'m (dyn Memory + Sync),
    taken: Duration,
    calls: usize,
    /// Whether nothing comes in.
    stalls: bool,
}

impl<L: Link> Watched<'_, L> {
    fn watch<T>(&mut self, work: impl FnOnce(&mut L) -> T) -> T {
        let (began, calls) = (Instant::now(), self.memory.calls_here());
        let result = work(&mut self.link);
        self.taken += began.elapsed();
        self.calls += self.memory.calls_here().saturating_sub(calls);
        result
    }
}

impl<L: Link> Link for Watched<'_, L> {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        self.watch(|link| link.send(frame))
    }

    fn queue(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        // It only copies a few bytes; looking at the clock would take longer. So it counts as the executor's.
        self.link.queue(frame)
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        if self.stalls {
            return Ok(false);
        }
        self.watch(|link| link.receive(into))
    }

    fn codec(&self) -> Codec {
        self.link.codec()
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        self.watch(Link::flush)
    }
}
