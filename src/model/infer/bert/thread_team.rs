//! Threads that compute one thing together, each some columns of it.
//!
//! They are threads of their own and not rayon's: those may all be waiting for this very model (a batch of questions).
//! Between two steps they wait for each other without sleeping: a step of a short query takes some ten microseconds,
//! waking a thread as long.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::{hint, thread};

/// So many looks before a waiting thread lets others have its core, which may be what the last one waits for.
const LOOKS: usize = 4_000;

/// What the members share.
pub(super) struct Team {
    size: usize,
    arrived: AtomicUsize,
    turn: AtomicUsize,
    broken: AtomicBool,
    /// What each member computed in a step; two sets in turns, so that nobody overwrites what another still reads.
    strips: [Vec<RwLock<Vec<f32>>>; 2],
}

/// A member failed, and the others cannot go on.
#[derive(Debug)]
pub(super) struct Broken;

impl Team {
    pub(super) fn new(size: usize) -> Self {
        let strips = || (0..size).map(|_| RwLock::default()).collect();
        Self { size, arrived: AtomicUsize::new(0), turn: AtomicUsize::new(0), broken: AtomicBool::new(false), strips: [strips(), strips()] }
    }

    /// Lets everybody who waits or will wait go, in vain.
    pub(super) fn give_up(&self) {
        self.broken.store(true, Ordering::Release);
    }

    /// The member with a number below the team's size.
    pub(super) fn member(&self, index: usize) -> Member<'_> {
        Member { team: self, index, steps: Cell::new(0) }
    }

    /// Waits until all members have come here.
    fn meet(&self) -> Result<(), Broken> {
        let turn = self.turn.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            self.arrived.store(0, Ordering::Release);
            self.turn.store(turn.wrapping_add(1), Ordering::Release);
            return Ok(());
        }
        let mut looks = 0;
        while self.turn.load(Ordering::Acquire) == turn {
            if self.broken.load(Ordering::Acquire) {
                return Err(Broken);
            }
            looks += 1;
            if looks < LOOKS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        Ok(())
    }
}

/// One of the threads of a team.
pub(super) struct Member<'a> {
    team: &'a Team,
    index: usize,
    steps: Cell<usize>,
}

impl Member<'_> {
    /// This member's part of `count` things in order; all parts together are all of them.
    pub(super) fn part(&self, count: usize) -> Range<usize> {
        let at = |index: usize| count * index / self.team.size;
        at(self.index)..at(self.index + 1)
    }

    /// Puts together what the members computed: of `rows` rows each has the columns of its [part](Self::part) of `count` things of `width`
    /// columns, in `strip`; `whole` becomes `[rows, count · width]`, the same for all. `strip` holds nothing of use afterwards.
    pub(super) fn gather(&self, strip: &mut Vec<f32>, whole: &mut Vec<f32>, rows: usize, count: usize, width: usize) -> Result<(), Broken> {
        if self.team.size == 1 {
            std::mem::swap(strip, whole);
            return Ok(());
        }
        let step = self.steps.get();
        self.steps.set(step + 1);
        let strips = &self.team.strips[step % 2];
        if let Some(own) = strips.get(self.index) {
            std::mem::swap(strip, &mut *own.write().unwrap_or_else(PoisonError::into_inner));
        }
        self.team.meet()?;
        let stride = count * width;
        whole.resize(rows * stride, 0.0);
        for (index, strip) in strips.iter().enumerate() {
            let part = Member { team: self.team, index, steps: Cell::new(0) }.part(count);
            let (begin, columns) = (part.start * width, part.len() * width);
            let strip = strip.read().unwrap_or_else(PoisonError::into_inner);
            if columns > 0 {
                for (whole, strip) in whole.chunks_exact_mut(stride).zip(strip.chunks_exact(columns)) {
                    whole[begin..begin + columns].copy_from_slice(strip);
                }
            }
        }
        Ok(())
    }
}

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.team.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_gets_the_columns_of_all_in_every_step() {
        for size in [1, 2, 3, 7] {
            let team = Team::new(size);
            thread::scope(|scope| {
                for index in 0..size {
                    let team = &team;
                    scope.spawn(move || {
                        let member = team.member(index);
                        let (mut strip, mut whole) = (Vec::new(), Vec::new());
                        for step in 0..500 {
                            // Two rows of five things of two columns.
                            strip.clear();
                            for row in 0..2 {
                                strip.extend(member.part(5).flat_map(|i| [0, 1].map(|j| (step * 100 + row * 10 + i * 2 + j) as f32)));
                            }
                            member.gather(&mut strip, &mut whole, 2, 5, 2).expect("nobody failed");
                            assert!(whole.iter().enumerate().all(|(i, x)| *x == (step * 100 + i) as f32), "{whole:?}");
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn whoever_waits_for_a_member_that_failed_is_let_go() {
        let team = Team::new(2);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| team.member(0).gather(&mut vec![1.0], &mut Vec::new(), 1, 2, 1).is_err());
            let failing = scope.spawn(|| {
                let _member = team.member(1);
                panic!("a member fails, as this test wants");
            });
            assert!(failing.join().is_err());
            assert!(waiting.join().expect("returns"));
        });
    }
}
