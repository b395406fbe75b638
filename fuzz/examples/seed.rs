//! Fills the corpora of the targets `frame`, `journal` and `save` from a session that is really played: `seed.sh` runs
//! it.

#[path = "../fuzz_targets/common/mod.rs"]
mod common;

use std::fs;
use std::path::Path;

use dramaturg_director::{Input, Journal, JournalOptions};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_planner::planner::Workers;
use dramaturg_wire::Codec;

fn main() -> std::io::Result<()> {
    for target in ["frame", "journal", "save"] {
        fs::create_dir_all(Path::new("corpus").join(target))?;
    }
    for codec in [Codec::Binary, Codec::Json] {
        play(codec)?;
    }
    // Deeds of a session are read from bytes: what they come to is another story with every byte.
    for seed in 0..16_u8 {
        let bytes: Vec<u8> = (0..400_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 ^ seed).collect();
        fs::write(format!("corpus/frame/deeds-{seed}"), bytes)?;
    }
    Ok(())
}

/// Plays a session, keeps its journal, and now and then a save of each side.
fn play(codec: Codec) -> std::io::Result<()> {
    let name = format!("{codec:?}").to_lowercase();
    let folder = Path::new("corpus").join(format!("played-{name}"));
    let _ = fs::remove_dir_all(&folder);
    let mut director = common::director(codec);
    let options = JournalOptions { segment_bytes: 3_000, keep: 0, hash_every: 40, ..JournalOptions::default() };
    let mut journal = Journal::create(&folder, options, &mut director).map_err(std::io::Error::other)?;
    let mut executor = Executor::new(ExecutorOptions { codec, ..ExecutorOptions::default() });
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for tick in 0..400 {
        for frame in frames.drain(..) {
            executor.receive(&frame).map_err(std::io::Error::other)?;
        }
        executor.tick(tick, &mut common::Performer);
        let mut sent = Vec::new();
        executor.poll(&mut |frame| sent.push(frame.to_vec()));
        let now = tick * 16_667;
        let pump = |frames| Input::Pump { now, frames };
        for input in [pump(sent), Input::Begin { now }, Input::End { now, units: 200 }, pump(Vec::new())] {
            journal.append(&input, &director);
            director.step(&input, &Workers::single(), &mut |frame| frames.push(frame.to_vec()));
            journal.settle(&mut director);
            director.drain();
        }
        if tick % 100 == 50 {
            fs::write(format!("corpus/save/{name}-{tick}.save"), director.save().to_bytes())?;
            fs::write(format!("corpus/save/{name}-{tick}.checkpoint"), executor.checkpoint())?;
            // A save makes the planner forget, which is nothing that a journal knows of: it begins another segment.
            journal.rotate(&mut director);
        }
    }
    journal.end(&mut director, "the run is over");
    drop(journal);
    let mut segments: Vec<_> = fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    segments.retain(|path| path.extension().is_some_and(|extension| extension == "journal"));
    segments.sort();
    for (number, path) in (0..).zip(&segments) {
        fs::copy(path, format!("corpus/journal/{name}-{number}"))?;
    }
    // Some that follow each other in one input.
    let several = segments.iter().take(3).map(fs::read).collect::<Result<Vec<_>, _>>()?;
    fs::write(format!("corpus/journal/{name}-several"), several.concat())?;
    fs::remove_dir_all(folder)
}
