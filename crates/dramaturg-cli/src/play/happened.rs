//! Something that happened in a story, as the transcript has it.

use dramaturg::model::{ObjectId, Tick};
use serde::Serialize;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Happened {
    /// When.
    pub tick: Tick,
    /// What.
    #[serde(flatten)]
    pub what: What,
    /// The characters who saw it, by name.
    pub seen_by: Vec<String>,
    /// The same.
    #[serde(skip)]
    pub seers: Vec<ObjectId>,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// Somebody begins to do something.
    Starts(Deed),
    /// It ends as planned.
    Ends(Deed),
    /// It comes to nothing.
    Fails {
        /// What was being done.
        #[serde(flatten)]
        deed: Deed,
        /// Why.
        reason: String,
    },
    /// A text is shown.
    Line {
        /// Who says it; none: the narrator.
        speaker: Option<String>,
        /// The words.
        text: String,
    },
    /// A rule fires.
    Rule {
        /// Which.
        rule: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// A milestone comes.
    Milestone {
        /// Which.
        name: String,
    },
    /// A level begins.
    Level {
        /// Which.
        name: String,
    },
    /// The story ends.
    Ending {
        /// How.
        name: String,
    },
    /// A goal stands otherwise than before.
    Goal {
        /// Whose; none: the story's.
        owner: Option<String>,
        /// What is wanted.
        goal: String,
        /// How much.
        salience: i64,
        /// `active`, `reached`, `missed` or `dropped`.
        standing: &'static str,
    },
    /// The player is asked.
    Question {
        /// The action that the answer decides about.
        action: String,
        /// What it would be done with.
        args: Vec<String>,
        /// The words.
        text: String,
        /// The answers.
        answers: Vec<Answer>,
        /// After so many ticks an answer is taken by itself.
        within: Option<Tick>,
        /// That one.
        otherwise: Option<String>,
    },
    /// A question is answered.
    Answered {
        /// The action that the answer decides about.
        action: String,
        /// The answer.
        answer: String,
        /// Who or what answered.
        by: By,
    },
}

/// Something that somebody does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deed {
    /// The action.
    pub action: String,
    /// What it is done with.
    pub args: Vec<String>,
    /// Who does it.
    pub performer: Option<String>,
    /// Who takes part.
    pub participants: Vec<String>,
}

impl Deed {
    /// As the story writes it.
    pub fn written(&self) -> String {
        if self.args.is_empty() { self.action.clone() } else { format!("{}({})", self.action, self.args.join(", ")) }
    }
}

/// An answer that may be given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What is said back: `yes`.
    pub name: String,
    /// How it is shown.
    pub text: String,
}

/// Who or what answered a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// Whoever plays.
    Player,
    /// `--choices`.
    Choices,
    /// The game, as `--system` says: the question is one for it.
    System,
    /// The answer that the question itself takes if none comes, or else its first one.
    Default,
    /// Chance, from the seed.
    Chance,
    /// Nobody: its time was over.
    Time,
}
