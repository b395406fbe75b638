//! Sources to a model and diagnostics.
//!
//! # Layout
//!
//! [`files`] finds and parses what a story uses. Then, over all declarations in order: `declare` (names and heads), `meaning`
//! (defaults and meanings), and the bodies, one file a noun: `action`, `rule`, `task`, `cast`, `crowd`, `level`, which share
//! `expr`, `path`, `effect`, `event`, `wish`, `text` and `time`. Last, [`check`] looks at the whole model.

mod action;
mod cast;
pub mod check;
mod crowd;
mod declare;
mod effect;
mod event;
mod expr;
pub mod files;
mod level;
mod lowering;
mod meaning;
pub(crate) mod names;
mod path;
pub mod play;
mod rule;
mod scope;
pub mod session;
mod task;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod ty;
mod wish;

use std::sync::Arc;

use dramaturg_model::{Diagnostic, FileId, Level, LevelId, Model, Owner, Sources, Translation, sort_diagnostics};
use smol_str::SmolStr;

use crate::syntax::parse_story;
use crate::syntax::tree::{ItemKind, StoryFile};
use files::{Files, Loaded, MemoryFiles, Placed};
use lowering::{Attribute, Lowering};
use names::Meaning;
use scope::Scope;

/// What compiling yields: always a model, and everything there is to say about the story.
#[derive(Clone, Debug)]
pub struct Compilation {
    /// The files that were read.
    pub sources: Sources,
    /// The model, as far as it could be understood.
    pub model: Model,
    /// What is wrong or could be better, in order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether the root file has no header: it is a part of other stories and was only parsed.
    pub is_part: bool,
}

impl Compilation {
    /// Whether nothing stops the story from being used.
    pub fn is_usable(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Compiles a story from its root file.
///
/// ```
/// use dramaturg_story::{MemoryFiles, compile};
/// let text = "story \"Bell\"\nfluent rung\naction ring { then rung; say \"It rings.\" }\ngoal rung";
/// let compiled = compile("bell.story", &MemoryFiles::single("bell.story", text));
/// assert!(compiled.diagnostics.is_empty(), "{:?}", compiled.diagnostics);
/// assert_eq!(compiled.model.actions.len(), 1);
/// ```
pub fn compile(root: &str, files: &dyn Files) -> Compilation {
    compile_with(root, files, &mut |file, text| {
        let (tree, found) = parse_story(file, text);
        (Arc::new(tree), Arc::new(found))
    })
}

/// Compiles a story that is one text in memory.
pub fn compile_text(path: &str, text: &str) -> Compilation {
    compile(path, &MemoryFiles::single(path, text))
}

fn compile_with(root: &str, files: &dyn Files, parse: &mut files::Parse<'_>) -> Compilation {
    let Loaded { sources, files: parsed, mut diagnostics } = files::load(root, files, parse);
    let is_part = !parsed.first().is_some_and(|file| has_header(&file.tree));
    if is_part {
        diagnostics.retain(|found| found.span().file == FileId(0));
        sort_diagnostics(&mut diagnostics);
        return Compilation { sources, model: Model::default(), diagnostics, is_part };
    }
    let mut lowering = Lowering::new(sources, diagnostics);
    lowering.model.name = SmolStr::new(stem(root));
    let items = files::flatten(&parsed, &mut |item, parent| lowering.open_level(item, parent));
    lowering.lower(&items);
    lowering.model.seal();
    check::check(&mut lowering, &items);
    let translations = files.translations(root);
    check::check_translations(&mut lowering, files, &translations);
    lowering.model.translations = read_translations(files, &translations);
    let Lowering { sources, model, mut diagnostics, .. } = lowering;
    sort_diagnostics(&mut diagnostics);
    Compilation { sources, model, diagnostics, is_part }
}

/// The translations beside a story; one that cannot be read is told by whoever reads files.
fn read_translations(files: &dyn Files, paths: &[String]) -> Vec<Translation> {
    let read = |path: &String| {
        Some(Translation { language: SmolStr::new(stem(path)), messages: files.read(path)?.to_string() })
    };
    paths.iter().filter_map(read).collect()
}

fn has_header(tree: &StoryFile) -> bool {
    tree.items.iter().any(|item| matches!(item.kind, ItemKind::Story(_)))
}

/// The name of a file without folder and extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

impl Lowering {
    fn open_level(&mut self, item: &crate::syntax::tree::Item, parent: Option<LevelId>) -> LevelId {
        let id = self.model.levels.next_id();
        let ItemKind::Level(level) = &item.kind else { return id };
        self.names.add_level(parent);
        self.level_of.insert(level.name.span, id);
        let title = self.title(&level.name.text, level.title.as_ref(), true, level.name.span);
        self.model.levels.push(Level { name: level.name.text.clone(), title, parent, place: level.name.span })
    }

    fn lower(&mut self, items: &[Placed<'_>]) {
        self.lower_before_done(items);
        self.watch_done();
    }

    /// Lowers everything but the effects behind `done`, so that plays may still ask for more of them.
    fn lower_before_done(&mut self, items: &[Placed<'_>]) {
        for placed in items {
            if let ItemKind::Story(story) = &placed.item.kind {
                self.header(story, placed.item.span);
            }
        }
        self.declare_types(items);
        self.declare_items(items);
        self.fluent_heads.sort_unstable_by_key(|(_, span)| *span);
        for placed in items {
            if let ItemKind::Pool(decl) = &placed.item.kind
                && let Some(id) = self.pool_of.get(&decl.named.name.span).copied()
            {
                self.pool_anchors(id, decl);
            }
        }
        for placed in items {
            match &placed.item.kind {
                ItemKind::Type(decl) => self.member_defaults(decl, placed.level),
                ItemKind::Fluent(decl) => self.fluent_values(decl, placed.level),
                _ => {}
            }
        }
        self.check_meanings();
        for placed in items {
            self.body(*placed);
        }
        self.check_personalities();
    }

    fn member_defaults(&mut self, decl: &crate::syntax::tree::TypeDecl, level: Option<LevelId>) {
        let Some(ty) = self.types.get(&decl.name.text).copied() else { return };
        for member in &decl.members {
            let attribute = self.attributes.get(&(ty, member.name.text.clone())).copied();
            if let (Some(Attribute::Fluent(fluent)), Some(value)) = (attribute, &member.default)
                && self.model.fluents[fluent].place == member.name.span
            {
                self.member_default(fluent, value, level);
            }
        }
    }

    /// The declaration of a name, if it is this one and not an earlier one of the same name.
    fn own(&self, name: &crate::syntax::tree::Ident, level: Option<LevelId>) -> Option<Meaning> {
        let declared = self.names.find(&name.text, level)?;
        (declared.span == name.span).then_some(declared.meaning)
    }

    fn body(&mut self, placed: Placed<'_>) {
        let level = placed.level;
        self.item = Some(placed.item.span);
        match &placed.item.kind {
            ItemKind::Object(decl) => {
                for named in &decl.names {
                    if let Some(Meaning::Object(object)) = self.own(&named.name, level) {
                        let mut scope = Scope::new(level, named.name.text.clone());
                        self.inits(object, &decl.inits, level, &mut scope);
                    }
                }
            }
            ItemKind::Character(decl) => self.character(decl, level),
            ItemKind::Given(effects) => {
                let mut scope = Scope::new(level, SmolStr::new_static("given"));
                let given = self.given(&mut scope, effects, level);
                self.model.initial.extend(given);
            }
            ItemKind::Action(decl) => {
                if let Some(id) = self.action_at(decl.head.name.span) {
                    self.action(id, decl);
                }
            }
            ItemKind::Rule(decl) => {
                if let Some(Meaning::Rule(id)) = self.own(&decl.head.name, level) {
                    self.rule(id, decl);
                }
            }
            ItemKind::Task(decl) => {
                if let Some(Meaning::Task(id)) = self.own(&decl.head.name, level) {
                    self.task(id, decl);
                }
            }
            ItemKind::Pool(decl) => {
                if let Some(id) = self.pool_of.get(&decl.named.name.span).copied() {
                    self.pool(id, decl);
                }
            }
            ItemKind::Population(decl) => {
                if let Some(id) = self.population_of.get(&decl.named.name.span).copied() {
                    self.population(id, decl);
                }
            }
            ItemKind::Personality(decl) => {
                if let Some(Meaning::Personality(id)) = self.own(&decl.head.name, level) {
                    self.personality(id, decl);
                }
            }
            ItemKind::Futile(decl) => {
                if let Some(Meaning::Futile(id)) = self.own(&decl.head.name, level) {
                    self.futile(id, decl);
                }
            }
            ItemKind::Milestone(decl) => {
                if let Some(Meaning::Milestone(id)) = self.own(&decl.head.name, level) {
                    self.milestone(id, decl);
                }
            }
            ItemKind::Ending(decl) => {
                if let Some(Meaning::Ending(id)) = self.own(&decl.head.name, level) {
                    self.ending(id, decl);
                }
            }
            ItemKind::Layer(decl) => {
                if let Some(Meaning::Layer(id)) = self.own(&decl.name, None) {
                    self.layer(id, decl);
                }
            }
            ItemKind::Wish(wish) => {
                let mut scope = Scope::new(level, SmolStr::new_static("story"));
                self.wish(&mut scope, wish, Owner::Story);
            }
            ItemKind::Story(_) | ItemKind::Use(_) | ItemKind::Level(_) | ItemKind::Type(_) | ItemKind::Fluent(_) => {}
        }
    }
}
