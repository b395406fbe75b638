//! What a relaxation is put together from, whole or trimmed to a target.

use std::sync::Arc;

use dramaturg_model::{Id, Table};
use rustc_hash::FxHashMap;

use super::relaxation::{Component, ComponentId, PropositionId, Push, Relaxation};
use crate::ground::{Lists, Literal, NumberTest};

/// What is listed while a relaxation is written.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) count: usize,
    pub(super) within: Vec<(u32, PropositionId)>,
    pub(super) components: Table<ComponentId, Component>,
    pub(super) needs: Vec<(u32, PropositionId)>,
    pub(super) effects: Vec<(u32, PropositionId)>,
    pub(super) pushes: Vec<(u32, Push)>,
}

impl Parts {
    pub(super) fn finish(
        self,
        facts: usize,
        sets: Arc<FxHashMap<Literal, PropositionId>>,
        tests: Vec<(PropositionId, NumberTest)>,
        released: Vec<PropositionId>,
    ) -> Relaxation {
        let components = self.components.len();
        let readers: Vec<(u32, ComponentId)> =
            self.needs.iter().map(|(component, need)| (need.0, ComponentId(*component))).collect();
        Relaxation {
            facts,
            sets,
            tests,
            count: self.count,
            within: Lists::new(facts, &self.within),
            readers: Lists::new(self.count, &readers),
            free: self.components.iter().filter(|(_, component)| component.needs == 0).map(|(id, _)| id).collect(),
            needs: Lists::new(components, &self.needs),
            effects: Lists::new(components, &self.effects),
            pushes: Lists::new(components, &self.pushes),
            has_pushes: !self.pushes.is_empty(),
            components: self.components,
            released,
            origins: None,
        }
    }
}

/// Where propositions come from. Trimming asks for it, for every target anew.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    /// The components that make a proposition true, or help to.
    makers: Lists<ComponentId>,
    /// The values that a set has.
    members: Lists<PropositionId>,
}

impl Origins {
    pub(super) fn of(relaxation: &Relaxation) -> Self {
        let mut makers: Vec<(u32, ComponentId)> = Vec::new();
        for id in relaxation.components.ids() {
            makers.extend(relaxation.effects.get(id.index()).iter().map(|effect| (effect.0, id)));
            makers.extend(relaxation.pushes.get(id.index()).iter().map(|push| (push.test.0, id)));
        }
        let mut members: Vec<(u32, PropositionId)> = Vec::new();
        for value in 0..relaxation.facts {
            members.extend(relaxation.within.get(value).iter().map(|set| (set.0, PropositionId::from_index(value))));
        }
        Self { makers: Lists::new(relaxation.count, &makers), members: Lists::new(relaxation.count, &members) }
    }
}

impl Relaxation {
    /// Without what cannot help to reach some propositions: their distances stay the same. None if all of it may.
    pub(super) fn trimmed(&self, wanted: &[PropositionId]) -> Option<Self> {
        let own;
        let Origins { makers, members } = match &self.origins {
            Some(origins) => origins,
            None => {
                own = Origins::of(self);
                &own
            }
        };
        let mut matters = Table::filled(self.count, false);
        let mut kept = Table::filled(self.components.len(), false);
        let mut open: Vec<PropositionId> = wanted.to_vec();
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut matters[id], true) {
                continue;
            }
            open.extend_from_slice(members.get(id.index()));
            for component in makers.get(id.index()) {
                if !std::mem::replace(&mut kept[*component], true) {
                    open.extend_from_slice(self.needs.get(component.index()));
                }
            }
        }
        let all = kept.values().all(|kept| *kept)
            && self.components.ids().all(|id| self.effects.get(id.index()).iter().all(|effect| matters[*effect]));
        if all {
            return None;
        }
        let of_kept = || self.components.iter().filter(|(id, _)| kept[*id]).map(|(id, _)| id.index());
        let components: Table<ComponentId, Component> =
            of_kept().map(ComponentId::from_index).map(|id| self.components[id].clone()).collect();
        let needs = Lists::in_order(of_kept().map(|id| self.needs.get(id).iter().copied()));
        let mut readers: Vec<(u32, ComponentId)> = Vec::new();
        for (id, new) in of_kept().zip(components.ids()) {
            readers.extend(self.needs.get(id).iter().map(|need| (need.0, new)));
        }
        let helps = |push: &&Push| matters[push.test];
        let pushes = Lists::in_order(of_kept().map(|id| self.pushes.get(id).iter().filter(helps).copied()));
        Some(Self {
            facts: self.facts,
            sets: Arc::clone(&self.sets),
            tests: self.tests.iter().filter(|(id, _)| matters[*id]).cloned().collect(),
            count: self.count,
            within: Lists::in_order(
                (0..self.facts).map(|value| self.within.get(value).iter().filter(|set| matters[**set]).copied()),
            ),
            readers: Lists::new(self.count, &readers),
            free: components.iter().filter(|(_, component)| component.needs == 0).map(|(id, _)| id).collect(),
            needs,
            effects: Lists::in_order(
                of_kept().map(|id| self.effects.get(id).iter().filter(|effect| matters[**effect]).copied()),
            ),
            has_pushes: !pushes.is_empty(),
            pushes,
            components,
            released: self.released.clone(),
            origins: None,
        })
    }
}
