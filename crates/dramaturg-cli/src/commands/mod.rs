//! The commands, one file each.

pub mod bench;
pub mod check;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod fmt;
pub mod ground;
pub mod new;
pub mod plan;
pub mod play;
pub mod replay;
pub mod run;
pub mod save_check;
pub mod serve;
pub mod simulate;
pub mod test;
pub mod validate;
pub mod why;
