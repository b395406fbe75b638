//! Two thousand seeds of everything that can go wrong, and proof that the simulator would notice if one mechanism were
//! missing.

use dramaturg_tests::sim::{Broken, NAMES, Planned, Totals, run};

/// Seeds of longer runs that found faults: stalls that passed for slow links, a clock that kept to a tick which was not
/// proved, plans for a time in which the game was away.
const FOUND_FAULTS: [u64; 10] = [9_694, 16_333, 21_901, 36_087, 172_607, 251_310, 302_302, 412_815, 501_749, 780_845];

#[test]
fn nothing_is_lost_doubled_early_or_changed() {
    let mut totals = Totals::default();
    for seed in (1..=2_000).chain(FOUND_FAULTS) {
        let found = run(seed, Planned::Script, None).unwrap_or_else(|why| {
            panic!(
                "seed {seed} fails: {why}\nplay it again: \
                 cargo run --release -p dramaturg-tests --bin sim -- --seeds 1 --first {seed}"
            )
        });
        // While something stands still, or a deliberation takes long, a part of the script passes by.
        let least = if found.stalls > 0 { 10 } else { 30 };
        let is_hard = found.ticks >= 600 && found.tasks + found.recorded >= least && found.faults >= 3;
        assert!(is_hard, "seed {seed} is too easy: {found:?}");
        totals.add(&found);
    }
    println!("{} seeds: {totals:?}", 2000 + FOUND_FAULTS.len());
    assert!(totals.tasks > 120_000 && totals.stalls > 1_500, "{totals:?}");
    assert!(totals.director_crashes > 1_000 && totals.game_crashes > 1_000 && totals.resumed > 4_000, "{totals:?}");
}

#[test]
fn every_mechanism_is_needed() {
    for broken in [Broken::Resend, Broken::Lock, Broken::Dedupe, Broken::Clock, Broken::Journal, Broken::Stalls] {
        let found = (1..=10_000).find(|seed| run(*seed, Planned::Script, Some(broken)).is_err());
        assert!(found.is_some(), "nothing notices that {broken:?} is broken");
    }
}

/// What a real planner makes of a director or an executor that lacks a mechanism is noticed as well.
#[test]
fn every_mechanism_is_needed_by_every_planner() {
    for (name, planned) in NAMES.into_iter().filter(|(_, planned)| *planned != Planned::Script) {
        for broken in [Broken::Resend, Broken::Lock, Broken::Dedupe, Broken::Clock, Broken::Journal, Broken::Stalls] {
            let found = (1..=10_000).find(|seed| run(*seed, planned, Some(broken)).is_err());
            assert!(found.is_some(), "nothing notices that {broken:?} is broken beside the planner `{name}`");
            println!("{name}: {broken:?} fails at seed {found:?}");
        }
    }
}

/// Real planners under the same faults. `--bin sim -- --planner cast` plays as many as anybody wants.
#[test]
fn planners_bear_the_same_faults() {
    for (name, planned) in NAMES.into_iter().filter(|(_, planned)| *planned != Planned::Script) {
        let mut totals = Totals::default();
        let seeds = 100;
        for seed in 1..=seeds {
            let found = run(seed, planned, None).unwrap_or_else(|why| {
                panic!(
                    "{name}, seed {seed} fails: {why}\nplay it again: \
                     cargo run --release -p dramaturg-tests --bin sim -- --planner {name} --seeds 1 --first {seed}"
                )
            });
            totals.add(&found);
        }
        println!("{name}: {totals:?}");
        assert!(totals.finished > 20 * seeds && totals.director_crashes > seeds / 3, "{totals:?}");
    }
}
