//! The labels of evidence: what a section says about its subject, told by its heading; and which of them a question asks for. The list is
//! `assets/labels.toml`.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::phrase_table::PhraseTable;
use crate::text::{Token, tokenise};

/// A label's number in the list. [`Label::NONE`] stands for a section whose heading names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    label: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    headings: Vec<String>,
    cues: Vec<String>,
    near: BTreeMap<String, f32>,
    words: String,
}

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| toml::from_str::<File>(include_str!("../../assets/labels.toml")).unwrap_or_default().label);
static HEADINGS: LazyLock<PhraseTable<u32>> = LazyLock::new(|| table(|entry| &entry.headings));
static CUES: LazyLock<PhraseTable<u32>> = LazyLock::new(|| table(|entry| &entry.cues));
static BY_ID: LazyLock<HashMap<&'static str, u32>> =
    LazyLock::new(|| (0..).zip(ENTRIES.iter()).map(|(number, entry)| (entry.id.as_str(), number)).collect());

fn table(phrases: fn(&'static Entry) -> &'static [String]) -> PhraseTable<u32> {
    let entries: &'static [Entry] = &ENTRIES;
    PhraseTable::of((0u32..).zip(entries).flat_map(|(number, entry)| phrases(entry).iter().map(move |phrase| (phrase.as_str(), number))))
}

impl Label {
    /// No label: the heading says nothing that the list knows.
    pub const NONE: Self = Self(u32::MAX);

    /// All labels of the list.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ENTRIES.len() as u32).map(Self)
    }

    /// The label with this id.
    pub fn parse(id: &str) -> Option<Self> {
        BY_ID.get(id).copied().map(Self)
    }

    /// From a stored number; [`Label::NONE`] where the list has no such number.
    pub fn of_number(number: u32) -> Self {
        if (number as usize) < ENTRIES.len() { Self(number) } else { Self::NONE }
    }

    /// As stored.
    pub fn number(self) -> u32 {
        self.0
    }

    /// The label's id, as commands print it; "text" for none.
    pub fn as_str(self) -> &'static str {
        ENTRIES.get(self.0 as usize).map_or("text", |entry| entry.id.as_str())
    }

    /// The words of a feature that looks for this label.
    pub fn words(self) -> &'static str {
        ENTRIES.get(self.0 as usize).map_or("", |entry| entry.words.as_str())
    }

    /// The label that a section's heading names: the longest phrase of the list in it, and of equally long ones the first.
    pub fn of_heading(heading: &str) -> Self {
        let tokens = tokenise(&heading.replace('_', " "));
        let found = HEADINGS.find_all(&tokens).into_iter().max_by_key(|found| (found.last - found.first, usize::MAX - found.first));
        found.map_or(Self::NONE, |found| Self(found.means))
    }

    /// How well evidence of this label answers a question that asks for another, 0 to 1.
    pub fn answers(self, asked: Self) -> f32 {
        if self == asked {
            return 1.0;
        }
        let near = ENTRIES.get(asked.0 as usize).and_then(|entry| entry.near.get(self.as_str()));
        near.copied().unwrap_or(0.0).clamp(0.0, 1.0)
    }
}

/// What a question asks for: labels with weights that add up to 1, the likeliest first; empty if no cue tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AskedLabels {
    weights: Vec<(Label, f32)>,
    /// For each token of the question, whether it belongs to a cue.
    cues: Vec<bool>,
}

/// Cues that only open a question ("what is") say little beside another.
const OPENING: f32 = 0.15;
/// Each further word makes a cue this much surer.
const PER_WORD: f32 = 0.35;

impl AskedLabels {
    /// Reads the cues of a question. A longer cue counts for more.
    pub fn of(tokens: &[Token]) -> Self {
        let mut sums: BTreeMap<u32, f32> = BTreeMap::new();
        let mut cues = vec![false; tokens.len()];
        let information = Label::parse("information").map(|label| label.0);
        for first in 0..tokens.len() {
            // Cues may overlap: "what is the dose" both opens and asks for the dose.
            let Some(found) = CUES.at(tokens, first) else { continue };
            for at in &found.own {
                if let Some(cue) = cues.get_mut(*at) {
                    *cue = true;
                }
            }
            let is_opening = Some(found.means) == information;
            let weight = if is_opening { OPENING } else { 1.0 + PER_WORD * (found.own.len().saturating_sub(1)) as f32 };
            *sums.entry(found.means).or_default() += weight;
        }
        let total: f32 = sums.values().sum();
        let mut weights: Vec<(Label, f32)> =
            sums.into_iter().map(|(label, sum)| (Label(label), sum / total.max(f32::MIN_POSITIVE))).collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Self { weights, cues }
    }

    /// The labels with their weights, the likeliest first.
    pub fn weights(&self) -> &[(Label, f32)] {
        &self.weights
    }

    /// Whether a token of the question belongs to a cue.
    pub fn is_cue(&self, token: usize) -> bool {
        self.cues.get(token).copied().unwrap_or(false)
    }

    /// How well evidence of a label answers the question, 0 to 1; 0 if nothing is asked for.
    pub fn answered_by(&self, label: Label) -> f32 {
        self.weights.iter().map(|(asked, weight)| weight * label.answers(*asked)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str) -> Option<&'static str> {
        AskedLabels::of(&tokenise(question)).weights().first().map(|(label, _)| label.as_str())
    }

    #[test]
    fn the_list_is_valid_and_its_neighbours_exist() {
        let file: File = toml::from_str(include_str!("../../assets/labels.toml")).expect("valid");
        assert!(file.label.len() > 20);
        for entry in &file.label {
            assert!(!entry.headings.is_empty() && !entry.cues.is_empty() && !entry.words.is_empty(), "{}", entry.id);
            for (near, weight) in &entry.near {
                assert!(Label::parse(near).is_some() && (0.0..1.0).contains(weight), "{}: {near}", entry.id);
            }
            for phrase in entry.headings.iter().chain(&entry.cues) {
                assert_eq!(crate::text::fold(&phrase.replace('_', "")), phrase.replace(" _ ", " ").replace('_', ""), "folded: {phrase}");
            }
        }
    }

    #[test]
    fn headings_name_labels() {
        for (heading, label) in [
            ("4 CONTRAINDICATIONS", "contraindications"),
            ("dosage_and_administration", "dosage"),
            ("exams and tests", "diagnosis"),
            ("genetic changes", "causes"),
            ("Warnings and Precautions", "precautions"),
            ("BOXED WARNING", "boxed_warning"),
            ("nursing_mothers", "lactation"),
            ("Anything else", "text"),
        ] {
            assert_eq!(Label::of_heading(heading).as_str(), label, "{heading}");
        }
    }

    #[test]
    fn questions_ask_for_labels() {
        for (question, label) in [
            ("What are the symptoms of Alport syndrome ?", "symptoms"),
            ("Can I take Zoloft while I am pregnant?", "pregnancy"),
            ("How many people are affected by it?", "frequency"),
            ("What is the recommended dose of abacavir?", "dosage"),
            ("Is Marfan syndrome inherited ?", "inheritance"),
        ] {
            assert_eq!(asked(question), Some(label), "{question}");
        }
        assert_eq!(asked("Alport"), None);
        assert!(Label::parse("symptoms").is_some_and(|label| AskedLabels::of(&tokenise("symptoms of x")).answered_by(label) == 1.0));
    }
}
