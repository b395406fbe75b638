//! Once warm, a frame allocates nothing: not for taking in tasks, nor starting, following, reporting and sending.

use dramaturg_executor::{Executor, ExecutorOptions, Game, Report, ScriptedGame, TaskView, ValueRef};
use dramaturg_wire::{
    Channel, ChannelOptions, Codec, Execute, Guard, LatePolicy, NameId, Task, Test, Tick, ToDirector, ToGame, VERSION,
    Value, Welcome,
};
use smallvec::smallvec;

const WAITING: Tick = 11_000;
const PER_TICK: u32 = 17;
const LEAD: Tick = WAITING / PER_TICK as Tick;

fn execute(step: u32, start: Tick) -> Execute {
    Execute {
        task: Task { step, part: 0 },
        version: 1,
        start,
        duration: 30,
        action: NameId(0),
        actuator: Some(NameId(1)),
        params: smallvec![NameId(2), NameId(3)],
        guards: smallvec![Guard { fluent: NameId(4), test: Test::Among(smallvec![NameId(3), NameId(2)]) }],
        late: LatePolicy { most: 2 },
        // Every fourth senses.
        reads: if step.is_multiple_of(4) { smallvec![NameId(4), NameId(5)] } else { smallvec![] },
        every: if step.is_multiple_of(8) { 6 } else { 0 },
        question: None,
    }
}

struct Anna;

impl Game for Anna {
    fn start(&mut self, task: &TaskView<'_>) {
        assert_eq!(task.action(), "walk");
        assert_eq!(task.params().len(), 2);
    }

    fn value(&self, fluent: &str) -> Option<ValueRef<'_>> {
        match fluent {
            "anna.place" => Some(ValueRef::Name("cellar")),
            _ => Some(ValueRef::Number(5)),
        }
    }

    fn poll(&mut self, task: &TaskView<'_>, tick: Tick) -> Report {
        let elapsed = tick - task.started();
        match elapsed {
            10 => Report::Progress(333),
            elapsed if elapsed >= task.duration() => Report::Finished,
            _ => Report::Running,
        }
    }
}

/// The frames the director sends before each tick: 17 tasks to come, one of them taken back again, and a ping.
fn script(codec: Codec, ticks: Tick) -> Vec<Vec<Vec<u8>>> {
    let mut director: Channel<ToGame, ToDirector> = Channel::new(ChannelOptions::new(codec, i64::MAX / 32));
    director.begin_epoch(1, 0, 0);
    let names = ["walk", "anna.legs", "anna", "cellar", "anna.place", "coins"].map(str::to_owned).to_vec();
    let welcome = ToGame::Welcome(Box::new(Welcome {
        version: VERSION,
        session: "s".to_owned(),
        story: "x".to_owned(),
        update: 12,
        epoch: 1,
        received: 0,
        names,
        message_bytes_max: 1 << 20,
    }));
    let (mut body, mut hello) = (Vec::new(), Vec::new());
    codec.encode(&welcome, &mut body);
    codec.wrap(0, 0, 0, &body, &mut hello);
    let mut script = vec![vec![hello]];
    let mut step = 0;
    for tick in 0..ticks {
        let mut frames = Vec::new();
        for _ in 0..PER_TICK {
            director.send(tick, &ToGame::Execute(execute(step, tick + LEAD)));
            step += 1;
        }
        director.send(tick, &ToGame::Cancel { task: Task { step: step - 1, part: 0 }, version: 1 });
        director.send(tick, &ToGame::Ping { id: tick as u64 });
        director.poll(tick, &ToGame::Acknowledge, &mut |frame| frames.push(frame.to_vec()));
        script.push(frames);
    }
    script
}

/// Runs a warm-up and then 1,000 ticks; how often each of them allocated.
fn allocations<G: Game>(codec: Codec, game: &mut G) -> (u64, u64) {
    const WARM: Tick = LEAD + 800;
    const MEASURED: Tick = 1_000;
    let script = script(codec, WARM + MEASURED);
    let mut body = Vec::new();
    codec.encode(&ToGame::Acknowledge, &mut body);
    let mut acknowledgement = Vec::with_capacity(256);
    let mut executor = Executor::new(ExecutorOptions { codec, ..ExecutorOptions::default() });
    // How many messages had been sent after each of the last ticks; the director acknowledges them four ticks later.
    let (mut sent, mut acknowledged, mut frames_sent) = ([0u64; 4], 0, 0u64);
    let mut run = |ticks: std::ops::Range<Tick>, executor: &mut Executor, game: &mut G| {
        for (tick, frames) in ticks.clone().zip(script.iter().skip(ticks.start as usize)) {
            for frame in frames {
                executor.receive(frame).expect("a frame");
            }
            let sent = &mut sent[(tick % 4) as usize];
            acknowledged = *sent;
            acknowledgement.clear();
            codec.wrap(1, 0, acknowledged, &body, &mut acknowledgement);
            executor.receive(&acknowledgement).expect("a frame");
            executor.tick(tick, game);
            executor.poll(&mut |frame| frames_sent += u64::from(!frame.is_empty()));
            *sent = acknowledged + executor.unacknowledged() as u64;
        }
    };
    executor.tick(-1, game);
    executor.poll(&mut |_| {});
    let cold = allocation_counter::measure(|| run(0..WARM, &mut executor, game));
    assert_eq!(executor.waiting_count() as Tick, (LEAD - 1) * Tick::from(PER_TICK - 1), "about ten thousand wait");
    assert!(executor.running_count() > 400, "{} tasks run", executor.running_count());
    let warm = allocation_counter::measure(|| run(WARM..WARM + MEASURED, &mut executor, game));
    assert_eq!(executor.resent(), 0, "the link is good");
    assert!((1..1_000).contains(&executor.unacknowledged()), "{} unacknowledged", executor.unacknowledged());
    assert!(frames_sent > 60_000, "{frames_sent} frames were sent");
    (cold.count_total, warm.count_total)
}

fn allocates_only_while_cold<G: Game>(codec: Codec, game: &mut G) {
    let (cold, warm) = allocations(codec, game);
    assert!(cold > 100, "the counter counts");
    assert_eq!(warm, 0);
}

#[test]
fn a_warm_executor_does_not_allocate() {
    allocates_only_while_cold(Codec::Binary, &mut Anna);
}

#[test]
fn nor_does_it_in_json() {
    allocates_only_while_cold(Codec::Json, &mut Anna);
}

#[test]
fn nor_does_a_scripted_game_without_transcript() {
    let mut game = ScriptedGame::new().without_transcript();
    game.set("anna.place", Value::Name("cellar".to_owned()));
    allocates_only_while_cold(Codec::Binary, &mut game);
}
