//! "Did you mean": the nearest name by spelling.

use smol_str::SmolStr;

/// How many names are compared for one file, so that a file full of unknown names cannot cost the product of both.
const COMPARISONS_MAX: usize = 100_000;

/// Finds names that are spelt nearly so.
#[derive(Debug)]
pub(super) struct Nearest {
    comparisons_left: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { comparisons_left: COMPARISONS_MAX }
    }
}

impl Nearest {
    /// The nearest of these names, if one is near: at most a third of the letters differ. The first of equals.
    pub(super) fn find<'n>(&mut self, name: &str, names: impl IntoIterator<Item = &'n SmolStr>) -> Option<SmolStr> {
        // Long names are not misspelt but meant differently, and costly to compare.
        let length = name.len();
        if length > 100 {
            return None;
        }
        let limit = (length / 3).max(1);
        let mut best: Option<(usize, &SmolStr)> = None;
        for candidate in names {
            if self.comparisons_left == 0 {
                break;
            }
            if candidate.len().abs_diff(length) > limit {
                continue;
            }
            self.comparisons_left -= 1;
            let distance = strsim::osa_distance(name, candidate);
            // The name itself may be in reach of another kind; it is no cure.
            if distance > 0
                && distance <= limit
                && best.is_none_or(|(least, found)| (distance, candidate) < (least, found))
            {
                best = Some((distance, candidate));
            }
        }
        best.map(|(_, name)| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_letter_is_near() {
        let names = ["truck".into(), "track".into(), "driver".into()];
        let mut nearest = Nearest::default();
        assert_eq!(nearest.find("turck", &names).as_deref(), Some("truck"));
        assert_eq!(nearest.find("plane", &names), None);
        assert_eq!(nearest.find("truck", &names).as_deref(), Some("track"));
    }
}
