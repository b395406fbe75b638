//! The state of lowering: the model as it grows, and everything that names are looked up in.

use dramaturg_model::{
    ActuatorId, Choices, Diagnostic, Expr, FluentId, LevelId, Model, PoolId, Span, SymbolId, TagId, TypeId, Value,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;

use super::names::{Declared, Meaning, Names, nearest};
use super::scope::Scope;
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree;

/// A member of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    Fluent(FluentId),
    Actuator(ActuatorId),
}

/// A check that needs to know which fluents change, so it waits until all is lowered.
pub(crate) enum Deferred {
    /// Not both of these may change.
    Product { span: Span, left: Expr, right: Expr },
    /// This must not change, and should not be 0.
    Divisor { span: Span, divisor: Expr, exact: bool },
}

/// A model in the making.
#[derive(Default)]
pub(crate) struct Lowering {
    pub(crate) model: Model,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: dramaturg_model::Sources,
    pub(crate) names: Names,
    pub(crate) types: FxHashMap<SmolStr, TypeId>,
    pub(crate) attributes: FxHashMap<(TypeId, SmolStr), Attribute>,
    pub(crate) symbols: FxHashMap<SmolStr, SymbolId>,
    pub(crate) tags: FxHashMap<SmolStr, TagId>,
    /// Which pool anchors an attribute, and where it says so.
    pub(crate) anchored_by: FxHashMap<FluentId, (PoolId, Span)>,
    /// The ids of texts, where they come from and whether they are written.
    pub(crate) text_ids: FxHashMap<SmolStr, (Span, bool)>,
    pub(crate) deferred: Vec<Deferred>,
    /// Where the syntax has faults, in order.
    pub(crate) syntax_faults: Vec<Span>,
    /// The declaration whose body is being lowered.
    pub(crate) item: Option<Span>,
    /// The header's end and whether it has braces, for fixes that add a setting.
    pub(crate) header: Option<(Span, bool)>,
    /// Whether it was said that the length of a tick, or of a day, is missing: one mistake, one message.
    pub(crate) tick_length_missed: bool,
    pub(crate) day_missed: bool,
    /// Where the header is.
    pub(crate) header_place: Option<Span>,
    /// The names of a task's methods, known before their bodies are.
    pub(crate) method_names: FxHashMap<dramaturg_model::TaskId, Vec<Option<SmolStr>>>,
    /// So many ticks in so many seconds.
    pub(crate) ticks_per: Option<(dramaturg_model::Fixed, dramaturg_model::Fixed)>,
    /// Names of objects whose type is unknown: declared, so that using them is no second fault.
    pub(crate) missing: rustc_hash::FxHashSet<SmolStr>,
    /// The word `object` before an object that is declared alone, by the place of its name.
    pub(crate) object_words: FxHashMap<Span, Span>,
    /// Names that things of the model already have.
    pub(crate) taken: rustc_hash::FxHashSet<SmolStr>,
    /// Fluents that are no attributes, by the place of their name; sorted by it once all are declared.
    pub(crate) fluent_heads: Vec<(FluentId, Span)>,
    /// Actions by the place of their name.
    pub(crate) action_of: FxHashMap<Span, dramaturg_model::ActionId>,
    /// Levels by the place of their name.
    pub(crate) level_of: FxHashMap<Span, LevelId>,
    /// Pools and populations by the place of their name.
    pub(crate) pool_of: FxHashMap<Span, PoolId>,
    pub(crate) population_of: FxHashMap<Span, dramaturg_model::PopulationId>,
    /// Characters by their object.
    pub(crate) characters: FxHashMap<dramaturg_model::ObjectId, dramaturg_model::CharacterId>,
    /// `done` fluents by what they watch.
    pub(crate) done: FxHashMap<dramaturg_model::EventPattern, FluentId>,
}

impl Lowering {
    /// An empty model, with what was said about the files so far.
    pub(crate) fn new(sources: dramaturg_model::Sources, diagnostics: Vec<Diagnostic>) -> Self {
        let mut syntax_faults: Vec<Span> = diagnostics.iter().map(Diagnostic::span).collect();
        syntax_faults.sort_unstable();
        Self { sources, diagnostics, syntax_faults, ..Self::default() }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether the syntax has a fault in this stretch: then nothing is said about what seems to be missing there.
    pub(crate) fn is_faulty(&self, span: Span) -> bool {
        let next = self.syntax_faults.partition_point(|fault| (fault.file, fault.start) < (span.file, span.start));
        self.syntax_faults.get(next).is_some_and(|fault| fault.file == span.file && fault.start <= span.end)
    }

    /// The same for the declaration at hand.
    pub(crate) fn is_item_faulty(&self) -> bool {
        self.item.is_some_and(|item| self.is_faulty(item))
    }

    /// A stretch of source as the author wrote it.
    pub(crate) fn written(&self, span: Span) -> String {
        self.sources.text(span).to_owned()
    }

    /// The id of a name that is a value.
    pub(crate) fn symbol(&mut self, name: &SmolStr) -> SymbolId {
        if let Some(symbol) = self.symbols.get(name) {
            return *symbol;
        }
        let symbol = self.model.symbols.push(name.clone());
        self.symbols.insert(name.clone(), symbol);
        symbol
    }

    /// The id of a tag where it is attached.
    pub(crate) fn tag(&mut self, name: &SmolStr) -> TagId {
        if let Some(tag) = self.tags.get(name) {
            return *tag;
        }
        let tag = self.model.tags.push(name.clone());
        self.tags.insert(name.clone(), tag);
        tag
    }

    /// The id of a tag where it is used; reported if nothing carries it.
    pub(crate) fn known_tag(&mut self, tag: &tree::Tag) -> Option<TagId> {
        let name = &tag.name;
        let found = self.tags.get(&name.text).copied();
        if found.is_none() {
            let mut known: Vec<&str> = self.tags.keys().map(SmolStr::as_str).collect();
            known.sort_unstable();
            let near = nearest(&name.text, known.into_iter()).map(str::to_owned);
            self.report(diagnostics::unknown_tag::diagnostic(name.span, &name.text, near.as_deref()));
        }
        found
    }

    /// The tags behind a head.
    pub(crate) fn tags(&mut self, tags: &[tree::Tag]) -> Vec<TagId> {
        let mut ids: Vec<TagId> = Vec::new();
        for tag in tags {
            let id = self.tag(&tag.name.text);
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// A type by name; reported if there is none.
    pub(crate) fn type_named(&mut self, name: &tree::Ident) -> Option<TypeId> {
        let found = self.types.get(&name.text).copied();
        if found.is_none() && !name.text.is_empty() {
            let mut known: Vec<&str> = self.types.keys().map(SmolStr::as_str).collect();
            known.sort_unstable();
            let near = nearest(&name.text, known.into_iter()).map(str::to_owned);
            self.report(diagnostics::unknown_type::diagnostic(name.span, &name.text, near.as_deref()));
        }
        found
    }

    /// `A | B` as choices; none at all if one of them is unknown, so that nothing more is said about it.
    pub(crate) fn types_named(&mut self, types: &[tree::Ident]) -> Choices {
        let mut choices = Choices::default();
        let mut complete = true;
        for name in types {
            match self.type_named(name) {
                Some(ty) if !choices.types.contains(&ty) => choices.types.push(ty),
                Some(_) => {}
                None => complete = false,
            }
        }
        if complete { choices } else { Choices::default() }
    }

    /// Parameters of a head.
    pub(crate) fn params(&mut self, params: &[tree::Param]) -> Vec<dramaturg_model::Param> {
        params
            .iter()
            .map(|param| dramaturg_model::Param {
                name: param.name.text.clone(),
                choices: self.types_named(&param.types),
            })
            .collect()
    }

    /// A scope with the parameters of a head, which must not hide anything.
    pub(crate) fn scope_of(
        &mut self,
        level: Option<LevelId>,
        written: &[tree::Param],
        params: &[dramaturg_model::Param],
        declaration: &SmolStr,
    ) -> Scope {
        let mut scope = Scope::new(level, declaration.clone());
        for (param, known) in written.iter().zip(params) {
            self.bind(&mut scope, &param.name, known.choices.clone());
        }
        for (index, variable) in scope.variables.iter_mut().enumerate() {
            variable.removal = self.removal(written, index);
        }
        scope
    }

    /// The stretch to take out so that a parameter is gone: with the comma beside it, or with the parentheses around it.
    fn removal(&self, params: &[tree::Param], index: usize) -> Option<Span> {
        let end = |param: &tree::Param| param.types.last().map(|ty| ty.span);
        let param = params.get(index)?;
        let whole = param.name.span.to(end(param)?);
        if let Some(next) = params.get(index + 1) {
            return Some(Span::new(whole.file, whole.start, next.name.span.start));
        }
        if let Some(before) = index.checked_sub(1).and_then(|before| params.get(before)) {
            return Some(Span::new(whole.file, end(before)?.end, whole.end));
        }
        let text = &self.sources.file(whole.file)?.text;
        let before = text.get(..whole.start as usize)?.trim_end();
        let behind = text.get(whole.end as usize..)?;
        let close = behind.len() - behind.trim_start().len();
        let open = before.strip_suffix('(')?.len();
        behind.trim_start().starts_with(')').then(|| Span::new(whole.file, open as u32, whole.end + close as u32 + 1))
    }

    /// Binds a parameter or a binder.
    pub(crate) fn bind(&mut self, scope: &mut Scope, name: &tree::Ident, choices: Choices) {
        let hidden = scope.find(&name.text).map(|(_, other)| other.span);
        let hidden = hidden.or_else(|| self.names.find(&name.text, scope.level).map(|declared| declared.span));
        if let Some(other) = hidden {
            self.report(diagnostics::shadowed_name::diagnostic(name.span, &name.text, other));
        } else if super::path::is_built_in(&name.text) {
            self.report(diagnostics::shadowed_name::built_in(name.span, &name.text));
        }
        scope.push(name, choices);
    }

    /// What a name means here; reported if nothing, or nothing that `accept` takes.
    pub(crate) fn meaning(
        &mut self,
        name: &tree::Ident,
        level: Option<LevelId>,
        wanted: &str,
        accept: impl Fn(Meaning) -> bool,
    ) -> Option<Declared> {
        match self.names.find(&name.text, level) {
            Some(declared) if accept(declared.meaning) => Some(declared),
            Some(declared) => {
                let kind = declared.meaning.kind();
                self.report(diagnostics::wrong_type::declared(name.span, wanted, kind, declared.span));
                None
            }
            None => {
                self.unknown_name(name, level, wanted, accept);
                None
            }
        }
    }

    /// Reports that nothing here is called so, with the nearest name that would do.
    pub(crate) fn unknown_name(
        &mut self,
        name: &tree::Ident,
        level: Option<LevelId>,
        wanted: &str,
        accept: impl Fn(Meaning) -> bool,
    ) {
        let near = self.names.nearest(&name.text, level, accept);
        self.unknown(name, wanted, near.as_deref());
    }

    /// Reports that nothing here is called so, and what is called nearly so.
    pub(crate) fn unknown(&mut self, name: &tree::Ident, wanted: &str, near: Option<&str>) {
        if name.text.is_empty() || self.missing.contains(&name.text) {
            return;
        }
        let mut found = diagnostics::unknown_name::diagnostic(name.span, &name.text, wanted, near);
        if let Some(elsewhere) = self.names.find_elsewhere(&name.text) {
            found = found.label(elsewhere.span, "known only in the level where it is declared");
            if near.is_none() {
                found = found.hint("declare it outside of the levels that use it");
            }
        }
        self.report(found);
    }

    /// The member of a type or of the types it is a kind of.
    pub(crate) fn member(&self, ty: TypeId, name: &str) -> Option<Attribute> {
        let mut current = Some(ty);
        for _ in 0..=self.model.types.len() {
            let found = current?;
            if let Some(attribute) = self.attributes.get(&(found, SmolStr::new(name))) {
                return Some(*attribute);
            }
            current = self.model.types[found].parent;
        }
        None
    }

    /// The one member of this name that objects of these types have; reported if there is none.
    pub(crate) fn attribute(&mut self, choices: &Choices, name: &tree::Ident) -> Option<Attribute> {
        let mut found: SmallVec<[Attribute; 2]> = SmallVec::new();
        for ty in &choices.types {
            if let Some(attribute) = self.member(*ty, &name.text)
                && !found.contains(&attribute)
            {
                found.push(attribute);
            }
        }
        match found.as_slice() {
            [attribute] => Some(*attribute),
            [] => {
                self.unknown_attribute(choices, name);
                None
            }
            [first, second, ..] => {
                let (first, second) = (self.attribute_place(*first), self.attribute_place(*second));
                self.report(diagnostics::unknown_attribute::ambiguous(name.span, &name.text, first, second));
                None
            }
        }
    }

    fn attribute_place(&self, attribute: Attribute) -> Span {
        match attribute {
            Attribute::Fluent(fluent) => self.model.fluents[fluent].place,
            Attribute::Actuator(actuator) => self.model.actuators[actuator].place,
        }
    }

    fn unknown_attribute(&mut self, choices: &Choices, name: &tree::Ident) {
        if name.text.is_empty() {
            return;
        }
        let Some(ty) = choices.types.first().copied() else {
            let found = Ty::Choice(choices.clone()).describe(&self.model);
            self.report(diagnostics::unknown_attribute::not_an_object(name.span, &name.text, &found));
            return;
        };
        let mut known: Vec<&str> = self
            .attributes
            .keys()
            .filter(|(owner, _)| choices.types.iter().any(|ty| self.model.is_subtype(*ty, *owner)))
            .map(|(_, name)| name.as_str())
            .collect();
        known.sort_unstable();
        let near = nearest(&name.text, known.into_iter()).map(str::to_owned);
        let described = super::ty::describe_choices(&self.model, choices);
        let place = self.model.types[ty].place;
        self.report(diagnostics::unknown_attribute::diagnostic(
            name.span,
            &name.text,
            &described,
            place,
            near.as_deref(),
        ));
    }

    /// The value that an error leaves.
    pub(crate) fn nothing() -> (Expr, Ty) {
        (Expr::Value(Value::Nothing), Ty::Unknown)
    }
}
