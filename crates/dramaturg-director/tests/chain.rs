//! A journal is one chain: whatever is removed from it, emptied, swapped or put into it is named, with its file and its
//! cause.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::journaling::{Small, again, play, recover, small, step};
use common::{STORY, Theatre, compile, director};
use dramaturg_director::journal::record::Record;
use dramaturg_director::journal::segment::{self, SegmentReader};
use dramaturg_director::journal::{DamageKind, JournalError, Notice, ReplayReport, replay};
use dramaturg_director::shell::Journals;
use dramaturg_director::{Director, Journal, JournalOptions};
use proptest::prelude::*;

const NAME: &str = "7f3a";
const REASON: &str = "the game said goodbye";

/// Journals of a session that is over, in this folder; returns the journal's.
fn over(folder: &Path, seed: u64, session: &str) -> PathBuf {
    let model = compile(STORY);
    let journals = Journals::open(folder, small(), 10).expect("a folder");
    let (mut theatre, mut director) = (Theatre::new(seed), named(director(&model, seed), session));
    let mut journal = journals.begin(NAME, None, &mut director).expect("begun");
    for _ in 0..900 {
        for input in theatre.look() {
            step(&mut journal, &mut director, &mut theatre, &input);
        }
    }
    assert_eq!(journal.end(&mut director, REASON), None);
    drop(journal);
    journals.end(NAME, REASON).expect("it is put aside");
    folder.join("ended").join(NAME)
}

/// The same session under this name.
fn named(mut director: Director, session: &str) -> Director {
    let save = director.save();
    let options = dramaturg_director::DirectorOptions { session: session.to_owned(), ..common::options() };
    let model = Arc::clone(director.core().model());
    Director::load(model, options, &save, dramaturg_planners::loader()).expect("it can be loaded").0
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("it can be read").flatten() {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

fn cut_last_record(path: &Path) {
    let mut reader = SegmentReader::open(path).expect("it opens");
    let mut ends = vec![0];
    while reader.next().is_some() {
        ends.push(reader.at());
    }
    let bytes = fs::read(path).expect("read");
    fs::write(path, &bytes[..ends[ends.len().saturating_sub(2)] as usize]).expect("written");
}

fn swap(one: &Path, other: &Path) {
    let (first, second) = (fs::read(one).expect("read"), fs::read(other).expect("read"));
    fs::write(one, second).expect("written");
    fs::write(other, first).expect("written");
}

/// What is done to a journal with these segments.
type Tamper = fn(&[PathBuf], &Path);

struct Case {
    name: &'static str,
    tamper: Tamper,
    kind: DamageKind,
    /// Which segment is named, by its place; from the end if negative.
    named: isize,
    cause: &'static str,
}

/// The middle one.
const MIDDLE: usize = 3;

const CASES: [Case; 12] = [
    Case {
        name: "a segment in the middle is removed",
        tamper: |segments, _| fs::remove_file(&segments[MIDDLE]).expect("removed"),
        kind: DamageKind::Missing,
        named: 3,
        cause: "segment 5 follows it",
    },
    Case {
        name: "two in the middle are removed",
        tamper: |segments, _| segments[2..4].iter().for_each(|path| fs::remove_file(path).expect("removed")),
        kind: DamageKind::Missing,
        named: 3,
        cause: "segment 5 follows it",
    },
    Case {
        name: "a segment in the middle is emptied",
        tamper: |segments, _| fs::write(&segments[MIDDLE], "").expect("written"),
        kind: DamageKind::Segment,
        named: 3,
        cause: "it is empty",
    },
    Case {
        name: "the last segment is removed",
        tamper: |segments, _| fs::remove_file(&segments[segments.len() - 1]).expect("removed"),
        kind: DamageKind::Segment,
        named: -2,
        cause: "its session had an end (“the game said goodbye”)",
    },
    Case {
        name: "the last segment is emptied",
        tamper: |segments, _| fs::write(&segments[segments.len() - 1], "").expect("written"),
        kind: DamageKind::Segment,
        named: -1,
        cause: "it is empty",
    },
    Case {
        name: "the last three are emptied",
        tamper: |segments, _| {
            segments[segments.len() - 3..].iter().for_each(|path| fs::write(path, "").expect("written"));
        },
        kind: DamageKind::Segment,
        named: -3,
        cause: "it is empty",
    },
    Case {
        name: "two neighbours are swapped",
        tamper: |segments, _| swap(&segments[2], &segments[3]),
        kind: DamageKind::Segment,
        named: 2,
        cause: "its header says that it is segment 4",
    },
    Case {
        name: "two that are far from each other are swapped",
        tamper: |segments, _| swap(&segments[1], &segments[4]),
        kind: DamageKind::Segment,
        named: 1,
        cause: "its header says that it is segment 5",
    },
    Case {
        name: "a segment of another session is put into the middle",
        tamper: |segments, other| {
            fs::copy(segment::file(other, 4), &segments[MIDDLE]).expect("copied");
        },
        kind: DamageKind::Segment,
        named: 3,
        cause: "it belongs to the session `other`, the segments before it to `7f3a`",
    },
    Case {
        name: "the first segment of another session is put into the middle",
        tamper: |segments, other| {
            fs::copy(segment::file(other, 1), &segments[MIDDLE]).expect("copied");
        },
        kind: DamageKind::Segment,
        named: 3,
        cause: "its header says that it is segment 1",
    },
    Case {
        name: "the last record of a segment in the middle is removed",
        tamper: |segments, _| cut_last_record(&segments[MIDDLE]),
        kind: DamageKind::Segment,
        named: 3,
        cause: "it does not end as segment 5 says",
    },
    Case {
        name: "the last record of the last segment is removed",
        tamper: |segments, _| cut_last_record(&segments[segments.len() - 1]),
        kind: DamageKind::Segment,
        named: -1,
        cause: "what was written at the end is gone",
    },
];

fn place(named: isize, count: usize) -> usize {
    if named < 0 { count.checked_add_signed(named).expect("it is there") } else { named.unsigned_abs() }
}

#[test]
fn every_kind_of_tampering_is_named_by_file_and_cause() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let whole = over(&folder.path().join("one"), 5, NAME);
    let other = over(&folder.path().join("two"), 9, "other");
    let report = again(&whole, &model);
    assert!(report.is_identical() && report.ended && report.notes.is_empty(), "{report:?}");
    let count = segment::list(&whole).expect("segments").len();
    assert!(count > 5, "{count}");
    for Case { name, tamper, kind, named, cause } in CASES {
        let copied = folder.path().join("copied");
        let _ = fs::remove_dir_all(&copied);
        copy(&whole, &copied);
        let segments: Vec<_> = segment::list(&copied).expect("segments").into_iter().map(|(_, path)| path).collect();
        tamper(&segments, &other);
        let report = again(&copied, &model);
        assert!(!report.is_identical(), "{name}: {report:?}");
        let damage = report.damage.expect("it is damage");
        let at = place(named, count);
        assert_eq!((damage.kind, &damage.file), (kind, &segments[at]), "{name}: {damage}");
        assert!(damage.to_string().contains(cause), "{name}: {damage}");
        // What was played is whole: all that comes before.
        let behind = segment::list(&copied).expect("segments").iter().filter(|(_, path)| *path > segments[at]).count();
        assert!(damage.segments_behind <= behind, "{name}: {damage:?}");
        assert_eq!(damage.to_string().contains("not replayed"), damage.segments_behind > 0, "{name}: {damage}");
        assert!(report.parting.is_some_and(|parting| parting.what == damage.to_string()), "{name}");
    }
}

#[test]
fn recovery_goes_on_from_the_newest_part_that_is_whole_and_tells_what_is_lost() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let whole = over(&folder.path().join("one"), 5, NAME);
    let other = over(&folder.path().join("two"), 9, "other");
    let count = segment::list(&whole).expect("segments").len() as u64;
    for Case { name, tamper, named, cause, .. } in CASES {
        let copied = folder.path().join("copied");
        let _ = fs::remove_dir_all(&copied);
        copy(&whole, &copied);
        let segments: Vec<_> = segment::list(&copied).expect("segments").into_iter().map(|(_, path)| path).collect();
        tamper(&segments, &other);
        let recovered = recover(&copied, &model).expect("it can be recovered");
        let report = &recovered.report;
        let notices = report.notices();
        let at = place(named, count as usize) as u64 + 1;
        let is_newest = at == count;
        match name {
            // Nothing says that there was more, but the reason beside the journal, which is written only when a session
            // is over.
            "the last segment is removed" | "the last record of the last segment is removed" => {
                assert!(!notices.iter().any(Notice::is_trouble), "{name}: {notices:?}");
            }
            "the last segment is emptied" | "the last three are emptied" => {
                assert_eq!(report.segment, if is_newest { count - 1 } else { count - 3 }, "{name}");
                assert_eq!(report.unusable.len(), if is_newest { 1 } else { 3 }, "{name}: {notices:?}");
                assert_eq!(recovered.journal.segment(), count + 1, "{name}");
            }
            // The newest segment is whole: nothing is lost of the session, only of what can be replayed.
            _ => {
                assert_eq!((report.segment, report.unusable.len()), (count, 0), "{name}: {notices:?}");
                assert!(report.doubts.iter().any(|doubt| doubt.contains(cause)), "{name}: {:?}", report.doubts);
                assert!(notices.iter().any(|notice| matches!(notice, Notice::Doubtful(why) if why.contains(cause))));
            }
        }
    }
}

#[test]
fn what_is_written_after_a_recovery_with_losses_joins_what_was_whole() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), small(), 5, 900, &mut |_| {});
    let segments = segment::list(folder.path()).expect("segments");
    let (last, path) = segments.last().expect("one");
    fs::write(path, "").expect("emptied");
    let recovered = recover(folder.path(), &model).expect("recovered");
    let (mut journal, mut director) = (recovered.journal, recovered.director);
    let mut theatre = Theatre::new(77);
    theatre.now = 1_000_000_000;
    for _ in 0..200 {
        for input in theatre.look() {
            let notices = step(&mut journal, &mut director, &mut theatre, &input);
            assert!(!notices.iter().any(Notice::is_trouble), "{notices:?}");
        }
    }
    assert!(journal.segment() > last + 1);
    let inputs = journal.inputs();
    drop(journal);
    let report = again(folder.path(), &model);
    assert!(report.is_identical(), "{report:?}");
    assert_eq!((report.inputs, report.ended), (inputs, false));
}

#[test]
fn a_session_goes_on_although_its_disk_has_no_room_for_another_segment() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), small(), 5, 900, &mut |_| {});
    let (_, path) = segment::list(folder.path()).expect("segments").pop().expect("one");
    fs::write(path, "").expect("emptied");
    let room = Arc::new(AtomicU64::new(0));
    let disk = Box::new(Small { room: Arc::clone(&room) });
    let options = JournalOptions { retry_micros: 100_000, ..small() };
    let recovered = Journal::recover_on(disk, folder.path(), options, Arc::clone(&model), dramaturg_planners::loader());
    let recovered = recovered.expect("it goes on");
    let notices = recovered.report.notices();
    assert!(notices.iter().any(|notice| matches!(notice, Notice::Stopped(_))), "{notices:?}");
    let (mut journal, mut director, mut theatre) = (recovered.journal, recovered.director, Theatre::new(77));
    theatre.now = 1_000_000_000;
    assert_eq!(play_until_told(&mut journal, &mut director, &mut theatre, 100), None);
    room.store(u64::MAX, Ordering::Relaxed);
    assert_eq!(play_until_told(&mut journal, &mut director, &mut theatre, 100), Some(Notice::Resumed));
    drop(journal);
    let report = again(folder.path(), &model);
    assert!(report.is_identical(), "{report:?}");
    assert!(report.notes.iter().any(|note| note.contains("were not written")), "{report:?}");
}

#[test]
fn a_gap_is_whole_only_where_the_journal_says_why() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let room = Arc::new(AtomicU64::new(70_000));
    let (mut theatre, mut director) = (Theatre::new(4), director(&model, 4));
    let options = JournalOptions { retry_micros: 100_000, ..small() };
    let disk = Box::new(Small { room: Arc::clone(&room) });
    let mut journal = Journal::create_on(disk, folder.path(), options, &mut director).expect("begun");
    let mut lost = 0;
    for look in 0..900 {
        for input in theatre.look() {
            step(&mut journal, &mut director, &mut theatre, &input);
            lost += u64::from(!journal.is_writing());
        }
        if look == 600 {
            room.store(u64::MAX, Ordering::Relaxed);
        }
    }
    assert_eq!(journal.end(&mut director, REASON), None);
    let inputs = journal.inputs();
    drop(journal);
    // The disk kept half a record and could not cut it off.
    let report = again(folder.path(), &model);
    assert!(report.is_identical() && report.ended, "{report:?}");
    assert_eq!(report.inputs, inputs);
    let told = format!("{} inputs before segment", lost + 1);
    assert!(report.notes.iter().any(|note| note.contains(&told) && note.contains("no storage space")), "{report:?}");
    // The same hole, without a word about it.
    let segments = segment::list(folder.path()).expect("segments");
    for (number, path) in segments {
        let records: Vec<_> = SegmentReader::open(&path).expect("opens").flatten().collect();
        let Some((Record::Header(header), _)) = records.first() else { panic!("segment {number} has no header") };
        if header.chain.as_ref().is_some_and(|chain| chain.gap.is_some()) {
            let mut header = header.clone();
            header.chain.as_mut().expect("a chain").gap = None;
            let rest = records.iter().skip(1).flat_map(|(record, _)| record.to_bytes());
            let bytes: Vec<u8> = Record::Header(header).to_bytes().into_iter().chain(rest).collect();
            fs::write(&path, bytes).expect("written");
            let damage = again(folder.path(), &model).damage.expect("it is damage");
            assert_eq!(damage.file, path);
            assert!(damage.problem.contains("does not say why"), "{damage}");
            return;
        }
    }
    panic!("no segment tells of the gap");
}

#[test]
fn a_session_that_ends_while_its_disk_is_full_has_no_end_and_says_so() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    let journals = Journals::open(folder.path(), small(), 10).expect("a folder");
    let (mut theatre, mut director) = (Theatre::new(4), named(director(&model, 4), NAME));
    let room = Arc::new(AtomicU64::new(70_000));
    let disk = Box::new(Small { room: Arc::clone(&room) });
    let mut journal =
        Journal::create_on(disk, &folder.path().join(NAME), small(), &mut director).expect("a journal is begun");
    for _ in 0..600 {
        for input in theatre.look() {
            step(&mut journal, &mut director, &mut theatre, &input);
        }
    }
    assert!(!journal.is_writing());
    journal.end(&mut director, REASON);
    drop(journal);
    journals.end(NAME, REASON).expect("it is put aside");
    let report = again(&folder.path().join("ended").join(NAME), &model);
    assert!(!report.ended, "{report:?}");
    // A record that was torn is damage, an end that was never there is not.
    assert!(report.damage.is_none_or(|damage| damage.kind == DamageKind::Record));
    let reason = fs::read_to_string(folder.path().join("ended").join(NAME).join("reason")).expect("a reason");
    assert_eq!(reason, format!("{REASON}\nits journal has no end\n"));
}

#[test]
fn segments_that_were_removed_by_rotation_are_no_damage() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), JournalOptions { keep: 3, ..small() }, 5, 900, &mut |_| {});
    let report = again(folder.path(), &model);
    assert!(report.is_identical() && report.segments == 3, "{report:?}");
    assert!(report.notes[0].starts_with("it begins with segment "), "{report:?}");
    let recovered = recover(folder.path(), &model).expect("recovered");
    assert_eq!(recovered.report.notices().iter().filter(|notice| notice.is_trouble()).count(), 0);
}

/// Makes segments of format 1 of those in a folder.
fn unchain(folder: &Path) {
    for (_, path) in segment::list(folder).expect("segments") {
        let mut bytes = Vec::new();
        for (record, _) in SegmentReader::open(&path).expect("opens").flatten() {
            bytes.extend(match record {
                Record::Header(mut header) => {
                    (header.format, header.chain) = (1, None);
                    Record::Header(header).to_bytes()
                }
                other => other.to_bytes(),
            });
        }
        fs::write(path, bytes).expect("written");
    }
}

#[test]
fn journals_of_the_format_before_are_recovered_and_replayed() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal-format-1");
    let story = fs::read_to_string(fixture.join("drill.story")).expect("a story");
    let model = compile(&story);
    let report = again(&fixture, &model);
    assert!(report.is_identical(), "{report:?}");
    assert_eq!((report.inputs, report.tick, report.ended), (219, 194, false));
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(segment::file(&fixture, 1), segment::file(folder.path(), 1)).expect("copied");
    let recovered = recover(folder.path(), &model).expect("recovered");
    assert_eq!(recovered.report.notices(), [Notice::Recovered { inputs: 219, tick: 194 }]);
    // It goes on: the next segment says how the old one ended.
    let (mut journal, mut director) = (recovered.journal, recovered.director);
    assert_eq!(journal.rotate(&mut director), Some(Notice::Rotated { segment: 2 }));
    assert_eq!(journal.end(&mut director, REASON), None);
    drop(journal);
    let report = again(folder.path(), &model);
    assert!(report.is_identical() && report.ended && report.segments == 2, "{report:?}");
}

#[test]
fn of_several_old_segments_a_missing_one_is_still_noticed() {
    let (folder, model) = (tempfile::tempdir().expect("a folder"), compile(STORY));
    play(folder.path(), small(), 5, 900, &mut |_| {});
    unchain(folder.path());
    let report = again(folder.path(), &model);
    assert!(report.is_identical() && report.segments > 4, "{report:?}");
    fs::remove_file(segment::file(folder.path(), 3)).expect("removed");
    let damage = again(folder.path(), &model).damage.expect("damage");
    assert_eq!((damage.kind, damage.file), (DamageKind::Missing, segment::file(folder.path(), 3)));
}

/// Plays until the journal tells something but that segments follow each other; at most so many looks.
fn play_until_told(
    journal: &mut Journal,
    director: &mut Director,
    theatre: &mut Theatre,
    looks: usize,
) -> Option<Notice> {
    for _ in 0..looks {
        for input in theatre.look() {
            let mut notices = step(journal, director, theatre, &input);
            notices.retain(|notice| !matches!(notice, Notice::Rotated { .. } | Notice::NotRotated(_)));
            if let Some(notice) = notices.pop() {
                return Some(notice);
            }
        }
    }
    None
}

/// What is done to a folder with segments up to this one.
type Deed = fn(&Path, u64);

#[test]
fn a_folder_or_file_that_is_deleted_or_replaced_is_noticed_and_the_journal_begins_again() {
    let model = compile(STORY);
    let deeds: [(&str, Deed); 4] = [
        ("the folder is deleted", |folder, _| fs::remove_dir_all(folder).expect("deleted")),
        ("the file is deleted", |folder, number| fs::remove_file(segment::file(folder, number)).expect("deleted")),
        ("the folder is moved away", |folder, _| fs::rename(folder, folder.with_extension("moved")).expect("moved")),
        ("the file is replaced", |folder, number| {
            let path = segment::file(folder, number);
            fs::remove_file(&path).expect("deleted");
            fs::write(path, "another").expect("written");
        }),
    ];
    for (name, deed) in deeds {
        let base = tempfile::tempdir().expect("a folder");
        let folder = base.path().join("journals").join("one");
        let (mut theatre, mut director) = (Theatre::new(6), director(&model, 6));
        let options = JournalOptions { retry_micros: 500_000, ..small() };
        let mut journal = Journal::create(&folder, options, &mut director).expect("begun");
        assert_eq!(play_until_told(&mut journal, &mut director, &mut theatre, 200), None);
        deed(&folder, journal.segment());
        // Within a second of the session's time.
        let told = play_until_told(&mut journal, &mut director, &mut theatre, 250);
        assert!(matches!(&told, Some(Notice::Stopped(why)) if why.contains("deleted or moved")), "{name}: {told:?}");
        let told = play_until_told(&mut journal, &mut director, &mut theatre, 250);
        assert_eq!(told, Some(Notice::Resumed), "{name}");
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&folder).expect("it is there"));
            assert_eq!(mode & 0o77, 0, "{name}: nobody else may look into it");
        }
        assert_eq!(play_until_told(&mut journal, &mut director, &mut theatre, 300), None);
        let (inputs, trail) = (journal.inputs(), director.trail());
        drop(journal);
        let recovered = recover(&folder, &model).expect("recovered");
        assert_eq!((recovered.report.inputs, recovered.director.trail()), (inputs, trail), "{name}");
    }
}

#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[cfg(unix)]
fn try_again(path: &Path, model: &Arc<dramaturg_model::Model>) -> Result<ReplayReport, JournalError> {
    replay(path, Arc::clone(model), dramaturg_planners::loader(), None, &mut |_| {})
}

/// Opening a pipe waits for its other end, which never comes.
#[cfg(unix)]
#[test]
fn pipes_are_refused_and_never_waited_for() {
    let model = compile(STORY);
    let base = tempfile::tempdir().expect("a folder");
    // As the folder of all journals, of one journal, and as a journal that is read.
    let path = base.path().join("pipe");
    pipe(&path);
    let error = Journals::open(&path, small(), 1).expect_err("it is no folder");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    let error = Journal::create(&path, small(), &mut director(&model, 1)).err().expect("it is no folder");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    let error = try_again(&path, &model).expect_err("it is no journal");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    assert!(recover(&path, &model).is_err());
    // In the place of the lock.
    let folder = base.path().join("locked");
    fs::create_dir(&folder).expect("made");
    pipe(&folder.join("lock"));
    let error = Journal::create(&folder, small(), &mut director(&model, 1)).err().expect("it cannot be locked");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    // In the place of the last segment.
    let folder = base.path().join("one");
    play(&folder, small(), 5, 600, &mut |_| {});
    let (last, path) = segment::list(&folder).expect("segments").pop().expect("one");
    fs::remove_file(&path).expect("removed");
    pipe(&path);
    let damage = try_again(&folder, &model).expect("replayed").damage.expect("damage");
    assert_eq!(damage.file, path);
    assert!(damage.problem.contains("it is a pipe"), "{damage}");
    let error = try_again(&path, &model).expect_err("it is no segment");
    assert!(error.to_string().contains("it is a pipe"), "{error}");
    let recovered = recover(&folder, &model).expect("recovered");
    assert_eq!(recovered.report.segment, last - 1);
    assert!(recovered.report.unusable[0].contains("it is a pipe"), "{:?}", recovered.report.unusable);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is done to whole files: what is replayed as identical is the beginning of what was, or all of it.
    #[test]
    fn no_shuffling_of_files_goes_unnoticed(deeds in proptest::collection::vec((0..4_usize, any::<usize>(), any::<usize>()), 1..4)) {
        thread_local! {
            static WHOLE: (tempfile::TempDir, PathBuf) = {
                let folder = tempfile::tempdir().expect("a folder");
                let journal = over(folder.path(), 5, NAME);
                (folder, journal)
            };
        }
        let folder = tempfile::tempdir().expect("a folder");
        let whole = WHOLE.with(|(_, journal)| {
            copy(journal, folder.path());
            segment::list(journal).expect("segments")
        });
        for (deed, one, other) in deeds {
            let segments = segment::list(folder.path()).expect("segments");
            if segments.len() < 2 {
                break;
            }
            let (one, other) = (&segments[one % segments.len()].1, &segments[other % segments.len()].1);
            match deed {
                // The first may go: rotation removes it too.
                0 if *one != segments[0].1 => fs::remove_file(one).expect("removed"),
                1 => fs::write(one, "").expect("written"),
                2 => swap(one, other),
                3 => cut_last_record(one),
                _ => {}
            }
        }
        let now = segment::list(folder.path()).expect("segments");
        let bytes = |segments: &[(u64, PathBuf)]| -> Vec<Vec<u8>> {
            segments.iter().map(|(_, path)| fs::read(path).expect("read")).collect()
        };
        let is_same = bytes(&now) == bytes(&whole);
        let report = again(folder.path(), &compile(STORY));
        prop_assert_eq!(report.is_identical(), is_same, "{:?}", report);
    }
}
