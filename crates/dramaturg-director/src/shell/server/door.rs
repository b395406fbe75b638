//! Who may come in: the first frame of a link must be a hello, and show the token.

use dramaturg_wire::link::{HubKey, token_matches};
use dramaturg_wire::{Codec, Fault, FaultCode, Frame, Hello, ToDirector, ToGame, VERSION};

use super::super::Metrics;
use super::Server;
use crate::clock::Moment;

impl Server {
    /// The first frame of a link. Gives the session that is to hear it.
    pub(super) fn greet(&mut self, key: HubKey, bytes: Vec<u8>, now: Moment) -> Option<u64> {
        let codec = self.hub.codec(key).unwrap_or_default();
        match self.admit(codec, &bytes) {
            Ok(id) => {
                self.attach(id, key, now);
                self.seats.get_mut(&id)?.frames.push(bytes);
                Some(id)
            }
            Err((code, text)) => {
                tracing::warn!(link = %key, peer = ?self.hub.peer(key), ?code, text, "a game was turned away");
                Metrics::add(&self.metrics.refused, 1);
                self.refuse(key, code, text);
                None
            }
        }
    }

    /// Which session a hello is for.
    fn admit(&mut self, codec: Codec, bytes: &[u8]) -> Result<u64, (FaultCode, String)> {
        let frame: Frame<ToDirector> =
            codec.decode(bytes).map_err(|error| (FaultCode::Protocol, format!("{error}; say hello first")))?;
        let ToDirector::Hello(hello) = frame.message else {
            return Err((FaultCode::Protocol, "the first message must be hello".to_owned()));
        };
        if !token_matches(hello.token.as_deref(), self.token.as_deref()) {
            let text = "the token is missing or wrong; give the game the one that the director was started with";
            return Err((FaultCode::Token, text.to_owned()));
        }
        if hello.version.major != VERSION.major {
            let (theirs, ours) = (hello.version.major, VERSION.major);
            let text = format!("the game speaks version {theirs}, this director {ours}; update one");
            return Err((FaultCode::Version, text));
        }
        match &hello.resume {
            Some(resume) => {
                let id = self.by_name.get(&resume.session).copied();
                let seat = id.and_then(|id| Some((id, self.seats.get(&id)?)));
                match seat {
                    None => Err((
                        FaultCode::Unknown,
                        format!("there is no session called `{}` here; begin a new one", resume.session),
                    )),
                    Some((_, seat)) if seat.codec != codec => Err((
                        FaultCode::Protocol,
                        format!(
                            "this session speaks {:?}, not {codec:?}; resume it over the same kind of link",
                            seat.codec
                        ),
                    )),
                    Some((id, _)) => Ok(id),
                }
            }
            None => self.begin(codec, &hello),
        }
    }

    /// Begins a session of the story that a hello asks for.
    fn begin(&mut self, codec: Codec, hello: &Hello) -> Result<u64, (FaultCode, String)> {
        let story = match &hello.story {
            None if self.served.len() == 1 => Some(0),
            None => None,
            Some(name) => self.served.iter().position(|served| served.names.contains(name)),
        };
        let Some(story) = story else {
            let known: Vec<_> = self.served.iter().filter_map(|served| served.names.first().cloned()).collect();
            let asked =
                hello.story.as_ref().map_or("hello names no story".to_owned(), |name| format!("no story `{name}`"));
            return Err((FaultCode::Unknown, format!("{asked}; those served here are {}", known.join(", "))));
        };
        if !self.has_room() {
            return Err((FaultCode::Limit, "all sessions are taken; try again later".to_owned()));
        }
        let name = match &self.options.session_names {
            Some(name) => format!("{name}-{}", self.next_id + 1),
            None => unguessable().map_err(|text| (FaultCode::Internal, text))?,
        };
        let Some(served) = self.served.get_mut(story) else {
            return Err((FaultCode::Internal, "the story is gone".to_owned()));
        };
        let opening = (served.open)(&name, codec).map_err(|text| (FaultCode::Internal, text))?;
        self.seat(story, opening).ok_or_else(|| (FaultCode::Internal, "the story is gone".to_owned()))
    }

    /// Tells who is on a link why it cannot go on, and closes it.
    pub(super) fn refuse(&mut self, key: HubKey, code: FaultCode, text: String) {
        let codec = self.hub.codec(key).unwrap_or_default();
        self.refuse_as(key, codec, code, text);
    }

    pub(super) fn refuse_as(&mut self, key: HubKey, codec: Codec, code: FaultCode, message: String) {
        self.guests.remove(&key);
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

/// 128 bits that nobody can guess.
fn unguessable() -> Result<String, String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
