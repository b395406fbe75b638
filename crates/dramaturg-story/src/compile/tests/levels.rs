//! Levels, milestones, endings, and the files of a story.

use expect_test::expect;

use crate::testing::{compile_files, shown, shown_model, told_files};

#[test]
fn levels_lie_within_each_other() {
    expect![[r#"
        object paris "Paris": Person
        object dock "dock": Place [sparta]
        fluent Person.alive: yes or no = true
        fluent Person.at: home | abroad = home
        fluent peace: yes or no = true
        fluent drunk: yes or no = false [feast]
        level sparta
        level feast [sparta]
        level morning [sparta]
        level war
        milestone sobered when drunk next morning carrying [] [feast]
        milestone sailed when paris.at == abroad next war carrying ["alive", "peace"] [morning]
          then at start: peace = false
          say at start: test.sailed.say.1
        ending burnt when (not peace and paris.alive) [war]
          say at start: test.burnt.say.1
    "#]].assert_eq(&shown(
            r#"story "War"
             type Person { alive = true; at: home | abroad }
             character paris: Person
             fluent peace = true
             level sparta {
               object dock: Place
               type Place
               level feast {
                 fluent drunk
                 action drink(p: Person) by p { then drunk; say "{dock}" }
                 milestone sobered { when drunk; next morning }
               }
               level morning {
                 milestone sailed { when paris.at == abroad; then not peace; say "The oars dip."; next war carrying Person.alive, peace }
               }
             }
             level war { ending burnt { when not peace and paris.alive; say "It took ten years and one night." } }
             action sail(p: Person) by p { then p.at = abroad, not p.alive }"#,
            &["level", "object", "fluent", "milestone", "ending"],
        ));
}

#[test]
fn parts_are_put_together_in_order_of_use() {
    let root = "use \"cast\"\nstory \"Troy\"\nuse \"levels/\"\nuse \"cast\"\nfluent last\ngoal last and first";
    let cast = "type Person\nfluent first\naction go(p: Person) by p { then first, last }\nobject paris: Person\nuse \"levels/1-sparta\"";
    let sparta = "level sparta { use \"../deeds\"; milestone over { when feasted; next war } }";
    let files = [
        ("troy/troy.story", root),
        ("troy/cast.story", cast),
        ("troy/levels/1-sparta.story", sparta),
        ("troy/levels/2-war.story", "level war { use \"../deeds\"; goal last }"),
        ("troy/deeds.story", "fluent feasted\naction feast { then feasted }"),
        ("troy/unused.story", "nonsense"),
    ];
    let compiled = compile_files(&files);
    let order: Vec<&str> = compiled.sources.iter().map(|(_, file)| file.path.as_str()).collect();
    assert_eq!(
        order,
        [
            "troy/troy.story",
            "troy/cast.story",
            "troy/levels/1-sparta.story",
            "troy/levels/2-war.story",
            "troy/deeds.story"
        ]
    );
    assert_eq!(told_files(&files), "");
    expect![[r#"
        header "Troy" options None language None
        fluent first: yes or no = false
        fluent feasted: yes or no = false [sparta]
        fluent last: yes or no = false
        action go(p: Person) by $0
          takes 1
          then at end: first = true
          then at end: last = true
          uses 1 of $0 as a whole from start to end
        action feast [sparta]
          takes 1
          then at end: feasted = true
        level sparta
        level war
    "#]]
    .assert_eq(&shown_model(&compiled.model, &["fluent", "level", "action", "header"]));
}

#[test]
fn a_part_alone_is_only_parsed() {
    let part = compile_files(&[
        ("parts.story", "action go { then gone }\nuse \"nowhere\"\nuse \"other\""),
        ("other.story", "}"),
    ]);
    assert!(part.is_part);
    let codes: Vec<&str> = part.diagnostics.iter().map(|found| found.code.name).collect();
    assert_eq!(codes, ["unknown-file"]);
}

#[test]
fn a_missing_root_is_an_empty_part() {
    let nothing = crate::compile("nowhere.story", &crate::MemoryFiles::default());
    assert!(nothing.is_part && nothing.diagnostics.is_empty());
}
