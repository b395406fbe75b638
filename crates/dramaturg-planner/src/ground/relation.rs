//! Facts as rows: which values fluents can have, and which instances there are, indexed for joins.

use dramaturg_model::{FluentId, Id, Table, ids};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::entity::{DomainId, Domains, Entity};

ids! {
    /// A relation: the reachable facts of a fluent, or the instances of a schema.
    RelationId,
    /// A row of a relation.
    RowId,
    /// An index of a relation.
    RowIndexId,
}

/// What the rows of a relation mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RelationKind {
    /// A row: this yes-or-no fluent can be true of these arguments; it is false elsewhere and may become so.
    Flag,
    /// A row: this fluent can have the value in the last column for the arguments before it.
    Valued,
    /// A row: this number can change for these arguments.
    Number,
    /// A row: this instance of a schema can happen.
    Instance,
}

/// Rows larger than this are looked up by hash instead of by address.
const DENSE_MAX: u64 = 1 << 21;

/// The end of a chain of rows. Rows are kept one higher, so that fresh memory from the system, which is zero, needs no writing.
const END: u32 = 0;

enum Lookup {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u64, u32>),
    /// For relations with more possible rows than a word can count.
    Wide(FxHashMap<SmallVec<[Entity; 8]>, u32>),
}

/// The rows of one relation.
pub(crate) struct Relation {
    /// The fluent, unless these are instances.
    pub(crate) fluent: Option<FluentId>,
    pub(crate) kind: RelationKind,
    /// Whether no row will ever be added.
    pub(crate) is_static: bool,
    pub(crate) columns: SmallVec<[DomainId; 4]>,
    strides: SmallVec<[u64; 4]>,
    cells: Vec<Entity>,
    marks: Table<RowId, Marks>,
    lookup: Lookup,
    /// Rows below this one have been joined and are in the indexes.
    pub(crate) processed: u32,
    indexes: Table<RowIndexId, RowIndex>,
}

/// What is known about a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    /// It holds in the state that grounding starts from.
    pub(crate) initial: bool,
    /// Something can make it false (only kept for flags).
    pub(crate) deleted: bool,
}

struct RowIndex {
    columns: SmallVec<[u16; 4]>,
    /// Only rows whose columns are in these domains.
    filters: SmallVec<[(u16, DomainId); 2]>,
    strides: SmallVec<[u64; 4]>,
    heads: Heads,
    next: Table<RowId, u32>,
}

enum Heads {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u64, u32>),
}

impl Relation {
    pub(crate) fn new(
        fluent: Option<FluentId>,
        kind: RelationKind,
        is_static: bool,
        columns: SmallVec<[DomainId; 4]>,
        domains: &Domains,
    ) -> Self {
        let (strides, size) = strides(columns.iter().map(|column| domains.size(*column)));
        let lookup = match size {
            Some(size) if size <= DENSE_MAX => Lookup::Dense(vec![0; size as usize]),
            Some(_) => Lookup::Sparse(FxHashMap::default()),
            None => Lookup::Wide(FxHashMap::default()),
        };
        Self {
            fluent,
            kind,
            is_static,
            columns,
            strides,
            cells: Vec::new(),
            marks: Table::new(),
            lookup,
            processed: 0,
            indexes: Table::new(),
        }
    }

    /// A relation for instances, which are never looked up by their columns.
    pub(crate) fn of_instances(columns: SmallVec<[DomainId; 4]>) -> Self {
        Self {
            fluent: None,
            kind: RelationKind::Instance,
            is_static: false,
            columns,
            strides: SmallVec::new(),
            cells: Vec::new(),
            marks: Table::new(),
            lookup: Lookup::Sparse(FxHashMap::default()),
            processed: 0,
            indexes: Table::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    #[inline]
    pub(crate) fn row(&self, row: RowId) -> &[Entity] {
        let start = row.index() * self.columns.len();
        self.cells.get(start..start + self.columns.len()).unwrap_or(&[])
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = (RowId, &[Entity])> {
        self.marks.ids().map(|row| (row, self.row(row)))
    }

    #[inline]
    pub(crate) fn marks(&self, row: RowId) -> Marks {
        self.marks[row]
    }

    pub(crate) fn marks_mut(&mut self, row: RowId) -> &mut Marks {
        &mut self.marks[row]
    }

    /// The place of a tuple among all that are possible; none if a cell is not in its column's domain.
    #[inline]
    fn address(&self, tuple: &[Entity], domains: &Domains) -> Option<u64> {
        let mut address = 0;
        for ((entity, column), stride) in tuple.iter().zip(&self.columns).zip(&self.strides) {
            address += u64::from(domains.at(*column).ordinal(*entity)?) * stride;
        }
        Some(address)
    }

    /// The row of a tuple that is known cell by cell.
    #[inline]
    pub(crate) fn find_cells(&self, cells: impl Iterator<Item = Entity>, domains: &Domains) -> Option<RowId> {
        if let Lookup::Wide(_) = &self.lookup {
            let tuple: SmallVec<[Entity; 8]> = cells.collect();
            return self.find(&tuple, domains);
        }
        let mut address = 0;
        for ((entity, column), stride) in cells.zip(&self.columns).zip(&self.strides) {
            address += u64::from(domains.at(*column).ordinal(entity)?) * stride;
        }
        let found = match &self.lookup {
            Lookup::Dense(rows) => *rows.get(address as usize)?,
            Lookup::Sparse(rows) => *rows.get(&address)?,
            Lookup::Wide(_) => 0,
        };
        found.checked_sub(1).map(RowId)
    }

    /// The row of a tuple.
    #[inline]
    pub(crate) fn find(&self, tuple: &[Entity], domains: &Domains) -> Option<RowId> {
        let found = match &self.lookup {
            Lookup::Dense(rows) => *rows.get(self.address(tuple, domains)? as usize)?,
            Lookup::Sparse(rows) => *rows.get(&self.address(tuple, domains)?)?,
            Lookup::Wide(rows) => *rows.get(tuple)?,
        };
        found.checked_sub(1).map(RowId)
    }

    /// Adds a tuple unless it is there or outside the columns' domains; the new row if it was added.
    #[inline]
    pub(crate) fn insert(&mut self, tuple: &[Entity], marks: Marks, domains: &Domains) -> Option<RowId> {
        let new = self.marks.next_id();
        let address = self.address(tuple, domains)?;
        let slot = match &mut self.lookup {
            Lookup::Dense(rows) => rows.get_mut(address as usize)?,
            Lookup::Sparse(rows) => rows.entry(address).or_insert(0),
            Lookup::Wide(rows) => rows.entry(SmallVec::from_slice(tuple)).or_insert(0),
        };
        if *slot != 0 {
            return None;
        }
        *slot = new.0 + 1;
        self.cells.extend_from_slice(tuple);
        self.marks.push(marks);
        Some(new)
    }

    /// Adds a row that the caller knows to be new, without a way to look it up (instances of a schema).
    pub(crate) fn append(&mut self, tuple: &[Entity]) -> RowId {
        self.cells.extend_from_slice(tuple);
        self.marks.push(Marks::default())
    }

    /// The index over these columns of the rows whose other columns are in these domains, made if it is missing. Call it
    /// before rows are processed.
    pub(crate) fn index_on(&mut self, columns: &[u16], filters: &[(u16, DomainId)], domains: &Domains) -> RowIndexId {
        let same = |index: &RowIndex| index.columns.as_slice() == columns && index.filters.as_slice() == filters;
        if let Some((id, _)) = self.indexes.iter().find(|(_, index)| same(index)) {
            return id;
        }
        let sizes = columns.iter().filter_map(|column| self.columns.get(usize::from(*column)));
        let (strides, size) = strides(sizes.map(|column| domains.size(*column)));
        let heads = match size {
            Some(size) if size <= DENSE_MAX => Heads::Dense(vec![END; size as usize]),
            _ => Heads::Sparse(FxHashMap::default()),
        };
        self.indexes.push(RowIndex {
            columns: SmallVec::from_slice(columns),
            filters: SmallVec::from_slice(filters),
            strides,
            heads,
            next: Table::new(),
        })
    }

    /// Whether an index over these columns can be exact.
    pub(crate) fn can_index(&self, columns: &[u16], domains: &Domains) -> bool {
        let sizes = columns.iter().filter_map(|column| self.columns.get(usize::from(*column)));
        strides(sizes.map(|column| domains.size(*column))).1.is_some()
    }

    /// Takes the next unprocessed row into the indexes.
    pub(crate) fn process_next(&mut self, domains: &Domains) -> Option<RowId> {
        if self.processed as usize >= self.marks.len() {
            return None;
        }
        let row = RowId(self.processed);
        self.processed += 1;
        let width = self.columns.len();
        let start = row.index() * width;
        let cells = self.cells.get(start..start + width).unwrap_or(&[]);
        for index in self.indexes.values_mut() {
            let passes = |(column, domain): &(u16, DomainId)| {
                cells.get(usize::from(*column)).is_some_and(|cell| domains.at(*domain).contains(*cell))
            };
            if !index.filters.iter().all(passes) {
                index.next.push(END);
                continue;
            }
            let key = index.columns.iter().zip(&index.strides).map(|(column, stride)| {
                let column = usize::from(*column);
                let ordinal = match (cells.get(column), self.columns.get(column)) {
                    (Some(cell), Some(domain)) => domains.at(*domain).ordinal(*cell).unwrap_or(0),
                    _ => 0,
                };
                u64::from(ordinal) * stride
            });
            let key: u64 = key.sum();
            let mut none = END;
            let head = match &mut index.heads {
                Heads::Dense(heads) => heads.get_mut(key as usize).unwrap_or(&mut none),
                Heads::Sparse(heads) => heads.entry(key).or_insert(END),
            };
            index.next.push(*head);
            *head = row.0 + 1;
        }
        Some(row)
    }

    /// The last processed row whose indexed columns are these entities.
    #[inline]
    pub(crate) fn first(
        &self,
        index: RowIndexId,
        cells: impl Iterator<Item = Entity>,
        domains: &Domains,
    ) -> Option<RowId> {
        let index = &self.indexes[index];
        let mut key = 0;
        for ((cell, column), stride) in cells.zip(&index.columns).zip(&index.strides) {
            let domain = self.columns.get(usize::from(*column))?;
            key += u64::from(domains.at(*domain).ordinal(cell)?) * stride;
        }
        let head = match &index.heads {
            Heads::Dense(heads) => heads.get(key as usize).copied(),
            Heads::Sparse(heads) => heads.get(&key).copied(),
        };
        head.and_then(|head| head.checked_sub(1)).map(RowId)
    }

    /// The row before this one with the same indexed columns.
    #[inline]
    pub(crate) fn next(&self, index: RowIndexId, row: RowId) -> Option<RowId> {
        self.indexes[index].next[row].checked_sub(1).map(RowId)
    }
}

/// The strides of a mixed-radix address, and how many addresses there are if a word can count them.
fn strides(sizes: impl Iterator<Item = usize>) -> (SmallVec<[u64; 4]>, Option<u64>) {
    let mut strides = SmallVec::new();
    let mut size = Some(1u64);
    for column in sizes {
        strides.push(size.unwrap_or(0));
        size = size.and_then(|size| size.checked_mul(column as u64));
    }
    (strides, size)
}
