//! Milestones, endings and layers.

use dramaturg_model::{Effect, EndingId, Expr, FluentId, LayerId, LevelId, MilestoneId, Moment, Say};

use super::effect::EffectPlace;
use super::lowering::{Attribute, Lowering};
use super::names::Meaning;
use super::scope::Scope;
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind, KnobKind};

/// What milestones and endings share.
struct End {
    when: Expr,
    effects: Vec<Effect>,
    says: Vec<Say>,
}

impl Lowering {
    fn end(&mut self, decl: &tree::NamedBody, level: Option<LevelId>) -> End {
        let mut scope = Scope::new(level, decl.head.name.text.clone());
        let mut end = End { when: Expr::FALSE, effects: Vec::new(), says: Vec::new() };
        let now = EffectPlace { moment: Moment::Start, pool: None };
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::When(condition, then) => {
                    let mut parts = vec![self.condition(&mut scope, condition)];
                    parts.extend(then.as_ref().map(|then| self.condition(&mut scope, then)));
                    end.when = if parts.len() == 1 { parts.swap_remove(0) } else { Expr::And(parts) };
                }
                ClauseKind::Then(effects) => end.effects.extend(self.effects(&mut scope, effects, &now)),
                ClauseKind::Say { speaker, lines, anchor, condition } => {
                    let words = (speaker.as_ref(), lines.as_slice());
                    end.says.push(self.say(&mut scope, words, anchor.as_ref(), condition.as_ref(), clause.span));
                }
                _ => {}
            }
        }
        end
    }

    /// Fills in a milestone.
    pub(crate) fn milestone(&mut self, id: MilestoneId, decl: &tree::NamedBody) {
        let level = self.model.milestones[id].level;
        let end = self.end(decl, level);
        let mut next = None;
        let mut carrying = Vec::new();
        let mut said = false;
        for clause in &decl.body.clauses {
            let ClauseKind::Next(name, carried) = &clause.kind else { continue };
            said = true;
            let accept = |meaning| matches!(meaning, Meaning::Level(_));
            if let Some(declared) = self.meaning(name, level, "a level", accept)
                && let Meaning::Level(level) = declared.meaning
            {
                next = Some(level);
            }
            for name in carried {
                carrying.extend(self.carried(name, level));
            }
        }
        if !said {
            self.report(diagnostics::milestone_without_next::diagnostic(decl.head.name.span, &decl.head.name.text));
        }
        let milestone = &mut self.model.milestones[id];
        (milestone.when, milestone.effects, milestone.says) = (end.when, end.effects, end.says);
        (milestone.next, milestone.carrying) = (next, carrying);
    }

    /// A fluent whose values are carried into the next level.
    fn carried(&mut self, carried: &tree::Carried, level: Option<LevelId>) -> Option<FluentId> {
        if let Some(ty) = &carried.ty {
            let ty = self.type_named(ty)?;
            return match self.attribute(&dramaturg_model::Choices::of_type(ty), &carried.name)? {
                Attribute::Fluent(fluent) => Some(fluent),
                Attribute::Actuator(_) => None,
            };
        }
        let accept = |meaning| matches!(meaning, Meaning::Fluent(_));
        match self.meaning(&carried.name, level, "a fluent", accept)?.meaning {
            Meaning::Fluent(fluent) => Some(fluent),
            _ => None,
        }
    }

    /// Fills in an ending.
    pub(crate) fn ending(&mut self, id: EndingId, decl: &tree::NamedBody) {
        let level = self.model.endings[id].level;
        let end = self.end(decl, level);
        let ending = &mut self.model.endings[id];
        (ending.when, ending.effects, ending.says) = (end.when, end.effects, end.says);
    }

    /// Fills in a layer.
    pub(crate) fn layer(&mut self, id: LayerId, decl: &tree::LayerDecl) {
        if let Some(name) = &decl.above {
            let accept = |meaning| matches!(meaning, Meaning::Layer(_));
            if let Some(declared) = self.meaning(name, None, "a layer", accept)
                && let Meaning::Layer(below) = declared.meaning
            {
                if self.layer_is_above(below, id) {
                    let names = [decl.name.text.to_string(), name.text.to_string(), decl.name.text.to_string()];
                    self.report(diagnostics::circular_meaning::diagnostic(name.span, &names));
                } else {
                    self.model.layers[id].above = Some(below);
                }
            }
        }
        for knob in &decl.knobs {
            let number = knob.value;
            match knob.kind {
                KnobKind::Horizon => self.model.layers[id].horizon = self.duration(number),
                KnobKind::Steps => self.model.layers[id].steps = u32::try_from(number.value.floor_int()).ok(),
                KnobKind::Beam => self.model.layers[id].beam = u32::try_from(number.value.floor_int()).ok(),
                KnobKind::Elites => self.model.layers[id].elites = Some(number.value),
                KnobKind::Tolerance => self.model.layers[id].tolerance = Some(number.value),
            }
        }
    }

    fn layer_is_above(&self, layer: LayerId, other: LayerId) -> bool {
        let mut current = Some(layer);
        for _ in 0..=self.model.layers.len() {
            match current {
                Some(found) if found == other => return true,
                Some(found) => current = self.model.layers[found].above,
                None => return false,
            }
        }
        false
    }
}
