//! Look-ups over a ground problem, computed once.

use dramaturg_model::{Id, ObjectId, Table};

use super::condition::Condition;
use super::operator::{GroundRule, GroundRuleId, GroundTrigger, Operator, OperatorId};
use super::variable::{ValueSet, Variable, VariableId};

/// Lists of entries for keys counted from 0, in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy + Ord> Lists<T> {
    /// Sorts pairs of key and entry into lists.
    pub(crate) fn new(keys: usize, pairs: &[(u32, T)]) -> Self {
        let mut starts = vec![0u32; keys + 1];
        for (key, _) in pairs {
            if let Some(count) = starts.get_mut(*key as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        // Whatever stands there at first is written over: every pair has its place.
        let mut entries: Vec<T> = pairs.iter().map(|(_, entry)| *entry).collect();
        for (key, entry) in pairs {
            if let Some(place) = next.get_mut(*key as usize) {
                if let Some(slot) = entries.get_mut(*place as usize) {
                    *slot = *entry;
                }
                *place += 1;
            }
        }
        Self { starts, entries }
    }

    /// Lists for keys from 0 on, one after the other.
    pub(crate) fn in_order<L: IntoIterator<Item = T>>(lists: impl Iterator<Item = L>) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for list in lists {
            entries.extend(list);
            starts.push(entries.len() as u32);
        }
        Self { starts, entries }
    }

    /// Whether there is nothing in any list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The list of a key.
    #[inline]
    pub fn get(&self, key: usize) -> &[T] {
        match (self.starts.get(key), self.starts.get(key + 1)) {
            (Some(from), Some(to)) => self.entries.get(*from as usize..*to as usize).unwrap_or(&[]),
            _ => &[],
        }
    }
}

/// Look-ups over a ground problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The first fact number of each variable; its values follow.
    facts: Table<VariableId, u32>,
    achievers: Lists<OperatorId>,
    rules_reading: Lists<GroundRuleId>,
    derived_reading: Lists<u32>,
    of_performer: Lists<OperatorId>,
    rules_after: Lists<GroundRuleId>,
    /// Applicable operators without looking at all of them.
    pub successors: SuccessorTree,
}

impl Index {
    pub(crate) fn new(
        variables: &Table<VariableId, Variable>,
        operators: &Table<OperatorId, Operator>,
        rules: &Table<GroundRuleId, GroundRule>,
        derived: &[super::operator::Derived],
        after: &[(u32, GroundRuleId)],
        objects: usize,
    ) -> Self {
        let mut facts = Table::new();
        let mut total = 0;
        for variable in variables.values() {
            facts.push(total);
            total += variable.size();
        }
        let mut achievers: Vec<(u32, OperatorId)> = Vec::new();
        let mut of_performer: Vec<(u32, OperatorId)> = Vec::new();
        for (id, operator) in operators.iter() {
            let first = achievers.len();
            for phase in &operator.snap.phases {
                achievers.extend(phase.sets.iter().map(|(variable, value)| (facts[*variable] + value, id)));
                for effect in &phase.effects {
                    use super::operator::GroundChange as Change;
                    match &effect.change {
                        Change::Set(variable, value) | Change::Leave(variable, _, value) => {
                            achievers.push((facts[*variable] + value, id));
                        }
                        Change::Assign(variable, _) | Change::Shift(variable, _) => {
                            let values = 0..variables[*variable].size();
                            achievers.extend(values.map(|value| (facts[*variable] + value, id)));
                        }
                        Change::Random(variable, values) => {
                            achievers.extend(values.iter().map(|value| (facts[*variable] + value, id)));
                        }
                        Change::SetNumber(..) | Change::AddNumber(..) | Change::RandomNumber(..) => {}
                    }
                }
            }
            // An operator with several phases may mention a value twice.
            if achievers.len() > first + 1 && operator.snap.phases.len() > 1 {
                let mut own = achievers.split_off(first);
                own.sort_unstable();
                own.dedup();
                achievers.extend(own);
            }
            if let Some(performer) = operator.performer {
                of_performer.push((performer.0, id));
            }
        }
        let mut rules_reading = Vec::new();
        for (id, rule) in rules.iter() {
            let mut read = Vec::new();
            let mut note = |condition: &Condition| condition.for_each_variable(&mut |v| read.push((v.0, id)));
            match &rule.trigger {
                GroundTrigger::When(condition, guard) => {
                    note(condition);
                    note(guard);
                }
                GroundTrigger::While(condition) | GroundTrigger::After(condition) => note(condition),
                GroundTrigger::Always => {}
            }
            read.sort_unstable();
            read.dedup();
            rules_reading.extend(read);
        }
        let mut derived_reading = Vec::new();
        for (place, derived) in derived.iter().enumerate() {
            let mut read = Vec::new();
            derived.condition.for_each_variable(&mut |variable| read.push((variable.0, place as u32)));
            read.sort_unstable();
            read.dedup();
            derived_reading.extend(read);
        }
        Self {
            achievers: Lists::new(total as usize, &achievers),
            rules_reading: Lists::new(variables.len(), &rules_reading),
            derived_reading: Lists::new(variables.len(), &derived_reading),
            of_performer: Lists::new(objects, &of_performer),
            rules_after: Lists::new(operators.len(), after),
            successors: SuccessorTree::new(variables, operators),
            facts,
        }
    }

    /// A number for a value of a variable, counted over all variables.
    #[inline]
    pub fn fact(&self, variable: VariableId, value: u32) -> usize {
        (self.facts[variable] + value) as usize
    }

    /// The operators that may give a variable this value.
    #[inline]
    pub fn achievers(&self, variable: VariableId, value: u32) -> &[OperatorId] {
        self.achievers.get(self.fact(variable, value))
    }

    /// The rules whose trigger reads a variable.
    pub fn rules_reading(&self, variable: VariableId) -> &[GroundRuleId] {
        self.rules_reading.get(variable.index())
    }

    /// The places in [`super::Problem::derived`] whose condition reads a variable.
    pub fn derived_reading(&self, variable: VariableId) -> &[u32] {
        self.derived_reading.get(variable.index())
    }

    /// The rules that the end of an operator may set off.
    pub fn rules_after(&self, operator: OperatorId) -> &[GroundRuleId] {
        self.rules_after.get(operator.index())
    }

    /// The operators that an object performs.
    pub fn performed_by(&self, object: ObjectId) -> &[OperatorId] {
        self.of_performer.get(object.index())
    }
}

/// Finds applicable operators by following the values of a state: each node asks one variable. Operators are filed by the plain
/// values that their precondition asks for; whatever else it asks is checked at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuccessorTree {
    nodes: Vec<Node>,
    children: Vec<u32>,
    leaves: Vec<OperatorId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    /// Operators that ask for nothing more.
    leaves: std::ops::Range<u32>,
    /// The variable that is asked next, and where its children stand; none: nothing more is asked.
    switch: Option<(VariableId, u32)>,
    /// The node of operators that do not ask this variable.
    otherwise: u32,
}

/// No node.
const NONE: u32 = u32::MAX;

impl SuccessorTree {
    fn new(variables: &Table<VariableId, Variable>, operators: &Table<OperatorId, Operator>) -> Self {
        let mut tree = Self::default();
        // The plain values that an operator asks for, in order of variables, all operators in one store.
        let mut asked: Vec<(VariableId, u32)> = Vec::new();
        let mut entries: Vec<(u32, u32, OperatorId)> = Vec::with_capacity(operators.len());
        for (id, operator) in operators.iter() {
            let start = asked.len() as u32;
            if let Some(only) = operator.snap.precondition().and_then(Condition::only) {
                for literal in &only.literals {
                    if let ValueSet::One(value) = literal.values {
                        asked.push((literal.variable, value));
                    }
                }
            }
            if operator.snap.precondition().is_some_and(Condition::is_never) {
                asked.truncate(start as usize);
                continue;
            }
            entries.push((start, asked.len() as u32, id));
        }
        let key = |(start, end, _): &(u32, u32, OperatorId)| asked.get(*start as usize..*end as usize).unwrap_or(&[]);
        entries.sort_by(|a, b| key(a).cmp(key(b)).then(a.2.cmp(&b.2)));
        // Each job is a stretch of sorted entries that agree on what was asked so far, and the node to make for it.
        tree.nodes.push(Node { leaves: 0..0, switch: None, otherwise: NONE });
        let mut jobs: Vec<(usize, usize, usize, usize)> = vec![(0, entries.len(), 0, 0)];
        while let Some((from, to, depth, node)) = jobs.pop() {
            let stretch = entries.get(from..to).unwrap_or(&[]);
            let asks = |entry: &(u32, u32, OperatorId)| key(entry).get(depth).copied();
            // Those that ask nothing more come first in the order.
            let done = stretch.partition_point(|entry| asks(entry).is_none());
            let start = tree.leaves.len() as u32;
            tree.leaves.extend(stretch.iter().take(done).map(|(_, _, id)| *id));
            let mut made = Node { leaves: start..tree.leaves.len() as u32, switch: None, otherwise: NONE };
            if let Some((variable, _)) = stretch.get(done).and_then(asks) {
                let size = variables[variable].size();
                let first = tree.children.len();
                tree.children.extend(std::iter::repeat_n(NONE, size as usize));
                made.switch = Some((variable, first as u32));
                let mut place = done;
                while let Some((found, value)) = stretch.get(place).and_then(asks) {
                    if found != variable {
                        break;
                    }
                    let rest = stretch.get(place..).unwrap_or(&[]);
                    let same = rest.partition_point(|entry| asks(entry) <= Some((found, value)));
                    let child = tree.nodes.len();
                    tree.nodes.push(Node { leaves: 0..0, switch: None, otherwise: NONE });
                    if let Some(slot) = tree.children.get_mut(first + value as usize) {
                        *slot = child as u32;
                    }
                    jobs.push((from + place, from + place + same, depth + 1, child));
                    place += same;
                }
                if place < stretch.len() {
                    made.otherwise = tree.nodes.len() as u32;
                    tree.nodes.push(Node { leaves: 0..0, switch: None, otherwise: NONE });
                    jobs.push((from + place, to, depth, tree.nodes.len() - 1));
                }
            }
            if let Some(slot) = tree.nodes.get_mut(node) {
                *slot = made;
            }
        }
        tree
    }

    /// Calls `visit` on every operator whose plain values agree with a state; the caller checks the rest of the precondition.
    pub fn for_each(&self, value: impl Fn(VariableId) -> u32, visit: &mut impl FnMut(OperatorId)) {
        let mut open: Vec<u32> = vec![0];
        while let Some(node) = open.pop() {
            let Some(node) = self.nodes.get(node as usize) else { continue };
            let leaves = node.leaves.start as usize..node.leaves.end as usize;
            self.leaves.get(leaves).unwrap_or(&[]).iter().for_each(|id| visit(*id));
            if node.otherwise != NONE {
                open.push(node.otherwise);
            }
            if let Some((variable, first)) = node.switch {
                let child = self.children.get(first as usize + value(variable) as usize);
                open.extend(child.filter(|child| **child != NONE));
            }
        }
    }
}
