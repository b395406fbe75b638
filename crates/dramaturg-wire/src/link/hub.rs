//! All links of a server in one thread: it asks the system once which of them have something to say.

mod room;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::{Events, Poll, Token, Waker};

use super::allowance::{Allowance, Grant, Pools};
use super::{AnyLink, Limits, Link, LinkError, Listener, RateLimit};
use crate::Codec;

const PORT: Token = Token(usize::MAX);
const PENDING: Token = Token(usize::MAX - 1);
const WAKE: Token = Token(usize::MAX - 2);
/// How many frames are taken from one link before the others have their turn, and how many bytes, the last frame not
/// counted.
const FRAMES_AT_ONCE: usize = 256;
const BYTES_AT_ONCE: usize = 256 << 10;
/// How many bytes of frames one [`Hub::wait`] hands out, the last frame not counted. The others wait for the next.
const BYTES_A_TURN: usize = 16 << 20;
/// How often we look around while somebody is coming or going.
const SOON: Duration = Duration::from_millis(20);
/// How long a link that broke a rule stays for last words, and one that was closed for them to arrive.
const FAREWELL: Duration = Duration::from_secs(1);
/// How often links are looked through for idle ones.
const SWEEP: Duration = Duration::from_millis(250);
/// How many emptied buffers are kept, and up to which size.
const SPARE_MAX: usize = 1024;
const SPARE_BYTES_MAX: usize = 16 << 10;

/// Names a link of a hub. A name is never given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HubKey {
    slot: u32,
    generation: u32,
}

impl fmt::Display for HubKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.slot, self.generation)
    }
}

/// What happened to a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HubEvent {
    /// A game has connected from here.
    Opened(HubKey, Option<SocketAddr>),
    /// A frame came.
    Frame(HubKey, Vec<u8>),
    /// The link is over; [`LinkError::is_clean`] says whether the other side just went away. If it broke a rule,
    /// [`Hub::send`] still reaches it for a moment, so that it can be told.
    Closed(HubKey, LinkError),
    /// Somebody was turned away before a link came about; for the log.
    Refused(Option<SocketAddr>, LinkError),
}

/// Wakes a hub that waits, from any thread: a plan was published, the process is to end.
#[derive(Clone, Debug)]
pub struct HubWaker(Arc<Waker>);

impl HubWaker {
    /// Has [`Hub::wait`] return at once.
    pub fn wake(&self) {
        // It fails only where the hub is gone, and then nobody waits.
        let _ = self.0.wake();
    }
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    entry: Option<Entry>,
}

#[derive(Debug)]
struct Entry {
    link: AnyLink,
    peer: Option<SocketAddr>,
    rate: RateLimit,
    last: Instant,
    /// Whether it is in the list of those to be looked at.
    queued: bool,
    /// Whether nothing is read from it until whoever reads its frames has caught up.
    held: bool,
    farewell: Option<Farewell>,
    allowance: Allowance,
    /// What waits to be written, as far as it was counted.
    waiting: u64,
}

impl Entry {
    /// Reserves room for the frame that is coming.
    fn reserve(&mut self, pools: &mut Pools, now: Instant) -> Grant {
        let need = pools.need(self.link.claimed_bytes());
        pools.grant(&mut self.allowance, need, now)
    }
}

#[derive(Debug)]
struct Farewell {
    until: Instant,
    why: Option<LinkError>,
    /// Whether we have said all we want to say.
    said: bool,
    finished: bool,
}

/// A listener and all its links.
#[derive(Debug)]
pub struct Hub {
    poll: Poll,
    events: Events,
    waker: HubWaker,
    listener: Option<Listener>,
    limits: Limits,
    slots: Vec<Slot>,
    free: Vec<u32>,
    open: usize,
    /// Links that may have something to read.
    ready: Vec<HubKey>,
    /// The same, while it is gone through.
    serving: Vec<HubKey>,
    leaving: Vec<HubKey>,
    /// Links that ended outside of [`Hub::wait`], to be told by it.
    ended: Vec<(HubKey, LinkError)>,
    /// The same, and nothing is left of them.
    shed: Vec<(HubKey, LinkError)>,
    pools: Pools,
    /// Links that have more to read than there is room for.
    starved: Vec<HubKey>,
    /// What waits to be written on all links.
    waiting: u64,
    spare: Vec<Vec<u8>>,
    began: Instant,
    swept: Instant,
}

impl Hub {
    /// A hub for a listener, under its limits.
    pub fn new(mut listener: Listener) -> Result<Self, LinkError> {
        let mut hub = Self::without_listener(listener.options().limits)?;
        let registered = listener.register(hub.poll.registry(), PORT, PENDING);
        registered.map_err(|error| LinkError::io("watching a port", &error))?;
        hub.listener = Some(listener);
        Ok(hub)
    }

    /// A hub for links that are made elsewhere, such as many games in one process.
    pub fn without_listener(limits: Limits) -> Result<Self, LinkError> {
        let broken = |error: io::Error| LinkError::io("watching sockets", &error);
        let poll = Poll::new().map_err(broken)?;
        let waker = Waker::new(poll.registry(), WAKE).map_err(broken)?;
        let now = Instant::now();
        Ok(Self {
            poll,
            events: Events::with_capacity(1024),
            waker: HubWaker(Arc::new(waker)),
            listener: None,
            limits,
            slots: Vec::new(),
            free: Vec::new(),
            open: 0,
            ready: Vec::new(),
            serving: Vec::new(),
            leaving: Vec::new(),
            ended: Vec::new(),
            shed: Vec::new(),
            pools: Pools::new(&limits),
            starved: Vec::new(),
            waiting: 0,
            spare: Vec::new(),
            began: now,
            swept: now,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> Option<SocketAddr> {
        self.listener.as_ref().map(Listener::address)
    }

    /// Wakes [`Hub::wait`] from another thread.
    pub fn waker(&self) -> HubWaker {
        self.waker.clone()
    }

    /// How many links are open.
    pub fn len(&self) -> usize {
        self.open
    }

    /// Whether no link is open.
    pub fn is_empty(&self) -> bool {
        self.open == 0
    }

    /// Whether a link is open. One whose frames are still among the events may be over already.
    pub fn is_open(&self, key: HubKey) -> bool {
        self.entry(key).is_some_and(|entry| entry.farewell.is_none())
    }

    /// How many links are over but still hear last words. A server that drains goes on waiting until there are none.
    pub fn leaving(&self) -> usize {
        self.leaving.len()
    }

    /// Takes no further games: the first step of draining.
    pub fn stop_listening(&mut self) {
        self.listener = None;
    }

    /// How frames are written on a link.
    pub fn codec(&self, key: HubKey) -> Option<Codec> {
        self.entry(key).map(|entry| entry.link.codec())
    }

    /// Takes in a link that was made elsewhere. No event tells that it opened, and it counts as admitted.
    pub fn adopt(&mut self, link: impl Into<AnyLink>) -> Result<HubKey, LinkError> {
        self.insert(link.into(), false)
    }

    /// Says that the other side of a link has shown that it may talk. Until then the link shares
    /// [`Limits::hello_bytes_sum_max`] with all others of its kind.
    pub fn admit(&mut self, key: HubKey) {
        let Self { slots, pools, .. } = self;
        if let Some(entry) = find(slots, key) {
            pools.admit(&mut entry.allowance);
            entry.link.allow(entry.allowance.bytes());
        }
    }

    /// Sends a frame. A link whose other side does not read is over, and the next [`Hub::wait`] says so; a frame that
    /// is too large is not sent, and the link goes on. A key of a link that is gone does nothing.
    pub fn send(&mut self, key: HubKey, frame: &[u8]) -> Result<(), LinkError> {
        self.queue(key, frame)?;
        self.flush(key);
        Ok(())
    }

    /// The same, but the frame may stay here until [`Hub::flush`]: many frames that go in one piece cost little more
    /// than one.
    pub fn queue(&mut self, key: HubKey, frame: &[u8]) -> Result<(), LinkError> {
        let Some(entry) = self.entry_mut(key) else { return Ok(()) };
        let result = entry.link.queue(frame);
        self.recount(key);
        if self.waiting > self.limits.queue_bytes_sum_max {
            self.shed_largest();
        }
        let Some(entry) = self.entry_mut(key) else { return Ok(()) };
        if let Err(error) = &result
            && !matches!(error, LinkError::TooLarge { .. })
            && entry.farewell.is_none()
        {
            self.ended.push((key, error.clone()));
        }
        result
    }

    /// Sends what was queued on a link, as far as the other side can take it.
    pub fn flush(&mut self, key: HubKey) {
        if let Some(entry) = self.entry_mut(key) {
            // A link that broke says so when it is read from.
            let _ = entry.link.flush();
        }
        self.recount(key);
    }

    /// Reads nothing more from a link, or again: the other side has to wait when it has sent what the system keeps for
    /// it.
    pub fn hold(&mut self, key: HubKey, held: bool) {
        let Some(entry) = self.entry_mut(key) else { return };
        entry.held = held;
        if !held && !std::mem::replace(&mut entry.queued, true) {
            entry.last = Instant::now();
            self.ready.push(key);
        }
    }

    /// Ends a link; what was sent still arrives. No event tells of it.
    pub fn close(&mut self, key: HubKey) {
        let until = Instant::now() + FAREWELL;
        let Some(entry) = self.entry_mut(key) else { return };
        match &mut entry.farewell {
            Some(farewell) => farewell.said = true,
            None => {
                entry.farewell = Some(Farewell { until, why: None, said: true, finished: false });
                self.open -= 1;
                if !self.part(key) {
                    self.leaving.push(key);
                }
            }
        }
    }

    /// Waits until something happens, the hub is woken, or the time is over; it may return early with nothing. `events`
    /// then holds what happened; buffers of frames that are still in it are used again.
    pub fn wait(&mut self, timeout: Duration, events: &mut Vec<HubEvent>) -> Result<(), LinkError> {
        for event in events.drain(..) {
            if let HubEvent::Frame(_, mut bytes) = event
                && self.spare.len() < SPARE_MAX
                && bytes.capacity() <= SPARE_BYTES_MAX
            {
                bytes.clear();
                self.spare.push(bytes);
            }
        }
        self.poll(timeout)?;
        self.let_in(events);
        let mut now = Instant::now();
        events.extend(self.shed.drain(..).map(|(key, error)| HubEvent::Closed(key, error)));
        for (key, error) in std::mem::take(&mut self.ended) {
            self.end(key, error, events);
        }
        self.feed_starved(now, events);
        std::mem::swap(&mut self.ready, &mut self.serving);
        // In the order in which they were heard of: a game that connected twice is heard last on its last link.
        let mut serving = std::mem::take(&mut self.serving);
        let mut bytes = 0;
        for key in serving.drain(..) {
            if bytes < BYTES_A_TURN {
                bytes += self.serve(key, now, events);
            } else {
                self.ready.push(key);
            }
        }
        self.serving = serving;
        now = Instant::now();
        if now.saturating_duration_since(self.swept) >= SWEEP {
            self.swept = now;
            self.sweep(now, events);
        }
        for key in std::mem::take(&mut self.leaving) {
            if !self.part(key) {
                self.leaving.push(key);
            }
        }
        Ok(())
    }

    /// Asks the system once, and notes who has something to say.
    fn poll(&mut self, timeout: Duration) -> Result<(), LinkError> {
        let timeout = if !self.ready.is_empty() || !self.ended.is_empty() || !self.shed.is_empty() {
            Duration::ZERO
        } else if !self.leaving.is_empty()
            || !self.starved.is_empty()
            || self.listener.as_ref().is_some_and(Listener::is_busy)
        {
            timeout.min(SOON)
        } else if self.limits.idle_seconds > 0 && self.open > 0 {
            timeout.min(SWEEP)
        } else {
            timeout
        };
        match self.poll.poll(&mut self.events, Some(timeout)) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(LinkError::io("waiting for sockets", &error)),
        }
        for event in &self.events {
            let Some(slot) = self.slots.get_mut(event.token().0) else { continue };
            let Some(entry) = slot.entry.as_mut().filter(|entry| !entry.queued) else { continue };
            entry.queued = true;
            self.ready.push(HubKey { slot: event.token().0 as u32, generation: slot.generation });
        }
        Ok(())
    }

    /// Takes in who has arrived.
    fn let_in(&mut self, events: &mut Vec<HubEvent>) {
        let stirred = self.events.iter().any(|event| event.token() == PORT || event.token() == PENDING);
        loop {
            let full = self.open >= self.limits.sessions_max as usize;
            let Some(listener) = self.listener.as_mut().filter(|listener| stirred || listener.is_busy()) else {
                return;
            };
            listener.set_full(full);
            let accepted = listener.poll_accept();
            events.extend(listener.refusals().map(|(peer, error)| HubEvent::Refused(Some(peer), error)));
            match accepted {
                Ok(None) => return,
                Ok(Some(mut link)) if full => {
                    // It had begun to greet when there was still room.
                    let error = LinkError::Refused("all links are taken; try again later".to_owned());
                    link.finish(Some(&error));
                    events.push(HubEvent::Refused(link.peer(), error));
                }
                Ok(Some(link)) => {
                    let peer = link.peer();
                    match self.insert(link, true) {
                        Ok(key) => events.push(HubEvent::Opened(key, peer)),
                        Err(error) => events.push(HubEvent::Refused(peer, error)),
                    }
                }
                Err(error) => {
                    events.push(HubEvent::Refused(None, error));
                    return;
                }
            }
        }
    }

    fn insert(&mut self, mut link: AnyLink, listened: bool) -> Result<HubKey, LinkError> {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() as u32 - 1
        });
        let registered = link.register(self.poll.registry(), Token(slot as usize), listened);
        if let Err(error) = registered {
            self.free.push(slot);
            return Err(LinkError::io("watching a socket", &error));
        }
        let rate = RateLimit::new(self.limits.messages_per_second, self.limits.messages_burst);
        // A link that came from the listener has shown nothing yet.
        let allowance = Allowance::new(!listened);
        // Its greeting is no part of a frame.
        link.renew();
        link.allow(allowance.bytes());
        let generation = self.slots.get_mut(slot as usize).map_or(0, |place| {
            let (peer, last) = (link.peer(), Instant::now());
            let (queued, held, farewell, waiting) = (true, false, None, 0);
            place.entry = Some(Entry { link, peer, rate, last, queued, held, farewell, allowance, waiting });
            place.generation
        });
        let key = HubKey { slot, generation };
        // Bytes may have been read already that the system will not tell of again.
        self.ready.push(key);
        self.open += 1;
        Ok(key)
    }

    /// Takes frames from a link, as many as are its share, and says how many bytes they have.
    fn serve(&mut self, key: HubKey, now: Instant, events: &mut Vec<HubEvent>) -> usize {
        let milliseconds = now.saturating_duration_since(self.began).as_millis() as u64;
        let (mut frames, mut taken) = (0, 0);
        while frames < FRAMES_AT_ONCE && taken < BYTES_AT_ONCE {
            let mut bytes = self.spare.pop().unwrap_or_default();
            let Self { slots, pools, .. } = self;
            let Some(entry) = find(slots, key) else { return taken };
            entry.queued = false;
            if entry.farewell.is_some() || entry.held {
                return taken;
            }
            let received = entry.link.receive(&mut bytes);
            let failed = match received {
                Ok(true) if entry.rate.take(milliseconds) => {
                    entry.last = now;
                    if entry.link.keeps_buffers() {
                        pools.keep(&mut entry.allowance, bytes.len() as u64, now);
                    } else {
                        pools.release(&mut entry.allowance);
                    }
                    entry.link.renew();
                    entry.link.allow(entry.allowance.bytes());
                    frames += 1;
                    taken += bytes.len();
                    events.push(HubEvent::Frame(key, bytes));
                    continue;
                }
                Ok(true) => LinkError::Flooded { per_second: entry.rate.per_second() },
                Ok(false) if entry.link.is_starved() => match entry.reserve(pools, now) {
                    Grant::Bytes(allowed) => {
                        entry.link.allow(allowed);
                        self.spare.push(bytes);
                        continue;
                    }
                    Grant::NoRoom => {
                        entry.queued = true;
                        self.starved.push(key);
                        self.spare.push(bytes);
                        return taken;
                    }
                    Grant::TooLarge => {
                        let most = self.limits.message_bytes_max.into();
                        LinkError::TooLarge { bytes: entry.allowance.bytes(), most }
                    }
                },
                Ok(false) => {
                    self.spare.push(bytes);
                    self.recount(key);
                    return taken;
                }
                Err(error) => error,
            };
            self.end(key, failed, events);
            return taken;
        }
        if let Some(entry) = self.entry_mut(key) {
            entry.queued = true;
            self.ready.push(key);
        }
        taken
    }

    fn sweep(&mut self, now: Instant, events: &mut Vec<HubEvent>) {
        let most = Duration::from_secs(self.limits.idle_seconds.into());
        if most.is_zero() {
            return;
        }
        for slot in 0..self.slots.len() {
            let Some(place) = self.slots.get(slot) else { continue };
            let key = HubKey { slot: slot as u32, generation: place.generation };
            if let Some(entry) = &place.entry
                && entry.farewell.is_none()
                && now.saturating_duration_since(entry.last) > most
            {
                let milliseconds = most.as_millis() as u64;
                self.end(key, LinkError::TimedOut { what: "a frame", milliseconds }, events);
            }
        }
    }

    /// Tells that a link is over. One that broke a rule stays for last words.
    fn end(&mut self, key: HubKey, error: LinkError, events: &mut Vec<HubEvent>) {
        let until = Instant::now() + FAREWELL;
        let crowded = self.leaving.len() > self.limits.sessions_max as usize;
        let Some(entry) = self.entry_mut(key).filter(|entry| entry.farewell.is_none()) else { return };
        // Who does not read hears no last words either.
        let gone = matches!(error, LinkError::Closed | LinkError::Io(_) | LinkError::Congested { .. }) || crowded;
        entry.farewell = Some(Farewell { until, why: Some(error.clone()), said: false, finished: false });
        self.open -= 1;
        events.push(HubEvent::Closed(key, error));
        if gone {
            self.remove(key);
        } else {
            self.leaving.push(key);
        }
    }

    /// Goes on parting from a link that is over, and says whether it is gone.
    fn part(&mut self, key: HubKey) -> bool {
        let Some(Entry { link, farewell: Some(farewell), .. }) = self.entry_mut(key) else { return true };
        let over = Instant::now() > farewell.until;
        let flushed = link.flush();
        if !farewell.finished && (over || (farewell.said && flushed != Ok(false))) {
            link.finish(farewell.why.as_ref());
            farewell.finished = true;
        }
        let ended = link.discard();
        let gone = over || (farewell.finished && ended) || flushed.is_err();
        if gone {
            self.remove(key);
        }
        gone
    }

    fn remove(&mut self, key: HubKey) {
        if let Some(slot) = self.slots.get_mut(key.slot as usize).filter(|slot| slot.generation == key.generation)
            && let Some(mut entry) = slot.entry.take()
        {
            self.pools.release(&mut entry.allowance);
            self.waiting -= entry.waiting;
            slot.generation = slot.generation.wrapping_add(1);
            self.free.push(key.slot);
        }
    }

    fn entry(&self, key: HubKey) -> Option<&Entry> {
        let slot = self.slots.get(key.slot as usize).filter(|slot| slot.generation == key.generation)?;
        slot.entry.as_ref()
    }

    fn entry_mut(&mut self, key: HubKey) -> Option<&mut Entry> {
        find(&mut self.slots, key)
    }

    /// The address of the other side of a link.
    pub fn peer(&self, key: HubKey) -> Option<SocketAddr> {
        self.entry(key)?.peer
    }
}

fn find(slots: &mut [Slot], key: HubKey) -> Option<&mut Entry> {
    let slot = slots.get_mut(key.slot as usize).filter(|slot| slot.generation == key.generation)?;
    slot.entry.as_mut()
}

#[cfg(test)]
mod tests;
