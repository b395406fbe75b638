//! What was said last, so that no line is shown twice running.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::{Loader, Saver};

/// A saying, by the id of the first of its lines, and the number of the line that was shown last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSaying {
    first: SmolStr,
    line: usize,
}

impl Saver<'_> {
    pub(super) fn said(&self) -> Vec<SavedSaying> {
        let mut last: Vec<_> = self.world.voice.last.iter().collect();
        last.sort_unstable();
        last.into_iter().map(|(text, line)| SavedSaying { first: self.labels.texts.of(*text), line: *line }).collect()
    }
}

impl Loader<'_> {
    pub(super) fn load_said(&mut self, saved: &[SavedSaying]) {
        for saved in saved {
            match self.labels.texts.find(&saved.first) {
                Some(text) => {
                    self.world.voice.last.insert(text, saved.line);
                }
                None => self.report.dropped(format!("the saying `{}`", saved.first), "it is said no more"),
            }
        }
    }
}
