//! Who sees what.

use dramaturg::model::{Domain, Evaluator, Expr, FluentId, Model, ObjectId, State, Value};
use dramaturg::planner::simulate::said;

use super::happened::Happened;
use crate::exit::Failure;

/// From where a story is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// By somebody who sees everything.
    World,
    /// By one character.
    Of(ObjectId),
}

impl Perspective {
    /// From `world` or the name of a character.
    pub fn parse(model: &Model, name: &str) -> Result<Self, Failure> {
        if name.eq_ignore_ascii_case("world") { Ok(Self::World) } else { character(model, name).map(Self::Of) }
    }

    /// Its name for show.
    pub fn title(self, model: &Model) -> String {
        match self {
            Self::World => "the world".to_owned(),
            Self::Of(who) => title(model, who),
        }
    }

    /// The one after this: the world, then every character in the order of acting.
    pub fn next(self, cast: &[ObjectId]) -> Self {
        let at = match self {
            Self::World => Some(0),
            Self::Of(who) => cast.iter().position(|other| *other == who).map(|at| at + 1),
        };
        at.and_then(|at| cast.get(at)).map_or(Self::World, |who| Self::Of(*who))
    }

    /// Whether it sees this.
    pub fn sees(self, happened: &Happened) -> bool {
        match self {
            Self::World => true,
            Self::Of(who) => happened.seers.contains(&who),
        }
    }
}

/// A character by its name, or by its name for show, whatever the case.
pub fn character(model: &Model, name: &str) -> Result<ObjectId, Failure> {
    let cast = || model.characters.values().map(|character| character.object);
    let fits = |who: &ObjectId| {
        let lower = name.to_lowercase();
        model.objects[*who].name.to_lowercase() == lower || title(model, *who).to_lowercase() == lower
    };
    cast().find(fits).ok_or_else(|| {
        let known: Vec<&str> = cast().map(|who| model.objects[who].name.as_str()).collect();
        let failure = Failure::usage(format!("no character of this story is called `{name}`"));
        failure.hint(format!("its characters are {}", known.join(", ")))
    })
}

/// The name for show of an object.
pub fn title(model: &Model, object: ObjectId) -> String {
    said::show(model, Value::Object(object))
}

/// The fluents that say where somebody is: of one object, with objects as values, and not the same for ever. What never changes is a
/// trait (`people = greeks`), not a place.
pub struct Places(Vec<FluentId>);

impl Places {
    /// Of a story.
    pub fn of(model: &Model) -> Self {
        let is_place = |fluent: &FluentId| {
            let fluent = &model.fluents[*fluent];
            let has_objects = matches!(&fluent.domain, Domain::Choice(choices) if !choices.types.is_empty());
            fluent.params.len() == 1 && has_objects && !fluent.is_static
        };
        Self(model.fluents.ids().filter(is_place).collect())
    }

    /// The characters who see something that these do, and that names these objects. Each sees what it does or takes part in, what
    /// somebody does who is at the same place, carries it or is carried by it, and what names the place where it is.
    pub fn seers(&self, model: &Model, state: &State, who: &[ObjectId], named: &[ObjectId]) -> Vec<ObjectId> {
        let theirs: Vec<(FluentId, ObjectId)> = who.iter().flat_map(|who| self.places(model, state, *who)).collect();
        let sees = |character: &ObjectId| {
            let places = self.places(model, state, *character);
            who.contains(character)
                || theirs.iter().any(|(fluent, place)| place == character || places.contains(&(*fluent, *place)))
                || places.iter().any(|(_, place)| who.contains(place) || named.contains(place))
        };
        let cast = model.characters.values().map(|character| character.object);
        cast.filter(|who| model.is_visible(model.objects[*who].level, state.level())).filter(sees).collect()
    }

    fn places(&self, model: &Model, state: &State, who: ObjectId) -> Vec<(FluentId, ObjectId)> {
        let value = Value::Object(who);
        let place = |fluent: &FluentId| {
            let param = model.fluents[*fluent].params.first()?;
            if !model.is_among(value, &param.choices) {
                return None;
            }
            let place = Evaluator::new(model, state).value(&Expr::Fluent(*fluent, vec![Expr::Value(value)]));
            place.as_object().map(|place| (*fluent, place))
        };
        self.0.iter().filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use dramaturg::story::compile_text;

    use super::*;

    const HOUSE: &str = "story \"House\" { ticks 1 per s }
type Place
type Clan
type Person { at: Place | Person; clan: Clan }
object hall, yard: Place
object foxes: Clan
character ann: Person (at = hall, clan = foxes) { goal ann.at == yard }
character bob: Person (at = hall, clan = foxes)
character cid: Person (at = yard, clan = foxes)
character dot: Person (at = cid, clan = foxes)
action go(a: Person, from: Place, to: Place) by a { takes 1 tick; needs a.at == from; then a.at = to }
action lift(a: Person, b: Person) by a with b { takes 1 tick; then b.at = a }
";

    #[test]
    fn who_is_there_sees_it_and_who_has_only_the_same_clan_does_not() {
        let compiled = compile_text("house.story", HOUSE);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        let model = compiled.model;
        let state = State::initial(&model, 0);
        let object = |name: &str| model.find_object(name).expect("an object");
        let places = Places::of(&model);
        let seen = |who: &[&str], named: &[&str]| -> Vec<String> {
            let ids = |names: &[&str]| names.iter().map(|name| object(name)).collect::<Vec<_>>();
            let seers = places.seers(&model, &state, &ids(who), &ids(named));
            seers.into_iter().map(|who| model.objects[who].name.to_string()).collect()
        };
        assert_eq!(seen(&["ann"], &[]), ["ann", "bob"], "who is at the same place");
        assert_eq!(seen(&["ann"], &["yard"]), ["ann", "bob", "cid"], "who is where it leads");
        assert_eq!(seen(&["cid"], &[]), ["cid", "dot"], "who is carried");
        assert_eq!(seen(&["dot"], &[]), ["cid", "dot"], "who carries");
    }
}
