//! The ways a frame can travel, behind one contract.
//!
//! A link carries whole frames and keeps their order. It does not number, acknowledge or resend: [`crate::Channel`]
//! does, so that a link may be cut at any moment and another one taken.

mod error;
pub use error::LinkError;
mod options;
pub use options::{LinkOptions, MESSAGE_BYTES_MAX, QUEUE_BYTES_MAX};

mod inline;
pub use inline::InlineLink;
mod sync;
mod threads;
pub use threads::ThreadLink;

#[cfg(feature = "sockets")]
mod sockets {
    pub use super::any::AnyLink;
    pub use super::faulty::{FaultProxy, Faults};
    pub use super::greeting::{GREETING_BYTES, MAGIC};
    pub use super::hub::{Hub, HubEvent, HubKey, HubWaker};
    pub use super::limits::{FRAME_BYTES_FREE, HELLO_BYTES_FREE, Limits, RateLimit};
    pub use super::listener::{HttpAnswer, ListenOptions, Listener};
    pub use super::stream::Stream;
    pub use super::tcp::TcpLink;
    pub use super::tls::{ClientTls, ServerTls};
    pub use super::token::{TOKEN_BYTES_MAX, token_matches};
    pub use super::websocket::WebSocketLink;
}
#[cfg(feature = "sockets")]
pub use sockets::*;

#[cfg(feature = "sockets")]
mod addresses;
#[cfg(feature = "sockets")]
mod allowance;
#[cfg(feature = "sockets")]
mod any;
#[cfg(feature = "sockets")]
mod faulty;
#[cfg(feature = "sockets")]
mod greeting;
#[cfg(feature = "sockets")]
mod handshake;
#[cfg(feature = "sockets")]
mod http;
#[cfg(feature = "sockets")]
mod hub;
#[cfg(feature = "sockets")]
mod limits;
#[cfg(feature = "sockets")]
mod listener;
#[cfg(feature = "sockets")]
mod socket;
#[cfg(feature = "sockets")]
mod stream;
#[cfg(feature = "sockets")]
mod tcp;
#[cfg(feature = "sockets")]
mod tls;
#[cfg(feature = "sockets")]
mod token;
#[cfg(feature = "sockets")]
mod websocket;

use crate::Codec;

/// One end of a link. No call waits: a game calls it between two pictures.
pub trait Link {
    /// Sends a frame, or keeps it until the other side can take it. What is kept is bounded: a side that does not read
    /// is given up with [`LinkError::Congested`]. A link that broke says so in [`Link::receive`], after the last frames
    /// that arrived: they may say why.
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError>;

    /// The same, but the frame may stay here until [`Link::flush`]: many frames that go in one piece cost little more
    /// than one.
    fn queue(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        self.send(frame)
    }

    /// Replaces what `into` holds by the next frame, and says whether there was one. After an error the link is of no
    /// more use.
    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError>;

    /// How frames are written on this link.
    fn codec(&self) -> Codec;

    /// Passes on what [`Link::send`] had to keep and [`Link::queue`] kept, and says whether all of it is on its way.
    /// [`Link::send`] and [`Link::receive`] do it too, so that only who queues or waits for a link to drain needs this.
    fn flush(&mut self) -> Result<bool, LinkError> {
        Ok(true)
    }

    /// How many bytes have arrived so far, those of frames that are not whole yet included; none where the link does
    /// not count them. A large frame on a slow line takes its time: who waits for one sees here that the other side is
    /// there.
    fn bytes_arrived(&self) -> Option<u64> {
        None
    }
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        (**self).send(frame)
    }

    fn queue(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        (**self).queue(frame)
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

    fn bytes_arrived(&self) -> Option<u64> {
        (**self).bytes_arrived()
    }
}
