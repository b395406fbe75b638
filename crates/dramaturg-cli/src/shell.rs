//! What is written where: results on standard output, everything about the run on standard error, colour only for people.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use dramaturg::Renderer;
use dramaturg::model::{Diagnostic, Severity, Sources};
use dramaturg::planner::planner::Registry;
use serde::Serialize;

use crate::args::{Global, When};
use crate::exit::{Exit, Failure};
use crate::style::{BAD, BOLD};

/// Standard output and standard error with what was asked about them.
pub struct Shell {
    /// Where results go.
    pub out: AutoStream<io::Stdout>,
    /// Where everything else goes.
    pub err: AutoStream<io::Stderr>,
    /// Whether results are JSON.
    pub json: bool,
    /// Whether a person sees the results.
    pub is_terminal: bool,
    /// The planners that there are.
    pub planners: Registry,
}

/// More diagnostics than this of one story are counted, not shown: nobody reads the two hundredth.
const SHOWN_MAX: usize = 50;

impl Shell {
    /// As asked on the command line.
    pub fn new(global: &Global, planners: Registry) -> Self {
        let choice = match global.color {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        };
        Self {
            out: AutoStream::new(io::stdout(), choice),
            err: AutoStream::new(io::stderr(), choice),
            json: global.json,
            is_terminal: io::stdout().is_terminal() && !global.json,
            planners,
        }
    }

    /// One JSON document on standard output.
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::trouble(format!("cannot write JSON: {error}")))?;
        writeln!(self.out, "{text}")?;
        Ok(())
    }

    /// One JSON document on a line of its own, for streams of them.
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        let text =
            serde_json::to_string(value).map_err(|error| Failure::trouble(format!("cannot write JSON: {error}")))?;
        writeln!(self.out, "{text}")?;
        self.out.flush()?;
        Ok(())
    }

    /// Diagnostics on standard error: of commands that are about something else.
    pub fn diagnose(&mut self, sources: &Sources, diagnostics: &[Diagnostic], least: Severity) -> Result<(), Failure> {
        let text = rendered(sources, diagnostics, least);
        write!(self.err, "{text}")?;
        Ok(())
    }

    /// Diagnostics on standard output: of commands that are about them.
    pub fn show(&mut self, sources: &Sources, diagnostics: &[Diagnostic], least: Severity) -> Result<(), Failure> {
        let text = rendered(sources, diagnostics, least);
        write!(self.out, "{text}")?;
        Ok(())
    }

    /// Tells why a command stopped early, and with which code.
    pub fn fail(&mut self, failure: &Failure) -> Exit {
        let Failure::Told { exit, message, hint } = failure else { return Exit::Fine };
        let told = if self.json {
            #[derive(Serialize)]
            struct Told<'a> {
                ok: bool,
                error: Error<'a>,
            }
            #[derive(Serialize)]
            struct Error<'a> {
                kind: &'static str,
                exit: u8,
                message: &'a str,
                hint: Option<&'a str>,
            }
            let error = Error { kind: exit.name(), exit: *exit as u8, message, hint: hint.as_deref() };
            self.json(&Told { ok: false, error }).is_ok()
        } else {
            let mut text = format!("{BAD}error{BAD:#}{BOLD}:{BOLD:#} {message}\n");
            if let Some(hint) = hint {
                text.push_str(&format!("  {BOLD}help:{BOLD:#} {hint}\n"));
            }
            write!(self.err, "{text}").is_ok()
        };
        // Nobody listens any more: the code is all that is left to say.
        let _ = told;
        *exit
    }
}

/// Diagnostics down to a severity as text, with colour: the streams strip it where it is not wanted.
fn rendered(sources: &Sources, diagnostics: &[Diagnostic], least: Severity) -> String {
    let mut renderer = Renderer::new(sources, true);
    let mut text = String::new();
    let shown = || diagnostics.iter().filter(|found| found.severity() <= least);
    for diagnostic in shown().take(SHOWN_MAX) {
        text.push_str(&renderer.text(diagnostic));
        text.push('\n');
    }
    let more = shown().count().saturating_sub(SHOWN_MAX);
    if more > 0 {
        text.push_str(&format!("… and {more} more; `--json` lists them all\n\n"));
    }
    text
}

/// One JSON document on a line of its own.
pub fn json_line(file: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, value)?;
    file.write_all(b"\n")
}

/// A time as people read it: three figures and a unit.
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    match value {
        v if v >= 100.0 => format!("{v:.0} {unit}"),
        v if v >= 10.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.2} {unit}"),
    }
}

/// `1 error`, `2 errors`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_figures_and_a_unit() {
        assert_eq!(time(Duration::from_micros(7)), "7.00 µs");
        assert_eq!(time(Duration::from_micros(12_345)), "12.3 ms");
        assert_eq!(time(Duration::from_millis(123_456)), "123 s");
    }
}
