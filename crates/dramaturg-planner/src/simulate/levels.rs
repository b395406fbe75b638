//! Milestones, endings, and the change of levels.

use dramaturg_model::{EndingId, LevelId, Milestone, MilestoneId, Model, State};

use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Violation, ViolationKind, WorldEventKind};
use super::rules::Happened;
use super::watch::{Bindings, WatchId, Watched, Watches};
use super::world::World;

/// The watches over the ends of the level at hand.
#[derive(Clone, Debug, Default)]
pub(super) struct Turns {
    milestones: Vec<(MilestoneId, WatchId)>,
    endings: Vec<(EndingId, WatchId)>,
}

/// More levels than this do not pass in one tick.
const LEVELS_PER_TICK_MAX: usize = 64;

impl World {
    /// Watches everything of the level at hand anew; edges are remembered from before.
    pub(super) fn settle(&mut self, model: &Model, before: Option<Watches>) {
        let level = self.state.level();
        let mut watches = Watches::default();
        self.settle_rules(model, &mut watches);
        self.turns = Turns::default();
        for (id, _) in model.milestones.iter().filter(|(_, m)| model.is_visible(m.level, level)) {
            let watch = watches.add(model, Watched::Milestone(id), single());
            self.turns.milestones.push((id, watch));
        }
        for (id, _) in model.endings.iter().filter(|(_, e)| model.is_visible(e.level, level)) {
            let watch = watches.add(model, Watched::Ending(id), single());
            self.turns.endings.push((id, watch));
        }
        self.settle_goals(model, &mut watches);
        if let Some(before) = before {
            watches.inherit(model, &before);
        }
        self.watches = watches;
        self.agenda.forget_given();
        for (number, given) in model.initial.iter().enumerate() {
            let at = given.at.as_ref().filter(|_| model.is_visible(given.level, level));
            let tick = at.and_then(|at| self.value(model, at).as_number()).map(|at| at.round_half_up());
            if let Some(tick) = tick.filter(|tick| (*tick, super::event::Phase::Observe) >= (self.tick, self.phase)) {
                self.agenda.add(tick, Item::Given(number));
            }
        }
    }

    /// P2, when rules are at rest: milestones and endings. A new level may raise rules again.
    pub(super) fn turn(&mut self, model: &Model) {
        for _ in 0..LEVELS_PER_TICK_MAX {
            if self.halted || !self.turn_once(model) {
                return;
            }
            self.rest(model);
        }
        let message = "levels end each other without end".to_owned();
        self.violation(Violation::new(ViolationKind::RuleLoop, self.tick, message));
    }

    /// Whether something turned after which rules must rest again.
    fn turn_once(&mut self, model: &Model) -> bool {
        let turns = self.turns.clone();
        for (milestone, watch) in turns.milestones {
            if self.has_risen(model, watch) {
                self.reach(model, milestone);
                return true;
            }
        }
        for (ending, watch) in turns.endings {
            if self.ending.is_none() && self.has_risen(model, watch) {
                let declared = &model.endings[ending];
                self.happen(|| WorldEventKind::Ending { ending });
                self.apply(model, &declared.effects, Cause::Ending(ending));
                declared.says.iter().for_each(|say| self.say(model, say, &[], None));
                self.ending = Some(ending);
                self.happened.push(Happened::Ending(ending));
                return true;
            }
        }
        false
    }

    fn has_risen(&mut self, model: &Model, watch: WatchId) -> bool {
        self.watches.refresh(model, &self.state, watch).iter().any(|(_, holds)| *holds)
    }

    fn apply(&mut self, model: &Model, effects: &[dramaturg_model::Effect], cause: Cause) {
        let mut batch = Batch::default();
        let reader = Reader { model, state: &self.state, args: &[], duration: None, cause };
        for effect in effects {
            batch.effect(&reader, effect, &mut self.chance);
        }
        self.write(model, batch);
    }

    fn reach(&mut self, model: &Model, id: MilestoneId) {
        let milestone = &model.milestones[id];
        self.happen(|| WorldEventKind::Milestone { milestone: id });
        self.apply(model, &milestone.effects, Cause::Milestone(id));
        milestone.says.iter().for_each(|say| self.say(model, say, &[], None));
        self.happened.push(Happened::Milestone(id));
        if let Some(next) = milestone.next {
            self.enter_level(model, milestone, next);
        }
    }

    /// Begins another level. The one that ends looks at its goals first, for its P3 never comes.
    fn enter_level(&mut self, model: &Model, milestone: &Milestone, next: LevelId) {
        self.look_at_goals(model);
        let running: Vec<_> = self.steps.running.iter().copied().collect();
        running.into_iter().for_each(|key| self.cut_step(key));
        let seed = self.chance.draw();
        self.state = State::entering(model, Some(next), Some(&self.state), &milestone.carrying, seed);
        self.version += 1;
        for version in self.versions.values_mut() {
            *version = self.version;
        }
        self.masked.clear();
        self.forget_foreign_runs(model);
        let before = std::mem::take(&mut self.watches);
        self.settle(model, Some(before));
        self.happen(|| WorldEventKind::LevelEntered { level: next });
    }
}

/// The one binding of no parameters.
fn single() -> Bindings {
    Bindings::new(Vec::new()).unwrap_or_default()
}
