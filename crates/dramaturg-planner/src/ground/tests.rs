//! Grounding as a whole.

use dramaturg_model::{Chance, State, Value};
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::testing::{naive, pddl, random, story};
use super::{Condition, Goals, GroundOptions, Groups, Limits, OperatorId, Problem, Scope, ground};
use crate::packed::PackedState;

const BLOCKS: &str = "(define (domain blocks) (:requirements :strips)
  (:predicates (on ?x ?y) (on-table ?x) (clear ?x) (arm-empty) (holding ?x))
  (:action pick-up :parameters (?x) :precondition (and (clear ?x) (on-table ?x) (arm-empty))
    :effect (and (not (on-table ?x)) (not (clear ?x)) (not (arm-empty)) (holding ?x)))
  (:action put-down :parameters (?x) :precondition (holding ?x)
    :effect (and (not (holding ?x)) (clear ?x) (arm-empty) (on-table ?x)))
  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
    :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (arm-empty) (on ?x ?y)))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (arm-empty))
    :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (arm-empty)) (not (on ?x ?y)))))";

const THREE_BLOCKS: &str = "(define (problem three) (:domain blocks) (:objects a b c)
  (:init (clear c) (clear b) (on-table a) (on-table b) (on c a) (arm-empty)) (:goal (and (on a b) (on b c))))";

fn names(problem: &Problem, model: &dramaturg_model::Model) -> Vec<String> {
    problem.operators.ids().map(|id| problem.operator_name(model, id)).collect()
}

#[test]
fn blocks_get_one_variable_for_each_block_and_no_block_is_put_on_itself() {
    let model = pddl(BLOCKS, THREE_BLOCKS);
    let grounding = ground(&model, &GroundOptions::default());
    let problem = &grounding.problem;
    assert_eq!(grounding.stop, None);
    // As Fast Downward's translator: 3 pick-up, 3 put-down, 6 stack, 6 unstack; where each block is, what is clear, the hand.
    assert_eq!(problem.operators.len(), 18);
    assert_eq!(problem.variables.len(), 7);
    assert!(!names(problem, &model).contains(&"stack(a, a)".to_string()));
    let sizes: Vec<u32> = problem.variables.values().map(|variable| variable.size()).collect();
    assert_eq!(sizes.iter().sum::<u32>(), 3 * 4 + 4 * 2, "{sizes:?}");
}

#[test]
fn without_groups_every_fact_is_a_variable() {
    let model = pddl(BLOCKS, THREE_BLOCKS);
    let options = GroundOptions { groups: Groups::Never, ..GroundOptions::default() };
    let problem = ground(&model, &options).problem;
    assert!(problem.variables.values().all(|variable| variable.size() == 2));
    // Nothing tells that a block cannot lie on itself.
    assert!(problem.operators.len() >= 18);
}

#[test]
fn a_limit_stops_grounding_and_says_how_to_raise_it() {
    let model = pddl(BLOCKS, THREE_BLOCKS);
    let limits = Limits { max_operators: 5, ..Limits::default() };
    let grounding = ground(&model, &GroundOptions { limits, ..GroundOptions::default() });
    let hit = grounding.stop.expect("five operators are not enough");
    assert_eq!(hit.which.option_name(), "max_operators");
    assert!(hit.to_string().contains("raise `max_operators`"), "{hit}");
    for limits in [Limits { max_work: 10, ..Limits::default() }, Limits { max_variables: 3, ..Limits::default() }] {
        let grounding = ground(&model, &GroundOptions { limits, ..GroundOptions::default() });
        assert!(grounding.stop.is_some(), "{limits:?}");
    }
}

#[test]
fn a_hostile_domain_is_given_up_in_bounded_work() {
    let objects: Vec<String> = (0..60).map(|index| format!("o{index}")).collect();
    let vars: Vec<String> = (0..7).map(|index| format!("?v{index}")).collect();
    let vars = vars.join(" ");
    let problem =
        format!("(define (problem p) (:domain d) (:objects {}) (:init (q o1 o2)) (:goal (r)))", objects.join(" "));
    let effect = format!("(forall ({vars}) (when (not (p ?v0)) (p ?v6)))");
    for (condition, effect) in [
        (format!("(forall ({vars}) (or (q ?v0 ?v1) (p ?v6)))"), "(r)".to_string()),
        (format!("(exists ({vars}) (and (not (q ?v0 ?v0)) (q ?v5 ?v6)))"), "(r)".to_string()),
        (format!("(forall ({vars}) (not (q ?v6 ?v6)))"), "(p ?x)".to_string()),
        ("(p ?x)".to_string(), format!("(and (r) {effect})")),
        ("(and)".to_string(), format!("(and (r) {effect})")),
    ] {
        let domain = format!(
            "(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x ?y) (r)) \
             (:action act :parameters (?x) :precondition {condition} :effect {effect}))"
        );
        let model = pddl(&domain, &problem);
        let limits = Limits { max_work: 200_000, ..Limits::default() };
        let grounding = ground(&model, &GroundOptions { limits, ..GroundOptions::default() });
        let never_starts = grounding.problem.operators.is_empty() && condition == "(p ?x)";
        assert!(grounding.stop.is_some() || never_starts, "{condition} {effect}");
    }
}

#[test]
fn the_same_model_grounds_to_the_same_problem() {
    let model = pddl(BLOCKS, THREE_BLOCKS);
    let first = ground(&model, &GroundOptions::default()).problem;
    let second = ground(&model, &GroundOptions::default()).problem;
    assert_eq!(first, second);
    assert_ne!(first.hash, 0);
    let other = pddl(BLOCKS, &THREE_BLOCKS.replace("(on c a)", "(on-table c) (clear a)"));
    assert_ne!(first.hash, ground(&other, &GroundOptions::default()).problem.hash);
}

const ERRAND: &str = r#"
story "Errand" { ticks 1 per s }
type Place { next: Place; cost: int 0..9 }
type Person { place: Place; gold: int 0..5 = 2; tired: number; friend: Person }
type Chest { place: Place; opened }
object home "home": Place (next = shop, cost = 0)
object shop "the shop": Place (next = hill, cost = 1)
object hill "the hill": Place (next = home, cost = 2)
object anna "Anna": Person (place = home, friend = bert)
object bert "Bert": Person (place = shop, friend = anna)
pool chest "a chest" (c: Chest) of 2 { anchors c.place }
fluent rich(p: Person) means p.gold >= 4
action walk(p: Person) by p {
  takes 2 ticks
  needs p.gold >= p.place.next.cost
  then p.gold -= p.place.next.cost, p.place = p.place.next
  then p.tired += 1.5
}
action meet(p: Person) by p {
  takes 1 tick
  needs p.place == p.friend.place and not rich(p)
  then p.friend.gold += 2
}
action open(p: Person, c: Chest) by p {
  takes 1 tick
  needs p.place == c.place and not c.opened
  then c.opened, p.gold += 3
}
goal anna.gold == 5
"#;

/// What a state says, in names.
fn said(model: &dramaturg_model::Model, state: &State) -> std::collections::BTreeSet<String> {
    let say = |(fluent, args, value): (_, &dramaturg_model::Args, _)| {
        format!("{} = {}", model.fluent_name(fluent, args), model.value_name(value))
    };
    state.entries().into_iter().map(say).collect()
}

/// Fails with the difference only.
fn assert_same(model: &dramaturg_model::Model, left: &State, right: &State, about: &str) {
    let (left, right) = (said(model, left), said(model, right));
    let only_left: Vec<_> = left.difference(&right).collect();
    let only_right: Vec<_> = right.difference(&left).collect();
    assert!(left == right, "{about}: packed says {only_left:?}, plain says {only_right:?}");
}

/// Walks at random, comparing what packed and plain states say at every step.
fn compare_walks(model: &dramaturg_model::Model, problem: &Problem, start: &State, seed: u64, steps: usize) {
    let mut chance = Chance::new(seed);
    let mut plain = start.clone();
    let mut packed = problem.pack(&plain).expect("the state that was grounded from can be packed");
    assert_eq!(packed, problem.initial());
    let known: FxHashMap<String, OperatorId> =
        problem.operators.ids().map(|id| (problem.operator_name(model, id), id)).collect();
    let mut applicable = Vec::new();
    for _ in 0..steps {
        assert_same(model, &problem.unpack(&packed, start), &plain, "unpacked");
        assert_eq!(problem.pack(&plain).as_ref(), Some(&packed));
        assert_eq!(packed.hash_value(), packed.recomputed_hash(problem));
        problem.applicable(&packed, &mut applicable);
        let naive = naive::successors(model, &plain);
        let mut steps: Vec<(OperatorId, &State)> = Vec::new();
        for (action, args, next) in &naive {
            let name = model.action_name(*action, args);
            match known.get(&name) {
                Some(id) => steps.push((*id, next)),
                // Only what changes nothing may be missing.
                None => assert_same(model, next, &plain, &format!("{name} is missing")),
            }
        }
        let possible: Vec<OperatorId> =
            applicable.iter().copied().filter(|id| problem.apply(&packed, *id).is_some()).collect();
        let mut expected: Vec<OperatorId> = steps.iter().map(|(id, _)| *id).collect();
        expected.sort_unstable();
        let say = |ids: &[OperatorId]| ids.iter().map(|id| problem.operator_name(model, *id)).collect::<Vec<_>>();
        assert_eq!(say(&possible), say(&expected));
        for (id, next) in &steps {
            let after = problem.apply(&packed, *id).expect("it is applicable");
            let after = problem.unpack(&after, start);
            assert_same(model, &after, next, &problem.operator_name(model, *id));
        }
        let Some((id, next)) = steps.get(chance.below(steps.len())) else { break };
        packed = problem.apply(&packed, *id).expect("it is applicable");
        plain = (*next).clone();
    }
}

#[test]
fn reads_of_reads_whole_numbers_and_decimals_agree_with_the_lifted_reading() {
    let model = story(ERRAND);
    let start = State::initial(&model, 0);
    let problem = ground(&model, &GroundOptions::default()).problem;
    for seed in 0..20 {
        compare_walks(&model, &problem, &start, seed, 12);
    }
    let everything = GroundOptions { scope: Scope::Everything, ..GroundOptions::default() };
    let problem = ground(&model, &everything).problem;
    for seed in 0..5 {
        compare_walks(&model, &problem, &start, seed, 8);
    }
}

#[test]
fn conceiving_an_object_of_a_pool_needs_no_new_grounding() {
    let model = story(ERRAND);
    let problem = ground(&model, &GroundOptions::default()).problem;
    let names = names(&problem, &model);
    assert!(names.contains(&"open(anna, chest-2)".to_string()), "{names:?}");
    let find = |name: &str| problem.operators.ids().find(|id| problem.operator_name(&model, *id) == name).unwrap();
    let start = problem.initial();
    let open = find("open(anna, chest-1)");
    assert!(!problem.is_applicable(&start, open));
    let anchored = problem.apply(&start, find("chest.anchor(chest-1, home)")).expect("a chest can be conceived");
    assert!(problem.is_applicable(&anchored, open));
}

#[test]
fn every_value_can_be_packed_when_everything_is_in_scope() {
    let model = story(ERRAND);
    let options = GroundOptions { scope: Scope::Everything, ..GroundOptions::default() };
    let problem = ground(&model, &options).problem;
    let mut state = State::initial(&model, 0);
    let fluent = model.find_attribute(model.find_type("Person").unwrap(), "friend").unwrap();
    let anna = Value::Object(model.find_object("anna").unwrap());
    state.set(fluent, &[anna], anna);
    // `friend` is static: nothing changes it. `place` does change, to whatever the game reports.
    let at = model.find_attribute(model.find_type("Person").unwrap(), "place").unwrap();
    state.set(at, &[anna], Value::Object(model.find_object("hill").unwrap()));
    assert!(problem.pack(&state).is_some());
}

/// How many steps the shortest plan has, if there is one within so many states.
fn shortest(problem: &Problem, goals: &[Condition], states_max: usize) -> Option<Option<usize>> {
    let mut seen: FxHashMap<PackedState, ()> = FxHashMap::default();
    let mut layer = vec![problem.initial()];
    let mut depth = 0;
    let mut applicable = Vec::new();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for state in layer {
            if goals.iter().all(|goal| problem.holds(&state, goal)) {
                return Some(Some(depth));
            }
            problem.applicable(&state, &mut applicable);
            for id in &applicable {
                if let Some(after) = problem.apply(&state, *id)
                    && seen.insert(after.clone(), ()).is_none()
                {
                    next.push(after);
                }
            }
            if seen.len() > states_max {
                return None;
            }
        }
        layer = next;
        depth += 1;
    }
    Some(None)
}

fn goals_of(problem: &Problem, model: &dramaturg_model::Model) -> Vec<Condition> {
    problem.story_goals(model).into_iter().cloned().collect()
}

#[test]
fn what_no_goal_needs_is_dropped() {
    let model = pddl(BLOCKS, &THREE_BLOCKS.replace("(and (on a b) (on b c))", "(holding b)"));
    let all = ground(&model, &GroundOptions::default()).problem;
    let options = GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() };
    let grounding = ground(&model, &options);
    let problem = grounding.problem;
    assert!(problem.operators.len() <= all.operators.len());
    assert_eq!(shortest(&problem, &goals_of(&problem, &model), 10_000), Some(Some(1)));
}

proptest! {
    #[test]
    fn packed_and_plain_states_agree(seed in any::<u64>(), walk in any::<u64>()) {
        let (domain, problem) = random::task(seed, false);
        let model = pddl(&domain, &problem);
        let grounding = ground(&model, &GroundOptions::default());
        prop_assert_eq!(grounding.stop, None);
        let start = State::initial(&model, 0);
        compare_walks(&model, &grounding.problem, &start, walk, 8);
    }

    #[test]
    fn packed_and_plain_states_agree_over_actions_that_take_time(seed in any::<u64>(), walk in any::<u64>()) {
        let (domain, problem) = random::task(seed, true);
        let model = pddl(&domain, &problem);
        let grounding = ground(&model, &GroundOptions::default());
        let start = State::initial(&model, 0);
        compare_walks(&model, &grounding.problem, &start, walk, 8);
    }

    #[test]
    fn relevance_keeps_the_shortest_plan(seed in any::<u64>()) {
        let (domain, problem) = random::task(seed, false);
        let model = pddl(&domain, &problem);
        let all = ground(&model, &GroundOptions::default()).problem;
        let Some(wanted) = shortest(&all, &goals_of(&all, &model), 3_000) else { return Ok(()) };
        let options = GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() };
        let relevant = ground(&model, &options).problem;
        prop_assert!(relevant.operators.len() <= all.operators.len());
        prop_assert_eq!(shortest(&relevant, &goals_of(&relevant, &model), 100_000), Some(wanted));
    }
}

#[test]
fn shipped_stories_agree_with_the_lifted_reading() {
    for (name, text, operators) in [
        ("troy-sparta", include_str!("../../../../stories/troy-sparta.story"), 2948),
        ("troy-funeral", include_str!("../../../../stories/troy-funeral.story"), 1354),
        ("princess", include_str!("../../../../stories/princess.story"), 43),
        ("apple", include_str!("../../../../stories/apple.story"), 2),
        ("orc-quest", include_str!("../../../../stories/orc-quest.story"), 3),
        ("diamond", include_str!("../../../../stories/diamond.story"), 2),
    ] {
        let model = story(text);
        let grounding = ground(&model, &GroundOptions::default());
        assert_eq!(grounding.stop, None, "{name}");
        assert_eq!(grounding.problem.operators.len(), operators, "{name}");
        compare_walks(&model, &grounding.problem, &State::initial(&model, 0), 1, 4);
    }
}

#[test]
fn one_of_a_crowd_can_be_grounded_alone() {
    let model = story(include_str!("../../../../stories/city.story"));
    let sam = [model.find_object("sam").unwrap()];
    let grounding = ground(&model, &GroundOptions { cast: Some(&sam), ..GroundOptions::default() });
    assert_eq!(grounding.stop, None);
    let problem = grounding.problem;
    assert!(!problem.operators.is_empty());
    assert!(problem.operators.values().all(|operator| operator.performer.is_none_or(|who| who == sam[0])));
    assert_eq!(problem.index.performed_by(sam[0]).len(), problem.operators.len());
}
