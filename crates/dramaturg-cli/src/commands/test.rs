//! `dramaturg test`: the plays of stories, performed and judged.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use dramaturg::model::{Severity, Tick};
use dramaturg::open::{self, OpenError};
use dramaturg::render;
use dramaturg::story::Play;
use serde::Serialize;

use crate::exit::{Exit, Failure};
use crate::plays::cast::{Performer, performer};
use crate::plays::difference::{Difference, JsonDifference, JsonSeen};
use crate::plays::performance::{self, Performed, Staging};
use crate::plays::script::Script;
use crate::shell::{Shell, count, time};
use crate::staging::lockstep::LinkKind;
use crate::staging::planners::PlannerKind;
use crate::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD};
use crate::targets::{self, Target};

/// Perform the plays of stories and say whether they go as written
///
/// A play stands in NAME.play beside NAME.story: what the game and the player do, and what must follow. It is performed by a real
/// director and a scripted game in virtual time. What is planned is NAME.plan, if that is there, or what the play has done; a play
/// that needs a planner which is not there is skipped, and told as such. Exits 1 if a play goes otherwise than written.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg test
  dramaturg test stories/ferry.story --transcript
  dramaturg test stories --link all --json
  dramaturg test --filter \"second crossing\" --strict")]
pub struct Test {
    /// Stories, `.play` files or folders
    #[arg(value_name = "STORY", default_value = ".")]
    stories: Vec<PathBuf>,
    /// Only plays whose title holds these words, whatever their case
    #[arg(long, value_name = "WORDS")]
    filter: Option<String>,
    /// How director and game are connected
    #[arg(long, value_enum, default_value_t = Links::Inline)]
    link: Links,
    /// Over every link, and all must tell the same: `--link all`
    #[arg(long, conflicts_with = "link")]
    lockstep: bool,
    /// A play that is skipped is a fault
    #[arg(long)]
    strict: bool,
    /// Print everything that happens in each play, or write it to a file: `--transcript=FILE`
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "not asked for, asked for, asked for in a file")]
    transcript: Option<Option<PathBuf>>,
    /// Wait at most so many ticks for something to be seen
    #[arg(long, value_name = "TICKS", default_value_t = 36_000, value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    patience: Tick,
}

/// How director and game are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Links {
    /// One call a frame, without threads
    Inline,
    /// Queues between two threads
    Threads,
    /// TCP on this machine
    Tcp,
    /// WebSocket on this machine, with messages in JSON
    Websocket,
    /// One after another; all must tell the same
    All,
}

impl Links {
    fn kinds(self) -> &'static [LinkKind] {
        match self {
            Self::Inline => &[LinkKind::Inline],
            Self::Threads => &[LinkKind::Threads],
            Self::Tcp => &[LinkKind::Tcp],
            Self::Websocket => &[LinkKind::Websocket],
            Self::All => &[LinkKind::Inline, LinkKind::Threads, LinkKind::Tcp, LinkKind::Websocket],
        }
    }
}

fn link_name(kind: LinkKind) -> String {
    kind.to_possible_value().map(|name| name.get_name().to_owned()).unwrap_or_default()
}

/// What came of a play.
enum Verdict {
    /// It went as written, in so many ticks.
    Passed(Tick),
    /// It parts from what is written, over this link.
    Failed(Box<Difference>, LinkKind),
    /// These planners are not there.
    Skipped(Vec<PlannerKind>),
}

impl Verdict {
    const fn name(&self) -> &'static str {
        match self {
            Self::Passed(_) => "passed",
            Self::Failed(..) => "failed",
            Self::Skipped(_) => "skipped",
        }
    }
}

/// A play that was performed or skipped.
struct Judged {
    script: usize,
    title: String,
    line: u32,
    verdict: Verdict,
    transcript: Vec<(Tick, String)>,
    took: Duration,
}

#[derive(Serialize)]
struct Report<'a> {
    command: &'static str,
    ok: bool,
    links: Vec<String>,
    passed: usize,
    failed: usize,
    skipped: usize,
    milliseconds: f64,
    plays: Vec<JsonPlay<'a>>,
    findings: Vec<render::Finding<'a>>,
}

#[derive(Serialize)]
struct JsonPlay<'a> {
    file: String,
    line: u32,
    title: &'a str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ticks: Option<Tick>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    needs: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<JsonDifference<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<Vec<JsonSeen<'a>>>,
}

impl Test {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let began = Instant::now();
        let mut scripts = Vec::new();
        for story in self.stories_with_plays()? {
            scripts.push(Script::read(&story)?);
        }
        let mut judged = Vec::new();
        for (number, script) in scripts.iter().enumerate() {
            if !script.faults.is_empty() {
                if !shell.json {
                    shell.show(&script.sources, &script.faults, Severity::Error)?;
                }
                continue;
            }
            let wanted: Vec<&Play> = script.plays.iter().filter(|play| self.is_wanted(play)).collect();
            if !wanted.is_empty() && !shell.json {
                writeln!(shell.out, "{BOLD}{}{BOLD:#}", script.path.display())?;
            }
            for play in wanted {
                let play = self.judge(number, script, play)?;
                if !shell.json {
                    self.tell(shell, script, &play)?;
                }
                judged.push(play);
            }
        }
        let faulty = scripts.iter().any(|script| !script.faults.is_empty());
        if judged.is_empty() && !faulty {
            return Err(self.nothing_found());
        }
        self.write_transcripts(&scripts, &judged)?;
        self.sum_up(shell, &scripts, &judged, began.elapsed())
    }

    /// The stories that are named and have plays.
    fn stories_with_plays(&self) -> Result<Vec<PathBuf>, Failure> {
        let mut stories = Vec::new();
        for path in &self.stories {
            let is_folder = path.is_dir();
            for target in targets::targets(std::slice::from_ref(path))? {
                let Target::Story(story) = target else {
                    let failure = Failure::usage(format!("`{}` is PDDL, which has no plays", target.path().display()));
                    return Err(failure.hint("`dramaturg validate` judges plans for it"));
                };
                let play = story.with_extension("play");
                if !play.is_file() && !is_folder {
                    return Err(self.no_play(&story, &play));
                }
                if play.is_file() && !stories.contains(&story) {
                    stories.push(story);
                }
            }
        }
        Ok(stories)
    }

    fn no_play(&self, story: &Path, play: &Path) -> Failure {
        match open::missing(play) {
            error @ OpenError::Missing { near: Some(_), .. } => error.into(),
            _ => Failure::trouble(format!("`{}` has no plays: there is no `{}`", story.display(), play.display()))
                .hint("write one: `play \"It rings\" { see ring }`; docs/plays.md shows how"),
        }
    }

    fn nothing_found(&self) -> Failure {
        match &self.filter {
            Some(words) => Failure::usage(format!("no play has `{words}` in its title")),
            None => Failure::trouble("there are no plays here").hint("a play stands in NAME.play beside NAME.story"),
        }
    }

    fn is_wanted(&self, play: &Play) -> bool {
        let words = self.filter.as_ref().map(|words| words.to_lowercase());
        words.is_none_or(|words| play.title.to_lowercase().contains(&words))
    }

    fn kinds(&self) -> &'static [LinkKind] {
        if self.lockstep { Links::All.kinds() } else { self.link.kinds() }
    }

    fn judge(&self, number: usize, script: &Script, play: &Play) -> Result<Judged, Failure> {
        let began = Instant::now();
        let (verdict, transcript) = match performer(script, play) {
            Performer::Missing(planners) => (Verdict::Skipped(planners), Vec::new()),
            Performer::Script(plan) => {
                let model = Arc::new(script.model_of(play));
                let mut first: Option<Performed> = None;
                let mut verdict = None;
                for link in self.kinds() {
                    let staging = Staging { link: *link, patience: self.patience, reloads: true };
                    let performed = performance::perform_reloading(&model, play, &plan, staging)
                        .map_err(|error| Failure::trouble(format!("`{}`: {error}", play.title)))?;
                    if let Some(difference) = performed.difference.clone() {
                        verdict = Some(Verdict::Failed(Box::new(difference), *link));
                    } else if let Some(first) = &first
                        && let Some(parted) = performance::parted(&first.transcript, &performed.transcript, play.place)
                    {
                        let parted = parted.here(format!("it goes otherwise over `{}`", link_name(*link)));
                        verdict = Some(Verdict::Failed(Box::new(parted), *link));
                    }
                    first.get_or_insert(performed);
                    if verdict.is_some() {
                        break;
                    }
                }
                let (ticks, transcript) = first.map(|first| (first.ticks, first.transcript)).unwrap_or_default();
                (verdict.unwrap_or(Verdict::Passed(ticks)), transcript)
            }
        };
        let line = script.line(play);
        Ok(Judged { script: number, title: play.title.clone(), line, verdict, transcript, took: began.elapsed() })
    }

    fn tell(&self, shell: &mut Shell, script: &Script, judged: &Judged) -> Result<(), Failure> {
        let Judged { title, took, .. } = judged;
        match &judged.verdict {
            Verdict::Passed(ticks) => {
                let ticks = count(usize::try_from(*ticks).unwrap_or(0), "tick");
                writeln!(shell.out, "   {GOOD}passed{GOOD:#}  {title} {DIM}({ticks}, {}){DIM:#}", time(*took))?;
            }
            Verdict::Skipped(planners) => {
                writeln!(shell.out, "  {DOUBTFUL}skipped{DOUBTFUL:#}  {title}: needs {}", planner_names(planners))?;
            }
            Verdict::Failed(difference, link) => {
                let over =
                    if *link == LinkKind::Inline { String::new() } else { format!(" over {}", link_name(*link)) };
                writeln!(shell.out, "   {BAD}failed{BAD:#}  {title}{over}\n")?;
                shell.show(&script.sources, &[difference.diagnostic()], Severity::Error)?;
                writeln!(shell.out, "{}", difference.diff(&script.sources))?;
            }
        }
        if matches!(self.transcript, Some(None)) {
            for (tick, what) in &judged.transcript {
                writeln!(shell.out, "  {DIM}{tick:>10}  {what}{DIM:#}")?;
            }
        }
        Ok(())
    }

    fn write_transcripts(&self, scripts: &[Script], judged: &[Judged]) -> Result<(), Failure> {
        let Some(Some(path)) = &self.transcript else { return Ok(()) };
        let mut text = String::new();
        for play in judged.iter().filter(|play| !play.transcript.is_empty()) {
            let file = scripts.get(play.script).map(|script| script.path.display().to_string()).unwrap_or_default();
            text.push_str(&format!("{file}:{}: {}\n", play.line, play.title));
            play.transcript.iter().for_each(|(tick, what)| text.push_str(&format!("{tick:>10}  {what}\n")));
            text.push('\n');
        }
        fs::write(path, text).map_err(|error| Failure::writing(path, &error))
    }

    fn sum_up(
        &self,
        shell: &mut Shell,
        scripts: &[Script],
        judged: &[Judged],
        took: Duration,
    ) -> Result<Exit, Failure> {
        let number = |name: &str| judged.iter().filter(|play| play.verdict.name() == name).count();
        let (passed, failed, skipped) = (number("passed"), number("failed"), number("skipped"));
        let faulty = scripts.iter().filter(|script| !script.faults.is_empty()).count();
        let ok = failed == 0 && faulty == 0 && (skipped == 0 || !self.strict);
        if shell.json {
            let findings = scripts
                .iter()
                .flat_map(|script| script.faults.iter().map(|fault| render::finding(&script.sources, fault)));
            let plays = judged.iter().filter_map(|play| Some(self.json(scripts.get(play.script)?, play)));
            shell.json(&Report {
                command: "test",
                ok,
                links: self.kinds().iter().map(|kind| link_name(*kind)).collect(),
                passed,
                failed,
                skipped,
                milliseconds: took.as_secs_f64() * 1000.0,
                plays: plays.collect(),
                findings: findings.collect(),
            })?;
            return Ok(Exit::fine_if(ok));
        }
        let part = |number: usize, style: anstyle::Style, name: &str| {
            let style = if number > 0 { style } else { DIM };
            format!("{style}{number} {name}{style:#}")
        };
        let mut parts =
            vec![part(passed, GOOD, "passed"), part(failed, BAD, "failed"), part(skipped, DOUBTFUL, "skipped")];
        if faulty > 0 {
            parts.push(format!("{BAD}{} cannot be read{BAD:#}", count(faulty, "file")));
        }
        writeln!(shell.out, "\n{}: {} ({})", count(judged.len(), "play"), parts.join(", "), time(took))?;
        if self.strict && skipped > 0 {
            writeln!(shell.err, "{DIM}with --strict, what is skipped is a fault{DIM:#}")?;
        }
        Ok(Exit::fine_if(ok))
    }

    fn json<'a>(&self, script: &'a Script, play: &'a Judged) -> JsonPlay<'a> {
        let (mut ticks, mut needs, mut link, mut difference) = (None, Vec::new(), None, None);
        match &play.verdict {
            Verdict::Passed(took) => ticks = Some(*took),
            Verdict::Skipped(planners) => needs = planners.iter().map(|planner| planner.name()).collect(),
            Verdict::Failed(found, over) => {
                difference = Some(found.json(&script.sources));
                link = Some(link_name(*over));
            }
        }
        let told = || play.transcript.iter().map(|(tick, what)| JsonSeen { tick: *tick, what }).collect();
        JsonPlay {
            file: script.path.to_string_lossy().into_owned(),
            line: play.line,
            title: &play.title,
            outcome: play.verdict.name(),
            ticks,
            needs,
            link,
            difference,
            transcript: matches!(self.transcript, Some(None)).then(told),
        }
    }
}

fn planner_names(planners: &[PlannerKind]) -> String {
    let names: Vec<String> = planners.iter().map(|planner| format!("the {planner} planner")).collect();
    names.join(" and ")
}
