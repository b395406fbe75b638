//! A game that does as it is told and notes when.

use std::ops::Range;

use dramaturg_executor::{Game, TaskView};
use dramaturg_model::Tick;
use serde::{Deserialize, Serialize};

use super::pulse::Beat;

/// When tasks started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Punctuality {
    /// In their tick.
    pub on_time: u64,
    /// Later, because their tick fell out: the machine let the game sleep through it.
    pub in_skipped_ticks: u64,
    /// Later, though their tick took place.
    pub late: u64,
    /// Ticks that fell out.
    pub skipped_ticks: u64,
}

impl Punctuality {
    /// All that started.
    pub fn started(&self) -> u64 {
        self.on_time + self.in_skipped_ticks + self.late
    }

    /// Adds another game's.
    pub fn add(&mut self, other: &Self) {
        self.on_time += other.on_time;
        self.in_skipped_ticks += other.in_skipped_ticks;
        self.late += other.late;
        self.skipped_ticks += other.skipped_ticks;
    }
}

/// A game that does as it is told and notes when.
#[derive(Clone, Debug)]
pub struct Punctual {
    beat: Beat,
    /// Only tasks that are to start in these ticks count.
    counted: Range<Tick>,
    /// What was noted.
    pub noted: Punctuality,
}

impl Punctual {
    /// One that has not begun.
    pub fn new() -> Self {
        Self::within(Tick::MIN..Tick::MAX)
    }

    /// The same, where only tasks count that are to start in these ticks.
    pub fn within(counted: Range<Tick>) -> Self {
        let beat = Beat { tick: Tick::MIN, skipped: 0, late: std::time::Duration::ZERO };
        Self { beat, counted, noted: Punctuality::default() }
    }

    /// A tick comes.
    pub fn hear(&mut self, beat: Beat) {
        self.beat = beat;
        if self.counted.contains(&beat.tick) {
            self.noted.skipped_ticks += beat.skipped.unsigned_abs();
        }
    }
}

impl Default for Punctual {
    fn default() -> Self {
        Self::new()
    }
}

impl Game for Punctual {
    fn start(&mut self, task: &TaskView<'_>) {
        if !self.counted.contains(&task.start()) {
            return;
        }
        let count = if task.start() == self.beat.tick {
            &mut self.noted.on_time
        } else if self.beat.has_skipped(task.start()) {
            &mut self.noted.in_skipped_ticks
        } else {
            &mut self.noted.late
        };
        *count += 1;
    }
}
