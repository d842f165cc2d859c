//! Actions: everything that a key can do. The same enum names the bindings in `assets/keymap.toml`, so a
//! binding to something that does not exist cannot be written.

use serde::{Deserialize, Serialize};

/// A pane of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pane {
    /// The question editor.
    Question,
    /// The hypothesis.
    Hypothesis,
    /// The linked entities.
    Anchors,
    /// Every chain.
    Chains,
    /// The chains that were kept.
    Kept,
    /// The answer.
    Answer,
    /// Why the selected chain was kept, or not.
    Why,
}

impl Pane {
    /// All panes, in reading order; tabs and the focus keys number them so.
    pub const ALL: [Self; 7] = [Self::Question, Self::Hypothesis, Self::Anchors, Self::Chains, Self::Kept, Self::Answer, Self::Why];

    /// Its place in [`Pane::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// The pane `step` places on, round the end.
    pub(crate) fn step(self, step: isize) -> Self {
        let count = Self::ALL.len() as isize;
        let at = (self.index() as isize + step).rem_euclid(count);
        Self::ALL[at as usize]
    }

    /// The name in titles and tabs.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Question => "Question",
            Self::Hypothesis => "Hypothesis",
            Self::Anchors => "Anchors",
            Self::Chains => "Chains",
            Self::Kept => "Kept",
            Self::Answer => "Answer",
            Self::Why => "Why",
        }
    }
}

/// Something that a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Ask the question in the editor.
    Ask,
    /// Begin a new line in the question.
    NewLine,
    /// Bring back the question before.
    HistoryPrevious,
    /// Bring back the question after.
    HistoryNext,
    /// Put the next example question into the editor.
    NextExample,
    /// Ask the example question of this number, from 1.
    Example(u8),
    /// Empty the editor; when it is empty, go back to the first screen.
    Clear,
    /// Close what is open, else stop the run, else leave the editor.
    Stop,
    /// Leave Catena.
    Quit,
    /// Show the keys.
    Help,
    /// Show all messages.
    Messages,
    /// Go to a pane.
    Focus(Pane),
    /// Go to the next pane.
    FocusNext,
    /// Go to the pane before.
    FocusPrevious,
    /// Let the focused pane fill the screen, or shrink it again.
    Zoom,
    /// Change to the next theme.
    NextTheme,
    /// Select or scroll one up.
    Up,
    /// Select or scroll one down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the beginning.
    First,
    /// To the end.
    Last,
    /// Select the next kept chain.
    NextKept,
    /// Select the kept chain before.
    PreviousKept,
}
