//! Going on with the sessions of a server that died.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use dramaturg_model::Model;

use super::super::Journals;
use super::super::thinkers::panic_text;
use super::Server;
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
        for journal in unended {
            let name = journal.name;
            // The whole name would let who reads the log take the session over.
            let short: String = name.chars().take(8).collect();
            let found = journal.header.map_err(|error| error.to_string()).and_then(|header| {
                story_of(&header, stories).ok_or_else(|| format!("its story “{}” is not served here", header.title))
            });
            let (place, story) = match found {
                Ok(found) => found,
                Err(why) => {
                    restored.left.push(format!("{short}…: {why}"));
                    continue;
                }
            };
            if self.seats.len() >= self.options.sessions_max.max(1) {
                restored.left.push(format!("{short}…: all sessions are taken; allow more"));
                continue;
            }
            // What made a session panic may stand in its journal.
            let recovered = catch_unwind(AssertUnwindSafe(|| {
                journals.recover(&name, story.path.as_deref(), Arc::clone(&story.model), Arc::clone(loader))
            }));
            let recovered = match recovered {
                Ok(Ok(recovered)) => recovered,
                Ok(Err(error)) => {
                    restored.left.push(format!("{short}…: {error}"));
                    continue;
                }
                Err(panic) => {
                    restored.left.push(format!("{short}…: it panicked: {}", panic_text(&*panic)));
                    continue;
                }
            };
            let core = recovered.director.core();
            let over = match core.over() {
                Some(reason) => Some(reason.to_owned()),
                None if core.channel.epoch() == 0 => Some("its game was never answered".to_owned()),
                None => None,
            };
            match over {
                Some(reason) => {
                    restored.over += 1;
                    drop(recovered);
                    self.put_aside(&name, &reason);
                }
                None => restored.sessions += usize::from(self.seat_recovered(place, recovered).is_some()),
            }
        }
        restored
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
