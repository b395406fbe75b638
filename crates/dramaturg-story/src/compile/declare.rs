//! The first look at every declaration: names, types, heads. Bodies come later, when all names are known.

use dramaturg_model::{
    Action, ActionId, ActionOrigin, Actuator, Character, Choices, Domain, Duration, Ending, Expr, Fixed, Fluent,
    FluentId, FluentSource, Futile, LatePolicy, Layer, LevelId, Milestone, Object, ObjectId, ObjectOrigin, Param,
    Personality, Range, Rule, Span, Task, Trigger, Type, TypeId, Value,
};
use smol_str::SmolStr;

use super::files::Placed;
use super::lowering::{Attribute, Lowering};
use super::names::{Declared, Meaning};
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind, DomainKind, FluentValue, ItemKind};

/// What a domain says: values, or an actuator with its capacity.
enum Declares {
    Values(Domain, Option<Value>),
    Actuator(i64),
}

impl Lowering {
    /// Declares all types, so that every later look-up of a type succeeds.
    pub(crate) fn declare_types(&mut self, items: &[Placed<'_>]) {
        for placed in items {
            let ItemKind::Type(ty) = &placed.item.kind else { continue };
            let name = &ty.name;
            if let Some(first) = self.types.get(&name.text) {
                let place = self.model.types[*first].place;
                self.report(diagnostics::duplicate_name::diagnostic(name.span, &name.text, place));
                continue;
            }
            let entry = Type { name: name.text.clone(), parent: None, level: placed.level, place: name.span };
            let id = self.model.types.push(entry);
            self.types.insert(name.text.clone(), id);
        }
        for placed in items {
            let ItemKind::Type(ty) = &placed.item.kind else { continue };
            let (Some(parent), Some(id)) = (&ty.parent, self.types.get(&ty.name.text).copied()) else { continue };
            if self.model.types[id].place != ty.name.span {
                continue;
            }
            let Some(parent_id) = self.type_named(parent) else { continue };
            if self.model.is_subtype(parent_id, id) {
                let mut names = vec![ty.name.text.to_string()];
                let mut current = Some(parent_id).filter(|parent| *parent != id);
                while let Some(found) = current {
                    names.push(self.model.types[found].name.to_string());
                    current = self.model.types[found].parent.filter(|parent| *parent != id);
                }
                names.push(ty.name.text.to_string());
                self.report(diagnostics::circular_meaning::of_type(parent.span, &names));
                continue;
            }
            self.model.types[id].parent = Some(parent_id);
        }
    }

    /// Declares everything else by name, with its head.
    pub(crate) fn declare_items<'t>(&mut self, items: &[Placed<'t>]) {
        for placed in items {
            let level = placed.level;
            let doc = placed.item.doc.clone();
            match &placed.item.kind {
                ItemKind::Type(ty) => self.declare_members(ty, level),
                ItemKind::Fluent(fluent) => self.declare_fluent(fluent, level, doc),
                ItemKind::Object(object) => {
                    if let [only] = object.names.as_slice() {
                        let start = placed.item.span.start;
                        let word = Span::new(placed.item.span.file, start, start + "object".len() as u32);
                        self.object_words.insert(only.name.span, word);
                    }
                    self.declare_objects(object, level);
                }
                ItemKind::Character(character) => self.declare_character(character, level),
                ItemKind::Action(action) => self.declare_action(action, level, doc),
                ItemKind::Rule(rule) => self.declare_rule(rule, level, doc),
                ItemKind::Task(task) => self.declare_task(task, level, doc),
                ItemKind::Pool(pool) => self.declare_pool(pool, level),
                ItemKind::Population(population) => self.declare_population(population, level),
                ItemKind::Personality(named) => self.declare_personality(named, level),
                ItemKind::Futile(named) => self.declare_futile(named, level),
                ItemKind::Milestone(named) => self.declare_milestone(named, level),
                ItemKind::Ending(named) => self.declare_ending(named, level),
                ItemKind::Layer(layer) => self.declare_layer(layer),
                ItemKind::Level(inner) => {
                    // Known everywhere, so that any milestone can lead to any level.
                    if let Some(id) = self.level_of.get(&inner.name.span).copied() {
                        self.declare(&inner.name, None, Meaning::Level(id));
                    }
                }
                ItemKind::Story(_) | ItemKind::Use(_) | ItemKind::Given(_) | ItemKind::Wish(_) => {}
            }
        }
        self.check_inherited_members();
        self.check_value_names(items);
    }

    /// A value must not be called like anything that is looked up before it.
    fn check_value_names(&mut self, items: &[Placed<'_>]) {
        for placed in items {
            let domains: Vec<&tree::Domain> = match &placed.item.kind {
                ItemKind::Type(ty) => ty.members.iter().filter_map(|member| member.domain.as_ref()).collect(),
                ItemKind::Fluent(fluent) => fluent.domain.iter().collect(),
                _ => continue,
            };
            for domain in domains {
                let DomainKind::Choice(names) = &domain.kind else { continue };
                for name in names {
                    if let Some(other) = self.names.find(&name.text, placed.level) {
                        self.report(diagnostics::shadowed_name::value(name.span, &name.text, other.span));
                    }
                }
            }
        }
    }

    /// Declares a name; reported if it is taken.
    pub(crate) fn declare(&mut self, name: &tree::Ident, level: Option<LevelId>, meaning: Meaning) -> bool {
        let declared = Declared { meaning, level, span: name.span };
        let function = matches!(meaning, Meaning::Fluent(_)) && super::path::function(&name.text).is_some();
        if function || super::path::is_built_in(&name.text) {
            self.report(diagnostics::shadowed_name::built_in(name.span, &name.text));
        }
        match self.names.declare(&name.text, declared) {
            Some(first) => {
                self.report(diagnostics::duplicate_name::diagnostic(name.span, &name.text, first.span));
                false
            }
            None => true,
        }
    }

    /// A name that no other thing of the model has: levels may use a name again, and it is then qualified.
    pub(crate) fn unique(&mut self, name: &SmolStr, level: Option<LevelId>) -> SmolStr {
        let mut unique = name.clone();
        if let Some(level) = level
            && self.taken.contains(&unique)
        {
            unique = SmolStr::from(format!("{}.{name}", self.model.levels[level].name));
        }
        self.taken.insert(unique.clone());
        unique
    }

    fn declare_members(&mut self, ty: &tree::TypeDecl, level: Option<LevelId>) {
        let Some(id) = self.types.get(&ty.name.text).copied() else { return };
        for member in &ty.members {
            let key = (id, member.name.text.clone());
            if let Some(first) = self.attributes.get(&key).copied() {
                let place = self.attribute_declared(first);
                let report = diagnostics::duplicate_name::diagnostic(member.name.span, &member.name.text, place);
                self.report(report);
                continue;
            }
            let param = Param { name: SmolStr::new_static("self"), choices: Choices::of_type(id) };
            let attribute = match self.domain(member.domain.as_ref()) {
                Declares::Actuator(capacity) => Attribute::Actuator(self.model.actuators.push(Actuator {
                    name: member.name.text.clone(),
                    attribute_of: Some(id),
                    params: vec![param],
                    capacity,
                    level,
                    place: member.name.span,
                })),
                Declares::Values(domain, default) => {
                    let fluent = self.model.fluents.push(Fluent {
                        name: member.name.text.clone(),
                        attribute_of: Some(id),
                        params: vec![param],
                        domain,
                        default,
                        source: FluentSource::Stored,
                        is_static: false,
                        level,
                        place: member.name.span,
                        doc: member.doc.clone(),
                    });
                    Attribute::Fluent(fluent)
                }
            };
            self.attributes.insert(key, attribute);
        }
    }

    pub(crate) fn attribute_declared(&self, attribute: Attribute) -> Span {
        match attribute {
            Attribute::Fluent(fluent) => self.model.fluents[fluent].place,
            Attribute::Actuator(actuator) => self.model.actuators[actuator].place,
        }
    }

    /// A type may not declare again what it inherits.
    fn check_inherited_members(&mut self) {
        let mut members: Vec<(TypeId, SmolStr, Attribute)> =
            self.attributes.iter().map(|((ty, name), attribute)| (*ty, name.clone(), *attribute)).collect();
        members.sort_unstable_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        for (ty, name, attribute) in members {
            let Some(parent) = self.model.types[ty].parent else { continue };
            if let Some(inherited) = self.member(parent, &name) {
                let (span, first) = (self.attribute_declared(attribute), self.attribute_declared(inherited));
                self.report(diagnostics::duplicate_name::diagnostic(span, &name, first));
            }
        }
    }

    /// The values a domain allows, with the default that follows from it.
    fn domain(&mut self, domain: Option<&tree::Domain>) -> Declares {
        let Some(domain) = domain else { return Declares::Values(Domain::Bool, Some(Value::Bool(false))) };
        match &domain.kind {
            DomainKind::Number(bounds) => {
                let range = self.range(bounds.as_ref(), false);
                Declares::Values(Domain::Number(range), Some(Value::Number(range.clamp(Fixed::ZERO))))
            }
            DomainKind::Int(bounds) => {
                let range = self.range(bounds.as_ref(), true);
                Declares::Values(Domain::Int(range), Some(Value::Number(range.clamp(Fixed::ZERO))))
            }
            DomainKind::Duration => Declares::Values(Domain::Duration, Some(Value::Number(Fixed::ZERO))),
            DomainKind::Actuator(capacity) => {
                let capacity = capacity.map_or(1, |number| {
                    let whole = number.unit.is_none() && number.value.is_int() && number.value >= Fixed::ONE;
                    if !whole {
                        let report = diagnostics::out_of_range::not_a(number.span, "a whole number from 1 on");
                        self.report(report);
                    }
                    number.value.floor_int().max(1)
                });
                Declares::Actuator(capacity)
            }
            DomainKind::Choice(names) => {
                let mut choices = Choices::default();
                let mut complete = true;
                for name in names {
                    if name.text.chars().next().is_some_and(char::is_uppercase) {
                        match self.type_named(name) {
                            Some(ty) if !choices.types.contains(&ty) => choices.types.push(ty),
                            Some(_) => {}
                            None => complete = false,
                        }
                    } else {
                        let symbol = self.symbol(&name.text);
                        if !choices.symbols.contains(&symbol) {
                            choices.symbols.push(symbol);
                        }
                    }
                }
                if !complete {
                    // Whatever it is compared with or set to, the unknown type is the one fault.
                    return Declares::Values(Domain::Choice(Choices::default()), Some(Value::Nothing));
                }
                if let ([], [_], Some(only)) = (choices.types.as_slice(), choices.symbols.as_slice(), names.first()) {
                    self.report(diagnostics::one_value::diagnostic(only.span, &only.text));
                }
                let default = choices.symbols.first().map(|symbol| Value::Symbol(*symbol));
                Declares::Values(Domain::Choice(choices), default)
            }
        }
    }

    fn range(&mut self, bounds: Option<&tree::Bounds>, whole: bool) -> Range {
        let Some(bounds) = bounds else { return Range::default() };
        let (least, most) = (bounds.least.map(|n| n.value), bounds.most.map(|n| n.value));
        for number in [bounds.least, bounds.most].into_iter().flatten() {
            if number.unit.is_some_and(|unit| unit != tree::Unit::Percent) {
                self.report(diagnostics::wrong_type::diagnostic(number.span, "a number", "a duration", Span::NONE));
            } else if whole && !number.value.is_int() {
                let report = diagnostics::wrong_type::diagnostic(number.span, "a whole number", "a number", Span::NONE);
                self.report(report);
            }
        }
        if let (Some(least), Some(most), Some(written)) = (least, most, bounds.most)
            && least > most
        {
            self.report(diagnostics::out_of_range::backwards(written.span, &least.to_string(), &most.to_string()));
            return Range { least: Some(least), most: Some(least) };
        }
        Range { least, most }
    }

    fn declare_fluent(&mut self, decl: &tree::FluentDecl, level: Option<LevelId>, doc: Option<SmolStr>) {
        for head in &decl.heads {
            let params = self.params(&head.params);
            let name = self.unique(&head.name.text, level);
            match self.domain(decl.domain.as_ref()) {
                Declares::Actuator(capacity) => {
                    let place = head.name.span;
                    let entry = Actuator { name, attribute_of: None, params, capacity, level, place };
                    let id = self.model.actuators.push(entry);
                    self.declare(&head.name, level, Meaning::Actuator(id));
                }
                Declares::Values(domain, default) => {
                    let source = match decl.value {
                        // The meaning itself is lowered when all names are known.
                        FluentValue::Means(_) => FluentSource::Means(Expr::Value(Value::Nothing)),
                        FluentValue::None | FluentValue::Default(_) => FluentSource::Stored,
                    };
                    let id = self.model.fluents.push(Fluent {
                        name,
                        attribute_of: None,
                        params,
                        domain,
                        default,
                        source,
                        is_static: false,
                        level,
                        place: head.name.span,
                        doc: doc.clone(),
                    });
                    self.declare(&head.name, level, Meaning::Fluent(id));
                    self.fluent_heads.push((id, head.name.span));
                }
            }
        }
    }

    fn declare_objects(&mut self, decl: &tree::ObjectDecl, level: Option<LevelId>) {
        let Some(ty) = decl.ty.as_ref().and_then(|ty| self.type_named(ty)) else {
            // Known all the same, so that one unknown type is one message.
            for named in &decl.names {
                self.missing.insert(named.name.text.clone());
            }
            return;
        };
        for named in &decl.names {
            self.declare_object(named, ty, level, false);
        }
    }

    pub(crate) fn declare_object(
        &mut self,
        named: &tree::Named,
        ty: TypeId,
        level: Option<LevelId>,
        capital: bool,
    ) -> Option<ObjectId> {
        let id = self.model.objects.next_id();
        if !self.declare(&named.name, level, Meaning::Object(id)) {
            return None;
        }
        self.push_object(
            &named.name.text,
            named.title.as_ref(),
            ty,
            level,
            (ObjectOrigin::Declared, capital),
            named.name.span,
        )
    }

    /// Adds an object to the model.
    pub(crate) fn push_object(
        &mut self,
        name: &SmolStr,
        title: Option<&tree::Text>,
        ty: TypeId,
        level: Option<LevelId>,
        (origin, capital): (ObjectOrigin, bool),
        place: Span,
    ) -> Option<ObjectId> {
        let name = self.unique(name, level);
        let title = self.title(&name, title, capital, place);
        Some(self.model.objects.push(Object { name, ty, title, origin, level, place }))
    }

    fn declare_character(&mut self, decl: &tree::CharacterDecl, level: Option<LevelId>) {
        let Some(ty) = &decl.ty else { return };
        let Some(ty) = self.type_named(ty) else {
            self.missing.insert(decl.named.name.text.clone());
            return;
        };
        if let Some(object) = self.declare_object(&decl.named, ty, level, true) {
            let place = decl.named.name.span;
            let entry = Character { object, wishes: Vec::new(), personalities: Vec::new(), place };
            let id = self.model.characters.push(entry);
            self.characters.insert(object, id);
        }
    }

    fn declare_action(&mut self, decl: &tree::ActionDecl, level: Option<LevelId>, doc: Option<SmolStr>) {
        let params = self.params(&decl.head.params);
        let tags = self.tags(&decl.tags);
        let id = self.model.actions.next_id();
        self.declare(&decl.head.name, level, Meaning::Action(id));
        let name = self.unique(&decl.head.name.text, level);
        self.model.actions.push(Action { tags, doc, ..empty_action(name, params, level, decl.head.name.span) });
        self.action_of.insert(decl.head.name.span, id);
    }

    fn declare_rule(&mut self, decl: &tree::RuleDecl, level: Option<LevelId>, doc: Option<SmolStr>) {
        let params = self.params(&decl.head.params);
        let tags = self.tags(&decl.tags);
        let id = self.model.rules.next_id();
        self.declare(&decl.head.name, level, Meaning::Rule(id));
        let name = self.unique(&decl.head.name.text, level);
        self.model.rules.push(Rule { tags, doc, ..empty_rule(name, params, level, decl.head.name.span) });
    }

    fn declare_task(&mut self, decl: &tree::TaskDecl, level: Option<LevelId>, doc: Option<SmolStr>) {
        let params = self.params(&decl.head.params);
        let tags = self.tags(&decl.tags);
        let id = self.model.tasks.next_id();
        self.declare(&decl.head.name, level, Meaning::Task(id));
        let methods = decl.body.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Method(name, _, _) => Some(name.as_ref().map(|name| name.text.clone())),
            _ => None,
        });
        self.method_names.insert(id, methods.collect());
        let name = self.unique(&decl.head.name.text, level);
        self.model.tasks.push(Task {
            name,
            params,
            key: decl.key,
            tags,
            needs: Vec::new(),
            offers: Vec::new(),
            methods: Vec::new(),
            cost: None,
            fills: false,
            level,
            place: decl.head.name.span,
            doc,
        });
    }

    fn declare_personality(&mut self, decl: &tree::NamedBody, level: Option<LevelId>) {
        let params = self.params(&decl.head.params);
        let id = self.model.personalities.next_id();
        self.declare(&decl.head.name, level, Meaning::Personality(id));
        let name = self.unique(&decl.head.name.text, level);
        self.model.personalities.push(Personality {
            name,
            params,
            wishes: Vec::new(),
            costs: Vec::new(),
            includes: Vec::new(),
            level,
            place: decl.head.name.span,
        });
    }

    fn declare_futile(&mut self, decl: &tree::NamedBody, level: Option<LevelId>) {
        let params = self.params(&decl.head.params);
        let id = self.model.futile.next_id();
        self.declare(&decl.head.name, level, Meaning::Futile(id));
        let name = self.unique(&decl.head.name.text, level);
        let place = decl.head.name.span;
        self.model.futile.push(Futile { name, params, needs: Vec::new(), wishes: Vec::new(), level, place });
    }

    fn declare_milestone(&mut self, decl: &tree::NamedBody, level: Option<LevelId>) {
        let id = self.model.milestones.next_id();
        self.declare(&decl.head.name, level, Meaning::Milestone(id));
        let name = self.unique(&decl.head.name.text, level);
        self.model.milestones.push(Milestone {
            name,
            level,
            when: Expr::FALSE,
            effects: Vec::new(),
            says: Vec::new(),
            next: None,
            carrying: Vec::new(),
            place: decl.head.name.span,
        });
    }

    fn declare_ending(&mut self, decl: &tree::NamedBody, level: Option<LevelId>) {
        let id = self.model.endings.next_id();
        self.declare(&decl.head.name, level, Meaning::Ending(id));
        let name = self.unique(&decl.head.name.text, level);
        let place = decl.head.name.span;
        let entry = Ending { name, level, when: Expr::FALSE, effects: Vec::new(), says: Vec::new(), place };
        self.model.endings.push(entry);
    }

    fn declare_layer(&mut self, decl: &tree::LayerDecl) {
        let id = self.model.layers.next_id();
        self.declare(&decl.name, None, Meaning::Layer(id));
        self.model.layers.push(Layer {
            name: decl.name.text.clone(),
            above: None,
            horizon: None,
            steps: None,
            beam: None,
            elites: None,
            tolerance: None,
            place: decl.name.span,
        });
    }

    /// Fluents declared by one declaration, by the place of their name.
    pub(crate) fn fluent_at(&self, place: Span) -> Option<FluentId> {
        let index = self.fluent_heads.binary_search_by_key(&place, |(_, span)| *span).ok();
        index.and_then(|index| self.fluent_heads.get(index)).map(|(fluent, _)| *fluent)
    }

    /// The action declared at a place.
    pub(crate) fn action_at(&self, place: Span) -> Option<ActionId> {
        self.action_of.get(&place).copied()
    }
}

/// An action with nothing in it.
pub(crate) fn empty_action(name: SmolStr, params: Vec<Param>, level: Option<LevelId>, place: Span) -> Action {
    Action {
        name,
        params,
        performer: None,
        participants: Vec::new(),
        layer: None,
        tags: Vec::new(),
        duration: Duration::Fixed(Expr::int(1)),
        conditions: Vec::new(),
        effects: Vec::new(),
        contributions: Vec::new(),
        uses: Vec::new(),
        expectation: None,
        reads: None,
        question: None,
        says: Vec::new(),
        cost: None,
        late: LatePolicy::Retime,
        origin: ActionOrigin::Authored,
        level,
        place,
        doc: None,
    }
}

/// A rule with nothing in it.
pub(crate) fn empty_rule(name: SmolStr, params: Vec<Param>, level: Option<LevelId>, place: Span) -> Rule {
    Rule {
        name,
        params,
        tags: Vec::new(),
        trigger: Trigger::Always,
        duration: None,
        effects: Vec::new(),
        contributions: Vec::new(),
        expectation: None,
        reads: None,
        says: Vec::new(),
        injections: Vec::new(),
        commits: None,
        level,
        place,
        doc: None,
    }
}
