//! The names that tasks speak in, by number.

use dramaturg_model::Model;
use dramaturg_wire::NameId;
use rustc_hash::FxHashMap;

/// The names that tasks speak in. It only grows, so that a number means the same as long as the session lasts.
#[derive(Clone, Debug, Default)]
pub struct Dictionary {
    names: Vec<String>,
    numbers: FxHashMap<String, NameId>,
    /// How many the game has been told.
    told: usize,
}

impl Dictionary {
    /// The names of a model: actions, objects and named values. Actuators and fluents come in when they are first spoken of.
    pub fn of(model: &Model) -> Self {
        let mut dictionary = Self::default();
        dictionary.learn(model);
        dictionary
    }

    /// The names of a session that goes on, in their order, and those of the model that it did not have yet.
    pub(crate) fn load(names: &[String], told: usize, model: &Model) -> Self {
        let mut dictionary = Self::default();
        for (name, number) in names.iter().zip(0..) {
            dictionary.names.push(name.clone());
            dictionary.numbers.entry(name.clone()).or_insert(NameId(number));
        }
        dictionary.told = told.min(names.len());
        dictionary.learn(model);
        dictionary
    }

    /// The names, and how many of them the game has been told.
    pub(crate) fn parts(&self) -> (&[String], usize) {
        (&self.names, self.told)
    }

    fn learn(&mut self, model: &Model) {
        for action in model.actions.values() {
            self.number(&action.name);
        }
        for task in model.tasks.values() {
            self.number(&task.name);
        }
        for object in model.objects.values() {
            self.number(&object.name);
        }
        for symbol in model.symbols.values() {
            self.number(symbol);
        }
    }

    /// The number of a name; a new one gets the next.
    pub fn number(&mut self, name: &str) -> NameId {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = NameId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// The name of a number.
    pub fn name(&self, number: NameId) -> &str {
        self.names.get(number.0 as usize).map_or("", String::as_str)
    }

    /// All names, for a welcome: the game knows them from here on.
    pub fn all(&mut self) -> Vec<String> {
        self.told = self.names.len();
        self.names.clone()
    }

    /// The names the game does not know yet, with the number of the first.
    pub fn news(&mut self) -> Option<(u32, Vec<String>)> {
        let first = self.told;
        let news = self.names.get(first..).filter(|news| !news.is_empty())?.to_vec();
        self.told = self.names.len();
        Some((u32::try_from(first).unwrap_or(u32::MAX), news))
    }
}
