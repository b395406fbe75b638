//! Actions as stories write them.

use std::fmt::Write;

use dramaturg_model::{
    Action, ActionId, Amount, ConditionTime, Contribution, Duration, Effect, Expr, Moment, TimedCondition,
};

use super::Printer;
use super::expr::{Cannot, Scope};

impl Printer<'_> {
    /// Writes an action; one that cannot be said is left out as a whole, since half of it would be another action.
    pub(super) fn action(&mut self, id: ActionId) {
        let action = &self.model.actions[id];
        if let Duration::Chosen(..) = &action.duration {
            let why = "the planner may choose its duration; in a story it takes the least";
            self.leave_out(format!("the duration of {}", action.name), why, action.place);
        }
        match self.written(id, action) {
            Ok(text) => self.text.push_str(&text),
            Err(Cannot(why)) => self.leave_out(format!("the action {}", action.name), why, action.place),
        }
    }

    fn written(&self, id: ActionId, action: &Action) -> Result<String, Cannot> {
        let mut scope = self.scope();
        scope.duration = match &action.duration {
            Duration::Fixed(duration) | Duration::Chosen(Some(duration), _) => Some(duration),
            Duration::Instant | Duration::Contingent(..) | Duration::Chosen(None, _) => None,
        };
        let params = scope.params(&action.params);
        let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
        let mut text = format!("action {}{params} {{\n", self.names.action(id));
        if let Some(duration) = scope.duration {
            line(&mut text, &format!("takes {}", scope.duration(duration)?));
        }
        conditions(&mut text, &mut scope, &action.conditions)?;
        for contribution in &action.contributions {
            line(&mut text, &during(&mut scope, contribution)?);
        }
        effects(&mut text, &mut scope, &action.effects)?;
        if let Some(cost) = &action.cost {
            line(&mut text, &format!("costs {}", scope.number(cost)?));
        }
        text.push_str("}\n\n");
        Ok(text)
    }
}

fn line(text: &mut String, clause: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "  {clause}");
}

/// Conditions of one time as one clause.
fn conditions(text: &mut String, scope: &mut Scope<'_>, conditions: &[TimedCondition]) -> Result<(), Cannot> {
    for (time, word, at) in [
        (ConditionTime::Start, "needs", ""),
        (ConditionTime::Throughout, "keeps", ""),
        (ConditionTime::End, "needs", " at end"),
    ] {
        let of_time = conditions.iter().filter(|found| found.time == time && found.weight.is_none());
        let parts: Vec<Expr> = of_time.map(|found| found.condition.clone()).collect();
        if !parts.is_empty() {
            line(text, &format!("{word} {}{at}", scope.condition(&Expr::all(parts))?));
        }
    }
    if conditions.iter().any(|found| found.weight.is_some()) {
        return Err(Cannot("a condition that is only weighed".to_owned()));
    }
    Ok(())
}

fn during(scope: &mut Scope<'_>, contribution: &Contribution) -> Result<String, Cannot> {
    let Contribution { binders, condition, target, amount, .. } = contribution;
    scope.within(binders, |scope, binders| {
        let target = scope.fluent(target)?;
        let amount = match amount {
            Amount::PerTick(amount) => format!("{} per tick", scope.number(amount)?),
            Amount::Total(amount) => scope.number(amount)?,
        };
        let suffixes = suffixes(scope, &binders, condition.as_ref())?;
        Ok(format!("during {target} += {amount}{suffixes}"))
    })
}

/// Effects that share moment, binders and condition stand in one clause.
fn effects(text: &mut String, scope: &mut Scope<'_>, effects: &[Effect]) -> Result<(), Cannot> {
    let alike = |a: &Effect, b: &Effect| a.moment == b.moment && a.binders == b.binders && a.condition == b.condition;
    for group in effects.chunk_by(alike) {
        let Some(first) = group.first() else { continue };
        let clause = scope.within(&first.binders, |scope, binders| {
            let parts: Result<Vec<String>, Cannot> =
                group.iter().map(|effect| scope.change(&effect.target, &effect.change)).collect();
            let at = match &first.moment {
                Moment::Start => " at start".to_owned(),
                Moment::End => String::new(),
                Moment::After(after) => format!(" at {}", scope.duration(after)?),
            };
            let suffixes = suffixes(scope, &binders, first.condition.as_ref())?;
            Ok(format!("then {}{at}{suffixes}", parts?.join(", ")))
        })?;
        line(text, &clause);
    }
    Ok(())
}

fn suffixes(scope: &mut Scope<'_>, binders: &[String], condition: Option<&Expr>) -> Result<String, Cannot> {
    let mut text = String::new();
    if !binders.is_empty() {
        let _ = write!(text, " for {}", binders.join(", "));
    }
    if let Some(condition) = condition {
        let _ = write!(text, " if {}", scope.condition(condition)?);
    }
    Ok(text)
}
