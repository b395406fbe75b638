//! The steps of a play, one by one.

use dramaturg::model::{Evaluator, EventKind, EventPattern, Observation, PatternArg, Span, Tick, Value};
use dramaturg::planner::simulate::unmet;
use dramaturg::story::compile::play::{PlayStep, Sight, SightTime, Step};
use dramaturg_director::SessionSave;
use dramaturg_director::{Director, SaveError};
use dramaturg_executor::scripted::Aim;
use dramaturg_wire as wire;

use super::difference::{CHECK_FAILED, DONE_OTHERWISE, Difference, NOT_POSSIBLE, NOT_SEEN, OTHER_TIME};
use super::performance::{Performance, Stop};
use super::scene::{self, Seen, What};
use crate::shell::count;
use crate::staging::actor::wire_value;
use crate::staging::stage::Named;

/// So many ticks something that is to be done now may wait for its turn, and something that is late may still be found.
const SOON: Tick = 60;

impl<'p> Performance<'p> {
    pub(super) fn step(&mut self, step: &'p Step) -> Result<(), Stop> {
        let place = step.place;
        match &step.kind {
            // These hold from the beginning.
            PlayStep::Given(_) | PlayStep::Goals(..) | PlayStep::Level(_) | PlayStep::Seed(_) | PlayStep::Force => {
                return Ok(());
            }
            PlayStep::Until(time) => self.until(self.ticks(time), place)?,
            PlayStep::Wait(time) => self.until(self.now().saturating_add(self.ticks(time)), place)?,
            PlayStep::Finish => self.finish(place)?,
            PlayStep::Reload => self.reload(place)?,
            PlayStep::Report(seen, window) => {
                let window = window.as_ref().map(|(from, to)| (self.ticks(from), self.ticks(to)));
                let now = self.begin();
                let values: Vec<_> = seen
                    .iter()
                    .map(|(target, value)| {
                        let world = self.stage.world();
                        let mut scope = Evaluator::new(&self.model, world.state());
                        let args = scope.args(&target.args);
                        (self.model.fluent_name(target.fluent, &args), scope.value(value))
                    })
                    .collect();
                self.report(values, window.unwrap_or((now, now)), window.is_some());
            }
            PlayStep::Fail(event, after) => {
                let after = after.as_ref().map_or(0, |after| self.ticks(after));
                let aim = self.aim(event);
                self.stage.both.actor.game().fail_next(aim, after, "the play lets it fail");
            }
            PlayStep::Stretch(event, by) => {
                let (aim, by) = (self.aim(event), self.ticks(by));
                self.stage.both.actor.game().stretch_next(aim, by);
            }
            PlayStep::Answer(answer) => {
                let answer = self.model.symbols[*answer].clone();
                self.answer(&answer, place)?;
            }
            PlayStep::Do(event) => self.carry_out(event, place)?,
            PlayStep::See(sight, time) => self.see(sight, time, place)?,
            PlayStep::Never(sight) => self.forbid(sight, place),
            PlayStep::Check(condition) => {
                if self.fresh {
                    self.tick()?;
                }
                let core = self.stage.core();
                let world = core.chronicle().look_back(&self.model, self.now());
                if !Evaluator::new(&self.model, world.state()).holds(condition) {
                    let leaves = unmet(&self.model, world.state(), condition, &[], None);
                    let leaves =
                        leaves.iter().map(|leaf| format!("{} is {}, not {}", leaf.what(), leaf.found, leaf.wanted));
                    let found: Vec<String> = leaves.collect();
                    let message = format!("at tick {} this does not hold", self.now());
                    let mut found = Difference::new(CHECK_FAILED, place, self.now(), message).here(found.join("; "));
                    found.before = self.told_before(self.seen.len());
                    found.instead = vec![(self.now(), found.here.clone())];
                    return Err(found.into());
                }
            }
            // Nobody offers anything: plays that look for offers are performed by planners that have some.
            PlayStep::Offered(_) | PlayStep::Choose(_) => {
                return Err(Difference::new(NOT_POSSIBLE, place, self.now(), "nothing is offered").into());
            }
            PlayStep::Only(who, steps) => {
                let before = self.only.replace((*who, self.seen.len()));
                for step in steps {
                    self.step(step)?;
                }
                self.only = before;
            }
            PlayStep::Unordered(steps) => self.unordered(steps)?,
        }
        self.met = self.now();
        Ok(())
    }

    /// Moves to the beginning of the next tick, in which the game does something.
    fn begin(&mut self) -> Tick {
        self.fresh = true;
        self.now()
    }

    fn until(&mut self, tick: Tick, place: Span) -> Result<(), Stop> {
        if tick < self.now() {
            let message = format!("tick {tick} is over: it is tick {} already", self.now());
            return Err(Difference::new(NOT_POSSIBLE, place, self.now(), message).into());
        }
        while self.stage.both.next() < tick {
            self.tick()?;
        }
        self.fresh = self.stage.both.next() == tick;
        self.count_from_now();
        Ok(())
    }

    fn finish(&mut self, place: Span) -> Result<(), Stop> {
        let began = self.now();
        // What was just asked for must first be heard of.
        for _ in 0..3 {
            self.tick()?;
        }
        while !self.stage.is_over() {
            if self.now() - began > self.staging.patience {
                let message = format!("something is still planned or running at tick {}", self.now());
                let found = Difference::new(NOT_SEEN, place, self.now(), message);
                return Err(found.hint("write `until` a tick, or allow more with --patience").into());
            }
            self.tick()?;
        }
        self.count_from_now();
        Ok(())
    }

    /// Saves the session and goes on with what was saved.
    fn reload(&mut self, place: Span) -> Result<(), Stop> {
        let director = self.stage.both.session.director_mut();
        let bytes = director.save().to_bytes();
        if self.staging.reloads {
            let options = director.core().options().clone();
            let loaded = SessionSave::from_bytes(&bytes)
                .and_then(|save| Director::load(self.model.clone(), options, &save, dramaturg_planners::loader()));
            let trouble = match loaded {
                Ok((loaded, report)) if report.notes.is_empty() => {
                    *director = loaded;
                    None
                }
                Ok((_, report)) => report.notes.first().map(|note| format!("{}: {}", note.what, note.why)),
                Err(error) => Some(SaveError::to_string(&error)),
            };
            if let Some(trouble) = trouble {
                let message = format!("what was saved cannot be loaded: {trouble}");
                return Err(Difference::new(NOT_POSSIBLE, place, self.now(), message).into());
            }
        }
        Ok(())
    }

    fn report(&mut self, values: Vec<(String, Value)>, (from, to): (Tick, Tick), is_past: bool) {
        let mut observations = Vec::new();
        for (fluent, value) in values {
            let name = self.model.value_name(value);
            let value = wire_value(&self.model, value);
            // The game itself knows it from now on.
            let known = Observation {
                fluent: fluent.as_str().into(),
                value: name,
                from: self.stage.both.next(),
                to: None,
                source: 0,
                sequence: 0,
            };
            self.stage.both.actor.set(&known);
            observations.push(wire::Observation { fluent, value, from, to: is_past.then_some(to) });
        }
        self.stage.both.executor.perceive_all(observations);
    }

    fn aim(&self, event: &EventPattern) -> Aim {
        let model = &self.model;
        let actions = match event.kind {
            EventKind::Action(action) => vec![model.actions[action].name.to_string()],
            EventKind::Task(task) | EventKind::Method(task, _) => vec![model.tasks[task].name.to_string()],
            EventKind::Tag(tag) => {
                let actions = model.actions.values().filter(|action| action.tags.contains(&tag));
                actions.map(|action| action.name.to_string()).collect()
            }
            EventKind::Rule(_) | EventKind::Milestone(_) | EventKind::Ending(_) => Vec::new(),
        };
        let param = |arg: &PatternArg| match arg {
            PatternArg::Is(value) => Some(model.value_name(*value).to_string()),
            PatternArg::Any | PatternArg::Var(_) => None,
        };
        Aim { actions, params: event.args.as_ref().map(|args| args.iter().map(param).collect()) }
    }

    fn answer(&mut self, answer: &str, place: Span) -> Result<(), Stop> {
        let impossible = |message: &str, now| Difference::new(NOT_POSSIBLE, place, now, message);
        let Some(task) = self.stage.open.first().map(|open| open.task) else {
            let found = impossible("no question is open", self.now());
            return Err(found.hint("`see` the question first").into());
        };
        if let Err(error) = self.stage.answer(task, answer) {
            return Err(impossible(&error.to_string(), self.now()).into());
        }
        self.begin();
        self.count_from_now();
        Ok(())
    }

    /// Has something done now, and waits until it has ended or asks a question.
    fn carry_out(&mut self, event: &EventPattern, place: Span) -> Result<(), Stop> {
        let aim = self.aim(event);
        let (Some(name), Some(args)) = (aim.actions.first(), aim.params.unwrap_or_default().into_iter().collect())
        else {
            let found = Difference::new(NOT_POSSIBLE, place, self.now(), "what is done must be named in full");
            return Err(found.hint("`do walk(hector, dock)`, without `_`").into());
        };
        let named = Named { name: name.clone(), args };
        self.begin();
        self.count_from_now();
        (self.blocked, self.refused) = (None, None);
        let (asked, known) = (self.now(), self.stage.steps.len());
        self.stage.both.executor.set_goals(None, vec![format!("goal done {named}")]);
        let asked_before = self.stage.open.len();
        let step = loop {
            let started = self.stage.steps.iter().skip(known).find(|(_, step)| *step == named).map(|(step, _)| *step);
            if let Some(step) = started {
                break step;
            }
            if self.stage.open.iter().skip(asked_before).any(|open| open.action == named.name) {
                return Ok(());
            }
            let why = self.refused.clone().or(self.blocked.clone().filter(|_| self.now() - asked > SOON));
            if why.is_some() || self.now() - asked > self.staging.patience.min(2 * SOON) {
                let why = why.unwrap_or_else(|| "it was not begun in time".to_owned());
                let mut found =
                    Difference::new(NOT_POSSIBLE, place, self.now(), format!("`{named}` cannot be done now"));
                found.before = self.told_before(self.from.1);
                found.instead = self.told_since();
                return Err(found.here(why).into());
            }
            self.tick()?;
        };
        while self.stage.core().board().get(step).is_some() {
            if self.now() - asked > self.staging.patience {
                return Err(Difference::new(NOT_SEEN, place, self.now(), format!("`{named}` does not end")).into());
            }
            self.tick()?;
        }
        Ok(())
    }

    fn limit(&self, time: &SightTime) -> Option<Tick> {
        match time {
            SightTime::Any => None,
            SightTime::At(time) | SightTime::By(time) => Some(self.ticks(time)),
            SightTime::Within(time) => Some(self.met.saturating_add(self.ticks(time))),
        }
    }

    /// Runs until this is seen.
    fn see(&mut self, sight: &Sight, time: &SightTime, place: Span) -> Result<(), Stop> {
        let (began, limit) = (self.now(), self.limit(time));
        loop {
            self.nothing_else(sight, place)?;
            if let Some(at) = self.find(sight) {
                return self.found(at, time, limit, place);
            }
            if let Some(why) = self.gives_up(began, limit) {
                let mut found = Difference::new(NOT_SEEN, place, self.now(), "this did not come");
                found.before = self.told_before(self.from.1);
                found.instead = self.told_since();
                self.look_further(sight, time, limit, place)?;
                return Err(found.here(why).into());
            }
            self.tick()?;
        }
    }

    /// Whether something comes soon after its time: then it is told by how much it was late.
    fn look_further(&mut self, sight: &Sight, time: &SightTime, limit: Option<Tick>, place: Span) -> Result<(), Stop> {
        for _ in 0..if limit.is_some() { SOON } else { 0 } {
            // What else goes wrong from here on is of no interest.
            if self.tick().is_err() {
                return Ok(());
            }
            if let Some(at) = self.find(sight) {
                return self.found(at, time, limit, place);
            }
        }
        Ok(())
    }

    fn find(&self, sight: &Sight) -> Option<usize> {
        let known = self.seen.iter().enumerate();
        let mut fits = known.filter(|(at, seen)| !seen.found && self.counts(*at, seen));
        fits.find(|(_, seen)| scene::is_sight(&self.model, sight, &seen.what)).map(|(at, _)| at)
    }

    fn found(&mut self, at: usize, time: &SightTime, limit: Option<Tick>, place: Span) -> Result<(), Stop> {
        let Some(seen) = self.seen.get_mut(at) else { return Ok(()) };
        seen.found = true;
        let (tick, what) = (seen.tick, seen.what.to_string());
        let in_time = match (time, limit) {
            (SightTime::At(_), Some(limit)) => tick == limit,
            (_, Some(limit)) => tick <= limit,
            (_, None) => true,
        };
        if !in_time {
            let limit = limit.unwrap_or_default();
            let mut found =
                Difference::new(OTHER_TIME, place, tick, format!("this came at tick {tick}, not at {limit}"));
            if !matches!(time, SightTime::At(_)) {
                found.message = format!("this came at tick {tick}, later than {limit}");
            }
            found.before = self.told_before(at);
            found.instead = vec![(tick, what)];
            let by = count(usize::try_from((tick - limit).abs()).unwrap_or(0), "tick");
            return Err(found.here(format!("{by} too {}", if tick > limit { "late" } else { "early" })).into());
        }
        self.from = (tick.max(self.from.0), at + 1);
        Ok(())
    }

    /// Why it makes no sense to wait any longer, if it makes none.
    fn gives_up(&self, began: Tick, limit: Option<Tick>) -> Option<String> {
        let last = self.stage.both.next() - 1;
        if limit.is_some_and(|limit| last >= limit) {
            return Some(format!("not seen by tick {last}"));
        }
        if last - began > 3 && self.stage.is_over() {
            let why =
                if self.stage.open.is_empty() { "nothing more will happen by itself" } else { "a question is open" };
            return Some(format!("not seen by tick {last}, and {why}"));
        }
        (last - began > self.staging.patience)
            .then(|| format!("not seen by tick {last}, after {} ticks of waiting", self.staging.patience))
    }

    /// Of whom only what is written may be seen, nothing else was.
    fn nothing_else(&self, sight: &Sight, place: Span) -> Result<(), Stop> {
        let Some((who, since)) = self.only else { return Ok(()) };
        let mut done = self.seen.iter().enumerate().skip(since);
        let next = done.find(|(_, seen)| !seen.found && scene::is_performed_by(&self.model, who, &seen.what));
        let is_about =
            matches!(sight, Sight::Event(EventPattern { kind: EventKind::Action(_) | EventKind::Tag(_), .. }));
        match next {
            Some((at, Seen { tick, what, .. })) if is_about && !scene::is_sight(&self.model, sight, what) => {
                let who = &self.model.objects[who].name;
                let message = format!("`{who}` did something else");
                let mut found = Difference::new(DONE_OTHERWISE, place, *tick, message);
                found.before = self.told_before(at);
                found.instead = vec![(*tick, what.to_string())];
                Err(found.here(format!("at tick {tick} came `{}`", named(what))).into())
            }
            _ => Ok(()),
        }
    }

    /// Runs until all of these are seen, in any order.
    fn unordered(&mut self, steps: &'p [Step]) -> Result<(), Stop> {
        let (began, from, met) = (self.now(), self.from, self.met);
        let mut open: Vec<&Step> = Vec::new();
        for step in steps {
            if matches!(step.kind, PlayStep::See(..)) { open.push(step) } else { self.step(step)? }
        }
        let mut last = from;
        while !open.is_empty() {
            let mut still = Vec::new();
            for step in open {
                let PlayStep::See(sight, time) = &step.kind else { continue };
                (self.from, self.met) = (from, met);
                let limit = self.limit(time);
                match self.find(sight) {
                    Some(at) => {
                        self.found(at, time, limit, step.place)?;
                        last = last.max(self.from);
                    }
                    None => match self.gives_up(began, limit) {
                        Some(why) => {
                            let mut found = Difference::new(NOT_SEEN, step.place, self.now(), "this did not come");
                            found.before = self.told_before(self.from.1);
                            found.instead = self.told_since();
                            return Err(Stop::from(found.here(why)));
                        }
                        None => still.push(step),
                    },
                }
            }
            open = still;
            if !open.is_empty() {
                self.tick()?;
            }
        }
        self.from = last;
        Ok(())
    }
}

fn named(what: &What) -> String {
    match what {
        What::Action(named) | What::Task(named, _) | What::Rule(named) => named.to_string(),
        other => other.to_string(),
    }
}
