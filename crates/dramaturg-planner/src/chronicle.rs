//! The world as it is known: what was reported, each thing at its own tick, and what follows from it.
//!
//! A [`World`] has no past, but reports come late: a step started three ticks ago, the player has been elsewhere for a
//! second. So a chronicle keeps a world some way back, a few on the way from there, and every report since then. A
//! report that lies behind the present moment runs the world again from the last of them that it does not touch; all
//! others cost nothing extra.

mod mark;
mod save;
use mark::Marks;
pub use save::ChronicleSave;

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use dramaturg_model::{Model, Observation, Step, Tick};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};

use crate::simulate::{Expectations, NameProblem, Phase, Unmet, World, WorldEvent, WorldOptions, names};

/// More reports than this are not kept for the sake of late ones: what was reported up to the present is settled early.
pub const REPORTS_MAX: usize = 1 << 14;

/// How a chronicle is kept.
#[derive(Clone, Debug)]
pub struct ChronicleOptions {
    /// How the world is driven; what is expected is always waited for, and what the game performs is performed.
    pub world: WorldOptions,
    /// How far back reports may lie. An older one counts as made at the oldest tick that is kept.
    pub window: Tick,
}

impl Default for ChronicleOptions {
    fn default() -> Self {
        Self { world: WorldOptions::default(), window: 600 }
    }
}

/// Something reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Fact {
    /// A fluent was seen to have a value.
    Seen(Observation),
    /// A step started.
    Started(u32),
    /// A step ended without its effects.
    Cut(u32),
}

/// A step that the game has started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Run {
    step: Step,
    start: Tick,
    /// How long it takes as far as is known.
    duration: Tick,
    /// When it ended, with its effects.
    finished: Option<Tick>,
    /// When it ended, without them.
    cut: Option<Tick>,
}

impl Run {
    /// Whether it should have ended by this tick, if it has not been reported as ended.
    fn is_overdue(&self, tick: Tick) -> bool {
        self.start.saturating_add(self.duration) <= tick
    }

    /// Whether the game performs it now, as far as is known.
    fn is_open(&self) -> bool {
        self.finished.is_none() && self.cut.is_none()
    }

    /// How long the world lets it run, if reports are in up to this tick: a step that has not been reported as ended
    /// goes on.
    fn lasts(&self, reported: Tick) -> Tick {
        match self.finished {
            Some(end) => end.saturating_sub(self.start).max(1),
            None => self.duration.max(reported.saturating_add(1).saturating_sub(self.start)).max(1),
        }
    }
}

/// The world as it is known.
#[derive(Clone, Debug)]
pub struct Chronicle {
    window: Tick,
    /// The world some way back; everything reported up to its tick is in it.
    base: World,
    /// The world at a few ticks since.
    marks: Marks,
    /// The world at the last tick that was reported.
    present: World,
    /// Reports after the base, by tick and order of arrival.
    facts: BTreeMap<(Tick, u64), Fact>,
    arrived: u64,
    /// The first fact that is not in the present world.
    next: (Tick, u64),
    /// Whether a fact lies behind the present.
    behind: bool,
    runs: BTreeMap<u32, Run>,
    /// Those of them that have not ended.
    open: BTreeSet<u32>,
    /// What was told already, so that running again tells only what is new.
    told: BTreeSet<(Tick, u64)>,
    events: Vec<WorldEvent>,
    reruns: u64,
}

impl Chronicle {
    /// The world before tick 0.
    pub fn begin(model: &Model, options: ChronicleOptions) -> Self {
        let world =
            WorldOptions { expectations: Expectations::Watched, unmet: Unmet::Performed, ..options.world.clone() };
        Self::of(World::begin(model, world), options.window)
    }

    /// A chronicle that begins with a world.
    pub fn of(world: World, window: Tick) -> Self {
        Self {
            window: window.max(1),
            base: world.clone(),
            marks: Marks::default(),
            present: world,
            facts: BTreeMap::new(),
            arrived: 0,
            next: (Tick::MIN, 0),
            behind: false,
            runs: BTreeMap::new(),
            open: BTreeSet::new(),
            told: BTreeSet::new(),
            events: Vec::new(),
            reruns: 0,
        }
    }

    /// The world at the last tick that was reported.
    pub fn present(&self) -> &World {
        &self.present
    }

    /// The oldest tick about which something can still be reported.
    pub fn oldest(&self) -> Tick {
        first_open(&self.base)
    }

    /// How many reports are kept: those that late ones may still be ordered among, and those of ticks to come.
    pub fn report_count(&self) -> usize {
        self.facts.len()
    }

    /// How often a report made the world run again.
    pub fn reruns(&self) -> u64 {
        self.reruns
    }

    /// Takes out what happened since the last call.
    pub fn drain(&mut self) -> Vec<WorldEvent> {
        std::mem::take(&mut self.events)
    }

    /// Whether the game performs this step now, as far as is known.
    pub fn is_running(&self, step: u32) -> bool {
        self.open.contains(&step)
    }

    /// The steps that the game performs now: each with its start, and how many ticks it takes as far as is known.
    pub fn running(&self) -> impl Iterator<Item = (&Step, Tick, Tick)> {
        let running = self.open.iter().filter_map(|id| self.runs.get(id));
        running.map(|run| (&run.step, run.start, run.lasts(self.present.now())))
    }

    /// Something was seen, from one tick until before another.
    pub fn observe(&mut self, model: &Model, seen: &Observation) -> Result<(), NameProblem> {
        let (fluent, _) = names::fluent(model, &seen.fluent)?;
        names::value_of(model, fluent, &seen.value)?;
        self.report(seen.from, Fact::Seen(Observation { to: None, ..seen.clone() }));
        // What the plan did to it meanwhile does not count: it was so until the end of its time.
        if let Some(last) = seen.to.map(|to| to.saturating_sub(1)).filter(|last| *last > seen.from) {
            self.report(last, Fact::Seen(Observation { from: last, to: None, ..seen.clone() }));
        }
        Ok(())
    }

    /// The game has started a step.
    pub fn started(&mut self, model: &Model, step: &Step, tick: Tick) -> Result<(), NameProblem> {
        if self.runs.contains_key(&step.id) {
            return Ok(());
        }
        names::args(model, names::performed(model, &step.action)?, &step.args)?;
        let run = Run { step: step.clone(), start: tick, duration: step.duration, finished: None, cut: None };
        self.runs.insert(step.id, run);
        self.open.insert(step.id);
        self.report(tick, Fact::Started(step.id));
        Ok(())
    }

    /// A running step will take so long in all.
    pub fn amended(&mut self, step: u32, duration: Tick) {
        let Some(run) = self.runs.get_mut(&step).filter(|run| run.finished.is_none()) else { return };
        run.duration = duration.max(1);
        let lasts = run.lasts(self.present.now());
        self.present.amend(step, lasts);
        self.amend_past(step, lasts);
    }

    /// A running step has ended, with its effects.
    pub fn finished(&mut self, step: u32, tick: Tick) {
        let Some(run) = self.runs.get_mut(&step).filter(|run| run.is_open()) else {
            return;
        };
        let tick = tick.max(run.start.saturating_add(1));
        run.finished = Some(tick);
        self.open.remove(&step);
        let lasts = run.lasts(tick);
        if self.is_ahead(tick) {
            self.present.amend(step, lasts);
        } else {
            self.fall_behind(tick);
        }
        self.amend_past(step, lasts);
    }

    /// A running step has ended without its effects. It had begun: what it did at its start stays.
    pub fn cut(&mut self, step: u32, tick: Tick) {
        let Some(run) = self.runs.get_mut(&step).filter(|run| run.is_open()) else {
            return;
        };
        let tick = tick.max(run.start.saturating_add(1));
        run.cut = Some(tick);
        // Until then it went on, also beyond its time: it has not come to its end before.
        let lasts = run.lasts(tick);
        self.open.remove(&step);
        if self.is_ahead(tick) {
            self.present.amend(step, lasts);
        }
        self.amend_past(step, lasts);
        self.report(tick, Fact::Cut(step));
    }

    /// A step that was to start will not. One that has started by this tick ends without its effects.
    pub fn withdrawn(&mut self, step: u32, tick: Tick) {
        let Some(start) = self.runs.get(&step).map(|run| run.start) else { return };
        if !self.is_ahead(start) {
            return self.cut(step, tick);
        }
        self.runs.remove(&step);
        self.open.remove(&step);
        self.facts.retain(|_, fact| *fact != Fact::Started(step));
    }

    fn is_ahead(&self, tick: Tick) -> bool {
        tick >= self.present.next_phase().0
    }

    fn fall_behind(&mut self, tick: Tick) {
        self.behind = true;
        self.marks.forget_from(tick);
    }

    fn amend_past(&mut self, step: u32, lasts: Tick) {
        self.base.amend(step, lasts);
        self.marks.amend(step, lasts);
    }

    fn report(&mut self, tick: Tick, fact: Fact) {
        let tick = tick.max(self.oldest());
        if !self.is_ahead(tick) {
            self.fall_behind(tick);
        }
        self.facts.insert((tick, self.arrived), fact);
        self.arrived += 1;
    }

    /// Everything up to this tick has been reported: the world runs up to it.
    pub fn advance(&mut self, model: &Model, tick: Tick) {
        self.advance_within(model, tick, u64::MAX);
    }

    /// The same, but with no more than about this much work (see [`Effort`](crate::simulate::Effort)): a game may come
    /// back after hours. Returns whether the world came all the way; if not, the same call goes on from where it
    /// stopped.
    pub fn advance_within(&mut self, model: &Model, tick: Tick, work: u64) -> bool {
        let mut arrived = true;
        if self.behind {
            self.reruns += 1;
            arrived = self.run_again(model, self.present.now().max(tick), work);
        } else if tick > self.present.now() || self.present.next_phase().0 <= tick {
            for id in &self.open {
                if let Some(run) = self.runs.get(id).filter(|run| run.is_overdue(tick)) {
                    self.present.amend(*id, run.lasts(tick));
                }
            }
            arrived = run_world(model, &mut self.present, &self.facts, &mut self.next, &self.runs, tick, work);
        }
        self.tell();
        self.marks.pass(&self.present, self.next);
        let since_base = self.present.now().saturating_sub(self.base.now());
        if since_base > self.window.saturating_mul(2) {
            arrived &= self.settle(model, self.present.now().saturating_sub(self.window), work);
        } else if self.facts.len() > REPORTS_MAX && since_base > 0 {
            arrived &= self.settle(model, self.present.now(), work);
        }
        arrived
    }

    /// The world as conditions saw it in P3 of a tick that has been reported, with everything that is known by now.
    pub fn look_back(&self, model: &Model, tick: Tick) -> World {
        let mut world = self.base.clone();
        let mut next = (Tick::MIN, 0);
        run_world(model, &mut world, &self.facts, &mut next, &self.runs, tick.saturating_sub(1), u64::MAX);
        for (id, run) in self.runs.iter().filter(|(_, run)| run.start < tick) {
            world.amend(*id, run.lasts(self.present.now()));
        }
        for (_, fact) in self.facts.range((tick, 0)..(tick.saturating_add(1), 0)) {
            match fact {
                Fact::Seen(seen) => {
                    // The names were looked at when it came in.
                    let _ = world.observe(model, &Observation { from: tick, ..seen.clone() });
                }
                // What starts in this tick does so after P3.
                Fact::Started(_) => {}
                Fact::Cut(id) => world.cut(*id),
            }
        }
        world.look_at(model, tick);
        world
    }

    /// Runs the world again from the last one that is not touched by what came.
    fn run_again(&mut self, model: &Model, tick: Tick, work: u64) -> bool {
        self.behind = false;
        (self.present, self.next) = match self.marks.last() {
            Some((world, next)) => (world.clone(), next),
            None => (self.base.clone(), (Tick::MIN, 0)),
        };
        let oldest = first_open(&self.present);
        for (id, run) in self.runs.iter().filter(|(_, run)| run.start < oldest) {
            self.present.amend(*id, run.lasts(tick));
        }
        run_world(model, &mut self.present, &self.facts, &mut self.next, &self.runs, tick, work)
    }

    fn tell(&mut self) {
        for event in self.present.drain() {
            let mut hasher = FxHasher::default();
            event.kind.hash(&mut hasher);
            if self.told.insert((event.tick, hasher.finish())) {
                self.events.push(event);
            }
        }
    }

    /// Moves the base up: what lies before it can no longer be changed. Returns whether it came as far as it should.
    fn settle(&mut self, model: &Model, to: Tick, work: u64) -> bool {
        let mut next = (Tick::MIN, 0);
        for (id, run) in &self.runs {
            self.base.amend(*id, run.lasts(self.present.now()));
        }
        let arrived = run_world(model, &mut self.base, &self.facts, &mut next, &self.runs, to, work);
        self.base.drain();
        let to = if arrived { to } else { self.base.now().min(to) };
        self.marks.forget_until(to);
        // A base that stopped on its way has everything that was reported up to where it stands.
        self.facts = self.facts.split_off(&if arrived { (to.saturating_add(1), 0) } else { next });
        self.told = self.told.split_off(&(to, 0));
        self.runs.retain(|_, run| run.finished.or(run.cut).is_none_or(|end| end > to));
        self.base.forget_come(|step| self.runs.contains_key(&step));
        self.present.forget_come(|step| self.runs.contains_key(&step));
        arrived
    }

    /// A copy of the world that can be run ahead: what is expected comes as expected, and what was reported of ticks
    /// after the present one is in it.
    pub fn ahead(&self, model: &Model) -> World {
        self.with_reports(model, self.present.assuming())
    }

    /// A copy of the world to act out what comes: what is expected is waited for, and what was reported of ticks after
    /// the present one is in it.
    pub fn rehearsing(&self, model: &Model) -> World {
        self.with_reports(model, self.present.rehearsing())
    }

    fn with_reports(&self, model: &Model, mut world: World) -> World {
        for ((at, _), fact) in self.facts.range(self.next..) {
            match fact {
                Fact::Seen(seen) => {
                    // The names were looked at when it came in.
                    let _ = world.observe(model, &Observation { from: *at, ..seen.clone() });
                }
                Fact::Started(id) => {
                    if let Some(run) = self.runs.get(id).filter(|run| run.cut.is_none()) {
                        let step = Step { start: *at, ..run.step.clone() };
                        let _ = world.schedule(model, &step);
                    }
                }
                Fact::Cut(id) => world.cut(*id),
            }
        }
        world
    }
}

/// The first tick of which a world has run nothing.
fn first_open(world: &World) -> Tick {
    let (tick, phase) = world.next_phase();
    if phase == Phase::Observe { tick } else { tick.saturating_add(1) }
}

/// Runs a world up to a tick, with every fact at its own, but stops between two ticks after about so much work. Returns
/// whether it came all the way.
fn run_world(
    model: &Model,
    world: &mut World,
    facts: &BTreeMap<(Tick, u64), Fact>,
    next: &mut (Tick, u64),
    runs: &BTreeMap<u32, Run>,
    tick: Tick,
    work: u64,
) -> bool {
    let stop = world.effort().total().saturating_add(work);
    let left = |world: &World| stop.saturating_sub(world.effort().total());
    // A step starts as planned; only then does it take longer or shorter than that, as it did in the game.
    let mut fresh: Vec<(u32, Tick)> = Vec::new();
    let mut due = facts.range(*next..(tick.saturating_add(1), 0)).peekable();
    while let Some(((at, number), fact)) = due.next() {
        if !world.step_toward(model, at.saturating_sub(1), left(world)) {
            return false;
        }
        match fact {
            Fact::Seen(seen) => {
                // The names were looked at when it came in.
                let _ = world.observe(model, &Observation { from: *at, ..seen.clone() });
            }
            Fact::Started(id) => {
                if let Some(run) = runs.get(id) {
                    let step = Step { start: *at, ..run.step.clone() };
                    let _ = world.schedule(model, &step);
                    fresh.push((*id, run.lasts(tick)));
                }
            }
            Fact::Cut(id) => world.cut(*id),
        }
        *next = (*at, number + 1);
        if !fresh.is_empty() && due.peek().is_none_or(|((then, _), _)| then > at) {
            world.step_to(model, *at);
            for (step, lasts) in fresh.drain(..) {
                world.amend(step, lasts);
            }
        }
    }
    world.step_toward(model, tick, left(world))
}

#[cfg(test)]
mod tests;
