//! Milestones, endings and layers.

use dramaturg_model::{Effect, EndingId, Expr, FluentId, LayerId, LevelId, MilestoneId, Moment, Say};

use smol_str::SmolStr;

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
    fn end(&mut self, decl: &tree::NamedBody, level: Option<LevelId>, name: SmolStr) -> End {
        let mut scope = Scope::new(level, name);
        let mut end = End { when: Expr::FALSE, effects: Vec::new(), says: Vec::new() };
        let now = EffectPlace { moment: Moment::Start, pool: None };
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::When(condition, then) => {
                    let mut parts = vec![self.condition(&mut scope, condition)];
                    parts.extend(then.as_ref().map(|then| self.condition(&mut scope, then)));
                    end.when = if parts.len() == 1 { parts.swap_remove(0) } else { Expr::And(parts) };
                }
                ClauseKind::Then(effects) => {
                    self.refuse_time(effects.anchor.as_ref(), clause.span);
                    end.effects.extend(self.effects(&mut scope, effects, &now));
                }
                ClauseKind::Say { speaker, lines, anchor, condition } => {
                    self.refuse_time(anchor.as_ref(), clause.span);
                    let words = (speaker.as_ref(), lines.as_slice());
                    end.says.push(self.say(&mut scope, words, None, condition.as_ref(), clause.span));
                }
                _ => {}
            }
        }
        end
    }

    /// Fills in a milestone.
    pub(crate) fn milestone(&mut self, id: MilestoneId, decl: &tree::NamedBody) {
        let level = self.model.milestones[id].level;
        let end = self.end(decl, level, self.model.milestones[id].name.clone());
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
        if !said && !self.is_item_faulty() {
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
        let end = self.end(decl, level, self.model.endings[id].name.clone());
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
                match self.layers_down_to(below, id) {
                    Some(between) => {
                        let way = std::iter::once(id).chain(between).chain([id]);
                        let names: Vec<String> = way.map(|layer| self.model.layers[layer].name.to_string()).collect();
                        self.report(diagnostics::circular_meaning::of_layer(name.span, &names));
                    }
                    None => self.model.layers[id].above = Some(below),
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

    /// The layers from one down to just above another, if that lies below it.
    fn layers_down_to(&self, layer: LayerId, other: LayerId) -> Option<Vec<LayerId>> {
        let mut way = Vec::new();
        let mut current = layer;
        while current != other {
            way.push(current);
            current = self.model.layers[current].above?;
        }
        Some(way)
    }
}
