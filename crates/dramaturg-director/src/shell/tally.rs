//! What came of a session, added up from its events.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use dramaturg_wire::{Outcome, Task, Tick};
use serde::Serialize;

use crate::core::Core;
use crate::event::{Event, EventKind};

/// More failures than this do not wait for their repair to be measured.
const FAILURES_MAX: usize = 1024;
/// Lateness beyond this is counted as this.
const LATENESS_MAX: Tick = 1000;

/// What came of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// Tasks whose time has come, whatever became of them; those that a step holds several actuators with count each.
    pub tasks: u64,
    /// Tasks that started in their tick.
    pub on_time: u64,
    /// Tasks that started later.
    pub late: u64,
    /// Tasks that did not start because it was too late, and that were recorded as such.
    pub missed: u64,
    /// Steps that were published, came to their time, and were neither sent nor recorded.
    pub lost: u64,
    /// Steps that were not sent because a condition did not hold.
    pub blocked: u64,
    /// Tasks that the game refused to start: a guard did not hold, they were taken back, or nobody knows.
    pub refused: u64,
    /// Tasks that were sent and have not started yet.
    pub waiting: u64,
    /// Tasks that ended as planned.
    pub finished: u64,
    /// Tasks that failed after they had started.
    pub failed: u64,
    /// How many ticks before its start a task was sent, on average.
    pub lock_lead_ticks_mean: Option<f64>,
    /// How many ticks after a failure its repair started, on average.
    pub reaction_ticks_mean: Option<f64>,
    /// The longest of those.
    pub reaction_ticks_max: Option<Tick>,
    /// How many tasks started how many ticks late.
    pub lateness_ticks: BTreeMap<Tick, u64>,
    /// How many ticks the game's clock was uncertain by, on average.
    pub clock_width_ticks_mean: Option<f64>,
    /// The most it was uncertain by.
    pub clock_width_ticks_max: Tick,
    /// How often the clock began anew.
    pub clock_relocks: u64,
    /// Frames that the director sent again.
    pub resent: u64,
    /// Plans that were published.
    pub published: u64,
    /// Plans that were not taken over.
    pub rejected: u64,
    /// Texts that were shown.
    pub lines: u64,
}

/// Adds up events as they come.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    figures: Figures,
    sent: u64,
    leads: i64,
    reactions: (u64, Tick),
    widths: (u64, Tick),
    /// Steps that are blocked and not sent.
    blocked: BTreeSet<u32>,
    repairs_from: Option<u32>,
    /// What is with the game, with its words: only while repairs are measured.
    out: BTreeMap<u32, Words>,
    /// What failed and when, until its repair is sent.
    failures: VecDeque<(Words, Tick)>,
    /// Repairs that were sent, with when it went wrong.
    repairs: BTreeMap<u32, Tick>,
}

/// An action with its objects.
type Words = (String, Vec<String>);

impl Tally {
    /// Nothing yet. Steps from this id on are repairs.
    pub fn new(repairs_from: Option<u32>) -> Self {
        Self { repairs_from, ..Self::default() }
    }

    /// Something happened.
    pub fn hear(&mut self, event: &Event) {
        let width = event.now.most.saturating_sub(event.now.least);
        match &event.kind {
            EventKind::Published { .. } => self.figures.published += 1,
            EventKind::Rejected { .. } => self.figures.rejected += 1,
            EventKind::ClockRelocked { .. } => self.figures.clock_relocks += 1,
            EventKind::Line { .. } => self.figures.lines += 1,
            EventKind::Locked { step, .. } => {
                self.blocked.remove(step);
            }
            EventKind::Blocked { step, .. } => {
                self.blocked.insert(*step);
            }
            EventKind::Late { step, policy, .. } if policy != "send" => {
                if self.blocked.remove(step) {
                    self.figures.blocked += 1;
                } else {
                    self.figures.missed += 1;
                }
                self.figures.tasks += 1;
            }
            EventKind::Dispatched { task, action, args, lead, .. } => {
                self.sent += 1;
                self.leads = self.leads.saturating_add(*lead);
                self.widths.0 += 1;
                self.widths.1 = self.widths.1.saturating_add(width);
                self.figures.clock_width_ticks_max = self.figures.clock_width_ticks_max.max(width);
                self.note_sent(*task, action, args);
            }
            EventKind::Status { task, tick, outcome } => self.status(*task, *tick, outcome),
            _ => {}
        }
    }

    /// Whether a task has started.
    pub fn has_started(&self) -> bool {
        self.figures.on_time + self.figures.late > 0
    }

    fn note_sent(&mut self, task: Task, action: &str, args: &[String]) {
        let Some(first) = self.repairs_from else { return };
        let words = (action.to_owned(), args.to_vec());
        if task.step >= first
            && task.part == 0
            && let Some(at) = self.failures.iter().position(|(failed, _)| *failed == words)
            && let Some((_, tick)) = self.failures.remove(at)
        {
            self.repairs.insert(task.step, tick);
        }
        self.out.insert(task.step, words);
    }

    fn status(&mut self, task: Task, tick: Tick, outcome: &Outcome) {
        let figures = &mut self.figures;
        match outcome {
            Outcome::Started { late } => {
                if *late == 0 {
                    figures.on_time += 1;
                } else {
                    figures.late += 1;
                }
                *figures.lateness_ticks.entry((*late).min(LATENESS_MAX)).or_default() += 1;
                if let Some(wrong) = self.repairs.remove(&task.step) {
                    let took = tick.saturating_sub(wrong);
                    self.reactions = (self.reactions.0 + 1, self.reactions.1.saturating_add(took));
                    figures.reaction_ticks_max = figures.reaction_ticks_max.max(Some(took));
                }
            }
            Outcome::Finished => figures.finished += 1,
            Outcome::Failed { .. } => figures.failed += 1,
            Outcome::Missed { .. } => figures.missed += 1,
            Outcome::GuardFailed { .. } | Outcome::Cancelled | Outcome::Unknown => figures.refused += 1,
            Outcome::Accepted | Outcome::Progress { .. } | Outcome::Amended { .. } => {}
        }
        if outcome.is_final()
            && let Some(words) = self.out.remove(&task.step)
            && *outcome != Outcome::Finished
        {
            if self.failures.len() >= FAILURES_MAX {
                self.failures.pop_front();
            }
            self.failures.push_back((words, tick));
        }
    }

    /// The figures so far, with what is on the board.
    pub fn figures(&self, core: &Core) -> Figures {
        let mut figures = self.figures.clone();
        let (last, mut lost) = (core.clock.last_tick(), 0);
        for (id, entry) in core.board().entries() {
            if !entry.is_locked() && entry.step.start < last {
                if self.blocked.contains(id) || entry.blocked.is_some() {
                    figures.blocked += 1;
                } else {
                    lost += 1;
                }
                figures.tasks += 1;
            }
            let waits = |outcome: &Option<Outcome>| matches!(outcome, None | Some(Outcome::Accepted));
            figures.waiting +=
                entry.parts.iter().filter(|part| entry.is_locked() && waits(&part.outcome)).count() as u64;
        }
        figures.lost = lost;
        figures.tasks += self.sent;
        figures.resent = core.resent();
        let mean = |sum: i64, count: u64| (count > 0).then(|| rounded(sum as f64 / count as f64));
        figures.lock_lead_ticks_mean = mean(self.leads, self.sent);
        figures.reaction_ticks_mean = mean(self.reactions.1, self.reactions.0);
        figures.clock_width_ticks_mean = mean(self.widths.1, self.widths.0);
        figures
    }
}

/// Three figures behind the point are enough.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use dramaturg_planner::planner::TickBounds;

    use super::*;

    #[test]
    fn so_many_failures_wait_for_their_repair_and_no_more() {
        let mut tally = Tally::new(Some(u32::MAX));
        let mut hear = |kind| tally.hear(&Event { number: 0, now: TickBounds::exactly(0), kind });
        for step in 0..2 * FAILURES_MAX as u32 {
            let task = Task { step, part: 0 };
            let (action, args) = ("beat".to_owned(), vec![format!("ann-{step}")]);
            hear(EventKind::Dispatched { task, version: 1, action, args, start: 1, duration: 1, lead: 1, guards: 0 });
            hear(EventKind::Status { task, tick: 1, outcome: Outcome::Missed { by: 1 } });
        }
        assert_eq!(tally.failures.len(), FAILURES_MAX);
        assert_eq!(tally.figures.missed, 2 * FAILURES_MAX as u64, "they are all counted");
        assert!(tally.out.is_empty());
    }
}
