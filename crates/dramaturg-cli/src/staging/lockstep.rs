//! A run by one clock that nobody waits for: the same over every link.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use dramaturg::model::Tick;
use dramaturg_director::shell::{Mind, Session, SessionOptions};
use dramaturg_director::{Director, Event, Journal};
use dramaturg_executor::Executor;
use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    AnyLink, ClientTls, InlineLink, Link, LinkError, LinkOptions, ListenOptions, Listener, TcpLink, ThreadLink,
    WebSocketLink,
};

use super::actor::Actor;
use super::outcome::{Outcome, Ticking, Told};
use super::setting::Setting;
use crate::journaling::{Keeping, RUN_OVER};

/// The planner works so many units at a time.
const UNITS: u32 = 400;
/// As if it had taken so many ticks.
const THINK_TICKS: Tick = 1;
/// A frame that is not there after so long will not come.
const PATIENCE: Duration = Duration::from_secs(10);

/// How director and game are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LinkKind {
    /// One call a frame, without threads
    Inline,
    /// Queues between two threads
    Threads,
    /// TCP on this machine
    Tcp,
    /// WebSocket on this machine, with messages in JSON
    Websocket,
}

impl LinkKind {
    /// How messages are written over it.
    pub fn codec(self) -> Codec {
        if self == Self::Websocket { Codec::Json } else { Codec::Binary }
    }
}

/// Both ends of a link, the game's first.
type Ends = (Box<dyn Link>, Box<dyn Link>);

fn pair(kind: LinkKind) -> Result<Ends, LinkError> {
    let options = LinkOptions::new(kind.codec());
    Ok(match kind {
        LinkKind::Inline => {
            let (near, far) = InlineLink::pair(&options);
            (Box::new(near), Box::new(far))
        }
        LinkKind::Threads => {
            let (near, far) = ThreadLink::pair(&options);
            (Box::new(near), Box::new(far))
        }
        LinkKind::Tcp | LinkKind::Websocket => {
            let mut listener = Listener::bind(ListenOptions::default())?;
            let address = listener.address().to_string();
            let mut near = connect(kind, &address, None)?;
            let (began, mut bytes) = (Instant::now(), Vec::new());
            let far = loop {
                near.receive(&mut bytes)?;
                match listener.poll_accept()? {
                    Some(link) => break link,
                    None if began.elapsed() > PATIENCE => return Err(too_long("a link")),
                    None => thread::sleep(Duration::from_micros(100)),
                }
            };
            (Box::new(near), Box::new(far))
        }
    })
}

/// The game's end of a link over a socket, encrypted if it is said whom to trust.
pub fn connect(kind: LinkKind, address: &str, tls: Option<ClientTls>) -> Result<AnyLink, LinkError> {
    let options = LinkOptions { tls, ..LinkOptions::new(kind.codec()) };
    Ok(match kind {
        LinkKind::Websocket => WebSocketLink::connect(address, options)?.into(),
        _ => TcpLink::connect(address, options)?.into(),
    })
}

fn too_long(what: &'static str) -> LinkError {
    LinkError::TimedOut { what, milliseconds: PATIENCE.as_millis() as u64 }
}

/// One direction: frames go over the link, and count as arrived so many ticks later.
struct Way {
    delay: Tick,
    flying: VecDeque<(Tick, Vec<u8>)>,
}

impl Way {
    /// Waits for frames that were just sent.
    fn take(&mut self, from: &mut dyn Link, to: &mut dyn Link, count: usize, tick: Tick) -> Result<(), LinkError> {
        let began = Instant::now();
        for _ in 0..count {
            let mut bytes = Vec::new();
            while !to.receive(&mut bytes)? {
                // What was sent before the link was open waits until somebody looks.
                from.flush()?;
                if began.elapsed() > PATIENCE {
                    return Err(too_long("a frame"));
                }
                thread::yield_now();
            }
            self.flying.push_back((tick.saturating_add(self.delay), bytes));
        }
        Ok(())
    }

    /// What has arrived by this tick.
    fn arrived(&mut self, tick: Tick) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| self.flying.pop_front_if(|(due, _)| *due <= tick)).map(|(_, bytes)| bytes).collect()
    }
}

/// Runs director and game by one virtual clock: messages take exactly `mu` ticks, the planner exactly one, whatever the
/// link.
pub fn lockstep(
    setting: &Setting,
    kind: LinkKind,
    mu: Tick,
    keeping: Option<&Keeping>,
    told: &mut dyn FnMut(Told),
    events: &mut dyn FnMut(&Event),
) -> Result<Outcome, LinkError> {
    let options = SessionOptions { units: Some(UNITS), think_ticks: THINK_TICKS, ..setting.session() };
    let mut both = Lockstep::new(setting, kind, mu, 0, options)?;
    if let Some(journal) = begin_journal(both.session.director_mut(), keeping)? {
        both.session.set_journal(journal);
    }
    for _ in 0..setting.ticks {
        both.step()?;
        Told::after(&mut both.actor, both.next - 1).into_iter().for_each(&mut *told);
        both.session.take_events().iter().for_each(&mut *events);
    }
    both.session.end_journal(RUN_OVER);
    both.session.take_events().iter().for_each(&mut *events);
    Ok(both.outcome())
}

/// Director and game by one virtual clock, tick by tick.
pub struct Lockstep<'s> {
    setting: &'s Setting,
    near: Box<dyn Link>,
    far: Box<dyn Link>,
    /// The game's side.
    pub executor: Executor,
    /// The game.
    pub actor: Actor,
    /// The director's side.
    pub session: Session,
    to_game: Way,
    to_director: Way,
    first: Tick,
    next: Tick,
    ticking: Ticking,
    trouble: Option<String>,
}

impl<'s> Lockstep<'s> {
    /// Both sides before this tick, over a link; messages take exactly `mu` ticks.
    pub fn new(
        setting: &'s Setting,
        kind: LinkKind,
        mu: Tick,
        first: Tick,
        options: SessionOptions,
    ) -> Result<Self, LinkError> {
        let (near, far) = pair(kind)?;
        let codec = kind.codec();
        Ok(Self {
            near,
            far,
            executor: setting.executor(codec, None),
            actor: setting.actor(),
            session: Session::new(0, setting.director("run", codec), Mind::Inline, options),
            to_game: Way { delay: mu, flying: VecDeque::new() },
            to_director: Way { delay: mu, flying: VecDeque::new() },
            first,
            next: first,
            ticking: Ticking::new(false),
            trouble: None,
            setting,
        })
    }

    /// The tick that runs next.
    pub fn next(&self) -> Tick {
        self.next
    }

    /// Why both sides can no longer understand each other, if they cannot.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref().or(self.actor.ended.as_deref())
    }

    /// Runs one tick: the game's, then the director's.
    pub fn step(&mut self) -> Result<(), LinkError> {
        let tick = self.next;
        self.next += 1;
        for bytes in self.to_game.arrived(tick) {
            if let Err(error) = self.executor.receive(&bytes) {
                self.trouble = Some(error.to_string());
            }
        }
        self.executor.tick(tick, &mut self.actor);
        self.executor.perceive_all(self.actor.take_reports());
        self.ticking.ran(0);
        let mut went = Passing::new(&mut *self.near);
        self.executor.poll(&mut |frame| went.send(frame));
        let count = went.count()?;
        self.to_director.take(&mut *self.near, &mut *self.far, count, tick)?;
        let mut went = Passing::new(&mut *self.far);
        let now = self.setting.moment(tick - self.first);
        self.session.pump(now, self.to_director.arrived(tick), &mut |frame| went.send(frame));
        let count = went.count()?;
        self.to_game.take(&mut *self.far, &mut *self.near, count, tick)
    }

    /// What came of it.
    pub fn outcome(mut self) -> Outcome {
        let trouble = self.trouble.or(self.actor.ended.take());
        Outcome {
            figures: self.session.figures(),
            ticking: self.ticking,
            resent_by_game: self.executor.resent(),
            courses: self.actor.courses().to_vec(),
            trouble,
        }
    }
}

/// The journal of a session, if there is to be one.
pub fn begin_journal(director: &mut Director, keeping: Option<&Keeping>) -> Result<Option<Journal>, LinkError> {
    let journal = keeping.map(|keeping| keeping.begin(director)).transpose();
    journal.map_err(|error| LinkError::Refused(format!("no journal can be kept: {error}")))
}

/// Counts what goes over a link.
struct Passing<'l> {
    link: &'l mut dyn Link,
    count: usize,
    failed: Option<LinkError>,
}

impl<'l> Passing<'l> {
    fn new(link: &'l mut dyn Link) -> Self {
        Self { link, count: 0, failed: None }
    }

    fn send(&mut self, frame: &[u8]) {
        match self.link.send(frame) {
            Ok(()) => self.count += 1,
            Err(error) => self.failed = Some(error),
        }
    }

    fn count(self) -> Result<usize, LinkError> {
        self.failed.map_or(Ok(self.count), Err)
    }
}
