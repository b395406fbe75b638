//! Pumping sessions: in the server's own thread, or in others if that may take long.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dramaturg_wire::FaultCode;

use super::super::Metrics;
use super::super::session::Session;
use super::super::thinkers::{Done, panic_text};
use super::Server;
use super::heavy::{Job, Outcome, Pumped};
use super::inbox::{Arrival, Batch};
use super::seat;
use crate::clock::Moment;
use crate::event::Event;

impl Server {
    /// Lets a session take in what came and send what is due.
    pub(super) fn pump(&mut self, id: u64, now: Moment) {
        loop {
            let Some(seat) = self.seats.get_mut(&id) else { return };
            // One that is away is looked at when it comes back.
            let Some(mut session) = seat.session.take() else { return };
            let Batch { frames, gone, is_linked } = match seat.inbox.take_batch(&mut session) {
                Ok(batch) => batch,
                Err(panic) => return self.panicked(id, &panic),
            };
            if seat.is_held && seat.inbox.has_room() {
                seat.is_held = false;
                seat.link.iter().for_each(|key| self.hub.hold(*key, false));
            }
            let link = seat.link.filter(|_| is_linked);
            if let Some(reason) = gone.as_ref().filter(|_| frames.is_empty()) {
                // Nothing to take in but that the link is gone: no work for a thread, however heavy the session is.
                self.came_back(id, now, session, &[]);
                self.disconnected(id, now, reason);
                if self.seats.get(&id).is_none_or(|seat| seat.inbox.is_empty()) {
                    return;
                }
                continue;
            }
            if !self.draining && seat.weight.is_heavy(&session, now, &frames) {
                if let Some(reason) = gone {
                    seat.inbox.put_back_gone(reason);
                }
                self.due.remove(&(seat.due, id));
                self.pumpers.submit(Job { id, session, now, frames, link });
                return;
            }
            let (hub, mut sent) = (&mut self.hub, 0);
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
            seat.weight.took(now, self.used.lap());
            match went {
                Ok(events) => self.came_back(id, now, session, &events),
                Err(panic) => {
                    // What is left of it may panic again on its way out.
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(session)));
                    return self.panicked(id, &panic_text(&*panic));
                }
            }
            if let Some(reason) = gone {
                self.disconnected(id, now, &reason);
            }
            if self.seats.get(&id).is_none_or(|seat| seat.inbox.is_empty()) {
                return;
            }
        }
    }

    /// A session comes back from a thread.
    pub(super) fn pumped(&mut self, pumped: Pumped, now: Moment) {
        let Pumped { id, outcome, link, micros } = pumped;
        let Some(seat) = self.seats.get_mut(&id) else { return };
        seat.weight.took(now, micros);
        let Outcome { session, sent, events } = match outcome {
            Ok(outcome) => outcome,
            Err(panic) => return self.panicked(id, &panic),
        };
        // Its game may have come back over another link: then what it sends there is sent again.
        if let Some(key) = link.filter(|key| seat.link == Some(*key)) {
            for frame in &sent {
                let _ = self.hub.queue(key, frame);
            }
            self.hub.flush(key);
            Metrics::add(&self.metrics.frames_sent, sent.len() as u64);
        }
        let ends = seat.ends.take();
        self.came_back(id, now, session, &events);
        match ends {
            Some(reason) => self.end(id, &reason),
            None if self.seats.get(&id).is_some_and(|seat| !seat.inbox.is_empty()) => self.pump(id, now),
            None => {}
        }
    }

    /// A session was pumped: it is seated again, and what came of it is told.
    fn came_back(&mut self, id: u64, now: Moment, session: Box<Session>, events: &[Event]) {
        let Some(seat) = self.seats.get_mut(&id) else { return };
        let core = session.director().core();
        let (over, breach) = (core.over().is_some(), core.breach());
        self.due.remove(&(seat.due, id));
        seat.due = session.due();
        self.due.insert((seat.due, id));
        seat.session = Some(session);
        self.tell(id, events);
        if over {
            self.end(id, "the game ended it");
        } else if let Some(code) = breach {
            tracing::warn!(session = id, ?code, "a game broke the protocol");
            self.drop_link(id, now, "it broke the protocol");
        }
        self.weigh(id);
    }

    /// A session's planner has worked.
    pub(super) fn thought(&mut self, done: Done) -> Option<u64> {
        let id = done.session;
        // It may be over by now.
        self.seats.get_mut(&id)?.inbox.push(Arrival::Thought(Box::new(done)));
        Some(id)
    }

    pub(super) fn tell(&mut self, id: u64, events: &[Event]) {
        let Some(seat) = self.seats.get(&id) else { return };
        for event in events {
            self.metrics.hear(&event.kind);
            seat::log(&seat.short, event);
            if let Some(observer) = &mut self.observer {
                observer.event(&seat.name, event);
            }
        }
    }

    /// A bug of ours ends one session; the others go on.
    pub(super) fn panicked(&mut self, id: u64, panic: &str) {
        tracing::error!(session = id, panic, "a session panicked");
        Metrics::add(&self.metrics.panics, 1);
        let Some(mut seat) = self.take_out(id) else { return };
        if let Some(key) = seat.link.take() {
            let text = "the session cannot go on, by no fault of the game; begin a new one".to_owned();
            self.refuse_as(key, seat.codec, FaultCode::Internal, text);
        }
        let name = seat.name.clone();
        // What is left of it may panic again on its way out.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(seat)));
        self.put_aside(&name, &format!("it panicked: {panic}"));
        self.count();
    }
}
