//! Wishes in ground form.

use dramaturg_model::{
    Aim, AimTime, Args, Curve, Expr, Liking, Model, ObjectId, Owner, Table, Value, Wish, WishId, WishKind,
};

use super::assemble::Assembler;
use super::condition::Condition;
use super::expr::GroundExpr;
use super::options::Goals;
use super::world::product;

/// A wish with its parameters filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundWish {
    /// The wish.
    pub wish: WishId,
    /// Its parameters' values.
    pub args: Args,
    /// Whose it is, as far as one object has it.
    pub owner: Option<ObjectId>,
    /// Taken up each time this becomes true.
    pub condition: Condition,
    /// What is wanted.
    pub kind: GroundWishKind,
}

/// What is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundWishKind {
    /// To be reached, one after another.
    Goal {
        /// What, and when.
        aims: Vec<GroundAim>,
        /// How much it matters.
        salience: GroundExpr,
    },
    /// Never to be broken.
    Keep {
        /// What.
        condition: Condition,
        /// Only in this time.
        window: Option<(GroundExpr, GroundExpr)>,
    },
    /// Only weighed.
    Prefer {
        /// What.
        liking: GroundLiking,
        /// How much.
        weight: GroundExpr,
    },
}

/// What a goal wants, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundAim {
    /// What must hold.
    pub condition: Condition,
    /// When.
    pub time: GroundAimTime,
}

/// When an aim must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundAimTime {
    /// Once.
    Eventually,
    /// At exactly this time.
    At(GroundExpr),
    /// Once, at this time at the latest.
    By(GroundExpr),
    /// Throughout.
    During(GroundExpr, GroundExpr),
}

/// What is liked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundLiking {
    /// That this holds.
    Holds(Condition),
    /// More of this, up to a bound.
    More(GroundExpr, Option<GroundExpr>),
    /// Less of this, down to a bound.
    Less(GroundExpr, Option<GroundExpr>),
    /// That a number follows a curve.
    Follows {
        /// The number.
        value: GroundExpr,
        /// Values and their times.
        points: Vec<(GroundExpr, GroundExpr)>,
        /// How far it may be off without harm.
        within: GroundExpr,
    },
}

impl GroundWish {
    /// The conditions it wants, in order.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let (aims, one): (&[GroundAim], Option<&Condition>) = match &self.kind {
            GroundWishKind::Goal { aims, .. } => (aims, None),
            GroundWishKind::Keep { condition, .. } => (&[], Some(condition)),
            GroundWishKind::Prefer { liking: GroundLiking::Holds(condition), .. } => (&[], Some(condition)),
            GroundWishKind::Prefer { .. } => (&[], None),
        };
        aims.iter().map(|aim| &aim.condition).chain(one)
    }
}

/// The ground forms of all wishes that are wanted in the level.
pub(crate) fn wishes(assembler: &mut Assembler<'_, '_, '_>) -> Vec<GroundWish> {
    let world = assembler.places.world;
    let mut out = Vec::new();
    for (id, wish) in world.model.wishes.iter().filter(|(_, wish)| world.model.is_visible(wish.level, world.level)) {
        for (owner, args) in bindings(assembler, wish) {
            if !assembler.meter.spend(1) {
                return out;
            }
            out.push(ground_wish(assembler, id, wish, owner, args));
        }
    }
    out
}

/// The values of a wish's parameters, with its owner if one object is.
fn bindings(assembler: &Assembler<'_, '_, '_>, wish: &Wish) -> Vec<(Option<ObjectId>, Args)> {
    let world = assembler.places.world;
    let model = world.model;
    let mut sets: Vec<Vec<Value>> =
        wish.params.iter().map(|param| model.values_of(&param.choices, world.level)).collect();
    let own = match wish.owner {
        Owner::Story | Owner::Injected(_) => None,
        Owner::Character(object) => return fill(Some(object), &sets),
        Owner::Personality(personality) => Some(holders(model, personality)),
        Owner::Population(population) => Some(model.populations[population].objects.clone()),
        Owner::Futile(_) => Some(model.characters.values().map(|character| character.object).collect()),
    };
    match (own, sets.first_mut()) {
        (Some(own), Some(first)) => {
            first.retain(|value| value.as_object().is_some_and(|object| own.contains(&object)));
            let args = fill(None, &sets);
            args.into_iter().map(|(_, args)| (args.first().and_then(|arg| arg.as_object()), args)).collect()
        }
        _ => fill(None, &sets),
    }
}

/// Whoever has a personality, directly or through one that includes it.
fn holders(model: &Model, wanted: dramaturg_model::PersonalityId) -> Vec<ObjectId> {
    let mut has: Table<dramaturg_model::PersonalityId, bool> = Table::filled(model.personalities.len(), false);
    has[wanted] = true;
    // Each round adds one more at least, so there are no more rounds than personalities.
    for _ in model.personalities.ids() {
        for (id, personality) in model.personalities.iter() {
            if personality.includes.iter().any(|share| has[share.personality]) {
                has[id] = true;
            }
        }
    }
    let mut objects: Vec<ObjectId> = Vec::new();
    for character in model.characters.values() {
        if character.personalities.iter().any(|share| has[share.personality]) {
            objects.push(character.object);
        }
    }
    for population in model.populations.values() {
        if population.personalities.iter().any(|share| has[share.personality]) {
            objects.extend(&population.objects);
        }
    }
    objects
}

fn fill(owner: Option<ObjectId>, sets: &[Vec<Value>]) -> Vec<(Option<ObjectId>, Args)> {
    let sets: Vec<&[Value]> = sets.iter().map(Vec::as_slice).collect();
    product(&sets).take(1 << 16).map(|tuple| (owner, tuple.into_iter().collect())).collect()
}

fn ground_wish(
    assembler: &mut Assembler<'_, '_, '_>,
    id: WishId,
    wish: &Wish,
    owner: Option<ObjectId>,
    args: Args,
) -> GroundWish {
    let condition = match &wish.condition {
        Some(condition) => assembler.condition(condition, &args),
        None => Condition::always(),
    };
    let kind = match &wish.kind {
        WishKind::Goal { aims, salience } => GroundWishKind::Goal {
            aims: aims.iter().map(|aim| ground_aim(assembler, aim, &args)).collect(),
            salience: assembler.expr(salience, &args),
        },
        WishKind::Keep { condition, window } => GroundWishKind::Keep {
            condition: assembler.condition(condition, &args),
            window: window.as_ref().map(|(from, to)| (assembler.expr(from, &args), assembler.expr(to, &args))),
        },
        WishKind::Prefer { liking, weight } => GroundWishKind::Prefer {
            liking: ground_liking(assembler, liking, &args),
            weight: assembler.expr(weight, &args),
        },
    };
    GroundWish { wish: id, args, owner, condition, kind }
}

fn ground_aim(assembler: &mut Assembler<'_, '_, '_>, aim: &Aim, args: &Args) -> GroundAim {
    let time = match &aim.time {
        AimTime::Eventually => GroundAimTime::Eventually,
        AimTime::At(time) => GroundAimTime::At(assembler.expr(time, args)),
        AimTime::By(time) => GroundAimTime::By(assembler.expr(time, args)),
        AimTime::During(from, to) => GroundAimTime::During(assembler.expr(from, args), assembler.expr(to, args)),
    };
    GroundAim { condition: assembler.condition(&aim.condition, args), time }
}

fn ground_liking(assembler: &mut Assembler<'_, '_, '_>, liking: &Liking, args: &Args) -> GroundLiking {
    let bounded = |assembler: &mut Assembler<'_, '_, '_>, expr: &Expr, bound: &Option<Expr>| {
        let bound = bound.as_ref().map(|bound| assembler.expr(bound, args));
        (assembler.expr(expr, args), bound)
    };
    match liking {
        Liking::Holds(condition) => GroundLiking::Holds(assembler.condition(condition, args)),
        Liking::More(expr, bound) => {
            let (expr, bound) = bounded(assembler, expr, bound);
            GroundLiking::More(expr, bound)
        }
        Liking::Less(expr, bound) => {
            let (expr, bound) = bounded(assembler, expr, bound);
            GroundLiking::Less(expr, bound)
        }
        Liking::Follows(Curve { value, points, within }) => GroundLiking::Follows {
            value: assembler.expr(value, args),
            points: points
                .iter()
                .map(|(value, time)| (assembler.expr(value, args), assembler.expr(time, args)))
                .collect(),
            within: assembler.expr(within, args),
        },
    }
}

/// The conditions that a choice of goals asks for, and what it would have more of (true) or less (false).
pub(crate) fn wanted(
    goals: &Goals,
    wishes: &[GroundWish],
    assembler: &mut Assembler<'_, '_, '_>,
) -> (Vec<Condition>, Vec<(GroundExpr, bool)>) {
    let model = assembler.places.world.model;
    let mut conditions = Vec::new();
    let mut numbers = Vec::new();
    let mut take = |wish: &GroundWish| {
        conditions.extend(wish.conditions().cloned());
        conditions.push(wish.condition.clone());
        if let GroundWishKind::Prefer { liking, .. } = &wish.kind {
            match liking {
                GroundLiking::More(expr, _) => numbers.push((expr.clone(), true)),
                GroundLiking::Less(expr, _) => numbers.push((expr.clone(), false)),
                GroundLiking::Follows { value, .. } => {
                    numbers.extend([(value.clone(), true), (value.clone(), false)]);
                }
                GroundLiking::Holds(_) => {}
            }
        }
    };
    match goals {
        Goals::Story => wishes.iter().filter(|wish| model.wishes[wish.wish].owner == Owner::Story).for_each(take),
        Goals::Character(object) => wishes.iter().filter(|wish| wish.owner == Some(*object)).for_each(take),
        Goals::Everyone => wishes.iter().for_each(&mut take),
        Goals::Conditions(exprs) => {
            for expr in exprs {
                conditions.push(assembler.condition(expr, &[]));
            }
        }
    }
    (conditions, numbers)
}
