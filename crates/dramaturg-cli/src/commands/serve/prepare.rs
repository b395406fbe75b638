//! Stories are prepared behind the port: games can connect at once, and play what is ready.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::planner::Registry;
use dramaturg::planner::simulate::Expectations;
use dramaturg_director::shell::server::Preparation;
use dramaturg_director::{Journey, Policy};

use crate::exit::Failure;
use crate::staging::planners::is_planned;
use crate::staging::setting::Setting;
use crate::staging::stream::{StreamOptions, stream};

/// What the sessions of a story perform and how, once that is known; or why it cannot be.
pub type Prepared = Arc<OnceLock<Result<Setting, String>>>;

/// A story whose sessions do not know yet what to perform.
pub struct Unprepared {
    /// The story.
    pub model: Arc<Model>,
    /// What is performed, where it was given.
    pub plan: Option<Plan>,
    /// Where the setting goes.
    pub prepared: Prepared,
}

/// How stories are prepared.
#[derive(Clone)]
pub struct Preparing {
    /// A stream of so many tasks, whatever the story wants.
    pub tasks: Option<usize>,
    /// Ticks between two tasks of a stream, on average.
    pub gap: Tick,
    /// Where chance begins.
    pub seed: u64,
    /// The planners that there are.
    pub planners: Registry,
    /// The planner of all stories, by name; none: the one that each asks for.
    pub planner: Option<String>,
}

/// How many tasks a stream has.
const TASKS: usize = 1000;
/// The first steps of a stream start here: a game that connects is not that quick.
const FROM: Tick = 120;
/// Cycles are only needed until the first measurement.
const OMEGA: Tick = 6;
/// Most stories are ready so soon, and then nobody need hear that they were not.
const HEAD_START: Duration = Duration::from_millis(100);

impl Preparing {
    /// Prepares stories in a thread, the smallest first, and gives the names of those that are not ready after a
    /// moment.
    pub fn start(
        self,
        stories: Vec<Unprepared>,
        names: &[String],
        preparation: Preparation,
    ) -> Result<Vec<String>, Failure> {
        let mut slow = Vec::new();
        for (place, story) in stories.into_iter().enumerate() {
            if story.plan.is_some() || self.is_planned(&story.model) {
                self.prepare(story);
            } else {
                preparation.begin(place);
                slow.push((place, story));
            }
        }
        slow.sort_by_key(|(_, story)| story.model.objects.len() * story.model.actions.len());
        let mut waiting: Vec<usize> = slow.iter().map(|(place, _)| *place).collect();
        let (done, is_done) = channel();
        let known: Vec<String> = names.to_vec();
        let work = move || {
            for (place, story) in slow {
                let began = Instant::now();
                self.prepare(story);
                preparation.done(place);
                let story = known.get(place).map(String::as_str).unwrap_or_default();
                tracing::info!(story, seconds = began.elapsed().as_secs_f32(), "a story is ready");
                // Whoever started it may not listen any more.
                let _ = done.send(place);
            }
        };
        thread::Builder::new()
            .name("prepare".to_owned())
            .spawn(work)
            .map_err(|error| Failure::trouble(format!("cannot start a thread: {error}")))?;
        wait(&mut waiting, &is_done);
        waiting.sort_unstable();
        Ok(waiting.iter().filter_map(|place| names.get(*place).cloned()).collect())
    }

    /// Whether a planner decides what is done.
    fn is_planned(&self, model: &Model) -> bool {
        self.tasks.is_none() && (self.planner.is_some() || is_planned(model))
    }

    fn prepare(&self, story: Unprepared) {
        let Unprepared { model, plan, prepared } = story;
        let setting = catch_unwind(AssertUnwindSafe(|| self.setting(model, plan)));
        let setting = setting
            .map_err(|_| "the story cannot be prepared, by a fault of the director; its log says more".to_owned());
        // Nobody else sets it.
        let _ = prepared.set(setting);
    }

    /// What the sessions of a story perform, and how.
    fn setting(&self, model: Arc<Model>, plan: Option<Plan>) -> Setting {
        let plan = plan.unwrap_or_else(|| match self.tasks {
            _ if self.is_planned(&model) => Plan::default(),
            tasks => {
                let tasks = tasks.unwrap_or(TASKS);
                stream(&model, &StreamOptions { tasks, from: FROM, gap: self.gap, seed: self.seed })
            }
        });
        Setting {
            expectations: Expectations::Assumed,
            is_played: false,
            policy: Policy::Decoupled,
            omega: OMEGA,
            upsilon: 12,
            mu: Journey::Measured,
            rate_milli: 60_000,
            ticks: 0,
            fails: 0,
            retries: 2,
            seed: self.seed,
            planners: self.planners.clone(),
            planner: self.planner.clone(),
            plan: Arc::new(plan),
            model,
        }
    }
}

/// Waits a moment for stories to be ready, and leaves those in the list that are not.
fn wait(waiting: &mut Vec<usize>, is_done: &Receiver<usize>) {
    let until = Instant::now() + HEAD_START;
    while !waiting.is_empty() {
        match is_done.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(place) => waiting.retain(|other| *other != place),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
    }
}
