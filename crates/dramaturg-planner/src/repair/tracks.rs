//! Rules in the projection: when they fire, and while which time they hold.

use std::sync::Arc;

use dramaturg_model::Tick;

use super::moment::Moment;
use super::occurrence::{OccurrenceId, Origin};
use super::projection::Projection;
use super::repertoire::{Cue, TrackId};
use super::slot::SlotId;
use super::work::Work;
use crate::ground::Condition;

/// What is known about one rule.
#[derive(Clone, Debug, Default)]
pub(super) struct TrackState {
    /// When it fires, after whom (or nobody), and what comes of it.
    pub(super) firings: Vec<(Moment, u32, OccurrenceId)>,
    /// What may set it off: the ends of steps.
    pub(super) triggers: Vec<(Moment, u32)>,
    /// From which tick until before which it holds.
    spans: Vec<(Tick, Tick, OccurrenceId)>,
    /// Whether its condition held when it was last looked at before the projection begins.
    pub(super) held: bool,
    /// Between which moments it must be looked at again.
    pending: Option<(Moment, Moment)>,
}

/// Nobody in particular set it off.
const NOBODY: u32 = u32::MAX;

impl Projection {
    /// Says of every rule whether its condition held when it was last looked at, and looks at all of them.
    pub(crate) fn watch_rules(&mut self, held: impl Fn(TrackId) -> bool) {
        let origin = self.origin;
        for track in self.tracks.ids() {
            self.tracks[track].held = held(track);
            self.want_scan(track, origin, Moment::LAST);
        }
    }

    /// A rule fired before the projection begins, and its effects are still to come.
    pub(crate) fn resume_rule(&mut self, track: TrackId, start: Tick, duration: Tick) {
        let form = self.repertoire.tracks[track].form;
        let turn = Moment::turn(start, self.repertoire.tracks[track].turn);
        let id = self.occur(form, Origin::Fired(track, turn), start, Some(duration));
        // It is not among the firings: nothing that happens now can undo it.
        debug_assert!(self.occurrences[id].alive);
    }

    pub(super) fn want_scan(&mut self, track: TrackId, from: Moment, to: Moment) {
        let pending = &mut self.tracks[track].pending;
        let is_new = pending.is_none_or(|(known, _)| from < known);
        *pending = Some(pending.map_or((from, to), |(a, b)| (a.min(from), b.max(to))));
        if is_new {
            self.push(from, Work::Scan(track));
        }
    }

    pub(super) fn scan(&mut self, track: TrackId) {
        let Some((from, to)) = self.tracks[track].pending.take() else { return };
        let repertoire = Arc::clone(&self.repertoire);
        match &repertoire.tracks[track].cue {
            Cue::Edge(condition, guard) => self.scan_edges(track, condition, guard, from, to),
            Cue::After(condition) => self.scan_triggers(track, condition),
            Cue::Level(condition) => self.scan_level(track, condition),
        }
    }

    /// The ticks at which a condition may become true or false; `seen` says which tick sees a change.
    fn turning_ticks(
        &self,
        reads: &[SlotId],
        condition: &Condition,
        since: Tick,
        seen: fn(Moment) -> Tick,
    ) -> Vec<Tick> {
        let mut ticks = vec![since];
        let timed = condition.reads_time();
        let mut flows = timed;
        for slot in reads {
            let timeline = &self.timelines[*slot];
            let from = timeline.place(Moment::observe(since));
            let later = timeline.entries().get(from..).unwrap_or(&[]);
            ticks.extend(later.iter().map(|entry| seen(entry.moment)));
            flows |= timeline.is_flowing();
        }
        ticks.sort_unstable();
        ticks.dedup();
        if !flows {
            return ticks;
        }
        // Where numbers grow or shrink, the condition may turn in between: once, as far as it is looked for.
        ticks.push(self.horizon.max(ticks.last().copied().unwrap_or(since)));
        let mut between = Vec::new();
        for pair in ticks.windows(2) {
            let (Some(first), Some(last)) = (pair.first().copied(), pair.last().copied()) else { continue };
            let holds = |tick: Tick| self.holds(condition, Moment::rates(tick - 1).next());
            let (mut low, mut high) = (first + 1, last);
            if low >= high {
                continue;
            }
            let before = holds(low);
            if before != self.holds(condition, Moment::rates(first)) {
                between.push(low);
            }
            if before == holds(high) {
                continue;
            }
            while low + 1 < high {
                let middle = low + (high - low) / 2;
                if holds(middle) == before { low = middle } else { high = middle }
            }
            between.push(high);
            if timed {
                // What depends on the time is so from the beginning of its tick.
                between.push(high - 1);
            }
        }
        ticks.extend(between);
        ticks.sort_unstable();
        ticks.dedup();
        ticks
    }

    /// The ticks after this one in whose P3 a condition may be otherwise than before, in order.
    pub(crate) fn changes(&self, reads: &[SlotId], condition: &Condition, since: Tick) -> Vec<Tick> {
        self.turning_ticks(reads, condition, since, Moment::seen_at)
    }

    /// Finds the edges of a condition between two moments anew.
    fn scan_edges(&mut self, track: TrackId, condition: &Condition, guard: &Condition, from: Moment, to: Moment) {
        let repertoire = Arc::clone(&self.repertoire);
        let own = &repertoire.tracks[track];
        let turns = repertoire.turns;
        // It was last looked at in P2 of this tick.
        let known = if from >= Moment::check(from.tick()) { from.tick() } else { from.tick() - 1 };
        let is_before = Moment::check(known) <= self.origin;
        let mut was = if is_before { self.tracks[track].held } else { self.holds(condition, Moment::check(known)) };
        let begin = if is_before { self.origin } else { Moment::check(known) };
        // Looks at its own turns, and glances at whatever other rules do in between, which may end what held.
        let mut looks: Vec<(Moment, bool)> = Vec::new();
        let next_round = |moment: Moment| {
            let tick = if moment < Moment::turn(moment.tick(), 0) { moment.tick() } else { moment.tick() + 1 };
            Moment::turn(tick, own.turn)
        };
        // Behind the next round after the last change everything is as it was, and stays.
        let end = if to < Moment::LAST { next_round(to) } else { Moment::LAST };
        looks.push((next_round(begin), true));
        let flowing = condition.reads_time() || own.reads.iter().any(|slot| self.timelines[*slot].is_flowing());
        if flowing {
            let ticks = self.turning_ticks(&own.reads, condition, begin.tick(), Moment::flows_from);
            looks.extend(ticks.into_iter().map(|tick| (Moment::turn(tick, own.turn), true)));
        }
        for slot in &own.reads {
            let timeline = &self.timelines[*slot];
            let entries = timeline.entries().get(timeline.place(begin)..).unwrap_or(&[]);
            for entry in entries.iter().take_while(|entry| entry.moment < end) {
                match entry.moment.as_turn() {
                    Some(turn) => {
                        let round = turn / turns + i64::from(turn % turns >= own.turn);
                        looks.push((entry.moment.next(), false));
                        looks.push((Moment::turn(entry.moment.tick(), round * turns + own.turn), true));
                    }
                    None => looks.push((next_round(entry.moment), true)),
                }
            }
        }
        if end < Moment::LAST {
            looks.push((end, true));
        }
        looks.retain(|(moment, _)| *moment >= begin && *moment <= end);
        looks.sort_unstable();
        looks.dedup();
        let mut fires: Vec<(Moment, u32)> = Vec::new();
        for (moment, own_turn) in looks {
            let holds = self.holds(condition, moment);
            if own_turn && holds && !was && self.holds(guard, moment) {
                fires.push((moment, NOBODY));
            }
            was = if own_turn { holds } else { was && holds };
        }
        self.replace_firings(track, (begin, end), &fires);
    }

    fn scan_triggers(&mut self, track: TrackId, condition: &Condition) {
        let mut fires: Vec<(Moment, u32)> = self.tracks[track].triggers.clone();
        fires.sort_unstable();
        fires.retain(|(moment, _)| self.holds(condition, *moment));
        self.replace_firings(track, (Moment::FIRST, Moment::LAST), &fires);
    }

    /// Lets a rule fire exactly at these moments, as far as they lie between two others.
    fn replace_firings(&mut self, track: TrackId, (begin, end): (Moment, Moment), fires: &[(Moment, u32)]) {
        let form = self.repertoire.tracks[track].form;
        let mut firings = std::mem::take(&mut self.tracks[track].firings);
        let mut gone = Vec::new();
        firings.retain(|(moment, by, id)| {
            let stays = *moment < begin || *moment > end || fires.binary_search(&(*moment, *by)).is_ok();
            if !stays {
                gone.push(*id);
            }
            stays
        });
        gone.into_iter().for_each(|id| self.lift(id));
        for (moment, by) in fires {
            let known = |entry: &(Moment, u32, OccurrenceId)| (entry.0, entry.1).cmp(&(*moment, *by));
            if let Err(at) = firings.binary_search_by(known) {
                let id = self.occur(form, Origin::Fired(track, *moment), moment.tick(), None);
                firings.insert(at, (*moment, *by, id));
            }
        }
        self.tracks[track].firings = firings;
    }

    /// Finds anew while which time a rule holds.
    fn scan_level(&mut self, track: TrackId, condition: &Condition) {
        let repertoire = Arc::clone(&self.repertoire);
        let own = &repertoire.tracks[track];
        let first = self.origin.tick();
        let mut spans: Vec<(Tick, Tick)> = Vec::new();
        for tick in self.turning_ticks(&own.reads, condition, first, Moment::flows_from) {
            let holds = self.holds(condition, Moment::rates(tick));
            let is_open = spans.last().is_some_and(|(_, end)| *end == Tick::MAX);
            match spans.last_mut() {
                Some((_, end)) if is_open && !holds => *end = tick,
                _ if holds && !is_open => spans.push((tick, Tick::MAX)),
                _ => {}
            }
        }
        let mut known = std::mem::take(&mut self.tracks[track].spans);
        let mut gone = Vec::new();
        known.retain(|(from, to, id)| {
            let stays = spans.contains(&(*from, *to));
            if !stays {
                gone.push(*id);
            }
            stays
        });
        gone.into_iter().for_each(|id| self.lift(id));
        for (from, to) in spans {
            if !known.iter().any(|(begin, end, _)| (*begin, *end) == (from, to)) {
                let id = self.occur(own.form, Origin::Level(track, to), from, None);
                known.push((from, to, id));
            }
        }
        known.sort_unstable_by_key(|(from, ..)| *from);
        self.tracks[track].spans = known;
    }
}
