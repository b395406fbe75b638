//! The ways a frame can travel, behind one contract.
//!
//! A link carries whole frames and keeps their order. It does not number, acknowledge or resend: [`crate::Channel`] does, so that a
//! link may be cut at any moment and another one taken.

mod error;
pub use error::LinkError;

use crate::Codec;

/// One end of a link. No call waits: a game calls it between two pictures.
pub trait Link {
    /// Sends a frame, or keeps it until the other side can take it. What is kept is bounded: a side that does not read is given up
    /// with [`LinkError::Congested`].
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError>;

    /// Replaces what `into` holds by the next frame, and says whether there was one. After an error the link is of no more use.
    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError>;

    /// How frames are written on this link.
    fn codec(&self) -> Codec;

    /// Passes on what [`Link::send`] had to keep, and says whether all of it is on its way. [`Link::send`] and [`Link::receive`] do
    /// it too, so that only who waits for a link to drain needs this.
    fn flush(&mut self) -> Result<bool, LinkError> {
        Ok(true)
    }
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        (**self).send(frame)
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        (**self).receive(into)
    }

    fn codec(&self) -> Codec {
        (**self).codec()
    }

    fn flush(&mut self) -> Result<bool, LinkError> {
        (**self).flush()
    }
}
