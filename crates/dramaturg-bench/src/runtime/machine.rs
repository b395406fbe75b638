//! What the machine was doing meanwhile: figures of a busy one are not those of an idle one.

use std::fs;
use std::thread::available_parallelism;

use serde::Serialize;

/// The machine that measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Machine {
    /// How many cores this process may use.
    pub cores: usize,
    /// How many processes wanted to run before anything was measured, on average over a minute; none where the system does not tell.
    pub load_before: Option<f64>,
    /// The same afterwards, the measurement itself included.
    pub load_after: Option<f64>,
}

impl Machine {
    /// As it is before anything is measured.
    pub fn before() -> Self {
        Self { cores: available_parallelism().map_or(1, usize::from), load_before: load(), load_after: None }
    }

    /// Looks again.
    pub fn look_again(&mut self) {
        self.load_after = load();
    }
}

fn load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// How many bytes of memory this process occupies; none where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// How many seconds of a core this process has used; none where the system does not tell.
pub fn core_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name in brackets may hold blanks; what follows it does not. Times are in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}
