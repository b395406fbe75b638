//! What saves call the things of a model: by name, and where two share one, the second with its number.

use dramaturg_model::{
    ActionId, ActuatorId, EndingId, FluentId, Id, LevelId, MilestoneId, Model, ObjectId, Owner, PopulationId, RuleId,
    SymbolId, Table, TaskId, TextId, TypeId, Wish, WishId,
};
use rustc_hash::FxHashMap;
use smol_str::{SmolStr, format_smolstr};

use crate::simulate::words;

/// The names of one kind of thing, both ways.
#[derive(Clone, Debug)]
pub(super) struct Names<I: Id> {
    of: Table<I, SmolStr>,
    found: FxHashMap<SmolStr, I>,
}

impl<I: Id> Names<I> {
    fn new(names: impl Iterator<Item = SmolStr>) -> Self {
        let mut all = Self { of: Table::new(), found: FxHashMap::default() };
        let mut counts: FxHashMap<SmolStr, usize> = FxHashMap::default();
        for name in names {
            let count = counts.entry(name.clone()).or_insert(0);
            *count += 1;
            let label = if *count == 1 { name } else { format_smolstr!("{name} #{count}") };
            let id = all.of.push(label.clone());
            all.found.entry(label).or_insert(id);
        }
        all
    }

    /// What a thing is called.
    pub(super) fn of(&self, id: I) -> SmolStr {
        self.of.try_at(id).cloned().unwrap_or_default()
    }

    /// What is called so.
    pub(super) fn find(&self, name: &str) -> Option<I> {
        self.found.get(name).copied()
    }
}

/// The names of everything that a save speaks of.
#[derive(Clone, Debug)]
pub(in crate::simulate) struct Labels {
    pub(super) objects: Names<ObjectId>,
    pub(super) symbols: Names<SymbolId>,
    pub(super) fluents: Names<FluentId>,
    pub(super) actuators: Names<ActuatorId>,
    pub(super) actions: Names<ActionId>,
    pub(super) rules: Names<RuleId>,
    pub(super) tasks: Names<TaskId>,
    pub(super) wishes: Names<WishId>,
    pub(super) levels: Names<LevelId>,
    pub(super) milestones: Names<MilestoneId>,
    pub(super) endings: Names<EndingId>,
    pub(super) populations: Names<PopulationId>,
    pub(super) texts: Names<TextId>,
}

impl Labels {
    pub(in crate::simulate) fn new(model: &Model) -> Self {
        let member = |of: Option<TypeId>, name: &SmolStr| match of.and_then(|ty| model.types.try_at(ty)) {
            Some(ty) => format_smolstr!("{}.{name}", ty.name),
            None => name.clone(),
        };
        Self {
            objects: Names::new(model.objects.values().map(|object| object.name.clone())),
            symbols: Names::new(model.symbols.values().cloned()),
            fluents: Names::new(model.fluents.values().map(|fluent| member(fluent.attribute_of, &fluent.name))),
            actuators: Names::new(model.actuators.values().map(|part| member(part.attribute_of, &part.name))),
            actions: Names::new(model.actions.values().map(|action| action.name.clone())),
            rules: Names::new(model.rules.values().map(|rule| rule.name.clone())),
            tasks: Names::new(model.tasks.values().map(|task| task.name.clone())),
            wishes: Names::new(model.wishes.values().map(|wish| wish_label(model, wish))),
            levels: Names::new(model.levels.values().map(|level| level.name.clone())),
            milestones: Names::new(model.milestones.values().map(|milestone| milestone.name.clone())),
            endings: Names::new(model.endings.values().map(|ending| ending.name.clone())),
            populations: Names::new(model.populations.values().map(|population| population.name.clone())),
            texts: Names::new(model.texts.values().map(|text| text.id.clone())),
        }
    }
}

/// Whose wish it is and what it wants, in the words of a story: a wish has no name.
fn wish_label(model: &Model, wish: &Wish) -> SmolStr {
    let owner = match wish.owner {
        Owner::Story => "story".to_owned(),
        Owner::Character(object) => format!("character {}", model.objects[object].name),
        Owner::Personality(personality) => format!("personality {}", model.personalities[personality].name),
        Owner::Population(population) => format!("population {}", model.populations[population].name),
        Owner::Injected(rule) => format!("rule {}", model.rules[rule].name),
        Owner::Futile(futile) => format!("futile {}", model.futile[futile].name),
    };
    format_smolstr!("{owner}: {}", words::wish(model, wish))
}
