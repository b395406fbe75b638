//! The syntax tree of `.story` and `.play` files: the grammar of the language guide as types.
//!
//! The tree is made for half-written text too: what is missing after a syntax error is `None`, an empty list or
//! [`ExprKind::Missing`], and a diagnostic has been reported for it.

use dramaturg_model::{Fixed, Span};
use smol_str::SmolStr;

/// A name with its place: NAME or TYPE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// As written.
    pub text: SmolStr,
    /// Where.
    pub span: Span,
}

/// `#romance`, without the hash in `name.text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// The name after the hash; its span covers the hash too.
    pub name: Ident,
}

/// The unit written behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// `tick`, `ticks`
    Ticks,
    /// `ms`
    Milliseconds,
    /// `s`
    Seconds,
    /// `min`
    Minutes,
    /// `h`
    Hours,
    /// `day`, `days`
    Days,
    /// `%`; the value is already divided by 100 and the unit kept for the formatter's and checker's sake.
    Percent,
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The value as written (`25 %` is 0.25).
    pub value: Fixed,
    /// The unit, if one is written.
    pub unit: Option<Unit>,
    /// Where, with the unit.
    pub span: Span,
}

/// A text in quotes, cut into words and slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Literal stretches and slots in order. Escapes are resolved; a line break with the blanks around it is one blank, an
    /// empty line is `\n\n`.
    pub pieces: Vec<TextPiece>,
    /// With the quotes.
    pub span: Span,
}

/// A stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece {
    /// Words as shown.
    Words(SmolStr),
    /// `{expr}`
    Slot(Expr),
}

impl Text {
    /// The text without slots, for titles, file names and patterns.
    pub fn plain(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| match piece {
                TextPiece::Words(words) => words.as_str(),
                TextPiece::Slot(_) => "",
            })
            .collect()
    }
}

/// `text = STRING [ TEXTID ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The words.
    pub text: Text,
    /// `@cinema.truce`, without the `@` in its text.
    pub id: Option<Ident>,
}

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
#[expect(clippy::large_enum_variant, reason = "a file has hundreds of them, not millions")]
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
    Wish(Wish),
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

/// `body = "{" { clause } "}"`
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The clauses in order.
    pub clauses: Vec<Clause>,
}

/// One clause with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which.
    pub kind: ClauseKind,
    /// The word it begins with, for messages.
    pub word: Span,
    /// The whole.
    pub span: Span,
}

/// Everything that may stand in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `goal`, `keep`, `prefer`
    Wish(Wish),
    /// `takes A [.. B]`
    Takes(Expr, Option<Expr>),
    /// `needs C [at anchor]`
    Needs(Expr, Option<Anchor>),
    /// `keeps C`
    Keeps(Expr),
    /// `uses …`
    Uses(Vec<Hold>),
    /// `then …`
    Then(Effects),
    /// `during …`
    During(Effects),
    /// `expect …`
    Expect(Effects),
    /// `otherwise …`
    Otherwise(Effects),
    /// `given …`
    Given(Effects),
    /// `when C [if D]`
    When(Expr, Option<Expr>),
    /// `while C`
    While(Expr),
    /// `after X [if D]`
    After(Event, Option<Expr>),
    /// `check every D`
    Check(Expr),
    /// `extend n times by D`
    Extend(Number, Expr),
    /// `reads x, y [every D]`
    Reads(Vec<Path>, Option<Expr>),
    /// `inject who { … } [if C]`
    Inject(Ident, Vec<Wish>, Option<Expr>),
    /// `say [who:] "…" or "…" [at anchor] [if C]`
    Say {
        /// Who speaks.
        speaker: Option<Ident>,
        /// The alternatives.
        lines: Vec<Line>,
        /// When.
        anchor: Option<Anchor>,
        /// On what condition.
        condition: Option<Expr>,
    },
    /// `ask player "…" …`
    Ask {
        /// Whether the game is asked instead of the player.
        game: bool,
        /// The question.
        line: Option<Line>,
        /// On what condition it is asked.
        condition: Option<Expr>,
        /// `yes "…", no "…"`
        answers: Vec<(Ident, Line)>,
        /// `within D else NAME`
        within: Option<(Expr, Ident)>,
    },
    /// `costs n` or `costs #tag times n`
    Costs(Option<Tag>, Expr),
    /// `late drop`, `late retime`, `late 5 ticks`
    Late(Late),
    /// `offer "…" [if C]`
    Offer(Line, Option<Expr>),
    /// `method [name] [if C] { … }`
    Method(Option<Ident>, Option<Expr>, Body),
    /// `do path`
    Do(Path),
    /// `fills`
    Fills,
    /// `anchors a, b`
    Anchors(Vec<Path>),
    /// `commit when C`
    Commit(Expr),
    /// `personality a 15 %, b`
    Personality(Vec<Share>),
    /// `next level [carrying …]`
    Next(Ident, Vec<Carried>),
}

/// What happens when an action cannot be sent in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Late {
    /// `drop`
    Drop,
    /// `retime`
    Retime,
    /// A tolerance.
    UpTo(Expr),
}

/// `share = NAME [ NUMBER ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The personality.
    pub name: Ident,
    /// Its share.
    pub amount: Option<Number>,
}

/// `carried = TYPE "." NAME | NAME`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The type of an attribute.
    pub ty: Option<Ident>,
    /// The fluent or attribute.
    pub name: Ident,
}

/// `goal`, `keep` or `prefer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wish {
    /// Which.
    pub kind: WishKind,
    /// `while C`
    pub condition: Option<Expr>,
    /// The whole.
    pub span: Span,
}

/// The kinds of wishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WishKind {
    /// `goal A then B salience n`
    Goal(Vec<Aim>, Option<Expr>),
    /// `keep C from T to T`
    Keep(Expr, Option<(Expr, Expr)>),
    /// `prefer … weight n`
    Prefer(Liking, Option<Expr>),
}

/// `aim = expr [ "at" sum | "by" sum | "from" sum "to" sum ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// What is wanted.
    pub condition: Expr,
    /// When.
    pub time: AimTime,
}

/// When an aim must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AimTime {
    /// At some time.
    Any,
    /// `at T`
    At(Expr),
    /// `by T`
    By(Expr),
    /// `from T to T`
    During(Expr, Expr),
}

/// `liking = ("more"|"less") sum [("up"|"down") "to" sum] | expr ["follows" point {"," point} "within" sum]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Liking {
    /// `more x up to n`
    More(Expr, Option<Expr>),
    /// `less x down to n`
    Less(Expr, Option<Expr>),
    /// A condition.
    Holds(Expr),
    /// `x follows v at t, … within w`: points are (value, time).
    Follows(Expr, Vec<(Expr, Expr)>, Expr),
}

/// `effects = effect { "," effect } [ "at" anchor ] [ "for" binder { "," binder } ] [ "if" expr ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// All at once.
    pub effects: Vec<Effect>,
    /// When.
    pub anchor: Option<Anchor>,
    /// For each of these.
    pub binders: Vec<Binder>,
    /// On what condition.
    pub condition: Option<Expr>,
    /// The whole list.
    pub span: Span,
}

/// `effect = "not" path | path [ ( "=" | "+=" | "-=" ) ( "random" set | expr [ "per" NAME ] ) ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What changes.
    pub target: Path,
    /// How.
    pub change: ChangeKind,
    /// The whole.
    pub span: Span,
}

/// How an effect changes its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Named alone: becomes true.
    Yes,
    /// `not`: becomes false.
    No,
    /// `= v`
    Set(Amount),
    /// `+= v`
    Add(Amount),
    /// `-= v`
    Subtract(Amount),
}

/// The right side of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Amount {
    /// `random set`
    Random(Set),
    /// `expr [per unit]`; the unit is a NAME such as `tick`, `s`, `min`.
    Expr(Expr, Option<Ident>),
}

/// `anchor = "start" | "end" | sum`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At the start.
    Start(Span),
    /// At the end.
    End(Span),
    /// So long after the start (in `given`: that long after the story began).
    After(Expr),
}

/// `hold = [ NUMBER "of" ] path [ "from" anchor "to" anchor ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hold {
    /// How much of it.
    pub amount: Option<Number>,
    /// The actuator.
    pub path: Path,
    /// From when to when.
    pub window: Option<(Anchor, Anchor)>,
    /// The whole.
    pub span: Span,
}

/// `binder = NAME ( ":" types | "in" "(" expr { "," expr } ")" )`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The name bound.
    pub name: Ident,
    /// Over what.
    pub range: BinderRange,
}

/// What a binder runs over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinderRange {
    /// `: A | B`
    Types(Vec<Ident>),
    /// `in (a, b)`
    Among(Vec<Expr>),
}

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where, without surrounding parentheses.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// What a syntax error left out.
    Missing,
    /// `12`, `2 s`
    Number(Number),
    /// `true`, `false`
    Bool(bool),
    /// `_`
    Wildcard,
    /// `( e )`, kept for the formatter and for `and-or-mixed`.
    Group(Box<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `not e`
    Not(Box<Expr>),
    /// `a == b`
    Compare(Comparison, Box<Expr>, Box<Expr>),
    /// `a in set`
    In(Box<Expr>, Set),
    /// `a + b`
    Arithmetic(Operator, Box<Expr>, Box<Expr>),
    /// `- e`
    Negate(Box<Expr>),
    /// `any x: T (e)`
    Any(Vec<Binder>, Box<Expr>),
    /// `all x: T (e)`
    All(Vec<Binder>, Box<Expr>),
    /// `done X`
    Done(Event),
    /// `a.b`, `f(x).y`
    Path(Path),
}

/// Comparison signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
}

/// Arithmetic signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `mod`
    Modulo,
}

/// `set = "(" expr { "," expr } ")" | types | sum ".." sum`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// `(a, b)`
    Among(Vec<Expr>, Span),
    /// `A | B`
    Types(Vec<Ident>),
    /// `a .. b`
    Range(Box<Expr>, Box<Expr>),
}

/// `path = NAME [ arguments ] { "." NAME }`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The first name.
    pub name: Ident,
    /// Its arguments; `None` without parentheses.
    pub arguments: Option<Vec<Expr>>,
    /// The attributes behind it.
    pub attributes: Vec<Ident>,
    /// The whole.
    pub span: Span,
}

/// `event = TAG | NAME [ "." NAME ] [ arguments ]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// A tag or a name.
    pub kind: EventKind,
    /// The whole.
    pub span: Span,
}

/// What an event names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// `#romance`
    Tag(Tag),
    /// `kill(_, x)`, `goCinema.miaComes`, `map.anchor(map-1, castle)`
    Named {
        /// Action, task, rule, pool, milestone, ending.
        name: Ident,
        /// Method, or `anchor`, `reanchor`, `commit` of a pool.
        member: Option<Ident>,
        /// The arguments; `None` without parentheses.
        arguments: Option<Vec<Expr>>,
    },
}

/// A whole `.play` file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayFile {
    /// The plays in order.
    pub plays: Vec<Play>,
}

/// `"play" STRING steps`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// Its title.
    pub title: Text,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The whole.
    pub span: Span,
}

/// One step of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub kind: StepKind,
    /// The whole.
    pub span: Span,
}

/// The kinds of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// `given …`
    Given(Effects),
    /// `goals [who] { … }`
    Goals(Option<Ident>, Vec<Wish>),
    /// `level name`
    Level(Ident),
    /// `seed n`
    Seed(Number),
    /// `force`
    Force,
    /// `until T`
    Until(Expr),
    /// `wait D`
    Wait(Expr),
    /// `finish`
    Finish,
    /// `reload`
    Reload,
    /// `report E [from T to T]`
    Report(Vec<Effect>, Option<(Expr, Expr)>),
    /// `fail X [after D]`
    Fail(Event, Option<Expr>),
    /// `stretch X by D`
    Stretch(Event, Expr),
    /// `answer name`
    Answer(Ident),
    /// `choose X`
    Choose(Event),
    /// `do X`
    Do(Event),
    /// `see X [at|by|within T]`
    See(Sight, SightTime),
    /// `never X`
    Never(Sight),
    /// `check C`
    Check(Expr),
    /// `offered a, b`
    Offered(Vec<Event>),
    /// `only x { … }`
    Only(Ident, Vec<Step>),
    /// `unordered { … }`
    Unordered(Vec<Step>),
}

/// What a play looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Something happens.
    Event(Event),
    /// A text is shown; `*` stands for any words.
    Text(Text),
}

/// When a play looks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SightTime {
    /// At some time.
    Any,
    /// `at T`
    At(Expr),
    /// `by T`
    By(Expr),
    /// `within D`
    Within(Expr),
}
