//! What loading could not take over as it was.

use serde::Serialize;

/// What has become of something in a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LoadKind {
    /// It is not in the world.
    Dropped,
    /// It is in the world as the story gives it, not as the save says.
    Defaulted,
    /// It is in the world, but stands for something that has changed.
    Mapped,
}

/// One thing that was not taken over as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadNote {
    /// What has become of it.
    pub kind: LoadKind,
    /// What it is, in the words of the story.
    pub what: String,
    /// Why, in a sentence.
    pub why: String,
}

/// Everything that loading could not take over as it was, in order of loading.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LoadReport {
    /// Each thing and why.
    pub notes: Vec<LoadNote>,
}

impl LoadReport {
    /// Whether everything was taken over as it was.
    pub fn is_clean(&self) -> bool {
        self.notes.is_empty()
    }

    pub(super) fn dropped(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.note(LoadKind::Dropped, what.into(), why.into());
    }

    pub(super) fn defaulted(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.note(LoadKind::Defaulted, what.into(), why.into());
    }

    pub(super) fn mapped(&mut self, what: impl Into<String>, why: impl Into<String>) {
        self.note(LoadKind::Mapped, what.into(), why.into());
    }

    fn note(&mut self, kind: LoadKind, what: String, why: String) {
        self.notes.push(LoadNote { kind, what, why });
    }
}
