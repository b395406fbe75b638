//! What is known while PDDL is read.

use dramaturg_model::{Choices, Diagnostic, FluentId, Model, ObjectId, Origin, Param, PddlOrigin, Span, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::PddlOptions;
use super::fault;
use super::nearest::Nearest;
use super::sexpr::Sexpr;
use super::types::TypeTree;

/// The model so far, the names declared so far, and what was found wrong.
pub(super) struct Reader {
    pub(super) model: Model,
    pub(super) options: PddlOptions,
    pub(super) types: TypeTree,
    pub(super) predicates: FxHashMap<SmolStr, FluentId>,
    pub(super) functions: FxHashMap<SmolStr, FluentId>,
    pub(super) objects: FxHashMap<SmolStr, ObjectId>,
    /// Objects whose type is unknown: that was said once, and nothing follows from it.
    pub(super) untyped: FxHashSet<ObjectId>,
    /// Where actions of these names stand.
    pub(super) actions: FxHashMap<SmolStr, Span>,
    /// The domain may only speak of constants; they are the first objects.
    pub(super) objects_in_reach: usize,
    pub(super) temporal: bool,
    /// Durative actions that take no time at all.
    pub(super) momentary: Vec<SmolStr>,
    pub(super) domain_name: SmolStr,
    pub(super) problem_name: SmolStr,
    /// How many parts of conditions may still be repeated for flattened effects.
    pub(super) copies_left: usize,
    nearest: Nearest,
    faults: Vec<Diagnostic>,
}

/// How many parts of conditions may be repeated in all.
pub(super) const COPIES_MAX: usize = 4_000_000;

/// What a name is looked up among, for "did you mean".
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Predicate,
    Function,
}

impl Reader {
    pub(super) fn new(options: &PddlOptions, faults: Vec<Diagnostic>) -> Self {
        // A unit of no ticks would divide by nothing.
        let options = PddlOptions { ticks_per_unit: options.ticks_per_unit.max(1), ..*options };
        Self {
            model: Model::default(),
            options,
            types: TypeTree::default(),
            predicates: FxHashMap::default(),
            functions: FxHashMap::default(),
            objects: FxHashMap::default(),
            untyped: FxHashSet::default(),
            actions: FxHashMap::default(),
            objects_in_reach: 0,
            temporal: false,
            momentary: Vec::new(),
            domain_name: SmolStr::default(),
            problem_name: SmolStr::default(),
            copies_left: COPIES_MAX,
            nearest: Nearest::default(),
            faults,
        }
    }

    /// The finished model and all that was wrong.
    pub(super) fn finish(mut self) -> (Model, Vec<Diagnostic>) {
        self.model.title =
            if self.problem_name.is_empty() { self.domain_name.to_string() } else { self.problem_name.to_string() };
        self.model.name = self.domain_name.clone();
        self.model.origin = Origin::Pddl(PddlOrigin {
            domain: self.domain_name,
            problem: self.problem_name,
            ticks_per_unit: self.options.ticks_per_unit,
            epsilon: 1,
            temporal: self.temporal,
            momentary: std::mem::take(&mut self.momentary),
        });
        self.model.seal();
        (self.model, self.faults)
    }

    /// Tells a fault, unless there are too many already.
    pub(super) fn report(&mut self, fault: Diagnostic) {
        if self.faults.len() < fault::COUNT_MAX {
            self.faults.push(fault);
        }
    }

    /// Something else must stand here.
    pub(super) fn expected(&mut self, found: &Sexpr, wanted: &str) {
        self.report(fault::expected(found.span, &found.shown(), wanted));
    }

    /// The name an atom spells; a fault if it is a list.
    pub(super) fn name<'s>(&mut self, sexpr: &'s Sexpr, wanted: &str) -> Option<&'s SmolStr> {
        let name = sexpr.atom();
        if name.is_none() {
            self.expected(sexpr, wanted);
        }
        name
    }

    /// A predicate or function by its name.
    pub(super) fn fluent(&mut self, kind: Kind, name: &SmolStr, span: Span) -> Option<FluentId> {
        let (known, other) = match kind {
            Kind::Predicate => (&self.predicates, &self.functions),
            _ => (&self.functions, &self.predicates),
        };
        if let Some(fluent) = known.get(name) {
            return Some(*fluent);
        }
        let (what, cure) = match (kind, other.contains_key(name)) {
            (Kind::Predicate, true) => ("predicate", "it is a function: compare it by `=`, `<` or `>`"),
            (Kind::Predicate, false) => ("predicate", "declare it in `(:predicates …)`"),
            (_, true) => ("function", "it is a predicate and has no number"),
            (_, false) => ("function", "declare it in `(:functions …)`"),
        };
        let nearest = self.nearest.find(name, known.keys());
        self.report(fault::unknown(span, what, name, nearest.as_deref(), cure));
        None
    }

    /// An object by its name.
    pub(super) fn object(&mut self, name: &SmolStr, span: Span) -> Option<ObjectId> {
        let found = self.objects.get(name).copied();
        if let Some(object) = found.filter(|object| (object.0 as usize) < self.objects_in_reach) {
            return Some(object);
        }
        let cure = match found {
            Some(_) => "the domain may only speak of constants: declare it in `(:constants …)`",
            None => "declare it in `(:objects …)`, or in `(:constants …)` of the domain",
        };
        let nearest = if found.is_some() { None } else { self.nearest.find(name, self.objects.keys()) };
        self.report(fault::unknown(span, "object", name, nearest.as_deref(), cure));
        None
    }

    /// The nearest of some names.
    pub(super) fn nearest<'n>(&mut self, name: &str, names: impl IntoIterator<Item = &'n SmolStr>) -> Option<SmolStr> {
        self.nearest.find(name, names)
    }

    /// A type by its name.
    pub(super) fn type_named(&mut self, name: &SmolStr, span: Span) -> Option<TypeId> {
        if let Some(ty) = self.types.find(name) {
            return Some(ty);
        }
        let nearest = self.nearest.find(name, self.types.names());
        self.report(fault::unknown_type(span, name, nearest.as_deref()));
        None
    }

    /// The types of some choices, as messages call them.
    pub(super) fn choices_shown(&self, choices: &Choices) -> String {
        let names: Vec<&str> = choices
            .types
            .iter()
            .take(5)
            .filter_map(|ty| self.model.types.try_at(*ty))
            .map(|ty| ty.name.as_str())
            .collect();
        match names.as_slice() {
            [name] => format!("`{name}`"),
            names => format!("`(either {})`", names.join(" ")),
        }
    }

    /// The parameters of a fluent.
    pub(super) fn params_of(&self, fluent: FluentId) -> &[Param] {
        self.model.fluents.try_at(fluent).map_or(&[], |fluent| &fluent.params)
    }
}
