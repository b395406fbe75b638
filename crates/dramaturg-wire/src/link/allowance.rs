//! What links hold of frames that have not come in full, each and together.
//!
//! A link may hold a little by itself. For a frame that is larger it reserves the whole of it out of a pool for all
//! links of its kind, so that none holds a part and waits for the rest while another does the same. A reservation is
//! only a number: buffers grow as bytes arrive.

use std::time::Instant;

use super::limits::{FRAME_BYTES_FREE, HELLO_BYTES_FREE, Limits};

/// What the numbers and lengths around a message take at most, on any link.
const AROUND_BYTES: u64 = 64;

/// The bytes that links of each kind may hold together.
#[derive(Debug)]
pub(crate) struct Pools {
    message_bytes_max: u64,
    hellos: Pool,
    frames: Pool,
}

#[derive(Debug)]
struct Pool {
    most: u64,
    used: u64,
}

/// What one link may hold.
#[derive(Debug, Default)]
pub(crate) struct Allowance {
    /// Whether its hello was accepted.
    admitted: bool,
    /// What it has out of the pool.
    granted: u64,
    /// Since when it has that.
    since: Option<Instant>,
}

/// What came of asking for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// The link may hold so many bytes now.
    Bytes(u64),
    /// The pool is empty.
    NoRoom,
    /// It has as much as it said it would need, and that is not enough.
    TooLarge,
}

impl Allowance {
    pub(crate) fn new(admitted: bool) -> Self {
        Self { admitted, granted: 0, since: None }
    }

    pub(crate) fn is_admitted(&self) -> bool {
        self.admitted
    }

    /// Since when it holds something that others may want.
    pub(crate) fn since(&self) -> Option<Instant> {
        self.since
    }

    /// How many bytes the link may hold.
    pub(crate) fn bytes(&self) -> u64 {
        let free = if self.admitted { FRAME_BYTES_FREE } else { HELLO_BYTES_FREE };
        u64::from(free) + self.granted
    }
}

impl Pools {
    pub(crate) fn new(limits: &Limits) -> Self {
        let message_bytes_max = u64::from(limits.message_bytes_max);
        // Two of the largest messages have room in any case: otherwise none could ever come.
        let frames_most = limits.frame_bytes_sum_max.max(2 * (message_bytes_max + AROUND_BYTES));
        Self {
            message_bytes_max,
            hellos: Pool { most: limits.hello_bytes_sum_max, used: 0 },
            frames: Pool { most: frames_most, used: 0 },
        }
    }

    fn of(&mut self, allowance: &Allowance) -> &mut Pool {
        if allowance.admitted { &mut self.frames } else { &mut self.hellos }
    }

    /// How many bytes a link needs for its frame: what the frame says, if that is known.
    pub(crate) fn need(&self, claimed: Option<u64>) -> u64 {
        let most = self.message_bytes_max + AROUND_BYTES;
        claimed.map_or(most, |claimed| claimed.saturating_add(AROUND_BYTES).min(most))
    }

    /// Lets a link hold as much as it needs.
    pub(crate) fn grant(&mut self, allowance: &mut Allowance, need: u64, now: Instant) -> Grant {
        let have = allowance.bytes();
        if have >= need {
            return Grant::TooLarge;
        }
        let more = need - have;
        let pool = self.of(allowance);
        if pool.used + more > pool.most {
            return Grant::NoRoom;
        }
        pool.used += more;
        allowance.granted += more;
        allowance.since.get_or_insert(now);
        Grant::Bytes(have + more)
    }

    /// A frame of so many bytes has come in full over a link that keeps its buffer: that much stays reserved, so that
    /// links which once had a large frame count too. They can be given up like those that hold part of one.
    pub(crate) fn keep(&mut self, allowance: &mut Allowance, bytes: u64, now: Instant) {
        let kept = allowance.granted.min(bytes);
        let rest = allowance.granted - kept;
        self.of(allowance).used -= rest;
        allowance.granted = kept;
        allowance.since = (kept > 0).then_some(now);
    }

    /// Takes back what a link had out of the pool.
    pub(crate) fn release(&mut self, allowance: &mut Allowance) {
        let granted = std::mem::take(&mut allowance.granted);
        self.of(allowance).used -= granted;
        allowance.since = None;
    }

    /// The hello of a link was accepted: what it holds counts among the frames of games from here on.
    pub(crate) fn admit(&mut self, allowance: &mut Allowance) {
        if !allowance.admitted {
            self.hellos.used -= allowance.granted;
            allowance.admitted = true;
            self.frames.used += allowance.granted;
        }
    }

    /// What is held out of both pools.
    #[cfg(test)]
    fn used(&self) -> (u64, u64) {
        (self.hellos.used, self.frames.used)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_link_may_hold_one_message_and_no_more() {
        let mut pools = Pools::new(&Limits::default());
        let mut link = Allowance::new(false);
        assert_eq!(link.bytes(), u64::from(HELLO_BYTES_FREE));
        let now = Instant::now();
        let need = pools.need(None);
        assert_eq!(need, (1 << 20) + AROUND_BYTES);
        assert_eq!(pools.need(Some(u64::MAX)), need);
        assert_eq!(pools.grant(&mut link, need, now), Grant::Bytes(need));
        assert_eq!(pools.grant(&mut link, need, now), Grant::TooLarge);
        assert_eq!(link.bytes(), need);
        pools.release(&mut link);
        assert_eq!((pools.used(), link.bytes(), link.since()), ((0, 0), u64::from(HELLO_BYTES_FREE), None));
    }

    #[test]
    fn a_game_holds_part_of_a_small_frame_without_asking_for_room() {
        let mut pools = Pools::new(&Limits::default());
        let mut link = Allowance::new(false);
        pools.admit(&mut link);
        assert_eq!((link.bytes(), link.since()), (u64::from(FRAME_BYTES_FREE), None), "more than before its hello");
        let need = pools.need(Some(u64::from(FRAME_BYTES_FREE) + 1));
        assert_eq!(pools.grant(&mut link, need, Instant::now()), Grant::Bytes(need));
        assert!(pools.used().1 > 0 && link.since().is_some(), "beyond that it takes part in the sum");
    }

    proptest! {
        /// Whatever links ask for and give back, no pool hands out more than it has, and all of it comes back.
        #[test]
        fn pools_never_hand_out_more_than_they_have(asks in proptest::collection::vec((0_usize..40, 0_u32..2_000_000), 0..2000)) {
            let limits = Limits { hello_bytes_sum_max: 3 << 20, frame_bytes_sum_max: 5 << 20, ..Limits::default() };
            let mut pools = Pools::new(&limits);
            let mut links: Vec<Allowance> = (0..40).map(|number| Allowance::new(number % 3 == 0)).collect();
            let now = Instant::now();
            for (number, what) in asks {
                let link = &mut links[number];
                match what % 8 {
                    0 => pools.release(link),
                    1 => pools.admit(link),
                    2 => pools.keep(link, u64::from(what / 2), now),
                    _ => {
                        let need = pools.need(Some(what.into()));
                        pools.grant(link, need, now);
                    }
                }
                let sum = |admitted| links.iter().filter(|link| link.admitted == admitted).map(|link| link.granted).sum();
                prop_assert_eq!(pools.used(), (sum(false), sum(true)));
                // Admitting may bring the second pool beyond its limit by what was held before; it hands out nothing
                // then.
                prop_assert!(pools.used().0 <= 3 << 20);
            }
            links.iter_mut().for_each(|link| pools.release(link));
            prop_assert_eq!(pools.used(), (0, 0));
        }
    }
}
