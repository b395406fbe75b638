//! The table of the critical time window: how surely each way of sending brings 4,000 tasks to their ticks.

use dramaturg_bench::runtime::{PolicyFigures, PolicyRun};
use dramaturg_director::{Policy, critical_window};

const POLICIES: [Policy; 3] = [Policy::Paper, Policy::Closed, Policy::Decoupled];

fn table(change: impl Fn(&mut PolicyRun)) -> [PolicyFigures; 3] {
    POLICIES.map(|policy| {
        let mut run = PolicyRun::paper_setting(policy);
        change(&mut run);
        let figures = run.run();
        println!("{policy:?}: {figures:?}");
        assert_eq!(figures.on_time + figures.late + figures.lost, figures.tasks);
        figures
    })
}

fn counts(figures: &PolicyFigures) -> (usize, usize, usize) {
    (figures.on_time, figures.late, figures.lost)
}

#[test]
fn the_window_is_as_the_paper_has_it() {
    for (omega, upsilon, mu, window) in [(60, 12, 1, (75, 134)), (12, 6, 1, (21, 32))] {
        assert_eq!(critical_window(0, omega, upsilon, mu), window);
        let (least, most) = critical_window(1_000, omega, upsilon, mu);
        assert_eq!((least, most), (1_000 + window.0, 1_000 + window.1));
        assert_eq!(most - least + 1, omega, "its width is ω");
    }
}

#[test]
fn in_the_papers_setting_everything_is_on_time() {
    let [paper, closed, decoupled] = table(|_| {});
    for figures in [&paper, &closed, &decoupled] {
        assert_eq!(counts(figures), (4_000, 0, 0));
    }
    assert!((30.0..35.0).contains(&paper.lock_lead_ticks_mean), "{paper:?}");
    assert!(closed.lock_lead_ticks_mean > paper.lock_lead_ticks_mean, "{closed:?}");
    assert_eq!(decoupled.lock_lead_ticks_mean, 3.0);
    assert!(paper.lock_lead_ticks_mean >= 10.0 * decoupled.lock_lead_ticks_mean);
}

#[test]
fn with_another_cycle_the_papers_windows_leave_gaps() {
    let [paper, closed, decoupled] = table(|run| {
        run.omega = 50;
        run.cycle = if run.policy == Policy::Decoupled { 3 } else { 50 };
    });
    assert!((60..260).contains(&paper.lost) && paper.late == 0, "{paper:?}");
    assert_eq!(counts(&closed), (4_000, 0, 0));
    assert_eq!(counts(&decoupled), (4_000, 0, 0));
}

#[test]
fn jitter_loses_tasks_only_in_the_papers_way() {
    let [paper, closed, decoupled] = table(|run| {
        run.mu = 6;
        run.jitter = true;
    });
    assert!(paper.lost > 0, "{paper:?}");
    assert_eq!(counts(&closed), (4_000, 0, 0));
    assert_eq!(counts(&decoupled), (4_000, 0, 0));
    assert!(decoupled.lock_lead_ticks_mean < 20.0, "{decoupled:?}");
}

#[test]
fn cycles_that_take_too_long_lose_nothing_in_silence() {
    let [paper, closed, decoupled] = table(|run| {
        run.overruns = 50;
        run.seed = 2;
    });
    assert!(paper.lost > 0, "{paper:?}");
    assert_eq!(closed.lost, 0, "{closed:?}");
    assert!(closed.late < 40, "{closed:?}");
    assert_eq!(counts(&decoupled), (4_000, 0, 0));
}

#[test]
fn a_failure_is_answered_ten_times_sooner() {
    let [paper, _, decoupled] = table(|run| {
        run.fails = true;
        run.tasks = 300;
        run.gap = 500;
    });
    assert!((70.0..120.0).contains(&paper.reaction_ticks_mean), "{paper:?}");
    assert!(paper.reaction_ticks_max <= 136, "the bound 2ω+υ+3μ+1: {paper:?}");
    assert!(decoupled.reaction_ticks_mean * 10.0 <= paper.reaction_ticks_mean, "{decoupled:?} against {paper:?}");
}
