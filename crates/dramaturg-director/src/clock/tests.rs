//! What the clock believes, and what it does not.

use super::*;

/// Reports every `every` ticks at `rate`, each delayed by what `delay` says; returns the share of moments at which the
/// truth lay outside the bounds.
fn outside(rate: i64, every: i64, delay: &mut dyn FnMut(i64) -> i64, most: i64, pause: Option<i64>) -> f64 {
    let mut clock = ClockEstimate::new(60_000, true);
    let mut air: Vec<(i64, i64)> = Vec::new();
    let (mut asked, mut wrong) = (0, 0);
    let mut tick = 0;
    for now in (0..30_000_000).step_by(1_000) {
        let stands = pause.is_some_and(|from| (from..from + 3_000_000).contains(&now));
        let gone = pause.filter(|from| now >= *from).map_or(0, |from| (now - from).min(3_000_000));
        let truth = (now - gone) * rate / 1_000_000;
        if truth > tick && !stands {
            tick = truth;
            if tick % every == 0 {
                air.push((now + delay(tick), tick));
            }
        }
        air.retain(|(at, tick)| {
            if *at <= now {
                clock.hear(*tick, *at, SentAfter::Assumed(*at - most), most);
            }
            *at > now
        });
        let settled = pause.is_none_or(|from| !(from..from + 4_500_000).contains(&now));
        if now > 2_000_000 && settled {
            let bounds = clock.bounds(now, most);
            asked += 1;
            wrong += i32::from(truth < bounds.least || truth > bounds.most);
        }
    }
    f64::from(wrong) / f64::from(asked)
}

#[test]
fn the_truth_lies_within_the_bounds() {
    let mut chance = dramaturg_model::Chance::new(7);
    let mut jitter = |_| 2_000 + chance.below(30_000) as i64;
    assert_eq!(outside(60, 12, &mut |_| 0, 0, None), 0.0);
    assert_eq!(outside(60, 12, &mut |_| 16_667, 16_667, None), 0.0);
    assert_eq!(outside(60, 12, &mut jitter, 32_000, None), 0.0);
}

#[test]
fn a_tick_is_reached_when_the_later_bound_says_so() {
    let mut clock = ClockEstimate::new(60_000, true);
    assert_eq!(clock.reaches(10, 0), None);
    for (tick, now) in [(0, 700), (12, 200_700), (24, 400_900)] {
        clock.hear(tick, now, SentAfter::Assumed(now - 16_667), 16_667);
    }
    for tick in 25..200 {
        let at = clock.reaches(tick, 16_667).expect("it runs");
        assert_eq!(clock.bounds(at, 16_667).most, tick);
        assert_eq!(clock.bounds(at - 1, 16_667).most, tick - 1);
    }
    clock.pause(24);
    assert_eq!(clock.reaches(30, 0), None);
}

/// The simulator's seed 1091295: frames dropped twice within a moment are not another pace.
#[test]
fn frames_that_were_dropped_are_soon_forgotten() {
    for dropped in 1..20 {
        for at in (5_000_000..6_000_000).step_by(50_000) {
            let mut clock = ClockEstimate::new(60_000, true);
            clock.resume(0, 30_000, 0);
            let mut told = 0;
            for now in (0..11_000_000).step_by(4_167) {
                // The frames that were dropped are ahead of their time, and the next one waits until it has come.
                let steady = now * 30 / 1_000_000;
                let truth = if now >= at { steady.max(at * 30 / 1_000_000 + dropped) } else { steady };
                if truth - told >= 7 {
                    told = truth;
                    clock.hear(truth, now + 2_000, SentAfter::Assumed(now - 33_000), 35_000);
                }
                let bounds = clock.bounds(now + 2_000, 35_000);
                let is_right = (bounds.least - 1..=bounds.most + 1).contains(&truth);
                let is_quiet = now < at || now > at + 4_000_000 + dropped * 33_334;
                assert!(is_right || !is_quiet, "{dropped} at {at}: {truth} at {now}, but {bounds:?}");
            }
        }
    }
}

#[test]
fn it_follows_a_game_that_pauses_or_has_another_pace_without_saying_so() {
    assert!(outside(60, 12, &mut |_| 5_000, 5_000, Some(10_000_000)) < 0.01);
    assert!(outside(50, 12, &mut |_| 5_000, 20_000, None) < 0.05);
    assert!(outside(75, 12, &mut |_| 5_000, 20_000, None) < 0.05);
}

/// What holds something up for a while.
#[derive(Clone, Copy, Debug)]
enum Stall {
    /// The link keeps everything that is sent, either way, and delivers it at once.
    Link,
    /// The game stands still without saying so, and has lost the time.
    GameLoses,
    /// The game stands still, and skips to the tick that it should be in.
    GameSkips,
    /// The game stands still, and runs the ticks that it owes as fast as it can.
    GameHurries,
    /// The director stands still: what arrives waits, and no ping is sent.
    Director,
}

/// One stall from 5 s on; the error of the bounds from a second after its end on, in ticks, and the range of paces that
/// were ever believed.
fn stalled(stall: Stall, length: i64, delay: i64, said: u32, seed: u64) -> (i64, (u32, u32)) {
    let mut chance = dramaturg_model::Chance::new(seed);
    let most = 2 * delay + 20_000;
    let mut clock = ClockEstimate::new(said, true);
    clock.resume(0, said, 0);
    let rate = i64::from(said);
    let (from, until) = (5_000_000, 5_000_000 + length);
    let mut to_game: Vec<(i64, i64)> = Vec::new();
    let mut to_director: Vec<(i64, i64, Option<i64>)> = Vec::new();
    let (mut pinged, mut tick, mut told, mut error) = (0, 0, 0, 0);
    let mut paces = (u32::MAX, 0);
    for now in (0..until + 6_000_000).step_by(1_000) {
        let in_stall = (from..until).contains(&now);
        let game_stands = in_stall && matches!(stall, Stall::GameLoses | Stall::GameSkips | Stall::GameHurries);
        let lost = if matches!(stall, Stall::GameLoses) { (now - from).clamp(0, length) } else { 0 };
        let truth = (now - lost) * rate / 1_000_000_000;
        let arrives = |sent: i64, chance: &mut dramaturg_model::Chance| {
            let plain = sent + delay + chance.below(5_000) as i64;
            if matches!(stall, Stall::Link) && plain >= from && sent < until { plain.max(until) } else { plain }
        };
        if !game_stands {
            tick = if matches!(stall, Stall::GameHurries) && tick < truth - 20 { tick + 20 } else { truth };
            let asked: Vec<i64> = to_game.extract_if(.., |(at, _)| *at <= now).map(|(_, sent)| sent).collect();
            let mut say = |answers| to_director.push((arrives(now, &mut chance), tick, answers));
            asked.into_iter().for_each(|sent| say(Some(sent)));
            if tick - told >= 12 {
                told = tick;
                say(None);
            }
        }
        if in_stall && matches!(stall, Stall::Director) {
            continue;
        }
        let mut heard: Vec<_> = to_director.extract_if(.., |(at, ..)| *at <= now).collect();
        heard.sort_by_key(|(at, ..)| *at);
        for (_, tick, answers) in heard {
            clock.hear(tick, now, answers.map_or(SentAfter::Unknown, SentAfter::Ping), most);
        }
        if now >= pinged + 200_000 {
            pinged = now;
            to_game.push((arrives(now, &mut chance), now));
        }
        paces = (paces.0.min(clock.rate_milli()), paces.1.max(clock.rate_milli()));
        if now > 1_000_000 && !(from..until + 1_000_000).contains(&now) {
            let bounds = clock.bounds(now, most);
            error = error.max(bounds.least - truth).max(truth - bounds.most);
            assert!(bounds.most - bounds.least <= clock.ticks(most) + 2, "{bounds:?}");
        }
    }
    (error, paces)
}

#[test]
fn a_stall_is_only_a_stall() {
    let mut chance = dramaturg_model::Chance::new(15);
    for seed in 0..300 {
        let stalls = [Stall::Link, Stall::GameLoses, Stall::GameSkips, Stall::GameHurries, Stall::Director];
        let stall = stalls[chance.below(stalls.len())];
        let longest = [400_000, 3_000_000, 29_900_000][chance.below(3)];
        let length = 100_000 + chance.below(longest) as i64;
        let delay = 100 + chance.below(60_000) as i64;
        let said = [30_000, 60_000, 75_000][chance.below(3)];
        let (error, paces) = stalled(stall, length, delay, said, seed);
        assert!(error <= 1, "{stall:?} of {length}, delay {delay}, {said}: {error} ticks off a second later");
        let near = said * 9 / 10..=said * 11 / 10;
        assert!(near.contains(&paces.0) && near.contains(&paces.1), "{stall:?} of {length}: paces {paces:?}");
    }
}

#[test]
fn no_report_moves_the_clock_further_than_the_clock_allows() {
    let mut clock = ClockEstimate::new(60_000, true);
    clock.resume(0, 60_000, 0);
    assert_eq!(clock.furthest(0), 72 * 3600 * 60);
    assert_eq!(clock.furthest(10_000_000), 72 * 3600 * 60 + 600, "time that was seen to pass counts on top");
    assert_eq!(ClockEstimate::new(u32::MAX, true).furthest(0), 72 * 3600 * 1000, "no pace is faster");
}

#[test]
fn reports_that_waited_for_a_turn_cast_no_doubt() {
    let report = |late: Moment| {
        let mut clock = ClockEstimate::new(60_000, true);
        for tick in (0..240).step_by(12) {
            clock.hear(tick, tick * 1_000_000 / 60, SentAfter::Unknown, 20_000);
        }
        // The next two are taken in together, a second after the second of them came.
        clock.turn(late);
        for tick in [240, 252] {
            clock.hear(tick, 5_200_000, SentAfter::Unknown, 20_000);
        }
        clock
    };
    assert!(report(0).is_doubtful(), "nothing explains why it came so late");
    let waited = report(1_000_000);
    assert!(!waited.is_doubtful());
    let truth = 5_200_000 * 60 / 1_000_000;
    let bounds = waited.bounds(5_200_000, 20_000);
    assert!((bounds.least..=bounds.most).contains(&truth), "{bounds:?} do not hold {truth}");
}
