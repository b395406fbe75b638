//! Names that a story allows, each for one thing.

use dramaturg_model::{ActionId, FluentId, Model, ObjectId, Table, TypeId};
use rustc_hash::FxHashSet;

use crate::syntax::word::Word;

/// The names of everything that is declared.
pub(super) struct Names {
    taken: FxHashSet<String>,
    types: Table<TypeId, String>,
    objects: Table<ObjectId, String>,
    fluents: Table<FluentId, String>,
    actions: Table<ActionId, String>,
}

/// Names that mean something already wherever a value stands.
const BUILT_IN: [&str; 8] = ["now", "timeOfDay", "dayNumber", "floor", "abs", "min", "max", "hypot"];

impl Names {
    pub(super) fn new(model: &Model) -> Self {
        let mut names = Self {
            taken: BUILT_IN.iter().map(|name| (*name).to_owned()).collect(),
            types: Table::new(),
            objects: Table::new(),
            fluents: Table::new(),
            actions: Table::new(),
        };
        for ty in model.types.values() {
            let name = names.fresh(&capitalised(&ty.name), "Kind-");
            names.types.push(name);
        }
        for object in model.objects.values() {
            let name = names.fresh(&object.name, "this-");
            names.objects.push(name);
        }
        for fluent in model.fluents.values() {
            let name = names.fresh(&fluent.name, if fluent.domain.is_numeric() { "amount-" } else { "is-" });
            names.fluents.push(name);
        }
        for action in model.actions.values() {
            let name = names.fresh(&action.name, "do-");
            names.actions.push(name);
        }
        names
    }

    pub(super) fn ty(&self, id: TypeId) -> &str {
        &self.types[id]
    }

    pub(super) fn object(&self, id: ObjectId) -> &str {
        &self.objects[id]
    }

    pub(super) fn fluent(&self, id: FluentId) -> &str {
        &self.fluents[id]
    }

    pub(super) fn action(&self, id: ActionId) -> &str {
        &self.actions[id]
    }

    /// A name for a parameter or binder that no other name is, with those bound around it.
    pub(super) fn variable(&self, name: &str, around: &[String]) -> String {
        first_free(&spelt(name), "the-", |name| self.taken.contains(name) || around.iter().any(|known| known == name))
    }

    fn fresh(&mut self, name: &str, prefix: &str) -> String {
        let name = first_free(&spelt(name), prefix, |name| self.taken.contains(name));
        self.taken.insert(name.clone());
        name
    }
}

/// The name, or with the prefix, or with the prefix and a number: the first that is free.
fn first_free(name: &str, prefix: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let is_free = |name: &str| !Word::of(name).is_reserved() && !is_taken(name);
    if is_free(name) {
        return name.to_owned();
    }
    let prefixed = format!("{prefix}{name}");
    if is_free(&prefixed) {
        return prefixed;
    }
    let mut number = 2_u32;
    loop {
        let numbered = format!("{prefixed}-{number}");
        if is_free(&numbered) {
            return numbered;
        }
        number += 1;
    }
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// As stories spell names: hyphens only between letters or digits, a letter first.
fn spelt(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut spelt = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let is_inner = letters.get(index + 1).is_some_and(|next| next.is_alphanumeric())
            && spelt.chars().last().is_some_and(char::is_alphanumeric);
        match letter {
            letter if letter.is_alphanumeric() => spelt.push(*letter),
            '-' if is_inner => spelt.push('-'),
            _ => spelt.push('_'),
        }
    }
    if spelt.chars().next().is_none_or(|first| !first.is_alphabetic()) {
        spelt.insert(0, 'x');
    }
    spelt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_what_a_story_allows() {
        assert_eq!(spelt("lift-truck-1"), "lift-truck-1");
        assert_eq!(spelt("a--b"), "a_-b".replace("_-", "__"));
        assert_eq!(spelt("end-"), "end_");
        assert_eq!(spelt("1st"), "x1st");
        assert_eq!(capitalised("block"), "Block");
    }

    #[test]
    fn reserved_and_taken_names_get_a_prefix() {
        assert_eq!(first_free("in", "is-", |_| false), "is-in");
        assert_eq!(first_free("lift", "do-", |name| name == "lift"), "do-lift");
        assert_eq!(first_free("lift", "do-", |name| name == "lift" || name == "do-lift"), "do-lift-2");
    }
}
