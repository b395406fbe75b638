//! The course of a number that a story wants to follow a curve: what is wanted of it, and what came.

use dramaturg::model::{Evaluator, Expr, Fixed, Liking, Model, Owner, Plan, State, Tick, Value, WishKind};
use dramaturg::planner::simulate::{Detail, Follow, Unmet, World, WorldOptions};
use serde::Serialize;

/// What is wanted of a number, and what came, tick by tick.
#[derive(Clone, Debug)]
pub struct Course {
    /// The number, as the story writes it.
    pub name: String,
    /// Ticks and wanted values; straight lines between them.
    pub target: Vec<(Tick, f64)>,
    /// What it was at each tick.
    pub values: Vec<(Tick, f64)>,
    value: Expr,
}

/// How far a number was from its curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Distance {
    /// On average, tick by tick.
    pub mean: f64,
    /// At worst.
    pub max: f64,
}

impl Course {
    /// One for each curve that the story itself wants to be followed, nothing noted yet.
    pub fn all(model: &Model) -> Vec<Self> {
        let state = State::initial(model, 0);
        let number = |expr: &Expr| Evaluator::new(model, &state).value(expr).as_number();
        let mut found = Vec::new();
        for wish in model.wishes.values().filter(|wish| wish.owner == Owner::Story) {
            let WishKind::Prefer { liking: Liking::Follows(curve), .. } = &wish.kind else { continue };
            let points = curve.points.iter().filter_map(|(value, time)| Some((number(value)?, number(time)?)));
            let target = points.map(|(value, time)| (time.round_half_up(), as_float(value))).collect();
            let name = match &curve.value {
                Expr::Fluent(fluent, args) => {
                    let args: Vec<Value> = args.iter().map(|arg| Evaluator::new(model, &state).value(arg)).collect();
                    model.fluent_name(*fluent, &args)
                }
                _ => format!("curve {}", found.len() + 1),
            };
            found.push(Self { name, target, values: Vec::new(), value: curve.value.clone() });
        }
        found
    }

    /// What comes of the story's curves if a plan is performed and nobody interferes.
    pub fn foreseen(model: &Model, plan: &Plan, seed: u64) -> Vec<Self> {
        let options = WorldOptions {
            seed,
            detail: Detail::Violations,
            follow: Follow::Nobody,
            unmet: Unmet::Performed,
            ..WorldOptions::default()
        };
        let mut world = World::begin(model, options);
        for step in &plan.steps {
            // A step that the story does not have changes nothing.
            let _ = world.schedule(model, step);
        }
        let mut courses = Self::all(model);
        let end = courses.iter().map(Self::end).max().unwrap_or(0);
        for tick in 0..=end {
            world.step_to(model, tick);
            world.drain();
            courses.iter_mut().for_each(|course| course.note(model, world.state(), tick));
        }
        courses
    }

    /// Notes what the number is at a tick.
    pub fn note(&mut self, model: &Model, state: &State, tick: Tick) {
        if let Some(value) = Evaluator::new(model, state).value(&self.value).as_number() {
            self.values.push((tick, as_float(value)));
        }
    }

    /// The tick after which nothing is wanted any more.
    pub fn end(&self) -> Tick {
        self.target.last().map_or(0, |(tick, _)| *tick)
    }

    /// What is wanted at a tick.
    pub fn wanted(&self, tick: Tick) -> f64 {
        let after = self.target.partition_point(|(time, _)| *time <= tick);
        let before = after.checked_sub(1).and_then(|at| self.target.get(at));
        match (before, self.target.get(after)) {
            (Some((from, low)), Some((to, high))) => low + (high - low) * (tick - from) as f64 / (to - from) as f64,
            (Some((_, value)), None) | (None, Some((_, value))) => *value,
            (None, None) => 0.0,
        }
    }

    /// The last value that was noted.
    pub fn last(&self) -> Option<(Tick, f64)> {
        self.values.last().copied()
    }

    /// How far it was from what is wanted, as long as anything is; none if nothing was noted.
    pub fn distance(&self) -> Option<Distance> {
        let end = self.end();
        let off = self.values.iter().filter(|(tick, _)| (0..=end).contains(tick));
        let off: Vec<f64> = off.map(|(tick, value)| (value - self.wanted(*tick)).abs()).collect();
        let max = off.iter().copied().reduce(f64::max)?;
        Some(Distance { mean: off.iter().sum::<f64>() / off.len() as f64, max })
    }
}

fn as_float(number: Fixed) -> f64 {
    number.0 as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use dramaturg::story::compile_text;

    use super::*;

    const SWELL: &str = "story \"Swell\" { ticks 60 per s }
fluent tide: number 0..100 = 10
action rise { takes 10 ticks; during tide += 20 }
prefer tide follows 10 at 0 ticks, 30 at 20 ticks, 10 at 40 ticks within 2
";

    #[test]
    fn a_course_knows_what_is_wanted_and_how_far_off_it_was() {
        let model = compile_text("swell.story", SWELL).model;
        let mut plan = Plan::default();
        plan.add("rise", std::iter::empty::<&str>(), 10, 10);
        let courses = Course::foreseen(&model, &plan, 0);
        let [course] = courses.as_slice() else { panic!("{courses:?}") };
        assert_eq!((course.name.as_str(), course.end()), ("tide", 40));
        assert_eq!([0, 10, 20, 30, 40, 99].map(|tick| course.wanted(tick)), [10.0, 20.0, 30.0, 20.0, 10.0, 10.0]);
        assert_eq!(course.last(), Some((40, 30.0)));
        // It falls behind by up to 10, catches up, and stays up while the curve falls by 20.
        let distance = course.distance().unwrap_or_default();
        assert!((distance.max - 20.0).abs() < 0.01 && (7.0..8.0).contains(&distance.mean), "{distance:?}");
    }
}
