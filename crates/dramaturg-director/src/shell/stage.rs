//! One session over one link.

use std::io;

use dramaturg_wire::link::{Link, LinkError};

use super::session::{Mind, Session, SessionOptions};
use super::thinkers::Thinkers;
use crate::clock::Moment;
use crate::director::Director;

/// One session over one link. [`Stage::frame`] never waits, so that a game can call it between two pictures, and a thread can call
/// it whenever something comes in and at least once a tick.
pub struct Stage<L> {
    session: Session,
    link: L,
    thinkers: Option<Thinkers>,
    up: bool,
}

impl<L: Link> Stage<L> {
    /// The embedded mode: no threads, everything happens within [`Stage::frame`].
    pub fn inline(director: Director, link: L, options: SessionOptions) -> Self {
        Self { session: Session::new(0, director, Mind::Inline, options), link, thinkers: None, up: true }
    }

    /// The planner works in a thread of its own; `wake` is called there whenever it has published.
    pub fn with_thread(
        director: Director,
        link: L,
        options: SessionOptions,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let thinkers = Thinkers::start(1, wake)?;
        let session = Session::new(0, director, Mind::Threads(thinkers.door()), options);
        Ok(Self { session, link, thinkers: Some(thinkers), up: true })
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, for journals and events.
    pub fn session_mut(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The link, to wait for it.
    pub fn link_mut(&mut self) -> &mut L {
        &mut self.link
    }

    /// Takes another link, after one that broke: the game will say hello again.
    pub fn take_link(&mut self, link: L) {
        self.link = link;
        self.up = true;
    }

    /// Takes in what has come, lets the planner begin or end if it is time, and sends what is due. An error tells that the link is
    /// gone; the session waits for another.
    pub fn frame(&mut self, now: Moment) -> Result<(), LinkError> {
        let mut frames = Vec::new();
        let mut broken = None;
        while self.up {
            let mut bytes = Vec::new();
            match self.link.receive(&mut bytes) {
                Ok(true) => frames.push(bytes),
                Ok(false) => break,
                Err(error) => {
                    broken = Some(error);
                    break;
                }
            }
        }
        while let Some(done) = self.thinkers.as_ref().and_then(Thinkers::done) {
            self.session
                .thought(done)
                .map_err(|panic| LinkError::Protocol(format!("the planner panicked: {panic}")))?;
        }
        let Self { session, link, up, .. } = self;
        session.pump(now, frames, &mut |frame| {
            if *up
                && broken.is_none()
                && let Err(error) = link.send(frame)
            {
                broken = Some(error);
            }
        });
        match broken {
            None => Ok(()),
            Some(error) => {
                self.up = false;
                self.session.disconnected(now, &error.to_string());
                Err(error)
            }
        }
    }
}
