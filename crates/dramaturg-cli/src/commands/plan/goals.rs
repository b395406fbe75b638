//! `dramaturg plan --character`: which goals can be had, in which manner, and which are given up.

use std::io::Write;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use dramaturg::model::{Fixed, Model, ObjectId, State, Tick};
use dramaturg::planner::cast::domain::Domain;
use dramaturg::planner::cast::{Dropping, GivenUp, Manner, Resolve, Thought, ThoughtOptions};
use dramaturg::planner::planner::Budget;
use dramaturg::planner::schedule::in_sequence;
use serde::Serialize;

use super::{Found, PIECE};
use crate::exit::Failure;
use crate::shell::Shell;
use crate::style::{BAD, DIM};

/// Which goals of a character are planned for, and how.
#[derive(Args)]
pub struct GoalArgs {
    /// Plan for all goals of the character at once
    #[arg(long, requires = "character", conflicts_with = "goal_by_goal")]
    all_goals: bool,
    /// Plan for one goal of the character after another, the most salient first
    #[arg(long, requires = "character")]
    goal_by_goal: bool,
    /// The character has so much time: ticks, or with `s` seconds; goals that do not fit are given up
    #[arg(long, requires = "character", value_name = "TIME")]
    available: Option<String>,
    /// Which goals are given up when not all can be had [default: best]
    #[arg(long, requires = "character", value_enum)]
    dropping: Option<DroppingArg>,
}

/// How goals are given up.
#[derive(Clone, Copy, ValueEnum)]
enum DroppingArg {
    /// The least salient, until the rest can be had
    Greedy,
    /// Those that matter least together
    Best,
    /// From the most salient on, each that can be had beside those before it
    Lexical,
}

/// A goal that was given up.
#[derive(Clone, Debug, Serialize)]
pub struct Loss {
    goal: String,
    reason: GivenUp,
}

impl GoalArgs {
    /// Whether a character's goals are looked at one by one.
    pub fn is_asked(&self) -> bool {
        self.all_goals || self.goal_by_goal || self.available.is_some() || self.dropping.is_some()
    }

    fn available(&self, model: &Model) -> Result<Option<Tick>, Failure> {
        let Some(text) = &self.available else { return Ok(None) };
        let wrong = || {
            let failure = Failure::usage(format!("`{text}` is no time"));
            failure.hint("write ticks, such as 30, or seconds, such as 30s")
        };
        let end = text.find(|found: char| !found.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        let number: u32 = digits.parse().map_err(|_| wrong())?;
        match unit.trim() {
            "" | "tick" | "ticks" => Ok(Some(Tick::from(number))),
            "s" => match model.clock.ticks_per_second {
                Some(per) => Ok(Some(Fixed::from_int(i64::from(number)).multiply(per).floor_int())),
                None => Err(Failure::usage("this story does not say how many ticks make a second").hint("write ticks")),
            },
            _ => Err(wrong()),
        }
    }

    /// Makes up a character's mind.
    pub fn search(&self, model: &Model, character: ObjectId, seed: u64, states_max: usize) -> Result<Found, Failure> {
        let state = State::initial(model, seed);
        let domain = Domain::new(model, &state);
        if let Some(trouble) = &domain.trouble {
            return Err(Failure::trouble(trouble.clone()).hint("plan for a smaller level"));
        }
        let Some(start) = domain.pack(&state) else {
            return Err(Failure::trouble("the beginning of the story cannot be planned from"));
        };
        let role = Arc::new(domain.role(character));
        let (names, wants): (Vec<_>, Vec<_>) = domain.wants(model, &start, character).into_iter().unzip();
        let manner = if self.goal_by_goal {
            Manner::GoalByGoal
        } else if self.all_goals {
            Manner::AllGoals
        } else {
            Manner::Together
        };
        let dropping = match self.dropping {
            Some(DroppingArg::Greedy) => Dropping::Greedy,
            Some(DroppingArg::Lexical) => Dropping::Lexical,
            Some(DroppingArg::Best) | None => Dropping::Best,
        };
        let options = ThoughtOptions {
            manner,
            dropping,
            available: self.available(model)?,
            states_max: states_max.min(ThoughtOptions::default().states_max),
            ..ThoughtOptions::default()
        };
        let mut thought = Thought::new(Arc::clone(&role), &start, wants, options);
        let resolve: Resolve = loop {
            if let Some(resolve) = thought.run(&mut Budget::of(PIECE)) {
                break resolve.clone();
            }
        };
        let lost = |(place, reason): &(usize, GivenUp)| Loss {
            goal: names.get(*place).cloned().unwrap_or_default(),
            reason: *reason,
        };
        let plan = in_sequence(model, &role.problem, &start, &resolve.way, 0);
        Ok(Found {
            plan: (!resolve.kept.is_empty()).then_some(plan),
            proved: false,
            operators: role.problem.operators.len(),
            evaluated: resolve.expanded,
            expanded: resolve.expanded,
            given_up: resolve.given_up.iter().map(lost).collect(),
            layers: None,
            improvements: Vec::new(),
        })
    }
}

/// Says which goals were given up, and why.
pub fn tell_losses(shell: &mut Shell, losses: &[Loss]) -> Result<(), Failure> {
    for Loss { goal, reason } in losses {
        let why = match reason {
            GivenUp::OutOfReach => "nothing that the character can do leads there",
            GivenUp::Contradiction => "it cannot be had together with goals that matter more",
            GivenUp::NoTime => "there is not enough time for it beside goals that matter more",
            GivenUp::NotFound => "no way was found within --states-max",
        };
        writeln!(shell.err, "{BAD}given up{BAD:#} {goal} {DIM}({why}){DIM:#}")?;
    }
    Ok(())
}
