//! Names by number, as the director sent them.

use dramaturg_wire::NameId;

/// More names than this are a mistake of the director's, not a story.
const NAMES_MAX: usize = 1 << 22;

/// The names that tasks speak in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dictionary {
    names: Vec<String>,
}

impl Dictionary {
    pub(crate) fn new(names: Vec<String>) -> Self {
        Self { names }
    }

    /// The name with this number, if the director has sent it.
    pub(crate) fn get(&self, id: NameId) -> Option<&str> {
        self.names.get(usize::try_from(id.0).ok()?).map(String::as_str)
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_are_appended_and_replaced_but_leave_no_gap() {
        let mut dictionary = Dictionary::new(strings(&["a", "b"]));
        assert!(dictionary.extend(2, strings(&["c"])));
        assert!(dictionary.extend(1, strings(&["B", "C", "D"])));
        assert_eq!(dictionary.names(), strings(&["a", "B", "C", "D"]));
        assert!(!dictionary.extend(5, strings(&["f"])), "4 is missing");
        assert_eq!(dictionary.get(NameId(3)), Some("D"));
        assert_eq!(dictionary.get(NameId(4)), None);
    }
}
