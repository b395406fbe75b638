//! A piece in real time: games at 60 ticks a second, over TCP, with a server that plans while they play.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Served, SessionOptions};
use dramaturg_director::{Core, Director, DirectorOptions, Event};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError};

use super::floor::Floor;
use super::piece::Piece;
use super::stage::{FROM, Performance, Staging};
use super::tally::Counter;
use crate::runtime::pulse::Pulse;
use crate::runtime::serving::{Serving, Sink};

/// So many ticks after its end a game goes: what it said last is to be heard.
const AFTER: i64 = 30;

/// Games side by side, each with a session of its own.
pub struct Live<'p> {
    /// What is performed.
    pub piece: &'p Piece,
    /// How, in each game.
    pub stagings: Vec<Staging>,
}

/// What the server's thread notes: whose session is called what, and what came of its operations.
#[derive(Default)]
struct Notes {
    sessions: BTreeMap<String, usize>,
    counters: BTreeMap<usize, Counter>,
}

impl Live<'_> {
    /// Performs all of them at once, and tells what came of each.
    pub fn run(&self) -> Result<Vec<Performance>, LinkError> {
        let notes = Arc::new(Mutex::new(Notes::default()));
        let served = self.stagings.iter().enumerate().map(|(number, staging)| self.served(number, *staging, &notes));
        let serving = Serving::begin(served.collect(), 1, Some(sink(&notes)))?;
        let links = self.stagings.iter().map(|_| serving.link()).collect::<Result<Vec<_>, _>>()?;
        let played = thread::scope(|scope| {
            let games = links.into_iter().zip(&self.stagings).enumerate();
            let games: Vec<_> =
                games.map(|(number, (link, staging))| scope.spawn(move || self.play(link, number, staging))).collect();
            let join = |game: thread::ScopedJoinHandle<'_, _>| {
                // A panic of a game is a panic of the measurement.
                game.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            games.into_iter().map(join).collect::<Result<Vec<Floor>, LinkError>>()
        });
        let ended = serving.end();
        let (played, _) = (played?, ended?);
        let notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        let tally = |number: usize| notes.counters.get(&number).map(|counter| counter.tally).unwrap_or_default();
        Ok(played.iter().enumerate().map(|(number, floor)| Performance::of(floor, tally(number))).collect())
    }

    fn served(&self, number: usize, staging: Staging, notes: &Arc<Mutex<Notes>>) -> Served {
        let (piece, notes) = (self.piece.clone(), Arc::clone(notes));
        let open = move |name: &str, codec: Codec| {
            notes.lock().unwrap_or_else(PoisonError::into_inner).sessions.insert(name.to_owned(), number);
            let options = DirectorOptions {
                session: name.to_owned(),
                codec,
                world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
                ..DirectorOptions::default()
            };
            let core = Core::new(Arc::clone(&piece.model), options);
            let director = Director::new(core, Box::new(staging.conductor(&piece)), dramaturg_planners::loader());
            Ok(Opening { director, journal: None })
        };
        let options = SessionOptions { think_every: 3, ..SessionOptions::default() };
        Served { names: vec![format!("piece{number}")], options, open: Box::new(open) }
    }

    fn play(&self, mut link: impl Link, number: usize, staging: &Staging) -> Result<Floor, LinkError> {
        let options = ExecutorOptions { story: Some(format!("piece{number}")), ..ExecutorOptions::default() };
        let mut executor = Executor::new(options);
        let mut floor = Floor::new(self.piece, staging.disturbance);
        let mut pulse = Pulse::begin(Duration::ZERO);
        loop {
            let tick = pulse.wait().tick;
            executor.frame(tick, &mut floor, &mut link)?;
            floor.seen.drain(..).for_each(|seen| executor.perceive(seen));
            let is_over = floor.over.is_some_and(|over| tick > over + AFTER);
            if is_over || tick > FROM + self.piece.patience {
                executor.goodbye("that was all");
                executor.frame(tick + 1, &mut floor, &mut link)?;
                return Ok(floor);
            }
        }
    }
}

/// Notes in the server's thread what comes of operations.
fn sink(notes: &Arc<Mutex<Notes>>) -> Sink {
    let notes = Arc::clone(notes);
    Box::new(move |session: &str, event: &Event| {
        let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = notes.sessions.get(session).copied() {
            notes.counters.entry(number).or_default().hear(&event.kind);
        }
    })
}
