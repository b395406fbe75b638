//! From the world as it is known to what will come of it without any further decision.

use std::sync::Arc;

use dramaturg_model::{Args, Model, Tick};

use super::aims::slot_of;
use super::form::held;
use super::occurrence::OccurrenceId;
use super::projection::Projection;
use super::repertoire::Repertoire;
use super::slot::{NOTHING, SlotId};
use crate::ground::{GroundRuleId, NumberId, Place, VariableId};
use crate::simulate::pending::PendingValue;
use crate::simulate::{Phase, World};

/// A projection, and the steps in it that nobody can change any more, by their ids.
pub(crate) struct Outlook {
    pub(crate) projection: Projection,
    pub(crate) fixed: Vec<(u32, OccurrenceId)>,
}

impl Outlook {
    /// What will come of a world; none if it cannot be said in this repertoire.
    pub(crate) fn new(model: &Model, repertoire: &Arc<Repertoire>, world: &World) -> Option<Self> {
        let problem = Arc::clone(&repertoire.problem);
        if world.state().level() != problem.level {
            return None;
        }
        let packed = problem.pack(world.state())?;
        let (tick, phase) = world.next_phase();
        let first = if phase == Phase::Observe { tick } else { tick.saturating_add(1) };
        let variables = problem.variables.len();
        let value = |slot: SlotId| match (slot.0 as usize).checked_sub(variables) {
            None => i64::from(packed.get(&problem, VariableId(slot.0))),
            Some(number) => packed.number(NumberId(number as u32)).map_or(NOTHING, |value| value.0),
        };
        let mut projection = Projection::new(Arc::clone(repertoire), first, value);
        let pending = world.pending(model);
        let mut fixed = Vec::new();
        for step in &pending.steps {
            let Some(form) = repertoire.form(step.action, &step.args) else { continue };
            let start = if step.runs { step.start } else { step.start.max(first) };
            fixed.push((step.id, projection.place(form, start, Some(step.duration.max(1)))));
        }
        let track = |rule, args: &Args| {
            repertoire.tracks.iter().find(|(_, track)| {
                problem.rules[track.rule].rule == rule && problem.rule_args(track.rule) == args.as_slice()
            })
        };
        for run in &pending.rules {
            if let Some((track, _)) = track(run.rule, &run.args) {
                projection.resume_rule(track, run.start, run.duration);
            }
        }
        let mut put = |value: &PendingValue, seen: bool| {
            let place = problem.place(value.fluent, &value.args)?;
            let slot = slot_of(repertoire, place)?;
            let held = match place {
                Place::Member(_, member) => value.value.is_true().then(|| i64::from(member)),
                _ => held(&problem, slot, &repertoire.slots, value.value),
            };
            let tick = value.tick.max(first);
            match (held?, seen) {
                (held, true) => projection.see(slot, tick, held),
                (held, false) => projection.bring(slot, tick, held),
            }
            Some(())
        };
        for value in &pending.seen {
            put(value, true);
        }
        for value in &pending.awaited {
            put(value, false);
        }
        let held = |id: GroundRuleId| {
            let args = Args::from_slice(problem.rule_args(id));
            pending.held.binary_search(&(problem.rules[id].rule, args)).is_ok()
        };
        projection.watch_rules(|track| held(repertoire.tracks[track].rule));
        projection.settle();
        Some(Self { projection, fixed })
    }

    /// Looks no further than this.
    pub(crate) fn until(mut self, horizon: Tick) -> Self {
        self.projection.horizon = horizon;
        self
    }
}
