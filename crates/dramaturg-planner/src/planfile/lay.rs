//! Times for steps: those of the file in ticks, or one step after another.

use dramaturg_model::{Duration, Fixed, Model, State, Tick, Value};
use smallvec::SmallVec;

use super::lookup::Found;
use crate::simulate::step::duration_bounds;
use crate::simulate::{Detail, Follow, Unmet, World, WorldOptions};

/// Lays out steps. In a story without times each starts when the one before has ended, and how long it takes is read from a world
/// that performs the steps so far.
pub(super) struct Layout<'a> {
    model: &'a Model,
    ticks_per_unit: Fixed,
    /// Only made when a duration depends on the state.
    world: Option<Box<World>>,
    /// Steps that a world would have to perform first.
    before: Vec<(Found, SmallVec<[Value; 3]>, Tick, Tick)>,
    initial: State,
    /// The tick at which the next step without a time starts.
    next: Tick,
    /// Where the step at hand stands in the file.
    pub(super) line: usize,
    /// Times that are no whole number of ticks.
    pub(super) uneven: Option<Uneven>,
}

/// Times that had to be rounded.
#[derive(Clone, Copy)]
pub(super) struct Uneven {
    pub(super) count: usize,
    pub(super) first: Fixed,
    pub(super) at: usize,
}

impl<'a> Layout<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let ticks_per_unit = Fixed::from_int(model.pddl().map_or(1, |origin| origin.ticks_per_unit).max(1));
        let initial = State::initial(model, 0);
        Self { model, ticks_per_unit, world: None, before: Vec::new(), initial, next: 0, line: 0, uneven: None }
    }

    /// Start and duration of a step, in ticks.
    pub(super) fn place(
        &mut self,
        found: Found,
        args: &[Value],
        time: Option<Fixed>,
        duration: Option<Fixed>,
    ) -> (Tick, Tick) {
        let is_classical = self.model.pddl().is_some_and(|origin| !origin.temporal);
        let start = match time.filter(|_| !is_classical) {
            Some(time) => self.ticks(time),
            None => self.next,
        };
        let length = match (found, duration) {
            (Found::Action(action), _) if self.model.actions[action].duration == Duration::Instant => 0,
            (_, Some(duration)) => self.ticks(duration),
            (Found::Task(_), None) => 1,
            (Found::Action(_), None) => self.read_duration(found, args, start),
        };
        // `0: (walk a b)` in a classical plan only counts steps.
        self.next = self.next.max(start.saturating_add(length.max(1)));
        if time.is_none() {
            self.before.push((found, SmallVec::from_slice(args), start, length));
        }
        (start, length)
    }

    fn ticks(&mut self, units: Fixed) -> Tick {
        let exact = units.multiply(self.ticks_per_unit);
        if !exact.is_int() {
            let uneven = self.uneven.get_or_insert(Uneven { count: 0, first: units, at: self.line });
            uneven.count += 1;
        }
        exact.round_half_up()
    }

    /// How long a tick is, in units of the file.
    pub(super) fn tick_units(&self) -> Fixed {
        Fixed::ONE.divide(self.ticks_per_unit)
    }

    fn read_duration(&mut self, found: Found, args: &[Value], start: Tick) -> Tick {
        let Found::Action(action) = found else { return 1 };
        let duration = &self.model.actions[action].duration;
        let reads_nothing = match duration {
            Duration::Fixed(exact) => exact.children().is_empty() && !exact.depends_on_time(),
            _ => false,
        };
        let state = if reads_nothing {
            &self.initial
        } else {
            let (model, initial) = (self.model, &self.initial);
            let world = self.world.get_or_insert_with(|| {
                let options = WorldOptions {
                    detail: Detail::Violations,
                    unmet: Unmet::Performed,
                    follow: Follow::Nobody,
                    work_max: 10_000_000,
                    ..WorldOptions::default()
                };
                Box::new(World::new(model, initial.clone(), options))
            });
            for (number, (found, args, start, length)) in self.before.drain(..).enumerate() {
                let what = match found {
                    Found::Action(action) => crate::simulate::step::Performed::Action(action),
                    Found::Task(task) => crate::simulate::step::Performed::Task(task),
                };
                world.put(number as u32, what, args.as_slice().into(), start, Some(length), None);
            }
            world.look_at(model, start);
            world.drain();
            world.state()
        };
        duration_bounds(self.model, state, duration, args).map_or(1, |bounds| bounds.0)
    }
}
