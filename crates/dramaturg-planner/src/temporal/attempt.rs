//! Tries for a first course, each wider than those before: layers of states with their times, of which those go on that are likely
//! to be over early. They find ways where a search that only knows states goes astray.

use std::sync::Arc;

use dramaturg_model::{Chance, Tick};

use super::beam::{Beam, BeamOptions};
use super::course::{Clockwork, Course};
use super::guide::{Durations, Guide};
use super::stage::Stage;
use super::window::Window;

/// So many tries, and it is given up.
const ROUNDS: u32 = 36;
/// The longest operator is about as long as a share of a course.
const LONGEST: Tick = 20;
/// No course ends later.
const BOUND: Tick = Tick::MAX / 8;

/// Tries for a first course.
pub(super) struct Attempts {
    stage: Arc<Stage>,
    durations: Arc<Durations>,
    clockwork: Clockwork,
    chance: Chance,
    beam: Option<Box<Beam>>,
    round: u32,
    /// How many steps a course has at the least, about.
    steps: usize,
}

impl Attempts {
    pub(super) fn new(stage: &Arc<Stage>, seed: u64) -> Self {
        let operators = stage.problem.operators.ids();
        let longest = operators.filter_map(|id| stage.problem.duration(&stage.start, id)).max().unwrap_or(1);
        let durations = Arc::new(Durations::new(stage, longest.saturating_mul(LONGEST)));
        let mut guide = Guide::new(stage, &durations, &stage.target, Vec::new());
        let estimate = guide.estimate(stage, &stage.start, &stage.opening);
        Self {
            clockwork: Clockwork::new(stage),
            chance: Chance::new(seed),
            beam: None,
            // Nothing is tried where not even a way on which nothing is undone leads there.
            round: if estimate.is_some() { 0 } else { ROUNDS },
            steps: estimate.map_or(0, |estimate| estimate.steps as usize),
            stage: Arc::clone(stage),
            durations,
        }
    }

    /// Whether all has been tried.
    pub(super) fn is_over(&self) -> bool {
        self.beam.is_none() && self.round >= ROUNDS
    }

    /// Works on for a little; the units that took, and a course if there is one.
    pub(super) fn step(&mut self) -> (u32, Option<Course>) {
        let Some(mut beam) = self.beam.take() else {
            if !self.is_over() {
                self.beam = Some(self.next());
            }
            return (1, None);
        };
        let (more, looked) = beam.step(&self.stage, &mut self.clockwork, &mut self.chance);
        // The first way is good enough: others make it better.
        if more && !beam.has_found() {
            self.beam = Some(beam);
            return (looked, None);
        }
        (looked, beam.best())
    }

    fn next(&mut self) -> Box<Beam> {
        let round = self.round;
        self.round += 1;
        let options = BeamOptions {
            width: 2 << (round / 4).min(9),
            work: [60, 150, 20, 100].get(round as usize % 4).copied().unwrap_or(60),
            noise: if round < 4 { 0 } else { 20 },
            all: round % 4 == 3,
        };
        let size = self.steps * 3 + 40 * (1 + round as usize / 4);
        let window = Window::all(&self.stage, size);
        Box::new(Beam::new(&self.stage, &self.durations, window, BOUND, options))
    }
}
