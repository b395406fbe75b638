//! Which way of repairing is tried next: each defect class prefers what has helped it before.

use dramaturg_model::Chance;
use serde::{Deserialize, Serialize};

/// How much a class of defects likes each way of repairing, and what it did last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    /// At least 1 each.
    weights: Vec<i64>,
    /// What the next failure of each way costs it; it doubles from failure to failure.
    penalties: Vec<i64>,
    /// What was tried last, and how much was missing then.
    last: Option<(usize, i64)>,
}

impl Preference {
    /// No preference among so many ways.
    pub fn new(ways: usize) -> Self {
        Self { weights: vec![1; ways], penalties: vec![FIRST_PENALTY; ways], last: None }
    }

    /// How much is missing now shows whether what was tried last has helped.
    pub fn judge(&mut self, missing: i64) {
        let Some((way, before)) = self.last else { return };
        let Some((weight, penalty)) = self.weights.get_mut(way).zip(self.penalties.get_mut(way)) else { return };
        if missing < before {
            *weight += 1;
            *penalty = FIRST_PENALTY;
        } else {
            *weight = (*weight - *penalty).max(1);
            // More than a weight can ever be is enough.
            *penalty = penalty.saturating_mul(2).min(1 << 32);
        }
    }

    /// Picks a way with luck, the better liked ones more often, and remembers how much is missing.
    pub fn pick(&mut self, missing: i64, chance: &mut Chance) -> usize {
        let all: i64 = self.weights.iter().sum();
        let mut left = chance.below(usize::try_from(all).unwrap_or(1)) as i64;
        let found = self.weights.iter().position(|weight| {
            left -= weight;
            left < 0
        });
        let way = found.unwrap_or(0);
        self.last = Some((way, missing));
        way
    }

    /// What was picked could not even be tried.
    pub fn regret(&mut self) {
        if let Some(weight) = self.last.take().and_then(|(way, _)| self.weights.get_mut(way)) {
            *weight = (*weight - 1).max(1);
        }
    }

    /// Forgets what was tried last: things have changed for other reasons.
    pub fn forget(&mut self) {
        self.last = None;
    }

    /// Forgets half of what was learnt: it has led nowhere.
    pub fn fade(&mut self) {
        self.weights.iter_mut().for_each(|weight| *weight = (*weight + 1) / 2);
    }
}

/// What the first failure after a success costs.
const FIRST_PENALTY: i64 = 2;

/// Goes back to the best that was found when it has not been bettered for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// So often; none: for ever.
    pub limit: Option<u32>,
    since: u32,
}

impl Patience {
    /// For so many tries without success; none: for ever.
    pub const fn new(limit: Option<u32>) -> Self {
        Self { limit, since: 0 }
    }

    /// One more try. Whether it is time to go back.
    pub fn is_over(&mut self, improved: bool) -> bool {
        self.since = if improved { 0 } else { self.since + 1 };
        let over = self.limit.is_some_and(|limit| self.since > limit);
        if over {
            self.since = 0;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Orc Quest: how often one plan of counted actions has enough performers, no pain, and takes 115 hours.
    fn orc_quest(seeds: u64, patience: Option<u32>) -> [u32; 3] {
        // Hours, pain, performers of each action.
        const ACTIONS: [[i64; 3]; 3] = [[2, 1, 1], [5, 4, 3], [1, -11, -10]];
        let mut counts = [0; 3];
        for seed in 0..seeds {
            // Over 60,000 seeds 96.0 % come out without pain and 42.4 % in 115 hours.
            let mut chance = Chance::new(1_000_000 + seed);
            // One class each for performers, pain and hours; an action of each kind more or less.
            let mut preferences: [Preference; 3] = std::array::from_fn(|_| Preference::new(6));
            let mut patience = Patience::new(patience);
            let mut plan = [0i64; 3];
            let (mut best, mut best_plan) = ([i64::MAX; 3], plan);
            for _ in 0..1000 {
                let sum =
                    |what: usize| plan.iter().zip(ACTIONS).map(|(count, action)| count * action[what]).sum::<i64>();
                let missing = [(5 - sum(2)).max(0), sum(1).max(0), sum(0)];
                let improved = missing < best;
                if improved {
                    (best, best_plan) = (missing, plan);
                }
                let over = patience.is_over(improved);
                if over {
                    plan = best_plan;
                    continue;
                }
                let class = missing.iter().position(|missing| *missing > 0).unwrap_or(2);
                let preference = &mut preferences[class];
                preference.judge(missing[class]);
                let way = preference.pick(missing[class], &mut chance);
                let count = &mut plan[way / 2];
                *count = (*count + if way.is_multiple_of(2) { 1 } else { -1 }).max(0);
            }
            counts[0] += u32::from(best[0] == 0);
            counts[1] += u32::from(best[..2] == [0, 0]);
            counts[2] += u32::from(best == [0, 0, 115]);
        }
        counts
    }

    #[test]
    fn the_orcs_find_enough_performers_without_pain() {
        let percent = |counts: [u32; 3]| counts.map(|count| f64::from(count) / 30.0);
        let plain = percent(orc_quest(3000, None));
        assert!(plain[0] >= 100.0 && plain[1] >= 94.0 && plain[2] >= 41.0, "{plain:?}");
        let patient = percent(orc_quest(3000, Some(30)));
        assert!(patient[2] >= 65.0, "{patient:?}");
    }
}
