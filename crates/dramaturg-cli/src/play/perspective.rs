//! Who sees what.

use dramaturg::model::{Model, ObjectId, Value};
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
