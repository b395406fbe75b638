//! How much time has passed since a game was saved, told by clocks that may have been set.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The time of day is believed if it says that no more than so much has passed, in microseconds: five minutes. A
/// director waits that long for its game, unless it was told to wait longer.
const WALL_TRUST_MICROS: u64 = 300_000_000;

/// What the clocks of this machine say at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clocks {
    /// The time of day, in microseconds since 1970. Anybody can set it.
    #[serde(rename = "made")]
    pub wall_micros: u64,
    /// The time since the machine started, where the system tells it. Nobody can set it.
    #[serde(rename = "boot", default)]
    pub uptime: Option<Uptime>,
}

/// How long a machine has been running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uptime {
    /// Differs each time a machine starts.
    pub id: String,
    /// Microseconds since then.
    pub micros: u64,
}

impl Clocks {
    /// Reads them.
    pub fn read() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { wall_micros: u64::try_from(since.as_micros()).unwrap_or(u64::MAX), uptime: Uptime::read() }
    }

    /// How many microseconds have passed since then, if the clocks can be believed.
    pub fn since(&self, then: &Self) -> Option<u64> {
        if let (Some(now), Some(then)) = (&self.uptime, &then.uptime)
            && now.id == then.id
        {
            return now.micros.checked_sub(then.micros);
        }
        self.wall_micros.checked_sub(then.wall_micros).filter(|passed| *passed <= WALL_TRUST_MICROS)
    }
}

impl Uptime {
    /// On Linux; nothing elsewhere.
    fn read() -> Option<Self> {
        let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?.trim().to_owned();
        let uptime = fs::read_to_string("/proc/uptime").ok()?;
        let seconds: f64 = uptime.split_whitespace().next()?.parse().ok()?;
        Some(Self { id, micros: (seconds * 1e6) as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000;

    fn clocks(wall_micros: u64, uptime: Option<(&str, u64)>) -> Clocks {
        Clocks { wall_micros, uptime: uptime.map(|(id, micros)| Uptime { id: id.to_owned(), micros }) }
    }

    #[test]
    fn the_time_since_the_machine_started_is_believed_whatever_the_time_of_day() {
        let then = clocks(10 * HOUR, Some(("a", 500)));
        for wall in [10 * HOUR + 2_000, 9 * HOUR, 11 * HOUR, 0, u64::MAX] {
            assert_eq!(clocks(wall, Some(("a", 2_500))).since(&then), Some(2_000));
        }
    }

    #[test]
    fn the_time_of_day_alone_is_believed_only_within_reason() {
        let then = clocks(10 * HOUR, Some(("a", 500)));
        // Another start of the machine, or a system that does not tell.
        for uptime in [Some(("b", 900)), None] {
            assert_eq!(clocks(10 * HOUR + 2_000, uptime).since(&then), Some(2_000));
            assert_eq!(clocks(9 * HOUR, uptime).since(&then), None, "set back");
            assert_eq!(clocks(11 * HOUR, uptime).since(&then), None, "set forward, or a very long time");
        }
    }

    #[test]
    fn clocks_of_this_machine_go_forward() {
        let then = Clocks::read();
        assert!(Clocks::read().since(&then).is_some_and(|passed| passed < HOUR));
    }
}
