//! All pieces, calm and disturbed, re-planned and only shifted: the figures and their targets.

use dramaturg_wire::LinkError;
use serde::Serialize;

use super::fate::Disturbance;
use super::live::Live;
use super::piece::Piece;
use super::stage::{Performance, Staging};
use super::tally::Tally;
use super::wilson::Share;
use crate::claim::Claim;
use crate::job_shop::JobShop;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The job-shop of Fisher and Thompson with six jobs.
    Ft06,
    /// The one with ten jobs.
    Ft10,
    /// The first of Lawrence.
    La01,
    /// A random job-shop in which jobs come one by one.
    Releases,
    /// Random logistics.
    Logistics,
    /// `ft06` in real time, over TCP.
    Live,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Ft06, Self::La01, Self::Ft10, Self::Releases, Self::Logistics, Self::Live];

    fn pieces(self, seed: u64) -> Vec<Piece> {
        let shop = |name: &str, ticks| JobShop::known(name).map(|shop| Piece::job_shop(&shop, ticks));
        match self {
            Self::Ft06 | Self::Live => shop("ft06", 6).into_iter().collect(),
            Self::La01 => shop("la01", 2).into_iter().collect(),
            Self::Ft10 => shop("ft10", 2).into_iter().collect(),
            Self::Releases => {
                vec![Piece::job_shop(&JobShop::random(seed, 6, 6).with_releases(seed, 120), 2)]
            }
            Self::Logistics => vec![Piece::logistics(seed, 3, 8, 6)],
        }
    }
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct RealtimeBench {
    /// Which parts.
    pub parts: Vec<Part>,
    /// How many bad days each piece has.
    pub days: u32,
    /// Units of work that the planner may spend between two publications, 50 ms of game time apart, in virtual time.
    pub units: u32,
    /// Games side by side in real time.
    pub games: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// How long performances took, in units of the piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Makespans {
    /// How many reached their goals.
    pub runs: u64,
    /// How many did not.
    pub unfinished: u64,
    /// On average.
    pub mean: f64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub most: f64,
}

/// One piece.
#[derive(Clone, Debug, Serialize)]
pub struct PieceFigures {
    /// Its name.
    pub name: String,
    /// Whether ticks passed in real time.
    pub live: bool,
    /// The shortest plan there is, if that is known.
    pub optimum: Option<u32>,
    /// When nothing goes wrong.
    pub calm: Makespans,
    /// When things go wrong and are planned anew.
    pub replanned: Makespans,
    /// When the same things go wrong and what waits is only shifted.
    pub shifted: Makespans,
    /// Re-planned by shifted, on average over the days.
    pub ratio: Option<f64>,
    /// What came of operations on calm days.
    pub calm_tally: Tally,
    /// What came of operations on bad days that were re-planned.
    pub tally: Tally,
    /// The share of operations that started in their tick, on calm days.
    pub calm_reliability: Share,
    /// The same on bad days.
    pub reliability: Share,
    /// The same without those that a disturbance of the last moment kept from starting.
    pub punctuality: Share,
    /// Operations that took longer or failed, on bad days that were re-planned.
    pub disturbed: u64,
    /// Operations that started although the world was not ready for them, on any day.
    pub breaches: u64,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct RealtimeFigures {
    /// How many bad days each piece had.
    pub days: u32,
    /// Units of work between two publications in virtual time.
    pub units: u32,
    /// Each piece.
    pub pieces: Vec<PieceFigures>,
    /// Whether every performance reached its goals and none began what the world was not ready for.
    pub complete: bool,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

impl RealtimeBench {
    /// Measures; `progress` hears how many of all performances are over.
    pub fn run(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<RealtimeFigures, LinkError> {
        let each = 1 + 2 * self.days as usize;
        let staged: Vec<Piece> =
            self.parts.iter().filter(|part| **part != Part::Live).flat_map(|part| part.pieces(self.seed)).collect();
        let live = self.parts.contains(&Part::Live);
        let all = staged.len() * each + usize::from(live);
        let mut done = 0;
        let mut pieces = Vec::new();
        for piece in &staged {
            let mut perform = |staging: &Staging| {
                let performance = staging.run(piece);
                done += 1;
                progress(done, all);
                performance
            };
            let calm = vec![perform(&self.staging(None, true))];
            let days = 0..u64::from(self.days);
            // The same day in both ways, one after the other.
            let (replanned, shifted) = days
                .map(|day| (perform(&self.staging(Some(day), true)), perform(&self.staging(Some(day), false))))
                .unzip();
            pieces.push(figures(piece, false, &calm, replanned, shifted));
        }
        if live {
            for piece in Part::Live.pieces(self.seed) {
                pieces.push(self.live(&piece)?);
            }
            progress(all, all);
        }
        let complete = pieces.iter().all(|piece| {
            let unfinished = piece.calm.unfinished + piece.replanned.unfinished + piece.shifted.unfinished;
            unfinished == 0 && piece.breaches == 0
        });
        let claims = pieces.iter().flat_map(claims).collect();
        Ok(RealtimeFigures { days: self.days, units: self.units, pieces, complete, claims })
    }

    fn staging(&self, day: Option<u64>, replans: bool) -> Staging {
        let disturbance = day.map_or(Disturbance::none(), |day| Disturbance::bad_day(self.seed ^ (day + 1) << 16));
        Staging { disturbance, replans, units: self.units, seed: self.seed }
    }

    /// All days at once, each with its own game; first calm ones.
    fn live(&self, piece: &Piece) -> Result<PieceFigures, LinkError> {
        let perform = |day: &dyn Fn(u64) -> Option<u64>, replans: bool| {
            let stagings = (0..u64::from(self.games)).map(|game| self.staging(day(game), replans)).collect();
            Live { piece, stagings }.run()
        };
        let calm = perform(&|_| None, true)?;
        let replanned = perform(&Some, true)?;
        let shifted = perform(&Some, false)?;
        Ok(figures(piece, true, &calm, replanned, shifted))
    }
}

fn makespans(piece: &Piece, performances: &[Performance]) -> Makespans {
    let lengths: Vec<f64> = performances.iter().filter_map(|one| one.ticks).map(|ticks| piece.units(ticks)).collect();
    Makespans {
        runs: lengths.len() as u64,
        unfinished: (performances.len() - lengths.len()) as u64,
        mean: lengths.iter().sum::<f64>() / lengths.len().max(1) as f64,
        least: lengths.iter().copied().reduce(f64::min).unwrap_or(0.0),
        most: lengths.iter().copied().reduce(f64::max).unwrap_or(0.0),
    }
}

fn tally(performances: &[Performance]) -> Tally {
    let mut all = Tally::default();
    performances.iter().for_each(|one| all.add(&one.tally));
    all
}

fn figures(
    piece: &Piece,
    live: bool,
    calm: &[Performance],
    replanned: Vec<Performance>,
    shifted: Vec<Performance>,
) -> PieceFigures {
    let pairs = replanned.iter().zip(&shifted).filter_map(|(one, other)| one.ticks.zip(other.ticks));
    let ratios: Vec<f64> = pairs.map(|(one, other)| one as f64 / other as f64).collect();
    let everyone = calm.iter().chain(&replanned).chain(&shifted);
    PieceFigures {
        name: piece.name.clone(),
        live,
        optimum: piece.optimum,
        ratio: (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64),
        calm: makespans(piece, calm),
        replanned: makespans(piece, &replanned),
        shifted: makespans(piece, &shifted),
        calm_tally: tally(calm),
        tally: tally(&replanned),
        calm_reliability: tally(calm).reliability(),
        reliability: tally(&replanned).reliability(),
        punctuality: tally(&replanned).punctuality(),
        disturbed: replanned.iter().map(|one| one.disturbed).sum(),
        breaches: everyone.map(|one| one.breaches).sum(),
    }
}

fn claims(piece: &PieceFigures) -> Vec<Claim> {
    let name = if piece.live { format!("{} over TCP", piece.name) } else { piece.name.clone() };
    let mut claims = Vec::new();
    if let Some(optimum) = piece.optimum.filter(|_| !piece.live) {
        let above = (piece.calm.mean / f64::from(optimum) - 1.0) * 100.0;
        let target = if piece.name == "ft10" { 5.0 } else { 0.0 };
        claims.push(Claim::at_most(format!("{name}: calm, above the shortest"), above, target, "%"));
    }
    let calm = piece.calm_reliability.share * 100.0;
    claims.push(Claim::at_least(format!("{name}: calm, started in their tick"), calm, 99.9, "%"));
    let ready = piece.punctuality.share * 100.0;
    claims.push(Claim::at_least(
        format!("{name}: disturbed, in their tick where the world was ready"),
        ready,
        99.9,
        "%",
    ));
    let disturbed = piece.reliability.share * 100.0;
    claims.push(Claim::at_least(format!("{name}: disturbed, started in their tick"), disturbed, 95.0, "%"));
    if let Some(ratio) = piece.ratio {
        claims.push(Claim::at_most(format!("{name}: re-planned by only shifted"), ratio * 100.0, 100.0, "%"));
    }
    claims
}
