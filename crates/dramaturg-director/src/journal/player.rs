//! Takes records in, one after another, and compares what comes of them with what is written.

use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::planner::Workers;

use super::header::Header;
use super::record::Record;
use super::{JournalError, Parting};
use crate::director::{Director, Input};
use crate::event::Event;
use crate::save::{LoadReport, PlannerLoader, SessionSave, story_hash};

/// What a record came to, if it is not as it was.
pub(super) enum Trouble {
    /// The run came out differently.
    Parting(Parting),
    /// The snapshot cannot be used.
    Error(JournalError),
}

/// Plays a journal.
pub(super) struct Player {
    model: Arc<Model>,
    loader: PlannerLoader,
    pub(super) header: Option<Box<Header>>,
    pub(super) director: Option<Director>,
    pub(super) inputs: u64,
    pub(super) hashes: u64,
    pub(super) chain: u32,
    /// What was saved by the record before.
    saved: Option<Vec<u8>>,
    /// How the first snapshot could be loaded.
    pub(super) loaded: LoadReport,
    pub(super) notes: Vec<String>,
}

impl Player {
    pub(super) fn new(model: Arc<Model>, loader: PlannerLoader) -> Self {
        Self {
            model,
            loader,
            header: None,
            director: None,
            inputs: 0,
            hashes: 0,
            chain: 0,
            saved: None,
            loaded: LoadReport::default(),
            notes: Vec::new(),
        }
    }

    pub(super) fn tick(&self) -> Tick {
        self.director.as_ref().map_or(0, Director::last_tick)
    }

    pub(super) fn same_story(&self) -> bool {
        self.header.as_ref().is_some_and(|header| header.story == story_hash(&self.model))
    }

    fn parts(&self, what: impl Into<String>) -> Trouble {
        Trouble::Parting(Parting { input: self.inputs, tick: self.tick(), what: what.into() })
    }

    /// Takes a record in. After a parting it may go on all the same.
    pub(super) fn take(&mut self, record: Record, sum: u32, tell: &mut dyn FnMut(Event)) -> Result<(), Trouble> {
        let before = std::mem::replace(&mut self.chain, sum);
        match record {
            Record::Header(header) => {
                self.chain = sum;
                if self.director.is_some() && header.inputs != self.inputs {
                    let missing = header.inputs.abs_diff(self.inputs);
                    self.notes.push(format!(
                        "{missing} inputs before segment {} were not written; it goes on from its snapshot",
                        header.segment
                    ));
                    self.director = None;
                }
                self.header = Some(header);
                Ok(())
            }
            Record::Snapshot(bytes) => self.snapshot(&bytes),
            Record::Input { chain, trail, input } => {
                self.saved = None;
                let Some(director) = &self.director else { return Err(self.parts("there is no snapshot before it")) };
                let altered = chain != before;
                let differs = trail != director.trail();
                let trouble = match (altered, differs) {
                    (true, _) => Some(self.parts("what stands here was altered after it was written")),
                    (false, true) => Some(self.parts("other frames or another budget came of it")),
                    (false, false) => None,
                };
                self.inputs += 1;
                self.step(&input, tell);
                trouble.map_or(Ok(()), Err)
            }
            Record::Content(hash) => {
                self.hashes += 1;
                let same = self.director.as_ref().is_some_and(|director| director.core().content_hash() == hash);
                if same { Ok(()) } else { Err(self.parts("the world, the plan or the conversation differs")) }
            }
            Record::Saved => {
                self.saved = self.director.as_mut().map(|director| director.save().to_bytes());
                Ok(())
            }
        }
    }

    fn step(&mut self, input: &Input, tell: &mut dyn FnMut(Event)) {
        if let Some(director) = &mut self.director {
            director.step(input, &Workers::single(), &mut |_| {});
            director.drain().into_iter().for_each(tell);
        }
    }

    fn snapshot(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let Some(header) = &self.header else { return Err(self.parts("there is no header before a snapshot")) };
        if let Some(director) = &mut self.director {
            // Events that loading tells are no part of a run.
            let mine = self.saved.take().unwrap_or_else(|| director.save().to_bytes());
            if mine == bytes {
                return Ok(());
            }
            return Err(self.parts("the session is not that of the next snapshot"));
        }
        let options = header.options.find(&self.model);
        let loaded = SessionSave::from_bytes(bytes)
            .and_then(|save| Director::load(Arc::clone(&self.model), options, &save, Arc::clone(&self.loader)));
        let (director, report) = loaded.map_err(|error| Trouble::Error(JournalError::Save(error)))?;
        self.inputs = header.inputs;
        self.director = Some(director);
        self.loaded = report;
        Ok(())
    }
}
