//! What every way to a target must come by.
//!
//! They are found from the target backwards: without a landmark itself, some operators cannot be performed first; what all that can
//! make it true then need, every way needs too. Counting those that are still to come guides a search better than distance alone
//! where a story has many errands.

use dramaturg_model::{FluentId, Id, Table, ids};

use super::relaxation::{ComponentId, PropositionId, Relaxation, fact};
use super::target::Target;
use crate::ground::{Lists, Meaning, Problem, VariableId};
use crate::packed::PackedState;

ids! {
    /// Something that every way must come by.
    LandmarkId,
}

/// One of several values of variables, at some moment of every way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landmark {
    /// The values: one, or a few of which one is enough.
    pub values: Vec<(VariableId, u32)>,
    /// Whether it must hold in the end.
    pub is_final: bool,
    /// What must hold right before it is made true for the first time.
    pub before: Vec<LandmarkId>,
    /// What it must hold for.
    pub after: Vec<LandmarkId>,
}

/// More values than this say too little.
const VALUES_MAX: usize = 4;
/// More landmarks than this are not looked for.
const LANDMARKS_MAX: usize = 4_000;

/// What every way to a target must come by.
#[derive(Clone, Debug)]
pub struct Landmarks {
    landmarks: Table<LandmarkId, Landmark>,
    words: usize,
}

impl Landmarks {
    /// Looks for them from a state.
    pub fn find(problem: &Problem, relaxation: &Relaxation, start: &PackedState, target: &Target) -> Self {
        let mut finder = Finder::new(problem, relaxation, start);
        for condition in &target.conditions {
            let Some(only) = condition.only() else { continue };
            for literal in &only.literals {
                let size = problem.variables[literal.variable].size();
                let values: Vec<(VariableId, u32)> = problem
                    .sets
                    .values(literal.values, size)
                    .take(VALUES_MAX + 1)
                    .map(|value| (literal.variable, value))
                    .collect();
                finder.add(values, None, true);
            }
        }
        finder.run();
        finder.finish()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.landmarks.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.landmarks.is_empty()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Landmark> {
        self.landmarks.values()
    }

    /// How many words it takes to note which of them have been come by.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Notes what has been come by in a state, after what had been before it; how many are still to come.
    pub(super) fn pass(
        &self,
        problem: &Problem,
        state: &PackedState,
        before: Option<&[u64]>,
        passed: &mut [u64],
    ) -> u32 {
        if let Some(before) = before {
            passed.copy_from_slice(before);
        }
        let was = |id: LandmarkId| before.is_none_or(|before| has(before, id));
        for (id, landmark) in self.landmarks.iter() {
            if !has(passed, id) && landmark.holds(problem, state) && landmark.before.iter().all(|first| was(*first)) {
                set(passed, id);
            }
        }
        let mut open = 0;
        for (id, landmark) in self.landmarks.iter() {
            let again = || {
                let needed = landmark.is_final || landmark.after.iter().any(|then| !has(passed, *then));
                needed && !landmark.holds(problem, state)
            };
            open += u32::from(!has(passed, id) || again());
        }
        open
    }
}

impl Landmark {
    fn holds(&self, problem: &Problem, state: &PackedState) -> bool {
        self.values.iter().any(|(variable, value)| state.get(problem, *variable) == *value)
    }
}

fn has(passed: &[u64], id: LandmarkId) -> bool {
    passed.get(id.index() / 64).is_some_and(|word| word >> (id.index() % 64) & 1 == 1)
}

fn set(passed: &mut [u64], id: LandmarkId) {
    if let Some(word) = passed.get_mut(id.index() / 64) {
        *word |= 1 << (id.index() % 64);
    }
}

struct Finder<'a> {
    problem: &'a Problem,
    relaxation: &'a Relaxation,
    start: &'a PackedState,
    landmarks: Table<LandmarkId, Landmark>,
    open: Vec<LandmarkId>,
    /// The value that each proposition stands for.
    values: Vec<(VariableId, u32)>,
    /// The components that make a value true.
    makers: Lists<ComponentId>,
    /// The values of each set that conditions ask for.
    members: Vec<(u32, PropositionId)>,
    // Scratch of one exploration.
    reached: Table<PropositionId, bool>,
    open_needs: Table<ComponentId, u32>,
    queue: Vec<PropositionId>,
}

impl<'a> Finder<'a> {
    fn new(problem: &'a Problem, relaxation: &'a Relaxation, start: &'a PackedState) -> Self {
        let mut values = Vec::with_capacity(relaxation.facts());
        for (id, variable) in problem.variables.iter() {
            values.extend((0..variable.size()).map(|value| (id, value)));
        }
        let mut makers = Vec::new();
        for id in relaxation.components.ids() {
            makers.extend(relaxation.effects.get(id.index()).iter().map(|effect| (effect.0, id)));
        }
        let mut members = Vec::new();
        for value in 0..relaxation.facts() {
            members.extend(relaxation.within.get(value).iter().map(|set| (set.0, PropositionId::from_index(value))));
        }
        members.sort_unstable();
        Self {
            problem,
            relaxation,
            start,
            landmarks: Table::new(),
            open: Vec::new(),
            values,
            makers: Lists::new(relaxation.len(), &makers),
            members,
            reached: Table::filled(relaxation.len(), false),
            open_needs: Table::filled(relaxation.components.len(), 0),
            queue: Vec::new(),
        }
    }

    /// Adds one, unless it is known or says nothing.
    fn add(&mut self, mut values: Vec<(VariableId, u32)>, before: Option<LandmarkId>, is_final: bool) {
        values.sort_unstable();
        values.dedup();
        if values.is_empty() || values.len() > VALUES_MAX || self.landmarks.len() >= LANDMARKS_MAX {
            return;
        }
        let known = self.landmarks.iter().find(|(_, known)| known.values == values).map(|(id, _)| id);
        // Of several values, one that must come anyway says more.
        let implied = || self.landmarks.values().any(|known| known.values.iter().all(|value| values.contains(value)));
        let id = match known {
            Some(id) => id,
            None if implied() => return,
            None => {
                let id = self.landmarks.push(Landmark { values, is_final, before: Vec::new(), after: Vec::new() });
                self.open.push(id);
                id
            }
        };
        self.landmarks[id].is_final |= is_final;
        if let Some(then) = before.filter(|then| *then != id && !self.landmarks[*then].before.contains(&id)) {
            // An order that goes in a circle would forbid both.
            if !self.leads(then, id) {
                self.landmarks[then].before.push(id);
                self.landmarks[id].after.push(then);
            }
        }
    }

    /// Whether one comes before another.
    fn leads(&self, first: LandmarkId, then: LandmarkId) -> bool {
        let mut open = vec![first];
        let mut seen = vec![false; self.landmarks.len()];
        while let Some(id) = open.pop() {
            if id == then {
                return true;
            }
            if let Some(seen) = seen.get_mut(id.index())
                && !std::mem::replace(seen, true)
            {
                open.extend_from_slice(&self.landmarks[id].after);
            }
        }
        false
    }

    fn run(&mut self) {
        let mut next = 0;
        while let Some(id) = self.open.get(next).copied() {
            next += 1;
            if !self.landmarks[id].holds(self.problem, self.start) {
                self.look_before(id);
            }
        }
    }

    fn propositions(&self, id: LandmarkId) -> Vec<PropositionId> {
        self.landmarks[id].values.iter().map(|(variable, value)| fact(self.problem, *variable, *value)).collect()
    }

    /// What must hold before a landmark is made true for the first time.
    fn look_before(&mut self, id: LandmarkId) {
        let landmark = self.propositions(id);
        self.explore(&landmark);
        let mut firsts: Vec<ComponentId> = Vec::new();
        for value in &landmark {
            firsts.extend(self.makers.get(value.index()).iter().filter(|maker| self.open_needs[**maker] == 0));
        }
        firsts.sort_unstable();
        firsts.dedup();
        let Some((first, others)) = firsts.split_first() else { return };
        // What all of them need.
        let needs = |component: &ComponentId| self.relaxation.needs.get(component.index());
        let shared: Vec<PropositionId> = needs(first)
            .iter()
            .copied()
            .filter(|need| others.iter().all(|other| needs(other).contains(need)))
            .collect();
        // One of a few values of the same fluent that each of them needs.
        let mut by_fluent: Vec<(FluentId, Vec<(VariableId, u32)>)> = Vec::new();
        if !others.is_empty() {
            let mut fluents: Vec<FluentId> = needs(first).iter().filter_map(|need| self.fluent(*need)).collect();
            fluents.sort_unstable();
            fluents.dedup();
            for fluent in fluents {
                let mut values = Vec::new();
                let each = firsts.iter().all(|component| {
                    let mut own = needs(component).iter().filter(|need| self.fluent(**need) == Some(fluent)).peekable();
                    let any = own.peek().is_some();
                    values.extend(own.filter_map(|need| self.values.get(need.index()).copied()));
                    any
                });
                values.sort_unstable();
                values.dedup();
                let given = values.iter().any(|(variable, value)| self.start.get(self.problem, *variable) == *value);
                if each && !given && values.len() <= VALUES_MAX {
                    by_fluent.push((fluent, values));
                }
            }
        }
        for need in shared {
            let values = self.values_of(need);
            self.add(values, Some(id), false);
        }
        for (_, values) in by_fluent {
            self.add(values, Some(id), false);
        }
    }

    fn fluent(&self, id: PropositionId) -> Option<FluentId> {
        let (variable, value) = self.values.get(id.index())?;
        match &self.problem.variables[*variable].meaning {
            Meaning::Fluent { fluent, .. } | Meaning::Whole { fluent, .. } => Some(*fluent),
            Meaning::Group { facts, .. } => facts.get(*value as usize).map(|(fluent, _)| *fluent),
        }
    }

    fn values_of(&self, id: PropositionId) -> Vec<(VariableId, u32)> {
        if let Some(value) = self.values.get(id.index()) {
            return vec![*value];
        }
        let from = self.members.partition_point(|(set, _)| *set < id.0);
        let members = self.members.get(from..).unwrap_or(&[]).iter().take_while(|(set, _)| *set == id.0);
        members.take(VALUES_MAX + 1).filter_map(|(_, value)| self.values.get(value.index()).copied()).collect()
    }

    /// Reaches everything that can be without some values.
    fn explore(&mut self, without: &[PropositionId]) {
        let relaxation = self.relaxation;
        self.reached.values_mut().for_each(|reached| *reached = false);
        for (id, component) in relaxation.components.iter() {
            self.open_needs[id] = component.needs;
        }
        self.queue.clear();
        for variable in self.problem.variables.ids() {
            self.reach(fact(self.problem, variable, self.start.get(self.problem, variable)), without);
        }
        // Comparisons and what may be released are taken for true: then fewer landmarks are found, but none that is not one.
        for (id, _) in relaxation.tests() {
            self.reach(*id, without);
        }
        for id in &relaxation.released {
            self.reach(*id, without);
        }
        for id in &relaxation.free {
            self.fire(*id, without);
        }
        while let Some(id) = self.queue.pop() {
            if id.index() < relaxation.facts() {
                for set in relaxation.within.get(id.index()) {
                    self.reach(*set, without);
                }
            }
            for component in relaxation.readers.get(id.index()) {
                let open = self.open_needs[*component] - 1;
                self.open_needs[*component] = open;
                if open == 0 {
                    self.fire(*component, without);
                }
            }
        }
    }

    fn fire(&mut self, id: ComponentId, without: &[PropositionId]) {
        for effect in self.relaxation.effects.get(id.index()) {
            self.reach(*effect, without);
        }
    }

    fn reach(&mut self, id: PropositionId, without: &[PropositionId]) {
        if !self.reached[id] && !without.contains(&id) {
            self.reached[id] = true;
            self.queue.push(id);
        }
    }

    fn finish(self) -> Landmarks {
        let words = self.landmarks.len().div_ceil(64);
        Landmarks { landmarks: self.landmarks, words }
    }
}
