//! Goals across levels, and steps whose length is amended.

mod support;

use dramaturg_planner::simulate::{Phase, World, WorldEventKind};
use support::*;

#[test]
fn a_goal_that_goes_on_in_the_next_level_keeps_its_time() {
    let model = text(
        "fluent early; fluent later; fluent gone
         given gone at 5 s
         level day { goal early; goal early by 3 s; milestone dusk { when gone; next night carrying gone } }
         level night { fluent dark }
         goal later by 20 s",
    );
    let mut world = world(&model);
    world.step_to(&model, 30);
    let missed: Vec<i64> = world
        .drain()
        .iter()
        .filter(|event| matches!(event.kind, WorldEventKind::GoalMissed { .. }))
        .map(|event| event.tick)
        .collect();
    assert_eq!(missed, [3, 20]);
}

#[test]
fn a_goal_given_twice_keeps_both_standings_in_the_next_level() {
    let model = text(
        "type Person { calm }
         object ben, carl: Person
         fluent gone
         given ben.calm at 1 s
         given carl.calm at 2 s
         given gone at 5 s
         rule longs(p: Person) { when p.calm; inject dora { goal not p.calm by 10 s } }
         character dora: Person
         level day { goal gone; milestone dusk { when gone; next night carrying gone } }
         level night { fluent dark }",
    );
    let mut world = world(&model);
    world.step_to(&model, 4);
    let before = world.goals().iter().filter(|goal| goal.deadline.is_some()).count();
    assert_eq!(before, 2);
    world.step_to(&model, 6);
    let taken: Vec<_> = world.goals().iter().filter(|goal| goal.deadline.is_some()).map(|goal| goal.taken).collect();
    assert_eq!(taken, [Some(1), Some(2)], "neither is taken up anew");
}

#[test]
fn a_step_amended_to_end_now_ends_at_the_next_chance() {
    let model = text("type Person; object anna: Person; action nap(p: Person) by p { takes 1 s .. 90 s }");
    let mut world = world(&model);
    let (action, _) = model.actions.iter().next().unwrap();
    world.perform(7, action, [object(&model, "anna")].into_iter().collect(), 0);
    world.run(&model, 10, Phase::Rules);
    world.amend(7, 30);
    world.amend(7, 2);
    world.step_to(&model, 40);
    let ended: Vec<i64> = world
        .drain()
        .iter()
        .filter(|event| matches!(event.kind, WorldEventKind::StepEnded { .. }))
        .map(|event| event.tick)
        .collect();
    assert_eq!(ended, [1], "it had ended before it was amended");
    world.perform(8, action, [object(&model, "anna")].into_iter().collect(), 50);
    world.step_to(&model, 50);
    world.amend(8, 80);
    world.run(&model, 60, Phase::Rules);
    world.amend(8, 2);
    world.step_to(&model, 90);
    let ended = world.drain().iter().find(|e| matches!(e.kind, WorldEventKind::StepEnded { .. })).map(|e| e.tick);
    assert_eq!(ended, Some(61));
}

/// A house that is left for the garden and come back to. What only the house knows is as it was left, if it is carried on, and as
/// given if not; what it comes to know for the first time is as given.
#[test]
fn what_a_level_knew_is_kept_until_a_later_one_carries_it_on() {
    let house = |carried: &str| {
        text(&format!(
            "type Chest {{ open; locked = true }}
             fluent rang: int 0..9 = 0
             given rang = 1 at 5 s
             given rang = 2 at 10 s
             level house {{
               object trunk: Chest (locked = false)
               given trunk.open at 2 s
               milestone out {{ when rang == 1; next garden carrying rang }}
             }}
             level garden {{
               object urn: Chest (locked = false)
               milestone back {{ when rang == 2; next house carrying {carried} }}
             }}"
        ))
    };
    for (carried, open) in [("rang, Chest.open", "true"), ("rang", "false")] {
        let model = house(carried);
        let mut world = world(&model);
        world.step_to(&model, 7);
        assert_eq!(value(&model, world.state(), "urn.locked"), "false", "as the garden is given");
        let save = world.save(&model);
        let (mut loaded, report) = World::load(&model, &save);
        assert!(report.is_clean(), "{report:?}");
        for world in [&mut world, &mut loaded] {
            world.step_to(&model, 12);
            assert_eq!(value(&model, world.state(), "trunk.open"), open, "{carried}");
            assert_eq!(value(&model, world.state(), "trunk.locked"), "false", "{carried}");
        }
        assert_eq!(world.save(&model), loaded.save(&model), "the save knows it too");
    }
}
