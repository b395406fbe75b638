//! One layer of a plan in the making: which producer each goal has, and why others would not do.

use dramaturg_model::{Id, Tick};
use smallvec::SmallVec;

use super::component::{ComponentId, VariantId};
use super::fact::FactId;
use super::graph::{Graph, Layer, Level};
use super::memo::ALWAYS;
use super::network::Network;
use super::options::LayerTime;

/// Why something failed: the choices of the layer that had a part in it, and the goals.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflict {
    decisions: SmallVec<[u64; 1]>,
    pub(super) goals: SmallVec<[FactId; 4]>,
    /// Whether with more time it might not have failed.
    pub(super) time: bool,
}

impl Conflict {
    pub(super) fn blame(&mut self, decision: usize) {
        if self.decisions.len() <= decision / 64 {
            self.decisions.resize(decision / 64 + 1, 0);
        }
        if let Some(word) = self.decisions.get_mut(decision / 64) {
            *word |= 1 << (decision % 64);
        }
    }

    fn forgive(&mut self, decision: usize) {
        if let Some(word) = self.decisions.get_mut(decision / 64) {
            *word &= !(1 << (decision % 64));
        }
    }

    fn blame_goal(&mut self, goal: FactId) {
        if !self.goals.contains(&goal) {
            self.goals.push(goal);
        }
    }

    fn last(&self) -> Option<usize> {
        let last = self.decisions.iter().enumerate().rev().find(|(_, word)| **word != 0);
        last.map(|(place, word)| place * 64 + 63 - word.leading_zeros() as usize)
    }

    fn unite(&mut self, other: &Self) {
        if self.decisions.len() < other.decisions.len() {
            self.decisions.resize(other.decisions.len(), 0);
        }
        self.decisions.iter_mut().zip(&other.decisions).for_each(|(word, other)| *word |= other);
        other.goals.iter().for_each(|goal| self.blame_goal(*goal));
        self.time |= other.time;
    }
}

/// What is to be chosen.
#[derive(Clone, Debug)]
enum Subject {
    /// A producer for the goal at this place.
    Goal(usize, FactId),
    /// How a component is kept from taking place.
    Threat { component: ComponentId, variant: VariantId, reasons: Conflict },
}

#[derive(Clone, Debug)]
struct Decision {
    subject: Subject,
    /// The next possibility.
    next: usize,
    conflict: Conflict,
    /// How things were before.
    chosen: usize,
    needs: usize,
    duration: Tick,
    reach: Tick,
}

/// A component that takes place, and by which choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) component: ComponentId,
    pub(super) variant: Option<VariantId>,
    pub(super) decision: usize,
}

/// A fact that must hold before the layer, for which operator, and by which choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub(super) fact: FactId,
    pub(super) variant: Option<VariantId>,
    pub(super) decision: usize,
}

/// What came of trying one possibility.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trial {
    /// It does not go with what was chosen before.
    Failed,
    /// It has been chosen.
    Chosen,
    /// There is none left.
    Exhausted,
}

/// What a layer is built from.
#[derive(Clone, Copy)]
pub(super) struct Ground<'g> {
    pub(super) network: &'g Network,
    pub(super) layer: &'g Layer,
    /// The level before it.
    pub(super) before: &'g Level,
    pub(super) time: LayerTime,
}

/// One layer of a plan in the making.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) level: usize,
    /// What must hold after the layer, in ascending order.
    pub(super) sorted: Vec<FactId>,
    /// The same in the order in which producers are chosen.
    pub(super) goals: Vec<FactId>,
    /// The time that is left for this layer and all before it.
    pub(super) remaining: Tick,
    decisions: Vec<Decision>,
    pub(super) chosen: Vec<Chosen>,
    pub(super) needs: Vec<Need>,
    /// How long the layer takes so far.
    pub(super) duration: Tick,
    /// What is needed before takes at least this long.
    reach: Tick,
}

impl Frame {
    /// Nothing is chosen yet. Goals that appear late come first, then those with few producers.
    pub(super) fn new(network: &Network, graph: &Graph, sorted: Vec<FactId>, level: usize, remaining: Tick) -> Self {
        let layer = graph.layer_to(level);
        let mut goals = sorted.clone();
        goals.sort_by_cached_key(|goal| {
            let producers = network.producers[*goal].iter().filter(|id| layer.present.contains(id.index()));
            (std::cmp::Reverse(graph.first(*goal)), producers.count(), *goal)
        });
        let (decisions, chosen, needs) = (Vec::new(), Vec::new(), Vec::new());
        Self { level, sorted, goals, remaining, decisions, chosen, needs, duration: 0, reach: 0 }
    }

    /// Takes up what is to be chosen next; false if nothing is left.
    pub(super) fn open_next(&mut self, ground: Ground<'_>) -> bool {
        let from = match self.decisions.last().map(|decision| &decision.subject) {
            None => 0,
            Some(Subject::Goal(place, _)) => place + 1,
            Some(Subject::Threat { .. }) => self.goals.len(),
        };
        let rest = self.goals.iter().copied().enumerate().skip(from);
        let mut open = rest.filter(|(_, goal)| !self.is_covered(ground, *goal));
        let subject = match open.next() {
            Some((place, goal)) => Subject::Goal(place, goal),
            None => match self.threat(ground) {
                Some((component, variant, reasons)) => Subject::Threat { component, variant, reasons },
                None => return false,
            },
        };
        self.decisions.push(Decision {
            subject,
            next: 0,
            conflict: Conflict::default(),
            chosen: self.chosen.len(),
            needs: self.needs.len(),
            duration: self.duration,
            reach: self.reach,
        });
        true
    }

    /// Whether something that was chosen for another goal makes a goal true as well, come what may.
    fn is_covered(&self, ground: Ground<'_>, goal: FactId) -> bool {
        let network = ground.network;
        let variable = network.facts.table[goal].variable;
        self.chosen.iter().any(|chosen| {
            chosen.variant.is_some_and(|variant| {
                let variant = &network.variants[variant];
                variant.write(chosen.component, variable).is_some_and(|(value, rank)| {
                    network.facts.holds(goal, value) && !variant.may_overrule(variable, value, rank)
                })
            })
        })
    }

    /// The decision that chose a producer for a goal, if there was one.
    pub(super) fn decision_of(&self, goal: FactId) -> Option<usize> {
        self.decisions.iter().position(|decision| matches!(decision.subject, Subject::Goal(_, found) if found == goal))
    }

    /// Tries the next possibility of the last choice.
    pub(super) fn trial(&mut self, ground: Ground<'_>) -> Trial {
        let index = self.decisions.len().saturating_sub(1);
        let Some(decision) = self.decisions.last_mut() else { return Trial::Exhausted };
        match &decision.subject {
            Subject::Goal(_, goal) => {
                let producers = &ground.network.producers[*goal];
                let rest = producers.iter().enumerate().skip(decision.next);
                let Some((place, component)) = rest
                    .map(|(place, component)| (place, *component))
                    .find(|(_, component)| ground.layer.present.contains(component.index()))
                else {
                    return Trial::Exhausted;
                };
                decision.next = place + 1;
                self.choose(ground, component, index)
            }
            Subject::Threat { component, variant, .. } => {
                let (component, variant) = (*component, *variant);
                let Some(literal) = ground.network.components[component].antecedent.get(decision.next) else {
                    return Trial::Exhausted;
                };
                decision.next += 1;
                self.confront(ground, literal.opposite, variant, index)
            }
        }
    }

    fn choose(&mut self, ground: Ground<'_>, component: ComponentId, index: usize) -> Trial {
        let network = ground.network;
        let row = &ground.layer.mutex[component];
        if let Some(other) = self.chosen.iter().find(|other| row.contains(other.component.index())) {
            let other = other.decision;
            return self.fail(index, Some(other));
        }
        let declared = &network.components[component];
        let is_new =
            declared.variant.is_none_or(|variant| self.chosen.iter().all(|other| other.variant != Some(variant)));
        let duration = match ground.time {
            LayerTime::Sequential if is_new => self.duration.saturating_add(declared.duration),
            LayerTime::Sequential => self.duration,
            LayerTime::Layered => self.duration.max(declared.duration),
        };
        let needs = declared.needs.iter().map(|need| network.earliest[*need]);
        let reach = needs.max().unwrap_or(0).max(self.reach);
        if self.is_late(duration, reach) {
            return self.fail_by_time(index);
        }
        (self.duration, self.reach) = (duration, reach);
        let variant = declared.variant;
        self.chosen.push(Chosen { component, variant, decision: index });
        self.needs.extend(declared.needs.iter().map(|fact| Need { fact: *fact, variant, decision: index }));
        Trial::Chosen
    }

    /// Has something hold before the layer that keeps an unwanted effect of an operator away. Nothing else in the layer may undo it, or
    /// the order of steps would matter.
    fn confront(&mut self, ground: Ground<'_>, fact: FactId, variant: VariantId, index: usize) -> Trial {
        let network = ground.network;
        if !ground.before.present.contains(fact.index()) {
            return self.fail(index, None);
        }
        let row = &ground.before.mutex[fact];
        let excluded = |need: &&Need| row.contains(need.fact.index()) || network.facts.exclude(fact, need.fact);
        if let Some(need) = self.needs.iter().find(excluded) {
            let other = need.decision;
            return self.fail(index, Some(other));
        }
        let variable = network.facts.table[fact].variable;
        let breaks = |other: &&Chosen| {
            let writes = &network.components[other.component].writes;
            other.variant != Some(variant)
                && writes.iter().any(|(written, value)| *written == variable && !network.facts.holds(fact, *value))
        };
        if let Some(other) = self.chosen.iter().find(breaks) {
            let other = other.decision;
            return self.fail(index, Some(other));
        }
        let reach = self.reach.max(network.earliest[fact]);
        if self.is_late(self.duration, reach) {
            return self.fail_by_time(index);
        }
        self.reach = reach;
        self.needs.push(Need { fact, variant: Some(variant), decision: index });
        Trial::Chosen
    }

    fn is_late(&self, duration: Tick, reach: Tick) -> bool {
        self.remaining != ALWAYS && duration.saturating_add(reach) > self.remaining
    }

    fn fail(&mut self, index: usize, other: Option<usize>) -> Trial {
        if let Some(decision) = self.decisions.get_mut(index) {
            other.into_iter().filter(|other| *other != index).for_each(|other| decision.conflict.blame(other));
        }
        Trial::Failed
    }

    fn fail_by_time(&mut self, index: usize) -> Trial {
        if let Some(decision) = self.decisions.get_mut(index) {
            (0..index).for_each(|other| decision.conflict.blame(other));
            decision.conflict.time = true;
        }
        Trial::Failed
    }

    /// The time that is left for the layers before.
    pub(super) fn left(&self) -> Tick {
        if self.remaining == ALWAYS { ALWAYS } else { self.remaining - self.duration }
    }

    /// What must hold before the layer so far, in ascending order.
    pub(super) fn sorted_needs(&self) -> Vec<FactId> {
        let mut needs: Vec<FactId> = self.needs.iter().map(|need| need.fact).collect();
        needs.sort_unstable();
        needs.dedup();
        needs
    }

    /// The layer may be complete, but what it needs cannot be had: which choices had a part in that.
    pub(super) fn blame_needs(&self, facts: &[FactId], time: bool) -> Conflict {
        let mut conflict = Conflict { time, ..Conflict::default() };
        if time {
            // What is left for the layers before depends on all that was chosen here.
            (0..self.decisions.len()).for_each(|decision| conflict.blame(decision));
        } else {
            let needs = facts.iter().filter_map(|fact| self.needs.iter().find(|need| need.fact == *fact));
            needs.for_each(|need| conflict.blame(need.decision));
        }
        conflict
    }

    /// The last choice has no possibility left: takes it back, and says why.
    pub(super) fn give_up(&mut self) -> Conflict {
        let index = self.decisions.len().saturating_sub(1);
        self.take_back(index);
        let Some(decision) = self.decisions.pop() else { return Conflict::default() };
        let mut conflict = decision.conflict;
        match decision.subject {
            Subject::Goal(_, goal) => conflict.blame_goal(goal),
            Subject::Threat { reasons, .. } => conflict.unite(&reasons),
        }
        conflict
    }

    /// Goes back to the last choice that had a part in a conflict, or, without learning, to the last one at all; the conflict, if there
    /// is none.
    pub(super) fn back_jump(&mut self, mut conflict: Conflict, learn: bool) -> Option<Conflict> {
        let to = if learn { conflict.last() } else { self.decisions.len().checked_sub(1) };
        let Some(to) = to else { return Some(conflict) };
        self.decisions.truncate(to + 1);
        self.take_back(to);
        conflict.forgive(to);
        if let Some(decision) = self.decisions.get_mut(to) {
            decision.conflict.unite(&conflict);
        }
        None
    }

    /// Undoes a choice and all after it.
    fn take_back(&mut self, index: usize) {
        if let Some(decision) = self.decisions.get(index) {
            self.chosen.truncate(decision.chosen);
            self.needs.truncate(decision.needs);
            self.duration = decision.duration;
            self.reach = decision.reach;
        }
    }
}
