//! How a playwright begins to work: on what is intended, from what is known; and a chain of steps where repairing does not get there.

use std::sync::Arc;

use dramaturg_model::Tick;
use smol_str::SmolStr;

use super::aims::{Want, aims};
use super::draft::Draft;
use super::outlook::Outlook;
use super::planner::LocalRepair;
use super::repertoire::{FormId, Repertoire};
use super::skeleton::{Skeleton, in_a_row};
use super::workshop::Workshop;
use crate::host::Situation;
use crate::planner::Budget;
use crate::simulate::step::Performed;
use crate::simulate::{names, words};

impl LocalRepair {
    /// The form of a step; none if there is no such action in this level.
    pub(super) fn form_of(now: &Situation, repertoire: &Repertoire, action: &str, args: &[SmolStr]) -> Option<FormId> {
        let what = names::performed(&now.model, action).ok()?;
        let args = names::args(&now.model, what, args).ok()?;
        match what {
            Performed::Action(action) => repertoire.form(action, &args),
            Performed::Task(_) => None,
        }
    }

    /// Begins to work on what is intended, from what is known.
    pub(super) fn open_workshop(&mut self, now: &mut Situation) -> Option<Workshop> {
        let world = now.forecast().world;
        let asked = &now.goals.model;
        let known = self
            .repertoire
            .take()
            .and_then(|repertoire| Outlook::new(&now.model, &repertoire, &world).map(|outlook| (repertoire, outlook)));
        let (repertoire, outlook) = match known {
            Some(known) => known,
            None => {
                let repertoire = Arc::new(Repertoire::new(asked, world.state()));
                let outlook = Outlook::new(&now.model, &repertoire, &world)?;
                (repertoire, outlook)
            }
        };
        self.repertoire = Some(Arc::clone(&repertoire));
        let first = outlook.projection.first_tick();
        let goals = world.goals();
        let wanted = aims(asked, &repertoire, &outlook.projection, &goals, now.goals.of_story().as_ref());
        let words = wanted.iter().filter_map(|aim| repertoire.problem.wishes.get(aim.wish));
        self.wishes = words.map(|wish| words::wish(asked, &asked.wishes[wish.wish]).into()).collect();
        let far = wanted.iter().map(|aim| match &aim.want {
            Want::Follow(curve) => curve.end(),
            Want::At(_, tick) => *tick,
            Want::Keep(_, _, to) if *to < Tick::MAX => *to,
            _ => 0,
        });
        let far = far.max().unwrap_or(0).max(first.saturating_add(self.options.horizon));
        let outlook = outlook.until(far);
        let mut draft = Draft::new(outlook.projection, wanted, now.plan.insert_from.max(first));
        draft.barred =
            now.cooldowns.iter().filter_map(|(name, args, _)| Self::form_of(now, &repertoire, name, args)).collect();
        for (id, occurrence) in outlook.fixed {
            draft.adopt(draft.projection.occurrence(occurrence).form, id, occurrence);
        }
        let intended = std::mem::take(&mut self.intended);
        for step in intended.values().filter(|step| !now.plan.committed.contains_key(&step.id)) {
            // What somebody said no to is not asked again where it was planned more than once.
            let form =
                Self::form_of(now, &repertoire, &step.action, &step.args).filter(|form| !draft.barred.contains(form));
            if let Some(form) = form {
                // What nobody has heard of and can no longer start then is put off.
                let start = if step.start < first { draft.insert_from } else { step.start };
                draft.add(form, start, Some(step.id));
            }
        }
        let published = &now.plan.published;
        draft.advance(draft.insert_from, |id| published.contains_key(&id));
        let mut workshop = Workshop::new(draft, self.options.patience);
        // Where something else is missing than before there is work to do.
        let rested = self.rested.take().filter(|(_, hard)| *hard == workshop.best.hard);
        workshop.quiet = rested.map_or(0, |(quiet, _)| quiet);
        Some(workshop)
    }

    /// Looks for a chain of steps by search; whether one makes the plan better.
    pub(super) fn look_for_chain(&mut self, budget: &mut Budget) -> bool {
        let Some(workshop) = &mut self.workshop else { return false };
        let repertoire = workshop.draft.repertoire();
        if self.skeleton.is_none() {
            // A chain is looked for only where it is not enough to do without what cannot be done.
            if workshop.shed(budget) {
                return true;
            }
            let (tick, from) = workshop.footing();
            self.skeleton = Skeleton::new(&repertoire, &workshop.draft.aims, tick, &from);
        }
        let found = match &mut self.skeleton {
            Some(skeleton) => match skeleton.run(budget) {
                Some(found) => found.map(|way| in_a_row(&repertoire, &way, skeleton.tick)),
                None => return false,
            },
            None => None,
        };
        (self.skeleton, self.has_looked) = (None, true);
        let mut chain = found.unwrap_or_default();
        // A chain without what is barred is no chain: the search knows nothing of refusals.
        if chain.iter().any(|(form, ..)| workshop.draft.barred.contains(form)) {
            chain.clear();
        }
        !chain.is_empty() && workshop.propose(&chain)
    }
}
