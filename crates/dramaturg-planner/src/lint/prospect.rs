//! What may ever become true in each level.

use dramaturg_model::{
    Aim, AimTime, EndingId, Expr, FluentId, FluentRef, LevelId, MilestoneId, Model, ObjectId, Owner, Reading, Rule,
    Span, Trigger, Var, Wish, WishId, WishKind,
};
use smol_str::SmolStr;

use crate::ground::{Condition, GroundOptions, GroundWish, GroundWishKind, Grounding, Limits, ground};

/// One level with everything that may be true when it begins.
pub(crate) struct LevelProspect {
    pub(crate) level: Option<LevelId>,
    pub(crate) grounding: Grounding,
    endings: Vec<(EndingId, WishId)>,
    milestones: Vec<(MilestoneId, WishId)>,
}

/// All levels.
pub(crate) struct Prospect {
    pub(crate) levels: Vec<LevelProspect>,
    /// Which levels can be come to; those around them are.
    pub(crate) reached: Vec<LevelId>,
}

/// Who acts while we look at what may become true.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cast {
    /// One member of each population stands for all: what it can do is possible, but what it cannot do another might.
    Few,
    /// Everybody.
    All,
}

impl Cast {
    /// Everybody but the populations' members, of which the first of each is kept; none: everybody.
    fn members(self, model: &Model) -> Option<Vec<ObjectId>> {
        let mut left_out: Vec<ObjectId> =
            model.populations.values().flat_map(|population| population.objects.iter().skip(1).copied()).collect();
        if self == Self::All || left_out.is_empty() {
            return None;
        }
        left_out.sort_unstable();
        Some(model.objects.ids().filter(|object| left_out.binary_search(object).is_err()).collect())
    }

    /// Whether fewer than everybody act.
    pub(crate) fn leaves_out(self, model: &Model) -> bool {
        self == Self::Few && model.populations.values().any(|population| population.objects.len() > 1)
    }
}

impl Prospect {
    /// Grounds every level that can be come to, from the first on.
    pub(crate) fn of(model: &Model, cast: Cast, limits: Limits) -> Self {
        let members = cast.members(model);
        let mut prospect = Self { levels: Vec::new(), reached: Vec::new() };
        let mut open: Vec<Option<LevelId>> = vec![model.first_level()];
        while let Some(level) = open.pop() {
            if prospect.levels.iter().any(|known| known.level == level) {
                continue;
            }
            prospect.reached.extend(level);
            let found = LevelProspect::of(model, level, members.as_deref(), limits);
            for (id, wish) in &found.milestones {
                if let Some(next) = model.milestones[*id].next
                    && !found.is_impossible(*wish)
                {
                    open.push(Some(next));
                }
            }
            prospect.levels.push(found);
        }
        prospect
    }

    /// Whether a level, or one inside it, can be come to.
    pub(crate) fn reaches(&self, model: &Model, level: LevelId) -> bool {
        self.reached.iter().any(|reached| model.is_visible(Some(level), Some(*reached)))
    }

    /// The levels in which something declared in a level (none: everywhere) exists.
    pub(crate) fn where_visible<'p>(
        &'p self,
        model: &'p Model,
        declared: Option<LevelId>,
    ) -> impl Iterator<Item = &'p LevelProspect> + 'p {
        self.levels.iter().filter(move |prospect| model.is_visible(declared, prospect.level))
    }
}

impl LevelProspect {
    fn of(model: &Model, level: Option<LevelId>, cast: Option<&[ObjectId]>, limits: Limits) -> Self {
        let mut model = model.clone();
        open_carried(&mut model, level);
        // The grounder only knows wishes, so what ends a level is wished for while we look.
        let mut endings = Vec::new();
        for (id, ending) in model.endings.clone().iter() {
            if model.is_visible(ending.level, level) {
                endings.push((id, wish_for(&mut model, ending.when.clone(), ending.level, ending.place)));
            }
        }
        let mut milestones = Vec::new();
        for (id, milestone) in model.milestones.clone().iter() {
            if model.is_visible(milestone.level, level) {
                let wish = wish_for(&mut model, milestone.when.clone(), milestone.level, milestone.place);
                milestones.push((id, wish));
            }
        }
        model.seal();
        let options = GroundOptions { level, cast, limits, ..GroundOptions::default() };
        Self { level, grounding: ground(&model, &options), endings, milestones }
    }

    /// Whether all of it could be looked at; otherwise nothing is known for sure.
    pub(crate) fn is_complete(&self) -> bool {
        self.grounding.stop.is_none()
    }

    /// Whether a wish can never be fulfilled, whoever has it.
    pub(crate) fn is_impossible(&self, wish: WishId) -> bool {
        let mut instances = self.instances(wish).peekable();
        self.is_complete()
            && instances.peek().is_some()
            && instances.all(|wish| aims(wish).iter().any(|aim| aim.is_never()))
    }

    /// A wish with its parameters filled in.
    pub(crate) fn instances(&self, wish: WishId) -> impl Iterator<Item = &GroundWish> {
        self.grounding.problem.wishes.iter().filter(move |found| found.wish == wish)
    }

    /// Whether an ending can never come here.
    pub(crate) fn never_ends(&self, ending: EndingId) -> bool {
        self.endings.iter().any(|(id, wish)| *id == ending && self.is_impossible(*wish))
    }
}

/// The conditions of a goal's aims.
pub(crate) fn aims(wish: &GroundWish) -> Vec<&Condition> {
    match &wish.kind {
        GroundWishKind::Goal { aims, .. } => aims.iter().map(|aim| &aim.condition).collect(),
        GroundWishKind::Keep { .. } | GroundWishKind::Prefer { .. } => Vec::new(),
    }
}

/// What is carried into a level may have any value there: as if the game reported it.
fn open_carried(model: &mut Model, level: Option<LevelId>) {
    let mut carried: Vec<FluentId> = model
        .milestones
        .values()
        .filter(|milestone| milestone.next.is_some() && milestone.next == level)
        .flat_map(|milestone| milestone.carrying.iter().copied())
        .collect();
    carried.sort_unstable();
    carried.dedup();
    for fluent in carried {
        let params = model.fluents[fluent].params.clone();
        let args = (0..params.len()).map(|index| Expr::Var(Var(index as u16))).collect();
        let reads = Reading { fluents: vec![FluentRef { fluent, args }], every: None, place: Span::NONE };
        model.rules.push(Rule {
            name: SmolStr::new_static("carried"),
            params,
            tags: Vec::new(),
            trigger: Trigger::Always,
            duration: None,
            effects: Vec::new(),
            contributions: Vec::new(),
            expectation: None,
            reads: Some(reads),
            says: Vec::new(),
            injections: Vec::new(),
            commits: None,
            level: None,
            place: Span::NONE,
            doc: None,
        });
    }
}

fn wish_for(model: &mut Model, condition: Expr, level: Option<LevelId>, place: Span) -> WishId {
    let aims = vec![Aim { condition, time: AimTime::Eventually, performs: None }];
    let kind = WishKind::Goal { aims, salience: Expr::int(50) };
    model.wishes.push(Wish { owner: Owner::Story, params: Vec::new(), kind, condition: None, level, place })
}
