//! Writing a journal.

use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Files, Sink};
use super::header::{Chain, FORMAT, Gap, Header, SavedOptions, SegmentEnd};
use super::record::{self, Record, end_reason};
use super::{JournalError, JournalOptions, Notice, Sync, segment};
use crate::clock::Moment;
use crate::director::{Director, Input};
use crate::save::story_hash;

/// How often it is made sure that the file which is written is still there, in microseconds.
const CHECK_EVERY: Moment = 1_000_000;

/// The journal of a session.
///
/// [`Journal::append`] comes before [`Director::step`], [`Journal::settle`] after it. Both tell what somebody should
/// know; neither ever stops the game.
pub struct Journal {
    pub(super) folder: PathBuf,
    pub(super) options: JournalOptions,
    pub(super) disk: Box<dyn Disk>,
    /// Held as long as the journal is written; none while its folder cannot even be made.
    pub(super) lock: Option<Box<dyn Any + Send>>,
    /// Where inputs go; none while the disk is in trouble.
    pub(super) sink: Option<Box<dyn Sink>>,
    /// The highest number that a segment has had.
    pub(super) segment: u64,
    /// How far the last segment is written that can be used; none before the first.
    pub(super) end: Option<SegmentEnd>,
    pub(super) rotate_at: u64,
    pub(super) inputs: u64,
    pub(super) unhashed: u32,
    pub(super) now: Moment,
    pub(super) retry_at: Moment,
    /// When it was last made sure that the file which is written is still there.
    checked: Moment,
    /// Why it cannot be written, while it cannot.
    trouble: Option<String>,
    /// Whether it was told that no further segment can be begun.
    pub(super) not_rotated: bool,
    /// Since when something waits to be on the disk itself.
    pub(super) unsynced: Option<Moment>,
}

impl Journal {
    /// Begins the journal of a session in an empty or new folder.
    pub fn create(folder: &Path, options: JournalOptions, director: &mut Director) -> Result<Self, JournalError> {
        Self::create_on(Box::new(Files), folder, options, director)
    }

    /// The same, with segments kept by something else than the system's files.
    pub fn create_on(
        disk: Box<dyn Disk>,
        folder: &Path,
        options: JournalOptions,
        director: &mut Director,
    ) -> Result<Self, JournalError> {
        let mut journal = Self::closed(disk, folder, options, None);
        journal.take_folder()?;
        journal.begin_segment(director).map_err(|error| JournalError::disk(folder, &error))?;
        Ok(journal)
    }

    /// The same for a session that is to go on whatever the disk says: a journal that cannot be begun yet is begun when
    /// it can be.
    pub fn create_soon(folder: &Path, options: JournalOptions, director: &mut Director) -> Result<Self, JournalError> {
        let mut journal = Self::closed(Box::new(Files), folder, options, None);
        let begun = journal
            .take_folder()
            .and_then(|()| journal.begin_segment(director).map_err(|error| JournalError::disk(folder, &error)));
        match begun {
            Err(error @ JournalError::Disk { .. }) => {
                journal.sink = None;
                journal.trouble = Some(error.to_string());
            }
            other => other?,
        }
        Ok(journal)
    }

    /// Makes the folder, and makes sure that it is nobody else's and has no segments that this journal has not written.
    fn take_folder(&mut self) -> Result<(), JournalError> {
        let lock = self.disk.claim(&self.folder)?;
        let segments = segment::list_on(&mut *self.disk, &self.folder)?;
        if segments.last().is_some_and(|(number, _)| *number > self.segment) {
            return Err(JournalError::Exists(self.folder.clone()));
        }
        self.lock = Some(lock);
        Ok(())
    }

    pub(super) fn closed(
        disk: Box<dyn Disk>,
        folder: &Path,
        options: JournalOptions,
        lock: Option<Box<dyn Any + Send>>,
    ) -> Self {
        Self {
            folder: folder.to_owned(),
            rotate_at: options.segment_bytes,
            options,
            disk,
            lock,
            trouble: None,
            sink: None,
            segment: 0,
            end: None,
            inputs: 0,
            unhashed: 0,
            now: Moment::MIN,
            retry_at: Moment::MIN,
            checked: Moment::MIN,
            not_rotated: false,
            unsynced: None,
        }
    }

    /// How many inputs there were, also those that could not be written.
    pub fn inputs(&self) -> u64 {
        self.inputs
    }

    /// Which segment is written, from 1.
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// Where it lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is to be told of it when a session begins with it.
    pub(crate) fn first_notice(&mut self) -> Notice {
        self.trouble.clone().map_or(Notice::Begun, Notice::Stopped)
    }

    /// Whether inputs are written down.
    pub fn is_writing(&self) -> bool {
        self.sink.is_some()
    }

    /// Writes an input down, before the director takes it in.
    pub fn append(&mut self, input: &Input, director: &Director) -> Option<Notice> {
        self.inputs += 1;
        self.unhashed = self.unhashed.saturating_add(1);
        self.now = self.now.max(input.now());
        let chain = self.end.map_or(0, |end| end.checksum);
        self.put(&Record::input(chain, director.trail(), input))
    }

    /// After an input: notes what came of it and begins another segment, when it is time for that.
    pub fn settle(&mut self, director: &mut Director) -> Option<Notice> {
        // A planner that is at work, perhaps elsewhere, cannot be saved.
        let at_rest = !director.core().is_thinking();
        if self.sink.is_none() {
            return if at_rest { self.resume(director) } else { None };
        }
        if let Some(notice) = self.check() {
            return Some(notice);
        }
        if let (Sync::Every(most), Some(since), Some(sink)) = (self.options.sync, self.unsynced, &mut self.sink)
            && self.now.saturating_sub(since) >= most
        {
            self.unsynced = None;
            if let Err(error) = sink.sync_soon() {
                return Some(self.stop(&error));
            }
        }
        if self.unhashed >= self.options.hash_every.max(1) {
            self.unhashed = 0;
            let notice = self.put(&Record::content(director.core().content_hash()));
            if notice.is_some() {
                return notice;
            }
        }
        if self.end.is_some_and(|end| end.bytes >= self.rotate_at) && at_rest { self.rotate(director) } else { None }
    }

    /// Every so often: makes sure that what is written can be found again. Writing to a file that was deleted does not
    /// fail.
    fn check(&mut self) -> Option<Notice> {
        if self.now.saturating_sub(self.checked) < CHECK_EVERY {
            return None;
        }
        self.checked = self.now;
        let path = segment::file(&self.folder, self.end?.segment);
        let error = self.sink.as_mut()?.check(&path).err()?;
        // The folder may be gone and with it what keeps others out: it is taken again before anything is written.
        self.lock = None;
        Some(self.stop(&error))
    }

    /// Writes down that the session is over. Of a journal that could not be written lately it is tried once more, for
    /// what is not told is taken for whole. The planner must not be at work elsewhere, or an end is written only to a
    /// journal that is whole.
    pub fn end(&mut self, director: &mut Director, reason: &str) -> Option<Notice> {
        let mut notice = None;
        if self.sink.is_none() && !director.core().is_thinking() {
            self.retry_at = Moment::MIN;
            notice = self.resume(director);
        }
        let chain = self.end.map_or(0, |end| end.checksum);
        self.put(&Record::end(chain, reason)).or(notice)
    }

    /// Returns when everything that was written is on the disk itself, whatever the options say: before the director
    /// ends in order.
    pub fn sync(&mut self) -> Option<Notice> {
        self.unsynced = None;
        let error = self.sink.as_mut()?.sync().err()?;
        Some(self.stop(&error))
    }

    /// Begins another segment now: at the end of a level, or after [`Director::reload`]. The planner must not be at
    /// work elsewhere.
    pub fn rotate(&mut self, director: &mut Director) -> Option<Notice> {
        // Saving makes the planner forget; if no segment can be begun, a replay must know of it all the same.
        let notice = self.put(&Record::saved());
        if notice.is_some() || self.sink.is_none() {
            return notice;
        }
        let Err(error) = self.begin_segment(director) else { return Some(Notice::Rotated { segment: self.segment }) };
        let bytes = self.end.map_or(0, |end| end.bytes);
        self.rotate_at = bytes.saturating_add(self.options.segment_bytes / 4 + 1);
        (!std::mem::replace(&mut self.not_rotated, true)).then(|| Notice::NotRotated(error.to_string()))
    }

    /// Tries again after trouble: what was not written is in the snapshot that a segment begins with.
    fn resume(&mut self, director: &mut Director) -> Option<Notice> {
        if self.now < self.retry_at {
            return None;
        }
        self.retry_at = self.now.saturating_add(self.options.retry_micros);
        if self.lock.is_none() {
            self.take_folder().ok()?;
        }
        self.begin_segment(director).ok().map(|()| Notice::Resumed)
    }

    fn put(&mut self, bytes: &[u8]) -> Option<Notice> {
        let sink = self.sink.as_mut()?;
        let written = sink.put(bytes).and_then(|()| match self.options.sync {
            Sync::Each => sink.sync(),
            Sync::Never | Sync::Every(_) => Ok(()),
        });
        match written {
            Ok(()) => {
                if let Some(end) = &mut self.end {
                    end.bytes = end.bytes.saturating_add(bytes.len() as u64);
                    end.checksum = record::checksum(bytes);
                    end.inputs = self.inputs;
                }
                self.unsynced = self.unsynced.or(Some(self.now));
                None
            }
            Err(error) => Some(self.stop(&error)),
        }
    }

    pub(super) fn stop(&mut self, error: &io::Error) -> Notice {
        if let Some(mut sink) = self.sink.take() {
            // What cannot be cut here does not count when it is read: the next segment says where this one ends.
            let _ = sink.cut(self.end.map_or(0, |end| end.bytes));
        }
        self.retry_at = self.now.saturating_add(self.options.retry_micros);
        self.trouble = Some(error.to_string());
        Notice::Stopped(error.to_string())
    }

    /// Begins a segment with a snapshot. It gets its name when it is whole.
    pub(super) fn begin_segment(&mut self, director: &mut Director) -> io::Result<()> {
        let save = director.save().to_bytes();
        let (model, number) = (director.core().model(), self.segment + 1);
        let header = Header {
            format: FORMAT,
            story: story_hash(model),
            title: model.title.clone(),
            path: self.options.story.clone(),
            segment: number,
            inputs: self.inputs,
            options: SavedOptions::new(model, director.core().options()),
            chain: Some(Chain {
                session: director.core().options().session.clone(),
                previous: self.end,
                gap: self.gap(),
            }),
        };
        let (mut bytes, snapshot) = (Record::header(&header), Record::snapshot(&save));
        bytes.extend_from_slice(&snapshot);
        let (unnamed, named) = (self.folder.join("unfinished"), segment::file(&self.folder, number));
        let sync = self.options.sync == Sync::Each;
        let mut sink = self.disk.create(&unnamed)?;
        let written = sink.put(&bytes).and_then(|()| match self.options.sync {
            Sync::Never => Ok(()),
            // If the machine dies before, the segments before this one are still there.
            Sync::Every(_) => sink.sync_soon(),
            Sync::Each => sink.sync(),
        });
        if let Err(error) = written.and_then(|()| self.disk.rename(&unnamed, &named, sync)) {
            // It takes room that the game may need.
            let _ = self.disk.remove(&unnamed);
            return Err(error);
        }
        self.sink = Some(sink);
        self.segment = number;
        let (bytes, checksum) = (bytes.len() as u64, record::checksum(&snapshot));
        self.end = Some(SegmentEnd { segment: number, bytes, checksum, inputs: self.inputs });
        self.rotate_at = bytes.saturating_add(self.options.segment_bytes);
        self.trouble = None;
        self.unhashed = 0;
        self.not_rotated = false;
        self.forget_old();
        Ok(())
    }

    /// What was not written since the end of the last segment.
    fn gap(&self) -> Option<Gap> {
        let inputs = self.inputs.saturating_sub(self.end.map_or(0, |end| end.inputs));
        let reason = self.trouble.as_deref().map_or("it is not known why", end_reason);
        (inputs > 0 || self.trouble.is_some()).then(|| Gap { inputs, reason: reason.to_owned() })
    }

    fn forget_old(&mut self) {
        if self.options.keep == 0 {
            return;
        }
        let Ok(segments) = segment::list_on(&mut *self.disk, &self.folder) else { return };
        let surplus = segments.len().saturating_sub(self.options.keep);
        for (_, path) in segments.iter().take(surplus) {
            // One that cannot be removed now is removed next time.
            let _ = self.disk.remove(path);
        }
    }
}
