//! A model as text, one line a fact: what a story was understood to say.

use std::fmt::Write;

use dramaturg_model::{
    Action, ActionOrigin, Asked, ConditionTime, Domain, Duration, Effect, Expectation, FluentSource, LatePolicy,
    LevelId, MethodStep, Model, ObjectOrigin, Piece, Reading, Rule, Say, Share, Task, Trigger, UseTarget,
};

use super::shown_wish::{owner, wish};
use super::words::Words;
use crate::compile_text;

/// Those parts of a story's model whose first word is listed. The story has nothing but hints.
#[track_caller]
pub(crate) fn shown(story: &str, parts: &[&str]) -> String {
    let compiled = compile_text("test.story", story);
    let faults = super::told::tell(&compiled.sources, &compiled.diagnostics);
    assert!(compiled.is_usable(), "{faults}");
    shown_model(&compiled.model, parts)
}

/// Those parts of a model whose first word is listed.
pub(crate) fn shown_model(model: &Model, parts: &[&str]) -> String {
    let mut text = String::new();
    let mut wanted = false;
    for line in whole(model).lines() {
        if !line.starts_with(' ') {
            wanted = line.split_whitespace().next().is_some_and(|word| parts.contains(&word));
        }
        if wanted {
            let _ = writeln!(text, "{line}");
        }
    }
    text
}

fn whole(model: &Model) -> String {
    let words = Words(model);
    let mut text = String::new();
    let per_second = model.clock.ticks_per_second.map_or("none".to_owned(), |ticks| ticks.to_string());
    let _ = writeln!(text, "clock {per_second} per s, day {:?}, begins {}", model.clock.day, model.clock.begins);
    let _ = writeln!(text, "header {:?} options {:?} language {:?}", model.title, model.options, model.language);
    for ty in model.types.values() {
        let parent = ty.parent.map_or(String::new(), |parent| format!(": {}", model.types[parent].name));
        let _ = writeln!(text, "type {}{parent}{}", ty.name, level(model, ty.level));
    }
    for object in model.objects.values() {
        let origin = match object.origin {
            ObjectOrigin::Declared => String::new(),
            ObjectOrigin::Pool(pool) => format!(" of pool {}", model.pools[pool].name),
            ObjectOrigin::Population(population) => format!(" of population {}", model.populations[population].name),
        };
        let (title, ty) = (plain(model, &model.texts[object.title].pieces), &model.types[object.ty].name);
        let _ = writeln!(text, "object {} {title:?}: {ty}{origin}{}", object.name, level(model, object.level));
    }
    for fluent in model.fluents.values() {
        let owner = fluent.attribute_of.map_or(String::new(), |ty| format!("{}.", model.types[ty].name));
        let params = if fluent.attribute_of.is_some() { String::new() } else { words.params(&fluent.params) };
        let default = fluent.default.map_or("none".to_owned(), |value| words.value(value));
        let source = match &fluent.source {
            FluentSource::Stored if fluent.is_static => format!(" = {default}, static"),
            FluentSource::Stored => format!(" = {default}"),
            FluentSource::Means(meaning) => format!(" means {}", words.expr(meaning)),
            FluentSource::Done(pattern) => format!(" watches {}", words.pattern(pattern)),
            FluentSource::Derived { .. } => " derived".to_owned(),
        };
        let (domain, level) = (domain(words, &fluent.domain), level(model, fluent.level));
        let _ = writeln!(text, "fluent {owner}{}{params}: {domain}{source}{level}", fluent.name);
    }
    for actuator in model.actuators.values() {
        let owner = actuator.attribute_of.map_or(String::new(), |ty| format!("{}.", model.types[ty].name));
        let _ = writeln!(text, "actuator {owner}{}: {}", actuator.name, actuator.capacity);
    }
    for given in &model.initial {
        let at = given.at.as_ref().map_or(String::new(), |at| format!(" at {}", words.expr(at)));
        let suffixes = words.suffixes(&given.binders, given.condition.as_ref());
        let change = words.change(&given.target, &given.change);
        let _ = writeln!(text, "given {change}{at}{suffixes}{}", level(model, given.level));
    }
    model.actions.values().for_each(|it| action(words, it, &mut text));
    model.rules.values().for_each(|it| rule(words, it, &mut text));
    model.tasks.values().for_each(|it| task(words, it, &mut text));
    for it in model.wishes.values() {
        let condition = it.condition.as_ref().map_or(String::new(), |it| format!(" while {}", words.expr(it)));
        let owner = owner(model, it.owner);
        let _ = writeln!(text, "wish of {owner}: {}{condition}{}", wish(words, &it.kind), level(model, it.level));
    }
    for character in model.characters.values() {
        let shares = shares(model, &character.personalities);
        let name = &model.objects[character.object].name;
        let _ = writeln!(text, "character {name}: {} wishes{shares}", character.wishes.len());
    }
    for personality in model.personalities.values() {
        let (params, shares) = (words.params(&personality.params), shares(model, &personality.includes));
        let _ = writeln!(text, "personality {}{params}: {} wishes{shares}", personality.name, personality.wishes.len());
        for (tag, factor) in &personality.costs {
            let _ = writeln!(text, "  costs #{} times {}", model.tags[*tag], words.expr(factor));
        }
    }
    for population in model.populations.values() {
        let (count, shares) = (population.objects.len(), shares(model, &population.personalities));
        let _ = writeln!(text, "population {} of {count}: {} wishes{shares}", population.name, population.wishes.len());
        for given in &population.given {
            let _ = writeln!(text, "  given {}", words.change(&given.target, &given.change));
        }
    }
    for futile in model.futile.values() {
        let needs = words.list(&futile.needs, "; ");
        let _ = writeln!(
            text,
            "futile {}{} needs {needs}: {} wishes",
            futile.name,
            words.params(&futile.params),
            futile.wishes.len()
        );
    }
    for it in model.levels.values() {
        let _ = writeln!(text, "level {}{}", it.name, level(model, it.parent));
    }
    for milestone in model.milestones.values() {
        let next = milestone.next.map_or("nothing".to_owned(), |next| model.levels[next].name.to_string());
        let carrying: Vec<&str> =
            milestone.carrying.iter().map(|fluent| model.fluents[*fluent].name.as_str()).collect();
        let (when, level) = (words.expr(&milestone.when), level(model, milestone.level));
        let _ = writeln!(text, "milestone {} when {when} next {next} carrying {carrying:?}{level}", milestone.name);
        effects(words, &milestone.effects, "then", &mut text);
        says(words, &milestone.says, &mut text);
    }
    for ending in model.endings.values() {
        let _ =
            writeln!(text, "ending {} when {}{}", ending.name, words.expr(&ending.when), level(model, ending.level));
        effects(words, &ending.effects, "then", &mut text);
        says(words, &ending.says, &mut text);
    }
    for layer in model.layers.values() {
        let above = layer.above.map_or(String::new(), |below| format!(" above {}", model.layers[below].name));
        let shares = [layer.elites, layer.tolerance].map(|share| share.map_or("none".to_owned(), |it| it.to_string()));
        let (horizon, steps, beam) = (layer.horizon, layer.steps, layer.beam);
        let _ =
            writeln!(text, "layer {}{above} horizon {horizon:?} steps {steps:?} beam {beam:?} {shares:?}", layer.name);
    }
    for pool in model.pools.values() {
        let anchors: Vec<&str> = pool.anchors.iter().map(|fluent| model.fluents[*fluent].name.as_str()).collect();
        let _ = writeln!(
            text,
            "pool {} of {} anchors {anchors:?} commits {}",
            pool.name,
            pool.objects.len(),
            pool.commit.is_some()
        );
    }
    for it in model.texts.values() {
        let pinned = if it.pinned { "" } else { " (derived)" };
        let _ = writeln!(text, "text {}{pinned}: {}", it.id, plain(model, &it.pieces));
    }
    text
}

fn level(model: &Model, level: Option<LevelId>) -> String {
    level.map_or(String::new(), |level| format!(" [{}]", model.levels[level].name))
}

fn plain(model: &Model, pieces: &[Piece]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Words(words) => words.to_string(),
        Piece::Slot { expr, name } => format!("{{{name} = {}}}", Words(model).expr(expr)),
    };
    pieces.iter().map(piece).collect()
}

fn domain(words: Words<'_>, domain: &Domain) -> String {
    let range = |range: &dramaturg_model::Range| {
        let bound = |bound: Option<dramaturg_model::Fixed>| bound.map_or(String::new(), |it| it.to_string());
        format!("{}..{}", bound(range.least), bound(range.most))
    };
    match domain {
        Domain::Bool => "yes or no".to_owned(),
        Domain::Choice(choices) => words.choices(choices),
        Domain::Number(bounds) => format!("number {}", range(bounds)),
        Domain::Int(bounds) => format!("int {}", range(bounds)),
        Domain::Duration => "duration".to_owned(),
    }
}

fn shares(model: &Model, shares: &[Share]) -> String {
    let share = |share: &Share| {
        let amount = share.amount.map_or(String::new(), |amount| format!(" {amount}"));
        format!(", {}{amount}", model.personalities[share.personality].name)
    };
    shares.iter().map(share).collect()
}

fn duration(words: Words<'_>, duration: &Duration) -> String {
    match duration {
        Duration::Instant => "no time".to_owned(),
        Duration::Fixed(ticks) => words.expr(ticks),
        Duration::Contingent(least, most) => format!("{} .. {}", words.expr(least), words.expr(most)),
        Duration::Chosen(..) => "chosen".to_owned(),
    }
}

fn effects(words: Words<'_>, effects: &[Effect], word: &str, text: &mut String) {
    for effect in effects {
        let (moment, change) = (words.moment(&effect.moment), words.change(&effect.target, &effect.change));
        let suffixes = words.suffixes(&effect.binders, effect.condition.as_ref());
        let _ = writeln!(text, "  {word} at {moment}: {change}{suffixes}");
    }
}

fn says(words: Words<'_>, says: &[Say], text: &mut String) {
    for say in says {
        let ids: Vec<&str> = say.lines.iter().map(|line| words.0.texts[*line].id.as_str()).collect();
        let speaker = say.speaker.as_ref().map_or(String::new(), |it| format!(" by {}", words.expr(it)));
        let suffixes = words.suffixes(&[], say.condition.as_ref());
        let _ = writeln!(text, "  say at {}: {}{speaker}{suffixes}", words.moment(&say.moment), ids.join(" or "));
    }
}

fn expectation(words: Words<'_>, expectation: Option<&Expectation>, text: &mut String) {
    let Some(it) = expectation else { return };
    effects(words, &it.effects, "expect", text);
    if let Some(every) = &it.check_every {
        let _ = writeln!(text, "  check every {}", words.expr(every));
    }
    if let Some((times, by)) = &it.extend {
        let _ = writeln!(text, "  extend {times} times by {}", words.expr(by));
    }
    effects(words, &it.otherwise, "otherwise", text);
}

fn reads(words: Words<'_>, reading: Option<&Reading>, text: &mut String) {
    let Some(reading) = reading else { return };
    let fluents: Vec<String> = reading.fluents.iter().map(|it| words.reference(it)).collect();
    let every = reading.every.as_ref().map_or(String::new(), |every| format!(" every {}", words.expr(every)));
    let _ = writeln!(text, "  reads {}{every}", fluents.join(", "));
}

fn tags(words: Words<'_>, tags: &[dramaturg_model::TagId]) -> String {
    tags.iter().map(|tag| format!(" #{}", words.0.tags[*tag])).collect()
}

fn action(words: Words<'_>, action: &Action, text: &mut String) {
    let model = words.0;
    let performer = action.performer.map_or(String::new(), |param| format!(" by ${param}"));
    let with: String = action.participants.iter().map(|param| format!(" with ${param}")).collect();
    let layer = action.layer.map_or(String::new(), |layer| format!(" in {}", model.layers[layer].name));
    let (params, tags, level) = (words.params(&action.params), tags(words, &action.tags), level(model, action.level));
    let origin = if action.origin == ActionOrigin::Authored { "" } else { ", made" };
    let _ = writeln!(text, "action {}{params}{performer}{with}{layer}{tags}{level}{origin}", action.name);
    let _ = writeln!(text, "  takes {}", duration(words, &action.duration));
    for it in &action.conditions {
        let time = match &it.time {
            ConditionTime::Start => "at start".to_owned(),
            ConditionTime::Throughout => "throughout".to_owned(),
            ConditionTime::End => "at end".to_owned(),
            ConditionTime::After(delay) => format!("at start + {}", words.expr(delay)),
        };
        let weight = it.weight.as_ref().map_or(String::new(), |weight| format!(", weight {}", words.expr(weight)));
        let _ = writeln!(text, "  needs {time}: {}{weight}", words.expr(&it.condition));
    }
    effects(words, &action.effects, "then", text);
    for it in &action.contributions {
        let (target, amount) = (words.reference(&it.target), words.amount(&it.amount));
        let _ = writeln!(text, "  during: {target} += {amount}{}", words.suffixes(&it.binders, it.condition.as_ref()));
    }
    for held in &action.uses {
        let target = match &held.target {
            UseTarget::Actuator(actuator, args) => {
                format!("{}.{}", words.list(args, ", "), model.actuators[*actuator].name)
            }
            UseTarget::Whole(object) => format!("{} as a whole", words.expr(object)),
        };
        let (from, to) = (words.moment(&held.from), words.moment(&held.to));
        let _ = writeln!(text, "  uses {} of {target} from {from} to {to}", held.amount);
    }
    expectation(words, action.expectation.as_ref(), text);
    reads(words, action.reads.as_ref(), text);
    if let Some(question) = &action.question {
        let asked = if question.asked == Asked::Game { "game" } else { "player" };
        let words_of = |text: dramaturg_model::TextId| model.texts[text].id.clone();
        let answers: Vec<String> = question
            .answers
            .iter()
            .map(|(name, text)| format!("{} {}", model.symbols[*name], words_of(*text)))
            .collect();
        let line = question.text.map(words_of).unwrap_or_default();
        let condition = words.suffixes(&[], question.condition.as_ref());
        let within = question.within.as_ref().map(|(time, name)| (words.expr(time), &model.symbols[*name]));
        let _ = writeln!(text, "  ask {asked} {line}{condition} answers {answers:?} within {within:?}");
    }
    says(words, &action.says, text);
    if let Some(cost) = &action.cost {
        let _ = writeln!(text, "  costs {}", words.expr(cost));
    }
    match &action.late {
        LatePolicy::Retime => {}
        LatePolicy::Drop => text.push_str("  late drop\n"),
        LatePolicy::UpTo(time) => {
            let _ = writeln!(text, "  late {}", words.expr(time));
        }
    }
}

fn rule(words: Words<'_>, rule: &Rule, text: &mut String) {
    let then = |then: &Option<dramaturg_model::Expr>| words.suffixes(&[], then.as_ref());
    let trigger = match &rule.trigger {
        Trigger::When(condition, also) => format!("when {}{}", words.expr(condition), then(also)),
        Trigger::While(condition) => format!("while {}", words.expr(condition)),
        Trigger::After(pattern, also) => format!("after {}{}", words.pattern(pattern), then(also)),
        Trigger::Always => "always".to_owned(),
    };
    let (params, level) = (words.params(&rule.params), level(words.0, rule.level));
    let commits = rule.commits.map_or("", |_| ", commits");
    let _ = writeln!(text, "rule {}{params} {trigger}{level}{commits}", rule.name);
    if let Some(it) = &rule.duration {
        let _ = writeln!(text, "  takes {}", duration(words, it));
    }
    effects(words, &rule.effects, "then", text);
    for it in &rule.contributions {
        let (target, amount) = (words.reference(&it.target), words.amount(&it.amount));
        let _ = writeln!(text, "  during: {target} += {amount}{}", words.suffixes(&it.binders, it.condition.as_ref()));
    }
    expectation(words, rule.expectation.as_ref(), text);
    reads(words, rule.reads.as_ref(), text);
    says(words, &rule.says, text);
    for injection in &rule.injections {
        let wishes: Vec<String> = injection.wishes.iter().map(|id| wish(words, &words.0.wishes[*id].kind)).collect();
        let condition = words.suffixes(&[], injection.condition.as_ref());
        let _ = writeln!(text, "  inject {}: {}{condition}", words.expr(&injection.character), wishes.join("; "));
    }
}

fn task(words: Words<'_>, task: &Task, text: &mut String) {
    let model = words.0;
    let key = if task.key { " key" } else { "" };
    let fills = if task.fills { " fills" } else { "" };
    let (params, tags) = (words.params(&task.params), tags(words, &task.tags));
    let cost = task.cost.as_ref().map_or(String::new(), |cost| format!(" costs {}", words.expr(cost)));
    let _ = writeln!(text, "task {}{params}{key}{fills}{tags}{cost}{}", task.name, level(model, task.level));
    for need in &task.needs {
        let _ = writeln!(text, "  needs {}", words.expr(need));
    }
    for offer in &task.offers {
        let _ =
            writeln!(text, "  offer {}{}", model.texts[offer.text].id, words.suffixes(&[], offer.condition.as_ref()));
    }
    for method in &task.methods {
        let cost = method.cost.as_ref().map_or(String::new(), |cost| format!(" costs {}", words.expr(cost)));
        let name = method.name.as_deref().unwrap_or("_");
        let _ = writeln!(text, "  method {name}{}{cost}", words.suffixes(&[], method.condition.as_ref()));
        for step in &method.steps {
            let mut inner = String::new();
            match step {
                MethodStep::Say(say) => says(words, std::slice::from_ref(say), &mut inner),
                MethodStep::Then(list) => effects(words, list, "then", &mut inner),
                MethodStep::DoTask(task, args, _) => {
                    let _ = writeln!(inner, "  do task {}({})", model.tasks[*task].name, words.list(args, ", "));
                }
                MethodStep::DoAction(action, args, _) => {
                    let _ = writeln!(inner, "  do action {}({})", model.actions[*action].name, words.list(args, ", "));
                }
            }
            inner.lines().for_each(|line| {
                let _ = writeln!(text, "  {line}");
            });
        }
    }
}
