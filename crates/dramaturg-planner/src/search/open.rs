//! What waits to be looked at, the most promising first.

use std::collections::VecDeque;

/// Entries by a small key, first in first out among equals.
#[derive(Clone, Debug)]
pub struct Buckets<T> {
    buckets: Vec<VecDeque<T>>,
    least: usize,
    len: usize,
}

/// Keys beyond this share one bucket.
const KEYS_MAX: usize = 1 << 16;

impl<T> Default for Buckets<T> {
    fn default() -> Self {
        Self { buckets: Vec::new(), least: 0, len: 0 }
    }
}

impl<T> Buckets<T> {
    /// Adds an entry.
    pub fn push(&mut self, key: u32, entry: T) {
        let key = (key as usize).min(KEYS_MAX);
        if key >= self.buckets.len() {
            self.buckets.resize_with(key + 1, VecDeque::new);
        }
        if let Some(bucket) = self.buckets.get_mut(key) {
            bucket.push_back(entry);
            self.len += 1;
            self.least = self.least.min(key);
        }
    }

    /// Takes out the first of the entries with the least key.
    pub fn pop(&mut self) -> Option<(u32, T)> {
        while let Some(bucket) = self.buckets.get_mut(self.least) {
            if let Some(entry) = bucket.pop_front() {
                self.len -= 1;
                return Some((self.least as u32, entry));
            }
            self.least += 1;
        }
        self.least = 0;
        None
    }

    /// Takes out the last of the entries with the least key.
    pub fn pop_newest(&mut self) -> Option<(u32, T)> {
        while let Some(bucket) = self.buckets.get_mut(self.least) {
            if let Some(entry) = bucket.pop_back() {
                self.len -= 1;
                return Some((self.least as u32, entry));
            }
            self.least += 1;
        }
        self.least = 0;
        None
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.buckets.iter_mut().for_each(VecDeque::clear);
        self.least = 0;
        self.len = 0;
    }
}
