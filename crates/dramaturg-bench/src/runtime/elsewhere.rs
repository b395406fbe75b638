//! Games in a process of their own, as games are.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use dramaturg_wire::link::LinkError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::flood::FloodOrder;
use super::games::GamesOrder;
use super::load::keep_busy;
use crate::memory::Memory;

/// Starts a process that calls [`play_as_told`](super::games::play_as_told), with its input and output piped.
pub type Spawn<'s> = dyn Fn() -> io::Result<Child> + 's;

/// What a process of games is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Many games.
    Crowd(GamesOrder),
    /// One game that starts very much.
    Flood(FloodOrder),
    /// No game at all: it keeps a core busy until its input ends.
    Busy,
}

/// What a process of games writes once all of them are in a session.
pub const READY: &str = "ready";

/// What a process of games does: reads its order as one line, plays, writes [`READY`] when all games are in a session and a report
/// in the end. It ends before its time when its input does.
pub fn play_as_told(memory: &(dyn Memory + Sync), output: &mut dyn Write) -> Result<(), LinkError> {
    let broken = |error: io::Error| LinkError::io("talking to the director's process", &error);
    let mut line = String::new();
    io::stdin().read_line(&mut line).map_err(broken)?;
    let order: Order = serde_json::from_str(&line)
        .map_err(|error| LinkError::Protocol(format!("the first line of the input must be an order: {error}")))?;
    let over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&over);
    thread::spawn(move || {
        // Nothing more is said, so this returns at the end.
        let _ = io::stdin().read_line(&mut String::new());
        told.store(true, Ordering::Relaxed);
    });
    let mut written = Ok(());
    let mut ready = || written = writeln!(output, "{READY}").and_then(|()| output.flush());
    let report = match order {
        Order::Crowd(order) => serde_json::to_string(&order.play(&mut ready, &over)?),
        Order::Flood(order) => serde_json::to_string(&order.play(memory, &mut ready, &over)?),
        Order::Busy => serde_json::to_string(&keep_busy(&mut ready, &over)),
    };
    written.map_err(broken)?;
    writeln!(output, "{}", report.unwrap_or_default()).and_then(|()| output.flush()).map_err(broken)
}

/// A process of games.
pub struct Games {
    child: Child,
    output: Option<BufReader<ChildStdout>>,
}

impl Games {
    /// Starts the process; it waits for its order.
    pub fn begin(spawn: &Spawn<'_>) -> Result<Self, LinkError> {
        let mut child = spawn().map_err(|error| LinkError::io("starting the games", &error))?;
        let output = child.stdout.take().map(BufReader::new);
        Ok(Self { child, output })
    }

    /// Lets it begin, and waits until every game is in a session.
    pub fn go(&mut self, order: &Order) -> Result<(), LinkError> {
        let mut line = serde_json::to_string(order).unwrap_or_default();
        line.push('\n');
        let input = self.child.stdin.as_mut();
        let told = input.map_or(Ok(()), |input| input.write_all(line.as_bytes()).and_then(|()| input.flush()));
        told.map_err(|error| LinkError::io("talking to the games", &error))?;
        match self.line()?.trim() {
            READY => Ok(()),
            other => Err(LinkError::Protocol(format!("the games did not connect: {other}"))),
        }
    }

    fn line(&mut self) -> Result<String, LinkError> {
        let mut line = String::new();
        let read = self.output.as_mut().map_or(Ok(0), |output| output.read_line(&mut line));
        match read {
            Ok(0) => Err(LinkError::Protocol("the games ended without a word".to_owned())),
            Ok(_) => Ok(line),
            Err(error) => Err(LinkError::io("hearing from the games", &error)),
        }
    }

    /// Waits for the end and reads what came of it; `each` is called again and again meanwhile.
    pub fn report<R: DeserializeOwned>(mut self, each: &mut dyn FnMut()) -> Result<R, LinkError> {
        loop {
            match self.child.try_wait() {
                Ok(Some(_)) => break,
                Ok(None) => thread::sleep(Duration::from_millis(100)),
                Err(error) => return Err(LinkError::io("waiting for the games", &error)),
            }
            each();
        }
        let line = self.line()?;
        serde_json::from_str(&line)
            .map_err(|error| LinkError::Protocol(format!("the games said `{}`: {error}", line.trim())))
    }

    /// Ends it before its time.
    pub fn end<R: DeserializeOwned>(mut self) -> Result<R, LinkError> {
        drop(self.child.stdin.take());
        self.report(&mut || {})
    }
}

impl Drop for Games {
    fn drop(&mut self) {
        // One that has ended already cannot be ended again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
