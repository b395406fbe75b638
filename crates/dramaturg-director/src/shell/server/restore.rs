//! Going on with the sessions of a server that died.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use dramaturg_model::Model;

use super::super::Journals;
use super::super::journals::Unended;
use super::super::thinkers::panic_text;
use super::Server;
use crate::journal::Recovered;
use crate::journal::header::Header;
use crate::save::{PlannerLoader, story_hash};

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
    /// Journals that were left as they are, and why.
    pub left: Vec<String>,
}

impl Server {
    /// Goes on with every session that is not over, as far as there is room, and has them kept by these journals from here on.
    /// `stories` are those served, in their order.
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
                Ok(place) => found.push((name, place)),
                Err(why) => restored.leave(&name, &why),
            }
        }
        for ((name, (place, _)), recovered) in found.iter().zip(recover_all(&journals, &found, loader)) {
            match recovered {
                Err(why) => restored.leave(name, &why),
                Ok(recovered) => match over(&recovered) {
                    Some(reason) => {
                        restored.over += 1;
                        drop(recovered);
                        self.put_aside(name, &reason);
                    }
                    None => restored.sessions += usize::from(self.seat_recovered(*place, recovered).is_some()),
                },
            }
        }
        restored
    }
}

impl Restored {
    fn leave(&mut self, name: &str, why: &str) {
        // The whole name would let who reads the log take the session over.
        let short: String = name.chars().take(8).collect();
        self.left.push(format!("{short}…: {why}"));
    }
}

/// The name of a journal and its story, by place and itself.
type Found<'s> = (String, (usize, &'s Story));

/// Recovers all of them, on all cores: nobody can be served before.
fn recover_all(journals: &Journals, found: &[Found<'_>], loader: &PlannerLoader) -> Vec<Result<Recovered, String>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, (_, story))) = found.get(at) else { return done };
            // What made a session panic may stand in its journal.
            let recovered = catch_unwind(AssertUnwindSafe(|| {
                journals.recover(name, story.path.as_deref(), Arc::clone(&story.model), Arc::clone(loader))
            }));
            let recovered = match recovered {
                Ok(recovered) => recovered.map_err(|error| error.to_string()),
                Err(panic) => Err(format!("it panicked: {}", panic_text(&*panic))),
            };
            done.push((at, recovered));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(found.len());
    let mut done: Vec<_> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        // A panic was caught where it happened.
        done.extend(helpers.into_iter().flat_map(|helper| helper.join().unwrap_or_default()));
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, recovered)| recovered).collect()
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
