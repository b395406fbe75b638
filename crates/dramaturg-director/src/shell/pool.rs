//! Threads that take jobs from one queue.

use std::io;

use super::sync::mpsc::{Receiver, Sender, channel};
use super::sync::thread;
use super::sync::{Arc, Mutex, PoisonError};

/// Threads that take jobs from one queue, each as soon as it is free. They end when this and all doors to it are gone;
/// nobody waits for that.
pub struct Pool<Job, Done> {
    jobs: Sender<Job>,
    done: Receiver<Done>,
}

impl<Job: Send + 'static, Done: Send + 'static> Pool<Job, Done> {
    /// So many threads, called by this name and a number, that do `work`. `wake` is called, in one of them, whenever a
    /// job is done.
    pub fn start(
        count: usize,
        name: &str,
        work: fn(Job) -> Done,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let (tell, done) = channel();
        let (queue, wake) = (Arc::new(Mutex::new(queue)), Arc::new(wake));
        for number in 0..count.max(1) {
            let (queue, tell, wake) = (Arc::clone(&queue), tell.clone(), Arc::clone(&wake));
            let thread = thread::Builder::new().name(format!("{name}-{number}"));
            thread.spawn(move || {
                loop {
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { return };
                    if tell.send(work(job)).is_err() {
                        return;
                    }
                    wake();
                }
            })?;
        }
        Ok(Self { jobs, done })
    }

    /// Has a job done as soon as a thread is free.
    pub fn submit(&self, job: Job) {
        // The threads are gone only when everything ends.
        let _ = self.jobs.send(job);
    }

    /// Another way into the queue.
    pub fn door(&self) -> Sender<Job> {
        self.jobs.clone()
    }

    /// The next job that is done, if one is.
    pub fn done(&self) -> Option<Done> {
        self.done.try_recv().ok()
    }
}
