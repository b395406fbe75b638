//! Graphplan on the story of Troy, in pieces, on what it must not overlook, and on what it refuses.
//! Random problems are in [`random`].

use std::collections::BTreeSet;
use std::sync::Arc;

use dramaturg_model::{Model, Owner, State, Tick};
use rustc_hash::FxHashSet;

use super::*;
use crate::ground::testing::{pddl, random::task as random_task, story};
use crate::ground::{Goals, GroundOptions, OperatorId, Problem, ground};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::schedule::in_sequence;
use crate::search::Target;
use crate::validate::{self, ValidateOptions, validate};

mod random;

const TROY: &str = include_str!("../../../../stories/troy-sparta.story");
const PARIS_GOALS: &str = "    goal paris-troy-gift.holder == menelaos salience 90
    goal seduced(helen, paris) salience 85
    goal convinced(helen, paris) salience 80
    goal talked(paris, agamemnon) salience 60
    goal paris.location == troy salience 50
";

/// The story of Troy, with other goals for Paris.
fn troy(goals: Option<&str>) -> Model {
    assert!(TROY.contains(PARIS_GOALS), "the goals of Paris are written otherwise now");
    let text = goals.map_or_else(|| TROY.to_owned(), |goals| TROY.replace(PARIS_GOALS, goals));
    let compiled = dramaturg_story::compile_text("troy-sparta.story", &text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    compiled.model
}

/// What a character plans in, and what for.
struct Task {
    model: Model,
    problem: Arc<Problem>,
    target: Target,
    goals: validate::Goals,
}

fn character(model: Model, name: &str) -> Task {
    let cast: Vec<_> = model.find_object(name).into_iter().collect();
    let own = cast.first().copied();
    let goals = own.map(Goals::Character);
    let problem = ground(&model, &GroundOptions { goals, cast: Some(&cast), ..GroundOptions::default() }).problem;
    let wishes = problem.wishes.iter().filter(|wish| own.map(Owner::Character) == Some(model.wishes[wish.wish].owner));
    let target = Target::new(wishes.flat_map(|wish| wish.conditions().cloned()).collect());
    let goals = own.map_or(validate::Goals::None, validate::Goals::Character);
    Task { problem: Arc::new(problem), model, target, goals }
}

impl Task {
    fn run(&self, options: GraphplanOptions) -> (Outcome, Counters) {
        let start = self.problem.initial();
        let mut graphplan = Graphplan::new(Arc::clone(&self.problem), &start, self.target.clone(), options);
        let outcome = graphplan.run(&mut Budget::of(u32::MAX)).clone();
        if let Outcome::Found(plan) = &outcome {
            assert_performable(&self.problem, &start, plan, &self.target);
        }
        (outcome, graphplan.counters())
    }

    /// The plan, judged; empty if there is none.
    fn plan(&self, options: GraphplanOptions) -> (LayeredPlan, Counters) {
        let (outcome, counters) = self.run(options);
        assert!(matches!(outcome, Outcome::Found(_)), "{outcome:?}");
        let Outcome::Found(plan) = outcome else { return (LayeredPlan::default(), counters) };
        let way = in_sequence(&self.model, &self.problem, &self.problem.initial(), &plan.flatten(), 0);
        assert!(way.complete);
        let options = ValidateOptions { goals: self.goals, ..ValidateOptions::default() };
        let report = validate(&self.model, &State::initial(&self.model, 0), &way, &options);
        assert!(report.valid, "{:?}", report.violations);
        (plan, counters)
    }

    fn names(&self, plan: &LayeredPlan) -> Vec<String> {
        plan.flatten().iter().map(|operator| self.problem.operator_name(&self.model, *operator)).collect()
    }

    fn duration(&self, plan: &LayeredPlan) -> Tick {
        plan.flatten().iter().map(|operator| ticks(&self.problem, *operator)).sum()
    }
}

/// Every layer can be performed as it is stored, backwards, and turned around, and always leads to the target.
fn assert_performable(problem: &Problem, start: &PackedState, plan: &LayeredPlan, target: &Target) {
    for order in 0..3 {
        let mut state = start.clone();
        for layer in &plan.layers {
            let mut layer = layer.clone();
            match order {
                1 => layer.reverse(),
                2 => layer.rotate_left(1),
                _ => {}
            }
            for operator in layer {
                let next = problem.successor(&state, operator);
                assert!(next.is_some(), "an operator cannot be performed in its turn, order {order}: {plan:?}");
                state = next.unwrap_or(state);
            }
        }
        assert!(target.is_reached(problem, &state), "the plan does not lead to the target in order {order}: {plan:?}");
    }
}

fn learning() -> GraphplanOptions {
    GraphplanOptions::default()
}

fn plain() -> GraphplanOptions {
    GraphplanOptions { learn: false, ..learning() }
}

#[test]
fn hector_has_exactly_one_way_of_seven_steps() {
    let task = character(troy(None), "hector");
    for options in [learning(), plain()] {
        let (plan, counters) = task.plan(options);
        println!("DG-1 {options:?} {counters:?}");
        let steps = [
            "walk(hector, guest-room, throne-room)",
            "talk(hector, menelaos, throne-room)",
            "give(hector, menelaos, hector-troy-gift, throne-room)",
            "negotiatePeace(hector, menelaos, throne-room)",
            "walk(hector, throne-room, dock)",
            "board(hector, ships, dock)",
            "travel(hector, dock, troy, ships, sea)",
        ];
        assert_eq!(task.names(&plan), steps);
        assert_eq!((plan.depth(), counters.first_mutex_free, task.duration(&plan)), (7, Some(7), 31));
    }
}

#[test]
fn paris_needs_eleven_steps_in_one_of_six_orders() {
    let task = character(troy(None), "paris");
    for options in [learning(), plain()] {
        let (plan, counters) = task.plan(options);
        println!("DG-2 {options:?} {counters:?}");
        assert_eq!((plan.steps(), plan.depth(), task.duration(&plan)), (11, 11, 35));
        assert_eq!(counters.first_mutex_free, Some(6));
        let names = task.names(&plan);
        let rooms = ["garden", "royal-bedroom", "throne-room"];
        let visits: Vec<&str> = names
            .iter()
            .filter(|name| name.starts_with("walk"))
            .filter_map(|name| rooms.iter().copied().find(|room| name.ends_with(&format!("{room})"))))
            .collect();
        let different: FxHashSet<&str> = visits.iter().copied().collect();
        assert_eq!((visits.len(), different.len()), (3, 3), "{names:?}");
        assert!(names.last().is_some_and(|name| name.starts_with("travel")), "{names:?}");
    }
}

#[test]
fn one_extraction_at_the_first_level_without_exclusions_does_not_do_for_paris() {
    let task = character(troy(None), "paris");
    let (outcome, counters) = task.run(GraphplanOptions { layers_max: 6, ..plain() });
    assert_eq!((outcome, counters.first_mutex_free), (Outcome::GaveUp, Some(6)));
    let hector = character(troy(None), "hector");
    let (outcome, _) = hector.run(GraphplanOptions { layers_max: 7, ..plain() });
    assert!(matches!(outcome, Outcome::Found(_)), "{outcome:?}");
}

fn paris_hard() -> Task {
    let more = "    goal talked(paris, hector) salience 40
    goal paris.refreshed salience 30
    goal paris.fed salience 20
";
    character(troy(Some(&format!("{PARIS_GOALS}{more}"))), "paris")
}

#[test]
fn learning_copes_with_eight_goals_of_paris() {
    let task = paris_hard();
    let (plan, counters) = task.plan(learning());
    println!("DG-4 {counters:?}\n{:?}", task.names(&plan));
    assert_eq!((plan.steps(), plan.depth()), (17, 14));
    assert!(counters.choices < 260_000 && counters.nodes < 1_200_000, "{counters:?}");
}

#[test]
fn helen_comes_to_troy_by_following() {
    let task = character(troy(Some("    goal helen.location == troy\n")), "paris");
    for options in [learning(), plain()] {
        let (plan, counters) = task.plan(options);
        println!("DG-10 {options:?} {counters:?}");
        let names = task.names(&plan);
        let actions: Vec<&str> = names.iter().filter_map(|name| name.split('(').next()).collect();
        assert_eq!(actions, ["walk", "talk", "convince", "walk", "board", "travel"], "{names:?}");
        assert_eq!(plan.depth(), 6);
    }
}

#[test]
fn one_goal_after_another_takes_far_fewer_trials_than_all_at_once() {
    for (name, ratio) in [("paris", 10), ("hector", 1)] {
        let task = character(troy(None), name);
        for options in [plain(), learning()] {
            let (_, all) = task.plan(options);
            let mut state = task.problem.initial();
            let mut nodes = 0;
            for condition in &task.target.conditions {
                let target = Target::new(vec![condition.clone()]);
                let mut one = Graphplan::new(Arc::clone(&task.problem), &state, target.clone(), options);
                let outcome = one.run(&mut Budget::of(1_000_000)).clone();
                assert!(matches!(outcome, Outcome::Found(_)), "{outcome:?}");
                let Outcome::Found(plan) = outcome else { continue };
                assert_performable(&task.problem, &state, &plan, &target);
                for operator in plan.flatten() {
                    state = task.problem.successor(&state, operator).unwrap_or(state);
                }
                nodes += one.counters().nodes;
            }
            println!("DG-13 {name} learn {}: one by one {nodes}, all {}", options.learn, all.nodes);
            assert!(nodes * ratio <= all.nodes, "{name}: {nodes} and {}", all.nodes);
        }
    }
}

#[test]
fn graphplan_in_pieces_is_the_same_graphplan() {
    let task = character(troy(None), "paris");
    for options in [learning(), plain(), GraphplanOptions { available: Some(35), ..learning() }] {
        let (found, counters) = task.run(options);
        let start = task.problem.initial();
        let mut pieces = Graphplan::new(Arc::clone(&task.problem), &start, task.target.clone(), options);
        while *pieces.run(&mut Budget::of(3)) == Outcome::Searching {}
        assert_eq!((pieces.outcome(), pieces.counters()), (&found, counters));
    }
}

#[test]
fn time_is_kept_and_its_lack_is_told_from_impossibility() {
    let hector = character(troy(None), "hector");
    for (available, time) in [(31, LayerTime::Sequential), (31, LayerTime::Layered)] {
        let (plan, _) = hector.plan(GraphplanOptions { available: Some(available), time, ..learning() });
        assert_eq!(hector.duration(&plan), 31);
    }
    for options in [learning(), plain()] {
        for time in [LayerTime::Sequential, LayerTime::Layered] {
            let (outcome, counters) = hector.run(GraphplanOptions { available: Some(30), time, ..options });
            println!("too late {options:?} {counters:?}");
            assert_eq!(outcome, Outcome::OutOfTime);
        }
    }
    let paris = character(troy(None), "paris");
    let (plan, _) = paris.plan(GraphplanOptions { available: Some(35), ..learning() });
    assert_eq!(paris.duration(&plan), 35);
    let (outcome, counters) = paris.run(GraphplanOptions { available: Some(34), ..learning() });
    println!("Paris too late {counters:?}");
    assert_eq!(outcome, Outcome::OutOfTime);
}

#[test]
fn every_wish_of_paris_has_its_least_time() {
    for (wishes, least) in [(vec![0, 1], 7), (vec![1, 2, 3], 8), (vec![0, 1, 2], 9), (vec![0, 1, 2, 3], 12)] {
        let lines: Vec<&str> = PARIS_GOALS.lines().collect();
        let goals: Vec<&str> = wishes.iter().filter_map(|place| lines.get(*place).copied()).collect();
        let task = character(troy(Some(&format!("{}\n", goals.join("\n")))), "paris");
        for options in [learning(), plain()] {
            let (plan, _) = task.plan(GraphplanOptions { available: Some(least), ..options });
            assert_eq!(task.duration(&plan), least);
            let (outcome, counters) = task.run(GraphplanOptions { available: Some(least - 1), ..options });
            assert_eq!(outcome, Outcome::OutOfTime, "{wishes:?} {counters:?}");
        }
    }
}

fn ticks(problem: &Problem, operator: OperatorId) -> Tick {
    let timed = problem.operators[operator].timed.as_ref();
    timed.and_then(|timed| timed.duration.plain_ticks()).unwrap_or(0)
}

const COINS: &str = r#"
story "Coins" { ticks 1 per s }
type Place { next: Place }
type Person { place: Place; gold: int 0..5 = 1 }
object home "home": Place (next = shop)
object shop "the shop": Place (next = hill)
object hill "the hill": Place (next = home)
object anna "Anna": Person (place = home)
action walk(p: Person) by p { takes 2 ticks then p.place = p.place.next }
action work(p: Person) by p { takes 3 ticks needs p.place != home then p.gold += 2 }
goal anna.gold == 5
goal anna.place == home
"#;

/// What a whole story plans for.
fn whole(model: Model) -> Task {
    let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
    let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
    Task { model, problem, target, goals: validate::Goals::Story }
}

#[test]
fn values_are_counted_and_copied() {
    let task = whole(story(COINS));
    for options in [learning(), plain()] {
        let (plan, _) = task.plan(options);
        assert_eq!(plan.steps(), 5, "{:?}", task.names(&plan));
    }
}

#[test]
fn what_is_not_followed_is_said() {
    let mut said: BTreeSet<Unsupported> = BTreeSet::new();
    for seed in 0..150 {
        for durative in [false, true] {
            let (domain, text) = random_task(seed, durative);
            let model = pddl(&domain, &text);
            let problem = Arc::new(ground(&model, &GroundOptions::default()).problem);
            let target = Target::new(problem.story_goals(&model).into_iter().cloned().collect());
            let graphplan = Graphplan::new(Arc::clone(&problem), &problem.initial(), target, learning());
            if let Outcome::Unsupported { what } = graphplan.outcome() {
                assert!(!what.to_string().is_empty());
                said.insert(*what);
            }
        }
    }
    for what in [Unsupported::NumberTest, Unsupported::Derived, Unsupported::Phases] {
        assert!(said.contains(&what), "{said:?}");
    }
    let task = character(troy(None), "paris");
    let (outcome, _) = task.run(GraphplanOptions { components_max: 100, ..learning() });
    assert_eq!(outcome, Outcome::Unsupported { what: Unsupported::TooLarge });
}

const LAMP: &str = r#"
story "Lamp" { ticks 1 per s }
type Color
type Lamp { color: Color; wet = true; old = true; painted }
object red "red", green "green", blue "blue": Color
object lamp "the lamp": Lamp (color = green)
action paint(l: Lamp) {
  takes 1 tick
  then l.color = red, l.painted
  then l.color = green if l.wet
  then l.color = blue if l.old
}
action dry(l: Lamp) { takes 1 tick then not l.wet }
action renew(l: Lamp) { takes 1 tick then not l.old }
goal lamp.painted
goal lamp.color != green
"#;

#[test]
fn of_several_effects_on_one_variable_the_last_one_counts() {
    let task = whole(story(LAMP));
    for options in [learning(), plain()] {
        let (plan, _) = task.plan(options);
        assert_eq!(task.names(&plan), ["paint(lamp)"]);
    }
    let red = whole(story(&LAMP.replace("!= green", "== red")));
    for options in [learning(), plain()] {
        let (plan, _) = red.plan(options);
        assert_eq!((plan.depth(), plan.steps()), (2, 3), "{:?}", red.names(&plan));
        assert!(red.names(&plan).last().is_some_and(|name| name == "paint(lamp)"));
    }
}

const DOOR: &str = "(define (domain door) (:requirements :adl) (:predicates (open) (windy) (aired) (through))
  (:action unlock :parameters () :precondition (and) :effect (open))
  (:action calm :parameters () :precondition (and) :effect (not (windy)))
  (:action air :parameters () :precondition (open) :effect (and (aired) (when (windy) (not (open)))))
  (:action pass :parameters () :precondition (open) :effect (through)))";

#[test]
fn what_another_step_of_the_layer_needs_is_not_destroyed_by_an_effect_that_comes_unasked() {
    let problem = "(define (problem p) (:domain door) (:init (windy)) (:goal (and (aired) (through))))";
    let task = whole(pddl(DOOR, problem));
    for options in [learning(), plain()] {
        let (plan, _) = task.plan(options);
        assert_eq!((plan.depth(), plan.steps()), (2, 4), "{:?}", task.names(&plan));
    }
}
