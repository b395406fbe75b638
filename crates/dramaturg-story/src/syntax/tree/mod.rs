//! The syntax tree of `.story` and `.play` files: the grammar of the language guide as types.
//!
//! The tree is made for half-written text too: what is missing after a syntax error is `None`, an empty list or
//! [`ExprKind::Missing`], and a diagnostic has been reported for it.

mod word;
pub use word::{Ident, Line, Number, Tag, Text, TextPiece, Unit};
mod item;
pub use item::{
    ActionDecl, Bounds, CharacterDecl, CrowdDecl, Domain, DomainKind, FluentDecl, FluentValue, Head, Init, Item,
    ItemKind, Knob, KnobKind, LayerDecl, Level, Member, Named, NamedBody, ObjectDecl, Param, RuleDecl, Setting, Story,
    StoryFile, TaskDecl, TypeDecl,
};
mod clause;
pub use clause::{
    Aim, AimTime, Amount, Anchor, Ask, Body, Carried, ChangeKind, Clause, ClauseKind, Effect, Effects, Hold, Late,
    Liking, Share, Wish, WishKind,
};
mod expr;
pub use expr::{Binder, BinderRange, Comparison, Event, EventKind, Expr, ExprKind, Operator, Path, Set};
mod play;
pub use play::{Play, PlayFile, Sight, SightTime, Step, StepKind};
