//! Effects that come unasked and would destroy something: they must be kept from coming.

use dramaturg_model::Id;

use super::component::{ComponentId, Group, VariantId};
use super::fact::FactId;
use super::frame::{Conflict, Frame, Ground};

impl Frame {
    /// A component of a chosen operator that nothing keeps from taking place and that would destroy a goal, or what another operator of
    /// the layer needs; with the reasons why it is there and why it matters.
    pub(super) fn threat(&self, ground: Ground<'_>) -> Option<(ComponentId, VariantId, Conflict)> {
        let network = ground.network;
        for (place, chosen) in self.chosen.iter().enumerate() {
            let Some(id) = chosen.variant else { continue };
            let variant = &network.variants[id];
            let seen = self.chosen.iter().take(place).any(|other| other.variant == Some(id));
            if variant.groups.is_empty() || seen {
                continue;
            }
            // What cannot take place before the layer may yet do so once another operator of the layer has been performed.
            let mut others = self.chosen.iter().filter(|other| other.variant.is_some_and(|other| other != id));
            let other = others.next().map(|other| other.decision);
            for group in &variant.groups {
                let is_possible = |component: &ComponentId| ground.layer.present.contains(component.index());
                let mut open = group.components.iter().copied().filter(|component| {
                    (other.is_some() || is_possible(component)) && !self.is_confronted(ground, *component, id)
                });
                if let Some(component) = open.next()
                    && let Some(mut reasons) = self.harm(ground, group, id)
                {
                    reasons.blame(chosen.decision);
                    if !is_possible(&component) {
                        other.into_iter().for_each(|other| reasons.blame(other));
                    }
                    return Some((component, id, reasons));
                }
            }
        }
        None
    }

    /// Whether something that a component asks for is kept from holding by what its operator needs.
    fn is_confronted(&self, ground: Ground<'_>, component: ComponentId, variant: VariantId) -> bool {
        let antecedent = &ground.network.components[component].antecedent;
        antecedent.iter().any(|literal| {
            let mut own = self.needs.iter().filter(|need| need.variant == Some(variant));
            own.any(|need| need.fact == literal.opposite || ground.network.facts.exclude(need.fact, literal.fact))
        })
    }

    /// What an effect would destroy.
    fn harm(&self, ground: Ground<'_>, group: &Group, variant: VariantId) -> Option<Conflict> {
        let facts = &ground.network.facts;
        let destroys = |fact: FactId| facts.table[fact].variable == group.variable && !facts.holds(fact, group.value);
        let mut goals = self.goals.iter().copied().filter(|goal| destroys(*goal));
        if let Some(goal) = goals.find(|goal| !self.is_overruled(ground, group, variant, *goal)) {
            let mut reasons = Conflict::default();
            reasons.goals.push(goal);
            self.decision_of(goal).into_iter().for_each(|decision| reasons.blame(decision));
            return Some(reasons);
        }
        let mut others = self.needs.iter().filter(|need| need.variant.is_some_and(|other| other != variant));
        let need = others.find(|need| destroys(need.fact))?;
        let mut reasons = Conflict::default();
        reasons.blame(need.decision);
        Some(reasons)
    }

    /// Whether a stronger effect of the same operator makes the goal true in any case.
    fn is_overruled(&self, ground: Ground<'_>, group: &Group, id: VariantId, goal: FactId) -> bool {
        let variant = &ground.network.variants[id];
        self.chosen.iter().filter(|chosen| chosen.variant == Some(id)).any(|chosen| {
            variant
                .write(chosen.component, group.variable)
                .is_some_and(|(value, rank)| rank > group.rank && ground.network.facts.holds(goal, value))
        })
    }
}
