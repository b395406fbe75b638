//! Expectations in a running game: what is waited for, for how long, and what follows when it does not come.

use std::collections::BTreeSet;

use dramaturg_model::{Args, Change, Effect, Expectation, Fixed, FluentId, Model, RuleId, Tick, Value};

use super::agenda::Item;
use super::batch::{Batch, Reader, is_slot};
use super::event::{Cause, Phase, WaitStatus, WorldEventKind};
use super::step::{Performed, StepKey};
use super::world::{Expectations, World};

/// Names one wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WaitKey(pub(super) u32);

/// Who waits.
#[derive(Clone, Debug)]
pub(super) enum Waiter {
    Step(StepKey),
    Rule(RuleId),
}

/// Something that is waited for.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub(super) key: WaitKey,
    pub(super) waiter: Waiter,
    pub(super) cause: Cause,
    pub(super) args: Args,
    pub(super) wanted: Vec<(FluentId, Args, Value)>,
    pub(super) deadline: Tick,
    pub(super) late: u32,
    pub(super) extensions: u32,
    pub(super) extend_by: Tick,
}

/// Everything that is waited for, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Waits {
    pub(super) open: Vec<Wait>,
    pub(super) next: u32,
    pub(super) looked: u64,
    /// Steps for which it has come, by id: it may have gone again before anybody asks.
    pub(super) came: BTreeSet<u32>,
}

impl Waits {
    pub(super) fn any(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether something has changed since it was last looked for.
    pub(super) fn need_look(&self, version: u64) -> bool {
        self.any() && self.looked != version
    }

    /// Begins to wait. The caller puts the deadline on the agenda.
    pub(super) fn begin(&mut self, reader: &Reader<'_>, waiter: Waiter, expectation: &Expectation, deadline: Tick) {
        let mut wanted = Vec::new();
        expectation.effects.iter().for_each(|effect| want(reader, effect, &mut wanted));
        let (extensions, extend_by) = match &expectation.extend {
            Some((times, by)) => (*times, reader.scope().number(by).map_or(0, Fixed::round_half_up).max(1)),
            None => (0, 0),
        };
        let key = WaitKey(self.next);
        self.next = self.next.wrapping_add(1);
        let (cause, args) = (reader.cause, Args::from_slice(reader.args));
        self.open.push(Wait { key, waiter, cause, args, wanted, deadline, late: 0, extensions, extend_by });
    }

    pub(super) fn drop_step(&mut self, step: StepKey) {
        self.open.retain(|wait| !matches!(wait.waiter, Waiter::Step(other) if other == step));
    }
}

/// What an effect would make true, read when the wait begins.
fn want(reader: &Reader<'_>, effect: &Effect, wanted: &mut Vec<(FluentId, Args, Value)>) {
    let fluent = effect.target.fluent;
    reader.scope().for_each(&effect.binders, &mut |scope| {
        if effect.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
            return;
        }
        let args = scope.args(&effect.target.args);
        if !is_slot(reader.model, fluent, &args) {
            return;
        }
        let value = match &effect.change {
            Change::Set(value) => scope.value(value),
            Change::Add(amount) => match (scope.number(amount), reader.state.get(fluent, &args).as_number()) {
                (Some(amount), Some(old)) => Value::Number(reader.model.fluents[fluent].domain.clamp(old + amount)),
                _ => return,
            },
            Change::Random(_) => return,
        };
        wanted.push((fluent, args, value));
    });
}

impl World {
    /// Whether what a step waited for has come, even if it has gone again since.
    pub fn has_come_for(&self, step: u32) -> bool {
        self.waits.came.contains(&step)
    }

    /// Forgets for which steps it has come, but for those that somebody may still ask about.
    pub(crate) fn forget_come(&mut self, is_asked: impl Fn(u32) -> bool) {
        self.waits.came.retain(|step| is_asked(*step));
    }

    /// Puts the end of the newest wait on the agenda.
    pub(super) fn enter_last_deadline(&mut self) {
        if let Some(wait) = self.waits.open.last().filter(|wait| wait.deadline < Tick::MAX) {
            let (deadline, key) = (wait.deadline, wait.key);
            self.enter(deadline, Item::Deadline(key));
        }
    }

    /// Confirms what has come; a step that waited for it ends in P1, of this tick if that is still to come.
    pub(super) fn look_for_expected(&mut self) {
        if !self.waits.need_look(self.version) {
            return;
        }
        self.waits.looked = self.version;
        let state = &self.state;
        let (seen, open): (Vec<Wait>, Vec<Wait>) = std::mem::take(&mut self.waits.open)
            .into_iter()
            .partition(|wait| wait.wanted.iter().all(|(fluent, args, value)| state.get(*fluent, args) == *value));
        self.waits.open = open;
        for wait in seen {
            self.happen(|| WorldEventKind::Expectation { by: wait.cause, status: WaitStatus::Confirmed });
            if let Cause::Step(id) = wait.cause {
                self.waits.came.insert(id);
            }
            if let Waiter::Step(step) = wait.waiter {
                let tick = if self.phase <= Phase::End { self.tick } else { self.tick.saturating_add(1) };
                if let Some(step) = self.steps.get_mut(step) {
                    step.duration = tick.saturating_sub(step.start).max(1);
                }
                self.enter(tick, Item::End(step));
            }
        }
    }

    /// P2: a deadline has come: wait longer, or give up.
    pub(super) fn pass_deadline(&mut self, model: &Model, key: WaitKey) {
        let Some(at) = self.waits.open.iter().position(|wait| wait.key == key) else { return };
        let Some(wait) = self.waits.open.get_mut(at) else { return };
        if self.options.expectations == Expectations::Assumed {
            // Whoever looks ahead takes it that what was waited for comes in the end.
            let mut batch = Batch::default();
            for (fluent, args, value) in &wait.wanted {
                batch.set(*fluent, args.clone(), *value, wait.cause);
            }
            self.write(model, batch);
            self.look_for_expected();
            return;
        }
        if wait.late < wait.extensions {
            wait.late += 1;
            wait.deadline = self.tick.saturating_add(wait.extend_by);
            let (cause, late, deadline) = (wait.cause, wait.late, wait.deadline);
            self.enter(deadline, Item::Deadline(key));
            self.happen(|| WorldEventKind::Expectation { by: cause, status: WaitStatus::Late(late) });
            return;
        }
        let wait = self.waits.open.remove(at);
        self.happen(|| WorldEventKind::Expectation { by: wait.cause, status: WaitStatus::Invalidated });
        let expectation = match wait.waiter {
            Waiter::Rule(rule) => model.rules[rule].expectation.as_ref(),
            Waiter::Step(step) => match self.steps.get(step).map(|step| step.what) {
                Some(Performed::Action(action)) => model.actions[action].expectation.as_ref(),
                _ => None,
            },
        };
        let reader = Reader { model, state: &self.state, args: &wait.args, duration: None, cause: wait.cause };
        let mut batch = Batch::default();
        for effect in expectation.iter().flat_map(|expectation| &expectation.otherwise) {
            batch.effect(&reader, effect, &mut self.chance);
        }
        self.write(model, batch);
        if let Waiter::Step(step) = wait.waiter {
            self.cut_step(step);
        }
    }
}
