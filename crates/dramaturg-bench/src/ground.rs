//! Grounding of PDDL problems, beside Fast Downward's translator.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use dramaturg_model::FileId;
use dramaturg_planner::ground::{Goals, GroundOptions, ground};
use dramaturg_story::pddl::{PddlOptions, compile_pddl};
use serde::Serialize;

use crate::claim::Claim;
use crate::timing::{Samples, Timing};
use crate::translator::Translator;

/// What is measured.
#[derive(Clone, Debug)]
pub struct GroundBench {
    /// Domains and problems.
    pub problems: Vec<(PathBuf, PathBuf)>,
    /// How often each is grounded.
    pub repeat: usize,
    /// The peer, if there is one.
    pub translator: Option<Translator>,
}

/// The translator takes seconds: so often it is run at most.
const TRANSLATOR_REPEAT_MAX: usize = 3;

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct GroundFigures {
    /// Each problem.
    pub problems: Vec<ProblemFigures>,
    /// How many times faster than the translator, at the median over problems.
    pub median_ratio: Option<f64>,
    /// In how many problems we keep more ground actions than the translator.
    pub more_operators: usize,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// One problem.
#[derive(Clone, Debug, Serialize)]
pub struct ProblemFigures {
    /// Folder and file.
    pub name: String,
    /// Reading and grounding.
    pub ground: Timing,
    /// Ground actions we keep.
    pub operators: usize,
    /// Variables.
    pub variables: usize,
    /// A limit that was hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The translator's time at the median, in milliseconds.
    pub translator: Option<f64>,
    /// Ground actions the translator keeps.
    pub translator_operators: Option<usize>,
    /// How many times faster than the translator.
    pub ratio: Option<f64>,
}

struct Work {
    name: String,
    paths: (PathBuf, PathBuf),
    texts: (String, String),
    samples: Samples,
    translations: Vec<f64>,
    figures: (usize, usize, Option<String>),
    translator_operators: Option<usize>,
}

impl GroundBench {
    /// All problems in a folder and the folders in it: every `domain.pddl` with the other `.pddl` files beside it.
    pub fn find(folder: &Path) -> std::io::Result<Vec<(PathBuf, PathBuf)>> {
        let mut entries: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(folder)? {
            entries.push(entry?.path());
        }
        entries.sort_unstable();
        let domain = folder.join("domain.pddl");
        let mut found = Vec::new();
        for path in entries {
            if path.is_dir() {
                found.extend(Self::find(&path)?);
            } else if domain.is_file() && path != domain && path.extension().is_some_and(|kind| kind == "pddl") {
                found.push((domain.clone(), path));
            }
        }
        Ok(found)
    }

    /// Measures; `progress` hears how many of all runs are done. Rounds go over all problems, and in each the translator follows us.
    pub fn run(&self, scratch: &Path, progress: &mut dyn FnMut(usize, usize)) -> std::io::Result<GroundFigures> {
        let mut all: Vec<Work> = Vec::new();
        for (domain, problem) in &self.problems {
            let folder = domain.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let file = problem.file_stem().unwrap_or_default().to_string_lossy();
            all.push(Work {
                name: format!("{folder}/{file}"),
                paths: (domain.clone(), problem.clone()),
                texts: (fs::read_to_string(domain)?, fs::read_to_string(problem)?),
                samples: Samples::new(),
                translations: Vec::new(),
                figures: (0, 0, None),
                translator_operators: None,
            });
        }
        let rounds = self.repeat.max(1);
        let total = rounds * all.len();
        for round in 0..rounds {
            for (index, work) in all.iter_mut().enumerate() {
                self.once(work, round, scratch);
                progress(round * self.problems.len() + index + 1, total);
            }
        }
        Ok(figures(all))
    }

    fn once(&self, work: &mut Work, round: usize, scratch: &Path) {
        let (domain, problem) = (&work.texts.0, &work.texts.1);
        let grounding = work.samples.measure(|| {
            let problem = Some((FileId(1), problem.as_str()));
            let (model, _) = compile_pddl((FileId(0), domain), problem, &PddlOptions::default());
            // The translator keeps only what the goal needs; so do we, that both do the same work.
            ground(&model, &GroundOptions { goals: Some(Goals::Story), ..GroundOptions::default() })
        });
        let (operators, variables, ..) = grounding.problem.size();
        work.figures = (operators, variables, grounding.stop.map(|hit| hit.to_string()));
        black_box(grounding);
        if let Some(translator) = &self.translator
            && round < TRANSLATOR_REPEAT_MAX
            && let Some(translation) = translator.run(&work.paths.0, &work.paths.1, scratch)
        {
            work.translations.push(translation.milliseconds);
            work.translator_operators = Some(translation.operators);
        }
    }
}

fn figures(all: Vec<Work>) -> GroundFigures {
    let problems: Vec<ProblemFigures> = all
        .into_iter()
        .map(|work| {
            let ground = work.samples.timing();
            let translator = median(work.translations);
            let (operators, variables, limit) = work.figures;
            ProblemFigures {
                name: work.name,
                ground,
                operators,
                variables,
                limit,
                translator,
                translator_operators: work.translator_operators,
                ratio: translator.map(|peer| peer / ground.p50),
            }
        })
        .collect();
    let median_ratio = median(problems.iter().filter_map(|problem| problem.ratio).collect());
    let more = |problem: &&ProblemFigures| problem.translator_operators.is_some_and(|peer| problem.operators > peer);
    let more_operators = problems.iter().filter(more).count();
    let mut claims = Vec::new();
    if let Some(ratio) = median_ratio {
        claims.push(Claim::at_least("faster than the translator, median", ratio, 30.0, "×"));
        claims.push(Claim::at_most("problems with more ground actions", more_operators as f64, 0.0, ""));
    }
    GroundFigures { problems, median_ratio, more_operators, claims }
}

/// The middle one; of an even number the lower.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied()
}
