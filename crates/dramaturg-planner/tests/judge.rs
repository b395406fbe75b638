//! The judge against simpler judges: a naive interpreter of a toy world, and every way of playing a tiny network.

mod support;

use std::collections::BTreeMap;

use dramaturg_model::{Model, Plan, State, Tick, TimeConstraint, TimePoint};
use dramaturg_planner::planfile::read_plan;
use dramaturg_planner::simulate::ViolationKind;
use dramaturg_planner::validate::{Controllability, Goals, Level, Network, ValidateOptions, validate};
use proptest::prelude::*;
use support::*;

/// Couriers carry parcels between rooms. Walking takes the distance, hands hold one thing, a lamp burns oil, a rule shuts a door.
const TOY: &str = "
type Room { step: duration }
type Courier { room: Room | way; hands: actuator; legs: actuator; tired: int 0..9 }
type Parcel { place: Room | Courier }
object hall: Room (step = 2 ticks)
object attic: Room (step = 3 ticks)
object cellar: Room (step = 1 ticks)
object ann: Courier (room = hall)
object bob: Courier (room = attic)
object box: Parcel (place = hall)
object jar: Parcel (place = cellar)
fluent shut
fluent oil: number 0..10 = 10
action walk(c: Courier, from: Room, to: Room) {
  takes to.step
  needs c.room == from and from != to and not shut
  keeps c.tired < 5
  uses c.legs
  then c.room = way at start
  then c.room = to, c.tired += 1
}
action grab(c: Courier, p: Parcel, here: Room) {
  takes 2 ticks
  needs p.place == here
  keeps c.room == here
  uses c.hands
  then p.place = c
}
action drop(c: Courier, p: Parcel, here: Room) {
  takes 1 tick
  needs p.place == c
  needs c.room == here at end
  uses c.hands
  then p.place = here
}
action read(c: Courier) {
  takes 3 ticks
  needs oil >= 3
  uses c.hands
  during oil -= 1 per tick
  then not shut
}
rule slams { when oil < 5; then shut }
goal box.place == cellar
keep oil > 0
";

fn toy() -> (Model, Plan) {
    let model = text(TOY);
    let mut plan = Plan::default();
    plan.add("grab", ["ann", "box", "hall"], 0, 2);
    plan.add("read", ["bob"], 0, 3);
    plan.add("walk", ["ann", "hall", "cellar"], 2, 1);
    plan.add("drop", ["ann", "box", "cellar"], 3, 1);
    plan.add("grab", ["ann", "jar", "cellar"], 4, 2);
    plan.add("walk", ["bob", "attic", "hall"], 3, 2);
    plan.add("read", ["bob"], 5, 3);
    plan.add("drop", ["ann", "jar", "cellar"], 6, 1);
    // The lamp is low at tick 8 and the door slams; reading on opens it.
    plan.add("read", ["bob"], 8, 3);
    plan.add("walk", ["bob", "hall", "cellar"], 11, 1);
    (model, plan)
}

/// The toy world as one would write it down in an evening: every tick, every step, no index and no shortcut.
#[derive(Clone, Default)]
struct Naive {
    room: BTreeMap<&'static str, &'static str>,
    tired: BTreeMap<&'static str, i64>,
    place: BTreeMap<&'static str, String>,
    shut: bool,
    oil: i64,
    low: bool,
    reached: bool,
}

const ROOMS: [(&str, Tick); 3] = [("hall", 2), ("attic", 3), ("cellar", 1)];
const COURIERS: [&str; 2] = ["ann", "bob"];
const PARCELS: [&str; 2] = ["box", "jar"];

fn known(names: &[&'static str], name: &str) -> Option<&'static str> {
    names.iter().find(|known| **known == name).copied()
}

fn naive_verdict(plan: &Plan) -> bool {
    let rooms = ROOMS.map(|room| room.0);
    let mut world = Naive { oil: 10, ..Naive::default() };
    world.room.extend([("ann", "hall"), ("bob", "attic")]);
    world.tired.extend([("ann", 0), ("bob", 0)]);
    world.place.extend([("box", "hall".to_owned()), ("jar", "cellar".to_owned())]);
    // Structure.
    let mut ids = Vec::new();
    for step in &plan.steps {
        if ids.contains(&step.id) || step.start < 0 {
            return false;
        }
        ids.push(step.id);
        let arg = |at: usize| step.args.get(at).map_or("", |arg| arg.as_str());
        let (kinds, duration): (Vec<bool>, Tick) = match step.action.as_str() {
            "walk" => {
                let to = ROOMS.iter().find(|room| room.0 == arg(2)).map_or(-1, |room| room.1);
                let ok = [known(&COURIERS, arg(0)), known(&rooms, arg(1)), known(&rooms, arg(2))];
                (ok.map(|found| found.is_some()).into(), to)
            }
            "grab" | "drop" => {
                let ok = [known(&COURIERS, arg(0)), known(&PARCELS, arg(1)), known(&rooms, arg(2))];
                (ok.map(|found| found.is_some()).into(), if step.action == "grab" { 2 } else { 1 })
            }
            "read" => (vec![known(&COURIERS, arg(0)).is_some()], 3),
            _ => return false,
        };
        if step.args.len() != kinds.len() || kinds.contains(&false) || step.duration != duration {
            return false;
        }
    }
    // Hands and legs.
    for (at, a) in plan.steps.iter().enumerate() {
        for b in plan.steps.iter().skip(at + 1) {
            let part = |action: &str| action == "walk";
            if a.args[0] == b.args[0] && part(&a.action) == part(&b.action) && a.start < b.end() && b.start < a.end() {
                return false;
            }
        }
    }
    let end = plan.end();
    for now in 0..=end {
        // P1
        let before = world.clone();
        let mut sets: BTreeMap<(&str, &str), String> = BTreeMap::new();
        let mut conflict = false;
        let mut set = |key: (&'static str, &'static str), value: String| {
            conflict |= sets.insert(key, value.clone()).is_some_and(|old| old != value);
        };
        for step in plan.steps.iter().filter(|step| step.end() == now) {
            let who = known(&COURIERS, &step.args[0]).unwrap();
            match step.action.as_str() {
                "walk" => {
                    set(("room", who), step.args[2].to_string());
                    *world.tired.get_mut(who).unwrap() = (world.tired[who] + 1).min(9);
                }
                "grab" => set(("place", known(&PARCELS, &step.args[1]).unwrap()), who.to_owned()),
                "drop" => {
                    if before.room[who] != step.args[2] {
                        return false;
                    }
                    set(("place", known(&PARCELS, &step.args[1]).unwrap()), step.args[2].to_string());
                }
                _ => set(("shut", ""), "no".to_owned()),
            }
        }
        if conflict {
            return false;
        }
        for ((what, who), value) in sets {
            match what {
                "room" => {
                    world.room.insert(known(&COURIERS, who).unwrap(), known(&rooms, &value).unwrap());
                }
                "place" => {
                    world.place.insert(known(&PARCELS, who).unwrap(), value);
                }
                _ => world.shut = false,
            }
        }
        // P2
        let low = world.oil < 5;
        if low && !world.low {
            world.shut = true;
        }
        world.low = low;
        // P3
        world.reached |= world.place["box"] == "cellar";
        if world.oil <= 0 {
            return false;
        }
        let keeps = |world: &Naive, step: &dramaturg_model::Step| {
            let who = step.args[0].as_str();
            match step.action.as_str() {
                "walk" => world.tired[who] < 5,
                "grab" => world.room[who] == step.args[2],
                _ => true,
            }
        };
        for step in &plan.steps {
            if step.start < now && now < step.end() && !keeps(&world, step) {
                return false;
            }
            if step.start == now {
                let who = step.args[0].as_str();
                let holds = match step.action.as_str() {
                    "walk" => world.room[who] == step.args[1] && step.args[1] != step.args[2] && !world.shut,
                    "grab" => world.place[step.args[1].as_str()] == step.args[2].as_str(),
                    "drop" => world.place[step.args[1].as_str()] == who,
                    _ => world.oil >= 3,
                };
                if !holds {
                    return false;
                }
            }
        }
        // P4
        for step in plan.steps.iter().filter(|step| step.start == now && step.action == "walk") {
            world.room.insert(known(&COURIERS, &step.args[0]).unwrap(), "way");
        }
        for step in plan.steps.iter().filter(|step| step.start == now) {
            if !keeps(&world, step) {
                return false;
            }
        }
        // P5
        let burning = plan.steps.iter().filter(|s| s.action == "read" && s.start <= now && now < s.end()).count();
        world.oil = (world.oil - burning as i64).max(0);
    }
    world.reached
}

/// One change of a plan.
#[derive(Clone, Debug)]
enum Mutation {
    Argument(usize, usize, &'static str),
    Tick(usize, Tick),
    Duration(usize, Tick),
    Action(usize, &'static str),
    Drop(usize),
    Double(usize, Tick),
    Swap(usize, usize),
    Id(usize, u32),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let names = prop::sample::select(vec!["ann", "bob", "hall", "attic", "cellar", "box", "jar", "nobody"]);
    let actions = prop::sample::select(vec!["walk", "grab", "drop", "read", "fly"]);
    prop_oneof![
        3 => (0usize..9, 0usize..3, names).prop_map(|(step, at, name)| Mutation::Argument(step, at, name)),
        4 => (0usize..9, -4i64..6).prop_map(|(step, by)| Mutation::Tick(step, by)),
        1 => (0usize..9, -2i64..3).prop_map(|(step, by)| Mutation::Duration(step, by)),
        1 => (0usize..9, actions).prop_map(|(step, action)| Mutation::Action(step, action)),
        2 => (0usize..9).prop_map(Mutation::Drop),
        1 => (0usize..9, 0i64..12).prop_map(|(step, at)| Mutation::Double(step, at)),
        2 => (0usize..9, 0usize..9).prop_map(|(a, b)| Mutation::Swap(a, b)),
        1 => (0usize..9, 0u32..9).prop_map(|(step, id)| Mutation::Id(step, id)),
    ]
}

fn mutate(plan: &mut Plan, mutation: &Mutation) {
    let count = plan.steps.len();
    if count == 0 {
        return;
    }
    match *mutation {
        Mutation::Argument(step, at, name) => {
            if let Some(arg) = plan.steps[step % count].args.get_mut(at) {
                *arg = name.into();
            }
        }
        Mutation::Tick(step, by) => plan.steps[step % count].start += by,
        Mutation::Duration(step, by) => plan.steps[step % count].duration += by,
        Mutation::Action(step, action) => plan.steps[step % count].action = action.into(),
        Mutation::Drop(step) => {
            plan.steps.remove(step % count);
        }
        Mutation::Double(step, at) => {
            let mut copy = plan.steps[step % count].clone();
            copy.id = 100 + count as u32;
            copy.start = at;
            plan.steps.push(copy);
        }
        Mutation::Swap(a, b) => {
            let (a, b) = (a % count, b % count);
            let (first, second) = (plan.steps[a].start, plan.steps[b].start);
            plan.steps[a].start = second;
            plan.steps[b].start = first;
        }
        Mutation::Id(step, id) => plan.steps[step % count].id = id,
    }
}

#[test]
fn the_toy_plan_is_valid() {
    let (model, plan) = toy();
    assert_valid(&judge(&model, &plan, &ValidateOptions::default()));
    assert!(naive_verdict(&plan));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn the_judge_agrees_with_a_naive_one(mutations in prop::collection::vec(mutation(), 0..3)) {
        thread_local!(static TOY: (Model, Plan) = toy());
        TOY.with(|(model, plan)| {
            let mut plan = plan.clone();
            mutations.iter().for_each(|mutation| mutate(&mut plan, mutation));
            let report = validate(model, &State::initial(model, 0), &plan, &ValidateOptions::default());
            let messages: Vec<String> = report.violations.iter().map(ToString::to_string).collect();
            prop_assert_eq!(report.valid, naive_verdict(&plan), "{:#?}\n{:#?}", messages, plan);
            Ok(())
        })?;
    }

    #[test]
    fn any_text_is_read_without_harm(text in "\\PC*|[ \\n(){}\\[\\];:.0-9a-z\"]{0,200}") {
        thread_local!(static TOY: (Model, Plan) = toy());
        TOY.with(|(model, _)| {
            let (plan, _) = read_plan(model, dramaturg_model::FileId(0), &text);
            let options = ValidateOptions { level: Level::V3, work_max: 100_000, ..ValidateOptions::default() };
            validate(model, &State::initial(model, 0), &plan, &options);
        });
    }

    #[test]
    fn any_plan_is_judged_without_harm(
        steps in prop::collection::vec(
            (any::<u32>(), "walk|grab|drop|read|x", prop::collection::vec("ann|bob|hall|box|y", 0..4), any::<i64>(), any::<i64>()),
            0..6,
        ),
        constraints in prop::collection::vec((any::<u32>(), any::<u32>(), any::<Option<i64>>(), any::<Option<i64>>()), 0..4),
    ) {
        thread_local!(static TOY: (Model, Plan) = toy());
        TOY.with(|(model, _)| {
            let mut plan = Plan::default();
            for (id, action, args, start, duration) in steps {
                plan.steps.push(dramaturg_model::Step {
                    id,
                    ..{
                        let mut one = Plan::default();
                        one.add(action, args, start, duration);
                        one.steps.remove(0)
                    }
                });
            }
            for (from, to, least, most) in constraints {
                plan.constraints.push(TimeConstraint { from: TimePoint::Start(from), to: TimePoint::End(to), least, most });
            }
            let options = ValidateOptions { level: Level::V3, work_max: 100_000, ..ValidateOptions::default() };
            validate(model, &State::initial(model, 0), &plan, &options);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Ticks that are passed over would have changed nothing.
    #[test]
    fn passing_over_ticks_changes_nothing(mutations in prop::collection::vec(mutation(), 0..4), spread in 1i64..40) {
        thread_local!(static TOY: (Model, Plan) = toy());
        TOY.with(|(model, plan)| {
            let mut plan = plan.clone();
            mutations.iter().for_each(|mutation| mutate(&mut plan, mutation));
            let mut hurried = world(model);
            for step in &mut plan.steps {
                step.start = step.start.max(0) * spread;
                let _ = hurried.schedule(model, step);
            }
            let mut patient = hurried.clone();
            let end = plan.end().clamp(0, 1000) + 5;
            hurried.step_to(model, end);
            (0..=end).for_each(|tick| patient.step_to(model, tick));
            prop_assert_eq!(hurried.state(), patient.state());
            prop_assert_eq!(hurried.drain(), patient.drain());
            prop_assert_eq!(hurried.goals(), patient.goals());
            Ok(())
        })?;
    }
}

/// Times that break constraints, and constraints that nothing can satisfy.
#[test]
fn constraints_are_checked_against_times_and_each_other() {
    let (model, plan) = toy();
    let options = ValidateOptions::default();
    let with = |constraints: &[(TimePoint, TimePoint, Option<Tick>, Option<Tick>)]| {
        let mut plan = plan.clone();
        plan.constraints =
            constraints.iter().map(|&(from, to, least, most)| TimeConstraint { from, to, least, most }).collect();
        let report = judge(&model, &plan, &options);
        report.violations.iter().map(|violation| violation.kind).collect::<Vec<_>>()
    };
    use TimePoint::{End, Origin, Start};
    assert_eq!(with(&[(End(0), Start(2), Some(0), Some(5)), (Origin, Start(3), Some(3), None)]), []);
    assert_eq!(with(&[(End(0), Start(2), Some(1), None)]), [ViolationKind::Constraint]);
    let impossible = with(&[(End(0), Start(2), Some(1), None), (Start(2), Start(0), Some(0), None)]);
    assert!(impossible.contains(&ViolationKind::Inconsistent), "{impossible:?}");
    let mut windowed = plan.clone();
    windowed.steps[0].window = Some((1, 5));
    let report = judge(&model, &windowed, &options);
    assert_eq!(report.violations[0].kind, ViolationKind::Window);
}

/// A tiny network played out by brute force: in every tick the world ends what it likes, then we execute what we like.
struct Game {
    points: usize,
    contingent: Vec<(usize, usize, Tick, Tick)>,
    constraints: Vec<(usize, usize, Tick, Tick)>,
    horizon: Tick,
    memo: BTreeMap<(Tick, Vec<Option<Tick>>), bool>,
}

impl Game {
    fn ends(&self, point: usize) -> Option<&(usize, usize, Tick, Tick)> {
        self.contingent.iter().find(|link| link.1 == point)
    }

    fn broken(&self, times: &[Option<Tick>]) -> bool {
        self.constraints.iter().any(|&(from, to, least, most)| match (times[from], times[to]) {
            (Some(from), Some(to)) => to - from < least || to - from > most,
            _ => false,
        })
    }

    /// Whether we can win from here, before the world moves in this tick.
    fn wins(&mut self, now: Tick, times: &[Option<Tick>]) -> bool {
        if self.broken(times) {
            return false;
        }
        if times.iter().all(Option::is_some) {
            return true;
        }
        if now > self.horizon {
            return false;
        }
        let key = (now, times.to_vec());
        if let Some(known) = self.memo.get(&key) {
            return *known;
        }
        // Every way in which links may end now; those at their longest must.
        let mut outcomes = vec![times.to_vec()];
        for &(from, to, least, most) in &self.contingent.clone() {
            let Some(since) = times[from].filter(|_| times[to].is_none()) else { continue };
            let elapsed = now - since;
            if elapsed < least {
                continue;
            }
            let ended: Vec<Vec<Option<Tick>>> = outcomes
                .iter()
                .map(|times| {
                    let mut times = times.clone();
                    times[to] = Some(now);
                    times
                })
                .collect();
            if elapsed >= most {
                outcomes = ended;
            } else {
                outcomes.extend(ended);
            }
        }
        let won = outcomes.iter().all(|times| self.answers(now, times));
        self.memo.insert(key, won);
        won
    }

    /// Whether some set of points of ours, executed now, wins.
    fn answers(&mut self, now: Tick, times: &[Option<Tick>]) -> bool {
        let ours: Vec<usize> =
            (0..self.points).filter(|point| times[*point].is_none() && self.ends(*point).is_none()).collect();
        (0..1u32 << ours.len()).any(|set| {
            let mut times = times.to_vec();
            for (at, point) in ours.iter().enumerate() {
                if set >> at & 1 == 1 {
                    times[*point] = Some(now);
                }
            }
            self.wins(now + 1, &times)
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn controllability_agrees_with_playing_it_out(
        first in (1i64..3, 0i64..3),
        second in (1i64..3, 0i64..3),
        has_second in any::<bool>(),
        constraints in prop::collection::vec((0usize..6, 0usize..6, -3i64..5, 0i64..4), 1..6),
    ) {
        // 0 is the origin; 1→2 and 3→4 are contingent, 5 is ours.
        let mut contingent = vec![(1, 2, first.0, first.0 + first.1)];
        if has_second {
            contingent.push((3, 4, second.0, second.0 + second.1));
        }
        let mut network = Network::new(6);
        let mut all: Vec<(usize, usize, Tick, Tick)> = (1..6).map(|point| (0, point, 0, 7)).collect();
        all.extend(constraints.into_iter().filter(|c| c.0 != c.1).map(|(from, to, least, wide)| (from, to, least, least + wide)));
        for &(from, to, least, most) in &all {
            network.between(from, to, Some(least), Some(most));
        }
        for &(from, to, least, most) in &contingent {
            network.contingent(from, to, least, most);
        }
        let mut game = Game { points: 6, contingent, constraints: all, horizon: 7, memo: BTreeMap::new() };
        let mut times = vec![None; 6];
        times[0] = Some(0);
        let found = network.check(u64::MAX) == Controllability::Controllable;
        prop_assert_eq!(found, game.wins(0, &times));
    }
}

#[test]
fn a_plan_must_bear_every_duration() {
    let model = text(
        "type P { body: actuator }\nobject ann, bob: P\nfluent tea, ready\n\
         action boil(p: P) by p { takes 3 ticks .. 6 ticks; then ready }\n\
         action pour(p: P) by p { takes 1 tick; needs ready; then tea }\ngoal tea",
    );
    let options = ValidateOptions { level: Level::V3, ..ValidateOptions::default() };
    let mut plan = Plan::default();
    plan.add("boil", ["ann"], 0, 3);
    plan.add("pour", ["bob"], 3, 1);
    assert_valid(&judge(&model, &plan, &ValidateOptions::default()));
    let report = judge(&model, &plan, &options);
    assert_eq!(report.violations[0].kind, ViolationKind::NotControllable, "pouring at 3 fails if it boils until 6");
    plan.steps[1].start = 6;
    assert_valid(&judge(&model, &plan, &options));
    plan.steps[1].start = 3;
    plan.constraints.push(TimeConstraint {
        from: TimePoint::End(0),
        to: TimePoint::Start(1),
        least: Some(0),
        most: Some(2),
    });
    assert_valid(&judge(&model, &plan, &options));
    plan.constraints.push(TimeConstraint {
        from: TimePoint::Origin,
        to: TimePoint::Start(1),
        least: None,
        most: Some(5),
    });
    assert!(!judge(&model, &plan, &options).valid, "it may boil beyond the deadline");
    plan.steps[0].duration = 7;
    assert!(judge(&model, &plan, &options).violations.iter().any(|v| v.kind == ViolationKind::WrongDuration));
}

#[test]
fn whose_goals_count_can_be_chosen() {
    let (model, mut plan) = toy();
    plan.steps.truncate(1);
    assert!(!judge(&model, &plan, &ValidateOptions::default()).valid);
    let none = ValidateOptions { goals: Goals::None, ..ValidateOptions::default() };
    assert_valid(&judge(&model, &plan, &none));
}
