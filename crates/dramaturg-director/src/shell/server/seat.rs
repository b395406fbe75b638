//! Sessions of a server: how they come, wait and go.

use dramaturg_wire::link::HubKey;
use dramaturg_wire::{Codec, FaultCode};

use super::super::session::{Mind, Session};
use super::super::{Figures, Metrics};
use super::heavy::Weight;
use super::inbox::{Arrival, Inbox};
use super::shown::{shown, shown_name};
use super::{HELLO, Opening, Server};
use crate::clock::Moment;
use crate::director::Director;
use crate::event::{Event, EventKind};
use crate::journal::Recovered;

/// A session whose game left less than so many microseconds ago is kept, whoever needs its place: links break for a
/// moment.
pub const GRACE_MICROS: Moment = 30_000_000;
/// The most bytes that all sessions together keep because of what their games say or do not say: see
/// [`Core::kept_bytes`](crate::Core::kept_bytes). More: the session with the most of them is over.
pub const KEPT_BYTES_SUM_MAX: usize = 256 << 20;

/// A session of a server.
pub(super) struct Seat {
    /// None while it is pumped in a thread.
    pub(super) session: Option<Box<Session>>,
    pub(super) name: String,
    pub(super) link: Option<HubKey>,
    pub(super) codec: Codec,
    /// When it wants to be pumped.
    pub(super) due: Moment,
    /// Since when it waits for its game.
    pub(super) alone: Moment,
    /// What came for it since it was pumped.
    pub(super) inbox: Inbox,
    /// Whether no more is read for it until it has taken in what came.
    pub(super) is_held: bool,
    /// Whether it is pumped in a thread.
    pub(super) weight: Weight,
    /// Why it is to end as soon as it comes back from a thread.
    pub(super) ends: Option<String>,
    /// The beginning of its name: the whole would let who reads the log take it over.
    pub(super) short: String,
    /// Whether it comes from a journal, so that somebody played it before.
    pub(super) is_recovered: bool,
    /// What it keeps because of its game, as it was last counted.
    pub(super) kept_bytes: usize,
}

impl Seat {
    /// Whether its game has ever started a task. Anybody can say hello; whoever plays has something to come back to.
    fn was_played(&self) -> bool {
        // One that is away has enough to do.
        self.is_recovered || self.session.as_ref().is_none_or(|session| session.has_started())
    }

    /// When its game left, if it is gone.
    fn alone_since(&self) -> Option<Moment> {
        self.link.is_none().then_some(self.alone)
    }
}

impl Server {
    /// Takes a new session in. `story` is its place among those served.
    pub fn seat(&mut self, story: usize, opening: Opening) -> Option<u64> {
        let Opening { director, journal } = opening;
        self.take_in(story, director, |session, _| {
            if let Some(journal) = journal {
                session.set_journal(journal);
            }
        })
    }

    /// Takes a session from a journal in, whose game will come back by its name. `story` is its place among those
    /// served.
    pub fn seat_recovered(&mut self, story: usize, recovered: Recovered) -> Option<u64> {
        let Recovered { director, journal, report } = recovered;
        Metrics::add(&self.metrics.restored, 1);
        let id = self.take_in(story, director, |session, now| session.recovered(now, journal, &report))?;
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.is_recovered = true;
        }
        Some(id)
    }

    fn take_in(&mut self, story: usize, director: Director, prepare: impl FnOnce(&mut Session, Moment)) -> Option<u64> {
        let options = self.served.get(story)?.options.clone();
        self.next_id += 1;
        let (id, now) = (self.next_id, self.watch.now());
        let codec = director.core().options().codec;
        let mut session = Session::new(id, director, Mind::Threads(self.thinkers.door()), options);
        prepare(&mut session, now);
        let name = session.name().to_owned();
        let short = name.chars().take(8).collect();
        self.by_name.insert(name.clone(), id);
        let seat = Seat {
            session: Some(Box::new(session)),
            name,
            link: None,
            codec,
            due: now,
            alone: now,
            inbox: Inbox::default(),
            is_held: false,
            weight: Weight::default(),
            ends: None,
            short,
            is_recovered: false,
            kept_bytes: 0,
        };
        self.seats.insert(id, seat);
        self.due.insert((now, id));
        Metrics::add(&self.metrics.sessions_begun, 1);
        self.count();
        Some(id)
    }

    /// Gives a session a link; one that it had is closed, for its game is here now.
    pub(super) fn attach(&mut self, id: u64, key: HubKey, now: Moment) {
        self.cut(id, now, "the game came back over another link");
        self.guests.remove(&key);
        self.lobby.forget(key);
        self.hub.admit(key);
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.link = Some(key);
            seat.is_held = false;
            self.by_link.insert(key, id);
        }
        self.count();
    }

    /// Closes a session's link; the session waits for its game.
    pub(super) fn cut(&mut self, id: u64, now: Moment, reason: &str) {
        let Some(key) = self.seats.get_mut(&id).and_then(|seat| seat.link.take()) else { return };
        self.by_link.remove(&key);
        self.hub.close(key);
        self.detach(id, now, reason);
    }

    /// The same because of what came over the link: whatever else came over it is void.
    pub(super) fn drop_link(&mut self, id: u64, now: Moment, reason: &str) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        // If the link is gone already, the game may have come back over another.
        if seat.inbox.drop_frames() {
            self.cut(id, now, reason);
        }
    }

    /// A session's link is gone: it waits for its game, once it has taken in what came before.
    pub(super) fn detach(&mut self, id: u64, now: Moment, reason: &str) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        if let Some(key) = seat.link.take() {
            self.by_link.remove(&key);
        }
        seat.alone = now;
        seat.inbox.push(Arrival::Gone(reason.to_owned()));
        self.pump(id, now);
        self.count();
    }

    /// A session hears that its link is gone.
    pub(super) fn disconnected(&mut self, id: u64, now: Moment, reason: &str) {
        let Some(session) = self.seats.get_mut(&id).and_then(|seat| seat.session.as_mut()) else { return };
        session.disconnected(now, reason);
        let events = session.take_events();
        // A session that never began has nothing to come back to.
        let began = session.director().core().channel.epoch() > 0;
        self.tell(id, &events);
        if !began {
            self.end(id, reason);
        }
    }

    /// A session is over.
    pub(super) fn end(&mut self, id: u64, reason: &str) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        let Some(session) = &mut seat.session else {
            seat.ends = Some(reason.to_owned());
            return;
        };
        session.end_journal(reason);
        let events = session.take_events();
        self.tell(id, &events);
        if let Some(name) = self.leave(id, reason) {
            self.put_aside(&name, reason);
        }
    }

    /// A session ends here, and goes on from its journal when the server is started again; without one it is over.
    pub(super) fn suspend(&mut self, id: u64, reason: &str) {
        if let Some(session) = self.seats.get_mut(&id).and_then(|seat| seat.session.as_mut()) {
            session.sync_journal();
            let events = session.take_events();
            self.tell(id, &events);
        }
        self.leave(id, reason);
    }

    /// Gives the name of the session that left.
    fn leave(&mut self, id: u64, reason: &str) -> Option<String> {
        let seat = self.take_out(id)?;
        tracing::info!(session = %seat.short, reason = shown(reason), "a session is over");
        if seat.session.as_ref().is_some_and(|session| session.director().core().over().is_some()) {
            let now = self.watch.now();
            self.lobby.bade_goodbye(seat.name.clone(), now);
        }
        if let Some(key) = seat.link {
            self.hub.close(key);
        }
        if let Some(session) = &seat.session {
            let Figures { lost, resent, .. } = session.figures();
            self.gone = (self.gone.0 + lost, self.gone.1 + resent);
            if let Some(observer) = &mut self.observer {
                observer.ended(session);
            }
        }
        self.count();
        Some(seat.name)
    }

    /// Puts the journal of a session aside that is over; nobody may write it any more.
    pub(super) fn put_aside(&mut self, name: &str, reason: &str) {
        if let Some(Err(error)) = self.journals.as_ref().map(|journals| journals.end(name, reason)) {
            tracing::warn!(%error, "the journal of a session that is over cannot be put aside");
        }
    }

    pub(super) fn take_out(&mut self, id: u64) -> Option<Seat> {
        let seat = self.seats.remove(&id)?;
        self.kept_bytes -= seat.kept_bytes;
        self.due.remove(&(seat.due, id));
        self.by_name.remove(&seat.name);
        if let Some(key) = &seat.link {
            self.by_link.remove(key);
        }
        Some(seat)
    }

    pub(super) fn count(&self) {
        Metrics::set(&self.metrics.sessions, self.seats.len() as u64);
        Metrics::set(&self.metrics.connected, self.by_link.len() as u64);
    }

    /// Drops who never said hello and sessions that nobody came back to.
    pub(super) fn sweep(&mut self, now: Moment) {
        self.sweep_lobby(now);
        let silent =
            self.guests.iter().filter(|(key, since)| now.saturating_sub(**since) > HELLO && !self.lobby.has(**key));
        for key in silent.map(|(key, _)| *key).collect::<Vec<_>>() {
            let text = format!("nothing was said within {} seconds; say hello first", HELLO / 1_000_000);
            self.refuse(key, FaultCode::Limit, text);
        }
        let linger = Moment::from(self.options.linger_seconds).saturating_mul(1_000_000);
        let is_missed = |seat: &Seat| {
            let most = if seat.was_played() { linger } else { linger.min(GRACE_MICROS) };
            seat.alone_since().is_some_and(|since| now.saturating_sub(since) > most)
        };
        let missed = self.seats.iter().filter(|(_, seat)| is_missed(seat));
        for id in missed.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.end(id, "its game did not come back");
        }
        if self.options.shows_metrics {
            let mut sum = self.gone;
            for session in self.sessions() {
                let Figures { lost, resent, .. } = session.figures();
                sum = (sum.0 + lost, sum.1 + resent);
            }
            Metrics::set(&self.metrics.lost, sum.0);
            Metrics::set(&self.metrics.resent, sum.1);
        }
    }

    /// Makes room for one more session. Of those whose game is gone, the ones that nobody ever played make way first;
    /// none does whose game left a moment ago. The text says when to try again.
    pub(super) fn make_room(&mut self, now: Moment) -> Result<(), String> {
        let most = self.options.sessions_max.max(1);
        if self.seats.len() < most {
            return Ok(());
        }
        let alone = || self.seats.iter().filter_map(|(id, seat)| Some((seat.alone_since()?, seat, *id)));
        let old = alone().filter(|(since, ..)| now.saturating_sub(*since) >= GRACE_MICROS);
        if let Some((.., id)) = old.map(|(since, seat, id)| (seat.was_played(), since, id)).min() {
            self.end(id, "others needed its place");
            return Ok(());
        }
        let next = alone().map(|(since, ..)| since.saturating_add(GRACE_MICROS).saturating_sub(now)).min();
        let when = next.map_or("later".to_owned(), |wait| format!("in {} seconds", wait / 1_000_000 + 1));
        Err(format!("all {most} sessions are taken; try again {when}"))
    }

    /// Counts what a session keeps because of its game. If all of them together keep too much, the one with the most is
    /// over.
    pub(super) fn weigh(&mut self, id: u64) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        let Some(session) = &seat.session else { return };
        let kept = session.director().core().kept_bytes() + seat.inbox.bytes();
        self.kept_bytes = self.kept_bytes - seat.kept_bytes + kept;
        seat.kept_bytes = kept;
        while self.kept_bytes > KEPT_BYTES_SUM_MAX {
            // One that is away is counted again when it is back.
            let here = self.seats.iter().filter(|(_, seat)| seat.session.is_some());
            let Some((most, id)) = here.map(|(id, seat)| (seat.kept_bytes, *id)).max() else { return };
            if let Some(key) = self.seats.get_mut(&id).and_then(|seat| seat.link.take()) {
                let text = format!(
                    "the session keeps {most} bytes for a game that does not acknowledge or finish them; begin anew"
                );
                self.refuse(key, FaultCode::Limit, text);
            }
            self.end(id, &format!("it kept {most} bytes for its game, and others needed the room"));
        }
    }
}

/// Writes what matters into the log.
pub(super) fn log(session: &str, event: &Event) {
    let tick = event.now.least;
    match &event.kind {
        EventKind::Connected { game, resumed, epoch, .. } => {
            tracing::info!(session, tick, game = shown_name(game), resumed, epoch, "a game connected");
        }
        EventKind::Disconnected { reason } => tracing::info!(session, tick, reason = shown(reason), "a game is gone"),
        EventKind::Fault { message } => {
            tracing::warn!(session, tick, message = shown(message), "a game was told a fault")
        }
        EventKind::Rejected { version, problem } => {
            tracing::debug!(session, tick, version, %problem, "a plan was rejected")
        }
        EventKind::Blocked { step, why } => tracing::debug!(session, tick, step, why, "a step is blocked"),
        EventKind::Late { step, policy, .. } => tracing::warn!(session, tick, step, policy, "a step is too late"),
        EventKind::ClockRelocked { rate_milli } => tracing::info!(session, tick, rate_milli, "the clock began anew"),
        EventKind::Journal { notice } if notice.is_trouble() => {
            tracing::warn!(session, tick, %notice, "about a journal");
        }
        EventKind::Journal { notice } => tracing::info!(session, tick, %notice, "about a journal"),
        EventKind::Dispatched { task, action, start, lead, .. } => {
            tracing::trace!(session, tick, step = task.step, action, start, lead, "a task was sent");
        }
        _ => {}
    }
}
