//! The words of the grammar, and sets of them.
//!
//! Only [`Word::is_reserved`] words are never names; every other word is an ordinary name wherever the grammar does not ask
//! for that word.

macro_rules! words {
    ($($variant:ident $text:literal)*) => {
        /// A word of the grammar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Word {
            /// Any other name.
            None,
            $(#[doc = $text] $variant,)*
        }

        impl Word {
            const ALL: &[Word] = &[$(Word::$variant,)*];

            /// The word spelt like this.
            pub(crate) fn of(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::None,
                }
            }

            /// How it is spelt.
            pub(crate) const fn text(self) -> &'static str {
                match self {
                    Self::None => "",
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

words! {
    // Reserved everywhere.
    And "and" Or "or" Not "not" In "in" Mod "mod" Any "any" All "all" True "true" False "false" Done "done" Random "random"
    // Declarations.
    Story "story" Use "use" Level "level" Type "type" Fluent "fluent" Object "object" Character "character" Given "given"
    Action "action" Rule "rule" Key "key" Task "task" Pool "pool" Population "population" Personality "personality"
    Layer "layer" Futile "futile" Milestone "milestone" Ending "ending" Goal "goal" Keep "keep" Prefer "prefer"
    // Settings and knobs.
    Ticks "ticks" Day "day" Begins "begins" Options "options" Language "language"
    Horizon "horizon" Steps "steps" Beam "beam" Elites "elites" Tolerance "tolerance"
    // Domains and headers.
    Number "number" Int "int" Duration "duration" Actuator "actuator" Means "means" With "with" Of "of" Above "above"
    // Clauses.
    Takes "takes" Needs "needs" Keeps "keeps" Uses "uses" Then "then" During "during" Expect "expect"
    Otherwise "otherwise" When "when" While "while" After "after" Check "check" Extend "extend" Reads "reads"
    Inject "inject" Say "say" Ask "ask" Costs "costs" Late "late" Offer "offer" Method "method" Do "do" Fills "fills"
    Anchors "anchors" Commit "commit" Next "next"
    // Suffixes.
    At "at" By "by" From "from" To "to" For "for" If "if" Per "per" Every "every" Times "times" Start "start" End "end"
    Player "player" Game "game" Answers "answers" Within "within" Else "else" Drop "drop" Retime "retime"
    Carrying "carrying" Salience "salience" Weight "weight" More "more" Less "less" Up "up" Down "down" Follows "follows"
    // Plays.
    Play "play" Goals "goals" Seed "seed" Force "force" Until "until" Wait "wait" Finish "finish" Reload "reload"
    Report "report" Fail "fail" Stretch "stretch" Answer "answer" Choose "choose" See "see" Never "never"
    Offered "offered" Only "only" Unordered "unordered"
}

impl Word {
    /// Whether it is never a name.
    pub(crate) const fn is_reserved(self) -> bool {
        self as u8 != 0 && self as u8 <= Self::Random as u8
    }
}

/// A set of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordSet(u128);

impl WordSet {
    /// No words.
    pub(crate) const EMPTY: Self = Self(0);

    /// These words.
    pub(crate) const fn of(words: &[Word]) -> Self {
        let mut bits = 0;
        let mut rest = words;
        while let [first, others @ ..] = rest {
            bits |= 1 << *first as u8;
            rest = others;
        }
        Self(bits)
    }

    /// Whether the word is one of them; [`Word::None`] never is.
    pub(crate) const fn has(self, word: Word) -> bool {
        word as u8 != 0 && self.0 >> word as u8 & 1 == 1
    }

    /// The words of both.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The words in the order of the grammar.
    pub(crate) fn iter(self) -> impl Iterator<Item = Word> {
        Word::ALL.iter().copied().filter(move |word| self.has(*word))
    }

    /// The word of the set that `text` is most likely a misspelling of.
    pub(crate) fn nearest(self, text: &str) -> Option<Word> {
        let length = text.chars().count();
        // Longer texts are no misspelling of any word, and comparing them would cost time.
        let allowed = match length {
            0..=2 => return None,
            3..=5 => 1,
            6..=24 => 2,
            _ => return None,
        };
        let lower = text.to_lowercase();
        self.iter()
            .map(|word| (strsim::damerau_levenshtein(&lower, word.text()), word))
            .filter(|(distance, _)| *distance <= allowed)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, word)| word)
    }
}

/// The words that begin a declaration.
pub(crate) const DECLARATIONS: WordSet = WordSet::of(&[
    Word::Story,
    Word::Use,
    Word::Level,
    Word::Type,
    Word::Fluent,
    Word::Object,
    Word::Character,
    Word::Given,
    Word::Action,
    Word::Rule,
    Word::Key,
    Word::Task,
    Word::Pool,
    Word::Population,
    Word::Personality,
    Word::Layer,
    Word::Futile,
    Word::Milestone,
    Word::Ending,
    Word::Goal,
    Word::Keep,
    Word::Prefer,
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eleven_words_are_reserved() {
        let reserved: Vec<_> = Word::ALL.iter().filter(|word| word.is_reserved()).map(|word| word.text()).collect();
        assert_eq!(reserved.join(" "), "and or not in mod any all true false done random");
    }

    #[test]
    fn a_misspelling_finds_its_word() {
        assert_eq!(DECLARATIONS.nearest("acton"), Some(Word::Action));
        assert_eq!(DECLARATIONS.nearest("charachter"), Some(Word::Character));
        assert_eq!(DECLARATIONS.nearest("Task"), Some(Word::Task));
        assert_eq!(DECLARATIONS.nearest("helen"), None);
        assert_eq!(DECLARATIONS.nearest("a"), None);
    }
}
