//! The director says how much it takes at once, and the executor heeds it.

use dramaturg_executor::scripted::What;
use dramaturg_executor::{Executor, ExecutorOptions, ScriptedGame};
use dramaturg_wire::message::pieces::SAVE_BYTES_MAX;
use dramaturg_wire::{Codec, FaultCode, Frame, Observation, ToDirector, ToGame, VERSION, Value, Welcome};

const MOST: u32 = 2_000;

fn welcomed(codec: Codec) -> Executor {
    let mut executor = Executor::new(ExecutorOptions { codec, ..ExecutorOptions::default() });
    executor.poll(&mut |_| {});
    let welcome = ToGame::Welcome(Box::new(Welcome {
        version: VERSION,
        session: "s".to_owned(),
        story: "Cellar".to_owned(),
        update: 12,
        epoch: 1,
        received: 0,
        names: Vec::new(),
        message_bytes_max: MOST,
    }));
    let (mut body, mut frame) = (Vec::new(), Vec::new());
    codec.encode(&welcome, &mut body);
    codec.wrap(0, 0, 0, &body, &mut frame);
    executor.receive(&frame).expect("a frame");
    executor
}

#[test]
fn what_is_too_much_at_once_is_said_in_parts_or_told_to_the_game() {
    for codec in [Codec::Binary, Codec::Json] {
        let (mut executor, mut game) = (welcomed(codec), ScriptedGame::new());
        let seen = |number: i64| Observation {
            fluent: format!("coins({number})"),
            value: Value::Number(number),
            from: number,
            to: None,
        };
        executor.perceive_all((0..500).map(seen).collect());
        executor.tick(1, &mut game);
        let mut heard = Vec::new();
        executor.poll(&mut |bytes| {
            assert!(bytes.len() <= MOST as usize, "{codec:?}: {} bytes", bytes.len());
            let frame: Frame<ToDirector> = codec.decode(bytes).expect("a frame");
            if let ToDirector::Perceive { observations } = frame.message {
                heard.extend(observations.iter().map(|seen| seen.from));
            }
        });
        assert_eq!(heard, (0..500).collect::<Vec<i64>>(), "{codec:?}: all of it, in order");
        let faults = |game: &mut ScriptedGame| -> Vec<FaultCode> {
            let transcript = game.take_transcript().into_iter();
            transcript
                .filter_map(|seen| if let What::Fault(fault) = seen.what { Some(fault.code) } else { None })
                .collect()
        };
        assert_eq!(faults(&mut game), [], "{codec:?}");
        // A save goes in pieces.
        let save: Vec<u8> = (0..5_000u32).map(|at| (at % 251) as u8).collect();
        executor.load(save.clone());
        executor.tick(2, &mut game);
        let mut pieces = Vec::new();
        executor.poll(&mut |bytes| {
            assert!(bytes.len() <= MOST as usize, "{codec:?}: {} bytes", bytes.len());
            let frame: Frame<ToDirector> = codec.decode(bytes).expect("a frame");
            if let ToDirector::LoadPiece { data, .. } | ToDirector::Load { data, .. } = frame.message {
                pieces.push(data);
            }
        });
        assert!(pieces.len() > 1 && pieces.concat() == save, "{codec:?}: {} pieces", pieces.len());
        assert_eq!(faults(&mut game), [], "{codec:?}");
        // What cannot be divided, or is too large in any case, is not sent, for it would close the link.
        executor.set_language("x".repeat(5_000));
        executor.load(vec![0; SAVE_BYTES_MAX + 1]);
        executor.tick(3, &mut game);
        executor.poll(&mut |bytes| assert!(bytes.len() <= MOST as usize));
        assert_eq!(faults(&mut game), [FaultCode::Limit, FaultCode::Limit], "{codec:?}");
    }
}
