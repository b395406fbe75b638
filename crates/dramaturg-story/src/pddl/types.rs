//! Types: a tree below `object`, and types that have several parents.

use dramaturg_model::{Choices, Span, Type, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};

use super::domain::DomainSections;
use super::fault;
use super::reader::Reader;
use super::sexpr::Sexpr;

/// How many types `either` may name, and how many parents beyond the first all types may have together: every use of a
/// variable compares its types with those wanted, so the product must stay small.
const EITHER_MAX: usize = 32;

/// The types by name, and which lies below which.
#[derive(Debug, Default)]
pub(super) struct TypeTree {
    by_name: FxHashMap<SmolStr, TypeId>,
    /// For each type the first and one past the last number of the types below it, itself included, in a walk of the tree.
    below: Vec<(u32, u32)>,
    /// Types with parents beyond the one that the tree has: the parent, then the type.
    more_parents: Vec<(TypeId, TypeId)>,
    /// What else lies below a type, found so far.
    also_below: FxHashMap<TypeId, SmallVec<[TypeId; 2]>>,
}

impl TypeTree {
    /// The type of everything.
    pub(super) const OBJECT: TypeId = TypeId(0);

    pub(super) fn find(&self, name: &str) -> Option<TypeId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &SmolStr> {
        self.by_name.keys()
    }

    /// Whether one type is another or a kind of it, by first parents alone.
    pub(super) fn is_below(&self, ty: TypeId, of: TypeId) -> bool {
        match (self.below.get(ty.0 as usize), self.below.get(of.0 as usize)) {
            (Some((number, _)), Some((first, end))) => first <= number && number < end,
            _ => ty == of,
        }
    }

    /// Whether everything of the first is of the second.
    pub(super) fn is_subset(&self, part: &Choices, whole: &Choices) -> bool {
        part.types.iter().all(|ty| whole.types.iter().any(|of| self.is_below(*ty, *of)))
    }

    /// Whether something may be of both.
    pub(super) fn may_meet(&self, left: &Choices, right: &Choices) -> bool {
        let meet = |left: TypeId, right: TypeId| self.is_below(left, right) || self.is_below(right, left);
        left.types.iter().any(|left| right.types.iter().any(|right| meet(*left, *right)))
    }

    fn is_covered(&self, ty: TypeId, types: &[TypeId]) -> bool {
        types.iter().any(|of| self.is_below(ty, *of))
    }

    /// A type and, since the model's types have one parent, those that lie below it by another parent.
    fn with_all_below(&mut self, ty: TypeId) -> SmallVec<[TypeId; 2]> {
        let mut types: SmallVec<[TypeId; 2]> = SmallVec::from_slice(&[ty]);
        if self.more_parents.is_empty() {
            return types;
        }
        if let Some(known) = self.also_below.get(&ty) {
            return known.clone();
        }
        // A type found in one round may itself be a parent of another.
        loop {
            let before = types.len();
            for (parent, child) in &self.more_parents {
                if self.is_covered(*parent, &types) && !self.is_covered(*child, &types) {
                    types.push(*child);
                }
            }
            if types.len() == before {
                break;
            }
        }
        self.also_below.insert(ty, types.clone());
        types
    }

    /// Numbers the types so that those below another lie together.
    fn number(&mut self, parents: &[Option<TypeId>]) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        for (index, parent) in parents.iter().enumerate() {
            if let Some(list) = parent.and_then(|parent| children.get_mut(parent.0 as usize)) {
                list.push(index);
            }
        }
        self.below = vec![(0, 0); parents.len()];
        let mut next = 0;
        // Each type is met on the way down and, marked so, on the way up.
        let mut stack = vec![(0, false)];
        while let Some((index, is_done)) = stack.pop() {
            let Some(range) = self.below.get_mut(index) else { continue };
            if is_done {
                range.1 = next;
                continue;
            }
            range.0 = next;
            next += 1;
            stack.push((index, true));
            stack.extend(children.get(index).into_iter().flatten().rev().map(|child| (*child, false)));
        }
    }
}

/// Names and the type they share: `?a ?b - truck`. Without a type they are of any.
pub(super) struct Group<'s> {
    pub(super) names: &'s [Sexpr],
    pub(super) ty: Option<&'s Sexpr>,
}

impl Reader {
    /// Cuts a list into groups of one type.
    pub(super) fn groups<'s>(&mut self, items: &'s [Sexpr]) -> Vec<Group<'s>> {
        let mut groups = Vec::new();
        let mut rest = items;
        while !rest.is_empty() {
            let end = rest.iter().position(|item| item.atom().is_some_and(|atom| atom == "-"));
            let Some(end) = end else {
                groups.push(Group { names: rest, ty: None });
                break;
            };
            let (names, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            let ty = after.get(1);
            if let (Some(dash), None) = (after.first(), ty) {
                self.report(fault::missing(dash.span, "a list of names", "a type after `-`"));
            }
            groups.push(Group { names, ty });
            rest = after.get(2..).unwrap_or(&[]);
        }
        groups
    }

    /// Reads `(:types …)`: every type that is named as a parent is one, even if it is not listed itself.
    pub(super) fn read_types(&mut self, domain: &DomainSections<'_>) {
        let items = domain.types.map_or(&[][..], Sexpr::tail);
        self.add_type("object".into(), None, Span::NONE);
        let groups = self.groups(items);
        let mut declared: FxHashMap<SmolStr, Span> = FxHashMap::default();
        // Some domains declare a type twice, once as a kind of `object`, which everything is, and once as what it is.
        let says_little = |group: &Group<'_>| group.ty.is_some_and(|ty| ty.atom().is_some_and(|atom| atom == "object"));
        let mut little: FxHashSet<SmolStr> = FxHashSet::default();
        for (group, name) in groups.iter().flat_map(|group| group.names.iter().map(move |name| (group, name))) {
            let Some(text) = self.name(name, "the name of a type") else { continue };
            if says_little(group) {
                little.insert(text.clone());
            }
            if let Some(first) = declared.insert(text.clone(), name.span) {
                if says_little(group) || !little.remove(text) {
                    self.report(fault::duplicate(name.span, "type", text, first));
                }
            } else if text != "object" {
                self.add_type(text.clone(), Some(TypeTree::OBJECT), name.span);
            }
        }
        for group in &groups {
            let parents = group.ty.map_or_else(Vec::new, |ty| self.parents(ty));
            for name in group.names {
                let Some(ty) = name.atom().and_then(|text| self.types.find(text)) else { continue };
                self.set_parents(ty, &parents, name.span);
            }
        }
        self.cut_circles();
        self.number_types();
    }

    /// The types a type is said to be a kind of; unknown ones come into being.
    fn parents(&mut self, ty: &Sexpr) -> Vec<TypeId> {
        let names = self.type_names(ty);
        let known = |reader: &mut Self, name: &SmolStr, span| {
            reader.types.find(name).unwrap_or_else(|| reader.add_type(name.clone(), Some(TypeTree::OBJECT), span))
        };
        names.into_iter().map(|(name, span)| known(self, name, span)).collect()
    }

    /// The names in `truck` or `(either truck plane)`.
    fn type_names<'s>(&mut self, ty: &'s Sexpr) -> Vec<(&'s SmolStr, Span)> {
        if let Some(name) = ty.atom() {
            return vec![(name, ty.span)];
        }
        if ty.head() != "either" || ty.tail().is_empty() {
            self.expected(ty, "a type or `(either …)`");
            return Vec::new();
        }
        if ty.tail().len() > EITHER_MAX {
            let what = format!("`either` of more than {EITHER_MAX} types");
            self.report(fault::unsupported(ty.span, &what, "name a common parent instead"));
            return Vec::new();
        }
        ty.tail().iter().filter_map(|name| Some((self.name(name, "the name of a type")?, name.span))).collect()
    }

    fn set_parents(&mut self, ty: TypeId, parents: &[TypeId], span: Span) {
        let Some((first, more)) = parents.split_first() else { return };
        // Some domains say that `object` is a kind of itself.
        if ty == TypeTree::OBJECT {
            if parents != [TypeTree::OBJECT] {
                self.report(fault::circular_type(span, "`object` is the type of everything"));
            }
            return;
        }
        self.model.types[ty].parent = Some(*first);
        if self.types.more_parents.len() + more.len() > EITHER_MAX {
            let cure = "name a common parent instead";
            self.report(fault::unsupported(span, "so many types with several parents", cure));
            return;
        }
        self.types.more_parents.extend(more.iter().map(|parent| (*parent, ty)));
    }

    fn add_type(&mut self, name: SmolStr, parent: Option<TypeId>, place: Span) -> TypeId {
        let id = self.model.types.push(Type { name: name.clone(), parent, level: None, place });
        self.types.by_name.insert(name, id);
        id
    }

    /// Reports types that are kinds of themselves, or too deep, and puts them directly below `object`.
    fn cut_circles(&mut self) {
        // Depths that are known; 0 is not yet.
        let mut depths: Vec<usize> = vec![0; self.model.types.len()];
        if let Some(depth) = depths.first_mut() {
            *depth = 1;
        }
        for start in self.model.types.ids() {
            let mut path: Vec<TypeId> = Vec::new();
            let mut current = start;
            while depths.get(current.0 as usize) == Some(&0) {
                if let Some(begin) = path.iter().position(|ty| *ty == current) {
                    let circle = path.get(begin..).unwrap_or(&[]);
                    let names: Vec<&str> =
                        circle.iter().take(5).map(|ty| self.model.types[*ty].name.as_str()).collect();
                    let fault = fault::circular_type(self.model.types[current].place, &names.join(" - "));
                    self.report(fault);
                    self.detach(current);
                    path.truncate(begin + 1);
                    break;
                }
                path.push(current);
                if path.len() > self.options.nesting_max {
                    let fault = fault::deep_types(self.model.types[current].place, self.options.nesting_max);
                    self.report(fault);
                    self.detach(current);
                    break;
                }
                current = self.model.types[current].parent.unwrap_or(TypeTree::OBJECT);
            }
            for ty in path.into_iter().rev() {
                let parent = self.model.types[ty].parent.unwrap_or(TypeTree::OBJECT);
                let mut depth = depths.get(parent.0 as usize).copied().unwrap_or(1) + 1;
                if depth > self.options.nesting_max {
                    let fault = fault::deep_types(self.model.types[ty].place, self.options.nesting_max);
                    self.report(fault);
                    self.detach(ty);
                    depth = 2;
                }
                if let Some(slot) = depths.get_mut(ty.0 as usize) {
                    *slot = depth;
                }
            }
        }
    }

    fn detach(&mut self, ty: TypeId) {
        self.model.types[ty].parent = Some(TypeTree::OBJECT);
    }

    pub(super) fn number_types(&mut self) {
        let parents: Vec<Option<TypeId>> = self.model.types.values().map(|ty| ty.parent).collect();
        self.types.number(&parents);
    }

    /// What a parameter with this type may be.
    pub(super) fn choices(&mut self, ty: Option<&Sexpr>) -> Choices {
        let Some(ty) = ty else { return Choices::of_type(TypeTree::OBJECT) };
        let mut types: SmallVec<[TypeId; 2]> = SmallVec::new();
        for (name, span) in self.type_names(ty) {
            let Some(id) = self.type_named(name, span) else { continue };
            for ty in self.types.with_all_below(id) {
                if !self.types.is_covered(ty, &types) {
                    types.push(ty);
                }
            }
        }
        // An unknown type was told; as the type of nothing it raises no further faults.
        Choices { types, symbols: SmallVec::new() }
    }

    /// The one type of an object; none if it is unknown. An object of several types gets a type of its own below all of them.
    pub(super) fn object_type(&mut self, ty: Option<&Sexpr>) -> Option<TypeId> {
        let Some(ty) = ty else { return Some(TypeTree::OBJECT) };
        let names = self.type_names(ty);
        let types: Vec<TypeId> = names.into_iter().filter_map(|(name, span)| self.type_named(name, span)).collect();
        let [first, _, ..] = types.as_slice() else { return types.first().copied() };
        let all: Vec<&str> = types.iter().map(|ty| self.model.types[*ty].name.as_str()).collect();
        let name = format_smolstr!("either-{}", all.join("-"));
        if let Some(known) = self.types.find(&name) {
            return Some(known);
        }
        let own = self.add_type(name, Some(*first), ty.span);
        self.set_parents(own, &types, ty.span);
        Some(own)
    }
}
