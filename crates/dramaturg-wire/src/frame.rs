//! A message with its number.

use serde::{Deserialize, Serialize};

/// A message with its number and how far the other side's messages have come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame<M> {
    /// Which stretch of the session: each hello begins a new one. 0: hello, welcome and fault themselves.
    pub epoch: u32,
    /// Counts from 1 in each direction. 0: not counted, so neither resent nor ordered; a time report that is lost is made good by
    /// the next.
    pub seq: u64,
    /// Everything of the other direction up to this number has arrived.
    pub ack: u64,
    /// What is said.
    pub message: M,
}
