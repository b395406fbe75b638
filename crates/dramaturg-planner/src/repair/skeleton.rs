//! A first plan by search: a chain of steps that repairing alone would find slowly.

use std::sync::Arc;

use dramaturg_model::Tick;

use super::aims::{Aim, Want};
use super::repertoire::{FormId, Repertoire};
use crate::ground::{Condition, Conjunction, GroundChange, GroundEffect, GroundTrigger, Literal, OperatorId, Problem};
use crate::packed::PackedState;
use crate::planner::Budget;
use crate::search::{BestFirst, BestFirstOptions, Guide, Outcome, Target};

/// No more states than this are looked at.
const STATES_MAX: usize = 20_000;

/// What a rule asks for may come from another rule, so many times.
const RULES_MAX: u32 = 4;

/// A search for a chain of steps that leads to all that is required and missing.
pub(crate) struct Skeleton {
    search: BestFirst,
    /// When the chain begins.
    pub(crate) tick: Tick,
}

impl Skeleton {
    /// Begins to search from the state at a tick; none if nothing is missing that steps could bring about. What only a rule brings about, perhaps
    /// with time, which stands still in a search, is looked for by what that rule asks for.
    pub(crate) fn new(repertoire: &Repertoire, aims: &[Aim], tick: Tick, from: &PackedState) -> Option<Self> {
        let problem = Arc::clone(&repertoire.problem);
        let missing = aims.iter().filter(|aim| aim.hard && aim.cost > 0);
        let mut literals = Vec::new();
        for condition in missing.filter_map(|aim| condition(&aim.want)) {
            ask(&problem, from, condition, RULES_MAX, &mut literals);
        }
        if literals.is_empty() {
            return None;
        }
        let one = |literal| {
            Condition::of(Conjunction { literals: [literal].into_iter().collect(), ..Conjunction::default() })
        };
        let wanted = literals.into_iter().map(one).collect();
        let options = BestFirstOptions { guide: Guide::Both, states_max: STATES_MAX, ..BestFirstOptions::default() };
        let search = BestFirst::new(problem, repertoire.relaxation(), from, Target::new(wanted), options);
        Some(Self { search, tick })
    }

    /// Searches on; the chain, or that there is none, once it is known.
    pub(crate) fn run(&mut self, budget: &mut Budget) -> Option<Option<Vec<OperatorId>>> {
        match self.search.run(budget) {
            Outcome::Searching => None,
            Outcome::Found(way) => Some(Some(way.clone())),
            _ => Some(None),
        }
    }
}

/// One step after another from a tick on, each as long as it usually takes.
pub(crate) fn in_a_row(repertoire: &Repertoire, way: &[OperatorId], from: Tick) -> Vec<(FormId, Tick)> {
    let mut now = from;
    let mut steps = Vec::new();
    for operator in way {
        let (action, args) = (repertoire.problem.operators[*operator].action, repertoire.problem.args(*operator));
        let Some(form) = repertoire.form(action, &args.iter().copied().collect()) else { return Vec::new() };
        steps.push((form, now));
        now = now.saturating_add(repertoire.usual_length(form).max(1));
    }
    steps
}

/// What steps can do for a condition: those of its literals that are missing and that an operator changes, and for those that only
/// rules change, what the rules ask for.
fn ask(problem: &Problem, from: &PackedState, condition: &Condition, depth: u32, asked: &mut Vec<Literal>) {
    let sets = |literal: &Literal, value: u32| problem.frame().sets.contains(literal.values, value);
    let Some(part) = condition.any.iter().min_by_key(|part| part.literals.len()) else { return };
    for literal in part.literals.iter().filter(|literal| !sets(literal, from.get(problem, literal.variable))) {
        if asked.contains(literal) {
            continue;
        }
        let brings = |effect: &GroundEffect| match &effect.change {
            GroundChange::Set(variable, value) => *variable == literal.variable && sets(literal, *value),
            change => change.variable() == Some(literal.variable),
        };
        let by_step = problem.operators.values().flat_map(|operator| &operator.snap.phases).any(|phase| {
            phase.sets.iter().any(|(variable, value)| *variable == literal.variable && sets(literal, *value))
                || phase.effects.iter().any(brings)
        });
        if by_step {
            asked.push(*literal);
            continue;
        }
        let rule = problem.rules.values().find(|rule| rule.effects.iter().any(|part| brings(&part.effect)));
        if let Some(rule) = rule.filter(|_| depth > 0) {
            match &rule.trigger {
                GroundTrigger::When(edge, holds) => {
                    ask(problem, from, edge, depth - 1, asked);
                    ask(problem, from, holds, depth - 1, asked);
                }
                GroundTrigger::While(holds) | GroundTrigger::After(holds) => {
                    ask(problem, from, holds, depth - 1, asked)
                }
                GroundTrigger::Always => {}
            }
        }
    }
}

fn condition(want: &Want) -> Option<&Condition> {
    match want {
        Want::Reach { stages, .. } => stages.last(),
        Want::End(condition) | Want::At(condition, _) => Some(condition),
        Want::Keep(..) | Want::Amount { .. } | Want::Follow(_) => None,
    }
}
