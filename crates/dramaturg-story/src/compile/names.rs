//! What names mean: one namespace per story, opened further by levels.

use dramaturg_model::{
    ActionId, ActuatorId, EndingId, FluentId, FutileId, LayerId, LevelId, MilestoneId, ObjectId, PersonalityId, PoolId,
    PopulationId, RuleId, Span, TaskId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Object(ObjectId),
    Fluent(FluentId),
    Actuator(ActuatorId),
    Action(ActionId),
    Rule(RuleId),
    Task(TaskId),
    Pool(PoolId),
    Population(PopulationId),
    Personality(PersonalityId),
    Futile(FutileId),
    Milestone(MilestoneId),
    Ending(EndingId),
    Layer(LayerId),
    Level(LevelId),
}

impl Meaning {
    /// For messages: "an action".
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::Fluent(_) => "a fluent",
            Self::Actuator(_) => "an actuator",
            Self::Action(_) => "an action",
            Self::Rule(_) => "a rule",
            Self::Task(_) => "a task",
            Self::Pool(_) => "a pool",
            Self::Population(_) => "a population",
            Self::Personality(_) => "a personality",
            Self::Futile(_) => "a futile goal",
            Self::Milestone(_) => "a milestone",
            Self::Ending(_) => "an ending",
            Self::Layer(_) => "a layer",
            Self::Level(_) => "a level",
        }
    }
}

/// One declaration of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub(crate) meaning: Meaning,
    pub(crate) level: Option<LevelId>,
    pub(crate) span: Span,
}

/// All declared names.
#[derive(Default)]
pub(crate) struct Names {
    names: FxHashMap<SmolStr, SmallVec<[Declared; 1]>>,
    parents: Vec<Option<LevelId>>,
}

impl Names {
    /// Says which level a level stands in; call in order of ids.
    pub(crate) fn add_level(&mut self, parent: Option<LevelId>) {
        self.parents.push(parent);
    }

    /// Declares a name; the earlier declaration it clashes with, if there is one.
    pub(crate) fn declare(&mut self, name: &SmolStr, declared: Declared) -> Option<Declared> {
        let sees = |inner: Option<LevelId>, outer: Option<LevelId>| self.sees(inner, outer);
        let clash = self.names.get(name).and_then(|entries| {
            entries.iter().find(|other| sees(declared.level, other.level) || sees(other.level, declared.level)).copied()
        });
        if clash.is_none() {
            self.names.entry(name.clone()).or_default().push(declared);
        }
        clash
    }

    /// What a name means in a level.
    pub(crate) fn find(&self, name: &str, level: Option<LevelId>) -> Option<Declared> {
        self.names.get(name)?.iter().find(|declared| self.sees(level, declared.level)).copied()
    }

    /// Whether a name was declared somewhere that cannot be seen from this level.
    pub(crate) fn find_elsewhere(&self, name: &str) -> Option<Declared> {
        self.names.get(name)?.first().copied()
    }

    /// All names that can be seen from a level and for which `accept` holds, in order of name.
    pub(crate) fn known(&self, level: Option<LevelId>, accept: impl Fn(Meaning) -> bool) -> Vec<&str> {
        let mut known: Vec<&str> = self
            .names
            .iter()
            .filter(|(_, entries)| entries.iter().any(|found| self.sees(level, found.level) && accept(found.meaning)))
            .map(|(name, _)| name.as_str())
            .collect();
        known.sort_unstable();
        known
    }

    /// The nearest known name for which `accept` holds.
    pub(crate) fn nearest(
        &self,
        name: &str,
        level: Option<LevelId>,
        accept: impl Fn(Meaning) -> bool,
    ) -> Option<String> {
        nearest(name, self.known(level, accept).into_iter()).map(str::to_owned)
    }

    /// Whether a place in one level sees declarations of another (none: the story itself).
    fn sees(&self, from: Option<LevelId>, declared: Option<LevelId>) -> bool {
        let Some(declared) = declared else { return true };
        let mut level = from;
        while let Some(found) = level {
            if found == declared {
                return true;
            }
            level = self.parents.get(found.0 as usize).copied().flatten();
        }
        false
    }
}

/// The candidate nearest in spelling, if it is near enough to be meant; of several the first. Two names of one letter are as far
/// apart as names can be.
pub(crate) fn nearest<'c>(name: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let lower = name.to_lowercase();
    let length = name.chars().count();
    let limit = (length / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.len().abs_diff(name.len()) > limit * 4 {
            continue;
        }
        let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
        if distance <= limit && distance < length && best.is_none_or(|(other, _)| distance < other) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
