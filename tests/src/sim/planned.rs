//! Which planner a simulated director has, and the story that it plans for.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use dramaturg_model::{Chance, Model, Plan, Tick};
use dramaturg_planner::cast::{Cast, CastOptions};
use dramaturg_planner::planner::Planner;
use dramaturg_planner::repair::{Playwright, RepairOptions};
use dramaturg_planner::scripted::{ScriptOptions, Scripted};
use dramaturg_planner::temporal::{Conductor, ConductorOptions};

/// A planner under faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planned {
    /// A script is performed.
    #[default]
    Script,
    /// Each character plans for itself.
    Cast,
    /// The story plans for itself.
    Story,
    /// The story's goals are reached by a schedule.
    Temporal,
}

/// By what each is called on a command line.
pub const NAMES: [(&str, Planned); 4] =
    [("script", Planned::Script), ("cast", Planned::Cast), ("story", Planned::Story), ("temporal", Planned::Temporal)];

const DRILL: &str = "story \"Drill\" { ticks 60 per s }
type Actor { hands: actuator; voice: actuator; times: int 0..1000000 = 0 }
object ann, bob, cid: Actor
action beat(who: Actor) { takes 10 ticks; uses who.hands; then who.times += 1 }
action shout(who: Actor) { takes 4 ticks; uses who.voice; late 3 ticks }
action dance(who: Actor) { takes 12 ticks; uses who.hands, who.voice from 4 ticks to 9 ticks; then who.times += 1 }
action blink(who: Actor) { takes 1 tick; late drop }
";

/// Chores that somebody has to go to. What is done stays done, so that all comes to an end.
const CHORES: &str = "story \"Chores\" { ticks 60 per s }
type Place
type Folk { place: Place; hands: actuator; legs: actuator }
type Chore { where: Place; ready }
object house, well, field, barn: Place
object c1, c5, c9, c13: Chore (where = house)
object c2, c6, c10, c14: Chore (where = well)
object c3, c7, c11, c15: Chore (where = field)
object c4, c8, c12: Chore (where = barn)
action walk(who: Folk, from: Place, to: Place)BY { takes 12 ticks; uses who.legs; needs who.place == from; then who.place = to }
action work(who: Folk, what: Chore)BY { takes 20 ticks; uses who.hands, who.legs; late 6 ticks; needs who.place == what.where and not what.ready; then what.ready }
";

const CHARACTERS: &str = "character ann: Folk (place = house) {
  goal c1.ready salience 90
  goal c2.ready salience 80
  goal c3.ready salience 70
  goal c4.ready salience 60
  goal c5.ready salience 50
}
character bob: Folk (place = well) {
  goal c6.ready salience 90
  goal c7.ready salience 80
  goal c8.ready salience 70
  goal c9.ready salience 60
  goal c10.ready salience 50
}
character cid: Folk (place = barn) {
  goal c11.ready salience 90
  goal c12.ready salience 80
  goal c13.ready salience 70
  goal c14.ready salience 60
  goal c15.ready salience 50
}
";

const STORY_GOALS: &str = "object ann, bob: Folk (place = house)
object cid: Folk (place = barn)
goal c1.ready and c2.ready and c3.ready and c4.ready and c5.ready and c6.ready and c7.ready and c8.ready and c9.ready and c10.ready
";

/// With these every third story has something that the game is to look at again and again.
const WATCHED: &str = "fluent wind: int 0..100 = 0
rule vane { reads wind every 7 ticks }
";

static MODELS: LazyLock<[[Arc<Model>; 2]; 3]> = LazyLock::new(|| {
    let cast = CHORES.replace("BY", " by who") + CHARACTERS;
    let story = CHORES.replace("BY", "") + STORY_GOALS;
    [DRILL.to_owned(), cast, story].map(|story| [compile(&story), compile(&format!("{story}{WATCHED}"))])
});

fn compile(story: &str) -> Arc<Model> {
    let compiled = dramaturg_story::compile_text("simulated.story", story);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

/// Steps of a script.
const STEPS: usize = 60;
/// Planners with goals have so many microseconds until faults are over.
const FAULTS_FOR: i64 = 10_000_000;

impl Planned {
    /// The story, with something in it that is looked at again and again or without.
    pub(super) fn model(self, is_watched: bool) -> Arc<Model> {
        let [drill, cast, story] = &*MODELS;
        let [plain, watched] = match self {
            Self::Script => drill,
            Self::Cast => cast,
            Self::Story | Self::Temporal => story,
        };
        Arc::clone(if is_watched { watched } else { plain })
    }

    /// The planner of a seed.
    pub(super) fn planner(self, model: &Arc<Model>, seed: u64) -> Box<dyn Planner> {
        let model = Arc::clone(model);
        match self {
            Self::Script => {
                let options = ScriptOptions {
                    horizon: 50 + (seed / 7 % 5) as Tick * 10,
                    retries: (seed % 3) as u32,
                    fidget: 3 + (seed % 5) as u32,
                    seed,
                };
                Box::new(Scripted::performing(model, &script(seed), options))
            }
            Self::Cast => Box::new(Cast::new(model, CastOptions::default())),
            Self::Story => Box::new(Playwright::new(model, RepairOptions { seed, ..RepairOptions::default() })),
            Self::Temporal => Box::new(Conductor::new(model, ConductorOptions { seed, ..ConductorOptions::default() })),
        }
    }

    /// Where everybody is at the beginning.
    pub(super) fn places(self) -> BTreeMap<String, String> {
        let places = match self {
            Self::Script => return BTreeMap::new(),
            Self::Cast => [("ann", "house"), ("bob", "well"), ("cid", "barn")],
            Self::Story | Self::Temporal => [("ann", "house"), ("bob", "house"), ("cid", "barn")],
        };
        places.into_iter().map(|(who, place)| (who.to_owned(), place.to_owned())).collect()
    }

    /// Until when faults happen, in microseconds.
    pub(super) fn faults_for(self, seed: u64) -> i64 {
        match self {
            Self::Script => (script(seed).end() * 1_000_000 / 60).max(FAULTS_FOR),
            _ => FAULTS_FOR,
        }
    }
}

fn script(seed: u64) -> Plan {
    let mut chance = Chance::new(seed ^ 0x5C21);
    let mut plan = Plan::default();
    let mut start = 40 + chance.below(60) as Tick;
    for _ in 0..STEPS {
        let (action, duration) = [("beat", 10), ("shout", 4), ("dance", 12), ("blink", 1)][chance.below(4)];
        let who = ["ann", "bob", "cid"][chance.below(3)];
        plan.add(action, [who], start, duration);
        start += chance.below(20) as Tick;
    }
    plan
}
