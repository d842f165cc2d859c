//! A replay: where it is, and how fast it goes.

/// Control the replay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlaybackControl {
    /// Pause.
    Pause,
    /// Resume.
    Resume,
    /// Play the next step, then pause.
    Step,
    /// Play to the end of the next stage, then pause.
    Stage,
    /// Play at this multiple of the recorded speed.
    Speed(f64),
}

/// The speeds there are.
const SPEEDS: [f64; 7] = [0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 20.0];
/// The index of the recorded speed among them.
const AS_RECORDED: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Playback {
    pub(crate) paused: bool,
    speed: usize,
    /// Events played, of how many.
    pub(crate) at: usize,
    pub(crate) total: usize,
}

impl Playback {
    pub(crate) fn new(total: usize) -> Self {
        Self { paused: false, speed: AS_RECORDED, at: 0, total }
    }

    /// The same, paused or not.
    pub(crate) fn paused_if(self, paused: bool) -> Self {
        Self { paused, ..self }
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
