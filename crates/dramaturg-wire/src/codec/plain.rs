//! Writes the message that a game sends most, in binary: what has become of a task, if nothing was seen with it.
//!
//! The bytes are those that serde's writer makes. Its code is shorter: between two frames of a game the processor
//! forgets code as well as data, and every line of it must be fetched again.

use super::append_number;
use crate::message::{Outcome, Status};
use crate::{Tick, ToDirector};

/// The number of [`ToDirector::Status`] among its siblings.
const STATUS: u64 = 2;

/// Appends a message, if it is a plain status, and says whether it was.
pub(super) fn append_status(message: &ToDirector, to: &mut Vec<u8>) -> bool {
    let ToDirector::Status(Status { task, version, tick, outcome, observations }) = message else { return false };
    let Some((kind, detail)) = numbers(outcome).filter(|_| observations.is_empty()) else { return false };
    for number in [STATUS, task.step.into(), task.part.into(), (*version).into(), signed(*tick), kind] {
        append_number(number, to);
    }
    if let Some(detail) = detail {
        append_number(detail, to);
    }
    // No observations.
    to.push(0);
    true
}

/// The number of an outcome among its siblings, and the one that it holds; none for texts.
fn numbers(outcome: &Outcome) -> Option<(u64, Option<u64>)> {
    Some(match outcome {
        Outcome::Accepted => (0, None),
        Outcome::Started { late } => (1, Some(signed(*late))),
        Outcome::Progress { thousandths } => (2, Some(u64::from(*thousandths))),
        Outcome::Amended { duration } => (3, Some(signed(*duration))),
        Outcome::Finished => (4, None),
        Outcome::Failed { .. } => return None,
        Outcome::Missed { by } => (6, Some(signed(*by))),
        Outcome::GuardFailed { guard } => (7, Some(u64::from(*guard))),
        Outcome::Cancelled => (8, None),
        Outcome::Unknown => (9, None),
    })
}

/// A number with a sign, which becomes its lowest bit.
fn signed(number: Tick) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Codec, Task};

    proptest! {
        #[test]
        fn it_writes_what_the_other_writes(
            (step, part, version, tick) in any::<(u32, u16, u32, Tick)>(),
            (number, small, shift) in (any::<Tick>(), any::<u16>(), 0..64u32),
        ) {
            let number = number >> shift;
            let outcomes = [
                Outcome::Accepted,
                Outcome::Started { late: number },
                Outcome::Progress { thousandths: small },
                Outcome::Amended { duration: number },
                Outcome::Finished,
                Outcome::Failed { reason: "it rains".to_owned() },
                Outcome::Missed { by: number },
                Outcome::GuardFailed { guard: small },
                Outcome::Cancelled,
                Outcome::Unknown,
            ];
            for outcome in outcomes {
                let texts = matches!(outcome, Outcome::Failed { .. });
                let task = Task { step: step >> (shift / 2), part };
                let status = Status { task, version, tick: tick >> shift, outcome, observations: Vec::new() };
                let message = ToDirector::Status(status);
                let (mut quick, mut slow) = (vec![7], vec![7]);
                prop_assert_eq!(append_status(&message, &mut quick), !texts);
                Codec::Binary.encode(&message, &mut slow);
                prop_assert!(texts || quick == slow, "{message:?}: {quick:?}, {slow:?}");
            }
        }
    }
}
