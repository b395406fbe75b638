//! Many sessions behind one port, each with its own story, planner and clock.
//!
//! [`Server::turn`] waits until something comes in or is due, and does it. A session that panics is closed and the others go on; one
//! whose game has gone waits for it to come back, and is dropped when it does not.

mod door;
mod restore;
pub use restore::{Restored, Story};
mod seat;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dramaturg_wire::link::{Hub, HubEvent, HubKey, HubWaker, LinkError, Listener};
use dramaturg_wire::{Codec, FaultCode, ToGame};
use rustc_hash::FxHashMap;

use self::seat::Seat;
use super::session::{Session, SessionOptions};
use super::{Journals, Metrics, Stopwatch, Thinkers};
use crate::clock::Moment;
use crate::director::Director;
use crate::event::Event;
use crate::journal::Journal;

/// How often sessions are looked through for those that nobody comes back to.
const SWEEP: Moment = 1_000_000;
/// How long a game may take until it says hello.
const HELLO: Moment = 5_000_000;
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
    /// So many threads work for all planners.
    pub planner_threads: usize,
    /// Whether `/health` and `/metrics` are answered.
    pub shows_metrics: bool,
    /// What sessions are called: nothing, then nobody can guess it; else this and a number.
    pub session_names: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { sessions_max: 4_096, linger_seconds: 300, planner_threads: 2, shows_metrics: false, session_names: None }
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
    watch: Stopwatch,
    seats: FxHashMap<u64, Seat>,
    by_link: FxHashMap<HubKey, u64>,
    by_name: FxHashMap<String, u64>,
    /// Links that have not said hello, since when.
    guests: FxHashMap<HubKey, Moment>,
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
        let waker = hub.waker();
        let thinkers = Thinkers::start(options.planner_threads, move || waker.wake())
            .map_err(|error| LinkError::io("starting a thread", &error))?;
        Ok(Self {
            hub,
            token,
            served,
            options,
            thinkers,
            watch: Stopwatch::start(),
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
        })
    }

    /// Has everything that happens told.
    pub fn set_observer(&mut self, observer: Box<dyn Observer>) {
        self.observer = Some(observer);
    }

    /// Has journals put aside when their sessions are over. Sessions of a server that ends in order are not: they go on from their
    /// journals when it is started again.
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

    /// Its sessions.
    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.seats.values().map(|seat| &seat.session)
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
        let first = self.due.first().map_or(most, |(due, _)| self.watch.until(*due).min(most));
        let mut arrived = std::mem::take(&mut self.arrived);
        self.hub.wait(first, &mut arrived)?;
        let now = self.watch.now();
        let mut touched = BTreeSet::new();
        for event in &mut arrived {
            self.arrived(event, now, &mut touched);
        }
        self.arrived = arrived;
        while let Some(done) = self.thinkers.done() {
            let id = done.session;
            // It may be over by now.
            if let Some(seat) = self.seats.get_mut(&id) {
                match seat.session.thought(done) {
                    Ok(()) => drop(touched.insert(id)),
                    Err(panic) => self.panicked(id, &panic),
                }
            }
        }
        while let Some((_, id)) = self.due.first().copied().filter(|(due, _)| *due <= now) {
            self.due.pop_first();
            touched.insert(id);
        }
        for id in touched {
            self.pump(id, now);
        }
        if now.saturating_sub(self.swept) >= SWEEP {
            self.swept = now;
            self.sweep(now);
        }
        Ok(())
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
                        seat.frames.push(std::mem::take(bytes));
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
                    tracing::warn!(link = %key, %error, "a link broke");
                    let code = match error {
                        LinkError::Protocol(_) => FaultCode::Protocol,
                        _ => FaultCode::Limit,
                    };
                    self.refuse(*key, code, error.to_string());
                }
                self.guests.remove(key);
                if let Some(id) = session {
                    // What came before the end counts.
                    self.pump(id, now);
                    self.detach(id, now, &error.to_string());
                }
            }
            HubEvent::Refused(peer, error) => {
                Metrics::add(&self.metrics.refused, 1);
                tracing::warn!(?peer, %error, "somebody was turned away");
            }
        }
    }

    /// Lets a session take in what came and send what is due.
    fn pump(&mut self, id: u64, now: Moment) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        let (hub, frames, link) = (&mut self.hub, std::mem::take(&mut seat.frames), seat.link);
        let mut sent = 0;
        let session = &mut seat.session;
        let went = catch_unwind(AssertUnwindSafe(|| {
            session.pump(now, frames, &mut |frame| {
                if let Some(key) = link {
                    sent += 1;
                    // If it fails the next turn tells that the link is over.
                    let _ = hub.queue(key, frame);
                }
            });
            if let Some(key) = link.filter(|_| sent > 0) {
                hub.flush(key);
            }
            session.take_events()
        }));
        Metrics::add(&self.metrics.frames_sent, sent);
        let events = match went {
            Ok(events) => events,
            Err(panic) => return self.panicked(id, &super::thinkers::panic_text(&*panic)),
        };
        let core = session.director().core();
        let (over, breach) = (core.over().is_some(), core.breach());
        self.due.remove(&(seat.due, id));
        seat.due = session.due();
        self.due.insert((seat.due, id));
        self.tell(id, &events);
        if over {
            self.end(id, "the game ended it");
        } else if let Some(code) = breach {
            tracing::warn!(session = id, ?code, "a game broke the protocol");
            self.cut(id, now, "it broke the protocol");
        }
    }

    fn tell(&mut self, id: u64, events: &[Event]) {
        let Some(seat) = self.seats.get(&id) else { return };
        for event in events {
            self.metrics.hear(&event.kind);
            seat::log(&seat.short, event);
            if let Some(observer) = &mut self.observer {
                observer.event(seat.session.name(), event);
            }
        }
    }

    /// A bug of ours ends one session; the others go on.
    fn panicked(&mut self, id: u64, panic: &str) {
        tracing::error!(session = id, panic, "a session panicked");
        Metrics::add(&self.metrics.panics, 1);
        let Some(mut seat) = self.take_out(id) else { return };
        if let Some(key) = seat.link.take() {
            let text = "the session cannot go on, by no fault of the game; begin a new one".to_owned();
            self.refuse_as(key, seat.codec, FaultCode::Internal, text);
        }
        let name = seat.session.name().to_owned();
        // What is left of it may panic again on its way out.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(seat)));
        self.put_aside(&name, &format!("it panicked: {panic}"));
        self.count();
    }

    /// Bids everybody goodbye and waits until they have heard it, for a moment. Sessions with a journal are not over by that.
    pub fn drain(&mut self, reason: &str) {
        self.hub.stop_listening();
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
        let mut heard = Vec::new();
        while self.hub.leaving() > 0 && self.watch.now() < until {
            if self.hub.wait(Duration::from_millis(20), &mut heard).is_err() {
                break;
            }
        }
    }
}
