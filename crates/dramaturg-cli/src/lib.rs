//! The command line of dramaturg, for its own program and for programs that bring planners of their own.
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
use dramaturg::planner::planner::Registry;

#[global_allocator]
static MEMORY: allocator::Allocator = allocator::Allocator::new();

/// The whole command line, with these planners. A program that brings a planner of its own calls this with
/// `dramaturg_planners::builtin().with(...)`, and has every command of `dramaturg`.
pub fn run(planners: Registry) -> ExitCode {
    // Wrong usage and `--help` end here, with 2 and 0.
    let cli = args::Cli::parse();
    let mut shell = shell::Shell::new(&cli.global, planners);
    exit::guard(|| match cli.command.run(&mut shell) {
        Ok(exit) => exit,
        Err(failure) => shell.fail(&failure),
    })
}
