//! Milestones, endings, and the change of levels.

use dramaturg_model::{EndingId, Evaluator, Fixed, LevelId, Milestone, MilestoneId, Model, State};

use super::agenda::{Given, Item};
use super::batch::{Batch, Reader};
use super::event::{Cause, Phase, Violation, ViolationKind, WorldEventKind};
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
        self.enter_given(model);
    }

    /// Puts what is given at a tick to come on the agenda.
    fn enter_given(&mut self, model: &Model) {
        let level = self.state.level();
        for population in model.populations.ids() {
            let declared = &model.populations[population];
            let timed = declared.given.iter().any(|given| given.at.is_some());
            for object in declared.objects.iter().filter(|_| timed && model.is_visible(declared.level, level)) {
                for number in 0..declared.given.len() {
                    self.enter_one_given(model, Given { number, whom: Some((population, *object)) });
                }
            }
        }
        for (number, given) in model.initial.iter().enumerate() {
            if model.is_visible(given.level, level) {
                self.enter_one_given(model, Given { number, whom: None });
            }
        }
    }

    fn enter_one_given(&mut self, model: &Model, given: Given) {
        let Some(at) = given.find(model).and_then(|found| found.at.as_ref()) else { return };
        let tick = Evaluator::with(model, &self.state, &given.args()).number(at).map(Fixed::round_half_up);
        if let Some(tick) = tick.filter(|tick| (*tick, Phase::Observe) >= (self.tick, self.phase)) {
            self.agenda.add(tick, Item::Given(given));
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
