//! What may be typed.

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::commands;
use crate::exit::{Exit, Failure};
use crate::shell::Shell;
use crate::style::HELP;

/// Real-time story and character planning.
///
/// Write a story, check it, run its world tick by tick, and judge plans for it. A story is a `.story` file or a folder with one;
/// PDDL domains and problems are read too.
#[derive(Parser)]
#[command(name = "dramaturg", version, styles = HELP, after_help = AFTER, max_term_width = 110)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

const AFTER: &str = "\
New here? `dramaturg demo` shows around; `dramaturg new mystory` writes a story that works.

Exit codes: 0 fine, 1 the input has errors or the plan is invalid, 2 wrong usage, 10 proved that no plan exists,
11 none found within the budget, 20 file or network trouble, 30 a bug of ours.";

/// What every command takes.
#[derive(Args)]
#[command(next_display_order = 900)]
pub struct Global {
    /// Write the result as JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colour; NO_COLOR and CLICOLOR are heeded
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// When to use colour.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On terminals that can show it.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Subcommand)]
pub enum Command {
    New(commands::new::New),
    Check(commands::check::Check),
    Fmt(commands::fmt::Fmt),
    Convert(commands::convert::Convert),
    Ground(commands::ground::Ground),
    Plan(commands::plan::Plan),
    Why(commands::why::Why),
    WhyNot(commands::why::WhyNot),
    Simulate(commands::simulate::Simulate),
    Validate(commands::validate::Validate),
    Test(commands::test::Test),
    Play(commands::play::Play),
    Run(commands::run::Run),
    Serve(commands::serve::Serve),
    Replay(commands::replay::Replay),
    SaveCheck(commands::save_check::SaveCheck),
    Demo(commands::demo::Demo),
    Bench(commands::bench::Bench),
    Completions(commands::completions::Completions),
}

impl Command {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        match self {
            Self::New(command) => command.run(shell),
            Self::Check(command) => command.run(shell),
            Self::Fmt(command) => command.run(shell),
            Self::Convert(command) => command.run(shell),
            Self::Ground(command) => command.run(shell),
            Self::Plan(command) => command.run(shell),
            Self::Why(command) => command.run(shell),
            Self::WhyNot(command) => command.run(shell),
            Self::Simulate(command) => command.run(shell),
            Self::Validate(command) => command.run(shell),
            Self::Test(command) => command.run(shell),
            Self::Play(command) => command.run(shell),
            Self::Run(command) => command.run(shell),
            Self::Serve(command) => command.run(shell),
            Self::Replay(command) => command.run(shell),
            Self::SaveCheck(command) => command.run(shell),
            Self::Demo(command) => command.run(shell),
            Self::Bench(command) => command.run(shell),
            Self::Completions(command) => command.run(shell),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in super::Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Examples:"), "`{}` has no example", command.get_name());
        }
    }
}
