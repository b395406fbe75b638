//! `dramaturg completions`: so that the shell finishes what you type.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell as Kind;
use serde::Serialize;

use crate::args::Cli;
use crate::exit::{Exit, Failure};
use crate::shell::Shell;

/// Print the completions for a shell
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg completions bash > ~/.local/share/bash-completion/completions/dramaturg
  dramaturg completions zsh > ~/.zfunc/_dramaturg
  dramaturg completions fish > ~/.config/fish/completions/dramaturg.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    kind: Kind,
}

impl Completions {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.kind, &mut Cli::command(), "dramaturg", &mut script);
        if shell.json {
            #[derive(Serialize)]
            struct Completed {
                command: &'static str,
                ok: bool,
                shell: String,
                script: String,
            }
            let script = String::from_utf8_lossy(&script).into_owned();
            shell.json(&Completed { command: "completions", ok: true, shell: self.kind.to_string(), script })?;
        } else {
            shell.out.write_all(&script)?;
        }
        Ok(Exit::Fine)
    }
}
