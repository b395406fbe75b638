//! Who is together with whom, and so sees what.

use dramaturg_model::{Domain, Evaluator, Expr, FluentId, Model, ObjectId, State, Value};

/// The fluents that say where somebody is: of one object, with objects as values, and not the same for ever. What never changes is a
/// trait (`people = greeks`), not a place.
#[derive(Clone, Debug, Default)]
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
        let theirs: Vec<(&str, ObjectId)> = who.iter().flat_map(|who| self.places(model, state, *who)).collect();
        let sees = |character: &ObjectId| {
            let places = self.places(model, state, *character);
            who.contains(character)
                || theirs.iter().any(|at| at.1 == *character || places.contains(at))
                || places.iter().any(|(_, place)| who.contains(place) || named.contains(place))
        };
        let cast = model.characters.values().map(|character| character.object);
        cast.filter(|who| model.is_visible(model.objects[*who].level, state.level())).filter(sees).collect()
    }

    /// Whether a fluent says where somebody is.
    pub fn say(&self, fluent: FluentId) -> bool {
        self.0.contains(&fluent)
    }

    /// Whether two are at the same place, or one of them is where the other is.
    pub fn are_together(&self, model: &Model, state: &State, one: ObjectId, other: ObjectId) -> bool {
        let (ones, others) = (self.places(model, state, one), self.places(model, state, other));
        one == other
            || ones.iter().any(|at| at.1 == other || others.contains(at))
            || others.iter().any(|(_, place)| *place == one)
    }

    /// Where somebody is: the attribute's name, which different types may share, and the place.
    fn places<'m>(&self, model: &'m Model, state: &State, who: ObjectId) -> Vec<(&'m str, ObjectId)> {
        let value = Value::Object(who);
        let place = |fluent: &FluentId| {
            let param = model.fluents[*fluent].params.first()?;
            if !model.is_among(value, &param.choices) {
                return None;
            }
            let place = Evaluator::new(model, state).value(&Expr::Fluent(*fluent, vec![Expr::Value(value)]));
            place.as_object().map(|place| (model.fluents[*fluent].name.as_str(), place))
        };
        self.0.iter().filter_map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use dramaturg_story::compile_text;

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
