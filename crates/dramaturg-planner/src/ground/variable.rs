//! Variables and numbers: what a ground state is made of.

use dramaturg_model::{Args, Domain, Fixed, FluentId, Table, Value, ids};
use rustc_hash::FxHashMap;

ids! {
    /// A variable with finitely many values.
    VariableId,
    /// A number.
    NumberId,
    /// A set of values that is too irregular for [`ValueSet`] itself.
    SetId,
}

/// A variable with finitely many values, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// What its values mean.
    pub meaning: Meaning,
    /// Its value in the state that grounding started from.
    pub initial: u32,
    /// Whether it is computed from others after every change.
    pub derived: bool,
    /// Where a packed state keeps it.
    pub place: BitPlace,
}

/// What the values of a variable mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The values of one fluent for some arguments.
    Fluent {
        /// The fluent.
        fluent: FluentId,
        /// Its arguments.
        args: Args,
        /// What each value stands for.
        values: Vec<Value>,
    },
    /// A whole number with few values.
    Whole {
        /// The fluent.
        fluent: FluentId,
        /// Its arguments.
        args: Args,
        /// What value 0 stands for; the others follow.
        least: i64,
        /// How many numbers there are.
        count: u32,
        /// Whether one more value stands for no value at all.
        nothing: bool,
    },
    /// Yes-or-no fluents of which at most one is true at a time.
    Group {
        /// The facts; value `i` says that fact `i` is true and the others are false.
        facts: Vec<(FluentId, Args)>,
        /// Whether one more value stands for none of them.
        none: bool,
    },
}

impl Variable {
    /// How many values it has.
    pub fn size(&self) -> u32 {
        match &self.meaning {
            Meaning::Fluent { values, .. } => values.len() as u32,
            Meaning::Whole { count, nothing, .. } => count + u32::from(*nothing),
            Meaning::Group { facts, none } => facts.len() as u32 + u32::from(*none),
        }
    }

    /// Whether it says something about an object.
    pub fn is_about(&self, object: dramaturg_model::ObjectId) -> bool {
        let object = Value::Object(object);
        match &self.meaning {
            Meaning::Fluent { args, .. } | Meaning::Whole { args, .. } => args.contains(&object),
            Meaning::Group { facts, .. } => facts.iter().any(|(_, args)| args.contains(&object)),
        }
    }

    /// What a value stands for; for a group whether any fact holds.
    pub fn value(&self, index: u32) -> Value {
        match &self.meaning {
            Meaning::Fluent { values, .. } => values.get(index as usize).copied().unwrap_or(Value::Nothing),
            Meaning::Whole { least, count, .. } if index < *count => {
                Value::Number(Fixed::from_int(least.saturating_add(i64::from(index))))
            }
            Meaning::Whole { .. } => Value::Nothing,
            Meaning::Group { facts, .. } => Value::Bool((index as usize) < facts.len()),
        }
    }

    /// The index of a value of its fluent; none if it has no such value. Groups have no fluent of their own.
    pub fn index_of(&self, value: Value) -> Option<u32> {
        match (&self.meaning, value) {
            (Meaning::Fluent { values, .. }, value) => {
                values.iter().position(|known| *known == value).map(|index| index as u32)
            }
            (Meaning::Whole { least, count, .. }, Value::Number(number)) if number.is_int() => {
                let index = u32::try_from(number.floor_int().checked_sub(*least)?).ok()?;
                (index < *count).then_some(index)
            }
            (Meaning::Whole { count, nothing: true, .. }, Value::Nothing) => Some(*count),
            _ => None,
        }
    }
}

/// Where a packed state keeps a variable: some bits of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitPlace {
    /// Which word.
    pub word: u32,
    /// The lowest bit.
    pub shift: u8,
    /// How many bits.
    pub width: u8,
}

impl BitPlace {
    /// The bits in the word.
    #[inline]
    pub const fn mask(self) -> u64 {
        let ones = if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 };
        ones << self.shift
    }
}

/// A number of a ground state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// The fluent.
    pub fluent: FluentId,
    /// Its arguments.
    pub args: Args,
    /// Its domain: where it is cut off.
    pub domain: Domain,
    /// Its value in the state that grounding started from.
    pub initial: Option<Fixed>,
}

/// Where a fluent with arguments is found in a ground state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It never changes.
    Constant(Value),
    /// The value of a variable.
    Variable(VariableId),
    /// True exactly when a variable has this value.
    Member(VariableId, u32),
    /// A number.
    Number(NumberId),
}

/// Some of the values of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueSet {
    /// This one.
    One(u32),
    /// All but this one.
    Not(u32),
    /// From the first to the second, both inclusive.
    Range(u32, u32),
    /// The bits of an interned set.
    Set(SetId),
}

/// Interned sets of values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    table: Table<SetId, Box<[u64]>>,
    known: FxHashMap<Box<[u64]>, SetId>,
}

impl Sets {
    /// Whether a value is in a set.
    #[inline]
    pub fn contains(&self, set: ValueSet, value: u32) -> bool {
        match set {
            ValueSet::One(one) => one == value,
            ValueSet::Not(one) => one != value,
            ValueSet::Range(least, most) => (least..=most).contains(&value),
            ValueSet::Set(id) => {
                self.table[id].get(value as usize / 64).is_some_and(|word| word >> (value % 64) & 1 == 1)
            }
        }
    }

    /// All values of a set, for a variable of this size.
    pub fn values(&self, set: ValueSet, size: u32) -> impl Iterator<Item = u32> + '_ {
        let (least, most) = match set {
            ValueSet::One(one) => (one, one),
            ValueSet::Range(least, most) => (least, most),
            ValueSet::Not(_) | ValueSet::Set(_) => (0, size.saturating_sub(1)),
        };
        (least..=most).filter(move |value| *value < size && self.contains(set, *value))
    }

    /// The shortest way to say a set of values; `None` if it is empty, `Some(None)` if it is everything.
    pub fn intern(&mut self, size: u32, contains: impl Fn(u32) -> bool) -> Option<Option<ValueSet>> {
        let mut count = 0;
        let (mut first, mut last, mut missing) = (None, 0, 0);
        for value in 0..size {
            if contains(value) {
                count += 1;
                first = first.or(Some(value));
                last = value;
            } else {
                missing = value;
            }
        }
        let first = first?;
        if count == size {
            return Some(None);
        }
        if count == 1 {
            return Some(Some(ValueSet::One(first)));
        }
        if count == size - 1 {
            return Some(Some(ValueSet::Not(missing)));
        }
        if last - first + 1 == count {
            return Some(Some(ValueSet::Range(first, last)));
        }
        let mut words = vec![0u64; size.div_ceil(64) as usize];
        for value in (0..size).filter(|value| contains(*value)) {
            if let Some(word) = words.get_mut(value as usize / 64) {
                *word |= 1 << (value % 64);
            }
        }
        let words: Box<[u64]> = words.into();
        if let Some(id) = self.known.get(&words) {
            return Some(Some(ValueSet::Set(*id)));
        }
        let id = self.table.push(words.clone());
        self.known.insert(words, id);
        Some(Some(ValueSet::Set(id)))
    }

    /// What is in both sets; `None` if nothing is.
    pub fn intersect(&mut self, left: ValueSet, right: ValueSet, size: u32) -> Option<ValueSet> {
        match (left, right) {
            (left, right) if left == right => Some(left),
            (ValueSet::One(one), other) | (other, ValueSet::One(one)) => {
                self.contains(other, one).then_some(ValueSet::One(one))
            }
            (ValueSet::Range(a, b), ValueSet::Range(c, d)) => {
                let (least, most) = (a.max(c), b.min(d));
                match least.cmp(&most) {
                    std::cmp::Ordering::Less => Some(ValueSet::Range(least, most)),
                    std::cmp::Ordering::Equal => Some(ValueSet::One(least)),
                    std::cmp::Ordering::Greater => None,
                }
            }
            (left, right) => {
                let both: Vec<bool> =
                    (0..size).map(|value| self.contains(left, value) && self.contains(right, value)).collect();
                let found = self.intern(size, |value| both.get(value as usize).copied().unwrap_or(false))?;
                // Two proper subsets cannot have everything in common.
                found
            }
        }
    }
}
