//! How a session is directed.

use dramaturg_planner::simulate::WorldOptions;
use dramaturg_wire::{Codec, Tick};
use serde::{Deserialize, Serialize};

use crate::latency::Journey;

/// When planned steps are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// In every tick, just in time, from the plan that was published last.
    #[default]
    Decoupled,
    /// At the end of each planning cycle everything that the next one could not send in time.
    Closed,
    /// At the end of each planning cycle what lies in the critical time window, as the paper has it; what lies before
    /// it is lost.
    Paper,
}

/// Parts that the simulator turns off, to show that each of them is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mechanisms {
    /// What is not acknowledged is sent again.
    pub resend: bool,
    /// What was sent cannot be changed by the planner.
    pub lock: bool,
    /// The clock is carried on between reports.
    pub clock: bool,
    /// Reports that were held up and come all at once are not taken for another pace of the game.
    pub stalls: bool,
}

impl Default for Mechanisms {
    fn default() -> Self {
        Self { resend: true, lock: true, clock: true, stalls: true }
    }
}

/// How a session is directed.
#[derive(Clone, Debug)]
pub struct DirectorOptions {
    /// The name of the session.
    pub session: String,
    /// When planned steps are sent.
    pub policy: Policy,
    /// ω: how many ticks a planning cycle takes.
    pub omega: Tick,
    /// υ: every how many ticks the game reports the time.
    pub upsilon: u32,
    /// μ: how long messages take.
    pub mu: Journey,
    /// Every how many ticks the dispatcher looks at the plan.
    pub period: Tick,
    /// Ticks in a second, times a thousand, until the game says otherwise.
    pub rate_milli: u32,
    /// How messages are written.
    pub codec: Codec,
    /// What is not acknowledged after so many microseconds is sent again.
    pub resend_micros: i64,
    /// How the world is driven.
    pub world: WorldOptions,
    /// How many ticks back reports may lie.
    pub window: Tick,
    /// The most bytes a message may have.
    pub message_bytes_max: u32,
    /// The most steps that may be with the executor at a time.
    pub in_flight_max: usize,
    /// Parts that can be turned off.
    pub mechanisms: Mechanisms,
}

impl Default for DirectorOptions {
    fn default() -> Self {
        Self {
            session: "session".to_owned(),
            policy: Policy::default(),
            omega: 60,
            upsilon: 12,
            mu: Journey::Measured,
            period: 1,
            rate_milli: 60_000,
            codec: Codec::Binary,
            resend_micros: 100_000,
            world: WorldOptions::default(),
            window: 600,
            message_bytes_max: 1 << 20,
            in_flight_max: 65_536,
            mechanisms: Mechanisms::default(),
        }
    }
}

/// The critical time window of the paper: which starts may be sent by a planning cycle that knows tick τ of the executor.
///
/// ```
/// use dramaturg_director::critical_window;
/// assert_eq!(critical_window(0, 60, 12, 1), (75, 134));
/// assert_eq!(critical_window(0, 12, 6, 1), (21, 32));
/// ```
pub fn critical_window(tau: Tick, omega: Tick, upsilon: Tick, mu: Tick) -> (Tick, Tick) {
    let base = tau.saturating_add(upsilon).saturating_add(2 * mu);
    (base.saturating_add(omega).saturating_add(1), base.saturating_add(2 * omega))
}
