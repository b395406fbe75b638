//! `dramaturg serve` as a process of its own, that can be killed and started again.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Stage;

/// How long anything may take on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const DRILL: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator }
object ann, bob: Actor
action beat(who: Actor) { takes 4 ticks; uses who.hands; late 3 ticks }
";

pub struct Serving {
    pub child: Child,
    pub address: String,
    /// What it told once it listened.
    pub told: serde_json::Value,
}

impl Serving {
    /// Serves `drill.story` of a folder.
    pub fn start(stage: &Stage, listen: &str, args: &[&str]) -> Self {
        let gap: &[&str] = if args.contains(&"--gap") { &[] } else { &["--gap", "6"] };
        let start = [&["serve", "drill.story", "--listen", listen, "--json"], gap].concat();
        let mut command = stage.command(&[&start[..], args].concat());
        let log = File::options().append(true).create(true).open(stage.path("serve.log")).expect("a log");
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it tells where it listens");
        let told: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let address = told["address"].as_str().expect("an address").to_owned();
        Self { child, address, told }
    }

    pub fn http(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("asked");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("answered");
        text
    }

    /// SIGKILL: it can do nothing more.
    pub fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// SIGTERM; the code that it ended with.
    pub fn terminate(&mut self) -> Option<i32> {
        let killed = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        ended(&mut self.child)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The code that a program ends with, if it ends in time.
pub fn ended(child: &mut Child) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return status.code();
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}
