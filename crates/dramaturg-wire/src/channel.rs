//! Numbers, acknowledgements and resending: over any link, each message arrives once and in order.

mod exact;
pub use exact::ChannelState;
mod outbox;
use outbox::{Outbox, Sent};
mod round_trip;
use round_trip::RoundTrip;

use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Frame;
use crate::codec::{Codec, CodecError};

/// Room for most messages, so that a buffer which is used again need not grow.
const BUFFER: usize = 128;

/// The numbers of a frame take no more, in either codec.
const FRAME_BYTES: usize = 96;

/// Frames that are further ahead of their turn than this are dropped, unless said otherwise.
pub const AHEAD_MAX: u64 = 4_096;

/// The most bytes of frames that wait for their turn, unless said otherwise: 256 KiB. TCP and WebSocket keep the order
/// and never need it.
pub const AHEAD_BYTES_MAX: usize = 256 << 10;

/// What one early frame costs beside its bytes: its place in the map and its allocation.
const EARLY_OVERHEAD_BYTES: usize = 64;

/// How a channel behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelOptions {
    /// How frames are written.
    pub codec: Codec,
    /// What is not acknowledged after this time is sent again, in the caller's unit of time; sooner once it is known
    /// how fast acknowledgements come. Doubles with each attempt.
    pub resend_after: i64,
    /// The longest time between two attempts. The oldest message, which all others wait for, is sent again at least as
    /// often as `resend_after` says.
    pub resend_most: i64,
    /// Frames that arrive so far ahead of their turn are dropped; they will be sent again.
    pub ahead_max: u64,
    /// The most bytes of frames that wait for their turn. What goes beyond is dropped; it will be sent again.
    pub ahead_bytes_max: usize,
    /// Whether anything is sent again at all: the simulator turns it off to show that it is needed.
    pub resends: bool,
    /// Whether what comes twice is recognised: the simulator turns it off to show that it is needed.
    pub dedupes: bool,
}

impl ChannelOptions {
    /// What suits most links.
    pub const fn new(codec: Codec, resend_after: i64) -> Self {
        Self {
            codec,
            resend_after,
            resend_most: resend_after * 4,
            ahead_max: AHEAD_MAX,
            ahead_bytes_max: AHEAD_BYTES_MAX,
            resends: true,
            dedupes: true,
        }
    }
}

/// One end of a conversation: sends `Out`, receives `In`. It reads no clock and touches no socket.
#[derive(Clone, Debug)]
pub struct Channel<Out, In> {
    options: ChannelOptions,
    epoch: u32,
    next: u64,
    outbox: Outbox,
    /// Uncounted messages, sent once.
    loose: VecDeque<Vec<u8>>,
    received: u64,
    /// Frames that came before their turn, as they came: a decoded message can take many times as much memory.
    ahead: BTreeMap<u64, Vec<u8>>,
    /// What they cost, counted against [`ChannelOptions::ahead_bytes_max`].
    ahead_bytes: usize,
    /// Whether the other side must be told what has arrived.
    owes_ack: bool,
    /// Buffers to use again.
    spare: Vec<Vec<u8>>,
    frame: Vec<u8>,
    resent: u64,
    /// When it was last polled.
    clock: i64,
    round_trip: RoundTrip,
    types: PhantomData<fn(&Out) -> In>,
}

/// What came of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received<In> {
    /// It is its turn, or it has none. More may be ready: see [`Channel::next_ready`].
    Message(In),
    /// It came before, or belongs to another epoch.
    Old,
    /// It waits for those before it.
    Early,
}

/// What must be kept of a channel so that it can go on in another process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelSave {
    /// Which stretch of the session.
    pub epoch: u32,
    /// The last number that arrived.
    pub received: u64,
    /// The number of the first message that was not acknowledged.
    pub first: u64,
    /// The messages that were not acknowledged, as they are written.
    pub outbox: Vec<Vec<u8>>,
}

impl<Out: Serialize, In: DeserializeOwned> Channel<Out, In> {
    /// A channel of a new session.
    pub fn new(options: ChannelOptions) -> Self {
        Self {
            options,
            epoch: 0,
            next: 1,
            outbox: Outbox::default(),
            loose: VecDeque::new(),
            received: 0,
            ahead: BTreeMap::new(),
            ahead_bytes: 0,
            owes_ack: false,
            spare: Vec::new(),
            frame: Vec::new(),
            resent: 0,
            clock: 0,
            round_trip: RoundTrip::default(),
            types: PhantomData,
        }
    }

    /// Which stretch of the session this is.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// The last number that arrived.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// How many messages wait to be acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.outbox.len()
    }

    /// The last number that was given to a message.
    pub fn sent(&self) -> u64 {
        self.next - 1
    }

    /// How often something was sent again.
    pub fn resent(&self) -> u64 {
        self.resent
    }

    /// Sends a message that must arrive.
    pub fn send(&mut self, now: i64, message: &Out) {
        // No message is longer than that.
        let _ = self.send_within(now, message, usize::MAX);
    }

    /// Sends a message that must arrive, if its frame has at most so many bytes; the error is how many it has.
    pub fn send_within(&mut self, now: i64, message: &Out, most: usize) -> Result<(), usize> {
        self.send_written(now, most, |codec, bytes| codec.encode(message, bytes))
    }

    /// The same for a message that the caller writes itself.
    pub fn send_written(
        &mut self,
        now: i64,
        most: usize,
        write: impl FnOnce(Codec, &mut Vec<u8>),
    ) -> Result<(), usize> {
        let (codec, wait) = (self.options.codec, self.round_trip.pause(self.options.resend_after));
        let written =
            self.outbox.push(self.next, now, wait, most.saturating_sub(FRAME_BYTES), |bytes| write(codec, bytes));
        written.map_err(|length| length.saturating_add(FRAME_BYTES))?;
        self.next += 1;
        Ok(())
    }

    /// Sends a message that may be lost.
    pub fn send_loose(&mut self, message: &Out) {
        let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BUFFER));
        self.options.codec.encode(message, &mut bytes);
        self.loose.push_back(bytes);
    }

    /// Hands over the bytes of every frame that is due. `acknowledge` is sent if the other side waits to hear what has
    /// arrived and nothing else carries it.
    pub fn poll(&mut self, now: i64, acknowledge: &Out, emit: &mut dyn FnMut(&[u8])) {
        self.clock = now;
        let Self { options, frame, received, epoch, .. } = self;
        let mut put = |seq: u64, message: &[u8]| {
            frame.clear();
            options.codec.wrap(*epoch, seq, *received, message, frame);
            emit(frame);
        };
        let mut spoke = false;
        let mut most = options.resend_after;
        for (seq, sent, message) in self.outbox.iter_mut() {
            if sent.due <= now {
                put(seq, message);
                spoke = true;
                if sent.attempts == 0 {
                    sent.at = now;
                }
                self.resent += u64::from(sent.attempts > 0);
                sent.attempts = sent.attempts.saturating_add(1);
                sent.due = if options.resends { now.saturating_add(sent.wait) } else { i64::MAX };
                sent.wait = sent.wait.saturating_mul(2).min(most);
            }
            most = options.resend_most;
        }
        // After what must arrive, so that a time report comes behind everything that happened before it.
        while let Some(mut bytes) = self.loose.pop_front() {
            put(0, &bytes);
            spoke = true;
            bytes.clear();
            self.spare.push(bytes);
        }
        if self.owes_ack && !spoke {
            let mut bytes = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(BUFFER));
            options.codec.encode(acknowledge, &mut bytes);
            put(0, &bytes);
            bytes.clear();
            self.spare.push(bytes);
        }
        self.owes_ack = false;
    }

    /// When [`Channel::poll`] has something to send, if nothing else happens.
    pub fn next_due(&self) -> Option<i64> {
        if self.owes_ack || !self.loose.is_empty() {
            return Some(i64::MIN);
        }
        self.outbox.iter().map(|(_, sent, _)| sent.due).min()
    }

    /// Takes in the bytes of a frame.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<Received<In>, CodecError> {
        let frame = self.options.codec.decode(bytes)?;
        Ok(self.accept(frame, bytes))
    }

    /// Takes in a frame that was decoded from these bytes.
    pub fn accept(&mut self, frame: Frame<In>, bytes: &[u8]) -> Received<In> {
        let Frame { epoch, seq, ack, message } = frame;
        if epoch != self.epoch {
            // Greetings stand outside of epochs.
            return if epoch == 0 && seq == 0 { Received::Message(message) } else { Received::Old };
        }
        self.acknowledged(ack);
        if seq == 0 {
            return Received::Message(message);
        }
        self.owes_ack = true;
        if seq <= self.received || self.ahead.contains_key(&seq) {
            return if self.options.dedupes { Received::Old } else { Received::Message(message) };
        }
        if seq == self.received + 1 {
            self.received = seq;
            return Received::Message(message);
        }
        if seq - self.received <= self.options.ahead_max {
            self.keep_early(seq, bytes);
        }
        Received::Early
    }

    fn keep_early(&mut self, seq: u64, bytes: &[u8]) {
        let cost = early_cost(bytes);
        if self.ahead_bytes.saturating_add(cost) <= self.options.ahead_bytes_max {
            self.ahead_bytes += cost;
            self.ahead.insert(seq, bytes.to_vec());
        }
    }

    /// The next message that had come before its turn.
    pub fn next_ready(&mut self) -> Option<In> {
        let bytes = self.ahead.remove(&(self.received + 1))?;
        self.ahead_bytes -= early_cost(&bytes);
        // It was decoded once when it came. If it cannot be now, it counts as not received and will be sent again.
        let frame: Frame<In> = self.options.codec.decode(&bytes).ok()?;
        self.received += 1;
        Some(frame.message)
    }

    /// How many bytes wait for their turn.
    pub fn early_bytes(&self) -> usize {
        self.ahead_bytes
    }

    /// How many bytes wait to be acknowledged.
    pub fn unacknowledged_bytes(&self) -> usize {
        self.outbox.waiting_bytes()
    }

    /// The number of the oldest message that waits to be acknowledged.
    pub fn oldest_unacknowledged(&self) -> Option<u64> {
        self.outbox.first()
    }

    fn acknowledged(&mut self, ack: u64) {
        let waiting = self.outbox.len();
        while self.outbox.first().is_some_and(|seq| seq <= ack) {
            // Of what was sent more than once nobody knows which was acknowledged.
            if let Some(Sent { at, attempts: 1, .. }) = self.outbox.pop() {
                self.round_trip.hear(self.clock.saturating_sub(at));
            }
        }
        // All others wait for the oldest: what becomes that does not go on waiting as long as it did behind another.
        if self.outbox.len() < waiting
            && self.options.resends
            && let Some(oldest) = self.outbox.front_mut().filter(|oldest| oldest.attempts > 0)
        {
            let pause = self.round_trip.pause(self.options.resend_after);
            oldest.due = oldest.due.min(self.clock.saturating_add(pause));
            oldest.wait = oldest.wait.min(self.options.resend_after);
        }
    }

    /// Begins another epoch: what the other side has not received by this number of the old one is sent again, numbered
    /// anew.
    pub fn begin_epoch(&mut self, epoch: u32, received_by_other: u64, now: i64) {
        self.acknowledged(received_by_other);
        self.epoch = epoch;
        self.received = 0;
        self.ahead.clear();
        self.ahead_bytes = 0;
        self.loose.clear();
        self.owes_ack = false;
        self.round_trip = RoundTrip::default();
        self.outbox.renumber();
        for (_, sent, _) in self.outbox.iter_mut() {
            (sent.due, sent.wait, sent.attempts) = (now, self.options.resend_after, 0);
        }
        self.next = self.outbox.len() as u64 + 1;
    }

    /// Forgets what waits to be acknowledged: the other side will hear it in another way.
    pub fn drop_outbox(&mut self) {
        self.acknowledged(u64::MAX);
    }

    /// What must be kept so that the channel can go on elsewhere.
    pub fn save(&self) -> ChannelSave {
        ChannelSave {
            epoch: self.epoch,
            received: self.received,
            first: self.outbox.first().unwrap_or(self.next),
            outbox: self.outbox.iter().map(|(_, _, message)| message.to_vec()).collect(),
        }
    }

    /// Goes on from what was kept. What had come before its turn will come again.
    pub fn load(options: ChannelOptions, save: &ChannelSave, now: i64) -> Self {
        let mut channel = Self::new(options);
        channel.epoch = save.epoch;
        channel.received = save.received;
        channel.next = save.first;
        for message in &save.outbox {
            channel.outbox.put(channel.next, Sent::kept(now, options.resend_after, now, 0), message);
            channel.next += 1;
        }
        channel
    }
}

/// What an early frame is counted as.
fn early_cost(bytes: &[u8]) -> usize {
    bytes.len().saturating_add(EARLY_OVERHEAD_BYTES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type End = Channel<u32, u32>;

    /// Two ends over a link that loses, doubles and delays by chance; returns what the second end received.
    fn talk(messages: u32, chances: &[u8], codec: Codec) -> Vec<u32> {
        let options = ChannelOptions::new(codec, 8);
        let (mut left, mut right) = (End::new(options), End::new(options));
        let mut air: Vec<(i64, bool, Vec<u8>)> = Vec::new();
        let mut dice = chances.iter().copied().cycle();
        let mut heard = Vec::new();
        for now in 0..20_000 {
            if now < i64::from(messages) {
                left.send(now, &(now as u32));
            }
            for (end, to_right) in [(&mut left, true), (&mut right, false)] {
                end.poll(now, &u32::MAX, &mut |bytes| {
                    let die = dice.next().unwrap_or(0);
                    // A quarter is lost, a quarter doubled, all are delayed.
                    let copies = match die % 4 {
                        0 => 0,
                        1 => 2,
                        _ => 1,
                    };
                    for copy in 0..copies {
                        air.push((now + 1 + i64::from(die / 16) + copy * 3, to_right, bytes.to_vec()));
                    }
                });
            }
            let (due, later): (Vec<_>, Vec<_>) = air.into_iter().partition(|(at, ..)| *at <= now);
            air = later;
            for (_, to_right, bytes) in due {
                let end = if to_right { &mut right } else { &mut left };
                if let Ok(Received::Message(message)) = end.receive(&bytes)
                    && to_right
                    && message != u32::MAX
                {
                    heard.push(message);
                    while let Some(message) = end.next_ready() {
                        heard.push(message);
                    }
                }
            }
            if left.unacknowledged() == 0 && now > i64::from(messages) {
                break;
            }
        }
        heard
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_arrives_once_and_in_order(
            messages in 1u32..60,
            chances in proptest::collection::vec(any::<u8>(), 40..400).prop_filter("some get through", |dice| {
                dice.iter().filter(|die| *die % 4 != 0).count() > dice.len() / 3
            }),
            json in any::<bool>(),
        ) {
            let codec = if json { Codec::Json } else { Codec::Binary };
            prop_assert_eq!(talk(messages, &chances, codec), (0..messages).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_becomes_the_oldest_is_sent_again_soon() {
        let options = ChannelOptions::new(Codec::Binary, 8);
        let (mut left, mut right) = (End::new(options), End::new(options));
        left.send(0, &1);
        left.send(0, &2);
        let mut frames = Vec::new();
        // Nothing arrives for so long that the second is sent again every 32 ticks only.
        for now in 0..100 {
            frames.clear();
            left.poll(now, &u32::MAX, &mut |bytes| frames.push(bytes.to_vec()));
        }
        let due = left.next_due().expect("the first waits");
        left.poll(due, &u32::MAX, &mut |bytes| frames.push(bytes.to_vec()));
        assert_eq!(right.receive(frames.last().expect("it was sent again")), Ok(Received::Message(1)));
        let mut answer = Vec::new();
        right.poll(due, &u32::MAX, &mut |bytes| answer = bytes.to_vec());
        assert!(left.receive(&answer).is_ok());
        assert!(left.next_due().expect("the second waits") <= due + 8, "{:?} after {due}", left.next_due());
    }

    #[test]
    fn a_new_epoch_repeats_only_what_did_not_arrive() {
        let options = ChannelOptions::new(Codec::Binary, 8);
        let (mut left, mut right) = (End::new(options), End::new(options));
        (0..5).for_each(|message| left.send(0, &message));
        let mut frames = Vec::new();
        left.poll(0, &u32::MAX, &mut |bytes| frames.push(bytes.to_vec()));
        for frame in frames.iter().take(3) {
            assert!(matches!(right.receive(frame), Ok(Received::Message(_))));
        }
        let received = right.received();
        right.begin_epoch(1, 0, 0);
        left.begin_epoch(1, received, 0);
        let mut again = Vec::new();
        left.poll(0, &u32::MAX, &mut |bytes| again.push(bytes.to_vec()));
        let heard: Vec<_> = again.iter().map(|bytes| right.receive(bytes)).collect();
        assert_eq!(heard, [Ok(Received::Message(3)), Ok(Received::Message(4))]);
        assert_eq!(right.receive(&frames[4]), Ok(Received::Old), "a frame of the old epoch that comes late is ignored");
    }

    #[test]
    fn early_frames_are_kept_up_to_so_many_bytes_and_arrive_all_the_same() {
        let options = ChannelOptions::new(Codec::Binary, 8);
        let mut left: Channel<String, String> = Channel::new(options);
        let mut right: Channel<String, String> = Channel::new(options);
        let message = |number: usize| format!("{number}{}", "x".repeat(100_000));
        (0..100).for_each(|number| left.send(0, &message(number)));
        let mut frames = Vec::new();
        left.poll(0, &String::new(), &mut |bytes| frames.push(bytes.to_vec()));
        for frame in frames.iter().skip(1) {
            assert_eq!(right.receive(frame), Ok(Received::Early));
            assert!(right.early_bytes() <= AHEAD_BYTES_MAX, "{}", right.early_bytes());
        }
        assert!(right.early_bytes() > AHEAD_BYTES_MAX - 200_000, "the room is used");
        let mut heard = Vec::new();
        for now in 0..10_000 {
            let mut frames = Vec::new();
            left.poll(now, &String::new(), &mut |bytes| frames.push(bytes.to_vec()));
            for frame in frames {
                if let Ok(Received::Message(message)) = right.receive(&frame) {
                    heard.push(message);
                    heard.extend(std::iter::from_fn(|| right.next_ready()));
                }
            }
            right.poll(now, &String::new(), &mut |bytes| drop(left.receive(bytes)));
        }
        assert_eq!(heard.len(), 100);
        assert!(heard.iter().enumerate().all(|(number, heard)| *heard == message(number)));
        assert_eq!((right.early_bytes(), left.unacknowledged_bytes()), (0, 0));
    }

    #[test]
    fn a_frame_that_is_too_far_ahead_is_not_kept() {
        let mut right = End::new(ChannelOptions::new(Codec::Binary, 8));
        let mut early = |seq: u64| {
            let (mut body, mut frame) = (Vec::new(), Vec::new());
            Codec::Binary.encode(&7_u32, &mut body);
            Codec::Binary.wrap(0, seq, 0, &body, &mut frame);
            assert_eq!(right.receive(&frame), Ok(Received::Early), "{seq}");
            right.early_bytes()
        };
        assert_eq!((early(AHEAD_MAX + 1), early(u64::MAX)), (0, 0));
        assert!(early(AHEAD_MAX) > 0);
    }

    #[test]
    fn a_channel_goes_on_from_its_save() {
        let options = ChannelOptions::new(Codec::Json, 8);
        let mut left = End::new(options);
        (0..3).for_each(|message| left.send(0, &message));
        let mut loaded = End::load(options, &left.save(), 100);
        let mut frames = Vec::new();
        loaded.poll(100, &u32::MAX, &mut |bytes| frames.push(String::from_utf8(bytes.to_vec()).expect("JSON")));
        assert_eq!(frames[0], r#"{"epoch":0,"seq":1,"ack":0,"message":0}"#);
        loaded.send(100, &3);
        assert_eq!(loaded.save().outbox.len(), 4);
    }
}
