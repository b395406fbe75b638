//! Bounds of a hub that only it can see.

use std::io::Write;
use std::net::TcpStream;

use super::*;
use crate::link::{LinkOptions, ListenOptions, TcpLink};

fn hub() -> (Hub, String) {
    let listener = Listener::bind(ListenOptions::default()).expect("a port");
    let address = listener.address().to_string();
    (Hub::new(listener).expect("a hub"), address)
}

/// Turns until something is there.
fn until<T>(hub: &mut Hub, mut found: impl FnMut(&mut Hub, &[HubEvent]) -> Option<T>) -> T {
    let (mut events, began) = (Vec::new(), Instant::now());
    loop {
        hub.wait(Duration::from_millis(5), &mut events).expect("a turn");
        if let Some(found) = found(hub, &events) {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "it never came");
    }
}

fn opened(events: &[HubEvent]) -> Option<HubKey> {
    events.iter().find_map(|event| if let HubEvent::Opened(key, _) = event { Some(*key) } else { None })
}

#[test]
fn one_link_hands_out_so_many_frames_in_a_row() {
    const FRAMES: usize = 4 * FRAMES_AT_ONCE;
    let (mut hub, address) = hub();
    let mut game = TcpLink::connect(&address, LinkOptions::default()).expect("connecting");
    let (mut taken, mut most, mut frame) = (0, 0, Vec::new());
    (0..FRAMES).for_each(|number| game.queue(&[number as u8]).expect("kept"));
    until(&mut hub, |_, events| {
        let _ = game.receive(&mut frame);
        let _ = game.flush();
        let frames = events.iter().filter(|event| matches!(event, HubEvent::Frame(..))).count();
        (taken, most) = (taken + frames, most.max(frames));
        (taken == FRAMES).then_some(())
    });
    assert!(most <= FRAMES_AT_ONCE, "{most} at once");
}

#[test]
fn emptied_buffers_are_kept_up_to_a_number_and_a_size() {
    let mut hub = Hub::without_listener(Limits::default()).expect("a hub");
    let key = HubKey { slot: 0, generation: 0 };
    let frame = |bytes: usize| HubEvent::Frame(key, Vec::with_capacity(bytes));
    let mut events: Vec<HubEvent> = (0..2 * SPARE_MAX).map(|_| frame(100)).collect();
    events.insert(0, frame(SPARE_BYTES_MAX + 1));
    hub.wait(Duration::ZERO, &mut events).expect("a turn");
    assert_eq!(hub.spare.len(), SPARE_MAX);
    assert!(hub.spare.iter().all(|spare| spare.capacity() <= SPARE_BYTES_MAX));
}

#[test]
fn a_game_that_holds_part_of_a_frame_gives_way_only_after_a_while() {
    let (mut hub, address) = hub();
    let mut socket = TcpStream::connect(&address).expect("connecting");
    socket.write_all(b"DRMT\0\0\x01\0").expect("greeted");
    let key = until(&mut hub, |_, events| opened(events));
    hub.admit(key);
    let part = [&(1_u32 << 20).to_le_bytes()[..], &[7; 100 << 10]].concat();
    socket.write_all(&part).expect("sent");
    let since = until(&mut hub, |hub, _| hub.entry(key).and_then(|entry| entry.allowance.since()));
    let after = |wait: Duration| since + wait;
    assert_eq!(hub.hoarder(true, after(room::HOARD_ADMITTED - Duration::from_millis(1))), None);
    let hoarder = hub.hoarder(true, after(room::HOARD_ADMITTED)).map(|(hoarder, _)| hoarder);
    assert_eq!(hoarder, Some(key));
    assert_eq!(hub.hoarder(false, after(room::HOARD_ADMITTED)), None, "it is no stranger");
}
