//! Facts: a variable has one of some values.

use dramaturg_model::{Table, ids};
use rustc_hash::FxHashMap;

use super::bits::Bits;
use crate::ground::{Conjunction, Problem, VariableId};

ids! {
    /// Something that may hold at a level of the graph.
    FactId,
}

/// A variable has one of some values, not all of them: usually exactly one, so that "false" and "none" are facts like all others;
/// more where a condition asks for "anything but".
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) variable: VariableId,
    pub(super) values: Bits,
}

/// What is asked of variables, in ascending order, each once.
pub(super) type Asked = Vec<(VariableId, Bits)>;

/// The facts of a graph: what conditions ask for and what would make them false, nothing else.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) table: Table<FactId, Fact>,
    known: FxHashMap<(VariableId, Bits), FactId>,
    of: FxHashMap<VariableId, Vec<FactId>>,
}

impl Facts {
    /// The fact that a variable has one of some values.
    pub(super) fn intern(&mut self, variable: VariableId, values: &Bits) -> FactId {
        if let Some(known) = self.known.get(&(variable, values.clone())) {
            return *known;
        }
        let id = self.table.push(Fact { variable, values: values.clone() });
        self.known.insert((variable, values.clone()), id);
        self.of.entry(variable).or_default().push(id);
        id
    }

    /// All that is asked, as facts in ascending order.
    pub(super) fn intern_all(&mut self, asked: &Asked) -> Vec<FactId> {
        let mut facts: Vec<FactId> = asked.iter().map(|(variable, values)| self.intern(*variable, values)).collect();
        facts.sort_unstable();
        facts
    }

    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// The facts about a variable.
    pub(super) fn about(&self, variable: VariableId) -> &[FactId] {
        self.of.get(&variable).map_or(&[], Vec::as_slice)
    }

    /// Whether a fact holds when its variable has this value.
    #[inline]
    pub(super) fn holds(&self, fact: FactId, value: u32) -> bool {
        self.table[fact].values.contains(value as usize)
    }

    /// Whether two facts can never hold together because they are about one variable.
    pub(super) fn exclude(&self, left: FactId, right: FactId) -> bool {
        let (left, right) = (&self.table[left], &self.table[right]);
        left.variable == right.variable && left.values.is_apart(&right.values)
    }
}

/// What a conjunction asks; none if it can never hold. Comparisons of numbers and tests are not looked at.
pub(super) fn asked(problem: &Problem, conjunction: &Conjunction) -> Option<Asked> {
    let mut asked = Asked::new();
    for literal in &conjunction.literals {
        let size = problem.variables[literal.variable].size() as usize;
        let values = Bits::of(size, |value| problem.sets.contains(literal.values, value as u32));
        if !ask(&mut asked, literal.variable, &values, size) {
            return None;
        }
    }
    Some(asked)
}

/// Asks one more thing; false if that contradicts what is asked already.
pub(super) fn ask(asked: &mut Asked, variable: VariableId, values: &Bits, size: usize) -> bool {
    if values.count() == size {
        return true;
    }
    match asked.binary_search_by_key(&variable, |(known, _)| *known) {
        Err(place) => {
            asked.insert(place, (variable, values.clone()));
            !values.is_empty()
        }
        Ok(place) => match asked.get_mut(place) {
            Some((_, known)) => {
                known.intersect(values);
                !known.is_empty()
            }
            None => false,
        },
    }
}

/// What is asked of a variable.
pub(super) fn asked_of(asked: &Asked, variable: VariableId) -> Option<&Bits> {
    let place = asked.binary_search_by_key(&variable, |(known, _)| *known).ok()?;
    asked.get(place).map(|(_, values)| values)
}
