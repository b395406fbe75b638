//! What happened, in words for people.

use dramaturg::model::{Model, Tick};

use super::happened::{Happened, What};
use super::perspective::title;

/// How something is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// By the narrator.
    Told,
    /// By somebody, in his or her own words.
    Spoken,
    /// In the words of the story language, for want of others.
    Done,
    /// What somebody wants.
    Wanted,
    /// A turn of the story.
    Turn,
    /// To the player.
    Asked,
    /// What went wrong.
    Bad,
}

/// Something as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// When it happened.
    pub tick: Tick,
    /// How it is told.
    pub tone: Tone,
    /// Who speaks, by the name for show.
    pub speaker: Option<String>,
    /// The words.
    pub text: String,
}

/// What is told of something; none, if other things tell it: an action its line, a rule what comes of it.
pub fn telling(model: &Model, happened: &Happened) -> Option<Telling> {
    let show = |name: &String| model.find_object(name).map_or_else(|| name.clone(), |object| title(model, object));
    let mut speaker = None;
    let (tone, text) = match &happened.what {
        What::Starts(deed) => {
            let action = model.find_action(&deed.action).map(|action| &model.actions[action]);
            if action.is_some_and(|action| action.says.iter().any(|say| say.condition.is_none())) {
                return None;
            }
            speaker = deed.performer.as_ref().map(show);
            (Tone::Done, deed.written())
        }
        What::Fails { deed, reason } => (Tone::Bad, format!("{} fails: {reason}", deed.written())),
        What::Line { speaker: who, text } => {
            speaker = who.as_ref().map(show);
            (if speaker.is_some() { Tone::Spoken } else { Tone::Told }, text.clone())
        }
        What::Milestone { name } => (Tone::Turn, format!("— {name} —")),
        What::Level { name } => (Tone::Turn, format!("— level {name} begins —")),
        What::Ending { name } => (Tone::Turn, format!("— the story ends: {name} —")),
        What::Goal { owner, goal, salience, standing } => {
            let owner = owner.as_ref().map_or_else(|| "The story".to_owned(), show);
            let text = match *standing {
                "reached" => format!("{owner} has what was wanted: {goal}"),
                "missed" => format!("{owner} does not get: {goal}"),
                "dropped" => format!("{owner} no longer wants: {goal}"),
                _ => format!("{owner} wants: {goal} ({salience})"),
            };
            (Tone::Wanted, text)
        }
        What::Question { action, text, .. } => {
            (Tone::Asked, if text.is_empty() { format!("{action}?") } else { text.clone() })
        }
        What::Answered { answer, .. } => (Tone::Asked, format!("→ {answer}")),
        What::Ends(_) | What::Rule { .. } => return None,
    };
    Some(Telling { tick: happened.tick, tone, speaker, text })
}
