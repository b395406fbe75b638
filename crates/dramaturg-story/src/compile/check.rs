//! Checks of the whole model, once everything is lowered.

use dramaturg_model::{
    Args, Chance, Change, Domain, Expr, Fixed, FluentId, FluentSource, Initial, LevelId, Model, ObjectOrigin, Span,
    State, TextId, Usage, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::files::{Files, Placed};
use super::lowering::{Deferred, Lowering};
use crate::diagnostics;
use crate::syntax::tree::{FluentValue, ItemKind};

/// How many objects or pairs are looked at for missing values; beyond that the first ones speak for the rest.
const COMBINATIONS_MAX: usize = 10_000;

/// What is said about names that nothing declares.
const UNKNOWN: [dramaturg_model::Code; 5] = [
    diagnostics::unknown_name::CODE,
    diagnostics::unknown_type::CODE,
    diagnostics::unknown_attribute::CODE,
    diagnostics::unknown_tag::CODE,
    diagnostics::bad_slot::CODE,
];

/// Runs every check that needs the whole model. What was not understood leaves holes in it, and every hole would be reported
/// again as something that is missing: so these checks wait until there are no errors.
pub(crate) fn check(lowering: &mut Lowering, items: &[Placed<'_>]) {
    check_deferred(lowering);
    if lowering.diagnostics.iter().any(|found| found.code == diagnostics::unknown_file::CODE) {
        // What the missing file would declare is missing because it is.
        lowering.diagnostics.retain(|found| !UNKNOWN.contains(&found.code));
    }
    if !has_errors(lowering) {
        check_given(lowering);
        check_values(lowering, items);
    }
    if has_errors(lowering) {
        lowering.diagnostics.retain(|found| found.code != diagnostics::unused_parameter::CODE);
        return;
    }
    let usage = Usage::of(&lowering.model);
    let explicit = explicit_defaults(lowering, items);
    let (model, found) = (&lowering.model, &mut lowering.diagnostics);
    diagnostics::never_set::rule(model, &usage, |fluent| explicit.contains(&fluent), found);
    diagnostics::never_read::rule(model, &usage, found);
    diagnostics::nobody_performs::rule(model, found);
    diagnostics::does_nothing::rule(model, found);
    diagnostics::uncalled_task::rule(model, found);
    diagnostics::empty_task::rule(model, found);
    diagnostics::recursive_task::rule(model, found);
    diagnostics::unreachable_method::rule(model, found);
    diagnostics::edge_never_falls::rule(model, &usage, found);
    diagnostics::unseen_expectation::rule(model, &usage, found);
}

fn has_errors(lowering: &Lowering) -> bool {
    lowering.diagnostics.iter().any(dramaturg_model::Diagnostic::is_error)
}

/// Fluents whose default the author wrote.
fn explicit_defaults(lowering: &Lowering, items: &[Placed<'_>]) -> FxHashSet<FluentId> {
    let mut places: FxHashSet<Span> = FxHashSet::default();
    for placed in items {
        match &placed.item.kind {
            ItemKind::Type(decl) => {
                places.extend(decl.members.iter().filter(|m| m.default.is_some()).map(|member| member.name.span));
            }
            ItemKind::Fluent(decl) if matches!(decl.value, FluentValue::Default(_)) => {
                places.extend(decl.heads.iter().map(|head| head.name.span));
            }
            _ => {}
        }
    }
    lowering.model.fluents.iter().filter(|(_, fluent)| places.contains(&fluent.place)).map(|(id, _)| id).collect()
}

/// Products and quotients, now that it is known what changes.
fn check_deferred(lowering: &mut Lowering) {
    for deferred in std::mem::take(&mut lowering.deferred) {
        let model = &lowering.model;
        let report = match deferred {
            Deferred::Product { span, left, right } => {
                (changes(model, &left) && changes(model, &right)).then(|| diagnostics::not_linear::product(span))
            }
            Deferred::Divisor { span, divisor, exact } => {
                if exact && changes(model, &divisor) {
                    Some(diagnostics::not_linear::divisor(span))
                } else {
                    may_be_zero(model, &divisor).then(|| diagnostics::may_divide_by_zero::diagnostic(span))
                }
            }
        };
        lowering.diagnostics.extend(report);
    }
}

/// Whether a number may change while the story runs.
fn changes(model: &Model, expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= match part {
            Expr::Fluent(fluent, _) => match &model.fluents[*fluent].source {
                FluentSource::Means(meaning) => changes(model, meaning),
                _ => !model.fluents[*fluent].is_static,
            },
            Expr::Now | Expr::TimeOfDay | Expr::DayNumber => true,
            _ => false,
        };
    });
    found
}

fn may_be_zero(model: &Model, divisor: &Expr) -> bool {
    match divisor {
        Expr::Value(Value::Number(number)) => *number == Fixed::ZERO,
        Expr::Fluent(fluent, _) => match &model.fluents[*fluent].domain {
            Domain::Number(range) | Domain::Int(range) => range.contains(Fixed::ZERO),
            Domain::Duration => !model.fluents[*fluent].is_static,
            Domain::Bool | Domain::Choice(_) => false,
        },
        _ => false,
    }
}

/// All levels in which something may begin, which have no levels inside; none for a story without levels.
fn beginnings(model: &Model) -> Vec<Option<LevelId>> {
    if model.levels.is_empty() {
        return vec![None];
    }
    let innermost = |level: &LevelId| !model.levels.values().any(|inner| inner.parent == Some(*level));
    model.levels.ids().filter(innermost).map(Some).collect()
}

/// `set-twice`: two `given` of one level that disagree.
fn check_given(lowering: &mut Lowering) {
    let model = &lowering.model;
    let mut reports = Vec::new();
    for level in beginnings(model) {
        let mut state = State::empty(model);
        let mut chance = Chance::new(0);
        let mut seen: FxHashMap<(FluentId, Args), (Value, Span, Option<LevelId>)> = FxHashMap::default();
        for given in model.initial.iter().filter(|given| given.at.is_none() && model.is_visible(given.level, level)) {
            let writes = state.give(model, given, &[], &mut chance);
            if !matches!(given.change, Change::Set(_)) {
                continue;
            }
            for (args, value) in writes {
                disagreement(model, given, args, value, &mut seen, &mut reports);
            }
        }
    }
    lowering.diagnostics.append(&mut reports);
}

fn disagreement(
    model: &Model,
    given: &Initial,
    args: Args,
    value: Value,
    seen: &mut FxHashMap<(FluentId, Args), (Value, Span, Option<LevelId>)>,
    reports: &mut Vec<dramaturg_model::Diagnostic>,
) {
    let fluent = given.target.fluent;
    let name = model.fluent_name(fluent, &args);
    let first = seen.insert((fluent, args), (value, given.place, given.level));
    // A level may give another value than the story does: that is what levels are for.
    if let Some((other, place, level)) = first
        && other != value
        && level == given.level
    {
        let (value, other) = (model.value_name(value), model.value_name(other));
        reports.push(diagnostics::set_twice::diagnostic(given.place, &name, &value, place, &other));
    }
}

/// `no-value`: objects without a starting value.
fn check_values(lowering: &mut Lowering, items: &[Placed<'_>]) {
    let model = &lowering.model;
    let wanting: Vec<FluentId> = model
        .fluents
        .iter()
        .filter(|(_, fluent)| fluent.default.is_none() && matches!(fluent.source, FluentSource::Stored))
        .map(|(id, _)| id)
        .collect();
    if wanting.is_empty() {
        return;
    }
    let mut said: FxHashSet<(FluentId, Args)> = FxHashSet::default();
    // By place and fluent: what a population or a relation lacks is one fault.
    let mut missing: Vec<(Span, FluentId, String, usize)> = Vec::new();
    let mut groups: FxHashMap<(Span, FluentId), usize> = FxHashMap::default();
    for level in beginnings(model) {
        let carried = |fluent: FluentId| {
            let leads_here = |next: Option<LevelId>| next.is_some() && model.is_visible(next, level);
            model.milestones.values().any(|it| leads_here(it.next) && it.carrying.contains(&fluent))
        };
        let state = State::entering(model, level, None, &[], 0);
        for fluent in wanting.iter().copied().filter(|fluent| !carried(*fluent)) {
            let declared = &model.fluents[fluent];
            if !model.is_visible(declared.level, level) {
                continue;
            }
            for args in combinations(model, fluent, level) {
                let held = args
                    .first()
                    .and_then(|arg| arg.as_object())
                    .is_some_and(|object| matches!(model.objects[object].origin, ObjectOrigin::Pool(_)));
                if held || state.get(fluent, &args) != Value::Nothing || !said.insert((fluent, args.clone())) {
                    continue;
                }
                let object = args.first().and_then(|arg| arg.as_object()).filter(|_| declared.attribute_of.is_some());
                let place = object.map_or(declared.place, |object| model.objects[object].place);
                let group = *groups.entry((place, fluent)).or_insert(missing.len());
                match missing.get_mut(group) {
                    Some((_, _, _, others)) => *others += 1,
                    None => missing.push((place, fluent, model.fluent_name(fluent, &args), 0)),
                }
            }
        }
    }
    let domains = domain_places(items);
    let mut reports: Vec<dramaturg_model::Diagnostic> = Vec::new();
    for (place, fluent, name, others) in &missing {
        let declared = &model.fluents[*fluent];
        let absence = absence_of(lowering, *fluent);
        let behind = domains.get(&declared.place).map(|domain| domain.after());
        let given = match (declared.attribute_of, declared.params.as_slice()) {
            (Some(_), _) => format!("{} = …", declared.name),
            (None, []) => format!("given {} = …", declared.name),
            (None, _) => format!("given {}(…) = …", declared.name),
        };
        let missing = diagnostics::no_value::Missing {
            fluent: name,
            others: *others,
            given: &given,
            declared: declared.place,
            absence: behind.zip(absence),
        };
        reports.push(diagnostics::no_value::diagnostic(*place, &missing));
    }
    lowering.diagnostics.append(&mut reports);
}

/// Where the values of fluents are listed, by the place of the fluent's name.
fn domain_places(items: &[Placed<'_>]) -> FxHashMap<Span, Span> {
    let mut places = FxHashMap::default();
    for placed in items {
        match &placed.item.kind {
            ItemKind::Type(decl) => {
                let members = decl.members.iter();
                places.extend(members.filter_map(|it| it.domain.as_ref().map(|domain| (it.name.span, domain.span))));
            }
            ItemKind::Fluent(decl) => {
                let domain = decl.domain.iter().map(|domain| domain.span);
                places.extend(domain.flat_map(|span| decl.heads.iter().map(move |head| (head.name.span, span))));
            }
            _ => {}
        }
    }
    places
}

/// A name for the absence of a value that is not taken for something else.
fn absence_of(lowering: &Lowering, fluent: FluentId) -> Option<&'static str> {
    let model = &lowering.model;
    let Domain::Choice(choices) = &model.fluents[fluent].domain else { return None };
    let is_somebody = |object: &dramaturg_model::ObjectId| lowering.characters.contains_key(object);
    let somebody = choices.types.iter().flat_map(|ty| model.objects_of(*ty)).any(is_somebody);
    let names = if somebody { ["nobody", "unset"] } else { ["nowhere", "unset"] };
    names.into_iter().find(|name| lowering.names.find_elsewhere(name).is_none())
}

/// All arguments of a fluent in a level, up to a limit.
fn combinations(model: &Model, fluent: FluentId, level: Option<LevelId>) -> Vec<Args> {
    let mut all = vec![Args::new()];
    for param in &model.fluents[fluent].params {
        let values = model.values_of(&param.choices, level);
        let mut longer = Vec::new();
        for args in &all {
            for value in &values {
                if longer.len() >= COMBINATIONS_MAX {
                    break;
                }
                let mut args = args.clone();
                args.push(*value);
                longer.push(args);
            }
        }
        all = longer;
    }
    all
}

/// `untranslated` and `unpinned-text`: what translations beside the story lack.
pub(crate) fn check_translations(lowering: &mut Lowering, files: &dyn Files, paths: &[String]) {
    let model = &lowering.model;
    let mut reports = Vec::new();
    // The many of a pool or population bear the name of it, which is one text to translate.
    let many: FxHashSet<TextId> = model
        .objects
        .values()
        .filter(|object| object.origin != ObjectOrigin::Declared)
        .map(|object| object.title)
        .collect();
    for path in paths {
        let Some(text) = files.read(path) else { continue };
        let known: FxHashSet<&str> =
            text.lines().filter_map(|line| line.split_once('=')).map(|(id, _)| id.trim_end()).collect();
        for (id, text) in model.texts.iter() {
            if text.place == Span::NONE || text.pieces.is_empty() || many.contains(&id) {
                continue;
            }
            if !known.contains(text.message().as_str()) {
                reports.push(diagnostics::untranslated::diagnostic(text.place, &text.id, path));
            }
        }
    }
    if !paths.is_empty() {
        for text in model.texts.values().filter(|text| !text.pinned) {
            reports.push(diagnostics::unpinned_text::diagnostic(text.place, &text.id));
        }
    }
    lowering.diagnostics.append(&mut reports);
}
