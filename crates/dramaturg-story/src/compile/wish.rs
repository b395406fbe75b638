//! Goals, what is kept, what is preferred.

use dramaturg_model::{
    Aim, AimTime, Curve, EventPattern, Expr, FluentSource, Liking, Owner, Param, Wish, WishId, WishKind,
};

use super::lowering::Lowering;
use super::scope::Scope;
use super::ty::Ty;
use crate::syntax::tree;

impl Lowering {
    /// A wish, added to the model.
    pub(crate) fn wish(&mut self, scope: &mut Scope, wish: &tree::Wish, owner: Owner) -> Option<WishId> {
        let kind = match &wish.kind {
            tree::WishKind::Goal(aims, salience) => {
                let aims: Vec<Aim> = aims.iter().map(|aim| self.aim(scope, aim)).collect();
                let salience = salience.as_ref().map_or(Expr::int(50), |salience| self.number_expr(scope, salience));
                if aims.is_empty() {
                    return None;
                }
                WishKind::Goal { aims, salience }
            }
            tree::WishKind::Keep(condition, window) => {
                let condition = self.condition(scope, condition);
                let window =
                    window.as_ref().map(|(from, to)| (self.duration_expr(scope, from), self.duration_expr(scope, to)));
                WishKind::Keep { condition, window }
            }
            tree::WishKind::Prefer(liking, weight) => {
                let liking = self.liking(scope, liking);
                let weight = weight.as_ref().map_or(Expr::int(1), |weight| self.number_expr(scope, weight));
                WishKind::Prefer { liking, weight }
            }
        };
        let condition = wish.condition.as_ref().map(|condition| self.condition(scope, condition));
        let params: Vec<Param> = scope
            .variables
            .iter()
            .map(|variable| Param { name: variable.name.clone(), choices: variable.choices.clone() })
            .collect();
        let level = scope.level;
        Some(self.model.wishes.push(Wish { owner, params, kind, condition, level, place: wish.span }))
    }

    fn aim(&mut self, scope: &mut Scope, aim: &tree::Aim) -> Aim {
        let condition = self.condition(scope, &aim.condition);
        let performs = self.performs(&condition);
        let time = match &aim.time {
            tree::AimTime::Any => AimTime::Eventually,
            tree::AimTime::At(time) => AimTime::At(self.duration_expr(scope, time)),
            tree::AimTime::By(time) => AimTime::By(self.duration_expr(scope, time)),
            tree::AimTime::During(from, to) => {
                AimTime::During(self.duration_expr(scope, from), self.duration_expr(scope, to))
            }
        };
        Aim { condition, time, performs }
    }

    /// What must happen, if the whole condition is `done X`.
    fn performs(&self, condition: &Expr) -> Option<EventPattern> {
        match condition {
            Expr::Fluent(fluent, _) => match &self.model.fluents[*fluent].source {
                FluentSource::Done(pattern) => Some(pattern.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    fn liking(&mut self, scope: &mut Scope, liking: &tree::Liking) -> Liking {
        match liking {
            tree::Liking::Holds(condition) => Liking::Holds(self.condition(scope, condition)),
            tree::Liking::More(value, bound) => {
                let (span, (value, ty)) = (value.span, self.measured(scope, value));
                Liking::More(value, bound.as_ref().map(|bound| self.typed(scope, bound, &ty, span)))
            }
            tree::Liking::Less(value, bound) => {
                let (span, (value, ty)) = (value.span, self.measured(scope, value));
                Liking::Less(value, bound.as_ref().map(|bound| self.typed(scope, bound, &ty, span)))
            }
            tree::Liking::Follows(value, points, within) => {
                let (span, (value, ty)) = (value.span, self.measured(scope, value));
                let points = points
                    .iter()
                    .map(|(value, time)| (self.typed(scope, value, &ty, span), self.duration_expr(scope, time)))
                    .collect();
                let within = self.typed(scope, within, &ty, span);
                Liking::Follows(Curve { value, points, within })
            }
        }
    }

    /// A number or duration that there may be more or less of.
    fn measured(&mut self, scope: &mut Scope, value: &tree::Expr) -> (Expr, Ty) {
        let (expr, ty) = self.expr(scope, value, None);
        if !ty.is_numeric() && ty != Ty::Unknown {
            self.fit(value.span, &ty, &Ty::Number, dramaturg_model::Span::NONE);
            return (expr, Ty::Unknown);
        }
        (expr, if ty.is_plain_number() { Ty::Number } else { ty })
    }
}
