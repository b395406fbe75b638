//! The plan that is asked about.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use dramaturg::model::{Model, Owner, State};
use dramaturg::open::Opened;
use dramaturg::planner::cast::domain::Domain;
use dramaturg::planner::cast::{Thought, ThoughtOptions};
use dramaturg::planner::ground::{GroundOptions, GroundWishKind, ground};
use dramaturg::planner::planner::Budget;
use dramaturg::planner::search::{BestFirst, BestFirstOptions, Guide, Outcome, Relaxation, Target};
use dramaturg::planner::simulate::words;
use dramaturg::planner::why::{Course, Goal};

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::shell::Shell;

/// Units of work at a time.
const PIECE: u32 = 4096;

/// Which plan is asked about.
#[derive(Args)]
pub struct Planned {
    /// A story or a PDDL domain
    #[arg(value_name = "STORY|DOMAIN")]
    pub path: PathBuf,
    /// The problem of a PDDL domain
    #[arg(long, value_name = "FILE")]
    pub problem: Option<PathBuf>,
    /// The plan of this character [default: the story's, with everybody]
    #[arg(long, value_name = "NAME")]
    pub character: Option<String>,
    /// Look at no more than so many states
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    states_max: u32,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
}

/// What came of opening a story.
pub enum Opening {
    /// It can be used: the story and the plan.
    Planned(Box<Opened>, Course),
    /// It cannot; that has been said.
    Faulty(Exit),
}

impl Planned {
    /// How many states may be looked at.
    pub fn states_max(&self) -> u32 {
        self.states_max
    }

    /// Opens the story and plans.
    pub fn open(&self, shell: &mut Shell) -> Result<Opening, Failure> {
        match input::usable(shell, &self.path, self.problem.as_deref())? {
            Input::Usable(opened) => {
                let course = self.course(&opened.model)?;
                Ok(Opening::Planned(opened, course))
            }
            Input::Faulty(exit) => Ok(Opening::Faulty(exit)),
        }
    }

    fn course(&self, model: &Model) -> Result<Course, Failure> {
        match &self.character {
            Some(name) => self.of_character(model, name),
            None => self.of_story(model),
        }
    }

    fn of_character(&self, model: &Model, name: &str) -> Result<Course, Failure> {
        let character = input::character(model, name)?;
        let state = State::initial(model, self.seed);
        let domain = Domain::new(model, &state);
        if let Some(trouble) = &domain.trouble {
            return Err(Failure::trouble(trouble.clone()).hint("ask about a smaller level"));
        }
        let start = domain.pack(&state).unwrap_or_else(|| domain.problem.initial());
        let role = Arc::new(domain.role(character));
        let (names, wants): (Vec<_>, Vec<_>) = domain.wants(model, &start, character).into_iter().unzip();
        let conditions = wants.iter().map(|want| want.condition.clone());
        let goals: Vec<Goal> =
            names.into_iter().zip(conditions).map(|(name, condition)| Goal { name, condition }).collect();
        if goals.is_empty() {
            return Err(Failure::usage(format!("`{name}` has no goals of its own here")));
        }
        let options = ThoughtOptions { states_max: self.states_max as usize, ..ThoughtOptions::default() };
        let mut thought = Thought::new(Arc::clone(&role), &start, wants, options);
        let resolve = loop {
            if let Some(resolve) = thought.run(&mut Budget::of(PIECE)) {
                break resolve.clone();
            }
        };
        // What is given up is not what the plan is for.
        let kept = goals.into_iter().enumerate().filter(|(place, _)| resolve.kept.contains(place));
        let goals = kept.map(|(_, goal)| goal).collect();
        Ok(Course::new(Arc::clone(&role.problem), &start, &resolve.way, goals))
    }

    fn of_story(&self, model: &Model) -> Result<Course, Failure> {
        // Also what does not help: it may be asked about.
        let grounding = ground(model, &GroundOptions { seed: self.seed, ..GroundOptions::default() });
        if let Some(limit) = grounding.stop {
            return Err(Failure::trouble(limit.to_string()).hint("ask about one character"));
        }
        let problem = Arc::new(grounding.problem);
        let start = problem.initial();
        let mut goals = Vec::new();
        for wish in problem.wishes.iter().filter(|wish| model.wishes[wish.wish].owner == Owner::Story) {
            if let GroundWishKind::Goal { aims, .. } = &wish.kind
                && let Some(aim) = aims.last()
            {
                let name = words::wish(model, &model.wishes[wish.wish]);
                goals.push(Goal { name, condition: aim.condition.clone() });
            }
        }
        if goals.is_empty() {
            let names = model.characters.values().map(|found| model.objects[found.object].name.as_str());
            let names: Vec<&str> = names.collect();
            let failure = Failure::usage("this story has no goals of its own");
            return Err(failure.hint(format!("ask about one of its characters with --character: {}", names.join(", "))));
        }
        let relaxation = Arc::new(Relaxation::new(&problem, true));
        let target = Target::new(goals.iter().map(|goal| goal.condition.clone()).collect());
        let options = BestFirstOptions {
            guide: Guide::Both,
            states_max: self.states_max as usize,
            ..BestFirstOptions::default()
        };
        let mut search = BestFirst::new(Arc::clone(&problem), &relaxation, &start, target, options);
        while *search.run(&mut Budget::of(PIECE)) == Outcome::Searching {}
        match search.run(&mut Budget::of(0)) {
            Outcome::Found(way) => Ok(Course::new(Arc::clone(&problem), &start, way, goals)),
            _ => {
                Err(Failure::trouble("no plan was found to ask about")
                    .hint("raise --states-max, or see `dramaturg plan`"))
            }
        }
    }
}
