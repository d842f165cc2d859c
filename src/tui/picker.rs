//! A list to choose from by typing: actions, entities, earlier runs, forms of a report. One kind of list for all of them.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::action::Action;
use super::app::ListPosition;
use super::case_sheet::CaseSheet;
use super::line_input::LineInput;
use crate::graph::Kind;
use crate::report::Format;
use crate::run::{CaseItemKind, ConditionStatus, DrugStatus, FindingStatus, MethodName, SearchWords};

/// What an item that has the very words gains.
const WHOLE: u32 = 100_000;
/// Added to the score of an item whose name begins with the typed words; half of it where one of its words does.
const BEGINS: u32 = 100_000;

/// What a list offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PickerKind {
    /// Everything that can be done.
    Actions,
    /// Entities of the graph, to be anchors.
    Anchors,
    /// Findings, drugs and conditions of the graph, to be added to the case.
    CaseItems,
    /// What is different about the case, in words.
    CaseWords,
    /// Entities of the selected chain: chains through one of them are rejected.
    Through,
    /// Earlier runs, to be opened.
    Sessions,
    /// Earlier runs, to compare with this one.
    Comparison,
    /// Forms of a report.
    Reports,
    /// Questions with two runs.
    Pairs,
    /// Graphs.
    Graphs,
    /// What writes.
    Models,
    /// Methods.
    Methods,
}

impl PickerKind {
    /// The heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Actions => "What do you want to do?",
            Self::Anchors => "Add an anchor: an entity of the graph",
            Self::CaseItems => "Add to the case, or type a correction",
            Self::CaseWords => "Type a correction",
            Self::Through => "Reject every chain through",
            Self::Sessions => "Earlier runs",
            Self::Comparison => "Compare this run with",
            Self::Reports => "Export this run as",
            Self::Pairs => "Which question?",
            Self::Graphs => "Which graph answers the next question?",
            Self::Models => "Which model writes?",
            Self::Methods => "Which method answers the next question?",
        }
    }

    /// What an empty list says.
    pub(crate) fn empty(self, typed: bool) -> &'static str {
        match self {
            Self::Actions => "No action has this name.",
            Self::Anchors if !typed => "Type the name of a condition, symptom, drug, test …",
            Self::Anchors => "The graph has no entity with a name like this.",
            Self::CaseItems if !typed => "Type a symptom, drug or condition, or a correction such as “potassium 6.1” or “aged 34” …",
            Self::CaseItems => "The graph has no symptom, drug or condition with a name like this.",
            Self::CaseWords => "Type a correction such as “potassium 6.1” or “aged 34” …",
            Self::Through => "The chain has no entity with this name.",
            Self::Sessions | Self::Comparison if !typed => "No runs are recorded yet.",
            Self::Sessions | Self::Comparison => "No earlier run has these words.",
            Self::Reports => "There is no such format.",
            Self::Pairs => "No question has these words.",
            Self::Graphs => "No graph has this name. “catena kg import” adds one.",
            Self::Models => "No model has this name. “catena models list” shows all.",
            Self::Methods => "No method has this name.",
        }
    }

    /// Whether what fits is found elsewhere (in the graph, on disk) rather than among the choices given.
    pub(crate) fn is_looked_up(self) -> bool {
        matches!(self, Self::Anchors | Self::CaseItems | Self::CaseWords)
    }

    /// What choosing an entity of the graph comes to, by its kind; `None` if it is not offered.
    pub(crate) fn choice_of(self, name: &str, kind: &str) -> Option<PickerChoice> {
        if self != Self::CaseItems {
            return Some(PickerChoice::Entity(name.to_owned()));
        }
        let kind = match Kind::parse(kind) {
            Kind::Symptom | Kind::Other(_) => CaseItemKind::Finding(FindingStatus::Present),
            Kind::Drug | Kind::DrugClass => CaseItemKind::Drug(DrugStatus::Taken),
            Kind::Disease => CaseItemKind::Condition(ConditionStatus::Known),
            Kind::Test | Kind::Treatment | Kind::RiskFactor | Kind::Pathogen => return None,
        };
        Some(PickerChoice::CaseItem { name: name.to_owned(), kind })
    }
}

/// What choosing comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PickerChoice {
    Do(Action),
    /// An entity, by name.
    Entity(String),
    /// An entity that joins the case.
    CaseItem {
        /// Its name.
        name: String,
        /// What it is there.
        kind: CaseItemKind,
    },
    /// What is typed, as a correction of the case in words.
    CaseWords,
    /// An earlier run, by id.
    Session(String),
    /// A form of a report.
    Report(Format),
    /// A question with two runs, by its number from 0.
    RunPair(usize),
    /// A graph, by name.
    Graph(String),
    /// What writes, by name.
    Model(String),
    /// A method.
    Method(MethodName),
    /// Something that cannot be chosen now, and why.
    NotNow(String),
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PickerItem {
    /// Shown, and matched against the typed text.
    pub(crate) label: String,
    /// Shown dim after it, and matched too.
    pub(crate) detail: String,
    /// What stands at the right end: keys, a time.
    pub(crate) aside: String,
    pub(crate) choice: PickerChoice,
}

#[derive(Debug)]
pub(crate) struct Picker {
    pub(crate) offer: PickerKind,
    pub(crate) line: LineInput,
    items: Vec<PickerItem>,
    /// Numbers of the items that match the typed text, best first.
    fitting: Vec<usize>,
    pub(crate) at: ListPosition,
    /// What was typed when the items were looked up, while they are.
    pub(crate) awaited: bool,
    /// What the typed words take the place of; empty if of nothing.
    pub(crate) instead_of: String,
    /// Why the typed words are not taken.
    pub(crate) refused: Option<String>,
    /// The list of what was read, where something is chosen for it; it comes back when this list is closed.
    pub(crate) below: Option<Box<CaseSheet>>,
}

impl Picker {
    pub(crate) fn new(offer: PickerKind, items: Vec<PickerItem>) -> Self {
        let mut picker = Self {
            offer,
            line: LineInput::new(""),
            items: Vec::new(),
            fitting: Vec::new(),
            at: ListPosition::default(),
            awaited: false,
            instead_of: String::new(),
            refused: None,
            below: None,
        };
        picker.offer_items(items);
        picker
    }

    /// Offers other items.
    pub(crate) fn offer_items(&mut self, items: Vec<PickerItem>) {
        self.items = items;
        self.awaited = false;
        self.refit();
    }

    /// Finds the items that match what is typed.
    pub(crate) fn refit(&mut self) {
        self.at = ListPosition::default();
        let typed = self.line.text().trim().trim_start_matches(':');
        if typed.is_empty() || self.offer.is_looked_up() {
            self.fitting = (0..self.items.len()).collect();
            return;
        }
        let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let words = SearchWords::of(typed);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let small = typed.to_lowercase();
        let has_word = |label: &str| label.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(&small));
        let mut scored: Vec<(u32, usize)> = Vec::new();
        for (number, item) in self.items.iter().enumerate() {
            let text = format!("{} {}", item.label, item.detail);
            // Words are found however they are spelt; else letters, which may be scattered.
            let is_command = matches!(&item.choice, PickerChoice::Do(action) if action.command() == Some(typed));
            let whole = WHOLE * (u32::from(words.are_in(&text)) + 2 * u32::from(is_command));
            let score = pattern.score(Utf32Str::new(&text, &mut buffer), &mut matcher);
            if let Some(score) = score.or((whole > 0).then_some(0)) {
                // What is called so comes before what is only described so, and what begins so before both.
                let named = pattern.score(Utf32Str::new(&item.label, &mut buffer), &mut matcher).map_or(0, |score| score * 2);
                let label = item.label.to_lowercase();
                let begins = if label.starts_with(&small) { BEGINS } else { u32::from(has_word(&label)) * BEGINS / 2 };
                scored.push((score.max(named) + whole + begins, number));
            }
        }
        // Among actions, scattered letters are a guess: it is made only where nothing has the words, since Enter does what stands first.
        if self.offer == PickerKind::Actions && scored.iter().any(|(score, _)| *score >= WHOLE) {
            scored.retain(|(score, _)| *score >= WHOLE);
        }
        scored.sort_by_key(|(score, number)| (std::cmp::Reverse(*score), *number));
        self.fitting = scored.into_iter().map(|(_, number)| number).collect();
    }

    /// What fits, best first.
    pub(crate) fn fitting(&self) -> impl ExactSizeIterator<Item = &PickerItem> {
        self.fitting.iter().map(|number| &self.items[*number])
    }

    /// Lists, among what was found for the case, the typed words themselves: first where they state a number, else last.
    pub(crate) fn with_words(&self, mut found: Vec<PickerItem>, said: &str) -> Vec<PickerItem> {
        let label = format!("“{}”", self.line.text().trim());
        let item = PickerItem { label, detail: said.to_owned(), aside: String::new(), choice: PickerChoice::CaseWords };
        let at = if self.states_number() { 0 } else { found.len() };
        found.insert(at, item);
        found
    }

    /// Whether what is typed has a number: then it is a value or an age, not the name of an entity.
    pub(crate) fn states_number(&self) -> bool {
        self.line.text().chars().any(|c| c.is_ascii_digit())
    }

    /// The selected item's choice.
    pub(crate) fn choice(&self) -> Option<&PickerChoice> {
        self.fitting.get(self.at.selected).map(|number| &self.items[*number].choice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(label: &str, detail: &str) -> PickerItem {
        PickerItem { label: label.into(), detail: detail.into(), aside: String::new(), choice: PickerChoice::Entity(label.into()) }
    }

    #[test]
    fn typing_narrows_and_the_best_comes_first() {
        let mut picker =
            Picker::new(PickerKind::Actions, vec![item("Undo", "take back"), item("Reject", "take out"), item("Add an anchor", "")]);
        assert_eq!(picker.fitting().len(), 3);
        picker.line = LineInput::new("rej");
        picker.refit();
        assert_eq!(picker.choice(), Some(&PickerChoice::Entity("Reject".into())));
        picker.line = LineInput::new("anchr add");
        picker.refit();
        assert_eq!(picker.choice(), Some(&PickerChoice::Entity("Add an anchor".into())), "letters may be left out, words be in any order");
        let sessions =
            vec![item("Ménière’s disease and FEVER", ""), item("我吃完饭后烧心，应该吃什么药？", "starter"), item("fever and cough", "")];
        let mut picker = Picker::new(PickerKind::Sessions, sessions);
        for (typed, found) in [("fever menieres", 0), ("烧心 药", 1), ("cough", 2)] {
            picker.line = LineInput::new(typed);
            picker.refit();
            assert_eq!(picker.fitting.first(), Some(&found), "{typed}");
        }
        let actions = vec![item("New question (the arrow keys bring back earlier ones)", ""), item("Earlier runs: search", "")];
        let mut picker = Picker::new(PickerKind::Actions, actions);
        picker.line = LineInput::new("earlier");
        picker.refit();
        assert_eq!(picker.fitting.first(), Some(&1), "what begins with the typed words comes first");
        let actions = vec![
            item("Bad answer: record the rating; Catena proposes what to unlearn", "in the answer"),
            item("Detours are tours", ""),
            item("Begin the tour again", ""),
            item("Tour: the screen in ten steps", ""),
        ];
        let mut picker = Picker::new(PickerKind::Actions, actions);
        picker.line = LineInput::new("tour");
        picker.refit();
        assert_eq!(picker.fitting.first(), Some(&3), "first what begins so");
        assert!(!picker.fitting.contains(&0), "no scattered letters where something has the word: {:?}", picker.fitting);
        picker.line = LineInput::new("zzz");
        picker.refit();
        assert_eq!((picker.fitting().len(), picker.choice()), (0, None));
    }
}
