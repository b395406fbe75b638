//! Conditions kept up to date: each is read again only when something it reads has changed.

use dramaturg_model::{
    Args, EndingId, Evaluator, Expr, FluentId, MilestoneId, Model, Param, RuleId, State, Table, Trigger, Value, WishId,
    WishKind,
};
use rustc_hash::FxHashMap;

use super::reads::{Argument, Arguments, Reads};

dramaturg_model::ids! {
    /// A condition that is watched.
    WatchId,
}

/// More bindings of one condition than this are not followed.
pub(super) const BINDINGS_MAX: usize = 1 << 20;

/// Whose condition is watched; the expression itself stays in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Watched {
    /// When or while a rule fires.
    Rule(RuleId),
    /// When a wish makes sense.
    Condition(WishId),
    /// What a goal wants, by the number of the aim.
    Aim(WishId, u16),
    /// What must be kept.
    Keep(WishId),
    /// When a milestone comes.
    Milestone(MilestoneId),
    /// When an ending comes.
    Ending(EndingId),
}

impl Watched {
    pub(super) fn expr(self, model: &Model) -> &Expr {
        match self {
            Self::Rule(rule) => match &model.rules[rule].trigger {
                Trigger::When(condition, _) | Trigger::While(condition) => condition,
                Trigger::After(..) | Trigger::Always => &Expr::TRUE,
            },
            Self::Condition(wish) => model.wishes[wish].condition.as_ref().unwrap_or(&Expr::TRUE),
            Self::Aim(wish, number) => match &model.wishes[wish].kind {
                WishKind::Goal { aims, .. } => aims.get(usize::from(number)).map_or(&Expr::FALSE, |aim| &aim.condition),
                _ => &Expr::FALSE,
            },
            Self::Keep(wish) => match &model.wishes[wish].kind {
                WishKind::Keep { condition, .. } => condition,
                _ => &Expr::TRUE,
            },
            Self::Milestone(milestone) => &model.milestones[milestone].when,
            Self::Ending(ending) => &model.endings[ending].when,
        }
    }
}

/// The values of one parameter, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Values {
    in_order: Vec<Value>,
    sorted: Vec<(Value, u32)>,
}

impl Values {
    pub(super) fn new(in_order: Vec<Value>) -> Self {
        let mut sorted: Vec<_> = in_order.iter().zip(0..).map(|(value, at)| (*value, at)).collect();
        sorted.sort_unstable();
        Self { in_order, sorted }
    }

    fn position(&self, value: Value) -> Option<usize> {
        let at = self.sorted.binary_search_by_key(&value, |entry| entry.0).ok()?;
        self.sorted.get(at).map(|entry| entry.1 as usize)
    }
}

/// All bindings of some parameters: the product of their values, counted with the last parameter fastest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bindings {
    params: Vec<Values>,
    count: usize,
}

impl Bindings {
    /// None if there are more than [`BINDINGS_MAX`].
    pub(super) fn new(params: Vec<Values>) -> Option<Self> {
        let count = params
            .iter()
            .try_fold(1usize, |count, values| count.checked_mul(values.in_order.len()))
            .filter(|count| *count <= BINDINGS_MAX)?;
        Some(Self { params, count })
    }

    /// Everything the parameters may be in a level.
    pub(super) fn of(model: &Model, params: &[Param], state: &State) -> Option<Self> {
        let values = |param: &Param| Values::new(model.values_of(&param.choices, state.level()));
        Self::new(params.iter().map(values).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The binding with this number.
    pub(super) fn get(&self, mut index: usize) -> Args {
        let mut args: Args = self
            .params
            .iter()
            .rev()
            .map(|values| {
                let size = values.in_order.len().max(1);
                let value = values.in_order.get(index % size).copied().unwrap_or(Value::Nothing);
                index /= size;
                value
            })
            .collect();
        args.reverse();
        args
    }

    /// The number of a binding.
    pub(super) fn index(&self, args: &[Value]) -> Option<usize> {
        let mut index = 0;
        for (values, arg) in self.params.iter().zip(args) {
            index = index * values.in_order.len() + values.position(*arg)?;
        }
        (args.len() == self.params.len()).then_some(index)
    }

    /// Calls `visit` with the number of each binding that agrees with what is fixed.
    fn for_each(&self, fixed: &[Option<Value>], visit: &mut impl FnMut(usize)) {
        self.visit_from(0, 0, fixed, visit);
    }

    fn visit_from(&self, param: usize, index: usize, fixed: &[Option<Value>], visit: &mut impl FnMut(usize)) {
        let Some(values) = self.params.get(param) else { return visit(index) };
        let base = index * values.in_order.len();
        match fixed.get(param).copied().flatten() {
            Some(value) => {
                if let Some(position) = values.position(value) {
                    self.visit_from(param + 1, base + position, fixed, visit);
                }
            }
            None => {
                for position in 0..values.in_order.len() {
                    self.visit_from(param + 1, base + position, fixed, visit);
                }
            }
        }
    }
}

/// One condition with the last value of each of its bindings.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) what: Watched,
    pub(super) bindings: Bindings,
    pub(super) values: Vec<bool>,
    pub(super) dirty: Vec<u32>,
    marked: Vec<bool>,
}

impl Watch {
    fn mark(&mut self, index: usize) {
        if let Some(marked) = self.marked.get_mut(index).filter(|marked| !**marked) {
            *marked = true;
            self.dirty.push(index as u32);
        }
    }

    fn mark_all(&mut self) {
        (0..self.bindings.len()).for_each(|index| self.mark(index));
    }

    /// The last value read for a binding.
    pub(super) fn value(&self, index: usize) -> bool {
        self.values.get(index).copied().unwrap_or(false)
    }
}

/// All watched conditions, and which of them read which fluent.
#[derive(Clone, Debug, Default)]
pub(super) struct Watches {
    pub(super) watches: Table<WatchId, Watch>,
    by_fluent: FxHashMap<FluentId, Vec<(WatchId, Arguments)>>,
    timed: Vec<WatchId>,
}

impl Watches {
    /// Watches a condition. Every binding counts as false so far, and is read when it is first asked for.
    pub(super) fn add(&mut self, model: &Model, what: Watched, bindings: Bindings) -> WatchId {
        let expr = what.expr(model);
        let reads = Reads::of(model, expr, bindings.params.len());
        let id = self.watches.next_id();
        for (fluent, arguments) in reads.fluents {
            self.by_fluent.entry(fluent).or_default().push((id, arguments));
        }
        if reads.timed {
            self.timed.push(id);
        }
        let count = bindings.len();
        let mut watch =
            Watch { what, bindings, values: vec![false; count], dirty: Vec::new(), marked: vec![false; count] };
        watch.mark_all();
        self.watches.push(watch)
    }

    pub(super) fn get(&self, id: WatchId) -> &Watch {
        &self.watches[id]
    }

    /// A fluent has changed.
    pub(super) fn changed(&mut self, fluent: FluentId, args: &[Value]) {
        let Some(readers) = self.by_fluent.get(&fluent) else { return };
        for (id, arguments) in readers {
            let watch = &mut self.watches[*id];
            let mut fixed: Vec<Option<Value>> = vec![None; watch.bindings.params.len()];
            let agrees = arguments.iter().zip(args).all(|(argument, value)| match argument {
                Argument::Any => true,
                Argument::Is(wanted) => wanted == value,
                Argument::Param(param) => match fixed.get_mut(usize::from(*param)) {
                    Some(slot) => *slot.get_or_insert(*value) == *value,
                    None => true,
                },
            });
            if agrees {
                let Watch { bindings, dirty, marked, .. } = watch;
                bindings.for_each(&fixed, &mut |index| {
                    if let Some(mark) = marked.get_mut(index).filter(|mark| !**mark) {
                        *mark = true;
                        dirty.push(index as u32);
                    }
                });
            }
        }
    }

    /// Time has passed.
    pub(super) fn time_passed(&mut self) {
        for id in &self.timed {
            self.watches[*id].mark_all();
        }
    }

    /// Whether something must be read in every tick.
    pub(super) fn needs_every_tick(&self) -> bool {
        self.timed.iter().any(|id| self.watches[*id].bindings.len() > 0)
    }

    /// Whether something has changed that was not looked at since.
    pub(super) fn is_dirty(&self) -> bool {
        self.watches.values().any(|watch| !watch.dirty.is_empty())
    }

    pub(super) fn is_dirty_at(&self, id: WatchId) -> bool {
        !self.watches[id].dirty.is_empty()
    }

    /// Takes the bindings of one watch that must be read again, in order.
    pub(super) fn take_dirty(&mut self, id: WatchId) -> Vec<u32> {
        let watch = &mut self.watches[id];
        let mut dirty = std::mem::take(&mut watch.dirty);
        dirty.sort_unstable();
        for index in &dirty {
            if let Some(mark) = watch.marked.get_mut(*index as usize) {
                *mark = false;
            }
        }
        dirty
    }

    /// Reads one binding and remembers its value: what it was and what it is.
    pub(super) fn read(&mut self, model: &Model, state: &State, id: WatchId, index: usize) -> (bool, bool) {
        let watch = &mut self.watches[id];
        let args = watch.bindings.get(index);
        let new = Evaluator::with(model, state, &args).holds(watch.what.expr(model));
        match watch.values.get_mut(index) {
            Some(value) => (std::mem::replace(value, new), new),
            None => (false, new),
        }
    }

    /// Reads what has changed and remembers what is false now; what has become true stays to be read. How much was read.
    pub(super) fn notice_falls(&mut self, model: &Model, state: &State, id: WatchId) -> u64 {
        let dirty = self.take_dirty(id);
        for index in &dirty {
            let index = *index as usize;
            let was = self.watches[id].value(index);
            let (_, is) = self.read(model, state, id, index);
            if is && !was {
                let watch = &mut self.watches[id];
                if let Some(value) = watch.values.get_mut(index) {
                    *value = false;
                }
                watch.mark(index);
            }
        }
        dirty.len() as u64
    }

    /// Reads everything of one watch that has changed; the bindings whose value is another now, with it.
    pub(super) fn refresh(&mut self, model: &Model, state: &State, id: WatchId) -> Vec<(u32, bool)> {
        let mut turned = Vec::new();
        for index in self.take_dirty(id) {
            let (old, new) = self.read(model, state, id, index as usize);
            if old != new {
                turned.push((index, new));
            }
        }
        turned
    }

    /// Sets what was last read for each binding, and which of them must be read again.
    pub(super) fn restore(&mut self, id: WatchId, values: Vec<bool>, unread: &[bool]) {
        let watch = &mut self.watches[id];
        watch.values = values;
        watch.values.resize(watch.bindings.len(), false);
        watch.dirty.clear();
        watch.marked.fill(false);
        for (index, _) in unread.iter().enumerate().filter(|(_, unread)| **unread) {
            watch.mark(index);
        }
    }

    /// Takes over the last values of what fires on edges, so that what stays true from one level to the next raises none.
    pub(super) fn inherit(&mut self, model: &Model, before: &Self) {
        let old: FxHashMap<Watched, WatchId> = before.watches.iter().map(|(id, watch)| (watch.what, id)).collect();
        for watch in self.watches.values_mut() {
            let has_edges = match watch.what {
                Watched::Rule(rule) => matches!(model.rules[rule].trigger, Trigger::When(..)),
                Watched::Milestone(_) | Watched::Ending(_) => true,
                Watched::Condition(_) | Watched::Aim(..) | Watched::Keep(_) => false,
            };
            if !has_edges {
                continue;
            }
            let Some(earlier) = old.get(&watch.what).map(|id| &before.watches[*id]) else { continue };
            for index in 0..watch.bindings.len() {
                let args = watch.bindings.get(index);
                let was = earlier.bindings.index(&args).is_some_and(|index| earlier.value(index));
                if let Some(value) = watch.values.get_mut(index) {
                    *value = was;
                }
            }
        }
    }
}
