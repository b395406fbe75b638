//! A whole command, from its start to its end, with a limit.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How a command went.
#[derive(Clone, Debug)]
pub struct Ran {
    /// From its start to its end.
    pub time: Duration,
    /// Its exit code; none if it was ended, or could not be run.
    pub code: Option<i32>,
    /// What it wrote to its standard output.
    pub said: String,
    /// The most memory that it was seen to hold, where the system tells.
    pub kilobytes: Option<u64>,
}

/// How long to wait between two looks.
const PAUSE: Duration = Duration::from_micros(500);

/// Runs a command in a folder; after the limit it is ended with all that it has started.
pub fn run(mut command: Command, folder: &Path, limit: Duration) -> std::io::Result<Ran> {
    let said = folder.join("said.txt");
    command.current_dir(folder).stdin(Stdio::null()).stdout(File::create(&said)?).stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let begun = Instant::now();
    let mut child = command.spawn()?;
    let mut kilobytes = None;
    let status = loop {
        kilobytes = kilobytes.max(held(child.id()));
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begun.elapsed() >= limit {
            end(&mut child)?;
            break None;
        }
        std::thread::sleep(PAUSE);
    };
    let time = begun.elapsed();
    let code = status.and_then(|status| status.code());
    let bytes = fs::read(&said)?;
    Ok(Ran { time, code, said: String::from_utf8_lossy(&bytes).into_owned(), kilobytes })
}

/// Ends a process and those that it has started.
fn end(child: &mut Child) -> std::io::Result<()> {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        Command::new("kill").args(["-9", "--", &group]).stderr(Stdio::null()).status()?;
    }
    // Where there are no groups, at least itself; that it has ended by now is no error.
    let _ = child.kill();
    child.wait().map(|_| ())
}

/// The most memory that a process has held so far.
fn held(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
