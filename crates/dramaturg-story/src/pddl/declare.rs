//! Objects, predicates, functions and parameters: what is declared by a typed list.

use dramaturg_model::{
    Binder, Choices, Domain, Fixed, Fluent, FluentId, FluentSource, Object, ObjectOrigin, Param, Piece, Range, Span,
    Text, TypeId, Value,
};
use smol_str::{SmolStr, format_smolstr};

use super::domain::DomainSections;
use super::fault;
use super::problem::ProblemSections;
use super::reader::Reader;
use super::scope::{Scope, VARIABLES_MAX};
use super::sexpr::Sexpr;
use super::types::TypeTree;

impl Reader {
    /// Reads constants, then objects.
    pub(super) fn read_objects(&mut self, domain: &DomainSections<'_>, problem: Option<&ProblemSections<'_>>) {
        for section in [domain.constants, problem.and_then(|problem| problem.objects)].into_iter().flatten() {
            let groups = self.groups(section.tail());
            for group in groups {
                let ty = self.object_type(group.ty);
                for name in group.names {
                    if let Some(text) = self.name(name, "the name of an object") {
                        self.add_object(text, ty, name.span);
                    }
                }
            }
        }
        self.objects_in_reach = self.model.objects.len();
        // Objects of several types have brought types of their own.
        self.number_types();
    }

    fn add_object(&mut self, name: &SmolStr, known_type: Option<TypeId>, place: Span) {
        let ty = known_type.unwrap_or(TypeTree::OBJECT);
        if name.starts_with('?') {
            self.report(fault::expected(place, &format!("`{name}`"), "the name of an object, without `?`"));
            return;
        }
        if let Some(first) = self.objects.get(name).map(|first| &self.model.objects[*first]) {
            // Many problems list the domain's constants again.
            if first.place.file == place.file || first.ty != ty {
                let first = first.place;
                self.report(fault::duplicate(place, "object", name, first));
            }
            return;
        }
        let title = self.model.texts.push(Text {
            id: format_smolstr!("name.{name}"),
            pinned: false,
            pieces: vec![Piece::Words(name.clone())],
            place,
        });
        let object = Object { name: name.clone(), ty, title, origin: ObjectOrigin::Declared, level: None, place };
        let id = self.model.objects.push(object);
        self.objects.insert(name.clone(), id);
        if known_type.is_none() {
            self.untyped.insert(id);
        }
    }

    /// Reads `(:predicates (at ?x - truck ?y - place) …)`.
    pub(super) fn read_predicates(&mut self, section: Option<&Sexpr>) {
        for declaration in section.map_or(&[][..], Sexpr::tail) {
            // Old domains declare equality as if it were a predicate.
            if declaration.head() == "=" {
                continue;
            }
            let default = Some(Value::Bool(false));
            let Some((name, fluent)) = self.fluent_declaration(declaration, Domain::Bool, default) else { continue };
            if let Some(first) = self.predicates.get(&name).map(|first| self.model.fluents[*first].place) {
                self.report(fault::duplicate(declaration.span, "predicate", &name, first));
                continue;
            }
            let id = self.model.fluents.push(fluent);
            self.predicates.insert(name, id);
        }
    }

    /// Reads `(:functions (distance ?a ?b - place) - number …)`.
    pub(super) fn read_functions(&mut self, section: Option<&Sexpr>) {
        let groups = self.groups(section.map_or(&[][..], Sexpr::tail));
        for group in groups {
            if let Some(ty) = group.ty.filter(|ty| ty.atom().is_none_or(|name| name != "number")) {
                let cure = "use a predicate with one more parameter, or a choice fluent in a story";
                self.report(fault::unsupported(ty.span, "a function whose values are objects", cure));
                continue;
            }
            for declaration in group.names {
                let domain = Domain::Number(Range::default());
                let Some((name, mut fluent)) = self.fluent_declaration(declaration, domain, None) else { continue };
                if let Some(first) = self.functions.get(&name).map(|first| self.model.fluents[*first].place) {
                    self.report(fault::duplicate(declaration.span, "function", &name, first));
                    continue;
                }
                // The cost of no action at all; most problems say so, some forget.
                if name == "total-cost" && fluent.params.is_empty() {
                    fluent.default = Some(Value::Number(Fixed::ZERO));
                }
                let id = self.model.fluents.push(fluent);
                self.functions.insert(name, id);
            }
        }
    }

    fn fluent_declaration(
        &mut self,
        declaration: &Sexpr,
        domain: Domain,
        default: Option<Value>,
    ) -> Option<(SmolStr, Fluent)> {
        let Some(items) = declaration.list() else {
            self.expected(declaration, "a declaration such as `(name ?x - type)`");
            return None;
        };
        let Some((name, params)) = items.split_first() else {
            self.report(fault::missing(declaration.span, "a declaration", "a name"));
            return None;
        };
        let name = self.name(name, "a name")?.clone();
        let mut scope = Scope::default();
        scope.may_repeat = true;
        let params = self.params(params, &mut scope);
        let fluent = Fluent {
            name: name.clone(),
            attribute_of: None,
            params,
            domain,
            default,
            source: FluentSource::Stored,
            is_static: false,
            level: None,
            place: declaration.span,
            doc: None,
        };
        Some((name, fluent))
    }

    /// Reads parameters and brings them into reach.
    pub(super) fn params(&mut self, items: &[Sexpr], scope: &mut Scope) -> Vec<Param> {
        let groups = self.groups(items);
        let first = scope.len();
        let mut params: Vec<Param> = Vec::new();
        for group in groups {
            let choices = self.choices(group.ty);
            for variable in group.names {
                let Some(name) = self.variable_name(variable) else { continue };
                if scope.len() >= VARIABLES_MAX {
                    self.report(fault::too_many_variables(variable.span, VARIABLES_MAX));
                    return params;
                }
                // Only within one list: an inner list may use a name again.
                if !scope.may_repeat && scope.find(&name).is_some_and(|(var, _)| usize::from(var.0) >= first) {
                    let place = self.first_named(items, &name).unwrap_or(variable.span);
                    self.report(fault::duplicate(variable.span, "variable", &name, place));
                }
                let param = Param { name, choices: choices.clone() };
                scope.push(param.clone());
                params.push(param);
            }
        }
        params
    }

    fn first_named(&self, items: &[Sexpr], name: &str) -> Option<Span> {
        let is_it = |item: &&Sexpr| item.atom().and_then(|atom| atom.strip_prefix('?')) == Some(name);
        items.iter().find(is_it).map(|item| item.span)
    }

    fn variable_name(&mut self, variable: &Sexpr) -> Option<SmolStr> {
        match variable.atom().and_then(|atom| atom.strip_prefix('?')) {
            Some(name) if !name.is_empty() => Some(SmolStr::new(name)),
            _ => {
                self.expected(variable, "a variable such as `?x`");
                None
            }
        }
    }

    /// Reads the variables of a quantifier and brings them into reach.
    pub(super) fn binders(&mut self, list: &Sexpr, scope: &mut Scope) -> Vec<Binder> {
        let Some(items) = list.list() else {
            self.expected(list, "a list of variables such as `(?x - type)`");
            return Vec::new();
        };
        self.params(items, scope).into_iter().map(|param| Binder { param, among: None }).collect()
    }

    /// Where a fluent is declared.
    pub(super) fn fluent_place(&self, fluent: FluentId) -> Span {
        self.model.fluents[fluent].place
    }

    /// What the parameter of a fluent at this position may be.
    pub(super) fn wanted(&self, fluent: FluentId, position: usize) -> Option<&Choices> {
        self.params_of(fluent).get(position).map(|param| &param.choices)
    }
}
