//! Bodies of actions.

use dramaturg_model::{
    ActionId, Asked, Comparison, ConditionTime, Duration, Expectation, Expr, LatePolicy, Moment, Question, Reading,
    Span, TimedCondition, Use, UseTarget, Var,
};

use super::effect::EffectPlace;
use super::lowering::Lowering;
use super::names::Meaning;
use super::path::Target;
use super::scope::Scope;
use super::ty::choices_meet;
use crate::diagnostics;
use crate::syntax::tree::{self, Ask, Clause, ClauseKind};

/// The parts of an expectation, gathered from several clauses.
#[derive(Default)]
pub(crate) struct Watch {
    expect: Option<(Vec<dramaturg_model::Effect>, Span)>,
    check_every: Option<Expr>,
    extend: Option<(u32, Expr)>,
    otherwise: Vec<dramaturg_model::Effect>,
    /// Where something is written that makes sense only with `expect`.
    stray: Option<Span>,
}

impl Watch {
    /// The expectation, if something is expected.
    pub(crate) fn finish(self, lowering: &mut Lowering, takes: bool) -> Option<Expectation> {
        let faulty = lowering.is_item_faulty();
        match self.expect {
            Some((effects, span)) => {
                if !takes && !faulty {
                    lowering.report(diagnostics::endless_wait::diagnostic(span));
                }
                let (check_every, extend, otherwise) = (self.check_every, self.extend, self.otherwise);
                Some(Expectation { effects, check_every, extend, otherwise })
            }
            None => {
                if let Some(span) = self.stray.filter(|_| !faulty) {
                    lowering.report(diagnostics::clause_not_here::without_expect(span));
                }
                None
            }
        }
    }
}

impl Lowering {
    /// Fills in the body of an action.
    pub(crate) fn action(&mut self, id: ActionId, decl: &tree::ActionDecl) {
        let (params, level) = (self.model.actions[id].params.clone(), self.model.actions[id].level);
        let name = self.model.actions[id].name.clone();
        let mut scope = self.scope_of(level, &decl.head.params, &params, &name);
        let performer = decl.by.as_ref().and_then(|name| self.participant(&mut scope, name));
        let participants: Vec<u16> = decl.with.iter().filter_map(|name| self.participant(&mut scope, name)).collect();
        let mut action = self.model.actions[id].clone();
        (action.performer, action.participants) = (performer, participants);
        action.layer = decl.layer.as_ref().and_then(|name| {
            let found = self.meaning(name, level, "a layer", |meaning| matches!(meaning, Meaning::Layer(_)))?;
            match found.meaning {
                Meaning::Layer(layer) => Some(layer),
                _ => None,
            }
        });
        self.keep_apart(&mut action, &decl.head);
        let takes = decl.body.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Takes(_, most) => Some((clause.span, most.is_some())),
            _ => None,
        });
        let contingent = takes.filter(|(_, contingent)| *contingent).map(|(span, _)| span);
        let mut watch = Watch::default();
        for clause in &decl.body.clauses {
            self.action_clause(&mut scope, &mut action, clause, contingent, &mut watch);
        }
        action.expectation = watch.finish(self, takes.is_some());
        self.occupy(&mut action, &decl.head);
        self.report_unused(&scope, 0);
        self.model.actions[id] = action;
    }

    /// A parameter that performs or takes part.
    fn participant(&mut self, scope: &mut Scope, name: &tree::Ident) -> Option<u16> {
        match scope.using(&name.text) {
            Some((var, _)) => Some(var.0),
            None => {
                let params: Vec<&str> = scope.variables.iter().map(|variable| variable.name.as_str()).collect();
                let report = diagnostics::unknown_performer::diagnostic(name.span, &name.text, &params);
                self.report(report);
                None
            }
        }
    }

    /// Performer and participants are different objects.
    fn keep_apart(&mut self, action: &mut dramaturg_model::Action, head: &tree::Head) {
        let involved: Vec<u16> = action.performer.iter().chain(&action.participants).copied().collect();
        for (index, first) in involved.iter().enumerate() {
            for second in involved.iter().skip(index + 1) {
                let choices = |param: &u16| action.params.get(usize::from(*param)).map(|param| &param.choices);
                let (Some(one), Some(other)) = (choices(first), choices(second)) else { continue };
                if choices_meet(&self.model, one, other) {
                    let apart = Expr::compare(Comparison::NotEqual, Expr::Var(Var(*first)), Expr::Var(Var(*second)));
                    let (time, place) = (ConditionTime::Start, head.name.span);
                    action.conditions.push(TimedCondition { time, condition: apart, weight: None, place });
                }
            }
        }
    }

    /// Performer and participants are occupied as a whole, unless actuators of theirs are listed.
    fn occupy(&mut self, action: &mut dramaturg_model::Action, head: &tree::Head) {
        let involved: Vec<u16> = action.performer.iter().chain(&action.participants).copied().collect();
        for param in involved {
            let itself = Expr::Var(Var(param));
            let listed = action.uses.iter().any(|held| match &held.target {
                UseTarget::Actuator(_, args) => args.first() == Some(&itself),
                UseTarget::Whole(object) => *object == itself,
            });
            if !listed {
                let target = UseTarget::Whole(itself);
                let place = head.name.span;
                action.uses.push(Use { target, amount: 1, from: Moment::Start, to: Moment::End, place });
            }
        }
    }

    fn action_clause(
        &mut self,
        scope: &mut Scope,
        action: &mut dramaturg_model::Action,
        clause: &Clause,
        contingent: Option<Span>,
        watch: &mut Watch,
    ) {
        match &clause.kind {
            ClauseKind::Takes(least, most) => action.duration = self.takes(scope, least, most.as_ref()),
            ClauseKind::Needs(condition, anchor) => {
                let time = self.condition_time(scope, anchor.as_ref());
                let condition = self.condition(scope, condition);
                action.conditions.push(TimedCondition { time, condition, weight: None, place: clause.span });
            }
            ClauseKind::Keeps(condition) => {
                let condition = self.condition(scope, condition);
                let time = ConditionTime::Throughout;
                action.conditions.push(TimedCondition { time, condition, weight: None, place: clause.span });
            }
            ClauseKind::Wish(wish) => self.soft_need(scope, action, wish),
            ClauseKind::Uses(holds) => action.uses = self.uses(scope, holds),
            ClauseKind::Then(effects) => action.effects.extend(self.effects(scope, effects, &EffectPlace::END)),
            ClauseKind::During(effects) => {
                action.contributions.extend(self.contributions(scope, effects, contingent, false));
            }
            ClauseKind::Reads(paths, every) => {
                action.reads = Some(self.reads(scope, paths, every.as_ref(), clause.span))
            }
            ClauseKind::Ask(ask) => {
                let Ask { game, line, condition, answers, within } = &**ask;
                let text = line.as_ref().map(|line| self.text(scope, line, "ask"));
                let condition = condition.as_ref().map(|condition| self.condition(scope, condition));
                let answers = answers
                    .iter()
                    .map(|(name, line)| (self.symbol(&name.text), self.text(scope, line, "answers")))
                    .collect();
                let within =
                    within.as_ref().map(|(time, name)| (self.duration_expr(scope, time), self.symbol(&name.text)));
                let asked = if *game { Asked::Game } else { Asked::Player };
                action.question = Some(Question { asked, text, condition, answers, within, place: clause.span });
            }
            ClauseKind::Say { speaker, lines, anchor, condition } => {
                let words = (speaker.as_ref(), lines.as_slice());
                let say = self.say(scope, words, anchor.as_ref(), condition.as_ref(), clause.span);
                action.says.push(say);
            }
            ClauseKind::Costs(tag, cost) => {
                if let Some(tag) = tag {
                    self.report(diagnostics::clause_not_here::scaled_cost(tag.name.span));
                }
                action.cost = Some(self.number_expr(scope, cost));
            }
            ClauseKind::Late(late) => {
                action.late = match late {
                    tree::Late::Drop => LatePolicy::Drop,
                    tree::Late::Retime => LatePolicy::Retime,
                    tree::Late::UpTo(time) => LatePolicy::UpTo(self.duration_expr(scope, time)),
                };
            }
            _ => self.watch_clause(scope, clause, watch),
        }
    }

    /// `expect`, `otherwise`, `check`, `extend`: the same in actions and rules.
    pub(crate) fn watch_clause(&mut self, scope: &mut Scope, clause: &Clause, watch: &mut Watch) {
        match &clause.kind {
            ClauseKind::Expect(effects) => {
                let effects = self.effects(scope, effects, &EffectPlace::END);
                watch.expect = Some((effects, clause.span));
            }
            ClauseKind::Otherwise(effects) => {
                watch.otherwise.extend(self.effects(scope, effects, &EffectPlace::END));
                watch.stray = watch.stray.or(Some(clause.word));
            }
            ClauseKind::Check(every) => {
                watch.check_every = Some(self.duration_expr(scope, every));
                watch.stray = watch.stray.or(Some(clause.word));
            }
            ClauseKind::Extend(times, by) => {
                let count = u32::try_from(times.value.floor_int()).unwrap_or(0);
                watch.extend = Some((count, self.duration_expr(scope, by)));
                watch.stray = watch.stray.or(Some(clause.word));
            }
            _ => {}
        }
    }

    /// When a `needs` must hold.
    pub(crate) fn condition_time(&mut self, scope: &mut Scope, anchor: Option<&tree::Anchor>) -> ConditionTime {
        match anchor {
            None | Some(tree::Anchor::Start(_)) => ConditionTime::Start,
            Some(tree::Anchor::End(_)) => ConditionTime::End,
            Some(tree::Anchor::After(delay)) => ConditionTime::After(self.duration_expr(scope, delay)),
        }
    }

    /// How long something takes.
    pub(crate) fn takes(&mut self, scope: &mut Scope, least: &tree::Expr, most: Option<&tree::Expr>) -> Duration {
        let least = self.duration_expr(scope, least);
        match most {
            Some(most) => Duration::Contingent(least, self.duration_expr(scope, most)),
            None => Duration::Fixed(least),
        }
    }

    /// `prefer C weight n` in an action: a soft need.
    fn soft_need(&mut self, scope: &mut Scope, action: &mut dramaturg_model::Action, wish: &tree::Wish) {
        let tree::WishKind::Prefer(tree::Liking::Holds(condition), weight) = &wish.kind else {
            self.report(diagnostics::clause_not_here::only_conditions(wish.span));
            return;
        };
        let condition = self.condition(scope, condition);
        let condition = match &wish.condition {
            Some(when) => Expr::Or(vec![self.condition(scope, when).negate(), condition]),
            None => condition,
        };
        let weight = weight.as_ref().map_or(Expr::int(1), |weight| self.number_expr(scope, weight));
        let time = ConditionTime::Start;
        action.conditions.push(TimedCondition { time, condition, weight: Some(weight), place: wish.span });
    }

    /// Actuators held.
    pub(crate) fn uses(&mut self, scope: &mut Scope, holds: &[tree::Hold]) -> Vec<Use> {
        let mut uses: Vec<Use> = Vec::new();
        for hold in holds {
            let amount = hold.amount.map_or(1, |number| number.value.floor_int().max(1));
            let (from, to) = match &hold.window {
                Some((from, to)) => (self.moment(scope, from), self.moment(scope, to)),
                None => (Moment::Start, Moment::End),
            };
            let target = match self.target(scope, &hold.path) {
                Some(Target::Actuator(actuator, args)) => {
                    let declared = &self.model.actuators[actuator];
                    let same = |held: &&Use| matches!(&held.target, UseTarget::Actuator(other, others) if *other == actuator && *others == args);
                    let whole = from == Moment::Start && to == Moment::End;
                    let others: i64 = uses.iter().filter(same).filter(|_| whole).map(|held| held.amount).sum();
                    if amount + others > declared.capacity {
                        let (name, capacity, place) = (declared.name.clone(), declared.capacity, declared.place);
                        let report =
                            diagnostics::too_many_hands::diagnostic(hold.span, &name, amount + others, capacity, place);
                        self.report(report);
                    }
                    UseTarget::Actuator(actuator, args)
                }
                Some(Target::Fluent(reference)) => {
                    let place = self.model.fluents[reference.fluent].place;
                    let report = diagnostics::wrong_type::declared(hold.path.span, "an actuator", "a fluent", place);
                    self.report(report.hint("declare it as an actuator: `hands: actuator 2`"));
                    continue;
                }
                None => continue,
            };
            uses.push(Use { target, amount, from, to, place: hold.span });
        }
        uses
    }

    /// Fluents observed.
    pub(crate) fn reads(
        &mut self,
        scope: &mut Scope,
        paths: &[tree::Path],
        every: Option<&tree::Expr>,
        place: Span,
    ) -> Reading {
        let fluents = paths.iter().filter_map(|path| self.settable(scope, path)).collect();
        let every = every.map(|every| self.duration_expr(scope, every));
        Reading { fluents, every, place }
    }
}
