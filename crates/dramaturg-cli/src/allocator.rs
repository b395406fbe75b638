//! Where the program gets memory from, and how much of it.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

use dramaturg_bench::Memory;
use mimalloc::MiMalloc;

thread_local! {
    /// How often this thread asked for memory while it was counted. It needs no memory itself and nothing is done when it goes.
    static CALLS_HERE: Cell<usize> = const { Cell::new(0) };
}

/// Hands out memory, and counts it only while `bench` asks for that: counters shared by all threads would slow everything else.
pub struct Allocator {
    counting: AtomicBool,
    held: AtomicIsize,
    peak: AtomicIsize,
    calls: AtomicIsize,
}

impl Allocator {
    /// One that does not count yet.
    pub const fn new() -> Self {
        Self {
            counting: AtomicBool::new(false),
            held: AtomicIsize::new(0),
            peak: AtomicIsize::new(0),
            calls: AtomicIsize::new(0),
        }
    }

    fn took(&self, bytes: isize) {
        if self.counting.load(Relaxed) {
            self.calls.fetch_add(1, Relaxed);
            CALLS_HERE.set(CALLS_HERE.get() + 1);
            let held = self.held.fetch_add(bytes, Relaxed) + bytes;
            self.peak.fetch_max(held, Relaxed);
        }
    }

    fn gave_back(&self, bytes: isize) {
        if self.counting.load(Relaxed) {
            self.held.fetch_sub(bytes, Relaxed);
        }
    }
}

#[allow(unsafe_code, reason = "an allocator cannot be written otherwise; every call is handed on unchanged")]
// SAFETY: all memory comes from and goes back to mimalloc with the layout that the caller gave.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.took(layout.size().cast_signed());
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.took(layout.size().cast_signed());
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        self.gave_back(layout.size().cast_signed());
        unsafe { MiMalloc.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.took(size.cast_signed() - layout.size().cast_signed());
        unsafe { MiMalloc.realloc(memory, layout, size) }
    }
}

impl Memory for Allocator {
    fn count(&self) {
        self.held.store(0, Relaxed);
        self.peak.store(0, Relaxed);
        self.calls.store(0, Relaxed);
        self.counting.store(true, Relaxed);
    }

    fn stop(&self) {
        self.counting.store(false, Relaxed);
    }

    fn peak(&self) -> usize {
        usize::try_from(self.peak.load(Relaxed)).unwrap_or(0)
    }

    fn held(&self) -> usize {
        usize::try_from(self.held.load(Relaxed)).unwrap_or(0)
    }

    fn calls(&self) -> usize {
        usize::try_from(self.calls.load(Relaxed)).unwrap_or(0)
    }
    fn calls_here(&self) -> usize {
        CALLS_HERE.get()
    }
}
