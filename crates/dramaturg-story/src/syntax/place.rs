//! What may stand between which braces: the table of bodies.

use super::word::{DECLARATIONS, Word, WordSet};

/// A stretch of source in which things of one kind follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A `.story` file.
    StoryFile,
    /// The braces of the header.
    Header,
    /// The braces of a level.
    Level,
    /// The braces of a type.
    Type,
    /// The braces of a layer.
    Layer,
    /// The body of an action.
    Action,
    /// The body of a rule.
    Rule,
    /// The body of a task.
    Task,
    /// The body of a method.
    Method,
    /// The body of a pool.
    Pool,
    /// The body of a character.
    Character,
    /// The body of a population.
    Population,
    /// The body of a personality.
    Personality,
    /// The body of a futile goal.
    Futile,
    /// The body of a milestone.
    Milestone,
    /// The body of an ending.
    Ending,
    /// The braces of `inject` and `goals`.
    Wishes,
    /// A `.play` file.
    PlayFile,
    /// The braces of a play, of `only` and of `unordered`.
    Steps,
}

use Word::{
    After, Anchors, Answer, Ask, At, Beam, Begins, By, Check, Choose, Commit, Costs, Day, Do, Down, During, Elites,
    Every, Expect, Extend, Fail, Fills, Finish, Follows, For, Force, From, Given, Goal, Goals, Horizon, If, Inject,
    Keep, Keeps, Language, Late, Level, Method, Needs, Never, Next, Offer, Offered, Only, Options, Otherwise, Per,
    Personality, Play, Prefer, Reads, Reload, Report, Salience, Say, See, Seed, Steps, Stretch, Takes, Then, Ticks,
    Times, To, Tolerance, Unordered, Until, Up, Uses, Wait, Weight, When, While, Within,
};

/// The words that begin a clause in some body.
pub(crate) const CLAUSES: WordSet = WordSet::of(&[
    Goal,
    Keep,
    Prefer,
    Takes,
    Needs,
    Keeps,
    Uses,
    Then,
    During,
    Expect,
    Otherwise,
    Given,
    When,
    While,
    After,
    Check,
    Extend,
    Reads,
    Inject,
    Say,
    Ask,
    Costs,
    Late,
    Offer,
    Method,
    Do,
    Fills,
    Anchors,
    Commit,
    Personality,
    Next,
]);

/// The words that may follow an expression inside one clause.
pub(crate) const SUFFIXES: WordSet = WordSet::of(&[
    At, By, From, To, For, If, Per, Every, Times, Salience, Weight, While, Then, Within, Up, Down, Follows,
]);

const WISHES: WordSet = WordSet::of(&[Goal, Keep, Prefer]);
const TRIGGERS: WordSet = WordSet::of(&[When, While, After]);

impl Place {
    /// The words with which a thing may begin here; a type's members begin with any name.
    pub(crate) const fn words(self) -> WordSet {
        match self {
            Self::StoryFile | Self::Level => DECLARATIONS,
            Self::Header => const { WordSet::of(&[Ticks, Day, Begins, Options, Language]) },
            Self::Type => WordSet::EMPTY,
            Self::Layer => const { WordSet::of(&[Horizon, Steps, Beam, Elites, Tolerance]) },
            Self::Action => {
                const {
                    WordSet::of(&[
                        Takes, Needs, Keeps, Uses, Then, During, Expect, Otherwise, Check, Extend, Reads, Ask, Say,
                        Costs, Late, Prefer,
                    ])
                }
            }
            Self::Rule => {
                const {
                    WordSet::of(&[Takes, Then, During, Expect, Otherwise, Check, Extend, Reads, Say, Inject])
                        .or(TRIGGERS)
                }
            }
            Self::Task => const { WordSet::of(&[Needs, Offer, Method, Costs, Fills]) },
            Self::Method => const { WordSet::of(&[Say, Then, Do, Costs]) },
            Self::Pool => const { WordSet::of(&[Anchors, Takes, Needs, Uses, Then, Say, Commit, Costs]) },
            Self::Character => const { WordSet::of(&[Personality]).or(WISHES) },
            Self::Population => const { WordSet::of(&[Personality, Given]).or(WISHES) },
            Self::Personality => const { WordSet::of(&[Keep, Prefer, Costs, Personality]) },
            Self::Futile => const { WordSet::of(&[Needs, Goal]) },
            Self::Milestone => const { WordSet::of(&[When, Then, Say, Next]) },
            Self::Ending => const { WordSet::of(&[When, Then, Say]) },
            Self::Wishes => WISHES,
            Self::PlayFile => const { WordSet::of(&[Play]) },
            Self::Steps => {
                const {
                    WordSet::of(&[
                        Given, Goals, Level, Seed, Force, Until, Wait, Finish, Reload, Report, Fail, Stretch, Answer,
                        Choose, Do, See, Never, Check, Offered, Only, Unordered,
                    ])
                }
            }
        }
    }

    /// The words that may stand here more than once.
    const fn repeated(self) -> WordSet {
        match self {
            Self::Action => const { WordSet::of(&[Needs, Keeps, Then, During, Otherwise, Say, Prefer]) },
            Self::Rule => const { WordSet::of(&[Then, During, Otherwise, Say, Inject]) },
            Self::Task => const { WordSet::of(&[Needs, Offer, Method]) },
            Self::Method => const { WordSet::of(&[Say, Then, Do]) },
            Self::Pool => const { WordSet::of(&[Needs, Then, Say]) },
            Self::Character => WISHES,
            Self::Population => const { WordSet::of(&[Given]).or(WISHES) },
            Self::Personality => const { WordSet::of(&[Keep, Prefer, Costs]) },
            Self::Futile => const { WordSet::of(&[Needs]) },
            Self::Milestone | Self::Ending => const { WordSet::of(&[Then, Say]) },
            Self::Header | Self::Layer => WordSet::EMPTY,
            _ => self.words(),
        }
    }

    /// The word that a word may not stand beside, if it may stand at most once: itself, or one word for all triggers.
    pub(crate) const fn once(self, word: Word) -> Option<Word> {
        if self.repeated().has(word) {
            None
        } else if matches!(self, Self::Rule) && TRIGGERS.has(word) {
            Some(When)
        } else {
            Some(word)
        }
    }

    /// What the things here are called, one of them.
    pub(crate) const fn thing(self) -> &'static str {
        match self {
            Self::StoryFile | Self::Level => "a declaration",
            Self::Header => "a setting",
            Self::Type => "an attribute",
            Self::Layer => "a setting of the layer",
            Self::PlayFile => "a play",
            Self::Steps => "a step",
            Self::Wishes => "a wish",
            _ => "a clause",
        }
    }

    /// What the whole is called.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::StoryFile => "a story",
            Self::Header => "the header",
            Self::Level => "a level",
            Self::Type => "a type",
            Self::Layer => "a layer",
            Self::Action => "an action",
            Self::Rule => "a rule",
            Self::Task => "a task",
            Self::Method => "a method",
            Self::Pool => "a pool",
            Self::Character => "a character",
            Self::Population => "a population",
            Self::Personality => "a personality",
            Self::Futile => "a futile goal",
            Self::Milestone => "a milestone",
            Self::Ending => "an ending",
            Self::Wishes => "a list of wishes",
            Self::PlayFile => "a file of plays",
            Self::Steps => "a play",
        }
    }

    /// What may begin a thing here, for people: "`when`, `then` or `say`".
    pub(crate) fn choices(self) -> String {
        let words: Vec<_> = self.words().iter().map(|word| format!("`{}`", word.text())).collect();
        match words.split_last() {
            None => "names of attributes".to_owned(),
            Some((last, [])) => last.clone(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
        }
    }

    /// The words that begin a declaration in files of this kind.
    pub(crate) const fn declarations(self) -> WordSet {
        match self {
            Self::PlayFile | Self::Steps => Self::PlayFile.words(),
            _ => DECLARATIONS,
        }
    }
}
