//! Where the borders between panes stand, and moving them with the mouse.

use ratatui::layout::{Position, Rect};

/// A border between panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Split {
    /// Between the upper and the lower row of panes.
    Rows,
    /// After the first column.
    First,
    /// After the second column.
    Second,
    /// Between the panes of the lower row.
    Lower,
    /// Above the kept chains.
    Kept,
}

/// Where they stand, in percent of what they divide; `None` where the layout decides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Splits {
    places: [Option<u16>; 5],
}

/// The least and the most that a border leaves on its first side.
const RANGE: (u16, u16) = (12, 88);

impl Splits {
    /// Where a border stands, in percent; `usual` unless it was moved.
    pub(crate) fn get(&self, split: Split, usual: u16) -> u16 {
        self.places[split as usize].unwrap_or(usual)
    }

    /// Where a border stands if it was moved.
    pub(crate) fn moved(&self, split: Split) -> Option<u16> {
        self.places[split as usize]
    }

    /// Moves a border to where the mouse is.
    pub(crate) fn drag(&mut self, divider: &Divider, to: Position) {
        let (start, length, at) = if divider.is_column {
            (divider.within.x, divider.within.width, to.x)
        } else {
            (divider.within.y, divider.within.height, to.y)
        };
        if length > 0 {
            let percent = u32::from(at.saturating_sub(start)) * 100 / u32::from(length);
            self.places[divider.split as usize] = Some((percent.min(100) as u16).clamp(RANGE.0, RANGE.1));
        }
    }
}

/// A border on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Divider {
    pub(crate) split: Split,
    /// Its cells: the two lines that meet.
    pub(crate) cells: Rect,
    /// What it divides.
    pub(crate) within: Rect,
    /// Whether it stands upright.
    pub(crate) is_column: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_follows_the_mouse_and_leaves_room_on_both_sides() {
        let mut splits = Splits::default();
        let divider = Divider { split: Split::First, cells: Rect::ZERO, within: Rect::new(10, 0, 100, 40), is_column: true };
        assert_eq!(splits.get(Split::First, 25), 25);
        for (x, percent) in [(60, 50), (0, 12), (500, 88)] {
            splits.drag(&divider, Position::new(x, 3));
            assert_eq!(splits.get(Split::First, 25), percent);
        }
        assert_eq!(splits.moved(Split::Rows), None);
    }
}
