//! Actions as PDDL writes them.

use dramaturg_model::{
    Action, Amount, Change, ConditionTime, Contribution, Duration, Effect, Expr, FluentSource, Moment, ObjectId,
    Operator, Param, Set, Value, Var,
};

use super::effect::joined;
use super::form::Form;
use super::inline::{conjuncts, inline};
use super::scope::Scope;
use super::table::is_static;
use super::tree::{Pddl, write_part};
use super::{Cannot, Exporter};

/// A single condition, with fluents that mean something written out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Needed {
    pub(super) time: ConditionTime,
    pub(super) condition: Expr,
}

impl Exporter<'_> {
    /// Writes all actions that can be written, and lists the others.
    pub(super) fn write_actions(&mut self) {
        self.choose_locks();
        self.has_costs = !self.is_temporal() && self.model.actions.values().any(|action| action.cost.is_some());
        if self.has_costs && !self.model.actions.values().all(has_whole_cost) {
            self.has_costs = false;
            let why = "planners want costs that are whole numbers; every action counts the same";
            self.leave_out("the costs of actions", why, dramaturg_model::Span::NONE);
        }
        for (id, action) in self.model.actions.iter() {
            if !self.is_visible(action.level) || !self.is_performed(action) {
                continue;
            }
            match self.action(action, &self.names.actions[id].clone()) {
                Ok(text) => {
                    self.actions.push(text);
                    self.list_parts(action);
                }
                Err(Cannot(why)) => self.leave_out(format!("the action {}", action.name), why, action.place),
            }
        }
        self.write_locks();
    }

    /// Whether the character at hand, if there is one, can perform an action.
    fn is_performed(&mut self, action: &Action) -> bool {
        let Some(character) = self.options.character else { return true };
        let performer = action.performer.and_then(|performer| action.params.get(usize::from(performer)));
        match performer {
            Some(param) => self.model.is_among(Value::Object(character), &param.choices),
            None => {
                self.leave_out(format!("the action {}", action.name), "nobody performs it", action.place);
                false
            }
        }
    }

    /// What of a written action is not written.
    fn list_parts(&mut self, action: &Action) {
        let name = &action.name;
        if let Some(question) = &action.question {
            self.leave_out(format!("the question of {name}"), "taken as answered yes", question.place);
        }
        if let Duration::Contingent(..) = action.duration
            && self.is_temporal()
        {
            let why = "the world decides how long it takes; the longest is written";
            self.leave_out(format!("the shorter durations of {name}"), why, action.place);
        }
        for condition in action.conditions.iter().filter(|condition| condition.weight.is_some()) {
            self.leave_out(
                format!("a condition of {name} that is only weighed"),
                "PDDL has no such conditions",
                condition.place,
            );
        }
        if let (true, Some(part)) = (self.is_temporal(), action.contributions.first()) {
            let why = "what it changes over time is written as one change at its end";
            self.leave_out(format!("the gradual changes of {name}"), why, part.place);
        }
    }

    fn action(&mut self, action: &Action, name: &str) -> Result<String, Cannot> {
        let mut scope = Scope::default();
        let (params, guards) = self.action_params(action, &mut scope);
        let mut needed = Vec::new();
        for part in action.conditions.iter().filter(|condition| condition.weight.is_none()) {
            for condition in conjuncts(inline(self.model, &part.condition, scope.len())?) {
                needed.push(Needed { time: part.time.clone(), condition });
            }
        }
        let effects = self.all_effects(action);
        let mut text = String::new();
        if self.is_temporal() && action.duration != Duration::Instant {
            self.durative_action(action, name, params, guards, needed, effects, scope, &mut text)?;
        } else {
            let (conditions, mut written) = self.transition(needed, effects, &mut scope)?;
            if self.has_costs {
                written.push(self.cost(action, &mut scope)?);
            }
            text.push_str(&format!("(:action {name}"));
            write_part(":parameters", &params, &mut text);
            write_part(":precondition", &Pddl::all(guards.into_iter().chain(conditions)), &mut text);
            write_part(":effect", &Pddl::all(written), &mut text);
            text.push(')');
        }
        Ok(text)
    }

    /// The parameters, and what must hold where their types do not say enough.
    fn action_params(&mut self, action: &Action, scope: &mut Scope) -> (Pddl, Vec<Pddl>) {
        let mut params = Vec::new();
        let mut guards = Vec::new();
        for (position, Param { name, choices }) in action.params.iter().enumerate() {
            let is_performer = action.performer == Some(position as u16);
            let (ty, guard) = match self.options.character.filter(|_| is_performer) {
                Some(character) => (Pddl::atom(self.character_type(character)), None),
                None => self.binder_type(choices),
            };
            let variable = scope.push_variable(name, choices);
            guards.extend(guard.map(|guard| Pddl::fact(&guard, std::slice::from_ref(&variable))));
            params.extend([Pddl::atom(variable), Pddl::atom("-"), ty]);
        }
        (Pddl::List(params), guards)
    }

    /// A type that only one object has: so the performer stays a parameter of its actions.
    pub(super) fn character_type(&mut self, character: ObjectId) -> String {
        if self.tables.character_type.is_empty() {
            let name = format!("only-{}", self.model.objects[character].name);
            self.tables.character_type = self.names.fresh(&name, "type");
        }
        self.tables.character_type.clone()
    }

    /// Everything an action changes: what is expected of others is planned like an effect at the end, what happens gradually
    /// is there at the end.
    fn all_effects(&self, action: &Action) -> Vec<Effect> {
        let mut effects = action.effects.clone();
        effects.extend(action.expectation.iter().flat_map(|expectation| &expectation.effects).cloned());
        let duration = self.known_duration(action);
        effects.extend(action.contributions.iter().map(|part| at_end(part, &duration)));
        effects.extend(self.done_effects(action));
        effects
    }

    /// The duration of an action; where nothing can change it, what it is, because not all tools read `?duration` everywhere.
    fn known_duration(&self, action: &Action) -> Expr {
        let Duration::Fixed(ticks) = &action.duration else { return Expr::StepDuration };
        let written = inline(self.model, ticks, action.params.len()).ok();
        written.filter(|ticks| is_static(self.model, ticks)).unwrap_or(Expr::StepDuration)
    }

    /// What remembers that an action was performed, unless its own effects say so already.
    fn done_effects(&self, action: &Action) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (id, fluent) in self.model.fluents.iter() {
            let FluentSource::Done(pattern) = &fluent.source else { continue };
            if let Some(effect) = done_effect(self.model, action, id, pattern) {
                effects.push(effect);
            }
        }
        effects
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one action, made in one place and used in one place")]
    fn durative_action(
        &mut self,
        action: &Action,
        name: &str,
        params: Pddl,
        guards: Vec<Pddl>,
        needed: Vec<Needed>,
        effects: Vec<Effect>,
        mut scope: Scope,
        text: &mut String,
    ) -> Result<(), Cannot> {
        let duration = self.duration(&action.duration, &mut scope)?;
        scope.has_duration = true;
        let mut conditions: Vec<Pddl> =
            guards.into_iter().map(|guard| Pddl::call("at", [Pddl::atom("start"), guard])).collect();
        for Needed { time, condition } in &needed {
            let (head, when) = match time {
                ConditionTime::Start => ("at", "start"),
                ConditionTime::Throughout => ("over", "all"),
                ConditionTime::End => ("at", "end"),
                ConditionTime::After(_) => return Err(Cannot::because("it has a condition in the middle")),
            };
            let condition = self.condition(condition, &mut scope)?;
            conditions.push(Pddl::call(head, [Pddl::atom(when), condition]));
        }
        let held = self.held(action, &mut scope)?;
        conditions.extend(held.at_start.into_iter().map(|lock| Pddl::call("at", [Pddl::atom("start"), lock])));

        let mut written: Vec<Pddl> = held.start_effects.into_iter().map(|lock| timed("start", lock)).collect();
        for effect in &effects {
            let (when, times): (&str, &[ConditionTime]) = match &effect.moment {
                Moment::Start => ("start", &[ConditionTime::Start]),
                Moment::End => ("end", &[ConditionTime::Throughout, ConditionTime::End]),
                Moment::After(_) if self.forms[effect.target.fluent] == Form::Nothing => continue,
                Moment::After(_) => return Err(Cannot::because("it changes something in the middle")),
            };
            scope.known.clear();
            for part in needed.iter().filter(|part| times.contains(&part.time)) {
                let fixed = self.fixed_by(&part.condition, &mut scope);
                scope.known.extend(fixed);
            }
            if effect.moment == Moment::End {
                let kept = self.kept_until_end(effect, &needed, &mut scope)?;
                conditions.extend(kept.into_iter().filter(|kept| !conditions.contains(kept)).collect::<Vec<_>>());
            }
            let pieces = self.effect(effect, &mut scope)?;
            written.extend(joined(pieces).into_iter().map(|effect| timed(when, effect)));
        }
        written.extend(held.end_effects.into_iter().map(|lock| timed("end", lock)));
        text.push_str(&format!("(:durative-action {name}"));
        write_part(":parameters", &params, text);
        write_part(":duration", &duration, text);
        write_part(":condition", &Pddl::call("and", conditions), text);
        write_part(":effect", &Pddl::call("and", written), text);
        text.push(')');
        Ok(())
    }

    /// The old value of what an effect sets at the end, if a condition at the start says it: it is then wanted throughout, so
    /// that the effect can delete exactly that value. That is stricter than the story, never laxer.
    fn kept_until_end(&mut self, effect: &Effect, needed: &[Needed], scope: &mut Scope) -> Result<Vec<Pddl>, Cannot> {
        let Form::Choice { .. } = self.forms[effect.target.fluent] else { return Ok(Vec::new()) };
        if !effect.binders.is_empty() {
            return Ok(Vec::new());
        }
        let mut kept = Vec::new();
        for part in needed.iter().filter(|part| part.time == ConditionTime::Start) {
            let Some(known) = self.fixed_by(&part.condition, scope) else { continue };
            let mut reads = Vec::new();
            let is_target = known.fluent == effect.target.fluent
                && self.texts(&effect.target.args, scope, &mut reads).is_ok_and(|args| args == known.args);
            if !is_target || scope.known_value(known.fluent, &known.args).is_some() {
                continue;
            }
            let condition = self.condition(&part.condition, scope)?;
            kept.push(Pddl::call("over", [Pddl::atom("all"), condition]));
            scope.known.push(known);
        }
        Ok(kept)
    }

    /// What an action costs, for classical planners.
    fn cost(&mut self, action: &Action, scope: &mut Scope) -> Result<Pddl, Cannot> {
        let cost = inline(self.model, &action.cost.clone().unwrap_or(Expr::int(1)), scope.len())?;
        let amount = match &cost {
            Expr::Value(Value::Number(number)) => Pddl::atom(number.to_string()),
            other => {
                let cannot = || Cannot::because("its cost changes");
                self.tabulated_number(other, scope).ok_or_else(cannot)?
            }
        };
        Ok(Pddl::call("increase", [Pddl::call("total-cost", []), amount]))
    }

    /// Writes predicates that are derived.
    pub(super) fn write_derived(&mut self) {
        for (id, fluent) in self.model.fluents.iter() {
            let FluentSource::Derived { rules, .. } = &fluent.source else { continue };
            let mut written = Vec::new();
            let result = rules.iter().try_for_each(|rule| {
                written.push(self.derived_rule(&fluent.params, rule, &self.names.fluents[id].clone())?);
                Ok(())
            });
            match result {
                Ok(()) => self.derived.extend(written),
                Err(Cannot(why)) => {
                    self.forms[id] = Form::Nothing;
                    self.leave_out(format!("the derived {}", self.shown(fluent)), why, fluent.place);
                }
            }
        }
    }

    fn derived_rule(&mut self, params: &[Param], rule: &Expr, name: &str) -> Result<Pddl, Cannot> {
        let mut params = params.to_vec();
        let mut parts = conjuncts(inline(self.model, rule, params.len())?);
        // A head of a narrower type was read as a condition in front.
        while let Some(Expr::In(value, Set::Choices(choices))) = parts.first() {
            let Expr::Var(Var(index)) = **value else { break };
            let Some(param) = params.get_mut(usize::from(index)) else { break };
            param.choices = choices.clone();
            parts.remove(0);
        }
        let mut scope = Scope::default();
        let mut head = Vec::new();
        let mut guards = Vec::new();
        for param in &params {
            let (ty, guard) = self.binder_type(&param.choices);
            let variable = scope.push_variable(&param.name, &param.choices);
            guards.extend(guard.map(|guard| Pddl::fact(&guard, std::slice::from_ref(&variable))));
            head.extend([Pddl::atom(variable), Pddl::atom("-"), ty]);
        }
        for part in parts {
            guards.push(self.condition(&part, &mut scope)?);
        }
        Ok(Pddl::call(":derived", [Pddl::call(name, head), Pddl::all(guards)]))
    }
}

/// A gradual change as one at the end.
fn at_end(part: &Contribution, duration: &Expr) -> Effect {
    let amount = match (&part.amount, duration) {
        (Amount::PerTick(Expr::Value(Value::Number(each))), Expr::Value(Value::Number(ticks))) => {
            Expr::number(each.multiply(*ticks))
        }
        (Amount::PerTick(each), duration) => Expr::arithmetic(Operator::Multiply, each.clone(), duration.clone()),
        (Amount::Total(all), _) => all.clone(),
    };
    Effect {
        moment: Moment::End,
        binders: part.binders.clone(),
        condition: part.condition.clone(),
        target: part.target.clone(),
        change: Change::Add(amount),
        place: part.place,
    }
}

/// The effect that remembers an action, if the pattern can be said of its parameters and nothing says it yet.
fn done_effect(
    model: &dramaturg_model::Model,
    action: &Action,
    fluent: dramaturg_model::FluentId,
    pattern: &dramaturg_model::EventPattern,
) -> Option<Effect> {
    use dramaturg_model::{EventKind, FluentRef, PatternArg};
    let is_said = action.effects.iter().any(|effect| effect.target.fluent == fluent);
    let matches = match pattern.kind {
        EventKind::Action(id) => model.actions[id].name == action.name,
        EventKind::Tag(tag) => action.tags.contains(&tag),
        _ => false,
    };
    if is_said || !matches {
        return None;
    }
    let params = &model.fluents[fluent].params;
    let mut args: Vec<Option<Expr>> = vec![None; params.len()];
    let mut condition = Vec::new();
    for (position, pattern) in pattern.args.iter().flatten().enumerate() {
        let own = Expr::Var(Var(position as u16));
        match pattern {
            PatternArg::Any => {}
            PatternArg::Is(value) => {
                condition.push(Expr::compare(dramaturg_model::Comparison::Equal, own, Expr::Value(*value)));
            }
            PatternArg::Var(Var(index)) => *args.get_mut(usize::from(*index))? = Some(own),
        }
    }
    let args: Option<Vec<Expr>> = args.into_iter().collect();
    Some(Effect {
        moment: Moment::End,
        binders: Vec::new(),
        condition: if condition.is_empty() { None } else { Some(Expr::all(condition)) },
        target: FluentRef { fluent, args: args? },
        change: Change::Set(Expr::TRUE),
        place: action.place,
    })
}

/// Whether the cost is known to be a whole number that is not negative.
fn has_whole_cost(action: &Action) -> bool {
    match &action.cost {
        None => true,
        Some(Expr::Value(Value::Number(cost))) => cost.is_int() && cost.0 >= 0,
        // A function that never changes; the reader of the other tool checks its numbers.
        Some(Expr::Fluent(..)) => true,
        Some(_) => false,
    }
}

fn timed(when: &str, said: Pddl) -> Pddl {
    Pddl::call("at", [Pddl::atom(when), said])
}

/// Whether an effect always happens, and on one fluent only.
pub(super) fn is_certain(effect: &Effect) -> bool {
    effect.binders.is_empty() && effect.condition.is_none()
}
