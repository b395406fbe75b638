//! `dramaturg` with one more planner: `cargo run -p own-planner -- run stories/apple.story --planner wanderer`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dramaturg_cli::run(dramaturg_planners::builtin().with(own_planner::entry()))
}
