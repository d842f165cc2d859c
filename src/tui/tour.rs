//! The tour: ten steps through a recorded run, in the demo's layout, with what each pane is for and the keys that belong to it.

use std::io::BufReader;
use std::sync::Arc;

use flate2::read::GzDecoder;

use crate::run::{Case, Event, RecordingError, read_recording};
use crate::tui::action::{Action, Pane};
use crate::tui::app::{RunView, Selection};
use crate::tui::keymap::{Context, Keymap};
use crate::tui::screen_layout::ScreenLayout;
use crate::words::{Language, words};

/// The recorded run of the tour.
const RECORDING: &[u8] = include_bytes!("../../assets/tour.jsonl.gz");

/// Reads the recorded run of the tour.
///
/// # Errors
/// If it cannot be read, which a test rules out.
pub(crate) fn recording() -> Result<Vec<Event>, RecordingError> {
    read_recording(BufReader::new(GzDecoder::new(RECORDING)))
}

/// What was on the screen before a tour that was begun inside the program.
#[derive(Debug)]
pub(crate) struct BeforeTour {
    pub(crate) run: RunView,
    pub(crate) selection: Selection,
    pub(crate) arrangement: ScreenLayout,
    pub(crate) focus: Pane,
    pub(crate) first_screen: bool,
    /// What was typed.
    pub(crate) question: String,
    pub(crate) follows: Option<Arc<Case>>,
}

/// A step: the pane that is shown, and what is said of it; `{KEY}` of the keys in its list stand in the text as `{0}`, `{1}` …
struct Step {
    pane: Pane,
    text: &'static str,
    keys: &'static [(Action, Context)],
}

const STEPS: [Step; 10] = [
    Step {
        pane: Pane::Question,
        text: "This is a recorded run: nothing is asked, and nothing changes. A patient's question, in plain words. What the graph knows is marked.",
        keys: &[],
    },
    Step {
        pane: Pane::Hypothesis,
        text: "First, a guess at the answer. It only says what else to look for; nothing of it reaches the answer without evidence.",
        keys: &[],
    },
    Step {
        pane: Pane::Anchors,
        text: "The names that the graph knows: the search begins at these. In a run of your own, {0} adds one that you miss and {1} removes one.",
        keys: &[(Action::AddAnchor, Context::Panes), (Action::Reject, Context::Panes)],
    },
    Step {
        pane: Pane::Chains,
        text: "Every chain of facts between two of them. {0} searches the list, {1} shows only rows with certain words.",
        keys: &[(Action::Find, Context::Panes), (Action::Filter, Context::Panes)],
    },
    Step {
        pane: Pane::Kept,
        text: "The few that fit the question best, without saying the same twice. In a run of your own, {0} pins a chain and {1} rejects it: the answer follows at once.",
        keys: &[(Action::Pin, Context::Panes), (Action::Reject, Context::Panes)],
    },
    Step {
        pane: Pane::Answer,
        text: "The answer. What must not wait would stand first: {1} on that line says what raised it. “Read as” says how Catena understood the question; each line below cites the chains that prove it, or says where else it is from. {0} goes to the next line.",
        keys: &[(Action::Down, Context::Panes), (Action::Open, Context::Panes)],
    },
    Step {
        pane: Pane::Why,
        text: "This pane says why a line is in the answer: the chain it cites, and where each fact comes from. In the answer, press {0} on a line to open it.",
        keys: &[(Action::Open, Context::Panes)],
    },
    Step {
        pane: Pane::Graph,
        text: "The same evidence, drawn as a graph. {0} and {1} zoom.",
        keys: &[(Action::Closer, Context::Graph), (Action::Farther, Context::Graph)],
    },
    Step {
        pane: Pane::Answer,
        text: "An answer can be rated: {0} good, {1} bad, {2} gold (you write it). {3} teaches a fact. You accept it in the review ({4}); then questions about it use it, with ★, or say why not.",
        keys: &[
            (Action::RateGood, Context::Answer),
            (Action::RateBad, Context::Answer),
            (Action::RateGold, Context::Answer),
            (Action::Teach, Context::Panes),
            (Action::Review, Context::Panes),
        ],
    },
    Step {
        pane: Pane::Question,
        text: "That is all. {0} leaves the tour; then ask a question of your own in Catena. {1} shows every key, {2} changes the layout.",
        keys: &[(Action::Quit, Context::Panes), (Action::Help, Context::Panes), (Action::NextLayout, Context::Panes)],
    },
];

/// Where the tour is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tour {
    at: usize,
}

impl Tour {
    /// The pane of this step.
    pub(crate) fn pane(self) -> Pane {
        STEPS.get(self.at).map_or(Pane::Answer, |step| step.pane)
    }

    /// What a key of this step would do in a run of one's own, if it changes a run: the tour only shows one.
    pub(crate) fn would_do(self, key: &str, keymap: &Keymap, language: Language) -> Option<String> {
        use Action::{AddAnchor, Pin, RateBad, RateGold, RateGood, Reject};
        let changes = |action: &Action| matches!(action, AddAnchor | Pin | RateBad | RateGold | RateGood | Reject);
        let keys = STEPS.get(self.at)?.keys.iter();
        let (action, context) =
            keys.filter(|(action, _)| changes(action)).find(|(action, context)| keymap.key_of(*action, *context) == key)?;
        let help = keymap.bindings().iter().find(|binding| binding.action == *action && binding.context == *context)?.help.as_str();
        let help = language.known(help);
        Some(words!(language, "Nothing changes in the tour. In your own runs, {key} means: {help}", key = key, help = help))
    }

    /// So many steps on or back; it ends at both ends.
    pub(crate) fn step(self, by: isize) -> Self {
        Self { at: self.at.saturating_add_signed(by).min(STEPS.len() - 1) }
    }

    /// What this step says, with the keys as they are bound.
    pub(crate) fn text(self, keymap: &Keymap, language: Language) -> String {
        let Some(step) = STEPS.get(self.at) else { return String::new() };
        let (at, said) = (self.at + 1, language.known(step.text));
        let mut text = words!(language, "Step {at} of {total}. {said}", at = at, total = STEPS.len(), said = said);
        for (number, (action, context)) in step.keys.iter().enumerate() {
            text = text.replace(&format!("{{{number}}}"), &keymap.key_of(*action, *context));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recorded_run_cites_a_chain_for_each_name_of_its_first_sentence() {
        let trace = crate::run::Trace::fold(&recording().expect("sound"));
        let line = trace.answer.lines.iter().find(|line| line.part == crate::run::AnswerPart::Summary).expect("a sentence");
        assert!(line.text.contains(" and ") && line.citations.len() == 2, "{line:?}");
    }

    #[test]
    fn every_step_names_its_keys_and_no_other() {
        let keymap = Keymap::built_in().expect("sound");
        let mut tour = Tour::default();
        for number in 1..=STEPS.len() {
            let text = tour.text(&keymap, Language::English);
            assert!(text.starts_with(&format!("Step {number} of 10.")) && !text.contains('{'), "{text}");
            tour = tour.step(1);
        }
        let pinning = Tour::default().step(4);
        let said = |key: &str| pinning.would_do(key, &keymap, Language::English);
        assert!(said("p").is_some_and(|said| said.contains("p means: Pin the selected chain")), "{:?}", said("p"));
        assert!(said("x").is_some() && said("j").is_none() && Tour::default().would_do("p", &keymap, Language::English).is_none());
        assert_eq!(tour, tour.step(1), "the last step is the last");
        assert_eq!(tour.step(-20), Tour::default());
    }
}
