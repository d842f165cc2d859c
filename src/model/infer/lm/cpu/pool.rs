//! Threads of a model's own that compute together. They are kept awake between the steps of one token: waking a sleeping thread
//! takes longer than many a step.
//!
//! Not rayon: its threads may all be waiting for the very model that would wait for them.

#![allow(unsafe_code, reason = "a task that borrows from its caller is lent to other threads while the caller waits for them")]

use std::cell::UnsafeCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Looks for new work before a thread goes to sleep: a millisecond or so, longer than the caller takes to draw a token.
const LOOKS: u32 = 40_000;
/// Looks for the end of the others' work before the caller lets other programs have the core.
const PATIENCE: u32 = 20_000;
/// Parts that work is cut into for each thread, so that a thread that was held up does not hold up the others.
const PARTS: usize = 4;

/// What every thread does, given its number.
type Task<'a> = dyn Fn(usize) + Sync + 'a;

/// What is done with a part: the number of its job, its items, and their slice.
type Work<'a> = dyn Fn(usize, Range<usize>, &mut [f32]) + Sync + 'a;

struct Shared {
    /// Counts tasks; a thread that sees a new number has a new task.
    number: AtomicUsize,
    /// Threads that have not finished the task.
    left: AtomicUsize,
    task: UnsafeCell<Option<&'static Task<'static>>>,
    stop: AtomicBool,
    failed: AtomicBool,
}

// SAFETY: `task` is written only by the one caller of `Pool::run` (it takes `&mut self`), and only while `left` is 0, when no other thread
// reads it; the write happens before the threads see the new `number` (release and acquire).
unsafe impl Sync for Shared {}
// SAFETY: the reference within is to a `Sync` closure, which may be used from any thread.
unsafe impl Send for Shared {}

/// Some threads and the one that calls them.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// `threads` in all, the caller among them.
    pub(super) fn new(threads: usize) -> Result<Self, String> {
        let shared = Arc::new(Shared {
            number: AtomicUsize::new(0),
            left: AtomicUsize::new(0),
            task: UnsafeCell::new(None),
            stop: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        });
        let mut pool = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for index in 1..threads {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name("language model".into()).spawn(move || serve(&shared, index));
            pool.threads.push(thread.map_err(|e| format!("the system gives no thread: {e}"))?);
        }
        Ok(pool)
    }

    /// Whether a thread has failed at a task since it was asked last.
    pub(super) fn failed(&self) -> bool {
        self.shared.failed.swap(false, Ordering::Relaxed)
    }

    /// Runs a task on every thread at once and waits for all.
    fn run(&mut self, task: &Task<'_>) {
        if self.threads.is_empty() {
            task(0);
            return;
        }
        // SAFETY: the reference is lent for longer than it lives only in its type. Threads use it between the new `number` below and their
        // counting down of `left`; `Wait` is dropped, and so waits for `left` to be 0, before this function returns or unwinds.
        let lent = unsafe { std::mem::transmute::<&Task<'_>, &'static Task<'static>>(task) };
        // SAFETY: no thread reads the task now: `left` is 0 since the last call ended, and `&mut self` keeps others from calling.
        unsafe { *self.shared.task.get() = Some(lent) };
        self.shared.left.store(self.threads.len(), Ordering::Relaxed);
        self.shared.number.fetch_add(1, Ordering::Release);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        let _wait = Wait(&self.shared);
        task(0);
    }

    /// Cuts the `items` of each job into parts, with what belongs to them in its slice, and has every part done by some thread.
    pub(super) fn each(&mut self, jobs: Vec<Job>, work: &Work<'_>) {
        let items: usize = jobs.iter().map(|job| job.items).sum();
        let size = items.div_ceil((self.threads.len() + 1) * PARTS).max(1);
        let mut parts = Vec::with_capacity((self.threads.len() + 1) * PARTS + jobs.len());
        for (number, job) in jobs.into_iter().enumerate() {
            let mut rest = job.output;
            let mut from = 0;
            while from < job.items {
                let to = (from + size).min(job.items);
                let (part, after) = rest.split_at_mut(((to - from) * job.each).min(rest.len()));
                rest = after;
                parts.push(Mutex::new(Some((number, from..to, part))));
                from = to;
            }
        }
        let next = AtomicUsize::new(0);
        self.run(&|_| {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Some((number, range, output)) = part.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    work(number, range, output);
                }
            }
        });
    }
}

/// Work on a slice: `items` of `each` entries.
pub(super) struct Job<'a> {
    pub(super) items: usize,
    pub(super) each: usize,
    pub(super) output: &'a mut [f32],
}

/// Waits, when it is dropped, until all threads are done.
struct Wait<'a>(&'a Shared);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut looks = 0u32;
        while self.0.left.load(Ordering::Acquire) != 0 {
            looks += 1;
            if looks.is_multiple_of(PATIENCE) {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

fn serve(shared: &Shared, index: usize) {
    let mut seen = 0;
    loop {
        let mut looks = 0;
        loop {
            let number = shared.number.load(Ordering::Acquire);
            if number != seen {
                seen = number;
                break;
            }
            if shared.stop.load(Ordering::Relaxed) {
                return;
            }
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
            } else {
                thread::park();
                looks = 0;
            }
        }
        // SAFETY: the caller wrote the task before the number that was just seen, and does not write it again before `left` is 0.
        let task = unsafe { *shared.task.get() };
        if let Some(task) = task
            && catch_unwind(AssertUnwindSafe(|| task(index))).is_err()
        {
            shared.failed.store(true, Ordering::Relaxed);
        }
        shared.left.fetch_sub(1, Ordering::Release);
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_done_once_whatever_the_number_of_threads() {
        for threads in 1..5 {
            let mut pool = Pool::new(threads).expect("threads");
            for round in 0..200usize {
                let (items, others) = (round % 17, 3);
                let (mut a, mut b) = (vec![0f32; items * 2], vec![0f32; others]);
                let jobs = vec![Job { items, each: 2, output: &mut a }, Job { items: others, each: 1, output: &mut b }];
                pool.each(jobs, &|number, range, output| {
                    let each = 2 - number;
                    assert_eq!(output.len(), range.len() * each);
                    for (at, entries) in range.zip(output.chunks_mut(each)) {
                        entries.iter_mut().for_each(|entry| *entry += (100 * number + at) as f32);
                    }
                });
                assert!(a.chunks(2).enumerate().all(|(at, pair)| pair == [at as f32; 2]));
                assert_eq!(b, [100.0, 101.0, 102.0]);
            }
        }
    }

    #[test]
    fn a_thread_that_fails_is_told_of_and_the_pool_goes_on() {
        let mut pool = Pool::new(2).expect("threads");
        pool.run(&|index| assert_eq!(index, 0, "on purpose"));
        assert!(pool.failed() && !pool.failed());
        let mut output = vec![0f32; 8];
        pool.each(vec![Job { items: 8, each: 1, output: &mut output }], &|_, _, output| output.fill(1.0));
        assert_eq!(output, [1.0; 8]);
    }
}
