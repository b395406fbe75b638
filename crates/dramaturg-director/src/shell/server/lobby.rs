//! Games that have said hello and cannot come in yet, and those that have said goodbye.
//!
//! A story may take a minute to prepare, and a session a while to be recovered from its journal. A game that asks for
//! one of them meanwhile is not turned away: its hello waits here, the last one if it says it again, and is answered
//! once the story or session is ready.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use dramaturg_wire::FaultCode;
use dramaturg_wire::link::{HubKey, HubWaker};
use rustc_hash::FxHashMap;

use super::super::Metrics;
use super::Server;
use crate::clock::Moment;

/// So many hellos wait for stories at a time.
pub const WAITING_HELLOS_MAX: usize = 1_024;
/// A hello that begins a session has no more bytes: it has no table of tasks.
pub const NEW_HELLO_BYTES_MAX: usize = 16 << 10;
/// A hello waits for its story no longer than this, in microseconds.
pub const WAITING_MICROS_MAX: Moment = 300_000_000;
/// So many sessions that ended with a goodbye are remembered, and so long, in microseconds.
const GOODBYES_MAX: usize = 1_024;
const GOODBYE_MICROS: Moment = 60_000_000;

/// Says which stories of a server are still being prepared. It can be given to another thread.
#[derive(Clone, Debug)]
pub struct Preparation {
    stories: Arc<Mutex<BTreeSet<usize>>>,
    changed: Arc<AtomicBool>,
    waker: HubWaker,
    metrics: Arc<Metrics>,
}

impl Preparation {
    /// A story, by its place among those served, cannot be played yet.
    pub fn begin(&self, story: usize) {
        self.change(|stories| stories.insert(story));
    }

    /// A story can be played, or never will be: then opening a session of it says why.
    pub fn done(&self, story: usize) {
        self.change(|stories| stories.remove(&story));
        self.changed.store(true, Ordering::Release);
        self.waker.wake();
    }

    fn change(&self, change: impl FnOnce(&mut BTreeSet<usize>) -> bool) {
        let mut stories = self.stories.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut stories);
        Metrics::set(&self.metrics.preparing, stories.len() as u64);
    }

    fn is_preparing(&self, story: usize) -> bool {
        self.stories.lock().unwrap_or_else(PoisonError::into_inner).contains(&story)
    }
}

/// Who waits, and who has left.
pub(super) struct Lobby {
    preparation: Preparation,
    /// The names of sessions that are being recovered.
    recovering: BTreeSet<String>,
    waiting: FxHashMap<HubKey, Waiting>,
    /// Sessions that ended with a goodbye, and when.
    goodbyes: VecDeque<(Moment, String)>,
}

/// What a hello waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// A story that is being prepared, by its place among those served.
    Story(usize),
    /// A session that is being recovered from its journal.
    Session(String),
}

struct Waiting {
    since: Moment,
    awaited: Awaited,
    /// The frame of the last hello.
    hello: Vec<u8>,
}

impl Lobby {
    pub(super) fn new(waker: HubWaker, metrics: Arc<Metrics>) -> Self {
        let preparation = Preparation { stories: Arc::default(), changed: Arc::default(), waker, metrics };
        let (recovering, waiting, goodbyes) = (BTreeSet::new(), FxHashMap::default(), VecDeque::new());
        Self { preparation, recovering, waiting, goodbyes }
    }

    /// A session is being recovered.
    pub(super) fn recovers(&mut self, session: String) {
        self.recovering.insert(session);
    }

    /// A session has been recovered, or cannot be.
    pub(super) fn recovered(&mut self, session: &str) {
        self.recovering.remove(session);
        self.preparation.changed.store(true, Ordering::Release);
    }

    pub(super) fn is_recovering(&self, session: &str) -> bool {
        self.recovering.contains(session)
    }

    pub(super) fn is_preparing(&self, story: usize) -> bool {
        self.preparation.is_preparing(story)
    }

    /// Whether a link has said hello and waits for its story.
    pub(super) fn has(&self, key: HubKey) -> bool {
        self.waiting.contains_key(&key)
    }

    /// Has a hello wait. The text says why it cannot.
    pub(super) fn wait(&mut self, key: HubKey, awaited: Awaited, hello: Vec<u8>, now: Moment) -> Result<(), String> {
        let since = self.waiting.get(&key).map(|waiting| waiting.since);
        if since.is_none() && self.waiting.len() >= WAITING_HELLOS_MAX {
            return Err(format!(
                "{WAITING_HELLOS_MAX} games wait for stories or sessions that are not ready; try again later"
            ));
        }
        self.waiting.insert(key, Waiting { since: since.unwrap_or(now), awaited, hello });
        Ok(())
    }

    pub(super) fn forget(&mut self, key: HubKey) {
        self.waiting.remove(&key);
    }

    /// A session ended with a goodbye of its game, which may ask for it once more if it has not heard that.
    pub(super) fn bade_goodbye(&mut self, session: String, now: Moment) {
        if self.goodbyes.len() >= GOODBYES_MAX {
            self.goodbyes.pop_front();
        }
        self.goodbyes.push_back((now, session));
    }

    pub(super) fn has_bidden(&self, session: &str) -> bool {
        self.goodbyes.iter().any(|(_, name)| name == session)
    }
}

impl Server {
    /// Says which stories are still being prepared.
    pub fn preparation(&self) -> Preparation {
        self.lobby.preparation.clone()
    }

    /// Lets in who waits for a story that is ready now.
    pub(super) fn admit_waiting(&mut self, now: Moment, touched: &mut BTreeSet<u64>) {
        if !self.lobby.preparation.changed.swap(false, Ordering::Acquire) {
            return;
        }
        let Lobby { preparation, recovering, waiting, .. } = &mut self.lobby;
        let is_ready = |awaited: &Awaited| match awaited {
            Awaited::Story(story) => !preparation.is_preparing(*story),
            Awaited::Session(session) => !recovering.contains(session),
        };
        let mut ready: Vec<_> = waiting.extract_if(|_, waiting| is_ready(&waiting.awaited)).collect();
        // Who came first comes in first.
        ready.sort_by_key(|(key, waiting)| (waiting.since, *key));
        for (key, Waiting { hello, .. }) in ready {
            if self.guests.contains_key(&key)
                && let Some(id) = self.greet(key, hello, now)
            {
                touched.insert(id);
            }
        }
    }

    /// Gives up who has waited too long, and forgets who is gone.
    pub(super) fn sweep_lobby(&mut self, now: Moment) {
        let guests = &self.guests;
        self.lobby.waiting.retain(|key, _| guests.contains_key(key));
        self.lobby.goodbyes.retain(|(when, _)| now.saturating_sub(*when) <= GOODBYE_MICROS);
        let late = |waiting: &Waiting| now.saturating_sub(waiting.since) > WAITING_MICROS_MAX;
        let tired: Vec<HubKey> =
            self.lobby.waiting.iter().filter(|(_, waiting)| late(waiting)).map(|(key, _)| *key).collect();
        for key in tired {
            let seconds = WAITING_MICROS_MAX / 1_000_000;
            let text = format!("what you asked for was not ready within {seconds} seconds; try again later");
            self.refuse(key, FaultCode::Limit, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dramaturg_wire::link::{LinkOptions, ListenOptions, Listener, TcpLink};

    use super::*;
    use crate::shell::ServerOptions;

    /// A server with a guest who waits for a story, since moment 0.
    fn waited_for() -> (Server, HubKey, TcpLink) {
        let listener = Listener::bind(ListenOptions::default()).expect("a port");
        let address = listener.address().to_string();
        let mut server = Server::new(listener, Vec::new(), ServerOptions::default()).expect("a server");
        let mut game = TcpLink::connect(&address, LinkOptions::default()).expect("connecting");
        let key = loop {
            server.turn(Duration::from_millis(5)).expect("a turn");
            game.poll_open().expect("it is answered");
            if let Some(key) = server.guests.keys().next() {
                break *key;
            }
        };
        server.lobby.wait(key, Awaited::Story(0), Vec::new(), 0).expect("there is room");
        (server, key, game)
    }

    #[test]
    fn who_waits_for_a_story_too_long_is_told_to_come_later() {
        let (mut server, key, _game) = waited_for();
        server.sweep_lobby(WAITING_MICROS_MAX);
        assert!(server.guests.contains_key(&key) && server.lobby.has(key));
        server.sweep_lobby(WAITING_MICROS_MAX + 1);
        assert!(!server.guests.contains_key(&key));
    }

    #[test]
    fn so_many_goodbyes_are_remembered_and_no_more() {
        let (mut server, ..) = waited_for();
        let lobby = &mut server.lobby;
        (0..GOODBYES_MAX + 10).for_each(|number| lobby.bade_goodbye(format!("s{number}"), 0));
        assert_eq!(lobby.goodbyes.len(), GOODBYES_MAX);
        assert!(!lobby.has_bidden("s9") && lobby.has_bidden("s10"));
        server.sweep_lobby(GOODBYE_MICROS + 1);
        assert!(!server.lobby.has_bidden("s10"));
    }
}
