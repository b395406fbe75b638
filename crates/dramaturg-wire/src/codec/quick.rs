//! Reads the frames that a game gets most: tasks to perform, in binary.
//!
//! Between two frames of a game the processor forgets code as well as data, and the reader that serde derives is long.
//! This one is short. It knows tasks alone; whatever it stumbles over is left to the other, which says what is wrong.

use serde::de::DeserializeOwned;

use crate::message::{Execute, LatePolicy, NameId, Params, Reads, Task, ToGame};
use crate::{Frame, Tick};

/// The number of [`ToGame::Execute`] among its siblings.
const EXECUTE: u64 = 2;

/// The frame of a task, if the bytes are one and nothing else.
pub(super) fn execute_frame(bytes: &[u8]) -> Option<Frame<ToGame>> {
    let mut rest = Bytes(bytes);
    let (epoch, seq, ack) = (rest.number32()?, rest.number()?, rest.number()?);
    if rest.number()? != EXECUTE {
        return None;
    }
    let execute = rest.execute()?;
    rest.0.is_empty().then_some(Frame { epoch, seq, ack, message: ToGame::Execute(execute) })
}

/// Bytes that were not read yet.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    /// A number as postcard writes it: seven bits a byte, the lowest first.
    // Not inlined: it is wanted in a dozen places and is to be fetched once.
    #[inline(never)]
    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift, mut rest) = (0, 0, self.0);
        loop {
            let (byte, after) = rest.split_first()?;
            // Of the tenth byte only one bit has room.
            if shift == 63 && *byte > 1 {
                return None;
            }
            number |= u64::from(byte & 0x7F) << shift;
            if *byte < 0x80 {
                self.0 = after;
                return Some(number);
            }
            (rest, shift) = (after, shift + 7);
        }
    }

    // A number that is written longer than its type allows is left to the other reader too.
    fn number32(&mut self) -> Option<u32> {
        let before = self.0.len();
        let number = u32::try_from(self.number()?).ok()?;
        (before - self.0.len() <= 5).then_some(number)
    }

    fn number16(&mut self) -> Option<u16> {
        let before = self.0.len();
        let number = u16::try_from(self.number()?).ok()?;
        (before - self.0.len() <= 3).then_some(number)
    }

    /// A number with a sign, which is its lowest bit.
    fn tick(&mut self) -> Option<Tick> {
        let number = self.number()?;
        Some((number >> 1) as Tick ^ -((number & 1) as Tick))
    }

    fn name(&mut self) -> Option<NameId> {
        self.number32().map(NameId)
    }

    /// Whether there is something; other bytes than these two are wrong.
    fn is_some(&mut self) -> Option<bool> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        (*first <= 1).then_some(*first == 1)
    }

    fn names<N: Extend<NameId> + Default>(&mut self) -> Option<N> {
        let mut names = N::default();
        for _ in 0..self.number()? {
            names.extend([self.name()?]);
        }
        Some(names)
    }

    /// What is empty for most tasks, and left to serde where it is not.
    fn seldom<T: DeserializeOwned + Default>(&mut self) -> Option<T> {
        if let Some((0, rest)) = self.0.split_first() {
            self.0 = rest;
            return Some(T::default());
        }
        let (read, rest) = postcard::take_from_bytes(self.0).ok()?;
        self.0 = rest;
        Some(read)
    }

    fn execute(&mut self) -> Option<Execute> {
        let task = Task { step: self.number32()?, part: self.number16()? };
        let (version, start, duration) = (self.number32()?, self.tick()?, self.tick()?);
        let action = self.name()?;
        let actuator = if self.is_some()? { Some(self.name()?) } else { None };
        let params: Params = self.names()?;
        let guards = self.seldom()?;
        let late = LatePolicy { most: self.number32()? };
        let reads: Reads = self.names()?;
        let every = self.number32()?;
        let question = self.seldom()?;
        Some(Execute { task, version, start, duration, action, actuator, params, guards, late, reads, every, question })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Codec, Comparison, Guard, Question, Test};

    fn slow(bytes: &[u8]) -> Option<Frame<ToGame>> {
        match postcard::take_from_bytes(bytes) {
            Ok((frame, [])) => Some(frame),
            _ => None,
        }
    }

    fn executes() -> impl Strategy<Value = Execute> {
        let names = |most| proptest::collection::vec(any::<u32>().prop_map(NameId), 0..most);
        let test = prop_oneof![
            any::<bool>().prop_map(Test::Bool),
            any::<i64>().prop_map(|number| Test::Number(Comparison::AtLeast, number)),
            names(6).prop_map(|names| Test::Among(names.into_iter().collect())),
        ];
        let guard = (any::<u32>(), test).prop_map(|(fluent, test)| Guard { fluent: NameId(fluent), test });
        let guards = proptest::collection::vec(guard, 0..4);
        let question = proptest::option::of(any::<Option<(Tick, String)>>());
        let numbers = (any::<u32>(), any::<u16>(), any::<u32>(), any::<u32>(), 0..64u32);
        let ticks = (any::<Tick>(), any::<Tick>(), any::<u32>(), any::<u32>());
        (numbers, ticks, proptest::option::of(any::<u32>()), names(12), guards, names(7), question).prop_map(
            |(
                (step, part, version, action, shift),
                (start, duration, most, every),
                actuator,
                params,
                guards,
                reads,
                asks,
            )| {
                let short = |number: u32| number >> (shift / 2);
                Execute {
                    task: Task { step: short(step), part },
                    version: short(version),
                    start: start >> shift,
                    duration: duration >> shift,
                    action: NameId(short(action)),
                    actuator: actuator.map(NameId),
                    params: params.into_iter().collect(),
                    guards: guards.into_iter().collect(),
                    late: LatePolicy { most: short(most) },
                    reads: reads.into_iter().collect(),
                    every: short(every),
                    question: asks.map(|within| {
                        let answers = vec![("yes".to_owned(), "Yes!".to_owned())];
                        Box::new(Question { of_game: true, text: "well?".to_owned(), answers, within })
                    }),
                }
            },
        )
    }

    proptest! {
        #[test]
        fn it_reads_what_the_other_reads(
            (epoch, seq, ack) in any::<(u32, u64, u64)>(),
            execute in executes(),
        ) {
            let message = ToGame::Execute(execute);
            let (mut body, mut bytes) = (Vec::new(), Vec::new());
            Codec::Binary.encode(&message, &mut body);
            Codec::Binary.wrap(epoch, seq, ack, &body, &mut bytes);
            let frame = Frame { epoch, seq, ack, message };
            prop_assert_eq!(slow(&bytes), Some(frame.clone()));
            prop_assert_eq!(execute_frame(&bytes), Some(frame));
        }

        #[test]
        fn what_is_damaged_is_never_read_otherwise(
            execute in executes(),
            damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
            cut in proptest::option::of(any::<prop::sample::Index>()),
        ) {
            let (mut body, mut bytes) = (Vec::new(), Vec::new());
            Codec::Binary.encode(&ToGame::Execute(execute), &mut body);
            Codec::Binary.wrap(1, 2, 3, &body, &mut bytes);
            for (at, byte) in damages {
                if let Some(place) = bytes.get_mut(at.index(body.len())) {
                    *place = byte;
                }
            }
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()));
            }
            if let Some(frame) = execute_frame(&bytes) {
                prop_assert_eq!(Some(frame), slow(&bytes));
            }
        }

        #[test]
        fn nor_is_anything(bytes in proptest::collection::vec(prop_oneof![any::<u8>(), 0..4u8], 0..40)) {
            if let Some(frame) = execute_frame(&bytes) {
                prop_assert_eq!(Some(frame), slow(&bytes));
            }
        }
    }
}
