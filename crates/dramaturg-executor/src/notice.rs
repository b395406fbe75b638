//! What waits to be told to the game in its next tick.

use dramaturg_wire::{Fault, Tick};

use crate::dictionary::Dictionary;
use crate::game::Game;
use crate::held::{Brief, Extras, Held};
use crate::perform::Run;
use crate::view::TaskView;

/// Something the director said that the game should hear of. Frames arrive while no game is at hand; it is told in its next tick.
#[derive(Clone, Debug)]
pub(crate) enum Notice {
    Welcome {
        session: String,
        story: String,
    },
    Fault(Fault),
    Goodbye {
        reason: String,
    },
    Saved {
        request: u32,
        tick: Tick,
        data: Vec<u8>,
    },
    Loaded {
        request: u32,
        notes: Vec<String>,
    },
    /// Tasks of a session that is gone, with the names they were spelled in.
    Abandoned {
        names: Dictionary,
        tasks: Vec<(Brief, Extras, Run)>,
    },
}

impl Notice {
    /// Tells the game.
    pub(crate) fn tell<G: Game + ?Sized>(&self, game: &mut G) {
        match self {
            Self::Welcome { session, story } => game.welcome(session, story),
            Self::Fault(fault) => game.fault(fault),
            Self::Goodbye { reason } => game.goodbye(reason),
            Self::Saved { request, tick, data } => game.saved(*request, *tick, data),
            Self::Loaded { request, notes } => game.loaded(*request, notes),
            Self::Abandoned { names, tasks } => {
                for (brief, extras, run) in tasks {
                    game.cancel(&TaskView { held: Held { brief, extras }, run, names });
                }
            }
        }
    }
}
