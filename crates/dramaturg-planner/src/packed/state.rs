//! A ground state in a few words.

use std::hash::{Hash, Hasher};

use dramaturg_model::{Fixed, State, Tick, Value};
use smallvec::SmallVec;

use crate::ground::{Condition, Ground, Meaning, NumberId, OperatorId, Problem, VariableId};

/// A ground state: the values of all variables in a few bits each, all numbers, and a hash of both that follows every change.
///
/// The tick is carried along for conditions that read the time; it is no part of equality or hash, so that search without time
/// meets the same state again.
#[derive(Clone, Debug)]
pub struct PackedState {
    words: SmallVec<[u64; 4]>,
    numbers: SmallVec<[i64; 2]>,
    hash: u64,
    now: Tick,
}

/// Stands for a number without a value; no [`Fixed`] is as small.
const NOTHING: i64 = i64::MIN;

impl PartialEq for PackedState {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.words == other.words && self.numbers == other.numbers
    }
}

impl Eq for PackedState {}

impl Hash for PackedState {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The share of one value in the hash. Computed, not stored: mixing is as fast as a look-up in a table that does not fit the cache.
#[inline]
fn key(place: u64, value: u64) -> u64 {
    let mut z = place.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ value.wrapping_add(0x2545_F491_4F6C_DD1D);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[inline]
fn variable_key(variable: VariableId, value: u32) -> u64 {
    key(u64::from(variable.0) * 2, u64::from(value))
}

#[inline]
fn number_key(number: NumberId, value: i64) -> u64 {
    key(u64::from(number.0) * 2 + 1, value as u64)
}

impl PackedState {
    /// The value of a variable.
    #[inline]
    pub fn get(&self, problem: &Problem, variable: VariableId) -> u32 {
        let place = problem.variables[variable].place;
        let word = self.words.get(place.word as usize).copied().unwrap_or(0);
        ((word & place.mask()) >> place.shift) as u32
    }

    /// Gives a variable a value.
    #[inline]
    pub fn set(&mut self, problem: &Problem, variable: VariableId, value: u32) {
        let place = problem.variables[variable].place;
        let Some(word) = self.words.get_mut(place.word as usize) else { return };
        let old = ((*word & place.mask()) >> place.shift) as u32;
        if old != value {
            *word = (*word & !place.mask()) | (u64::from(value) << place.shift & place.mask());
            self.hash ^= variable_key(variable, old) ^ variable_key(variable, value);
        }
    }

    /// The value of a number.
    #[inline]
    pub fn number(&self, number: NumberId) -> Option<Fixed> {
        let value = self.numbers.get(number.0 as usize).copied().unwrap_or(NOTHING);
        (value != NOTHING).then_some(Fixed(value))
    }

    /// Gives a number a value.
    #[inline]
    pub fn set_number(&mut self, number: NumberId, value: Option<Fixed>) {
        let value = value.map_or(NOTHING, |value| value.0);
        if let Some(slot) = self.numbers.get_mut(number.0 as usize) {
            self.hash ^= number_key(number, *slot) ^ number_key(number, value);
            *slot = value;
        }
    }

    /// The hash: equal states have equal hashes, on every machine.
    #[inline]
    pub fn hash_value(&self) -> u64 {
        self.hash
    }

    /// The bits of all variables.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// All numbers, as they are kept.
    #[inline]
    pub(crate) fn numbers(&self) -> &[i64] {
        &self.numbers
    }

    /// Becomes another state of the same problem, without allocating.
    #[inline]
    pub(crate) fn overwrite(&mut self, words: &[u64], numbers: &[i64], hash: u64) {
        if self.words.len() == words.len() && self.numbers.len() == numbers.len() {
            self.words.copy_from_slice(words);
            self.numbers.copy_from_slice(numbers);
            self.hash = hash;
        }
    }

    /// The tick that conditions read.
    pub fn now(&self) -> Tick {
        self.now
    }

    /// Moves to a tick.
    pub fn set_now(&mut self, now: Tick) {
        self.now = now;
    }

    /// The hash computed anew; always the same as [`PackedState::hash_value`].
    pub fn recomputed_hash(&self, problem: &Problem) -> u64 {
        let variables = problem.variables.ids().map(|id| variable_key(id, self.get(problem, id)));
        let numbers = problem.numbers.ids().zip(&self.numbers).map(|(id, value)| number_key(id, *value));
        variables.chain(numbers).fold(0, |hash, key| hash ^ key)
    }

    /// This state with a problem, to read expressions against.
    #[inline]
    pub fn view<'a>(&'a self, problem: &'a Problem) -> View<'a> {
        View { state: self, problem }
    }
}

/// A packed state that expressions can be read against.
#[derive(Clone, Copy)]
pub struct View<'a> {
    state: &'a PackedState,
    problem: &'a Problem,
}

impl Ground for View<'_> {
    #[inline]
    fn variable(&self, variable: VariableId) -> u32 {
        self.state.get(self.problem, variable)
    }

    #[inline]
    fn number(&self, number: NumberId) -> Option<Fixed> {
        self.state.number(number)
    }

    #[inline]
    fn now(&self) -> Tick {
        self.state.now
    }
}

impl Problem {
    /// The state that grounding started from.
    pub fn initial(&self) -> PackedState {
        let mut packed = self.blank();
        for (id, variable) in self.variables.iter() {
            packed.set(self, id, variable.initial);
        }
        for (id, number) in self.numbers.iter() {
            packed.set_number(id, number.initial);
        }
        packed
    }

    fn blank(&self) -> PackedState {
        let mut packed = PackedState {
            words: SmallVec::from_elem(0, self.words),
            numbers: SmallVec::from_elem(NOTHING, self.numbers.len()),
            hash: 0,
            now: 0,
        };
        packed.hash = packed.recomputed_hash(self);
        packed
    }

    /// A plain state in packed form; none if a variable has no such value: then the state was not expected when the problem was
    /// grounded, and it takes another grounding (or [`crate::ground::Scope::Everything`] from the start). What never changes in the
    /// problem is not looked at.
    pub fn pack(&self, state: &State) -> Option<PackedState> {
        let mut packed = self.blank();
        packed.now = state.now();
        for (id, variable) in self.variables.iter() {
            let value = match &variable.meaning {
                Meaning::Fluent { fluent, args, .. } | Meaning::Whole { fluent, args, .. } => {
                    variable.index_of(state.get(*fluent, args))?
                }
                Meaning::Group { facts, none } => {
                    let mut held = facts
                        .iter()
                        .enumerate()
                        .filter(|(_, (fluent, args))| state.get(*fluent, args).is_true())
                        .map(|(value, _)| value as u32);
                    match (held.next(), held.next()) {
                        (Some(value), None) => value,
                        (None, _) if *none => facts.len() as u32,
                        _ => return None,
                    }
                }
            };
            packed.set(self, id, value);
        }
        for (id, number) in self.numbers.iter() {
            packed.set_number(id, state.get(number.fluent, &number.args).as_number());
        }
        Some(packed)
    }

    /// A packed state written over a plain one, which supplies all that never changes.
    pub fn unpack(&self, packed: &PackedState, over: &State) -> State {
        let mut state = over.clone();
        state.set_now(packed.now);
        for (id, variable) in self.variables.iter() {
            let value = packed.get(self, id);
            match &variable.meaning {
                Meaning::Fluent { fluent, args, .. } | Meaning::Whole { fluent, args, .. } => {
                    state.set(*fluent, args, variable.value(value));
                }
                Meaning::Group { facts, .. } => {
                    for (place, (fluent, args)) in facts.iter().enumerate() {
                        state.set(*fluent, args, Value::Bool(place as u32 == value));
                    }
                }
            }
        }
        for (id, number) in self.numbers.iter() {
            let value = packed.number(id).map_or(Value::Nothing, Value::Number);
            state.set(number.fluent, &number.args, value);
        }
        state
    }

    /// Whether a condition holds.
    #[inline]
    pub fn holds(&self, state: &PackedState, condition: &Condition) -> bool {
        condition.holds(self.frame(), &state.view(self))
    }

    /// Whether an operator's precondition holds.
    #[inline]
    pub fn is_applicable(&self, state: &PackedState, operator: OperatorId) -> bool {
        self.operators[operator].snap.precondition().is_none_or(|condition| self.holds(state, condition))
    }

    /// The operators whose preconditions hold, in ascending order.
    pub fn applicable(&self, state: &PackedState, found: &mut Vec<OperatorId>) {
        found.clear();
        self.index.successors.for_each(|variable| state.get(self, variable), &mut |operator| {
            if self.is_applicable(state, operator) {
                found.push(operator);
            }
        });
        found.sort_unstable();
    }
}
