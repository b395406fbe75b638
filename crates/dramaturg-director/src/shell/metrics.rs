//! What a server shows of itself to those who watch it.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use dramaturg_wire::Outcome;
use dramaturg_wire::link::HttpAnswer;

use crate::event::EventKind;

/// Counts of a server, in Prometheus's text form under `/metrics`.
#[derive(Debug, Default)]
pub struct Metrics {
    pub(crate) sessions: AtomicU64,
    pub(crate) connected: AtomicU64,
    pub(crate) preparing: AtomicU64,
    pub(crate) sessions_begun: AtomicU64,
    pub(crate) restored: AtomicU64,
    pub(crate) frames_received: AtomicU64,
    pub(crate) frames_sent: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) faults: AtomicU64,
    pub(crate) panics: AtomicU64,
    pub(crate) lost: AtomicU64,
    pub(crate) resent: AtomicU64,
    turn_micros_max: AtomicU64,
    tasks: AtomicU64,
    on_time: AtomicU64,
    late: AtomicU64,
    missed: AtomicU64,
    rejected: AtomicU64,
    journal_troubles: AtomicU64,
}

impl Metrics {
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn set(gauge: &AtomicU64, value: u64) {
        gauge.store(value, Ordering::Relaxed);
    }

    /// A turn of the server's own thread has used so many microseconds of a core.
    pub(crate) fn turned(&self, micros: u64) {
        self.turn_micros_max.fetch_max(micros, Ordering::Relaxed);
    }

    /// Something happened in a session.
    pub(crate) fn hear(&self, kind: &EventKind) {
        let counter = match kind {
            EventKind::Dispatched { .. } => &self.tasks,
            EventKind::Status { outcome: Outcome::Started { late: 0 }, .. } => &self.on_time,
            EventKind::Status { outcome: Outcome::Started { .. }, .. } => &self.late,
            EventKind::Status { outcome: Outcome::Missed { .. }, .. } => &self.missed,
            EventKind::Late { policy, .. } if policy != "send" => &self.missed,
            EventKind::Rejected { .. } => &self.rejected,
            EventKind::Fault { .. } => &self.faults,
            EventKind::Journal { notice } if notice.is_trouble() => &self.journal_troubles,
            _ => return,
        };
        Self::add(counter, 1);
    }

    /// How many sessions there are, connected or waiting for their game to come back.
    pub fn sessions(&self) -> u64 {
        self.sessions.load(Ordering::Relaxed)
    }

    /// All of it in Prometheus's text form.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let rows = [
            ("sessions", "gauge", "Sessions, connected or waiting for their game to come back.", &self.sessions),
            ("sessions_connected", "gauge", "Sessions whose game is connected.", &self.connected),
            ("stories_preparing", "gauge", "Stories that cannot be played yet.", &self.preparing),
            ("sessions_begun_total", "counter", "Sessions that have begun.", &self.sessions_begun),
            ("sessions_restored_total", "counter", "Sessions that went on from their journals.", &self.restored),
            (
                "journal_troubles_total",
                "counter",
                "Troubles with journals, such as a full disk.",
                &self.journal_troubles,
            ),
            ("frames_received_total", "counter", "Frames that came from games.", &self.frames_received),
            ("frames_sent_total", "counter", "Frames that went to games.", &self.frames_sent),
            ("frames_resent", "gauge", "Frames that had to be sent again, in all sessions.", &self.resent),
            ("tasks_total", "counter", "Tasks that were sent.", &self.tasks),
            ("tasks_on_time_total", "counter", "Tasks that started in their tick.", &self.on_time),
            ("tasks_late_total", "counter", "Tasks that started later.", &self.late),
            ("tasks_missed_total", "counter", "Tasks that were too late to start, and recorded as such.", &self.missed),
            ("tasks_lost", "gauge", "Steps whose time came and that were neither sent nor recorded.", &self.lost),
            ("plans_rejected_total", "counter", "Plans that were not taken over.", &self.rejected),
            ("links_refused_total", "counter", "Links that were turned away.", &self.refused),
            ("faults_total", "counter", "Faults that games were told.", &self.faults),
            (
                "turn_cpu_microseconds_max",
                "gauge",
                "The most time of a core that one turn of all sessions has used: so long one held up the others.",
                &self.turn_micros_max,
            ),
            ("sessions_panicked_total", "counter", "Sessions that a bug of ours ended.", &self.panics),
        ];
        for (name, kind, help, value) in rows {
            let value = value.load(Ordering::Relaxed);
            // Writing to memory does not fail.
            let _ = writeln!(
                text,
                "# HELP dramaturg_{name} {help}\n# TYPE dramaturg_{name} {kind}\ndramaturg_{name} {value}"
            );
        }
        text
    }

    /// Answers `/health` and `/metrics`.
    pub fn answer(&self, path: &str) -> Option<HttpAnswer> {
        match path {
            "/health" => {
                // Whatever is ready can be played meanwhile, so this is no failure.
                let body = if self.preparing.load(Ordering::Relaxed) > 0 { "preparing\n" } else { "ok\n" };
                Some(HttpAnswer { content_type: "text/plain; charset=utf-8".to_owned(), body: body.to_owned() })
            }
            "/metrics" => Some(HttpAnswer {
                content_type: "text/plain; version=0.0.4; charset=utf-8".to_owned(),
                body: self.text(),
            }),
            _ => None,
        }
    }
}
