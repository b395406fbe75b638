//! A curve that a number is to follow, and how far it is off.

use dramaturg_model::Tick;

use super::moment::Moment;
use super::projection::Projection;
use super::slot::SlotId;
use super::timeline::Rewrite;

/// A curve, linear between its points, and the distance to it as last measured.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    pub(crate) slot: SlotId,
    /// Ticks and values in millionths, in order of time.
    points: Vec<(Tick, i64)>,
    /// How far off does no harm.
    within: i64,
    /// The first tick that was measured.
    first: Tick,
    /// What was measured from there to the end, piece by piece.
    pieces: Vec<Piece>,
}

/// A time in which both the number and the curve are straight lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// When it ends.
    tick: Tick,
    /// How far the number is above the curve when it begins.
    begins: i64,
    /// And when it ends, before anything changes then.
    ends: i64,
    /// The area between the two lines, beyond what does no harm, in this piece and all before it.
    sum: i64,
}

impl Curve {
    pub(crate) const fn new(slot: SlotId, points: Vec<(Tick, i64)>, within: i64) -> Self {
        Self { slot, points, within, first: 0, pieces: Vec::new() }
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
        self.harm(projection.before(self.slot, Moment::check(tick)) - self.wanted(tick))
    }

    fn harm(&self, off: i64) -> i64 {
        off.signum() * (off.abs() - self.within).max(0)
    }

    /// The area between the number and the curve, beyond what does no harm, in millionths times ticks.
    pub(crate) fn area(&self) -> i64 {
        self.pieces.last().map_or(0, |piece| piece.sum)
    }

    /// How far the number is off on average.
    pub(crate) fn mean(&self, first: Tick) -> i64 {
        self.area() / (self.end() - first).max(1)
    }

    /// Measures again, after something was written anew in the number's timeline.
    pub(crate) fn measure(&mut self, projection: &Projection, rewrite: Rewrite) {
        self.first = projection.first_tick();
        let keep = self.pieces.partition_point(|piece| piece.tick < rewrite.from.tick().max(self.first));
        // The first piece in which everything is as it was, only higher, and the first for which that cannot be said any longer.
        let settled = rewrite.since.tick().saturating_add(1);
        let join = keep.max(self.pieces.partition_point(|piece| piece.tick <= settled) + 1);
        let last = projection.timeline(self.slot).entries().last().map_or(self.first, |entry| entry.moment.tick());
        let stay = match rewrite.by {
            0 if rewrite.since < Moment::LAST => self.pieces.len(),
            _ => self.pieces.partition_point(|piece| piece.tick < last),
        };
        let until = self.pieces.get(join - 1).filter(|_| join < stay).map(|piece| piece.tick);
        let mut found = Vec::new();
        self.walk(projection, keep, until.unwrap_or_else(|| self.end()), &mut found);
        if until.is_none() {
            self.pieces.truncate(keep);
            self.pieces.append(&mut found);
            return;
        }
        self.pieces.truncate(stay);
        let known = keep + found.len();
        drop(self.pieces.splice(keep..join, found.drain(..)));
        self.raise(known, rewrite.by);
        if rewrite.by != 0 {
            self.walk(projection, self.pieces.len(), self.end(), &mut found);
            self.pieces.append(&mut found);
        }
    }

    /// From this piece on the number is so much higher than it was.
    fn raise(&mut self, from: usize, by: i64) {
        let (mut tick, mut sum) = self.reached(from);
        let within = self.within;
        for piece in self.pieces.iter_mut().skip(from) {
            piece.begins += by;
            piece.ends += by;
            sum += area(piece.begins, piece.ends, within, piece.tick - tick);
            (piece.sum, tick) = (sum, piece.tick);
        }
    }

    /// Where the pieces before this one end, and what area they have.
    fn reached(&self, pieces: usize) -> (Tick, i64) {
        let last = pieces.checked_sub(1).and_then(|last| self.pieces.get(last));
        last.map_or((self.first, 0), |piece| (piece.tick, piece.sum))
    }

    /// Finds pieces: from where so many that are known end, until a tick.
    fn walk(&self, projection: &Projection, known: usize, until: Tick, found: &mut Vec<Piece>) {
        let (mut tick, mut sum) = self.reached(known);
        let (timeline, slot) = (projection.timeline(self.slot), &projection.repertoire.slots[self.slot]);
        let entries = timeline.entries();
        let mut place = timeline.place(Moment::check(tick));
        let mut point = self.points.partition_point(|(time, _)| *time <= tick);
        let mut value = timeline.before(slot, Moment::check(tick));
        let mut wanted = self.wanted(tick);
        while tick < until {
            let entry = entries.get(place);
            let change = entry.map_or(Tick::MAX, |entry| {
                let seen = if entry.is_smooth() { entry.moment.flows_from() } else { entry.moment.seen_at() };
                seen.max(tick)
            });
            let turn = self.points.get(point).map_or(Tick::MAX, |(time, _)| *time);
            let next = change.min(turn).min(until);
            if next > tick {
                // Where something only begins or ends to flow, the value after it is the value before it.
                let reached = match entry.filter(|entry| change == next && entry.is_smooth()) {
                    Some(entry) => entry.after,
                    None => timeline.carry(slot, place, Moment::check(next)),
                };
                let aim = self.wanted_near(point, next);
                let (begins, ends) = (value - wanted, reached - aim);
                sum += area(begins, ends, self.within, next - tick);
                (tick, value, wanted) = (next, reached, aim);
                found.push(Piece { tick, begins, ends, sum });
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

    /// The tick at which so much of the area lies to the left.
    pub(crate) fn spot(&self, area: i64) -> Tick {
        let at = self.pieces.partition_point(|piece| piece.sum <= area);
        let (to, high) = self.pieces.get(at).map_or((self.end(), 0), |piece| (piece.tick, piece.sum));
        let (from, low) = self.reached(at);
        from + (to - from) * (area - low) / (high - low).max(1)
    }

    /// The first tick of the stretch around this one in which the number is off to the same side.
    pub(crate) fn off_since(&self, projection: &Projection, tick: Tick) -> Tick {
        let side = self.off(projection, tick).signum();
        let mut since = tick;
        let at = self.pieces.partition_point(|piece| piece.tick < tick) + 1;
        for (number, piece) in self.pieces.iter().enumerate().take(at).rev() {
            let (begin, _) = self.reached(number);
            if self.harm(piece.begins).signum() != side {
                // Somewhere between the two it begins.
                let (mut low, mut high) = (begin, since);
                while low + 1 < high {
                    let middle = low + (high - low) / 2;
                    if self.off(projection, middle).signum() == side { high = middle } else { low = middle }
                }
                return high;
            }
            since = begin;
        }
        since
    }
}

/// The area between two straight lines that are so far apart where they begin and where they end, beyond a bound.
fn area(begins: i64, ends: i64, bound: i64, ticks: Tick) -> i64 {
    beyond(begins, ends, bound, ticks) + beyond(-begins, -ends, bound, ticks)
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
