//! `goals-conflict`: two goals of one owner that exclude each other.

use dramaturg_model::{Code, Diagnostic, Expr, Model, Owner, WishId, WishKind};

use super::prospect::{LevelProspect, Prospect, aims};
use crate::ground::{Condition, Conjunction, GroundWishKind, Problem};

/// Two wishes that cannot both be served.
pub const CODE: Code = Code::warning("goals-conflict");

/// Reports a goal that something to be kept forbids, and goals of equal salience that can never hold together.
pub(crate) fn rule(model: &Model, prospect: &Prospect, found: &mut Vec<Diagnostic>) {
    for (first, one) in model.wishes.iter() {
        for (second, other) in model.wishes.iter().filter(|(second, _)| *second > first) {
            let lasting = one.condition.is_none() && other.condition.is_none();
            let plain = one.params.is_empty() && other.params.is_empty();
            if one.owner != other.owner || !lasting || !plain || !may_clash(model, first, second) {
                continue;
            }
            if matches!(one.owner, Owner::Futile(_)) {
                continue;
            }
            let mut levels = prospect.levels.iter().filter(|level| both_wanted(model, level, first, second)).peekable();
            if levels.peek().is_some() && levels.all(|level| excludes(level, first, second)) {
                found.push(
                    Diagnostic::new(
                        CODE,
                        other.place,
                        "this can never hold together with another wish of the same owner",
                    )
                    .label(one.place, "the other one")
                    .hint("say which matters more by `salience`, or when each is wanted by `while`, or `A then B`"),
                );
            }
        }
    }
}

/// A goal beside something to be kept, or two goals of the same salience that are wanted once at any time.
fn may_clash(model: &Model, first: WishId, second: WishId) -> bool {
    let salience = |wish: WishId| match &model.wishes[wish].kind {
        WishKind::Goal { aims, salience: Expr::Value(value) } if aims.len() == 1 => Some(*value),
        _ => None,
    };
    let kept = |wish: WishId| matches!(model.wishes[wish].kind, WishKind::Keep { window: None, .. });
    match (salience(first), salience(second)) {
        (Some(one), Some(other)) => one == other,
        (Some(_), None) => kept(second),
        (None, Some(_)) => kept(first),
        (None, None) => false,
    }
}

fn both_wanted(model: &Model, level: &LevelProspect, first: WishId, second: WishId) -> bool {
    let here = |wish: WishId| model.is_visible(model.wishes[wish].level, level.level);
    here(first) && here(second) && level.is_complete()
}

fn excludes(level: &LevelProspect, first: WishId, second: WishId) -> bool {
    let problem = &level.grounding.problem;
    let conditions = |wish: WishId| -> Vec<&Condition> {
        level
            .instances(wish)
            .flat_map(|wish| match &wish.kind {
                GroundWishKind::Keep { condition, .. } => vec![condition],
                _ => aims(wish),
            })
            .collect()
    };
    let (ones, others) = (conditions(first), conditions(second));
    let possible = ones.iter().chain(&others).all(|condition| !condition.is_never());
    possible && ones.iter().any(|one| others.iter().any(|other| conditions_exclude(problem, one, other)))
}

/// Whether no alternative of one agrees with an alternative of the other.
fn conditions_exclude(problem: &Problem, one: &Condition, other: &Condition) -> bool {
    one.any.iter().all(|left| other.any.iter().all(|right| conjunctions_exclude(problem, left, right)))
}

fn conjunctions_exclude(problem: &Problem, left: &Conjunction, right: &Conjunction) -> bool {
    left.literals.iter().any(|literal| {
        right.asked(literal.variable).is_some_and(|asked| {
            let size = problem.variables[literal.variable].size();
            !(0..size).any(|value| problem.sets.contains(literal.values, value) && problem.sets.contains(asked, value))
        })
    })
}
