//! The compiler on a long story.

use std::hint::black_box;

use dramaturg_model::{Diagnostic, FileId};
use dramaturg_story::compile_text;
use dramaturg_story::syntax::parse_story;
use serde::Serialize;

use crate::claim::Claim;
use crate::generate::generate_story;
use crate::memory::{Memory, peak_of};
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
    /// Errors in it: there should be none.
    pub errors: usize,
    /// Parse, resolve, check, lower.
    pub compile: Timing,
    /// Parse alone.
    pub parse: Timing,
    /// Compile again after an edit of one line.
    pub recheck: Timing,
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
        let places: Vec<usize> = text.match_indices(EDITED).map(|(at, _)| at).collect();
        let (mut compile, mut parse, mut recheck, mut words) =
            (Samples::new(), Samples::new(), Samples::new(), Samples::new());
        // Once to warm up, and to see that there is nothing wrong with it.
        let errors = compile_text("valley.story", &text).diagnostics.iter().filter(|found| found.is_error()).count();
        for round in 0..self.repeat {
            black_box(words.measure(|| text.split_whitespace().filter(|word| word.len() > 1).count()));
            black_box(parse.measure(|| parse_story(FileId(0), &text)));
            black_box(compile.measure(|| compile_text("valley.story", &text)));
            let edited = self.edited(&text, &places, round);
            let found = recheck.measure(|| compile_text("valley.story", &edited));
            debug_assert!(!found.diagnostics.iter().any(Diagnostic::is_error), "an edit must not break the story");
            progress(round + 1, self.repeat);
        }
        let before = memory.current();
        let (result, peak_bytes) = peak_of(memory, || compile_text("valley.story", &text));
        let result_bytes = memory.current().saturating_sub(before);
        drop(result);
        let (compile, recheck, words) = (compile.timing(), recheck.timing(), words.timing());
        let claims = vec![
            Claim::at_most("compile, p50", compile.p50, 100.0, "ms"),
            Claim::at_most("check again after an edit, p50", recheck.p50, 20.0, "ms"),
            Claim::at_most("peak memory, times the source", peak_bytes as f64 / text.len() as f64, 50.0, "×"),
        ];
        CompileFigures {
            lines: text.lines().count(),
            bytes: text.len(),
            errors,
            compile,
            parse: parse.timing(),
            recheck,
            words,
            ratio: compile.p50 / words.p50,
            peak_bytes,
            result_bytes,
            claims,
        }
    }

    /// The story with another duration in one of its districts, another one each time.
    fn edited(&self, text: &str, places: &[usize], round: usize) -> String {
        let place = places.get((round * 7919) % places.len().max(1)).copied().unwrap_or(0);
        let mut edited = text.to_owned();
        if let Some(end) = edited.get(place..).and_then(|rest| rest.starts_with(EDITED).then(|| place + EDITED.len())) {
            edited.replace_range(place..end, "takes 4 s");
        }
        edited
    }
}
