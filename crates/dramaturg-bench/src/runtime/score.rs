//! What is performed: small stories, and streams of steps for them.

use std::fmt::Write;
use std::sync::Arc;

use dramaturg_director::{Core, Director, DirectorOptions};
use dramaturg_model::{Chance, Model, Plan, Status, Step, StepOrigin, Tick};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};

/// Drums that are beaten: nothing must hold before a beat.
const DRUMS: &str = "story \"Drums\" { ticks 60 per s }
type Drum { beats: int 0..1000000000 = 0 }
object drum: Drum
action beat(it: Drum) { takes 2 ticks; late 60 ticks; then it.beats += 1 }
";

/// How many villagers there are.
const VILLAGERS: usize = 10;
/// How many ticks a greeting takes.
const GREETING: Tick = 20;

/// A story and the steps that are performed in it.
#[derive(Clone)]
pub struct Score {
    /// The story.
    pub model: Arc<Model>,
    /// The steps.
    pub plan: Plan,
}

impl Score {
    /// Beats of a drum, so many ticks apart: at least one, at most `gap`.
    pub fn drums(from: Tick, count: usize, gap: usize, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut start = from;
        let steps = (0..count).map(|number| {
            start += 1 + chance.below(gap.max(1)) as Tick;
            beat(number, start)
        });
        Self { model: compiled(DRUMS), plan: Plan { steps: steps.collect(), ..Plan::default() } }
    }

    /// So many beats a second for so many ticks, evenly spread.
    pub fn flood(from: Tick, length: Tick, per_second: u32) -> Self {
        let count = (length * Tick::from(per_second) / Tick::from(super::pulse::RATE)).max(0) as usize;
        let at = |number: usize| {
            from + (number as u64 * u64::from(super::pulse::RATE) / u64::from(per_second.max(1))) as Tick
        };
        let steps = (0..count).map(|number| beat(number, at(number)));
        Self { model: compiled(DRUMS), plan: Plan { steps: steps.collect(), ..Plan::default() } }
    }

    /// The story of a village, without any steps.
    pub fn village() -> Self {
        let mut story = String::from(
            "story \"Village\" { ticks 60 per s }
type Place
type Villager { at: Place; awake = true; greetings: int 0..1000000 = 0; voice: actuator }
action greet(who: Villager, other: Villager) {
  takes 20 ticks; needs who.awake and who.at == other.at; uses who.voice; late 30 ticks; then who.greetings += 1
}
object square: Place
",
        );
        for villager in 0..VILLAGERS {
            let _ = writeln!(story, "object villager{villager}: Villager (at = square)");
        }
        Self { model: compiled(&story), plan: Plan::default() }
    }

    /// Villagers who greet each other in turn, so many starts a second for so many ticks, a little unevenly. What one of them needs
    /// no other brings about: a greeting that is missed is the only one that is.
    #[must_use]
    pub fn with_greetings(mut self, from: Tick, length: Tick, per_second: u32, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let between = (Tick::from(super::pulse::RATE) / Tick::from(per_second.max(1))).max(1);
        self.plan.steps = (0..(length / between).max(0) as usize)
            .map(|number| {
                let start = from + number as Tick * between + chance.below(between as usize) as Tick;
                let (who, other) = (number % VILLAGERS, (number + 1 + chance.below(VILLAGERS - 1)) % VILLAGERS);
                let args = [format!("villager{who}"), format!("villager{other}")];
                step(number, "greet", &args, start, GREETING)
            })
            .collect();
        self
    }

    /// A session that performs it.
    pub fn director(&self, options: DirectorOptions, script: ScriptOptions) -> Director {
        let planner = Scripted::performing(Arc::clone(&self.model), &self.plan, script);
        Director::new(Core::new(Arc::clone(&self.model), options), Box::new(planner), dramaturg_planners::loader())
    }
}

/// A beat of the drum.
pub fn beat(number: usize, start: Tick) -> Step {
    step(number, "beat", &["drum".to_owned()], start, 2)
}

fn step(number: usize, action: &str, args: &[String], start: Tick, duration: Tick) -> Step {
    Step {
        id: u32::try_from(number).unwrap_or(u32::MAX),
        action: action.into(),
        args: args.iter().map(Into::into).collect(),
        start,
        duration,
        window: None,
        status: Status::Proposed,
        goals: Vec::new(),
        origin: StepOrigin::Planner,
    }
}

fn compiled(story: &str) -> Arc<Model> {
    Arc::new(dramaturg_story::compile_text("bench.story", story).model)
}

#[cfg(test)]
mod tests {
    use dramaturg_model::State;
    use dramaturg_planner::validate::{ValidateOptions, validate};

    use super::*;

    #[test]
    fn streams_are_valid_and_as_dense_as_they_should_be() {
        let flood = Score::flood(600, 120, 1_000);
        assert_eq!(flood.plan.steps.len(), 2_000);
        let last = flood.plan.steps.last().map(|step| step.start);
        assert_eq!(last, Some(719));
        let village = Score::village().with_greetings(60, 600, 5, 3);
        assert_eq!(village.plan.steps.len(), 50);
        for score in [&flood, &village, &Score::drums(100, 50, 9, 1)] {
            let initial = State::initial(&score.model, 0);
            let report = validate(&score.model, &initial, &score.plan, &ValidateOptions::default());
            assert!(report.valid, "{:?}", report.violations);
        }
    }
}
