//! What happens in a run, told line by line as it happens.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use dramaturg::model::Tick;
use dramaturg_director::{Event, EventKind};
use dramaturg_executor::scripted::{Happening, What};

use crate::exit::Failure;
use crate::shell::{Shell, count};
use crate::staging::outcome::Told;
use crate::staging::player::Deed;
use crate::style::{BOLD, DIM, DOUBTFUL, SPOKEN};

/// Plans that only got better are counted, not told.
const BETTER: &str = "a better plan was found";

/// Changes of plan as the director's events tell of them, from whichever thread it runs in.
#[derive(Default)]
pub struct Replans(Mutex<Heard>);

#[derive(Default)]
struct Heard {
    /// Those that nobody was told of yet.
    waiting: Vec<(Tick, String)>,
    counts: BTreeMap<String, u32>,
}

impl Replans {
    /// Hears an event.
    pub fn hear(&self, event: &Event) {
        let EventKind::Published { put, removed, reason, .. } = &event.kind else { return };
        if put.is_empty() && removed.is_empty() {
            return;
        }
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *heard.counts.entry(reason.clone()).or_default() += 1;
        if reason != BETTER {
            let steps = format!("{} new or moved, {} gone", count(put.len(), "step"), removed.len());
            heard.waiting.push((event.now.least, format!("plans again, because {reason}: {steps}")));
        }
    }

    /// How often plans changed, by reason.
    pub fn counts(&self) -> BTreeMap<String, u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).counts.clone()
    }

    fn take(&self) -> Vec<(Tick, String)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).waiting)
    }
}

/// Tells what a game has to tell, after what the director has planned meanwhile.
pub fn tell(shell: &mut Shell, replans: &Replans, told: &Told) -> Result<(), Failure> {
    for (tick, text) in replans.take() {
        writeln!(shell.out, "{tick:>8}  {DIM}director {text}{DIM:#}")?;
    }
    match told {
        Told::Game(happening) => tell_happening(shell, happening)?,
        Told::Player(Deed { tick, fluent, named, .. }) => {
            writeln!(shell.out, "{tick:>8}  {DOUBTFUL}player{DOUBTFUL:#} {fluent} = {named}")?;
        }
        Told::Course { name, tick, value, wanted } => {
            writeln!(shell.out, "{tick:>8}  {BOLD}{name} {value:.1}{BOLD:#}, wanted {wanted:.1}")?;
        }
    }
    Ok(())
}

/// Tells what happened in a game.
pub fn tell_happening(shell: &mut Shell, Happening { tick, what, .. }: &Happening) -> Result<(), Failure> {
    match what {
        What::Shown { speaker: Some(speaker), text } => {
            writeln!(shell.out, "{tick:>8}  {speaker}: {SPOKEN}{text}{SPOKEN:#}")?;
        }
        What::Shown { speaker: None, text } => writeln!(shell.out, "{tick:>8}  {SPOKEN}{text}{SPOKEN:#}")?,
        // The name of a session is nobody's business.
        What::Welcomed { .. } => {}
        What::Finished { .. } => writeln!(shell.out, "{tick:>8}  {DIM}{what}{DIM:#}")?,
        _ => writeln!(shell.out, "{tick:>8}  {what}")?,
    }
    Ok(())
}
