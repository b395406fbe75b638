//! A `.play` file with its story, read.

use std::path::{Path, PathBuf};

use dramaturg::disk::{DiskFiles, written};
use dramaturg::model::{Diagnostic, Expr, Model, Owner, Plan, Sources, Value, WishId};
use dramaturg::open::{self, OpenError};
use dramaturg::planner::planfile::read_plan;
use dramaturg::story::compile::play::{PlayStep, Step};
use dramaturg::story::{Play, Plays, compile_plays};

/// A `.play` file with its story.
pub struct Script {
    /// The file of the plays.
    pub path: PathBuf,
    /// The story's files, the plays' and the plan's.
    pub sources: Sources,
    /// The story's model, with what the plays of the file ask for.
    pub model: Model,
    /// The plays.
    pub plays: Vec<Play>,
    /// What the story's own model is, without its plays.
    pub story: Model,
    /// The plan beside the story.
    pub plan: Option<Plan>,
    /// What is wrong with the story, the plays or the plan.
    pub faults: Vec<Diagnostic>,
}

impl Script {
    /// Reads the plays of a story, and the plan beside it if there is one.
    pub fn read(story: &Path) -> Result<Self, OpenError> {
        let opened = open::open_story(story)?;
        let path = story.with_extension("play");
        let text = open::read(&path)?;
        let text = String::from_utf8_lossy(&text);
        let files = DiskFiles::new();
        let Plays { mut sources, model, plays, diagnostics } =
            compile_plays(&written(story), &files, &[(&written(&path), &text)]);
        let mut faults: Vec<Diagnostic> = opened.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        if faults.is_empty() {
            faults.extend(diagnostics.into_iter().filter(Diagnostic::is_error));
        }
        let beside = story.with_extension("plan");
        let mut plan = None;
        if beside.is_file() && faults.is_empty() {
            let text = open::read(&beside)?;
            let text = String::from_utf8_lossy(&text);
            let file = sources.add(written(&beside), &*text);
            let (read, found) = read_plan(&opened.model, file, &text);
            faults.extend(found.into_iter().filter(Diagnostic::is_error));
            plan = Some(read);
        }
        Ok(Self { path, sources, model, plays, story: opened.model, plan, faults })
    }

    /// The model of one play: its own facts, goals and level, and nothing of the other plays.
    pub fn model_of(&self, play: &Play) -> Model {
        let mut model = self.model.clone();
        let mut goals: Vec<WishId> = Vec::new();
        for step in &play.steps {
            match &step.kind {
                PlayStep::Given(given) => model.initial.extend(given.iter().cloned()),
                PlayStep::Level(level) => model.begins = Some(*level),
                PlayStep::Goals(who, wishes) => {
                    let owner = who.map_or(Owner::Story, Owner::Character);
                    // Other goals: those of the story's own making no longer count.
                    let own = model.wishes.iter().filter(|(_, wish)| wish.owner == owner).map(|(id, _)| id);
                    let own: Vec<WishId> = own.filter(|id| !wishes.contains(id)).collect();
                    own.into_iter().for_each(|id| silence(&mut model, id));
                    goals.extend(wishes);
                }
                _ => {}
            }
        }
        for other in self.plays.iter().flat_map(|other| &other.steps) {
            if let PlayStep::Goals(_, wishes) = &other.kind {
                wishes.iter().filter(|id| !goals.contains(id)).for_each(|id| silence(&mut model, *id));
            }
        }
        model.seal();
        // What the game reports may change, even if nothing in the story changes it.
        for step in all_steps(&play.steps) {
            if let PlayStep::Report(seen, _) = &step.kind {
                seen.iter().for_each(|(target, _)| model.fluents[target.fluent].is_static = false);
            }
        }
        model
    }

    /// The line on which a play begins.
    pub fn line(&self, play: &Play) -> u32 {
        self.sources.file(play.place.file).map_or(0, |file| file.line_column(play.place.start).0)
    }
}

/// A wish that nobody takes up.
fn silence(model: &mut Model, wish: WishId) {
    model.wishes[wish].condition = Some(Expr::Value(Value::Bool(false)));
}

/// Every step, also those inside others, in order.
pub fn all_steps(steps: &[Step]) -> Vec<&Step> {
    let mut all = Vec::new();
    for step in steps {
        all.push(step);
        if let PlayStep::Only(_, inner) | PlayStep::Unordered(inner) = &step.kind {
            all.extend(all_steps(inner));
        }
    }
    all
}
