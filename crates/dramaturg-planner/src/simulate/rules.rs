//! Rules: what happens by itself in P2.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{
    ActionId, Amount, Args, Contribution, EndingId, Evaluator, EventKind, EventPattern, MilestoneId, Model, Moment,
    PatternArg, RuleId, TagId, TaskId, Tick, Trigger, Value,
};
use rustc_hash::FxHashMap;

use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Violation, ViolationKind, WorldEventKind};
use super::rates::{Total, contribute, totals};
use super::reads::Reads;
use super::step::{duration_bounds, moment_tick};
use super::waits::Waiter;
use super::watch::{BINDINGS_MAX, Bindings, Values, WatchId, Watched, Watches};
use super::world::{Expectations, World};

/// Names one firing of a rule with a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct RunKey(pub(super) u32);

/// Something that ended or fired, for rules that come `after` it.
#[derive(Clone, Debug)]
pub(super) enum Happened {
    Action(ActionId, Args),
    Task(TaskId, u16, Args),
    Rule(RuleId, Args),
    Milestone(MilestoneId),
    Ending(EndingId),
}

impl Happened {
    /// Its arguments if it is of this kind.
    fn matches(&self, model: &Model, kind: EventKind) -> Option<&[Value]> {
        let has = |tags: &[TagId]| matches!(kind, EventKind::Tag(tag) if tags.contains(&tag));
        match self {
            Self::Action(action, args) => {
                (kind == EventKind::Action(*action) || has(&model.actions[*action].tags)).then_some(args)
            }
            Self::Task(task, method, args) => {
                let is_it = kind == EventKind::Task(*task) || kind == EventKind::Method(*task, *method);
                (is_it || has(&model.tasks[*task].tags)).then_some(args)
            }
            Self::Rule(rule, args) => (kind == EventKind::Rule(*rule) || has(&model.rules[*rule].tags)).then_some(args),
            Self::Milestone(milestone) => (kind == EventKind::Milestone(*milestone)).then_some(&[]),
            Self::Ending(ending) => (kind == EventKind::Ending(*ending)).then_some(&[]),
        }
    }
}

/// A rule with a duration whose effects have not come yet.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) rule: RuleId,
    pub(super) args: Args,
    pub(super) start: Tick,
    pub(super) duration: Tick,
    pub(super) totals: Vec<Total>,
}

/// A rule as it is watched in the level at hand.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// Fires on rising edges.
    Edge(RuleId, WatchId),
    /// Contributes while it holds.
    Level(RuleId, WatchId),
    /// Fires after something.
    After(RuleId),
    /// Contributes always.
    Always(RuleId, Bindings),
}

/// All rules of the level at hand and what they have begun.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleRuns {
    pub(super) entries: Vec<Entry>,
    /// The bindings for which a rule holds now.
    pub(super) active: BTreeMap<WatchId, BTreeSet<u32>>,
    pub(super) runs: FxHashMap<RunKey, Run>,
    pub(super) contributing: BTreeSet<RunKey>,
    pub(super) next: u32,
    /// How many instances with edges there are: the bound on rounds.
    edges: usize,
    /// Whether what a rule of the level contributes may change although no fluent does.
    reads_time: bool,
}

/// No story needs more rounds in one tick.
const ROUNDS_MAX: usize = 10_000;

impl RuleRuns {
    /// Whether something is contributed in every tick. In a steady world the contributions of rules without a duration
    /// change nothing (a number is at the end of its range, say), and go on to change nothing unless they read the
    /// time.
    pub(super) fn need_every_tick(&self, is_steady: bool) -> bool {
        if !self.contributing.is_empty() {
            return true;
        }
        let contributes = self.active.values().any(|active| !active.is_empty())
            || self.entries.iter().any(|entry| matches!(entry, Entry::Always(_, all) if all.len() > 0));
        contributes && (!is_steady || self.reads_time)
    }
}

/// Whether what a contribution adds may change although no fluent does.
fn reads_time(model: &Model, contribution: &Contribution, params: usize) -> bool {
    let (Amount::PerTick(amount) | Amount::Total(amount)) = &contribution.amount;
    let bound = contribution.binders.iter().flat_map(|binder| binder.among.iter().flatten());
    let mut parts = contribution.target.args.iter().chain(&contribution.condition).chain([amount]).chain(bound);
    parts.any(|part| Reads::of(model, part, params).timed)
}

impl World {
    /// Watches the rules of the level at hand.
    pub(super) fn settle_rules(&mut self, model: &Model, watches: &mut Watches) {
        let level = self.state.level();
        self.rules.entries.clear();
        self.rules.active.clear();
        self.rules.edges = 0;
        self.rules.reads_time = false;
        for (id, rule) in model.rules.iter().filter(|(_, rule)| model.is_visible(rule.level, level)) {
            if matches!(rule.trigger, Trigger::After(..)) {
                self.rules.entries.push(Entry::After(id));
                self.rules.edges += 1;
                continue;
            }
            let contributes = !rule.contributions.is_empty();
            self.rules.reads_time |= rule.contributions.iter().any(|it| reads_time(model, it, rule.params.len()));
            if !contributes && matches!(rule.trigger, Trigger::While(_) | Trigger::Always) {
                continue;
            }
            let Some(bindings) = Bindings::of(model, &rule.params, &self.state) else {
                let message =
                    format!("rule `{}` has more than {BINDINGS_MAX} instances and is not followed", rule.name);
                self.violation(Violation::new(ViolationKind::TooLarge, self.tick, message).at(rule.place));
                continue;
            };
            let entry = match rule.trigger {
                Trigger::When(..) => {
                    self.rules.edges = self.rules.edges.saturating_add(bindings.len());
                    Entry::Edge(id, watches.add(model, Watched::Rule(id), bindings))
                }
                Trigger::Always => Entry::Always(id, bindings),
                _ => Entry::Level(id, watches.add(model, Watched::Rule(id), bindings)),
            };
            self.rules.entries.push(entry);
        }
    }

    /// Forgets what rules have begun that do not exist in the level at hand.
    pub(super) fn forget_foreign_runs(&mut self, model: &Model) {
        let level = self.state.level();
        let exists = |run: &Run| {
            let objects = run.args.iter().filter_map(|arg| arg.as_object());
            model.is_visible(model.rules[run.rule].level, level)
                && objects.into_iter().all(|object| model.is_visible(model.objects[object].level, level))
        };
        self.rules.runs.retain(|_, run| exists(run));
        let RuleRuns { runs, contributing, .. } = &mut self.rules;
        contributing.retain(|key| runs.contains_key(key));
    }

    /// P2: rules fire one after another, round by round, until no edge is new.
    pub(super) fn rest(&mut self, model: &Model) {
        let entries = self.rules.entries.clone();
        let bound = self.rules.edges.clamp(1, ROUNDS_MAX);
        let mut rounds = 0;
        loop {
            let happened = std::mem::take(&mut self.happened);
            let mut fired = 0;
            let mut last = None;
            for entry in &entries {
                let (rule, before) = match entry {
                    Entry::Edge(rule, watch) => (*rule, self.raise(model, *rule, *watch)),
                    Entry::After(rule) => (*rule, self.follow_up(model, *rule, &happened)),
                    Entry::Level(..) | Entry::Always(..) => continue,
                };
                if before > 0 {
                    fired += before;
                    last = Some(rule);
                }
            }
            self.check_work();
            let Some(last) = last else { break };
            rounds += 1;
            if rounds > bound || self.halted {
                let name = &model.rules[last].name;
                let message =
                    format!("rules raise each other without end: `{name}` fired in round {rounds} of one tick");
                let violation = Violation::new(ViolationKind::RuleLoop, self.tick, message);
                self.violation(violation.at(model.rules[last].place).values(format!("at most {bound} rounds"), "more"));
                self.happened.clear();
                break;
            }
            debug_assert!(fired > 0);
        }
    }

    /// Fires a rule for each binding whose condition has become true; how often it fired.
    fn raise(&mut self, model: &Model, rule: RuleId, watch: WatchId) -> usize {
        if !self.watches.is_dirty_at(watch) {
            return 0;
        }
        let mut fired = 0;
        for index in self.watches.take_dirty(watch) {
            self.effort.conditions += 1;
            let (was, is) = self.watches.read(model, &self.state, watch, index as usize);
            if was || !is {
                continue;
            }
            let args = self.watches.get(watch).bindings.get(index as usize);
            if let Trigger::When(_, Some(condition)) = &model.rules[rule].trigger
                && !Evaluator::with(model, &self.state, &args).holds(condition)
            {
                continue;
            }
            self.fire(model, rule, args);
            self.notice_falls(model);
            fired += 1;
        }
        fired
    }

    /// What a rule made false has fallen, even if the next rule makes it true again: that will be a new edge.
    fn notice_falls(&mut self, model: &Model) {
        let entries = std::mem::take(&mut self.rules.entries);
        for entry in &entries {
            if let Entry::Edge(_, watch) = entry
                && self.watches.is_dirty_at(*watch)
            {
                self.effort.conditions += self.watches.notice_falls(model, &self.state, *watch);
            }
        }
        self.rules.entries = entries;
    }

    /// Fires a rule once for each thing that happened and binding that its pattern matches.
    fn follow_up(&mut self, model: &Model, rule: RuleId, happened: &[Happened]) -> usize {
        let Trigger::After(pattern, condition) = &model.rules[rule].trigger else { return 0 };
        let mut fired = 0;
        for event in happened {
            let Some(args) = event.matches(model, pattern.kind) else { continue };
            let Some(bindings) = self.bind(model, rule, pattern, args) else { continue };
            for index in 0..bindings.len() {
                let args = bindings.get(index);
                self.effort.conditions += 1;
                let holds = |condition| Evaluator::with(model, &self.state, &args).holds(condition);
                if condition.as_ref().is_none_or(holds) {
                    self.fire(model, rule, args);
                    self.notice_falls(model);
                    fired += 1;
                }
            }
        }
        fired
    }

    /// The bindings of a rule's parameters under which a pattern matches these arguments; parameters outside it run
    /// over all.
    fn bind(&self, model: &Model, rule: RuleId, pattern: &EventPattern, args: &[Value]) -> Option<Bindings> {
        let params = &model.rules[rule].params;
        let mut fixed: Vec<Option<Value>> = vec![None; params.len()];
        for (wanted, arg) in pattern.args.iter().flatten().zip(args) {
            match wanted {
                PatternArg::Any => {}
                PatternArg::Is(value) if value == arg => {}
                PatternArg::Is(_) => return None,
                PatternArg::Var(var) => {
                    let slot = fixed.get_mut(usize::from(var.0))?;
                    let param = params.get(usize::from(var.0))?;
                    if *slot.get_or_insert(*arg) != *arg || !model.is_among(*arg, &param.choices) {
                        return None;
                    }
                }
            }
        }
        if pattern.args.as_ref().is_some_and(|wanted| wanted.len() != args.len()) {
            return None;
        }
        let values = params.iter().zip(fixed).map(|(param, fixed)| match fixed {
            Some(value) => Values::new(vec![value]),
            None => Values::new(model.values_of(&param.choices, self.state.level())),
        });
        Bindings::new(values.collect())
    }

    /// Fires a rule.
    fn fire(&mut self, model: &Model, rule: RuleId, args: Args) {
        let declared = &model.rules[rule];
        self.happen(|| WorldEventKind::RuleFired { rule, args: args.clone() });
        let duration = declared
            .duration
            .as_ref()
            .map(|duration| duration_bounds(model, &self.state, duration, &args).map_or(1, |bounds| bounds.0));
        let cause = Cause::Rule(rule);
        let reader = Reader { model, state: &self.state, args: &args, duration, cause };
        let run = RunKey(self.rules.next);
        let mut batch = Batch::default();
        let mut later = Vec::new();
        for (number, effect) in declared.effects.iter().enumerate() {
            match (&effect.moment, duration) {
                (Moment::After(_), _) => {
                    let offset = moment_tick(&reader, &effect.moment, 0);
                    later.push((offset.max(1), Item::RuleEffect(run, number)));
                }
                (Moment::End, Some(_)) => {}
                (Moment::Start | Moment::End, _) => batch.effect(&reader, effect, &mut self.chance),
            }
        }
        if let Some(expectation) = &declared.expectation {
            match self.options.expectations {
                Expectations::Watched => {
                    let end = duration.map_or(Tick::MAX, |duration| self.tick.saturating_add(duration));
                    self.waits.begin(&reader, Waiter::Rule(rule), expectation, end);
                }
                Expectations::Assumed if duration.is_none() => {
                    for effect in &expectation.effects {
                        batch.effect(&reader, effect, &mut self.chance);
                    }
                }
                Expectations::Assumed => {}
            }
        }
        if duration.is_some() || !later.is_empty() {
            let duration = duration.unwrap_or(0);
            let totals = totals(&reader, &declared.contributions);
            if duration > 0 && !declared.contributions.is_empty() {
                self.rules.contributing.insert(run);
            }
            self.rules.next = self.rules.next.wrapping_add(1);
            let end = later.iter().map(|(offset, _)| *offset).max().unwrap_or(0).max(duration);
            self.rules.runs.insert(run, Run { rule, args: args.clone(), start: self.tick, duration, totals });
            for (offset, item) in later {
                self.enter(self.tick.saturating_add(offset), item);
            }
            if duration > 0 {
                self.enter(self.tick.saturating_add(duration), Item::RuleEnd(run));
            }
            if end > duration {
                self.enter(self.tick.saturating_add(end).saturating_add(1), Item::RuleEnd(run));
            }
        }
        if self.options.expectations == Expectations::Watched && declared.expectation.is_some() {
            self.enter_last_deadline();
        }
        self.write(model, batch);
        for say in declared.says.iter().filter(|say| duration.is_none() || say.moment != Moment::End) {
            self.say(model, say, &args, duration);
        }
        for injection in &declared.injections {
            self.inject(model, rule, injection, &args);
        }
        self.happened.push(Happened::Rule(rule, args));
    }

    /// P1: reads the effects of a rule whose time has come into the batch.
    pub(super) fn end_run(&mut self, model: &Model, key: RunKey, batch: &mut Batch) {
        let Some(run) = self.rules.runs.get(&key) else { return };
        if self.tick.saturating_sub(run.start) != run.duration {
            return;
        }
        let declared = &model.rules[run.rule];
        let cause = Cause::Rule(run.rule);
        let reader = Reader { model, state: &self.state, args: &run.args, duration: Some(run.duration), cause };
        for effect in declared.effects.iter().filter(|effect| effect.moment == Moment::End) {
            batch.effect(&reader, effect, &mut self.chance);
        }
        if self.options.expectations == Expectations::Assumed
            && let Some(expectation) = &declared.expectation
        {
            for effect in &expectation.effects {
                batch.effect(&reader, effect, &mut self.chance);
            }
        }
    }

    /// P1: says what a rule says at its end, and forgets it when nothing more comes.
    pub(super) fn finish_run(&mut self, model: &Model, key: RunKey) {
        let Some(run) = self.rules.runs.get(&key) else { return };
        let elapsed = self.tick.saturating_sub(run.start);
        let (rule, args, duration) = (run.rule, run.args.clone(), run.duration);
        let declared = &model.rules[rule];
        self.rules.contributing.remove(&key);
        if elapsed == duration {
            for say in declared.says.iter().filter(|say| say.moment == Moment::End) {
                self.say(model, say, &args, Some(duration));
            }
        }
        let is_last = elapsed > duration || !declared.effects.iter().any(|e| matches!(e.moment, Moment::After(_)));
        if is_last {
            self.rules.runs.remove(&key);
        }
    }

    /// P4: an effect at a moment of a rule.
    pub(super) fn rule_effect_at(&mut self, model: &Model, key: RunKey, number: usize, batch: &mut Batch) {
        let Some(run) = self.rules.runs.get(&key) else { return };
        let cause = Cause::Rule(run.rule);
        let reader = Reader { model, state: &self.state, args: &run.args, duration: Some(run.duration), cause };
        if let Some(effect) = model.rules[run.rule].effects.get(number) {
            batch.effect(&reader, effect, &mut self.chance);
        }
    }

    /// P5: reads what rules contribute in this tick.
    pub(super) fn contribute_rules(&mut self, model: &Model, batch: &mut Batch) {
        let entries = std::mem::take(&mut self.rules.entries);
        for entry in &entries {
            match entry {
                Entry::Level(rule, watch) => {
                    let turned = self.watches.refresh(model, &self.state, *watch);
                    self.effort.conditions += turned.len() as u64;
                    let active = self.rules.active.entry(*watch).or_default();
                    for (index, holds) in turned {
                        if holds {
                            active.insert(index)
                        } else {
                            active.remove(&index)
                        };
                    }
                    let bindings = &self.watches.get(*watch).bindings;
                    let Some(active) = self.rules.active.get(watch) else { continue };
                    for index in active {
                        self.contribute_rule(model, *rule, &bindings.get(*index as usize), batch);
                    }
                    self.effort.conditions += active.len() as u64;
                }
                Entry::Always(rule, bindings) => {
                    for index in 0..bindings.len() {
                        self.contribute_rule(model, *rule, &bindings.get(index), batch);
                    }
                    self.effort.conditions += bindings.len() as u64;
                }
                Entry::Edge(..) | Entry::After(_) => {}
            }
        }
        self.rules.entries = entries;
        for key in &self.rules.contributing {
            let Some(run) = self.rules.runs.get(key) else { continue };
            let elapsed = self.tick.saturating_sub(run.start).saturating_add(1);
            if elapsed <= run.duration {
                let cause = Cause::Rule(run.rule);
                let duration = Some(run.duration);
                let reader = Reader { model, state: &self.state, args: &run.args, duration, cause };
                let contributions = &model.rules[run.rule].contributions;
                contribute(&reader, contributions, &run.totals, (elapsed, run.duration), batch);
            }
        }
    }

    fn contribute_rule(&self, model: &Model, rule: RuleId, args: &[Value], batch: &mut Batch) {
        let reader = Reader { model, state: &self.state, args, duration: None, cause: Cause::Rule(rule) };
        contribute(&reader, &model.rules[rule].contributions, &[], (1, 1), batch);
    }
}
