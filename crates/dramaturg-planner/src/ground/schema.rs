//! Lifted rules of "what can happen": each action, rule and derived fluent as a body to join and heads to conclude.

use dramaturg_model::{
    Action, ActionId, Args, Binder, EventPattern, Expr, FluentId, FluentRef, FluentSource, Moment, PatternArg, RuleId,
    Set, Table, ids,
};
use smallvec::SmallVec;

use super::entity::{DomainId, Entity};
use super::relation::RelationId;
use super::world::World;

ids! {
    /// A lifted rule.
    SchemaId,
    /// A variable of a lifted rule: its parameters, then what it binds.
    Slot,
}

/// A variable or a fixed entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    Slot(Slot),
    Entity(Entity),
}

/// A row that must be there, or will be.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) relation: RelationId,
    pub(crate) terms: SmallVec<[Term; 4]>,
}

/// Two terms that must be equal, or must differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constraint {
    pub(crate) left: Term,
    pub(crate) right: Term,
    pub(crate) equal: bool,
}

/// Where a schema comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Action(ActionId),
    Rule(RuleId),
    Derived,
    /// A conditional effect of another schema.
    Effect,
    /// What the story itself may do: methods, milestones, endings, what is given at a later tick.
    Story,
}

/// What follows when the body holds.
#[derive(Clone, Debug)]
pub(crate) enum Head<'m> {
    /// This row.
    Add(Atom),
    /// This flag can be false.
    Delete(Atom),
    /// What cannot be said by terms alone; looked at again whenever more is reached.
    General(General<'m>),
}

/// An effect whose target or value is read from the state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct General<'m> {
    pub(crate) binders: &'m [Binder],
    pub(crate) condition: Option<&'m Expr>,
    pub(crate) target: &'m FluentRef,
    pub(crate) value: NewValue<'m>,
}

/// What a fluent becomes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewValue<'m> {
    Expr(&'m Expr),
    Random(&'m Set),
    /// Any value of its domain.
    Any,
}

/// A lifted rule.
pub(crate) struct Schema<'m> {
    pub(crate) source: Source,
    pub(crate) slots: Table<Slot, DomainId>,
    pub(crate) body: Vec<Atom>,
    pub(crate) constraints: Vec<Constraint>,
    /// Conditions that never change, with the sign they must have.
    pub(crate) fixed: Vec<(&'m Expr, bool)>,
    /// Conditions that may come true later, with the sign they must have.
    pub(crate) tests: Vec<(&'m Expr, bool)>,
    pub(crate) heads: Vec<Head<'m>>,
    /// Where its instances are kept; none if nobody asks for them.
    pub(crate) instances: Option<RelationId>,
    /// Whether it can never happen.
    pub(crate) impossible: bool,
}

/// The arguments of a `done` fluent in terms of the variables of what was done; none if the pattern leaves one open.
pub(crate) fn done_terms(pattern: &EventPattern, arity: usize) -> Option<SmallVec<[Term; 4]>> {
    let args = pattern.args.as_deref().unwrap_or(&[]);
    (0..arity)
        .map(|param| {
            let place = args.iter().position(|arg| matches!(arg, PatternArg::Var(var) if usize::from(var.0) == param));
            place.map(|place| Term::Slot(Slot(place as u32)))
        })
        .collect()
}

/// Whether a pattern's fixed arguments fit these.
pub(crate) fn pattern_fits(pattern: &EventPattern, args: &Args) -> bool {
    let wanted = pattern.args.as_deref().unwrap_or(&[]);
    wanted.iter().zip(args).all(|(wanted, arg)| match wanted {
        PatternArg::Is(value) => value == arg,
        PatternArg::Any | PatternArg::Var(_) => true,
    })
}

/// Whether a step's own earlier effects may change what a later condition of it reads.
pub(crate) fn changes_early(action: &Action, condition: &Expr, world: &World<'_>) -> bool {
    let mut reads: Vec<FluentId> = Vec::new();
    let mut pending: Vec<&Expr> = vec![condition];
    // What `means` something reads more; every fluent is looked into once.
    while let Some(expr) = pending.pop() {
        expr.walk(&mut |part| {
            if let Expr::Fluent(fluent, _) = part
                && !reads.contains(fluent)
            {
                reads.push(*fluent);
                match &world.model.fluents[*fluent].source {
                    FluentSource::Means(meaning) => pending.push(meaning),
                    FluentSource::Derived { rules, .. } => pending.extend(rules),
                    FluentSource::Stored | FluentSource::Done(_) => {}
                }
            }
        });
    }
    let early = action.effects.iter().filter(|effect| effect.moment != Moment::End).map(|effect| effect.target.fluent);
    early.chain(action.contributions.iter().map(|part| part.target.fluent)).any(|fluent| reads.contains(&fluent))
}
