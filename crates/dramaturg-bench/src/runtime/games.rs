//! Many games at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::Tick;
use dramaturg_wire::link::{Link, LinkError, LinkOptions, TcpLink};
use serde::{Deserialize, Serialize};

use super::machine::core_seconds;
use super::pulse::{Beat, Pulse, RATE};
use super::punctual::{Punctual, Punctuality};
use super::waits::{WaitFigures, Waits};

/// Games do not tick all at the same moment: a tick's time is divided by this.
const GROUPS: usize = 16;
/// A game that has bidden goodbye goes on for at most so many ticks, to have heard everything.
const AFTER: Tick = 180;

/// How long games may take to connect.
const PATIENCE: Duration = Duration::from_secs(30);

/// What many games are to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GamesOrder {
    /// Where the director listens.
    pub address: String,
    /// How many games.
    pub games: usize,
    /// After how many ticks they end.
    pub ticks: Tick,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GamesReport {
    /// How many games there were.
    pub games: usize,
    /// How many of them a director answered.
    pub connected: usize,
    /// When their tasks started.
    #[serde(flatten)]
    pub punctuality: Punctuality,
    /// Games that had to give up.
    pub broken: usize,
    /// Why the first of them did.
    pub trouble: Option<String>,
    /// Cores that the process used on average.
    pub cores: Option<f64>,
    /// How long its threads waited for a core.
    pub waits: WaitFigures,
}

struct Player {
    executor: Executor,
    game: Punctual,
    /// None: it is over.
    link: Option<TcpLink>,
    bade: bool,
}

impl GamesOrder {
    /// Plays all games. `ready` is called once each of them is in a session; `over` ends them before their time.
    pub fn play(&self, ready: &mut dyn FnMut(), over: &AtomicBool) -> Result<GamesReport, LinkError> {
        let mut players = Vec::new();
        for _ in 0..self.games {
            players.push(Player {
                executor: Executor::new(ExecutorOptions::default()),
                game: Punctual::new(),
                link: Some(TcpLink::connect(&self.address, LinkOptions::default())?),
                bade: false,
            });
        }
        let (began, used, waits) = (Instant::now(), core_seconds(), Waits::begin());
        let pulse = |group: usize| Pulse::begin(Duration::from_secs(1) / RATE * group as u32 / GROUPS as u32);
        let mut pulses: Vec<Pulse> = (0..GROUPS).map(pulse).collect();
        let mut report = GamesReport { games: self.games, ..GamesReport::default() };
        let mut are_ready = false;
        while players.iter().any(|player| player.link.is_some()) {
            let Some((group, pulse)) = pulses.iter_mut().enumerate().min_by_key(|(_, pulse)| pulse.moment()) else {
                break;
            };
            thread::sleep(pulse.moment().saturating_duration_since(Instant::now()));
            let beat = pulse.beat();
            let ends = beat.tick >= self.ticks || over.load(Ordering::Relaxed);
            let late = beat.tick >= self.ticks.saturating_add(AFTER);
            for player in players.iter_mut().skip(group).step_by(GROUPS) {
                if let Err(error) = player.frame(beat, ends, late) {
                    report.broken += 1;
                    report.trouble.get_or_insert(error.to_string());
                    player.link = None;
                }
            }
            if !are_ready && began.elapsed() > PATIENCE {
                let waiting = players.iter().filter(|player| !player.executor.is_connected()).count();
                return Err(LinkError::Refused(format!("no answer to {waiting} of {} games", self.games)));
            }
            if !are_ready && group == 0 && players.iter().all(|player| player.executor.is_connected()) {
                are_ready = true;
                ready();
            }
        }
        for player in &players {
            report.connected += usize::from(player.executor.session().is_some());
            report.punctuality.add(&player.game.noted);
        }
        let cores = |(before, after): (f64, f64)| (after - before) / began.elapsed().as_secs_f64();
        report.cores = used.zip(core_seconds()).map(cores);
        report.waits = waits.end();
        Ok(report)
    }
}

impl Player {
    fn frame(&mut self, beat: Beat, ends: bool, late: bool) -> Result<(), LinkError> {
        let Some(link) = &mut self.link else { return Ok(()) };
        self.game.hear(beat);
        if ends && !self.bade {
            self.bade = true;
            self.executor.goodbye("that was all");
        }
        let went = self.executor.frame(beat.tick, &mut self.game, link);
        let is_heard = self.executor.unacknowledged() == 0;
        if self.bade && (is_heard || late || went.is_err()) {
            // It may have been the director who went.
            let _ = link.flush();
            self.link = None;
            return Ok(());
        }
        went
    }
}
