//! Many sessions behind one port, each with its own story, planner and clock.
//!
//! [`Server::turn`] waits until something comes in or is due, and does it. A session that panics is closed and the
//! others go on; one whose game has gone waits for it to come back, and is dropped when it does not.

mod door;
pub use door::{GAME_BYTES_MAX, SESSION_BYTES_MAX, STORY_BYTES_MAX, TASKS_MAX};
mod heavy;
mod inbox;
pub use inbox::INBOX_BYTES_MAX;
mod lobby;
pub use lobby::{NEW_HELLO_BYTES_MAX, Preparation, WAITING_HELLOS_MAX, WAITING_MICROS_MAX};
mod pump;
mod restore;
pub use restore::{Restored, Story};
mod seat;
pub use seat::{GRACE_MICROS, KEPT_BYTES_SUM_MAX};
mod shown;
pub use shown::{SHOWN_CHARS_MAX, SHOWN_NAME_CHARS_MAX};

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dramaturg_wire::link::{Hub, HubEvent, HubKey, HubWaker, LinkError, Listener};
use dramaturg_wire::{Codec, FaultCode, ToGame};
use rustc_hash::FxHashMap;

use self::heavy::{Job, Pumped};
use self::inbox::Arrival;
use self::lobby::Lobby;
use self::seat::Seat;
use super::cpu_time::{CpuTime, thread_micros};
use super::pool::Pool;
use super::session::{Session, SessionOptions};
use super::{Journals, Metrics, Stopwatch, Thinkers};
use crate::clock::Moment;
use crate::director::Director;
use crate::event::Event;
use crate::journal::Journal;

/// How often sessions are looked through for those that nobody comes back to.
const SWEEP: Moment = 1_000_000;
/// How long a game may take until it says hello.
pub const HELLO: Moment = 5_000_000;
/// So many sessions with much to do can be pumped at the same time, however few cores there are: the system divides
/// them.
const PUMPERS_LEAST: usize = 2;
/// How long games have to hear a goodbye.
const FAREWELL: Moment = 3_000_000;

/// A new session, and where its inputs are written down.
pub struct Opening {
    /// The session and its planner.
    pub director: Director,
    /// Every input goes here before anything comes of it.
    pub journal: Option<Journal>,
}

/// Begins a session of a story, under this name and with this codec. The text says why it cannot.
pub type Opener = Box<dyn FnMut(&str, Codec) -> Result<Opening, String> + Send>;

/// A story that is served.
pub struct Served {
    /// What games call it in hello: the name of its file, or its title.
    pub names: Vec<String>,
    /// How its sessions are driven.
    pub options: SessionOptions,
    /// Begins a session of it.
    pub open: Opener,
}

/// How a server behaves; limits on links are the listener's.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The most sessions at a time, those included that wait for their game.
    pub sessions_max: usize,
    /// A session whose game is gone waits so many seconds for it.
    pub linger_seconds: u32,
    /// A session whose recovery from its journal takes longer, in seconds, is set aside.
    pub recovery_seconds: u32,
    /// So many threads work for all planners.
    pub planner_threads: usize,
    /// Whether `/health` and `/metrics` are answered.
    pub shows_metrics: bool,
    /// What sessions are called: nothing, then nobody can guess it; else this and a number.
    pub session_names: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            sessions_max: 4_096,
            linger_seconds: 300,
            recovery_seconds: 60,
            planner_threads: 2,
            shows_metrics: false,
            session_names: None,
        }
    }
}

/// Hears what happens in the sessions of a server.
pub trait Observer: Send {
    /// Something happened.
    fn event(&mut self, session: &str, event: &Event);

    /// A session is over.
    fn ended(&mut self, session: &Session) {
        let _ = session;
    }
}

/// Many sessions behind one port.
pub struct Server {
    hub: Hub,
    token: Option<String>,
    served: Vec<Served>,
    options: ServerOptions,
    thinkers: Thinkers,
    /// Where sessions are pumped that have much to do.
    pumpers: Pool<Job, Pumped>,
    watch: Stopwatch,
    /// What each pump in this thread used of a core.
    used: CpuTime,
    seats: FxHashMap<u64, Seat>,
    by_link: FxHashMap<HubKey, u64>,
    by_name: FxHashMap<String, u64>,
    /// Links that have not said hello, since when.
    guests: FxHashMap<HubKey, Moment>,
    lobby: Lobby,
    /// What all sessions keep because of their games.
    kept_bytes: usize,
    /// When each session wants to be pumped.
    due: BTreeSet<(Moment, u64)>,
    next_id: u64,
    swept: Moment,
    /// What sessions that are over had lost and resent.
    gone: (u64, u64),
    metrics: Arc<Metrics>,
    observer: Option<Box<dyn Observer>>,
    journals: Option<Journals>,
    arrived: Vec<HubEvent>,
    /// Sessions that are still being recovered.
    recovery: Option<restore::Recovery>,
    /// Whether it is about to end: no session is lent to a thread any more.
    draining: bool,
}

impl Server {
    /// Begins to serve stories at a listener.
    pub fn new(mut listener: Listener, served: Vec<Served>, options: ServerOptions) -> Result<Self, LinkError> {
        let metrics = Arc::new(Metrics::default());
        let token = listener.options().token.clone();
        if options.shows_metrics {
            let shown = Arc::clone(&metrics);
            listener.set_http(move |path| shown.answer(path));
        }
        let hub = Hub::new(listener)?;
        let (waker, other) = (hub.waker(), hub.waker());
        let thinkers = Thinkers::start(options.planner_threads, move || waker.wake())
            .map_err(|error| LinkError::io("starting a thread", &error))?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let pumpers = Pool::start(cores.max(PUMPERS_LEAST), "session", heavy::pump, move || other.wake())
            .map_err(|error| LinkError::io("starting a thread", &error))?;
        let lobby = Lobby::new(hub.waker(), Arc::clone(&metrics));
        Ok(Self {
            hub,
            lobby,
            kept_bytes: 0,
            token,
            served,
            options,
            thinkers,
            pumpers,
            watch: Stopwatch::start(),
            used: CpuTime::start(),
            seats: FxHashMap::default(),
            by_link: FxHashMap::default(),
            by_name: FxHashMap::default(),
            guests: FxHashMap::default(),
            due: BTreeSet::new(),
            next_id: 0,
            swept: 0,
            gone: (0, 0),
            metrics,
            observer: None,
            journals: None,
            arrived: Vec::new(),
            recovery: None,
            draining: false,
        })
    }

    /// Has everything that happens told.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = Some(observer);
    }

    /// Has journals put aside when their sessions are over. Sessions of a server that ends in order are not: they go on
    /// from their journals when it is started again.
    pub fn set_journals(&mut self, journals: Journals) {
        self.journals = Some(journals);
    }

    /// Where it listens.
    pub fn address(&self) -> Option<std::net::SocketAddr> {
        self.hub.address()
    }

    /// Wakes [`Server::turn`] from another thread.
    pub fn waker(&self) -> HubWaker {
        self.hub.waker()
    }

    /// Its counts.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Its sessions, but for those that are being pumped in a thread just now.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.seats.values().filter_map(|seat| seat.session.as_deref())
    }

    /// Serves until told to stop; then everybody is bidden goodbye.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), LinkError> {
        while !stop.load(Ordering::Relaxed) {
            self.turn(Duration::from_millis(100))?;
        }
        self.drain("the director ends; come back later");
        Ok(())
    }

    /// Waits until something comes in or is due, at most so long, and does it.
    pub fn turn(&mut self, most: Duration) -> Result<(), LinkError> {
        let used = thread_micros();
        let first = self.due.first().map_or(most, |(due, _)| self.watch.until(*due).min(most));
        let mut arrived = std::mem::take(&mut self.arrived);
        self.hub.wait(first, &mut arrived)?;
        let now = self.watch.now();
        let mut touched = BTreeSet::new();
        for event in &mut arrived {
            self.arrived(event, now, &mut touched);
        }
        self.arrived = arrived;
        self.take_recovered();
        self.admit_waiting(now, &mut touched);
        // What was done before is no part of the first pump.
        self.used = CpuTime::start();
        while let Some(done) = self.thinkers.done() {
            touched.extend(self.thought(done));
        }
        while let Some(pumped) = self.pumpers.done() {
            self.pumped(pumped, now);
        }
        while let Some((_, id)) = self.due.first().copied().filter(|(due, _)| *due <= now) {
            self.due.pop_first();
            touched.insert(id);
        }
        self.pump_round(&touched);
        if now.saturating_sub(self.swept) >= SWEEP {
            self.swept = now;
            self.sweep(now);
        }
        if let Some((before, after)) = used.zip(thread_micros()) {
            self.metrics.turned(u64::try_from(after.saturating_sub(before)).unwrap_or(0));
        }
        Ok(())
    }

    /// Pumps sessions, those first that should have been pumped first. On a busy machine time goes on in a round: what
    /// has become due meanwhile is not left for the next, and nothing is sent with a time that is over.
    fn pump_round(&mut self, touched: &BTreeSet<u64>) {
        let mut round: Vec<(Moment, u64)> =
            touched.iter().filter_map(|id| Some((self.seats.get(id)?.due, *id))).collect();
        round.sort_unstable();
        for (_, id) in round {
            self.pump(id, self.watch.now());
        }
    }

    fn arrived(&mut self, event: &mut HubEvent, now: Moment, touched: &mut BTreeSet<u64>) {
        match event {
            HubEvent::Opened(key, peer) => {
                tracing::debug!(link = %key, ?peer, "a link opened");
                self.guests.insert(*key, now);
            }
            HubEvent::Frame(key, bytes) => {
                Metrics::add(&self.metrics.frames_received, 1);
                match self.by_link.get(key).and_then(|id| Some((*id, self.seats.get_mut(id)?))) {
                    Some((id, seat)) => {
                        seat.inbox.push(Arrival::Frame(std::mem::take(bytes)));
                        if seat.inbox.is_full() && !seat.is_held {
                            seat.is_held = true;
                            self.hub.hold(*key, true);
                        }
                        touched.insert(id);
                    }
                    None if self.guests.contains_key(key) => {
                        if let Some(id) = self.greet(*key, std::mem::take(bytes), now) {
                            touched.insert(id);
                        }
                    }
                    // What comes after a link was given up.
                    None => {}
                }
            }
            HubEvent::Closed(key, error) => {
                let session = self.by_link.remove(key);
                if !error.is_clean() {
                    tracing::warn!(link = %key, error = shown::shown(&error.to_string()), "a link broke");
                    let code = match error {
                        LinkError::Protocol(_) => FaultCode::Protocol,
                        _ => FaultCode::Limit,
                    };
                    self.refuse(*key, code, error.to_string());
                }
                self.guests.remove(key);
                if let Some(id) = session {
                    self.detach(id, now, &error.to_string());
                }
            }
            HubEvent::Refused(peer, error) => {
                Metrics::add(&self.metrics.refused, 1);
                tracing::warn!(?peer, error = shown::shown(&error.to_string()), "somebody was turned away");
            }
        }
    }

    /// Bids everybody goodbye and waits until they have heard it, for a moment. Sessions with a journal are not over by
    /// that.
    pub fn drain(&mut self, reason: &str) {
        self.hub.stop_listening();
        self.draining = true;
        let until = self.watch.now() + FAREWELL;
        let mut heard = Vec::new();
        while self.seats.values().any(|seat| seat.session.is_none()) && self.watch.now() < until {
            let _ = self.hub.wait(Duration::from_millis(20), &mut heard);
            while let Some(pumped) = self.pumpers.done() {
                self.pumped(pumped, self.watch.now());
            }
        }
        let ids: Vec<u64> = self.seats.keys().copied().collect();
        tracing::info!(sessions = ids.len(), "draining");
        for id in ids {
            let now = self.watch.now();
            self.pump(id, now);
            let Some(seat) = self.seats.get_mut(&id) else { continue };
            if let Some(key) = seat.link {
                let goodbye = ToGame::Goodbye { reason: reason.to_owned() };
                let _ = self.hub.send(key, &door::greeting(seat.codec, &goodbye));
                self.hub.close(key);
            }
            self.suspend(id, reason);
        }
        let until = self.watch.now() + FAREWELL;
        while self.hub.leaving() > 0 && self.watch.now() < until {
            if self.hub.wait(Duration::from_millis(20), &mut heard).is_err() {
                break;
            }
        }
    }
}
