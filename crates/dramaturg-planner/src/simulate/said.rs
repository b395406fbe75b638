//! What is said: which of several lines, and how it reads.

use dramaturg_model::{Model, ObjectId, Piece, Say, State, TextId, Tick, Value};
use rustc_hash::FxHashMap;

use super::batch::Reader;
use super::event::{Cause, Detail, WorldEventKind};
use super::world::World;

/// Which line of each saying was shown last.
#[derive(Clone, Debug, Default)]
pub(super) struct Voice {
    pub(super) last: FxHashMap<TextId, usize>,
}

impl World {
    /// Says something, if its condition holds.
    pub(super) fn say(&mut self, model: &Model, say: &Say, args: &[Value], duration: Option<Tick>) {
        if say.lines.is_empty() {
            return;
        }
        let reader = Reader { model, state: &self.state, args, duration, cause: Cause::Given };
        let mut scope = reader.scope();
        if say.condition.as_ref().is_some_and(|condition| !scope.holds(condition)) {
            return;
        }
        let speaker = say.speaker.as_ref().and_then(|speaker| scope.value(speaker).as_object());
        // Chosen also when nobody listens, so that listening changes nothing.
        let Some(text) = self.choose_line(&say.lines) else { return };
        if self.reports(Detail::Texts) {
            let (shown, slots) = render(model, &self.state, text, args, duration);
            self.report(WorldEventKind::Said { text, speaker, slots, shown });
        }
    }

    /// One of several lines, never the same twice running.
    fn choose_line(&mut self, lines: &[TextId]) -> Option<TextId> {
        let first = *lines.first()?;
        if lines.len() == 1 {
            return Some(first);
        }
        let chosen = match self.voice.last.get(&first) {
            None => self.chance.below(lines.len()),
            Some(last) => {
                let other = self.chance.below(lines.len() - 1);
                if other < *last { other } else { other + 1 }
            }
        };
        self.voice.last.insert(first, chosen);
        lines.get(chosen).copied()
    }
}

/// A text as it reads in a state, and what its slots show.
pub fn render(
    model: &Model,
    state: &State,
    text: TextId,
    args: &[Value],
    duration: Option<Tick>,
) -> (String, Vec<Value>) {
    let reader = Reader { model, state, args, duration, cause: Cause::Given };
    let mut shown = String::new();
    let mut slots = Vec::new();
    for piece in model.texts.try_at(text).iter().flat_map(|text| &text.pieces) {
        match piece {
            Piece::Words(words) => shown.push_str(words),
            Piece::Slot { expr, .. } => {
                let value = reader.scope().value(expr);
                let words = show(model, value);
                if begins_sentence(&shown) {
                    let mut letters = words.chars();
                    shown.extend(letters.next().into_iter().flat_map(char::to_uppercase));
                    shown.push_str(letters.as_str());
                } else {
                    shown.push_str(&words);
                }
                slots.push(value);
            }
        }
    }
    (shown, slots)
}

/// A value as a reader sees it: an object by its name for show, a number by its shortest decimal.
pub fn show(model: &Model, value: Value) -> String {
    match value {
        Value::Object(object) => title(model, object),
        other => model.value_name(other).to_string(),
    }
}

/// The name for show of an object; its own name where there is none.
fn title(model: &Model, object: ObjectId) -> String {
    let object = &model.objects[object];
    let pieces = model.texts.try_at(object.title).map_or(&[][..], |text| &text.pieces);
    let words: String = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Words(words) => Some(words.as_str()),
            Piece::Slot { .. } => None,
        })
        .collect();
    if words.is_empty() { object.name.to_string() } else { words }
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || "\"'“‘(".contains(letter));
    before.is_empty() || before.ends_with(['.', '!', '?', '…'])
}
