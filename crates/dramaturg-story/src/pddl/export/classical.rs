//! Actions without time: start and end become one transition.

use dramaturg_model::{Change, Comparison, ConditionTime, Effect, Expr, FluentRef, Moment, Value};

use super::action::{Needed, is_certain};
use super::effect::joined;
use super::form::Form;
use super::scope::Scope;
use super::tree::Pddl;
use super::{Cannot, Exporter};

impl Exporter<'_> {
    /// The conditions and effects of an action as one transition.
    pub(super) fn transition(
        &mut self,
        needed: Vec<Needed>,
        effects: Vec<Effect>,
        scope: &mut Scope,
    ) -> Result<(Vec<Pddl>, Vec<Pddl>), Cannot> {
        let mut conditions = Vec::new();
        for Needed { time, condition } in &needed {
            if *time != ConditionTime::Start && self.is_met_by_start(condition, &effects)? {
                continue;
            }
            let written = self.condition(condition, scope)?;
            // What must hold throughout is often wanted at the start too.
            if *time == ConditionTime::Start || !conditions.contains(&written) {
                conditions.push(written);
            }
            let fixed = self.fixed_by(condition, scope);
            scope.known.extend(fixed);
        }
        let effects = self.last_effects(effects)?;
        let mut pieces = Vec::new();
        for effect in &effects {
            pieces.extend(self.effect(effect, scope)?);
        }
        scope.known.clear();
        Ok((conditions, joined(pieces)))
    }

    /// Whether a later condition is met because the action's own start makes it so. If the start breaks it, the action cannot
    /// be said without time.
    fn is_met_by_start(&self, condition: &Expr, effects: &[Effect]) -> Result<bool, Cannot> {
        let cannot = || Err(Cannot::because("it needs at its end what it changes at its start"));
        let (read, wanted) = match condition {
            Expr::Fluent(fluent, args) => ((fluent, args), Expr::TRUE),
            Expr::Not(inner) => match &**inner {
                Expr::Fluent(fluent, args) => ((fluent, args), Expr::FALSE),
                _ => return self.is_untouched(condition, effects).then_some(false).map_or_else(cannot, Ok),
            },
            Expr::Compare(Comparison::Equal, left, right) => match &**left {
                Expr::Fluent(fluent, args) => ((fluent, args), (**right).clone()),
                _ => return self.is_untouched(condition, effects).then_some(false).map_or_else(cannot, Ok),
            },
            _ => return self.is_untouched(condition, effects).then_some(false).map_or_else(cannot, Ok),
        };
        let target = FluentRef { fluent: *read.0, args: read.1.clone() };
        let mut is_met = false;
        for effect in effects.iter().filter(|effect| effect.moment == Moment::Start && effect.target == target) {
            if !is_certain(effect) || effect.change != Change::Set(wanted.clone()) {
                return cannot();
            }
            is_met = true;
        }
        Ok(is_met)
    }

    /// Whether the start of an action changes nothing that a condition reads.
    fn is_untouched(&self, condition: &Expr, effects: &[Effect]) -> bool {
        let mut is_untouched = true;
        condition.walk(&mut |part| {
            if let Expr::Fluent(fluent, _) = part {
                let touches = |effect: &Effect| effect.moment == Moment::Start && effect.target.fluent == *fluent;
                is_untouched &= !effects.iter().any(touches);
            }
        });
        is_untouched
    }

    /// The effects that remain when all moments are one: the last on each fluent. Deletes stand first.
    fn last_effects(&self, effects: Vec<Effect>) -> Result<Vec<Effect>, Cannot> {
        let mut sorted: Vec<Effect> =
            effects.into_iter().filter(|effect| self.forms[effect.target.fluent] != Form::Nothing).collect();
        sorted.sort_by_key(|effect| order(&effect.moment));
        let mut last: Vec<Effect> = Vec::new();
        for (position, effect) in sorted.iter().enumerate() {
            let later = sorted.iter().skip(position + 1).filter(|later| {
                order(&later.moment) != order(&effect.moment) && later.target == effect.target && !is_added(later)
            });
            let mut is_overwritten = false;
            for later in later {
                if !is_certain(later) {
                    return Err(Cannot::because("it changes one thing twice, the second time only on a condition"));
                }
                is_overwritten = true;
            }
            if !is_overwritten {
                last.push(effect.clone());
            }
        }
        last.sort_by_key(|effect| effect.change != Change::Set(Expr::Value(Value::Bool(false))));
        Ok(last)
    }
}

/// Numbers that are added up do not overwrite each other.
fn is_added(effect: &Effect) -> bool {
    matches!(effect.change, Change::Add(_))
}

/// Start, then whatever lies between in the order written, then the end.
fn order(moment: &Moment) -> u8 {
    match moment {
        Moment::Start => 0,
        Moment::After(_) => 1,
        Moment::End => 2,
    }
}
