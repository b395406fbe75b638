//! The program `dramaturg`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dramaturg_cli::run(dramaturg_planners::builtin())
}
