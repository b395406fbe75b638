//! How long nothing has come from the director: a link can die without anybody being told.

use dramaturg_wire::Tick;

/// One frame counts for at most so many ticks: a game that stood still has not listened meanwhile.
const FRAME_TICKS_MAX: Tick = 30;
/// It also counts for no more than this part of the silence that is borne, so that several frames pass between the
/// question and the end: a game that stutters has time to hear the answer.
const FRAME_PART: u32 = 8;

/// Ticks since something last came over the link.
#[derive(Clone, Debug, Default)]
pub(crate) struct Silence {
    ticks: Tick,
    /// Whether something came since the last frame.
    heard: bool,
}

impl Silence {
    /// Something came.
    pub(crate) fn hear(&mut self) {
        self.heard = true;
    }

    /// A frame passes in which the game went on by so many ticks. `ticks_max` is the silence that is borne; 0: any.
    pub(crate) fn pass(&mut self, ticks: Tick, ticks_max: u32) {
        let most = match Tick::from(ticks_max / FRAME_PART) {
            0 if ticks_max > 0 => 1,
            0 => FRAME_TICKS_MAX,
            part => part.min(FRAME_TICKS_MAX),
        };
        self.ticks = if std::mem::take(&mut self.heard) { 0 } else { self.ticks.saturating_add(ticks.clamp(1, most)) };
    }

    /// Begins to count anew, for another link.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// How long nothing has come.
    pub(crate) fn ticks(&self) -> Tick {
        self.ticks
    }

    /// Whether nothing came for so long that the director is asked whether it is there; 0: never.
    pub(crate) fn is_doubtful(&self, ticks_max: u32) -> bool {
        ticks_max > 0 && self.ticks >= Tick::from(ticks_max / 2).max(1)
    }

    /// Whether nothing came for so long that the link counts as dead; 0: never.
    pub(crate) fn is_over(&self, ticks_max: u32) -> bool {
        ticks_max > 0 && self.ticks >= Tick::from(ticks_max)
    }
}
