//! Drives a world by chance: steps that may start, tasks that can be done, observations, cuts and amendments. What it does follows
//! from its chance and the world alone, so two equal worlds are driven alike.

use dramaturg_model::{
    ActionId, Args, Chance, ConditionTime, Domain, Evaluator, FluentSource, Model, Observation, Param, Tick, Value,
};
use dramaturg_planner::simulate::{Detail, Expectations, Follow, Phase, Unmet, World, WorldOptions};

const PHASES: [Phase; 6] = [Phase::Observe, Phase::End, Phase::Rules, Phase::Check, Phase::Start, Phase::Rates];

#[derive(Clone)]
pub struct Driver {
    chance: Chance,
    next: u32,
}

impl Driver {
    pub fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed), next: 1 }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.chance.below(bound)
    }

    pub fn options(&mut self, model: &Model, seed: u64) -> WorldOptions {
        let expectations = if self.below(2) == 0 { Expectations::Watched } else { Expectations::Assumed };
        let unmet = if self.below(4) == 0 { Unmet::Performed } else { Unmet::Refused };
        let characters: Vec<_> = model.characters.values().map(|character| character.object).collect();
        let follow = match (self.below(6), characters.get(self.below(characters.len()))) {
            (0, _) => Follow::Story,
            (1, Some(character)) => Follow::Character(*character),
            _ => Follow::Everybody,
        };
        let detail = if self.below(6) == 0 { Detail::Happenings } else { Detail::Everything };
        WorldOptions { seed, expectations, unmet, detail, follow, ..WorldOptions::default() }
    }

    /// Does something, then runs on for a few phases; what happened, as text.
    pub fn drive(&mut self, model: &Model, world: &mut World) -> String {
        for _ in 0..self.below(4) {
            match self.below(12) {
                0..=6 => self.perform(model, world),
                7..=8 => self.do_task(model, world),
                9 => self.observe(model, world),
                10 => self.cut(world),
                _ => self.amend(world),
            }
        }
        let (tick, _) = world.next_phase();
        let until = tick + [0, 0, 1, 2, 3, 7, 20][self.below(7)];
        let phase = PHASES[self.below(6)];
        world.run(model, until, phase);
        serde_json::to_string(&world.drain()).unwrap()
    }

    fn args(&mut self, model: &Model, world: &World, params: &[Param]) -> Option<Args> {
        let mut args = Args::new();
        for param in params {
            let values = model.values_of(&param.choices, world.state().level());
            args.push(*values.get(self.below(values.len()))?);
        }
        Some(args)
    }

    fn may_start(model: &Model, world: &World, action: ActionId, args: &[Value]) -> bool {
        let conditions = model.actions[action].conditions.iter().filter(|c| c.time == ConditionTime::Start);
        let mut scope = Evaluator::with(model, world.state(), args);
        conditions.into_iter().all(|condition| scope.holds(&condition.condition))
    }

    /// Something that may start now, or (if none is found) something that may not.
    fn perform(&mut self, model: &Model, world: &mut World) {
        let actions: Vec<ActionId> = model.actions.ids().collect();
        let mut chosen = None;
        for _ in 0..60 {
            let Some(action) = actions.get(self.below(actions.len())).copied() else { return };
            let Some(args) = self.args(model, world, &model.actions[action].params) else { continue };
            let may = Self::may_start(model, world, action, &args);
            chosen = Some((action, args));
            if may {
                break;
            }
        }
        let Some((action, args)) = chosen else { return };
        let start = world.next_phase().0 + [0, 0, 1, 3][self.below(4)];
        let id = if self.below(20) == 0 { 1 } else { self.next };
        self.next += 1;
        world.perform(id, action, args, start);
    }

    fn do_task(&mut self, model: &Model, world: &mut World) {
        for _ in 0..20 {
            let tasks: Vec<_> = model.tasks.ids().collect();
            let Some(task) = tasks.get(self.below(tasks.len())).copied() else { return };
            let Some(args) = self.args(model, world, &model.tasks[task].params) else { continue };
            if world.do_task(model, task, &args).is_ok() {
                return;
            }
        }
    }

    fn observe(&mut self, model: &Model, world: &mut World) {
        let fluents: Vec<_> = model
            .fluents
            .iter()
            .filter(|(_, fluent)| matches!(fluent.source, FluentSource::Stored) && !fluent.is_static)
            .collect();
        let Some((id, fluent)) = fluents.get(self.below(fluents.len())) else { return };
        let Some(args) = self.args(model, world, &fluent.params) else { return };
        let value = match &fluent.domain {
            Domain::Bool => Value::Bool(self.below(2) == 0),
            Domain::Choice(choices) => {
                let values = model.values_of(choices, world.state().level());
                let Some(value) = values.get(self.below(values.len())) else { return };
                *value
            }
            _ => Value::Number(dramaturg_model::Fixed::from_int(self.below(100) as Tick)),
        };
        let from = world.next_phase().0 + self.below(3) as Tick;
        let observation = Observation {
            fluent: model.fluent_name(*id, &args).into(),
            value: model.value_name(value),
            from,
            to: None,
            source: 0,
            sequence: 0,
        };
        // A name that means two things may mean the wrong one here; then nothing is observed.
        let _ = world.observe(model, &observation);
    }

    fn any_id(&mut self, world: &World) -> Option<u32> {
        let ids: Vec<u32> = world.running().chain(world.waiting()).collect();
        ids.get(self.below(ids.len())).copied()
    }

    fn cut(&mut self, world: &mut World) {
        if let Some(id) = self.any_id(world) {
            world.cut(id);
        }
    }

    fn amend(&mut self, world: &mut World) {
        if let Some(id) = self.any_id(world) {
            world.amend(id, 1 + self.below(30) as Tick);
        }
    }
}
