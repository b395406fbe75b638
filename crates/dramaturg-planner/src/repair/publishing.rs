//! What a playwright publishes: the best plan in names, as far as the simulator says that it can be performed.

use std::collections::BTreeMap;

use dramaturg_model::Step;
use smol_str::SmolStr;

use super::draft::Draft;
use super::plan::StepKey;
use super::planner::LocalRepair;
use super::repertoire::FormId;
use super::workshop::Workshop;
use crate::host::{Foresight, Situation, foresee};

/// Steps that turn out to be impossible are left out of a publication one after another, so often.
const RETRIES: u32 = 6;

impl LocalRepair {
    /// The best plan in names. Steps that nobody has heard of get their ids now.
    pub(super) fn extract(&mut self, now: &mut Situation, mut workshop: Workshop) -> BTreeMap<u32, Step> {
        workshop.recall();
        let keys: Vec<_> = workshop.draft.steps.alive().filter(|(_, step)| !step.fixed).map(|(key, _)| key).collect();
        let mut intended = BTreeMap::new();
        for key in keys {
            let step = self.named(now, &mut workshop.draft, key);
            intended.insert(step.id, step);
        }
        intended
    }

    pub(super) fn named(&mut self, now: &mut Situation, draft: &mut Draft, key: StepKey) -> Step {
        let planned = *draft.steps.get(key);
        let id = planned.id.unwrap_or_else(|| now.plan.number());
        draft.steps.get_mut(key).id = Some(id);
        let repertoire = &draft.projection.repertoire;
        let operator = repertoire.operators[planned.form];
        let args = repertoire.problem.args(operator).iter();
        Step {
            id,
            action: now.model.actions[repertoire.problem.operators[operator].action].name.clone(),
            args: args.map(|arg| SmolStr::new(now.model.value_name(*arg))).collect(),
            start: planned.start,
            duration: draft.projection.occurrence(planned.occurrence).duration,
            window: None,
            status: Default::default(),
            goals: self.serves(draft, planned.form),
            origin: dramaturg_model::StepOrigin::Repair,
        }
    }

    /// The wishes that an action has directly to do with.
    fn serves(&self, draft: &Draft, form: FormId) -> Vec<SmolStr> {
        let repertoire = &draft.projection.repertoire;
        let form = &repertoire.forms[form];
        let slots = form.deeds.iter().map(|deed| deed.slot).chain(form.spreads.iter().map(|spread| spread.slot));
        let slots: Vec<_> = slots.collect();
        let aims = draft.aims.iter().zip(&self.wishes);
        let served = aims.filter(|(aim, _)| aim.reads.iter().any(|slot| slots.contains(slot)));
        served.map(|(_, words)| words.clone()).collect()
    }

    /// The steps of the best plan that can be performed as far as is known.
    pub(super) fn wanted(&mut self, now: &mut Situation) -> BTreeMap<u32, Step> {
        let Some(mut workshop) = self.workshop.take() else { return now.plan.published.clone() };
        workshop.sweep(now.plan.insert_from.saturating_add(self.options.look));
        let draft = &mut workshop.draft;
        let late = draft.insert_from;
        let mut keys: Vec<_> =
            draft.steps.open().iter().copied().filter(|key| draft.steps.get(*key).start >= late).collect();
        keys.retain(|key| {
            let needs = &draft.projection.occurrence(draft.steps.get(*key).occurrence).needs;
            let form = &draft.projection.repertoire.forms[draft.steps.get(*key).form];
            needs.iter().zip(&form.needs).all(|(state, need)| state.short == 0 || need.weight.is_some())
        });
        keys.sort_by_key(|key| (draft.steps.get(*key).start, *key));
        let wanted =
            keys.into_iter().map(|key| self.named(now, &mut workshop.draft, key)).map(|step| (step.id, step)).collect();
        self.workshop = Some(workshop);
        wanted
    }

    /// Up to when the plan can be performed; what cannot be is left out of it.
    pub(super) fn foresee(&mut self, now: &mut Situation, wanted: &mut BTreeMap<u32, Step>) -> Foresight {
        let look = now.plan.now.most.max(now.plan.insert_from).saturating_add(self.options.look);
        let world = now.forecast().world;
        let mut foresight = foresee(&now.model, world.clone(), wanted, look);
        for _ in 0..RETRIES {
            let Some(trouble) = foresight.trouble.filter(|trouble| wanted.contains_key(trouble)) else { break };
            wanted.remove(&trouble);
            foresight = foresee(&now.model, world.clone(), wanted, look);
        }
        foresight
    }

    /// What was foreseen of the plan when it was published, if it is still the same and that was not too long ago.
    pub(super) fn known_foresight(&self, now: &Situation) -> Option<(Foresight, bool)> {
        let workshop = self.workshop.as_ref()?;
        let (edition, at, foresight, whole) = self.foreseen?;
        let fresh = now.plan.now.most <= at.saturating_add(self.options.look / 2);
        (edition == workshop.edition && fresh).then_some((foresight, whole))
    }
}
