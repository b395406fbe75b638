//! Journals: killed, torn, altered, rotated, on a full disk.

mod common;

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::journaling::{Small, again, play, recover, small, step};
use common::{STORY, Theatre, compile, director};
use dramaturg_director::journal::record::Record;
use dramaturg_director::journal::segment::{self, SegmentReader};
use dramaturg_director::journal::{JournalError, Notice, Recovered, Sync, replay};
use dramaturg_director::{Input, Journal, JournalOptions};
use dramaturg_model::{Chance, Model};
use dramaturg_planner::planner::Workers;
use proptest::prelude::*;

#[test]
fn a_run_is_reproduced_over_all_segments() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let trails = play(folder.path(), small(), 5, 900, &mut |_| {});
    let report = again(folder.path(), &model);
    assert!(report.is_identical(), "{report:?}");
    assert_eq!(report.inputs as usize, trails.len() - 1);
    assert!(report.segments > 2 && report.compared > 5, "{report:?}");
    assert_eq!(report.notes, Vec::<String>::new());
    let until = replay(folder.path(), model, dramaturg_planners::loader(), Some(60), &mut |_| {}).expect("replayed");
    assert!((60..80).contains(&until.tick), "{until:?}");
}

#[test]
fn recovery_is_possible_at_every_boundary_and_the_session_goes_on() {
    let model = compile(STORY);
    let whole = tempfile::tempdir().expect("a folder");
    let trails = play(whole.path(), small(), 8, 500, &mut |_| {});
    let segments = segment::list(whole.path()).expect("segments");
    assert!(segments.len() > 1);
    // As if it had been killed after any segment, and within the last at any record.
    for last in 0..segments.len() {
        let (_, path) = &segments[last];
        let mut reader = SegmentReader::open(path).expect("it opens");
        let mut ends = Vec::new();
        while reader.next().is_some() {
            ends.push(reader.at());
        }
        let chosen = ends.iter().skip(1).step_by(97).chain(ends.last());
        for end in chosen {
            let part = tempfile::tempdir().expect("a folder");
            for (_, earlier) in &segments[..last] {
                fs::copy(earlier, part.path().join(earlier.file_name().expect("a name"))).expect("copied");
            }
            let bytes = fs::read(path).expect("read");
            let cut = part.path().join(path.file_name().expect("a name"));
            // A torn record behind it.
            let torn = (*end as usize + 5).min(bytes.len());
            fs::write(&cut, &bytes[..torn]).expect("written");
            let recovered = recover(part.path(), &model).expect("it can be recovered");
            assert_eq!(recovered.director.trail(), trails[recovered.report.inputs as usize]);
            assert_eq!(recovered.report.cut.is_some(), torn as u64 > *end, "{:?}", recovered.report);
            assert_eq!(recovered.report.parting, None);
            let (mut director, mut journal) = (recovered.director, recovered.journal);
            let now = 1_000_000_000;
            for input in [Input::Disconnected { now, reason: "restarted".into() }, Input::Begin { now }] {
                assert_eq!(journal.append(&input, &director), None);
                director.step(&input, &Workers::single(), &mut |_| {});
                assert!(matches!(journal.settle(&mut director), None | Some(Notice::Rotated { .. })));
            }
            let (inputs, trail) = (journal.inputs(), director.trail());
            drop(journal);
            assert!(again(part.path(), &model).is_identical());
            let twice = recover_again(part.path(), &model);
            assert_eq!((twice.report.inputs, twice.director.trail()), (inputs, trail));
        }
    }
}

/// Another test of this process starts children: one that has not become another program yet holds the lock of a journal
/// that was closed meanwhile.
fn recover_again(folder: &Path, model: &Arc<Model>) -> Recovered {
    for _ in 0..100 {
        match recover(folder, model) {
            Err(JournalError::InUse(_)) => std::thread::sleep(Duration::from_millis(20)),
            other => return other.expect("again"),
        }
    }
    panic!("the journal stays locked");
}

#[test]
fn old_segments_go_and_a_bad_snapshot_falls_back_to_the_one_before() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), JournalOptions { keep: 3, ..small() }, 5, 900, &mut |_| {});
    let segments = segment::list(folder.path()).expect("segments");
    assert_eq!(segments.len(), 3);
    assert!(segments[0].0 > 1);
    let (number, last) = segments.last().expect("one").clone();
    let mut bytes = fs::read(&last).expect("read");
    bytes[2_000] ^= 1;
    fs::write(&last, bytes).expect("written");
    let recovered = recover(folder.path(), &model).expect("recovered");
    assert_eq!(recovered.report.segment, number - 1);
    assert_eq!(recovered.report.unusable.len(), 1, "{:?}", recovered.report);
    assert_eq!(recovered.journal.segment(), number + 1);
    assert!(matches!(recover(folder.path(), &model), Err(JournalError::InUse(_))), "only one may write");
}

#[test]
fn an_altered_byte_and_an_altered_budget_are_named() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), JournalOptions { segment_bytes: u64::MAX >> 1, ..small() }, 3, 400, &mut |_| {});
    let path = segment::list(folder.path()).expect("segments")[0].1.clone();
    let bytes = fs::read(&path).expect("read");
    let records: Vec<Record> =
        SegmentReader::open(&path).expect("opens").map(|found| found.expect("it is whole").0).collect();
    // A byte on the disk.
    let mut damaged = bytes.clone();
    let middle = damaged.len() - damaged.len() / 4;
    damaged[middle] ^= 0x10;
    fs::write(&path, &damaged).expect("written");
    let report = again(folder.path(), &model);
    assert!(report.damage.is_some(), "{report:?}");
    assert!(report.tick > 0 && report.inputs > 100, "{report:?}");
    // A budget, with a checksum that fits: once by somebody who forgets the record behind it, once by somebody who does
    // not.
    for careful in [false, true] {
        let (mut written, mut inputs, mut altered, mut chained) = (Vec::new(), 0, 0, 0);
        for record in &records {
            let mut record = record.clone();
            if let Record::Input { chain, input, .. } = &mut record {
                inputs += 1;
                if careful {
                    *chain = chained;
                }
                if let Input::End { units, .. } = input
                    && inputs > 200
                    && altered == 0
                {
                    *units = 3;
                    altered = inputs;
                }
            }
            let bytes = record.to_bytes();
            chained = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
            written.extend(bytes);
        }
        fs::write(&path, &written).expect("written");
        let report = again(folder.path(), &model);
        let parting = report.parting.expect("it parts");
        assert_eq!(parting.input, altered, "{parting}");
        assert!(parting.tick > 0);
        assert_eq!(parting.what.contains("budget"), careful, "{parting}");
    }
}

#[test]
fn a_full_disk_is_told_once_and_the_game_goes_on() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let room = Arc::new(AtomicU64::new(70_000));
    let (mut theatre, mut director) = (Theatre::new(4), director(&model, 4));
    let options = JournalOptions { sync: Sync::Each, retry_micros: 100_000, ..small() };
    let disk = Box::new(Small { room: Arc::clone(&room) });
    let mut journal = Journal::create_on(disk, folder.path(), options, &mut director).expect("begun");
    let mut notices = Vec::new();
    for look in 0..900 {
        for input in theatre.look() {
            notices.extend(step(&mut journal, &mut director, &mut theatre, &input));
        }
        if look == 600 {
            assert!(!journal.is_writing());
            room.store(u64::MAX, Ordering::Relaxed);
        }
    }
    notices.retain(|notice| !matches!(notice, Notice::Rotated { .. }));
    // It may first be noticed when another segment is to begin.
    let rest = notices.strip_prefix(&[Notice::NotRotated("no storage space".to_owned())]).unwrap_or(&notices);
    assert!(matches!(rest, [Notice::Stopped(_), Notice::Resumed]), "{notices:?}");
    assert!(theatre.game.started.len() > 5, "the game went on");
    let (inputs, trail) = (journal.inputs(), director.trail());
    drop(journal);
    let recovered = recover(folder.path(), &model).expect("recovered");
    assert_eq!((recovered.report.inputs, recovered.director.trail()), (inputs, trail));
}

#[test]
fn an_edited_story_goes_on_from_the_journal_with_a_new_segment() {
    let folder = tempfile::tempdir().expect("a folder");
    play(folder.path(), small(), 2, 500, &mut |_| {});
    let edited = compile(&STORY.replace("action dance", "action prance"));
    let recovered = recover(folder.path(), &edited).expect("recovered");
    assert!(recovered.report.inputs > 500);
    assert_eq!(recovered.journal.segment(), recovered.report.segment + 1);
    let board = recovered.director.core().board();
    assert!(board.entries().all(|(_, entry)| entry.step.action != "dance" || !entry.is_locked()));
}

const CHILD: &str = "DRAMATURG_TEST_JOURNAL";

/// No test of its own: what the next one starts and kills.
#[test]
fn a_child_that_is_killed() {
    let Ok(folder) = std::env::var(CHILD) else { return };
    let mut out = io::stdout().lock();
    play(Path::new(&folder), small(), 11, 800, &mut |inputs| {
        writeln!(out, "\nacknowledged {inputs}").and_then(|()| out.flush()).expect("somebody listens");
    });
}

#[test]
fn what_was_acknowledged_outlives_a_kill_at_any_moment() {
    let model = compile(STORY);
    let reference = tempfile::tempdir().expect("a folder");
    let trails = play(reference.path(), small(), 11, 800, &mut |_| {});
    let mut chance = Chance::new(99);
    for _ in 0..30 {
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("journal");
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["a_child_that_is_killed", "--exact", "--nocapture"])
            .env(CHILD, &journal)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let stop = 1 + chance.below(trails.len() - 2) as u64;
        let mut acknowledged = 0;
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let number = |line: &str| line.strip_prefix("acknowledged ").and_then(|number| number.parse::<u64>().ok());
        for line in lines.by_ref().map_while(Result::ok) {
            acknowledged = number(&line).unwrap_or(acknowledged);
            if acknowledged >= stop {
                break;
            }
        }
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
        // What it said before it died counts too.
        for line in lines.map_while(Result::ok) {
            acknowledged = number(&line).unwrap_or(acknowledged);
        }
        let recovered = recover(&journal, &model).expect("it can be recovered");
        assert!(recovered.report.inputs >= acknowledged, "{} < {acknowledged}", recovered.report.inputs);
        assert_eq!(recovered.director.trail(), trails[recovered.report.inputs as usize]);
        assert_eq!(recovered.report.parting, None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let length = bytes.len() as u64;
        let read = SegmentReader::new(bytes.as_slice(), Path::new("bytes"), length).count();
        prop_assert!(read <= bytes.len());
    }

    #[test]
    fn no_alteration_makes_recovery_panic(places in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..6)) {
        thread_local! {
            static WHOLE: Vec<u8> = {
                let folder = tempfile::tempdir().expect("a folder");
                play(folder.path(), JournalOptions { segment_bytes: 1 << 40, ..small() }, 6, 60, &mut |_| {});
                fs::read(&segment::list(folder.path()).expect("segments")[0].1).expect("read")
            };
            static MODEL: Arc<Model> = compile(STORY);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut bytes = WHOLE.with(Clone::clone);
        for (place, byte) in places {
            let at = place as usize % bytes.len();
            bytes[at] = byte;
        }
        fs::write(segment::file(folder.path(), 1), &bytes).expect("written");
        let _ = MODEL.with(|model| recover(folder.path(), model)).map(|recovered| recovered.report.inputs);
    }
}
