//! Worlds to look ahead with.

use dramaturg_model::{Model, ObjectId, Tick, Value};

use super::event::{Detail, Phase};
use super::step::Performed;
use super::world::{Expectations, Unmet, World};

impl World {
    /// A copy in which what is expected comes as expected, and nothing is reported: for looking ahead.
    pub fn assuming(&self) -> Self {
        let mut world = self.clone();
        world.options.expectations = Expectations::Assumed;
        world.options.unmet = Unmet::Refused;
        world.options.detail = Detail::Violations;
        world.drain();
        world
    }

    /// A copy in which what is expected is waited for, as in a game, and nothing is reported: for acting out what comes.
    pub fn rehearsing(&self) -> Self {
        let mut world = self.assuming();
        world.options.expectations = Expectations::Watched;
        world
    }

    /// Runs up to where steps of this tick can still be added: the world is as their conditions will see it, and so are goals.
    pub fn look_before_starts(&mut self, model: &Model, tick: Tick) {
        self.run(model, tick, Phase::Rules);
        if self.ending.is_none() && self.tick == tick {
            self.look_at_goals(model);
        }
    }

    /// Whether an object performs or takes part in a step that runs.
    pub fn is_engaged(&self, model: &Model, object: ObjectId) -> bool {
        let value = Value::Object(object);
        self.steps.running.iter().filter_map(|key| self.steps.get(*key)).any(|step| match step.what {
            Performed::Action(action) => {
                let declared = &model.actions[action];
                let places = declared.performer.iter().chain(&declared.participants);
                places.filter_map(|place| step.args.get(usize::from(*place))).any(|arg| *arg == value)
            }
            Performed::Task(_) => false,
        })
    }
}
