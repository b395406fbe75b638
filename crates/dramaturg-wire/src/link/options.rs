//! What one link is to be like.

use crate::Codec;

/// The most bytes a frame may have, unless said otherwise: 1 MiB. A save of a session is the largest thing that is ever sent.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 20;

/// The most bytes that wait for a side that does not read, unless said otherwise: 16 MiB.
pub const QUEUE_BYTES_MAX: u32 = 16 << 20;

/// What one link is to be like. Both sides may say different things, but for the codec, which the game chooses.
#[derive(Clone, Debug)]
pub struct LinkOptions {
    /// How frames are written. A server takes what the game chose.
    pub codec: Codec,
    /// The most bytes a frame may have, in both directions.
    pub message_bytes_max: u32,
    /// The most bytes that wait while the other side does not read.
    pub queue_bytes_max: u32,
    /// How long the other side may take until the link is open.
    pub handshake_milliseconds: u32,
    /// Whom to trust, on the side of the game; none: the link is not encrypted.
    #[cfg(feature = "sockets")]
    pub tls: Option<super::ClientTls>,
}

impl LinkOptions {
    /// What suits most games.
    pub const fn new(codec: Codec) -> Self {
        Self {
            codec,
            message_bytes_max: MESSAGE_BYTES_MAX,
            queue_bytes_max: QUEUE_BYTES_MAX,
            handshake_milliseconds: 5_000,
            #[cfg(feature = "sockets")]
            tls: None,
        }
    }

    /// The same with encryption.
    #[cfg(feature = "sockets")]
    pub fn with_tls(mut self, tls: super::ClientTls) -> Self {
        self.tls = Some(tls);
        self
    }
}

impl Default for LinkOptions {
    fn default() -> Self {
        Self::new(Codec::Binary)
    }
}
