//! PDDL out: the part of a model that PDDL can say.
//!
//! # Layout
//!
//! `names` gives everything a name PDDL can say; `form` decides how each fluent is written; `inline` writes out what `means`
//! something; `condition`, `number` and `table` write expressions; `effect`, `classical` and `action` write actions; `lock`
//! what actions hold; `initial` and `goal` the problem; `writer` puts it all on paper.
//!
//! An action is either written so that every plan with it is also a plan for us, or left out and listed.

mod action;
mod classical;
mod condition;
mod effect;
mod form;
mod goal;
mod initial;
mod inline;
mod lock;
mod names;
mod number;
mod scope;
mod table;
mod tree;
mod writer;

use dramaturg_model::{FluentId, LevelId, Model, ObjectId, Span, State, SymbolId, Table};

pub use names::plan_names;

use form::Form;
use lock::Locks;
use names::Names;
use table::Tables;
use tree::Pddl;

/// How much PDDL may say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PddlLevel {
    /// Facts only, for planners such as Fast Downward: actions lose their durations, numbers are left out.
    #[default]
    Classical,
    /// PDDL 2.1: durations and numbers.
    Temporal,
}

/// What is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// How much PDDL may say.
    pub level: PddlLevel,
    /// Only what this character can do and wants; none: what everybody can do and the story wants.
    pub character: Option<ObjectId>,
    /// The level of the story; none: the first.
    pub story_level: Option<LevelId>,
}

/// A domain and a problem, and what they do not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Export {
    /// The domain file.
    pub domain: String,
    /// The problem file.
    pub problem: String,
    /// What PDDL cannot say, in order of finding.
    pub left_out: Vec<LeftOut>,
    /// The PDDL name and the story's name of every action, object and name-value, so that plans can be read back.
    pub names: Vec<(String, String)>,
}

/// Something that PDDL cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What: `the rule night`.
    pub what: String,
    /// Why it cannot be said, or what is said instead.
    pub why: String,
    /// Where it is declared.
    pub place: Span,
}

/// Why something cannot be said in PDDL.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cannot(String);

impl Cannot {
    fn because(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// The part of a model that PDDL can say.
///
/// ```
/// use dramaturg_model::FileId;
/// use dramaturg_story::pddl::{ExportOptions, PddlOptions, compile_pddl, to_pddl};
/// let domain = "(define (domain lamp) (:predicates (lit)) (:action light :effect (lit)))";
/// let (model, _) = compile_pddl((FileId(0), domain), None, &PddlOptions::default());
/// let export = to_pddl(&model, &ExportOptions::default());
/// assert!(export.domain.contains("(:action light"));
/// ```
pub fn to_pddl(model: &Model, options: &ExportOptions) -> Export {
    let story_level = options.story_level.or_else(|| model.first_level());
    let mut exporter = Exporter {
        model,
        options: *options,
        story_level,
        state: State::entering(model, story_level, None, &[], 0),
        names: Names::new(model),
        forms: Table::new(),
        tables: Tables::default(),
        locks: Locks::default(),
        left_out: Vec::new(),
        domain_uses: Table::filled(model.objects.len(), false),
        symbol_uses: Table::filled(model.symbols.len(), false),
        actions: Vec::new(),
        derived: Vec::new(),
        has_costs: false,
    };
    if model.pddl().is_none() {
        exporter.tables.root_type = exporter.names.fresh("anything", "type");
    }
    exporter.find_symbols();
    if exporter.symbol_uses.values().any(|is_used| *is_used) {
        exporter.tables.symbol_type = exporter.names.fresh("name-value", "type");
    }
    exporter.choose_forms();
    exporter.write_derived();
    exporter.write_actions();
    exporter.list_the_rest();
    exporter.finish()
}

/// What is known and written so far.
struct Exporter<'m> {
    model: &'m Model,
    options: ExportOptions,
    story_level: Option<LevelId>,
    /// The state in which the story begins.
    state: State,
    names: Names,
    forms: Table<FluentId, Form>,
    tables: Tables,
    locks: Locks,
    left_out: Vec<LeftOut>,
    /// Which objects the domain speaks of: they must be constants.
    domain_uses: Table<ObjectId, bool>,
    /// Which names some fluent or parameter may be.
    symbol_uses: Table<SymbolId, bool>,
    /// Actions as they will be written.
    actions: Vec<String>,
    derived: Vec<Pddl>,
    /// Whether actions have costs.
    has_costs: bool,
}

impl Exporter<'_> {
    fn is_temporal(&self) -> bool {
        self.options.level == PddlLevel::Temporal
    }

    /// How many ticks make a unit of the time that is written. Stories have no unit of their own, so theirs is the tick.
    fn ticks_per_unit(&self) -> i64 {
        self.model.pddl().map_or(1, |origin| origin.ticks_per_unit)
    }

    fn leave_out(&mut self, what: impl Into<String>, why: impl Into<String>, place: Span) {
        self.left_out.push(LeftOut { what: what.into(), why: why.into(), place });
    }

    /// Whether something declared in this level exists in the exported one.
    fn is_visible(&self, level: Option<LevelId>) -> bool {
        self.model.is_visible(level, self.story_level)
    }
}
