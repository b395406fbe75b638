//! Director and game die at any moment, as real processes over a real socket: nothing runs twice, nothing vanishes.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use common::Stage;
use common::serving::{DRILL, Serving, ended};
use dramaturg::model::Chance;
use dramaturg_director::Input;
use dramaturg_director::journal::record::Record;
use dramaturg_director::journal::segment::{self, SegmentReader};
use serde_json::Value;

/// How many tasks the director performs with each game, and in which tick the game ends.
///
/// Half of them lie after the last blow: those come in time on a busy machine too.
const TASKS: &str = "120";
const TICKS: &str = "2200";

/// What is performed while both sides die.
struct Bout {
    /// The text of the story.
    story: String,
    /// How `serve` decides what is done.
    decided: [&'static str; 2],
    /// So many steps are published at least, and so many of their tasks started.
    least: (usize, usize),
}

impl Bout {
    fn drill() -> Self {
        Self { story: DRILL.to_owned(), decided: ["--tasks", TASKS], least: (120, 60) }
    }

    /// Chores of three people who go from place to place, for a planner that serves characters or the story.
    fn chores(planner: &'static str) -> Self {
        let mut story = CHORES.replace("BY", if planner == "cast" { " by who" } else { "" });
        let places = ["house", "well", "field", "barn"];
        for chore in 0..CHORE_COUNT {
            story += &format!("object c{chore}: Chore (where = {})\n", places[chore % places.len()]);
        }
        let people = ["ann", "bob", "cid"];
        let is_done = |chore: usize| format!("c{chore}.ready");
        for (number, who) in people.iter().enumerate() {
            let own = (0..CHORE_COUNT).filter(|chore| chore % people.len() == number);
            story += &match planner {
                "cast" => {
                    let goals: String = own.map(|chore| format!("  goal {}\n", is_done(chore))).collect();
                    format!("character {who}: Folk (place = house) {{\n{goals}}}\n")
                }
                _ => format!("object {who}: Folk (place = house)\n"),
            };
        }
        if planner != "cast" {
            let all: Vec<String> = (0..CHORE_COUNT).map(is_done).collect();
            story += &format!("goal {}\n", all.join(" and "));
        }
        Self { story, decided: ["--planner", planner], least: (CHORE_COUNT, CHORE_COUNT) }
    }

    fn serve(&self) -> [&str; 4] {
        let [option, value] = self.decided;
        ["--journal", "journals", option, value]
    }
}

const CHORE_COUNT: usize = 18;

/// What is done stays done, so that all comes to an end. What is done lasts long enough for every blow to fall in it.
const CHORES: &str = "story \"Chores\" { ticks 120 per s }
type Place
type Folk { place: Place; hands: actuator; legs: actuator }
type Chore { where: Place; ready }
object house, well, field, barn: Place
action walk(who: Folk, from: Place, to: Place)BY { takes 40 ticks; uses who.legs; needs who.place == from; then who.place = to }
action work(who: Folk, what: Chore)BY {
  takes 120 ticks
  uses who.hands, who.legs
  late 20 ticks
  needs who.place == what.where and not what.ready
  then what.ready
}
";

fn game(stage: &Stage, number: usize, address: &str) -> Child {
    let (save, transcript) = (format!("game-{number}.save"), format!("game-{number}.jsonl"));
    let args = ["run", "drill.story", "--connect", address, "--rate", "120", "--ticks", TICKS, "--quiet"];
    let files = ["--save", &save, "--save-every", "40", "--transcript", &transcript];
    let mut command = stage.command(&[&args[..], &files].concat());
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
}

type Task = (u64, u64);

fn task(value: &Value) -> Option<Task> {
    Some((value["step"].as_u64()?, value["part"].as_u64()?))
}

/// What the game did by its own log, and what became of each task by the director's journal: both must agree.
fn judge(stage: &Stage, number: usize, bout: &Bout, game_died: bool) -> (usize, usize) {
    let log = lines(&stage.read(&format!("game-{number}.jsonl")));
    let welcome = log.iter().find(|line| line["what"] == "welcomed").expect("it was welcomed");
    let session = welcome["text"].as_str().and_then(|text| text.rsplit(' ').next()).expect("a session").to_owned();
    let of = |what: &str| log.iter().filter(|line| line["what"] == what).filter_map(task).collect::<Vec<_>>();
    let (starts, finished) = (of("started"), of("finished").into_iter().collect::<BTreeSet<_>>());
    let started: BTreeSet<Task> = starts.iter().copied().collect();
    assert_eq!(started.len(), starts.len(), "game {number} started something twice: {starts:?}");
    // The whole session, from its journal.
    let journal = format!("journals/ended/{session}");
    let (code, replay) = stage.json(&["replay", &journal, "--events", "events.jsonl"]);
    assert_eq!(code, 0, "game {number}: {replay}");
    // A few for each tick that took place; a session that is pumped without cause has tens of thousands.
    let (inputs, ticks) = (replay["inputs"].as_u64().expect("a number"), replay["ticks"].as_u64().expect("a number"));
    assert!(inputs < 4 * ticks, "game {number}: {inputs} inputs in {ticks} ticks");
    let events = lines(&stage.read("events.jsonl"));
    let mut ends: BTreeMap<Task, Vec<Value>> = BTreeMap::new();
    let (mut steps, mut recorded) = (BTreeSet::new(), BTreeSet::new());
    for event in &events {
        match event["event"].as_str().expect("a kind") {
            "published" => {
                steps.extend(event["put"].as_array().expect("steps").iter().filter_map(Value::as_u64));
                // A planner may change its mind about what was not sent.
                recorded.extend(event["removed"].as_array().expect("steps").iter().filter_map(Value::as_u64));
            }
            "dispatched" => {
                let sent = task(&event["task"]).expect("a task");
                assert!(ends.insert(sent, Vec::new()).is_none(), "game {number}: {sent:?} was sent twice");
                recorded.insert(sent.0);
            }
            "late" => drop(recorded.insert(event["step"].as_u64().expect("a step"))),
            "status" => {
                let outcome = &event["outcome"];
                let goes_on = outcome == "accepted"
                    || ["started", "progress", "amended"].iter().any(|kind| outcome.get(kind).is_some());
                if !goes_on {
                    let of = task(&event["task"]).expect("a task");
                    ends.get_mut(&of).unwrap_or_else(|| panic!("{of:?} was never sent")).push(outcome.clone());
                }
            }
            _ => {}
        }
    }
    assert!(steps.len() >= bout.least.0, "game {number} was to perform everything: {}", steps.len());
    assert_eq!(steps.difference(&recorded).collect::<Vec<_>>(), Vec::<&u64>::new(), "game {number}: steps vanished");
    let mut unknown = 0;
    for (task, outcomes) in &ends {
        let [outcome] = outcomes.as_slice() else { panic!("game {number}: {task:?} has these ends: {outcomes:?}") };
        let agrees = match outcome.as_str() {
            Some("finished") => started.contains(task) && finished.contains(task),
            Some("unknown") => {
                unknown += 1;
                game_died
            }
            // Missed or cancelled: it never started.
            _ => !started.contains(task),
        };
        assert!(agrees, "game {number}: {task:?} ended as {outcome}, and started is {}", started.contains(task));
    }
    for task in &started {
        assert!(ends.contains_key(task), "game {number}: {task:?} was started, but never sent");
    }
    (started.len(), unknown)
}

/// Lets games play while director or game are killed again and again, and judges them.
fn play(bout: &Bout, games: usize, director_kills: usize, game_kills: usize, seed: u64) -> (Stage, usize) {
    let stage = Stage::with(&[("drill.story", &bout.story)]);
    let mut chance = Chance::new(seed);
    let mut serving = Serving::start(&stage, "127.0.0.1:0", &bout.serve());
    let address = serving.address.clone();
    let mut children: Vec<Child> = (0..games).map(|number| game(&stage, number, &address)).collect();
    let mut blows: Vec<bool> = [vec![true; director_kills], vec![false; game_kills]].concat();
    thread::sleep(Duration::from_millis(800));
    while !blows.is_empty() {
        thread::sleep(Duration::from_millis(300 + chance.below(500) as u64));
        let is_director = blows.swap_remove(chance.below(blows.len()));
        let away = Duration::from_millis(chance.below(300) as u64);
        if is_director {
            serving.kill();
            thread::sleep(away);
            serving = Serving::start(&stage, &address, &bout.serve());
            assert_eq!(serving.told["restored"], games, "every session goes on");
        } else {
            let number = chance.below(games);
            children[number].kill().expect("killed");
            children[number].wait().expect("gone");
            thread::sleep(away);
            children[number] = game(&stage, number, &address);
        }
    }
    for child in &mut children {
        assert_eq!(ended(child), Some(0), "a game ends in order");
    }
    assert_eq!(serving.terminate(), Some(0));
    let mut unknown = 0;
    for number in 0..games {
        let (started, left_open) = judge(&stage, number, bout, game_kills > 0);
        assert!(started >= bout.least.1, "game {number} started only {started}");
        unknown += left_open;
    }
    (stage, unknown)
}

fn journals(stage: &Stage) -> Vec<PathBuf> {
    let entries = fs::read_dir(stage.path("journals/ended")).expect("there are some");
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn a_director_that_is_killed_again_and_again_loses_nothing() {
    play(&Bout::drill(), 3, 5, 0, 1);
}

#[test]
fn a_game_that_is_killed_goes_on_from_its_save_and_repeats_nothing() {
    let (_, unknown) = play(&Bout::drill(), 2, 0, 4, 2);
    assert!(unknown > 0, "something was started after a save and never reported");
}

#[test]
fn characters_that_plan_bear_it_that_both_sides_die() {
    play(&Bout::chores("cast"), 2, 3, 2, 4);
}

#[test]
fn a_story_that_plans_bears_it_that_both_sides_die() {
    play(&Bout::chores("repair"), 2, 3, 2, 5);
}

#[test]
fn schedules_bear_it_that_both_sides_die() {
    play(&Bout::chores("conductor"), 2, 3, 2, 6);
}

#[test]
fn both_sides_die_and_an_altered_journal_is_found_out() {
    let (stage, _) = play(&Bout::drill(), 1, 3, 2, 3);
    let journal = journals(&stage).pop().expect("one");
    let (_, path) = segment::list(&journal).expect("segments").pop().expect("one");
    let name = journal.display().to_string();
    let whole = fs::read(&path).expect("read");
    let records: Vec<Record> =
        SegmentReader::open(&path).expect("it opens").map(|found| found.expect("it is whole").0).collect();
    let parting = |altered: &[u8]| {
        fs::write(&path, altered).expect("written");
        let (code, told) = stage.json(&["replay", &name]);
        assert_eq!((code, &told["identical"]), (1, &Value::Bool(false)), "{told}");
        told["parting"].clone()
    };
    // A byte.
    let mut altered = whole.clone();
    let last: usize = records.iter().skip(records.len() * 2 / 3).map(|record| record.to_bytes().len()).sum();
    // Length and checksum come first; it is what was written that is altered.
    let place = whole.len() - last + 10;
    altered[place] ^= 1;
    let told = parting(&altered);
    assert!(
        told["tick"].as_i64().expect("a tick") > 0 && told["what"].as_str().expect("words").contains("checksum"),
        "{told}"
    );
    // A budget of a planner that worked in a thread, by somebody who mends every checksum.
    let (mut written, mut inputs, mut tick_of, mut chained) = (Vec::new(), 0_u64, None, 0);
    for record in &records {
        let mut record = record.clone();
        if let Record::Input { chain, input, .. } = &mut record {
            inputs += 1;
            *chain = chained;
            if let Input::End { units, .. } = input
                && inputs > 300
                && tick_of.is_none()
            {
                *units += 1;
                tick_of = Some(inputs);
            }
        }
        let bytes = record.to_bytes();
        chained = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]);
        written.extend(bytes);
    }
    let told = parting(&written);
    assert_eq!(told["input"].as_u64(), tick_of, "{told}");
    assert!(
        told["tick"].as_i64().expect("a tick") > 0 && told["what"].as_str().expect("words").contains("budget"),
        "{told}"
    );
    fs::write(&path, whole).expect("written");
    assert_eq!(stage.run(&["replay", &name]).code, 0, "and as it was, it is identical");
}

/// The script that shows it, and what the document says that it prints: the same but for figures.
#[test]
fn the_transcript_in_the_documents_is_true() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let document = fs::read_to_string(root.join("docs/saves.md")).expect("the document");
    let shown = document.split("$ docs/kill-and-resume.sh\n").nth(1).and_then(|rest| rest.split("```").next());
    let ran = std::process::Command::new(root.join("docs/kill-and-resume.sh"))
        .env("DRAMATURG", common::program())
        .output()
        .expect("it runs");
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{printed}{}", String::from_utf8_lossy(&ran.stderr));
    let shape = |text: &str| {
        let figures = text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter });
        let mut shape: String = figures.collect();
        while shape.contains("00") {
            shape = shape.replace("00", "0");
        }
        shape
    };
    assert_eq!(shape(&printed), shape(shown.expect("a transcript")));
    assert!(printed.contains("\n0 tasks were started twice\n") && printed.contains("1 session goes on"), "{printed}");
    let numbers: Vec<&str> = printed.lines().last().expect("a line").split(' ').collect();
    assert_eq!(numbers[0], numbers[4], "every task that was sent has an end: {printed}");
}
