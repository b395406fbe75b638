//! The projection: what every slot will hold at every moment, kept up to date edit by edit.
//!
//! Each slot has a timeline of changes. What an edit changes is folded again until the values are what they were before, and only
//! what reads a slot between those moments is looked at again: conditions, effects that depend on something, durations that are
//! read in, and rules, which may fire or cease to. Everything is done in order of time, for nothing depends on what comes later.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use dramaturg_model::{Fixed, Table, Tick};
use smallvec::SmallVec;

use super::form::{Length, Written, held};
use super::holds::{Hold, Holds};
use super::moment::Moment;
use super::occurrence::{NeedState, Occurrence, OccurrenceId, Origin, Part};
use super::readers::{Readers, Reading, What};
use super::repertoire::{FormId, Repertoire, TrackId};
use super::slot::{NOTHING, SlotId, of_number, of_variable};
use super::timeline::{Change, Rewrite, Timeline};
use super::tracks::TrackState;
use crate::ground::{Condition, Ground, GroundActuatorId, GroundExpr, NumberId, VariableId};

/// Something to be looked at again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Work {
    /// A slot was edited.
    Fold(SlotId),
    /// Something that an occurrence reads has changed.
    Read(u32, What),
    /// Something that a rule waits for has changed.
    Scan(TrackId),
}

/// Rules that set each other off without end are left alone after so much work.
const WORK_MAX: usize = 200_000;

/// What every slot will hold at every moment.
#[derive(Clone, Debug)]
pub(crate) struct Projection {
    pub(crate) repertoire: Arc<Repertoire>,
    pub(super) origin: Moment,
    /// Nothing later is looked at.
    pub(crate) horizon: Tick,
    pub(super) timelines: Table<SlotId, Timeline>,
    pub(super) readers: Table<SlotId, Readers>,
    pub(super) occurrences: Table<OccurrenceId, Occurrence>,
    free: Vec<OccurrenceId>,
    pub(super) holds: Table<GroundActuatorId, Holds>,
    pub(super) tracks: Table<TrackId, TrackState>,
    work: BinaryHeap<Reverse<(Moment, Work)>>,
    /// Conditions that do not hold.
    pub(crate) broken: Vec<(OccurrenceId, u16)>,
    /// How far all required conditions together are from holding.
    pub(crate) unmet: i64,
    /// What conditions that are only weighed miss, in millionths.
    pub(crate) displeasure: i64,
    /// By how much actuators are held too much, in ticks.
    pub(crate) excess: i64,
    /// How many moments have sets that contradict each other.
    pub(crate) clashes: i64,
    /// Which slots may have changed, and where, since somebody last looked.
    pub(crate) touched: Vec<(SlotId, Rewrite)>,
    /// How many pieces of work were done.
    pub(crate) effort: u64,
}

/// The world right before a moment.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    projection: &'a Projection,
    moment: Moment,
}

impl Ground for View<'_> {
    fn variable(&self, variable: VariableId) -> u32 {
        self.projection.before(of_variable(variable), self.moment) as u32
    }

    fn number(&self, number: NumberId) -> Option<Fixed> {
        let slot = of_number(self.projection.repertoire.problem.variables.len(), number);
        let value = self.projection.before(slot, self.moment);
        (value != NOTHING).then_some(Fixed(value))
    }

    fn now(&self) -> Tick {
        self.moment.tick()
    }
}

impl Projection {
    /// A world in which nothing happens from a tick on; `value` says what each slot holds.
    pub(crate) fn new(repertoire: Arc<Repertoire>, tick: Tick, value: impl Fn(SlotId) -> i64) -> Self {
        let origin = Moment::observe(tick);
        let timelines = repertoire.slots.ids().map(|slot| Timeline::new(value(slot))).collect();
        let holds = repertoire.problem.actuators.values().map(|actuator| Holds::new(actuator.capacity)).collect();
        let tracks = repertoire.tracks.values().map(|_| TrackState::default()).collect();
        let readers = Table::filled(repertoire.slots.len(), Readers::default());
        Self {
            repertoire,
            origin,
            horizon: tick.saturating_add(1_000_000),
            timelines,
            readers,
            occurrences: Table::new(),
            free: Vec::new(),
            holds,
            tracks,
            work: BinaryHeap::new(),
            broken: Vec::new(),
            unmet: 0,
            displeasure: 0,
            excess: 0,
            clashes: 0,
            touched: Vec::new(),
            effort: 0,
        }
    }

    /// The first tick that is projected.
    pub(crate) const fn first_tick(&self) -> Tick {
        self.origin.tick()
    }

    /// What a slot holds right before a moment.
    #[inline]
    pub(crate) fn before(&self, slot: SlotId, moment: Moment) -> i64 {
        self.timelines[slot].before(&self.repertoire.slots[slot], moment)
    }

    /// The world right before a moment.
    pub(crate) const fn view(&self, moment: Moment) -> View<'_> {
        View { projection: self, moment }
    }

    /// Whether a condition holds right before a moment.
    pub(crate) fn holds(&self, condition: &Condition, moment: Moment) -> bool {
        condition.holds(self.repertoire.problem.frame(), &self.view(moment))
    }

    /// How far a condition is from holding right before a moment.
    pub(crate) fn distance(&self, condition: &Condition, moment: Moment) -> i64 {
        self.repertoire.distances.of(self.repertoire.problem.frame(), &self.view(moment), condition)
    }

    /// The timeline of a slot.
    pub(crate) fn timeline(&self, slot: SlotId) -> &Timeline {
        &self.timelines[slot]
    }

    /// An occurrence.
    pub(crate) fn occurrence(&self, id: OccurrenceId) -> &Occurrence {
        &self.occurrences[id]
    }

    /// Who holds an actuator.
    pub(crate) fn actuator(&mut self, id: GroundActuatorId) -> &mut Holds {
        &mut self.holds[id]
    }

    /// All actuators.
    pub(crate) fn actuators(&self) -> impl Iterator<Item = (GroundActuatorId, &Holds)> {
        self.holds.iter()
    }

    /// Something is seen at a tick, whatever else happens in it.
    pub(crate) fn see(&mut self, slot: SlotId, tick: Tick, value: i64) {
        let source = (u32::MAX - slot.0, 0);
        self.timelines[slot].insert(Moment::observe(tick), source, Change::Observe(value));
        self.queue_fold(slot);
    }

    /// Something is brought about at the end of a tick's waiting.
    pub(crate) fn bring(&mut self, slot: SlotId, tick: Tick, value: i64) {
        self.timelines[slot].insert(Moment::end(tick), Self::awaited(slot), Change::Set(value));
        self.queue_fold(slot);
    }

    /// Who brings about what is waited for.
    pub(super) const fn awaited(slot: SlotId) -> (u32, u16) {
        (u32::MAX - slot.0, 1)
    }

    /// Puts a step in; its effects show once everything is settled.
    pub(crate) fn place(&mut self, form: FormId, start: Tick, told: Option<Tick>) -> OccurrenceId {
        self.occur(form, Origin::Step, start, told)
    }

    pub(super) fn occur(&mut self, form: FormId, origin: Origin, start: Tick, told: Option<Tick>) -> OccurrenceId {
        let made = Occurrence {
            form,
            origin,
            start,
            duration: 0,
            told,
            alive: true,
            parts: SmallVec::new(),
            needs: SmallVec::new(),
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.occurrences[id] = made;
                id
            }
            None => self.occurrences.push(made),
        };
        self.enter(id);
        id
    }

    /// Takes an occurrence out.
    pub(crate) fn lift(&mut self, id: OccurrenceId) {
        self.leave(id);
        self.occurrences[id].alive = false;
        self.free.push(id);
    }

    /// Moves a step.
    pub(crate) fn shift(&mut self, id: OccurrenceId, start: Tick) {
        self.leave(id);
        self.occurrences[id].start = start;
        self.enter(id);
    }

    /// Writes everything that an occurrence does into the timelines.
    fn enter(&mut self, id: OccurrenceId) {
        let repertoire = Arc::clone(&self.repertoire);
        let form = &repertoire.forms[self.occurrences[id].form];
        let duration = self.read_length(id);
        self.occurrences[id].duration = duration;
        let origin = self.occurrences[id].origin;
        let reading = self.occurrences[id].reading_moment();
        if let Length::Read(_, reads) = &form.length
            && self.occurrences[id].told.is_none()
        {
            self.listen(reads, (reading, reading), id, What::Length);
        }
        self.occurrences[id].parts = SmallVec::from_elem(None, form.deeds.len() + 2 * form.spreads.len());
        if !matches!(origin, Origin::Level(..)) {
            for (number, deed) in form.deeds.iter().enumerate() {
                let moment = self.occurrences[id].deed_moment(form, deed.when);
                let Some(moment) = moment.filter(|moment| *moment >= self.origin) else { continue };
                if !deed.reads.is_empty() {
                    self.listen(&deed.reads, (moment, moment), id, What::Deed(number as u16));
                }
                self.write_deed(id, number as u16);
            }
        }
        for (number, spread) in form.spreads.iter().enumerate() {
            if !spread.reads.is_empty() {
                self.listen(&spread.reads, (reading, reading), id, What::Spread(number as u16));
            }
            self.write_spread(id, number as u16);
        }
        self.enter_step(id);
    }

    /// What only steps have: conditions, holds, and rules that come after them.
    fn enter_step(&mut self, id: OccurrenceId) {
        if self.occurrences[id].origin != Origin::Step {
            return;
        }
        let repertoire = Arc::clone(&self.repertoire);
        let form_id = self.occurrences[id].form;
        let form = &repertoire.forms[form_id];
        let (start, duration) = (self.occurrences[id].start, self.occurrences[id].duration);
        self.occurrences[id].needs = SmallVec::from_elem(NeedState::default(), form.needs.len());
        for (number, need) in form.needs.iter().enumerate() {
            let Some((from, to)) = self.occurrences[id].need_moments(need.when) else { continue };
            if to < self.origin {
                continue;
            }
            self.listen(&need.reads, (from, to), id, What::Need(number as u16));
            self.push(from, Work::Read(id.0, What::Need(number as u16)));
        }
        for (actuator, hold) in grips(form, id, start, duration) {
            let before = self.holds[actuator].excess();
            self.holds[actuator].add(hold);
            self.excess += self.holds[actuator].excess() - before;
        }
        for track in repertoire.tracks_after.try_at(form_id).into_iter().flatten() {
            let moment = Moment::turn(start + duration, repertoire.tracks[*track].turn);
            if moment >= self.origin {
                self.tracks[*track].triggers.push((moment, id.0));
                self.want_scan(*track, moment, moment.next());
            }
        }
    }

    /// Takes everything that an occurrence does out of the timelines.
    fn leave(&mut self, id: OccurrenceId) {
        let repertoire = Arc::clone(&self.repertoire);
        let form_id = self.occurrences[id].form;
        let form = &repertoire.forms[form_id];
        let reading = self.occurrences[id].reading_moment();
        if let Length::Read(_, reads) = &form.length {
            self.unlisten(reads, (reading, reading), id, What::Length);
        }
        for (number, deed) in form.deeds.iter().enumerate().filter(|(_, deed)| !deed.reads.is_empty()) {
            if let Some(moment) = self.occurrences[id].deed_moment(form, deed.when) {
                self.unlisten(&deed.reads, (moment, moment), id, What::Deed(number as u16));
            }
        }
        for (number, spread) in form.spreads.iter().enumerate().filter(|(_, spread)| !spread.reads.is_empty()) {
            self.unlisten(&spread.reads, (reading, reading), id, What::Spread(number as u16));
        }
        for number in 0..self.occurrences[id].parts.len() {
            self.write_part(id, number, None);
        }
        if self.occurrences[id].origin != Origin::Step {
            return;
        }
        for (number, need) in form.needs.iter().enumerate() {
            self.note_need(id, number as u16, 0);
            if let Some(moments) = self.occurrences[id].need_moments(need.when) {
                self.unlisten(&need.reads, moments, id, What::Need(number as u16));
            }
        }
        let (start, duration) = (self.occurrences[id].start, self.occurrences[id].duration);
        for (actuator, hold) in grips(form, id, start, duration) {
            let before = self.holds[actuator].excess();
            self.holds[actuator].remove(hold);
            self.excess += self.holds[actuator].excess() - before;
        }
        for track in repertoire.tracks_after.try_at(form_id).into_iter().flatten() {
            let moment = Moment::turn(start + duration, repertoire.tracks[*track].turn);
            self.tracks[*track].triggers.retain(|trigger| *trigger != (moment, id.0));
            self.want_scan(*track, moment, moment.next());
        }
    }

    fn listen(&mut self, slots: &[SlotId], (from, to): (Moment, Moment), id: OccurrenceId, what: What) {
        for slot in slots {
            self.readers[*slot].add(Reading { from, to, who: id.0, what });
        }
    }

    fn unlisten(&mut self, slots: &[SlotId], (from, to): (Moment, Moment), id: OccurrenceId, what: What) {
        for slot in slots {
            self.readers[*slot].remove(&Reading { from, to, who: id.0, what });
        }
    }

    fn read_length(&self, id: OccurrenceId) -> Tick {
        let occurrence = &self.occurrences[id];
        if let Some(told) = occurrence.told {
            return told;
        }
        match &self.repertoire.forms[occurrence.form].length {
            Length::None => 0,
            Length::Plain(ticks) => *ticks,
            Length::Read(expr, _) => {
                let value = self.evaluate(expr, occurrence.reading_moment(), None);
                value.as_number().map_or(1, Fixed::round_half_up).max(1)
            }
        }
    }

    pub(crate) fn evaluate(&self, expr: &GroundExpr, moment: Moment, duration: Option<Tick>) -> dramaturg_model::Value {
        expr.value(self.repertoire.problem.frame(), &self.view(moment), duration)
    }

    /// Writes what a deed does now.
    fn write_deed(&mut self, id: OccurrenceId, number: u16) {
        let repertoire = Arc::clone(&self.repertoire);
        let occurrence = &self.occurrences[id];
        let form = &repertoire.forms[occurrence.form];
        let Some(deed) = form.deeds.get(usize::from(number)) else { return };
        let Some(moment) = occurrence.deed_moment(form, deed.when).filter(|moment| *moment >= self.origin) else {
            return;
        };
        let happens = deed.guard.as_ref().is_none_or(|guard| self.holds(guard, moment));
        let duration = Some(occurrence.duration);
        let change = happens.then(|| match &deed.written {
            Written::Set(value) => Some(Change::Set(*value)),
            Written::Add(amount) => Some(Change::Add(*amount)),
            Written::Leave(from, to) => (self.before(deed.slot, moment) == *from).then_some(Change::Set(*to)),
            Written::SetTo(expr) => {
                let value = self.evaluate(expr, moment, duration);
                held(&repertoire.problem, deed.slot, &repertoire.slots, value).map(Change::Set)
            }
            Written::AddTo(expr) => {
                self.evaluate(expr, moment, duration).as_number().map(|amount| Change::Add(amount.0))
            }
        });
        let part = change.flatten().map(|change| Part { moment, slot: deed.slot, change });
        self.write_part(id, usize::from(number), part);
    }

    /// Writes what a spread does now.
    fn write_spread(&mut self, id: OccurrenceId, number: u16) {
        let repertoire = Arc::clone(&self.repertoire);
        let occurrence = &self.occurrences[id];
        let form = &repertoire.forms[occurrence.form];
        let Some(spread) = form.spreads.get(usize::from(number)) else { return };
        let slot = spread.slot;
        let (start, length) = (occurrence.start, occurrence.duration);
        let (reading, origin) = (occurrence.reading_moment(), occurrence.origin);
        let holds = spread.guard.as_ref().is_none_or(|guard| self.holds(guard, reading));
        let amount = match spread.plain {
            Some(amount) => Some(amount),
            None => self.evaluate(&spread.amount, reading, Some(length)).as_number().map(|amount| amount.0),
        };
        let until = match origin {
            Origin::Level(_, to) => to,
            _ => start.saturating_add(length),
        };
        let lasts = Moment::end(until) > self.origin && until > start;
        let amount = amount.filter(|amount| *amount != 0 && holds && lasts);
        let begin = self.origin.max(Moment::started(start));
        let at = form.deeds.len() + 2 * usize::from(number);
        let endless = until == Tick::MAX;
        let (on, off) = match (amount, spread.per_tick, origin) {
            (Some(amount), true, _) => (Some(Change::Rate(amount)), (!endless).then_some(Change::Rate(-amount))),
            // A total has no meaning without an end.
            (_, false, Origin::Level(..)) | (None, ..) => (None, None),
            (Some(amount), false, _) => (Some(Change::Total { amount, start, length }), Some(Change::Still)),
        };
        self.write_part(id, at, on.map(|change| Part { moment: begin, slot, change }));
        self.write_part(id, at + 1, off.map(|change| Part { moment: Moment::end(until), slot, change }));
    }

    /// Puts one part of an occurrence in the place of what was there.
    fn write_part(&mut self, id: OccurrenceId, number: usize, part: Option<Part>) {
        let Some(place) = self.occurrences[id].parts.get_mut(number) else { return };
        if *place == part {
            return;
        }
        let old = std::mem::replace(place, part);
        let source = (id.0, number as u16);
        if let Some(old) = old {
            self.timelines[old.slot].remove(old.moment, source, old.change);
            self.queue_fold(old.slot);
        }
        if let Some(new) = part {
            self.timelines[new.slot].insert(new.moment, source, new.change);
            self.queue_fold(new.slot);
        }
    }

    fn queue_fold(&mut self, slot: SlotId) {
        if let Some(from) = self.timelines[slot].edited_from() {
            self.push(from, Work::Fold(slot));
        }
    }

    pub(super) fn push(&mut self, moment: Moment, work: Work) {
        self.work.push(Reverse((moment, work)));
    }

    /// Does everything that edits have made necessary.
    pub(crate) fn settle(&mut self) {
        let mut last = None;
        for _ in 0..WORK_MAX {
            let Some(Reverse(item)) = self.work.pop() else { return };
            // The same thing is often asked for several times over.
            if last == Some(item) && !matches!(item.1, Work::Fold(_)) {
                continue;
            }
            last = Some(item);
            self.effort += 1;
            match item.1 {
                Work::Fold(slot) => self.fold(slot),
                Work::Read(who, what) => self.read_again(OccurrenceId(who), what),
                Work::Scan(track) => self.scan(track),
            }
        }
        self.work.clear();
    }

    fn fold(&mut self, slot: SlotId) {
        let before = self.timelines[slot].clashes();
        let Some(rewrite) = self.timelines[slot].fold(&self.repertoire.slots[slot]) else { return };
        let (from, to) = (rewrite.from, rewrite.to);
        self.clashes += i64::from(self.timelines[slot].clashes()) - i64::from(before);
        self.touched.push((slot, rewrite));
        for reading in self.readers[slot].meeting(from, to) {
            self.work.push(Reverse((reading.from.max(from), Work::Read(reading.who, reading.what))));
        }
        let repertoire = Arc::clone(&self.repertoire);
        for track in &repertoire.tracks_reading[slot] {
            self.want_scan(*track, from, to);
        }
    }

    fn read_again(&mut self, id: OccurrenceId, what: What) {
        if !self.occurrences.try_at(id).is_some_and(|occurrence| occurrence.alive) {
            return;
        }
        match what {
            What::Length => {
                if self.read_length(id) != self.occurrences[id].duration {
                    self.leave(id);
                    self.enter(id);
                }
            }
            What::Deed(number) => self.write_deed(id, number),
            What::Spread(number) => self.write_spread(id, number),
            What::Need(number) => {
                let (short, _) = self.shortfall(id, number);
                self.note_need(id, number, short);
            }
        }
    }

    /// How far a condition of a step is from holding, and where that is first seen.
    pub(crate) fn shortfall(&self, id: OccurrenceId, number: u16) -> (i64, Moment) {
        let occurrence = &self.occurrences[id];
        let need = self.repertoire.forms[occurrence.form].needs.get(usize::from(number));
        let moments = need.and_then(|need| Some((need, occurrence.need_moments(need.when)?)));
        let Some((need, (from, to))) = moments.filter(|(_, (_, to))| *to >= self.origin) else {
            return (0, self.origin);
        };
        let from = from.max(self.origin);
        let at = |moment: Moment| (self.distance(&need.condition, moment), moment);
        let first = at(from);
        if first.0 > 0 || from == to {
            return first;
        }
        // Between two changes nothing is new, except to numbers that grow or shrink.
        for slot in &need.reads {
            let timeline = &self.timelines[*slot];
            let entries = timeline.entries().get(timeline.place(from)..).unwrap_or(&[]);
            let seen = entries.iter().map(|entry| Moment::check(entry.moment.seen_at()).max(from));
            let seen = seen.take_while(|moment| *moment <= to).chain(timeline.is_flowing().then_some(to));
            if let Some(found) = seen.map(at).find(|(short, _)| *short > 0) {
                return found;
            }
        }
        (0, from)
    }

    fn note_need(&mut self, id: OccurrenceId, number: u16, short: i64) {
        let weight = self.repertoire.forms[self.occurrences[id].form].needs.get(usize::from(number));
        let weight = weight.and_then(|need| need.weight);
        let Some(state) = self.occurrences[id].needs.get_mut(usize::from(number)) else { return };
        let old = std::mem::replace(&mut state.short, short);
        match weight {
            Some(weight) => self.displeasure += weight * (i64::from(short > 0) - i64::from(old > 0)),
            None => self.unmet += short - old,
        }
        if (old > 0) == (short > 0) {
            return;
        }
        if short > 0 {
            state.place = self.broken.len() as u32;
            self.broken.push((id, number));
        } else {
            let place = std::mem::replace(&mut state.place, u32::MAX);
            self.broken.swap_remove(place as usize);
            if let Some((moved, need)) = self.broken.get(place as usize).copied()
                && let Some(state) = self.occurrences[moved].needs.get_mut(usize::from(need))
            {
                state.place = place;
            }
        }
    }
}

/// What a step holds, and when.
fn grips(
    form: &super::form::Form,
    id: OccurrenceId,
    start: Tick,
    duration: Tick,
) -> impl Iterator<Item = (GroundActuatorId, Hold)> {
    form.grips.iter().enumerate().map(move |(number, grip)| {
        let (from, to) = (start + grip.from.offset(duration), start + grip.to.offset(duration).min(duration));
        (grip.actuator, Hold { from, to, source: id.0, part: number as u16, amount: grip.amount })
    })
}
