//! `dramaturg fmt`.

mod common;

use common::Stage;
use expect_test::expect;

const LOOSE: &str = "story   \"Bell\"\nfluent rung // by anybody\naction ring{then rung;say\"It rings.\"}\n";
const NEAT: &str = "story \"Bell\"\nfluent rung // by anybody\naction ring { then rung; say \"It rings.\" }\n";

#[test]
fn files_are_formatted_in_place_once() {
    let stage =
        Stage::with(&[("a/bell.story", LOOSE), ("a/deep/bell.story", LOOSE), ("a/bell.play", "play \"x\"{finish}\n")]);
    let run = stage.run(&["fmt", "a"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(stage.read("a/bell.story"), NEAT);
    assert_eq!(stage.read("a/deep/bell.story"), NEAT);
    assert_eq!(stage.read("a/bell.play"), "play \"x\" { finish }\n");
    let again = stage.run(&["fmt", "a"]);
    assert!(again.err.contains("3 files already in the one layout"), "{}", again.err);
    let names: Vec<_> = std::fs::read_dir(stage.path("a")).expect("listed").collect();
    assert_eq!(names.len(), 3, "no drafts are left behind");
}

#[test]
fn check_shows_a_diff_and_changes_nothing() {
    let stage = Stage::with(&[("bell.story", LOOSE)]);
    let run = stage.run(&["fmt", "--check", "bell.story"]);
    assert_eq!(run.code, 1);
    assert_eq!(stage.read("bell.story"), LOOSE);
    expect![[r#"
        --- bell.story
        +++ bell.story
        @@ -1,3 +1,3 @@
        -story   "Bell"
        +story "Bell"
         fluent rung // by anybody
        -action ring{then rung;say"It rings."}
        +action ring { then rung; say "It rings." }
    "#]]
    .assert_eq(&run.out);
    let (code, json) = stage.json(&["fmt", "--check", "bell.story"]);
    assert_eq!((code, &json["files"][0]["result"]), (1, &"would-change".into()));
}

#[test]
fn standard_input_goes_to_standard_output() {
    let stage = Stage::new();
    let run = stage.run_with(&["fmt", "-"], LOOSE.as_bytes());
    assert_eq!((run.code, run.out.as_str()), (0, NEAT));
    let run = stage.run_with(&["fmt", "-", "--stdin-name", "x.play"], b"play \"x\"{finish}");
    assert_eq!((run.code, run.out.as_str()), (0, "play \"x\" { finish }\n"));
    let broken = "story \"Bell\nfluent";
    let run = stage.run_with(&["fmt", "-"], broken.as_bytes());
    assert_eq!((run.code, run.out.as_str()), (1, broken), "what cannot be read is handed back");
}

#[test]
fn a_faulty_file_is_left_as_it_is() {
    for text in ["action {{ then\n".as_bytes(), b"story \"\xFF\"\nfluent   a\n"] {
        let stage = Stage::new();
        stage.write("bad.story", text);
        let run = stage.run(&["fmt", "bad.story"]);
        assert_eq!(run.code, 1, "{}", run.err);
        assert_eq!(std::fs::read(stage.path("bad.story")).expect("read"), text);
    }
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::with(&[("real.story", LOOSE)]);
    let real = stage.path("real.story");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink(&real, stage.path("link.story")).expect("linked");
    assert_eq!(stage.run(&["fmt", "link.story"]).code, 0);
    assert_eq!(stage.read("real.story"), NEAT);
    assert!(stage.path("link.story").is_symlink());
    assert_eq!(std::fs::metadata(real).expect("read").permissions().mode() & 0o777, 0o640);
}
