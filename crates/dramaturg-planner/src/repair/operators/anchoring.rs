//! R6 for objects of pools: the first that is free, tied at once to what it is to be.

use crate::repair::draft::Draft;
use crate::repair::plan::StepKey;
use crate::repair::repertoire::{FormId, Kind};

impl Draft {
    /// Simpler ways to do what anchoring an object does: with an object that comes before it or exists already, or with the values that it would get
    /// when it is anchored again, by a step that is then not needed.
    pub(in crate::repair) fn simpler_anchors(&self, key: StepKey) -> Vec<(FormId, Option<StepKey>)> {
        let repertoire = &self.projection.repertoire;
        let form = self.steps.get(key).form;
        let Kind::Anchor(object) = repertoire.kinds[form] else { return Vec::new() };
        let args = |form: FormId| repertoire.problem.args(repertoire.operators[form]);
        let action = repertoire.problem.operators[repertoire.operators[form]].action;
        let siblings = repertoire.siblings.get(&action).map_or(&[][..], Vec::as_slice);
        let earlier = siblings.iter().copied().filter(|other| {
            matches!(repertoire.kinds[*other], Kind::Anchor(known) if known < object)
                && args(*other).get(1..) == args(form).get(1..)
        });
        let mut found: Vec<(FormId, Option<StepKey>)> = earlier.map(|other| (other, None)).collect();
        // What exists already can be made into it, as long as it is not committed.
        let others = repertoire.operators.ids().filter(|other| {
            matches!(repertoire.kinds[*other], Kind::Reanchor(known) if known != object)
                && args(*other).get(1..) == args(form).get(1..)
        });
        found.extend(others.map(|other| (other, None)));
        for again in self.steps.open().iter().copied() {
            let other = self.steps.get(again).form;
            if repertoire.kinds[other] == Kind::Reanchor(object) {
                let at_once = siblings.iter().copied().filter(|sibling| args(*sibling) == args(other));
                found.extend(at_once.map(|sibling| (sibling, Some(again))));
            }
        }
        found
    }
}
