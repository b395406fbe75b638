//! Which fluents a model reads, sets, gives and observes.

use crate::action::{Action, Duration, Expectation, Reading};
use crate::effect::{Amount, Change, Contribution, Effect, FluentRef, Moment};
use crate::expr::{Expr, Set};
use crate::fluent::{FluentId, FluentSource};
use crate::initial::Initial;
use crate::model::Model;
use crate::rule::Trigger;
use crate::table::Table;
use crate::task::MethodStep;
use crate::text::{Piece, Say, TextId};
use crate::value::Value;
use crate::wish::{AimTime, Liking, Wish, WishKind};

/// How one fluent is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FluentUsage {
    /// Something depends on its value.
    pub read: bool,
    /// An effect or contribution changes it.
    pub set: bool,
    /// An effect may make it true, or something other than a plain no.
    pub set_true: bool,
    /// An effect may make it false, or something other than a plain yes.
    pub set_false: bool,
    /// It is given a starting value somewhere, or made true at a time.
    pub given: bool,
    /// An action or rule observes it.
    pub observed: bool,
}

/// How all fluents are used.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    /// By fluent.
    pub fluents: Table<FluentId, FluentUsage>,
}

impl Usage {
    /// Looks through a whole model.
    pub fn of(model: &Model) -> Self {
        let mut usage = Self { fluents: Table::filled(model.fluents.len(), FluentUsage::default()) };
        for action in model.actions.values() {
            usage.action(model, action);
        }
        for rule in model.rules.values() {
            match &rule.trigger {
                Trigger::When(condition, then) => {
                    usage.reads(condition);
                    usage.reads_all(then);
                }
                Trigger::While(condition) => usage.reads(condition),
                Trigger::After(_, then) => usage.reads_all(then),
                Trigger::Always => {}
            }
            if let Some(duration) = &rule.duration {
                usage.duration(duration);
            }
            usage.effects(&rule.effects);
            usage.contributions(&rule.contributions);
            usage.expectation(rule.expectation.as_ref());
            usage.observes(rule.reads.as_ref());
            usage.says(model, &rule.says);
            for injection in &rule.injections {
                usage.reads(&injection.character);
                usage.reads_all(&injection.condition);
            }
        }
        for task in model.tasks.values() {
            usage.reads_all(&task.needs);
            usage.reads_all(&task.cost);
            for offer in &task.offers {
                usage.reads_all(&offer.condition);
                usage.text(model, offer.text);
            }
            for method in &task.methods {
                usage.reads_all(&method.condition);
                usage.reads_all(&method.cost);
                for step in &method.steps {
                    match step {
                        MethodStep::Say(say) => usage.says(model, std::slice::from_ref(say)),
                        MethodStep::Then(effects) => usage.effects(effects),
                        MethodStep::DoTask(_, args, _) | MethodStep::DoAction(_, args, _) => usage.reads_all(args),
                    }
                }
            }
        }
        for wish in model.wishes.values() {
            usage.wish(wish);
        }
        for personality in model.personalities.values() {
            personality.costs.iter().for_each(|(_, factor)| usage.reads(factor));
        }
        model.futile.values().for_each(|futile| usage.reads_all(&futile.needs));
        for milestone in model.milestones.values() {
            usage.reads(&milestone.when);
            usage.effects(&milestone.effects);
            usage.says(model, &milestone.says);
            milestone.carrying.iter().for_each(|fluent| usage.fluents[*fluent].read = true);
        }
        for ending in model.endings.values() {
            usage.reads(&ending.when);
            usage.effects(&ending.effects);
            usage.says(model, &ending.says);
        }
        model.initial.iter().for_each(|given| usage.given(given));
        model.populations.values().flat_map(|population| &population.given).for_each(|given| usage.given(given));
        for fluent in model.fluents.values() {
            match &fluent.source {
                FluentSource::Means(meaning) => usage.reads(meaning),
                FluentSource::Derived { rules, .. } => usage.reads_all(rules),
                FluentSource::Stored | FluentSource::Done(_) => {}
            }
        }
        usage
    }

    fn action(&mut self, model: &Model, action: &Action) {
        self.duration(&action.duration);
        for condition in &action.conditions {
            self.reads(&condition.condition);
            self.reads_all(&condition.weight);
        }
        self.effects(&action.effects);
        self.contributions(&action.contributions);
        self.expectation(action.expectation.as_ref());
        self.observes(action.reads.as_ref());
        self.says(model, &action.says);
        self.reads_all(&action.cost);
        if let Some(question) = &action.question {
            self.reads_all(&question.condition);
            question.text.iter().for_each(|text| self.text(model, *text));
            question.answers.iter().for_each(|(_, text)| self.text(model, *text));
        }
    }

    fn duration(&mut self, duration: &Duration) {
        match duration {
            Duration::Instant => {}
            Duration::Fixed(ticks) => self.reads(ticks),
            Duration::Contingent(least, most) => {
                self.reads(least);
                self.reads(most);
            }
            Duration::Chosen(least, most) => {
                self.reads_all(least);
                self.reads_all(most);
            }
        }
    }

    fn wish(&mut self, wish: &Wish) {
        self.reads_all(&wish.condition);
        match &wish.kind {
            WishKind::Goal { aims, salience } => {
                self.reads(salience);
                for aim in aims {
                    self.reads(&aim.condition);
                    match &aim.time {
                        AimTime::Eventually => {}
                        AimTime::At(time) | AimTime::By(time) => self.reads(time),
                        AimTime::During(from, to) => {
                            self.reads(from);
                            self.reads(to);
                        }
                    }
                }
            }
            WishKind::Keep { condition, window } => {
                self.reads(condition);
                if let Some((from, to)) = window {
                    self.reads(from);
                    self.reads(to);
                }
            }
            WishKind::Prefer { liking, weight } => {
                self.reads(weight);
                match liking {
                    Liking::Holds(condition) => self.reads(condition),
                    Liking::More(value, bound) | Liking::Less(value, bound) => {
                        self.reads(value);
                        self.reads_all(bound);
                    }
                    Liking::Follows(curve) => self.reads(&curve.value),
                }
            }
        }
    }

    fn expectation(&mut self, expectation: Option<&Expectation>) {
        let Some(expectation) = expectation else { return };
        // What is only expected is not set by us: somebody else must bring it about.
        for effect in &expectation.effects {
            self.effect_reads(effect);
        }
        self.effects(&expectation.otherwise);
    }

    fn observes(&mut self, reading: Option<&Reading>) {
        for read in reading.iter().flat_map(|reading| &reading.fluents) {
            self.fluents[read.fluent].observed = true;
            self.reads_all(&read.args);
        }
    }

    fn effects(&mut self, effects: &[Effect]) {
        for effect in effects {
            self.effect_reads(effect);
            self.change(effect.target.fluent, &effect.change);
        }
    }

    fn effect_reads(&mut self, effect: &Effect) {
        if let Moment::After(time) = &effect.moment {
            self.reads(time);
        }
        effect.binders.iter().filter_map(|binder| binder.among.as_ref()).for_each(|among| self.reads_all(among));
        self.reads_all(&effect.condition);
        self.target(&effect.target);
        match &effect.change {
            Change::Set(value) | Change::Add(value) => self.reads(value),
            Change::Random(set) => self.set(set),
        }
    }

    fn change(&mut self, fluent: FluentId, change: &Change) {
        let used = &mut self.fluents[fluent];
        used.set = true;
        match change {
            Change::Set(Expr::Value(Value::Bool(true))) => used.set_true = true,
            Change::Set(Expr::Value(Value::Bool(false))) => used.set_false = true,
            _ => (used.set_true, used.set_false) = (true, true),
        }
    }

    fn contributions(&mut self, contributions: &[Contribution]) {
        for part in contributions {
            self.reads_all(&part.condition);
            self.target(&part.target);
            match &part.amount {
                Amount::PerTick(amount) | Amount::Total(amount) => self.reads(amount),
            }
            self.fluents[part.target.fluent].set = true;
        }
    }

    fn given(&mut self, given: &Initial) {
        self.reads_all(&given.condition);
        self.target(&given.target);
        match &given.change {
            Change::Set(value) | Change::Add(value) => self.reads(value),
            Change::Random(set) => self.set(set),
        }
        self.fluents[given.target.fluent].given = true;
        if given.at.is_some() {
            self.change(given.target.fluent, &given.change);
        }
    }

    fn target(&mut self, target: &FluentRef) {
        self.reads_all(&target.args);
    }

    fn set(&mut self, set: &Set) {
        match set {
            Set::Among(values) => self.reads_all(values),
            Set::Choices(_) => {}
            Set::Range(least, most) => {
                self.reads(least);
                self.reads(most);
            }
        }
    }

    fn says(&mut self, model: &Model, says: &[Say]) {
        for say in says {
            self.reads_all(&say.speaker);
            self.reads_all(&say.condition);
            say.lines.iter().for_each(|line| self.text(model, *line));
        }
    }

    fn text(&mut self, model: &Model, text: TextId) {
        for piece in &model.texts[text].pieces {
            if let Piece::Slot { expr, .. } = piece {
                self.reads(expr);
            }
        }
    }

    fn reads_all<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|expr| self.reads(expr));
    }

    fn reads(&mut self, expr: &Expr) {
        expr.walk(&mut |part| {
            if let Expr::Fluent(fluent, _) = part {
                self.fluents[*fluent].read = true;
            }
        });
    }
}
