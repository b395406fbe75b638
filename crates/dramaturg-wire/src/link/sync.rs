//! What threads share things with. A test builds [`super::threads`] with others in their place, which try every order of events.

pub(super) use std::sync::mpsc;
