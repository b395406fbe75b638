//! A stage on which an executor and a scripted game talk to a director that is only text.
#![allow(dead_code, reason = "not every test needs every helper")]

use std::fmt::Write;

use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::{Codec, Tick};

/// The dictionary of every exchange.
pub const NAMES: &str =
    r#"["walk","anna.legs","anna","cellar","attic","door.open","anna.place","coins","ask","watch"]"#;

/// What is said stands in the log after `<` (the director) and `>` (the game), what the game does after `*`.
pub struct Stage {
    pub executor: Executor,
    pub game: ScriptedGame,
    log: String,
    epoch: u32,
    seq: u64,
    heard: u64,
}

pub fn options() -> ExecutorOptions {
    ExecutorOptions { game: "test".to_owned(), codec: Codec::Json, ..ExecutorOptions::default() }
}

impl Stage {
    /// A stage on which nobody has spoken.
    pub fn empty() -> Self {
        Self::with(Executor::new(options()))
    }

    pub fn with(executor: Executor) -> Self {
        Self { executor, game: ScriptedGame::new(), log: String::new(), epoch: 0, seq: 0, heard: 0 }
    }

    /// A stage after hello and welcome, at tick 0.
    pub fn welcomed() -> Self {
        let mut stage = Self::empty();
        stage.tick(0);
        stage.welcome("s1", 1, 0);
        stage.tick(0);
        stage.game.take_transcript();
        stage.log.clear();
        stage
    }

    pub fn welcome(&mut self, session: &str, epoch: u32, received: u64) {
        self.welcome_with(session, epoch, received, NAMES);
    }

    /// A welcome with this dictionary, in JSON.
    pub fn welcome_with(&mut self, session: &str, epoch: u32, received: u64, names: &str) {
        self.frame(&format!(
            r#"{{"epoch":0,"seq":0,"ack":0,"message":{{"welcome":{{"version":{{"major":1,"minor":0}},"session":"{session}","story":"Cellar","update":1000,"epoch":{epoch},"received":{received},"names":{names},"message_bytes_max":65536}}}}}}"#
        ));
        (self.epoch, self.seq, self.heard) = (epoch, 0, 0);
    }

    /// A frame from the director, as it is written.
    pub fn frame(&mut self, text: &str) {
        writeln!(self.log, "< {text}").expect("text");
        self.executor.receive(text.as_bytes()).expect("a frame");
    }

    /// The director's next message.
    pub fn say(&mut self, message: &str) {
        self.seq += 1;
        let frame =
            format!(r#"{{"epoch":{},"seq":{},"ack":{},"message":{message}}}"#, self.epoch, self.seq, self.heard);
        self.frame(&frame);
    }

    /// A walk of anna's.
    pub fn execute(&mut self, step: u32, version: u32, start: Tick, duration: Tick, late: u32) {
        self.say(&execute(step, version, start, duration, late, "[]"));
    }

    /// One frame of the game.
    pub fn tick(&mut self, tick: Tick) {
        self.executor.tick(tick, &mut self.game);
        self.flush(tick);
    }

    /// Each of these ticks.
    pub fn ticks(&mut self, ticks: impl IntoIterator<Item = Tick>) {
        ticks.into_iter().for_each(|tick| self.tick(tick));
    }

    pub fn flush(&mut self, tick: Tick) {
        let mut lines = Vec::new();
        self.executor.poll(&mut |bytes| lines.push(String::from_utf8(bytes.to_vec()).expect("JSON is text")));
        let happened = self.game.take_transcript();
        if !lines.is_empty() || !happened.is_empty() {
            writeln!(self.log, "-- tick {tick}").expect("text");
        }
        happened.iter().for_each(|happening| writeln!(self.log, "* {happening}").expect("text"));
        for line in lines {
            let frame: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            self.heard = self.heard.max(frame["seq"].as_u64().expect("a number"));
            writeln!(self.log, "> {line}").expect("text");
        }
    }

    /// What was said and done since this was last asked.
    pub fn log(&mut self) -> String {
        std::mem::take(&mut self.log)
    }

    /// The whole table of tasks, as text.
    pub fn table(&self) -> String {
        self.executor.task_table().iter().fold(String::new(), |mut text, record| {
            writeln!(text, "{}", serde_json::to_string(record).expect("JSON")).expect("text");
            text
        })
    }
}

pub fn execute(step: u32, version: u32, start: Tick, duration: Tick, late: u32, guards: &str) -> String {
    format!(
        r#"{{"execute":{{"task":{{"step":{step},"part":0}},"version":{version},"start":{start},"duration":{duration},"action":0,"actuator":1,"params":[2,3],"guards":{guards},"late":{{"most":{late}}},"reads":[],"every":0,"question":null}}}}"#
    )
}

pub fn cancel(step: u32, version: u32) -> String {
    format!(r#"{{"cancel":{{"task":{{"step":{step},"part":0}},"version":{version}}}}}"#)
}
