//! A barrier at which the threads of a pool wait for each other within one task.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{hint, thread};

/// Spins before a waiting thread yields its core, which the last thread may need.
const SPINS: usize = 4_000;

/// A barrier that spins: a step of a short text takes some ten microseconds, and waking a sleeping thread takes as long.
pub(in crate::model::infer) struct Barrier {
    size: usize,
    arrived: AtomicUsize,
    /// How often all threads have met.
    round: AtomicUsize,
    broken: AtomicBool,
}

/// A thread failed, so the others cannot continue.
#[derive(Debug)]
pub(in crate::model::infer) struct PeerFailed;

impl Barrier {
    /// A barrier for `size` threads.
    pub(in crate::model::infer) fn new(size: usize) -> Self {
        Self { size, arrived: AtomicUsize::new(0), round: AtomicUsize::new(0), broken: AtomicBool::new(false) }
    }

    /// The number of threads that meet here.
    pub(in crate::model::infer) fn size(&self) -> usize {
        self.size
    }

    /// Releases everyone who waits, now or later, with an error.
    pub(in crate::model::infer) fn break_up(&self) {
        self.broken.store(true, Ordering::Release);
    }

    /// Waits until all threads have arrived.
    pub(in crate::model::infer) fn wait(&self) -> Result<(), PeerFailed> {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut spins = 0;
        while self.round.load(Ordering::Acquire) == round {
            if self.broken.load(Ordering::Acquire) {
                return Err(PeerFailed);
            }
            spins += 1;
            if spins < SPINS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        Ok(())
    }
}
