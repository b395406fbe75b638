//! What became of every task of many sessions, as their directors tell it.

use std::collections::HashMap;

use dramaturg_director::{Event, EventKind};
use dramaturg_model::Tick;
use dramaturg_wire::Outcome;
use serde::Serialize;

use super::pulse::ticks;

/// What is known of one task.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    /// When it was published, by the later bound of the game's clock.
    published: Option<Tick>,
    /// How many ticks before its start it was in the plan.
    planned_lead: Tick,
    /// When it is to start, once it was sent.
    start: Option<Tick>,
    /// How many ticks before its start the game had it.
    arrived_lead: Option<Tick>,
    end: End,
}

/// How it ended, or began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum End {
    /// Nobody has said anything.
    #[default]
    Unsaid,
    /// So many ticks late.
    Started(Tick),
    /// It came too late to start, and the executor or the dispatcher said so.
    Missed,
    /// It was taken back, or something did not hold, and the executor said so.
    Refused,
}

/// When tasks are to start, as they were written down.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// The first starts in this tick or soon after.
    pub from: Tick,
    /// Each starts within so many ticks, after those of the one before.
    pub between: Tick,
    /// The games end in this tick.
    pub end: Tick,
}

/// Follows the tasks of many sessions, by the name of the session and the number of the step.
#[derive(Debug)]
pub struct Fates {
    tasks: usize,
    stretch: Stretch,
    sessions: HashMap<String, Vec<Fate>>,
}

/// What became of all tasks.
#[derive(Clone, Debug, Serialize)]
pub struct FateFigures {
    /// Tasks that the game had a second before their start, or earlier.
    pub ahead: FateRow,
    /// Tasks that it had later than that.
    pub short: FateRow,
    /// Tasks that it never had.
    pub absent: FateRow,
    /// Tasks that did not start though they stood in the plan a second before, or earlier.
    pub never_though_planned: u64,
    /// Tasks that did not start because they were taken back or something did not hold.
    pub refused: u64,
    /// Tasks that did not start, and nobody said so.
    pub unsaid: u64,
    /// Of those, the ones that were to start after the games had ended.
    pub after_end: u64,
    /// Tasks that the planner moved to a later tick before they were sent; in their tick means in that one.
    pub moved: u64,
    /// By how many ticks the one that it moved furthest.
    pub moved_ticks_max: Tick,
    /// Tasks in a hundred that started, session by session.
    pub started_percent: Shares,
    /// Tasks in a hundred that started in their tick, session by session.
    pub on_time_percent: Shares,
}

/// What became of some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FateRow {
    /// How many there are.
    pub tasks: u64,
    /// Those that started in their tick.
    pub on_time: u64,
    /// Those that started later, and were reported so.
    pub late: u64,
    /// How many ticks late half of the late ones were at most.
    pub late_ticks_p50: Tick,
    /// The same for 99 of 100.
    pub late_ticks_p99: Tick,
    /// The latest.
    pub late_ticks_max: Tick,
    /// Those that did not start.
    pub never: u64,
}

/// How a share is spread over sessions, in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Shares {
    /// Half of the sessions have at least this.
    pub median: f64,
    /// 99 of 100 sessions have at least this.
    pub p1: f64,
    /// The session that has least.
    pub worst: f64,
}

impl Fates {
    /// Each session has so many tasks, numbered from 0.
    pub fn new(tasks: usize, stretch: Stretch) -> Self {
        Self { tasks, stretch, sessions: HashMap::new() }
    }

    /// By how many ticks the planner moved a task that was sent, at least.
    fn moved(&self, number: usize, fate: &Fate) -> Tick {
        let Stretch { from, between, .. } = self.stretch;
        let last = from + (number as Tick + 1) * between - 1;
        fate.start.map_or(0, |start| (start - last).max(0))
    }

    /// Something happened in a session.
    pub fn hear(&mut self, session: &str, event: &Event) {
        match &event.kind {
            EventKind::Published { put, .. } => {
                for step in put {
                    let most = event.now.most;
                    self.fate(session, *step, |fate| fate.published = fate.published.or(Some(most)));
                }
            }
            EventKind::Dispatched { task, start, .. } => self.fate(session, task.step, |fate| {
                fate.planned_lead = start.saturating_sub(fate.published.unwrap_or(*start));
                fate.start = Some(*start);
            }),
            EventKind::Late { step, start, policy } if policy != "send" => self.fate(session, *step, |fate| {
                fate.planned_lead = start.saturating_sub(fate.published.unwrap_or(*start));
                fate.end = End::Missed;
            }),
            EventKind::Status { task, tick, outcome } => self.fate(session, task.step, |fate| match outcome {
                // By the game's own clock: what the director believed may have been wrong.
                Outcome::Accepted => fate.arrived_lead = fate.start.map(|start| start.saturating_sub(*tick)),
                Outcome::Started { late } => fate.end = End::Started(*late),
                Outcome::Missed { .. } => fate.end = End::Missed,
                // What has started does not become what never did.
                _ if outcome.is_final() && fate.end == End::Unsaid => fate.end = End::Refused,
                _ => {}
            }),
            _ => {}
        }
    }

    fn fate(&mut self, session: &str, step: u32, change: impl FnOnce(&mut Fate)) {
        if !self.sessions.contains_key(session) {
            self.sessions.insert(session.to_owned(), vec![Fate::default(); self.tasks]);
        }
        let fates = self.sessions.get_mut(session);
        if let Some(fate) = fates.and_then(|fates| fates.get_mut(step as usize)) {
            change(fate);
        }
    }

    /// What became of all of them.
    pub fn figures(&self) -> FateFigures {
        let all = || self.sessions.values().flatten();
        let second = ticks(1);
        let share = |part: fn(&Fate) -> bool| {
            let of = |fates: &Vec<Fate>| fates.iter().filter(|fate| part(fate)).count() as f64 * 100.0;
            Shares::of(self.sessions.values().map(|fates| of(fates) / self.tasks.max(1) as f64).collect())
        };
        let is_ahead = |fate: &&Fate| fate.arrived_lead.is_some_and(|lead| lead >= second);
        let is_short = |fate: &&Fate| fate.arrived_lead.is_some_and(|lead| lead < second);
        let numbered = || self.sessions.values().flat_map(|fates| fates.iter().enumerate());
        let moves = || numbered().map(|(number, fate)| self.moved(number, fate));
        let is_after = |fate: &&Fate| fate.start.is_some_and(|start| start >= self.stretch.end);
        let has_started = |fate: &Fate| matches!(fate.end, End::Started(_));
        FateFigures {
            ahead: FateRow::of(all().filter(is_ahead)),
            short: FateRow::of(all().filter(is_short)),
            absent: FateRow::of(all().filter(|fate| fate.arrived_lead.is_none())),
            never_though_planned: all().filter(|fate| !has_started(fate) && fate.planned_lead >= second).count() as u64,
            refused: all().filter(|fate| fate.end == End::Refused).count() as u64,
            unsaid: all().filter(|fate| fate.end == End::Unsaid).count() as u64,
            after_end: all().filter(|fate| fate.end == End::Unsaid).filter(is_after).count() as u64,
            moved: moves().filter(|by| *by > 0).count() as u64,
            moved_ticks_max: moves().max().unwrap_or(0),
            started_percent: share(has_started),
            on_time_percent: share(|fate| fate.end == End::Started(0)),
        }
    }
}

impl FateRow {
    fn of<'f>(fates: impl Iterator<Item = &'f Fate>) -> Self {
        let (mut row, mut late) = (Self::default(), Vec::new());
        for fate in fates {
            row.tasks += 1;
            match fate.end {
                End::Started(0) => row.on_time += 1,
                End::Started(by) => late.push(by),
                End::Unsaid | End::Missed | End::Refused => row.never += 1,
            }
        }
        late.sort_unstable();
        let at = |part: usize| late.get((late.len() * part).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0);
        Self { late: late.len() as u64, late_ticks_p50: at(50), late_ticks_p99: at(99), late_ticks_max: at(100), ..row }
    }
}

impl Shares {
    fn of(mut shares: Vec<f64>) -> Self {
        shares.sort_by(f64::total_cmp);
        let at = |place: usize| shares.get(place).copied().unwrap_or(0.0);
        Self { median: at(shares.len() / 2), p1: at(shares.len() / 100), worst: at(0) }
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_planner::planner::TickBounds;
    use dramaturg_wire::Task;

    use super::*;

    fn event(now: Tick, kind: EventKind) -> Event {
        Event { number: 0, now: TickBounds::exactly(now), kind }
    }

    fn published(now: Tick, put: Vec<u32>) -> Event {
        let (removed, reason) = (Vec::new(), String::new());
        event(now, EventKind::Published { version: 1, put, removed, complete: true, valid_until: None, reason })
    }

    fn dispatched(step: u32, start: Tick, lead: Tick) -> Event {
        let (action, args) = ("greet".to_owned(), Vec::new());
        let task = Task { step, part: 0 };
        let kind = EventKind::Dispatched { task, version: 1, action, args, start, duration: 1, lead, guards: 0 };
        event(start - lead, kind)
    }

    fn status(step: u32, outcome: Outcome) -> Event {
        event(0, EventKind::Status { task: Task { step, part: 0 }, tick: 0, outcome })
    }

    fn accepted(step: u32, tick: Tick) -> Event {
        event(tick, EventKind::Status { task: Task { step, part: 0 }, tick, outcome: Outcome::Accepted })
    }

    #[test]
    fn tasks_are_told_apart_by_when_the_game_had_them() {
        let mut fates = Fates::new(4, Stretch { from: 100, between: 100, end: 1_000 });
        fates.hear("a", &published(0, vec![0, 1, 2, 3]));
        for told in [
            dispatched(0, 100, 70),
            accepted(0, 31),
            status(0, Outcome::Started { late: 0 }),
            status(0, Outcome::Finished),
            dispatched(1, 200, 70),
            accepted(1, 140),
            status(1, Outcome::Started { late: 7 }),
            dispatched(2, 300, 70),
            accepted(2, 290),
            status(2, Outcome::Missed { by: 40 }),
            event(400, EventKind::Late { step: 3, start: 390, policy: "retime".to_owned() }),
        ] {
            fates.hear("a", &told);
        }
        fates.hear("b", &published(0, vec![0]));
        let found = fates.figures();
        assert_eq!((found.ahead.tasks, found.ahead.on_time, found.ahead.late, found.ahead.never), (2, 1, 1, 0));
        assert_eq!((found.ahead.late_ticks_p50, found.ahead.late_ticks_max), (7, 7));
        assert_eq!((found.short.tasks, found.short.never), (1, 1));
        assert_eq!((found.absent.tasks, found.absent.never), (5, 5));
        assert_eq!(found.never_though_planned, 2, "one was missed, one was not sent");
        assert_eq!(found.unsaid, 4, "nothing is said of the other session's");
        assert_eq!((found.started_percent.worst, found.started_percent.median), (0.0, 50.0));
        assert_eq!(found.on_time_percent.median, 25.0);
        assert_eq!((found.moved, found.moved_ticks_max, found.after_end), (0, 0, 0));
        fates.hear("b", &dispatched(3, 1_000, 5));
        let found = fates.figures();
        assert_eq!((found.moved, found.moved_ticks_max, found.after_end), (1, 501, 1));
    }
}
