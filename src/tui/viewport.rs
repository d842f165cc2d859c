//! The viewport: which part of the graph is on the screen.

/// The largest magnification.
const NEAREST: f64 = 8.0;
/// What one step changes.
const STEP: f64 = 1.25;
/// How far one step moves, as a part of the viewport.
const PAN: f64 = 0.15;
/// What is left free around what is zoomed to, on each side, as a part of it: names stand on both sides of their places.
const MARGIN: f64 = 0.3;

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

    /// Shows these places and what lies close to them; `false` if there is none.
    pub(crate) fn show(&mut self, places: impl Iterator<Item = (f64, f64)> + Clone) -> bool {
        let bounds = |of: fn((f64, f64)) -> f64| {
            let all = places.clone().map(of).filter(|place| place.is_finite());
            all.fold(None, |bounds: Option<(f64, f64)>, place| {
                let (least, most) = bounds.unwrap_or((place, place));
                Some((least.min(place), most.max(place)))
            })
        };
        let (Some((left, right)), Some((top, bottom))) = (bounds(|place| place.0), bounds(|place| place.1)) else { return false };
        let side = (right - left).max(bottom - top) * (1.0 + 2.0 * MARGIN);
        // Places on one point have no extent; they are shown as near as it goes.
        self.zoom = if side > 0.0 { (1.0 / side).clamp(1.0, NEAREST) } else { NEAREST };
        (self.x, self.y) = ((left + right) / 2.0, (top + bottom) / 2.0);
        self.pan(0.0, 0.0);
        true
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
    fn what_is_zoomed_to_is_seen_whole_and_as_large_as_it_goes() {
        let places = [(0.2, 0.4), (0.3, 0.45), (0.25, 0.5)];
        let mut viewport = Viewport::default();
        assert!(viewport.show(places.iter().copied()));
        let (left, right, top, bottom) = viewport.seen();
        assert!(places.iter().all(|(x, y)| (left..=right).contains(x) && (top..=bottom).contains(y)), "{viewport:?}");
        assert!(viewport.zoom > 4.0 && viewport.zoom <= NEAREST, "{viewport:?}");
        // At the edge it stays within the drawing, and nothing leaves it as it is.
        assert!(viewport.show([(0.0, 0.0)].into_iter()));
        assert_eq!((viewport.seen().0, viewport.zoom), (0.0, NEAREST));
        let before = viewport;
        assert!(!viewport.show(std::iter::empty()) && viewport == before);
        assert!(viewport.show([(0.0, 0.0), (1.0, 1.0)].into_iter()));
        assert_eq!(viewport, Viewport::default(), "all of it is the whole");
    }

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
