//! The compiler on a long story.

use std::hint::black_box;

use dramaturg_model::FileId;
use dramaturg_story::syntax::parse_story;
use dramaturg_story::{MemoryFiles, Session, compile_text};
use serde::Serialize;

use crate::claim::Claim;
use crate::generate::generate_story;
use crate::memory::{Memory, taken_by};
use crate::timing::{Samples, Timing};

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct CompileBench {
    /// How long the story is.
    pub lines: usize,
    /// How often each thing is done.
    pub repeat: usize,
    /// Which story.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct CompileFigures {
    /// Lines of the story.
    pub lines: usize,
    /// Bytes of the story.
    pub bytes: usize,
    /// Files it is split into for the edits.
    pub files: usize,
    /// Errors in it: there should be none.
    pub errors: usize,
    /// Parse, resolve, check, lower.
    pub compile: Timing,
    /// Parse alone.
    pub parse: Timing,
    /// Compile the same story, split into files, again after an edit of one line.
    pub recheck: Timing,
    /// The same while the whole story is one file.
    pub recheck_one_file: Timing,
    /// The baseline: the same text split into words, nothing more.
    pub words: Timing,
    /// How many times longer compiling takes than splitting into words, at the median.
    pub ratio: f64,
    /// The most bytes allocated at once while compiling.
    pub peak_bytes: usize,
    /// The bytes that the result holds.
    pub result_bytes: usize,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// What stands in every district and can be changed to something else that compiles.
const EDITED: &str = "takes 3 s";

impl CompileBench {
    /// Measures; `progress` hears how many of all rounds are done.
    pub fn run(&self, memory: &dyn Memory, progress: &mut dyn FnMut(usize, usize)) -> CompileFigures {
        let text = generate_story(self.lines, self.seed);
        let mut files = split(&text);
        let mut whole = MemoryFiles::single(ROOT, text.as_str());
        let (mut session, mut whole_session) = (Session::default(), Session::default());
        let (mut compile, mut parse, mut words) = (Samples::new(), Samples::new(), Samples::new());
        let (mut recheck, mut recheck_one_file) = (Samples::new(), Samples::new());
        session.compile(ROOT, &files);
        whole_session.compile(ROOT, &whole);
        // Once to warm up, and to see that there is nothing wrong with it.
        let mut errors =
            compile_text("valley.story", &text).diagnostics.iter().filter(|found| found.is_error()).count();
        for round in 0..self.repeat {
            black_box(words.measure(|| text.split_whitespace().filter(|word| word.len() > 1).count()));
            black_box(parse.measure(|| parse_story(FileId(0), &text)));
            black_box(compile.measure(|| compile_text("valley.story", &text)));
            edit(&mut files, round);
            edit(&mut whole, round);
            let parts = recheck.measure(|| session.compile(ROOT, &files));
            let one = recheck_one_file.measure(|| whole_session.compile(ROOT, &whole));
            errors += parts.diagnostics.iter().chain(&one.diagnostics).filter(|found| found.is_error()).count();
            progress(round + 1, self.repeat);
        }
        let (result, taken) = taken_by(memory, || compile_text("valley.story", &text));
        drop(result);
        let (compile, recheck, words) = (compile.timing(), recheck.timing(), words.timing());
        let recheck_one_file = recheck_one_file.timing();
        let claims = vec![
            Claim::at_most("compile, p50", compile.p50, 100.0, "ms"),
            Claim::at_most("check again after an edit, p50", recheck.p50, 20.0, "ms"),
            Claim::at_most("check again after an edit, all in one file, p50", recheck_one_file.p50, 20.0, "ms"),
            Claim::at_most("peak memory, times the source", taken.peak as f64 / text.len() as f64, 50.0, "×"),
        ];
        CompileFigures {
            lines: text.lines().count(),
            bytes: text.len(),
            files: files.0.len(),
            errors,
            compile,
            parse: parse.timing(),
            recheck,
            recheck_one_file,
            words,
            ratio: compile.p50 / words.p50,
            peak_bytes: taken.peak,
            result_bytes: taken.held,
            claims,
        }
    }
}

const ROOT: &str = "valley.story";

/// Where a file may end.
const DISTRICT: &str = "\n// --- district";

/// As many districts as an author might put into one file.
const DISTRICTS_PER_FILE: usize = 10;

/// The story in several files, as one of this length would be kept.
fn split(text: &str) -> MemoryFiles {
    let mut files = MemoryFiles::default();
    let starts: Vec<usize> = text.match_indices(DISTRICT).map(|(at, _)| at).step_by(DISTRICTS_PER_FILE).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let world = text.get(..starts.first().copied().unwrap_or(text.len())).unwrap_or_default();
    files.0.insert(ROOT.to_owned(), format!("{world}\nuse \"districts/\"\n").into());
    for (number, (start, end)) in starts.iter().zip(ends).enumerate() {
        let part = text.get(*start..end).unwrap_or_default();
        files.0.insert(format!("districts/{number:04}.story"), part.into());
    }
    files
}

/// Puts another duration into one of the files, another one each time.
fn edit(files: &mut MemoryFiles, round: usize) {
    let count = files.0.len().max(2) - 1;
    let Some(text) = files.0.values_mut().nth((round * 7919) % count) else { return };
    let other = if text.contains(EDITED) { (EDITED, "takes 4 s") } else { ("takes 4 s", EDITED) };
    *text = text.replacen(other.0, other.1, 1).into();
}
