//! A run by one clock that nobody waits for: the same over every link.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use dramaturg::model::Tick;
use dramaturg_director::Event;
use dramaturg_director::shell::{Mind, Session, SessionOptions};
use dramaturg_executor::scripted::Happening;
use dramaturg_wire::Codec;
use dramaturg_wire::link::{
    AnyLink, InlineLink, Link, LinkError, LinkOptions, ListenOptions, Listener, TcpLink, ThreadLink, WebSocketLink,
};

use super::outcome::{Outcome, Ticking};
use super::setting::Setting;

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
            let mut near = connect(kind, &address)?;
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

/// The game's end of a link over a socket.
pub fn connect(kind: LinkKind, address: &str) -> Result<AnyLink, LinkError> {
    let options = LinkOptions::new(kind.codec());
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

/// Runs director and game by one virtual clock: messages take exactly `mu` ticks, the planner exactly one, whatever the link.
pub fn lockstep(
    setting: &Setting,
    kind: LinkKind,
    mu: Tick,
    told: &mut dyn FnMut(Happening),
    events: &mut dyn FnMut(&Event),
) -> Result<Outcome, LinkError> {
    let (mut near, mut far) = pair(kind)?;
    let codec = kind.codec();
    let (mut executor, mut actor) = (setting.executor(codec, None), setting.actor());
    let options = SessionOptions { units: Some(UNITS), think_ticks: THINK_TICKS, ..setting.session() };
    let mut session = Session::new(0, setting.director("run", codec), Mind::Inline, options);
    let mut to_game = Way { delay: mu, flying: VecDeque::new() };
    let mut to_director = Way { delay: mu, flying: VecDeque::new() };
    let mut ticking = Ticking::new(false);
    let mut trouble = None;
    for tick in 0..setting.ticks {
        for bytes in to_game.arrived(tick) {
            if let Err(error) = executor.receive(&bytes) {
                trouble = Some(error.to_string());
            }
        }
        executor.tick(tick, &mut actor);
        ticking.ran(0);
        let mut went = Passing::new(&mut *near);
        executor.poll(&mut |frame| went.send(frame));
        let count = went.count()?;
        to_director.take(&mut *near, &mut *far, count, tick)?;
        let mut went = Passing::new(&mut *far);
        session.pump(setting.moment(tick), to_director.arrived(tick), &mut |frame| went.send(frame));
        let count = went.count()?;
        to_game.take(&mut *far, &mut *near, count, tick)?;
        actor.take_transcript().into_iter().for_each(&mut *told);
        session.take_events().iter().for_each(&mut *events);
    }
    trouble = trouble.or(actor.ended.take());
    Ok(Outcome { figures: session.figures(), ticking, resent_by_game: executor.resent(), trouble })
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
