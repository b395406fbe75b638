//! What came of a run.

use dramaturg::model::Tick;
use dramaturg_director::shell::Figures;
use dramaturg_executor::scripted::Happening;
use hdrhistogram::Histogram;
use serde::Serialize;

use super::actor::Actor;
use super::course::Course;
use super::player::Deed;

/// What came of a run.
pub struct Outcome {
    /// What the director's events add up to.
    pub figures: Figures,
    /// How the game's own ticks went.
    pub ticking: Ticking,
    /// Frames that the game sent again.
    pub resent_by_game: u64,
    /// How the numbers came out that the story wants to follow a curve, if somebody played.
    pub courses: Vec<Course>,
    /// Why the run ended early, if it did.
    pub trouble: Option<String>,
}

/// What a game has to tell.
pub enum Told {
    /// What happened in it.
    Game(Happening),
    /// What its player did.
    Player(Deed),
    /// How a number came out that the story wants to follow a curve.
    Course {
        /// The number.
        name: String,
        /// When.
        tick: Tick,
        /// What it is.
        value: f64,
        /// What is wanted.
        wanted: f64,
    },
}

/// So many ticks lie between two looks at the courses of numbers.
const LOOK: Tick = 1800;

impl Told {
    /// What a game has to tell after a tick, in order.
    pub fn after(actor: &mut Actor, tick: Tick) -> Vec<Self> {
        let mut told: Vec<Self> = actor.take_deeds().into_iter().map(Self::Player).collect();
        told.extend(actor.take_transcript().into_iter().map(Self::Game));
        if tick > 0 && tick % LOOK == 0 {
            told.extend(actor.courses().iter().filter(|course| tick <= course.end()).filter_map(|course| {
                let (_, value) = course.last()?;
                Some(Self::Course { name: course.name.clone(), tick, value, wanted: course.wanted(tick) })
            }));
        }
        told
    }
}

/// How a game's own ticks went.
pub struct Ticking {
    /// Ticks that ran.
    pub ran: u64,
    /// Ticks that the machine itself skipped.
    pub skipped: u64,
    /// How much later than its moment each tick began, in microseconds; none: no real time passed.
    pub jitter: Option<Histogram<u64>>,
}

/// How late ticks began, in microseconds.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Jitter {
    /// Half of them began no later.
    pub p50: u64,
    /// All but one in a hundred.
    pub p99: u64,
    /// The latest.
    pub max: u64,
}

impl Ticking {
    /// No tick yet; with or without real time.
    pub fn new(real: bool) -> Self {
        // Three figures up to a minute; the bounds are right, so there is one.
        let jitter = real.then(|| Histogram::new_with_bounds(1, 60_000_000, 3).ok()).flatten();
        Self { ran: 0, skipped: 0, jitter }
    }

    /// A tick began so many microseconds after its moment.
    pub fn ran(&mut self, late_micros: i64) {
        self.ran += 1;
        if let Some(jitter) = &mut self.jitter {
            jitter.saturating_record(u64::try_from(late_micros).unwrap_or(0));
        }
    }

    /// The figures.
    pub fn jitter(&self) -> Option<Jitter> {
        let jitter = self.jitter.as_ref()?;
        Some(Jitter { p50: jitter.value_at_quantile(0.5), p99: jitter.value_at_quantile(0.99), max: jitter.max() })
    }
}
