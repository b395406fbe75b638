//! Tasks: the first method that applies runs, clause by clause.

use std::fmt;

use dramaturg_model::{Args, Evaluator, Expr, Method, MethodStep, Model, State, TaskId, Tick, Value};
use rustc_hash::FxHashMap;

use super::agenda::Item;
use super::batch::{Batch, Reader};
use super::event::{Cause, Phase, Violation, ViolationKind, WorldEventKind};
use super::explain::{self, Leaf};
use super::rules::Happened;
use super::step::{Performed, Stage, StepKey};
use super::world::World;

/// Names one doing of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TaskKey(pub(super) u32);

/// A task may call itself so often.
const RECURSION_MAX: usize = 8;
/// Tasks inside tasks go no deeper than this.
const DEPTH_MAX: usize = 64;
/// Ids of steps that tasks make begin here, beyond those of any plan.
const TASK_STEPS: u32 = 0x8000_0000;

/// Why a task cannot be done now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskProblem {
    /// Something it needs does not hold.
    Needs(Vec<Leaf>),
    /// None of the methods applies; with what each would need.
    NoMethod(Vec<Leaf>),
    /// A task inside it cannot be done at its turn.
    Inside(TaskId, Box<TaskProblem>),
    /// Tasks call each other too deeply.
    TooDeep,
    /// The number of arguments is not right, or one of them cannot stand there.
    Arguments,
}

impl fmt::Display for TaskProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Needs(_) => f.write_str("what it needs does not hold"),
            Self::NoMethod(_) => f.write_str("none of its methods applies"),
            Self::Inside(_, problem) => write!(f, "a task inside it cannot be done: {problem}"),
            Self::TooDeep => f.write_str("tasks call each other too deeply"),
            Self::Arguments => f.write_str("its arguments are wrong"),
        }
    }
}

impl TaskProblem {
    pub(super) fn violation(&self, model: &Model, tick: Tick, task: TaskId, args: &[Value]) -> Violation {
        let declared = &model.tasks[task];
        let args: Vec<_> = args.iter().map(|arg| model.value_name(*arg)).collect();
        let name =
            if args.is_empty() { declared.name.to_string() } else { format!("{}({})", declared.name, args.join(", ")) };
        let mut message = format!("task `{name}` cannot be done: {self}");
        let (Self::Needs(leaves) | Self::NoMethod(leaves)) = self.innermost() else {
            return Violation::new(ViolationKind::NoMethod, tick, message).at(declared.place);
        };
        for (leaf, sign) in leaves.iter().zip(std::iter::once("; ").chain(std::iter::repeat(", "))) {
            message += &format!("{sign}wanted {} {}, found {}", leaf.what(), leaf.wanted, leaf.found);
        }
        let mut violation = Violation::new(ViolationKind::NoMethod, tick, message).at(declared.place);
        if let Some(leaf) = leaves.first() {
            violation = violation.values(&leaf.wanted, &leaf.found);
            violation.fluent = leaf.fluent.clone();
        }
        violation
    }

    fn innermost(&self) -> &Self {
        match self {
            Self::Inside(_, problem) => problem.innermost(),
            other => other,
        }
    }
}

/// One task with the clause it has come to.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) task: TaskId,
    pub(super) args: Args,
    pub(super) method: u16,
    pub(super) next: usize,
}

/// A doing of a task: the tasks inside tasks it has come to, outermost first.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// What is to be done, until it begins.
    pub(super) task: Option<(TaskId, Args)>,
    pub(super) frames: Vec<Frame>,
    /// The step of a plan that stands for it.
    pub(super) step: Option<u32>,
}

/// All doings of tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct TaskRuns {
    pub(super) runs: FxHashMap<TaskKey, Run>,
    pub(super) next: u32,
    pub(super) steps: u32,
}

impl TaskRuns {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(super) fn remove(&mut self, key: TaskKey) {
        self.runs.remove(&key);
    }

    /// What a step of a plan stands for is not done, if it has not begun.
    pub(super) fn forget(&mut self, step: u32) {
        self.runs.retain(|_, run| run.step != Some(step) || run.task.is_none());
    }

    fn add(&mut self, task: TaskId, args: Args, step: Option<u32>) -> TaskKey {
        let key = TaskKey(self.next);
        self.next = self.next.wrapping_add(1);
        self.runs.insert(key, Run { task: Some((task, args)), frames: Vec::new(), step });
        key
    }
}

/// The first method that applies, or why none does.
fn applicable(model: &Model, state: &State, task: TaskId, args: &[Value]) -> Result<u16, TaskProblem> {
    let declared = &model.tasks[task];
    if args.len() != declared.params.len() {
        return Err(TaskProblem::Arguments);
    }
    let mut scope = Evaluator::with(model, state, args);
    let unmet: Vec<Leaf> = declared
        .needs
        .iter()
        .filter(|needs| !scope.holds(needs))
        .flat_map(|needs| explain::unmet(model, state, needs, args, None))
        .collect();
    if !unmet.is_empty() {
        return Err(TaskProblem::Needs(unmet));
    }
    let applies = |method: &Method| method.condition.as_ref().is_none_or(|c| scope.holds(c));
    declared.methods.iter().position(applies).map(|at| at as u16).ok_or_else(|| {
        let conditions = declared.methods.iter().filter_map(|method| method.condition.as_ref());
        TaskProblem::NoMethod(conditions.flat_map(|c| explain::unmet(model, state, c, args, None)).collect())
    })
}

/// Does a task in a world of its own, up to its first action: whether it can be done. Returns whether it came to an action.
fn rehearse(
    model: &Model,
    world: &mut World,
    task: TaskId,
    args: &[Value],
    above: &mut Vec<TaskId>,
) -> Result<bool, TaskProblem> {
    if above.len() >= DEPTH_MAX || above.iter().filter(|other| **other == task).count() >= RECURSION_MAX {
        return Err(TaskProblem::TooDeep);
    }
    let method = applicable(model, &world.state, task, args)?;
    let Some(method) = model.tasks[task].methods.get(usize::from(method)) else { return Ok(false) };
    above.push(task);
    for step in &method.steps {
        match step {
            MethodStep::Say(_) => {}
            MethodStep::Then(effects) => {
                let cause = Cause::Task(task);
                let reader = Reader { model, state: &world.state, args, duration: None, cause };
                let mut batch = Batch::default();
                effects.iter().for_each(|effect| batch.effect(&reader, effect, &mut world.chance));
                world.write(model, batch);
            }
            MethodStep::DoTask(inner, inner_args, _) => {
                let inner_args = world.read_args(model, inner_args, args);
                let came = rehearse(model, world, *inner, &inner_args, above)
                    .map_err(|problem| TaskProblem::Inside(*inner, Box::new(problem)))?;
                if came {
                    return Ok(true);
                }
            }
            // What is true when the action has ended, nobody knows yet.
            MethodStep::DoAction(..) => return Ok(true),
        }
    }
    above.pop();
    Ok(false)
}

impl World {
    /// Whether a task can be done in the state at hand, also the tasks inside it (as far as no action comes before them).
    pub fn can_do(&self, model: &Model, task: TaskId, args: &[Value]) -> Result<(), TaskProblem> {
        let nests = |step: &MethodStep| matches!(step, MethodStep::DoTask(..));
        if !model.tasks[task].methods.iter().any(|method| method.steps.iter().any(nests)) {
            return applicable(model, &self.state, task, args).map(|_| ());
        }
        let mut world = self.bare(model, self.state.clone());
        rehearse(model, &mut world, task, args, &mut Vec::new()).map(|_| ())
    }

    /// Does a task. Its result appears in the next P1; the actions in it take their time.
    pub fn do_task(&mut self, model: &Model, task: TaskId, args: &[Value]) -> Result<(), TaskProblem> {
        self.can_do(model, task, args)?;
        let key = self.tasks.add(task, Args::from_slice(args), None);
        self.enter_task(key);
        Ok(())
    }

    /// A task begins or goes on in the next P1: of this tick, if that is not over.
    pub(super) fn enter_task(&mut self, key: TaskKey) {
        let tick = if self.phase <= Phase::End { self.tick } else { self.tick.saturating_add(1) };
        self.enter(tick, Item::Task(key));
    }

    /// P4: a step that stands for a task: its result appears in P1 of its end.
    pub(super) fn start_task_step(&mut self, key: StepKey) {
        let Some(step) = self.steps.get_mut(key) else { return };
        let Performed::Task(task) = step.what else { return };
        step.stage = Stage::Running;
        let (id, args, end) = (step.id, step.args.clone(), self.tick.saturating_add(step.duration.max(1)));
        let run = self.tasks.add(task, args, Some(id));
        self.enter(end, Item::Task(run));
        self.steps.remove(key, &self.wiring.steps);
    }

    /// P1: does a task clause by clause, until it is done or comes to an action.
    pub(super) fn go_on(&mut self, model: &Model, key: TaskKey) {
        let Some(mut run) = self.tasks.runs.remove(&key) else { return };
        if let Some((task, args)) = run.task.take()
            && !self.call(model, &mut run, task, args)
        {
            return;
        }
        while let Some(frame) = run.frames.last_mut() {
            let (task, args, method) = (frame.task, frame.args.clone(), frame.method);
            let at = frame.next;
            frame.next += 1;
            let clause = model.tasks[task].methods.get(usize::from(method)).and_then(|method| method.steps.get(at));
            match clause {
                None => {
                    run.frames.pop();
                    self.happen(|| WorldEventKind::TaskEnded { task, args: args.clone(), method });
                    self.happened.push(Happened::Task(task, method, args));
                }
                Some(MethodStep::Say(say)) => self.say(model, say, &args, None),
                Some(MethodStep::Then(effects)) => {
                    let mut batch = Batch::default();
                    let reader =
                        Reader { model, state: &self.state, args: &args, duration: None, cause: Cause::Task(task) };
                    effects.iter().for_each(|effect| batch.effect(&reader, effect, &mut self.chance));
                    self.write(model, batch);
                }
                Some(MethodStep::DoTask(inner, exprs, _)) => {
                    let args = self.read_args(model, exprs, &args);
                    if !self.call(model, &mut run, *inner, args) {
                        return;
                    }
                }
                Some(MethodStep::DoAction(action, exprs, _)) => {
                    let args = self.read_args(model, exprs, &args);
                    let id = TASK_STEPS.wrapping_add(self.tasks.steps);
                    self.tasks.steps = self.tasks.steps.wrapping_add(1);
                    self.tasks.runs.insert(key, run);
                    self.put(id, Performed::Action(*action), args, self.tick, None, Some(key));
                    return;
                }
            }
        }
    }

    fn read_args(&self, model: &Model, exprs: &[Expr], args: &[Value]) -> Args {
        Evaluator::with(model, &self.state, args).args(exprs)
    }

    /// Begins a task inside a run; false, with a report, if it cannot be done.
    fn call(&mut self, model: &Model, run: &mut Run, task: TaskId, args: Args) -> bool {
        let depth = run.frames.len();
        let calls = run.frames.iter().filter(|frame| frame.task == task).count();
        let found = if depth >= DEPTH_MAX || calls >= RECURSION_MAX {
            Err(TaskProblem::TooDeep)
        } else {
            applicable(model, &self.state, task, &args)
        };
        match found {
            Ok(method) => {
                self.happen(|| WorldEventKind::TaskStarted { task, args: args.clone(), method });
                run.frames.push(Frame { task, args, method, next: 0 });
                true
            }
            Err(problem) => {
                let mut violation = problem.violation(model, self.tick, task, &args);
                violation.step = run.step;
                self.violation(violation);
                false
            }
        }
    }
}
