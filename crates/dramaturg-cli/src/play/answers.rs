//! Answers that were given beforehand, or that come by themselves.

use std::collections::VecDeque;

use clap::ValueEnum;
use dramaturg::model::Chance;

use super::happened::{Answer, By};
use crate::exit::Failure;
use crate::staging::actor::Asked;

/// How questions are answered that a story puts to the game (`ask game`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum System {
    /// As the question says: what holds if no answer comes in time, else its first answer
    #[default]
    Default,
    /// Yes, where that is an answer
    Yes,
    /// No, where that is an answer
    No,
    /// Later, where that is an answer
    Later,
    /// By chance, from the seed
    Chance,
}

/// Answers that need nobody.
pub struct Answers {
    choices: VecDeque<String>,
    auto: bool,
    chance: Option<Chance>,
    system: System,
    /// Chance of its own, so that what the player is asked changes nothing here.
    system_chance: Chance,
}

impl Answers {
    /// These first; then, if so wanted, by themselves: by chance where there is a seed, else as the question says.
    pub fn new(choices: &[String], auto: bool, seed: Option<u64>, system: System) -> Self {
        let chance = seed.map(|seed| Chance::new(seed ^ 0x0A5C_ED00));
        let system_chance = Chance::new(seed.unwrap_or(0) ^ 0x5157_E400);
        Self { choices: choices.iter().cloned().collect(), auto, chance, system, system_chance }
    }

    /// What the game answers.
    fn of_system(&mut self, asked: &Asked) -> String {
        let offered = offered(asked);
        let wanted = match self.system {
            System::Default => None,
            System::Yes => find(asked, "yes"),
            System::No => find(asked, "no"),
            System::Later => find(asked, "later"),
            System::Chance => offered.get(self.system_chance.below(offered.len())).map(|answer| answer.name.clone()),
        };
        wanted.unwrap_or_else(|| default(asked))
    }

    /// The answer to a question; none: somebody has to be asked.
    pub fn to(&mut self, asked: &Asked) -> Result<Option<(String, By)>, Failure> {
        if asked.question.of_game {
            return Ok(Some((self.of_system(asked), By::System)));
        }
        if let Some(choice) = self.choices.pop_front() {
            return match find(asked, &choice) {
                Some(answer) => Ok(Some((answer, By::Choices))),
                None => {
                    let text = &asked.question.text;
                    let failure = Failure::usage(format!("`{choice}` is no answer to “{text}” at tick {}", asked.tick));
                    let names: Vec<String> = offered(asked).into_iter().map(|answer| answer.name).collect();
                    Err(failure.hint(format!("its answers are {}", names.join(", "))))
                }
            };
        }
        if !self.auto {
            return Ok(None);
        }
        let offered = offered(asked);
        let drawn = self.chance.as_mut().and_then(|chance| offered.get(chance.below(offered.len())));
        Ok(Some(match drawn {
            Some(answer) => (answer.name.clone(), By::Chance),
            None => (default(asked), By::Default),
        }))
    }

    /// From here on questions are answered by themselves, as they say.
    pub fn go_on_alone(&mut self) {
        self.auto = true;
        self.chance = None;
    }
}

/// What may be answered; a question that leaves this to the game has the answers that mean something everywhere.
pub fn offered(asked: &Asked) -> Vec<Answer> {
    let answers = &asked.question.answers;
    if answers.is_empty() {
        let usual = [("yes", "Yes."), ("no", "No."), ("later", "Later.")];
        return usual.iter().map(|(name, text)| Answer { name: (*name).into(), text: (*text).into() }).collect();
    }
    answers.iter().map(|(name, text)| Answer { name: name.clone(), text: text.clone() }).collect()
}

/// The answer that is taken if none comes in time, or else the first one.
pub fn default(asked: &Asked) -> String {
    let first = || offered(asked).into_iter().next().map(|answer| answer.name).unwrap_or_default();
    asked.question.within.as_ref().map_or_else(first, |(_, answer)| answer.clone())
}

/// An answer by its name or its number from 1.
pub fn find(asked: &Asked, typed: &str) -> Option<String> {
    let offered = offered(asked);
    let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let by_number = number.and_then(|at| offered.get(at));
    let by_name = || offered.iter().find(|answer| answer.name.eq_ignore_ascii_case(typed));
    by_number.or_else(by_name).map(|answer| answer.name.clone())
}
