//! Sessions that are played with a journal, and a disk for it that is full after so many bytes.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dramaturg_director::journal::disk::{Disk, Files, Sink};
use dramaturg_director::journal::{JournalError, Notice, replay};
use dramaturg_director::{Director, Input, Journal, JournalOptions};
use dramaturg_model::Model;
use dramaturg_planner::planner::Workers;

use super::{STORY, Theatre, compile, director};

pub fn small() -> JournalOptions {
    JournalOptions { segment_bytes: 4_500, keep: 0, hash_every: 50, ..JournalOptions::default() }
}

/// Writes an input down, takes it in, and settles.
pub fn step(journal: &mut Journal, director: &mut Director, theatre: &mut Theatre, input: &Input) -> Vec<Notice> {
    let mut notices: Vec<_> = journal.append(input, director).into_iter().collect();
    let mut frames = Vec::new();
    director.step(input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
    frames.iter().for_each(|frame| theatre.send(true, frame));
    director.drain();
    notices.extend(journal.settle(director));
    notices
}

/// Plays with a journal; returns the trail after each input.
pub fn play(folder: &Path, options: JournalOptions, seed: u64, looks: usize, after: &mut dyn FnMut(u64)) -> Vec<u32> {
    let model = compile(STORY);
    let (mut theatre, mut director) = (Theatre::new(seed), director(&model, seed));
    let mut journal = Journal::create(folder, options, &mut director).expect("a journal can be begun");
    let mut trails = vec![director.trail()];
    for _ in 0..looks {
        for input in theatre.look() {
            let notices = step(&mut journal, &mut director, &mut theatre, &input);
            assert!(notices.iter().all(|notice| matches!(notice, Notice::Rotated { .. })), "{notices:?}");
            trails.push(director.trail());
            after(journal.inputs());
        }
    }
    trails
}

pub fn recover(folder: &Path, model: &Arc<Model>) -> Result<dramaturg_director::journal::Recovered, JournalError> {
    Journal::recover(folder, small(), Arc::clone(model), dramaturg_planners::loader())
}

pub fn again(folder: &Path, model: &Arc<Model>) -> dramaturg_director::journal::ReplayReport {
    replay(folder, Arc::clone(model), dramaturg_planners::loader(), None, &mut |_| {}).expect("it can be replayed")
}

/// A disk that is full after so many bytes.
pub struct Small {
    pub room: Arc<AtomicU64>,
}

struct SmallSink {
    inner: Box<dyn Sink>,
    room: Arc<AtomicU64>,
}

impl Disk for Small {
    fn create(&mut self, path: &Path) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(SmallSink { inner: Files.create(path)?, room: Arc::clone(&self.room) }))
    }

    fn open(&mut self, path: &Path, length: u64) -> io::Result<Box<dyn Sink>> {
        Ok(Box::new(SmallSink { inner: Files.open(path, length)?, room: Arc::clone(&self.room) }))
    }

    fn rename(&mut self, from: &Path, to: &Path, sync: bool) -> io::Result<()> {
        Files.rename(from, to, sync)
    }
}

impl Sink for SmallSink {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = self.room.load(Ordering::Relaxed);
        let fits = (bytes.len() as u64).min(room);
        self.room.store(room - fits, Ordering::Relaxed);
        self.inner.put(&bytes[..fits as usize])?;
        if fits == bytes.len() as u64 { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn cut(&mut self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.inner.sync()
    }
}
