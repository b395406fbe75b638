//! The planning graph: level after level what can hold, what can be done, and what excludes each other.

use std::sync::Arc;

use dramaturg_model::{Id, Table};

use super::bits::Bits;
use super::component::ComponentId;
use super::fact::FactId;
use super::network::Network;

/// What can hold after so many layers.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The facts that are there.
    pub(super) present: Bits,
    /// For each of them those that cannot hold together with it.
    pub(super) mutex: Table<FactId, Arc<Bits>>,
}

/// What can be done between two levels.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The components that are there.
    pub(super) present: Bits,
    /// For each of them those that cannot take place together with it.
    pub(super) mutex: Table<ComponentId, Arc<Bits>>,
}

/// How far the next level has come.
#[derive(Clone, Debug)]
enum Stage {
    /// Which components are there.
    Components,
    /// Their rows, one after another.
    Rows(usize),
    /// What comes with something else whether it is wanted or not.
    Induced,
    /// Which facts are there.
    Facts,
    /// Their rows, one after another.
    FactRows(usize),
}

/// The planning graph. From the level on from which nothing changes any more, the last level stands for all that follow.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    levels: Vec<Level>,
    layers: Vec<Layer>,
    stage: Stage,
    /// Rows of components without what comes with them.
    raw: Table<ComponentId, Arc<Bits>>,
    /// For each fact the row that was looked at last, and the components that need something in it.
    competing: Table<FactId, (Arc<Bits>, Arc<Bits>)>,
    level_off: Option<usize>,
    /// The first level at which each fact is there.
    first: Table<FactId, u32>,
    next_layer: Layer,
    next_level: Level,
}

impl Graph {
    /// Level 0: what holds at first. Of what holds nothing excludes anything.
    pub(super) fn new(network: &Network) -> Self {
        let (facts, components) = (network.facts.len(), network.components.len());
        let no_facts = Arc::new(Bits::new(facts));
        let no_components = Arc::new(Bits::new(components));
        let first = Level { present: network.start.clone(), mutex: Table::filled(facts, Arc::clone(&no_facts)) };
        let layer =
            Layer { present: Bits::new(components), mutex: Table::filled(components, Arc::clone(&no_components)) };
        let mut levels: Table<FactId, u32> = Table::filled(facts, u32::MAX);
        first.present.iter().for_each(|fact| levels[FactId::from_index(fact)] = 0);
        Self {
            next_level: first.clone(),
            next_layer: layer,
            levels: vec![first],
            layers: Vec::new(),
            stage: Stage::Components,
            competing: Table::filled(facts, (no_facts, Arc::clone(&no_components))),
            raw: Table::filled(components, no_components),
            level_off: None,
            first: levels,
        }
    }

    /// The last level that has been built.
    pub(super) fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// The level from which on nothing changes any more.
    pub(super) fn level_off(&self) -> Option<usize> {
        self.level_off
    }

    /// The first level at which a fact is there.
    pub(super) fn first(&self, fact: FactId) -> u32 {
        self.first[fact]
    }

    /// A level; beyond the last one they are all the same.
    pub(super) fn level(&self, level: usize) -> &Level {
        self.levels.get(level).or(self.levels.last()).unwrap_or(&self.next_level)
    }

    /// The layer that leads to a level.
    pub(super) fn layer_to(&self, level: usize) -> &Layer {
        self.layers.get(level.saturating_sub(1)).or(self.layers.last()).unwrap_or(&self.next_layer)
    }

    /// Whether facts are all there at a level and no two exclude each other.
    pub(super) fn is_free(&self, facts: &[FactId], level: usize) -> bool {
        let level = self.level(level);
        let present = facts.iter().all(|fact| level.present.contains(fact.index()));
        present && facts.iter().all(|fact| facts.iter().all(|other| !level.mutex[*fact].contains(other.index())))
    }

    /// Does one piece of the next level; true when it is finished.
    pub(super) fn step(&mut self, network: &Network) -> bool {
        self.stage = match self.stage {
            Stage::Components => {
                self.components(network);
                Stage::Rows(0)
            }
            Stage::Rows(from) => match self.next_layer.present.next(from) {
                Some(component) => {
                    self.row(network, ComponentId::from_index(component));
                    Stage::Rows(component + 1)
                }
                None => Stage::Induced,
            },
            Stage::Induced => {
                self.induced(network);
                Stage::Facts
            }
            Stage::Facts => {
                for component in self.next_layer.present.iter() {
                    for add in &network.components[ComponentId::from_index(component)].adds {
                        self.next_level.present.insert(add.index());
                    }
                }
                Stage::FactRows(0)
            }
            Stage::FactRows(from) => match self.next_level.present.next(from) {
                Some(fact) => {
                    self.fact_row(network, FactId::from_index(fact));
                    Stage::FactRows(fact + 1)
                }
                None => {
                    self.finish();
                    self.stage = Stage::Components;
                    return true;
                }
            },
        };
        false
    }

    /// Components stay once they are there; of the others those whose needs are there and do not exclude each other.
    fn components(&mut self, network: &Network) {
        for (id, component) in network.components.iter() {
            if !self.next_layer.present.contains(id.index()) && self.is_free(&component.needs, self.top()) {
                self.next_layer.present.insert(id.index());
            }
        }
    }

    /// What a component cannot take place with: what it never can, and what needs something that excludes what it needs. A row is
    /// computed anew only if something about its needs has changed.
    fn row(&mut self, network: &Network, id: ComponentId) {
        let needs = &network.components[id].needs;
        let below = self.level(self.top());
        let before = self.top().checked_sub(1).map(|level| self.level(level));
        let known = self.layers.last().is_some_and(|layer| layer.present.contains(id.index()));
        let same = |need: &FactId| before.is_some_and(|before| Arc::ptr_eq(&below.mutex[*need], &before.mutex[*need]));
        if known && needs.iter().all(same) {
            self.next_layer.mutex[id] = Arc::clone(&self.raw[id]);
            return;
        }
        let mut row = network.apart[id].clone();
        for need in needs {
            row.unite(&self.competitors(network, *need));
        }
        let row = Arc::new(row);
        self.raw[id] = Arc::clone(&row);
        self.next_layer.mutex[id] = row;
    }

    /// The components that need something which excludes a fact. Facts with the same row as before have the same competitors.
    fn competitors(&mut self, network: &Network, need: FactId) -> Arc<Bits> {
        let row = Arc::clone(&self.level(self.top()).mutex[need]);
        if !Arc::ptr_eq(&self.competing[need].0, &row) {
            let mut found = Bits::new(network.components.len());
            for excluded in row.iter() {
                found.unite(&network.needers[FactId::from_index(excluded)]);
            }
            self.competing[need] = (row, Arc::new(found));
        }
        Arc::clone(&self.competing[need].1)
    }

    /// A component brings another one of its operator with it if nothing that would prevent that can hold beside its needs. Then it
    /// cannot take place with what the other cannot take place with.
    fn induced(&mut self, network: &Network) {
        let mut pairs: Vec<(ComponentId, ComponentId)> = Vec::new();
        let level = self.level(self.top());
        let is_here = |id: ComponentId| self.next_layer.present.contains(id.index());
        for variant in network.variants.values().filter(|variant| is_here(variant.base)) {
            let own = || variant.groups.iter().flat_map(|group| group.components.iter().copied());
            for by in own().chain([variant.base]).filter(|id| is_here(*id)) {
                let needs = &network.components[by].needs;
                for id in own().filter(|id| *id != by && is_here(*id)) {
                    let forced = network.components[id].antecedent.iter().all(|literal| {
                        let opposite = literal.opposite;
                        !level.present.contains(opposite.index())
                            || needs.iter().any(|need| level.mutex[*need].contains(opposite.index()))
                    });
                    if forced {
                        pairs.push((by, id));
                    }
                }
            }
        }
        let mut changed = !pairs.is_empty();
        while changed {
            changed = false;
            for (by, id) in &pairs {
                let mut row = (*self.next_layer.mutex[*id]).clone();
                row.remove(by.index());
                row.intersect(&self.next_layer.present);
                if row.is_within(&self.next_layer.mutex[*by]) {
                    continue;
                }
                changed = true;
                for other in row.iter() {
                    Arc::make_mut(&mut self.next_layer.mutex[ComponentId::from_index(other)]).insert(by.index());
                }
                Arc::make_mut(&mut self.next_layer.mutex[*by]).unite(&row);
            }
        }
    }

    /// The facts that cannot hold together with a fact: those all of whose producers exclude all of its producers. What did not exclude
    /// each other before does not do so now.
    fn fact_row(&mut self, network: &Network, id: FactId) {
        let before = self.level(self.top());
        let layer = &self.next_layer;
        let mut all: Option<Bits> = None;
        for producer in network.producers[id].iter().filter(|producer| layer.present.contains(producer.index())) {
            match &mut all {
                Some(all) => all.intersect(&layer.mutex[*producer]),
                None => all = Some((*layer.mutex[*producer]).clone()),
            }
        }
        let all = all.unwrap_or_default();
        let mut asked = self.next_level.present.clone();
        if before.present.contains(id.index()) {
            let mut settled = before.present.clone();
            settled.subtract(&before.mutex[id]);
            asked.subtract(&settled);
        }
        let mut row = Bits::new(network.facts.len());
        for other in asked.iter().filter(|other| *other != id.index()) {
            let is_excluded = network.excluded[id].contains(other)
                || network.producer_rows[FactId::from_index(other)].is_masked_within(&layer.present, &all);
            if is_excluded {
                row.insert(other);
            }
        }
        let same = before.present.contains(id.index()) && *before.mutex[id] == row;
        self.next_level.mutex[id] = if same { Arc::clone(&before.mutex[id]) } else { Arc::new(row) };
    }

    /// The next level becomes the last one; nothing changes any more if its facts and what they exclude are the same as before.
    fn finish(&mut self) {
        let before = self.level(self.top());
        let same = before.present == self.next_level.present
            && before.mutex.values().zip(self.next_level.mutex.values()).all(|(before, now)| before == now);
        if same && self.level_off.is_none() {
            self.level_off = Some(self.top());
        }
        let level = self.levels.len() as u32;
        for fact in self.next_level.present.iter() {
            let first = &mut self.first[FactId::from_index(fact)];
            *first = (*first).min(level);
        }
        self.levels.push(self.next_level.clone());
        self.layers.push(self.next_layer.clone());
    }
}
