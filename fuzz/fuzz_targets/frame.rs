//! Anything that a game can send behind its hello, in both codecs, while time passes and the planner works: a director
//! takes it in without a panic, and can be saved and loaded whatever it was told.
#![no_main]

mod common;

use arbitrary::{Result, Unstructured};
use dramaturg_director::{Director, Input};
use dramaturg_planner::planner::Workers;
use dramaturg_wire::{
    Answer, Codec, Frame, Hello, Observation, Outcome, Resume, Status, Task, TaskRecord, TaskState, Tick, ToDirector,
    ToGame, VERSION, Value,
};
use libfuzzer_sys::fuzz_target;

/// No session has more deeds: an input takes a bounded time.
const DEEDS_MAX: usize = 200;

fuzz_target!(|data: &[u8]| {
    let mut bytes = Unstructured::new(data);
    let codec = if bytes.ratio(1, 3).unwrap_or(false) { Codec::Json } else { Codec::Binary };
    let mut talk =
        Talk { director: common::director(codec), codec, now: 0, tick: 0, epoch: 0, seq: 0, saved: Vec::new() };
    talk.say(0, 0, &hello(0, 1, None));
    for _ in 0..DEEDS_MAX {
        // No more bytes: the session is over.
        if bytes.is_empty() || talk.deed(&mut bytes).is_err() {
            break;
        }
    }
    common::go_on(talk.director, false);
});

/// A conversation with a director.
struct Talk {
    director: Director,
    codec: Codec,
    now: i64,
    tick: Tick,
    epoch: u32,
    seq: u64,
    saved: Vec<u8>,
}

impl Talk {
    fn step(&mut self, input: &Input) {
        let mut frames = Vec::new();
        self.director.step(input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
        self.director.drain();
        for frame in frames {
            let frame: Frame<ToGame> = self.codec.decode(&frame).expect("the director speaks the protocol");
            match frame.message {
                ToGame::Welcome(welcome) => (self.epoch, self.seq) = (welcome.epoch, 0),
                ToGame::Saved { data, .. } => self.saved = data,
                _ => {}
            }
        }
    }

    fn pump(&mut self, frames: Vec<Vec<u8>>) {
        self.step(&Input::Pump { now: self.now, frames });
    }

    fn say(&mut self, epoch: u32, seq: u64, message: &ToDirector) {
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        self.codec.encode(message, &mut body);
        self.codec.wrap(epoch, seq, seq, &body, &mut frame);
        self.pump(vec![frame]);
    }

    /// One thing happens.
    fn deed(&mut self, bytes: &mut Unstructured<'_>) -> Result<()> {
        match bytes.int_in_range(0..=9)? {
            // Time passes, and the planner works.
            0 | 1 => {
                self.now += bytes.int_in_range(0..=200_000)?;
                let now = self.now;
                self.step(&Input::Begin { now });
                self.step(&Input::End { now, units: bytes.int_in_range(0..=500)? });
                self.pump(Vec::new());
            }
            // Bytes as a frame, and bytes as the message of one.
            2 => {
                let frame = bytes.arbitrary::<Vec<u8>>()?;
                self.pump(vec![frame]);
            }
            3 => {
                let (body, mut frame) = (bytes.arbitrary::<Vec<u8>>()?, Vec::new());
                self.codec.wrap(self.epoch, self.seq + 1, 0, &body, &mut frame);
                self.pump(vec![frame]);
            }
            4 if bytes.ratio(1, 4)? => {
                let now = self.now;
                self.step(&Input::Disconnected { now, reason: "the link broke".to_owned() });
                let resume = if bytes.arbitrary()? { Some(self.resume(bytes)?) } else { None };
                let call = bytes.int_in_range(0..=9)?;
                let tick = self.tick(bytes)?;
                self.say(0, 0, &hello(tick, call, resume));
            }
            4 => {
                let (now, step) = (self.now, bytes.int_in_range(0..=60)?);
                self.step(&Input::Cancel { now, step });
            }
            // A message in its turn, or out of it.
            _ => {
                let message = self.message(bytes)?;
                let ahead = if bytes.ratio(1, 8)? { bytes.int_in_range(0..=5_000)? } else { 0 };
                let is_loose = matches!(message, ToDirector::Time { .. }) || bytes.ratio(1, 8)?;
                let seq = if is_loose { 0 } else { self.seq + 1 + ahead };
                if !is_loose && ahead == 0 {
                    self.seq += 1;
                }
                self.say(self.epoch, seq, &message);
            }
        }
        Ok(())
    }

    fn tick(&mut self, bytes: &mut Unstructured<'_>) -> Result<Tick> {
        let on = if bytes.ratio(1, 8)? { bytes.int_in_range(-600..=600)? } else { bytes.int_in_range(0..=20)? };
        // Any tick at all, which no clock explains.
        if bytes.ratio(1, 32)? {
            return bytes.arbitrary();
        }
        self.tick += on;
        self.now += on.max(0) * 16_667;
        Ok(self.tick)
    }

    fn task(&mut self, bytes: &mut Unstructured<'_>) -> Result<Task> {
        let step = if bytes.ratio(1, 16)? { bytes.arbitrary()? } else { bytes.int_in_range(0..=60)? };
        Ok(Task { step, part: bytes.int_in_range(0..=2)? })
    }

    fn resume(&mut self, bytes: &mut Unstructured<'_>) -> Result<Resume> {
        let mut tasks = Vec::new();
        for _ in 0..bytes.int_in_range(0..=12)? {
            let state = match bytes.int_in_range(0..=2)? {
                0 => TaskState::Waiting,
                1 => TaskState::Running(self.tick(bytes)?),
                _ => TaskState::Ended(self.tick(bytes)?, self.outcome(bytes)?),
            };
            tasks.push(TaskRecord { task: self.task(bytes)?, version: bytes.int_in_range(0..=3)?, state });
        }
        let session = if bytes.ratio(1, 16)? { bytes.arbitrary()? } else { "7f3a".to_owned() };
        let epoch = if bytes.ratio(1, 8)? { bytes.arbitrary()? } else { self.epoch };
        Ok(Resume { session, epoch, received: bytes.arbitrary()?, restored: bytes.arbitrary()?, tasks })
    }

    fn outcome(&mut self, bytes: &mut Unstructured<'_>) -> Result<Outcome> {
        Ok(match bytes.int_in_range(0..=9)? {
            0 => Outcome::Accepted,
            1 => Outcome::Started { late: bytes.int_in_range(-5..=50)? },
            2 => Outcome::Progress { thousandths: bytes.arbitrary()? },
            3 => Outcome::Amended { duration: bytes.int_in_range(-5..=500)? },
            4 | 5 => Outcome::Finished,
            6 => Outcome::Failed { reason: bytes.arbitrary()? },
            7 => Outcome::Missed { by: bytes.int_in_range(-5..=50)? },
            8 => Outcome::GuardFailed { guard: bytes.arbitrary()? },
            _ if bytes.arbitrary()? => Outcome::Cancelled,
            _ => Outcome::Unknown,
        })
    }

    fn seen(&mut self, bytes: &mut Unstructured<'_>) -> Result<Vec<Observation>> {
        let mut seen = Vec::new();
        for _ in 0..bytes.int_in_range(0..=3)? {
            let known = ["ann.times", "bob.tired", "cid.place", "times", "ann."];
            let fluent = if bytes.ratio(1, 8)? { bytes.arbitrary()? } else { (*bytes.choose(&known)?).to_owned() };
            let value = match bytes.int_in_range(0..=2)? {
                0 => Value::Bool(bytes.arbitrary()?),
                1 => Value::Number(bytes.arbitrary()?),
                _ => Value::Name((*bytes.choose(&["here", "there", "ann", ""])?).to_owned()),
            };
            let from = self.tick(bytes)?;
            let to = if bytes.arbitrary()? { Some(self.tick(bytes)?) } else { None };
            seen.push(Observation { fluent, value, from, to });
        }
        Ok(seen)
    }

    fn message(&mut self, bytes: &mut Unstructured<'_>) -> Result<ToDirector> {
        Ok(match bytes.int_in_range(0..=15)? {
            0..=3 => ToDirector::Time { tick: self.tick(bytes)?, answers: bytes.arbitrary()? },
            4..=6 => ToDirector::Status(Status {
                task: self.task(bytes)?,
                version: bytes.int_in_range(0..=3)?,
                tick: self.tick(bytes)?,
                outcome: self.outcome(bytes)?,
                observations: self.seen(bytes)?,
            }),
            7 => ToDirector::Answer(Answer {
                task: self.task(bytes)?,
                version: bytes.int_in_range(0..=3)?,
                tick: self.tick(bytes)?,
                answer: (*bytes.choose(&["yes", "no", "later", "?"])?).to_owned(),
            }),
            8 => ToDirector::Perceive { observations: self.seen(bytes)? },
            9 => {
                let known =
                    ["goal done beat(ann)", "goal ann.tired by 500 ticks", "goal done beat(", "keep not bob.tired"];
                let goal = if bytes.ratio(1, 4)? { bytes.arbitrary()? } else { (*bytes.choose(&known)?).to_owned() };
                ToDirector::SetGoals { owner: bytes.arbitrary()?, goals: vec![goal] }
            }
            10 => ToDirector::Pause { tick: self.tick(bytes)? },
            11 => ToDirector::Continue { tick: self.tick(bytes)?, rate_milli: bytes.arbitrary()? },
            12 => match bytes.int_in_range(0..=2)? {
                0 => ToDirector::Language { tag: bytes.arbitrary()? },
                1 => ToDirector::Acknowledge,
                _ => hello(self.tick(bytes)?, bytes.int_in_range(0..=9)?, Some(self.resume(bytes)?)),
            },
            13 => ToDirector::Save { request: bytes.arbitrary()? },
            14 => {
                let request = bytes.int_in_range(0..=2)?;
                let data = self.saved.clone();
                if bytes.arbitrary()? {
                    let cut = bytes.int_in_range(0..=data.len())?;
                    ToDirector::LoadPiece { request, data: data.get(..cut).unwrap_or_default().to_vec() }
                } else {
                    ToDirector::Load { request, data: if bytes.ratio(1, 4)? { bytes.arbitrary()? } else { data } }
                }
            }
            _ if bytes.ratio(1, 8)? => ToDirector::Goodbye { reason: bytes.arbitrary()? },
            _ => ToDirector::Acknowledge,
        })
    }
}

fn hello(tick: Tick, call: u64, resume: Option<Resume>) -> ToDirector {
    ToDirector::Hello(Box::new(Hello {
        version: VERSION,
        token: None,
        story: None,
        game: "drill".to_owned(),
        call,
        tick,
        rate_milli: 60_000,
        resume,
    }))
}
