//! How often a game may ask for a save.
//!
//! A save writes the whole session down, which takes longer than anything else that a game can ask for. So there is one
//! at a time, and a few in a second. What decides is the session's own clock, which is in the journal: the same inputs
//! give the same answers.

use dramaturg_wire::FaultCode;
use serde::{Deserialize, Serialize};

use crate::clock::Moment;

/// Between two saves lie at least so many microseconds.
pub const SAVE_PAUSE_MICROS: Moment = 250_000;
/// No save is made while more bytes than this wait to be acknowledged: the last one is still on its way.
pub const SAVE_UNACKNOWLEDGED_BYTES_MAX: usize = 256 << 10;
/// A game that was refused so often and asks again is closed.
pub const SAVE_REFUSALS_MAX: u32 = 32;

/// When the game last had a save, and how often it was refused one since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SaveRate {
    last: Option<Moment>,
    refused: u32,
}

impl SaveRate {
    /// The game asks for a save; the error is the fault to answer with.
    pub(crate) fn ask(&mut self, now: Moment, unacknowledged_bytes: usize) -> Result<(), (FaultCode, String)> {
        let passed = self.last.map_or(SAVE_PAUSE_MICROS, |last| now.saturating_sub(last));
        let why = if passed < SAVE_PAUSE_MICROS {
            let pause = SAVE_PAUSE_MICROS / 1000;
            format!("a save was made {} ms ago, and at least {pause} ms lie between two; wait", passed.max(0) / 1000)
        } else if unacknowledged_bytes > SAVE_UNACKNOWLEDGED_BYTES_MAX {
            format!("{unacknowledged_bytes} bytes are on their way that the game has not acknowledged; wait for them")
        } else {
            *self = Self { last: Some(now), refused: 0 };
            return Ok(());
        };
        self.refused = self.refused.saturating_add(1);
        if self.refused > SAVE_REFUSALS_MAX {
            return Err((
                FaultCode::Limit,
                format!("no save, and the game was refused {SAVE_REFUSALS_MAX} already: {why}"),
            ));
        }
        Err((FaultCode::Save, format!("no save: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_is_made_and_the_next_has_to_wait() {
        let mut rate = SaveRate::default();
        assert_eq!(rate.ask(5, 0), Ok(()));
        let (code, text) = rate.ask(100_005, 0).expect_err("too soon");
        assert_eq!(code, FaultCode::Save);
        assert!(text.contains("100 ms ago") && text.contains("wait"), "{text}");
        assert_eq!(rate.ask(5 + SAVE_PAUSE_MICROS, 0), Ok(()));
    }

    #[test]
    fn none_is_made_while_the_last_is_on_its_way() {
        let mut rate = SaveRate::default();
        let (code, text) = rate.ask(0, SAVE_UNACKNOWLEDGED_BYTES_MAX + 1).expect_err("the game does not read");
        assert!(code == FaultCode::Save && text.contains("acknowledged"), "{text}");
        assert_eq!(rate.ask(0, SAVE_UNACKNOWLEDGED_BYTES_MAX), Ok(()));
    }

    #[test]
    fn who_never_waits_is_closed() {
        let mut rate = SaveRate::default();
        assert_eq!(rate.ask(0, 0), Ok(()));
        let codes: Vec<FaultCode> = (0..40).filter_map(|_| rate.ask(1, 0).err()).map(|(code, _)| code).collect();
        let faults = codes.iter().take_while(|code| **code == FaultCode::Save).count();
        assert_eq!(faults, SAVE_REFUSALS_MAX as usize);
        assert!(codes[faults..].iter().all(|code| *code == FaultCode::Limit));
    }

    proptest! {
        /// However a game asks, there are never more than so many saves in any stretch of time.
        #[test]
        fn a_stretch_has_few_saves(pauses in proptest::collection::vec(0_i64..300_000, 0..200)) {
            let (mut rate, mut now, mut made) = (SaveRate::default(), 0, Vec::new());
            for pause in pauses {
                now += pause;
                if rate.ask(now, 0).is_ok() {
                    made.push(now);
                }
            }
            prop_assert!(made.windows(2).all(|two| two[1] - two[0] >= SAVE_PAUSE_MICROS));
        }
    }
}
