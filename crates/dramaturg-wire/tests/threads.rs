//! Two ends in two threads, on real threads. `tests/tests/interleavings.rs` tries every order.

use std::time::Duration;

use dramaturg_wire::link::{Link, LinkError, LinkOptions, ThreadLink};

#[test]
fn more_frames_than_the_queue_holds_wait_in_order() {
    let (mut left, mut right) = ThreadLink::pair(&LinkOptions::default());
    let count = 5_000_u32;
    (0..count).for_each(|number| left.send(&number.to_le_bytes()).expect("sent"));
    let mut frame = Vec::new();
    let mut heard = Vec::new();
    while heard.len() < count as usize {
        if right.receive(&mut frame).expect("open") {
            heard.push(u32::from_le_bytes(frame[..].try_into().expect("four bytes")));
        } else {
            left.flush().expect("open");
        }
    }
    assert_eq!(heard, (0..count).collect::<Vec<_>>());
}

#[test]
fn waiting_ends_with_a_frame_or_with_the_other_end() {
    let (mut left, mut right) = ThreadLink::pair(&LinkOptions::default());
    assert!(!right.wait(Duration::from_millis(1)));
    let thread = std::thread::spawn(move || left.send(b"now"));
    assert!(right.wait(Duration::from_secs(60)));
    let mut frame = Vec::new();
    assert_eq!(right.receive(&mut frame), Ok(true));
    assert_eq!(thread.join().expect("no panic"), Ok(()));
    assert!(right.wait(Duration::from_secs(60)));
    assert_eq!(right.receive(&mut frame), Err(LinkError::Closed));
}
