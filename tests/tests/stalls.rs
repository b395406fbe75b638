//! After any stall the session is back to its undisturbed rate of starts within two seconds of the stall's end.

use dramaturg_tests::sim::recovery;

#[test]
fn a_stall_is_only_a_stall() {
    let (mut before, mut after, mut late) = (0, 0, 0);
    for seed in 1..=1_000 {
        let found = recovery(seed);
        assert!(found.before >= 25, "seed {seed} is too easy: {found:?}");
        assert!(found.after * 10 >= found.before * 9, "seed {seed}: {found:?}");
        before += found.before;
        after += found.after;
        late += found.late;
    }
    println!("1000 stalls: {before} starts before, {after} after, {late} of them late");
    assert!(late * 1_000 <= after, "{late} of {after} starts after a stall were late");
}
