//! `dramaturg serve`: sessions for games that connect.

use clap::Args;

use crate::exit::{Exit, Failure};
use crate::shell::Shell;

/// Serve
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg serve")]
pub struct Serve {}

impl Serve {
    /// Runs it.
    pub fn run(&self, _: &mut Shell) -> Result<Exit, Failure> {
        Ok(Exit::Fine)
    }
}
