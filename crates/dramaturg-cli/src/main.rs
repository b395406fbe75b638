//! The command line of dramaturg.
//!
//! # Layout
//!
//! [`allocator`] is where memory comes from, [`args`] what may be typed, [`commands`] has one file a command, [`exit`] the codes the program ends with, [`shell`] what
//! is written where and in which colour. [`targets`] finds the files behind a path, [`input`] opens what most commands read,
//! [`transcript`] tells what happens in a world, [`staging`] performs stories in real time, [`plays`] tests them, [`play`] shows them to whoever plays.

mod allocator;
mod args;
mod commands;
mod exit;
mod input;
mod journaling;
mod moment;
mod play;
mod plays;
mod shell;
mod staging;
mod style;
mod targets;
mod transcript;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static MEMORY: allocator::Allocator = allocator::Allocator::new();

fn main() -> ExitCode {
    // Wrong usage and `--help` end here, with 2 and 0.
    let cli = args::Cli::parse();
    let mut shell = shell::Shell::new(&cli.global);
    exit::guard(|| match cli.command.run(&mut shell) {
        Ok(exit) => exit,
        Err(failure) => shell.fail(&failure),
    })
}
