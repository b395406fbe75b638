//! A chronicle as it is kept: in names, so that it can go on with an edited story.

use std::collections::{BTreeMap, BTreeSet};

use dramaturg_model::{Model, Observation, Step, Tick};
use serde::{Deserialize, Serialize};

use super::{Chronicle, Fact, Run};
use crate::simulate::{LoadKind, LoadNote, LoadReport, World, WorldSave, names};

/// No chronicle takes reports that are older, in ticks.
const WINDOW_MAX: Tick = 1 << 17;
/// A chronicle that goes on in slices keeps its world further back than twice its window by so many ticks at most.
const AHEAD_MAX: Tick = 1 << 17;
/// The most work that loading does to run the world again (see [`Effort`](crate::simulate::Effort)).
const LOAD_WORK_MAX: u64 = 100_000_000;

/// What is kept of a chronicle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChronicleSave {
    window: Tick,
    base: WorldSave,
    facts: Vec<(Tick, u64, Fact)>,
    arrived: u64,
    runs: BTreeMap<u32, Run>,
    told: BTreeSet<(Tick, u64)>,
    now: Tick,
    begun: bool,
    reruns: u64,
}

impl Chronicle {
    /// What must be kept to go on elsewhere. What happened and was not taken out is not kept.
    pub fn save(&self, model: &Model) -> ChronicleSave {
        ChronicleSave {
            window: self.window,
            base: self.base.save(model),
            facts: self.facts.iter().map(|((tick, number), fact)| (*tick, *number, fact.clone())).collect(),
            arrived: self.arrived,
            runs: self.runs.clone(),
            told: self.told.clone(),
            now: self.present.now(),
            begun: self.present.next_phase().0 > self.base.next_phase().0,
            reruns: self.reruns,
        }
    }

    /// Goes on from what was kept. What the story no longer has is dropped, and reported.
    pub fn load(model: &Model, save: &ChronicleSave) -> (Self, LoadReport) {
        let (base, mut report) = World::load(model, &save.base);
        let mut chronicle = Self::of(base, save.window.min(WINDOW_MAX));
        let mut drop = |what: String, why: String| {
            report.notes.push(LoadNote { kind: LoadKind::Dropped, what, why });
        };
        for (id, run) in &save.runs {
            match known(model, &run.step) {
                Ok(()) => {
                    if run.is_open() {
                        chronicle.open.insert(*id);
                    }
                    chronicle.runs.insert(*id, run.clone());
                }
                Err(why) => drop(format!("step {id}"), why),
            }
        }
        for (tick, number, fact) in &save.facts {
            let fits = match fact {
                Fact::Seen(seen) => seen_fits(model, seen),
                Fact::Started(id) | Fact::Cut(id) => {
                    if chronicle.runs.contains_key(id) {
                        Ok(())
                    } else {
                        continue;
                    }
                }
            };
            match fits {
                Ok(()) => {
                    chronicle.facts.insert((*tick, *number), fact.clone());
                }
                Err(why) => drop("an observation".to_owned(), why),
            }
        }
        chronicle.arrived = save.arrived;
        chronicle.told.clone_from(&save.told);
        chronicle.reruns = save.reruns;
        let ahead = save.now.saturating_sub(chronicle.base.now());
        if ahead > chronicle.window.saturating_mul(2).saturating_add(AHEAD_MAX) {
            // No chronicle keeps its world so far back: to run it there could take for ever.
            let why =
                format!("they lie {ahead} ticks after the tick that the world was kept at, too far to run it again");
            report.notes.push(LoadNote {
                kind: LoadKind::Dropped,
                what: "the last ticks of the world".to_owned(),
                why,
            });
        } else if save.begun {
            chronicle.run_again(model, save.now, LOAD_WORK_MAX);
        }
        chronicle.events.clear();
        (chronicle, report)
    }
}

fn known(model: &Model, step: &Step) -> Result<(), String> {
    let performed = names::performed(model, &step.action).map_err(|problem| problem.to_string())?;
    names::args(model, performed, &step.args).map(|_| ()).map_err(|problem| problem.to_string())
}

fn seen_fits(model: &Model, seen: &Observation) -> Result<(), String> {
    let (fluent, _) = names::fluent(model, &seen.fluent).map_err(|problem| problem.to_string())?;
    names::value_of(model, fluent, &seen.value).map(|_| ()).map_err(|problem| problem.to_string())
}
