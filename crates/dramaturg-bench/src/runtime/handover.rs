//! From a published plan to the executor's queue, beside the bare round trip on this machine.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Served, SessionOptions};
use dramaturg_director::{Core, Director, DirectorOptions, Journey, Mechanisms};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::{Observation, StepEvent, Tick};
use dramaturg_planner::planner::{
    Budget, Explanation, GoalChange, GoalReply, Inquiry, PlanDelta, Planner, PlannerSave, Progress as Deliberated,
    TickBounds, Workers,
};
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::link::{Hub, HubEvent, Limits, LinkError, TcpLink};
use dramaturg_wire::{Codec, Frame, ToGame};
use serde::Serialize;

use super::progress::Progress;
use super::pulse::{Pulse, RATE, ticks};
use super::punctual::Punctual;
use super::score::{Score, beat};
use super::serving::Serving;
use crate::timing::{Samples, Timing};

/// Everything that starts within so many ticks is sent as soon as it is published.
const LEAD: Tick = 60;
/// What is published starts so many ticks later.
const START: Tick = 30;
/// Nothing is measured for so many ticks: both sides get to know each other.
const WARM: Tick = 30;
/// About as many bytes as the frame of a task has.
const PING_BYTES: usize = 32;

/// Plans that are handed over one by one.
#[derive(Clone, Copy, Debug)]
pub struct Handover {
    /// How long.
    pub seconds: u32,
}

/// What came of it.
#[derive(Clone, Debug, Serialize)]
pub struct HandoverFigures {
    /// From the moment a plan was published to the one in which its task stood in the executor's queue.
    pub hand_over: Timing,
    /// The baseline: a few bytes to another thread and back, over TCP, as often and in between.
    pub round_trip: Timing,
    /// How many times longer the hand-over takes, at the 99th percentile.
    pub ratio_p99: f64,
    /// The same at the median.
    pub ratio_p50: f64,
    /// Plans whose task never came.
    pub lost: u64,
}

/// When each plan was published, by the number of its step.
type Stamps = Arc<Mutex<Vec<Instant>>>;

impl Handover {
    /// Seconds that it takes.
    pub fn lasts(&self) -> u32 {
        (self.end() / ticks(1)) as u32 + 1
    }

    fn end(&self) -> Tick {
        WARM + ticks(self.seconds)
    }

    /// Measures.
    pub fn run(&self, progress: &mut Progress<'_>) -> Result<HandoverFigures, LinkError> {
        let stamps = Stamps::default();
        let model = Score::drums(0, 0, 1, 0).model;
        let told = Arc::clone(&stamps);
        let open = move |name: &str, codec: Codec| {
            let options = DirectorOptions {
                session: name.to_owned(),
                codec,
                mu: Journey::Given(1),
                period: LEAD,
                world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
                // A plan is due at once only if its planner took longer than ever before. Here every plan shall be, so nobody
                // refuses steps that start that soon.
                mechanisms: Mechanisms { lock: false, ..Mechanisms::default() },
                ..DirectorOptions::default()
            };
            let planner = Herald { stamps: Arc::clone(&told), now: TickBounds::default(), version: 0 };
            Ok(Opening {
                director: Director::new(
                    Core::new(Arc::clone(&model), options),
                    Box::new(planner),
                    dramaturg_planners::loader(),
                ),
                journal: None,
            })
        };
        // A plan in every tick.
        let options = SessionOptions { think_every: 1, ..SessionOptions::default() };
        let served = Served { names: vec!["herald".to_owned()], options, open: Box::new(open) };
        let serving = Serving::begin(vec![served], 1, None)?;
        let link = serving.link()?;
        let stop = AtomicBool::new(false);
        let measured = thread::scope(|scope| {
            let pings = scope.spawn(|| round_trips(&stop));
            let game = scope.spawn(|| self.play(link, &stamps));
            let began = Instant::now();
            while !game.is_finished() {
                thread::sleep(Duration::from_millis(100));
                progress.at(began.elapsed().as_secs_f64());
            }
            stop.store(true, Ordering::Relaxed);
            // A panic of a thread is a panic of the measurement.
            let game = game.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (game, pings.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        serving.end()?;
        let (hand_over, lost) = measured.0?;
        let round_trip = measured.1.map_err(|error| LinkError::io("a round trip", &error))?;
        Ok(HandoverFigures {
            hand_over,
            round_trip,
            ratio_p99: hand_over.p99 / round_trip.p99,
            ratio_p50: hand_over.p50 / round_trip.p50,
            lost,
        })
    }

    /// A game that takes in what comes as soon as it comes, as one with a thread for its link does.
    fn play(&self, link: TcpLink, stamps: &Stamps) -> Result<(Timing, u64), LinkError> {
        let mut hub = Hub::without_listener(Limits::default())?;
        let key = hub.adopt(link)?;
        let mut executor = Executor::new(ExecutorOptions::default());
        let (mut game, mut pulse) = (Punctual::new(), Pulse::begin(Duration::ZERO));
        let (mut samples, mut events, mut came) = (Samples::new(), Vec::new(), 0);
        let mut expects_from = 0;
        loop {
            let wait = pulse.moment().saturating_duration_since(Instant::now());
            if wait.is_zero() {
                let beat = pulse.beat();
                game.hear(beat);
                executor.tick(beat.tick, &mut game);
                executor.poll(&mut |frame| drop(hub.send(key, frame)));
                if beat.tick == WARM {
                    expects_from = stamps.lock().unwrap_or_else(PoisonError::into_inner).len();
                }
                if beat.tick >= self.end() {
                    break;
                }
                continue;
            }
            hub.wait(wait, &mut events)?;
            for event in &events {
                match event {
                    HubEvent::Frame(_, bytes) => {
                        let waited = executor.waiting_count();
                        // Both ends are ours.
                        let _ = executor.receive(bytes);
                        let now = Instant::now();
                        if executor.waiting_count() > waited
                            && let Some(published) = published(bytes, stamps, expects_from)
                        {
                            samples.add(now.saturating_duration_since(published));
                            came += 1;
                        }
                    }
                    HubEvent::Closed(_, error) => return Err(error.clone()),
                    HubEvent::Opened(..) | HubEvent::Refused(..) => {}
                }
            }
        }
        let all = stamps.lock().unwrap_or_else(PoisonError::into_inner).len() - expects_from;
        // The last one may be under way.
        Ok((samples.timing(), (all as u64).saturating_sub(came + 1)))
    }
}

/// When the plan was published whose task this frame brings.
fn published(bytes: &[u8], stamps: &Stamps, from: usize) -> Option<Instant> {
    let frame: Frame<ToGame> = Codec::Binary.decode(bytes).ok()?;
    let ToGame::Execute(execute) = frame.message else { return None };
    let number = execute.task.step as usize;
    let stamps = stamps.lock().unwrap_or_else(PoisonError::into_inner);
    stamps.get(number).copied().filter(|_| from > 0 && number >= from)
}

/// Sends a few bytes to another thread and back, again and again, as often as plans are published.
fn round_trips(stop: &AtomicBool) -> io::Result<Timing> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::scope(|scope| {
        let echo = scope.spawn(move || -> io::Result<()> {
            let (mut stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            let mut bytes = [0; PING_BYTES];
            while stream.read_exact(&mut bytes).is_ok() {
                stream.write_all(&bytes)?;
            }
            Ok(())
        });
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let (mut samples, mut bytes) = (Samples::new(), [7; PING_BYTES]);
        while !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_secs(1) / RATE);
            let began = Instant::now();
            stream.write_all(&bytes)?;
            stream.read_exact(&mut bytes)?;
            samples.add(began.elapsed());
        }
        drop(stream);
        // A panic of the thread is a panic of the measurement.
        echo.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(samples.timing())
    })
}

/// A planner that publishes one step whenever it is asked, and notes when.
struct Herald {
    stamps: Stamps,
    now: TickBounds,
    version: u64,
}

impl Planner for Herald {
    fn observe(&mut self, _: &[Observation]) {}

    fn feedback(&mut self, _: &[StepEvent]) {}

    fn rejected(&mut self, _: u64) {}

    fn exogenous(&mut self, _: &PlanDelta) {}

    fn set_goals(&mut self, _: &GoalChange) {}

    fn advance(&mut self, now: TickBounds, _: Tick) {
        self.now = now;
    }

    fn deliberate(&mut self, _: &mut Budget, _: &Workers<'_>) -> Deliberated {
        // There is always more to say.
        Deliberated::Searching
    }

    fn publish(&mut self) -> PlanDelta {
        self.version += 1;
        let mut stamps = self.stamps.lock().unwrap_or_else(PoisonError::into_inner);
        let step = beat(stamps.len(), self.now.most + START);
        let delta = PlanDelta { version: self.version, put: vec![step], ..PlanDelta::default() };
        stamps.push(Instant::now());
        delta
    }

    fn replies(&mut self) -> Vec<GoalReply> {
        Vec::new()
    }

    fn explain(&self, _: &Inquiry) -> Explanation {
        Explanation::of("it is time".to_owned())
    }

    fn skip_numbers(&mut self, _: u32) {}

    fn save(&mut self) -> PlannerSave {
        PlannerSave::default()
    }
}
