//! How much memory was allocated at most. The program that measures owns the allocator, so it hands this in.

/// A counting allocator.
pub trait Memory {
    /// Forgets the peak: from here on it counts anew.
    fn reset_peak(&self);
    /// The most bytes that were allocated at once since then.
    fn peak(&self) -> usize;
    /// The bytes that are allocated now.
    fn current(&self) -> usize;
}

/// The most bytes that were allocated at once during a run, beyond what was allocated before it.
pub fn peak_of<T>(memory: &dyn Memory, run: impl FnOnce() -> T) -> (T, usize) {
    let before = memory.current();
    memory.reset_peak();
    let result = run();
    (result, memory.peak().saturating_sub(before))
}
