//! A task as it is kept: what every task has side by side, the rest apart.

use dramaturg_wire::{Execute, Guard, Guards, LatePolicy, NameId, Params, Question, Reads, Task, Test, Tick};

/// So many parameters stand beside the rest of a task; few actions have more.
const PARAMS_NEAR: usize = 4;

/// What every task has. Between two frames a game's memory goes cold, and a task is looked at when it comes and again
/// when it starts: so this takes exactly one line of the cache, and most tasks need no other.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Brief {
    pub(crate) start: Tick,
    pub(crate) duration: Tick,
    pub(crate) task: Task,
    pub(crate) version: u32,
    pub(crate) action: NameId,
    actuator: NameId,
    pub(crate) late: LatePolicy,
    pub(crate) every: u32,
    params: [NameId; PARAMS_NEAR],
    params_count: u8,
    has_actuator: bool,
    /// Whether its extras are its own: only then are they looked at.
    pub(crate) has_extras: bool,
}

/// What few tasks have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// All parameters, if they are too many for the brief.
    params: Params,
    guards: Guards,
    reads: Reads,
    question: Option<Box<Question>>,
}

/// Both parts of a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held<'a> {
    pub(crate) brief: &'a Brief,
    pub(crate) extras: &'a Extras,
}

impl Brief {
    pub(crate) fn of(execute: &Execute) -> Self {
        let mut params = [NameId::default(); PARAMS_NEAR];
        for (near, param) in params.iter_mut().zip(&execute.params) {
            *near = *param;
        }
        let fits = execute.params.len() <= PARAMS_NEAR;
        let plain = execute.guards.is_empty() && execute.reads.is_empty() && execute.question.is_none();
        Self {
            start: execute.start,
            duration: execute.duration,
            task: execute.task,
            version: execute.version,
            action: execute.action,
            actuator: execute.actuator.unwrap_or_default(),
            late: execute.late,
            every: execute.every,
            params,
            params_count: if fits { execute.params.len() as u8 } else { 0 },
            has_actuator: execute.actuator.is_some(),
            has_extras: !(fits && plain),
        }
    }

    /// Gives every name another number.
    pub(crate) fn renumber(&mut self, number: &impl Fn(&mut NameId)) {
        number(&mut self.action);
        number(&mut self.actuator);
        self.params.iter_mut().for_each(number);
    }

    pub(crate) fn actuator(&self) -> Option<NameId> {
        self.has_actuator.then_some(self.actuator)
    }
}

impl Extras {
    pub(crate) fn of(execute: Execute) -> Self {
        let Execute { params, guards, reads, question, .. } = execute;
        let params = if params.len() > PARAMS_NEAR { params } else { Params::new() };
        Self { params, guards, reads, question }
    }
}

impl Extras {
    /// Gives every name another number.
    pub(crate) fn renumber(&mut self, number: &impl Fn(&mut NameId)) {
        self.params.iter_mut().chain(&mut self.reads).for_each(number);
        for Guard { fluent, test } in &mut self.guards {
            number(fluent);
            if let Test::Among(names) | Test::NotAmong(names) = test {
                names.iter_mut().for_each(number);
            }
        }
    }
}

impl<'a> Held<'a> {
    /// The extras, if it has any.
    fn extras(&self) -> Option<&'a Extras> {
        self.brief.has_extras.then_some(self.extras)
    }

    pub(crate) fn params(&self) -> &'a [NameId] {
        match self.extras() {
            Some(extras) if !extras.params.is_empty() => &extras.params,
            _ => self.brief.params.get(..usize::from(self.brief.params_count)).unwrap_or_default(),
        }
    }

    pub(crate) fn guards(&self) -> &'a [Guard] {
        self.extras().map_or(&[], |extras| &extras.guards)
    }

    pub(crate) fn reads(&self) -> &'a [NameId] {
        self.extras().map_or(&[], |extras| &extras.reads)
    }

    pub(crate) fn question(&self) -> Option<&'a Question> {
        self.extras()?.question.as_deref()
    }

    /// The task as it came.
    pub(crate) fn to_execute(self) -> Execute {
        let brief = self.brief;
        Execute {
            task: brief.task,
            version: brief.version,
            start: brief.start,
            duration: brief.duration,
            action: brief.action,
            actuator: brief.actuator(),
            params: Params::from_slice(self.params()),
            guards: self.extras().map(|extras| extras.guards.clone()).unwrap_or_default(),
            late: brief.late,
            reads: Reads::from_slice(self.reads()),
            every: brief.every,
            question: self.question().cloned().map(Box::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_brief_is_one_line_of_the_cache() {
        assert_eq!((size_of::<Brief>(), align_of::<Brief>()), (64, 64));
    }

    proptest! {
        #[test]
        fn a_task_is_kept_as_it_came(
            numbers in any::<(u32, u16, u32, i64, i64, u32, u32, u32)>(),
            actuator in any::<Option<u32>>(),
            params in proptest::collection::vec(any::<u32>(), 0..12),
            guards in proptest::collection::vec(any::<(u32, bool)>(), 0..4),
            reads in proptest::collection::vec(any::<u32>(), 0..6),
            asks in any::<bool>(),
        ) {
            let (step, part, version, start, duration, action, most, every) = numbers;
            let text = String::from("which way?");
            let question = Question { of_game: false, text, answers: Vec::new(), within: None };
            let execute = Execute {
                task: Task { step, part },
                version,
                start,
                duration,
                action: NameId(action),
                actuator: actuator.map(NameId),
                params: params.into_iter().map(NameId).collect(),
                guards: guards
                    .into_iter()
                    .map(|(fluent, wanted)| Guard { fluent: NameId(fluent), test: Test::Bool(wanted) })
                    .collect(),
                late: LatePolicy { most },
                reads: reads.into_iter().map(NameId).collect(),
                every,
                question: asks.then(|| Box::new(question)),
            };
            let (brief, extras) = (Brief::of(&execute), Extras::of(execute.clone()));
            prop_assert_eq!(&Held { brief: &brief, extras: &extras }.to_execute(), &execute);
            if !brief.has_extras {
                let other = Extras { reads: Reads::from_slice(&[NameId(7)]), ..Extras::default() };
                prop_assert_eq!(Held { brief: &brief, extras: &other }.to_execute(), execute, "another's are not read");
            }
        }
    }
}
