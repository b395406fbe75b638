//! Going on with the sessions of a server that died.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg_model::Model;
use dramaturg_planner::planner::PlannerLoader;

use super::super::Journals;
use super::super::journals::Unended;
use super::super::thinkers::panic_text;
use super::Server;
use crate::journal::header::Header;
use crate::journal::{JournalError, Recovered};
use crate::save::story_hash;

/// A story that is served, for finding the sessions of it.
#[derive(Clone, Debug)]
pub struct Story {
    /// The story.
    pub model: Arc<Model>,
    /// Where it lies.
    pub path: Option<String>,
}

/// What came of going on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restored {
    /// So many sessions go on.
    pub sessions: usize,
    /// So many were over, or had not begun.
    pub over: usize,
    /// Journals that were left as they are or set aside, and why.
    pub left: Vec<String>,
    /// So many are still being recovered.
    pub recovering: usize,
}

/// The server listens after so long, however many sessions are still being recovered.
const RESTORE_WAIT: Duration = Duration::from_secs(2);

impl Server {
    /// Goes on with every session that is not over, as far as there is room, and has them kept by these journals from
    /// here on. `stories` are those served, in their order. It waits for a moment; what is not recovered by then is
    /// recovered while others are served, and games that come back for it wait.
    pub fn restore(&mut self, journals: Journals, stories: &[Story], loader: &PlannerLoader) -> Restored {
        let mut restored = Restored::default();
        let unended = journals.unended().unwrap_or_else(|error| {
            restored.left.push(error.to_string());
            Vec::new()
        });
        self.set_journals(journals.clone());
        let (mut found, most) = (Vec::new(), self.options.sessions_max.max(1).saturating_sub(self.seats.len()));
        for Unended { name, header } in unended {
            let place = header.map_err(|error| error.to_string()).and_then(|header| {
                story_of(&header, stories).ok_or_else(|| format!("its story “{}” is not served here", header.title))
            });
            match place {
                Ok(_) if found.len() >= most => restored.leave(&name, "all sessions are taken; allow more"),
                Ok((place, story)) => found.push(Found { name, place, story: story.clone() }),
                Err(why) => restored.leave(&name, &why),
            }
        }
        found.iter().for_each(|found| self.lobby.recovers(found.name.clone()));
        let waker = self.hub.waker();
        let most = Duration::from_secs(self.options.recovery_seconds.into());
        let mut recovery = Recovery::start(found, journals, Arc::clone(loader), most, move || waker.wake());
        let until = Instant::now() + RESTORE_WAIT;
        while let Some(done) = recovery.next_until(until) {
            self.recovered(done, &mut restored);
        }
        restored.recovering = recovery.left;
        self.recovery = (recovery.left > 0).then_some(recovery);
        restored
    }

    /// Takes in what was recovered since the last call.
    pub(super) fn take_recovered(&mut self) {
        let Some(mut recovery) = self.recovery.take() else { return };
        let mut restored = Restored::default();
        while let Some(done) = recovery.next_until(Instant::now()) {
            self.recovered(done, &mut restored);
        }
        for why in &restored.left {
            tracing::warn!(why, "a journal is set aside");
        }
        self.recovery = (recovery.left > 0).then_some(recovery);
    }

    fn recovered(&mut self, (found, recovered): Done, restored: &mut Restored) {
        match recovered {
            Err(Trouble::Left(why)) => restored.leave(&found.name, &why),
            Err(Trouble::SetAside(why)) => {
                restored.leave(&found.name, &why);
                self.put_aside(&found.name, &format!("it could not be recovered: {why}"));
            }
            Ok(mut recovered) => match over(&recovered) {
                Some(reason) => {
                    restored.over += 1;
                    recovered.journal.end(&mut recovered.director, &reason);
                    drop(recovered);
                    self.put_aside(&found.name, &reason);
                }
                None => restored.sessions += usize::from(self.seat_recovered(found.place, *recovered).is_some()),
            },
        }
        self.lobby.recovered(&found.name);
    }
}

impl Restored {
    fn leave(&mut self, name: &str, why: &str) {
        // The whole name would let who reads the log take the session over.
        let short: String = name.chars().take(8).collect();
        self.left.push(format!("{short}…: {why}"));
    }
}

/// A journal whose session is to go on, and its story, by place and itself.
struct Found {
    name: String,
    place: usize,
    story: Story,
}

/// Why a session cannot go on.
enum Trouble {
    /// Its journal stays where it is, for whoever can do something about it.
    Left(String),
    /// Trying again would end the same way.
    SetAside(String),
}

type Done = (Found, Result<Box<Recovered>, Trouble>);

/// Recovers sessions on all cores, while others are served.
pub(super) struct Recovery {
    done: Receiver<Done>,
    /// How many have not come.
    left: usize,
}

impl Recovery {
    fn start(
        found: Vec<Found>,
        journals: Journals,
        loader: PlannerLoader,
        most: Duration,
        wake: impl Fn() + Send + Clone + 'static,
    ) -> Self {
        let (tell, done) = channel();
        let left = found.len();
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // The journals that were written last come first, from the end.
        let queue = Arc::new(Mutex::new(found.into_iter().rev().collect::<Vec<_>>()));
        let mut started = 0;
        let mut here = None;
        for number in 0..cores.min(left) {
            let (queue, tell, wake) = (Arc::clone(&queue), tell.clone(), wake.clone());
            let (journals, loader) = (journals.clone(), Arc::clone(&loader));
            let work = move || {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop();
                    let Some(found) = next else { return };
                    let recovered = recover(&journals, &found, &loader, most);
                    if tell.send((found, recovered)).is_err() {
                        return;
                    }
                    wake();
                }
            };
            match thread::Builder::new().name(format!("recovery-{number}")).spawn(work.clone()) {
                Ok(_) => started += 1,
                Err(error) => {
                    tracing::error!(%error, "no thread can be had to recover sessions in");
                    here = Some(work);
                }
            }
        }
        // Without a single thread others have to wait: a session that is never recovered would be worse.
        if let Some(work) = here.filter(|_| started == 0) {
            work();
        }
        Self { done, left }
    }

    /// The next that is recovered by a moment.
    fn next_until(&mut self, until: Instant) -> Option<Done> {
        if self.left == 0 {
            return None;
        }
        let wait = until.saturating_duration_since(Instant::now());
        match self.done.recv_timeout(wait) {
            Ok(done) => {
                self.left -= 1;
                Some(done)
            }
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                self.left = 0;
                None
            }
        }
    }
}

fn recover(
    journals: &Journals,
    found: &Found,
    loader: &PlannerLoader,
    most: Duration,
) -> Result<Box<Recovered>, Trouble> {
    let Found { name, story, .. } = found;
    let until = Instant::now() + most;
    let goes_on = || Instant::now() < until;
    // What made a session panic may stand in its journal.
    let recovered = catch_unwind(AssertUnwindSafe(|| {
        let (model, loader) = (Arc::clone(&story.model), Arc::clone(loader));
        journals.recover_within(&goes_on, name, story.path.as_deref(), model, loader)
    }));
    match recovered {
        Ok(Ok(recovered)) => Ok(Box::new(recovered)),
        Ok(Err(error @ JournalError::TooLong { .. })) => Err(Trouble::SetAside(error.to_string())),
        Ok(Err(error)) => Err(Trouble::Left(error.to_string())),
        Err(panic) => Err(Trouble::SetAside(format!("it panicked: {}", panic_text(&*panic)))),
    }
}

/// Why a session need not go on.
fn over(recovered: &Recovered) -> Option<String> {
    let core = recovered.director.core();
    match core.over() {
        Some(reason) => Some(reason.to_owned()),
        None if core.channel.epoch() == 0 => Some("its game was never answered".to_owned()),
        None => None,
    }
}

/// The story of a journal: the same one, else the one that lies where it lay, else one of the same title.
fn story_of<'s>(header: &Header, stories: &'s [Story]) -> Option<(usize, &'s Story)> {
    let is_same = |story: &Story| story_hash(&story.model) == header.story;
    let is_there = |story: &Story| story.path.is_some() && story.path == header.path;
    let is_called = |story: &Story| story.model.title == header.title;
    let find = |is: &dyn Fn(&Story) -> bool| stories.iter().enumerate().find(|(_, story)| is(story));
    find(&is_same).or_else(|| find(&is_there)).or_else(|| find(&is_called))
}
