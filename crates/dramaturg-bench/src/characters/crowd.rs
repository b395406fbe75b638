//! Many characters at once: what they share, and how many a frame has room for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dramaturg_model::{Chance, Model, State};
use dramaturg_planner::cast::domain::Domain;
use dramaturg_planner::cast::{Thought, ThoughtOptions};
use dramaturg_planner::planner::Budget;
use dramaturg_story::compile_text;
use serde::Serialize;

use super::methods::Case;

/// What sharing saves.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct SharingFigures {
    /// How many characters.
    pub characters: usize,
    /// Reading and grounding the world once for all, in milliseconds.
    pub shared_ms: f64,
    /// The same for each of them, in milliseconds.
    pub private_ms: f64,
    /// The first of the second, in a hundred.
    pub percent: f64,
    /// The first plan of each, in milliseconds for all of them together.
    pub planning_ms: f64,
    /// What sharing saves of all that, planning included, in a hundred; the paper says 93.66.
    pub saved_percent: f64,
}

/// What fits into frames.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct FrameFigures {
    /// How many characters.
    pub characters: usize,
    /// How many of them have goals of their own.
    pub with_goals: usize,
    /// Milliseconds a frame.
    pub budget_ms: f64,
    /// Frames until everybody had planned again, at 60 a second.
    pub frames: u64,
    /// Seconds until then.
    pub seconds: f64,
    /// The longest that planning took in a frame, in milliseconds.
    pub longest_ms: f64,
    /// Characters that never had a turn.
    pub starved: usize,
}

/// Five names, as the story has them.
const NAMES: [&str; 5] = ["hector", "paris", "menelaos", "helen", "agamemnon"];
/// Planning may take so long in a frame.
const FRAME: Duration = Duration::from_millis(4);
/// Units of work between two looks at the clock.
const PIECE: u32 = 4;

pub(super) fn sharing(text: &str, characters: usize) -> SharingFigures {
    let activate = || {
        let model = compile_text("troy.story", text).model;
        let state = State::initial(&model, 0);
        let domain = Domain::new(&model, &state);
        (model, state, domain)
    };
    let begun = Instant::now();
    let (model, state, domain) = activate();
    let shared = begun.elapsed();
    let begun = Instant::now();
    for _ in 0..characters {
        std::hint::black_box(activate());
    }
    let private = begun.elapsed();
    let begun = Instant::now();
    for name in NAMES.iter().cycle().take(characters) {
        let case = model.find_object(name).and_then(|object| Case::new(&model, &domain, &state, object));
        let Some(case) = case else { continue };
        let mut thought =
            Thought::new(Arc::clone(&case.role), &case.start, case.wants.clone(), ThoughtOptions::default());
        while thought.run(&mut Budget::of(u32::MAX)).is_none() {}
    }
    let planning = begun.elapsed();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (shared_ms, private_ms, planning_ms) = (ms(shared), ms(private), ms(planning));
    SharingFigures {
        characters,
        shared_ms,
        private_ms,
        percent: shared_ms * 100.0 / private_ms,
        planning_ms,
        saved_percent: 100.0 - (shared_ms + planning_ms) * 100.0 / (private_ms + planning_ms),
    }
}

/// Everybody is somewhere else than a moment ago, and must think again: so much of it in each frame, those who have waited longest
/// first.
pub(super) fn frames(model: &Model, levels: usize) -> FrameFigures {
    let state = State::initial(model, 0);
    let domain = Domain::new(model, &state);
    let cases: Vec<Option<Case>> =
        NAMES.iter().map(|name| Case::new(model, &domain, &state, model.find_object(name)?)).collect();
    let mut chance = Chance::new(1);
    let mut waiting: VecDeque<(Arc<_>, _, Vec<_>)> = VecDeque::new();
    for _ in 0..levels {
        // Something happened in this level: one of the princes is a few steps further than expected.
        for case in cases.iter().flatten() {
            let mut start = case.start.clone();
            for _ in 0..chance.below(4) {
                let mut applicable = Vec::new();
                case.role.problem.applicable(&start, &mut applicable);
                let step = applicable.get(chance.below(applicable.len().max(1))).copied();
                start = step.and_then(|step| case.role.problem.successor(&start, step)).unwrap_or(start);
            }
            waiting.push_back((Arc::clone(&case.role), start, case.wants.clone()));
        }
    }
    let characters = waiting.len();
    let with_goals = waiting.iter().filter(|(_, _, wants)| !wants.is_empty()).count();
    let (mut frames, mut longest, mut done) = (0, Duration::ZERO, 0);
    let mut current: Option<Thought> = None;
    while done < characters && frames < 100_000 {
        frames += 1;
        let begun = Instant::now();
        while begun.elapsed() < FRAME {
            let thought = match current.take() {
                Some(thought) => Some(thought),
                None => waiting
                    .pop_front()
                    .map(|(role, start, wants)| Thought::new(role, &start, wants, ThoughtOptions::default())),
            };
            let Some(mut thought) = thought else { break };
            if thought.run(&mut Budget::of(PIECE)).is_some() {
                done += 1;
            } else {
                current = Some(thought);
            }
        }
        longest = longest.max(begun.elapsed());
    }
    FrameFigures {
        characters,
        with_goals,
        budget_ms: FRAME.as_secs_f64() * 1e3,
        frames,
        seconds: frames as f64 / 60.0,
        longest_ms: longest.as_secs_f64() * 1e3,
        starved: characters - done,
    }
}
