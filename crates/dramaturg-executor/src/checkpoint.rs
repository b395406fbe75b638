//! The executor inside the game's own save.

use std::fmt;

use dramaturg_wire::{Channel, ChannelSave, Codec, Execute, Line, Task, Tick};
use serde::{Deserialize, Serialize};

use crate::dictionary::Dictionary;
use crate::ended::Ended;
use crate::executor::{Executor, channel_options};
use crate::held::Held;
use crate::options::ExecutorOptions;
use crate::perform::Run;
use crate::performed::Content;
use crate::tasks::Standing;
use crate::voice::Voice;

const MAGIC: &[u8; 4] = b"DRMX";
/// Raised when what is written changes; bytes of a format that is not known are refused, never misread.
const FORMAT: u16 = 3;
/// The oldest format that is read: it lacks what is in [`Since3`].
const FORMAT_LEAST: u16 = 2;
/// No conversation has as many messages.
const NUMBER_MAX: u64 = 1 << 62;

/// Why bytes are no checkpoint of this executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// They are something else.
    NotACheckpoint,
    /// Another release wrote them, in this format.
    OtherFormat(u16),
    /// They were cut off or altered.
    Damaged,
    /// The executor wrote its frames in the other codec then.
    OtherCodec,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotACheckpoint => f.write_str("these bytes are no checkpoint of an executor"),
            Self::OtherFormat(format) => {
                write!(
                    f,
                    "the checkpoint has format {format}, but this release reads formats {FORMAT_LEAST} to {FORMAT}"
                )
            }
            Self::Damaged => f.write_str("the checkpoint is damaged"),
            Self::OtherCodec => f.write_str("the checkpoint was made with the other codec; restore it with that one"),
        }
    }
}

impl std::error::Error for CheckpointError {}

#[derive(Serialize, Deserialize)]
struct Kept {
    json: bool,
    tick: Tick,
    paused: bool,
    update: Tick,
    requests: u32,
    bytes_max: u32,
    rate_milli: u32,
    session: Option<String>,
    sent_most: u64,
    names: Vec<String>,
    waiting: Vec<Execute>,
    running: Vec<(Execute, Run)>,
    ended: Vec<Ended>,
    lines: Vec<Line>,
    answers: Vec<(Task, String)>,
    channel: ChannelSave,
}

/// What was added in format 3.
#[derive(Default, Serialize, Deserialize)]
struct Since3 {
    /// The number of the last call.
    said: u64,
    /// What the last tasks were that were started.
    performed: Vec<(Task, Content)>,
    /// Names that tasks speak in and the director has forgotten.
    forgotten: Vec<String>,
}

impl Executor {
    /// All that must be kept so that the executor can go on in another process: what waits, what runs, what has ended
    /// and what the director has not acknowledged.
    ///
    /// A game keeps it in its own save, made between two frames. What the game does after it and never reports is lost
    /// with the game; the director learns so from the resume and plans anew.
    pub fn checkpoint(&self) -> Vec<u8> {
        let kept = Kept {
            json: self.options.codec == Codec::Json,
            tick: self.tick,
            paused: self.paused,
            update: self.update,
            requests: self.requests,
            bytes_max: self.voice.bytes_max,
            rate_milli: self.options.rate_milli,
            session: self.greeting.session.clone(),
            sent_most: self.sent_most(),
            names: self.names.names().to_vec(),
            waiting: self.tasks.waiting().into_iter().map(Held::to_execute).collect(),
            running: self
                .running
                .iter()
                .filter_map(|run| Some((self.tasks.held(run.slot)?.to_execute(), run.clone())))
                .collect(),
            ended: self.tasks.ended().cloned().collect(),
            lines: self.lines.iter().cloned().collect(),
            answers: self.answers.clone(),
            channel: self.voice.channel.save(),
        };
        let since = Since3 {
            said: self.greeting.said(),
            performed: self.performed.iter().cloned().collect(),
            forgotten: self.names.forgotten().to_vec(),
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        // Writing to memory fails only for values that no serialiser could write, and there are none here.
        let body = postcard::to_extend(&(kept, since), Vec::new()).unwrap_or_default();
        bytes.extend_from_slice(&checksum(&body).to_le_bytes());
        bytes.extend_from_slice(&body);
        bytes
    }

    /// An executor that goes on from a checkpoint. It says hello in its first frame, tells the director that it comes
    /// from before, and tells the game through [`crate::Game::resume_task`] what runs.
    pub fn restore(bytes: &[u8], options: ExecutorOptions) -> Result<Self, CheckpointError> {
        let (kept, since) = read(bytes)?;
        if kept.json != (options.codec == Codec::Json) {
            return Err(CheckpointError::OtherCodec);
        }
        let save = &kept.channel;
        let last = save.first.checked_add(save.outbox.len() as u64).filter(|last| *last < NUMBER_MAX);
        let last = last.and_then(|last| last.checked_sub(1)).ok_or(CheckpointError::Damaged)?;
        if save.received >= NUMBER_MAX {
            return Err(CheckpointError::Damaged);
        }
        let mut executor = Self::new(options);
        executor.voice = Voice::over(Channel::load(channel_options(&executor.options), save, 0));
        executor.voice.bytes_max = kept.bytes_max;
        executor.options.rate_milli = kept.rate_milli;
        (executor.tick, executor.paused, executor.requests) = (kept.tick, kept.paused, kept.requests);
        executor.update = kept.update.max(1);
        executor.greeting.restore_call(since.said);
        executor.greeting.restored = kept.session.is_some();
        executor.greeting.session = kept.session;
        executor.greeting.sent_most = kept.sent_most.min(last);
        executor.names = Dictionary::new(kept.names, since.forgotten);
        since.performed.into_iter().for_each(|(task, content)| executor.performed.note(task, content));
        for ended in kept.ended {
            executor.must_be_unknown(ended.task)?;
            executor.tasks.remember(ended);
        }
        for execute in kept.waiting {
            executor.must_be_unknown(execute.task)?;
            executor.tasks.wait(execute);
        }
        for (execute, mut run) in kept.running {
            executor.must_be_unknown(execute.task)?;
            run.name(&execute);
            run.slot = executor.tasks.run(execute);
            executor.running.push(run);
        }
        executor.untold = true;
        executor.lines = kept.lines.into();
        executor.lines.make_contiguous().sort_by_key(|line| line.tick);
        executor.answers = kept.answers;
        Ok(executor)
    }

    /// The game that made the checkpoint may have gone on until this tick before it died. What waits to start by then
    /// is not started, for it may have been: it ends as unknown. Call it before the first tick. Without it only what
    /// lies before that tick is taken to have been started, which is right where the new game knows for sure how much
    /// time has passed.
    pub fn assume_ran_until(&mut self, tick: Tick) {
        self.ran_until = self.ran_until.max(tick);
    }

    /// The last number that the director can have seen.
    fn sent_most(&self) -> u64 {
        if self.greeting.is_open() { self.voice.channel.sent() } else { self.greeting.sent_most }
    }

    fn must_be_unknown(&self, task: Task) -> Result<(), CheckpointError> {
        match self.tasks.standing(task) {
            Standing::Unknown => Ok(()),
            _ => Err(CheckpointError::Damaged),
        }
    }
}

fn read(bytes: &[u8]) -> Result<(Kept, Since3), CheckpointError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::NotACheckpoint)?;
    let (format, rest) = rest.split_first_chunk().ok_or(CheckpointError::Damaged)?;
    let format = u16::from_le_bytes(*format);
    if !(FORMAT_LEAST..=FORMAT).contains(&format) {
        return Err(CheckpointError::OtherFormat(format));
    }
    let (sum, body) = rest.split_first_chunk().ok_or(CheckpointError::Damaged)?;
    if u64::from_le_bytes(*sum) != checksum(body) {
        return Err(CheckpointError::Damaged);
    }
    let (kept, rest) = postcard::take_from_bytes(body).map_err(|_| CheckpointError::Damaged)?;
    let (since, rest): (Since3, _) = match format {
        FORMAT_LEAST => (Since3::default(), rest),
        _ => postcard::take_from_bytes(rest).map_err(|_| CheckpointError::Damaged)?,
    };
    if rest.is_empty() && since.said < NUMBER_MAX { Ok((kept, since)) } else { Err(CheckpointError::Damaged) }
}

/// FNV-1a: enough to notice an accident.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
