//! Which planner a story asks for. This is the one place where planners are chosen.

use std::fmt;

use dramaturg::model::{Model, Owner, WishKind};

/// The planners that stories ask for by what is written in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlannerKind {
    /// Shapes the story as a whole: the story's own goals and curves.
    Repair,
    /// Plans for characters.
    Cast,
    /// Plans in layers, for characters and populations.
    Layered,
    /// Offers tasks to the player, and plans with them.
    Narrative,
}

impl PlannerKind {
    /// Its name, for people and machines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repair => "repair",
            Self::Cast => "cast",
            Self::Layered => "layered",
            Self::Narrative => "narrative",
        }
    }

    /// Whether dramaturg has it. Who adds a planner says so here, makes it in [`super::setting::Setting::director`], and every play
    /// that was skipped for want of it runs.
    pub const fn is_there(self) -> bool {
        match self {
            Self::Repair | Self::Cast => true,
            Self::Layered | Self::Narrative => false,
        }
    }
}

impl fmt::Display for PlannerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The planners that a story asks for: none where rules alone make things happen.
pub fn asked_for(model: &Model) -> Vec<PlannerKind> {
    let offers = model.tasks.values().any(|task| !task.offers.is_empty());
    let layered = !model.layers.is_empty();
    let wanted =
        |owner: fn(&Owner) -> bool| model.wishes.values().any(|wish| owner(&wish.owner) && !is_idle(&wish.kind));
    let characters = wanted(|owner| matches!(owner, Owner::Character(_) | Owner::Injected(_)))
        || wanted(|owner| matches!(owner, Owner::Personality(_) | Owner::Population(_)))
        || !model.futile.is_empty();
    let story = wanted(|owner| *owner == Owner::Story);
    let mut kinds = Vec::new();
    match (offers, layered) {
        (true, _) => kinds.push(PlannerKind::Narrative),
        (false, true) => kinds.push(PlannerKind::Layered),
        (false, false) => {}
    }
    if characters && !layered {
        kinds.push(PlannerKind::Cast);
    }
    // The goal of a story with offers is where its tasks are to lead, and characters in layers may be the whole story.
    if story && !offers && !layered {
        kinds.push(PlannerKind::Repair);
    }
    kinds.sort_unstable();
    kinds
}

/// The one planner that a story asks for, if dramaturg has it; none where nothing is planned, or several would have to work together.
pub fn planner_of(model: &Model) -> Option<PlannerKind> {
    match asked_for(model).as_slice() {
        [kind] if kind.is_there() => Some(*kind),
        _ => None,
    }
}

/// Whether dramaturg has the planner that a story asks for.
pub fn is_planned(model: &Model) -> bool {
    planner_of(model).is_some()
}

/// What must only not be broken gives a planner nothing to do.
fn is_idle(kind: &WishKind) -> bool {
    matches!(kind, WishKind::Keep { .. })
}

#[cfg(test)]
mod tests {
    use dramaturg::story::compile_text;

    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let compiled = compile_text("test.story", text);
        assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
        asked_for(&compiled.model).into_iter().map(PlannerKind::name).collect()
    }

    #[test]
    fn what_is_written_decides() {
        let bell = "story \"Bell\"\nfluent rung\naction ring { then rung }\n";
        assert!(names(bell).is_empty());
        assert_eq!(names(&format!("{bell}goal rung")), ["repair"]);
        assert_eq!(names(&format!("{bell}type Person\ncharacter mara: Person {{ goal rung }}")), ["cast"]);
        assert_eq!(
            names(&format!("{bell}task t {{ offer \"Ring.\"; method {{ then rung }} }}\ngoal rung")),
            ["narrative"]
        );
    }
}
