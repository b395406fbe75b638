//! How a director and a game are set up for a run.

use std::sync::Arc;

use dramaturg::model::{Model, Plan, Tick};
use dramaturg::planner::planner::{Planner, Registry};
use dramaturg::planner::scripted::{ScriptOptions, Scripted};
use dramaturg::planner::simulate::{Detail, Expectations, WorldOptions};
use dramaturg_director::shell::SessionOptions;
use dramaturg_director::{Core, Director, DirectorOptions, Journey, Policy};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_wire::Codec;

use super::actor::Actor;
use super::planners::{PlannerKind, planner_of};
use super::player::Player;

/// How a director and a game are set up.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The story.
    pub model: Arc<Model>,
    /// What is performed.
    pub plan: Arc<Plan>,
    /// When planned steps are sent.
    pub policy: Policy,
    /// ω: how many ticks a planning cycle takes.
    pub omega: Tick,
    /// υ: every how many ticks the game reports the time.
    pub upsilon: u32,
    /// μ: how long messages take.
    pub mu: Journey,
    /// Ticks in a second, times a thousand.
    pub rate_milli: u32,
    /// How many ticks are run.
    pub ticks: Tick,
    /// One task in so many fails; 0: none.
    pub fails: usize,
    /// What failed is planned again so often.
    pub retries: u32,
    /// Where chance begins.
    pub seed: u64,
    /// Whether the player does by itself what the story expects.
    pub expectations: Expectations,
    /// Whether somebody plays who wanders, takes its time and refuses.
    pub is_played: bool,
    /// The planners that there are.
    pub planners: Registry,
    /// The planner that was asked for by name; none: the one that the story asks for.
    pub planner: Option<String>,
}

/// What failed is tried again so often, where a plan is performed by a virtual clock.
const RETRIES: u32 = 2;

impl Setting {
    /// By a virtual clock, with messages that take no time and a player who does nothing by itself.
    pub fn virtual_time(model: Arc<Model>, plan: Plan, seed: u64) -> Self {
        Self {
            model,
            plan: Arc::new(plan),
            policy: Policy::Decoupled,
            omega: 1,
            upsilon: 1,
            mu: Journey::Given(0),
            rate_milli: 60_000,
            ticks: 0,
            fails: 0,
            retries: RETRIES,
            seed,
            expectations: Expectations::Watched,
            is_played: false,
            planners: dramaturg_planners::builtin(),
            planner: None,
        }
    }

    /// A session of this story with its planner.
    pub fn director(&self, session: &str, codec: Codec) -> Director {
        let options = DirectorOptions {
            session: session.to_owned(),
            policy: self.policy,
            omega: self.omega,
            upsilon: self.upsilon,
            mu: self.mu,
            rate_milli: self.rate_milli,
            codec,
            world: WorldOptions { seed: self.seed, detail: Detail::Texts, ..WorldOptions::default() },
            ..DirectorOptions::default()
        };
        Director::new(Core::new(Arc::clone(&self.model), options), self.make_planner(), self.planners.loader())
    }

    /// The planner that was asked for, by name or by the story; a plan that was given is performed as it is.
    fn make_planner(&self) -> Box<dyn Planner> {
        let of_story = || planner_of(&self.model).map(PlannerKind::name).filter(|_| self.plan.steps.is_empty());
        let name = self.planner.as_deref().or_else(of_story);
        let made = name.and_then(|name| self.planners.make(name, Arc::clone(&self.model), self.seed).ok());
        made.unwrap_or_else(|| {
            let script = ScriptOptions { retries: self.retries, seed: self.seed, ..ScriptOptions::default() };
            Box::new(Scripted::performing(Arc::clone(&self.model), &self.plan, script))
        })
    }

    /// How its sessions are driven.
    pub fn session(&self) -> SessionOptions {
        let repairs_from = self.plan.steps.iter().map(|step| step.id.saturating_add(1)).max().unwrap_or(0);
        SessionOptions { repairs_from: Some(repairs_from), ..SessionOptions::default() }
    }

    /// The game's side.
    pub fn executor(&self, codec: Codec, token: Option<String>) -> Executor {
        Executor::new(ExecutorOptions {
            game: "scripted".to_owned(),
            token,
            codec,
            rate_milli: self.rate_milli,
            // The director is in this process: a link to it does not die, and one that plans for long is waited for.
            silence_ticks_max: 0,
            ..ExecutorOptions::default()
        })
    }

    /// The game.
    pub fn actor(&self) -> Actor {
        let actor = Actor::new(Arc::clone(&self.model), &self.plan, self.fails, self.seed, self.expectations);
        if self.is_played { actor.played(Player::new(&self.model, self.seed)) } else { actor }
    }

    /// Microseconds from one tick to the start of this one.
    pub fn moment(&self, tick: Tick) -> i64 {
        i64::try_from(i128::from(tick) * 1_000_000_000 / i128::from(self.rate_milli.max(1))).unwrap_or(i64::MAX)
    }
}
