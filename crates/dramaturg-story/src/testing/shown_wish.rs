//! Wishes of a model as text.

use dramaturg_model::{Aim, AimTime, Liking, Model, Owner, WishKind};

use super::words::Words;

pub(crate) fn owner(model: &Model, owner: Owner) -> String {
    match owner {
        Owner::Story => "story".to_owned(),
        Owner::Character(object) => format!("character {}", model.objects[object].name),
        Owner::Personality(it) => format!("personality {}", model.personalities[it].name),
        Owner::Population(it) => format!("population {}", model.populations[it].name),
        Owner::Injected(rule) => format!("rule {}", model.rules[rule].name),
        Owner::Futile(it) => format!("futile {}", model.futile[it].name),
    }
}

pub(crate) fn wish(words: Words<'_>, kind: &WishKind) -> String {
    match kind {
        WishKind::Goal { aims, salience } => {
            let aims: Vec<String> = aims.iter().map(|it| aim(words, it)).collect();
            format!("goal {} salience {}", aims.join(" then "), words.expr(salience))
        }
        WishKind::Keep { condition, window } => {
            let window = window.as_ref().map(|(from, to)| format!(" from {} to {}", words.expr(from), words.expr(to)));
            format!("keep {}{}", words.expr(condition), window.unwrap_or_default())
        }
        WishKind::Prefer { liking, weight } => format!("prefer {} weight {}", like(words, liking), words.expr(weight)),
    }
}

fn aim(words: Words<'_>, aim: &Aim) -> String {
    let time = match &aim.time {
        AimTime::Eventually => String::new(),
        AimTime::At(time) => format!(" at {}", words.expr(time)),
        AimTime::By(time) => format!(" by {}", words.expr(time)),
        AimTime::During(from, to) => format!(" from {} to {}", words.expr(from), words.expr(to)),
    };
    let performs = aim.performs.as_ref().map_or(String::new(), |it| format!(" (performs {})", words.pattern(it)));
    format!("{}{time}{performs}", words.expr(&aim.condition))
}

fn like(words: Words<'_>, liking: &Liking) -> String {
    let bound = |bound: &Option<dramaturg_model::Expr>| {
        bound.as_ref().map_or(String::new(), |it| format!(" to {}", words.expr(it)))
    };
    match liking {
        Liking::Holds(condition) => words.expr(condition),
        Liking::More(value, to) => format!("more {}{}", words.expr(value), bound(to)),
        Liking::Less(value, to) => format!("less {}{}", words.expr(value), bound(to)),
        Liking::Follows(curve) => {
            let points =
                curve.points.iter().map(|(value, time)| format!("{} at {}", words.expr(value), words.expr(time)));
            let points: Vec<String> = points.collect();
            format!("{} follows {} within {}", words.expr(&curve.value), points.join(", "), words.expr(&curve.within))
        }
    }
}
