//! A game that has ten thousand tasks waiting and starts a thousand a second, over TCP.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Served, SessionOptions};
use dramaturg_director::{DirectorOptions, Journey};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::Tick;
use dramaturg_planner::scripted::ScriptOptions;
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError, LinkOptions, TcpLink};
use serde::{Deserialize, Serialize};

use super::elsewhere::{Games, Order, Spawn};
use super::progress::Progress;
use super::pulse::{Pulse, RATE, ticks};
use super::punctual::{Punctual, Punctuality};
use super::score::Score;
use super::serving::Serving;
use crate::memory::Memory;
use crate::timing::{Samples, Timing};

/// The first tasks are published so many ticks before they are sent.
const NOTICE: Tick = 180;
/// A game is warm after so many ticks in which tasks started: its tables have been as full as they get.
const WARM: Tick = 600;
/// In the midst of that nothing comes in for so many ticks, as on a link that stalls, so that its buffers have been that full too.
const STALL: Tick = 120;
/// Some ticks in the midst of that fall out, as on a machine that stutters, so that much has come due at once.
const HITCH: Tick = 24;
/// A thread that wakes later than this has shared its core, with a neighbour on the machine or outside of it.
const PROMPT: Duration = Duration::from_micros(200);
/// The longest journey of a message on this machine, in ticks.
const MU: Tick = 1;

/// What is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flood {
    /// How long starts are measured.
    pub seconds: u32,
    /// So long before their start tasks are sent.
    pub ahead_seconds: u32,
    /// How many tasks start in a second.
    pub per_second: u32,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// The same in ticks that the machine did not disturb: the thread woke within 0.2 ms, and no more than the tasks of two ticks
    /// came in at once.
    pub calm: Timing,
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

    /// The ticks that are measured.
    fn measured(&self) -> Range<Tick> {
        let from = self.first() + WARM;
        from..from + ticks(self.seconds)
    }

    /// Performs it.
    pub fn run(&self, spawn: &Spawn<'_>, progress: &mut Progress<'_>) -> Result<FloodFigures, LinkError> {
        let ahead = ticks(self.ahead_seconds);
        // In the end as many wait as ever.
        let score = Score::flood(self.first(), self.end() - self.first() + ahead + NOTICE, self.per_second);
        let measured = self.measured();
        let tasks = score.plan.steps.iter().filter(|step| measured.contains(&step.start)).count() as u64;
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
        let began = Instant::now();
        let mut games = Games::begin(spawn)?;
        let played = games
            .go(&Order::Flood(FloodOrder { address: serving.address().to_owned(), flood: *self }))
            .and_then(|()| games.report::<FloodFigures>(&mut || progress.at(began.elapsed().as_secs_f64())));
        let served = serving.end();
        let mut figures = played?;
        served?;
        figures.tasks = tasks;
        figures.not_started = tasks.saturating_sub(figures.punctuality.started());
        Ok(figures)
    }
}

/// What the game is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FloodOrder {
    /// Where the director listens.
    pub address: String,
    /// What is performed.
    pub flood: Flood,
}

impl FloodOrder {
    /// The game: one call a frame. `ready` is called once it is connected; `over` ends it before its time.
    pub fn play(
        &self,
        memory: &(dyn Memory + Sync),
        ready: &mut dyn FnMut(),
        over: &AtomicBool,
    ) -> Result<FloodFigures, LinkError> {
        let flood = &self.flood;
        let link = TcpLink::connect(&self.address, LinkOptions::default())?;
        ready();
        let mut link = Watched { link, memory, taken: Duration::ZERO, calls: 0, frames: 0, stalls: false };
        let mut executor = Executor::new(ExecutorOptions { game: "flood".to_owned(), ..ExecutorOptions::default() });
        let mut game = Punctual::within(flood.measured());
        let (mut tick, mut calm, mut frame, mut wake) =
            (Samples::new(), Samples::new(), Samples::new(), Samples::new());
        let usual = 2 * flood.per_second.div_ceil(RATE);
        let (mut allocations, mut waiting, mut measured) = (0, 0, 0);
        let measures = flood.measured();
        let from = measures.start;
        let stalls = from - WARM / 2..from - WARM / 2 + STALL;
        let hitch = from - WARM / 4..from - WARM / 4 + HITCH;
        let mut pulse = Pulse::begin(Duration::ZERO);
        loop {
            let beat = pulse.wait();
            if hitch.contains(&beat.tick) {
                continue;
            }
            game.hear(beat);
            if beat.tick >= measures.start && measured == 0 {
                memory.count();
            }
            (link.taken, link.calls, link.frames) = (Duration::ZERO, 0, 0);
            link.stalls = stalls.contains(&beat.tick);
            let (began, calls) = (Instant::now(), memory.calls_here());
            executor.frame(beat.tick, &mut game, &mut link)?;
            let (took, calls) = (began.elapsed(), memory.calls_here().saturating_sub(calls));
            if measures.contains(&beat.tick) {
                tick.add(took.saturating_sub(link.taken));
                if beat.late <= PROMPT && link.frames <= usual {
                    calm.add(took.saturating_sub(link.taken));
                }
                frame.add(took);
                wake.add(beat.late);
                allocations += calls.saturating_sub(link.calls);
                waiting += executor.waiting_count();
                measured += 1;
            }
            if beat.tick >= flood.end() || over.load(Ordering::Relaxed) {
                break;
            }
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
            calm: calm.timing(),
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
    /// How many frames came in.
    frames: u32,
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
        let received = self.watch(|link| link.receive(into))?;
        self.frames += u32::from(received);
        Ok(received)
    }

    fn codec(&self) -> Codec {
        self.link.codec()
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        self.watch(Link::flush)
    }
}
