//! One call a frame.

mod common;

use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::Codec;
use dramaturg_wire::link::{Link, LinkError};

/// A link that is two lists.
#[derive(Default)]
struct Lists {
    inbound: Vec<Vec<u8>>,
    outbound: Vec<Vec<u8>>,
    cut: bool,
}

impl Link for Lists {
    fn send(&mut self, frame: &[u8]) -> Result<(), LinkError> {
        self.outbound.push(frame.to_vec());
        Ok(())
    }

    fn receive(&mut self, into: &mut Vec<u8>) -> Result<bool, LinkError> {
        if self.inbound.is_empty() {
            return if self.cut { Err(LinkError::Closed) } else { Ok(false) };
        }
        *into = self.inbound.remove(0);
        Ok(true)
    }

    fn codec(&self) -> Codec {
        Codec::Json
    }
}

#[test]
fn a_frame_is_one_call_and_a_cut_link_does_not_stop_the_game() {
    let mut executor = Executor::new(common::options());
    let (mut game, mut link) = (ScriptedGame::new(), Lists::default());
    assert_eq!(executor.frame(0, &mut game, &mut link), Ok(()));
    assert_eq!(link.outbound.len(), 1, "hello");
    let welcome = format!(
        r#"{{"epoch":0,"seq":0,"ack":0,"message":{{"welcome":{{"version":{{"major":1,"minor":0}},"session":"s","story":"x","update":5,"epoch":1,"received":0,"names":{},"message_bytes_max":1}}}}}}"#,
        common::NAMES
    );
    let execute = format!(r#"{{"epoch":1,"seq":1,"ack":0,"message":{}}}"#, common::execute(1, 1, 3, 1, 0, "[]"));
    link.inbound = vec![welcome.into_bytes(), b"rubbish".to_vec(), execute.into_bytes()];
    assert_eq!(executor.frame(1, &mut game, &mut link), Ok(()));
    assert!(executor.is_connected());
    assert_eq!(executor.waiting_count(), 1);
    link.cut = true;
    for tick in 2..5 {
        assert!(executor.frame(tick, &mut game, &mut link).is_err());
    }
    let done: Vec<_> = game.transcript().iter().map(ToString::to_string).collect();
    assert_eq!(done.len(), 4, "{done:?}");
    assert_eq!(done[2..], ["3: 1.0 starts walk(anna, cellar) with anna.legs", "4: 1.0 finishes walk"]);
}

#[test]
fn a_link_in_another_codec_is_an_error_of_the_link() {
    let mut executor = Executor::new(ExecutorOptions::default());
    let (mut game, mut link) = (ScriptedGame::new(), Lists::default());
    assert!(matches!(executor.frame(4, &mut game, &mut link), Err(LinkError::Protocol(_))));
    assert_eq!((executor.last_tick(), link.outbound.len()), (4, 0));
}
