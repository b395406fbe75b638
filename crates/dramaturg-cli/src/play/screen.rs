//! A story played on a full screen.

use std::io;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::answers::offered;
use super::draw::{Picture, Popup, draw};
use super::perspective::{Perspective, title};
use super::playing::{Over, Playing};
use super::telling::telling;
use super::view::Portrait;
use crate::exit::Failure;
use crate::shell::count;
use crate::transcript::clock_time;

/// The slowest and the fastest, in ticks a second.
const SPEEDS: (f64, f64) = (0.25, 1000.0);
/// The screen is drawn at least so often.
const LOOK: Duration = Duration::from_millis(100);
/// So many lines are scrolled at a time.
const PAGE: usize = 10;

/// A story on a full screen.
pub struct Screen<'p, 's> {
    playing: &'p mut Playing<'s>,
    /// Ticks in a second.
    speed: f64,
    paused: bool,
    selected: usize,
    back: usize,
    over: Option<Over>,
}

impl<'p, 's> Screen<'p, 's> {
    /// A story before its first tick, at so many ticks a second.
    pub fn new(playing: &'p mut Playing<'s>, speed: u32) -> Self {
        Self { playing, speed: f64::from(speed), paused: false, selected: 0, back: 0, over: None }
    }

    /// Plays until whoever plays has had enough. The terminal is given back whatever happens, also after a panic.
    pub fn play(mut self) -> Result<Over, Failure> {
        let mut terminal = ratatui::try_init().map_err(|error| on_screen(&error))?;
        let went = self.run(&mut terminal);
        ratatui::restore();
        went
    }

    fn run(&mut self, terminal: &mut DefaultTerminal) -> Result<Over, Failure> {
        let mut due = Instant::now();
        loop {
            let now = Instant::now();
            if now >= due && !self.paused && self.over.is_none() {
                self.playing.step()?;
                self.over = self.playing.over();
                // A slow machine plays slowly, and does not hurry afterwards.
                due = (due + self.tick_time()).max(now);
            }
            let picture = self.picture();
            terminal.draw(|frame| draw(frame, &picture)).map_err(|error| on_screen(&error))?;
            let stands = self.paused || self.over.is_some();
            let wait = if stands { LOOK } else { due.saturating_duration_since(Instant::now()).min(LOOK) };
            if event::poll(wait).map_err(|error| on_screen(&error))?
                && let Event::Key(key) = event::read().map_err(|error| on_screen(&error))?
                && key.kind != KeyEventKind::Release
                && self.pressed(key)?
            {
                return Ok(self.over.take().unwrap_or(Over::Quit));
            }
            due = if stands { Instant::now() + self.tick_time() } else { due.min(Instant::now() + self.tick_time()) };
        }
    }

    fn tick_time(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.speed)
    }

    /// A key; whether it is the end.
    fn pressed(&mut self, key: KeyEvent) -> Result<bool, Failure> {
        let cast = self.playing.theatre.cast();
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return Ok(true),
            KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
            KeyCode::Char(' ') => self.paused = !self.paused,
            KeyCode::Char('+' | '=') => self.speed = (self.speed * 2.0).min(SPEEDS.1),
            KeyCode::Char('-') => self.speed = (self.speed / 2.0).max(SPEEDS.0),
            KeyCode::Char('v') => self.see(self.playing.perspective.next(&cast)),
            KeyCode::Enter => {
                if let Some(who) = cast.get(self.selected) {
                    self.see(Perspective::Of(*who));
                }
            }
            KeyCode::Tab | KeyCode::Down | KeyCode::Right => self.selected = (self.selected + 1) % cast.len().max(1),
            KeyCode::BackTab | KeyCode::Up | KeyCode::Left => {
                self.selected = self.selected.checked_sub(1).unwrap_or(cast.len().saturating_sub(1));
            }
            KeyCode::PageUp => self.back = self.back.saturating_add(PAGE),
            KeyCode::PageDown => self.back = self.back.saturating_sub(PAGE),
            KeyCode::Home => self.back = usize::MAX / 2,
            KeyCode::End => self.back = 0,
            KeyCode::Char(number @ '1'..='9') => {
                // What is no answer to this question, or to none, does nothing.
                self.playing.answer(&number.to_string())?;
            }
            _ => {}
        }
        Ok(false)
    }

    /// What was told so far is told again as this one saw it.
    fn see(&mut self, perspective: Perspective) {
        self.playing.perspective = perspective;
        self.back = 0;
    }

    fn picture(&self) -> Picture {
        let theatre = &self.playing.theatre;
        let model = &theatre.model;
        let cast = theatre.cast();
        let selected = self.selected.min(cast.len().saturating_sub(1));
        let portrait = cast.get(selected).map(|who| Portrait::of(theatre, *who)).unwrap_or_default();
        let doing = |who| theatre.deed_of(who).map(ToString::to_string).unwrap_or_default();
        let seen = self.playing.happened.iter().filter(|happened| self.playing.perspective.sees(happened));
        let told = seen.filter_map(|happened| telling(model, happened));
        Picture {
            title: model.title.to_string(),
            seen_by: self.playing.perspective.title(model),
            story: told.map(|told| (clock_time(&model.clock, told.tick), told)).collect(),
            back: self.back,
            cast: cast.iter().map(|who| (title(model, *who), doing(*who))).collect(),
            selected,
            plan: portrait.plan_lines(&model.clock),
            goals: portrait.goal_lines(),
            beliefs: portrait.belief_lines(),
            question: self.question(),
            status: self.status(),
        }
    }

    fn question(&self) -> Option<Popup> {
        let theatre = &self.playing.theatre;
        let asked = theatre.question()?;
        let note = asked.question.within.as_ref().map(|(within, answer)| {
            let left = (asked.tick + within - theatre.next()).max(0);
            format!("in {} without an answer: {answer}", count(usize::try_from(left).unwrap_or(0), "tick"))
        });
        let text = if asked.question.text.is_empty() { &asked.action } else { &asked.question.text };
        let answers = offered(asked).into_iter().map(|answer| format!("{}: {}", answer.name, answer.text));
        Some(Popup { text: text.clone(), answers: answers.collect(), note: note.unwrap_or_default() })
    }

    fn status(&self) -> String {
        let theatre = &self.playing.theatre;
        let tick = (theatre.next() - 1).max(0);
        let time = clock_time(&theatre.model.clock, tick);
        let stands = match &self.over {
            Some(over) => over.words(tick + 1),
            None if self.paused => "paused".to_owned(),
            None => String::new(),
        };
        format!(" {time}   {} ticks a second   {stands}", self.speed)
    }
}

fn on_screen(error: &io::Error) -> Failure {
    Failure::trouble(format!("cannot use the terminal: {error}")).hint("`--plain` plays line by line")
}
