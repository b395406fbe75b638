//! A script from a story: whatever can be done, at random.

use std::collections::BTreeSet;

use dramaturg::model::{Action, ActionId, ActionOrigin, Args, Chance, ConditionTime, Model, Plan, Tick};
use dramaturg::planner::simulate::{Detail, Follow, World, WorldEvent, WorldEventKind, WorldOptions, unmet};

use crate::transcript;

/// So many steps are tried at a moment before time goes on.
const TRIES: usize = 200;
/// After so many moments at which nothing could be done, nothing more will be.
const BARREN_MAX: u32 = 200;

/// How a script is made.
#[derive(Clone, Copy, Debug)]
pub struct StreamOptions {
    /// How many steps.
    pub tasks: usize,
    /// When the first may start.
    pub from: Tick,
    /// The ticks between two starts, on average.
    pub gap: Tick,
    /// Where chance begins.
    pub seed: u64,
}

/// Steps at random ticks, each of which can be done when its time comes if all before it went as planned. There are fewer than asked
/// for where the story runs dry.
pub fn stream(model: &Model, options: &StreamOptions) -> Plan {
    let mut chance = Chance::new(options.seed ^ 0x0057_4EA3);
    let authored = |(_, action): &(ActionId, &Action)| {
        // What somebody else is to bring about cannot be performed.
        action.origin == ActionOrigin::Authored && action.expectation.is_none()
    };
    let actions: Vec<ActionId> = model.actions.iter().filter(authored).map(|(id, _)| id).collect();
    let world = WorldOptions {
        detail: Detail::Happenings,
        follow: Follow::Nobody,
        seed: options.seed,
        ..WorldOptions::default()
    };
    let mut maker = Maker { model, world: World::begin(model, world), plan: Plan::default(), busy_until: 0 };
    let (mut tick, mut barren) = (options.from.max(1), 0);
    while maker.plan.steps.len() < options.tasks && barren < BARREN_MAX && !actions.is_empty() {
        // A step must be in the world before its tick begins.
        maker.world.step_to(model, tick - 1);
        maker.world.drain();
        // The same step is drawn again and again where little can be done: at one moment it is tried once.
        let mut tried = BTreeSet::new();
        let found = (0..TRIES).any(|_| {
            let Some(action) = actions.get(chance.below(actions.len())).copied() else { return false };
            let Some(args) = maker.choose(action, &mut chance) else { return false };
            tried.insert((action, args.clone())) && maker.put(action, &args, tick)
        });
        barren = if found { 0 } else { barren + 1 };
        let gap = options.gap.max(0) as usize;
        tick += 1 + chance.below(gap.saturating_mul(2).saturating_sub(1).max(1)) as Tick;
    }
    maker.plan
}

struct Maker<'m> {
    model: &'m Model,
    world: World,
    plan: Plan,
    /// When the last step of all ends.
    busy_until: Tick,
}

impl Maker<'_> {
    /// Objects for an action with which it can start now; none if those that were drawn will not do.
    fn choose(&self, action: ActionId, chance: &mut Chance) -> Option<Args> {
        let (model, state) = (self.model, self.world.state());
        let action = &model.actions[action];
        if !model.is_visible(action.level, state.level()) {
            return None;
        }
        let mut args = Args::new();
        for param in &action.params {
            let values = model.values_of(&param.choices, state.level());
            args.push(*values.get(chance.below(values.len()))?);
        }
        let starts = |time: &ConditionTime| matches!(time, ConditionTime::Start | ConditionTime::Throughout);
        let mut needed = action.conditions.iter().filter(|known| known.weight.is_none() && starts(&known.time));
        needed.all(|known| unmet(model, state, &known.condition, &args, None).is_empty()).then_some(args)
    }

    /// Adds a step, if nothing goes wrong with it or by it.
    fn put(&mut self, action: ActionId, args: &Args, tick: Tick) -> bool {
        let (model, id) = (self.model, self.plan.steps.len() as u32);
        let mut trial = self.world.clone();
        trial.perform(id, action, args.clone(), tick);
        trial.step_to(model, tick);
        let events = trial.drain();
        let begun = events.iter().find_map(|event| match event.kind {
            WorldEventKind::StepStarted { step, until, .. } if step == id => Some(until),
            _ => None,
        });
        // Most of what cannot be done shows at its start: hands that are full, a condition.
        let Some(until) = begun.filter(|_| !is_broken(&events)) else { return false };
        trial.step_to(model, until.max(self.busy_until));
        if is_broken(&trial.drain()) {
            return false;
        }
        self.world.perform(id, action, args.clone(), tick);
        self.busy_until = self.busy_until.max(until);
        let names = args.iter().map(|arg| model.value_name(*arg));
        self.plan.add(model.actions[action].name.as_str(), names, tick, until - tick);
        true
    }
}

/// Whether something went wrong, or the story is over.
fn is_broken(events: &[WorldEvent]) -> bool {
    events.iter().any(|event| match &event.kind {
        WorldEventKind::Violation(found) => !transcript::is_about_goals(found.kind),
        WorldEventKind::StepRefused { .. } | WorldEventKind::Ending { .. } => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use dramaturg::model::State;
    use dramaturg::planner::validate::{Goals, ValidateOptions, validate};
    use dramaturg::story::compile_text;

    use super::*;

    const CAMP: &str = "story \"Camp\" { ticks 60 per s }
type Actor { hands: actuator; tired }
object ann, bob: Actor
action work(who: Actor) { takes 8 ticks; uses who.hands; needs not who.tired; then who.tired }
action rest(who: Actor) { takes 5 ticks; uses who.hands; needs who.tired; then not who.tired }
";

    #[test]
    fn a_script_can_be_performed_and_follows_from_its_seed() {
        let model = compile_text("camp.story", CAMP).model;
        let options = StreamOptions { tasks: 100, from: 50, gap: 6, seed: 3 };
        let plan = stream(&model, &options);
        assert_eq!(plan.steps.len(), 100);
        assert_eq!(plan, stream(&model, &options));
        assert_ne!(plan, stream(&model, &StreamOptions { seed: 4, ..options }));
        let options = ValidateOptions { goals: Goals::None, ..ValidateOptions::default() };
        let report = validate(&model, &State::initial(&model, 0), &plan, &options);
        assert!(report.valid, "{report:?}");
    }

    #[test]
    fn a_story_that_runs_dry_gives_fewer_steps() {
        let once = "story \"Once\" { ticks 60 per s }\nfluent rung\naction ring { takes 2 ticks; needs not rung; then rung }\n";
        let model = compile_text("once.story", once).model;
        let plan = stream(&model, &StreamOptions { tasks: 10, from: 50, gap: 6, seed: 3 });
        assert_eq!(plan.steps.len(), 1);
    }
}
