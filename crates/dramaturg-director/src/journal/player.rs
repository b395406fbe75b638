//! Takes records in, one after another, and compares what comes of them with what is written.

use std::sync::Arc;

use dramaturg_model::{Model, Tick};
use dramaturg_planner::planner::{PlannerLoader, Workers};

use super::header::Header;
use super::record::Record;
use super::{JournalError, Parting};
use crate::director::{Director, Input};
use crate::event::Event;
use crate::save::{LoadReport, SessionSave, story_hash};

const ALTERED: &str = "what stands here was altered after it was written";

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
    /// Whether the last record says that the session is over.
    pub(super) is_over: bool,
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
            is_over: false,
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
                if header.inputs != self.inputs {
                    let missing = header.inputs.abs_diff(self.inputs);
                    let gap = header.chain.as_ref().and_then(|chain| chain.gap.as_ref());
                    let why = gap.map_or_else(String::new, |gap| format!(" ({})", gap.reason));
                    // What comes before the first segment that is there may have been removed on purpose.
                    if self.director.is_some() || gap.is_some() {
                        self.notes.push(format!(
                            "{missing} inputs before segment {} were not written{why}; it goes on from its snapshot",
                            header.segment
                        ));
                    }
                    self.director = None;
                }
                self.header = Some(header);
                Ok(())
            }
            Record::Snapshot(bytes) => self.snapshot(&bytes),
            Record::Input { chain, trail, input } => {
                (self.saved, self.is_over) = (None, false);
                let Some(director) = &self.director else { return Err(self.parts("there is no snapshot before it")) };
                let altered = chain != before;
                let differs = trail != director.trail();
                let trouble = match (altered, differs) {
                    (true, _) => Some(self.parts(ALTERED)),
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
            Record::End { chain, .. } => {
                self.is_over = true;
                if chain == before { Ok(()) } else { Err(self.parts(ALTERED)) }
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
