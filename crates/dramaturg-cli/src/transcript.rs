//! Tells what happens.
