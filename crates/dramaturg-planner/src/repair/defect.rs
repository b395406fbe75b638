//! Defects: what is wrong with a plan, by class and cost.

use dramaturg_model::Chance;

use super::aims::{Aim, UNIT, Want};
use super::contingent::Contingency;
use super::draft::Draft;
use super::occurrence::OccurrenceId;
use super::plan::StepKey;
use crate::ground::GroundActuatorId;

/// What a plan lacks: first what is required, and only between equals what is liked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// In thousandths: 1000 for each unit that a required condition, goal, hold or set is off.
    pub hard: i64,
    /// In millionths.
    pub soft: i64,
}

/// The classes of defects, in the order in which they are repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A step that can no longer start when it was to.
    Past,
    /// Two steps set the same to different values at the same time.
    SetConflict,
    /// A condition of a step, or a goal, is not met.
    Unmet,
    /// A goal is not met because a number is too small.
    Little,
    /// A goal is not met because a number is too large.
    Much,
    /// More of an actuator is held than there is.
    Overlap,
    /// An object is anchored again more than once.
    Anchor,
    /// A locked step rests on what somebody else is only expected to do.
    Contingent,
    /// Something liked is missed.
    Wish,
    /// There should be less of something, or more.
    Amount,
    /// A goal could be reached sooner, or with less.
    Effort,
}

impl Class {
    /// How many there are.
    pub(crate) const COUNT: usize = 11;
    /// Those in which a number is not what it should be in the end.
    pub(crate) const NUMBERS: [Self; 3] = [Self::Little, Self::Much, Self::Amount];
}

/// One thing that is wrong.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Defect {
    /// A step lies in the past.
    Past(StepKey),
    /// Somebody sets what another sets otherwise.
    SetConflict(OccurrenceId),
    /// A condition of a step.
    Need(OccurrenceId, u16),
    /// What is wanted, by its number.
    Aim(usize),
    /// An actuator is held too much.
    Overlap(GroundActuatorId),
    /// An object is anchored again too often.
    Anchor(u32),
    /// A condition that holds only if what is expected comes.
    Contingent(Contingency),
    /// The plan is longer than it must be.
    Effort,
}

/// So many of what is unmet are drawn, unless a condition is among them.
const DRAWN: u32 = 4;

impl Draft {
    /// How much of a class is missing.
    pub(crate) fn missing(&self, class: Class) -> i64 {
        match class {
            Class::Past => self.past(),
            Class::SetConflict => self.projection.clashes * UNIT,
            Class::Unmet | Class::Little | Class::Much => self.projection.unmet * UNIT + self.aimed(true),
            Class::Overlap => self.projection.excess * UNIT,
            Class::Anchor => self.surplus() * UNIT,
            Class::Contingent => self.contingency(),
            Class::Wish | Class::Amount => self.projection.displeasure + self.aimed(false),
            Class::Effort => self.effort(),
        }
    }

    /// The defect to be repaired next: of the first class that has any, the larger ones more often. What is required is spared, if so wanted,
    /// as long as anything else can be repaired.
    pub(crate) fn pick_defect(&mut self, spares: bool, chance: &mut Chance) -> Option<(Class, Defect)> {
        let can_spare = self.tally.wished.total() > 0 || self.effort() > 0;
        let required = if spares && can_spare { None } else { self.pick_required(chance) };
        required.or_else(|| self.pick_liked(chance))
    }

    fn pick_required(&self, chance: &mut Chance) -> Option<(Class, Defect)> {
        if let Some(key) = self.first_past() {
            return Some((Class::Past, Defect::Past(key)));
        }
        if self.projection.clashes > 0
            && let Some(defect) = self.pick_clash(chance)
        {
            return Some((Class::SetConflict, defect));
        }
        if self.missing(Class::Unmet) > 0
            && let Some(found) = self.pick_first_unmet(chance)
        {
            return Some(found);
        }
        if self.projection.excess > 0 {
            let mut left = chance.below(self.projection.excess as usize) as i64;
            let held = self.projection.actuators().find(|(_, holds)| {
                left -= holds.excess();
                left < 0
            });
            if let Some((actuator, _)) = held {
                return Some((Class::Overlap, Defect::Overlap(actuator)));
            }
        }
        self.first_surplus().map(|object| (Class::Anchor, Defect::Anchor(object)))
    }

    fn pick_liked(&self, chance: &mut Chance) -> Option<(Class, Defect)> {
        let (wishes, effort) = (self.tally.wished.total(), self.effort());
        // Often nothing can be done about what is expected: it does not keep anything else from being repaired.
        if !self.contingent.is_empty() && (wishes == 0 && effort == 0 || chance.below(4) == 0) {
            let rests = self.contingent.get(chance.below(self.contingent.len())).copied();
            return rests.map(|rests| (Class::Contingent, Defect::Contingent(rests)));
        }
        // Now and then the plan is looked over, however much is still wished for.
        if wishes > 0 && (effort == 0 || chance.below(8) > 0) {
            return self.pick_wish(chance).map(|defect| (self.class_of(defect), defect));
        }
        (effort > 0).then_some((Class::Effort, Defect::Effort))
    }

    /// The class of something that is wanted or needed.
    fn class_of(&self, defect: Defect) -> Class {
        let Defect::Aim(number) = defect else { return Class::Unmet };
        match self.aims.get(number) {
            Some(Aim { want: Want::Amount { .. }, .. }) => Class::Amount,
            Some(Aim { hard: true, rises: Some(true), .. }) => Class::Little,
            Some(Aim { hard: true, rises: Some(false), .. }) => Class::Much,
            Some(Aim { hard: true, .. }) | None => Class::Unmet,
            Some(_) => Class::Wish,
        }
    }

    /// What of a defect was missing before it is repaired, by which later repairs of its class are judged.
    pub(crate) fn missing_of(&self, class: Class, defect: Defect) -> i64 {
        match (class, defect) {
            (Class::Little | Class::Much | Class::Amount, Defect::Aim(number)) => {
                self.aims.get(number).map_or(0, |aim| aim.cost)
            }
            _ => self.missing(class),
        }
    }

    /// One of those who contradict each other, if it can be changed.
    fn pick_clash(&self, chance: &mut Chance) -> Option<Defect> {
        let slots = self.projection.repertoire.slots.ids();
        let clashing = slots.flat_map(|slot| self.projection.timeline(slot).clashing());
        let sources = clashing.map(|entry| OccurrenceId(entry.source.0));
        let open = |source: &OccurrenceId| self.steps.owner(*source).is_some_and(|key| self.is_open(key));
        let open: Vec<OccurrenceId> = sources.filter(open).collect();
        open.get(chance.below(open.len())).copied().map(Defect::SetConflict)
    }

    /// Of some that are drawn, the one whose class comes first.
    fn pick_first_unmet(&self, chance: &mut Chance) -> Option<(Class, Defect)> {
        let mut found: Option<(Class, Defect)> = None;
        for _ in 0..DRAWN {
            let defect = self.pick_unmet(chance)?;
            let class = self.class_of(defect);
            if found.is_none_or(|(known, _)| class < known) {
                found = Some((class, defect));
            }
            if class == Class::Unmet {
                break;
            }
        }
        found
    }

    fn pick_unmet(&self, chance: &mut Chance) -> Option<Defect> {
        let mut left = chance.below(usize::try_from(self.missing(Class::Unmet)).unwrap_or(1)) as i64;
        for (id, need) in &self.projection.broken {
            let short = self.projection.occurrence(*id).needs.get(usize::from(*need)).map_or(0, |need| need.short);
            let form = &self.projection.repertoire.forms[self.projection.occurrence(*id).form];
            if form.needs.get(usize::from(*need)).is_some_and(|need| need.weight.is_none()) {
                left -= short * UNIT;
                if left < 0 {
                    return Some(Defect::Need(*id, *need));
                }
            }
        }
        self.tally.required.part_at(left).map(Defect::Aim)
    }

    fn pick_wish(&self, chance: &mut Chance) -> Option<Defect> {
        let point = chance.below(usize::try_from(self.tally.wished.total()).unwrap_or(1)) as i64;
        self.tally.wished.part_at(point).map(Defect::Aim)
    }
}
