//! The network: all components of a problem, and which of them can never go together. Compiled once for a problem, a state and a target;
//! the graph grows over it.

use dramaturg_model::{Fixed, Id, Table, Tick};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bits::Bits;
use super::component::{Component, ComponentId, Group, Literal, Variant, VariantId};
use super::fact::{Asked, FactId, Facts, ask, asked_of};
use super::options::{GraphplanOptions, Unsupported};
use super::writer::{Writer, alternatives, writers};
use crate::ground::{GroundChange, GroundDuration, GroundExpr, GroundTrigger, OperatorId, Problem, VariableId};
use crate::packed::PackedState;
use crate::search::Target;

/// A target may have so many alternatives.
const ROOTS_MAX: usize = 64;
/// What is never reached takes this long.
const NEVER: Tick = Tick::MAX;

/// All components of a problem, those of operators first, then one for each fact that stays as it is.
#[derive(Clone, Debug)]
pub(super) struct Network {
    pub(super) facts: Facts,
    pub(super) components: Table<ComponentId, Component>,
    pub(super) variants: Table<VariantId, Variant>,
    /// The producers of a fact in the order in which they are tried: that it stays, then what takes less time.
    pub(super) producers: Table<FactId, Vec<ComponentId>>,
    /// The same without order.
    pub(super) producer_rows: Table<FactId, Bits>,
    /// The components that need a fact.
    pub(super) needers: Table<FactId, Bits>,
    /// The facts that can never hold together with a fact, being about the same variable.
    pub(super) excluded: Table<FactId, Bits>,
    /// The facts that hold whenever a fact does, itself left out.
    pub(super) implied: Table<FactId, Bits>,
    /// The components that can never take place together with a component.
    pub(super) apart: Table<ComponentId, Bits>,
    /// The facts that hold at first.
    pub(super) start: Bits,
    /// The alternatives of the target.
    pub(super) roots: Vec<Vec<FactId>>,
    /// A fact takes at least so long.
    pub(super) earliest: Table<FactId, Tick>,
}

impl Network {
    /// Compiles a problem, or says what it does not follow.
    pub(super) fn new(
        problem: &Problem,
        start: &PackedState,
        target: &Target,
        options: &GraphplanOptions,
    ) -> Result<Self, Unsupported> {
        let read = read(problem, target);
        for rule in problem.rules.values().filter(|rule| rule.duration.is_none()) {
            let fires = matches!(rule.trigger, GroundTrigger::When(..) | GroundTrigger::After(_));
            let mut written = rule.effects.iter().filter_map(|part| part.effect.change.variable());
            if fires && written.any(|variable| read[variable]) {
                return Err(Unsupported::Rule);
            }
        }
        let mut compiler = Compiler {
            problem,
            facts: Facts::default(),
            components: Table::new(),
            variants: Table::new(),
            components_max: options.components_max as usize,
        };
        let roots = compiler.roots(target)?;
        for id in problem.operators.ids() {
            compiler.operator(id, options)?;
        }
        compiler.finish(start, roots)
    }
}

struct Compiler<'p> {
    problem: &'p Problem,
    facts: Facts,
    components: Table<ComponentId, Component>,
    variants: Table<VariantId, Variant>,
    components_max: usize,
}

/// An effect of a variant that depends on something: of each alternative the variables, what is asked of them, and what is not.
type Dependent = Vec<Vec<(VariableId, Bits, Bits)>>;

impl Compiler<'_> {
    fn size(&self, variable: VariableId) -> usize {
        self.problem.variables[variable].size() as usize
    }

    fn both(&self, left: &Asked, right: &Asked) -> Option<Asked> {
        let mut both = left.clone();
        let fits = right.iter().all(|(variable, values)| ask(&mut both, *variable, values, self.size(*variable)));
        fits.then_some(both)
    }

    fn roots(&mut self, target: &Target) -> Result<Vec<Vec<FactId>>, Unsupported> {
        let mut roots = vec![Asked::new()];
        for condition in &target.conditions {
            let alternatives = alternatives(self.problem, condition)?;
            if roots.len().saturating_mul(alternatives.len()) > ROOTS_MAX {
                return Err(Unsupported::Alternatives);
            }
            let joined = roots.iter().flat_map(|root| alternatives.iter().filter_map(|other| self.both(root, other)));
            roots = joined.collect();
        }
        let mut roots: Vec<Vec<FactId>> = roots.iter().map(|root| self.facts.intern_all(root)).collect();
        let mut seen = Vec::new();
        roots.retain(|root| {
            !seen.contains(root) && {
                seen.push(root.clone());
                true
            }
        });
        Ok(roots)
    }

    fn operator(&mut self, id: OperatorId, options: &GraphplanOptions) -> Result<(), Unsupported> {
        let problem = self.problem;
        let operator = &problem.operators[id];
        let [phase] = operator.snap.phases.as_slice() else {
            return if operator.snap.phases.is_empty() { Ok(()) } else { Err(Unsupported::Phases) };
        };
        let duration =
            match (operator.timed.as_ref().map_or(Some(0), |timed| ticks(&timed.duration)), options.available) {
                (Some(ticks), _) => ticks,
                (None, Some(_)) => return Err(Unsupported::Duration),
                (None, None) => 0,
            };
        let preconditions = alternatives(problem, &phase.condition)?;
        let writers = writers(problem, phase)?;
        for precondition in &preconditions {
            self.variant(id, precondition, &writers, duration);
            if self.components.len() > self.components_max {
                return Err(Unsupported::TooLarge);
            }
        }
        Ok(())
    }

    /// An operator with one alternative of its precondition.
    fn variant(&mut self, operator: OperatorId, precondition: &Asked, writers: &[Writer], duration: Tick) {
        let mut base: SmallVec<[(VariableId, u32, u32); 2]> = SmallVec::new();
        let mut groups: Vec<(&Writer, Dependent)> = Vec::new();
        for writer in writers {
            let parts: Dependent =
                writer.alternatives.iter().filter_map(|asked| self.dependent(precondition, asked)).collect();
            if parts.iter().any(Vec::is_empty) {
                match base.iter_mut().find(|(variable, ..)| *variable == writer.variable) {
                    Some(known) if known.2 <= writer.rank => *known = (writer.variable, writer.value, writer.rank),
                    Some(_) => {}
                    None => base.push((writer.variable, writer.value, writer.rank)),
                }
            } else if !parts.is_empty() {
                groups.push((writer, parts));
            }
        }
        // What a plain effect always overrules never comes.
        groups.retain(|(writer, _)| {
            !base.iter().any(|(variable, _, rank)| *variable == writer.variable && *rank > writer.rank)
        });
        if base.is_empty() && groups.is_empty() {
            return;
        }
        let id = self.variants.next_id();
        let needs = self.facts.intern_all(precondition);
        let writes: SmallVec<[(VariableId, u32); 2]> = base.iter().map(|(var, value, _)| (*var, *value)).collect();
        let plain = Component { variant: Some(id), needs, writes, duration, ..Component::default() };
        let first = self.components.push(plain.clone());
        let mut made: Vec<Group> = Vec::new();
        for (writer, parts) in groups {
            let mut components = SmallVec::new();
            for part in parts {
                let mut all = precondition.clone();
                let mut antecedent = SmallVec::new();
                for (variable, values, opposite) in &part {
                    ask(&mut all, *variable, values, self.size(*variable));
                    let fact = self.facts.intern(*variable, values);
                    antecedent.push(Literal { fact, opposite: self.facts.intern(*variable, opposite) });
                }
                let mut writes = plain.writes.clone();
                writes.retain(|(variable, _)| *variable != writer.variable);
                writes.push((writer.variable, writer.value));
                let needs = self.facts.intern_all(&all);
                components.push(self.components.push(Component { needs, antecedent, writes, ..plain.clone() }));
            }
            let (variable, value, rank) = (writer.variable, writer.value, writer.rank);
            made.push(Group { variable, value, rank, components });
        }
        self.variants.push(Variant { operator, base: first, base_writes: base, groups: made });
    }

    /// What an effect asks beside a precondition; none if both never hold together.
    fn dependent(&self, precondition: &Asked, asked: &Asked) -> Option<Vec<(VariableId, Bits, Bits)>> {
        let mut found = Vec::new();
        for (variable, values) in asked {
            let size = self.size(*variable);
            let within = asked_of(precondition, *variable).cloned().unwrap_or_else(|| Bits::of(size, |_| true));
            let (mut both, mut opposite) = (within.clone(), within);
            both.intersect(values);
            opposite.subtract(values);
            if both.is_empty() {
                return None;
            }
            if !opposite.is_empty() {
                found.push((*variable, both, opposite));
            }
        }
        Some(found)
    }

    /// What each component is a producer of. A component that needs a fact anyway, and is alone in writing its variable, does not
    /// produce it: the fact simply stays.
    fn adds(&mut self) {
        for (_, variant) in self.variants.iter() {
            let mut own: Vec<(ComponentId, VariableId, u32)> = Vec::new();
            own.extend(variant.base_writes.iter().map(|(variable, value, _)| (variant.base, *variable, *value)));
            for group in &variant.groups {
                own.extend(group.components.iter().map(|id| (*id, group.variable, group.value)));
            }
            for (id, variable, value) in own {
                let plain = variant.base_writes.iter().filter(|(written, ..)| *written == variable).count();
                let alone = plain + variant.groups.iter().filter(|group| group.variable == variable).count() == 1;
                for fact in self.facts.about(variable) {
                    let values = &self.facts.table[*fact].values;
                    let held = |need: &FactId| {
                        let need = &self.facts.table[*need];
                        need.variable == variable && need.values.is_within(values)
                    };
                    let component = &mut self.components[id];
                    if values.contains(value as usize) && !(alone && component.needs.iter().any(held)) {
                        component.adds.push(*fact);
                    }
                }
            }
        }
    }

    fn finish(mut self, start: &PackedState, roots: Vec<Vec<FactId>>) -> Result<Network, Unsupported> {
        self.adds();
        for id in self.facts.table.ids() {
            self.components.push(Component { needs: vec![id], adds: vec![id], ..Component::default() });
        }
        let (facts, components, variants) = (self.facts, self.components, self.variants);
        if components.len() > self.components_max {
            return Err(Unsupported::TooLarge);
        }
        let (count, len) = (components.len(), facts.len());
        let mut producers: Table<FactId, Vec<ComponentId>> = Table::filled(len, Vec::new());
        let mut producer_rows: Table<FactId, Bits> = Table::filled(len, Bits::new(count));
        let mut needers: Table<FactId, Bits> = Table::filled(len, Bits::new(count));
        for (id, component) in components.iter() {
            component.needs.iter().for_each(|need| needers[*need].insert(id.index()));
            for add in &component.adds {
                producers[*add].push(id);
                producer_rows[*add].insert(id.index());
            }
        }
        for list in producers.values_mut() {
            list.sort_by_key(|id| {
                let component = &components[*id];
                let operator = component.variant.map(|variant| variants[variant].operator);
                (operator.is_some(), component.duration, operator, *id)
            });
        }
        let mut excluded: Table<FactId, Bits> = Table::filled(len, Bits::new(len));
        let mut implied = excluded.clone();
        for (id, fact) in facts.table.iter() {
            for other in facts.about(fact.variable).iter().filter(|other| **other != id) {
                if facts.exclude(id, *other) {
                    excluded[id].insert(other.index());
                }
                if fact.values.is_within(&facts.table[*other].values) {
                    implied[id].insert(other.index());
                }
            }
        }
        let holds = |id: FactId| facts.holds(id, start.get(self.problem, facts.table[id].variable));
        let start = Bits::of(len, |fact| holds(FactId::from_index(fact)));
        let earliest = earliest(&components, &start, len);
        let apart = apart(&facts, &components, &variants, &needers);
        Ok(Network {
            apart,
            facts,
            components,
            variants,
            producers,
            producer_rows,
            needers,
            excluded,
            implied,
            start,
            roots,
            earliest,
        })
    }
}

/// The variables that something which is planned depends on; what rules do to others does no harm.
fn read(problem: &Problem, target: &Target) -> Table<VariableId, bool> {
    let mut read = Table::filled(problem.variables.len(), false);
    for phase in problem.operators.values().flat_map(|operator| &operator.snap.phases) {
        phase.condition.for_each_variable(&mut |variable| read[variable] = true);
        for effect in &phase.effects {
            effect.condition.for_each_variable(&mut |variable| read[variable] = true);
            for expr in effect.change.reads() {
                expr.walk(&mut |part| {
                    if let GroundExpr::Variable(variable) | GroundExpr::Is(variable, _) = part {
                        read[*variable] = true;
                    }
                });
            }
            if let GroundChange::Leave(variable, ..) | GroundChange::Shift(variable, _) = effect.change {
                read[variable] = true;
            }
        }
    }
    for condition in &target.conditions {
        condition.for_each_variable(&mut |variable| read[variable] = true);
    }
    read
}

/// How long an operator takes, as a plan for it would be timed; none if that depends on the state.
fn ticks(duration: &GroundDuration) -> Option<Tick> {
    let number = |expr: &GroundExpr| expr.as_number().map(|ticks: Fixed| ticks.round_half_up().max(0));
    match duration {
        GroundDuration::Instant => Some(0),
        GroundDuration::Fixed(ticks) | GroundDuration::Contingent(_, ticks) => number(ticks),
        GroundDuration::Chosen(least, _) => least.as_ref().map_or(Some(1), number),
    }
}

/// The components that can never take place together: of one operator, one variant does; two operators neither write different values
/// to one variable, nor does one write what the other does not bear.
fn apart(
    facts: &Facts,
    components: &Table<ComponentId, Component>,
    variants: &Table<VariantId, Variant>,
    needers: &Table<FactId, Bits>,
) -> Table<ComponentId, Bits> {
    let count = components.len();
    let mut values: FxHashMap<VariableId, Vec<(u32, Bits)>> = FxHashMap::default();
    let mut of_operator: FxHashMap<OperatorId, Bits> = FxHashMap::default();
    let mut of_variant: Table<VariantId, Bits> = Table::filled(variants.len(), Bits::new(count));
    for (id, component) in components.iter() {
        let Some(variant) = component.variant else { continue };
        of_variant[variant].insert(id.index());
        of_operator.entry(variants[variant].operator).or_insert_with(|| Bits::new(count)).insert(id.index());
        for (variable, value) in &component.writes {
            let lists = values.entry(*variable).or_default();
            let row = match lists.iter().position(|(known, _)| known == value) {
                Some(place) => lists.get_mut(place),
                None => {
                    lists.push((*value, Bits::new(count)));
                    lists.last_mut()
                }
            };
            row.into_iter().for_each(|(_, row)| row.insert(id.index()));
        }
    }
    let mut apart: Table<ComponentId, Bits> = Table::filled(count, Bits::new(count));
    for (id, component) in components.iter() {
        let Some(variant) = component.variant else { continue };
        let mut row = Bits::new(count);
        for (variable, value) in &component.writes {
            let others = values.get(variable).into_iter().flatten().filter(|(other, _)| other != value);
            others.for_each(|(_, writers)| row.unite(writers));
            let broken = facts.about(*variable).iter().filter(|fact| !facts.holds(**fact, *value));
            broken.for_each(|fact| row.unite(&needers[*fact]));
        }
        of_operator.get(&variants[variant].operator).into_iter().for_each(|own| row.unite(own));
        row.subtract(&of_variant[variant]);
        for other in row.iter() {
            apart[ComponentId::from_index(other)].insert(id.index());
        }
        apart[id].unite(&row);
    }
    apart
}

/// A lower bound of the time that each fact takes: the longest of a component's needs and its own duration, nothing undone.
fn earliest(components: &Table<ComponentId, Component>, start: &Bits, facts: usize) -> Table<FactId, Tick> {
    let mut earliest: Table<FactId, Tick> = Table::filled(facts, NEVER);
    start.iter().for_each(|fact| earliest[FactId::from_index(fact)] = 0);
    let mut changed = true;
    while changed {
        changed = false;
        for component in components.values() {
            let needs = component.needs.iter().map(|need| earliest[*need]).max().unwrap_or(0);
            let end = needs.saturating_add(component.duration);
            for add in &component.adds {
                if end < earliest[*add] {
                    earliest[*add] = end;
                    changed = true;
                }
            }
        }
    }
    earliest
}
