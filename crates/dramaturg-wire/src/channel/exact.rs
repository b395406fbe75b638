//! A channel with everything in it: what a director keeps, so that it goes on exactly as it would have.

use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Channel, ChannelOptions, Outbox, RoundTrip, Sent};
use crate::Frame;

/// Numbers in a kept channel are no larger than this, so that counting on from them cannot overflow.
const NUMBER_MAX: u64 = u64::MAX >> 2;

/// Everything of a channel, also what is due when and what came before its turn. A [`super::ChannelSave`] is less: what
/// is enough to go on in another time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChannelState<In> {
    /// Which stretch of the session.
    pub epoch: u32,
    /// The number of the next message.
    pub next: u64,
    /// The last number that arrived.
    pub received: u64,
    outbox: Vec<Waiting>,
    loose: Vec<Vec<u8>>,
    ahead: Vec<(u64, In)>,
    owes_ack: bool,
    resent: u64,
    clock: i64,
    round_trip: RoundTrip,
}

/// A message that waits to be acknowledged: its number, when it is due, how long it will wait then, when it was sent
/// first, how often it was sent, and itself.
type Waiting = (u64, i64, i64, i64, u32, Vec<u8>);

impl<Out: Serialize, In: Serialize + DeserializeOwned> Channel<Out, In> {
    /// Everything, to go on exactly here or elsewhere.
    pub fn state(&self) -> ChannelState<In> {
        let waiting = |(seq, sent, message): (u64, &Sent, &[u8])| {
            (seq, sent.due, sent.wait, sent.at, sent.attempts, message.to_vec())
        };
        ChannelState {
            epoch: self.epoch,
            next: self.next,
            received: self.received,
            outbox: self.outbox.iter().map(waiting).collect(),
            loose: self.loose.iter().cloned().collect(),
            ahead: self.early().collect(),
            owes_ack: self.owes_ack,
            resent: self.resent,
            clock: self.clock,
            round_trip: self.round_trip,
        }
    }

    /// Each early message and its number. All could be decoded when they came.
    fn early(&self) -> impl Iterator<Item = (u64, In)> {
        self.ahead.iter().filter_map(|(seq, bytes)| {
            let frame: Frame<In> = self.options.codec.decode(bytes).ok()?;
            Some((*seq, frame.message))
        })
    }

    /// Goes on exactly from what was kept.
    pub fn of_state(options: ChannelOptions, state: &ChannelState<In>) -> Self {
        let mut outbox = Outbox::default();
        for (seq, due, wait, at, attempts, message) in &state.outbox {
            outbox.put((*seq).min(NUMBER_MAX), Sent::kept(*due, (*wait).max(1), *at, *attempts), message);
        }
        let mut channel = Self {
            options,
            epoch: state.epoch.min(u32::MAX >> 1),
            next: state.next.clamp(1, NUMBER_MAX),
            outbox,
            loose: state.loose.iter().cloned().collect::<VecDeque<_>>(),
            received: state.received.min(NUMBER_MAX),
            ahead: BTreeMap::new(),
            ahead_bytes: 0,
            owes_ack: state.owes_ack,
            spare: Vec::new(),
            frame: Vec::new(),
            resent: state.resent.min(NUMBER_MAX),
            clock: state.clock,
            round_trip: state.round_trip,
            types: PhantomData,
        };
        for (seq, message) in &state.ahead {
            let (mut body, mut frame) = (Vec::new(), Vec::new());
            options.codec.encode(message, &mut body);
            options.codec.wrap(channel.epoch, *seq, 0, &body, &mut frame);
            channel.keep_early(*seq, &frame);
        }
        channel
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Codec;

    #[test]
    fn a_channel_goes_on_exactly() {
        let options = ChannelOptions::new(Codec::Binary, 8);
        let mut live: Channel<u32, u32> = Channel::new(options);
        (0..3).for_each(|message| live.send(i64::from(message), &message));
        live.send_loose(&7);
        live.poll(1, &0, &mut |_| {});
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        options.codec.encode(&5_u32, &mut body);
        options.codec.wrap(0, 2, 1, &body, &mut frame);
        assert_eq!(live.receive(&frame), Ok(super::super::Received::Early));
        let mut loaded: Channel<u32, u32> = Channel::of_state(options, &live.state());
        assert_eq!(loaded.state(), live.state());
        for now in 2..60 {
            let (mut left, mut right) = (Vec::new(), Vec::new());
            live.poll(now, &0, &mut |bytes| left.push(bytes.to_vec()));
            loaded.poll(now, &0, &mut |bytes| right.push(bytes.to_vec()));
            assert_eq!(left, right);
        }
        assert!(live.resent() > 0);
    }
}
