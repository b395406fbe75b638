//! stub
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use clap::Args;
/// stub
#[derive(Args)]
#[command(after_help = "Examples:")]
pub struct Bench {}
impl Bench {
    /// Runs it.
    pub fn run(&self, _shell: &mut Shell) -> Result<Exit, Failure> {
        Ok(Exit::Fine)
    }
}
