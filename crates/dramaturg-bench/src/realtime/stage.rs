//! A piece in virtual time, through a director and an executor: only ticks pass.

use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions, Input, Journey};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_model::Tick;
use dramaturg_planner::planner::Workers;
use dramaturg_planner::simulate::{Detail, WorldOptions};
use dramaturg_planner::temporal::{Conductor, ConductorOptions};
use serde::Serialize;

use super::fate::Disturbance;
use super::floor::Floor;
use super::piece::Piece;
use super::tally::{Counter, Tally};
use crate::runtime::policy::Road;

/// The first operation starts no earlier than in this tick: until then there is time to plan.
pub const FROM: Tick = 120;
/// So many ticks lie between two publications of the planner.
const CYCLE: Tick = 3;

/// How a piece is performed.
#[derive(Clone, Copy, Debug)]
pub struct Staging {
    /// What goes wrong.
    pub disturbance: Disturbance,
    /// Whether better plans are looked for once it has begun; otherwise what waits is only shifted.
    pub replans: bool,
    /// Units of work between two publications.
    pub units: u32,
    /// Where the planner's chance begins.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Performance {
    /// Ticks from the first possible start to the end; none if the goals were not reached.
    pub ticks: Option<Tick>,
    /// What came of operations that were sent.
    pub tally: Tally,
    /// Operations that started although the world was not ready for them.
    pub breaches: u64,
    /// Operations that took longer or failed.
    pub disturbed: u64,
    /// Operations that came to their end more than once.
    pub repeated: u64,
}

impl Performance {
    /// What a floor shows at the end.
    pub fn of(floor: &Floor, tally: Tally) -> Self {
        Self {
            // The tick between an end and the next start belongs to the operation.
            ticks: floor.over.map(|tick| tick + 1 - FROM),
            tally,
            breaches: floor.breaches,
            disturbed: floor.disturbed,
            repeated: floor.ended.values().filter(|count| **count > 1).count() as u64,
        }
    }
}

impl Staging {
    /// The planner of a piece.
    pub fn conductor(&self, piece: &Piece) -> Conductor {
        let options =
            ConductorOptions { seed: self.seed, from: FROM, replans: self.replans, ..ConductorOptions::default() };
        Conductor::new(Arc::clone(&piece.model), options)
    }

    /// Performs a piece.
    pub fn run(&self, piece: &Piece) -> Performance {
        let options = DirectorOptions {
            mu: Journey::Given(1),
            world: WorldOptions { detail: Detail::Violations, ..WorldOptions::default() },
            ..DirectorOptions::default()
        };
        let core = Core::new(Arc::clone(&piece.model), options);
        let mut director = Director::new(core, Box::new(self.conductor(piece)), dramaturg_planners::loader());
        let mut executor = Executor::new(ExecutorOptions::default());
        let mut floor = Floor::new(piece, self.disturbance);
        let (mut to_game, mut to_director) = (Road::default(), Road::default());
        let (mut counter, mut thinks_until) = (Counter::default(), None);
        for tick in 0..FROM + piece.patience {
            let now = tick * 1_000_000 / 60;
            let mut inputs = vec![Input::Pump { now, frames: to_director.arrived(tick) }];
            if thinks_until.is_some_and(|until| until <= tick) {
                inputs.push(Input::End { now, units: self.units });
                thinks_until = None;
            }
            if thinks_until.is_none() {
                inputs.push(Input::Begin { now });
                thinks_until = Some(tick + CYCLE);
            }
            inputs.push(Input::Pump { now, frames: Vec::new() });
            for input in &inputs {
                director.step(input, &Workers::single(), &mut |frame| to_game.send(tick + 1, frame));
            }
            director.drain().iter().for_each(|event| counter.hear(&event.kind));
            for frame in to_game.arrived(tick) {
                // Both ends are ours.
                let _ = executor.receive(&frame);
            }
            executor.tick(tick, &mut floor);
            floor.seen.drain(..).for_each(|seen| executor.perceive(seen));
            executor.poll(&mut |frame| to_director.send(tick + 1, frame));
            if floor.over.is_some_and(|over| tick > over + 2 * CYCLE) {
                break;
            }
        }
        Performance::of(&floor, counter.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job_shop::JobShop;

    fn staged(piece: &Piece, disturbance: Disturbance, replans: bool) -> Performance {
        Staging { disturbance, replans, units: 60, seed: 1 }.run(piece)
    }

    #[test]
    fn a_calm_day_goes_as_planned() {
        let piece = Piece::job_shop(&JobShop::known("ft06").unwrap(), 6);
        let performance = staged(&piece, Disturbance::none(), true);
        // With little work the plan is a good one; the shortest takes 330 ticks.
        assert!(performance.ticks.is_some_and(|ticks| (330..=363).contains(&ticks)), "{performance:?}");
        assert_eq!((performance.tally.sent, performance.tally.on_time), (36, 36));
        assert_eq!(performance, staged(&piece, Disturbance::none(), true), "the same again");
    }

    #[test]
    fn a_bad_day_is_survived() {
        let shop = JobShop::random(2, 4, 4);
        for piece in [Piece::job_shop(&shop, 2), Piece::logistics(2, 2, 3, 3)] {
            for seed in 0..4 {
                for replans in [true, false] {
                    let found = staged(&piece, Disturbance::bad_day(seed), replans);
                    let said = format!("{} {seed} {replans} {found:?}", piece.name);
                    assert!(found.ticks.is_some() && found.disturbed > 0, "{said}");
                    assert_eq!((found.breaches, found.tally.rejected, found.tally.missed), (0, 0, 0), "{said}");
                    // A box may be carried twice by the same truck, a job is done once.
                    assert!(found.repeated == 0 || piece.name.starts_with("logistics"), "{said}");
                }
            }
        }
    }
}
