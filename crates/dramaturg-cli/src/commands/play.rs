//! `dramaturg play`: a story told while its characters plan and act, with its questions asked.

use std::io::{IsTerminal, Write, stdin};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use dramaturg::model::{Fixed, Model, Plan, Tick};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::input::{self, Input};
use crate::play::answers::{Answers, System};
use crate::play::happened::{Happened, What};
use crate::play::line::LineMode;
use crate::play::perspective::Perspective;
use crate::play::playing::{Over, Playing, Record};
use crate::play::screen::Screen;
use crate::play::theatre::Theatre;
use crate::shell::Shell;
use crate::staging::planners::{asked_for, is_planned};
use crate::staging::setting::Setting;
use crate::style::{BOLD, DIM};

/// Play a story: its characters plan and act, it is told as text, and you are asked
///
/// Director, game and planner are those of `run` and `test`, by a virtual clock. On a terminal the story has a full screen: the story on the
/// left, what everybody does, plans, wants and believes on the right. On a pipe, or with --plain, it is told line by line; at a
/// question type an answer, or `help`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg play stories/troy-sparta.story
  dramaturg play stories/troy-funeral.story --choices later,yes --from priam --plain
  dramaturg play stories/troy-funeral.story --auto --seed 7 --transcript funeral.jsonl
  echo 'plan achilles' | dramaturg play stories/troy-funeral.story")]
pub struct Play {
    /// A story: a `.story` file or a folder with one
    #[arg(value_name = "STORY")]
    story: PathBuf,
    /// Who sees the story: `world`, or a character
    #[arg(long, value_name = "world|NAME", default_value = "world")]
    from: String,
    /// Answers to the first questions, in order, by name or number
    #[arg(long, value_name = "ANSWERS", value_delimiter = ',')]
    choices: Vec<String>,
    /// Answer questions by themselves: as they say themselves, or by chance if there is a --seed
    #[arg(long)]
    auto: bool,
    /// How questions to the game itself (`ask game`) are answered
    #[arg(long, value_enum, value_name = "POLICY", default_value_t = System::Default)]
    system: System,
    /// Where chance begins, of the story and of --auto and --system [default: 0]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Play at most so many ticks
    #[arg(long, value_name = "TICKS", default_value_t = 600, value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    ticks: Tick,
    /// Line by line, also on a terminal
    #[arg(long)]
    plain: bool,
    /// Line by line: ask what to do every so many ticks, not only at questions
    #[arg(long, value_name = "TICKS", value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    pause: Option<Tick>,
    /// On a full screen: ticks in a second [default: those of the story, from 1 to 60]
    #[arg(long, value_name = "HERTZ", value_parser = clap::value_parser!(u32).range(1..=1000))]
    speed: Option<u32>,
    /// Write everything that happens, whoever sees it, to a file, one JSON document a line
    #[arg(long, value_name = "FILE")]
    transcript: Option<PathBuf>,
}

/// What came of it.
#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    ok: bool,
    title: &'a str,
    from: &'a str,
    seed: u64,
    ticks: Tick,
    /// `ending`, `rest`, `limit` or `quit`.
    over: &'static str,
    ending: Option<&'a str>,
    level: Option<&'a str>,
    /// How many questions were answered.
    answered: usize,
    /// What was seen.
    events: Vec<&'a Happened>,
}

impl Play {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let opened = match input::usable(shell, &self.story, None)? {
            Input::Usable(opened) => *opened,
            Input::Faulty(exit) => return Ok(exit),
        };
        let model = Arc::new(opened.model);
        self.check_planned(&model)?;
        let perspective = Perspective::parse(&model, &self.from)?;
        let record = self.transcript.clone().map(Record::create).transpose()?;
        let seed = self.seed.unwrap_or(0);
        let setting = Setting::virtual_time(Arc::clone(&model), Plan::default(), seed);
        // A program that reads JSON types nothing.
        let auto = self.auto || shell.json;
        let mut playing = Playing {
            theatre: Theatre::open(&setting)?,
            perspective,
            happened: Vec::new(),
            answers: Answers::new(&self.choices, auto, self.seed, self.system),
            record,
            ticks: self.ticks,
        };
        let over = if shell.json {
            alone(&mut playing)?
        } else if shell.is_terminal && stdin().is_terminal() && !self.plain {
            Screen::new(&mut playing, self.speed(&model)).play()?
        } else {
            let seen = perspective.title(&model);
            writeln!(shell.out, "{BOLD}{}{BOLD:#}, {DIM}as {seen} sees it{DIM:#}\n", model.title)?;
            LineMode::new(shell, &mut playing).play(self.pause)?
        };
        self.tell(shell, &model, &playing, &over)
    }

    /// Only a story whose characters plan can be played: what another one lacks is said.
    fn check_planned(&self, model: &Model) -> Result<(), Failure> {
        if is_planned(model) && !model.characters.is_empty() {
            return Ok(());
        }
        let missing: Vec<String> = asked_for(model)
            .into_iter()
            .filter(|kind| !kind.is_there())
            .map(|kind| format!("the {kind} planner, which is not there yet"))
            .collect();
        let story = self.story.display();
        if !missing.is_empty() {
            let failure = Failure::faults(format!("`{story}` cannot be played: it needs {}", missing.join(" and ")));
            return Err(failure.hint("`dramaturg simulate` runs its world; `dramaturg run` performs a plan for it"));
        }
        let failure = match model.characters.is_empty() {
            true => Failure::faults(format!("`{story}` cannot be played: it has no characters")),
            false => Failure::faults(format!("`{story}` cannot be played: none of its characters wants anything")),
        };
        Err(failure.hint("add one that plans: `character mara: Person { goal mara.at == home }`"))
    }

    /// Ticks in a second on a full screen: as fast as the story itself, as far as one can watch that.
    fn speed(&self, model: &Model) -> u32 {
        let own = model.clock.ticks_per_second.map_or(1, Fixed::round_half_up).clamp(1, 60);
        self.speed.unwrap_or(u32::try_from(own).unwrap_or(1))
    }

    fn tell(&self, shell: &mut Shell, model: &Model, playing: &Playing<'_>, over: &Over) -> Result<Exit, Failure> {
        let ticks = playing.theatre.next().max(0);
        if !shell.json {
            writeln!(shell.out, "\n{DIM}{}{DIM:#}", over.words(ticks))?;
            return Ok(Exit::Fine);
        }
        let state = playing.theatre.stage().world().state();
        let happened = || playing.happened.iter();
        shell.json(&Report {
            command: "play",
            ok: true,
            title: &model.title,
            from: &self.from,
            seed: self.seed.unwrap_or(0),
            ticks,
            over: over.name(),
            ending: playing.theatre.ending(),
            level: state.level().map(|level| model.levels[level].name.as_str()),
            answered: happened().filter(|happened| matches!(happened.what, What::Answered { .. })).count(),
            events: happened().filter(|happened| playing.perspective.sees(happened)).collect(),
        })?;
        Ok(Exit::Fine)
    }
}

/// Plays with nobody there.
fn alone(playing: &mut Playing<'_>) -> Result<Over, Failure> {
    loop {
        if let Some(over) = playing.over() {
            return Ok(over);
        }
        playing.step()?;
    }
}
