//! What goes wrong, and when.

use dramaturg_model::Chance;

use super::air::Weather;
use super::stalls::{Stall, stalls_of};

/// A mechanism that is turned off, to show that the simulator would notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// What is not acknowledged is not sent again.
    Resend,
    /// What was sent can still be changed by the planner.
    Lock,
    /// The executor takes a task that it knows for a new one.
    Dedupe,
    /// The director takes the last report for the present.
    Clock,
    /// The last inputs before a crash were not written down.
    Journal,
    /// Reports that were held up are taken for another pace of the game.
    Stalls,
}

/// Something that happens to the session as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// The director dies and comes back after so many microseconds.
    DirectorCrash(i64),
    /// The game dies and comes back from its last checkpoint after so many microseconds.
    GameCrash(i64),
    /// The link is down for so many microseconds.
    Cut(i64),
    /// The game stands still for so many microseconds, and says so.
    Pause(i64),
    /// The game runs at another pace from here on, and says so.
    Rate(u32),
    /// The game drops so many frames.
    Drop(i64),
}

/// Everything that goes wrong under a seed.
pub struct Faults {
    /// How bad the way is.
    pub weather: Weather,
    /// What happens when, in microseconds, in order.
    pub blows: Vec<(i64, Blow)>,
    /// What stands still when and for how long, in microseconds, in order.
    pub stalls: Vec<(i64, i64, Stall)>,
    /// One task in so many fails; 0: none.
    pub fails: usize,
    /// One task in so many takes longer; 0: none.
    pub stretches: usize,
    /// One deliberation in so many takes very long; 0: none.
    pub overruns: usize,
}

impl Faults {
    pub fn of(seed: u64, micros: i64) -> Self {
        let mut chance = Chance::new(seed ^ 0xFA17);
        let mut one_in = |most: usize| if chance.below(3) == 0 { 0 } else { 5 + chance.below(most) };
        let (loses, doubles) = (one_in(40), one_in(40));
        let (fails, stretches, overruns) = (one_in(20), one_in(20), one_in(60));
        let least = 200 + chance.below(20_000) as i64;
        let jitter = if chance.below(3) == 0 { 0 } else { chance.below(90_000) as i64 };
        let mut blows: Vec<(i64, Blow)> = Vec::new();
        for _ in 0..3 + chance.below(5) {
            let at = 300_000 + chance.below((micros - 600_000).max(1) as usize) as i64;
            let long = 10_000 + chance.below(800_000) as i64;
            blows.push((
                at,
                match chance.below(7) {
                    0 => Blow::DirectorCrash(long),
                    1 => Blow::GameCrash(long),
                    2 | 3 => Blow::Cut(long),
                    4 => Blow::Pause(long),
                    5 => Blow::Rate([30_000, 50_000, 60_000, 75_000][chance.below(4)]),
                    _ => Blow::Drop(1 + chance.below(5) as i64),
                },
            ));
        }
        blows.sort_by_key(|(at, _)| *at);
        let stalls = stalls_of(seed, micros);
        Self { weather: Weather { loses, doubles, least, jitter }, blows, stalls, fails, stretches, overruns }
    }
}
