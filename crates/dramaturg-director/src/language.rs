//! The language of a session: its lines and questions as translators wrote them.

use dramaturg_model::{Model, Piece, TextId, Value};
use dramaturg_planner::simulate::said;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::LanguageIdentifier;

/// Messages that show a name begin so: a translation has names as terms, which only messages can show.
const SHOWN: &str = "dramaturg-shown";

/// A translation of the story.
pub struct Language {
    tag: String,
    messages: FluentBundle<FluentResource>,
}

impl Language {
    /// The translation for a tag: `de-AT` is served by `de` if there is nothing nearer. None: the story has none.
    pub fn find(model: &Model, tag: &str) -> Option<Self> {
        let nearer = |wanted: &str| model.translations.iter().find(|known| known.language.eq_ignore_ascii_case(wanted));
        let whole = tag.replace('_', "-");
        let ends = std::iter::once(whole.len()).chain(whole.rmatch_indices('-').map(|(at, _)| at));
        let found = ends.filter_map(|end| whole.get(..end)).find_map(nearer)?;
        let mut source = found.messages.clone();
        for object in model.objects.values() {
            let Some(title) = model.texts.try_at(object.title) else { continue };
            let term = title.message();
            if found.messages.lines().any(|line| line.split_once('=').is_some_and(|(id, _)| id.trim_end() == term)) {
                source.push_str(&format!("\n{SHOWN}{term} = {{ {term} }}\n"));
            }
        }
        // What is no Fluent is left out; the rest of the file counts.
        let resource = FluentResource::try_new(source).unwrap_or_else(|(rest, _)| rest);
        let language: LanguageIdentifier = found.language.parse().unwrap_or_default();
        let mut messages = FluentBundle::new_concurrent(vec![language]);
        // Marks around slots are for texts that mix directions of writing; few games show them well.
        messages.set_use_isolating(false);
        messages.add_resource_overriding(resource);
        Some(Self { tag: tag.to_owned(), messages })
    }

    /// What the game asked for.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// A text with what its slots show; none if the translation lacks it.
    pub fn text(&self, model: &Model, text: TextId, slots: &[Value]) -> Option<String> {
        let text = model.texts.try_at(text)?;
        let names = text.pieces.iter().filter_map(|piece| match piece {
            Piece::Slot { name, .. } => Some(name.as_str()),
            Piece::Words(_) => None,
        });
        let mut args = FluentArgs::new();
        for (name, value) in names.zip(slots) {
            args.set(name.to_owned(), self.slot(model, *value));
        }
        self.format(&text.message(), Some(&args))
    }

    fn slot(&self, model: &Model, value: Value) -> FluentValue<'static> {
        match value {
            Value::Number(number) => {
                let shown = number.to_string();
                FluentValue::try_number(&shown).into_owned()
            }
            Value::Object(object) => {
                let title = model.texts.try_at(model.objects[object].title);
                let name = title.and_then(|title| self.format(&format!("{SHOWN}{}", title.message()), None));
                FluentValue::from(name.unwrap_or_else(|| said::show(model, value)))
            }
            other => FluentValue::from(said::show(model, other)),
        }
    }

    fn format(&self, message: &str, args: Option<&FluentArgs<'_>>) -> Option<String> {
        let pattern = self.messages.get_message(message)?.value()?;
        let mut faults = Vec::new();
        let shown = self.messages.format_pattern(pattern, args, &mut faults);
        // A message with holes is worse than the story's own words.
        faults.is_empty().then(|| shown.into_owned())
    }
}
