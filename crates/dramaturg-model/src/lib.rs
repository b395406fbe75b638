//! The nouns of dramaturg: what every other crate speaks of. Pure data and the evaluation of expressions; no files, threads,
//! clocks or random sources, and no source syntax beyond places in it.
//!
//! # Layout
//!
//! In order of reading: the foundations ([`table`], [`fixed`], [`source`], [`diagnostic`], [`tick`], [`value`], [`chance`]); the
//! nouns of a story ([`object`], [`fluent`], [`expr`], [`effect`], [`action`], [`event`], [`rule`], [`task`], [`wish`],
//! [`character`], [`initial`], [`level`], [`layer`], [`pool`], [`text`]); the whole ([`model`]); and what runs on it ([`usage`],
//! [`eval`], [`state`], [`plan`]). Begin with [`Model`].
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

pub mod table;
pub use table::{Id, Table};
pub mod fixed;
pub use fixed::{Fixed, FixedError};
pub mod source;
pub use source::{FileId, SourceFile, Sources, Span};
pub mod diagnostic;
pub use diagnostic::{Code, Diagnostic, Edit, Fix, Label, Severity, sort_diagnostics};
pub mod tick;
pub use tick::{Clock, Tick};
pub mod value;
pub use value::{Args, SymbolId, Value};
pub mod chance;
pub use chance::Chance;

pub mod object;
pub use object::{Choices, Object, ObjectId, ObjectOrigin, Param, Type, TypeId};
pub mod fluent;
pub use fluent::{Actuator, ActuatorId, Domain, Fluent, FluentId, FluentSource, Range};
pub mod expr;
pub use expr::{Binder, Comparison, Expr, Function, Operator, Quantifier, Set, Var};
pub mod effect;
pub use effect::{Amount, Change, Contribution, Effect, FluentRef, Moment};
pub mod action;
pub use action::{
    Action, ActionId, ActionOrigin, Asked, ConditionTime, Duration, Expectation, LatePolicy, Question, Reading,
    TimedCondition, Use, UseTarget,
};
pub mod event;
pub use event::{EventKind, EventPattern, PatternArg};
pub mod rule;
pub use rule::{Injection, Rule, RuleId, Trigger};
pub mod task;
pub use task::{Method, MethodStep, Offer, TagId, Task, TaskId};
pub mod wish;
pub use wish::{Aim, AimTime, Curve, Liking, Owner, Wish, WishId, WishKind};
pub mod character;
pub use character::{
    Character, CharacterId, Futile, FutileId, Personality, PersonalityId, Population, PopulationId, Share,
};
pub mod initial;
pub use initial::Initial;
pub mod level;
pub use level::{Ending, EndingId, Level, LevelId, Milestone, MilestoneId};
pub mod layer;
pub use layer::{Layer, LayerId};
pub mod pool;
pub use pool::{Pool, PoolId};
pub mod text;
pub use text::{Piece, Say, Text, TextId, Translation};

pub mod model;
pub use model::{Model, Origin, PddlOrigin};
pub mod usage;
pub use usage::{FluentUsage, Usage};
pub mod eval;
pub use eval::{Evaluator, Facts};
pub mod state;
pub use state::State;
pub mod plan;
pub use plan::{
    CausalLink, Observation, Plan, Status, Step, StepEvent, StepEventKind, StepOrigin, TimeConstraint, TimePoint,
};
