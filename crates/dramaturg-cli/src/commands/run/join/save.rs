//! The game's own save, and how a game goes on from it.

use std::fs;
use std::path::Path;

use dramaturg::model::Tick;
use dramaturg::planner::simulate::WorldSave;
use serde::{Deserialize, Serialize};

use super::elapsed::Clocks;
use crate::exit::Failure;

const FORMAT: u32 = 1;

/// The game's own save.
#[derive(Serialize, Deserialize)]
pub struct GameSave {
    format: u32,
    /// The tick that it was when it was made.
    tick: Tick,
    /// When it was made: the world of this game does not stand still while nobody plays.
    #[serde(flatten)]
    clocks: Clocks,
    /// The game writes another save before it goes beyond this tick; none in saves that were made before this was kept.
    #[serde(default)]
    ran_until: Option<Tick>,
    /// The game's world.
    pub world: WorldSave,
    /// The executor's checkpoint.
    pub checkpoint: Vec<u8>,
}

impl GameSave {
    /// The game before this tick, which is now. It writes another save before it goes beyond `ran_until`.
    pub fn new(tick: Tick, ran_until: Tick, world: WorldSave, checkpoint: Vec<u8>) -> Self {
        Self { format: FORMAT, tick, clocks: Clocks::read(), ran_until: Some(ran_until), world, checkpoint }
    }

    /// Reads a save, if there is one.
    pub fn read(path: &Path) -> Result<Option<Self>, Failure> {
        if !path.exists() {
            return Ok(None);
        }
        let bytes = dramaturg::open::read(path)?;
        let save: Self = serde_json::from_slice(&bytes).map_err(|error| unusable(path, &error.to_string()))?;
        if save.format != FORMAT {
            let why = format!("it has format {}, and this program knows format {FORMAT}", save.format);
            return Err(unusable(path, &why));
        }
        Ok(Some(save))
    }

    /// Writes it. It gets its name when it is whole, so that there is always one to go on from.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(self).map_err(|error| Failure::trouble(error.to_string()))?;
        let unnamed = path.with_extension("unfinished");
        fs::write(&unnamed, bytes)
            .and_then(|()| fs::rename(&unnamed, path))
            .map_err(|error| Failure::writing(path, &error))
    }

    /// The last tick that the game which made it can have run.
    pub fn ran_until(&self) -> Tick {
        self.ran_until.unwrap_or(self.tick).max(self.tick)
    }

    /// The tick with which a game goes on. Where the clocks cannot be believed it is the one that the game which made
    /// it can have come to: time never goes back, and leaps by no more than from one save to the next.
    pub fn next_tick(&self, rate: u32) -> Tick {
        match Clocks::read().since(&self.clocks) {
            None => self.ran_until(),
            Some(micros) => {
                let ticks = u128::from(micros) * u128::from(rate) / 1_000_000;
                self.tick.saturating_add(Tick::try_from(ticks).unwrap_or(Tick::MAX))
            }
        }
    }
}

/// A save that cannot be used.
pub fn unusable(path: &Path, why: &str) -> Failure {
    Failure::faults(format!("the game cannot go on from `{}`: {why}", path.display()))
        .hint("remove it, or name another with `--save`, and the game begins anew")
}
