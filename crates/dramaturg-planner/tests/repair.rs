//! The playwright on its stories: what it plans, and what it does when things come otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use dramaturg_model::{Chance, Fixed, Model, Observation, Plan, State, Step, StepEvent, StepEventKind, Tick};
use dramaturg_planner::chronicle::{Chronicle, ChronicleOptions};
use dramaturg_planner::planner::{Budget, GoalChange, Inquiry, Planner, Progress, TickBounds, Workers};
use dramaturg_planner::repair::{Playwright, RepairOptions};
use dramaturg_planner::simulate::{WaitStatus, WorldEventKind};
use dramaturg_planner::validate::{Goals, ValidateOptions, validate};
use smol_str::SmolStr;

const APPLE: &str = include_str!("../../../stories/apple.story");
const DIAMOND: &str = include_str!("../../../stories/diamond.story");
const PRINCESS: &str = include_str!("../../../stories/princess.story");

fn model(text: &str) -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("test.story", text);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// A game that performs what is published, and a director that locks it five ticks before.
struct Game {
    model: Arc<Model>,
    planner: Playwright,
    truth: Chronicle,
    now: Tick,
    open: BTreeMap<u32, Step>,
    locked: BTreeMap<u32, Step>,
    running: BTreeMap<u32, (Step, Tick)>,
    /// What was started, when.
    started: Vec<(Tick, String)>,
    /// What became of expectations.
    waits: Vec<(Tick, WaitStatus)>,
    units: u32,
    /// The next step of this action takes so much longer, or fails if that is none.
    trouble: Option<(&'static str, Option<Tick>)>,
}

const LEAD: Tick = 5;

impl Game {
    fn new(text: &str, seed: u64) -> Self {
        let model = model(text);
        let planner = Playwright::new(Arc::clone(&model), RepairOptions { seed, ..RepairOptions::default() });
        let truth = Chronicle::begin(&model, ChronicleOptions::default());
        Self {
            model,
            planner,
            truth,
            now: 0,
            open: BTreeMap::new(),
            locked: BTreeMap::new(),
            running: BTreeMap::new(),
            started: Vec::new(),
            waits: Vec::new(),
            units: 400,
            trouble: None,
        }
    }

    fn name(step: &Step) -> String {
        format!("{}({})", step.action, step.args.join(", "))
    }

    fn tell(&mut self, step: u32, kind: StepEventKind) {
        self.planner.feedback(&[StepEvent { step, version: 1, kind }]);
    }

    fn observe(&mut self, fluent: &str, value: &str, from: Tick, to: Option<Tick>) {
        let seen = Observation { fluent: fluent.into(), value: value.into(), from, to, source: 0, sequence: 0 };
        self.truth.observe(&self.model, &seen).unwrap();
        self.truth.advance(&self.model, self.now);
        self.planner.observe(&[seen]);
    }

    /// Plans, publishes, and lets a tick pass.
    fn tick(&mut self) {
        self.think();
        self.now += 1;
        let ended: Vec<u32> = self.running.iter().filter(|(_, (_, end))| *end <= self.now).map(|(id, _)| *id).collect();
        for id in ended {
            self.running.remove(&id);
            self.truth.finished(id, self.now);
            self.tell(id, StepEventKind::Finished(self.now));
        }
        let due: Vec<u32> = self.locked.values().filter(|step| step.start <= self.now).map(|step| step.id).collect();
        for id in due {
            let step = self.locked.remove(&id).unwrap();
            // The game looks at the conditions once more before it starts something.
            self.truth.advance(&self.model, self.now - 1);
            let mut look = self.truth.rehearsing(&self.model);
            look.schedule(&self.model, &Step { start: self.now, ..step.clone() }).unwrap();
            look.step_to(&self.model, self.now);
            if look.violations() > 0 {
                self.tell(id, StepEventKind::GuardFailed);
                continue;
            }
            self.truth.started(&self.model, &step, self.now).unwrap();
            self.started.push((self.now, Self::name(&step)));
            self.tell(id, StepEventKind::Started(self.now));
            let mut lasts = step.duration;
            match self.trouble.take_if(|(action, _)| *action == step.action) {
                Some((_, Some(longer))) => {
                    lasts += longer;
                    self.truth.amended(id, lasts);
                    self.tell(id, StepEventKind::Amended(lasts));
                }
                Some((_, None)) => {
                    self.truth.cut(id, self.now);
                    self.tell(id, StepEventKind::Failed("dropped".into()));
                    continue;
                }
                None => {}
            }
            self.running.insert(id, (step, self.now + lasts));
        }
        self.truth.advance(&self.model, self.now);
        for event in self.truth.drain() {
            if let WorldEventKind::Expectation { status, .. } = event.kind {
                self.waits.push((event.tick, status));
            }
        }
    }

    /// Locks what is due, and publishes what comes of deliberating.
    fn think(&mut self) {
        let insert_from = self.now + LEAD;
        let soon: Vec<u32> = self.open.values().filter(|step| step.start < insert_from).map(|step| step.id).collect();
        for id in soon {
            let step = self.open.remove(&id).unwrap();
            self.locked.insert(id, step);
            self.tell(id, StepEventKind::Locked);
        }
        self.planner.advance(TickBounds::exactly(self.now), insert_from);
        self.planner.deliberate(&mut Budget::of(self.units), &Workers::single());
        let delta = self.planner.publish();
        for id in &delta.removed {
            assert!(!self.locked.contains_key(id), "locked step {id} is removed");
            self.open.remove(id);
        }
        for step in delta.put {
            assert!(step.start >= insert_from && !self.locked.contains_key(&step.id), "{step:?} at {}", self.now);
            self.open.insert(step.id, step);
        }
    }

    fn run_to(&mut self, tick: Tick) {
        while self.now < tick {
            self.tick();
        }
    }

    fn run_until(&mut self, tick: Tick, found: impl Fn(&Self) -> bool) -> bool {
        while self.now < tick && !found(self) {
            self.tick();
        }
        found(self)
    }

    fn planned(&self, name: &str) -> Option<&Step> {
        self.open.values().chain(self.locked.values()).find(|step| Self::name(step) == name)
    }

    fn was_started(&self, name: &str) -> Option<Tick> {
        self.started.iter().rev().find(|(_, started)| started == name).map(|(tick, _)| *tick)
    }

    fn value(&self, fluent: &str) -> String {
        let (fluent, args) = dramaturg_planner::simulate::names::fluent(&self.model, fluent).unwrap();
        self.model.value_name(self.truth.present().state().get(fluent, &args)).to_string()
    }
}

/// RT-4: the plan is found, goes through the judge, and says why.
#[test]
fn an_apple_is_eaten_in_time() {
    for seed in 0..8 {
        let model = model(APPLE);
        let mut planner = Playwright::new(Arc::clone(&model), RepairOptions { seed, ..RepairOptions::default() });
        planner.advance(TickBounds::exactly(0), 1);
        let progress = planner.deliberate(&mut Budget::of(5_000), &Workers::single());
        assert!(matches!(progress, Progress::Complete { .. }), "seed {seed}: {progress:?}");
        let delta = planner.publish();
        assert!(delta.complete);
        let plan = Plan { steps: delta.put, ..Plan::default() };
        let report = validate(&model, &State::initial(&model, 0), &plan, &ValidateOptions::default());
        assert!(report.valid, "seed {seed}: {:?}", report.violations);
        let step = |name: &str| plan.steps.iter().find(|step| step.action == name).unwrap();
        assert!(step("take").end() <= step("eat").start && step("eat").start <= 480);
        let why = planner.explain(&Inquiry::Why(step("take").id)).sentences.join("\n");
        assert!(why.contains("apple.position == inHand"), "{why}");
        let why = planner.explain(&Inquiry::Why(step("eat").id)).sentences.join("\n");
        assert!(why.contains("anna.hunger"), "{why}");
    }
}

/// RT-5: something was seen of the past; what is pending follows.
#[test]
fn the_princess_follows_the_player() {
    let mut game = Game::new(PRINCESS, 3);
    game.observe("player.quest", "princessQuest", 0, None);
    game.observe("player.location", "castle", 0, None);
    game.run_to(250);
    game.observe("player.location", "village", 236, Some(336));
    game.think();
    let moves = game.run_until(3_000, |game| {
        game.planned("move(princess-1, village)").is_some() || game.was_started("move(princess-1, village)").is_some()
    });
    assert!(moves, "{:?}", game.started);
    let start = game.planned("move(princess-1, village)").map_or(game.now + LEAD, |step| step.start);
    assert!(start >= game.now, "nothing is put before what can be reached");
    assert!(game.run_until(36_000, |game| game.was_started("kiss(princess-1)").is_some_and(|tick| tick > 250)));
    assert_eq!(game.value("player.location"), "village");
    assert_eq!(game.value("princess-1.location"), "village");
}

/// RT-6: a step takes longer; what waits for it is moved, unless it is locked: then it fails its guard and is planned again.
#[test]
fn a_slow_hand_moves_the_meal() {
    let mut game = Game::new(APPLE, 1);
    game.trouble = Some(("take", Some(10)));
    game.run_to(500);
    let (take, eat) = (game.was_started("take(anna, apple)").unwrap(), game.was_started("eat(anna, apple)").unwrap());
    assert!(eat >= take + 15, "{:?}", game.started);
}

/// RT-7: somebody is expected to go, and goes at once, late, or never.
#[test]
fn the_player_goes_or_does_not() {
    let tell = "tell(oldWoman, diamond)";
    for (after, expected) in [
        (Some(120), vec![WaitStatus::Confirmed]),
        (Some(380), vec![WaitStatus::Late(1), WaitStatus::Confirmed]),
        (None, vec![WaitStatus::Late(1), WaitStatus::Late(2), WaitStatus::Invalidated]),
    ] {
        let mut game = Game::new(DIAMOND, 5);
        assert!(game.run_until(200, |game| game.was_started(tell).is_some()), "{:?}", game.open);
        let told = game.was_started(tell).unwrap() + 20;
        match after {
            Some(after) => {
                game.run_to(told + after);
                game.observe("player.location", "forest", game.now, None);
                assert!(
                    game.run_until(told + after + 60, |game| game.was_started("reveal(diamond)").is_some()),
                    "{after}: {:?}",
                    game.started
                );
            }
            None => {
                game.run_to(told + 601);
                assert_eq!(game.value("told(player, diamond)"), "false");
                game.think();
                assert!(game.planned(tell).is_some(), "planned again within one deliberation");
                assert_eq!(game.was_started("reveal(diamond)"), None);
            }
        }
        let statuses: Vec<WaitStatus> = game.waits.iter().map(|(_, status)| *status).collect();
        assert_eq!(statuses, expected);
        let expected: Vec<Tick> = match after {
            Some(120) => vec![told + 120],
            Some(_) => vec![told + 300, told + 380],
            None => vec![told + 300, told + 450, told + 600],
        };
        let ticks: Vec<Tick> = game.waits.iter().map(|(tick, _)| *tick).collect();
        assert!(ticks.iter().zip(&expected).all(|(tick, wanted)| (tick - wanted).abs() <= 1), "{ticks:?} {expected:?}");
    }
}

/// RT-8: a place is made into another until somebody is on the way; then another is made.
#[test]
fn a_castle_turns_into_a_village_until_somebody_is_on_the_way() {
    let mut game = Game::new(PRINCESS, 1);
    let started = |game: &Game, name: &str| game.was_started(name).is_some();
    game.run_to(100);
    game.observe("player.quest", "princessQuest", 100, None);
    assert!(game.run_until(400, |game| started(game, "map.anchor(map-1, castle)")), "{:?}", game.started);
    game.run_to(400);
    game.observe("player.quest", "villageQuest", 400, None);
    assert!(game.run_until(700, |game| started(game, "map.reanchor(map-1, village)")), "{:?}", game.started);
    game.run_to(700);
    game.observe("player.heading", "map-1", 700, None);
    game.run_to(710);
    assert_eq!((game.value("map-1.committed"), game.value("map-1.kind")), ("true".to_owned(), "village".to_owned()));
    let again = game.started.iter().filter(|(_, name)| name.starts_with("map.reanchor")).count();
    assert_eq!(again, 1, "exactly one: {:?}", game.started);
    game.observe("player.quest", "princessQuest", 710, None);
    assert!(game.run_until(1_200, |game| started(game, "map.anchor(map-2, castle)")), "{:?}", game.started);
    let again = game.started.iter().filter(|(_, name)| name.starts_with("map.reanchor(map-1")).count();
    assert_eq!(again, 1, "what is committed stays: {:?}", game.started);
}

/// RT-9: what was to bring something about fails; nothing starts that needed it.
#[test]
fn nothing_starts_without_what_it_needs() {
    let mut again = 0;
    for seed in 0..20 {
        let mut game = Game::new(APPLE, seed);
        game.trouble = Some(("take", None));
        game.run_to(500);
        let started = |name: &str| game.started.iter().filter(|(_, what)| what.starts_with(name)).count();
        // Whoever takes it at the last moment has no time left to take it again when that fails.
        let (takes, eats) = (started("take"), started("eat"));
        assert!(takes >= 1 && eats == usize::from(takes >= 2), "seed {seed}: {:?}", game.started);
        let in_time = game.started.iter().any(|(tick, what)| what.starts_with("eat") && *tick <= 480);
        assert!(!in_time || game.value("anna.hunger") == "0", "seed {seed}");
        again += usize::from(in_time);
    }
    assert!(again >= 5, "{again} of 20 had time to take it again");
}

const CURVE: &str = "story \"Curve\" { ticks 60 per s }
type Player { motivation: number 0..100 = 10; attention: actuator }
object player: Player
action glimpse #cue { takes 60 ticks; uses player.attention; during player.motivation += 15 }
action plea #cue { takes 90 ticks; uses player.attention; during player.motivation += 20 }
action announce #cue { takes 40 ticks; uses player.attention; during player.motivation += 10 }
action kiss #reward { takes 30 ticks; uses player.attention; during player.motivation -= 30 }
action celebrate #reward { takes 60 ticks; uses player.attention; during player.motivation -= 25 }
action finalReward #reward { takes 60 ticks; uses player.attention; during player.motivation -= 60 }
rule interestFades { during player.motivation -= 0.01 per tick }
";

/// The mean error of a curve after so many repairs.
fn errors(points: &[(Tick, i64)], seed: u64) -> [Fixed; 2] {
    let points: Vec<String> = points.iter().map(|(tick, value)| format!("{value} at {tick} ticks")).collect();
    let model = model(&format!("{CURVE}prefer player.motivation follows {} within 5\n", points.join(", ")));
    let options = RepairOptions { seed, enough_for_curves: u32::MAX, ..RepairOptions::default() };
    let mut planner = Playwright::new(Arc::clone(&model), options);
    planner.advance(TickBounds::exactly(0), 1);
    let found = [2_000, 18_000].map(|units| {
        planner.deliberate(&mut Budget::of(units), &Workers::single());
        planner.publish();
        planner.strategy().mean_curve_error().unwrap()
    });
    // The judge agrees that it can be performed, and about how far it is off.
    let delta = planner.publish();
    assert!(delta.is_empty());
    let saved = planner.save();
    let plan = Plan { steps: serde_steps(&saved.data), ..Plan::default() };
    let options = ValidateOptions { goals: Goals::Story, ..ValidateOptions::default() };
    let report = validate(&model, &State::initial(&model, 0), &plan, &options);
    assert!(report.valid, "{:?}", report.violations);
    found
}

fn serde_steps(data: &str) -> Vec<Step> {
    let saved: serde_json::Value = serde_json::from_str(data).unwrap();
    let steps: BTreeMap<String, Step> = serde_json::from_value(saved["published"].clone()).unwrap();
    steps.into_values().collect()
}

#[test]
fn a_curve_is_followed() {
    let sample = [(0, 10), (600, 45), (720, 25), (1500, 65), (1650, 35), (2700, 90), (2850, 15)];
    let mut all = vec![errors(&sample, 1), errors(&sample, 2)];
    for seed in 0..6 {
        let mut chance = Chance::new(seed);
        let (mut tick, mut points) = (0, vec![(0, 10)]);
        for crest in 0..3 + seed as i64 % 3 {
            tick += 500 + chance.below(500) as Tick;
            points.push((tick, 45 + crest * 8 + chance.below(12) as i64));
            tick += 120 + chance.below(120) as Tick;
            points.push((tick, 20 + chance.below(12) as i64));
        }
        all.push(errors(&points, seed));
    }
    for (number, [soon, late]) in all.iter().enumerate() {
        assert!(
            *soon <= Fixed::from_int(8) && *late <= Fixed::from_int(5),
            "curve {number}: {soon} then {late}: {all:?}"
        );
    }
}

const LAMPS: &str = "story \"Lamps\" { ticks 10 per s }
type Lamp { lit }
type Hand { arms: actuator }
object north, south: Lamp
object mara: Hand
action light(h: Hand, l: Lamp) { takes 3 ticks; needs not l.lit; uses h.arms; then l.lit }
action douse(h: Hand, l: Lamp) { takes 2 ticks; needs l.lit; uses h.arms; then not l.lit }
goal north.lit
";

fn asked(owner: Option<&str>, goals: &[&str]) -> GoalChange {
    GoalChange { owner: owner.map(SmolStr::new), goals: goals.iter().map(SmolStr::new).collect() }
}

#[test]
fn a_game_asks_the_story_for_something_else() {
    let mut game = Game::new(LAMPS, 3);
    game.think();
    assert!(game.planned("light(mara, north)").is_some());
    game.planner.set_goals(&asked(None, &["goal south.lit by 60 ticks", "goal moon.lit"]));
    let replies = game.planner.replies();
    assert_eq!(replies.iter().map(|reply| reply.accepted).collect::<Vec<_>>(), [true, false]);
    assert!(replies[1].reason.contains("moon"), "{replies:?}");
    assert!(game.run_until(60, |game| game.value("south.lit") == "true"));
    game.run_to(100);
    assert_eq!(game.was_started("light(mara, north)"), None, "{:?}", game.started);
    // What it was asked for goes with it, and is asked of nobody else.
    game.planner.set_goals(&asked(Some("mara"), &["goal north.lit"]));
    assert!(game.planner.replies().iter().all(|reply| !reply.accepted && reply.reason.contains("mara")));
    game.planner.set_goals(&asked(None, &["north.lit and not south.lit salience 90"]));
    let save = game.planner.save();
    game.planner = Playwright::load(Arc::clone(&game.model), &save).unwrap();
    assert!(game.run_until(200, |game| game.value("north.lit") == "true" && game.value("south.lit") == "false"));
    let started: Vec<&str> = game.started.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(started.len(), 3, "{started:?}");
}

/// Orc Quest: performers for a circus, caught with as little pain and in as few hours as can be.
const ORC_QUEST: &str = include_str!("../../../stories/orc-quest.story");

/// How many of a hundred seeds end, after a thousand repairs, with enough performers, how many of them without pain, and how many of
/// those in 115 hours.
fn orc_quest(seeds: u64) -> [f64; 3] {
    let model = model(ORC_QUEST);
    let (mut enough, mut painless, mut best) = (0u32, 0u32, 0u32);
    for seed in 0..seeds {
        let options = RepairOptions { seed, enough: u32::MAX, ..RepairOptions::default() };
        let mut planner = Playwright::new(Arc::clone(&model), options);
        planner.advance(TickBounds::exactly(0), LEAD);
        planner.deliberate(&mut Budget::of(1_000), &Workers::single());
        let mut sums = [0i64; 3];
        for step in planner.publish().put {
            // Hours, pain, performers.
            let parts = match step.action.as_str() {
                "catchOne" => [2, 1, 1],
                "catchGroup" => [5, 4, 3],
                _ => [1, -11, -10],
            };
            sums = std::array::from_fn(|number| sums[number] + parts[number]);
        }
        let [hours, pain, performers] = sums;
        let is_painless = performers >= 5 && pain <= 0;
        enough += u32::from(performers >= 5);
        painless += u32::from(is_painless);
        best += u32::from(is_painless && hours == 115);
    }
    [enough, painless, best].map(|count| f64::from(count) * 100.0 / seeds as f64)
}

/// The published figures are 100, 94 and 41 of a hundred, for the scheme of preferences alone; going back to the best plan is to bring
/// the last to 65.
#[test]
fn the_orcs_catch_enough_performers_without_pain() {
    let [enough, painless, best] = orc_quest(3_000);
    assert!(enough >= 99.9 && painless >= 94.0 && best >= 65.0, "{enough} %, {painless} %, {best} %");
}

#[test]
fn what_cannot_be_had_does_not_keep_a_number_from_its_curve() {
    let story = "story \"Out of reach\" { ticks 60 per s }\n\
         type Player { motivation: number 0..100 = 10; attention: actuator; crowned }\n\
         object player: Player\n\
         action cue { takes 60 ticks; uses player.attention; during player.motivation += 15 }\n\
         action reward { takes 30 ticks; uses player.attention; during player.motivation -= 20 }\n\
         rule interestFades { during player.motivation -= 0.01 per tick }\n\
         goal player.crowned\n\
         prefer player.motivation follows 10 at 0 s, 60 at 30 s, 20 at 40 s, 70 at 60 s within 5\n";
    let error = |seed: u64| {
        let mut planner = Playwright::new(model(story), RepairOptions { seed, ..RepairOptions::default() });
        planner.advance(TickBounds::exactly(0), LEAD);
        planner.deliberate(&mut Budget::of(4_000), &Workers::single());
        assert!(planner.strategy().cost().is_some_and(|(hard, _)| hard.0 > 0), "nobody can crown the player");
        planner.publish();
        planner.strategy().mean_curve_error().map_or(f64::MAX, |error| error.0 as f64 / 1e6)
    };
    let errors: Vec<f64> = (0..5).map(error).collect();
    assert!(errors.iter().all(|error| *error < 6.0), "{errors:?}");
}

#[test]
fn what_a_step_lacked_does_not_outlast_it() {
    let story = "story \"Gone\" { ticks 60 per s }\n\
         type Player { motivation: number 0..100 = 10; attention: actuator; near = true }\n\
         object player: Player\n\
         rule watch { reads player.near every 12 ticks }\n\
         action court { takes 60 ticks; keeps player.near; uses player.attention; during player.motivation += 15 }\n\
         action call { takes 60 ticks; needs not player.near; uses player.attention; during player.motivation += 15 }\n\
         rule interestFades { during player.motivation -= 0.01 per tick }\n\
         prefer player.motivation follows 10 at 0 s, 90 at 30 s, 80 at 60 s within 5\n";
    let mut game = Game::new(story, 1);
    let courts = |game: &Game| game.running.values().any(|(step, _)| step.action == "court");
    assert!(game.run_until(600, courts), "{:?}", game.open);
    game.run_to(game.now + 10);
    game.observe("player.near", "false", game.now, None);
    game.think();
    assert!(
        game.planner.strategy().cost().is_some_and(|(hard, _)| hard > Fixed::ZERO),
        "nobody can keep the player here"
    );
    assert!(game.run_until(game.now + 60, |game| !courts(game)));
    game.think();
    assert_eq!(game.planner.strategy().cost().map(|(hard, _)| hard), Some(Fixed::ZERO));
}

/// What is under way when things come otherwise is built upon: a chain of steps begins where it ends, and the princess is not made twice.
#[test]
fn a_surprise_is_made_up_for_soon() {
    let model = model(PRINCESS);
    for seed in 0..60 {
        let options = RepairOptions { seed, enough: u32::MAX, enough_for_curves: u32::MAX, ..RepairOptions::default() };
        let mut planner = Playwright::new(Arc::clone(&model), options);
        let see = |planner: &mut Playwright, fluent: &str, value: &str, from| {
            let (fluent, value) = (fluent.into(), value.into());
            planner.observe(&[Observation { fluent, value, from, to: None, source: 0, sequence: 0 }]);
        };
        see(&mut planner, "player.quest", "princessQuest", 0);
        see(&mut planner, "player.location", "castle", 0);
        planner.advance(TickBounds::exactly(0), LEAD);
        planner.deliberate(&mut Budget::of(5_000), &Workers::single());
        planner.publish();
        planner.advance(TickBounds::exactly(10), 10 + LEAD);
        see(&mut planner, "player.location", "village", 8);
        planner.deliberate(&mut Budget::of(1_000), &Workers::single());
        let (missing, _) = planner.strategy().cost().expect("there is a plan");
        assert_eq!(missing, Fixed::ZERO, "seed {seed}");
    }
}

/// What a goal asks for is not put off for no reason: the map is begun with as soon as somebody wants it.
#[test]
fn what_can_be_done_at_once_is_not_put_off() {
    let model = model(PRINCESS);
    let mut soon = 0;
    for seed in 0..20 {
        let mut planner = Playwright::new(Arc::clone(&model), RepairOptions { seed, ..RepairOptions::default() });
        planner.advance(TickBounds::exactly(0), LEAD);
        planner.deliberate(&mut Budget::of(2_000), &Workers::single());
        planner.publish();
        let (fluent, value) = ("player.quest".into(), "princessQuest".into());
        planner.advance(TickBounds::exactly(3), 3 + LEAD);
        planner.observe(&[Observation { fluent, value, from: 3, to: None, source: 0, sequence: 0 }]);
        planner.deliberate(&mut Budget::of(2_000), &Workers::single());
        let planned = planner.publish().put;
        let map = planned.iter().filter(|step| step.action == "map.anchor").map(|step| step.start).min();
        soon += u32::from(map.expect("the map is planned") <= 13 + LEAD);
    }
    assert!(soon >= 16, "{soon} of 20 plans begin with the map within ten ticks");
}
