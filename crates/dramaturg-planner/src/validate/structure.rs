//! V0: names, arguments, ids, ticks and durations.

use dramaturg_model::{ActionId, Args, Model, Param, Plan, Span, State, Status, Step, Tick, TimePoint, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Level, Report, ValidateOptions};
use crate::simulate::reads::Reads;
use crate::simulate::step::{Performed, duration_bounds};
use crate::simulate::{NameProblem, Violation, ViolationKind, names, words};

/// A step of the plan whose names are known.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) id: u32,
    pub(super) what: Performed,
    pub(super) args: Args,
    pub(super) start: Tick,
    pub(super) duration: Tick,
    pub(super) status: Status,
}

impl Resolved {
    pub(super) fn end(&self) -> Tick {
        self.start.saturating_add(self.duration)
    }

    pub(super) fn action(&self) -> Option<ActionId> {
        match self.what {
            Performed::Action(action) => Some(action),
            Performed::Task(_) => None,
        }
    }
}

/// No plan reaches further: leaves room for sums of ticks.
pub(super) const TICK_MAX: Tick = Tick::MAX / 8;

/// Checks the structure of a plan. Steps that are sound so far are returned, in order of the plan.
pub(super) fn check(
    model: &Model,
    initial: &State,
    plan: &Plan,
    options: &ValidateOptions,
    report: &mut Report,
) -> Vec<Resolved> {
    let tasks: FxHashMap<&str, Performed> =
        model.tasks.iter().map(|(id, task)| (task.name.as_str(), Performed::Task(id))).collect();
    let mut ids = FxHashSet::default();
    let mut steps = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        if !ids.insert(step.id) {
            let message = format!("two steps have the id {}", step.id);
            report.violations.push(Violation::new(ViolationKind::DuplicateId, step.start, message).of(step.id));
        }
        // What is over, or never was, is no longer judged.
        if matches!(step.status, Status::Done | Status::Failed | Status::Missed | Status::Cancelled) {
            continue;
        }
        let action = model.find_action(&step.action).map(Performed::Action);
        let what = action.or_else(|| tasks.get(step.action.as_str()).copied());
        let Some(what) = what else {
            let problem = NameProblem::UnknownAction(step.action.clone());
            report.violations.push(named(&problem, step, Span::NONE));
            continue;
        };
        let checker = Checker { model, step, what };
        checker.ticks(initial, report);
        let Some(args) = checker.args(report) else { continue };
        checker.performer(&args, report);
        if options.level == Level::V0 {
            checker.duration(initial, &args, report);
        }
        let (id, start, duration, status) = (step.id, step.start, step.duration, step.status);
        if start.abs() <= TICK_MAX && (0..=TICK_MAX).contains(&duration) {
            steps.push(Resolved { id, what, args, start, duration, status });
        }
    }
    for point in plan.constraints.iter().flat_map(|constraint| [constraint.from, constraint.to]) {
        let (TimePoint::Start(id) | TimePoint::End(id)) = point else { continue };
        unknown_step(&ids, id, "a constraint", report);
    }
    for id in plan.links.iter().flat_map(|link| [link.from, link.to]).flatten() {
        unknown_step(&ids, id, "a causal link", report);
    }
    steps
}

fn unknown_step(ids: &FxHashSet<u32>, id: u32, who: &str, report: &mut Report) {
    if !ids.contains(&id) {
        let message = format!("{who} names step {id}, which is not in the plan");
        report.violations.push(Violation::new(ViolationKind::UnknownStep, 0, message).of(id));
    }
}

fn named(problem: &NameProblem, step: &Step, place: Span) -> Violation {
    let kind = match problem {
        NameProblem::UnknownAction(_) | NameProblem::UnknownFluent(_) => ViolationKind::UnknownAction,
        NameProblem::UnknownValue(_) => ViolationKind::UnknownObject,
        NameProblem::WrongCount { .. } => ViolationKind::WrongCount,
        NameProblem::WrongType { .. } => ViolationKind::WrongType,
    };
    Violation::new(kind, step.start, problem.to_string()).of(step.id).at(place)
}

struct Checker<'a> {
    model: &'a Model,
    step: &'a Step,
    what: Performed,
}

impl Checker<'_> {
    fn declared(&self) -> (&[Param], Span) {
        match self.what {
            Performed::Action(action) => {
                let action = &self.model.actions[action];
                (&action.params, action.place)
            }
            Performed::Task(task) => {
                let task = &self.model.tasks[task];
                (&task.params, task.place)
            }
        }
    }

    fn ticks(&self, initial: &State, report: &mut Report) {
        let Step { id, start, duration, status, .. } = *self.step;
        let runs = matches!(status, Status::Running | Status::Unknown);
        let message = if start < 0 {
            format!("step {id} starts at tick {start}, before the beginning")
        } else if start < initial.now() && !runs {
            format!("step {id} starts at tick {start}, but it is tick {} already", initial.now())
        } else if duration < 0 {
            format!("step {id} takes {duration} ticks")
        } else if start > TICK_MAX || duration > TICK_MAX {
            format!("step {id} reaches beyond tick {TICK_MAX}")
        } else {
            return;
        };
        report.violations.push(Violation::new(ViolationKind::WrongTick, start, message).of(id));
    }

    fn args(&self, report: &mut Report) -> Option<Args> {
        let (params, place) = self.declared();
        let Step { args, action, .. } = self.step;
        if params.len() != args.len() {
            let problem = NameProblem::WrongCount { name: action.clone(), wanted: params.len(), found: args.len() };
            let (wanted, found) = (params.len().to_string(), args.len().to_string());
            report.violations.push(named(&problem, self.step, place).values(wanted, found));
            return None;
        }
        let mut values = Args::new();
        for (arg, param) in args.iter().zip(params) {
            match names::argument(self.model, param, arg) {
                Ok(value) => values.push(value),
                Err(problem) => {
                    let wanted = words::choices(self.model, &param.choices);
                    let violation = named(&problem, self.step, place).values(wanted, arg.as_str());
                    report.violations.push(violation);
                }
            }
        }
        (values.len() == params.len()).then_some(values)
    }

    /// Performer and participants are different objects.
    fn performer(&self, args: &[Value], report: &mut Report) {
        let Performed::Action(action) = self.what else { return };
        let action = &self.model.actions[action];
        let roles: Vec<u16> = action.performer.iter().chain(&action.participants).copied().collect();
        for (at, first) in roles.iter().enumerate() {
            for second in roles.iter().skip(at + 1) {
                let value = args.get(usize::from(*first));
                if first != second && value.is_some() && value == args.get(usize::from(*second)) {
                    let name = value.map(|value| self.model.value_name(*value)).unwrap_or_default();
                    let message = format!(
                        "step {}: `{name}` cannot both perform `{}` and take part in it",
                        self.step.id, action.name
                    );
                    let violation = Violation::new(ViolationKind::SamePerformer, self.step.start, message);
                    report.violations.push(violation.of(self.step.id).at(action.place));
                }
            }
        }
    }

    /// The duration, if nothing that changes decides it. (Any other is read in when the step starts.)
    fn duration(&self, initial: &State, args: &[Value], report: &mut Report) {
        use dramaturg_model::Duration;
        let Performed::Action(action) = self.what else { return };
        let action = &self.model.actions[action];
        let mut reads = Reads::default();
        let exprs = match &action.duration {
            Duration::Instant => Vec::new(),
            Duration::Fixed(exact) => vec![exact],
            Duration::Contingent(low, high) => vec![low, high],
            Duration::Chosen(low, high) => low.iter().chain(high).collect(),
        };
        exprs.into_iter().for_each(|expr| reads.include(self.model, expr, action.params.len()));
        let changes = reads.fluents.iter().any(|(fluent, _)| {
            let fluent = &self.model.fluents[*fluent];
            !fluent.is_static && !matches!(fluent.source, dramaturg_model::FluentSource::Means(_))
        });
        if reads.timed || changes {
            return;
        }
        let Some((low, high)) = duration_bounds(self.model, initial, &action.duration, args) else { return };
        if !(low..=high).contains(&self.step.duration) {
            let wanted = if low == high { low.to_string() } else { format!("{low}..{high}") };
            let Step { id, duration, start, .. } = *self.step;
            let message = format!("step {id} takes {duration} ticks, but `{}` takes {wanted}", action.name);
            let violation = Violation::new(ViolationKind::WrongDuration, start, message).of(id).at(action.place);
            report.violations.push(violation.values(wanted, duration.to_string()));
        }
    }
}
