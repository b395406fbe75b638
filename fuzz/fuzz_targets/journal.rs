//! Any bytes as the segments of a journal, once as they are and once with checksums that fit: read, replayed and
//! recovered without a panic, and what was recovered goes on.
#![no_main]

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use dramaturg_director::journal::disk::{Disk, Memory};
use dramaturg_director::journal::replay;
use dramaturg_director::journal::segment::{self, SegmentReader};
use dramaturg_director::{Input, Journal, JournalOptions};
use libfuzzer_sys::fuzz_target;

/// What comes before the bytes of a record: its length and checksum.
const HEAD: usize = 8;
const HEADER: u8 = 1;
const SNAPSHOT: u8 = 2;

/// Where the segments are that are replayed.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    base.join(format!("dramaturg-fuzz-{}", std::process::id()))
});

fuzz_target!(|data: &[u8]| {
    SegmentReader::new(data, Path::new("segment"), data.len() as u64).for_each(drop);
    let segments = mended(data);
    let folder = &*FOLDER;
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder can be made");
    let mut disk = Memory::default();
    for (number, bytes) in (1..).zip(&segments) {
        let path = segment::file(folder, number);
        fs::write(&path, bytes).expect("a file can be written");
        disk.create(&path).and_then(|mut sink| sink.put(bytes)).expect("memory can be written");
    }
    let _ = replay(folder, Arc::clone(&common::MODEL), dramaturg_planners::loader(), None, &mut |_| {});
    let options = JournalOptions { segment_bytes: 20_000, hash_every: 8, ..JournalOptions::default() };
    let model = Arc::clone(&common::MODEL);
    if let Ok(mut recovered) = Journal::recover_on(Box::new(disk), folder, options, model, dramaturg_planners::loader()) {
        recovered.report.notices();
        let input = Input::Disconnected { now: 1_000_000, reason: "started again".to_owned() };
        recovered.journal.append(&input, &recovered.director);
        recovered.director.step(&input, &dramaturg_planner::planner::Workers::single(), &mut |_| {});
        recovered.journal.settle(&mut recovered.director);
        recovered.journal.end(&mut recovered.director, "it is over");
        common::go_on(recovered.director, true);
    }
    let _ = fs::remove_dir_all(folder);
});

/// The records of some bytes with checksums that fit; each header begins another segment.
fn mended(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut segments: Vec<Vec<u8>> = Vec::new();
    while let Some((head, rest)) = data.split_first_chunk::<HEAD>() {
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let (payload, rest) = rest.split_at(length.min(rest.len()));
        data = rest;
        let payload = mended_record(payload);
        if payload.first() == Some(&HEADER) || segments.is_empty() {
            segments.push(Vec::new());
        }
        if let Some(segment) = segments.last_mut() {
            segment.extend((payload.len() as u32).to_le_bytes());
            segment.extend(crc32fast::hash(&payload).to_le_bytes());
            segment.extend(payload);
        }
    }
    segments
}

/// A record; a save in it has a checksum that fits.
fn mended_record(payload: &[u8]) -> Vec<u8> {
    match payload.split_first() {
        Some((&SNAPSHOT, save)) => {
            let save = common::mended_save(save).unwrap_or_else(|| save.to_vec());
            [&[SNAPSHOT], save.as_slice()].concat()
        }
        _ => payload.to_vec(),
    }
}
