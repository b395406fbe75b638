//! What every planner must satisfy, put to the test by a life of its own: a director and a game in a nutshell, which call
//! every method of the contract and tell every kind of event.
//!
//! # Layout
//!
//! - [`life`]: time passes; steps are locked, started, finished and missed.
//! - [`mishaps`]: what else can become of a step: failures, amendments, answers, events of steps that nobody knows.
//! - [`surprises`]: what is seen that nobody planned, now or some time ago.
//! - [`others`]: goals that change, steps of other planners, questions, plans that come too late.
//! - [`judge`]: whether what is published keeps what it promises.

mod judge;
mod life;
mod mishaps;
mod others;
mod surprises;

use dramaturg_model::Model;

use self::life::Life;
use super::{Budget, GoalChange, PlanDelta, Planner, PlannerSave, TickBounds, Workers};

/// Makes a planner from what one saved, or says why it cannot.
pub type Load<'s> = dyn Fn(&PlannerSave) -> Result<Box<dyn Planner>, String> + 's;

/// A planner under test.
pub struct Subject<'s> {
    /// What it plans for.
    pub model: &'s Model,
    /// A new planner for a seed.
    pub make: &'s dyn Fn(u64) -> Box<dyn Planner>,
    /// A planner from what one saved.
    pub load: &'s Load<'s>,
    /// Goals that a game may ask for, some of which nobody can understand.
    pub goals: &'s [GoalChange],
    /// Whether it decides what to do: then it does not do again what it was refused. A script does what stands in it.
    pub decides: bool,
}

/// How hard a life is.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Where chance begins.
    pub seed: u64,
    /// How often the planner is asked.
    pub rounds: u32,
    /// Units of work each time.
    pub units: u32,
    /// Things that contradict the plan are seen, one in so many rounds; 0: never.
    pub surprises: usize,
    /// Steps fail or are missed, one in so many; 0: never.
    pub failures: usize,
    /// Everything else that can happen happens once in so many rounds, each by itself; 0: never.
    pub whims: usize,
}

/// What came of a trial, to be added up and compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Everything that was published, in order.
    pub deltas: Vec<PlanDelta>,
    /// Steps that were performed to their end.
    pub performed: u32,
    /// Things seen that nobody planned.
    pub surprises: u32,
    /// Prefixes of plans that were judged.
    pub judged: u32,
    /// How often each of the rarer things happened.
    pub whims: Whims,
}

/// How often each of the rarer things happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Whims {
    /// Steps that take another time than planned.
    pub amended: u32,
    /// Steps that were refused, for good or for now.
    pub refused: u32,
    /// Events of steps that nobody knows.
    pub unknown: u32,
    /// Things that were seen some time ago.
    pub late: u32,
    /// Plans that were not taken over.
    pub rejected: u32,
    /// Goals that were asked for.
    pub goals: u32,
    /// Steps of other planners that came.
    pub foreign: u32,
    /// Of these, those that were taken back before they began.
    pub withdrawn: u32,
    /// Questions that were answered.
    pub explained: u32,
    /// Rounds in which the game was taken to be further than it was.
    pub ahead: u32,
}

impl Outcome {
    /// Adds up what came of several trials.
    pub fn add(&mut self, other: &Self) {
        self.deltas.extend(other.deltas.iter().cloned());
        self.performed += other.performed;
        self.surprises += other.surprises;
        self.judged += other.judged;
        let (all, more) = (&mut self.whims, &other.whims);
        all.amended += more.amended;
        all.refused += more.refused;
        all.unknown += more.unknown;
        all.late += more.late;
        all.rejected += more.rejected;
        all.goals += more.goals;
        all.foreign += more.foreign;
        all.withdrawn += more.withdrawn;
        all.explained += more.explained;
        all.ahead += more.ahead;
    }

    /// How many of the plans that were published changed anything.
    pub fn published(&self) -> usize {
        self.deltas.iter().filter(|delta| !delta.is_empty()).count()
    }
}

impl Whims {
    /// The smallest of all these numbers: whether everything has happened.
    pub fn rarest(&self) -> u32 {
        let Self { amended, refused, unknown, late, rejected, goals, foreign, withdrawn, explained, ahead } = *self;
        [amended, refused, unknown, late, rejected, goals, foreign, withdrawn, explained, ahead]
            .into_iter()
            .min()
            .unwrap_or(0)
    }
}

/// Runs every check on one seed. The error says which point of the contract is broken, and when.
pub fn check(subject: &Subject<'_>, trial: Trial) -> Result<Outcome, String> {
    let live = |workers: &Workers<'_>, save_at: Option<u32>| Life::new(subject, trial).run(workers, save_at);
    let outcome = live(&Workers::single(), None)?;
    if live(&Workers::single(), None)? != outcome {
        return Err("6: the same inputs, budgets and seed gave another plan".to_owned());
    }
    // Jobs in the opposite order, as threads might finish them.
    let backwards = |count: usize, job: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(job);
    if live(&Workers::with(&backwards), None)? != outcome {
        return Err("10: another order of jobs gave another plan".to_owned());
    }
    let half = Some(trial.rounds / 2);
    let (saved, loaded) = (live(&Workers::single(), half)?, Life::new(subject, trial).reloaded(half)?);
    if saved != loaded {
        return Err("8: a planner that was loaded went on otherwise than the one that saved".to_owned());
    }
    monotone(subject, trial)?;
    Ok(outcome)
}

/// 7: more work never gives a dearer plan for the same inputs.
fn monotone(subject: &Subject<'_>, trial: Trial) -> Result<(), String> {
    let mut before = None;
    for factor in [1, 2, 4, 16] {
        let mut planner = (subject.make)(trial.seed);
        planner.advance(TickBounds::exactly(0), 1);
        planner.deliberate(&mut Budget::of(trial.units.saturating_mul(factor)), &Workers::single());
        let delta = planner.publish();
        if let (Some((complete, cost)), Some(now)) = (before, delta.cost)
            && complete
            && (!delta.complete || now > cost)
        {
            return Err(format!("7: {factor} times the work gave a plan of cost {now:?}, not {cost:?}"));
        }
        before = delta.cost.map(|cost| (delta.complete, cost));
    }
    Ok(())
}
