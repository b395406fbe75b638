//! The world at a few ticks on the way to the present one, so that a late report need not run all of it again.

use dramaturg_model::Tick;

use super::first_open;
use crate::simulate::World;

/// Ticks between two marks.
const EVERY: Tick = 16;
/// So many are kept: most reports are late by less than a second.
const MARKS_MAX: usize = 4;

/// The world at a tick, with all that had been reported up to it.
#[derive(Clone, Debug)]
struct Mark {
    world: World,
    /// The first report that is not in it.
    next: (Tick, u64),
}

/// A few worlds, from the oldest to the newest.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks(Vec<Mark>);

impl Marks {
    /// The world has come to where it is now: a mark is left if the last lies far enough behind.
    pub(super) fn pass(&mut self, present: &World, next: (Tick, u64)) {
        let due = self.0.last().map_or(Tick::MIN, |mark| mark.world.now().saturating_add(EVERY));
        if present.now() < due {
            return;
        }
        if self.0.len() >= MARKS_MAX {
            self.0.remove(0);
        }
        self.0.push(Mark { world: present.clone(), next });
    }

    /// The newest, with the first report that is not in it.
    pub(super) fn last(&self) -> Option<(&World, (Tick, u64))> {
        self.0.last().map(|mark| (&mark.world, mark.next))
    }

    /// Something happened in this tick that was not known: no mark at it or after it is right any more.
    pub(super) fn forget_from(&mut self, tick: Tick) {
        self.0.retain(|mark| first_open(&mark.world) <= tick);
    }

    /// What lies up to this tick is settled.
    pub(super) fn forget_until(&mut self, tick: Tick) {
        self.0.retain(|mark| mark.world.now() > tick);
    }

    /// A step that runs there takes so long in all.
    pub(super) fn amend(&mut self, step: u32, duration: Tick) {
        for mark in &mut self.0 {
            mark.world.amend(step, duration);
        }
    }
}
