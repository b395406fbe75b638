//! The way between two sides: frames are lost, doubled, delayed and overtake each other.

use dramaturg_model::Chance;

/// How bad the way is.
#[derive(Clone, Copy, Debug)]
pub struct Weather {
    /// One frame in so many is lost; 0: none.
    pub loses: usize,
    /// One frame in so many comes twice; 0: none.
    pub doubles: usize,
    /// The shortest time of a journey, in microseconds.
    pub least: i64,
    /// How much longer it may take.
    pub jitter: i64,
}

/// One direction of a link.
pub struct Air {
    flying: Vec<(i64, u64, Vec<u8>)>,
    number: u64,
    /// Nothing arrives before this moment; so many microseconds lie between two frames that waited; so many wait.
    held: (i64, i64, i64),
    /// Frames that did not arrive as they were sent.
    pub faults: u64,
}

impl Air {
    pub fn new() -> Self {
        Self { flying: Vec::new(), number: 0, held: (i64::MIN, 0, 0), faults: 0 }
    }

    pub fn send(&mut self, now: i64, frame: &[u8], weather: &Weather, chance: &mut Chance) {
        if weather.loses > 0 && chance.below(weather.loses) == 0 {
            self.faults += 1;
            return;
        }
        let twice = weather.doubles > 0 && chance.below(weather.doubles) == 0;
        self.faults += u64::from(twice);
        for _ in 0..1 + usize::from(twice) {
            let at = now + weather.least + chance.below(weather.jitter as usize + 1) as i64;
            let at = self.queued(at);
            self.number += 1;
            self.flying.push((at, self.number, frame.to_vec()));
        }
    }

    /// What would arrive before a moment waits until then, and comes in order.
    pub fn hold(&mut self, now: i64, until: i64, spacing: i64) {
        self.held = (until.max(self.held.0), spacing, 0);
        let mut flying = std::mem::take(&mut self.flying);
        flying.sort_by_key(|(at, number, _)| (*at, *number));
        for (at, ..) in &mut flying {
            if *at > now {
                *at = self.queued(*at);
            }
        }
        self.flying = flying;
    }

    /// Until when frames arrive later than the way takes.
    pub fn held_until(&self) -> i64 {
        let (until, spacing, waiting) = self.held;
        until.saturating_add(spacing * waiting)
    }

    fn queued(&mut self, at: i64) -> i64 {
        let (until, spacing, waiting) = &mut self.held;
        if at >= *until + *spacing * *waiting {
            return at;
        }
        *waiting += 1;
        *until + *spacing * (*waiting - 1)
    }

    /// What has arrived by now.
    pub fn arrived(&mut self, now: i64) -> Vec<Vec<u8>> {
        let mut due: Vec<_> = self.flying.extract_if(.., |(at, ..)| *at <= now).collect();
        due.sort_by_key(|(at, number, _)| (*at, *number));
        due.into_iter().map(|(.., frame)| frame).collect()
    }

    /// The link is cut: what is under way is gone.
    pub fn cut(&mut self) {
        self.faults += self.flying.len() as u64;
        self.flying.clear();
    }
}
