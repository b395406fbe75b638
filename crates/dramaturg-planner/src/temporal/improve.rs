//! A course is made better: steps in another order, steps left out, stretches planned anew, each as often as it has helped.

use std::sync::Arc;

use dramaturg_model::{Chance, Tick};

use super::beam::{Beam, BeamOptions};
use super::conflict::Touched;
use super::course::{Clockwork, Course, NOBODY};
use super::guide::Durations;
use super::reorder::Reorder;
use super::stage::Stage;
use super::trim::Trim;
use super::window::Window;

/// The ways in which a course is made better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Another order of the same steps.
    Reorder,
    /// A few steps anew.
    Few,
    /// More steps anew.
    Many,
    /// All steps from one on anew.
    Rest,
    /// Everything anew.
    All,
}

const WAYS: [Way; 5] = [Way::Reorder, Way::Few, Way::Many, Way::Rest, Way::All];

/// What each way may spend beside the others, at least and at most.
const SHARE: (u64, u64) = (4, 64);
/// So many tries without anything better, and it goes on from the best course.
const PATIENCE: u32 = 120;
/// So many units of work without anything better, at the least, and it begins somewhere else.
const STAY: u64 = 40_000;
/// Rounds of reordering before another way has its turn.
const ROUNDS: u32 = 150;

/// What is being done.
enum Job {
    Trim(Trim),
    Reorder(Box<Reorder>, u32),
    Beam(Box<Beam>),
}

/// Makes a course better.
pub(super) struct Improver {
    stage: Arc<Stage>,
    clockwork: Clockwork,
    touched: Touched,
    chance: Chance,
    /// Made when it is needed first; none where starts and ends stand among each other, which only other orders can be looked for in.
    durations: Option<Arc<Durations>>,
    current: Course,
    /// Where it goes back to when it gets no further: the best course, or the best since it began somewhere else.
    home: Course,
    best: Course,
    job: Option<(Way, Job)>,
    spent: [u64; WAYS.len()],
    share: [u64; WAYS.len()],
    /// Tries since the best was found.
    idle: u32,
    /// How often all was planned anew.
    rounds: u32,
    /// Units of work so far, those until the best course was found, and those after which it begins somewhere else.
    total: u64,
    found_at: u64,
    stays_until: u64,
    /// The tries that it stays for at the least.
    stays_tries: u32,
    /// Whether the beam at hand looks for a course to begin with somewhere else, good or bad.
    moves: bool,
}

impl Improver {
    pub(super) fn new(stage: Arc<Stage>, course: Course, seed: u64) -> Self {
        Self {
            clockwork: Clockwork::new(&stage),
            touched: Touched::new(stage.footprints.slots),
            chance: Chance::new(seed),
            durations: None,
            current: course.clone(),
            home: course.clone(),
            best: course,
            job: Some((Way::All, Job::Trim(Trim::new()))),
            spent: [0; WAYS.len()],
            share: [8; WAYS.len()],
            idle: 0,
            rounds: 0,
            total: 0,
            found_at: 0,
            stays_until: STAY,
            stays_tries: PATIENCE,
            moves: false,
            stage,
        }
    }

    /// Goes on from a course on another stage of the same problem: time has passed, or things came otherwise.
    pub(super) fn move_to(&mut self, stage: Arc<Stage>, course: Course, otherwise: bool) {
        self.current.clone_from(&course);
        self.home.clone_from(&course);
        self.best = course;
        (self.job, self.moves) = (None, false);
        self.stage = stage;
        if otherwise {
            (self.idle, self.rounds) = (0, 0);
            (self.found_at, self.stays_until, self.stays_tries) = (self.total, self.total + STAY, PATIENCE);
        }
    }

    /// The best course so far.
    pub(super) fn best(&self) -> &Course {
        &self.best
    }

    /// Works on for a little; the units that took, and whether there is a better course now.
    pub(super) fn step(&mut self) -> (u32, bool) {
        let (units, improved) = self.work();
        self.total += u64::from(units);
        let stay = STAY.max(self.found_at / 2);
        if improved {
            (self.found_at, self.stays_until, self.stays_tries) = (self.total, self.total + stay, PATIENCE);
        } else if self.total >= self.stays_until && self.idle >= self.stays_tries && !self.moves {
            // By turns from the best course, and from somewhere else.
            self.moves = self.home.cost == self.best.cost;
            self.home.clone_from(&self.best);
            self.current.clone_from(&self.best);
            (self.stays_until, self.stays_tries) = (self.total + stay, self.idle + PATIENCE);
        }
        (units, improved)
    }

    fn work(&mut self) -> (u32, bool) {
        let stage = Arc::clone(&self.stage);
        let Some((way, job)) = self.job.take() else {
            self.job = self.choose();
            return (1, false);
        };
        match job {
            Job::Trim(mut trim) => match trim.step(&stage, &mut self.clockwork, &self.current) {
                Some(shorter) => {
                    let improved = shorter.is_some_and(|shorter| self.accept(way, shorter));
                    self.job = Some((way, Job::Trim(trim)));
                    (1, improved)
                }
                None => (1, false),
            },
            Job::Reorder(mut reorder, left) => {
                let (better, looked) = reorder.round(&stage, &mut self.clockwork, &mut self.chance);
                self.spend(way, looked);
                let mut improved = false;
                if better && reorder.best().cost < self.best.cost {
                    let course = reorder.best().clone();
                    improved = self.accept(way, course);
                }
                let left = if better { ROUNDS } else { left - 1 };
                if left > 0 {
                    self.job = Some((way, Job::Reorder(reorder, left)));
                } else {
                    let course = reorder.best().clone();
                    improved |= self.accept(way, course);
                }
                (looked, improved)
            }
            Job::Beam(mut beam) => {
                let (more, looked) = beam.step(&stage, &mut self.clockwork, &mut self.chance);
                self.spend(way, looked);
                if more {
                    self.job = Some((way, Job::Beam(beam)));
                    return (looked, false);
                }
                let moves = std::mem::take(&mut self.moves);
                let improved = match beam.best() {
                    Some(course) if moves && course.cost >= self.best.cost => {
                        self.home.clone_from(&course);
                        self.current = course;
                        false
                    }
                    Some(course) => self.accept(way, course),
                    None => {
                        self.give_up(way);
                        false
                    }
                };
                (looked, improved)
            }
        }
    }

    fn spend(&mut self, way: Way, units: u32) {
        if let Some(spent) = self.spent.get_mut(way as usize) {
            *spent += u64::from(units);
        }
    }

    fn reward(&mut self, way: Way, by: u64) {
        if let Some(share) = self.share.get_mut(way as usize) {
            *share = (*share + by).min(SHARE.1);
        }
    }

    fn give_up(&mut self, way: Way) {
        self.idle += 1;
        if let Some(share) = self.share.get_mut(way as usize) {
            *share = (*share - *share / 16).max(SHARE.0);
        }
        if self.idle.is_multiple_of(PATIENCE) {
            self.current.clone_from(&self.home);
        }
    }

    /// Takes a course over if it is no worse than the one at hand, and now and then otherwise; whether it is the best so far.
    fn accept(&mut self, way: Way, course: Course) -> bool {
        let work = |course: &Course| course.durations.iter().sum::<Tick>();
        if course.cost < self.best.cost {
            self.best.clone_from(&course);
            self.home.clone_from(&course);
            self.current = course;
            self.idle = 0;
            self.reward(way, 12);
            if !matches!(self.job, Some((_, Job::Trim(_)))) && way != Way::Reorder {
                self.job = Some((way, Job::Trim(Trim::new())));
            }
            return true;
        }
        if course.cost < self.home.cost {
            self.home.clone_from(&course);
        }
        let better = course.cost < self.current.cost;
        let leaner = course.cost == self.current.cost && work(&course) < work(&self.current);
        if better || leaner {
            self.reward(way, 1);
        }
        if leaner && course.cost == self.best.cost && work(&course) < work(&self.best) {
            self.best.clone_from(&course);
        }
        self.give_up(way);
        // What is no better is another place to go on from.
        if better || leaner || self.chance.below(3) == 0 {
            self.current = course;
        }
        false
    }

    /// The way that has spent least of its share has its turn.
    fn choose(&mut self) -> Option<(Way, Job)> {
        let stage = Arc::clone(&self.stage);
        if stage.parts.is_some() {
            let reorder = Reorder::new(&stage, self.best.clone());
            return Some((Way::Reorder, Job::Reorder(Box::new(reorder), ROUNDS)));
        }
        if self.spent.iter().sum::<u64>() > 200_000 {
            self.spent.iter_mut().for_each(|spent| *spent /= 4);
        }
        let debts = WAYS.iter().zip(self.spent.iter().zip(&self.share));
        let least = debts.min_by_key(|(_, (spent, share))| *spent * 1000 / **share).map(|(way, _)| *way)?;
        let way = if self.moves { Way::All } else { least };
        if way == Way::Reorder {
            let from = if self.chance.below(2) == 0 { &self.home } else { &self.current };
            let mut reorder = Reorder::new(&stage, from.clone());
            if self.idle > 2 {
                reorder.shake(&stage, &mut self.clockwork, &mut self.chance);
            }
            return Some((way, Job::Reorder(Box::new(reorder), ROUNDS)));
        }
        let sorted = self.touched.by_start(&stage, &self.current.steps, &self.current.starts);
        self.current = self.clockwork.course(&stage, sorted).unwrap_or_else(|| self.best.clone());
        let durations = match &self.durations {
            Some(durations) => Arc::clone(durations),
            None => Arc::clone(self.durations.insert(Arc::new(Durations::new(&stage, self.best.cost.end)))),
        };
        let (from, to) = self.stretch(way);
        let Some(window) = Window::new(&stage, &durations, &self.current, from, to) else {
            self.give_up(way);
            return None;
        };
        let options = if self.moves { self.loose() } else { self.options(way) };
        let slack = if way == Way::All || self.chance.below(8) > 0 { 0 } else { self.best.cost.end / 40 };
        let bound = match (stage.objective.is_time(), way) {
            (false, _) => Tick::MAX / 8,
            (true, _) if self.moves => self.best.cost.end.saturating_mul(2),
            (true, Way::All) => self.best.cost.end - 1,
            (true, _) => self.current.cost.end + slack,
        };
        Some((way, Job::Beam(Box::new(Beam::new(&stage, &durations, window, bound, options)))))
    }

    /// For a course that is likely to be another one.
    fn loose(&mut self) -> BeamOptions {
        let work = [10, 40, 80, 150].get(self.chance.below(4)).copied().unwrap_or(40);
        BeamOptions { width: 2 + self.chance.below(6), work, noise: 40 + 40 * self.chance.below(4) as u32, all: false }
    }

    fn options(&mut self, way: Way) -> BeamOptions {
        let work = [5, 10, 20, 40, 80, 150].get(self.chance.below(6)).copied().unwrap_or(40);
        let noise = [0, 5, 20, 60].get(self.chance.below(4)).copied().unwrap_or(0);
        let all = self.chance.below(6) == 0;
        match way {
            Way::Few | Way::Reorder => BeamOptions { width: 4 + self.chance.below(12), work, noise, all },
            Way::Many => BeamOptions { width: 3 + self.chance.below(8), work, noise, all: false },
            Way::Rest => BeamOptions { width: 2 + self.chance.below(8), work, noise, all: false },
            Way::All => {
                self.rounds += 1;
                let width = 1 << (self.rounds / 2).min(10);
                let noise = if self.rounds % 2 == 1 { 0 } else { noise };
                BeamOptions { width, work, noise, all: false }
            }
        }
    }

    /// Which steps are planned anew: more often those that decide how long all takes.
    fn stretch(&mut self, way: Way) -> (usize, usize) {
        let count = self.current.steps.len();
        let size = match way {
            Way::All => return (0, count),
            Way::Rest => return (self.chance.below(count), count),
            Way::Few | Way::Reorder => 3 + self.chance.below(8),
            Way::Many => 10 + self.chance.below(20),
        };
        let mut deciding = Vec::new();
        let last = (0..count).find(|step| self.current.end(*step) == self.current.cost.end);
        let mut at = last;
        while let Some(step) = at {
            deciding.push(step);
            at = self.current.causes.get(step).filter(|cause| **cause != NOBODY).map(|cause| *cause as usize);
        }
        let middle = deciding.get(self.chance.below(deciding.len())).copied().unwrap_or(0);
        let from = middle.saturating_sub(self.chance.below(size));
        (from, (from + size).min(count))
    }
}
