//! Grounding: from the lifted model to a ground problem.
//!
//! # Layout
//!
//! In the order in which data flows: [`options`] say what is wanted; [`inline`] puts meanings in; [`entity`],
//! [`relation`] and [`world`] hold the facts;
//! [`writer`] turns actions, rules and derived fluents into [`schema`]s with bodies to [`join`], and [`reach`] runs them to a fixed point, asking
//! [`relaxed`] where a condition is no plain fact. [`template`] takes actions apart; [`invariant`] (with [`constraint`]) finds
//! facts that exclude each other, [`group`] instantiates and chooses them, [`prune`] drops what they make impossible, [`emptied`]
//! says which need a value for "none". [`places`] makes [`variable`]s; [`lower`] and [`dnf`] turn [`expr`]essions into
//! [`condition`]s; [`assemble`] and [`snap`] build [`operator`]s, [`wish`] the goals; [`relevance`] keeps what can help; [`index`]
//! and [`problem`] are the result, and [`role`] is what one performer sees of it.

pub mod options;
pub use options::{Goals, GroundOptions, Groups, Limit, LimitHit, Limits, Scope};
pub mod variable;
pub use variable::{BitPlace, Meaning, Number, NumberId, Place, SetId, Sets, ValueSet, Variable, VariableId};
pub mod expr;
pub use expr::{Frame, Ground, GroundExpr};
pub mod condition;
pub use condition::{Condition, Conjunction, Literal, NumberTest};
pub mod operator;
pub use operator::{
    Derived, GroundActuator, GroundActuatorId, GroundChange, GroundContribution, GroundDuration, GroundEffect,
    GroundRule, GroundRuleId, GroundTime, GroundTrigger, GroundUse, Operator, OperatorId, Phase, Snap, Timed,
    TimedGroundCondition, TimedGroundEffect,
};
pub mod wish;
pub use wish::{GroundAim, GroundAimTime, GroundLiking, GroundWish, GroundWishKind};
pub mod index;
pub use index::{Index, Lists, SuccessorTree};
pub mod problem;
pub use problem::Problem;

mod assemble;
mod constraint;
mod dnf;
mod emptied;
mod entity;
mod group;
mod inline;
mod invariant;
mod join;
mod lower;
mod places;
mod prune;
mod reach;
mod relation;
mod relaxed;
mod relevance;
mod role;
mod schema;
mod snap;
mod template;
mod world;
mod writer;

use dramaturg_model::{Args, EventKind, FluentId, Model, Origin, PatternArg, State, Table, Trigger, Value};
use rustc_hash::FxHashMap;

use assemble::Assembler;
use group::Facts;
use options::Meter;
use places::Places;
use prune::FactReader;
use schema::Source;
use world::World;
use writer::SchemaWriter;

/// A ground problem, and how it came about.
#[derive(Clone, Debug)]
pub struct Grounding {
    /// The problem; incomplete if grounding stopped.
    pub problem: Problem,
    /// The limit that stopped it.
    pub stop: Option<LimitHit>,
    /// How much work it was.
    pub stats: GroundStats,
}

/// How much work a grounding was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroundStats {
    /// Joined rows and evaluated conditions.
    pub work: u64,
    /// Instances of actions that relaxed reachability found.
    pub reached_operators: usize,
    /// Facts that relaxed reachability found.
    pub reached_facts: usize,
    /// Operators dropped because they ask for facts that exclude each other, or do nothing.
    pub pruned_operators: usize,
    /// Operators dropped because they cannot help the goals.
    pub irrelevant_operators: usize,
    /// Lifted invariants found.
    pub invariants: usize,
    /// Groups of facts that became variables.
    pub groups: usize,
}

/// Grounds a model: joins parameters over what never changes, finds what can be reached, merges facts that exclude each other into
/// variables, and keeps what can help the goals.
pub fn ground(model: &Model, options: &GroundOptions<'_>) -> Grounding {
    let mut meter = Meter::new(options.limits);
    let inlined = inline::inlined(model);
    let model = inlined.as_ref().unwrap_or(model);
    let own;
    let state = match options.state {
        Some(state) => state,
        None => {
            let level = options.level.or_else(|| model.first_level());
            own = State::entering(model, level, None, &[], options.seed);
            &own
        }
    };
    let level = options.level.or_else(|| state.level());
    let mut world = World::new(model, state, level);
    world.fill(options.scope, &mut meter);
    let schemas = SchemaWriter::write(&mut world, options.cast);
    if !meter.is_stopped() {
        reach::Reach::run(&mut world, &schemas, &mut meter);
    }
    let stop = meter.restart();
    let templates = template::templates(&mut world, &schemas);
    let world = world;
    let facts = Facts::new(&world);
    let mut groups = group::Groups::plain(&world, &facts);
    let wants_groups = match options.groups {
        Groups::Always => true,
        Groups::OfPddl => matches!(model.origin, Origin::Pddl(_)),
        Groups::Never => false,
    };
    let mut stats = GroundStats::default();
    if wants_groups && options.scope == Scope::Reachable && stop.is_none() {
        let invariants = invariant::find(&world, &templates);
        stats.invariants = invariants.len();
        groups.add(&world, &facts, &invariants);
        stats.groups = groups.chosen.len();
    }
    let kept = prune::prune(&world, &schemas, &templates, &facts, &groups, &mut meter);
    let emptied =
        emptied::emptied(&FactReader { world: &world, facts: &facts }, &templates, &groups, &kept, &mut meter);
    let places = Places::new(&world, &facts, &groups, &kept, &emptied);
    let mut assembler = Assembler::new(&places, &mut meter);
    let instances = templates.iter().filter(|template| matches!(template.source, Source::Action(_)));
    let instances = instances.map(|template| world.relations[template.instances].len()).sum();
    let mut operators: Vec<Operator> = Vec::with_capacity(instances);
    let mut rules: Table<GroundRuleId, GroundRule> = Table::new();
    for (template, alive) in templates.iter().zip(&kept.instances) {
        let noticed = is_noticed(model, template.source);
        let instances = &world.relations[template.instances];
        if matches!(template.source, Source::Action(_)) {
            stats.reached_operators += instances.len();
        }
        for (_, binding) in instances.rows().filter(|(row, _)| alive[*row]) {
            match template.source {
                Source::Action(_) => {
                    let operator = assembler.operator(template, binding);
                    if let Some(operator) = operator.filter(|operator| noticed || does_something(operator)) {
                        operators.push(operator);
                    }
                }
                _ => {
                    if let Some(rule) = assembler.rule(template, binding) {
                        rules.push(rule);
                    }
                }
            }
        }
    }
    stats.reached_facts = facts.of.len();
    stats.pruned_operators = stats.reached_operators - operators.len().min(stats.reached_operators);
    let derived = assembler.derived();
    let wishes = wish::wishes(&mut assembler);
    if let Some(goals) = &options.goals {
        let (conditions, likings) = wish::wanted(goals, &wishes, &mut assembler);
        let input = relevance::RelevanceInput {
            variables: &places.variables,
            numbers: places.numbers.len(),
            sets: &assembler.sets,
            operators: &operators,
            rules: rules.as_slice(),
            derived: &derived,
            model,
        };
        let relevant = relevance::relevant(&input, &conditions, &likings);
        let before = operators.len();
        let mut keep = relevant.values();
        operators.retain(|_| keep.next().copied().unwrap_or(true));
        stats.irrelevant_operators = before - operators.len();
    }
    let operators: Table<OperatorId, Operator> = operators.into_iter().collect();
    let Assembler { sets, args, actuators, .. } = assembler;
    let after = rules_after(model, &operators, &rules, &args);
    let index = Index::new(&places.variables, &operators, &rules, &derived, &after, model.objects.len());
    let place_map = place_map(&places);
    let words = places.variables.values().map(|variable| variable.place.word as usize + 1).max().unwrap_or(0);
    let mut problem = Problem {
        level,
        clock: model.clock,
        variables: places.variables,
        numbers: places.numbers,
        sets,
        operators,
        rules,
        derived,
        wishes,
        actuators,
        args,
        places: place_map,
        index,
        words,
        hash: 0,
    };
    problem.hash = problem::content_hash(&problem, model);
    stats.work = meter.work;
    Grounding { problem, stop: stop.or(meter.hit), stats }
}

/// The rules that may follow each operator.
fn rules_after(
    model: &Model,
    operators: &Table<OperatorId, Operator>,
    rules: &Table<GroundRuleId, GroundRule>,
    args: &[Value],
) -> Vec<(u32, GroundRuleId)> {
    let args_of =
        |range: operator::ArgsRange| args.get(range.start as usize..(range.start + range.len) as usize).unwrap_or(&[]);
    let mut after = Vec::new();
    for (id, rule) in rules.iter() {
        let Trigger::After(pattern, _) = &model.rules[rule.rule].trigger else { continue };
        let own = args_of(rule.args);
        for (operator, ground) in operators.iter() {
            let kind = match pattern.kind {
                EventKind::Action(action) => action == ground.action,
                EventKind::Tag(tag) => model.actions[ground.action].tags.contains(&tag),
                _ => false,
            };
            let wanted = pattern.args.as_deref().unwrap_or(&[]);
            let fits = wanted.iter().zip(args_of(ground.args)).all(|(wanted, arg)| match wanted {
                PatternArg::Any => true,
                PatternArg::Is(value) => value == arg,
                PatternArg::Var(var) => own.get(usize::from(var.0)) == Some(arg),
            });
            if kind && fits {
                after.push((operator.0, id));
            }
        }
    }
    after
}

/// Whether anybody would notice that an action happens although it changes nothing.
fn is_noticed(model: &Model, source: Source) -> bool {
    let Source::Action(id) = source else { return true };
    let action = &model.actions[id];
    !action.says.is_empty()
        || action.question.is_some()
        || action.reads.is_some()
        || action.expectation.is_some()
        || !matches!(model.origin, Origin::Pddl(_))
}

/// Whether an operator can change anything.
fn does_something(operator: &Operator) -> bool {
    operator.timed.is_some()
        || operator.snap.phases.iter().any(|phase| !phase.sets.is_empty() || !phase.effects.is_empty())
}

/// Where each fluent that changes is found.
fn place_map(places: &Places<'_, '_>) -> FxHashMap<(FluentId, Args), Place> {
    let mut map = FxHashMap::default();
    for (id, variable) in places.variables.iter() {
        match &variable.meaning {
            Meaning::Fluent { fluent, args, .. } | Meaning::Whole { fluent, args, .. } => {
                map.insert((*fluent, args.clone()), Place::Variable(id));
            }
            Meaning::Group { facts, .. } => {
                for (value, (fluent, args)) in facts.iter().enumerate() {
                    map.insert((*fluent, args.clone()), Place::Member(id, value as u32));
                }
            }
        }
    }
    for (id, number) in places.numbers.iter() {
        map.insert((number.fluent, number.args.clone()), Place::Number(id));
    }
    map
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
