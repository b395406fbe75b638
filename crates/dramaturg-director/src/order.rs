//! Orders: what is sent for a step, once it is known that its conditions hold.

use dramaturg_model::{
    Action, ActionId, Args, Asked, Comparison, ConditionTime, Evaluator, Expr, Fixed, LatePolicy, Model, Moment, Param,
    State, Step, Task, TaskId, Tick, Use, UseTarget, Value,
};
use dramaturg_planner::simulate::{TaskProblem, World, said, unmet};
use dramaturg_wire as wire;
use smallvec::SmallVec;
use smol_str::SmolStr;

use crate::dictionary::Dictionary;
use crate::language::Language;

/// What a step performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Performed {
    /// An action.
    Action(ActionId),
    /// A piece of story, done as a whole.
    Task(TaskId),
}

/// The action or task of this name.
pub fn performed(model: &Model, name: &str) -> Option<Performed> {
    let task = || model.tasks.iter().find(|(_, task)| task.name == name).map(|(id, _)| Performed::Task(id));
    model.find_action(name).map(Performed::Action).or_else(task)
}

impl Performed {
    /// The parameters that its arguments stand for.
    pub fn params(self, model: &Model) -> &[Param] {
        match self {
            Self::Action(action) => &model.actions[action].params,
            Self::Task(task) => &model.tasks[task].params,
        }
    }

    /// Whether anything at all must hold when it starts.
    pub fn needs_nothing(self, model: &Model) -> bool {
        match self {
            Self::Action(action) => needs_nothing(&model.actions[action]),
            Self::Task(_) => false,
        }
    }
}

/// What must hold when a step starts and does not, in the words of the story; empty if it may start.
pub fn obstacles(model: &Model, known: Performed, args: &Args, at_start: &World) -> Vec<String> {
    match known {
        Performed::Action(action) => action_obstacles(model, &model.actions[action], args, at_start),
        Performed::Task(task) => match at_start.can_do(model, task, args) {
            Ok(()) => Vec::new(),
            Err(problem) => vec![task_obstacle(&problem)],
        },
    }
}

/// Why a task cannot be done.
fn task_obstacle(problem: &TaskProblem) -> String {
    let inner = std::iter::successors(Some(problem), |problem| match problem {
        TaskProblem::Inside(_, inner) => Some(&**inner),
        _ => None,
    });
    let leaves = inner.last().map_or(&[][..], |innermost| match innermost {
        TaskProblem::Needs(leaves) | TaskProblem::NoMethod(leaves) => leaves,
        _ => &[],
    });
    let found = leaves.iter().map(|leaf| format!("wanted {} {}, found {}", leaf.what(), leaf.wanted, leaf.found));
    std::iter::once(problem.to_string()).chain(found).collect::<Vec<_>>().join("; ")
}

fn action_obstacles(model: &Model, action: &Action, args: &Args, at_start: &World) -> Vec<String> {
    let starts = action.conditions.iter().filter(|condition| {
        condition.weight.is_none() && matches!(condition.time, ConditionTime::Start | ConditionTime::Throughout)
    });
    starts
        .flat_map(|condition| unmet(model, at_start.state(), &condition.condition, args, None))
        .map(|leaf| format!("wanted {} {}, found {}", leaf.what(), leaf.wanted, leaf.found))
        .collect()
}

/// Whether anything at all must hold when an action starts.
fn needs_nothing(action: &Action) -> bool {
    !action.conditions.iter().any(|condition| condition.weight.is_none() && condition.time != ConditionTime::End)
}

/// The arguments of a step as values; none if the model does not have them.
pub fn arguments(model: &Model, params: &[Param], args: &[SmolStr]) -> Option<Args> {
    if params.len() != args.len() {
        return None;
    }
    let argument = |(name, param): (&SmolStr, &Param)| {
        let object = model.find_object(name).map(Value::Object);
        let symbol = model.find_symbol(name).map(Value::Symbol);
        [object, symbol].into_iter().flatten().find(|value| model.is_among(*value, &param.choices))
    };
    args.iter().zip(params).map(argument).collect()
}

/// How many ticks after its start a step first holds an actuator; 0 if it holds none.
pub fn first_use(model: &Model, world: &World, action: &Action, args: &Args, step: &Step) -> Tick {
    let first = |held: &Use| offset(model, world.state(), &held.from, args, step.duration);
    action.uses.iter().map(first).min().unwrap_or(0)
}

/// When in a step a moment comes, in ticks after its start.
fn offset(model: &Model, state: &State, moment: &Moment, args: &Args, duration: Tick) -> Tick {
    match moment {
        Moment::Start => 0,
        Moment::End => duration,
        Moment::After(offset) => {
            let ticks = Evaluator::with(model, state, args).number(offset).map_or(0, Fixed::round_half_up);
            ticks.clamp(0, duration)
        }
    }
}

/// Where the tasks of a step are written.
pub struct Orders<'o> {
    /// The model.
    pub model: &'o Model,
    /// The names of the session.
    pub dictionary: &'o mut Dictionary,
    /// The language of questions, if it is not the story's own.
    pub language: Option<&'o Language>,
    /// The world as it is known.
    pub present: &'o World,
    /// The world when the step starts, if its conditions were looked at.
    pub at_start: Option<&'o World>,
}

impl Orders<'_> {
    /// The question that decides about a step, if one is to be asked: a task of its own, before those that perform it.
    pub fn ask(&mut self, action: &Action, args: &Args, step: &Step, version: u32) -> Option<wire::Execute> {
        let question = self.question(action, args)?;
        Some(wire::Execute {
            task: wire::Task { step: step.id, part: 0 },
            version,
            start: step.start,
            duration: 0,
            action: self.dictionary.number(&action.name),
            actuator: None,
            params: self.params(step),
            guards: SmallVec::new(),
            late: wire::LatePolicy { most: self.late(action, args) },
            reads: SmallVec::new(),
            every: 0,
            question: Some(question),
        })
    }

    /// A piece of story that is done as a whole: one task that holds nothing.
    pub fn of_task(&mut self, task: &Task, step: &Step, version: u32) -> wire::Execute {
        wire::Execute {
            task: wire::Task { step: step.id, part: 0 },
            version,
            start: step.start,
            duration: step.duration.max(1),
            action: self.dictionary.number(&task.name),
            actuator: None,
            params: self.params(step),
            guards: SmallVec::new(),
            late: wire::LatePolicy { most: 0 },
            reads: SmallVec::new(),
            every: 0,
            question: None,
        }
    }

    fn params(&mut self, step: &Step) -> SmallVec<[wire::NameId; 8]> {
        step.args.iter().map(|arg| self.dictionary.number(arg)).collect()
    }

    /// The tasks of a step: one for each actuator that it holds, counted from this part on.
    pub fn of(
        &mut self,
        action: &Action,
        args: &Args,
        step: &Step,
        version: u32,
        first: u16,
    ) -> SmallVec<[wire::Execute; 1]> {
        let late = wire::LatePolicy { most: self.late(action, args) };
        let guards = self.guards(action, args);
        let params = self.params(step);
        let name = self.dictionary.number(&action.name);
        let mut parts: SmallVec<[(Tick, Tick, Option<wire::NameId>); 1]> = SmallVec::new();
        for held in &action.uses {
            let (from, to) = (self.moment(&held.from, args, step), self.moment(&held.to, args, step));
            let actuator = self.actuator(&held.target, args);
            // Two amounts of one actuator are still one thing to do with it.
            if !parts.iter().any(|(start, end, known)| (*start, *end, known) == (from, to, &actuator)) {
                parts.push((from, to, actuator));
            }
        }
        if parts.is_empty() {
            parts.push((0, step.duration, None));
        }
        parts.sort_by_key(|(from, ..)| *from);
        let mut orders: SmallVec<[wire::Execute; 1]> = SmallVec::new();
        for ((from, to, actuator), part) in parts.into_iter().zip(first..) {
            let is_first = part == first;
            orders.push(wire::Execute {
                task: wire::Task { step: step.id, part },
                version,
                start: step.start.saturating_add(from),
                duration: to.saturating_sub(from),
                action: name,
                actuator,
                params: params.clone(),
                guards: if is_first { guards.clone() } else { SmallVec::new() },
                late,
                reads: if is_first { self.reads(action, args) } else { SmallVec::new() },
                every: self.every(action, args),
                question: None,
            });
        }
        orders
    }

    fn moment(&self, moment: &Moment, args: &Args, step: &Step) -> Tick {
        offset(self.model, self.state(), moment, args, step.duration)
    }

    fn number(&self, expr: &Expr, args: &Args) -> Option<Fixed> {
        Evaluator::with(self.model, self.state(), args).number(expr)
    }

    fn state(&self) -> &State {
        self.at_start.unwrap_or(self.present).state()
    }

    fn actuator(&mut self, target: &UseTarget, args: &Args) -> Option<wire::NameId> {
        let name = match target {
            UseTarget::Actuator(actuator, owner) => {
                let owner = Evaluator::with(self.model, self.state(), args).args(owner);
                let declared = &self.model.actuators[*actuator];
                match owner.first() {
                    Some(owner) => format!("{}.{}", self.model.value_name(*owner), declared.name),
                    None => declared.name.to_string(),
                }
            }
            UseTarget::Whole(owner) => {
                let owner = Evaluator::with(self.model, self.state(), args).value(owner);
                self.model.value_name(owner).to_string()
            }
        };
        Some(self.dictionary.number(&name))
    }

    fn late(&self, action: &Action, args: &Args) -> u32 {
        match &action.late {
            LatePolicy::UpTo(most) => {
                let most = self.number(most, args).map_or(0, Fixed::round_half_up);
                u32::try_from(most.max(0)).unwrap_or(u32::MAX)
            }
            LatePolicy::Retime | LatePolicy::Drop => 0,
        }
    }

    fn reads(&mut self, action: &Action, args: &Args) -> SmallVec<[wire::NameId; 4]> {
        let Some(reading) = &action.reads else { return SmallVec::new() };
        let names: Vec<String> = reading
            .fluents
            .iter()
            .map(|read| {
                let args = Evaluator::with(self.model, self.state(), args).args(&read.args);
                self.model.fluent_name(read.fluent, &args)
            })
            .collect();
        names.iter().map(|name| self.dictionary.number(name)).collect()
    }

    fn every(&self, action: &Action, args: &Args) -> u32 {
        let every = action.reads.as_ref().and_then(|reading| reading.every.as_ref());
        let ticks = every.and_then(|every| self.number(every, args)).map_or(0, Fixed::round_half_up);
        u32::try_from(ticks.max(0)).unwrap_or(0)
    }

    fn question(&self, action: &Action, args: &Args) -> Option<Box<wire::Question>> {
        let question = action.question.as_ref()?;
        let asks = question
            .condition
            .as_ref()
            .is_none_or(|condition| Evaluator::with(self.model, self.state(), args).holds(condition));
        asks.then(|| {
            let shown = |text| {
                let (own, slots) = said::render(self.model, self.state(), text, args, None);
                self.language.and_then(|language| language.text(self.model, text, &slots)).unwrap_or(own)
            };
            let within = question.within.as_ref().and_then(|(time, answer)| {
                let ticks = self.number(time, args)?.round_half_up().max(1);
                Some((ticks, self.model.symbols[*answer].to_string()))
            });
            Box::new(wire::Question {
                of_game: question.asked == Asked::Game,
                text: question.text.map_or_else(String::new, shown),
                answers: question
                    .answers
                    .iter()
                    .map(|(name, text)| (self.model.symbols[*name].to_string(), shown(*text)))
                    .collect(),
                within,
            })
        })
    }

    /// What is not so yet and must first come true is looked at once more by the executor.
    fn guards(&mut self, action: &Action, args: &Args) -> SmallVec<[wire::Guard; 2]> {
        let Some(_) = self.at_start else { return SmallVec::new() };
        let mut leaves = Vec::new();
        for condition in action.conditions.iter().filter(|condition| condition.time == ConditionTime::Start) {
            if condition.weight.is_none() {
                conjuncts(&condition.condition, &mut leaves);
            }
        }
        let present = self.present.state();
        leaves.retain(|leaf| !Evaluator::with(self.model, present, args).holds(leaf));
        leaves.into_iter().filter_map(|leaf| self.guard(leaf, args)).collect()
    }

    /// A condition as a guard, if it is one that guards can say.
    fn guard(&mut self, leaf: &Expr, args: &Args) -> Option<wire::Guard> {
        let (target, test) = match leaf {
            Expr::Fluent(..) => (leaf, wire::Test::Bool(true)),
            Expr::Not(inner) if matches!(**inner, Expr::Fluent(..)) => (&**inner, wire::Test::Bool(false)),
            Expr::Compare(sign, left, right) => {
                let (fluent, sign, other) = match (&**left, &**right) {
                    (Expr::Fluent(..), other) => (&**left, *sign, other),
                    (other, Expr::Fluent(..)) => (&**right, sign.swapped(), other),
                    _ => return None,
                };
                let value = Evaluator::with(self.model, self.state(), args).value(other);
                (fluent, self.test(sign, value)?)
            }
            _ => return None,
        };
        let Expr::Fluent(fluent, owner) = target else { return None };
        let owner = Evaluator::with(self.model, self.state(), args).args(owner);
        let name = self.model.fluent_name(*fluent, &owner);
        Some(wire::Guard { fluent: self.dictionary.number(&name), test })
    }

    fn test(&mut self, sign: Comparison, value: Value) -> Option<wire::Test> {
        Some(match (sign, value) {
            (Comparison::Equal, Value::Bool(value)) => wire::Test::Bool(value),
            (Comparison::NotEqual, Value::Bool(value)) => wire::Test::Bool(!value),
            (sign, Value::Number(number)) => wire::Test::Number(comparison(sign), number.0),
            (Comparison::Equal, value @ (Value::Object(_) | Value::Symbol(_))) => {
                wire::Test::Among([self.dictionary.number(&self.model.value_name(value))].into_iter().collect())
            }
            (Comparison::NotEqual, value @ (Value::Object(_) | Value::Symbol(_))) => {
                wire::Test::NotAmong([self.dictionary.number(&self.model.value_name(value))].into_iter().collect())
            }
            _ => return None,
        })
    }
}

fn comparison(sign: Comparison) -> wire::Comparison {
    match sign {
        Comparison::Less => wire::Comparison::Less,
        Comparison::AtMost => wire::Comparison::AtMost,
        Comparison::Equal => wire::Comparison::Equal,
        Comparison::NotEqual => wire::Comparison::NotEqual,
        Comparison::AtLeast => wire::Comparison::AtLeast,
        Comparison::More => wire::Comparison::More,
    }
}

fn conjuncts<'e>(condition: &'e Expr, into: &mut Vec<&'e Expr>) {
    match condition {
        Expr::And(parts) => parts.iter().for_each(|part| conjuncts(part, into)),
        other => into.push(other),
    }
}
