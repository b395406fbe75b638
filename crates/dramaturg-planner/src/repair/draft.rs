//! The draft: a plan with its projection and its cost, which are kept together through every edit.

use std::sync::Arc;

use dramaturg_model::{Table, Tick};
use smallvec::SmallVec;

use super::aims::{Aim, UNIT, Want};
use super::contingent::Contingency;
use super::defect::{Class, Cost};
use super::plan::{Edit, StepKey, Steps};
use super::projection::Projection;
use super::repertoire::{FormId, Kind, Repertoire};
use super::slot::SlotId;
use super::tally::Tally;
use super::timeline::Rewrite;

/// What an object costs that is made although there are others.
const OBJECT: i64 = 50_000;
/// What it costs that a locked step rests on what is only expected.
const CONTINGENT: i64 = 20_000;
/// What it costs to let a goal wait for a tick.
const WAIT: i64 = 1;

/// A plan with its projection and its cost.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) projection: Projection,
    pub(crate) steps: Steps,
    pub(crate) aims: Vec<Aim>,
    /// Whether a number is to follow a curve.
    pub(crate) follows: bool,
    aims_reading: Table<SlotId, SmallVec<[u16; 2]>>,
    /// What was written anew since each aim was measured.
    stale: Vec<Rewrite>,
    /// The aims that must be.
    unmeasured: Vec<u16>,
    /// What all aims miss together.
    pub(super) tally: Tally,
    /// The first tick at which a step may be put.
    pub(crate) insert_from: Tick,
    /// Steps that can no longer start when they were to.
    late: Vec<StepKey>,
    /// Objects that are to be anchored again, with how often.
    reanchored: Vec<(u32, u32)>,
    /// Steps that are locked and have not begun.
    locked: Vec<StepKey>,
    /// What locked steps have only if what is expected comes.
    pub(crate) contingent: Vec<Contingency>,
    /// What all open steps cost.
    outlay: i64,
    /// What may not be planned.
    pub(crate) barred: Vec<FormId>,
}

impl Draft {
    /// An empty plan.
    pub(crate) fn new(projection: Projection, aims: Vec<Aim>, insert_from: Tick) -> Self {
        let mut aims_reading: Table<SlotId, SmallVec<[u16; 2]>> =
            Table::filled(projection.repertoire.slots.len(), SmallVec::new());
        for (number, aim) in aims.iter().enumerate() {
            for slot in &aim.reads {
                aims_reading[*slot].push(number as u16);
            }
        }
        let mut draft = Self {
            stale: vec![Rewrite::EVERYTHING; aims.len()],
            unmeasured: (0..aims.len() as u16).collect(),
            tally: Tally::new(&aims),
            follows: aims.iter().any(|aim| matches!(aim.want, Want::Follow(_))),
            projection,
            steps: Steps::default(),
            aims,
            aims_reading,
            insert_from,
            late: Vec::new(),
            reanchored: Vec::new(),
            locked: Vec::new(),
            contingent: Vec::new(),
            outlay: 0,
            barred: Vec::new(),
        };
        draft.settle();
        draft
    }

    pub(crate) fn repertoire(&self) -> Arc<Repertoire> {
        Arc::clone(&self.projection.repertoire)
    }

    /// Whether an action may be planned.
    pub(crate) fn may(&self, form: FormId) -> bool {
        self.projection.repertoire.is_ours(form) && !self.barred.contains(&form)
    }

    /// What is wanted of a slot.
    pub(super) fn aims_reading(&self, slot: SlotId) -> impl Iterator<Item = &Aim> {
        self.aims_reading[slot].iter().filter_map(|aim| self.aims.get(usize::from(*aim)))
    }

    /// What the plan lacks.
    pub(crate) fn cost(&self) -> Cost {
        let hard = [Class::Past, Class::SetConflict, Class::Unmet, Class::Overlap, Class::Anchor];
        Cost {
            hard: hard.into_iter().map(|class| self.missing(class)).sum(),
            soft: self.missing(Class::Contingent) + self.missing(Class::Wish) + self.effort(),
        }
    }

    /// What is missing of what is wanted.
    pub(crate) fn aimed(&self, hard: bool) -> i64 {
        if hard { self.tally.required.total() } else { self.tally.liked }
    }

    /// What the plan costs, and how long goals wait.
    pub(crate) fn effort(&self) -> i64 {
        self.outlay + self.tally.wait * WAIT
    }

    /// Takes in a step that nobody can change.
    pub(crate) fn adopt(&mut self, form: FormId, id: u32, occurrence: super::occurrence::OccurrenceId) {
        let start = self.projection.occurrence(occurrence).start;
        let key = self.steps.add(form, start, Some(id), true, occurrence);
        self.lock(key);
    }

    /// A step is locked: what it needs must come, whatever others do.
    fn lock(&mut self, key: StepKey) {
        if self.projection.repertoire.expects && self.steps.get(key).start >= self.projection.first_tick() {
            self.locked.push(key);
        }
    }

    /// Looks which locked steps rest on what is only expected.
    fn look_at_locked(&mut self) {
        let mut found = std::mem::take(&mut self.contingent);
        found.clear();
        for key in &self.locked {
            self.projection.contingencies(self.steps.get(*key).occurrence, &mut found);
        }
        self.contingent = found;
    }

    /// Puts a step in.
    pub(crate) fn add(&mut self, form: FormId, start: Tick, id: Option<u32>) -> StepKey {
        let occurrence = self.projection.place(form, start, None);
        let key = self.steps.add(form, start, id, false, occurrence);
        self.count(form, 1);
        self.steps.journal.push(Edit::Added(key));
        key
    }

    /// Takes a step out.
    pub(crate) fn remove(&mut self, key: StepKey) {
        self.take_out(key);
        self.steps.journal.push(Edit::Removed(key));
    }

    /// Moves a step.
    pub(crate) fn shift(&mut self, key: StepKey, start: Tick) {
        let old = self.steps.get(key).start;
        if old != start {
            self.move_to(key, start);
            self.steps.journal.push(Edit::Moved(key, old));
        }
    }

    fn take_out(&mut self, key: StepKey) {
        let step = *self.steps.get(key);
        self.projection.lift(step.occurrence);
        self.steps.lay_down(key);
        self.late.retain(|late| *late != key);
        self.count(step.form, -1);
    }

    fn put_back(&mut self, key: StepKey) {
        let step = *self.steps.get(key);
        let occurrence = self.projection.place(step.form, step.start, None);
        self.steps.revive(key, occurrence);
        self.count(step.form, 1);
    }

    fn move_to(&mut self, key: StepKey, start: Tick) {
        let occurrence = self.steps.get(key).occurrence;
        self.steps.get_mut(key).start = start;
        self.projection.shift(occurrence, start);
        if start >= self.insert_from {
            self.late.retain(|late| *late != key);
        }
    }

    fn count(&mut self, form: FormId, by: i64) {
        let repertoire = &self.projection.repertoire;
        // A thousandth for each unit of its cost.
        self.outlay += by * (repertoire.forms[form].cost.max(0) / 1000).max(1);
        match repertoire.kinds[form] {
            Kind::Anchor(object) => self.outlay += by * (OBJECT + i64::from(object)),
            Kind::Reanchor(object) => {
                let known = self.reanchored.iter().position(|(known, _)| *known == object);
                let at = known.unwrap_or_else(|| {
                    self.reanchored.push((object, 0));
                    self.reanchored.len() - 1
                });
                if let Some((_, count)) = self.reanchored.get_mut(at) {
                    *count = count.saturating_add_signed(by as i32);
                }
            }
            Kind::Plain | Kind::Foreign => {}
        }
    }

    /// How many objects are to be anchored again once too often.
    pub(crate) fn surplus(&self) -> i64 {
        self.reanchored.iter().map(|(_, count)| i64::from(count.saturating_sub(1))).sum()
    }

    pub(crate) fn first_surplus(&self) -> Option<u32> {
        self.reanchored.iter().find(|(_, count)| *count > 1).map(|(object, _)| *object)
    }

    /// By how many ticks steps are too late.
    pub(crate) fn past(&self) -> i64 {
        self.late.iter().map(|key| (self.insert_from - self.steps.get(*key).start).max(1) * UNIT).sum()
    }

    pub(crate) fn first_past(&self) -> Option<StepKey> {
        self.late.first().copied()
    }

    /// Brings projection and cost up to date.
    pub(crate) fn settle(&mut self) {
        self.projection.settle();
        let touched = std::mem::take(&mut self.projection.touched);
        for (slot, rewrite) in &touched {
            for aim in &self.aims_reading[*slot] {
                if let Some(stale) = self.stale.get_mut(usize::from(*aim)) {
                    if *stale == Rewrite::NOTHING {
                        self.unmeasured.push(*aim);
                    }
                    *stale = stale.and(*rewrite);
                }
            }
        }
        self.projection.touched = touched;
        self.projection.touched.clear();
        for number in self.unmeasured.drain(..).map(usize::from) {
            if let Some((aim, stale)) = self.aims.get_mut(number).zip(self.stale.get_mut(number)) {
                let rewrite = std::mem::replace(stale, Rewrite::NOTHING);
                self.tally.measure(number, aim, |aim| aim.measure(&self.projection, rewrite));
            }
        }
        if !self.locked.is_empty() {
            self.look_at_locked();
        }
    }

    /// What locked steps lack, if nobody does what is expected.
    pub(crate) fn contingency(&self) -> i64 {
        self.contingent.len() as i64 * CONTINGENT
    }

    /// Undoes everything since the journal was last emptied.
    pub(crate) fn roll_back(&mut self) {
        self.undo_to(0);
    }

    /// Undoes everything since the journal had so many entries.
    pub(crate) fn undo_to(&mut self, mark: usize) {
        let mut gone = Vec::new();
        while self.steps.journal.len() > mark
            && let Some(edit) = self.steps.journal.pop()
        {
            match edit {
                Edit::Added(key) => {
                    self.take_out(key);
                    gone.push(key);
                }
                Edit::Removed(key) => self.put_back(key),
                Edit::Moved(key, start) => self.move_to(key, start),
            }
        }
        self.steps.forget(gone);
        self.settle();
    }

    /// Time has passed: what starts before a tick is no longer ours, and what nobody has heard of is too late.
    pub(crate) fn advance(&mut self, insert_from: Tick, is_published: impl Fn(u32) -> bool) {
        self.insert_from = self.insert_from.max(insert_from);
        let soon: Vec<StepKey> = self
            .steps
            .open()
            .iter()
            .copied()
            .filter(|key| self.steps.get(*key).start < self.insert_from && !self.late.contains(key))
            .collect();
        for key in soon {
            if self.steps.get(key).id.is_some_and(&is_published) {
                self.steps.fix(key);
                self.lock(key);
            } else {
                self.late.push(key);
            }
        }
    }
}
