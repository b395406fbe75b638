//! What was refused: actions that are not planned for a while, or never again.

use dramaturg_model::{Step, Tick};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

/// Actions that somebody said no to, or not yet, by names, each with the tick from which it may be asked about again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cooldowns(Vec<(SmolStr, Vec<SmolStr>, Option<Tick>)>);

impl Cooldowns {
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The actions that must not be planned, with their arguments, and until when.
    pub fn iter(&self) -> impl Iterator<Item = (&SmolStr, &[SmolStr], Option<Tick>)> {
        self.0.iter().map(|(action, args, until)| (action, args.as_slice(), *until))
    }

    /// A step was refused: until a tick, or for good.
    pub(super) fn refuse(&mut self, step: Step, until: Option<Tick>) {
        self.0.push((step.action, step.args, until));
    }

    /// Forgets what may be asked about again by a tick; whether there is any of that.
    pub(super) fn expire(&mut self, now: Tick) -> bool {
        let before = self.0.len();
        self.0.retain(|(_, _, until)| until.is_none_or(|until| until > now));
        self.0.len() != before
    }
}
