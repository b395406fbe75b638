//! Steps that ask before they are performed, tasks that are done as a whole, and lines in the language of the game.

mod common;

use std::sync::Arc;

use common::stage::Stage;
use dramaturg_director::{Director, EventKind};
use dramaturg_executor::scripted::What;
use dramaturg_model::{Model, Plan, Tick};
use dramaturg_story::{MemoryFiles, compile};

const STORY: &str = "story \"Inn\" { ticks 60 per s }
type Person { hands: actuator; voice: actuator }
object mara \"Mara\": Person
fluent served, gone
fluent cups: int 0..9
action serve(who: Person) {
  takes 10 ticks
  uses who.hands, who.voice
  ask player \"Shall {who} pour?\" @pour answers yes \"Yes.\" @pour.yes, no \"No.\" @pour.no, later \"Later.\" @pour.later
  then served, cups += 1
  say \"{who} pours {cups} already.\" @poured
}
task leave { method if served { then gone; say \"The door.\" @door } }
";

const GERMAN: &str = "-name-mara = { $case ->\n   *[n] die Mara\n    [a] der Mara\n }\npoured = { $who } gießt ein, { $cups ->\n    [0] zum ersten Mal\n   *[other] schon wieder\n }.\npour = Soll { $who } einschenken?\npour-yes = Ja.\n";

fn model() -> Arc<Model> {
    let files = [("inn.story", STORY), ("lang/de.ftl", GERMAN)];
    let files = MemoryFiles(files.into_iter().map(|(path, text)| (path.to_owned(), text.into())).collect());
    let compiled = compile("inn.story", &files);
    assert!(compiled.is_usable(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.model)
}

struct Inn(Stage);

impl Inn {
    fn new(plan: &[(&str, &[&str], Tick, Tick)]) -> Self {
        let mut steps = Plan::default();
        for (action, args, start, duration) in plan {
            steps.add(*action, args.iter().copied(), *start, *duration);
        }
        let mut stage = Stage::new(model(), &steps);
        stage.game.answer_after(5);
        Self(stage)
    }

    fn run(&mut self, until: Tick) {
        self.0.until(until);
    }

    /// What the game was told to do, ask and show.
    fn told(&self) -> Vec<String> {
        let told = self.0.game.transcript().iter().filter_map(|happening| match &happening.what {
            What::Started { action, actuator, .. } => {
                Some(format!("{action} {} part {}", actuator.as_deref().unwrap_or("-"), happening.task?.part))
            }
            What::Asked { text, answers, .. } => Some(format!("{text} [{}]", answers.join(", "))),
            What::Shown { text, .. } => Some(text.clone()),
            _ => None,
        });
        told.collect()
    }

    fn holds(&self, fluent: &str) -> bool {
        let world = self.0.director.core().chronicle().present();
        let found = self.0.director.core().model().find_relation(fluent).expect("a fluent");
        world.state().get(found, &[]).is_true()
    }
}

#[test]
fn a_step_that_asks_is_performed_after_the_answer_and_not_before() {
    let mut inn = Inn::new(&[("serve", &["mara"], 20, 10)]);
    inn.run(25);
    assert_eq!(inn.told(), ["Shall Mara pour? [yes, no, later]"]);
    inn.run(34);
    assert!(!inn.holds("served"));
    inn.run(60);
    assert_eq!(
        inn.told(),
        [
            "Shall Mara pour? [yes, no, later]",
            "serve mara.hands part 1",
            "serve mara.voice part 2",
            "Mara pours 0 already."
        ]
    );
    assert!(inn.holds("served"));
    assert!(inn.0.director.core().board().entries().next().is_none());
}

#[test]
fn no_gives_it_up_and_later_asks_again() {
    let mut inn = Inn::new(&[("serve", &["mara"], 20, 10)]);
    inn.0.game.answer("serve", "no");
    inn.run(300);
    assert_eq!(inn.told().len(), 1);
    assert!(!inn.holds("served") && inn.0.director.core().board().entries().next().is_none());
    let mut inn = Inn::new(&[("serve", &["mara"], 20, 10)]);
    inn.0.game.answer("serve", "later");
    inn.run(60);
    inn.0.game.answer("serve", "yes");
    inn.run(300);
    assert_eq!(inn.told().iter().filter(|told| told.contains("Shall")).count(), 2, "{:?}", inn.told());
    assert!(inn.holds("served"));
}

#[test]
fn a_save_in_the_middle_of_a_question_changes_nothing() {
    let mut inn = Inn::new(&[("serve", &["mara"], 20, 10)]);
    inn.run(23);
    let save = inn.0.director.save();
    let model = Arc::clone(inn.0.director.core().model());
    let options = inn.0.director.core().options().clone();
    let known = dramaturg_planners::loader();
    let (loaded, report) = Director::load(model, options, &save, known).expect("it loads");
    assert!(report.is_clean(), "{report:?}");
    inn.0.director = loaded;
    inn.run(60);
    assert!(inn.holds("served"), "{:?}", inn.told());
}

#[test]
fn a_task_is_done_as_a_whole_and_only_if_a_method_applies() {
    let mut inn = Inn::new(&[("leave", &[], 10, 1), ("serve", &["mara"], 20, 10)]);
    inn.run(60);
    assert!(!inn.holds("gone"));
    let blocked = inn.0.events.iter().find_map(|(_, event)| match event {
        EventKind::Blocked { why, .. } => Some(why.as_str()),
        _ => None,
    });
    assert_eq!(blocked, Some("none of its methods applies; wanted `served` true, found false"));
    inn.0.executor.set_goals(None, vec!["goal done leave".to_owned(), "goal gone".to_owned()]);
    inn.run(80);
    assert!(inn.holds("gone"));
    assert_eq!(inn.told().last().map(String::as_str), Some("The door."));
    let replies: Vec<bool> = inn
        .0
        .events
        .iter()
        .filter_map(|(_, event)| match event {
            EventKind::GoalReply { accepted, .. } => Some(*accepted),
            _ => None,
        })
        .collect();
    assert_eq!(replies, [true, false]);
}

#[test]
fn lines_and_questions_are_in_the_language_of_the_game() {
    let mut inn = Inn::new(&[("serve", &["mara"], 20, 10), ("leave", &[], 70, 1)]);
    inn.run(3);
    inn.0.executor.set_language("de-AT");
    inn.run(90);
    // What a translation lacks is told in the story's own words.
    assert_eq!(
        inn.told(),
        [
            "Soll die Mara einschenken? [yes, no, later]",
            "serve mara.hands part 1",
            "serve mara.voice part 2",
            "die Mara gießt ein, zum ersten Mal.",
            "leave - part 0",
            "The door."
        ]
    );
    inn.0.executor.set_language("fr");
    inn.run(95);
    let faults = inn.0.game.transcript().iter().filter(|happening| matches!(happening.what, What::Fault(_))).count();
    assert_eq!(faults, 1);
}
