//! A director, a game and everything that can go wrong between them, in virtual time and from one seed.
//!
//! The real core, planner contract, channel, journal and executor run here; only clock, link, disk and crashes are made
//! up. [`run`] plays one seed and checks that nothing was lost, doubled, early or changed; a seed that fails can be
//! played again.

mod air;
mod faults;
mod game;
mod judge;
mod life;
mod planned;
mod recovery;
mod stalls;

pub use faults::Broken;
pub use life::{run, trace};
pub use planned::{NAMES, Planned};
pub use recovery::{Recovery, recovery};
pub use stalls::{Return, Stall};

/// What happened under one seed, to be added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Ticks of the game.
    pub ticks: u64,
    /// Tasks that were sent.
    pub tasks: u64,
    /// Tasks that the game started.
    pub started: u64,
    /// Tasks that came to their end.
    pub finished: u64,
    /// Steps that were missed, late, refused or failed, all of them recorded.
    pub recorded: u64,
    /// Frames that were lost, doubled or delayed, ticks that were dropped, crashes, cuts, pauses.
    pub faults: u64,
    /// Crashes of the director.
    pub director_crashes: u64,
    /// Crashes of the game.
    pub game_crashes: u64,
    /// Connections that were resumed.
    pub resumed: u64,
    /// Frames that were sent again.
    pub resent: u64,
    /// Stalls of a side, the link or the machine.
    pub stalls: u64,
}

impl Totals {
    /// Adds those of another seed.
    pub fn add(&mut self, other: &Self) {
        self.ticks += other.ticks;
        self.tasks += other.tasks;
        self.started += other.started;
        self.finished += other.finished;
        self.recorded += other.recorded;
        self.faults += other.faults;
        self.director_crashes += other.director_crashes;
        self.game_crashes += other.game_crashes;
        self.resumed += other.resumed;
        self.resent += other.resent;
        self.stalls += other.stalls;
    }
}
