//! `dramaturg demo`: a walk through a story, for newcomers.

use std::io::{self, BufRead, IsTerminal, Write};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use dramaturg::model::{Diagnostic, FileId, Model, Plan, Severity, State};
use dramaturg::planner::planfile::read_plan;
use dramaturg::planner::simulate::{Detail, World, WorldEventKind, WorldOptions};
use dramaturg::planner::validate::{Goals, ValidateOptions, validate};
use dramaturg::story::{Compilation, compile_text};
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::shell::{Shell, count, time};
use crate::style::{BOLD, DIM, GOOD, TYPED};
use crate::transcript::Teller;

/// Show around: compile a story, break it, and play a plan tick by tick
///
/// Needs no files. On a terminal it waits for Enter between its parts.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg demo
  dramaturg demo --fast | less")]
pub struct Demo {
    /// Do not wait
    #[arg(long)]
    fast: bool,
}

const APPLE: &str = include_str!("../../../../stories/apple.story");
const TROY: &str = include_str!("../../../../stories/troy-sparta.story");

const ANNA_EATS: &str = "\
475: (take anna apple) [5]
480: (eat anna apple) [20]
";

const HECTOR_MAKES_PEACE: &str = "\
(walk hector guest-room throne-room)
(talk hector menelaos throne-room)
(give hector menelaos hector-troy-gift throne-room)
(negotiatePeace hector menelaos throne-room)
(walk hector throne-room dock)
(board hector ships dock)
(travel hector dock troy ships sea)
";

/// The word that is misspelt to show what comes of it.
const BROKEN: (&str, &str) = ("needs it.position == onTable", "needs it.position == onTabel");

#[derive(Serialize)]
struct Shown {
    command: &'static str,
    ok: bool,
    stories: Vec<Played>,
}

#[derive(Serialize)]
struct Played {
    title: String,
    steps: usize,
    valid: bool,
    texts: Vec<String>,
}

impl Demo {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let mut tour = Tour { waits: !self.fast && shell.is_terminal && io::stdin().is_terminal(), shell, part: 0 };
        let apple = tour.compile("apple.story", APPLE)?;
        let broken = tour.break_it()?;
        let anna =
            tour.play(&apple, ANNA_EATS, Goals::Story, "Anna must not be hungry at tick 500, and not before.")?;
        let troy = compile_text("troy-sparta.story", TROY);
        let hector = character(&troy.model, "hector");
        let about =
            "Hector brings a gift, makes peace and sails home: seven steps, each possible only after the one before.";
        let peace = tour.play(&troy, HECTOR_MAKES_PEACE, hector, about)?;
        let ok = broken && anna.valid && peace.valid && apple.is_usable() && troy.is_usable();
        if tour.shell.json {
            tour.shell.json(&Shown { command: "demo", ok, stories: vec![anna, peace] })?;
        } else {
            tour.farewell()?;
        }
        Ok(if ok { Exit::Fine } else { Exit::Bug })
    }
}

struct Tour<'s> {
    shell: &'s mut Shell,
    /// Whether somebody is there to wait for.
    waits: bool,
    part: usize,
}

impl Tour<'_> {
    fn say(&mut self, text: &str) -> Result<(), Failure> {
        if !self.shell.json {
            writeln!(self.shell.out, "{text}")?;
        }
        Ok(())
    }

    fn part(&mut self, title: &str) -> Result<(), Failure> {
        if self.part > 0 {
            self.wait()?;
        }
        self.part += 1;
        let part = self.part;
        self.say(&format!("\n{GOOD}{part}.{GOOD:#} {BOLD}{title}{BOLD:#}\n"))
    }

    fn wait(&mut self) -> Result<(), Failure> {
        if self.waits {
            write!(self.shell.out, "\n{DIM}Enter goes on, Ctrl-C leaves{DIM:#} ")?;
            self.shell.out.flush()?;
            let mut line = String::new();
            // Whatever is typed, or the end of input: go on.
            let _ = io::stdin().lock().read_line(&mut line);
        }
        Ok(())
    }

    fn compile(&mut self, path: &str, text: &str) -> Result<Compilation, Failure> {
        self.part("A story is text")?;
        self.say("This is one of the sample stories, one person and one apple:\n")?;
        for line in text.lines() {
            self.say(&format!("  {DIM}│{DIM:#} {line}"))?;
        }
        let begun = Instant::now();
        let compiled = compile_text(path, text);
        let elapsed = time(begun.elapsed());
        let model = &compiled.model;
        let (types, objects) = (count(model.types.len(), "type"), count(model.objects.len(), "object"));
        let (actions, wishes) = (count(model.actions.len(), "action"), count(model.wishes.len(), "wish"));
        let faults = compiled.diagnostics.iter().filter(|found| found.severity() < Severity::Hint).count();
        self.say(&format!(
            "\n{GOOD}Compiled{GOOD:#} in {elapsed}: {types}, {objects}, {actions}, {wishes}, {}.",
            count(faults, "fault")
        ))?;
        Ok(compiled)
    }

    /// Misspells a word; whether the fault was found.
    fn break_it(&mut self) -> Result<bool, Failure> {
        self.part("A fault has a place, a cause and a cure")?;
        let (right, wrong) = BROKEN;
        self.say(&format!("With a slip of the pen, `{wrong}`, `dramaturg check` says:\n"))?;
        let broken = compile_text("apple.story", &APPLE.replace(right, wrong));
        if !self.shell.json {
            self.shell.show(&broken.sources, &broken.diagnostics, Severity::Error)?;
        }
        Ok(broken.diagnostics.iter().any(Diagnostic::is_error))
    }

    fn play(&mut self, story: &Compilation, plan: &str, goals: Goals, about: &str) -> Result<Played, Failure> {
        let model = &story.model;
        self.part(&format!("A plan, judged and played: “{}”", model.title))?;
        self.say(about)?;
        let (plan, faults) = read_plan(model, FileId(0), plan);
        let initial = State::initial(model, 0);
        let begun = Instant::now();
        let options = ValidateOptions { goals, ..ValidateOptions::default() };
        let report = validate(model, &initial, &plan, &options);
        let elapsed = time(begun.elapsed());
        let valid = report.valid && faults.is_empty();
        let verdict = if valid { "valid" } else { "not valid" };
        let steps = count(plan.steps.len(), "step");
        self.say(&format!("The judge looked at {steps} and found the plan {GOOD}{verdict}{GOOD:#}, in {elapsed}.\n"))?;
        let texts = self.perform(story, &plan)?;
        Ok(Played { title: model.title.clone(), steps: plan.steps.len(), valid, texts })
    }

    fn perform(&mut self, story: &Compilation, plan: &Plan) -> Result<Vec<String>, Failure> {
        let model = &story.model;
        let mut world = World::begin(model, WorldOptions { detail: Detail::Texts, ..WorldOptions::default() });
        for step in &plan.steps {
            world.schedule(model, step).map_err(|problem| Failure::faults(problem.to_string()))?;
        }
        let mut teller = Teller::new(model, &story.sources);
        let mut texts = Vec::new();
        let mut tick = world.now();
        while tick <= plan.end() {
            world.step_to(model, tick);
            for event in world.drain() {
                if matches!(event.kind, WorldEventKind::GoalTaken { .. }) {
                    continue;
                }
                let told = teller.happening(&event);
                if told.kind == "said" {
                    texts.push(told.name.clone());
                }
                let line = teller.line(&told);
                self.say(&line)?;
                if self.waits {
                    self.shell.out.flush()?;
                    thread::sleep(Duration::from_millis(90));
                }
            }
            tick += 1;
        }
        Ok(texts)
    }

    fn farewell(&mut self) -> Result<(), Failure> {
        self.part("What to try next")?;
        for (typed, what) in [
            ("dramaturg new lighthouse", "a small story of your own, with tests and a plan"),
            ("dramaturg check --watch lighthouse", "faults as you write"),
            ("dramaturg simulate lighthouse lighthouse/lighthouse.plan", "what happens, tick by tick"),
            ("dramaturg validate lighthouse lighthouse/lighthouse.plan", "whether a plan holds, and if not, why"),
            ("dramaturg help", "everything else"),
        ] {
            self.say(&format!("  {TYPED}{typed:<58}{TYPED:#} {DIM}{what}{DIM:#}"))?;
        }
        self.say("")
    }
}

fn character(model: &Model, name: &str) -> Goals {
    model.find_object(name).map_or(Goals::None, Goals::Character)
}
