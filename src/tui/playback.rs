//! A run that is played again: where it is, and how fast it goes.

/// How what is played goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// It halts.
    Halt,
    /// It goes on.
    Go,
    /// The next event, then it halts.
    Step,
    /// So many times the pace at which it was recorded.
    Speed(f64),
}

/// The speeds there are.
const SPEEDS: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 20.0];
/// The place of the recorded pace among them.
const AS_RECORDED: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Playing {
    pub(crate) halted: bool,
    speed: usize,
    /// Events played, of how many.
    pub(crate) at: usize,
    pub(crate) total: usize,
}

impl Playing {
    pub(crate) fn new(total: usize) -> Self {
        Self { halted: false, speed: AS_RECORDED, at: 0, total }
    }

    pub(crate) fn speed(&self) -> f64 {
        SPEEDS[self.speed]
    }

    /// Faster or more slowly by so many steps; the new speed.
    pub(crate) fn change(&mut self, by: isize) -> f64 {
        self.speed = self.speed.saturating_add_signed(by).min(SPEEDS.len() - 1);
        self.speed()
    }

    pub(crate) fn is_over(&self) -> bool {
        self.at >= self.total
    }
}
