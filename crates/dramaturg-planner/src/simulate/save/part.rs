//! One of several parts of a declaration that have no names: an effect, a condition, a use. It is saved by its number and its words,
//! so that it is found again, or missed, after an edit.

use dramaturg_model::{
    Contribution, Effect, FluentId, Initial, MethodStep, Model, Say, TimedCondition, Use, UseTarget,
};
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::labels::Labels;
use crate::simulate::words;

/// A part by its number and its words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedPart {
    pub(super) number: usize,
    pub(super) words: SmolStr,
}

/// The parts of one kind that a declaration has.
#[derive(Clone, Copy)]
pub(super) enum Parts<'m> {
    Effects(&'m [Effect]),
    Contributions(&'m [Contribution]),
    Conditions(&'m [TimedCondition]),
    Uses(&'m [Use]),
    Says(&'m [Say]),
    Givens(&'m [Initial]),
    Clauses(&'m [MethodStep]),
}

impl<'m> Parts<'m> {
    fn len(self) -> usize {
        match self {
            Self::Effects(all) => all.len(),
            Self::Contributions(all) => all.len(),
            Self::Conditions(all) => all.len(),
            Self::Uses(all) => all.len(),
            Self::Says(all) => all.len(),
            Self::Givens(all) => all.len(),
            Self::Clauses(all) => all.len(),
        }
    }

    /// The words of one part; none if there are not so many.
    fn words(self, model: &Model, labels: &Labels, number: usize) -> Option<SmolStr> {
        let target = |fluent: FluentId| labels.fluents.of(fluent);
        let said = |say: &Say| say.lines.first().map(|text| labels.texts.of(*text)).unwrap_or_default();
        Some(match self {
            Self::Effects(all) => target(all.get(number)?.target.fluent),
            Self::Contributions(all) => target(all.get(number)?.target.fluent),
            Self::Conditions(all) => words::expr(model, &all.get(number)?.condition, &[]).into(),
            Self::Uses(all) => match &all.get(number)?.target {
                UseTarget::Actuator(actuator, _) => labels.actuators.of(*actuator),
                UseTarget::Whole(_) => SmolStr::new_static("itself"),
            },
            Self::Says(all) => said(all.get(number)?),
            Self::Givens(all) => {
                let given = all.get(number)?;
                let at = given.at.as_ref().map(|at| words::expr(model, at, &[])).unwrap_or_default();
                let args: Vec<_> = given.target.args.iter().map(|arg| words::expr(model, arg, &[])).collect();
                format_smolstr!("{}({}) at {at}", target(given.target.fluent), args.join(", "))
            }
            Self::Clauses(all) => match all.get(number)? {
                MethodStep::Say(say) => format_smolstr!("say {}", said(say)),
                MethodStep::Then(effects) => {
                    let targets: Vec<_> = effects.iter().map(|effect| target(effect.target.fluent)).collect();
                    format_smolstr!("then {}", targets.join(", "))
                }
                MethodStep::DoTask(task, ..) => format_smolstr!("do {}", labels.tasks.of(*task)),
                MethodStep::DoAction(action, ..) => format_smolstr!("do {}", labels.actions.of(*action)),
            },
        })
    }

    pub(super) fn save(self, model: &Model, labels: &Labels, number: usize) -> SavedPart {
        SavedPart { number, words: self.words(model, labels, number).unwrap_or_default() }
    }

    /// The number of a saved part now: the same if it has the same words, else the first with those words.
    pub(super) fn find(self, model: &Model, labels: &Labels, saved: &SavedPart) -> Option<usize> {
        let same = |number: usize| self.words(model, labels, number).is_some_and(|words| words == saved.words);
        if same(saved.number) { Some(saved.number) } else { (0..self.len()).find(|number| same(*number)) }
    }
}
