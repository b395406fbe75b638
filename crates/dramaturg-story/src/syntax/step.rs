//! Plays and their steps: what a `.play` file is made of.

use super::mark::Mark;
use super::parser::Parser;
use super::place::Place;
use super::token::TokenKind;
use super::tree::{Event, Play, PlayFile, Sight, SightTime, Step, StepKind, Text};
use super::word::Word;

impl Parser<'_> {
    /// `plays = { "play" STRING steps }`
    pub(super) fn play_file(&mut self) -> PlayFile {
        let mut plays = Vec::new();
        self.file_of(Place::PlayFile, |parser| {
            let start = parser.at;
            if parser.thing_word(Place::PlayFile).is_none() {
                return;
            }
            parser.bump();
            let title = parser.string("the title of the play in quotes");
            let steps = parser.steps();
            let title = title.unwrap_or_else(|| Text { pieces: Vec::new(), span: parser.span_from(start).before() });
            plays.push(Play { title, steps, span: parser.span_from(start) });
        });
        PlayFile { plays }
    }

    /// `steps = "{" { step [ ";" ] } "}"`
    fn steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        self.braces(Place::Steps, |parser| {
            let start = parser.at;
            let Some(word) = parser.thing_word(Place::Steps) else { return };
            parser.bump();
            if let Some(kind) = parser.step(word) {
                steps.push(Step { kind, span: parser.span_from(start) });
            }
        });
        steps
    }

    /// A step behind its word; `None` if too little of it is there to stand for anything.
    fn step(&mut self, word: Word) -> Option<StepKind> {
        Some(match word {
            Word::Given => StepKind::Given(self.effects()),
            Word::Goals => {
                let who = self.name_before_braces(Place::Wishes, "the name of a character");
                StepKind::Goals(who, self.wishes())
            }
            Word::Level => StepKind::Level(self.name("the name of a level")?),
            Word::Seed => StepKind::Seed(self.number()?),
            Word::Force => StepKind::Force,
            Word::Until => StepKind::Until(self.sum()),
            Word::Wait => StepKind::Wait(self.sum()),
            Word::Finish => StepKind::Finish,
            Word::Reload => StepKind::Reload,
            Word::Report => {
                let effects = self.effect_list();
                StepKind::Report(effects, self.at_word(Word::From).then(|| self.interval()))
            }
            Word::Fail => {
                let event = self.event()?;
                StepKind::Fail(event, self.eat_part(Word::After).then(|| self.sum()))
            }
            Word::Stretch => {
                let event = self.event()?;
                self.mark(Mark::Part);
                self.expect_word(Word::By);
                StepKind::Stretch(event, self.sum())
            }
            Word::Answer => StepKind::Answer(self.name("the name of an answer")?),
            Word::Choose => StepKind::Choose(self.event()?),
            Word::Do => StepKind::Do(self.event()?),
            Word::See => {
                let sight = self.sight()?;
                StepKind::See(sight, self.sight_time())
            }
            Word::Never => StepKind::Never(self.sight()?),
            Word::Check => StepKind::Check(self.expr()),
            Word::Offered => StepKind::Offered(self.events()),
            Word::Only => {
                let who = self.name("the name of a character");
                let steps = self.steps();
                StepKind::Only(who?, steps)
            }
            Word::Unordered => StepKind::Unordered(self.steps()),
            _ => return None,
        })
    }

    /// `event | STRING`
    fn sight(&mut self) -> Option<Sight> {
        if self.at(TokenKind::Text) {
            return self.string("a text").map(Sight::Text);
        }
        self.event().map(Sight::Event)
    }

    /// `[ ( "at" | "by" | "within" ) sum ]`
    fn sight_time(&mut self) -> SightTime {
        if self.eat_part(Word::At) {
            SightTime::At(self.sum())
        } else if self.eat_part(Word::By) {
            SightTime::By(self.sum())
        } else if self.eat_part(Word::Within) {
            SightTime::Within(self.sum())
        } else {
            SightTime::Any
        }
    }

    /// `event { "," event }`
    fn events(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            events.extend(self.event());
            if !self.eat(TokenKind::Comma) {
                return events;
            }
        }
    }
}
