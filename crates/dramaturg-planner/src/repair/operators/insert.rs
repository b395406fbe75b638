//! R1 and R7: something is put in that brings about what is missing.

use dramaturg_model::{Chance, Tick};

use super::Trouble;
use crate::repair::draft::Draft;
use crate::repair::form::{Length, When};
use crate::repair::moment::Moment;
use crate::repair::plan::StepKey;
use crate::repair::repertoire::{Achiever, Cue, FormId, Kind};

/// So many candidates are compared; of more, some are drawn.
const COMPARED: usize = 6;
/// Rules that set rules off are followed so far.
const DEPTH: u32 = 3;

impl Draft {
    /// Puts in what brings about what is missing; only what makes an object, if so wanted.
    pub(super) fn insert(&mut self, trouble: Trouble, spawn: bool, chance: &mut Chance) -> bool {
        self.insert_within(trouble, spawn, DEPTH, chance)
    }

    fn insert_within(&mut self, trouble: Trouble, spawn: bool, depth: u32, chance: &mut Chance) -> bool {
        let repertoire = self.repertoire();
        let ours: Vec<Achiever> = self
            .helpers(trouble.lack)
            .filter(|achiever| self.may(achiever.form))
            .filter(|achiever| !spawn || matches!(repertoire.kinds[achiever.form], Kind::Anchor(_)))
            .copied()
            .collect();
        if let Some((achiever, start)) = self.choose(&ours, trouble, chance) {
            self.put(achiever.form, start, trouble, 0);
            return true;
        }
        // Nobody can do it, but it may come by itself.
        let rules: Vec<FormId> = self
            .helpers(trouble.lack)
            .map(|achiever| achiever.form)
            .filter(|form| repertoire.kinds.try_at(*form).is_none())
            .collect();
        let Some((_, track)) = rules.get(chance.below(rules.len())).and_then(|form| repertoire.track_of(*form)) else {
            return false;
        };
        let (Cue::Edge(cue, _) | Cue::After(cue) | Cue::Level(cue)) = &track.cue;
        let waits = repertoire.usual_length(track.form);
        let tick = (trouble.tick - waits).max(self.insert_from);
        if spawn || depth == 0 || self.projection.holds(cue, Moment::check(tick)) {
            return false;
        }
        let Some(lack) = self.lack(cue, Moment::check(tick), false, chance) else { return false };
        let begun = self.steps.journal.len();
        if !self.insert_within(Trouble { lack, tick, needer: None, any_time: false }, false, depth - 1, chance) {
            return false;
        }
        // Whoever needs it waits until it has come.
        let made = self.steps.journal.get(begun..).unwrap_or(&[]).iter().find_map(|edit| match edit {
            crate::repair::plan::Edit::Added(key) => Some(*key),
            _ => None,
        });
        if let Some((made, needer)) = made.zip(trouble.needer).filter(|(_, needer)| self.is_open(*needer)) {
            let ends = self.projection.occurrence(self.steps.get(made).occurrence).end();
            let late = ends + waits - trouble.tick;
            if late > 0 {
                let start = self.steps.get(needer).start + late;
                self.shift(needer, start);
            }
        }
        true
    }

    /// The candidate that lacks least where it would be put, and where that is.
    fn choose(&mut self, all: &[Achiever], trouble: Trouble, chance: &mut Chance) -> Option<(Achiever, Tick)> {
        let some = all.len().min(COMPARED);
        let whim = chance.below(4) == 0;
        let mut best: Option<((i64, u32), Achiever, Tick)> = None;
        for number in 0..some {
            let at = if all.len() > COMPARED || whim { chance.below(all.len()) } else { number };
            let achiever = *all.get(at)?;
            if !self.is_first_of_its_kind(achiever.form) {
                continue;
            }
            let start = self.start_for(achiever, trouble, chance);
            let key = (self.readiness(achiever.form, start), self.rank(achiever.form));
            if best.as_ref().is_none_or(|(known, ..)| key < *known) {
                best = Some((key, achiever, start));
            }
            if whim {
                break;
            }
        }
        best.map(|(_, achiever, start)| (achiever, start))
    }

    /// What exists is used before something is made.
    fn rank(&self, form: FormId) -> u32 {
        match self.projection.repertoire.kinds[form] {
            Kind::Anchor(object) => 1 + object,
            _ => 0,
        }
    }

    /// Of objects that do not exist yet the first is as good as any.
    pub(super) fn is_first_of_its_kind(&self, form: FormId) -> bool {
        let repertoire = &self.projection.repertoire;
        let Kind::Anchor(object) = repertoire.kinds[form] else { return true };
        let action = repertoire.problem.operators[repertoire.operators[form]].action;
        let siblings = repertoire.siblings.get(&action).map_or(&[][..], Vec::as_slice);
        let earlier = siblings
            .iter()
            .filter(|sibling| matches!(repertoire.kinds[**sibling], Kind::Anchor(other) if other < object));
        let last = self.projection.horizon;
        !earlier.into_iter().any(|sibling| self.readiness(*sibling, last) == 0)
    }

    /// How far the conditions of an action are from holding if it starts at a tick.
    pub(in crate::repair) fn readiness(&self, form: FormId, start: Tick) -> i64 {
        let repertoire = &self.projection.repertoire;
        let needs = repertoire.forms[form].needs.iter().filter(|need| need.weight.is_none());
        let early = needs.filter(|need| matches!(need.when, When::Start | When::Throughout));
        early.map(|need| self.projection.distance(&need.condition, Moment::check(start))).sum()
    }

    /// How long an action takes if it starts around a tick.
    pub(in crate::repair) fn length_at(&self, form: FormId, tick: Tick) -> Tick {
        match &self.projection.repertoire.forms[form].length {
            Length::None => 0,
            Length::Plain(ticks) => *ticks,
            Length::Read(expr, _) => {
                let value = self.projection.evaluate(expr, Moment::start(tick), None);
                value.as_number().map_or(1, dramaturg_model::Fixed::round_half_up).max(1)
            }
        }
    }

    /// How many ticks after its start what an achiever brings can be seen.
    pub(super) fn ready_after(&self, achiever: Achiever, length: Tick) -> Tick {
        let form = &self.projection.repertoire.forms[achiever.form];
        match form.deeds.get(usize::from(achiever.part)).map(|deed| deed.when) {
            Some(When::Start | When::Throughout) => 1,
            Some(When::After(offset)) => offset + 1,
            Some(When::End) | None => length,
        }
    }

    /// Where an action is put so that what it brings is there just in time, or somewhat sooner.
    fn start_for(&mut self, achiever: Achiever, trouble: Trouble, chance: &mut Chance) -> Tick {
        let first = self.insert_from;
        let length = self.length_at(achiever.form, trouble.tick);
        if trouble.any_time {
            let tick = trouble.tick.max(first);
            let tick = if chance.below(4) == 0 { tick + chance.below(240) as Tick } else { tick };
            return self.beside(achiever.form, tick, length, true);
        }
        let mut start = trouble.tick - self.ready_after(achiever, length);
        // What a goal wants at a tick comes just in time; what a step needs may lie ready.
        if trouble.needer.is_some() && start > first && chance.below(4) == 0 {
            start = first + chance.below(usize::try_from(start - first).unwrap_or(1)) as Tick;
        }
        self.fit(achiever.form, start, length)
    }

    /// The last start before this one at which everything that an action holds is free; else this one.
    pub(super) fn fit(&mut self, form: FormId, start: Tick, length: Tick) -> Tick {
        let repertoire = self.repertoire();
        let mut fitting = start;
        for grip in &repertoire.forms[form].grips {
            let (from, to) = (grip.from.offset(length), grip.to.offset(length).min(length));
            let holds = self.projection.actuator(grip.actuator);
            match holds.gap(fitting + from, to - from, grip.amount, u32::MAX, false) {
                Some(found) if found - from >= self.insert_from => fitting = found - from,
                _ => return start,
            }
        }
        fitting
    }

    /// Puts an action in; whoever needs it waits for it, if it cannot be done before.
    fn put(&mut self, form: FormId, start: Tick, trouble: Trouble, waits: Tick) -> StepKey {
        let late = self.insert_from - start;
        let key = self.add(form, start.max(self.insert_from), None);
        if let Some(needer) = trouble.needer.filter(|needer| late + waits > 0 && self.is_open(*needer)) {
            let start = self.steps.get(needer).start + late + waits;
            self.shift(needer, start);
        }
        key
    }
}
