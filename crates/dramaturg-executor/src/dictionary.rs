//! Names by number, as the director sent them.

use std::collections::HashMap;

use dramaturg_wire::NameId;

/// More names than this are a mistake of the director's, not a story.
const NAMES_MAX: usize = 1 << 22;

/// Numbers from here on are names that the director has forgotten and tasks still speak in.
const FORGOTTEN: u32 = 1 << 31;

/// The names that tasks speak in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    names: Vec<String>,
    /// Names of an earlier dictionary that the present one lacks.
    forgotten: Vec<String>,
}

/// New numbers of names by their old ones.
pub(crate) struct Renumbering {
    names: Vec<NameId>,
    forgotten: Vec<NameId>,
}

impl Renumbering {
    pub(crate) fn of(&self, old: NameId) -> NameId {
        let (numbers, at) = match old.0.checked_sub(FORGOTTEN) {
            Some(at) => (&self.forgotten, at),
            None => (&self.names, old.0),
        };
        numbers.get(at as usize).copied().unwrap_or(old)
    }
}

impl Dictionary {
    pub(crate) fn new(names: Vec<String>, forgotten: Vec<String>) -> Self {
        Self { names, forgotten }
    }

    /// The name with this number, if the director has sent it.
    pub(crate) fn get(&self, id: NameId) -> Option<&str> {
        let (names, at) = match id.0.checked_sub(FORGOTTEN) {
            Some(at) => (&self.forgotten, at),
            None => (&self.names, id.0),
        };
        names.get(usize::try_from(at).ok()?).map(String::as_str)
    }

    /// Takes another dictionary of the same session. One that only goes on where this one ends leaves every number as it
    /// is. That of a director which was started again from an older state may give the last numbers to other names: then
    /// the tasks that are held must be renumbered, and names that it lacks are kept beside it.
    pub(crate) fn replace(&mut self, names: Vec<String>) -> Option<Renumbering> {
        if names.starts_with(&self.names) {
            self.names = names;
            return None;
        }
        let old = std::mem::replace(self, Self { names, forgotten: Vec::new() });
        let mut known: HashMap<String, NameId> = HashMap::new();
        for (name, number) in self.names.iter().zip(0..) {
            known.entry(name.clone()).or_insert(NameId(number));
        }
        let mut number = |name: String| match known.get(&name) {
            Some(number) => *number,
            // Beyond any story: a director that makes names up has tasks without names.
            None if self.forgotten.len() >= NAMES_MAX => NameId(u32::MAX),
            None => {
                let number = NameId(FORGOTTEN.saturating_add(self.forgotten.len() as u32));
                known.insert(name.clone(), number);
                self.forgotten.push(name);
                number
            }
        };
        let names = old.names.into_iter().map(&mut number).collect();
        let forgotten = old.forgotten.into_iter().map(&mut number).collect();
        Some(Renumbering { names, forgotten })
    }

    /// Takes in more names; those that were there already are replaced. Says whether they join on to what is there.
    pub(crate) fn extend(&mut self, first: u32, names: Vec<String>) -> bool {
        let Ok(first) = usize::try_from(first) else { return false };
        if first > self.names.len() || first.saturating_add(names.len()) > NAMES_MAX {
            return false;
        }
        let known = self.names.len() - first;
        let mut names = names.into_iter();
        for (old, new) in self.names.iter_mut().skip(first).zip(names.by_ref().take(known)) {
            *old = new;
        }
        self.names.extend(names);
        true
    }

    /// All names in order, for a checkpoint.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of an earlier dictionary that this one lacks, for a checkpoint.
    pub(crate) fn forgotten(&self) -> &[String] {
        &self.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_are_appended_and_replaced_but_leave_no_gap() {
        let mut dictionary = Dictionary::new(strings(&["a", "b"]), Vec::new());
        assert!(dictionary.extend(2, strings(&["c"])));
        assert!(dictionary.extend(1, strings(&["B", "C", "D"])));
        assert_eq!(dictionary.names(), strings(&["a", "B", "C", "D"]));
        assert!(!dictionary.extend(5, strings(&["f"])), "4 is missing");
        assert_eq!(dictionary.get(NameId(3)), Some("D"));
        assert_eq!(dictionary.get(NameId(4)), None);
    }

    #[test]
    fn there_are_so_many_names_and_no_more() {
        let mut dictionary = Dictionary::new(vec![String::new(); NAMES_MAX - 1], Vec::new());
        assert!(dictionary.extend(NAMES_MAX as u32 - 1, strings(&["last"])));
        assert!(!dictionary.extend(NAMES_MAX as u32, strings(&["one more"])));
        assert!(!dictionary.extend(NAMES_MAX as u32 - 1, strings(&["last", "one more"])));
        assert_eq!(dictionary.names().len(), NAMES_MAX);
    }

    #[test]
    fn a_dictionary_that_goes_on_keeps_every_number() {
        let mut dictionary = Dictionary::new(strings(&["a", "b"]), Vec::new());
        assert!(dictionary.replace(strings(&["a", "b", "c"])).is_none());
        assert_eq!(dictionary.get(NameId(2)), Some("c"));
    }

    #[test]
    fn names_keep_their_meaning_whatever_dictionary_comes() {
        let mut dictionary = Dictionary::new(strings(&["a", "b", "c", "d"]), Vec::new());
        let mut held: Vec<(NameId, String)> =
            ["a", "b", "c", "d"].iter().zip(0..).map(|(name, number)| (NameId(number), (*name).to_owned())).collect();
        for names in [&["a", "b"][..], &["a", "b", "d", "c"], &["x"], &["d", "c", "b", "a"]] {
            if let Some(numbers) = dictionary.replace(strings(names)) {
                held.iter_mut().for_each(|(number, _)| *number = numbers.of(*number));
            }
            for (number, name) in &held {
                assert_eq!(dictionary.get(*number), Some(name.as_str()), "with {names:?}");
            }
        }
        assert_eq!(dictionary.forgotten(), strings(&["x"]), "what the director knows again is not kept twice");
    }
}
