//! What all characters of a level share: one ground problem, and each one's part of it.

use std::sync::{Arc, OnceLock};

use dramaturg_model::{ActionId, Args, Fixed, LevelId, Model, ObjectId, Owner, State, Value};
use rustc_hash::FxHashMap;

use super::thought::Want;
use crate::ground::{GroundOptions, GroundWish, GroundWishKind, OperatorId, Problem, ground};
use crate::packed::PackedState;
use crate::search::Relaxation;
use crate::simulate::words;

/// An action with its arguments, whatever problem it stands in.
pub(crate) type Deed = (ActionId, Args);

/// A level as its characters plan in it. Grounded once for all of them.
#[derive(Debug)]
pub struct Domain {
    /// Everything that anybody can do.
    pub problem: Arc<Problem>,
    /// Whether grounding gave up before it had found everything, and why.
    pub trouble: Option<String>,
    objects: usize,
    operators: FxHashMap<Deed, OperatorId>,
    /// What each character can do, once somebody has asked: it is the same in every rehearsal.
    roles: Vec<(ObjectId, OnceLock<Arc<Role>>)>,
}

/// What one character can do, ready to be searched in.
#[derive(Debug)]
pub struct Role {
    /// The problem with this character's operators only, which cost the time they take.
    pub problem: Arc<Problem>,
    /// It without anything being undone.
    pub relaxation: Arc<Relaxation>,
    operators: FxHashMap<Deed, OperatorId>,
}

impl Domain {
    /// The level of a state, with all that can come of it.
    pub fn new(model: &Model, state: &State) -> Self {
        let grounding = ground(model, &GroundOptions { state: Some(state), ..GroundOptions::default() });
        let problem = grounding.problem;
        Self {
            operators: deeds(&problem),
            trouble: grounding.stop.map(|stop| stop.to_string()),
            objects: model.objects.len(),
            roles: model.characters.values().map(|character| (character.object, OnceLock::new())).collect(),
            problem: Arc::new(problem),
        }
    }

    /// The level.
    pub fn level(&self) -> Option<LevelId> {
        self.problem.level
    }

    /// A state in packed form; none if it was not foreseen when the level was grounded.
    pub fn pack(&self, state: &State) -> Option<PackedState> {
        self.problem.pack(state)
    }

    /// What a character can do.
    pub fn role(&self, character: ObjectId) -> Role {
        self.role_without(character, &|_| false)
    }

    /// The same, made once for all who ask.
    pub(crate) fn shared_role(&self, character: ObjectId) -> Arc<Role> {
        let known = self.roles.iter().find(|(object, _)| *object == character).map(|(_, role)| role);
        let make = || Arc::new(self.role(character));
        known.map_or_else(make, |role| Arc::clone(role.get_or_init(make)))
    }

    /// What a character can do, without what it has been barred from.
    pub(crate) fn role_without(&self, character: ObjectId, is_barred: &dyn Fn(&Deed) -> bool) -> Role {
        let barred = |operator| is_barred(&deed(&self.problem, operator));
        let problem = self.problem.role(character, self.objects, &barred);
        let relaxation = Arc::new(Relaxation::new(&problem, false));
        Role { operators: deeds(&problem), problem: Arc::new(problem), relaxation }
    }

    /// The goals of a character's own that count in a state, as the story writes them and as they are planned for. Those of
    /// personalities and for the idle are not among them.
    pub fn wants(&self, model: &Model, state: &PackedState, character: ObjectId) -> Vec<(String, Want)> {
        let mut wants = Vec::new();
        for wish in self.problem.wishes.iter().filter(|wish| self.problem.holds(state, &wish.condition)) {
            let declared = &model.wishes[wish.wish];
            if let GroundWishKind::Goal { aims, salience } = &wish.kind
                && declared.owner == Owner::Character(character)
                && let Some(aim) = aims.last()
            {
                let salience = salience.as_number().map_or(50, Fixed::round_half_up);
                let want = Want { condition: aim.condition.clone(), salience, within: None };
                wants.push((words::wish(model, declared), want));
            }
        }
        wants
    }

    /// The operator of a deed.
    pub(crate) fn operator(&self, deed: &Deed) -> Option<OperatorId> {
        self.operators.get(deed).copied()
    }

    /// A wish with its arguments.
    pub(crate) fn wish(&self, wish: dramaturg_model::WishId, args: &[Value]) -> Option<&GroundWish> {
        let mut same = self.problem.wishes.iter().filter(|found| found.wish == wish);
        same.find(|found| found.args.as_slice() == args)
    }
}

impl Role {
    /// The operator of a deed.
    pub(crate) fn operator(&self, deed: &Deed) -> Option<OperatorId> {
        self.operators.get(deed).copied()
    }

    /// The deed of an operator.
    pub(crate) fn deed(&self, operator: OperatorId) -> Deed {
        deed(&self.problem, operator)
    }
}

pub(crate) fn deed(problem: &Problem, operator: OperatorId) -> Deed {
    (problem.operators[operator].action, Args::from_slice(problem.args(operator)))
}

fn deeds(problem: &Problem) -> FxHashMap<Deed, OperatorId> {
    problem.operators.ids().map(|operator| (deed(problem, operator), operator)).collect()
}
