//! What threads share things with. A test builds [`super::thinkers`] with others in their place, which try every order of events.

pub(super) use std::sync::{Arc, Mutex, PoisonError, mpsc};
pub(super) use std::thread;
