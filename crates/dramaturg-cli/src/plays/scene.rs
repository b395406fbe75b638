//! What was seen in a performance, and how it is looked for.

use std::fmt;

use dramaturg::model::{EventKind, EventPattern, Model, ObjectId, PatternArg, TagId, Tick};
use dramaturg::story::compile::play::{Sight, text_matches};

use crate::staging::stage::Named;

/// Something that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// When it happened.
    pub tick: Tick,
    /// What.
    pub what: What,
    /// Whether a step of the play has found it.
    pub found: bool,
}

/// What can be seen, in the words of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The game starts an action.
    Action(Named),
    /// A task begins, with this method if it has a name.
    Task(Named, Option<String>),
    /// A rule fires.
    Rule(Named),
    /// A milestone comes.
    Milestone(String),
    /// An ending comes.
    Ending(String),
    /// A text is shown, by somebody.
    Text(Option<String>, String),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Action(named) => write!(f, "{named} starts"),
            Self::Task(named, None) => write!(f, "task {named}"),
            Self::Task(named, Some(method)) => {
                let args = Named { name: format!("{}.{method}", named.name), args: named.args.clone() };
                write!(f, "task {args}")
            }
            Self::Rule(named) => write!(f, "rule {named}"),
            Self::Milestone(name) => write!(f, "milestone {name}"),
            Self::Ending(name) => write!(f, "ending {name}"),
            Self::Text(Some(speaker), text) => write!(f, "{speaker}: \"{text}\""),
            Self::Text(None, text) => write!(f, "\"{text}\""),
        }
    }
}

/// What the stream of events tells of the world, if plays can look for it.
pub fn happening(told: &str) -> Option<What> {
    let (kind, rest) = told.split_once(' ')?;
    Some(match kind {
        "rule" => What::Rule(Named::parse(rest)),
        "milestone" => What::Milestone(rest.to_owned()),
        "ending" => What::Ending(rest.to_owned()),
        "task" => {
            let mut named = Named::parse(rest);
            let method = named.name.split_once('.').map(|(_, method)| method.to_owned());
            if let Some(method) = &method {
                named.name.truncate(named.name.len() - method.len() - 1);
            }
            What::Task(named, method)
        }
        _ => return None,
    })
}

/// Whether something is what is looked for.
pub fn is_sight(model: &Model, sight: &Sight, what: &What) -> bool {
    match (sight, what) {
        (Sight::Text(pattern), What::Text(_, text)) => text_matches(pattern, text),
        (Sight::Event(pattern), what) => is_event(model, pattern, what),
        _ => false,
    }
}

/// Whether something that happened fits a pattern.
pub fn is_event(model: &Model, pattern: &EventPattern, what: &What) -> bool {
    let named = match (pattern.kind, what) {
        (EventKind::Action(action), What::Action(named)) if named.name == model.actions[action].name => named,
        (EventKind::Task(task), What::Task(named, _)) if named.name == model.tasks[task].name => named,
        (EventKind::Method(task, number), What::Task(named, Some(method))) if named.name == model.tasks[task].name => {
            let wanted = model.tasks[task].methods.get(usize::from(number)).and_then(|method| method.name.as_ref());
            if wanted.is_none_or(|wanted| wanted != method) {
                return false;
            }
            named
        }
        (EventKind::Rule(rule), What::Rule(named)) if named.name == model.rules[rule].name => named,
        (EventKind::Tag(tag), what) => match what {
            What::Action(named) | What::Task(named, _) | What::Rule(named) if has_tag(model, tag, what, named) => named,
            _ => return false,
        },
        (EventKind::Milestone(milestone), What::Milestone(name)) => return *name == model.milestones[milestone].name,
        (EventKind::Ending(ending), What::Ending(name)) => return *name == model.endings[ending].name,
        _ => return false,
    };
    let Some(wanted) = &pattern.args else { return true };
    let fits = |(wanted, found): (&PatternArg, &String)| match wanted {
        PatternArg::Is(value) => model.value_name(*value) == found.as_str(),
        PatternArg::Any | PatternArg::Var(_) => true,
    };
    wanted.len() == named.args.len() && wanted.iter().zip(&named.args).all(fits)
}

fn has_tag(model: &Model, tag: TagId, what: &What, named: &Named) -> bool {
    let name = named.name.as_str();
    match what {
        What::Action(_) => model.find_action(name).is_some_and(|action| model.actions[action].tags.contains(&tag)),
        What::Task(..) => model.tasks.values().any(|task| task.name == name && task.tags.contains(&tag)),
        _ => model.rules.values().any(|rule| rule.name == name && rule.tags.contains(&tag)),
    }
}

/// Whether somebody performs this: by name of the performer, or as the first of its objects where nobody is named.
pub fn is_performed_by(model: &Model, who: ObjectId, what: &What) -> bool {
    let What::Action(named) = what else { return false };
    let Some(action) = model.find_action(&named.name) else { return false };
    let at = model.actions[action].performer.map_or(0, usize::from);
    named.args.get(at).is_some_and(|arg| *arg == model.objects[who].name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_stream_tells_is_read_back() {
        let shown = |told: &str| happening(told).map(|what| what.to_string());
        assert_eq!(shown("rule goesThere(diamond)").as_deref(), Some("rule goesThere(diamond)"));
        assert_eq!(shown("task attendPlay.torn").as_deref(), Some("task attendPlay.torn"));
        assert_eq!(shown("done attendPlay.torn"), None);
        let Some(What::Task(named, method)) = happening("task attendPlay.torn(mia)") else { panic!("a task") };
        assert_eq!((named.name.as_str(), method.as_deref()), ("attendPlay", Some("torn")));
        assert_eq!(named.args, ["mia"]);
    }
}
