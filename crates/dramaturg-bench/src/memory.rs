//! How much memory was allocated at most. The program that measures owns the allocator, so it hands this in.

/// An allocator that counts while it is told to.
pub trait Memory {
    /// Counts from here on, beginning with nothing.
    fn count(&self);
    /// Counts no more; what was counted can still be read.
    fn stop(&self);
    /// The most bytes that were allocated at once while counting.
    fn peak(&self) -> usize;
    /// The bytes that were allocated while counting and not given back.
    fn held(&self) -> usize;
    /// How often memory was asked for while counting.
    fn calls(&self) -> usize;
    /// The same for the thread that asks, since it began; it only grows.
    fn calls_here(&self) -> usize;
}

/// What a run took.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// The most bytes at once, beyond what was allocated before.
    pub peak: usize,
    /// The bytes that its result holds.
    pub held: usize,
}

/// Runs something and counts what it allocates.
pub fn taken_by<T>(memory: &dyn Memory, run: impl FnOnce() -> T) -> (T, Taken) {
    memory.count();
    let result = run();
    memory.stop();
    (result, Taken { peak: memory.peak(), held: memory.held() })
}
