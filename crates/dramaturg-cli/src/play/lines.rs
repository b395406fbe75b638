//! Whose words a line is: the stream of events tells a text, not who did what it tells of.

use std::collections::BTreeMap;

use dramaturg::model::{Model, ObjectId, Say, State, TextId, Value};
use dramaturg::planner::simulate::said;

use crate::staging::stage::Named;

/// Where a text of a story stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stands {
    /// In this action.
    Action(String),
    /// In this rule.
    Rule(String),
}

/// What a line tells of.
pub enum Source<'a> {
    /// A step, by its place among those looked at.
    Step(usize),
    /// A rule that fired.
    Rule(&'a Named),
    /// Nobody in particular.
    Nobody,
}

/// Where the texts of a story stand, by their ids.
pub struct Lines(BTreeMap<String, (TextId, Stands)>);

impl Lines {
    /// Of a story.
    pub fn of(model: &Model) -> Self {
        let mut lines = BTreeMap::new();
        let mut put = |says: &[Say], stands: Stands| {
            for text in says.iter().flat_map(|say| &say.lines) {
                lines.insert(model.texts[*text].id.to_string(), (*text, stands.clone()));
            }
        };
        model.actions.values().for_each(|action| put(&action.says, Stands::Action(action.name.to_string())));
        model.rules.values().for_each(|rule| put(&rule.says, Stands::Rule(rule.name.to_string())));
        Self(lines)
    }

    /// What a line tells of, among the steps that are under way and have not told this yet, and the rules that fired.
    pub fn source<'a>(
        &self,
        (model, state): (&Model, &State),
        (id, words): (&str, &str),
        steps: &[(bool, &Named)],
        rules: &'a [Named],
    ) -> Source<'a> {
        match self.0.get(id) {
            Some((text, Stands::Action(action))) => {
                let fits = |(free, named): &(bool, &Named)| *free && named.name == *action;
                let reads_so = |step: &(bool, &Named)| {
                    fits(step) && said::render(model, state, *text, &values(model, step.1), None).0 == words
                };
                let at = steps.iter().position(reads_so).or_else(|| steps.iter().position(fits));
                at.map_or(Source::Nobody, Source::Step)
            }
            Some((_, Stands::Rule(rule))) => {
                rules.iter().rev().find(|named| named.name == *rule).map_or(Source::Nobody, Source::Rule)
            }
            None => Source::Nobody,
        }
    }
}

fn values(model: &Model, named: &Named) -> Vec<Value> {
    named.args.iter().map(|arg| model.find_value(arg).unwrap_or(Value::Nothing)).collect()
}

/// The objects among the arguments of something.
pub fn objects(model: &Model, args: &[String]) -> Vec<ObjectId> {
    args.iter().filter_map(|arg| model.find_object(arg)).collect()
}
