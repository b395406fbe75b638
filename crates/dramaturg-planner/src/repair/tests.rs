//! The projection against itself and against the simulator.

use std::sync::Arc;

use dramaturg_model::{Chance, Model, Step, Tick};
use dramaturg_story::compile_text;
use proptest::prelude::*;

use super::aims::{Aim, aims};
use super::draft::Draft;
use super::moment::Moment;
use super::occurrence::OccurrenceId;
use super::outlook::Outlook;
use super::projection::Projection;
use super::repertoire::{FormId, Repertoire};
use super::slot::{NOTHING, SlotId};
use super::timeline::Rewrite;
use super::workshop::{Turn, Workshop, no_preference};
use crate::ground::{NumberId, VariableId};
use crate::simulate::{Unmet, World, WorldOptions};

const MILL: &str = "story \"Mill\" { ticks 10 per s }
type Bin { flour: number 0..40 = 20; open; size: duration = 6 ticks; lid: actuator }
type Hand { busy: free | full | tired; arms: actuator 2 }
object small, large: Bin
object mara, jon: Hand
fluent wheel: still | turning | broken
fluent bell: int 0..9 = 0
fluent sacks: int
fluent wind: number -5..5 = 1
fluent noise
action unlatch(b: Bin) { takes 4 ticks; needs not b.open; uses b.lid; then b.open }
action latch(b: Bin) { takes 3 ticks; needs b.open; uses b.lid; then not b.open at start }
action grind(h: Hand, b: Bin) { takes b.size; needs h.busy == free; keeps wheel == turning; uses h.arms
  during b.flour += 7; then h.busy = tired, sacks += 1 }
action pour(h: Hand, b: Bin) { takes 5 ticks; needs b.open; uses 2 of h.arms from start to 2 ticks
  during b.flour -= 3 per tick; then bell += 1 at 2 ticks; then h.busy = full if b.flour < 10 }
action rest(h: Hand) { takes 8 ticks; needs h.busy != free at end; then h.busy = free }
action turn { takes 2 ticks; then wheel = turning, wind += 0.5 }
action stop { takes 1 ticks; needs wheel == turning; then wheel = still at start }
action measure(b: Bin) { takes 2 ticks; then b.size = 3 ticks + 2 * b.size if b.size < 20 ticks; then sacks += bell }
rule leak(b: Bin) { while b.open; during b.flour -= 0.25 per tick }
rule settle(b: Bin) { while b.flour > 30; during b.flour -= 0.5 per tick }
rule drift { during wind += 0.003 per tick }
rule ring { when bell >= 3 if wheel != broken; then bell = 0, noise }
rule hush { when noise; takes 9 ticks; then not noise; then wheel = broken at 4 ticks }
rule empty(b: Bin) { when b.flour <= 5 and b.open; then not b.open }
rule wearies { after grind(_, _) if wheel == turning; then bell += 2 }
rule mend { when wheel == broken; takes 12 ticks; expect wheel = still }
given wind = 3 at 40 ticks
";

fn compiled(text: &str) -> Model {
    let compiled = compile_text("mill.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    compiled.model
}

struct Mill {
    model: Model,
    repertoire: Arc<Repertoire>,
    world: World,
}

impl Mill {
    fn new(text: &str) -> Self {
        let model = compiled(text);
        let options = WorldOptions { unmet: Unmet::Performed, ..WorldOptions::default() };
        let world = World::begin(&model, options);
        let repertoire = Arc::new(Repertoire::new(&model, world.state()));
        assert_eq!(repertoire.trouble, None);
        Self { model, repertoire, world }
    }

    fn project(&self) -> Projection {
        Outlook::new(&self.model, &self.repertoire, &self.world).unwrap().until(1000).projection
    }

    fn step(&self, projection: &Projection, id: OccurrenceId) -> Step {
        let occurrence = projection.occurrence(id);
        let operator = self.repertoire.operators[occurrence.form];
        let problem = &self.repertoire.problem;
        let args = problem.args(operator).iter().map(|arg| self.model.value_name(*arg)).collect();
        Step {
            id: id.0,
            action: self.model.actions[problem.operators[operator].action].name.clone(),
            args,
            start: occurrence.start,
            duration: occurrence.duration,
            window: None,
            status: Default::default(),
            goals: Vec::new(),
            origin: Default::default(),
        }
    }

    fn draft(&self) -> Draft {
        let projection = self.project();
        let wanted = aims(&self.model, &self.repertoire, &projection, &self.world.goals(), None);
        Draft::new(projection, wanted, 1)
    }

    fn form(&self, name: &str) -> FormId {
        let problem = &self.repertoire.problem;
        let mut forms = self.repertoire.operators.iter();
        let found = forms.find(|(_, operator)| problem.operator_name(&self.model, **operator) == name);
        found.unwrap().0
    }

    /// What the simulator says about every slot in P3 of a tick.
    fn slots(&self, world: &World) -> Vec<i64> {
        let problem = &self.repertoire.problem;
        let packed = problem.pack(world.state()).unwrap();
        let variables = problem.variables.ids().map(|id: VariableId| i64::from(packed.get(problem, id)));
        let numbers = problem.numbers.ids().map(|id: NumberId| packed.number(id).map_or(NOTHING, |value| value.0));
        variables.chain(numbers).collect()
    }

    fn name(&self, slot: SlotId) -> String {
        let problem = &self.repertoire.problem;
        match (slot.0 as usize).checked_sub(problem.variables.len()) {
            None => problem.value_name(&self.model, VariableId(slot.0), 0),
            Some(number) => {
                let number = &problem.numbers[NumberId(number as u32)];
                self.model.fluent_name(number.fluent, &number.args)
            }
        }
    }
}

/// Random edits: steps come, go and move.
fn edit(mill: &Mill, projection: &mut Projection, live: &mut Vec<OccurrenceId>, chance: &mut Chance) {
    let start = chance.below(160) as Tick;
    match chance.below(5) {
        0..=2 => {
            let form = FormId(chance.below(mill.repertoire.operators.len()) as u32);
            live.push(projection.place(form, start, None));
        }
        3 if !live.is_empty() => {
            let gone = live.swap_remove(chance.below(live.len()));
            projection.lift(gone);
        }
        4 if !live.is_empty() => projection.shift(live[chance.below(live.len())], start),
        _ => {}
    }
    projection.settle();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What was kept up to date edit by edit is what comes out when everything is projected at once.
    #[test]
    fn an_edit_changes_what_it_must(seed in 0u64..1_000_000) {
        let mill = Mill::new(MILL);
        let mut chance = Chance::new(seed);
        let mut projection = mill.project();
        let mut live = Vec::new();
        for _ in 0..24 {
            edit(&mill, &mut projection, &mut live, &mut chance);
        }
        let mut fresh = mill.project();
        for id in &live {
            let step = projection.occurrence(*id);
            fresh.place(step.form, step.start, None);
        }
        fresh.settle();
        for tick in 0..200 {
            for slot in mill.repertoire.slots.ids() {
                let (kept, anew) = (projection.before(slot, Moment::check(tick)), fresh.before(slot, Moment::check(tick)));
                // Steps that contradict each other may win in either order.
                if projection.clashes == 0 {
                    prop_assert_eq!(kept, anew, "{} at {}", mill.name(slot), tick);
                }
            }
        }
        // What comes of a contradiction may bring about others, or not.
        prop_assert_eq!(projection.clashes == 0, fresh.clashes == 0);
        if projection.clashes == 0 {
            let sums = |of: &Projection| (of.excess, of.unmet, of.displeasure);
            prop_assert_eq!(sums(&projection), sums(&fresh));
        }
    }

    /// The projection says what the simulator says, tick by tick.
    #[test]
    fn the_projection_is_the_simulation(seed in 0u64..1_000_000) {
        let mill = Mill::new(MILL);
        let mut chance = Chance::new(seed);
        let mut projection = mill.project();
        let mut live = Vec::new();
        for _ in 0..chance.below(20) + 1 {
            edit(&mill, &mut projection, &mut live, &mut chance);
        }
        prop_assume!(projection.clashes == 0);
        let mut world = mill.world.clone();
        for id in &live {
            world.schedule(&mill.model, &mill.step(&projection, *id)).unwrap();
        }
        for tick in 0..220 {
            world.look_at(&mill.model, tick);
            for (slot, value) in mill.repertoire.slots.ids().zip(mill.slots(&world)) {
                let projected = projection.before(slot, Moment::check(tick));
                prop_assert_eq!(projected, value, "{} at {}", mill.name(slot), tick);
            }
        }
    }
}

const WISHES: &str = "goal sacks >= 3
goal small.open and wheel == turning by 150 ticks
goal large.flour <= 12
prefer wheel == turning weight 2
prefer small.flour follows 20 at 0 ticks, 35 at 50 ticks, 4 at 90 ticks, 30 at 170 ticks within 1
prefer wind follows 1 at 0 ticks, 4 at 60 ticks, -2 at 150 ticks, 3 at 300 ticks within 0.5
prefer less large.flour
";

/// Random edits of a plan, several at once now and then.
fn revise(mill: &Mill, draft: &mut Draft, chance: &mut Chance) {
    let open = draft.steps.open();
    let key = open.get(chance.below(open.len())).copied();
    let start = 1 + chance.below(160) as Tick;
    match (chance.below(8), key) {
        (3 | 4, Some(key)) => draft.remove(key),
        (5 | 6, Some(key)) => draft.shift(key, start),
        (7, Some(_)) => draft.roll_back(),
        _ => drop(draft.add(FormId(chance.below(mill.repertoire.operators.len()) as u32), start, None)),
    }
    if chance.below(3) > 0 {
        draft.settle();
    }
    if chance.below(6) == 0 {
        draft.steps.commit();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What all aims miss was kept edit by edit, and is what comes out when everything is measured at once.
    #[test]
    fn aims_are_measured_where_they_must_be(seed in 0u64..1_000_000) {
        let mill = Mill::new(&format!("{MILL}{WISHES}"));
        let mut chance = Chance::new(seed);
        let mut draft = mill.draft();
        for _ in 0..30 {
            revise(&mill, &mut draft, &mut chance);
        }
        draft.settle();
        prop_assert!(draft.aims.len() > 6);
        let mut fresh = draft.aims.clone();
        for (kept, anew) in draft.aims.iter().zip(&mut fresh) {
            anew.measure(&draft.projection, Rewrite::EVERYTHING);
            prop_assert_eq!(format!("{kept:?}"), format!("{anew:?}"));
        }
        let sum = |of: fn(&Aim) -> i64| fresh.iter().map(of).sum::<i64>();
        prop_assert_eq!(draft.aimed(true), sum(|aim| if aim.hard { aim.cost } else { 0 }));
        prop_assert_eq!(draft.aimed(false), sum(|aim| if aim.hard { 0 } else { aim.cost }));
        prop_assert_eq!(draft.tally.wait, sum(|aim| aim.wait));
    }
}

const APPLE: &str = include_str!("../../../../stories/apple.story");

#[test]
fn an_apple_is_eaten_in_three_plans() {
    let apple = Mill::new(APPLE);
    let mut draft = apple.draft();
    assert_eq!(draft.cost().hard, 20_000, "nothing is planned");
    draft.add(apple.form("eat(anna, apple)"), 480, None);
    draft.settle();
    assert_eq!(draft.cost().hard, 1_000, "the apple is not in hand");
    let take = draft.add(apple.form("take(anna, apple)"), 475, None);
    draft.settle();
    assert_eq!(draft.cost().hard, 0);
    draft.shift(take, 478);
    draft.settle();
    assert_eq!(draft.projection.excess, 3, "the hands do two things for three ticks");
    draft.roll_back();
    assert_eq!(draft.cost().hard, 20_000);
}

#[test]
fn the_apple_is_found_step_by_step() {
    for seed in 0..20 {
        let apple = Mill::new(APPLE);
        let mut workshop = Workshop::new(apple.draft(), Some(30));
        let (mut preferences, mut chance) = (no_preference(), Chance::new(seed));
        let mut trace = vec![workshop.best.hard];
        for _ in 0..400 {
            if workshop.turn(&mut preferences, &mut chance) == Turn::Improved {
                trace.push(workshop.best.hard);
            }
        }
        trace.dedup();
        assert_eq!(trace, [20_000, 1_000, 0], "seed {seed}");
        workshop.recall();
        let start = |name: &str| {
            workshop.draft.steps.alive().find(|(_, step)| step.form == apple.form(name)).map(|(_, step)| step.start)
        };
        let (take, eat) = (start("take(anna, apple)").unwrap(), start("eat(anna, apple)").unwrap());
        assert!(take + 5 <= eat && eat <= 480, "seed {seed}: {take} {eat}");
    }
}

const LAMP: &str = "story \"Lamp\" { ticks 10 per s }
type Hand { arms: actuator }
object mara: Hand
fluent asked, lit, seen
action light(h: Hand) { takes 3 ticks; uses h.arms; then lit }
action show(h: Hand) { takes 4 ticks; needs lit; uses h.arms; then seen }
rule plea { when asked; takes 20 ticks; expect lit = true }
given asked at 5 ticks
";

/// A locked step is shown at tick 40 by a lamp that the player is expected to light until tick 25.
fn shown_by_lamp(story: &str) -> (Mill, Draft) {
    let mill = Mill::new(story);
    let mut draft = mill.draft();
    let show = mill.form("show(mara)");
    let occurrence = draft.projection.place(show, 40, Some(4));
    draft.adopt(show, 7, occurrence);
    draft.settle();
    (mill, draft)
}

#[test]
fn a_locked_step_does_not_rest_on_others_where_the_plan_can_help() {
    let (mill, draft) = shown_by_lamp(LAMP);
    assert_eq!((draft.cost().hard, draft.contingent.len()), (0, 1));
    let mut workshop = Workshop::new(draft, Some(30));
    let (mut preferences, mut chance) = (no_preference(), Chance::new(1));
    for _ in 0..200 {
        workshop.turn(&mut preferences, &mut chance);
    }
    workshop.recall();
    let draft = &workshop.draft;
    assert_eq!((draft.cost().hard, draft.contingent.len()), (0, 0));
    let light = draft.steps.alive().find(|(_, step)| step.form == mill.form("light(mara)"));
    assert!(light.is_some_and(|(_, step)| step.start + 3 <= 25), "{light:?}");
}

#[test]
fn what_only_others_can_do_stays_expected() {
    let (_, draft) = shown_by_lamp(&LAMP.replace("then lit }", "then seen }"));
    let cost = draft.cost();
    assert_eq!(draft.contingent.len(), 1);
    let mut workshop = Workshop::new(draft, Some(30));
    let (mut preferences, mut chance) = (no_preference(), Chance::new(1));
    for _ in 0..200 {
        assert_ne!(workshop.turn(&mut preferences, &mut chance), Turn::Improved);
    }
    assert_eq!(workshop.best, cost);
    // What is certain before rests on nobody.
    let (_, draft) = shown_by_lamp(&LAMP.replace("asked, lit, seen", "asked, seen\nfluent lit = true"));
    assert_eq!(draft.contingent.len(), 0);
}
