//! What the executor says, written without allocating.

use dramaturg_wire::{Channel, ChannelOptions, Observation, Outcome, Status, Task, Tick, ToDirector, ToGame, Value};

use crate::ValueRef;

/// The channel to the director, and texts to use again: a subscription sends the same names thousands of times.
#[derive(Clone, Debug)]
pub(crate) struct Voice {
    pub(crate) channel: Channel<ToDirector, ToGame>,
    /// The channel's time: see [`crate::ExecutorOptions::resend`].
    pub(crate) now: i64,
    /// The most bytes that the director takes at once.
    pub(crate) bytes_max: u32,
    /// How many bytes something had that was not sent for that.
    pub(crate) refused: Option<usize>,
    seen: Vec<Observation>,
    texts: Vec<String>,
}

/// A reason is cut after so many bytes: a report must always fit.
const REASON_MAX: usize = 4096;

impl Voice {
    pub(crate) fn new(options: ChannelOptions) -> Self {
        Self::over(Channel::new(options))
    }

    pub(crate) fn over(channel: Channel<ToDirector, ToGame>) -> Self {
        Self { channel, now: 0, bytes_max: u32::MAX, refused: None, seen: Vec::new(), texts: Vec::new() }
    }

    /// Sends a message that must arrive. One that is larger than the director takes would close the link, so it is not sent: the
    /// game is told in its next tick.
    pub(crate) fn say(&mut self, message: &ToDirector) -> bool {
        let sent = self.channel.send_written(self.now, self.bytes_max as usize, |codec, bytes| {
            codec.encode_to_director(message, bytes);
        });
        self.refused = self.refused.or(sent.err());
        sent.is_ok()
    }

    /// Adds an observation to the next status.
    pub(crate) fn saw(&mut self, fluent: &str, value: ValueRef<'_>, from: Tick) {
        let fluent = self.text(fluent);
        let value = match value {
            ValueRef::Bool(value) => Value::Bool(value),
            ValueRef::Number(value) => Value::Number(value),
            ValueRef::Name(name) => Value::Name(self.text(name)),
        };
        self.seen.push(Observation { fluent, value, from, to: None });
    }

    fn text(&mut self, text: &str) -> String {
        let mut used = self.texts.pop().unwrap_or_else(|| String::with_capacity(text.len().max(32)));
        used.clear();
        used.push_str(text);
        used
    }

    /// Reports on a task, with all that was seen. Gives the outcome back, to be remembered.
    pub(crate) fn report(&mut self, task: Task, version: u32, tick: Tick, mut outcome: Outcome) -> Outcome {
        if let Outcome::Failed { reason } = &mut outcome {
            reason.truncate(reason.floor_char_boundary(REASON_MAX));
        }
        let observations = std::mem::take(&mut self.seen);
        let message = ToDirector::Status(Status { task, version, tick, outcome, observations });
        if !self.say(&message)
            && let ToDirector::Status(Status { outcome, .. }) = &message
        {
            // What became of it is told in any case.
            let bare = Status { task, version, tick, outcome: outcome.clone(), observations: Vec::new() };
            self.channel.send(self.now, &ToDirector::Status(bare));
        }
        let ToDirector::Status(Status { outcome, mut observations, .. }) = message else { return Outcome::Unknown };
        for observation in observations.drain(..) {
            self.texts.push(observation.fluent);
            if let Value::Name(name) = observation.value {
                self.texts.push(name);
            }
        }
        self.seen = observations;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_wire::Codec;

    use super::*;

    #[test]
    fn a_reason_of_any_length_is_told_in_so_many_bytes() {
        let mut voice = Voice::new(ChannelOptions::new(Codec::Binary, 8));
        let reason = "ü".repeat(REASON_MAX);
        let told = voice.report(Task { step: 1, part: 0 }, 1, 1, Outcome::Failed { reason: reason.clone() });
        let told = if let Outcome::Failed { reason } = told { reason } else { String::new() };
        assert!(told.len() <= REASON_MAX && told.len() > REASON_MAX - 4 && reason.starts_with(&told));
        assert!(voice.channel.unacknowledged_bytes() < REASON_MAX + 100, "nor does more go out");
    }
}
