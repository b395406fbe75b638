//! Plans judged in PDDL's own sense: happenings, ε between those that interfere, conditions over open intervals.
//!
//! This is code of its own, apart from the six phases: it follows Fox and Long, *PDDL2.1* (JAIR 20, 2003) and Edelkamp and Hoffmann,
//! *PDDL2.2* (2004). Points of time closer than ε are one happening. All conditions of a happening are read in the state before it,
//! all its effects are written as one, and what must hold over all of an action is read after each happening inside it.

use std::collections::BTreeSet;

use dramaturg_model::{
    Action, Amount, ConditionTime, Duration, Evaluator, Expr, Fixed, FluentId, Model, Moment, State, Tick,
    TimedCondition, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::structure::Resolved;
use super::{Level, Report, ValidateOptions};
use crate::simulate::reads::Reads;
use crate::simulate::{Violation, ViolationKind, unmet};

mod effects;
mod goals;
mod interference;

use effects::Writes;
use goals::GoalTrack;

/// What happens at one point of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// Something given for this time, by its number in the model.
    Given(usize),
    /// A step ends.
    End(usize),
    /// A step without duration.
    Instant(usize),
    /// A step starts.
    Start(usize),
}

#[derive(Clone, Copy, Debug)]
struct Happening {
    tick: Tick,
    what: What,
}

/// A plan on its way.
struct Run<'a> {
    model: &'a Model,
    steps: &'a [Resolved],
    state: State,
    /// Steps that have started and not ended.
    open: BTreeSet<usize>,
    /// What the conditions over all of each action read.
    kept: FxHashMap<u32, FxHashSet<FluentId>>,
    /// What derived fluents read.
    derived_from: FxHashSet<FluentId>,
    report: &'a mut Report,
    checks: u64,
}

pub(super) fn run(model: &Model, initial: &State, steps: &[Resolved], options: &ValidateOptions, report: &mut Report) {
    let epsilon = model.pddl().map_or(1, |origin| origin.epsilon).max(1);
    let happenings = happenings(model, initial, steps);
    let mut run = Run::new(model, initial, steps, report);
    let mut goals = GoalTrack::new(model, initial, options.goals);
    goals.look(model, &run.state);
    let mut before: &[Happening] = &[];
    let mut now = initial.now();
    let mut rest = happenings.as_slice();
    while let Some(first) = rest.first() {
        let size = rest.iter().take_while(|other| other.tick - first.tick < epsilon).count();
        let (together, later) = rest.split_at(size.max(1));
        run.flow(now, first.tick);
        run.happen(together, before, epsilon);
        now = first.tick;
        goals.look(model, &run.state);
        (before, rest) = (together, later);
        if run.checks > options.work_max {
            let message = format!("stopped after {} units of work, the limit of this run", options.work_max);
            run.report.violations.push(Violation::new(ViolationKind::TooLarge, now, message));
            break;
        }
    }
    let Run { state, checks, .. } = run;
    report.effort.ticks = happenings.len() as u64;
    report.effort.conditions = checks;
    report.end = now;
    goals.finish(model, &state, report);
    report.state = state;
    if options.level < Level::V2 {
        report.violations.retain(|violation| violation.kind != ViolationKind::GoalMissed);
    }
}

/// Everything that happens up to the end of the plan, in order of time.
fn happenings(model: &Model, initial: &State, steps: &[Resolved]) -> Vec<Happening> {
    let mut all = Vec::with_capacity(2 * steps.len());
    for (at, step) in steps.iter().enumerate() {
        let is_instant = step.action().is_none_or(|action| model.actions[action].duration == Duration::Instant);
        if is_instant {
            all.push(Happening { tick: step.start, what: What::Instant(at) });
        } else {
            all.push(Happening { tick: step.start, what: What::Start(at) });
            all.push(Happening { tick: step.end(), what: What::End(at) });
        }
    }
    let end = all.iter().map(|happening| happening.tick).max().unwrap_or(initial.now());
    for (number, given) in model.initial.iter().enumerate() {
        let Some(at) = &given.at else { continue };
        let tick = Evaluator::new(model, initial).number(at).map(Fixed::round_half_up);
        if let Some(tick) = tick.filter(|tick| *tick <= end && *tick >= initial.now()) {
            all.push(Happening { tick, what: What::Given(number) });
        }
    }
    all.sort_by_key(|happening| (happening.tick, happening.what));
    all
}

impl<'a> Run<'a> {
    fn new(model: &'a Model, initial: &State, steps: &'a [Resolved], report: &'a mut Report) -> Self {
        let mut derived_from = FxHashSet::default();
        for fluent in model.fluents.values() {
            if let dramaturg_model::FluentSource::Derived { rules, .. } = &fluent.source {
                let reads = rules.iter().flat_map(|rule| Reads::of(model, rule, fluent.params.len()).fluents);
                derived_from.extend(reads.map(|(fluent, _)| fluent));
            }
        }
        let mut state = initial.clone();
        if !derived_from.is_empty() {
            state.derive(model);
        }
        let (open, kept) = (BTreeSet::new(), FxHashMap::default());
        Self { model, steps, state, open, kept, derived_from, report, checks: 0 }
    }

    fn action(&self, step: usize) -> Option<(&'a Resolved, &'a Action)> {
        let step = self.steps.get(step)?;
        Some((step, &self.model.actions[step.action()?]))
    }

    fn scope(&self, step: &Resolved) -> Evaluator<'_, State> {
        Evaluator::with(self.model, &self.state, &step.args).lasting(step.duration)
    }

    /// Reads a condition of a step; every part that is not met is reported.
    fn check(&mut self, kind: ViolationKind, tick: Tick, step: &Resolved, condition: &TimedCondition) {
        if condition.weight.is_some() {
            return;
        }
        self.checks += 1;
        if self.scope(step).holds(&condition.condition) {
            return;
        }
        let who = format!("step {}", step.id);
        let leaves = unmet(self.model, &self.state, &condition.condition, &step.args, Some(step.duration));
        for leaf in leaves {
            self.report.violations.push(leaf.violation(kind, tick, &who).of(step.id).at(condition.place));
        }
    }

    /// One happening: conditions in the state before it, interference, effects as one, then what must hold over all.
    fn happen(&mut self, together: &[Happening], before: &[Happening], epsilon: Tick) {
        for happening in together {
            self.check_happening(*happening);
        }
        if together.len() > 1 || before.last().zip(together.first()).is_some_and(|(a, b)| b.tick - a.tick < epsilon) {
            self.interfere(together, before, epsilon);
        }
        let mut writes = Writes::default();
        for happening in together {
            self.read_effects(happening.what, &mut writes);
        }
        let tick = together.first().map_or(0, |happening| happening.tick);
        self.state.set_now(tick);
        let mut changed = writes.apply(self.model, &mut self.state);
        if changed.iter().any(|fluent| self.derived_from.contains(fluent)) {
            self.state.derive(self.model);
            let derived = self.model.fluents.iter();
            let derived = derived.filter(|(_, f)| matches!(f.source, dramaturg_model::FluentSource::Derived { .. }));
            changed.extend(derived.map(|(id, _)| id));
        }
        let mut started = Vec::new();
        for happening in together {
            match happening.what {
                What::Start(step) => {
                    self.open.insert(step);
                    started.push(step);
                }
                What::End(step) => {
                    self.open.remove(&step);
                }
                What::Instant(_) | What::Given(_) => {}
            }
        }
        self.check_open(tick, &changed, &started);
    }

    fn check_happening(&mut self, Happening { tick, what }: Happening) {
        let (step, kind) = match what {
            What::Given(_) => return,
            What::Start(step) | What::Instant(step) => (step, ViolationKind::StartCondition),
            What::End(step) => (step, ViolationKind::EndCondition),
        };
        let Some((step, action)) = self.action(step) else {
            let id = self.steps.get(step).map(|step| step.id);
            let mut violation =
                Violation::new(ViolationKind::UnknownAction, tick, "PDDL plans have no tasks".to_owned());
            violation.step = id;
            self.report.violations.push(violation);
            return;
        };
        if kind == ViolationKind::StartCondition {
            self.check_duration(tick, step, action);
        }
        for condition in &action.conditions {
            let is_due = match (what, &condition.time) {
                (What::Instant(_), _) => true,
                (What::Start(_), time) => *time == ConditionTime::Start,
                (What::End(_), time) => *time == ConditionTime::End,
                (What::Given(_), _) => false,
            };
            if is_due {
                self.check(kind, tick, step, condition);
            }
        }
    }

    fn check_duration(&mut self, tick: Tick, step: &Resolved, action: &Action) {
        let mut scope = self.scope(step);
        let mut ticks = |expr: &Expr| scope.number(expr).map(Fixed::round_half_up);
        let bounds = match &action.duration {
            Duration::Instant => (Some(0), Some(0)),
            Duration::Fixed(exact) => {
                let exact = ticks(exact);
                (exact.or(Some(-1)), exact.or(Some(-1)))
            }
            Duration::Contingent(low, high) => (ticks(low), ticks(high)),
            Duration::Chosen(low, high) => (low.as_ref().and_then(&mut ticks), high.as_ref().and_then(&mut ticks)),
        };
        let low = bounds.0.unwrap_or(0).max(Tick::from(action.duration != Duration::Instant));
        let fits = step.duration >= low && bounds.1.is_none_or(|high| step.duration <= high);
        if !fits {
            let wanted = match bounds {
                (Some(low), Some(high)) if low == high => low.to_string(),
                (_, Some(high)) => format!("{low}..{high}"),
                (_, None) => format!("at least {low}"),
            };
            let message =
                format!("step {} takes {} ticks, but `{}` takes {wanted}", step.id, step.duration, action.name);
            let violation = Violation::new(ViolationKind::WrongDuration, tick, message).of(step.id).at(action.place);
            self.report.violations.push(violation.values(wanted, step.duration.to_string()));
        }
    }

    /// What must hold over all, of steps that have just started or that read something that has changed.
    fn check_open(&mut self, tick: Tick, changed: &FxHashSet<FluentId>, started: &[usize]) {
        let open: Vec<usize> = self.open.iter().copied().collect();
        for at in open {
            let Some((step, action)) = self.action(at) else { continue };
            let Some(id) = step.action() else { continue };
            let model = self.model;
            let kept = self.kept.entry(id.0).or_insert_with(|| {
                let over_all = action.conditions.iter().filter(|c| c.time == ConditionTime::Throughout);
                over_all
                    .flat_map(|c| Reads::of(model, &c.condition, action.params.len()).fluents)
                    .map(|r| r.0)
                    .collect()
            });
            if kept.is_disjoint(changed) && !started.contains(&at) {
                continue;
            }
            for condition in action.conditions.iter().filter(|c| c.time == ConditionTime::Throughout) {
                self.check(ViolationKind::ThroughoutCondition, tick, step, condition);
            }
        }
    }

    /// Continuous change between two happenings, linear in time.
    fn flow(&mut self, from: Tick, to: Tick) {
        let ticks = Fixed::from_int(to.saturating_sub(from));
        let mut writes = Writes::default();
        for at in &self.open {
            let Some((step, action)) = self.action(*at) else { continue };
            for contribution in &action.contributions {
                let Amount::PerTick(amount) = &contribution.amount else { continue };
                self.scope(step).for_each(&contribution.binders, &mut |scope| {
                    let args = scope.args(&contribution.target.args);
                    let amount = scope.number(amount).unwrap_or(Fixed::ZERO);
                    writes.add(contribution.target.fluent, args, amount.multiply(ticks));
                });
            }
        }
        if writes.is_empty() {
            return;
        }
        self.state.set_now(to);
        let changed = writes.apply(self.model, &mut self.state);
        // Linear conditions that hold at both ends of a stretch hold all along it.
        self.check_open(to, &changed, &[]);
    }

    fn read_effects(&mut self, what: What, writes: &mut Writes) {
        let (step, moments): (usize, &[Moment]) = match what {
            What::Given(number) => {
                if let Some(given) = self.model.initial.get(number) {
                    let mut scope = Evaluator::new(self.model, &self.state);
                    let whom = (given.binders.as_slice(), given.condition.as_ref());
                    writes.read(&mut scope, whom, &given.target, &given.change);
                }
                return;
            }
            What::Start(step) => (step, &[Moment::Start]),
            What::End(step) => (step, &[Moment::End]),
            What::Instant(step) => (step, &[Moment::Start, Moment::End]),
        };
        let Some((step, action)) = self.action(step) else { return };
        for effect in action.effects.iter().filter(|effect| moments.contains(&effect.moment)) {
            let whom = (effect.binders.as_slice(), effect.condition.as_ref());
            writes.read(&mut self.scope(step), whom, &effect.target, &effect.change);
        }
    }
}

/// A value as plans write it, for messages.
fn name(model: &Model, fluent: FluentId, args: &[Value]) -> String {
    model.fluent_name(fluent, args)
}
