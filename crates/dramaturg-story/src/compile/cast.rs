//! Characters, personalities, futile goals.

use dramaturg_model::{CharacterId, FutileId, LevelId, ObjectId, Owner, PersonalityId};

use super::lowering::Lowering;
use super::names::Meaning;
use super::scope::Scope;
use crate::diagnostics;
use crate::syntax::tree::{self, ClauseKind};

impl Lowering {
    /// Starting values, goals and personality of a character, wherever it is spoken of.
    pub(crate) fn character(&mut self, decl: &tree::CharacterDecl, level: Option<LevelId>) {
        let Some((object, character)) = self.character_named(decl, level) else { return };
        let mut scope = Scope::new(level, decl.named.name.text.clone());
        self.inits(object, &decl.inits, level, &mut scope);
        let Some(body) = &decl.body else { return };
        for clause in &body.clauses {
            match &clause.kind {
                ClauseKind::Wish(wish) => {
                    let wish = self.wish(&mut scope, wish, Owner::Character(object));
                    self.model.characters[character].wishes.extend(wish);
                }
                ClauseKind::Personality(shares) => {
                    let shares = self.shares(shares, level);
                    self.model.characters[character].personalities.extend(shares);
                }
                _ => {}
            }
        }
        let ty = self.model.objects[object].ty;
        self.check_shares(&body.clauses, ty, level);
    }

    fn character_named(
        &mut self,
        decl: &tree::CharacterDecl,
        level: Option<LevelId>,
    ) -> Option<(ObjectId, CharacterId)> {
        let name = &decl.named.name;
        let object = |meaning| matches!(meaning, Meaning::Object(_));
        let declared = match self.names.find(&name.text, level) {
            // A second declaration was reported; its body would only repeat the fault.
            Some(declared) if decl.ty.is_some() && declared.span != name.span => return None,
            _ => self.meaning(name, level, "a character", object)?,
        };
        let Meaning::Object(object) = declared.meaning else { return None };
        match self.characters.get(&object) {
            Some(character) => Some((object, *character)),
            None => {
                let word = self.object_words.get(&declared.span).copied();
                let report = diagnostics::not_a_character::diagnostic(name.span, &name.text, declared.span, word);
                self.report(report);
                None
            }
        }
    }

    /// Fills in a personality.
    pub(crate) fn personality(&mut self, id: PersonalityId, decl: &tree::NamedBody) {
        let (params, level) = (self.model.personalities[id].params.clone(), self.model.personalities[id].level);
        let mut scope = self.scope_of(level, &decl.head.params, &params, &decl.head.name.text);
        let (mut wishes, mut costs, mut includes) = (Vec::new(), Vec::new(), Vec::new());
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::Wish(wish) => wishes.extend(self.wish(&mut scope, wish, Owner::Personality(id))),
                ClauseKind::Costs(Some(tag), factor) => {
                    let factor = self.number_expr(&mut scope, factor);
                    costs.extend(self.known_tag(tag).map(|tag| (tag, factor)));
                }
                ClauseKind::Costs(None, _) => {
                    self.report(diagnostics::clause_not_here::unscaled_cost(clause.span));
                }
                ClauseKind::Personality(shares) => includes.extend(self.shares(shares, level)),
                _ => {}
            }
        }
        if let Some(ty) = params.first().and_then(|param| param.choices.types.first()) {
            self.check_shares(&decl.body.clauses, *ty, level);
        }
        // The first parameter is who has it, whether or not it is spoken of.
        self.report_unused(&scope, 1);
        let personality = &mut self.model.personalities[id];
        (personality.wishes, personality.costs, personality.includes) = (wishes, costs, includes);
    }

    /// Reports personalities that include themselves.
    pub(crate) fn check_personalities(&mut self) {
        for id in self.model.personalities.ids().collect::<Vec<_>>() {
            // Each with the way to it, so that the circle can be shown.
            let mut open: Vec<Vec<PersonalityId>> = vec![vec![id]];
            let mut seen: Vec<PersonalityId> = Vec::new();
            'search: while let Some(way) = open.pop() {
                let Some(last) = way.last() else { continue };
                for share in self.model.personalities[*last].includes.clone() {
                    let mut longer = way.clone();
                    longer.push(share.personality);
                    if share.personality == id {
                        let name = |id: &PersonalityId| self.model.personalities[*id].name.to_string();
                        let names: Vec<String> = longer.iter().map(name).collect();
                        let place = self.model.personalities[id].place;
                        self.report(diagnostics::circular_meaning::of_personality(place, &names));
                        self.model.personalities[id].includes.clear();
                        break 'search;
                    }
                    if !seen.contains(&share.personality) {
                        seen.push(share.personality);
                        open.push(longer);
                    }
                }
            }
        }
    }

    /// Fills in goals for the idle.
    pub(crate) fn futile(&mut self, id: FutileId, decl: &tree::NamedBody) {
        let (params, level) = (self.model.futile[id].params.clone(), self.model.futile[id].level);
        let mut scope = self.scope_of(level, &decl.head.params, &params, &decl.head.name.text);
        let (mut needs, mut wishes) = (Vec::new(), Vec::new());
        for clause in &decl.body.clauses {
            match &clause.kind {
                ClauseKind::Needs(condition, anchor) => {
                    self.refuse_time(anchor.as_ref(), clause.span);
                    needs.push(self.condition(&mut scope, condition));
                }
                ClauseKind::Wish(wish) => wishes.extend(self.wish(&mut scope, wish, Owner::Futile(id))),
                _ => {}
            }
        }
        // The first parameter is who is idle, whether or not it is spoken of.
        self.report_unused(&scope, 1);
        let futile = &mut self.model.futile[id];
        (futile.needs, futile.wishes) = (needs, wishes);
    }
}
