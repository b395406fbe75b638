//! A vector that only its own ids can index, so that ids of different nouns cannot be mixed up.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Serialize, Serializer};

/// A small number that names one entry of a [`Table`].
pub trait Id: Copy + Eq + Ord + fmt::Debug {
    /// The id of the entry at this position.
    fn from_index(index: usize) -> Self;
    /// The position of the entry.
    fn index(self) -> usize;
}

/// Declares id types: `ids! { /// A type of object. TypeId }`.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $crate::table::Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

/// Entries in order of their making, indexed by their own id type.
///
/// ```
/// use dramaturg_model::{ids, Table};
/// ids! {
///     /// One actor of a company.
///     ActorId
/// }
/// let mut company: Table<ActorId, &str> = Table::new();
/// let anna = company.push("Anna");
/// assert_eq!(company[anna], "Anna");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Table<I, T> {
    entries: Vec<T>,
    ids: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> Table<I, T> {
    /// An empty table.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), ids: PhantomData }
    }

    /// A table of `len` equal entries.
    pub fn filled(len: usize, entry: T) -> Self
    where
        T: Clone,
    {
        Self { entries: vec![entry; len], ids: PhantomData }
    }

    /// Adds an entry and returns its id.
    #[inline]
    pub fn push(&mut self, entry: T) -> I {
        let id = I::from_index(self.entries.len());
        self.entries.push(entry);
        id
    }

    /// The id that the next pushed entry will get.
    #[inline]
    pub fn next_id(&self) -> I {
        I::from_index(self.entries.len())
    }

    /// How many entries there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entry, if the id is one of this table. Named differently from `get` because ids made by
    /// this table need no check.
    #[inline]
    pub fn try_at(&self, id: I) -> Option<&T> {
        self.entries.get(id.index())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        (0..self.entries.len()).map(I::from_index)
    }

    /// All entries in order.
    #[inline]
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// All entries in order, to be changed.
    #[inline]
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// Ids and entries in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.entries.iter().enumerate().map(|(index, entry)| (I::from_index(index), entry))
    }

    /// Ids and entries in order, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.entries.iter_mut().enumerate().map(|(index, entry)| (I::from_index(index), entry))
    }

    /// The entries as a slice.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "an id is made by push on this table, so it is inside")]
    fn index(&self, id: I) -> &T {
        &self.entries[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "an id is made by push on this table, so it is inside")]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.entries[id.index()]
    }
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> FromIterator<T> for Table<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(entries: It) -> Self {
        Self { entries: entries.into_iter().collect(), ids: PhantomData }
    }
}

impl<I: Id, T: fmt::Debug> fmt::Debug for Table<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.entries).finish()
    }
}

impl<I: Id, T: Serialize> Serialize for Table<I, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.entries.serialize(serializer)
    }
}
