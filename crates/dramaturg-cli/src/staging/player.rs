//! A simulated player: wanders, changes its mind, takes its time and refuses, all by chance from a seed.

use std::collections::BTreeSet;

use dramaturg::model::{
    Args, Chance, Domain, Evaluator, Expr, FluentId, FluentSource, Model, Observation, State, Tick, Value,
};

/// One in so many tasks that have to do with the player takes longer than planned.
const DAWDLES: usize = 8;
/// One in so many is refused.
const REFUSES: usize = 25;
/// A task that takes longer takes so many ticks more, at least and at most.
const LONGER: (usize, usize) = (5, 30);
/// Seconds until the player first does something by itself, at least and at most.
const AT_FIRST: (usize, usize) = (1, 4);
/// Seconds between two places, directions or things that take its fancy.
const ROAMS: (usize, usize) = (12, 45);
/// Seconds between two changes of mind: about what has nothing to do with things.
const DECIDES: (usize, usize) = (60, 180);
/// Questions are answered after so many seconds, at most.
const THINKS: usize = 4;
/// Where a story does not say how long a second is.
const RATE: usize = 60;

/// Something that the player did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// When.
    pub tick: Tick,
    /// What it changed, as stories write it.
    pub fluent: String,
    /// To what.
    pub value: Value,
    /// The same by name.
    pub named: String,
    /// Whether the game must tell the director by itself: nobody reads it all the time.
    pub is_untold: bool,
}

/// What the player does with a task that has to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Goes along.
    Willing,
    /// Takes so many ticks longer.
    Dawdling(Tick),
    /// Will not.
    Refusing,
}

/// What a story watches of its player, which is what a player can do by itself.
#[derive(Clone, Debug)]
struct Habit {
    fluent: FluentId,
    args: Args,
    /// As stories write it.
    name: String,
    pause: (usize, usize),
    next: Tick,
    /// Whether nobody reads it all the time.
    is_untold: bool,
}

/// A simulated player.
#[derive(Clone, Debug)]
pub struct Player {
    chance: Chance,
    rate: usize,
    habits: Vec<Habit>,
    /// Those whom the story watches, by name.
    watched: BTreeSet<String>,
}

impl Player {
    /// A player of a story: it changes what the story's rules read from the game.
    pub fn new(model: &Model, seed: u64) -> Self {
        let mut chance = Chance::new(seed ^ 0x0B5E_55ED_914A_7E12);
        let rate = model.clock.ticks_per_second.map_or(RATE, |rate| rate.floor_int().max(1) as usize);
        let state = State::initial(model, seed);
        let (mut habits, mut watched, mut known) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let readings = model.rules.values().filter_map(|rule| rule.reads.as_ref());
        for (read, is_untold) in
            readings.flat_map(|reads| reads.fluents.iter().map(|read| (read, reads.every.is_none())))
        {
            let plain = |expr: &Expr| matches!(expr, Expr::Value(_));
            let fluent = &model.fluents[read.fluent];
            if !read.args.iter().all(plain) || fluent.source != FluentSource::Stored {
                continue;
            }
            let args: Args = read.args.iter().map(|arg| Evaluator::new(model, &state).value(arg)).collect();
            if let (Some(Value::Object(owner)), Some(_)) = (args.first(), fluent.attribute_of) {
                watched.insert(model.objects[*owner].name.to_string());
            }
            if !known.insert((read.fluent, args.clone())) {
                continue;
            }
            let roams = matches!(&fluent.domain, Domain::Choice(choices) if !choices.types.is_empty());
            habits.push(Habit {
                fluent: read.fluent,
                name: model.fluent_name(read.fluent, &args),
                args,
                pause: if roams { ROAMS } else { DECIDES },
                next: ticks(&mut chance, AT_FIRST, rate),
                is_untold,
            });
        }
        Self { chance, rate, habits, watched }
    }

    /// What it does at a tick, in a world as it is.
    pub fn acts(&mut self, model: &Model, state: &State, tick: Tick) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for habit in self.habits.iter_mut().filter(|habit| habit.next <= tick) {
            habit.next = tick + ticks(&mut self.chance, habit.pause, self.rate);
            let value_of = |fluent, args: &Args| Evaluator::new(model, state).value(&fluent_of(fluent, args));
            let now = value_of(habit.fluent, &habit.args);
            let exists = |value: &Value| match value {
                Value::Object(object) => model.pools.values().all(|pool| {
                    let is_anchored = || value_of(pool.anchored, &Args::from_iter([*value])) == Value::Bool(true);
                    !pool.objects.contains(object) || is_anchored()
                }),
                _ => true,
            };
            let mut values = match &model.fluents[habit.fluent].domain {
                Domain::Bool => vec![Value::Bool(true), Value::Bool(false)],
                Domain::Choice(choices) => model.values_of(choices, state.level()),
                // How much of something there is is nothing that a player decides on.
                Domain::Number(_) | Domain::Int(_) | Domain::Duration => Vec::new(),
            };
            values.retain(|value| *value != now && exists(value));
            if let Some(value) = values.get(self.chance.below(values.len().max(1))) {
                let named = model.value_name(*value).to_string();
                let (fluent, is_untold) = (habit.name.clone(), habit.is_untold);
                deeds.push(Deed { tick, fluent, value: *value, named, is_untold });
            }
        }
        deeds
    }

    /// What it does with a task, by the actuator that performs it.
    pub fn mood(&mut self, actuator: Option<&str>) -> Mood {
        let owner = actuator.and_then(|actuator| actuator.split_once('.')).map(|(owner, _)| owner);
        if !owner.is_some_and(|owner| self.watched.contains(owner)) {
            return Mood::Willing;
        }
        if self.chance.below(REFUSES) == 0 {
            return Mood::Refusing;
        }
        if self.chance.below(DAWDLES) == 0 {
            let (least, most) = LONGER;
            return Mood::Dawdling((least + self.chance.below(most - least + 1)) as Tick);
        }
        Mood::Willing
    }

    /// Which of some answers it gives, and after how many ticks.
    pub fn answers(&mut self, answers: usize) -> (usize, Tick) {
        (self.chance.below(answers.max(1)), self.chance.below(THINKS * self.rate + 1) as Tick)
    }
}

impl Deed {
    /// As an observation.
    pub fn observation(&self) -> Observation {
        Observation {
            fluent: self.fluent.as_str().into(),
            value: self.named.as_str().into(),
            from: self.tick,
            to: None,
            source: 0,
            sequence: 0,
        }
    }
}

fn fluent_of(fluent: FluentId, args: &Args) -> Expr {
    Expr::Fluent(fluent, args.iter().map(|arg| Expr::Value(*arg)).collect())
}

fn ticks(chance: &mut Chance, (least, most): (usize, usize), rate: usize) -> Tick {
    ((least * rate) + chance.below((most - least) * rate + 1)) as Tick
}

#[cfg(test)]
mod tests {
    use dramaturg::story::compile_text;

    use super::*;

    const INN: &str = "story \"Inn\" { ticks 60 per s }
type Place
type Guest { place: Place; mood: glad | sad; coins: number = 3; ears: actuator }
type Room { view: Place }
object hall, yard: Place
object you: Guest (place = hall, mood = glad)
pool room \"a room\" (r: Room) of 2 { anchors r.view; takes 10 ticks }
fluent wanted: Room | none = none
rule watch { reads you.place, you.mood, you.coins, wanted every 6 ticks }
";

    #[test]
    fn a_player_changes_what_the_story_watches_to_what_there_is() {
        let compiled = compile_text("inn.story", INN);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let model = compiled.model;
        let state = State::initial(&model, 0);
        let mut player = Player::new(&model, 5);
        let deeds: Vec<Deed> = (0..36_000).flat_map(|tick| player.acts(&model, &state, tick)).collect();
        let all: BTreeSet<(&str, &str)> =
            deeds.iter().map(|deed| (deed.fluent.as_str(), deed.named.as_str())).collect();
        // No room is there yet, how many coins there are is not for the player to say, and nobody goes where they are.
        assert_eq!(all, BTreeSet::from([("you.place", "yard"), ("you.mood", "sad")]), "{all:?}");
        assert!(deeds.iter().all(|deed| !deed.is_untold));
        assert!(deeds.len() > 15, "{}", deeds.len());
        let again: Vec<Deed> = {
            let mut player = Player::new(&model, 5);
            (0..36_000).flat_map(|tick| player.acts(&model, &state, tick)).collect()
        };
        assert_eq!(deeds, again);
    }

    #[test]
    fn a_player_goes_along_with_most_and_minds_only_its_own_business() {
        let model = compile_text("inn.story", INN).model;
        let mut player = Player::new(&model, 5);
        assert!((0..500).all(|_| player.mood(Some("cook.hands")) == Mood::Willing));
        let moods: Vec<Mood> = (0..500).map(|_| player.mood(Some("you.ears"))).collect();
        let count = |wanted: fn(&Mood) -> bool| moods.iter().filter(|mood| wanted(mood)).count();
        assert!((5..60).contains(&count(|mood| *mood == Mood::Refusing)));
        assert!((20..120).contains(&count(|mood| matches!(mood, Mood::Dawdling(5..=30)))));
    }
}
