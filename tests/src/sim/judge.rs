//! What must be true when everything has come to rest.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_director::EventKind;
use dramaturg_executor::Executor;
use dramaturg_wire::{Outcome, Task, TaskState};

use super::life::Life;

/// Whether nothing was lost, doubled, early or changed.
pub fn judge(life: &Life) -> Result<(), String> {
    let mut sent: BTreeMap<(Task, u32), i64> = BTreeMap::new();
    let mut ends: BTreeMap<(Task, u32), Vec<&Outcome>> = BTreeMap::new();
    let mut version_of: BTreeMap<Task, u32> = BTreeMap::new();
    for kind in life.statuses() {
        match kind {
            EventKind::Dispatched { task, version, start, .. } => {
                if sent.insert((*task, *version), *start).is_some() {
                    return Err(format!("{task:?} was sent twice as version {version}"));
                }
                if version_of.insert(*task, *version).is_some() && life.broken.is_none() {
                    return Err(format!("{task:?} was locked twice"));
                }
            }
            EventKind::Status { task, outcome, .. } if outcome.is_final() => {
                let version = version_of.get(task).copied().unwrap_or(0);
                ends.entry((*task, version)).or_default().push(outcome);
            }
            _ => {}
        }
    }
    // Every task that was sent ended in exactly one recorded way.
    for (key, start) in &sent {
        match ends.get(key).map(Vec::len) {
            Some(1) => {}
            count => {
                let found = ends.get(key);
                return Err(format!("{key:?} of tick {start} has {} ends: {found:?}", count.unwrap_or(0)));
            }
        }
    }
    // Nothing started twice, too early, or otherwise than it was sent.
    let mut started = BTreeSet::new();
    for start in &life.truth.starts {
        if !started.insert(start.task) {
            let all: Vec<_> = life.truth.starts.iter().filter(|other| other.task == start.task).collect();
            return Err(format!("started twice: {all:?}"));
        }
        if start.tick < start.planned {
            return Err(format!("started too early: {start:?}"));
        }
        match sent.get(&(start.task, start.version)) {
            Some(planned) if *planned == start.planned => {}
            other => return Err(format!("{start:?} was sent for {other:?}")),
        }
    }
    let anew = life.statuses().any(|kind| matches!(kind, EventKind::Connected { epoch: 2.., resumed: false, .. }));
    // Both sides agree on what became of each task.
    for ((task, _), outcomes) in &ends {
        let ran = started.contains(task);
        let finished = life.truth.finished.contains_key(task);
        for outcome in outcomes {
            let agrees = match outcome {
                Outcome::Finished => ran && finished,
                Outcome::Failed { .. } => ran && !finished,
                Outcome::Missed { .. } | Outcome::GuardFailed { .. } | Outcome::Cancelled => !ran,
                // Only a game that forgot something, or never heard that it has a session, leaves this open.
                Outcome::Unknown => life.totals.game_crashes > 0 || anew,
                _ => false,
            };
            if !agrees {
                return Err(format!("{task:?}: the director heard {outcome:?}, but ran is {ran}, finished {finished}"));
            }
        }
    }
    if life.is_watched() {
        watched(life)?;
    }
    // What was published before its time and never sent has a record of its own.
    Ok(())
}

/// The subscription runs once, whatever happened.
fn watched(life: &Life) -> Result<(), String> {
    let table = life.executor.as_ref().map(Executor::task_table).unwrap_or_default();
    let running = table.iter().filter(|record| record.task.is_subscription());
    let running = running.filter(|record| matches!(record.state, TaskState::Running(_))).count();
    if running == 1 { Ok(()) } else { Err(format!("{running} subscriptions run")) }
}
