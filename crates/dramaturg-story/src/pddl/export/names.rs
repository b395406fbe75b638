//! Names that PDDL can say, and back.

use std::collections::BTreeMap;

use dramaturg_model::{ActionId, FluentId, Model, ObjectId, SymbolId, Table, TypeId, Value};
use rustc_hash::FxHashSet;

/// Words that mean something in PDDL, or that tools reserve.
const RESERVED: [&str; 34] = [
    "action",
    "all",
    "always",
    "and",
    "assign",
    "at",
    "condition",
    "constants",
    "decrease",
    "define",
    "domain",
    "duration",
    "effect",
    "either",
    "end",
    "exists",
    "forall",
    "goal",
    "imply",
    "increase",
    "init",
    "maximize",
    "minimize",
    "not",
    "number",
    "object",
    "objects",
    "or",
    "over",
    "preference",
    "problem",
    "start",
    "total-cost",
    "when",
];

/// The PDDL names of everything in a model.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) types: Table<TypeId, String>,
    pub(super) objects: Table<ObjectId, String>,
    pub(super) symbols: Table<SymbolId, String>,
    pub(super) fluents: Table<FluentId, String>,
    pub(super) actions: Table<ActionId, String>,
    taken: FxHashSet<String>,
}

impl Names {
    /// Names for a model. Those of a model that came from PDDL stay as they are; in others everything gets a name of its own,
    /// because tools differ in which kinds of names may clash. Actions choose first, then what plans mention besides.
    pub(super) fn new(model: &Model) -> Self {
        let mut names = Self::default();
        if model.pddl().is_some() {
            names.keep(model);
            return names;
        }
        names.taken.extend(RESERVED.iter().map(|word| (*word).to_owned()));
        names.actions = model.actions.values().map(|action| names.fresh(&action.name, "action")).collect();
        names.objects = model.objects.values().map(|object| names.fresh(&object.name, "object")).collect();
        names.symbols = model.symbols.values().map(|symbol| names.fresh(symbol, "value")).collect();
        names.types = model.types.values().map(|ty| names.fresh(&ty.name, "type")).collect();
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for fluent in model.fluents.values() {
            *count.entry(sanitised(&fluent.name)).or_default() += 1;
        }
        for fluent in model.fluents.values() {
            let is_shared = count.get(&sanitised(&fluent.name)).is_some_and(|count| *count > 1);
            let name = match fluent.attribute_of {
                Some(ty) if is_shared => names.fresh(&format!("{}-{}", model.types[ty].name, fluent.name), "fluent"),
                _ => names.fresh(&fluent.name, "fluent"),
            };
            names.fluents.push(name);
        }
        names
    }

    fn keep(&mut self, model: &Model) {
        self.actions = model.actions.values().map(|action| action.name.to_string()).collect();
        self.objects = model.objects.values().map(|object| object.name.to_string()).collect();
        self.symbols = model.symbols.values().map(ToString::to_string).collect();
        self.types = model.types.values().map(|ty| ty.name.to_string()).collect();
        self.fluents = model.fluents.values().map(|fluent| fluent.name.to_string()).collect();
        for table in [self.actions.as_slice(), self.objects.as_slice(), self.types.as_slice(), self.fluents.as_slice()]
        {
            self.taken.extend(table.iter().cloned());
        }
        self.taken.extend(RESERVED.iter().map(|word| (*word).to_owned()));
    }

    /// A name that nothing has yet, as near as possible to this one.
    pub(super) fn fresh(&mut self, name: &str, kind: &str) -> String {
        let wanted = sanitised(name);
        let with_kind = format!("{wanted}-{kind}");
        let numbered = (2..).map(|number| format!("{with_kind}-{number}"));
        // The iterator has no end, so something is always found.
        let found = [wanted, with_kind.clone()].into_iter().chain(numbered).find(|name| !self.taken.contains(name));
        let name = found.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// The PDDL name of an object or name-value.
    pub(super) fn value(&self, value: Value) -> Option<&str> {
        match value {
            Value::Object(object) => self.objects.try_at(object).map(String::as_str),
            Value::Symbol(symbol) => self.symbols.try_at(symbol).map(String::as_str),
            Value::Nothing | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// What plans mention: PDDL name and story name of every action, object and name-value.
    pub(super) fn pairs(&self, model: &Model) -> Vec<(String, String)> {
        let actions = self.actions.values().zip(model.actions.values().map(|action| &action.name));
        let objects = self.objects.values().zip(model.objects.values().map(|object| &object.name));
        let symbols = self.symbols.values().zip(model.symbols.values());
        actions.chain(objects).chain(symbols).map(|(pddl, story)| (pddl.clone(), story.to_string())).collect()
    }
}

/// Lower case letters, digits, `-` and `_`, beginning with a letter.
pub(super) fn sanitised(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.to_ascii_lowercase() {
            plain @ ('a'..='z' | '0'..='9' | '-' | '_') => result.push(plain),
            '.' => result.push('-'),
            _ => result.push('_'),
        }
    }
    if !result.starts_with(|first: char| first.is_ascii_lowercase()) {
        result.insert(0, 'x');
    }
    result
}

/// How the header of an exported domain says that a name was changed.
const NAME_COMMENT: &str = "; name ";

/// The lines that say which names were changed.
pub(super) fn name_comments(pairs: &[(String, String)]) -> String {
    let changed = pairs.iter().filter(|(pddl, story)| pddl != story);
    changed.map(|(pddl, story)| format!("{NAME_COMMENT}{pddl} = {story}\n")).collect()
}

/// Reads back from an exported domain which PDDL name stands for which name of the story. Names that are not listed are the
/// same in both. PDDL names are in lower case; plans may write them in any.
///
/// ```
/// let names = dramaturg_story::pddl::plan_names("; name asktogive = askToGive\n(define (domain troy))");
/// assert_eq!(names["asktogive"], "askToGive");
/// ```
pub fn plan_names(domain: &str) -> BTreeMap<String, String> {
    let pairs = domain.lines().filter_map(|line| line.strip_prefix(NAME_COMMENT)?.split_once(" = "));
    pairs.map(|(pddl, story)| (pddl.trim().to_owned(), story.trim().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_pddl_and_stay_apart() {
        assert_eq!(sanitised("askToGive"), "asktogive");
        assert_eq!(sanitised("map.anchor"), "map-anchor");
        assert_eq!(sanitised("Käse"), "k_se");
        assert_eq!(sanitised("7-up"), "x7-up");
        let mut names = Names::default();
        names.taken.insert("at".to_owned());
        assert_eq!(names.fresh("at", "fluent"), "at-fluent");
        assert_eq!(names.fresh("At", "fluent"), "at-fluent-2");
        assert_eq!(names.fresh("AT", "type"), "at-type");
    }

    #[test]
    fn changed_names_are_read_back() {
        let pairs = vec![("go".into(), "go".into()), ("asktogive".into(), "askToGive".into())];
        let comments = name_comments(&pairs);
        assert_eq!(comments, "; name asktogive = askToGive\n");
        assert_eq!(plan_names(&comments), BTreeMap::from([("asktogive".into(), "askToGive".into())]));
    }
}
