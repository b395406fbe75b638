//! What came of a run.

use dramaturg_director::shell::Figures;
use hdrhistogram::Histogram;
use serde::Serialize;

/// What came of a run.
pub struct Outcome {
    /// What the director's events add up to.
    pub figures: Figures,
    /// How the game's own ticks went.
    pub ticking: Ticking,
    /// Frames that the game sent again.
    pub resent_by_game: u64,
    /// Why the run ended early, if it did.
    pub trouble: Option<String>,
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
