//! Any bytes as a save of a session and as a checkpoint of an executor, once as they are and once with a checksum that
//! fits: loaded without a panic, and what was loaded goes on.
#![no_main]

mod common;

use std::sync::Arc;

use dramaturg_director::{Director, SessionSave};
use dramaturg_executor::{Executor, ExecutorOptions};
use dramaturg_wire::Codec;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // As it is: its checksum is wrong, unless it is a seed.
    let _ = SessionSave::from_bytes(data);
    if let Some(bytes) = common::mended_save(data)
        && let Ok(save) = SessionSave::from_bytes(&bytes)
    {
        let options = common::options(Codec::Binary);
        if let Ok((director, _)) = Director::load(Arc::clone(&common::MODEL), options, &save, dramaturg_planners::loader()) {
            common::go_on(director, true);
        }
    }
    for codec in [Codec::Binary, Codec::Json] {
        let options = || ExecutorOptions { codec, ..ExecutorOptions::default() };
        if let Ok(executor) = Executor::restore(data, options()) {
            common::perform(executor);
        }
        if let Ok(executor) = Executor::restore(&mended_checkpoint(data), options()) {
            common::perform(executor);
        }
    }
});

/// The bytes behind what a checkpoint begins with, as a checkpoint.
fn mended_checkpoint(data: &[u8]) -> Vec<u8> {
    let body = data.get(14..).unwrap_or_default();
    let sum = body
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum: u64, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    [b"DRMX".as_slice(), &2_u16.to_le_bytes(), &sum.to_le_bytes(), body].concat()
}
