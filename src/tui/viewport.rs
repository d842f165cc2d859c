//! The viewport: which part of the graph is on the screen.

/// The largest magnification.
const NEAREST: f64 = 8.0;
/// What one step changes.
const STEP: f64 = 1.25;
/// How far one step moves, as a part of the viewport.
const PAN: f64 = 0.15;

/// The part of the drawing (a unit square) that is on the screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewport {
    /// The middle.
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// Magnification: 1 shows all of it.
    pub(crate) zoom: f64,
}

impl Default for Viewport {
    fn default() -> Self {
        Self { x: 0.5, y: 0.5, zoom: 1.0 }
    }
}

impl Viewport {
    pub(crate) fn closer(&mut self) {
        self.zoom = (self.zoom * STEP).min(NEAREST);
    }

    pub(crate) fn farther(&mut self) {
        self.zoom = (self.zoom / STEP).max(1.0);
        self.pan(0.0, 0.0);
    }

    /// Moves by steps; the viewport stays within the drawing.
    pub(crate) fn pan(&mut self, right: f64, down: f64) {
        let half = 0.5 / self.zoom;
        self.x = (self.x + right * PAN / self.zoom).clamp(half, 1.0 - half);
        self.y = (self.y + down * PAN / self.zoom).clamp(half, 1.0 - half);
    }

    /// The square that is seen: left, right, top, bottom.
    pub(crate) fn seen(&self) -> (f64, f64, f64, f64) {
        let half = 0.5 / self.zoom;
        (self.x - half, self.x + half, self.y - half, self.y + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_never_looks_beside_the_drawing() {
        let mut viewport = Viewport::default();
        for _ in 0..30 {
            viewport.closer();
            viewport.pan(9.0, -9.0);
        }
        let (_, right, top, _) = viewport.seen();
        assert!((right - 1.0).abs() < 1e-9 && top.abs() < 1e-9 && viewport.zoom <= NEAREST);
        for _ in 0..30 {
            viewport.farther();
        }
        assert_eq!(viewport, Viewport::default());
    }
}
