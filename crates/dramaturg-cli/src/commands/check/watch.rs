//! Checking again whenever a file changes.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use notify::{Config, Event, PollWatcher, RecommendedWatcher, RecursiveMode, Watcher};

use super::Check;
use super::one::Checked;
use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count};
use crate::style::{DIM, TYPED};

/// Editors write a file in several moves; this long after the last of them it is looked at.
const SETTLED: Duration = Duration::from_millis(60);

/// Where the system cannot tell of changes, files are looked at this often.
const POLLED: Duration = Duration::from_millis(400);

/// Checks, waits for a change, and checks again, until the program is stopped or nobody reads it any more.
pub fn watch(check: &Check, shell: &mut Shell) -> Result<Exit, Failure> {
    let (mut watcher, changes) = watcher()?;
    let mut folders = BTreeSet::new();
    // Before the first check, so that no change falls between the two.
    follow(watcher.as_mut(), &mut folders, check.paths.iter().map(PathBuf::as_path))?;
    loop {
        let result = check.check_all();
        if shell.is_terminal {
            // Clears what is seen and leaves what was scrolled away.
            write!(shell.out, "\u{1b}[2J\u{1b}[H")?;
        }
        match result {
            Ok(checked) => {
                check.report(shell, &checked, true)?;
                let files = checked.iter().flat_map(|one: &Checked| one.sources.iter());
                let paths: Vec<PathBuf> = files.map(|(_, file)| PathBuf::from(&file.path)).collect();
                follow(watcher.as_mut(), &mut folders, paths.iter().map(PathBuf::as_path))?;
                if !shell.json {
                    let files = count(paths.len(), "file");
                    writeln!(shell.out, "{DIM}watching {files}; {DIM:#}{TYPED}Ctrl-C{TYPED:#}{DIM} ends it{DIM:#}\n")?;
                }
            }
            // A file that is being written may be gone for a moment: that ends nothing.
            Err(failure) => {
                shell.fail(&failure);
            }
        }
        shell.out.flush()?;
        if !wait(&changes) {
            return Ok(Exit::Fine);
        }
    }
}

type Changes = Receiver<notify::Result<Event>>;

fn watcher() -> Result<(Box<dyn Watcher>, Changes), Failure> {
    let (sender, changes) = mpsc::channel();
    if let Ok(watcher) = RecommendedWatcher::new(sender.clone(), Config::default()) {
        return Ok((Box::new(watcher), changes));
    }
    let config = Config::default().with_poll_interval(POLLED).with_compare_contents(true);
    let watcher = PollWatcher::new(sender, config)
        .map_err(|error| Failure::trouble(format!("cannot watch for changes: {error}")))?;
    Ok((Box::new(watcher), changes))
}

/// Watches the folders of these files: a file that is replaced as a whole would be lost.
fn follow<'p>(
    watcher: &mut dyn Watcher,
    folders: &mut BTreeSet<PathBuf>,
    paths: impl Iterator<Item = &'p Path>,
) -> Result<(), Failure> {
    for path in paths {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if folder.is_dir() && folders.insert(folder.to_owned()) {
            let told = |error| Failure::trouble(format!("cannot watch `{}`: {error}", folder.display()));
            watcher.watch(folder, RecursiveMode::NonRecursive).map_err(told)?;
        }
    }
    Ok(())
}

/// Waits until something has changed and is at rest; false when nothing will ever be told again.
fn wait(changes: &Changes) -> bool {
    loop {
        match changes.recv() {
            Ok(event) if matters(&event) => break,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    loop {
        match changes.recv_timeout(SETTLED) {
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return true,
            Err(RecvTimeoutError::Disconnected) => return false,
        }
    }
}

/// Reading a file is an event too, and we read them all.
fn matters(event: &notify::Result<Event>) -> bool {
    let Ok(event) = event else { return true };
    let ours = |path: &PathBuf| {
        path.extension()
            .is_none_or(|extension| ["story", "play", "pddl", "ftl"].iter().any(|known| extension == *known))
    };
    !event.kind.is_access() && event.paths.iter().any(ours)
}
