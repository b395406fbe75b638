//! What a relaxation is put together from, whole or trimmed to a target.

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
        sets: FxHashMap<Literal, PropositionId>,
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
        }
    }
}

impl Relaxation {
    /// Without what cannot help to reach some propositions: their distances stay the same. None if all of it may.
    pub(super) fn trimmed(&self, wanted: &[PropositionId]) -> Option<Self> {
        let mut makers: Vec<(u32, ComponentId)> = Vec::new();
        for id in self.components.ids() {
            makers.extend(self.effects.get(id.index()).iter().map(|effect| (effect.0, id)));
            makers.extend(self.pushes.get(id.index()).iter().map(|push| (push.test.0, id)));
        }
        let makers = Lists::new(self.count, &makers);
        let mut members: Vec<(u32, PropositionId)> = Vec::new();
        for value in 0..self.facts {
            members.extend(self.within.get(value).iter().map(|set| (set.0, PropositionId::from_index(value))));
        }
        let members = Lists::new(self.count, &members);
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
        let mut trimmed = Parts { count: self.count, ..Parts::default() };
        for (id, component) in self.components.iter().filter(|(id, _)| kept[*id]) {
            let new = trimmed.components.push(component.clone()).0;
            trimmed.needs.extend(self.needs.get(id.index()).iter().map(|need| (new, *need)));
            let effects = self.effects.get(id.index()).iter().filter(|effect| matters[**effect]);
            trimmed.effects.extend(effects.map(|effect| (new, *effect)));
            let pushes = self.pushes.get(id.index()).iter().filter(|push| matters[push.test]);
            trimmed.pushes.extend(pushes.map(|push| (new, *push)));
        }
        for value in 0..self.facts {
            let sets = self.within.get(value).iter().filter(|set| matters[**set]);
            trimmed.within.extend(sets.map(|set| (value as u32, *set)));
        }
        let tests = self.tests.iter().filter(|(id, _)| matters[*id]).cloned().collect();
        Some(trimmed.finish(self.facts, self.sets.clone(), tests, self.released.clone()))
    }
}
