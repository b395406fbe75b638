//! A run in real time: the game ticks in one thread, the director serves it from others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dramaturg_director::Event;
use dramaturg_director::shell::server::Opening;
use dramaturg_director::shell::{Figures, Observer, Served, Server, ServerOptions, Session, Stage, Stopwatch};
use dramaturg_wire::link::{InlineLink, Link, LinkError, LinkOptions, ListenOptions, Listener, ThreadLink};

use super::course::Course;
use super::lockstep::{LinkKind, begin_journal, connect};
use super::outcome::{Outcome, Ticking, Told};
use super::setting::Setting;
use crate::journaling::{Keeping, RUN_OVER};

/// While the planner works the director looks so often whether it has published.
const LOOK: Duration = Duration::from_micros(250);
/// After its last tick a game goes on for at most so many, to hear the end of the conversation.
const AFTER: i64 = 60;

/// Hears events in the director's thread.
pub type Sink = Box<dyn FnMut(&Event) + Send>;

/// Runs director and game in real time.
pub fn realtime(
    setting: &Setting,
    kind: LinkKind,
    keeping: Option<&Keeping>,
    told: &mut dyn FnMut(Told),
    sink: Sink,
) -> Result<Outcome, LinkError> {
    let (tell, happenings) = channel();
    thread::scope(|scope| {
        let run = scope.spawn(move || match kind {
            LinkKind::Inline => inline(setting, keeping, tell, sink),
            LinkKind::Threads => threads(setting, keeping, tell, sink),
            LinkKind::Tcp | LinkKind::Websocket => sockets(setting, kind, keeping, tell, sink),
        });
        hear(&happenings, told);
        // A panic of a thread is a panic of the command.
        run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn hear(happenings: &Receiver<Told>, told: &mut dyn FnMut(Told)) {
    happenings.iter().for_each(told);
}

/// What came of the game's side.
struct Played {
    ticking: Ticking,
    resent: u64,
    courses: Vec<Course>,
    trouble: Option<String>,
}

/// The game's loop: a tick at each of its moments. `each` is called after each.
fn play<L: Link>(setting: &Setting, mut link: L, tell: &Sender<Told>, each: &mut dyn FnMut(i64)) -> Played {
    let (mut executor, mut actor) = (setting.executor(link.codec(), None), setting.actor());
    let (watch, interval) = (Stopwatch::start(), setting.moment(1).max(1));
    let mut played = Played { ticking: Ticking::new(true), resent: 0, courses: Vec::new(), trouble: None };
    let mut tick = 0;
    let mut bade = false;
    while tick < setting.ticks + AFTER {
        thread::sleep(watch.until(setting.moment(tick)));
        let late = watch.now().saturating_sub(setting.moment(tick));
        if tick < setting.ticks {
            played.ticking.ran(late);
            let skipped = late / interval;
            played.ticking.skipped += skipped as u64;
            tick += skipped;
        } else if !bade {
            bade = true;
            executor.goodbye("the run is over");
        } else if executor.unacknowledged() == 0 {
            break;
        }
        let went = executor.frame(tick, &mut actor, &mut link);
        executor.perceive_all(actor.take_reports());
        each(watch.now());
        for told in Told::after(&mut actor, tick) {
            // Who does not listen any more misses it.
            let _ = tell.send(told);
        }
        played.trouble = played.trouble.or(actor.ended.take());
        if let Err(error) = went
            && !(bade && error.is_clean())
        {
            played.trouble = played.trouble.or(Some(error.to_string()));
        }
        if played.trouble.is_some() {
            break;
        }
        tick += 1;
    }
    played.resent = executor.resent();
    played.courses = actor.courses().to_vec();
    played
}

impl Played {
    fn with(self, figures: Figures) -> Outcome {
        Outcome {
            figures,
            ticking: self.ticking,
            resent_by_game: self.resent,
            courses: self.courses,
            trouble: self.trouble,
        }
    }
}

/// Everything in one thread, one call a frame.
fn inline(
    setting: &Setting,
    keeping: Option<&Keeping>,
    tell: Sender<Told>,
    mut sink: Sink,
) -> Result<Outcome, LinkError> {
    let codec = LinkKind::Inline.codec();
    let (near, far) = InlineLink::pair(&LinkOptions::new(codec));
    let mut director = setting.director("run", codec);
    let journal = begin_journal(&mut director, keeping)?;
    let mut stage = Stage::inline(director, far, setting.session());
    if let Some(journal) = journal {
        stage.session_mut().set_journal(journal);
    }
    let mut failed = None;
    let played = play(setting, near, &tell, &mut |now| {
        failed = stage.frame(now).err().or(failed.take());
        stage.session_mut().take_events().iter().for_each(&mut sink);
    });
    stage.session_mut().end_journal(RUN_OVER);
    stage.session_mut().take_events().iter().for_each(&mut sink);
    failed.map_or(Ok(()), Err)?;
    Ok(played.with(stage.session().figures()))
}

/// The director in a thread of its own, its planner in another.
fn threads(
    setting: &Setting,
    keeping: Option<&Keeping>,
    tell: Sender<Told>,
    mut sink: Sink,
) -> Result<Outcome, LinkError> {
    let codec = LinkKind::Threads.codec();
    let (near, far) = ThreadLink::pair(&LinkOptions::new(codec));
    let stop = AtomicBool::new(false);
    let mut director = setting.director("run", codec);
    let journal = begin_journal(&mut director, keeping)?;
    thread::scope(|scope| {
        let director = scope.spawn(|| {
            let mut stage = Stage::with_thread(director, far, setting.session(), || {})
                .map_err(|error| LinkError::io("starting a thread", &error))?;
            if let Some(journal) = journal {
                stage.session_mut().set_journal(journal);
            }
            let watch = Stopwatch::start();
            loop {
                let went = stage.frame(watch.now());
                stage.session_mut().take_events().iter().for_each(&mut sink);
                let over = stage.session().director().core().over().is_some();
                if over || stop.load(Ordering::Relaxed) {
                    stage.session_mut().end_journal(RUN_OVER);
                    stage.session_mut().take_events().iter().for_each(&mut sink);
                    return Ok(stage.session().figures());
                }
                went?;
                let mut wait = watch.until(stage.session().due());
                if stage.session().is_away() {
                    wait = wait.min(LOOK);
                }
                stage.link_mut().wait(wait);
            }
        });
        let played = play(setting, near, &tell, &mut |_| {});
        stop.store(true, Ordering::Relaxed);
        let figures = director.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(played.with(figures))
    })
}

/// Tells events, and keeps what came of the session.
struct Witness {
    sink: Sink,
    figures: Arc<Mutex<Option<Figures>>>,
}

impl Observer for Witness {
    fn event(&mut self, _: &str, event: &Event) {
        (self.sink)(event);
    }

    fn ended(&mut self, session: &Session) {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner) = Some(session.figures());
    }
}

/// A server and its game over a real socket.
fn sockets(
    setting: &Setting,
    kind: LinkKind,
    keeping: Option<&Keeping>,
    tell: Sender<Told>,
    sink: Sink,
) -> Result<Outcome, LinkError> {
    let listener = Listener::bind(ListenOptions::default())?;
    let address = listener.address().to_string();
    let (opens, keeping) = (setting.clone(), keeping.cloned());
    let served = Served {
        names: vec![setting.model.title.clone()],
        options: setting.session(),
        open: Box::new(move |name, codec| {
            let mut director = opens.director(name, codec);
            let journal = begin_journal(&mut director, keeping.as_ref()).map_err(|error| error.to_string())?;
            Ok(Opening { director, journal })
        }),
    };
    let mut server = Server::new(listener, vec![served], ServerOptions { planner_threads: 1, ..Default::default() })?;
    let figures = Arc::new(Mutex::new(None));
    server.set_observer(Box::new(Witness { sink, figures: Arc::clone(&figures) }));
    let (stop, waker) = (AtomicBool::new(false), server.waker());
    let link = connect(kind, &address, None)?;
    thread::scope(|scope| {
        let serving = scope.spawn(|| server.run(&stop));
        let played = play(setting, link, &tell, &mut |_| {});
        stop.store(true, Ordering::Relaxed);
        waker.wake();
        serving.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        let figures = figures.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(played.with(figures.unwrap_or_default()))
    })
}
