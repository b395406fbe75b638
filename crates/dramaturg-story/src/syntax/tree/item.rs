//! Declarations.

use dramaturg_model::Span;
use smol_str::SmolStr;

use super::clause::{Body, Effects, Wish};
use super::expr::Expr;
use super::word::{Ident, Number, Tag, Text};

/// A whole `.story` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryFile {
    /// Everything declared, in order.
    pub items: Vec<Item>,
}

/// One declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is declared.
    pub kind: ItemKind,
    /// The lines after `///` before it, joined by `\n`.
    pub doc: Option<SmolStr>,
    /// From its first word to its end.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `story "City" { … }`
    Story(Story),
    /// `use "places"`
    Use(Text),
    /// `level sparta "Sparta" { … }`
    Level(Level),
    /// `type King: Person { … }`
    Type(TypeDecl),
    /// `fluent a, b(x: T): domain = value`
    Fluent(FluentDecl),
    /// `object a "A", b: T (…)`
    Object(ObjectDecl),
    /// `character hector: King (…) { … }`
    Character(CharacterDecl),
    /// `given …`
    Given(Effects),
    /// `action …`
    Action(ActionDecl),
    /// `rule …`
    Rule(RuleDecl),
    /// `task …`
    Task(TaskDecl),
    /// `pool …`
    Pool(CrowdDecl),
    /// `population …`
    Population(CrowdDecl),
    /// `personality name(params) { … }`
    Personality(NamedBody),
    /// `futile name(params) { … }`
    Futile(NamedBody),
    /// `milestone name { … }`
    Milestone(NamedBody),
    /// `ending name { … }`
    Ending(NamedBody),
    /// `layer errands above street { … }`
    Layer(LayerDecl),
    /// `goal …`, `keep …`, `prefer …`
    Wish(Box<Wish>),
}

/// `story = "story" STRING [ "{" { setting } "}" ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// The title.
    pub title: Text,
    /// What stands in the braces.
    pub settings: Vec<Setting>,
}

/// One setting of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `ticks 60 per s`
    Ticks(Number, Ident),
    /// `day 24 h`
    Day(Number),
    /// `begins 7 h`
    Begins(Number),
    /// `options 3`
    Options(Number),
    /// `language "en"`
    Language(Text),
}

/// `level = "level" NAME [ STRING ] "{" { item } "}"`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// Its name.
    pub name: Ident,
    /// Its title.
    pub title: Option<Text>,
    /// What exists only there.
    pub items: Vec<Item>,
}

/// `type = "type" TYPE [ ":" TYPE ] [ "{" { member } "}" ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDecl {
    /// Its name.
    pub name: Ident,
    /// The kind it is a kind of.
    pub parent: Option<Ident>,
    /// Its attributes.
    pub members: Vec<Member>,
}

/// `member = NAME [ ":" domain ] [ "=" expr ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: Ident,
    /// What values it takes; none: yes or no.
    pub domain: Option<Domain>,
    /// Its value unless given otherwise.
    pub default: Option<Expr>,
    /// The lines after `///` before it.
    pub doc: Option<SmolStr>,
    /// The whole member.
    pub span: Span,
}

/// The values a fluent may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Which.
    pub kind: DomainKind,
    /// Where.
    pub span: Span,
}

/// The kinds of domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainKind {
    /// `number 0..100`
    Number(Option<Bounds>),
    /// `int -9..9`
    Int(Option<Bounds>),
    /// `duration`
    Duration,
    /// `actuator 2`
    Actuator(Option<Number>),
    /// `Place | Fleet | away`: TYPEs and NAMEs in order (a TYPE begins with a capital).
    Choice(Vec<Ident>),
}

/// `range = bound ".." [ bound ] | ".." bound`; the sign is in the number's value, the span covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest value.
    pub least: Option<Number>,
    /// The largest value.
    pub most: Option<Number>,
}

/// `fluent = "fluent" head { "," head } [ ":" domain ] [ "=" expr | "means" expr ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FluentDecl {
    /// Names with parameters; all share the rest.
    pub heads: Vec<Head>,
    /// What values they take; none: yes or no.
    pub domain: Option<Domain>,
    /// Default or meaning.
    pub value: FluentValue,
}

/// What stands behind a fluent's domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FluentValue {
    /// Nothing.
    None,
    /// `= expr`
    Default(Expr),
    /// `means expr`
    Means(Expr),
}

/// `head = NAME [ params ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The name.
    pub name: Ident,
    /// The parameters; empty without parentheses.
    pub params: Vec<Param>,
}

/// `param = NAME ":" types`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// `A | B`
    pub types: Vec<Ident>,
}

/// `named = NAME [ STRING ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its name.
    pub name: Ident,
    /// Its name for show.
    pub title: Option<Text>,
}

/// `object = "object" named { "," named } ":" TYPE [ inits ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDecl {
    /// The objects.
    pub names: Vec<Named>,
    /// Their type; `None` after a syntax error.
    pub ty: Option<Ident>,
    /// Their starting values.
    pub inits: Vec<Init>,
}

/// `init = "not" NAME | NAME [ "=" expr ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Init {
    /// Whether `not` stands before it.
    pub negated: bool,
    /// The attribute.
    pub name: Ident,
    /// Its value.
    pub value: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// `character = "character" named [ ":" TYPE ] [ inits ] [ body ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterDecl {
    /// Who.
    pub named: Named,
    /// The type; without one it says more about a character declared elsewhere.
    pub ty: Option<Ident>,
    /// Starting values.
    pub inits: Vec<Init>,
    /// Goals and personality; `None` when there are no braces.
    pub body: Option<Body>,
}

/// `action = "action" head [ "by" NAME ] [ "with" NAME { "," NAME } ] [ "in" NAME ] { TAG } body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionDecl {
    /// Name and parameters.
    pub head: Head,
    /// `by a`
    pub by: Option<Ident>,
    /// `with b, c`
    pub with: Vec<Ident>,
    /// `in layer`
    pub layer: Option<Ident>,
    /// `#cue`
    pub tags: Vec<Tag>,
    /// What it is.
    pub body: Body,
}

/// `rule = "rule" head { TAG } body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleDecl {
    /// Name and parameters.
    pub head: Head,
    /// Tags.
    pub tags: Vec<Tag>,
    /// What it does.
    pub body: Body,
}

/// `task = [ "key" ] "task" head { TAG } body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskDecl {
    /// Whether the option's question is asked here.
    pub key: bool,
    /// Name and parameters.
    pub head: Head,
    /// Tags.
    pub tags: Vec<Tag>,
    /// Offers, needs and methods.
    pub body: Body,
}

/// `pool` and `population`: `named params "of" NUMBER body`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrowdDecl {
    /// Its name and the name for show of its members.
    pub named: Named,
    /// One parameter stands for a member.
    pub params: Vec<Param>,
    /// How many; `None` after a syntax error.
    pub count: Option<Number>,
    /// The rest.
    pub body: Body,
}

/// A name, parameters (none for milestones and endings) and a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBody {
    /// Name and parameters.
    pub head: Head,
    /// The clauses.
    pub body: Body,
}

/// `layer = "layer" NAME [ "above" NAME ] [ "{" { knob } "}" ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerDecl {
    /// Its name.
    pub name: Ident,
    /// The layer below.
    pub above: Option<Ident>,
    /// Settings.
    pub knobs: Vec<Knob>,
}

/// `knob = ( "horizon" | "steps" | "beam" | "elites" | "tolerance" ) NUMBER`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// Which.
    pub kind: KnobKind,
    /// How much.
    pub value: Number,
    /// The whole.
    pub span: Span,
}

/// The settings of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnobKind {
    /// How far it looks ahead.
    Horizon,
    /// How many steps at most.
    Steps,
    /// How many nodes are kept.
    Beam,
    /// The share kept for survival.
    Elites,
    /// How far a contract may be missed.
    Tolerance,
}
