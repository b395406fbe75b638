//! A game within the test, over a real socket.

use std::thread;
use std::time::{Duration, Instant};

use dramaturg_executor::scripted::{Happening, What};
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::link::{AnyLink, LinkError, LinkOptions, TcpLink, WebSocketLink};
use dramaturg_wire::{Codec, FaultCode};

use super::serving::PATIENCE;

/// A game that ticks 60 times a second.
pub struct Player {
    pub executor: Executor,
    pub game: ScriptedGame,
    pub link: AnyLink,
    pub tick: i64,
    pub seen: Vec<Happening>,
}

impl Player {
    pub fn new(address: &str, codec: Codec, options: ExecutorOptions) -> Self {
        let executor = Executor::new(ExecutorOptions { game: "test".to_owned(), codec, ..options });
        Self { executor, game: ScriptedGame::new(), link: link(address, codec), tick: 0, seen: Vec::new() }
    }

    pub fn frame(&mut self) -> Result<(), LinkError> {
        thread::sleep(Duration::from_micros(16_667));
        self.tick += 1;
        let went = self.executor.frame(self.tick, &mut self.game, &mut self.link);
        self.seen.extend(self.game.take_transcript());
        went
    }

    /// Ticks until something is so; false: it never was.
    pub fn until(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let went = self.frame();
            if is_so(self) {
                return true;
            }
            if went.is_err() {
                return false;
            }
        }
        false
    }

    pub fn starts(&self) -> usize {
        self.seen.iter().filter(|seen| matches!(seen.what, What::Started { .. })).count()
    }

    pub fn on_time(&self) -> usize {
        self.seen.iter().filter(|seen| matches!(seen.what, What::Started { late: 0, .. })).count()
    }

    pub fn faults(&self) -> Vec<FaultCode> {
        let fault = |seen: &Happening| match &seen.what {
            What::Fault(fault) => Some(fault.code),
            _ => None,
        };
        self.seen.iter().filter_map(fault).collect()
    }
}

pub fn link(address: &str, codec: Codec) -> AnyLink {
    let options = LinkOptions::new(codec);
    match codec {
        Codec::Binary => TcpLink::connect(address, options).expect("connected").into(),
        Codec::Json => WebSocketLink::connect(address, options).expect("connected").into(),
    }
}

pub fn story(name: &str) -> ExecutorOptions {
    ExecutorOptions { story: Some(name.to_owned()), ..ExecutorOptions::default() }
}
