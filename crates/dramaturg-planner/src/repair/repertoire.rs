//! Everything that can be planned or happens by itself in one level, in dense tables.

use std::sync::{Arc, OnceLock};

use dramaturg_model::{ActionOrigin, Args, Fixed, Model, State, Table, ids};
use rustc_hash::FxHashMap;

use super::distance::Distances;
use super::form::{Form, FormWriter, Written};
use super::slot::{Slot, SlotId};
use crate::ground::{Condition, GroundOptions, GroundRuleId, GroundTrigger, OperatorId, Problem, Scope, ground};
use crate::search::Relaxation;

ids! {
    /// A form: operators first, then rules.
    FormId,
    /// A rule that takes part in the projection.
    TrackId,
}

/// How a form changes a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gain {
    /// It gives it this value.
    Value(i64),
    /// It adds so many millionths in all; 0 if that is not known beforehand.
    Amount(i64),
    /// It gives it a value that is not known beforehand.
    Any,
}

/// A form that changes a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Achiever {
    pub(crate) form: FormId,
    /// Which of its deeds; after them come its spreads.
    pub(crate) part: u16,
    pub(crate) gain: Gain,
}

/// What sets a rule off.
#[derive(Clone, Debug)]
pub(crate) enum Cue {
    /// The edge of a condition, if another holds then.
    Edge(Condition, Condition),
    /// The end of an action, if this holds then.
    After(Condition),
    /// It holds all the time in which this does.
    Level(Condition),
}

/// A rule in the projection.
#[derive(Clone, Debug)]
pub(crate) struct RuleTrack {
    pub(crate) rule: GroundRuleId,
    pub(crate) form: FormId,
    pub(crate) cue: Cue,
    pub(crate) reads: Vec<SlotId>,
    /// When its turn comes in a round of P2.
    pub(crate) turn: i64,
}

/// What is special about an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Plain,
    /// It ties the object with this number to the world.
    Anchor(u32),
    /// It ties it again.
    Reanchor(u32),
    /// Somebody else plans it.
    Foreign,
}

/// Everything that can be planned or happens by itself in one level.
#[derive(Debug)]
pub(crate) struct Repertoire {
    pub(crate) problem: Arc<Problem>,
    pub(crate) slots: Table<SlotId, Slot>,
    pub(crate) forms: Table<FormId, Form>,
    /// The operator of each form that can be planned.
    pub(crate) operators: Table<FormId, OperatorId>,
    pub(crate) kinds: Table<FormId, Kind>,
    form_of: FxHashMap<(dramaturg_model::ActionId, Args), FormId>,
    /// Forms of the same action, in order of their arguments.
    pub(crate) siblings: FxHashMap<dramaturg_model::ActionId, Vec<FormId>>,
    /// Who changes each slot; actions before rules.
    pub(crate) achievers: Table<SlotId, Vec<Achiever>>,
    pub(crate) tracks: Table<TrackId, RuleTrack>,
    /// How many turns a round has.
    pub(crate) turns: i64,
    /// The rules whose cue reads each slot.
    pub(crate) tracks_reading: Table<SlotId, Vec<TrackId>>,
    /// The rules that the end of each action may set off.
    pub(crate) tracks_after: Table<FormId, Vec<TrackId>>,
    pub(crate) distances: Distances,
    /// The same without anything ever being undone, once somebody has asked.
    relaxation: OnceLock<Arc<Relaxation>>,
    /// Whether anything is ever expected of others.
    pub(crate) expects: bool,
    /// Whether grounding gave up before it had found everything, and why.
    pub(crate) trouble: Option<String>,
}

impl Repertoire {
    /// The level of a state. Everything that may be seen can be expressed, as far as that is not too much.
    pub(crate) fn new(model: &Model, state: &State) -> Self {
        let options = GroundOptions { state: Some(state), scope: Scope::Everything, ..GroundOptions::default() };
        let mut grounding = ground(model, &options);
        if grounding.stop.is_some() {
            grounding = ground(model, &GroundOptions { scope: Scope::Reachable, ..options });
        }
        let trouble = grounding.stop.map(|stop| stop.to_string());
        Self::of(model, Arc::new(grounding.problem), trouble)
    }

    fn of(model: &Model, problem: Arc<Problem>, trouble: Option<String>) -> Self {
        let slots = Slot::all(&problem);
        let writer = FormWriter { problem: &problem, slots: &slots };
        let mut forms = Table::new();
        let mut operators = Table::new();
        let mut kinds = Table::new();
        let mut form_of = FxHashMap::default();
        let mut siblings: FxHashMap<_, Vec<FormId>> = FxHashMap::default();
        for (id, operator) in problem.operators.iter() {
            // What somebody performs is planned by whoever plans for them, unless they plan nothing.
            let performer = operator.performer;
            let plans = |object| model.characters.values().any(|character| character.object == object);
            let theirs = performer.is_some_and(plans);
            let cost = operator.cost.as_number().unwrap_or(Fixed::ONE).0;
            let Some(timed) = operator.timed.as_deref() else { continue };
            let Some(form) = writer.action(timed, cost) else { continue };
            let form = forms.push(form);
            operators.push(id);
            let args = Args::from_slice(problem.args(id));
            let first = args.first().and_then(|arg| arg.as_object()).map_or(u32::MAX, |object| object.0);
            kinds.push(match model.actions[operator.action].origin {
                _ if theirs => Kind::Foreign,
                ActionOrigin::Authored => Kind::Plain,
                ActionOrigin::Anchor(_) => Kind::Anchor(first),
                ActionOrigin::Reanchor(_) => Kind::Reanchor(first),
            });
            siblings.entry(operator.action).or_default().push(form);
            form_of.insert((operator.action, args), form);
        }
        let mut tracks: Table<TrackId, RuleTrack> = Table::new();
        for (id, rule) in problem.rules.iter() {
            let Some(form) = writer.rule(rule) else { continue };
            let cue = match &rule.trigger {
                GroundTrigger::When(condition, guard) => Cue::Edge(condition.clone(), guard.clone()),
                GroundTrigger::After(condition) => Cue::After(condition.clone()),
                GroundTrigger::While(condition) => Cue::Level(condition.clone()),
                GroundTrigger::Always => Cue::Level(Condition::always()),
            };
            if matches!(cue, Cue::Level(_)) && form.spreads.is_empty() {
                continue;
            }
            let mut reads = match &cue {
                Cue::Edge(condition, guard) => [writer.slots_of(condition), writer.slots_of(guard)].concat(),
                Cue::After(condition) | Cue::Level(condition) => writer.slots_of(condition),
            };
            reads.sort_unstable();
            reads.dedup();
            let turn = tracks.len() as i64;
            tracks.push(RuleTrack { rule: id, form: forms.push(form), cue, reads, turn });
        }
        let mut tracks_reading = Table::filled(slots.len(), Vec::new());
        for (id, track) in tracks.iter() {
            for slot in &track.reads {
                tracks_reading[*slot].push(id);
            }
        }
        let tracks_after = operators.values().map(|operator| {
            let after = problem.index.rules_after(*operator);
            tracks.iter().filter(|(_, track)| after.contains(&track.rule)).map(|(id, _)| id).collect()
        });
        let tracks_after: Table<FormId, Vec<TrackId>> = tracks_after.collect();
        let achievers = achievers(&slots, &forms);
        let distances = Distances::new(&problem, &slots, &forms);
        let turns = tracks.len().max(1) as i64;
        let expects = forms.values().any(|form: &Form| form.deeds.iter().any(|deed| deed.expected));
        Self {
            slots,
            forms,
            operators,
            kinds,
            form_of,
            siblings,
            achievers,
            tracks,
            turns,
            tracks_reading,
            tracks_after,
            distances,
            relaxation: OnceLock::new(),
            expects,
            trouble,
            problem,
        }
    }

    /// What search is guided by.
    pub(crate) fn relaxation(&self) -> &Arc<Relaxation> {
        self.relaxation.get_or_init(|| Arc::new(Relaxation::new(&self.problem, true)))
    }

    /// The form of an action with these arguments.
    pub(crate) fn form(&self, action: dramaturg_model::ActionId, args: &Args) -> Option<FormId> {
        self.form_of.get(&(action, args.clone())).copied()
    }

    /// Whether a form can be planned.
    pub(crate) fn is_ours(&self, form: FormId) -> bool {
        self.kinds.try_at(form).is_some_and(|kind| *kind != Kind::Foreign)
    }

    /// The rule that has this form.
    pub(crate) fn track_of(&self, form: FormId) -> Option<(TrackId, &RuleTrack)> {
        self.tracks.iter().find(|(_, track)| track.form == form)
    }

    /// What slots and conditions have to do with each other.
    pub(crate) fn writer(&self) -> FormWriter<'_> {
        FormWriter { problem: &self.problem, slots: &self.slots }
    }

    /// How long a form takes, as far as that is known beforehand.
    pub(crate) fn usual_length(&self, form: FormId) -> dramaturg_model::Tick {
        match self.forms[form].length {
            super::form::Length::Plain(ticks) => ticks,
            super::form::Length::None => 0,
            super::form::Length::Read(..) => 1,
        }
    }
}

fn achievers(slots: &Table<SlotId, Slot>, forms: &Table<FormId, Form>) -> Table<SlotId, Vec<Achiever>> {
    let mut achievers: Table<SlotId, Vec<Achiever>> = Table::filled(slots.len(), Vec::new());
    for (id, form) in forms.iter() {
        for (part, deed) in form.deeds.iter().enumerate() {
            let gain = match &deed.written {
                Written::Set(value) | Written::Leave(_, value) => Gain::Value(*value),
                Written::Add(amount) => Gain::Amount(*amount),
                Written::AddTo(_) => Gain::Amount(0),
                Written::SetTo(_) => Gain::Any,
            };
            achievers[deed.slot].push(Achiever { form: id, part: part as u16, gain });
        }
        for (part, spread) in form.spreads.iter().enumerate() {
            let ticks = match (&form.length, spread.per_tick) {
                (_, false) => 1,
                (super::form::Length::Plain(ticks), true) => *ticks,
                _ => 1,
            };
            let gain = Gain::Amount(spread.plain.unwrap_or(0).saturating_mul(ticks));
            achievers[spread.slot].push(Achiever { form: id, part: (form.deeds.len() + part) as u16, gain });
        }
    }
    achievers
}
