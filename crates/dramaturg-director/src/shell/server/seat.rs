//! Sessions of a server: how they come, wait and go.

use dramaturg_wire::Codec;
use dramaturg_wire::link::HubKey;

use super::super::session::{Mind, Session};
use super::super::{Figures, Metrics};
use super::{HELLO, Opening, Server};
use crate::clock::Moment;
use crate::director::Director;
use crate::event::{Event, EventKind};
use crate::journal::Recovered;

/// A session of a server.
pub(super) struct Seat {
    pub(super) session: Session,
    pub(super) link: Option<HubKey>,
    pub(super) codec: Codec,
    /// When it wants to be pumped.
    pub(super) due: Moment,
    /// Since when it waits for its game.
    pub(super) alone: Moment,
    /// What came for it since it was pumped.
    pub(super) frames: Vec<Vec<u8>>,
    /// The beginning of its name: the whole would let who reads the log take it over.
    pub(super) short: String,
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

    /// Takes a session from a journal in, whose game will come back by its name. `story` is its place among those served.
    pub fn seat_recovered(&mut self, story: usize, recovered: Recovered) -> Option<u64> {
        let Recovered { director, journal, report } = recovered;
        Metrics::add(&self.metrics.restored, 1);
        self.take_in(story, director, |session, now| session.recovered(now, journal, &report))
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
        self.by_name.insert(name, id);
        self.seats.insert(id, Seat { session, link: None, codec, due: now, alone: now, frames: Vec::new(), short });
        self.due.insert((now, id));
        Metrics::add(&self.metrics.sessions_begun, 1);
        self.count();
        Some(id)
    }

    /// Gives a session a link; one that it had is closed, for its game is here now.
    pub(super) fn attach(&mut self, id: u64, key: HubKey, now: Moment) {
        self.cut(id, now, "the game came back over another link");
        self.guests.remove(&key);
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.link = Some(key);
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

    /// A session's link is gone: it waits for its game.
    pub(super) fn detach(&mut self, id: u64, now: Moment, reason: &str) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        if let Some(key) = seat.link.take() {
            self.by_link.remove(&key);
        }
        seat.alone = now;
        seat.session.disconnected(now, reason);
        let events = seat.session.take_events();
        // A session that never began has nothing to come back to.
        let began = seat.session.director().core().channel.epoch() > 0;
        self.tell(id, &events);
        if began {
            self.count();
        } else {
            self.end(id, reason);
        }
    }

    /// A session is over.
    pub(super) fn end(&mut self, id: u64, reason: &str) {
        if let Some(name) = self.leave(id, reason) {
            self.put_aside(&name, reason);
        }
    }

    /// A session ends here, and goes on from its journal when the server is started again; without one it is over.
    pub(super) fn suspend(&mut self, id: u64, reason: &str) {
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.session.sync_journal();
            let events = seat.session.take_events();
            self.tell(id, &events);
        }
        self.leave(id, reason);
    }

    /// Gives the name of the session that left.
    fn leave(&mut self, id: u64, reason: &str) -> Option<String> {
        let seat = self.take_out(id)?;
        tracing::info!(session = %seat.short, reason, "a session is over");
        if let Some(key) = seat.link {
            self.hub.close(key);
        }
        let Figures { lost, resent, .. } = seat.session.figures();
        self.gone = (self.gone.0 + lost, self.gone.1 + resent);
        if let Some(observer) = &mut self.observer {
            observer.ended(&seat.session);
        }
        self.count();
        Some(seat.session.name().to_owned())
    }

    /// Puts the journal of a session aside that is over; nobody may write it any more.
    pub(super) fn put_aside(&mut self, name: &str, reason: &str) {
        if let Some(Err(error)) = self.journals.as_ref().map(|journals| journals.end(name, reason)) {
            tracing::warn!(%error, "the journal of a session that is over cannot be put aside");
        }
    }

    pub(super) fn take_out(&mut self, id: u64) -> Option<Seat> {
        let seat = self.seats.remove(&id)?;
        self.due.remove(&(seat.due, id));
        self.by_name.remove(seat.session.name());
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
        let silent = self.guests.iter().filter(|(_, since)| now.saturating_sub(**since) > HELLO);
        for key in silent.map(|(key, _)| *key).collect::<Vec<_>>() {
            let text = format!("nothing was said within {} seconds; say hello first", HELLO / 1_000_000);
            self.refuse(key, dramaturg_wire::FaultCode::Limit, text);
        }
        let linger = Moment::from(self.options.linger_seconds).saturating_mul(1_000_000);
        let idle = self.seats.iter().filter(|(_, seat)| seat.link.is_none() && now.saturating_sub(seat.alone) > linger);
        for id in idle.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.end(id, "its game did not come back");
        }
        if self.options.shows_metrics {
            let mut sum = self.gone;
            for seat in self.seats.values() {
                let Figures { lost, resent, .. } = seat.session.figures();
                sum = (sum.0 + lost, sum.1 + resent);
            }
            Metrics::set(&self.metrics.lost, sum.0);
            Metrics::set(&self.metrics.resent, sum.1);
        }
    }

    /// Makes room for one more session, if there is a way.
    pub(super) fn has_room(&mut self) -> bool {
        if self.seats.len() < self.options.sessions_max.max(1) {
            return true;
        }
        let alone = self.seats.iter().filter(|(_, seat)| seat.link.is_none());
        let Some(oldest) = alone.min_by_key(|(id, seat)| (seat.alone, **id)).map(|(id, _)| *id) else { return false };
        self.end(oldest, "others needed its place");
        true
    }
}

/// Writes what matters into the log.
pub(super) fn log(session: &str, event: &Event) {
    let tick = event.now.least;
    match &event.kind {
        EventKind::Connected { game, resumed, epoch, .. } => {
            tracing::info!(session, tick, game, resumed, epoch, "a game connected");
        }
        EventKind::Disconnected { reason } => tracing::info!(session, tick, reason, "a game is gone"),
        EventKind::Fault { message } => tracing::warn!(session, tick, message, "a game was told a fault"),
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
