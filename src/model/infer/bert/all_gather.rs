//! Threads that compute a matrix together, each some of its columns, and then exchange them: the all-gather of tensor parallelism.

use std::cell::Cell;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};
use std::thread;

use crate::model::infer::thread_pool::{Barrier, PeerFailed};

/// What the threads share.
pub(super) struct AllGather {
    barrier: Barrier,
    /// The columns that each thread computed in a step. Two sets in alternation, so that no thread overwrites what another still reads.
    shards: [Vec<RwLock<Vec<f32>>>; 2],
}

impl AllGather {
    /// For `size` threads.
    pub(super) fn new(size: usize) -> Self {
        let shards = || (0..size).map(|_| RwLock::default()).collect();
        Self { barrier: Barrier::new(size), shards: [shards(), shards()] }
    }

    /// The thread with this number, from 0 and below the number of threads.
    pub(super) fn rank(&self, index: usize) -> Rank<'_> {
        Rank { shared: self, index, steps: Cell::new(0) }
    }

    /// The share of one thread in `count` things.
    fn share(&self, index: usize, count: usize) -> Range<usize> {
        let at = |index: usize| count * index / self.barrier.size();
        at(index)..at(index + 1)
    }
}

/// One of the threads.
pub(super) struct Rank<'a> {
    shared: &'a AllGather,
    index: usize,
    steps: Cell<usize>,
}

impl Rank<'_> {
    /// This thread's share of `count` things in order; all shares together are all things.
    pub(super) fn share(&self, count: usize) -> Range<usize> {
        self.shared.share(self.index, count)
    }

    /// Exchanges columns: of `rows` rows this thread has computed the columns of its [share](Self::share) of `count` things of `width`
    /// columns, in `shard`; `whole` becomes `[rows, count · width]`, the same for all threads. Afterwards the content of `shard` is unspecified.
    ///
    /// # Errors
    /// If another thread failed.
    pub(super) fn gather(
        &self,
        shard: &mut Vec<f32>,
        whole: &mut Vec<f32>,
        rows: usize,
        count: usize,
        width: usize,
    ) -> Result<(), PeerFailed> {
        let AllGather { barrier, shards } = self.shared;
        if barrier.size() == 1 {
            std::mem::swap(shard, whole);
            return Ok(());
        }
        let step = self.steps.get();
        self.steps.set(step + 1);
        let shards = &shards[step % 2];
        if let Some(own) = shards.get(self.index) {
            std::mem::swap(shard, &mut *own.write().unwrap_or_else(PoisonError::into_inner));
        }
        barrier.wait()?;
        let stride = count * width;
        whole.resize(rows * stride, 0.0);
        for (index, shard) in shards.iter().enumerate() {
            let share = self.shared.share(index, count);
            let (begin, columns) = (share.start * width, share.len() * width);
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            if columns > 0 {
                for (whole, shard) in whole.chunks_exact_mut(stride).zip(shard.chunks_exact(columns)) {
                    whole[begin..begin + columns].copy_from_slice(shard);
                }
            }
        }
        Ok(())
    }
}

impl Drop for Rank<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.shared.barrier.break_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_gets_the_columns_of_all_in_every_step() {
        for size in [1, 2, 3, 7] {
            let shared = AllGather::new(size);
            thread::scope(|scope| {
                for index in 0..size {
                    let shared = &shared;
                    scope.spawn(move || {
                        let rank = shared.rank(index);
                        let (mut shard, mut whole) = (Vec::new(), Vec::new());
                        for step in 0..500 {
                            // Two rows of five things of two columns.
                            shard.clear();
                            for row in 0..2 {
                                shard.extend(rank.share(5).flat_map(|i| [0, 1].map(|j| (step * 100 + row * 10 + i * 2 + j) as f32)));
                            }
                            rank.gather(&mut shard, &mut whole, 2, 5, 2).expect("nobody failed");
                            assert!(whole.iter().enumerate().all(|(i, x)| *x == (step * 100 + i) as f32), "{whole:?}");
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn threads_that_wait_for_one_that_failed_are_released() {
        let shared = AllGather::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| shared.rank(0).gather(&mut vec![1.0], &mut Vec::new(), 1, 2, 1).is_err());
            let failing = scope.spawn(|| {
                let _rank = shared.rank(1);
                panic!("on purpose");
            });
            assert!(failing.join().is_err());
            assert!(waiting.join().expect("returns"));
        });
    }
}
