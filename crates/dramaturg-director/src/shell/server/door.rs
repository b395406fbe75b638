//! Who may come in: the first frame of a link must be a hello, and show the token.

use dramaturg_wire::link::{HubKey, token_matches};
use dramaturg_wire::{Codec, Fault, FaultCode, Frame, Hello, ToDirector, ToGame, VERSION};

use super::super::Metrics;
use super::Server;
use super::inbox::Arrival;
use super::lobby::{Awaited, NEW_HELLO_BYTES_MAX};
use super::shown::{shown, shown_name};
use crate::clock::Moment;

/// The most bytes of what hello says of the game.
pub const GAME_BYTES_MAX: usize = 1_024;
/// The most bytes of the name of a story in hello.
pub const STORY_BYTES_MAX: usize = 1_024;
/// The most bytes of the name of a session in hello.
pub const SESSION_BYTES_MAX: usize = 64;
/// The most tasks in a hello that resumes: what an executor lets wait, twice.
pub const TASKS_MAX: usize = 131_072;

/// What becomes of a hello.
enum Verdict {
    /// It is for this session.
    Session(u64),
    /// Its story or session is not ready yet.
    Waits(Awaited),
    /// It is turned away.
    Refused(Refusal),
}

struct Refusal {
    code: FaultCode,
    text: String,
    /// Whether nothing is wrong with it: a game that has said goodbye asks once more.
    expected: bool,
}

impl From<(FaultCode, String)> for Refusal {
    fn from((code, text): (FaultCode, String)) -> Self {
        Self { code, text, expected: false }
    }
}

impl Server {
    /// The first frame of a link. Gives the session that is to hear it.
    pub(super) fn greet(&mut self, key: HubKey, bytes: Vec<u8>, now: Moment) -> Option<u64> {
        let codec = self.hub.codec(key).unwrap_or_default();
        let refusal = match self.admit(codec, &bytes, now).unwrap_or_else(Verdict::Refused) {
            Verdict::Session(id) => {
                self.attach(id, key, now);
                self.seats.get_mut(&id)?.inbox.push(Arrival::Frame(bytes));
                return Some(id);
            }
            Verdict::Waits(awaited) => match self.lobby.wait(key, awaited, bytes, now) {
                Ok(()) => return None,
                Err(text) => Refusal { code: FaultCode::Limit, text, expected: false },
            },
            Verdict::Refused(refusal) => refusal,
        };
        let Refusal { code, text, expected } = refusal;
        let (peer, told) = (self.hub.peer(key), shown(&text));
        if expected {
            tracing::debug!(link = %key, ?peer, text = told, "a game asked once more for what it had ended");
        } else {
            tracing::warn!(link = %key, ?peer, ?code, text = told, "a game was turned away");
            Metrics::add(&self.metrics.refused, 1);
        }
        self.refuse(key, code, text);
        None
    }

    /// What becomes of a hello.
    fn admit(&mut self, codec: Codec, bytes: &[u8], now: Moment) -> Result<Verdict, Refusal> {
        let frame: Frame<ToDirector> =
            codec.decode(bytes).map_err(|error| (FaultCode::Protocol, format!("{error}; say hello first")))?;
        let ToDirector::Hello(hello) = frame.message else {
            return Err((FaultCode::Protocol, "the first message must be hello".to_owned()).into());
        };
        if !token_matches(hello.token.as_deref(), self.token.as_deref()) {
            let text = "the token is missing or wrong; give the game the one that the director was started with";
            return Err((FaultCode::Token, text.to_owned()).into());
        }
        if let Some(text) = oversized(&hello, bytes.len()) {
            return Err((FaultCode::Limit, text).into());
        }
        if hello.version.major != VERSION.major {
            let (theirs, ours) = (hello.version.major, VERSION.major);
            let text = format!("the game speaks version {theirs}, this director {ours}; update one");
            return Err((FaultCode::Version, text).into());
        }
        let Some(resume) = &hello.resume else { return self.begin(codec, &hello, now) };
        let id = self.by_name.get(&resume.session).copied();
        match id.and_then(|id| Some((id, self.seats.get(&id)?))) {
            None if self.lobby.is_recovering(&resume.session) => {
                Ok(Verdict::Waits(Awaited::Session(resume.session.clone())))
            }
            None if self.lobby.has_bidden(&resume.session) => Err(Refusal {
                code: FaultCode::Unknown,
                text: "the session is over: its game said goodbye; begin a new one".to_owned(),
                expected: true,
            }),
            None => {
                let name = shown_name(&resume.session);
                Err((FaultCode::Unknown, format!("there is no session called `{name}` here; begin a new one")).into())
            }
            Some((_, seat)) if seat.codec != codec => {
                let text = format!(
                    "this session speaks {:?}, not {codec:?}; resume it over the same kind of link",
                    seat.codec
                );
                Err((FaultCode::Protocol, text).into())
            }
            Some((id, _)) => Ok(Verdict::Session(id)),
        }
    }

    /// Begins a session of the story that a hello asks for.
    fn begin(&mut self, codec: Codec, hello: &Hello, now: Moment) -> Result<Verdict, Refusal> {
        let story = match &hello.story {
            None if self.served.len() == 1 => Some(0),
            None => None,
            Some(name) => self.served.iter().position(|served| served.names.contains(name)),
        };
        let Some(story) = story else {
            let known: Vec<_> = self.served.iter().filter_map(|served| served.names.first().cloned()).collect();
            let asked = hello
                .story
                .as_ref()
                .map_or("hello names no story".to_owned(), |name| format!("no story `{}`", shown_name(name)));
            return Err((FaultCode::Unknown, format!("{asked}; those served here are {}", known.join(", "))).into());
        };
        if self.lobby.is_preparing(story) {
            return Ok(Verdict::Waits(Awaited::Story(story)));
        }
        self.make_room(now).map_err(|text| (FaultCode::Limit, text))?;
        let name = match &self.options.session_names {
            Some(name) => format!("{name}-{}", self.next_id + 1),
            None => unguessable().map_err(|text| (FaultCode::Internal, text))?,
        };
        let Some(served) = self.served.get_mut(story) else {
            return Err((FaultCode::Internal, "the story is gone".to_owned()).into());
        };
        let opening = (served.open)(&name, codec).map_err(|text| (FaultCode::Internal, text))?;
        let seated = self.seat(story, opening).ok_or_else(|| (FaultCode::Internal, "the story is gone".to_owned()))?;
        Ok(Verdict::Session(seated))
    }

    /// Tells who is on a link why it cannot go on, and closes it.
    pub(super) fn refuse(&mut self, key: HubKey, code: FaultCode, text: String) {
        let codec = self.hub.codec(key).unwrap_or_default();
        self.refuse_as(key, codec, code, text);
    }

    pub(super) fn refuse_as(&mut self, key: HubKey, codec: Codec, code: FaultCode, message: String) {
        self.guests.remove(&key);
        self.lobby.forget(key);
        self.by_link.remove(&key);
        Metrics::add(&self.metrics.faults, 1);
        let fault = ToGame::Fault(Fault { code, message });
        // It may be gone already.
        let _ = self.hub.send(key, &greeting(codec, &fault));
        self.hub.close(key);
    }
}

/// A frame that stands outside of epochs.
pub(super) fn greeting(codec: Codec, message: &ToGame) -> Vec<u8> {
    let (mut body, mut frame) = (Vec::new(), Vec::new());
    codec.encode(message, &mut body);
    codec.wrap(0, 0, 0, &body, &mut frame);
    frame
}

/// What of a hello is longer than it may be, and how to mend it. The token was compared before, and is bounded there.
fn oversized(hello: &Hello, bytes: usize) -> Option<String> {
    let (story, resume) = (hello.story.as_deref().unwrap_or_default(), hello.resume.as_ref());
    let session = resume.map_or("", |resume| resume.session.as_str());
    let texts = [
        ("what it says of the game", hello.game.as_str(), GAME_BYTES_MAX),
        ("the name of the story", story, STORY_BYTES_MAX),
        ("the name of the session", session, SESSION_BYTES_MAX),
    ];
    for (what, text, most) in texts {
        if text.len() > most {
            return Some(format!(
                "hello is too long: {what} has {} bytes, and may have {most}; shorten it",
                text.len()
            ));
        }
    }
    let tasks = resume.map_or(0, |resume| resume.tasks.len());
    if tasks > TASKS_MAX {
        return Some(format!(
            "hello is too long: it has {tasks} tasks, and may have {TASKS_MAX}; forget some that ended"
        ));
    }
    (resume.is_none() && bytes > NEW_HELLO_BYTES_MAX).then(|| {
        format!(
            "hello is too long: one that begins a session has {bytes} bytes, and may have {NEW_HELLO_BYTES_MAX}; say less in it"
        )
    })
}

/// 128 bits that nobody can guess.
fn unguessable() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
