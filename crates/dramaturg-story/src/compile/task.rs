//! Bodies of tasks.

use dramaturg_model::{Method, MethodStep, Moment, Offer, Span, TaskId};

use super::effect::EffectPlace;
use super::lowering::Lowering;
use super::names::Meaning;
use super::scope::Scope;
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind};

impl Lowering {
    /// Fills in the body of a task.
    pub(crate) fn task(&mut self, id: TaskId, decl: &tree::TaskDecl) {
        let (params, level) = (self.model.tasks[id].params.clone(), self.model.tasks[id].level);
        let name = self.model.tasks[id].name.clone();
        let mut scope = self.scope_of(level, &decl.head.params, &params, &name);
        let mut task = self.model.tasks[id].clone();
        let mut names: Vec<(smol_str::SmolStr, Span)> = Vec::new();
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::Needs(condition, anchor) => {
                    self.refuse_time(anchor.as_ref(), clause.span);
                    task.needs.push(self.condition(&mut scope, condition));
                }
                ClauseKind::Offer(line, condition) => {
                    let text = self.text(&mut scope, line, "offer");
                    let condition = condition.as_ref().map(|condition| self.condition(&mut scope, condition));
                    task.offers.push(Offer { text, condition });
                }
                ClauseKind::Method(name, condition, body) => {
                    if let Some(name) = name {
                        match names.iter().find(|(known, _)| *known == name.text) {
                            Some((_, first)) => {
                                let report = diagnostics::duplicate_name::diagnostic(name.span, &name.text, *first);
                                self.report(report);
                            }
                            None => names.push((name.text.clone(), name.span)),
                        }
                    }
                    let method = self.method(&mut scope, name.as_ref(), condition.as_ref(), body, clause.word);
                    task.methods.push(method);
                }
                ClauseKind::Costs(tag, cost) => {
                    if let Some(tag) = tag {
                        self.report(diagnostics::clause_not_here::scaled_cost(tag.name.span));
                    }
                    task.cost = Some(self.number_expr(&mut scope, cost));
                }
                ClauseKind::Fills => task.fills = true,
                _ => {}
            }
        }
        self.report_unused(&scope, 0);
        self.model.tasks[id] = task;
    }

    /// Reports `at …` where nothing takes time.
    pub(crate) fn refuse_time(&mut self, anchor: Option<&tree::Anchor>, span: Span) {
        if anchor.is_some() {
            self.report(diagnostics::clause_not_here::no_time(span));
        }
    }

    fn method(
        &mut self,
        scope: &mut Scope,
        name: Option<&tree::Ident>,
        condition: Option<&tree::Expr>,
        body: &tree::Body,
        place: Span,
    ) -> Method {
        let condition = condition.map(|condition| self.condition(scope, condition));
        let mut steps = Vec::new();
        let mut cost = None;
        let now = EffectPlace { moment: Moment::Start, pool: None };
        for clause in &body.clauses {
            match &clause.kind {
                ClauseKind::Say { speaker, lines, anchor, condition } => {
                    self.refuse_time(anchor.as_ref(), clause.span);
                    let words = (speaker.as_ref(), lines.as_slice());
                    let say = self.say(scope, words, None, condition.as_ref(), clause.span);
                    steps.push(MethodStep::Say(say));
                }
                ClauseKind::Then(effects) => {
                    self.refuse_time(effects.anchor.as_ref(), clause.span);
                    steps.push(MethodStep::Then(self.effects(scope, effects, &now)));
                }
                ClauseKind::Do(path) => steps.extend(self.call_step(scope, path)),
                ClauseKind::Costs(tag, amount) => {
                    if let Some(tag) = tag {
                        self.report(diagnostics::clause_not_here::scaled_cost(tag.name.span));
                    }
                    cost = Some(self.number_expr(scope, amount));
                }
                _ => {}
            }
        }
        Method { name: name.map(|name| name.text.clone()), condition, steps, cost, place }
    }

    /// `do task(…)` or `do action(…)`.
    fn call_step(&mut self, scope: &mut Scope, path: &tree::Path) -> Option<MethodStep> {
        let arguments = path.arguments.as_deref().unwrap_or(&[]);
        let accept = |meaning| matches!(meaning, Meaning::Task(_) | Meaning::Action(_) | Meaning::Pool(_));
        let declared = self.meaning(&path.name, scope.level, "a task or an action", accept)?;
        let action = match (declared.meaning, path.attributes.as_slice()) {
            (Meaning::Task(task), []) => {
                let params = self.model.tasks[task].params.clone();
                let args = self.arguments(scope, &path.name.text, &params, arguments, path.span, declared.span)?;
                return Some(MethodStep::DoTask(task, args, path.span));
            }
            (Meaning::Action(action), []) => action,
            (_, attributes) => {
                let span = attributes.first().map_or(path.span, |attribute| attribute.span);
                let name = attributes.first().map_or("", |attribute| attribute.text.as_str());
                let report = diagnostics::unknown_name::diagnostic(span, name, "a task or an action", None);
                self.report(report);
                return None;
            }
        };
        let params = self.model.actions[action].params.clone();
        let args = self.arguments(scope, &path.name.text, &params, arguments, path.span, declared.span)?;
        Some(MethodStep::DoAction(action, args, path.span))
    }
}
