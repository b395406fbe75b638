//! Goals and the metric, and the list of everything else that is left out.

use dramaturg_model::{AimTime, Evaluator, Expr, Fixed, Liking, Operator, Owner, Value, Wish, WishKind};

use super::inline::inline;
use super::scope::Scope;
use super::tree::Pddl;
use super::{Cannot, Exporter};

impl Exporter<'_> {
    /// The wishes that are exported: the character's, or the story's, or if it has none everybody's.
    fn wishes(&self) -> Vec<&Wish> {
        let visible: Vec<&Wish> = self.model.wishes.values().filter(|wish| self.is_visible(wish.level)).collect();
        let of = |is_owner: &dyn Fn(Owner) -> bool| -> Vec<&Wish> {
            visible.iter().copied().filter(|wish| is_owner(wish.owner)).collect()
        };
        if let Some(character) = self.options.character {
            return of(&|owner| owner == Owner::Character(character));
        }
        let story = of(&|owner| owner == Owner::Story);
        let has_goal = story.iter().any(|wish| matches!(wish.kind, WishKind::Goal { .. }));
        if has_goal { story } else { of(&|owner| matches!(owner, Owner::Story | Owner::Character(_))) }
    }

    /// The goal, all wishes together.
    pub(super) fn goal(&mut self) -> Pddl {
        let wishes: Vec<Wish> = self.wishes().into_iter().cloned().collect();
        let mut goals = Vec::new();
        for wish in &wishes {
            let WishKind::Goal { aims, .. } = &wish.kind else { continue };
            if !self.is_active(wish) {
                self.leave_out("a goal", "it is not wanted in the beginning", wish.place);
                continue;
            }
            let Some(aim) = aims.last() else { continue };
            if aims.len() > 1 {
                self.leave_out("what a goal wants before its last aim", "PDDL has one goal", wish.place);
            }
            if aim.time != AimTime::Eventually {
                self.leave_out("the time of a goal", "PDDL's goal holds at the end of the plan", wish.place);
            }
            match self.stated(&aim.condition) {
                Ok(goal) => goals.push(goal),
                Err(Cannot(why)) => self.leave_out("a goal", why, wish.place),
            }
        }
        Pddl::all(goals)
    }

    fn is_active(&self, wish: &Wish) -> bool {
        wish.condition.as_ref().is_none_or(|condition| Evaluator::new(self.model, &self.state).holds(condition))
    }

    fn stated(&mut self, condition: &Expr) -> Result<Pddl, Cannot> {
        // Objects that only the problem speaks of need not be constants.
        let domain_uses = self.domain_uses.clone();
        let condition = inline(self.model, condition, 0)?;
        let written = self.condition(&condition, &mut Scope::default());
        self.domain_uses = domain_uses;
        written
    }

    /// What is minimised or maximised.
    pub(super) fn metric(&mut self) -> Option<Pddl> {
        if self.has_costs {
            return Some(Pddl::call(":metric", [Pddl::atom("minimize"), Pddl::call("total-cost", [])]));
        }
        let wishes: Vec<Wish> = self.wishes().into_iter().cloned().collect();
        let mut terms: Vec<(bool, Expr)> = Vec::new();
        for wish in &wishes {
            let WishKind::Prefer { liking, weight } = &wish.kind else { continue };
            let (is_less, value) = match liking {
                Liking::Less(value, None) => (true, value),
                Liking::More(value, None) => (false, value),
                Liking::Less(_, Some(_)) | Liking::More(_, Some(_)) | Liking::Holds(_) | Liking::Follows(_) => {
                    self.leave_out("what is preferred", "PDDL only has less or more of a number", wish.place);
                    continue;
                }
            };
            let value = match weight {
                Expr::Value(Value::Number(Fixed::ONE)) => value.clone(),
                weight => Expr::arithmetic(Operator::Multiply, weight.clone(), value.clone()),
            };
            match self.metric_number(&value) {
                Ok(_) => terms.push((is_less, value)),
                Err(Cannot(why)) => self.leave_out("what is preferred", why, wish.place),
            }
        }
        let is_less = terms.first()?.0;
        let sum =
            terms.into_iter().map(|(less, value)| (less == is_less, value)).fold(None, |sum, (same, value)| {
                let sign = if same { Operator::Add } else { Operator::Subtract };
                Some(match sum {
                    None => value,
                    Some(sum) => Expr::arithmetic(sign, sum, value),
                })
            })?;
        let number = self.metric_number(&sum).ok()?;
        Some(Pddl::call(":metric", [Pddl::atom(if is_less { "minimize" } else { "maximize" }), number]))
    }

    fn metric_number(&mut self, value: &Expr) -> Result<Pddl, Cannot> {
        if !self.is_temporal() {
            return Err(Cannot::because("classical PDDL has no numbers"));
        }
        let value = inline(self.model, value, 0)?;
        let mut scope = Scope::default();
        scope.is_metric = true;
        let domain_uses = self.domain_uses.clone();
        let mut reads = Vec::new();
        let written = self.number(&value, &mut scope, &mut reads);
        self.domain_uses = domain_uses;
        if reads.is_empty() { written } else { Err(Cannot::because("it is read through another fluent")) }
    }

    /// Lists what stories say and PDDL does not.
    pub(super) fn list_the_rest(&mut self) {
        let (model, level) = (self.model, self.story_level);
        if !self.is_temporal()
            && model.actions.values().any(|action| action.duration != dramaturg_model::Duration::Instant)
        {
            let why = "classical PDDL has no time; start and end of an action are one";
            self.leave_out("the durations of actions", why, dramaturg_model::Span::NONE);
        }
        for wish in model.wishes.values().filter(|wish| model.is_visible(wish.level, level)) {
            let why = match (&wish.kind, wish.owner) {
                (WishKind::Keep { .. }, _) => "PDDL's constraints are rarely read",
                (_, Owner::Personality(_) | Owner::Population(_)) => "it is wanted by many, each for itself",
                (_, Owner::Futile(_)) => "it is only for the idle",
                _ => continue,
            };
            self.leave_out("a wish", why, wish.place);
        }
        for rule in model.rules.values().filter(|rule| model.is_visible(rule.level, level)) {
            self.leave_out(format!("the rule {}", rule.name), "PDDL has no rules", rule.place);
        }
        for task in model.tasks.values().filter(|task| model.is_visible(task.level, level)) {
            self.leave_out(format!("the task {}", task.name), "PDDL has no tasks", task.place);
        }
        for milestone in model.milestones.values().filter(|milestone| model.is_visible(milestone.level, level)) {
            self.leave_out(format!("the milestone {}", milestone.name), "one level is written", milestone.place);
        }
        for ending in model.endings.values().filter(|ending| model.is_visible(ending.level, level)) {
            self.leave_out(format!("the ending {}", ending.name), "PDDL has no rules", ending.place);
        }
        let texts = model.actions.values().map(|action| action.says.len()).sum::<usize>();
        if texts > 0 {
            self.leave_out("what is said", "PDDL has no texts", dramaturg_model::Span::NONE);
        }
    }
}
