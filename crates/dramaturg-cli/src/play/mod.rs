//! A story played: told as text from a perspective, with everybody's plans, goals and beliefs on demand, and with questions that are
//! answered.
//!
//! # Layout
//!
//! [`theatre`] drives director and game tick by tick and says what [`happened`]; [`lines`] finds out whose words a line is.
//! [`perspective`] decides who sees what, [`telling`] puts it into words, [`view`] is what a character plans, wants and believes.
//! [`answers`] are those given beforehand or by themselves; [`playing`] is all of that together with the transcript. [`line`] plays line by line, [`screen`] on a full screen that [`draw`]
//! draws.

pub mod answers;
pub mod draw;
pub mod happened;
pub mod line;
pub mod lines;
pub mod perspective;
pub mod playing;
pub mod screen;
pub mod telling;
pub mod theatre;
pub mod view;
