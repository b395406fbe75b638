//! Bodies of rules.

use dramaturg_model::{Expr, Injection, Owner, RuleId, Span, Trigger};

use super::action::Watch;
use super::effect::EffectPlace;
use super::lowering::Lowering;
use super::names::Meaning;
use super::scope::Scope;
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind};

impl Lowering {
    /// Fills in the body of a rule.
    pub(crate) fn rule(&mut self, id: RuleId, decl: &tree::RuleDecl) {
        let (params, level) = (self.model.rules[id].params.clone(), self.model.rules[id].level);
        let name = self.model.rules[id].name.clone();
        let mut scope = self.scope_of(level, &decl.head.params, &params, &name);
        let mut rule = self.model.rules[id].clone();
        let mut watch = Watch::default();
        let mut trigger: Option<Span> = None;
        let takes = decl.body.clauses.iter().find_map(|clause| match &clause.kind {
            ClauseKind::Takes(_, most) => Some((clause.span, most.is_some())),
            _ => None,
        });
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::When(condition, then) => {
                    trigger = Some(clause.word);
                    let condition = self.condition(&mut scope, condition);
                    let then = then.as_ref().map(|then| self.condition(&mut scope, then));
                    rule.trigger = Trigger::When(condition, then);
                }
                ClauseKind::While(condition) => {
                    trigger = Some(clause.word);
                    rule.trigger = Trigger::While(self.condition(&mut scope, condition));
                }
                ClauseKind::After(event, then) => {
                    trigger = Some(clause.word);
                    let pattern = self.pattern(&mut scope, event);
                    let then = then.as_ref().map(|then| self.condition(&mut scope, then));
                    rule.trigger = match pattern {
                        Some(pattern) => Trigger::After(pattern, then),
                        None => Trigger::When(Expr::FALSE, None),
                    };
                }
                ClauseKind::Takes(least, most) => rule.duration = Some(self.takes(&mut scope, least, most.as_ref())),
                ClauseKind::Then(effects) => rule.effects.extend(self.effects(&mut scope, effects, &EffectPlace::END)),
                ClauseKind::During(_) => {}
                ClauseKind::Reads(paths, every) => {
                    rule.reads = Some(self.reads(&mut scope, paths, every.as_ref(), clause.span));
                }
                ClauseKind::Say { speaker, lines, anchor, condition } => {
                    let words = (speaker.as_ref(), lines.as_slice());
                    let say = self.say(&mut scope, words, anchor.as_ref(), condition.as_ref(), clause.span);
                    rule.says.push(say);
                }
                ClauseKind::Inject(who, wishes, condition) => {
                    let injection = self.injection(&mut scope, id, (who, wishes, condition.as_ref()), clause.span);
                    rule.injections.extend(injection);
                }
                _ => self.watch_clause(&mut scope, clause, &mut watch),
            }
        }
        // One with a moment and no time is reported for that.
        let endless = takes.is_none() && matches!(rule.trigger, Trigger::While(_) | Trigger::Always);
        let contingent = takes.filter(|(_, contingent)| *contingent).map(|(span, _)| span);
        for clause in &decl.body.clauses {
            if let ClauseKind::During(effects) = &clause.kind {
                rule.contributions.extend(self.contributions(&mut scope, effects, contingent, endless));
            }
        }
        rule.expectation = watch.finish(self, takes.is_some());
        if !self.is_item_faulty() {
            self.check_moment(&rule.trigger, trigger.unwrap_or(Span::NONE), &decl.body.clauses);
        }
        self.report_unused(&scope, 0);
        self.model.rules[id] = rule;
    }

    /// `while` and no trigger at all have only contributions and readings; the others need time for contributions.
    fn check_moment(&mut self, trigger: &Trigger, place: Span, clauses: &[tree::Clause]) {
        let lasts = matches!(trigger, Trigger::While(_) | Trigger::Always);
        let takes = clauses.iter().any(|clause| matches!(clause.kind, ClauseKind::Takes(..)));
        let wrong = clauses.iter().find(|clause| match &clause.kind {
            ClauseKind::During(_) => !lasts && !takes,
            ClauseKind::Reads(..) | ClauseKind::When(..) | ClauseKind::While(_) | ClauseKind::After(..) => false,
            _ => lasts,
        });
        match wrong {
            Some(clause) if lasts => self.report(diagnostics::clause_not_here::no_moment(clause.word, place)),
            Some(clause) => self.report(diagnostics::clause_not_here::no_duration(clause.word, place)),
            None => {}
        }
    }

    fn injection(
        &mut self,
        scope: &mut Scope,
        rule: RuleId,
        (who, wishes, condition): (&tree::Ident, &[tree::Wish], Option<&tree::Expr>),
        place: Span,
    ) -> Option<Injection> {
        let character = match scope.using(&who.text) {
            Some((var, _)) => Expr::Var(var),
            None => {
                let object = |meaning| matches!(meaning, Meaning::Object(_));
                let declared = self.meaning(who, scope.level, "a character", object)?;
                let Meaning::Object(object) = declared.meaning else { return None };
                if !self.characters.contains_key(&object) {
                    let word = self.object_words.get(&declared.span).copied();
                    let report = diagnostics::not_a_character::diagnostic(who.span, &who.text, declared.span, word);
                    self.report(report);
                    return None;
                }
                Expr::Value(dramaturg_model::Value::Object(object))
            }
        };
        let wishes = wishes.iter().filter_map(|wish| self.wish(scope, wish, Owner::Injected(rule))).collect();
        let condition = condition.map(|condition| self.condition(scope, condition));
        Some(Injection { character, wishes, condition, place })
    }
}
