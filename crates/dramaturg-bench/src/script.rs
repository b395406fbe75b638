//! Stories in which a plan can be as long as one likes, each with such a plan, written down rather than searched for.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use dramaturg_model::{Model, Step, Tick};
use dramaturg_planner::planner::Planner;
use dramaturg_planner::repair::{Playwright, RepairOptions};
use dramaturg_story::compile_text;

/// A story with a plan for it.
pub(crate) struct Script {
    story: String,
    steps: BTreeMap<u32, Step>,
}

/// Before this tick nothing is planned.
pub(crate) const BEGIN: Tick = 5;

/// So many doors are in a wing, and two wardens: a longer plan is for a larger house, not for a fuller one.
const WING: usize = 50;

/// What can be done to a number: the action, how long it takes, and by how much it changes the number.
const MOVES: [(&str, Tick, f64); 5] =
    [("glimpse", 60, 15.0), ("plea", 90, 20.0), ("announce", 40, 10.0), ("kiss", 30, -30.0), ("celebrate", 60, -25.0)];
/// By how much the number falls in every tick.
const FADES: f64 = 0.01;

impl Script {
    fn new(story: String) -> Self {
        Self { story, steps: BTreeMap::new() }
    }

    fn add(&mut self, action: &str, args: &[String], start: Tick, duration: Tick) {
        let id = self.steps.len() as u32;
        let args = args.iter().map(|arg| arg.as_str().into()).collect();
        let (status, origin) = (Default::default(), Default::default());
        let step =
            Step { id, action: action.into(), args, start, duration, window: None, status, goals: Vec::new(), origin };
        self.steps.insert(id, step);
    }

    /// A house of doors that are to be open: each must be unlocked first, and a warden has two hands.
    pub(crate) fn doors(steps: usize) -> Self {
        let mut script = Self::new(String::from(
            "story \"Doors\"\ntype Wing\ntype Door { open; locked = true; wing: Wing }\n\
             type Warden { hands: actuator 2; wing: Wing }\n\
             action unlock(w: Warden, d: Door) { takes 4 ticks; needs d.locked and w.wing == d.wing; uses w.hands; then not d.locked }\n\
             action push(w: Warden, d: Door) { takes 3 ticks; needs not d.locked and not d.open and w.wing == d.wing; uses w.hands; then d.open }\n",
        ));
        // Writing to a text cannot fail.
        for door in 0..steps / 2 {
            let (wing, place) = (door / WING, door % WING);
            if place == 0 {
                let _ = writeln!(script.story, "object wing-{wing}: Wing");
                for warden in 2 * wing..2 * wing + 2 {
                    let _ = writeln!(script.story, "object warden-{warden}: Warden (wing = wing-{wing})");
                }
            }
            let _ = writeln!(script.story, "object door-{door}: Door (wing = wing-{wing})\ngoal door-{door}.open");
            let args = [format!("warden-{}", 2 * wing + place % 2), format!("door-{door}")];
            // Four hands take turns, and let a tick pass after each door.
            let start = BEGIN + (place / 4) as Tick * 8;
            script.add("unlock", &args, start, 4);
            script.add("push", &args, start + 4, 3);
        }
        script
    }

    /// A number that is to follow a curve, as long as a plan of so many steps reaches that does at every time what brings it nearest.
    pub(crate) fn curve(steps: usize) -> Self {
        let mut script = Self::new(String::from(
            "story \"Curve\" { ticks 60 per s }\ntype Player { motivation: number 0..100 = 10; attention: actuator }\n\
             object player: Player\n",
        ));
        for (action, ticks, gain) in MOVES {
            let sign = if gain < 0.0 { '-' } else { '+' };
            let _ = writeln!(
                script.story,
                "action {action} {{ takes {ticks} ticks; uses player.attention; during player.motivation {sign}= {} }}",
                gain.abs()
            );
        }
        let _ = writeln!(script.story, "rule fades {{ during player.motivation -= {FADES} per tick }}");
        let (mut now, mut value) = (BEGIN, 10.0);
        while script.steps.len() < steps {
            let idle = ("", 10, 0.0);
            let after = |ticks: Tick, gain: f64| (value + gain - FADES * ticks as f64).clamp(0.0, 100.0);
            let off = |(_, ticks, gain): &(&str, Tick, f64)| (after(*ticks, *gain) - wanted(now + ticks)).abs();
            let moves = MOVES.iter().chain([&idle]);
            let (action, ticks, gain) = *moves.min_by(|one, other| off(one).total_cmp(&off(other))).unwrap_or(&idle);
            if !action.is_empty() {
                script.add(action, &[], now, ticks);
            }
            (now, value) = (now + ticks, after(ticks, gain));
        }
        let points: Vec<String> =
            (0..=now / CREST).flat_map(crest).map(|(tick, value)| format!("{value} at {tick} ticks")).collect();
        let _ =
            writeln!(script.story, "prefer player.motivation follows 10 at 0 ticks, {} within 5", points.join(", "));
        script
    }

    /// The planner of the story, with the plan at hand.
    pub(crate) fn playwright(&self, options: RepairOptions) -> Result<Playwright, String> {
        let model: Arc<Model> = Arc::new(compile_text("bench.story", &self.story).model);
        // What a planner has saved says what it intends.
        let mut save = Playwright::new(Arc::clone(&model), options).save();
        let mut data: serde_json::Value = serde_json::from_str(&save.data).map_err(|error| error.to_string())?;
        if let Some(fields) = data.as_object_mut() {
            let steps = serde_json::to_value(&self.steps).map_err(|error| error.to_string())?;
            fields.insert("intended".to_owned(), steps);
            fields.insert("next_id".to_owned(), self.steps.len().into());
        }
        save.data = data.to_string();
        Playwright::load(model, &save)
    }
}

/// How many ticks there are from one crest of the curve to the next.
const CREST: Tick = 900;

/// A crest of the curve, and the hollow after it.
fn crest(number: Tick) -> [(Tick, Tick); 2] {
    let begin = number * CREST;
    [(begin + 700, 50 + number % 4 * 10), (begin + CREST, 25 + number % 3 * 5)]
}

/// What the curve wants at a tick.
fn wanted(tick: Tick) -> f64 {
    let number = tick / CREST;
    let before = if number == 0 { (0, 10) } else { crest(number - 1)[1] };
    let [top, bottom] = crest(number);
    let ((from, low), (to, high)) = if tick < top.0 { (before, top) } else { (top, bottom) };
    low as f64 + (high - low) as f64 * (tick - from) as f64 / (to - from) as f64
}
