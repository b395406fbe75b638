//! Plays seeds of the simulator: `cargo run --release -p dramaturg-tests --bin sim -- --seeds 1000000 --first 1`.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dramaturg_tests::sim::{Broken, NAMES, Planned, Totals, run, trace};

/// Seeds are many small pieces; the system's allocator took a sixth of each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const USAGE: &str = "usage: sim [--planner script|cast|story|temporal] [--seeds N] [--first S] [--threads T] \
     [--break resend|lock|dedupe|clock|journal|stalls]";

struct Wanted {
    seeds: u64,
    first: u64,
    threads: usize,
    planner: (&'static str, Planned),
    broken: Option<(Broken, String)>,
}

fn wanted() -> Result<Wanted, String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut wanted = Wanted { seeds: 2_000, first: 1, threads, planner: NAMES[0], broken: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or_else(|| format!("{argument} wants a value\n{USAGE}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{argument} wants a number, not {value}\n{USAGE}"));
        match argument.as_str() {
            "--seeds" => wanted.seeds = number()?,
            "--first" => wanted.first = number()?,
            "--threads" => wanted.threads = usize::try_from(number()?).unwrap_or(1).max(1),
            "--planner" => {
                let known = NAMES.into_iter().find(|(name, _)| *name == value);
                wanted.planner = known.ok_or_else(|| format!("there is no planner called {value}\n{USAGE}"))?;
            }
            "--break" => {
                let broken = match value.as_str() {
                    "resend" => Broken::Resend,
                    "lock" => Broken::Lock,
                    "dedupe" => Broken::Dedupe,
                    "clock" => Broken::Clock,
                    "journal" => Broken::Journal,
                    "stalls" => Broken::Stalls,
                    _ => return Err(format!("there is no mechanism called {value}\n{USAGE}")),
                };
                wanted.broken = Some((broken, value));
            }
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok(wanted)
}

fn main() -> ExitCode {
    let wanted = match wanted() {
        Ok(wanted) => wanted,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::from(2);
        }
    };
    let next = AtomicU64::new(wanted.first);
    let end = wanted.first.saturating_add(wanted.seeds);
    let failed = AtomicBool::new(false);
    let totals = Mutex::new((0u64, Totals::default()));
    let broken = wanted.broken.as_ref().map(|(broken, _)| *broken);
    let (planner, planned) = wanted.planner;
    std::thread::scope(|scope| {
        for _ in 0..wanted.threads {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    let came = std::panic::catch_unwind(|| run(seed, planned, broken));
                    match came.unwrap_or_else(|_| Err("it panicked".to_owned())) {
                        Ok(found) => {
                            let Ok(mut totals) = totals.lock() else { break };
                            totals.0 += 1;
                            totals.1.add(&found);
                            if totals.0 % 10_000 == 0 {
                                println!("{} seeds: {:?}", totals.0, totals.1);
                            }
                        }
                        Err(why) => {
                            failed.store(true, Ordering::Relaxed);
                            if wanted.seeds == 1 {
                                trace(seed, planned, broken, &mut |line| println!("{line}"));
                            }
                            let with = wanted.broken.as_ref().map(|(_, name)| format!(" --break {name}"));
                            println!("seed {seed} fails: {why}");
                            println!(
                                "play it again: cargo run --release -p dramaturg-tests --bin sim -- --planner {planner} --seeds 1 --first {seed}{}",
                                with.unwrap_or_default()
                            );
                        }
                    }
                }
            });
        }
    });
    if let Ok(totals) = totals.lock() {
        println!("{} seeds played: {:?}", totals.0, totals.1);
    }
    if failed.load(Ordering::Relaxed) { ExitCode::from(1) } else { ExitCode::SUCCESS }
}
