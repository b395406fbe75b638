//! A director and a game that perform a play tick by tick, in lockstep, and everything that is seen of it.

use std::sync::Arc;

use dramaturg::model::{Evaluator, Expr, Fixed, Model, ObjectId, Plan, Span, Tick};
use dramaturg::story::Play;
use dramaturg::story::compile::play::{PlayStep, Sight};
use dramaturg_director::{Event, EventKind};
use dramaturg_executor::scripted::{Happening, What as Act};
use dramaturg_wire::link::LinkError;

use super::difference::{Difference, NOT_POSSIBLE, NOT_THE_SAME, SEEN_AFTER_ALL};
use super::scene::{self, Seen, What};
use super::script::all_steps;
use crate::staging::lockstep::LinkKind;
use crate::staging::setting::Setting;
use crate::staging::stage::{Named, Stage};

/// So many of the last and the next things are shown beside a difference.
const SHOWN: usize = 8;

/// How plays are performed.
#[derive(Clone, Copy, Debug)]
pub struct Staging {
    /// How director and game are connected.
    pub link: LinkKind,
    /// After so many ticks in which something did not come, it is no longer waited for.
    pub patience: Tick,
    /// Whether a `reload` loads what it saved, or goes on without.
    pub reloads: bool,
}

/// What came of a performance.
pub struct Performed {
    /// Where it and the play part, if they do.
    pub difference: Option<Difference>,
    /// Everything that happened, by tick.
    pub transcript: Vec<(Tick, String)>,
    /// How many ticks it took.
    pub ticks: Tick,
}

/// Why a performance stops.
pub(super) enum Stop {
    /// It and the play part.
    Differs(Box<Difference>),
    /// Director and game lost each other.
    Link(LinkError),
}

impl From<LinkError> for Stop {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl From<Difference> for Stop {
    fn from(difference: Difference) -> Self {
        Self::Differs(Box::new(difference))
    }
}

/// Performs a play with a script: a plan, and what the play itself has done.
pub fn perform(model: &Arc<Model>, play: &Play, plan: &Plan, staging: Staging) -> Result<Performed, LinkError> {
    let seed = play.steps.iter().find_map(|step| match step.kind {
        PlayStep::Seed(seed) => Some(seed),
        _ => None,
    });
    // The player does what the play says, and nothing else.
    let setting = Setting::virtual_time(Arc::clone(model), plan.clone(), seed.unwrap_or(0));
    let stage = Stage::new(&setting, staging.link)?;
    let mut performance = Performance::new(stage, staging);
    let went = performance.play(play);
    let difference = match went {
        Ok(()) => None,
        Err(Stop::Differs(difference)) => Some(*difference),
        Err(Stop::Link(error)) => return Err(error),
    };
    let ticks = performance.stage.both.next().max(0);
    let mut transcript = performance.transcript;
    transcript.sort_by_key(|(tick, order, _)| (*tick, *order));
    let transcript = transcript.into_iter().map(|(tick, _, what)| (tick, what)).collect();
    Ok(Performed { difference, transcript, ticks })
}

/// Performs a play whose `reload` must change nothing, twice: with it and without.
pub fn perform_reloading(
    model: &Arc<Model>,
    play: &Play,
    plan: &Plan,
    staging: Staging,
) -> Result<Performed, LinkError> {
    let mut performed = perform(model, play, plan, Staging { reloads: true, ..staging })?;
    let reload = all_steps(&play.steps).into_iter().find(|step| step.kind == PlayStep::Reload);
    if let (Some(reload), None) = (reload, &performed.difference) {
        let without = perform(model, play, plan, Staging { reloads: false, ..staging })?;
        performed.difference = parted(&performed.transcript, &without.transcript, reload.place)
            .map(|found| found.here("after this it went otherwise than without it"));
    }
    Ok(performed)
}

/// The first line in which two transcripts differ.
pub fn parted(one: &[(Tick, String)], other: &[(Tick, String)], place: Span) -> Option<Difference> {
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    if same == one.len() && same == other.len() {
        return None;
    }
    let tick = one.get(same).or(other.get(same)).map_or(0, |(tick, _)| *tick);
    let shown =
        |line: Option<&(Tick, String)>| line.map_or("nothing".to_owned(), |(tick, what)| format!("{tick}: {what}"));
    let message = format!("one has `{}`, the other `{}`", shown(one.get(same)), shown(other.get(same)));
    let mut found = Difference::new(NOT_THE_SAME, place, tick, message);
    found.before = one.iter().take(same).rev().take(3).rev().cloned().collect();
    found.instead = one.iter().skip(same).take(SHOWN).cloned().collect();
    Some(found)
}

/// What stands where among the things of one tick in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// What the game observed.
    Observed,
    /// What ended.
    Ended,
    /// What the game started.
    Started,
    /// What the director told, in its own order.
    Told,
}

/// A performance under way.
pub(super) struct Performance<'p> {
    pub(super) model: Arc<Model>,
    pub(super) stage: Stage<'p>,
    pub(super) staging: Staging,
    pub(super) seen: Vec<Seen>,
    transcript: Vec<(Tick, Order, String)>,
    /// From where on things count as coming after the step before: their tick, or their number if they were told late.
    pub(super) from: (Tick, usize),
    /// Whether the moment is the beginning of the next tick, and not the end of the last one.
    pub(super) fresh: bool,
    /// When the step before was met.
    pub(super) met: Tick,
    nevers: Vec<(&'p Sight, Span)>,
    /// Of whom only what is written may be seen, and since when.
    pub(super) only: Option<(ObjectId, usize)>,
    /// Why something could not be sent, last.
    pub(super) blocked: Option<String>,
    /// What the planner would not do, last.
    pub(super) refused: Option<String>,
    told: Vec<String>,
    shown: Vec<String>,
}

impl<'p> Performance<'p> {
    fn new(stage: Stage<'p>, staging: Staging) -> Self {
        Self {
            model: Arc::clone(&stage.model),
            stage,
            staging,
            seen: Vec::new(),
            transcript: Vec::new(),
            from: (0, 0),
            fresh: true,
            met: 0,
            nevers: Vec::new(),
            only: None,
            blocked: None,
            refused: None,
            told: Vec::new(),
            shown: Vec::new(),
        }
    }

    fn play(&mut self, play: &'p Play) -> Result<(), Stop> {
        while self.stage.both.next() < 0 {
            self.tick()?;
        }
        self.fresh = true;
        for step in &play.steps {
            self.step(step)?;
        }
        // What was told so far is on its way; what is told meanwhile may come too late.
        let told = self.told.len();
        self.tick()?;
        self.tick()?;
        let mut told = self.told.iter().take(told).enumerate();
        if let Some((_, told)) = told.find(|(at, told)| self.shown.get(*at) != Some(told)) {
            let message = format!("the text `{told}` did not reach the game");
            return Err(Difference::new(NOT_THE_SAME, play.place, self.now(), message).into());
        }
        Ok(())
    }

    /// From here on this must not be seen.
    pub(super) fn forbid(&mut self, sight: &'p Sight, place: Span) {
        self.nevers.push((sight, place));
    }

    /// The tick that it is.
    pub(super) fn now(&self) -> Tick {
        if self.fresh { self.stage.both.next() } else { self.stage.both.next() - 1 }
    }

    /// What is seen from now on counts for the next step.
    pub(super) fn count_from_now(&mut self) {
        self.from = (self.now(), self.seen.len());
    }

    /// Runs one tick, and looks at what it brings.
    pub(super) fn tick(&mut self) -> Result<(), Stop> {
        let brought = self.stage.tick()?;
        self.fresh = false;
        let before = self.seen.len();
        for happening in brought.acts {
            self.acted(happening);
        }
        for event in brought.events {
            self.heard(&event);
        }
        if let Some(trouble) = self.stage.both.trouble() {
            let message = format!("director and game lost each other: {trouble}");
            return Err(Difference::new(NOT_POSSIBLE, Span::NONE, self.now(), message).into());
        }
        let forbidden = self.nevers.iter().find_map(|(sight, place)| {
            let new = self.seen.iter().skip(before).find(|seen| scene::is_sight(&self.model, sight, &seen.what))?;
            Some((*place, new.clone()))
        });
        if let Some((place, Seen { tick, what, .. })) = forbidden {
            let mut found =
                Difference::new(SEEN_AFTER_ALL, place, tick, format!("at tick {tick} it happened after all: {what}"));
            found.before = self.told_before(before);
            found.instead = vec![(tick, what.to_string())];
            return Err(found.here("from here on this must not happen").into());
        }
        Ok(())
    }

    /// What the game did.
    fn acted(&mut self, Happening { tick, task, what }: Happening) {
        match &what {
            Act::Welcomed { .. } => return,
            Act::Shown { text, .. } => {
                // It stands in the transcript at the tick at which it was said.
                self.shown.push(text.clone());
                return;
            }
            // A task is seen when it begins in the world.
            Act::Started { action, params, .. } if self.model.find_action(action).is_some() => {
                self.saw(tick, What::Action(Named { name: action.clone(), args: params.clone() }));
                return;
            }
            Act::Asked { text, .. } => {
                self.seen.push(Seen { tick, what: What::Text(None, text.clone()), found: false });
            }
            Act::Finished { .. } => {
                let step = task.map_or(0, |task| task.step);
                // The parts of a step end together, or one after another.
                let line = (tick, Order::Ended, format!("{} ends", self.name_of(step)));
                if !self.transcript.iter().rev().take_while(|(known, ..)| *known >= tick).any(|known| *known == line) {
                    self.transcript.push(line);
                }
                return;
            }
            Act::Failed { reason, .. } => {
                let name = self.name_of(task.map_or(0, |task| task.step));
                self.transcript.push((tick, Order::Ended, format!("{name} fails: {reason}")));
                return;
            }
            _ => {}
        }
        self.transcript.push((tick, Order::Ended, what.to_string()));
    }

    /// A step that has started, as the story writes it.
    fn name_of(&self, step: u32) -> String {
        self.stage.step(step).map_or_else(|| format!("step {step}"), ToString::to_string)
    }

    /// What the director told.
    fn heard(&mut self, event: &Event) {
        match &event.kind {
            EventKind::World { tick, what } => match scene::happening(what) {
                Some(seen) => self.saw(*tick, seen),
                None => self.transcript.push((*tick, Order::Told, what.clone())),
            },
            EventKind::Line { tick, speaker, text, .. } => {
                self.told.push(text.clone());
                self.saw(*tick, What::Text(speaker.clone(), text.clone()));
            }
            EventKind::Observed { observation } => {
                let value = match &observation.value {
                    dramaturg_wire::Value::Bool(value) => value.to_string(),
                    dramaturg_wire::Value::Number(number) => Fixed(*number).to_string(),
                    dramaturg_wire::Value::Name(name) => name.clone(),
                };
                let line = format!("observed {} = {value}", observation.fluent);
                self.transcript.push((observation.from, Order::Observed, line));
            }
            EventKind::Answered { tick, answer, .. } => {
                self.transcript.push((*tick, Order::Ended, format!("answered {answer}")));
            }
            EventKind::Blocked { why, .. } => self.blocked = Some(why.clone()),
            EventKind::GoalReply { accepted: false, reason, .. } => self.refused = Some(reason.clone()),
            EventKind::Fault { message } => self.refused = Some(message.clone()),
            _ => {}
        }
    }

    fn saw(&mut self, tick: Tick, what: What) {
        let order = if matches!(what, What::Action(_)) { Order::Started } else { Order::Told };
        self.transcript.push((tick, order, what.to_string()));
        self.seen.push(Seen { tick, what, found: false });
    }

    /// A number of ticks that is written in the play.
    pub(super) fn ticks(&self, expr: &Expr) -> Tick {
        Evaluator::new(&self.model, self.stage.world().state()).number(expr).map_or(0, Fixed::round_half_up).max(0)
    }

    /// What was seen last before this number.
    pub(super) fn told_before(&self, number: usize) -> Vec<(Tick, String)> {
        let known = self.seen.iter().take(number).rev().take(3);
        let mut known: Vec<_> = known.map(|seen| (seen.tick, seen.what.to_string())).collect();
        known.reverse();
        known
    }

    /// What was seen from where the step before was met, and no step has found.
    pub(super) fn told_since(&self) -> Vec<(Tick, String)> {
        let new = self.seen.iter().enumerate().filter(|(at, seen)| !seen.found && self.counts(*at, seen));
        new.take(SHOWN).map(|(_, seen)| (seen.tick, seen.what.to_string())).collect()
    }

    /// Whether something came after the step before was met.
    pub(super) fn counts(&self, at: usize, seen: &Seen) -> bool {
        seen.tick >= self.from.0 || at >= self.from.1
    }
}
