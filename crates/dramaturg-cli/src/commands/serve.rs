//! `dramaturg serve`: sessions for games that connect.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use dramaturg::model::Tick;
use dramaturg::open;
use dramaturg::planner::planner::PlannerLoader;
use dramaturg_director::shell::server::{Opening, Story};
use dramaturg_director::shell::{Journals, Served, Server, ServerOptions, SessionOptions};
use dramaturg_wire::link::{Limits, LinkError, ListenOptions, Listener, ServerTls};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::exit::{Exit, Failure};
use crate::input::{self, Input, PlanInput};
use crate::journaling::{self, Journaling};
use crate::shell::{Shell, count};
use crate::style::{BOLD, DIM};

mod prepare;
use prepare::{Prepared, Preparing, Unprepared};

/// Serve stories to games that connect over TCP or WebSocket
///
/// Each game has a session of its own, with its own world, planner and clock; what is performed is what the story's
/// planner decides, or a plan, or a stream from a seed. Listens on this machine only, unless a token is given that
/// games must show. Ends in order on SIGTERM or Ctrl-C: every game is bidden goodbye. With journals, sessions that are
/// not over go on when it is started again, even if it was killed. Logs go to standard error.
#[derive(Args)]
#[command(after_help = "\
Examples:
  dramaturg serve city.story
  dramaturg serve city.story dungeon.story --listen 0.0.0.0:7777 --token-file token.txt --tls-cert cert.pem --tls-key key.pem
  dramaturg serve lighthouse --plan lighthouse/lighthouse.plan --metrics --log json
  dramaturg serve city.story --journal journals")]
pub struct Serve {
    /// Stories; games choose one by its file's name or its title
    #[arg(value_name = "STORY", required = true)]
    stories: Vec<PathBuf>,
    /// Where to listen; port 0: the system chooses
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7777")]
    listen: String,
    /// What games must show in hello
    #[arg(long, value_name = "WORD", env = "DRAMATURG_TOKEN", hide_env_values = true, conflicts_with = "token_file")]
    token: Option<String>,
    /// A file whose first line games must show in hello: unlike --token it stays out of lists of processes
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The certificate for encrypted links, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Its key, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Answer `/health` and `/metrics` (Prometheus) on the same port
    #[arg(long)]
    metrics: bool,
    /// The most sessions at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_sessions: u32,
    /// The most links that one address has at a time; an IPv6 network of 64 bits counts as one
    #[arg(long, value_name = "NUMBER", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_links_per_address: u32,
    /// The most frames a game may send in a second
    #[arg(long, value_name = "NUMBER", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    max_frames: u32,
    /// The most bytes of a message; a save that the game asks for is one message
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(4096..=1 << 28))]
    max_message: u32,
    /// A link on which nothing comes for so many seconds is closed
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    idle: u32,
    /// A session whose game is gone waits so many seconds for it
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    linger: u32,
    /// With --journal: a session whose recovery takes longer is set aside
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    max_recovery: u32,
    /// So many threads work for all planners
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    planners: usize,
    /// What every session performs; only with one story [default: what its planner decides, or a stream]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Who plans for every story, by name [default: the planner that each story asks for]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["plan", "tasks"])]
    planner: Option<String>,
    /// Perform a stream of so many tasks, whatever the story wants [default: 1000 where no planner knows what to do]
    #[arg(long, value_name = "NUMBER")]
    tasks: Option<usize>,
    /// Ticks between two tasks of a stream, on average
    #[arg(long, value_name = "TICKS", default_value_t = 12, value_parser = clap::value_parser!(i64).range(1..))]
    gap: Tick,
    /// Where chance begins
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    journaling: Journaling,
    /// With --journal: so many journals of sessions that are over are kept
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    keep_journals: usize,
    /// How logs are written; RUST_LOG says what of them, such as `dramaturg_director=debug`
    #[arg(long, value_enum, default_value_t = LogForm::Text)]
    log: LogForm,
}

/// How logs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogForm {
    /// For people
    Text,
    /// One JSON document a line
    Json,
}

/// What is told once it listens, for programs.
#[derive(Serialize)]
struct Listening {
    command: &'static str,
    ok: bool,
    address: String,
    stories: Vec<String>,
    encrypted: bool,
    metrics: bool,
    /// Sessions that go on from their journals.
    restored: usize,
    /// Stories that cannot be played yet; games that ask for them wait.
    preparing: Vec<String>,
}

/// So many segments of each journal are kept: the last one and a half hours or so can be replayed.
const SEGMENTS: usize = 64;
impl Serve {
    /// Runs it.
    pub fn run(&self, shell: &mut Shell) -> Result<Exit, Failure> {
        let token = self.token()?;
        if let Some(name) = &self.planner {
            shell.planners.find(name).map_err(Failure::usage)?;
        }
        let journals = self.journaling.open(SEGMENTS, self.keep_journals)?;
        let (mut served, mut stories, mut unprepared) = (Vec::new(), Vec::new(), Vec::new());
        let mut titles = Vec::new();
        for path in &self.stories {
            let mut opened = match input::usable(shell, path, None)? {
                Input::Usable(opened) => *opened,
                Input::Faulty(exit) => return Ok(exit),
            };
            let plan = match &self.plan {
                None => None,
                Some(_) if self.stories.len() > 1 => {
                    return Err(Failure::usage("a plan belongs to one story, but several are served"));
                }
                Some(file) => match input::plan(shell, &mut opened, file)? {
                    PlanInput::Read(plan) => Some(plan),
                    PlanInput::Faulty(exit) => return Ok(exit),
                },
            };
            let name = name_of(path);
            titles.push(name.clone());
            let place = journaling::place(path);
            let model = Arc::new(opened.model);
            stories.push(Story { model: Arc::clone(&model), path: Some(place.clone()) });
            let (names, prepared) = (vec![name, model.title.clone()], Prepared::default());
            unprepared.push(Unprepared { model, plan, prepared: Arc::clone(&prepared) });
            served.push(story(names, prepared, self.max_message, journals.clone().map(|journals| (journals, place))));
        }
        self.start_log(shell);
        let listener = self.listener(token)?;
        let options = ServerOptions {
            sessions_max: self.max_sessions as usize,
            linger_seconds: self.linger,
            recovery_seconds: self.max_recovery,
            planner_threads: self.planners,
            shows_metrics: self.metrics,
            session_names: None,
        };
        let mut server = Server::new(listener, served, options).map_err(|error| trouble(&error))?;
        let loader = shell.planners.loader();
        let restored = journals.map_or(0, |journals| restore(&mut server, journals, &stories, &loader));
        let stop = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            // A second one ends at once, in case draining hangs.
            signal_hook::flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
                .map_err(|error| Failure::trouble(format!("cannot hear signals: {error}")))?;
        }
        let preparing = Preparing {
            tasks: self.tasks,
            gap: self.gap,
            seed: self.seed,
            planners: shell.planners.clone(),
            planner: self.planner.clone(),
        };
        let preparing = preparing.start(unprepared, &titles, server.preparation())?;
        let address = server.address().map(|address| address.to_string()).unwrap_or_default();
        self.announce(shell, address, titles, restored, preparing)?;
        server.run(&stop).map_err(|error| trouble(&error))?;
        Ok(Exit::Fine)
    }

    fn announce(
        &self,
        shell: &mut Shell,
        address: String,
        stories: Vec<String>,
        restored: usize,
        preparing: Vec<String>,
    ) -> Result<(), Failure> {
        let encrypted = self.tls_cert.is_some();
        tracing::info!(address, stories = stories.join(", "), encrypted, "listening");
        if shell.json {
            let metrics = self.metrics;
            let (command, ok) = ("serve", true);
            shell.json_line(&Listening { command, ok, address, stories, encrypted, metrics, restored, preparing })
        } else {
            let mut served = count(stories.len(), "story").replace("storys", "stories");
            if restored > 0 {
                served.push_str(&format!("; {} from journals", count(restored, "session")));
            }
            if !preparing.is_empty() {
                served.push_str(&format!("; games wait for {}, still being prepared", preparing.join(", ")));
            }
            writeln!(shell.out, "listening on {BOLD}{address}{BOLD:#} {DIM}({served}; Ctrl-C ends){DIM:#}")?;
            shell.out.flush()?;
            Ok(())
        }
    }

    /// What games must show.
    fn token(&self) -> Result<Option<String>, Failure> {
        let cure = "give a word that nobody guesses, or leave it out to serve this machine alone without one";
        match &self.token_file {
            None if self.token.as_deref() == Some("") => {
                Err(Failure::usage("the token is empty, so anybody could show it (`--token`, or DRAMATURG_TOKEN)")
                    .hint(cure))
            }
            None => Ok(self.token.clone()),
            Some(path) => {
                let text = String::from_utf8_lossy(&open::read(path)?).into_owned();
                let first = text.lines().next().unwrap_or_default().trim().to_owned();
                if first.is_empty() {
                    return Err(Failure::usage(format!("the first line of `{}` is empty", path.display())).hint(cure));
                }
                Ok(Some(first))
            }
        }
    }

    fn listener(&self, token: Option<String>) -> Result<Listener, Failure> {
        let tls = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => {
                let (chain, private) = (open::read(certificate)?, open::read(key)?);
                let tls = ServerTls::new(&chain, &private).map_err(|error| {
                    let (certificate, key) = (certificate.display(), key.display());
                    let why = if let LinkError::Refused(why) = &error { why.clone() } else { error.to_string() };
                    Failure::usage(format!("`{certificate}` and `{key}` cannot be used: {why}"))
                })?;
                if let Some(why) = ServerTls::objection(&chain) {
                    let certificate = certificate.display();
                    tracing::warn!(%certificate, why, "games will refuse the certificate");
                }
                Some(tls)
            }
            _ => None,
        };
        let limits = Limits {
            message_bytes_max: self.max_message,
            sessions_max: self.max_sessions,
            links_per_address_max: self.max_links_per_address,
            idle_seconds: self.idle,
            messages_per_second: self.max_frames,
            messages_burst: self.max_frames.saturating_mul(2),
            ..Limits::default()
        };
        Listener::bind(ListenOptions { address: self.listen.clone(), token, tls, limits })
            .map_err(|error| trouble(&error))
    }

    fn start_log(&self, shell: &Shell) {
        use tracing_subscriber::EnvFilter;
        let filter = EnvFilter::builder().with_default_directive(tracing::Level::INFO.into()).from_env_lossy();
        let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
        // A second logger in one process is refused; then the first goes on.
        let _ = match self.log {
            LogForm::Json => log.json().try_init(),
            LogForm::Text => log.with_ansi(!shell.json && std::io::stderr().is_terminal()).try_init(),
        };
    }
}

/// A story with what its sessions perform, once that is known; with journals, and where it lies.
fn story(names: Vec<String>, prepared: Prepared, max_message: u32, journals: Option<(Journals, String)>) -> Served {
    Served {
        names,
        options: SessionOptions::default(),
        open: Box::new(move |name, codec| {
            let setting = match prepared.get() {
                Some(Ok(setting)) => setting,
                Some(Err(why)) => return Err(why.clone()),
                None => return Err("the story is still being prepared; try again later".to_owned()),
            };
            let mut director = setting.director(name, codec);
            director.set_message_bytes_max(max_message);
            let begin = |(journals, place): &(Journals, String)| journals.begin(name, Some(place), &mut director);
            let journal = journals.as_ref().map(begin).transpose().map_err(|error| error.to_string())?;
            Ok(Opening { director, journal })
        }),
    }
}

/// Goes on with the sessions of a director that died or ended before; how many.
fn restore(server: &mut Server, journals: Journals, stories: &[Story], loader: &PlannerLoader) -> usize {
    let restored = server.restore(journals, stories, loader);
    if restored.sessions + restored.over > 0 {
        tracing::info!(sessions = restored.sessions, over = restored.over, "went on from journals");
    }
    if restored.recovering > 0 {
        tracing::info!(sessions = restored.recovering, "still being recovered; games that come back for them wait");
    }
    for why in &restored.left {
        tracing::warn!(why, "a journal was left as it is");
    }
    restored.sessions
}

/// What games call a story: the name of its file or folder.
fn name_of(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn trouble(error: &LinkError) -> Failure {
    let exit = if matches!(error, LinkError::Refused(_)) { Exit::Usage } else { Exit::Trouble };
    Failure::Told { exit, message: error.to_string(), hint: None }
}
