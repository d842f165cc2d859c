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
    /// Anchors and kept chains as a graph.
    Graph,
}

impl Pane {
    /// All panes, in reading order; tabs and the focus keys number them so.
    pub const ALL: [Self; 8] =
        [Self::Question, Self::Hypothesis, Self::Anchors, Self::Chains, Self::Kept, Self::Answer, Self::Why, Self::Graph];

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
            Self::Graph => "Graph",
        }
    }
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Something that a key can do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Action {
            $($(#[$doc])* $name,)*
            /// Ask the example question of this number, from 1.
            Example(u8),
            /// Go to a pane.
            Focus(Pane),
        }

        impl Action {
            /// What is typed after `:` for it.
            pub(crate) fn command(self) -> Option<&'static str> {
                match self {
                    Self::Graphs => Some("graph"),
                    Self::Models => Some("model"),
                    Self::Methods => Some("method"),
                    _ => None,
                }
            }

            /// Every action; of those with a number or a pane, one for each.
            pub fn all() -> Vec<Self> {
                let mut all = vec![$(Self::$name),*];
                all.extend((1..=6).map(Self::Example));
                all.extend(Pane::ALL.map(Self::Focus));
                all
            }
        }
    };
}

actions! {
    /// Ask the question in the editor.
    Ask,
    /// Begin a new line in the question.
    NewLine,
    /// Bring back the question before.
    HistoryPrevious,
    /// Bring back the question after.
    HistoryNext,
    /// Begin a new question in an empty editor.
    NewQuestion,
    /// Edit the question on the screen.
    EditQuestion,
    /// Put the next example into the question box.
    NextExample,
    /// Empty the editor; when it is empty, go back to the first screen.
    Clear,
    /// Close the open sheet; else stop the run; else leave the editor.
    Stop,
    /// Leave Catena.
    Quit,
    /// Open what is selected: why it is there.
    Open,
    /// Change to the next layout.
    NextLayout,
    /// The next stage of the demo.
    StageNext,
    /// The stage of the demo before.
    StagePrevious,
    /// One step on in the demo: the next stage, or the next step of a replay.
    StageStep,
    /// Choose the graph for the next question.
    Graphs,
    /// Choose the model that writes.
    Models,
    /// Choose the method for the next question.
    Methods,
    /// Show the keys.
    Help,
    /// Show all messages.
    Messages,
    /// Find an action by its name.
    Palette,
    /// Take the tour, or begin it again.
    Tour,
    /// Go to the next pane.
    FocusNext,
    /// Go to the pane before.
    FocusPrevious,
    /// Let the focused pane fill the screen, or shrink it again.
    Zoom,
    /// Change to the next theme.
    NextTheme,
    /// Switch the language of the screen.
    NextLanguage,
    /// Select or scroll one up.
    Up,
    /// Select or scroll one down.
    Down,
    /// Move to the left.
    Left,
    /// Move to the right.
    Right,
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
    /// Accept the selected or typed item in the open sheet.
    Accept,
    /// Search in the focused pane.
    Find,
    /// Go to the next match.
    FindNext,
    /// Go to the match before.
    FindPrevious,
    /// Show only the rows of a list that have some words.
    Filter,
    /// List the chains in the search's order.
    SortAsFound,
    /// List the best scored chains first.
    SortByScore,
    /// List the shortest chains first.
    SortByLength,
    /// List the chains by their kind.
    SortByKind,
    /// List the chains by the anchors they connect, or not.
    GroupByAnchors,
    /// Keep a chain whatever its score, or no longer.
    Pin,
    /// Reject a chain or an anchor, or accept it again.
    Reject,
    /// Clear the decision about a chain or an anchor.
    Restore,
    /// Start or end selecting several chains.
    SelectRange,
    /// Reject every chain of the selected one's kind, or let them in again.
    RejectKind,
    /// Reject every chain through an entity.
    RejectThrough,
    /// Add an entity to the anchors.
    AddAnchor,
    /// Correct how the question was read.
    Case,
    /// Add a symptom, drug or condition to the case, or say in words what is different.
    AddFinding,
    /// Mark a finding or condition as present.
    Present,
    /// Mark a finding or condition as absent.
    Absent,
    /// Let the next question continue the case of this run.
    FollowUp,
    /// Show what else the evidence holds, or fold it.
    More,
    /// List the passages of documents.
    Passages,
    /// Open the stored document at the selected passage, or close it.
    OpenDocument,
    /// Compare the claims of a text with graph and documents.
    CheckText,
    /// Undo the last decision.
    Undo,
    /// Redo the decision that you undid last.
    Redo,
    /// Regenerate the answer from the current evidence.
    Reread,
    /// Change the longest chain, the number of kept chains, the linking threshold.
    Settings,
    /// Show the earlier runs.
    Sessions,
    /// Compare this run with an earlier one.
    Compare,
    /// Replay this run from its start.
    Replay,
    /// Pause or resume the replay.
    PlayPause,
    /// Play the next step and pause.
    PlayStep,
    /// Play faster.
    PlayFaster,
    /// Play more slowly.
    PlaySlower,
    /// Export this run as a report.
    Export,
    /// Copy the selection to the clipboard.
    Copy,
    /// Copy the answer with its citations to the clipboard.
    CopyAnswer,
    /// Show the prompts that went to the language model.
    Prompts,
    /// Show the run as JSON.
    Json,
    /// Draw the graph larger.
    Closer,
    /// Draw the graph smaller.
    Farther,
    /// Draw the whole graph.
    Fit,
    /// Draw the selected chain as large as there is room.
    FitSelection,
    /// Record that the answer is good.
    RateGood,
    /// Record that the answer is bad.
    RateBad,
    /// Write the correct answer.
    RateGold,
    /// Teach a fact directly.
    Teach,
    /// Review the pending proposals.
    Review,
    /// Show what was learned, and all records of it.
    #[serde(rename = "lessons")]
    Learned,
    /// Mark a proposal, to decide several at once.
    Mark,
    /// Edit a proposal, or say a line of the case in other words.
    Edit,
    /// Accept every marked proposal, or all.
    AcceptAll,
    /// Reject every marked proposal, or all.
    RejectAll,
    /// Go to the next question with two runs.
    NextPair,
    /// Go to the question before with two runs.
    PreviousPair,
    /// Open the first of two runs in the panes.
    OpenFirst,
    /// Open the second of two runs in the panes.
    OpenSecond,
    /// Change to the other run of the question in the panes.
    OtherRun,
    /// Show both runs side by side again.
    #[serde(rename = "beside")]
    SideBySide,
    /// List all questions with two runs.
    Pairs,
}
