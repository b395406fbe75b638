//! What is due when.

use dramaturg_model::{ActionId, Model, RuleId, Tick};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use super::labels::Labels;
use super::part::{Parts, SavedPart};
use super::value::{SavedSlot, SavedValue};
use super::{Loader, Saver};
use crate::simulate::agenda::{Given, Item};
use crate::simulate::event::Phase;
use crate::simulate::goals::GoalKey;
use crate::simulate::rules::RunKey;
use crate::simulate::step::{Performed, StepKey};

/// Everything due at one tick, in order. A tick at which nothing is left to do is still looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedTick {
    tick: Tick,
    items: Vec<SavedItem>,
}

/// One thing that is due; steps, rules, tasks, waits and goals by their places in their lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum SavedItem {
    Observe { slot: SavedSlot, value: SavedValue },
    Given { given: SavedPart, population: Option<SmolStr>, object: Option<SmolStr> },
    End(usize),
    RuleEnd(usize),
    Release { step: usize, part: SavedPart },
    Task(usize),
    Deadline(usize),
    Condition { step: usize, part: SavedPart },
    Goal(usize),
    Start(usize),
    Effect { step: usize, part: SavedPart },
    RuleEffect { run: usize, part: SavedPart },
    Acquire { step: usize, part: SavedPart },
    Say { step: usize, part: SavedPart },
}

impl Saver<'_> {
    pub(super) fn agenda(&self) -> Vec<SavedTick> {
        // After its ending the story's agenda is left as it was.
        let now = (self.world.tick, self.world.phase);
        let all = self.world.agenda.by_tick.iter().filter(|(tick, _)| (**tick, Phase::Observe) >= now);
        all.map(|(tick, items)| SavedTick { tick: *tick, items: self.items(items) }).collect()
    }

    /// What is due in the tick at hand; after P4, and when the story is over, nothing looks at it any more.
    pub(super) fn due(&self) -> Vec<SavedItem> {
        let is_read = (Phase::End..=Phase::Start).contains(&self.world.phase) && !self.world.over;
        if is_read { self.items(&self.world.due) } else { Vec::new() }
    }

    fn items(&self, items: &[Item]) -> Vec<SavedItem> {
        items.iter().filter_map(|item| self.item(item)).collect()
    }

    /// None if what it is about has ended: it would be passed over.
    fn item(&self, item: &Item) -> Option<SavedItem> {
        let labels = self.labels;
        let step = |key: &StepKey| self.steps.get(key).copied();
        let run = |key: &RunKey| self.runs.get(key).copied();
        Some(match item {
            Item::Observe(fluent, args, value) => SavedItem::Observe {
                slot: SavedSlot::new(labels, *fluent, args),
                value: SavedValue::new(labels, *value),
            },
            Item::Given(given) => {
                let parts = match given.whom {
                    Some((population, _)) => &self.model.populations[population].given,
                    None => &self.model.initial,
                };
                SavedItem::Given {
                    given: Parts::Givens(parts).save(self.model, labels, given.number),
                    population: given.whom.map(|(population, _)| labels.populations.of(population)),
                    object: given.whom.map(|(_, object)| labels.objects.of(object)),
                }
            }
            Item::End(key) => SavedItem::End(step(key)?),
            Item::RuleEnd(key) => SavedItem::RuleEnd(run(key)?),
            Item::Task(key) => SavedItem::Task(*self.tasks.get(key)?),
            Item::Deadline(key) => SavedItem::Deadline(*self.waits.get(key)?),
            Item::Goal(GoalKey(goal)) => SavedItem::Goal((*goal < self.world.goals.goals.len()).then_some(*goal)?),
            Item::Start(key) => SavedItem::Start(step(key)?),
            Item::Release(key, number) => {
                SavedItem::Release { step: step(key)?, part: self.part(*key, *number, Part::Use)? }
            }
            Item::Acquire(key, number) => {
                SavedItem::Acquire { step: step(key)?, part: self.part(*key, *number, Part::Use)? }
            }
            Item::Condition(key, number) => {
                SavedItem::Condition { step: step(key)?, part: self.part(*key, *number, Part::Condition)? }
            }
            Item::Effect(key, number) => {
                SavedItem::Effect { step: step(key)?, part: self.part(*key, *number, Part::Effect)? }
            }
            Item::Say(key, number) => SavedItem::Say { step: step(key)?, part: self.part(*key, *number, Part::Say)? },
            Item::RuleEffect(key, number) => {
                let rule = self.world.rules.runs.get(key)?.rule;
                let part = rule_effects(self.model, rule).save(self.model, labels, *number);
                SavedItem::RuleEffect { run: run(key)?, part }
            }
        })
    }

    fn part(&self, key: StepKey, number: usize, kind: Part) -> Option<SavedPart> {
        let Performed::Action(action) = self.world.steps.get(key)?.what else { return None };
        Some(kind.of(self.model, action).save(self.model, self.labels, number))
    }

    /// Everything the model gives at a tick, so that what is new can be told from what is over.
    pub(super) fn givens(&self) -> Vec<SmolStr> {
        let mut all: Vec<SmolStr> = timed_givens(self.model, self.labels).into_iter().map(|(words, _)| words).collect();
        all.sort_unstable();
        all
    }
}

/// The parts of an action that come at moments.
#[derive(Clone, Copy)]
enum Part {
    Effect,
    Condition,
    Use,
    Say,
}

impl Part {
    fn of(self, model: &Model, action: ActionId) -> Parts<'_> {
        let action = &model.actions[action];
        match self {
            Self::Effect => Parts::Effects(&action.effects),
            Self::Condition => Parts::Conditions(&action.conditions),
            Self::Use => Parts::Uses(&action.uses),
            Self::Say => Parts::Says(&action.says),
        }
    }
}

fn rule_effects(model: &Model, rule: RuleId) -> Parts<'_> {
    Parts::Effects(&model.rules[rule].effects)
}

/// Everything given at a tick, with its words.
fn timed_givens(model: &Model, labels: &Labels) -> Vec<(SmolStr, Given)> {
    let mut all = Vec::new();
    for (number, _) in model.initial.iter().enumerate().filter(|(_, given)| given.at.is_some()) {
        let words = Parts::Givens(&model.initial).save(model, labels, number).words;
        all.push((words, Given { number, whom: None }));
    }
    for (id, population) in model.populations.iter() {
        for (number, _) in population.given.iter().enumerate().filter(|(_, given)| given.at.is_some()) {
            let words = Parts::Givens(&population.given).save(model, labels, number).words;
            for object in &population.objects {
                let words = format_smolstr!("{}: {words}", labels.objects.of(*object));
                all.push((words, Given { number, whom: Some((id, *object)) }));
            }
        }
    }
    all
}

impl Loader<'_> {
    /// Fills the agenda anew: with what is saved, and with what the story gives at a tick and the save does not know.
    pub(super) fn load_agenda(&mut self, saved: &[SavedTick], givens: &[SmolStr]) {
        let known: FxHashSet<&SmolStr> = givens.iter().collect();
        let new = timed_givens(self.model, self.labels).into_iter().filter(|(words, _)| !known.contains(words));
        let new: Vec<Given> = new.map(|(_, given)| given).collect();
        let rebuilt = std::mem::take(&mut self.world.agenda.by_tick);
        for saved in saved {
            let is_over = (saved.tick, Phase::Observe) < (self.world.tick, self.world.phase);
            if is_over {
                self.report.dropped(format!("what was due at tick {}", saved.tick), "that tick is over");
                continue;
            }
            let items = self.find_items(&saved.items);
            self.world.agenda.by_tick.entry(saved.tick).or_default().extend(items);
        }
        for (tick, items) in rebuilt {
            for item in items {
                if matches!(&item, Item::Given(given) if new.contains(given)) {
                    self.report.defaulted(format!("what is given at tick {tick}"), "it is new and will come then");
                    self.world.agenda.add(tick, item);
                }
            }
        }
    }

    pub(super) fn find_items(&mut self, saved: &[SavedItem]) -> Vec<Item> {
        let mut items = Vec::new();
        for saved in saved {
            match self.find_item(saved) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err((what, why)) => self.report.dropped(what, why),
            }
        }
        items
    }

    /// The item; none if what it is about was dropped, which has been reported with it.
    fn find_item(&self, saved: &SavedItem) -> Result<Option<Item>, (String, String)> {
        let (model, labels) = (self.model, self.labels);
        let step = |number: &usize| self.steps.get(*number).copied().flatten();
        let run = |number: &usize| self.runs.get(*number).copied().flatten();
        Ok(match saved {
            SavedItem::Observe { slot, value } => {
                let what = || format!("the observation of `{}` to come", slot.fluent);
                let (fluent, args) = slot.find(model, labels).map_err(|why| (what(), why))?;
                let gone = |name| (what(), format!("`{name}` does not exist any more"));
                Some(Item::Observe(fluent, args, value.find(labels).map_err(gone)?))
            }
            SavedItem::Given { given, population, object } => {
                Some(Item::Given(self.find_given(given, population, object)?))
            }
            SavedItem::End(number) => step(number).map(Item::End),
            SavedItem::RuleEnd(number) => run(number).map(Item::RuleEnd),
            SavedItem::Task(number) => self.tasks.get(*number).copied().flatten().map(Item::Task),
            SavedItem::Deadline(number) => self.waits.get(*number).copied().flatten().map(Item::Deadline),
            SavedItem::Goal(number) => self.goals.get(*number).copied().flatten().map(|goal| Item::Goal(GoalKey(goal))),
            SavedItem::Start(number) => step(number).map(Item::Start),
            SavedItem::Release { step, part } => {
                self.find_part(*step, part, Part::Use)?.map(|(key, number)| Item::Release(key, number))
            }
            SavedItem::Acquire { step, part } => {
                self.find_part(*step, part, Part::Use)?.map(|(key, number)| Item::Acquire(key, number))
            }
            SavedItem::Condition { step, part } => {
                self.find_part(*step, part, Part::Condition)?.map(|(key, number)| Item::Condition(key, number))
            }
            SavedItem::Effect { step, part } => {
                self.find_part(*step, part, Part::Effect)?.map(|(key, number)| Item::Effect(key, number))
            }
            SavedItem::Say { step, part } => {
                self.find_part(*step, part, Part::Say)?.map(|(key, number)| Item::Say(key, number))
            }
            SavedItem::RuleEffect { run: number, part } => {
                let Some(key) = run(number) else { return Ok(None) };
                let Some(run) = self.world.rules.runs.get(&key) else { return Ok(None) };
                let found = rule_effects(model, run.rule).find(model, labels, part);
                let gone = || {
                    (format!("a later effect on `{}`", part.words), "its rule has no such effect any more".to_owned())
                };
                Some(Item::RuleEffect(key, found.ok_or_else(gone)?))
            }
        })
    }

    fn find_part(
        &self,
        step: usize,
        part: &SavedPart,
        kind: Part,
    ) -> Result<Option<(StepKey, usize)>, (String, String)> {
        let Some(key) = self.steps.get(step).copied().flatten() else { return Ok(None) };
        let Some(step) = self.world.steps.get(key) else { return Ok(None) };
        let Performed::Action(action) = step.what else { return Ok(None) };
        match kind.of(self.model, action).find(self.model, self.labels, part) {
            Some(number) => Ok(Some((key, number))),
            None => {
                let what = format!("`{}`, due in step {}", part.words, step.id);
                Err((what, "its action has no such part any more".to_owned()))
            }
        }
    }

    fn find_given(
        &self,
        given: &SavedPart,
        population: &Option<SmolStr>,
        object: &Option<SmolStr>,
    ) -> Result<Given, (String, String)> {
        let gone = || (format!("what is given: `{}`", given.words), "the story gives it no more".to_owned());
        let (parts, whom) = match (population, object) {
            (Some(population), Some(object)) => {
                let population = self.labels.populations.find(population).ok_or_else(gone)?;
                let object = self.labels.objects.find(object).ok_or_else(gone)?;
                (&self.model.populations[population].given, Some((population, object)))
            }
            _ => (&self.model.initial, None),
        };
        let number = Parts::Givens(parts).find(self.model, self.labels, given).ok_or_else(gone)?;
        Ok(Given { number, whom })
    }
}
