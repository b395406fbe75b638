//! Patterns of events, and the hidden fluents behind `done`.

use dramaturg_model::{
    Change, Effect, EventKind, EventPattern, Expr, Fluent, FluentId, FluentRef, FluentSource, MethodStep, Moment,
    Param, PatternArg, Set, Span, TagId, Value, Var,
};
use smol_str::SmolStr;

use super::lowering::Lowering;
use super::names::Meaning;
use super::scope::Scope;
use super::ty::choices_within;
use crate::diagnostics;
use crate::syntax::tree::{self, Event, ExprKind};

impl Lowering {
    /// A pattern of what may happen.
    pub(crate) fn pattern(&mut self, scope: &mut Scope, event: &Event) -> Option<EventPattern> {
        let (name, member, arguments) = match &event.kind {
            tree::EventKind::Tag(tag) => {
                let tag = self.known_tag(tag)?;
                return Some(EventPattern { kind: EventKind::Tag(tag), args: None });
            }
            tree::EventKind::Named { name, member, arguments } => (name, member.as_ref(), arguments.as_deref()),
        };
        let happens = |meaning| {
            matches!(
                meaning,
                Meaning::Action(_)
                    | Meaning::Task(_)
                    | Meaning::Rule(_)
                    | Meaning::Milestone(_)
                    | Meaning::Ending(_)
                    | Meaning::Pool(_)
            )
        };
        let declared = self.meaning(name, scope.level, "something that happens", happens)?;
        let kind = self.event_kind(declared.meaning, name, member)?;
        let params = self.event_params(kind);
        let args = match arguments {
            None => None,
            Some(arguments) if arguments.len() != params.len() => {
                let (wanted, found) = (params.len(), arguments.len());
                let report = diagnostics::wrong_count::diagnostic(event.span, &name.text, wanted, found, declared.span);
                self.report(report);
                return None;
            }
            Some(arguments) => {
                let pairs = params.iter().zip(arguments);
                Some(pairs.map(|(param, argument)| self.pattern_arg(scope, param, argument, declared.span)).collect())
            }
        };
        Some(EventPattern { kind, args })
    }

    fn event_kind(&mut self, meaning: Meaning, name: &tree::Ident, member: Option<&tree::Ident>) -> Option<EventKind> {
        match (meaning, member) {
            (Meaning::Action(action), None) => Some(EventKind::Action(action)),
            (Meaning::Task(task), None) => Some(EventKind::Task(task)),
            (Meaning::Rule(rule), None) => Some(EventKind::Rule(rule)),
            (Meaning::Milestone(milestone), None) => Some(EventKind::Milestone(milestone)),
            (Meaning::Ending(ending), None) => Some(EventKind::Ending(ending)),
            (Meaning::Task(task), Some(method)) => {
                let names = self.method_names.get(&task).cloned().unwrap_or_default();
                let index = names.iter().position(|known| known.as_ref() == Some(&method.text));
                if index.is_none() {
                    let known = names.iter().flatten().map(SmolStr::as_str);
                    let near = super::names::nearest(&method.text, known).map(str::to_owned);
                    let report = diagnostics::unknown_name::diagnostic(
                        method.span,
                        &method.text,
                        &format!("a method of `{}`", name.text),
                        near.as_deref(),
                    );
                    self.report(report);
                }
                index.map(|index| EventKind::Method(task, index as u16))
            }
            (Meaning::Pool(pool), Some(member)) => {
                let pool = &self.model.pools[pool];
                match member.text.as_str() {
                    "anchor" => Some(EventKind::Action(pool.anchor)),
                    "reanchor" => Some(EventKind::Action(pool.reanchor)),
                    "commit" if pool.commit.is_some() => pool.commit.map(EventKind::Rule),
                    _ => {
                        let wanted = "`anchor`, `reanchor` or `commit`";
                        let near = super::names::nearest(&member.text, ["anchor", "reanchor", "commit"].into_iter());
                        let report = diagnostics::unknown_name::diagnostic(member.span, &member.text, wanted, near);
                        self.report(report);
                        None
                    }
                }
            }
            (Meaning::Pool(pool), None) => {
                let place = self.model.pools[pool].place;
                let report = diagnostics::wrong_type::declared(name.span, "something that happens", "a pool", place);
                self.report(report.hint(format!("write `{}.anchor`, `.reanchor` or `.commit`", name.text)));
                None
            }
            (_, Some(member)) => {
                let wanted = "no member here: only tasks have methods and pools have anchors";
                self.report(diagnostics::unknown_name::diagnostic(member.span, &member.text, wanted, None));
                None
            }
            _ => None,
        }
    }

    /// The parameters of what happens.
    pub(crate) fn event_params(&self, kind: EventKind) -> Vec<Param> {
        match kind {
            EventKind::Action(action) => self.model.actions[action].params.clone(),
            EventKind::Task(task) | EventKind::Method(task, _) => self.model.tasks[task].params.clone(),
            EventKind::Rule(rule) => self.model.rules[rule].params.clone(),
            EventKind::Tag(_) | EventKind::Milestone(_) | EventKind::Ending(_) => Vec::new(),
        }
    }

    fn pattern_arg(&mut self, scope: &mut Scope, param: &Param, argument: &tree::Expr, declared: Span) -> PatternArg {
        if argument.kind == ExprKind::Wildcard {
            return PatternArg::Any;
        }
        let wanted = super::ty::Ty::of_choices(&param.choices);
        match self.typed(scope, argument, &wanted, declared) {
            Expr::Var(var) => PatternArg::Var(var),
            Expr::Value(Value::Nothing) => PatternArg::Any,
            Expr::Value(value) => PatternArg::Is(value),
            _ => {
                let report = diagnostics::wrong_type::diagnostic(
                    argument.span,
                    "an object, a parameter or `_`",
                    "something computed",
                    declared,
                );
                self.report(report);
                PatternArg::Any
            }
        }
    }

    /// `done X` as a hidden fluent that the end of X sets.
    pub(crate) fn done(&mut self, scope: &mut Scope, event: &Event) -> Expr {
        let Some(pattern) = self.pattern(scope, event) else { return Expr::FALSE };
        // The variables that stand in the pattern become the parameters of the fluent.
        let mut outer: Vec<Var> = Vec::new();
        let args = pattern.args.map(|args| {
            args.into_iter()
                .map(|arg| match arg {
                    PatternArg::Var(var) => {
                        let index = outer.iter().position(|known| *known == var).unwrap_or_else(|| {
                            outer.push(var);
                            outer.len() - 1
                        });
                        PatternArg::Var(Var(index as u16))
                    }
                    other => other,
                })
                .collect::<Vec<_>>()
        });
        let pattern = EventPattern { kind: pattern.kind, args };
        let params: Vec<Param> = outer
            .iter()
            .filter_map(|var| scope.variables.get(usize::from(var.0)))
            .map(|variable| Param { name: variable.name.clone(), choices: variable.choices.clone() })
            .collect();
        let fluent = self.done_fluent(pattern, params, event.span);
        Expr::Fluent(fluent, outer.into_iter().map(Expr::Var).collect())
    }

    fn done_fluent(&mut self, pattern: EventPattern, params: Vec<Param>, place: Span) -> FluentId {
        if let Some(fluent) = self.done.get(&pattern) {
            // Another place may bind the same pattern over other types; the fluent must hold for both.
            let known = &mut self.model.fluents[*fluent];
            for (param, other) in known.params.iter_mut().zip(&params) {
                for ty in &other.choices.types {
                    if !param.choices.types.contains(ty) {
                        param.choices.types.push(*ty);
                    }
                }
            }
            return *fluent;
        }
        let name = SmolStr::from(self.pattern_name(&pattern));
        let fluent = self.model.fluents.push(Fluent {
            name,
            attribute_of: None,
            params,
            domain: dramaturg_model::Domain::Bool,
            default: Some(Value::Bool(false)),
            source: FluentSource::Done(pattern.clone()),
            is_static: false,
            level: None,
            place,
            doc: None,
        });
        self.done.insert(pattern, fluent);
        fluent
    }

    /// `done.kill(_, hector)`: how a hidden fluent is shown.
    fn pattern_name(&self, pattern: &EventPattern) -> String {
        let name = match pattern.kind {
            EventKind::Tag(tag) => format!("#{}", self.model.tags[tag]),
            EventKind::Action(action) => self.model.actions[action].name.to_string(),
            EventKind::Task(task) => self.model.tasks[task].name.to_string(),
            EventKind::Method(task, method) => {
                let names = self.method_names.get(&task);
                let method = names.and_then(|names| names.get(usize::from(method))).cloned().flatten();
                format!("{}.{}", self.model.tasks[task].name, method.unwrap_or_default())
            }
            EventKind::Rule(rule) => self.model.rules[rule].name.to_string(),
            EventKind::Milestone(milestone) => self.model.milestones[milestone].name.to_string(),
            EventKind::Ending(ending) => self.model.endings[ending].name.to_string(),
        };
        let args: Vec<String> = pattern
            .args
            .iter()
            .flatten()
            .map(|arg| match arg {
                PatternArg::Any => "_".to_owned(),
                PatternArg::Is(value) => self.model.value_name(*value).to_string(),
                PatternArg::Var(var) => format!("${}", var.0),
            })
            .collect();
        if args.is_empty() { format!("done {name}") } else { format!("done {name}({})", args.join(", ")) }
    }

    /// Adds to everything that a `done` watches the effect that sets its fluent.
    pub(crate) fn watch_done(&mut self) {
        let mut watched: Vec<(FluentId, EventPattern)> =
            self.done.iter().map(|(pattern, fluent)| (*fluent, pattern.clone())).collect();
        watched.sort_unstable_by_key(|(fluent, _)| *fluent);
        for (fluent, pattern) in watched {
            match pattern.kind {
                EventKind::Tag(tag) => self.watch_tag(fluent, tag),
                EventKind::Action(action) => {
                    let params = self.model.actions[action].params.clone();
                    let effect = self.done_effect(fluent, &pattern, &params);
                    self.model.actions[action].effects.push(effect);
                }
                EventKind::Task(task) => {
                    let params = self.model.tasks[task].params.clone();
                    let effect = self.done_effect(fluent, &pattern, &params);
                    let effect = at_once(effect);
                    for method in &mut self.model.tasks[task].methods {
                        method.steps.push(MethodStep::Then(vec![effect.clone()]));
                    }
                }
                EventKind::Method(task, index) => {
                    let params = self.model.tasks[task].params.clone();
                    let effect = self.done_effect(fluent, &pattern, &params);
                    if let Some(method) = self.model.tasks[task].methods.get_mut(usize::from(index)) {
                        method.steps.push(MethodStep::Then(vec![at_once(effect)]));
                    }
                }
                EventKind::Rule(rule) => {
                    let params = self.model.rules[rule].params.clone();
                    let effect = self.done_effect(fluent, &pattern, &params);
                    self.model.rules[rule].effects.push(effect);
                }
                EventKind::Milestone(milestone) => {
                    let effect = self.done_effect(fluent, &pattern, &[]);
                    self.model.milestones[milestone].effects.push(at_once(effect));
                }
                EventKind::Ending(ending) => {
                    let effect = self.done_effect(fluent, &pattern, &[]);
                    self.model.endings[ending].effects.push(at_once(effect));
                }
            }
        }
    }

    fn watch_tag(&mut self, fluent: FluentId, tag: TagId) {
        let pattern = EventPattern { kind: EventKind::Tag(tag), args: None };
        let effect = self.done_effect(fluent, &pattern, &[]);
        for action in self.model.actions.values_mut().filter(|action| action.tags.contains(&tag)) {
            action.effects.push(effect.clone());
        }
        let effect = at_once(effect);
        for task in self.model.tasks.values_mut().filter(|task| task.tags.contains(&tag)) {
            for method in &mut task.methods {
                method.steps.push(MethodStep::Then(vec![effect.clone()]));
            }
        }
    }

    /// Sets the fluent if the arguments match: the parameters of what happens are the variables.
    fn done_effect(&self, fluent: FluentId, pattern: &EventPattern, params: &[Param]) -> Effect {
        let declared = &self.model.fluents[fluent];
        let mut conditions = Vec::new();
        let mut targets: Vec<Option<Expr>> = vec![None; declared.params.len()];
        for (index, (arg, param)) in pattern.args.iter().flatten().zip(params).enumerate() {
            let here = Expr::Var(Var(index as u16));
            match arg {
                PatternArg::Any => {}
                PatternArg::Is(value) => {
                    conditions.push(Expr::compare(dramaturg_model::Comparison::Equal, here, Expr::Value(*value)));
                }
                PatternArg::Var(var) => {
                    let Some(slot) = targets.get_mut(usize::from(var.0)) else { continue };
                    match slot {
                        Some(first) => {
                            let same = Expr::compare(dramaturg_model::Comparison::Equal, here, first.clone());
                            conditions.push(same);
                        }
                        None => {
                            let wanted = declared.params.get(usize::from(var.0)).map(|param| &param.choices);
                            if let Some(wanted) =
                                wanted.filter(|wanted| !choices_within(&self.model, &param.choices, wanted))
                            {
                                conditions.push(Expr::In(Box::new(here.clone()), Set::Choices(wanted.clone())));
                            }
                            *slot = Some(here);
                        }
                    }
                }
            }
        }
        Effect {
            moment: Moment::End,
            binders: Vec::new(),
            condition: (!conditions.is_empty()).then(|| Expr::all(conditions)),
            target: FluentRef { fluent, args: targets.into_iter().flatten().collect() },
            change: Change::Set(Expr::TRUE),
            place: declared.place,
        }
    }
}

/// The same effect in something that takes no time, where all effects come at the start.
fn at_once(effect: Effect) -> Effect {
    Effect { moment: Moment::Start, ..effect }
}
