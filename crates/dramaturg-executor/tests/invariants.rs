//! Whatever is sent, lost, doubled, disordered or skipped: a task starts at most once, never early, and its end is told
//! once.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, TaskView};
use dramaturg_wire::{
    Channel, ChannelOptions, Codec, Execute, Frame, LatePolicy, NameId, Outcome, Received, Status, Task, TaskState,
    Tick, ToDirector, ToGame, VERSION, Welcome,
};
use proptest::prelude::*;

/// What the director, the link or the game does next.
#[derive(Clone, Debug)]
enum Step {
    Execute { step: u32, version: u32, ahead: Tick, duration: Tick, late: u32 },
    Cancel { step: u32, version: u32 },
    Tick { skip: Tick },
    Reconnect,
    Restore,
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u32..12, 0u32..4, -3i64..20, 0i64..6, 0u32..5)
            .prop_map(|(step, version, ahead, duration, late)| Step::Execute { step, version, ahead, duration, late }),
        2 => (0u32..12, 0u32..4).prop_map(|(step, version)| Step::Cancel { step, version }),
        6 => (1i64..5).prop_map(|skip| Step::Tick { skip }),
        1 => Just(Step::Reconnect),
        1 => Just(Step::Restore),
    ]
}

/// A game that only remembers what it started.
#[derive(Default)]
struct Memory {
    starts: Vec<(Task, u32, Tick, Tick)>,
}

impl Game for Memory {
    fn start(&mut self, task: &TaskView<'_>) {
        self.starts.push((task.id(), task.version(), task.start(), task.started()));
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        match tick >= task.started() + task.duration() {
            true if task.id().step.is_multiple_of(5) => Report::Failed("never mind".into()),
            true => Report::Finished,
            false => Report::Running,
        }
    }
}

/// A director, a link that misbehaves by the dice, and an executor.
struct World {
    options: ExecutorOptions,
    executor: Executor,
    game: Memory,
    director: Channel<ToGame, ToDirector>,
    heard: Vec<Status>,
    dice: u64,
    tick: Tick,
    now: i64,
    /// What had been received in the epoch before this one.
    received: u64,
    /// Every task the director spoke of.
    sent: BTreeSet<Task>,
}

impl World {
    fn new(dice: u64, codec: Codec) -> Self {
        let options = ExecutorOptions { codec, resend: 4, ..ExecutorOptions::default() };
        Self {
            executor: Executor::new(options.clone()),
            game: Memory::default(),
            director: Channel::new(ChannelOptions::new(codec, 4)),
            heard: Vec::new(),
            dice: dice | 1,
            tick: 0,
            now: 0,
            received: 0,
            sent: BTreeSet::new(),
            options,
        }
    }

    /// Xorshift: a list of dice that is used again and again could drop the same frame for ever.
    fn roll(&mut self) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice >> 20
    }

    fn copies(&mut self) -> usize {
        match self.roll() % 6 {
            0 => 0,
            1 => 2,
            _ => 1,
        }
    }

    /// The same frames as a bad link delivers them.
    fn through_the_link(&mut self, frames: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut delivered: Vec<_> = frames.into_iter().flat_map(|frame| vec![frame; self.copies()]).collect();
        if self.roll().is_multiple_of(3) {
            delivered.reverse();
        }
        delivered
    }

    fn frame(&mut self, skip: Tick) {
        self.now += 1;
        self.tick += skip;
        let mut frames = Vec::new();
        self.director.poll(self.now, &ToGame::Acknowledge, &mut |frame| frames.push(frame.to_vec()));
        for frame in self.through_the_link(frames) {
            self.executor.receive(&frame).expect("a frame");
        }
        self.executor.tick(self.tick, &mut self.game);
        let mut frames = Vec::new();
        self.executor.poll(&mut |frame| frames.push(frame.to_vec()));
        for frame in self.through_the_link(frames) {
            self.hear(&frame);
        }
    }

    fn hear(&mut self, bytes: &[u8]) {
        let frame: Frame<ToDirector> = self.options.codec.decode(bytes).expect("a frame");
        if let ToDirector::Hello(hello) = frame.message {
            return self.greet(hello.resume.map_or((0, 0), |resume| (resume.epoch, resume.received)));
        }
        let Received::Message(message) = self.director.accept(frame, bytes) else { return };
        let mut next = Some(message);
        while let Some(message) = next {
            if let ToDirector::Status(status) = message {
                self.heard.push(status);
            }
            next = self.director.next_ready();
        }
    }

    /// Welcomes the game. A hello from an epoch that has been followed by another is one that was heard before, and
    /// gets the same answer again.
    fn greet(&mut self, (epoch, received_by_game): (u32, u64)) {
        if epoch == self.director.epoch() {
            self.received = self.director.received();
            self.director.begin_epoch(epoch + 1, received_by_game, self.now);
        }
        let welcome = ToGame::Welcome(Box::new(Welcome {
            version: VERSION,
            session: "s".to_owned(),
            story: "x".to_owned(),
            update: 3,
            epoch: self.director.epoch(),
            received: self.received,
            names: vec!["act".to_owned()],
            message_bytes_max: 1 << 20,
        }));
        let (mut body, mut frame) = (Vec::new(), Vec::new());
        self.options.codec.encode(&welcome, &mut body);
        self.options.codec.wrap(0, 0, 0, &body, &mut frame);
        self.executor.receive(&frame).expect("a frame");
    }

    fn step(&mut self, step: Step) {
        let task = |step| Task { step, part: 0 };
        match step {
            Step::Execute { step, version, ahead, duration, late } => {
                let execute = Execute {
                    task: task(step),
                    version,
                    start: self.tick + ahead,
                    duration,
                    action: NameId(0),
                    actuator: None,
                    params: Default::default(),
                    guards: Default::default(),
                    late: LatePolicy { most: late },
                    reads: Default::default(),
                    every: 0,
                    question: None,
                };
                self.sent.insert(execute.task);
                self.director.send(self.now, &ToGame::Execute(execute));
            }
            Step::Cancel { step, version } => {
                self.director.send(self.now, &ToGame::Cancel { task: task(step), version });
            }
            Step::Tick { skip } => self.frame(skip),
            Step::Reconnect => self.executor.reconnect(),
            // The game's process changes, but nothing happened since its checkpoint.
            Step::Restore => {
                let checkpoint = self.executor.checkpoint();
                let table = self.executor.task_table();
                self.executor = Executor::restore(&checkpoint, self.options.clone()).expect("a checkpoint");
                assert_eq!(self.executor.task_table(), table);
            }
        }
    }

    fn settle(&mut self) {
        for _ in 0..2000 {
            self.frame(1);
            if self.executor.is_connected()
                && self.executor.unacknowledged() == 0
                && self.director.unacknowledged() == 0
            {
                return;
            }
        }
        panic!("it never settles");
    }

    fn check(&self) {
        // Starts: once, not early.
        let mut started = BTreeMap::new();
        for (task, version, start, tick) in &self.game.starts {
            assert!(tick >= start, "{task:?} started early");
            assert_eq!(started.insert(*task, (*version, *tick)), None, "{task:?} started twice");
        }
        let table = self.executor.task_table();
        let records: BTreeMap<_, _> = table.iter().map(|record| (record.task, record)).collect();
        assert_eq!(records.len(), table.len(), "a task stands twice in the table");
        assert!(self.sent.iter().all(|task| records.contains_key(task)), "a task was lost on the way");
        let mut ends: BTreeMap<(Task, u32), &Status> = BTreeMap::new();
        for status in &self.heard {
            let record = records.get(&status.task).expect("what was told of stands in the table");
            assert!(status.version <= record.version, "the table is behind what was told");
            if status.outcome.is_final() {
                let first = ends.entry((status.task, status.version)).or_insert(status);
                assert_eq!(*first, status, "two ends");
            }
            if let Outcome::Started { late } = status.outcome {
                assert_eq!(started.get(&status.task), Some(&(status.version, status.tick)), "told but not started");
                assert!(late >= 0);
            }
        }
        for (task, record) in &records {
            let told: Vec<_> =
                self.heard.iter().filter(|status| (status.task, status.version) == (*task, record.version)).collect();
            let end = ends.get(&(*task, record.version));
            match &record.state {
                TaskState::Waiting => {
                    assert!(!told.is_empty() && told.iter().all(|status| status.outcome == Outcome::Accepted));
                }
                TaskState::Running(tick) => {
                    assert_eq!(started.get(task), Some(&(record.version, *tick)));
                    assert_eq!(end, None, "it runs, but an end was told");
                }
                TaskState::Ended(tick, outcome) => {
                    let end = end.expect("an end was told");
                    assert_eq!((end.tick, &end.outcome), (*tick, outcome));
                    let ran = matches!(outcome, Outcome::Finished | Outcome::Failed { .. });
                    assert_eq!(started.contains_key(task), ran, "{task:?} {outcome:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn tasks_start_once_and_end_once(
        steps in proptest::collection::vec(steps(), 1..120),
        dice in any::<u64>(),
        json in any::<bool>(),
    ) {
        let mut world = World::new(dice, if json { Codec::Json } else { Codec::Binary });
        for step in steps {
            world.step(step);
        }
        world.settle();
        world.check();
        // Everything that was to happen has happened by then.
        for _ in 0..30 {
            world.frame(1);
        }
        world.settle();
        world.check();
        prop_assert_eq!(world.executor.waiting_count() + world.executor.running_count(), 0);
    }

    #[test]
    fn no_bytes_make_it_panic(frames in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..40)) {
        let mut executor = Executor::new(ExecutorOptions::default());
        let mut game = Memory::default();
        for (tick, frame) in (0..).zip(frames) {
            let _ = executor.receive(&frame);
            executor.tick(tick, &mut game);
            executor.poll(&mut |_| {});
        }
        let _ = Executor::restore(b"DRMX\x01\x00", ExecutorOptions::default());
    }
}
