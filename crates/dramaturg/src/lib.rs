//! Real-time story and character planning: the front door.
//!
//! # Layout
//!
//! [`model`] holds the nouns, [`story`] turns sources into a model, [`planner`] grounds, simulates and validates. What is here
//! itself: [`disk`] reads sources from disk, [`open`] opens what a user names, [`render`] writes diagnostics.

pub use dramaturg_model as model;
pub use dramaturg_planner as planner;
pub use dramaturg_story as story;

pub mod disk;
pub use disk::DiskFiles;
pub mod open;
pub use open::{OpenError, Opened, open};
pub mod render;
pub use render::Renderer;
