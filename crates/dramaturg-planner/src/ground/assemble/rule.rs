//! Instances of rules, and derived fluents.

use dramaturg_model::{Expr, FluentSource, Rule, Trigger};

use crate::ground::condition::Condition;
use crate::ground::entity::Entity;
use crate::ground::expr::GroundExpr;
use crate::ground::operator::{Derived, GroundRule, GroundTrigger};
use crate::ground::places::FactPlace;
use crate::ground::relation::{RelationId, RelationKind, RowId};
use crate::ground::schema::Source;
use crate::ground::template::Template;

use super::Assembler;

impl<'p, 'a, 'm> Assembler<'p, 'a, 'm> {
    /// The rule of an instance; none if it can never fire.
    pub(crate) fn rule(&mut self, template: &Template<'m>, binding: &[Entity]) -> Option<GroundRule> {
        let Source::Rule(id) = template.source else { return None };
        let rule: &Rule = &self.places.world.model.rules[id];
        let values = self.values(binding);
        let guard = |assembler: &mut Self, guard: &Option<Expr>| match guard {
            Some(guard) => assembler.condition(guard, &values),
            None => Condition::always(),
        };
        let trigger = match &rule.trigger {
            Trigger::When(condition, guarded) => {
                GroundTrigger::When(self.condition(condition, &values), guard(self, guarded))
            }
            Trigger::While(condition) => GroundTrigger::While(self.condition(condition, &values)),
            Trigger::After(_, guarded) => GroundTrigger::After(guard(self, guarded)),
            Trigger::Always => GroundTrigger::Always,
        };
        let never = match &trigger {
            GroundTrigger::When(condition, guard) => condition.is_never() || guard.is_never(),
            GroundTrigger::While(condition) | GroundTrigger::After(condition) => condition.is_never(),
            GroundTrigger::Always => false,
        };
        if never {
            return None;
        }
        let mut effects = Vec::new();
        for effect in &template.effects {
            self.effect(effect, binding, &mut effects);
        }
        self.done(template, binding, &mut effects);
        let contributions = self.contributions(&rule.contributions, &values);
        let duration = rule.duration.as_ref().map(|duration| self.duration(duration, &values));
        let args = self.keep_args(&values);
        Some(GroundRule { rule: id, args, trigger, duration, effects, contributions })
    }

    /// The derived fluents, in order of their strata.
    pub(crate) fn derived(&mut self) -> Vec<Derived> {
        let world = self.places.world;
        let mut derived = Vec::new();
        for (id, relation) in world.relations.iter() {
            let Some(fluent) = relation.fluent.filter(|_| relation.kind == RelationKind::Flag) else { continue };
            let FluentSource::Derived { rules, stratum } = &world.model.fluents[fluent].source else { continue };
            derived.extend(self.derived_rows(id, rules, *stratum));
        }
        derived.sort_by_key(|derived: &Derived| derived.stratum);
        derived
    }

    pub(super) fn derived_rows(&mut self, id: RelationId, rules: &[Expr], stratum: u16) -> Vec<Derived> {
        let world = self.places.world;
        let relation = &world.relations[id];
        let mut out = Vec::new();
        for row in (0..relation.len() as u32).map(RowId) {
            let FactPlace::At(variable, yes) = self.places.fact(id, row) else { continue };
            let values = self.values(relation.row(row));
            let parts: Vec<GroundExpr> = rules.iter().map(|rule| self.expr(rule, &values)).collect();
            let condition = self.dnf().condition(&crate::ground::lower::any_of(parts));
            out.push(Derived { variable, yes, condition, stratum });
        }
        out
    }
}
