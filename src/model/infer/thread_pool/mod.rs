//! The threads that compute a model, of whatever kind: one pool for each loaded model.
//!
//! They are not rayon's threads: all of those may be waiting for the very model that would then wait for them (a batch of questions).

#![allow(unsafe_code, reason = "other threads borrow a task from the caller, which waits for them")]

mod barrier;

use std::cell::UnsafeCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

pub(super) use barrier::{Barrier, PeerFailed};

/// Spins before an idle thread of [`Idle::Spin`] sleeps: about a millisecond, longer than the caller takes to draw a token.
const IDLE_SPINS: u32 = 40_000;
/// Spins after which the caller, waiting for the other threads, yields its core.
const WAIT_SPINS: u32 = 20_000;
/// Chunks for each thread, so that one slow thread does not delay the others.
const CHUNKS_PER_THREAD: usize = 4;

/// What a thread does between two tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Idle {
    /// It sleeps: for models that are called now and then.
    Sleep,
    /// It spins for about a millisecond before it sleeps: for models that give many short tasks in a row, each shorter than it takes to
    /// wake a thread.
    Spin,
}

/// What every thread does, given its number.
type Task<'a> = dyn Fn(usize) + Sync + 'a;

/// What a thread does with a chunk, given the number of the job, the chunk's items and their part of the job's output.
type Work<'a> = dyn Fn(usize, Range<usize>, &mut [f32]) + Sync + 'a;

struct Shared {
    /// The number of the latest task; a thread that sees a new number has a new task.
    number: AtomicUsize,
    /// Threads that have not finished the task.
    left: AtomicUsize,
    task: UnsafeCell<Option<&'static Task<'static>>>,
    stop: AtomicBool,
    failed: AtomicBool,
}

// SAFETY: `task` is written only by the one caller of `ThreadPool::run` (it takes `&mut self`), and only while `left` is 0, when no other thread
// reads it; the write happens before the threads see the new `number` (release and acquire).
unsafe impl Sync for Shared {}
// SAFETY: the reference within is to a `Sync` closure, which may be used from any thread.
unsafe impl Send for Shared {}

/// Some threads, and the calling thread as one of them.
pub(super) struct ThreadPool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts a pool of `threads` threads, of which the caller is one; the system lists the others by `name`.
    ///
    /// # Errors
    /// If the system starts no more threads.
    pub(super) fn new(name: &str, threads: usize, idle: Idle) -> Result<Self, String> {
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
            let thread = thread::Builder::new().name(name.into()).spawn(move || serve(&shared, index, idle));
            pool.threads.push(thread.map_err(|e| format!("the system cannot start another thread: {e}"))?);
        }
        Ok(pool)
    }

    /// The number of threads, the caller included.
    pub(super) fn threads(&self) -> usize {
        self.threads.len() + 1
    }

    /// Whether a task has panicked on one of the other threads since the last call.
    pub(super) fn failed(&self) -> bool {
        self.shared.failed.swap(false, Ordering::Relaxed)
    }

    /// Runs a task on every thread at once, with the numbers 0 (the caller) to `threads - 1`, and waits for all of them.
    pub(super) fn run(&mut self, task: &Task<'_>) {
        self.run_beside(task, || task(0));
    }

    /// Runs a task on the other threads, with the numbers from 1, and `own` on the caller; waits for all of them.
    pub(super) fn run_beside<T>(&mut self, task: &Task<'_>, own: impl FnOnce() -> T) -> T {
        if self.threads.is_empty() {
            return own();
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
        own()
    }

    /// Cuts the items of every job into chunks, each with its part of the job's output; the threads take chunk after chunk.
    pub(super) fn run_chunks(&mut self, jobs: Vec<OutputJob>, work: &Work<'_>) {
        let items: usize = jobs.iter().map(|job| job.items).sum();
        let size = items.div_ceil(self.threads() * CHUNKS_PER_THREAD).max(1);
        let mut chunks = Vec::with_capacity(self.threads() * CHUNKS_PER_THREAD + jobs.len());
        for (number, job) in jobs.into_iter().enumerate() {
            let mut rest = job.output;
            let mut from = 0;
            while from < job.items {
                let to = (from + size).min(job.items);
                let (output, after) = rest.split_at_mut(((to - from) * job.each).min(rest.len()));
                rest = after;
                chunks.push(Mutex::new(Some((number, from..to, output))));
                from = to;
            }
        }
        let next = AtomicUsize::new(0);
        self.run(&|_| {
            while let Some(chunk) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Some((number, range, output)) = lock(chunk).take() {
                    work(number, range, output);
                }
            }
        });
    }

    /// Cuts `items` into chunks of `size` and computes each on some thread; the results in the order of the chunks. `None` if a thread panicked.
    pub(super) fn map_chunks<T: Sync, R: Send>(&mut self, items: &[T], size: usize, compute: impl Fn(&[T]) -> R + Sync) -> Option<Vec<R>> {
        let chunks: Vec<(&[T], Mutex<Option<R>>)> = items.chunks(size.max(1)).map(|chunk| (chunk, Mutex::new(None))).collect();
        let next = AtomicUsize::new(0);
        self.run(&|_| {
            while let Some((chunk, result)) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                *lock(result) = Some(compute(chunk));
            }
        });
        self.failed();
        chunks.into_iter().map(|(_, result)| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// Output that is computed in chunks: `items` of `each` entries.
pub(super) struct OutputJob<'a> {
    pub(super) items: usize,
    pub(super) each: usize,
    pub(super) output: &'a mut [f32],
}

/// Locks; what a thread that panicked left behind is used as it is.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits, when dropped, until all other threads have finished.
struct Wait<'a>(&'a Shared);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut spins = 0u32;
        while self.0.left.load(Ordering::Acquire) != 0 {
            spins += 1;
            if spins.is_multiple_of(WAIT_SPINS) {
                thread::yield_now();
            } else {
                std::hint::spin_loop();
            }
        }
    }
}

/// What a thread of the pool does until the pool is dropped.
fn serve(shared: &Shared, index: usize, idle: Idle) {
    let most = if idle == Idle::Spin { IDLE_SPINS } else { 0 };
    let mut seen = 0;
    loop {
        let mut spins = 0;
        loop {
            let number = shared.number.load(Ordering::Acquire);
            if number != seen {
                seen = number;
                break;
            }
            if shared.stop.load(Ordering::Relaxed) {
                return;
            }
            spins += 1;
            if spins < most {
                std::hint::spin_loop();
            } else {
                thread::park();
                spins = 0;
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

impl Drop for ThreadPool {
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

    fn pool(threads: usize, idle: Idle) -> ThreadPool {
        ThreadPool::new("test", threads, idle).expect("threads")
    }

    #[test]
    fn every_item_is_done_once_whatever_the_number_of_threads() {
        for (threads, idle) in [(1, Idle::Spin), (2, Idle::Sleep), (3, Idle::Spin), (4, Idle::Sleep)] {
            let mut pool = pool(threads, idle);
            for round in 0..200usize {
                let (items, others) = (round % 17, 3);
                let (mut a, mut b) = (vec![0f32; items * 2], vec![0f32; others]);
                let jobs = vec![OutputJob { items, each: 2, output: &mut a }, OutputJob { items: others, each: 1, output: &mut b }];
                pool.run_chunks(jobs, &|number, range, output| {
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
    fn results_of_chunks_come_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..101).collect();
        for threads in 1..4 {
            let sums = pool(threads, Idle::Sleep).map_chunks(&items, 7, |chunk| chunk.iter().sum::<u32>());
            let want: Vec<u32> = items.chunks(7).map(|chunk| chunk.iter().sum()).collect();
            assert_eq!(sums, Some(want));
        }
    }

    #[test]
    fn a_panic_on_a_thread_is_reported_and_the_pool_can_be_used_again() {
        let mut pool = pool(2, Idle::Spin);
        pool.run(&|index| assert_eq!(index, 0, "on purpose"));
        assert!(pool.failed() && !pool.failed());
        let mut output = vec![0f32; 8];
        pool.run_chunks(vec![OutputJob { items: 8, each: 1, output: &mut output }], &|_, _, output| output.fill(1.0));
        assert_eq!(output, [1.0; 8]);
    }

    #[test]
    fn the_caller_does_its_own_part_while_the_others_work() {
        for threads in 1..4 {
            let count = AtomicUsize::new(0);
            let add = |index| {
                count.fetch_add(index, Ordering::Relaxed);
            };
            let own = pool(threads, Idle::Sleep).run_beside(&add, || 7);
            assert_eq!((own, count.into_inner()), (7, (1..threads).sum()));
        }
    }
}
