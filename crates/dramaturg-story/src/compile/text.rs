//! Texts: ids, slots, names for show.

use dramaturg_model::{Moment, Piece, Say, Span, Text, TextId};
use smol_str::SmolStr;

use super::lowering::Lowering;
use super::scope::Scope;
use super::ty::Ty;
use crate::diagnostics;
use crate::syntax::tree::{self, ExprKind, Line, TextPiece};

impl Lowering {
    /// A text of a clause, with its written or derived id.
    pub(crate) fn text(&mut self, scope: &mut Scope, line: &Line, clause: &'static str) -> TextId {
        let number = scope.next_text(clause);
        let (id, place) = match &line.id {
            Some(id) => (id.text.clone(), id.span),
            None => {
                let story = &self.model.name;
                (SmolStr::from(format!("{story}.{}.{clause}.{number}", scope.declaration)), line.text.span)
            }
        };
        let pinned = line.id.is_some();
        self.take_id(&id, place, pinned);
        let pieces = self.pieces(scope, &line.text);
        self.model.texts.push(Text { id, pinned, pieces, place: line.text.span })
    }

    /// Takes an id for a text; reported, where it is written, if another text has it.
    fn take_id(&mut self, id: &SmolStr, place: Span, written: bool) {
        match self.text_ids.get(id).copied() {
            None => {
                self.text_ids.insert(id.clone(), (place, written));
            }
            Some((first, _)) if written => self.report(diagnostics::text_id_twice::diagnostic(place, id, first)),
            Some((first, true)) => self.report(diagnostics::text_id_twice::diagnostic(first, id, place)),
            // Two derived ids are the same only where two declarations are, which is reported.
            Some((_, false)) => {}
        }
    }

    fn pieces(&mut self, scope: &mut Scope, text: &tree::Text) -> Vec<Piece> {
        // What is wrong with the syntax of a slot is enough to say about it.
        if self.is_faulty(text.span) {
            return vec![Piece::Words(SmolStr::from(text.plain()))];
        }
        text.pieces
            .iter()
            .map(|piece| match piece {
                TextPiece::Words(words) => Piece::Words(words.clone()),
                TextPiece::Slot(written) => {
                    scope.in_slot = true;
                    let (expr, _) = self.expr(scope, written, None);
                    scope.in_slot = false;
                    Piece::Slot { expr, name: slot_name(written) }
                }
            })
            .collect()
    }

    /// The name for show of an object: as written, or its name with blanks for hyphens.
    pub(crate) fn title(&mut self, name: &SmolStr, title: Option<&tree::Text>, capital: bool, place: Span) -> TextId {
        let words = match title {
            Some(text) => SmolStr::from(text.plain()),
            None => {
                let words = name.replace('-', " ");
                SmolStr::from(if capital { capitalised(&words) } else { words })
            }
        };
        let id = SmolStr::from(format!("name.{name}"));
        let known = title.map_or(place, |text| text.span);
        self.take_id(&id, known, false);
        let place = title.map_or(place, |text| text.span);
        self.model.texts.push(Text { id, pinned: true, pieces: vec![Piece::Words(words)], place })
    }

    /// A `say` clause.
    pub(crate) fn say(
        &mut self,
        scope: &mut Scope,
        (speaker, lines): (Option<&tree::Ident>, &[Line]),
        anchor: Option<&tree::Anchor>,
        condition: Option<&tree::Expr>,
        place: Span,
    ) -> Say {
        let speaker = speaker.and_then(|name| {
            let path = tree::Path { name: name.clone(), arguments: None, attributes: Vec::new(), span: name.span };
            let (expr, ty) = self.path(scope, &path, None);
            match ty {
                Ty::Choice(_) => Some(expr),
                Ty::Unknown => None,
                other => {
                    let found = other.describe(&self.model);
                    self.report(diagnostics::wrong_type::diagnostic(
                        name.span,
                        "somebody who speaks",
                        &found,
                        Span::NONE,
                    ));
                    None
                }
            }
        });
        let lines = lines.iter().map(|line| self.text(scope, line, "say")).collect();
        let moment = anchor.map_or(Moment::Start, |anchor| self.moment(scope, anchor));
        let condition = condition.map(|condition| self.condition(scope, condition));
        Say { speaker, lines, moment, condition, place }
    }

    /// `start`, `end` or a time after the start.
    pub(crate) fn moment(&mut self, scope: &mut Scope, anchor: &tree::Anchor) -> Moment {
        match anchor {
            tree::Anchor::Start(_) => Moment::Start,
            tree::Anchor::End(_) => Moment::End,
            tree::Anchor::After(delay) => Moment::After(self.duration_expr(scope, delay)),
        }
    }
}

/// `{a.location}` is `a-location` for translators.
fn slot_name(written: &tree::Expr) -> SmolStr {
    match &written.kind {
        ExprKind::Path(path) if path.arguments.is_none() => {
            let parts: Vec<&str> =
                std::iter::once(&path.name).chain(&path.attributes).map(|part| part.text.as_str()).collect();
            SmolStr::from(parts.join("-"))
        }
        ExprKind::Path(path) => path.name.text.clone(),
        ExprKind::Group(inner) => slot_name(inner),
        _ => SmolStr::new_static("value"),
    }
}

/// The first letter made a capital.
pub(crate) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
