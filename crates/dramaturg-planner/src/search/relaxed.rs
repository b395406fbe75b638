//! How far a state is from a target if nothing were ever undone, and which operators are a first step on that way.

use std::sync::Arc;

use dramaturg_model::{Fixed, Id, Table};

use super::relaxation::{Component, ComponentId, PropositionId, Relaxation, fact};
use super::target::Target;
use crate::ground::{Condition, OperatorId, Problem, VariableId};
use crate::packed::PackedState;

/// Never reached.
const NEVER: u32 = u32::MAX;
/// True from the beginning.
const GIVEN: u32 = u32::MAX;
/// Supported by a value: the number of that proposition with this bit.
const VALUE: u32 = 1 << 31;
/// A comparison is never taken to need more repetitions than this.
const REPEATS_MAX: i64 = 1_000;

/// What a target asks, in propositions: of each condition one alternative, of each alternative all wants.
#[derive(Clone, Debug)]
struct Wanted {
    conditions: Vec<Vec<Vec<Want>>>,
    /// All of it, if there are no alternatives.
    plain: Option<Vec<PropositionId>>,
}

#[derive(Clone, Debug)]
enum Want {
    One(PropositionId),
    /// One of these.
    Any(Vec<PropositionId>),
}

/// How many propositions a component waits for, and what those cost that it has.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    open: u32,
    sum: u32,
}

/// What a proposition costs, and what makes it true.
#[derive(Clone, Copy, Debug)]
struct Reached {
    cost: u32,
    supporter: u32,
}

/// Not reached.
const NOT_YET: Reached = Reached { cost: NEVER, supporter: GIVEN };

/// Propositions by what they cost, the cheapest first, and of those the newest. All of them lie in one piece, each with the one before
/// it at the same cost.
#[derive(Clone, Debug, Default)]
struct Queue {
    /// The newest of each cost.
    newest: Vec<u32>,
    entries: Vec<(PropositionId, u32)>,
    /// Nothing costs less.
    least: usize,
    len: usize,
}

/// Nothing is there.
const EMPTY: u32 = u32::MAX;
/// Costs beyond any reason would only fill memory.
const COST_MAX: usize = 1 << 22;

impl Queue {
    fn clear(&mut self) {
        self.newest.fill(EMPTY);
        self.entries.clear();
        (self.least, self.len) = (0, 0);
    }

    #[inline]
    fn push(&mut self, cost: u32, id: PropositionId) {
        let key = cost as usize;
        if key >= self.newest.len() {
            if key > COST_MAX {
                return;
            }
            self.newest.resize(key + 1, EMPTY);
        }
        if let Some(newest) = self.newest.get_mut(key) {
            self.entries.push((id, *newest));
            *newest = self.entries.len() as u32 - 1;
            self.len += 1;
            self.least = self.least.min(key);
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<(u32, PropositionId)> {
        while self.len > 0 {
            let newest = self.newest.get_mut(self.least)?;
            if let Some((id, before)) = self.entries.get(*newest as usize) {
                *newest = *before;
                self.len -= 1;
                return Some((self.least as u32, *id));
            }
            self.least += 1;
        }
        None
    }
}

/// Computes distances to one target in the problem in which nothing is undone.
#[derive(Clone, Debug)]
pub struct Relaxed {
    relaxation: Arc<Relaxation>,
    wanted: Wanted,
    is_wanted: Table<PropositionId, bool>,
    reached: Table<PropositionId, Reached>,
    /// What each component still waits for.
    waits: Table<ComponentId, Wait>,
    waits_at_first: Vec<Wait>,
    queue: Queue,
    /// How much each comparison lacks.
    lacks: Table<PropositionId, Fixed>,
    marked: Table<PropositionId, bool>,
    marks: Vec<PropositionId>,
    /// How often each operator is in the relaxed plan.
    uses: Table<OperatorId, u32>,
    plan: Vec<OperatorId>,
    preferred: Vec<OperatorId>,
    made: Vec<PropositionId>,
}

impl Relaxed {
    /// Ready to estimate distances to a target.
    pub fn new(problem: &Problem, relaxation: Arc<Relaxation>, target: &Target) -> Self {
        let wanted = Wanted::new(problem, &relaxation, target);
        let relaxation = relaxation.trimmed(&wanted.all()).map_or(relaxation, Arc::new);
        let mut is_wanted = Table::filled(relaxation.len(), false);
        for id in wanted.plain.iter().flatten() {
            is_wanted[*id] = true;
        }
        let waits = relaxation.components.values().map(|component| Wait { open: component.needs, sum: 0 });
        let waits_at_first: Vec<Wait> = waits.collect();
        Self {
            wanted,
            is_wanted,
            reached: Table::filled(relaxation.len(), NOT_YET),
            waits: Table::filled(waits_at_first.len(), Wait::default()),
            waits_at_first,
            queue: Queue::default(),
            lacks: Table::filled(relaxation.len(), Fixed::ZERO),
            marked: Table::filled(relaxation.len(), false),
            marks: Vec::new(),
            uses: Table::filled(problem.operators.len(), 0),
            plan: Vec::new(),
            preferred: Vec::new(),
            made: Vec::new(),
            relaxation,
        }
    }

    /// The length of a plan from a state to the target in which nothing is undone; none if there is not even such a plan, and then
    /// the target cannot be reached at all.
    pub fn estimate(&mut self, problem: &Problem, state: &PackedState) -> Option<u32> {
        self.explore::<false>(problem, state, |_| 0);
        self.extract(false)
    }

    /// As [`Relaxed::estimate`], where what is so in the state is so only from some cost on, and what is needed together costs as
    /// much as the dearest of it: costs are then moments, and each value has the first at which it can be had.
    pub(crate) fn estimate_moments(
        &mut self,
        problem: &Problem,
        state: &PackedState,
        ready: impl Fn(VariableId) -> u32,
    ) -> Option<u32> {
        self.explore::<true>(problem, state, ready);
        self.extract(true)
    }

    /// The cost of a value as the last estimate found it; none if it was not looked for or is not reached.
    pub(crate) fn cost_of(&self, problem: &Problem, variable: VariableId, value: u32) -> Option<u32> {
        let cost = self.reached[fact(problem, variable, value)].cost;
        (cost < NEVER).then_some(cost)
    }

    /// What the dearest part of the target costs, as the last estimate found it; 0 where there are alternatives.
    pub(crate) fn dearest(&self) -> u32 {
        self.wanted.plain.iter().flatten().map(|id| self.reached[*id].cost).max().unwrap_or(0)
    }

    /// What no way to the target can cost less than; none if there is no way. Plans, preferred operators and what they make are those
    /// of the last estimate no longer.
    pub fn at_least(&mut self, problem: &Problem, state: &PackedState) -> Option<u32> {
        self.explore::<true>(problem, state, |_| 0);
        let Some(plain) = &self.wanted.plain else { return Some(0) };
        let dearest = plain.iter().map(|id| self.reached[*id].cost).max().unwrap_or(0);
        (dearest < NEVER).then_some(dearest)
    }

    /// The operators of the last plan, without those that come more than once.
    pub fn plan(&self) -> &[OperatorId] {
        &self.plan
    }

    /// Those of them that can be performed at once, as far as can be said here.
    pub fn preferred(&self) -> &[OperatorId] {
        &self.preferred
    }

    /// The values that the last plan makes, in ascending order.
    pub(super) fn made(&self) -> &[PropositionId] {
        &self.made
    }

    /// About how much work an estimate is, beside other searches' work.
    pub(super) fn work(&self) -> u64 {
        self.relaxation.components.len() as u64 + 100
    }

    /// What everything costs from a state on. With `DEAREST`, what is needed together costs as much as the dearest of it, not as much
    /// as all.
    fn explore<const DEAREST: bool>(
        &mut self,
        problem: &Problem,
        state: &PackedState,
        ready: impl Fn(VariableId) -> u32,
    ) {
        let relaxation = Arc::clone(&self.relaxation);
        self.reached.values_mut().for_each(|reached| *reached = NOT_YET);
        self.waits.values_mut().zip(&self.waits_at_first).for_each(|(wait, first)| *wait = *first);
        self.queue.clear();
        for variable in problem.variables.ids() {
            self.reach(fact(problem, variable, state.get(problem, variable)), ready(variable), GIVEN);
        }
        for (id, test) in relaxation.tests() {
            match test.sum(&state.view(problem)) {
                Some(sum) if test.sign.holds(sum, Fixed::ZERO) => self.reach(*id, 0, GIVEN),
                Some(sum) => self.lacks[*id] = sum.abs(),
                None => self.lacks[*id] = Fixed::ZERO,
            }
        }
        for id in &relaxation.released {
            self.reach(*id, 1, GIVEN);
        }
        for component in &relaxation.free {
            self.fire(&relaxation, *component, 0);
        }
        let mut missing = self.wanted.plain.as_ref().map_or(usize::MAX, Vec::len);
        while let Some((cost, id)) = self.queue.pop() {
            if self.reached[id].cost < cost {
                continue;
            }
            if self.is_wanted[id] {
                missing -= 1;
                if missing == 0 {
                    return;
                }
            }
            if id.index() < relaxation.facts() {
                for set in relaxation.within.get(id.index()) {
                    self.reach(*set, cost, VALUE | id.0);
                }
            }
            for component in relaxation.readers.get(id.index()) {
                let wait = &mut self.waits[*component];
                wait.sum = if DEAREST { cost.max(wait.sum) } else { wait.sum.saturating_add(cost) };
                wait.open -= 1;
                if wait.open == 0 {
                    let sum = wait.sum;
                    self.fire(&relaxation, *component, sum);
                }
            }
        }
    }

    #[inline]
    fn fire(&mut self, relaxation: &Relaxation, id: ComponentId, needs: u32) {
        let component = &relaxation.components[id];
        if needs > component.latest {
            return;
        }
        let cost = needs.saturating_add(component.cost);
        for effect in relaxation.effects.get(id.index()) {
            self.reach(*effect, cost, id.0);
        }
        if !relaxation.has_pushes {
            return;
        }
        for push in relaxation.pushes.get(id.index()) {
            let more = push.gain.map_or(1, |gain| repeats(self.lacks[push.test], gain)) - 1;
            self.reach(push.test, cost.saturating_add(more.saturating_mul(component.cost)), id.0);
        }
    }

    #[inline]
    fn reach(&mut self, id: PropositionId, cost: u32, supporter: u32) {
        let reached = &mut self.reached[id];
        // What is so in the state was made at its moment: whoever makes it again does so later.
        let is_given = reached.supporter == GIVEN && reached.cost != NEVER;
        if cost < reached.cost && !is_given {
            *reached = Reached { cost, supporter };
            self.queue.push(cost, id);
        }
    }

    /// Whether all that a component needs is so in the state.
    fn is_given(&self, relaxation: &Relaxation, component: ComponentId) -> bool {
        relaxation.needs.get(component.index()).iter().all(|id| match self.reached[*id].supporter {
            GIVEN => true,
            value if value & VALUE != 0 => self.reached[PropositionId(value & !VALUE)].supporter == GIVEN,
            _ => false,
        })
    }

    /// The plan that supporters make up; where costs are moments, what is so in the state may have one above 0.
    fn extract(&mut self, of_moments: bool) -> Option<u32> {
        for operator in self.plan.drain(..) {
            self.uses[operator] = 0;
        }
        self.preferred.clear();
        self.made.clear();
        let wants = self.choose()?;
        let relaxation = Arc::clone(&self.relaxation);
        let mut open = wants;
        let mut total: u32 = 0;
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut self.marked[id], true) {
                continue;
            }
            self.marks.push(id);
            let supporter = self.reached[id].supporter;
            if supporter == GIVEN {
                continue;
            }
            if supporter & VALUE != 0 {
                open.push(PropositionId(supporter & !VALUE));
                continue;
            }
            let component = ComponentId(supporter);
            open.extend_from_slice(relaxation.needs.get(component.index()));
            let Component { operator: Some(operator), cost, .. } = relaxation.components[component] else { continue };
            let mut times = 1;
            for push in relaxation.pushes.get(component.index()).iter().filter(|push| push.test == id) {
                times = times.max(push.gain.map_or(1, |gain| repeats(self.lacks[id], gain)));
            }
            let known = self.uses[operator];
            if known == 0 {
                self.plan.push(operator);
                if if of_moments { self.is_given(&relaxation, component) } else { self.waits[component].sum == 0 } {
                    self.preferred.push(operator);
                }
            }
            if times > known {
                self.uses[operator] = times;
                total = total.saturating_add((times - known).saturating_mul(cost));
            }
        }
        for id in self.marks.drain(..) {
            self.marked[id] = false;
            if id.index() < relaxation.facts() && self.reached[id].supporter != GIVEN {
                self.made.push(id);
            }
        }
        self.made.sort_unstable();
        self.preferred.sort_unstable();
        Some(total)
    }

    /// The propositions to be reached: of every condition the alternative that is nearest.
    fn choose(&self) -> Option<Vec<PropositionId>> {
        if let Some(plain) = &self.wanted.plain {
            return plain.iter().all(|id| self.reached[*id].cost != NEVER).then(|| plain.clone());
        }
        let mut chosen = Vec::new();
        for condition in &self.wanted.conditions {
            let mut best: Option<(u32, Vec<PropositionId>)> = None;
            for alternative in condition {
                let Some((cost, wants)) = self.nearest(alternative) else { continue };
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, wants));
                }
            }
            chosen.extend(best?.1);
        }
        Some(chosen)
    }

    fn nearest(&self, alternative: &[Want]) -> Option<(u32, Vec<PropositionId>)> {
        let mut total: u32 = 0;
        let mut wants = Vec::new();
        for want in alternative {
            let id = match want {
                Want::One(id) => *id,
                Want::Any(ids) => *ids.iter().min_by_key(|id| self.reached[**id].cost)?,
            };
            if self.reached[id].cost == NEVER {
                return None;
            }
            total = total.saturating_add(self.reached[id].cost);
            wants.push(id);
        }
        Some((total, wants))
    }
}

/// How often a change must come until what is lacking is made up for.
fn repeats(lack: Fixed, gain: Fixed) -> u32 {
    let times = lack.divide(gain);
    let whole = times.floor_int() + i64::from(!times.is_int());
    whole.clamp(1, REPEATS_MAX) as u32
}

impl Wanted {
    fn new(problem: &Problem, relaxation: &Relaxation, target: &Target) -> Self {
        let conditions: Vec<Vec<Vec<Want>>> =
            target.conditions.iter().map(|condition| wants(problem, relaxation, condition)).collect();
        let mut plain = Some(Vec::new());
        for condition in &conditions {
            match (condition.as_slice(), &mut plain) {
                ([only], Some(all)) if only.iter().all(|want| matches!(want, Want::One(_))) => {
                    all.extend(only.iter().filter_map(|want| match want {
                        Want::One(id) => Some(*id),
                        Want::Any(_) => None,
                    }));
                }
                _ => plain = None,
            }
        }
        if let Some(plain) = &mut plain {
            plain.sort_unstable();
            plain.dedup();
        }
        Self { conditions, plain }
    }

    /// Everything that is mentioned.
    fn all(&self) -> Vec<PropositionId> {
        let mut all = Vec::new();
        for want in self.conditions.iter().flatten().flatten() {
            match want {
                Want::One(id) => all.push(*id),
                Want::Any(ids) => all.extend_from_slice(ids),
            }
        }
        all
    }
}

fn wants(problem: &Problem, relaxation: &Relaxation, condition: &Condition) -> Vec<Vec<Want>> {
    let mut found = Vec::new();
    for part in &condition.any {
        let mut all = Vec::new();
        for literal in &part.literals {
            all.push(match relaxation.literal(problem, *literal) {
                Some(id) => Want::One(id),
                None => {
                    let size = problem.variables[literal.variable].size();
                    let values = problem.sets.values(literal.values, size);
                    Want::Any(values.map(|value| fact(problem, literal.variable, value)).collect())
                }
            });
        }
        // A comparison that nobody makes cannot be followed: it is taken for true.
        all.extend(part.numbers.iter().filter_map(|test| relaxation.test(test)).map(Want::One));
        found.push(all);
    }
    found
}
