//! The real program, run in a folder that vanishes with the test.
#![allow(dead_code, reason = "each test file uses its part of this")]

pub mod player;
pub mod serving;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A folder to run the program in.
pub struct Stage {
    folder: TempDir,
}

/// What the program did.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Stage {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// A folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let stage = Self::new();
        for (path, text) in files {
            stage.write(path, text);
        }
        stage
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("read")
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.folder.path()).args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(self.command(args).stdin(Stdio::null()).output().expect("the program runs"))
    }

    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Run {
        use std::io::Write;
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        child.stdin.take().expect("piped").write_all(input).expect("written");
        Run::of(child.wait_with_output().expect("the program ends"))
    }

    /// Runs with `--json`, and reads what comes.
    pub fn json(&self, args: &[&str]) -> (i32, serde_json::Value) {
        let run = self.run(&[args, &["--json"]].concat());
        let value = serde_json::from_str(&run.out);
        (run.code, value.unwrap_or_else(|error| panic!("{error} in {}\n{}", run.out, run.err)))
    }
}

impl Run {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it ended by itself"),
            out: normal(&String::from_utf8_lossy(&output.stdout)),
            err: normal(&String::from_utf8_lossy(&output.stderr)),
        }
    }
}

pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_dramaturg"))
}

/// Times differ from run to run; here they are all the same.
pub fn normal(text: &str) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find([' ', '(']) {
        let (before, after) = rest.split_at(at + 1);
        result.push_str(before);
        rest = after;
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let unit =
            ["µs", "ms"].iter().find(|unit| rest[digits..].strip_prefix(' ').is_some_and(|r| r.starts_with(**unit)));
        if let (Some(unit), true) = (unit, digits > 0) {
            result.push_str("TIME");
            rest = &rest[digits + 1 + unit.len()..];
        }
    }
    result + rest
}

/// A story with three faults of different kinds.
pub const FAULTY: &str = "story \"Kitchen\" { ticks 10 per s }
type Place
object kitchen, hall: Place
fluent here: Place = kitchen
fluent here: Place = hall
action go { takes 5 sec; then here = hal }
goal here == hall
";

/// A story without any.
pub const BELL: &str = "story \"Bell\" { ticks 10 per s }
fluent rung
action ring { takes 2 s; needs not rung; then rung; say \"It rings.\" }
rule answer { when rung; say \"Somebody opens a window.\" }
goal rung by 10 s
";

pub const LAMP_DOMAIN: &str = "(define (domain lamp) (:predicates (lit) (broken))
  (:action light :precondition (and (not (lit)) (not (broken))) :effect (lit)))
";

pub const LAMP_PROBLEM: &str = "(define (problem dusk) (:domain lamp) (:init) (:goal (lit)))
";
