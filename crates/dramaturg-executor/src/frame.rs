//! One call a frame.

use dramaturg_wire::link::{Link, LinkError};
use dramaturg_wire::{FaultCode, Tick};

use crate::executor::Executor;
use crate::game::Game;

impl Executor {
    /// All that a game does in a frame: takes in what has arrived, runs the tick, sends what is due.
    ///
    /// The tick runs even if the link has failed; the error tells that it has, also where nothing came for too long
    /// ([`Executor::is_link_silent`]). Then take another link and call [`Executor::reconnect`]: until the director
    /// answers, what waits starts in its tick all the same.
    pub fn frame<G, L>(&mut self, tick: Tick, game: &mut G, link: &mut L) -> Result<(), LinkError>
    where
        G: Game + ?Sized,
        L: Link + ?Sized,
    {
        if link.codec() != self.options.codec {
            self.tick(tick, game);
            let reason = "the link writes frames in another codec than the executor; give both the same";
            return Err(LinkError::Protocol(reason.to_owned()));
        }
        let arrived = self.receive_all(link);
        self.tick(tick, game);
        let (mut sent, mut speaks) = (Ok(()), false);
        self.poll(&mut |frame| {
            speaks = true;
            if sent.is_ok() {
                sent = link.queue(frame);
            }
        });
        if speaks {
            // A link that broke says so when it is read from, after what arrived before.
            let _ = link.flush();
        }
        arrived.and(sent).and(self.check_silence())
    }

    /// The error of a link over which nothing has come for too long.
    fn check_silence(&self) -> Result<(), LinkError> {
        if !self.is_link_silent() {
            return Ok(());
        }
        let micros = u64::from(self.options.silence_ticks_max).saturating_mul(1_000_000);
        Err(LinkError::Silent { milliseconds: micros / u64::from(self.options.rate_milli.max(1)) })
    }

    fn receive_all<L: Link + ?Sized>(&mut self, link: &mut L) -> Result<(), LinkError> {
        let mut bytes = std::mem::take(&mut self.incoming);
        let arrived = loop {
            match link.receive(&mut bytes) {
                Ok(true) => {
                    if let Err(error) = self.receive(&bytes) {
                        self.complain(FaultCode::Protocol, &error.to_string());
                    }
                }
                Ok(false) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        self.incoming = bytes;
        let bytes_arrived = link.bytes_arrived();
        if bytes_arrived != self.bytes_arrived {
            // A large frame on a slow line takes its time, but the director is there.
            self.bytes_arrived = bytes_arrived;
            self.note_arrival();
        }
        arrived
    }
}
