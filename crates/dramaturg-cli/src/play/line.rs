//! A story played line by line: on a pipe, or on a terminal without a full screen.

use std::io::{BufRead, IsTerminal, Write, stdin};

use dramaturg::model::{ObjectId, Tick};

use super::answers::{default, offered};
use super::perspective::{Perspective, character};
use super::playing::{Over, Playing};
use super::telling::{Telling, Tone, telling};
use super::view::Portrait;
use crate::exit::Failure;
use crate::shell::Shell;
use crate::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, SPOKEN, TYPED};
use crate::transcript::clock_time;

const HELP: &str = "\
  an answer: its name or its number
  plan NAME, goals NAME, beliefs NAME: what somebody plans, wants, believes
  see NAME, see world: tell the story from there on
  wait, wait TICKS: let the story go on without an answer
  help, quit";

/// What came of a prompt.
enum Then {
    /// The story goes on, and asks again at this tick at the earliest.
    On(Tick),
    /// Enough.
    Quit,
}

/// A story on a line printer.
pub struct LineMode<'a, 'p, 's> {
    shell: &'a mut Shell,
    playing: &'p mut Playing<'s>,
    /// The last tick that was printed.
    last: Option<Tick>,
    /// Whether a person types.
    typed: bool,
}

impl<'a, 'p, 's> LineMode<'a, 'p, 's> {
    /// A story before its first line.
    pub fn new(shell: &'a mut Shell, playing: &'p mut Playing<'s>) -> Self {
        Self { shell, playing, last: None, typed: stdin().is_terminal() }
    }

    /// Plays until it is over; asks what to do at every so many ticks, if so wanted.
    pub fn play(&mut self, pause: Option<Tick>) -> Result<Over, Failure> {
        let mut until = 0;
        loop {
            if let Some(over) = self.playing.over() {
                return Ok(over);
            }
            let from = self.playing.step()?;
            self.tell(from)?;
            let next = self.playing.theatre.next();
            let asked = self.playing.theatre.question().is_some();
            let paused = pause.is_some_and(|pause| next % pause == 0);
            if next >= until && (asked || paused) && self.playing.over().is_none() {
                match self.prompt(next)? {
                    Then::On(tick) => until = tick,
                    Then::Quit => return Ok(Over::Quit),
                }
            }
        }
    }

    /// Prints what happened from this place on, as far as it is seen.
    fn tell(&mut self, from: usize) -> Result<(), Failure> {
        let model = &self.playing.theatre.model;
        for happened in self.playing.happened.iter().skip(from) {
            if !self.playing.perspective.sees(happened) {
                continue;
            }
            let Some(told) = telling(model, happened) else { continue };
            let is_new = self.last.replace(told.tick) != Some(told.tick);
            let time = if is_new { clock_time(&model.clock, told.tick) } else { String::new() };
            writeln!(self.shell.out, "{DIM}{time:>11}{DIM:#}  {}", styled(&told))?;
        }
        Ok(())
    }

    fn prompt(&mut self, next: Tick) -> Result<Then, Failure> {
        let mut shows_answers = true;
        loop {
            let asked = self.playing.theatre.question().cloned();
            if let Some(asked) = asked.as_ref().filter(|_| shows_answers) {
                for (number, answer) in (1..).zip(offered(asked)) {
                    writeln!(self.shell.out, "{:>11}  {number} {TYPED}{}{TYPED:#} {}", "", answer.name, answer.text)?;
                }
            }
            shows_answers = false;
            if self.typed {
                write!(self.shell.out, "{BOLD}>{BOLD:#} ")?;
            }
            self.shell.out.flush()?;
            let mut line = String::new();
            let read = stdin().lock().read_line(&mut line);
            if read.map_err(|error| Failure::trouble(format!("cannot read the input: {error}")))? == 0 {
                // Nobody is there any more: from here on the story goes its own way.
                if let Some(asked) = &asked {
                    writeln!(self.shell.out, "{:>11}  {DIM}nobody answers: {}{DIM:#}", "", default(asked))?;
                }
                self.playing.answers.go_on_alone();
                self.playing.answer_alone()?;
                return Ok(Then::On(Tick::MAX));
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                [] if asked.is_none() => return Ok(Then::On(0)),
                ["wait"] => return Ok(Then::On(next + 1)),
                ["wait", ticks] => match ticks.parse::<Tick>() {
                    Ok(ticks) => return Ok(Then::On(next.saturating_add(ticks.max(1)))),
                    Err(_) => self.complain(&format!("`{ticks}` is no number of ticks"))?,
                },
                ["quit" | "q"] => return Ok(Then::Quit),
                ["help" | "?"] => writeln!(self.shell.out, "{HELP}")?,
                ["plan", name] => self.show(name, "plans", |it, mode| it.plan_lines(&mode.theatre.model.clock))?,
                ["goals", name] => self.show(name, "wants", |it, _| it.goal_lines())?,
                ["beliefs", name] => self.show(name, "believes", |it, _| it.belief_lines())?,
                ["see", name] => match Perspective::parse(&self.playing.theatre.model, name) {
                    Ok(perspective) => {
                        self.playing.perspective = perspective;
                        let title = perspective.title(&self.playing.theatre.model);
                        writeln!(self.shell.out, "{DIM}from here on as {title} sees it{DIM:#}")?;
                    }
                    Err(failure) => self.complain_of(&failure)?,
                },
                [answer] if asked.is_some() => {
                    if self.playing.answer(answer)? {
                        self.playing.answer_alone()?;
                        if self.playing.theatre.question().is_none() {
                            return Ok(Then::On(0));
                        }
                        shows_answers = true;
                    } else {
                        self.complain(&format!("`{answer}` is no answer and no command; `help` lists them"))?;
                    }
                }
                _ => self.complain(&format!("`{}` is no command; `help` lists them", line.trim()))?,
            }
        }
    }

    fn show(
        &mut self,
        name: &str,
        does: &str,
        lines: impl FnOnce(&Portrait, &Playing<'_>) -> Vec<String>,
    ) -> Result<(), Failure> {
        let theatre = &self.playing.theatre;
        let who: ObjectId = match character(&theatre.model, name) {
            Ok(who) => who,
            Err(failure) => return self.complain_of(&failure),
        };
        let portrait = Portrait::of(theatre, who);
        writeln!(self.shell.out, "{BOLD}{} {does}{BOLD:#}", portrait.title)?;
        for line in lines(&portrait, self.playing) {
            writeln!(self.shell.out, "  {line}")?;
        }
        Ok(())
    }

    fn complain_of(&mut self, failure: &Failure) -> Result<(), Failure> {
        let Failure::Told { message, hint, .. } = failure else { return Ok(()) };
        let hint = hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        self.complain(&format!("{message}{hint}"))
    }

    fn complain(&mut self, message: &str) -> Result<(), Failure> {
        writeln!(self.shell.out, "{DOUBTFUL}{message}{DOUBTFUL:#}")?;
        Ok(())
    }
}

fn styled(Telling { tone, speaker, text, .. }: &Telling) -> String {
    let speaker = speaker.as_ref().map(|speaker| format!("{BOLD}{speaker}:{BOLD:#} ")).unwrap_or_default();
    match tone {
        Tone::Told => text.clone(),
        Tone::Spoken => format!("{speaker}{SPOKEN}“{text}”{SPOKEN:#}"),
        Tone::Done => format!("{speaker}{text}"),
        Tone::Wanted => format!("{DIM}{text}{DIM:#}"),
        Tone::Turn => format!("{GOOD}{text}{GOOD:#}"),
        Tone::Asked => format!("{BOLD}{text}{BOLD:#}"),
        Tone::Bad => format!("{BAD}{text}{BAD:#}"),
    }
}
