//! A game that performs what a cast publishes, and the judge of what it performed.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Model, Plan, State, Step, StepEvent, StepEventKind, Tick};
use dramaturg_planner::cast::{Cast, CastOptions};
use dramaturg_planner::planner::{Budget, Planner, Progress, TickBounds, Workers};
use dramaturg_planner::validate::{Goals, ValidateOptions, validate};

pub fn model(text: &str) -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("test.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// What a game does that performs each published step in its tick and for as long as it was to take. `fails` says which steps fail.
pub struct Game<'f> {
    pub cast: Cast,
    pub open: BTreeMap<u32, Step>,
    running: Vec<(Step, Tick, bool)>,
    pub performed: Vec<Step>,
    fails: &'f mut dyn FnMut(&Step) -> bool,
}

impl<'f> Game<'f> {
    pub fn new(model: &Arc<Model>, fails: &'f mut dyn FnMut(&Step) -> bool) -> Self {
        let cast = Cast::new(Arc::clone(model), CastOptions::default());
        Self { cast, open: BTreeMap::new(), running: Vec::new(), performed: Vec::new(), fails }
    }

    pub fn run(&mut self, ticks: std::ops::Range<Tick>) {
        for now in ticks {
            let mut events = Vec::new();
            let mut tell = |step: u32, kind| events.push(StepEvent { step, version: 1, kind });
            let mut failed = Vec::new();
            self.running.retain(|(step, end, fails)| {
                if *end == now && *fails {
                    failed.extend(step.args.first().cloned());
                }
                if *end == now {
                    let wrong = StepEventKind::Failed("it went wrong".into());
                    tell(step.id, if *fails { wrong } else { StepEventKind::Finished(now) });
                }
                *end > now
            });
            let due: Vec<Step> = self.open.values().filter(|step| step.start == now).cloned().collect();
            for step in due {
                self.open.remove(&step.id);
                tell(step.id, StepEventKind::Locked);
                if step.args.first().is_some_and(|performer| failed.contains(performer)) {
                    // It was to begin where what went wrong would have led.
                    tell(step.id, StepEventKind::GuardFailed);
                    continue;
                }
                tell(step.id, StepEventKind::Started(now));
                let fails = (self.fails)(&step);
                self.running.push((step.clone(), now + step.duration, fails));
                self.performed.push(step);
            }
            self.cast.feedback(&events);
            self.cast.advance(TickBounds::exactly(now), now + 1);
            // A planner that waits for an answer may say that it searches for ever.
            for _ in 0..200 {
                if self.cast.deliberate(&mut Budget::of(2_000), &Workers::single()) != Progress::Searching {
                    break;
                }
            }
            let delta = self.cast.publish();
            delta.removed.iter().for_each(|id| drop(self.open.remove(id)));
            for step in delta.put {
                assert!(step.start > now, "{step:?} is published at {now}");
                self.open.insert(step.id, step);
            }
        }
    }

    /// The game ends what runs at this tick, whatever it was to take.
    #[allow(dead_code, reason = "not every test ends something early")]
    pub fn end_all_at(&mut self, tick: Tick) {
        self.running.iter_mut().for_each(|(_, end, _)| *end = tick);
    }

    pub fn of(&self, performer: &str) -> Vec<String> {
        let own = self.performed.iter().filter(|step| step.args.iter().any(|arg| arg == performer));
        own.map(|step| format!("{}({})", step.action, step.args.join(", "))).collect()
    }
}

/// The whole of what was performed holds, as the judge sees it.
pub fn judge(model: &Model, performed: &[Step]) {
    let plan = Plan { steps: performed.to_vec(), ..Plan::default() };
    let options = ValidateOptions { goals: Goals::None, ..ValidateOptions::default() };
    let report = validate(model, &State::initial(model, 0), &plan, &options);
    assert!(report.valid, "{:?}", report.violations);
}
