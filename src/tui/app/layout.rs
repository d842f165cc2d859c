//! Which panes are shown where: focus, zoom, borders, the part of the graph that is seen; and what the latest frame looked like.

use ratatui::layout::Rect;

use crate::report::Drawing;
use crate::tui::action::Pane;
use crate::tui::screen_layout::ScreenLayout;
use crate::tui::splits::{Divider, Splits};
use crate::tui::styled_text::Wrapped;
use crate::tui::viewport::Viewport;

/// Which panes are shown where.
#[derive(Debug)]
pub(crate) struct PaneLayout {
    pub(crate) focus: Pane,
    /// How the panes are arranged.
    pub(crate) arrangement: ScreenLayout,
    /// The question is shown as a stage of the demo, not to be edited.
    pub(crate) presents_question: bool,
    /// Where Esc leads back to from the editor, or from what was opened.
    pub(crate) back: Option<Pane>,
    /// The focused pane fills the screen.
    pub(crate) zoomed: bool,
    /// The user asked for the first screen; see [`App::shows_first_screen`](super::App::shows_first_screen).
    pub(crate) first_screen: bool,
    /// Where the borders between panes stand.
    pub(crate) splits: Splits,
    /// The border that is being dragged.
    pub(crate) dragged: Option<Divider>,
    /// The part of the graph that is seen.
    pub(crate) viewport: Viewport,
    /// The kept chains as they are drawn; made again when the pane is drawn and they have changed.
    pub(crate) drawing: Drawing,
    pub(crate) drawing_stale: bool,
    /// What the latest frame looked like.
    pub(crate) frame: LastFrame,
}

impl PaneLayout {
    pub(super) fn new(focus: Pane, first_screen: bool, arrangement: ScreenLayout) -> Self {
        Self {
            focus,
            back: None,
            arrangement,
            presents_question: false,
            zoomed: false,
            first_screen,
            splits: Splits::default(),
            dragged: None,
            viewport: Viewport::default(),
            drawing: Drawing::default(),
            drawing_stale: false,
            frame: LastFrame::default(),
        }
    }
}

/// What the latest frame looked like: drawing writes it, scrolling and the mouse read it.
#[derive(Debug, Default)]
pub(crate) struct LastFrame {
    /// The inside of each pane; empty when it was not drawn.
    pub(crate) panes: [Rect; Pane::ALL.len()],
    /// The line above the answer that says how urgent the case is; empty when it was not drawn.
    pub(crate) alarm: Rect,
    /// The heads of the tabs, where there are tabs.
    pub(crate) tabs: Vec<(Rect, Pane)>,
    /// Rows that the overlay or the first screen can show, and has.
    pub(crate) sheet_height: usize,
    pub(crate) sheet_rows: usize,
    pub(crate) hypothesis: Wrapped,
    pub(crate) answer: Wrapped,
    /// Whether the answer has room for few of its rows.
    pub(crate) answer_is_cramped: bool,
    pub(crate) why: Wrapped,
    pub(crate) question: Wrapped,
    /// Rows that each kept chain takes.
    pub(crate) kept_rows: usize,
    /// Rows of the list to choose from, of the review or the records: where each stands, and which item it shows.
    pub(crate) picks: Vec<(Rect, usize)>,
    /// Borders that can be dragged.
    pub(crate) dividers: Vec<Divider>,
    pub(crate) side_by_side: SideBySideFrame,
    /// Names in the graph: their cells, and the entities' numbers in the table.
    pub(crate) graph_nodes: Vec<(Rect, u32)>,
}

/// What the latest frame of two runs side by side looked like.
#[derive(Debug, Default)]
pub(crate) struct SideBySideFrame {
    pub(crate) question: Wrapped,
    pub(crate) expected: Wrapped,
    pub(crate) sides: [Wrapped; 2],
    /// Rows that there are, and that can be shown.
    pub(crate) rows: usize,
    pub(crate) height: usize,
    /// The row at which the second run begins, where it stands below the first.
    pub(crate) second: Option<usize>,
}
