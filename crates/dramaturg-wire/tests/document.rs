//! Messages and `docs/wire.md` cannot part: every frame in it is read, every variant and every field must be in it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use dramaturg_wire::message::{
    Answer, Comparison, Description, Execute, Fault, FaultCode, Guard, Hello, LatePolicy, Line, Observation, Outcome,
    Question, Resume, Status, Task, TaskContent, TaskRecord, TaskState, Test, ToDirector, ToGame, Value, Welcome,
};
use dramaturg_wire::{Codec, Frame};
use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, VariantAccess, Visitor,
};
use serde::{Serialize, forward_to_deserialize_any};

const DOCUMENT: &str = include_str!("../../../docs/wire.md");

// ---- What the types have: asked of serde, so that nothing is listed twice.

/// The names a type asks its deserialiser for.
#[derive(Debug, Default)]
struct Seen(RefCell<Vec<&'static str>>);

/// Says no to everything, but notes what was asked. With a number it pretends to hold that variant.
struct Spy<'a>(&'a Seen, Option<u32>);

#[derive(Debug)]
struct Enough;

impl fmt::Display for Enough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("enough")
    }
}

impl std::error::Error for Enough {}

impl serde::de::Error for Enough {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

impl<'de> Deserializer<'de> for Spy<'_> {
    type Error = Enough;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Enough> {
        Err(Enough)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Enough> {
        *self.0.0.borrow_mut() = fields.to_vec();
        Err(Enough)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Enough> {
        match self.1 {
            Some(_) => visitor.visit_enum(self),
            None => {
                *self.0.0.borrow_mut() = variants.to_vec();
                Err(Enough)
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for Spy<'_> {
    type Error = Enough;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Enough> {
        let number: U32Deserializer<Enough> = self.1.ok_or_else(|| Enough::custom(""))?.into_deserializer();
        Ok((seed.deserialize(number)?, self))
    }
}

impl<'de> VariantAccess<'de> for Spy<'_> {
    type Error = Enough;

    fn unit_variant(self) -> Result<(), Enough> {
        Err(Enough)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, Enough> {
        Err(Enough)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Enough> {
        Err(Enough)
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], _: V) -> Result<V::Value, Enough> {
        *self.0.0.borrow_mut() = fields.to_vec();
        Err(Enough)
    }
}

/// The fields of a struct, or the variants of an enum.
fn names<T: DeserializeOwned>() -> Vec<&'static str> {
    let seen = Seen::default();
    assert!(T::deserialize(Spy(&seen, None)).is_err());
    seen.0.into_inner()
}

/// The fields of a variant of an enum.
fn fields_of_variant<T: DeserializeOwned>(number: usize) -> Vec<&'static str> {
    let seen = Seen::default();
    assert!(T::deserialize(Spy(&seen, Some(number as u32))).is_err());
    seen.0.into_inner()
}

// ---- What the document has.

/// The rows of the first table below a heading: cells without their bars.
fn table(heading: &str) -> Vec<Vec<&'static str>> {
    let mut lines =
        DOCUMENT.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading || !line.starts_with('#'));
    assert!(lines.next().is_some(), "docs/wire.md has no heading `{heading}`");
    let rows = lines.take_while(|line| !line.starts_with('#')).skip_while(|line| !line.starts_with('|'));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// What is in backquotes.
fn quoted(text: &'static str) -> Vec<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// A table must list exactly these, in this order: binary frames have no names, so the order is part of the protocol.
fn lists<T: DeserializeOwned>(heading: &str) {
    let rows: Vec<_> = table(heading).iter().map(|row| row[0].trim_matches('`')).collect();
    assert_eq!(rows, names::<T>(), "the table under `{heading}` in docs/wire.md does not list what the code has");
}

/// A table of messages: their names and, where they have fields of their own, those.
fn lists_messages<T: DeserializeOwned>(heading: &str) {
    lists::<T>(heading);
    for (number, row) in table(heading).iter().enumerate() {
        let fields = fields_of_variant::<T>(number);
        assert_eq!(quoted(row[1]), fields, "the fields of {} in docs/wire.md", row[0]);
    }
}

/// The frames, each with whether it goes to the game and its line.
fn frames() -> Vec<(bool, usize, String)> {
    let lines: Vec<_> = DOCUMENT.lines().collect();
    let mut found = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "```json") {
        let to_game = match lines[at - 1] {
            "→ game" => true,
            "→ director" => false,
            other => panic!("docs/wire.md:{}: `{other}` does not say where the frame goes", at + 1),
        };
        let body: Vec<_> = lines[at + 1..].iter().take_while(|line| **line != "```").copied().collect();
        found.push((to_game, at + 2, body.join("\n")));
    }
    found
}

/// Reads a frame, and demands that it is written again as it stands, and comes through the binary codec unchanged.
fn read<M: DeserializeOwned + Serialize + PartialEq + fmt::Debug>(line: usize, text: &str) -> Frame<M> {
    let frame: Frame<M> =
        Codec::Json.decode(text.as_bytes()).unwrap_or_else(|error| panic!("docs/wire.md:{line}: {error}"));
    assert_eq!(serde_json::to_string(&frame).expect("JSON"), text, "docs/wire.md:{line} is not as it would be written");
    let binary = postcard::to_stdvec(&frame).expect("bytes");
    assert_eq!(Codec::Binary.decode::<M>(&binary).as_ref(), Ok(&frame), "docs/wire.md:{line} in binary");
    frame
}

/// The name of a variant.
fn tag(value: &impl Serialize) -> String {
    match serde_json::to_value(value).expect("JSON") {
        serde_json::Value::String(name) => name,
        serde_json::Value::Object(object) => object.keys().next().expect("a variant").clone(),
        other => panic!("{other} is no variant"),
    }
}

#[derive(Default)]
struct Used {
    to_game: BTreeSet<String>,
    to_director: BTreeSet<String>,
    outcomes: BTreeSet<String>,
    states: BTreeSet<String>,
    tests: BTreeSet<String>,
    values: BTreeSet<String>,
}

impl Used {
    fn observations(&mut self, observations: &[Observation]) {
        self.values.extend(observations.iter().map(|observation| tag(&observation.value)));
    }

    fn game(&mut self, message: &ToGame) {
        self.to_game.insert(tag(message));
        if let ToGame::Execute(execute) = message {
            self.tests.extend(execute.guards.iter().map(|guard| tag(&guard.test)));
        }
    }

    fn director(&mut self, message: &ToDirector) {
        self.to_director.insert(tag(message));
        match message {
            ToDirector::Status(status) => {
                self.outcomes.insert(tag(&status.outcome));
                self.observations(&status.observations);
            }
            ToDirector::Perceive { observations } => self.observations(observations),
            ToDirector::Hello(hello) => {
                let tasks = hello.resume.iter().flat_map(|resume| &resume.tasks);
                self.states.extend(tasks.map(|record| tag(&record.state)));
            }
            _ => {}
        }
    }
}

#[test]
fn every_frame_is_read_and_every_variant_is_shown() {
    let mut used = Used::default();
    for (to_game, line, text) in frames() {
        if to_game {
            used.game(&read::<ToGame>(line, &text).message);
        } else {
            used.director(&read::<ToDirector>(line, &text).message);
        }
    }
    let all = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(used.to_game, all(names::<ToGame>()));
    assert_eq!(used.to_director, all(names::<ToDirector>()));
    assert_eq!(used.outcomes, all(names::<Outcome>()));
    assert_eq!(used.states, all(names::<TaskState>()));
    assert_eq!(used.tests, all(names::<Test>()));
    assert_eq!(used.values, all(names::<Value>()));
}

#[test]
fn every_message_is_listed_with_its_fields() {
    lists_messages::<ToGame>("What the director says");
    lists_messages::<ToDirector>("What the game says");
    lists::<Frame<ToGame>>("Frames");
    lists::<Hello>("hello");
    lists::<Resume>("resume");
    lists::<TaskRecord>("task record");
    lists::<TaskState>("task state");
    lists::<Description>("description");
    lists::<TaskContent>("task content");
    lists::<Welcome>("welcome");
    lists::<Execute>("execute");
    lists::<Task>("task");
    lists::<Guard>("guard");
    lists::<Test>("test");
    lists::<Comparison>("comparison");
    lists::<LatePolicy>("late policy");
    lists::<Question>("question");
    lists::<Status>("status");
    lists::<Outcome>("outcome");
    lists::<Observation>("observation");
    lists::<Value>("value");
    lists::<Answer>("answer");
    lists::<Line>("line");
    lists::<Fault>("fault");
    lists::<FaultCode>("fault code");
}

#[test]
fn fields_of_outcomes_are_told() {
    for (number, row) in table("outcome").iter().enumerate() {
        assert_eq!(quoted(row[1]), fields_of_variant::<Outcome>(number), "{}", row[0]);
    }
}

#[test]
fn bytes_are_as_told() {
    let frame = Frame { epoch: 1, seq: 0, ack: 22, message: ToGame::Acknowledge };
    let bytes = postcard::to_stdvec(&frame).expect("bytes");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    let whole = [&(bytes.len() as u32).to_le_bytes(), bytes.as_slice()].concat();
    for told in [hex(&bytes), hex(&whole)] {
        assert!(DOCUMENT.lines().any(|line| line.trim() == told), "docs/wire.md does not have `{told}`");
    }
}

#[test]
fn limits_are_as_told() {
    let limits = dramaturg_wire::link::Limits::default();
    let thousands = |number: u32| match number {
        1000.. => format!("{},{:03}", number / 1000, number % 1000),
        _ => number.to_string(),
    };
    let told: Vec<_> = table("Limits and security").iter().map(|row| row[1].to_owned()).collect();
    let expected = [
        format!("{} MiB", limits.message_bytes_max >> 20),
        format!(
            "{}, and {} at once after a quiet time",
            thousands(limits.messages_per_second),
            thousands(limits.messages_burst)
        ),
        thousands(limits.sessions_max),
        thousands(limits.handshakes_max),
        format!("{} s", limits.handshake_milliseconds / 1000),
        format!("{} s", limits.idle_seconds),
        format!("{} MiB", limits.queue_bytes_max >> 20),
    ];
    assert_eq!(told, expected);
}

#[test]
fn unknown_keys_are_ignored_in_json() {
    let text = r#"{"epoch":1,"note":"recorded","seq":0,"ack":0,"message":{"ping":{"id":1,"note":2}}}"#;
    let frame: Frame<ToGame> = Codec::Json.decode(text.as_bytes()).expect("read");
    assert_eq!(frame.message, ToGame::Ping { id: 1 });
}
