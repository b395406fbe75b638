//! What a game tells its executor before it begins.

use dramaturg_wire::Codec;

/// How an executor behaves. All that has a sensible value has it already: `ExecutorOptions { game: "castle".into(),
/// ..Default::default() }`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorOptions {
    /// Who is calling, for the director's logs.
    pub game: String,
    /// Proves that the game may talk to the director, where one is wanted.
    pub token: Option<String>,
    /// The story, where the director serves several.
    pub story: Option<String>,
    /// How frames are written; both sides must agree.
    pub codec: Codec,
    /// Where the numbers of calls begin: something that grows each time the program starts, such as the time of day in
    /// microseconds, so that a director never takes a restored game's hello for one that it has answered. It need not
    /// be exact: an executor that is restored from a checkpoint goes on above the calls made before it, and one that is
    /// not answered raises its calls further, so a clock that was set back does no harm.
    pub first_call: u64,
    /// Ticks in a second, times a thousand.
    pub rate_milli: u32,
    /// Every how many ticks the time is reported, until the director says otherwise in its welcome.
    pub update: u32,
    /// What is not acknowledged after so many ticks is sent again. A frame in which the tick stands still counts as
    /// one.
    pub resend: u32,
    /// When nothing has come from the director for so many ticks, the link is dead: see
    /// [`crate::Executor::is_link_silent`]. After half of them the director is asked whether it is there. A frame in
    /// which the tick stands still counts as one, and one that skips ticks as 30 at most, or an eighth of this number.
    /// 0: a link is never given up for silence.
    pub silence_ticks_max: u32,
    /// So many tasks may wait; one more is refused, so that a director gone wild cannot fill the game's memory.
    pub waiting_max: usize,
    /// So many ended tasks are remembered, to tell the director when it asks again.
    pub ended_max: usize,
    /// Once so many messages wait to be acknowledged, readings of sensors are left out: a link that is down for an hour
    /// must not fill the game's memory. Starts, ends and answers are always kept.
    pub unacknowledged_max: usize,
    /// Whether what comes again is recognised, be it a frame or a task that has ended: the simulator turns it off to
    /// show that it is needed.
    pub dedupes: bool,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            game: String::new(),
            token: None,
            story: None,
            codec: Codec::Binary,
            first_call: 1,
            rate_milli: 60_000,
            update: 12,
            resend: 30,
            silence_ticks_max: 300,
            waiting_max: 65_536,
            ended_max: 4_096,
            unacknowledged_max: 65_536,
            dedupes: true,
        }
    }
}
