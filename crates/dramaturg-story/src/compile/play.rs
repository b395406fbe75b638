//! Plays: the tests that authors write, resolved against their story.

use dramaturg_model::{
    Diagnostic, EventPattern, Expr, FluentRef, Initial, LevelId, Model, ObjectId, Owner, Piece, Sources, Span,
    SymbolId, Value, WishId, sort_diagnostics,
};
use smol_str::SmolStr;

use super::files::{self, Files, Loaded};
use super::lowering::Lowering;
use super::names::Meaning;
use super::scope::Scope;
use crate::syntax::tree::{self, StepKind};
use crate::syntax::{parse_play, parse_story};

/// Plays with the model they speak of: that of the story, with hidden fluents added for what the plays ask.
#[derive(Clone, Debug)]
pub struct Plays {
    /// The story's files and the plays'.
    pub sources: Sources,
    /// The story's model.
    pub model: Model,
    /// The plays in order.
    pub plays: Vec<Play>,
    /// What is wrong with the plays; what is wrong with the story is said by [`super::compile`].
    pub diagnostics: Vec<Diagnostic>,
}

/// One test: what the game and the player do, and what must follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Play {
    /// Its title.
    pub title: String,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// Where it is written.
    pub place: Span,
}

/// One step of a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What.
    pub kind: PlayStep,
    /// Where it is written.
    pub place: Span,
}

/// What a step does or demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayStep {
    /// Other facts before the start.
    Given(Vec<Initial>),
    /// Other goals for somebody, or for the story.
    Goals(Option<ObjectId>, Vec<WishId>),
    /// Another first level.
    Level(LevelId),
    /// The seed.
    Seed(u64),
    /// The scenarist forces the goal.
    Force,
    /// Run to this tick.
    Until(Expr),
    /// Run for so many ticks.
    Wait(Expr),
    /// Run until nothing is planned or running.
    Finish,
    /// Save, drop everything, load.
    Reload,
    /// The game observes this, now or for a past interval.
    Report(Vec<(FluentRef, Expr)>, Option<(Expr, Expr)>),
    /// The next such action fails, at once or after a while.
    Fail(EventPattern, Option<Expr>),
    /// The next such action takes so much longer.
    Stretch(EventPattern, Expr),
    /// Answers the open question.
    Answer(SymbolId),
    /// Takes the option that begins with this.
    Choose(EventPattern),
    /// Carries this out now.
    Do(EventPattern),
    /// Run until this is seen.
    See(Sight, SightTime),
    /// From here on this does not happen.
    Never(Sight),
    /// This holds now.
    Check(Expr),
    /// These and no other options are open.
    Offered(Vec<EventPattern>),
    /// Of what somebody performs, exactly this.
    Only(ObjectId, Vec<Step>),
    /// All of these in any order.
    Unordered(Vec<Step>),
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Something happens.
    Event(EventPattern),
    /// A text is shown; `*` stands for any words.
    Text(String),
}

/// When it must be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SightTime {
    /// At some time.
    Any,
    /// At this tick.
    At(Expr),
    /// At this tick at the latest.
    By(Expr),
    /// So many ticks after the step before, at the latest.
    Within(Expr),
}

/// Compiles a story together with plays of it.
pub fn compile_plays(root: &str, files: &dyn Files, plays: &[(&str, &str)]) -> Plays {
    let mut parse = |file, text: &std::sync::Arc<str>| {
        let (tree, found) = parse_story(file, text);
        (std::sync::Arc::new(tree), std::sync::Arc::new(found))
    };
    let Loaded { mut sources, files: parsed, diagnostics } = files::load(root, files, &mut parse);
    let mut trees = Vec::new();
    let mut found = Vec::new();
    for (path, text) in plays {
        let file = sources.add(*path, *text);
        let (tree, faults) = parse_play(file, text);
        found.extend(faults);
        trees.push(tree);
    }
    let mut lowering = Lowering::new(sources, diagnostics);
    lowering.model.name = SmolStr::new(super::stem(root));
    let items = files::flatten(&parsed, &mut |item, parent| lowering.open_level(item, parent));
    lowering.lower_before_done(&items);
    lowering.diagnostics.clear();
    let written = trees.iter().flat_map(|tree| &tree.plays);
    let plays: Vec<Play> = written.map(|play| lowering.play(play)).collect();
    lowering.watch_done();
    lowering.model.seal();
    lowering.model.translations = super::read_translations(files, &files.translations(root));
    let Lowering { sources, model, mut diagnostics, .. } = lowering;
    diagnostics.extend(found);
    sort_diagnostics(&mut diagnostics);
    Plays { sources, model, plays, diagnostics }
}

impl Lowering {
    fn play(&mut self, play: &tree::Play) -> Play {
        // What a play names may stand in any level it comes to; it begins where the story does.
        let level = play.steps.iter().find_map(|step| match &step.kind {
            StepKind::Level(name) => match self.names.find(&name.text, None).map(|declared| declared.meaning) {
                Some(Meaning::Level(level)) => Some(level),
                _ => None,
            },
            _ => None,
        });
        let level = level.or_else(|| self.model.first_level());
        let mut scope = Scope::new(level, SmolStr::new_static("play"));
        let steps = self.play_steps(&mut scope, &play.steps);
        Play { title: play.title.plain(), steps, place: play.span }
    }

    fn play_steps(&mut self, scope: &mut Scope, steps: &[tree::Step]) -> Vec<Step> {
        steps.iter().filter_map(|step| Some(Step { kind: self.play_step(scope, step)?, place: step.span })).collect()
    }

    fn play_step(&mut self, scope: &mut Scope, step: &tree::Step) -> Option<PlayStep> {
        Some(match &step.kind {
            StepKind::Given(effects) => PlayStep::Given(self.given(scope, effects, None)),
            StepKind::Goals(who, wishes) => {
                let who = match who {
                    Some(name) => Some(self.object_named(scope, name)?),
                    None => None,
                };
                let owner = who.map_or(Owner::Story, Owner::Character);
                PlayStep::Goals(who, wishes.iter().filter_map(|wish| self.wish(scope, wish, owner)).collect())
            }
            StepKind::Level(name) => {
                let accept = |meaning| matches!(meaning, Meaning::Level(_));
                match self.meaning(name, None, "a level", accept)?.meaning {
                    Meaning::Level(level) => PlayStep::Level(level),
                    _ => return None,
                }
            }
            StepKind::Seed(number) => PlayStep::Seed(u64::try_from(number.value.floor_int()).unwrap_or(0)),
            StepKind::Force => PlayStep::Force,
            StepKind::Until(time) => PlayStep::Until(self.duration_expr(scope, time)),
            StepKind::Wait(time) => PlayStep::Wait(self.duration_expr(scope, time)),
            StepKind::Finish => PlayStep::Finish,
            StepKind::Reload => PlayStep::Reload,
            StepKind::Report(effects, window) => {
                let reported = effects.iter().filter_map(|effect| self.reported(scope, effect)).collect();
                let window =
                    window.as_ref().map(|(from, to)| (self.duration_expr(scope, from), self.duration_expr(scope, to)));
                PlayStep::Report(reported, window)
            }
            StepKind::Fail(event, after) => {
                let event = self.play_event(scope, event)?;
                PlayStep::Fail(event, after.as_ref().map(|after| self.duration_expr(scope, after)))
            }
            StepKind::Stretch(event, by) => {
                let event = self.play_event(scope, event)?;
                PlayStep::Stretch(event, self.duration_expr(scope, by))
            }
            StepKind::Answer(name) => PlayStep::Answer(self.symbol(&name.text)),
            StepKind::Choose(event) => PlayStep::Choose(self.play_event(scope, event)?),
            StepKind::Do(event) => PlayStep::Do(self.play_event(scope, event)?),
            StepKind::See(sight, time) => {
                let sight = self.sight(scope, sight)?;
                let time = match time {
                    tree::SightTime::Any => SightTime::Any,
                    tree::SightTime::At(time) => SightTime::At(self.duration_expr(scope, time)),
                    tree::SightTime::By(time) => SightTime::By(self.duration_expr(scope, time)),
                    tree::SightTime::Within(time) => SightTime::Within(self.duration_expr(scope, time)),
                };
                PlayStep::See(sight, time)
            }
            StepKind::Never(sight) => PlayStep::Never(self.sight(scope, sight)?),
            StepKind::Check(condition) => PlayStep::Check(self.condition(scope, condition)),
            StepKind::Offered(events) => {
                PlayStep::Offered(events.iter().filter_map(|event| self.play_event(scope, event)).collect())
            }
            StepKind::Only(name, steps) => {
                let who = self.object_named(scope, name)?;
                PlayStep::Only(who, self.play_steps(scope, steps))
            }
            StepKind::Unordered(steps) => PlayStep::Unordered(self.play_steps(scope, steps)),
        })
    }

    /// An event of any level: a play follows the story wherever it goes.
    fn play_event(&mut self, scope: &mut Scope, event: &tree::Event) -> Option<EventPattern> {
        if let tree::EventKind::Named { name, .. } = &event.kind
            && self.names.find(&name.text, scope.level).is_none()
            && let Some(elsewhere) = self.names.find_elsewhere(&name.text)
        {
            // A milestone or ending of a later level is seen when that level is reached.
            let here = std::mem::replace(&mut scope.level, elsewhere.level);
            let pattern = self.pattern(scope, event);
            scope.level = here;
            return pattern;
        }
        self.pattern(scope, event)
    }

    fn sight(&mut self, scope: &mut Scope, sight: &tree::Sight) -> Option<Sight> {
        match sight {
            tree::Sight::Event(event) => self.play_event(scope, event).map(Sight::Event),
            tree::Sight::Text(text) => Some(Sight::Text(text.plain())),
        }
    }

    fn object_named(&mut self, scope: &Scope, name: &tree::Ident) -> Option<ObjectId> {
        let accept = |meaning| matches!(meaning, Meaning::Object(_));
        match self.meaning(name, scope.level, "somebody of the story", accept)?.meaning {
            Meaning::Object(object) => Some(object),
            _ => None,
        }
    }

    /// What the game reports: a fluent and its value.
    fn reported(&mut self, scope: &mut Scope, effect: &tree::Effect) -> Option<(FluentRef, Expr)> {
        let target = self.settable(scope, &effect.target)?;
        let (domain, place) =
            (self.model.fluents[target.fluent].domain.clone(), self.model.fluents[target.fluent].place);
        let value = match &effect.change {
            tree::ChangeKind::Yes => Expr::Value(Value::Bool(true)),
            tree::ChangeKind::No => Expr::Value(Value::Bool(false)),
            tree::ChangeKind::Set(tree::Amount::Expr(value, None)) => self.assigned(scope, value, &domain, place),
            _ => {
                let report = crate::diagnostics::wrong_type::diagnostic(effect.span, "a value", "a change", place);
                self.report(report.hint("a report says what is so: `report x = 3`"));
                return None;
            }
        };
        Some((target, value))
    }
}

/// Whether a shown text matches a pattern in which `*` stands for any words.
pub fn text_matches(pattern: &str, shown: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = shown.strip_prefix(first) else { return false };
    let mut last: Option<&str> = None;
    for part in parts {
        if let Some(middle) = last {
            match rest.find(middle) {
                Some(at) => rest = rest.get(at + middle.len()..).unwrap_or(""),
                None => return false,
            }
        }
        last = Some(part);
    }
    last.map_or(rest.is_empty(), |end| rest.ends_with(end))
}

/// The words of a text without its slots, for tools that list texts.
pub fn plain_words(pieces: &[Piece]) -> String {
    let words = pieces.iter().map(|piece| match piece {
        Piece::Words(words) => words.to_string(),
        Piece::Slot { name, .. } => format!("{{{name}}}"),
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_words() {
        assert!(text_matches("*keeps its own light*", "There is a stone that keeps its own light. Nobody"));
        assert!(text_matches("Day 3.", "Day 3."));
        assert!(text_matches("a*b*c", "a x b y c"));
        assert!(!text_matches("Day 3.", "Day 4."));
        assert!(!text_matches("a*b*c", "a x c"));
    }
}
