//! A server of the kind that `dramaturg serve` runs, in a thread of this process.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use dramaturg_director::Event;
use dramaturg_director::shell::{Figures, Observer, Served, Server, ServerOptions, Session};
use dramaturg_wire::link::{HubWaker, LinkError, LinkOptions, ListenOptions, Listener, TcpLink};

/// Hears events in the server's thread.
pub type Sink = Box<dyn FnMut(&str, &Event) + Send>;

/// A server that runs until it is told to stop.
pub struct Serving {
    address: String,
    stop: Arc<AtomicBool>,
    waker: HubWaker,
    thread: JoinHandle<Result<(), LinkError>>,
    ended: Arc<Mutex<BTreeMap<String, Figures>>>,
}

struct Witness {
    sink: Option<Sink>,
    ended: Arc<Mutex<BTreeMap<String, Figures>>>,
}

impl Observer for Witness {
    fn event(&mut self, session: &str, event: &Event) {
        if let Some(sink) = &mut self.sink {
            sink(session, event);
        }
    }

    fn ended(&mut self, session: &Session) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        ended.insert(session.name().to_owned(), session.figures());
    }
}

impl Serving {
    /// Begins to serve on a port of this machine.
    pub fn begin(served: Vec<Served>, planner_threads: usize, sink: Option<Sink>) -> Result<Self, LinkError> {
        let listener = Listener::bind(ListenOptions::default())?;
        let address = listener.address().to_string();
        let options = ServerOptions {
            sessions_max: 65_536,
            planner_threads,
            session_names: Some("bench".to_owned()),
            ..ServerOptions::default()
        };
        let mut server = Server::new(listener, served, options)?;
        let ended = Arc::new(Mutex::new(BTreeMap::new()));
        server.set_observer(Box::new(Witness { sink, ended: Arc::clone(&ended) }));
        let (stop, waker) = (Arc::new(AtomicBool::new(false)), server.waker());
        let told = Arc::clone(&stop);
        let thread = thread::Builder::new()
            .name("director".to_owned())
            .spawn(move || server.run(&told))
            .map_err(|error| LinkError::io("starting a thread", &error))?;
        Ok(Self { address, stop, waker, thread, ended })
    }

    /// Where it listens.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// A link to it.
    pub fn link(&self) -> Result<TcpLink, LinkError> {
        TcpLink::connect(&self.address, LinkOptions::default())
    }

    /// Ends it, and tells what came of each session, by its name.
    pub fn end(self) -> Result<BTreeMap<String, Figures>, LinkError> {
        self.stop.store(true, Ordering::Relaxed);
        self.waker.wake();
        // A panic of the server is a panic of the measurement.
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(std::mem::take(&mut *self.ended.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
