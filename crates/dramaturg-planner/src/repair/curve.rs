//! A curve that a number is to follow, and how far it is off.

use dramaturg_model::Tick;

use super::moment::Moment;
use super::projection::Projection;
use super::slot::SlotId;

/// A curve, linear between its points, and the distance to it as last measured.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) slot: SlotId,
    /// Ticks and values in millionths, in order of time.
    points: Vec<(Tick, i64)>,
    /// How far off does no harm.
    within: i64,
    /// Up to each of these ticks the area between curve and number is this.
    areas: Vec<(Tick, i64)>,
}

impl Curve {
    pub(crate) const fn new(slot: SlotId, points: Vec<(Tick, i64)>, within: i64) -> Self {
        Self { slot, points, within, areas: Vec::new() }
    }

    /// The tick after which nothing is wanted any more.
    pub(crate) fn end(&self) -> Tick {
        self.points.last().map_or(0, |(tick, _)| *tick)
    }

    /// What is wanted at a tick.
    pub(crate) fn wanted(&self, tick: Tick) -> i64 {
        let after = self.points.partition_point(|(time, _)| *time <= tick);
        let before = after.checked_sub(1).and_then(|at| self.points.get(at));
        match (before, self.points.get(after)) {
            (Some((from, low)), Some((to, high))) => low + (high - low) * (tick - from) / (to - from).max(1),
            (Some((_, value)), None) | (None, Some((_, value))) => *value,
            (None, None) => 0,
        }
    }

    /// How far the number is off, beyond what does no harm: positive if it is too high.
    pub(crate) fn off(&self, projection: &Projection, tick: Tick) -> i64 {
        let off = projection.before(self.slot, Moment::check(tick)) - self.wanted(tick);
        off.signum() * (off.abs() - self.within).max(0)
    }

    /// The area between the number and the curve, beyond what does no harm, in millionths times ticks.
    pub(crate) fn area(&self) -> i64 {
        self.areas.last().map_or(0, |(_, area)| *area)
    }

    /// How far the number is off on average.
    pub(crate) fn mean(&self, first: Tick) -> i64 {
        self.area() / (self.end() - first).max(1)
    }

    /// Measures again from a moment on.
    pub(crate) fn measure(&mut self, projection: &Projection, from: Moment) {
        let first = projection.first_tick();
        let keep = self.areas.partition_point(|(tick, _)| *tick < from.tick().max(first));
        self.areas.truncate(keep.max(1));
        if self.areas.is_empty() {
            self.areas.push((first, 0));
        }
        let Some((mut tick, mut area)) = self.areas.last().copied() else { return };
        let (timeline, slot) = (projection.timeline(self.slot), &projection.repertoire.slots[self.slot]);
        let end = self.end();
        let entries = timeline.entries();
        let mut place = timeline.place(Moment::check(tick));
        let mut point = self.points.partition_point(|(time, _)| *time <= tick);
        let mut value = timeline.before(slot, Moment::check(tick));
        let mut wanted = self.wanted(tick);
        while tick < end {
            let entry = entries.get(place);
            let change = entry.map_or(Tick::MAX, |entry| {
                let seen = if entry.is_smooth() { entry.moment.flows_from() } else { entry.moment.seen_at() };
                seen.max(tick)
            });
            let turn = self.points.get(point).map_or(Tick::MAX, |(time, _)| *time);
            let next = change.min(turn).min(end);
            if next > tick {
                // Where something only begins or ends to flow, the value after it is the value before it.
                let reached = match entry.filter(|entry| change == next && entry.is_smooth()) {
                    Some(entry) => entry.after,
                    None => self.carried(projection, place, value, tick, next),
                };
                let aim = self.wanted_near(point, next);
                let (was, is) = (value - wanted, reached - aim);
                area += beyond(was, is, self.within, next - tick) + beyond(-was, -is, self.within, next - tick);
                (tick, value, wanted) = (next, reached, aim);
                self.areas.push((tick, area));
            }
            if turn <= tick {
                point += 1;
            }
            if change <= tick {
                place += 1;
                if entry.is_some_and(|entry| !entry.is_smooth()) {
                    value = timeline.before(slot, Moment::check(tick));
                }
            }
        }
    }

    /// What is wanted at a tick between the point before this one and itself.
    fn wanted_near(&self, point: usize, tick: Tick) -> i64 {
        match (point.checked_sub(1).and_then(|at| self.points.get(at)), self.points.get(point)) {
            (Some((from, low)), Some((to, high))) => low + (high - low) * (tick - from) / (to - from).max(1),
            _ => self.wanted(tick),
        }
    }

    /// The value right before a change at a later tick, which lies before the entry at this place.
    fn carried(&self, projection: &Projection, place: usize, value: i64, tick: Tick, next: Tick) -> i64 {
        let timeline = projection.timeline(self.slot);
        let flow = place.checked_sub(1).and_then(|last| timeline.stretch(last)).and_then(|(_, flow)| flow);
        flow.map_or(value, |flow| flow.pass(&projection.repertoire.slots[self.slot], value, tick, next - 1))
    }

    /// The tick at which so much of the area lies to the left.
    pub(crate) fn spot(&self, area: i64) -> Tick {
        let at = self.areas.partition_point(|(_, sum)| *sum <= area);
        let (to, high) = self.areas.get(at).copied().unwrap_or((self.end(), 0));
        let Some((from, low)) = at.checked_sub(1).and_then(|at| self.areas.get(at)).copied() else { return to };
        from + (to - from) * (area - low) / (high - low).max(1)
    }

    /// The first tick of the stretch around this one in which the number is off to the same side.
    pub(crate) fn off_since(&self, projection: &Projection, tick: Tick) -> Tick {
        let side = self.off(projection, tick).signum();
        let mut since = tick;
        let at = self.areas.partition_point(|(known, _)| *known < tick);
        for (known, _) in self.areas.get(..at).unwrap_or(&[]).iter().rev() {
            if self.off(projection, *known).signum() != side {
                // Somewhere between the two it begins.
                let (mut low, mut high) = (*known, since);
                while low + 1 < high {
                    let middle = low + (high - low) / 2;
                    if self.off(projection, middle).signum() == side { high = middle } else { low = middle }
                }
                return high;
            }
            since = *known;
        }
        since
    }
}

/// The area above a bound under a straight line from one value to another.
fn beyond(from: i64, to: i64, bound: i64, ticks: Tick) -> i64 {
    let (from, to) = (from - bound, to - bound);
    match (from > 0, to > 0) {
        (true, true) => (from + to) / 2 * ticks,
        (false, false) => 0,
        (true, false) => from / 2 * (from * ticks / (from - to).max(1)),
        (false, true) => to / 2 * (to * ticks / (to - from).max(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_beyond_the_bound_counts() {
        assert_eq!(beyond(10, 10, 5, 4), 20);
        assert_eq!(beyond(0, 5, 5, 4), 0);
        assert_eq!(beyond(-1_000, 1_000, 0, 10), 2_500);
        assert_eq!(beyond(1_000, -1_000, 0, 10), 2_500);
    }

    #[test]
    fn a_curve_is_straight_between_its_points() {
        let curve = Curve::new(SlotId(0), vec![(0, 10), (10, 20), (20, 0)], 0);
        assert_eq!([0, 5, 10, 15, 20, 25].map(|tick| curve.wanted(tick)), [10, 15, 20, 10, 0, 0]);
    }
}
