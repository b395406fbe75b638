//! `keep-broken-at-start`: something to be kept that is false in the given state.

use dramaturg_model::{
    Code, Diagnostic, Evaluator, LevelId, Model, PersonalityId, Share, State, Value, Wish, WishId, WishKind,
};
use rustc_hash::FxHashSet;

/// A `keep` that is broken before anything happens.
pub const CODE: Code = Code::warning("keep-broken-at-start");

/// Reports wishes to keep what does not hold when their level begins.
pub(crate) fn rule(model: &Model, found: &mut Vec<Diagnostic>) {
    let mut said: FxHashSet<WishId> = FxHashSet::default();
    let levels: Vec<Option<LevelId>> =
        if model.levels.is_empty() { vec![None] } else { model.levels.ids().map(Some).collect() };
    for level in levels {
        // What is carried into a level is not known here.
        if model
            .milestones
            .values()
            .any(|milestone| milestone.next == level && level.is_some() && !milestone.carrying.is_empty())
        {
            continue;
        }
        let state = State::entering(model, level, None, &[], 0);
        for (wish, args) in kept(model) {
            let declared = &model.wishes[wish];
            if model.is_visible(declared.level, level) && is_broken(model, &state, declared, &args) && said.insert(wish)
            {
                let who = args.first().map_or(String::new(), |who| format!(" for `{}`", model.value_name(*who)));
                found.push(
                    Diagnostic::new(CODE, declared.place, format!("this is already broken when the story begins{who}"))
                        .hint("give a state in which it holds, or say `while` it is meant"),
                );
            }
        }
    }
}

fn is_broken(model: &Model, state: &State, wish: &Wish, args: &[Value]) -> bool {
    let WishKind::Keep { condition, window: None } = &wish.kind else { return false };
    let mut scope = Evaluator::with(model, state, args);
    let active = wish.condition.as_ref().is_none_or(|active| scope.holds(active));
    active && !scope.holds(condition)
}

/// All wishes to keep something, with whose they are.
fn kept(model: &Model) -> Vec<(WishId, Vec<Value>)> {
    let mut all: Vec<(WishId, Vec<Value>)> = Vec::new();
    let plain = model.wishes.iter().filter(|(_, wish)| wish.params.is_empty());
    all.extend(plain.map(|(id, _)| (id, Vec::new())));
    let personal = |shares: &[Share], who: Value, all: &mut Vec<(WishId, Vec<Value>)>| {
        let mut open: Vec<PersonalityId> = shares.iter().map(|share| share.personality).collect();
        let mut seen: Vec<PersonalityId> = Vec::new();
        while let Some(next) = open.pop() {
            if !seen.contains(&next) {
                seen.push(next);
                let personality = &model.personalities[next];
                if personality.params.len() <= 1 {
                    all.extend(personality.wishes.iter().map(|wish| (*wish, vec![who])));
                }
                open.extend(personality.includes.iter().map(|share| share.personality));
            }
        }
    };
    for character in model.characters.values() {
        personal(&character.personalities, Value::Object(character.object), &mut all);
    }
    for population in model.populations.values() {
        for object in &population.objects {
            let who = Value::Object(*object);
            personal(&population.personalities, who, &mut all);
            all.extend(population.wishes.iter().map(|wish| (*wish, vec![who])));
        }
    }
    all.retain(|(wish, _)| matches!(model.wishes[*wish].kind, WishKind::Keep { .. }));
    all
}
