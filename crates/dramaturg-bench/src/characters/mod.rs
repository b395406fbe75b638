//! Characters that plan: how much thought goals take, one by one and together, and how many characters a frame has room for.
//!
//! # Layout
//!
//! [`methods`] are ways to plan for one character, [`literal`] the paper's own; [`crowd`] has many characters at once;
//! [`repairs`] are plans that came to grief.

pub mod crowd;
pub mod literal;
pub mod methods;
pub mod repairs;

use dramaturg_model::Model;
use dramaturg_story::compile_text;
use serde::Serialize;

pub use crowd::{FrameFigures, SharingFigures};
pub use methods::{Method, Row};
pub use repairs::RepairFigures;

use crate::claim::Claim;

const SPARTA: &str = include_str!("../../../../stories/troy-sparta.story");

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub struct CharactersBench {
    /// How often each plan is made.
    pub repeat: usize,
    /// How many characters share a level, or do not.
    pub sharing: usize,
    /// How many levels of five characters plan again at once.
    pub levels: usize,
    /// How often the plan of each prince comes to grief.
    pub failures: usize,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct CharactersFigures {
    /// Every character by every method.
    pub rows: Vec<Row>,
    /// The paper's own first algorithm on the goals of Paris: whether it finds a plan.
    pub literal_finds_paris: bool,
    /// Shared and private worlds.
    pub sharing: SharingFigures,
    /// Many characters in few milliseconds a frame.
    pub frames: FrameFigures,
    /// Plans mended and made anew.
    pub repairs: RepairFigures,
    /// Whether every plan holds.
    pub valid: bool,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// The story with three more wishes for Paris.
fn hard() -> String {
    let more = "    goal talked(paris, hector) salience 40\n    goal paris.refreshed salience 30\n    goal paris.fed salience 30\n";
    let last = "    goal paris.location == troy salience 50\n";
    SPARTA.replace(last, &format!("{last}{more}"))
}

fn model(text: &str) -> Model {
    compile_text("troy.story", text).model
}

impl CharactersBench {
    /// Measures; `progress` hears how many of all rounds are done.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize)) -> CharactersFigures {
        let (easy, hard) = (model(SPARTA), model(&hard()));
        let cases = [("Hector", &easy, "hector"), ("Paris", &easy, "paris"), ("Paris, hard", &hard, "paris")];
        let all = cases.len() * Method::ALL.len() + 3;
        let (mut rows, mut valid) = (Vec::new(), true);
        for (title, model, name) in cases {
            for method in Method::ALL {
                let row = methods::measure(model, title, name, method, self.repeat);
                valid &= row.valid;
                rows.push(row);
                progress(rows.len(), all);
            }
        }
        let literal_finds_paris = methods::literal_finds(&easy, "paris");
        let sharing = crowd::sharing(SPARTA, self.sharing);
        progress(all - 2, all);
        let repairs = repairs::repairs(&hard, &["hector", "paris"], self.failures);
        valid &= repairs.sound;
        progress(all - 1, all);
        let frames = crowd::frames(&easy, self.levels);
        progress(all, all);
        let mut figures =
            CharactersFigures { rows, literal_finds_paris, sharing, frames, repairs, valid, claims: Vec::new() };
        figures.claims = figures.claims();
        figures
    }
}

impl CharactersFigures {
    /// A row of the table.
    pub fn row(&self, title: &str, method: Method) -> Option<&Row> {
        self.rows.iter().find(|row| row.title == title && row.method == method)
    }

    fn claims(&self) -> Vec<Claim> {
        let time = |title, method| self.row(title, method).map_or(f64::INFINITY, |row| row.time.p50);
        let nodes = |title, method| self.row(title, method).map_or(f64::INFINITY, |row| row.nodes as f64);
        let forward = time("Paris", Method::ForwardAllGoals);
        vec![
            Claim::at_most("Paris, all goals, forward", forward, 1.0, "ms"),
            Claim::at_most(
                "Paris with three more goals, forward",
                time("Paris, hard", Method::ForwardAllGoals),
                2.0,
                "ms",
            ),
            Claim::at_most(
                "forward for all goals beside Graphplan goal by goal, Paris",
                forward / time("Paris", Method::GraphGoalByGoal),
                1.0,
                "times",
            ),
            Claim::at_least(
                "Graphplan goal by goal: fewer trials than all at once, Paris",
                nodes("Paris", Method::GraphAllGoals) / nodes("Paris", Method::GraphGoalByGoal),
                10.0,
                "times",
            ),
            Claim::at_least(
                "fewer trials with learning, Paris with three more goals (a bound: without it was stopped)",
                nodes("Paris, hard", Method::PlainAllGoals) / nodes("Paris, hard", Method::GraphAllGoals),
                50.0,
                "times",
            ),
            Claim::at_least("mending: fewer states than planning anew", self.repairs.ratio(), 5.0, "times"),
            Claim::at_least(
                "steps that were left and stay in a mended plan",
                self.repairs.mended_stability,
                0.8,
                "of 1",
            ),
            Claim::at_most(
                "activating with a shared world, of the time with private ones",
                self.sharing.percent,
                5.0,
                "%",
            ),
            Claim::at_most("time until all characters have planned again", self.frames.seconds, 5.0, "s"),
            Claim::at_most("characters that never had a turn", self.frames.starved as f64, 0.0, "characters"),
        ]
    }
}
