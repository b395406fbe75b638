//! Sending steps: when, in which form, and what becomes of those that are too late.

use dramaturg_model::{LatePolicy, Step, StepEventKind, Tick};
use dramaturg_planner::simulate::World;
use dramaturg_wire::ToGame;

use crate::core::Core;
use crate::event::EventKind;
use crate::options::{Policy, critical_window};
use crate::order::{self, Orders, Performed};

/// What was sent so many microseconds too early is taken back.
const TAKE_BACK: i64 = 1_000_000;

/// What looking at a step came to.
enum Look {
    Send,
    Blocked(String),
}

impl Core {
    /// Sends every step that must be sent now.
    pub(crate) fn dispatch_due(&mut self) {
        if !self.connected || self.clock.is_paused() || self.over.is_some() || !self.may_send() || !self.knows_time() {
            return;
        }
        let horizon = self.bounds().most.saturating_add(self.lead());
        self.dispatch(Tick::MIN, horizon, self.soonest());
    }

    /// At the end of a planning cycle: sends what lies in its window.
    pub(crate) fn dispatch_window(&mut self, tau: Tick) {
        if !self.connected || self.over.is_some() || !self.may_send() {
            return;
        }
        let (omega, upsilon, mu) = (self.options.omega, Tick::from(self.options.upsilon), self.mu());
        let (least, most) = critical_window(tau, omega, upsilon, mu);
        if self.options.policy == Policy::Paper {
            self.dispatch(least, most, Tick::MIN);
        } else {
            let close = least.saturating_add(omega).saturating_add(upsilon).saturating_add(mu);
            // What the cycle before could not know of is still sent if it can arrive in time.
            self.dispatch(Tick::MIN, close, self.soonest());
        }
    }

    /// The first tick for which something that is sent now is likely to arrive in time. When a step is sent follows
    /// from the longest journey; what is given up does not: on a busy machine the longest takes a second or more, and
    /// nearly all that it might hold up arrives in time. Where journeys are given, none is usual but those.
    fn soonest(&self) -> Tick {
        let bounds = self.bounds();
        let longest = bounds.most.saturating_add(self.mu()).saturating_add(1);
        let usual = self.latency.usual().map(|there_and_back| {
            // The estimate is as old as the way of the report that it rests on.
            bounds.least.saturating_add(self.clock.ticks(there_and_back)).saturating_add(1)
        });
        usual.map_or(longest, |usual| usual.min(longest))
    }

    /// Takes back what was sent for ticks far ahead, under an estimate of the game's tick that has proved false: a
    /// planner that is told of it plans again, instead of waiting until those ticks come.
    pub(crate) fn take_back(&mut self) {
        if self.options.policy != Policy::Decoupled {
            return;
        }
        let horizon = self.bounds().most.saturating_add(self.lead()).saturating_add(self.clock.ticks(TAKE_BACK));
        let far = self.board.entries().filter(|(_, entry)| entry.step.start > horizon && !entry.parts.is_empty());
        for id in far.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.cancel(id);
        }
    }

    /// Sends steps that start between two ticks; those that start before `soonest` are not likely to arrive in time.
    fn dispatch(&mut self, from: Tick, until: Tick, soonest: Tick) {
        let mut ahead: Option<World> = None;
        for id in self.board.due(until) {
            let Some(entry) = self.board.get(id) else { continue };
            let start = entry.step.start;
            if start < from {
                continue;
            }
            let is_late = start < soonest;
            if is_late && !self.may_be_late(id, soonest) {
                continue;
            }
            match self.look(id, &mut ahead) {
                Look::Send => {
                    if is_late {
                        self.tell(EventKind::Late { step: id, start, policy: "send".to_owned() });
                    }
                    self.send(id, ahead.as_ref());
                    // Those after it may need what it brings about. To run the world anew for each of them would take
                    // a time that grows with the square of how many there are, just when this side is late.
                    ahead = ahead.and_then(|world| self.with_sent(id, world));
                }
                Look::Blocked(why) => self.block(id, why),
            }
        }
        if let Some((first, names)) = self.dictionary.news() {
            self.channel.send(self.now, &ToGame::Names { first, names });
        }
    }

    /// What becomes of a step that is not likely to arrive before its start: whether it is sent all the same. One that
    /// may be late is sent as long as it may arrive within its time: the executor knows the tick and says how late it
    /// was, or that it was missed.
    fn may_be_late(&mut self, id: u32, soonest: Tick) -> bool {
        let Some(step) = self.board.get(id).map(|entry| entry.step.clone()) else { return false };
        let policy = self.model.find_action(&step.action).map(|action| self.model.actions[action].late.clone());
        let by = soonest.saturating_sub(step.start);
        let at_least = self.bounds().least.saturating_add(1).saturating_sub(step.start).min(by);
        let most = match &policy {
            Some(LatePolicy::UpTo(most)) => {
                self.chronicle.present().value(&self.model, most).as_number().map_or(0, |most| most.round_half_up())
            }
            _ => 0,
        };
        let word = match policy {
            Some(LatePolicy::UpTo(_)) if at_least <= most => return true,
            Some(LatePolicy::Drop) => "drop",
            _ => "retime",
        };
        self.tell(EventKind::Late { step: id, start: step.start, policy: word.to_owned() });
        self.board.end(id);
        self.feed_kind(id, 0, StepEventKind::Missed(by));
        false
    }

    /// Whether a step's conditions hold when it starts, by what is done, running or locked.
    fn look(&self, id: u32, ahead: &mut Option<World>) -> Look {
        let Some(step) = self.board.get(id).map(|entry| &entry.step) else {
            return Look::Blocked("it is gone".to_owned());
        };
        let Some(known) = order::performed(&self.model, &step.action) else {
            return Look::Blocked(format!("there is no action or task called `{}`", step.action));
        };
        let Some(args) = order::arguments(&self.model, known.params(&self.model), &step.args) else {
            return Look::Blocked(format!("`{}` cannot be done with these objects", step.action));
        };
        if known.needs_nothing(&self.model) {
            return Look::Send;
        }
        let world = ahead.get_or_insert_with(|| self.look_ahead());
        if world.now() > step.start {
            *world = self.look_ahead();
        }
        world.look_at(&self.model, step.start);
        match order::obstacles(&self.model, known, &args, world) {
            obstacles if obstacles.is_empty() => Look::Send,
            obstacles => Look::Blocked(obstacles.join("; ")),
        }
    }

    /// The world as it will be if what is locked is performed.
    fn look_ahead(&self) -> World {
        let mut world = self.chronicle.ahead(&self.model);
        for (id, entry) in self.board.entries() {
            if entry.is_locked() && !self.chronicle.is_running(*id) && entry.step.start > world.now() {
                // Its names were known when it was locked.
                let _ = world.schedule(&self.model, &entry.step);
            }
        }
        world
    }

    /// A world ahead with a step in it that was just sent; none if it must be looked at anew.
    fn with_sent(&self, id: u32, mut world: World) -> Option<World> {
        let entry = self.board.get(id)?;
        if entry.is_locked() {
            let is_in = entry.step.start >= world.now() && world.schedule_checked(&self.model, &entry.step).is_ok();
            return is_in.then_some(world);
        }
        Some(world)
    }

    fn send(&mut self, id: u32, at_start: Option<&World>) {
        let Some(entry) = self.board.get(id) else { return };
        let step: Step = entry.step.clone();
        let (version, first, asked) = (entry.version + 1, entry.first_part(), entry.answer.is_some());
        let Some(known) = order::performed(&self.model, &step.action) else { return };
        let Some(args) = order::arguments(&self.model, known.params(&self.model), &step.args) else { return };
        let at_start = at_start.filter(|_| !known.needs_nothing(&self.model));
        let mut orders = Orders {
            model: &self.model,
            dictionary: &mut self.dictionary,
            language: self.language.as_ref(),
            present: self.chronicle.present(),
            at_start,
        };
        let question = match known {
            Performed::Action(action) if !asked => orders.ask(&self.model.actions[action], &args, &step, version),
            _ => None,
        };
        let asks = question.is_some();
        let tasks = match (question, known) {
            (Some(question), _) => [question].into_iter().collect(),
            (None, Performed::Action(action)) => orders.of(&self.model.actions[action], &args, &step, version, first),
            (None, Performed::Task(task)) => {
                [orders.of_task(&self.model.tasks[task], &step, version)].into_iter().collect()
            }
        };
        if let Some(entry) = self.board.get_mut(id) {
            entry.asking = asks;
        }
        self.board.lock(id, tasks.len(), self.options.mechanisms.lock);
        self.tell(EventKind::Locked { step: id, start: step.start });
        self.feed_kind(id, version, StepEventKind::Locked);
        // The game must know every name before the first task that speaks of it.
        if let Some((first, names)) = self.dictionary.news() {
            self.channel.send(self.now, &ToGame::Names { first, names });
        }
        let lead = step.start.saturating_sub(self.bounds().most);
        for execute in tasks {
            self.tell(EventKind::Dispatched {
                task: execute.task,
                version,
                action: step.action.to_string(),
                args: step.args.iter().map(ToString::to_string).collect(),
                start: execute.start,
                duration: execute.duration,
                lead,
                guards: u16::try_from(execute.guards.len()).unwrap_or(u16::MAX),
            });
            self.channel.send(self.now, &ToGame::Execute(execute));
        }
    }

    /// A step waits for the planner to mend what it lacks; that is told once for each reason.
    fn block(&mut self, id: u32, why: String) {
        let Some(entry) = self.board.get_mut(id) else { return };
        if entry.blocked.as_ref() != Some(&why) {
            entry.blocked = Some(why.clone());
            self.tell(EventKind::Blocked { step: id, why });
        }
    }
}
