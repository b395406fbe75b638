//! All measurements of the runtime in one run, beside their targets.

use dramaturg_director::Policy;
use dramaturg_wire::link::LinkError;
use serde::Serialize;

use super::crowd::{Crowd, CrowdFigures, IdleFigures};
use super::elsewhere::Spawn;
use super::flood::{Flood, FloodFigures};
use super::handover::{Handover, HandoverFigures};
use super::live::{CONTENDERS, Live};
use super::load::Load;
use super::machine::Machine;
use super::policy::{PolicyFigures, PolicyRun};
use super::progress::Progress;
use crate::claim::Claim;
use crate::memory::Memory;

/// How many tasks the ways of sending are compared on in virtual time, for lock lead and for reaction.
const TASKS: usize = 4_000;
const FAILURES: usize = 300;

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// One game that starts a thousand tasks a second.
    Ticks,
    /// The ways of sending.
    Policies,
    /// From a published plan to the executor.
    HandOver,
    /// A thousand sessions.
    Sessions,
}

impl Section {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sessions, Self::Ticks, Self::Policies, Self::HandOver];
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct RuntimeBench {
    /// Which parts.
    pub sections: Vec<Section>,
    /// How long tasks start in [`Section::Ticks`] and [`Section::Sessions`]; the others take half as long.
    pub seconds: u32,
    /// How long before their start tasks are sent in [`Section::Ticks`].
    pub ahead_seconds: u32,
    /// How many tasks start in a second in [`Section::Ticks`].
    pub starts: u32,
    /// How many sessions there are in [`Section::Sessions`].
    pub sessions: usize,
    /// So many busy processes stand beside [`Section::Sessions`] when it is measured once more; none: it is measured once.
    pub beside_load: Option<usize>,
    /// Where chance begins.
    pub seed: u64,
}

/// What was found. Parts that were not asked for are not there.
#[derive(Clone, Debug, Serialize)]
pub struct RuntimeFigures {
    /// Whether nothing was lost and every task started.
    pub complete: bool,
    /// What the machine was doing.
    pub machine: Machine,
    /// One game that starts a thousand tasks a second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ticks: Option<FloodFigures>,
    /// The ways of sending, in virtual time and over TCP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policies: Option<PoliciesFigures>,
    /// From a published plan to the executor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hand_over: Option<HandoverFigures>,
    /// A thousand sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<CrowdFigures>,
    /// The same sessions beside processes that never rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub beside_load: Option<LoadFigures>,
    /// Sessions in which nothing happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<IdleFigures>,
    /// The figures beside their targets.
    pub claims: Vec<Claim>,
}

/// Sessions on a machine that has other things to do.
#[derive(Clone, Debug, Serialize)]
pub struct LoadFigures {
    /// How many processes there were that never rest.
    pub processes: usize,
    /// Cores that they used together, on average.
    pub processes_cores: Option<f64>,
    /// What came of the sessions.
    pub sessions: CrowdFigures,
}

/// The ways of sending.
#[derive(Clone, Debug, Serialize)]
pub struct PoliciesFigures {
    /// Each of them, with where it was measured.
    pub rows: Vec<PolicyRow>,
    /// How many times longer the paper's lock lead is, in virtual time.
    pub lead_ratio_virtual: f64,
    /// How many times longer the paper's reaction takes, in virtual time.
    pub reaction_ratio_virtual: f64,
    /// How many times longer the paper's lock lead is over TCP.
    pub lead_ratio_tcp: f64,
    /// How many times longer the paper's reaction takes over TCP.
    pub reaction_ratio_tcp: f64,
}

/// One way of sending in one place.
#[derive(Clone, Debug, Serialize)]
pub struct PolicyRow {
    /// Which, and where.
    pub name: String,
    /// What came of it.
    #[serde(flatten)]
    pub figures: PolicyFigures,
}

impl RuntimeBench {
    fn has(&self, section: Section) -> bool {
        self.sections.contains(&section)
    }

    fn half(&self) -> u32 {
        (self.seconds / 2).max(1)
    }

    /// Measures; `tell` hears how many of all seconds are over, `spawn` starts a process of games.
    pub fn run(
        &self,
        memory: &(dyn Memory + Sync),
        spawn: &Spawn<'_>,
        tell: &mut dyn FnMut(usize, usize),
    ) -> Result<RuntimeFigures, LinkError> {
        let crowd = Crowd { sessions: self.sessions, seconds: self.seconds, per_second: 5, seed: self.seed };
        let flood = Flood { seconds: self.seconds, ahead_seconds: self.ahead_seconds, per_second: self.starts };
        let live = Live { seconds: self.half(), seed: self.seed };
        let handover = Handover { seconds: self.half() };
        let lasts = |section| match section {
            Section::Sessions if self.beside_load.is_some() => crowd.weighs() + 2 * crowd.lasts(),
            Section::Sessions => crowd.weighs() + crowd.lasts(),
            Section::Ticks => flood.lasts(),
            Section::Policies => live.lasts(),
            Section::HandOver => handover.lasts(),
        };
        let sections = Section::ALL.into_iter().filter(|section| self.has(*section));
        let progress = &mut Progress::new(sections.clone().map(lasts).sum(), tell);
        let mut figures = RuntimeFigures {
            complete: true,
            machine: Machine::before(),
            ticks: None,
            policies: None,
            hand_over: None,
            sessions: None,
            beside_load: None,
            idle: None,
            claims: Vec::new(),
        };
        for section in sections {
            match section {
                Section::Sessions => {
                    figures.idle = Some(crowd.weigh(memory, spawn, progress)?);
                    progress.part_is_over(crowd.weighs());
                    figures.sessions = Some(crowd.run(spawn, progress)?);
                    progress.part_is_over(crowd.lasts());
                    if let Some(processes) = self.beside_load {
                        let load = Load::begin(processes, spawn)?;
                        let sessions = crowd.run(spawn, progress)?;
                        let processes_cores = load.end()?;
                        figures.beside_load = Some(LoadFigures { processes, processes_cores, sessions });
                        progress.part_is_over(crowd.lasts());
                    }
                    continue;
                }
                Section::Ticks => figures.ticks = Some(flood.run(spawn, progress)?),
                Section::Policies => figures.policies = Some(self.policies(&live, progress)?),
                Section::HandOver => figures.hand_over = Some(handover.run(progress)?),
            }
            progress.part_is_over(lasts(section));
        }
        progress.end();
        figures.machine.look_again();
        figures.conclude();
        Ok(figures)
    }

    fn policies(&self, live: &Live, progress: &mut Progress<'_>) -> Result<PoliciesFigures, LinkError> {
        let virtually = |policy: Policy| {
            let setting = PolicyRun { seed: self.seed, tasks: TASKS, ..PolicyRun::paper_setting(policy) };
            let mut figures = setting.run();
            let failing = PolicyRun { tasks: FAILURES, gap: 500, fails: true, ..setting }.run();
            figures.reaction_ticks_mean = failing.reaction_ticks_mean;
            figures.reaction_ticks_max = failing.reaction_ticks_max;
            figures
        };
        let (paper, decoupled) = (virtually(Policy::Paper), virtually(Policy::Decoupled));
        let ratio = |part: fn(&PolicyFigures) -> f64, paper: &PolicyFigures, ours: &PolicyFigures| {
            let ours = part(ours);
            if ours > 0.0 { part(paper) / ours } else { 0.0 }
        };
        let lead: fn(&PolicyFigures) -> f64 = |figures| figures.lock_lead_ticks_mean;
        let reaction: fn(&PolicyFigures) -> f64 = |figures| figures.reaction_ticks_mean;
        let over_tcp = live.run(progress)?;
        let (lead_ratio_tcp, reaction_ratio_tcp) = match over_tcp.as_slice() {
            [paper, ours, ..] => (ratio(lead, paper, ours), ratio(reaction, paper, ours)),
            _ => (0.0, 0.0),
        };
        let (lead_ratio_virtual, reaction_ratio_virtual) =
            (ratio(lead, &paper, &decoupled), ratio(reaction, &paper, &decoupled));
        let mut rows = vec![
            PolicyRow { name: "paper, virtual time".to_owned(), figures: paper },
            PolicyRow { name: "decoupled, virtual time".to_owned(), figures: decoupled },
        ];
        rows.extend(
            CONTENDERS
                .iter()
                .zip(over_tcp)
                .map(|(contender, figures)| PolicyRow { name: format!("{}, TCP", contender.name), figures }),
        );
        Ok(PoliciesFigures { rows, lead_ratio_virtual, reaction_ratio_virtual, lead_ratio_tcp, reaction_ratio_tcp })
    }
}

impl RuntimeFigures {
    /// Puts the figures beside their targets.
    fn conclude(&mut self) {
        let claims = &mut self.claims;
        if let Some(ticks) = &self.ticks {
            let late = (ticks.punctuality.late + ticks.not_started) as f64;
            self.complete &= ticks.not_started == 0;
            claims.push(Claim::at_most("tasks not in their tick, though it took place", late, 0.0, "tasks"));
            claims.push(Claim::at_most("executor's tick with decoding, p99", ticks.tick.p99 * 1000.0, 100.0, "µs"));
            claims.push(Claim::at_most(
                "the same in ticks that the machine did not disturb, p99",
                ticks.calm.p99 * 1000.0,
                100.0,
                "µs",
            ));
            claims.push(Claim::at_most("allocations of a warm executor", ticks.allocations as f64, 0.0, "calls"));
        }
        if let Some(policies) = &self.policies {
            let mut ratio = |name: &str, value, target| claims.push(Claim::at_least(name, value, target, "times"));
            ratio("lock lead shorter than the paper's, virtual time", policies.lead_ratio_virtual, 10.0);
            ratio("reaction sooner than the paper's, virtual time", policies.reaction_ratio_virtual, 10.0);
            ratio("lock lead shorter than the paper's, TCP", policies.lead_ratio_tcp, 8.0);
            ratio("reaction sooner than the paper's, TCP", policies.reaction_ratio_tcp, 8.0);
        }
        if let Some(hand_over) = &self.hand_over {
            self.complete &= hand_over.lost == 0;
            claims.push(Claim::at_most("hand-over against a round trip, p99", hand_over.ratio_p99, 3.0, "times"));
        }
        if let Some(sessions) = &self.sessions {
            self.complete &= sessions.lost == 0;
            claims.push(Claim::at_most("tasks lost in all sessions", sessions.lost as f64, 0.0, "tasks"));
            claims.push(Claim::at_least(
                "tasks on time in all sessions, if their tick took place",
                sessions.on_time_percent,
                99.99,
                "%",
            ));
        }
        if let Some(LoadFigures { sessions, .. }) = &self.beside_load {
            let fates = &sessions.fates;
            // Nothing can be said of a task whose tick never came.
            let unsaid = fates.unsaid.saturating_sub(fates.after_end);
            self.complete &= sessions.lost == 0 && unsaid == 0;
            let mut none = |name: &str, value: u64| claims.push(Claim::at_most(name, value as f64, 0.0, "tasks"));
            none("beside the load: never, though the game had it a second ahead", fates.ahead.never);
            none("beside the load: never, though it was planned a second ahead", fates.never_though_planned);
            none("beside the load: never, and nobody said so", unsaid);
            none("beside the load: moved to a later tick by the planner", fates.moved);
            let fairness = fates.started_percent.worst / fates.started_percent.median.max(f64::MIN_POSITIVE);
            let name = "beside the load: share of starts of the worst session, of the median's";
            claims.push(Claim::at_least(name, fairness, 0.99, "of 1"));
        }
        if let Some(idle) = &self.idle {
            claims.push(Claim::at_most("memory of an idle session", idle.kibibytes(), 256.0, "KiB"));
        }
    }
}
