//! Threads of a pool. Apart from it, for [`super::pool`] is also built where threads are simulated.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::pool::Pool;

static RUNNING: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// How many ran at once, with this one.
fn work(threads: usize) -> usize {
    let running = RUNNING[threads].fetch_add(1, Ordering::SeqCst) + 1;
    thread::sleep(Duration::from_millis(20));
    RUNNING[threads].fetch_sub(1, Ordering::SeqCst);
    running
}

#[test]
fn no_more_jobs_run_at_once_than_there_are_threads() {
    for threads in [1, 3] {
        let pool = Pool::start(threads, "test", work, || {}).expect("threads");
        (0..12).for_each(|_| pool.submit(threads));
        let (mut done, mut most) = (0, 0);
        while done < 12 {
            match pool.done() {
                Some(running) => (done, most) = (done + 1, most.max(running)),
                None => thread::sleep(Duration::from_millis(1)),
            }
        }
        assert_eq!(most, threads);
    }
}
