//! What goes wrong: drawn for each operation from its name, so that all who perform it meet the same.

use dramaturg_model::{Chance, Tick};

/// How often things go wrong, in percent of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// An operation takes longer, by a tenth to as much again.
    pub delays: usize,
    /// A machine stands still for one to three times a usual operation, and goes on.
    pub breakdowns: usize,
    /// An operation fails and must be done again.
    pub failures: usize,
    /// Where chance begins.
    pub seed: u64,
}

impl Disturbance {
    /// Nothing goes wrong.
    pub const fn none() -> Self {
        Self { delays: 0, breakdowns: 0, failures: 0, seed: 0 }
    }

    /// A bad day: one operation in four does not go as planned.
    pub const fn bad_day(seed: u64) -> Self {
        Self { delays: 15, breakdowns: 6, failures: 4, seed }
    }
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It takes its time.
    Steady,
    /// So many ticks after its start it turns out to take so many ticks in all.
    Longer(Tick, Tick),
    /// So many ticks after its start it fails.
    Fails(Tick),
}

impl Fate {
    /// Drawn for an operation that was tried so often before; `usual` is how long operations take.
    pub fn draw(disturbance: &Disturbance, operation: &str, tries: u32, duration: Tick, usual: Tick) -> Self {
        let mut seed = disturbance.seed ^ 0xCBF2_9CE4_8422_2325;
        for byte in operation.bytes() {
            seed = (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        let mut chance = Chance::new(seed ^ (u64::from(tries) << 48));
        let moment = chance.below(duration.max(1) as usize) as Tick;
        let (lot, amount) = (chance.below(100), chance.below(1000) as Tick);
        let Disturbance { delays, breakdowns, failures, .. } = *disturbance;
        if lot < delays {
            Self::Longer(moment, duration + (duration * (100 + amount * 9 / 10) / 1000).max(1))
        } else if lot < delays + breakdowns {
            Self::Longer(moment, duration + usual + usual * amount / 500)
        } else if lot < delays + breakdowns + failures {
            Self::Fails(moment.max(1))
        } else {
            Self::Steady
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_goes_wrong_as_should_and_the_same_for_all() {
        let day = Disturbance::bad_day(5);
        let all: Vec<Fate> = (0..2_000).map(|n| Fate::draw(&day, &format!("op{n}"), 0, 60, 40)).collect();
        let longer = all.iter().filter(|fate| matches!(fate, Fate::Longer(..))).count();
        let fails = all.iter().filter(|fate| matches!(fate, Fate::Fails(_))).count();
        assert!((340..500).contains(&longer) && (40..130).contains(&fails), "{longer} {fails}");
        for fate in &all {
            match fate {
                Fate::Steady => {}
                Fate::Longer(from, ticks) => assert!(*from < 60 && (66..=180).contains(ticks), "{fate:?}"),
                Fate::Fails(at) => assert!((1..60).contains(at), "{fate:?}"),
            }
        }
        assert_eq!(Fate::draw(&day, "op7", 0, 60, 40), all[7]);
        let none = Disturbance::none();
        assert!((0..500).all(|n| Fate::draw(&none, &n.to_string(), 0, 60, 40) == Fate::Steady));
    }
}
