//! A testing tool: a proxy with real sockets that spoils what passes through it.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often its threads look whether something was commanded.
const LOOK: Duration = Duration::from_millis(5);
/// How much it reads at once.
const PIECE: usize = 4096;

/// What a [`FaultProxy`] does to bytes. The default does nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Every byte comes so much later.
    pub delay_milliseconds: u32,
    /// And up to so much later still, by chance. Order is kept, as TCP keeps it.
    pub jitter_milliseconds: u32,
    /// No more bytes than this pass in a second in one direction; 0: as many as there are.
    pub bytes_per_second: u32,
    /// A connection is cut, both ways and at once, after about so many bytes; 0: never. Chance makes it up to twice as many.
    pub cut_after_bytes: u64,
    /// Where chance begins.
    pub seed: u64,
}

/// Sits between two processes and passes on what they say, late, slowly, or not at all. It runs in threads of its own and ends when it
/// is dropped. It is for tests only: it makes a thread for each direction and end of each connection.
#[derive(Debug)]
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    faults: Mutex<Faults>,
    target: Mutex<SocketAddr>,
    stop: AtomicBool,
    /// Nothing is passed on and nothing closed: the cable is out, and neither side knows.
    half_open: AtomicBool,
    /// New connections are closed at once.
    refusing: AtomicBool,
    /// Connections that began before this count are cut.
    cut_below: AtomicU64,
    connections: AtomicU64,
    cuts: AtomicU64,
    passed: AtomicU64,
}

impl FaultProxy {
    /// Listens on a port of this machine that the system chooses, and passes on to `target`.
    pub fn start(target: SocketAddr, faults: Faults) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            faults: Mutex::new(faults),
            target: Mutex::new(target),
            stop: AtomicBool::new(false),
            half_open: AtomicBool::new(false),
            refusing: AtomicBool::new(false),
            cut_below: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            cuts: AtomicU64::new(0),
            passed: AtomicU64::new(0),
        });
        let theirs = Arc::clone(&shared);
        let acceptor =
            thread::Builder::new().name("fault-proxy".to_owned()).spawn(move || accept(&listener, &theirs))?;
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// Where to connect instead of to the target.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Does other things to bytes from now on.
    pub fn set_faults(&self, faults: Faults) {
        *self.shared.faults.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    }

    /// Passes new connections on to somebody else: a process that was restarted on another port.
    pub fn set_target(&self, target: SocketAddr) {
        *self.shared.target.lock().unwrap_or_else(PoisonError::into_inner) = target;
    }

    /// Cuts every connection there is.
    pub fn cut(&self) {
        self.shared.cut_below.store(self.shared.connections.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    /// Stops passing anything on without closing anything, or goes on.
    pub fn set_half_open(&self, half_open: bool) {
        self.shared.half_open.store(half_open, Ordering::SeqCst);
    }

    /// Closes new connections at once, or no longer.
    pub fn set_refusing(&self, refusing: bool) {
        self.shared.refusing.store(refusing, Ordering::SeqCst);
    }

    /// How many connections there have been.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many of them were cut.
    pub fn cuts(&self) -> u64 {
        self.shared.cuts.load(Ordering::SeqCst)
    }

    /// How many bytes have passed.
    pub fn passed(&self) -> u64 {
        self.shared.passed.load(Ordering::SeqCst)
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.cut();
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

impl Shared {
    fn faults(&self) -> Faults {
        *self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cut(&self, number: u64) -> bool {
        number < self.cut_below.load(Ordering::SeqCst) || self.stop.load(Ordering::SeqCst)
    }
}

/// One connection, as all of its threads see it.
#[derive(Debug)]
struct Connection {
    number: u64,
    shared: Arc<Shared>,
    /// Bytes until it is cut; `u64::MAX`: never.
    left: AtomicU64,
    dead: AtomicBool,
    ends: [TcpStream; 2],
}

impl Connection {
    fn is_over(&self) -> bool {
        self.dead.load(Ordering::SeqCst) || self.shared.is_cut(self.number)
    }

    fn end(&self) {
        let cut = self.shared.is_cut(self.number) || self.left.load(Ordering::SeqCst) == 0;
        if !self.dead.swap(true, Ordering::SeqCst) {
            self.shared.cuts.fetch_add(cut.into(), Ordering::SeqCst);
            for end in &self.ends {
                let _ = end.shutdown(Shutdown::Both);
            }
        }
    }

    /// Counts bytes that pass, and says how many of them still do.
    fn spend(&self, bytes: u64) -> u64 {
        let left = self.left.load(Ordering::SeqCst);
        if left == u64::MAX {
            return bytes;
        }
        self.left.store(left.saturating_sub(bytes), Ordering::SeqCst);
        bytes.min(left)
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while !shared.stop.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((near, _)) if !shared.refusing.load(Ordering::SeqCst) => {
                let _ = connect(near, shared);
            }
            Ok(_) => {}
            Err(_) => thread::sleep(LOOK),
        }
    }
}

fn connect(near: TcpStream, shared: &Arc<Shared>) -> io::Result<()> {
    let target = *shared.target.lock().unwrap_or_else(PoisonError::into_inner);
    let number = shared.connections.fetch_add(1, Ordering::SeqCst);
    let far = TcpStream::connect_timeout(&target, Duration::from_secs(2))?;
    for end in [&near, &far] {
        end.set_nonblocking(false)?;
        end.set_nodelay(true)?;
        end.set_read_timeout(Some(LOOK))?;
        end.set_write_timeout(Some(LOOK))?;
    }
    let faults = shared.faults();
    let mut dice = Dice(faults.seed ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let left = match faults.cut_after_bytes {
        0 => u64::MAX,
        bytes => bytes + dice.below(bytes),
    };
    let connection = Arc::new(Connection {
        number,
        shared: Arc::clone(shared),
        left: AtomicU64::new(left),
        dead: AtomicBool::new(false),
        ends: [near.try_clone()?, far.try_clone()?],
    });
    pump(near.try_clone()?, far.try_clone()?, &connection, dice.next())?;
    pump(far, near, &connection, dice.next())
}

/// Two threads: one reads and dates, one waits and writes.
fn pump(from: TcpStream, to: TcpStream, connection: &Arc<Connection>, seed: u64) -> io::Result<()> {
    let (put, take) = sync_channel(4096);
    let (reader, writer) = (Arc::clone(connection), Arc::clone(connection));
    thread::Builder::new().spawn(move || read(from, &put, &reader, Dice(seed)))?;
    thread::Builder::new().spawn(move || write(to, &take, &writer))?;
    Ok(())
}

fn read(mut from: TcpStream, put: &SyncSender<(Instant, Vec<u8>)>, connection: &Connection, mut dice: Dice) {
    let mut piece = [0; PIECE];
    let mut last = Instant::now();
    while !connection.is_over() {
        match from.read(&mut piece) {
            // The end is passed on after all that came before it: the writer ends when nothing more can come.
            Ok(0) => return,
            Ok(count) => {
                let faults = connection.shared.faults();
                let wait = u64::from(faults.delay_milliseconds) + dice.below(faults.jitter_milliseconds.into());
                last = last.max(Instant::now() + Duration::from_millis(wait));
                if put.send((last, piece.get(..count).unwrap_or_default().to_vec())).is_err() {
                    return;
                }
            }
            Err(error) if is_pause(&error) => {}
            Err(_) => break,
        }
    }
    connection.end();
}

fn write(to: TcpStream, take: &Receiver<(Instant, Vec<u8>)>, connection: &Connection) {
    loop {
        if connection.is_over() {
            break;
        }
        match take.recv_timeout(LOOK) {
            Ok((due, bytes)) => {
                if !pass(&to, due, &bytes, connection) {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let _ = to.shutdown(Shutdown::Write);
                return;
            }
        }
    }
    connection.end();
}

/// Writes bytes when their time has come, and says whether the connection goes on.
fn pass(mut to: &TcpStream, due: Instant, bytes: &[u8], connection: &Connection) -> bool {
    while Instant::now() < due || connection.shared.half_open.load(Ordering::SeqCst) {
        if connection.is_over() {
            return false;
        }
        thread::sleep(due.saturating_duration_since(Instant::now()).clamp(Duration::from_micros(100), LOOK));
    }
    let allowed = connection.spend(bytes.len() as u64) as usize;
    let mut rest = bytes.get(..allowed).unwrap_or_default();
    while !rest.is_empty() {
        if connection.is_over() {
            return false;
        }
        match to.write(rest) {
            Ok(count) => {
                rest = rest.get(count..).unwrap_or_default();
                connection.shared.passed.fetch_add(count as u64, Ordering::SeqCst);
                let pace = connection.shared.faults().bytes_per_second;
                if pace > 0 {
                    thread::sleep(Duration::from_secs_f64(count as f64 / f64::from(pace)));
                }
            }
            Err(error) if is_pause(&error) => {}
            Err(_) => return false,
        }
    }
    allowed == bytes.len()
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// SplitMix64: small, and the same everywhere.
#[derive(Debug)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// From 0 until before this; 0 if it is 0.
    fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }
}
