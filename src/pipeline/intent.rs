//! What a question asks for: conditions, tests, treatments, cautions. Told by cue words
//! (`assets/intents.toml`), so that the answer leads with it.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Part;
use crate::graph::EntityId;
use crate::text::{Token, tokenise};

/// The cue words of each thing that can be asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CueFile {
    conditions: Cues,
    tests: Cues,
    treatments: Cues,
    cautions: Cues,
    told: Told,
}

/// Words that tell what was from what is asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    before: Vec<String>,
    after: Vec<String>,
    asking: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cues {
    cues: Vec<String>,
}

#[derive(Debug, Default)]
struct CueTable {
    /// Folded words of each cue; `_` stands for up to two words.
    cues: Vec<(Vec<String>, Part)>,
    told: Told,
}

/// How many words may stand between a word of `told.before` and the cue that it makes a thing told.
const TOLD_WITHIN: usize = 3;

static CUES: LazyLock<CueTable> = LazyLock::new(|| CueTable::parse(include_str!("../../assets/intents.toml")).unwrap_or_default());

impl CueTable {
    fn parse(text: &str) -> Result<Self, toml::de::Error> {
        let file: CueFile = toml::from_str(text)?;
        let parts = [
            (file.conditions, Part::Conditions),
            (file.tests, Part::Tests),
            (file.treatments, Part::Treatments),
            (file.cautions, Part::Cautions),
        ];
        let words = |cue: &str| -> Vec<String> {
            let word = |w: &str| if w == "_" { vec!["_".to_owned()] } else { tokenise(w).into_iter().map(|t| t.text).collect() };
            cue.split(' ').flat_map(word).collect()
        };
        let cues = parts.into_iter().flat_map(|(cues, part)| cues.cues.iter().map(|cue| (words(cue), part)).collect::<Vec<_>>()).collect();
        Ok(Self { cues, told: file.told })
    }
}

/// What a question asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Intent {
    /// The parts asked for, in the order of [`Part`]; empty when the question does not say.
    pub(crate) parts: Vec<Part>,
    /// What the question wants to prevent: it is to be avoided, not treated. Known once its names are linked.
    pub(crate) goals: Vec<EntityId>,
    /// For each token of the question whether it belongs to a cue.
    pub(crate) cue_tokens: Vec<bool>,
    /// Where each part is asked for: the first and last token of its cue, and one more.
    asked_at: Vec<(usize, usize, Part)>,
}

impl Intent {
    /// Reads the intent of a question from its tokens.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut intent = Self { cue_tokens: vec![false; tokens.len()], ..Self::default() };
        for (cue, part) in &CUES.cues {
            for first in 0..tokens.len() {
                let mut words = Vec::new();
                if matches_at(tokens, first, cue, &mut words) {
                    let last = words.last().map_or(first, |word| word + 1);
                    for word in words {
                        intent.cue_tokens[word] = true;
                    }
                    if !is_told(tokens, first, last, *part) {
                        intent.asked_at.push((first, last, *part));
                    }
                }
            }
        }
        intent.find_parts();
        intent
    }

    fn find_parts(&mut self) {
        self.parts = self.asked_at.iter().map(|(.., part)| *part).collect();
        self.parts.sort_unstable();
        self.parts.dedup();
    }

    /// What stands within a name asks for nothing: "drug abuse" for no drug. `names`: of findings and conditions, first and last token of each, and one more.
    pub(crate) fn without_names(&mut self, names: impl Iterator<Item = (usize, usize)>) {
        for (from, to) in names {
            self.asked_at.retain(|(first, last, _)| *first < from || *last > to);
        }
        self.find_parts();
    }

    /// Whether a part is asked for.
    pub(crate) fn asks(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}

/// Whether the words beside a name (tokens `first..last`) say that it is to be prevented: "stroke prevention",
/// "prevent a stroke".
pub(crate) fn is_to_be_prevented(tokens: &[Token], first: usize, last: usize) -> bool {
    let says_so = |token: &Token| ["prevent", "prophyla", "预", "防"].iter().any(|stem| token.text.starts_with(stem));
    tokens.get(last).is_some_and(says_so) || tokens[first.saturating_sub(2)..first].iter().any(says_so)
}

/// Whether the cue in tokens `first..last` tells of what was or is, and does not ask for it: "after some tests".
fn is_told(tokens: &[Token], first: usize, last: usize, part: Part) -> bool {
    let told = &CUES.told;
    let is_one_of = |words: &[String], token: &Token| words.contains(&token.text);
    // From the clause's first word on.
    let begin = (0..=first).rev().find(|at| tokens[*at].after_break).unwrap_or(0);
    let before = &tokens[begin..first];
    match part {
        // Whoever asks what can be taken asks for a treatment.
        Part::Cautions => {
            let open = |token: &Token| matches!(token.text.as_str(), "what" | "which" | "anything" | "something");
            tokens[first].text == "can" && before.iter().rev().take(TOLD_WITHIN).any(open)
        }
        Part::Tests | Part::Treatments if last == first + 1 => {
            let asked = before.iter().any(|token| is_one_of(&told.asking, token));
            let goes_before = before.iter().rev().take(TOLD_WITHIN).any(|token| is_one_of(&told.before, token));
            let follows = tokens.get(last).is_some_and(|token| !token.after_break && is_one_of(&told.after, token));
            (goes_before || follows) && !asked
        }
        _ => false,
    }
}

/// Whether a cue begins at token `first`; `words` then holds the tokens of its own words, without those that
/// its gaps pass over.
fn matches_at(tokens: &[Token], first: usize, cue: &[String], words: &mut Vec<usize>) -> bool {
    let Some((word, rest)) = cue.split_first() else { return true };
    let found = words.len();
    if word == "_" {
        return (0..=2).any(|gap| matches_at(tokens, first + gap, rest, words));
    }
    if tokens.get(first).is_none_or(|token| token.text != *word) {
        return false;
    }
    words.push(first);
    let matches = matches_at(tokens, first + 1, rest, words);
    if !matches {
        words.truncate(found);
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cue_file_is_valid() {
        assert!(CueTable::parse(include_str!("../../assets/intents.toml")).expect("valid").cues.len() > 100);
    }

    #[test]
    fn cues_tell_what_is_asked_for() {
        let parts = |question: &str| Intent::of(&tokenise(question)).parts;
        assert_eq!(parts("I feel stomach reflux after eating. What medicine should I take?"), [Part::Treatments]);
        assert_eq!(parts("What could be wrong with me and which tests do I need?"), [Part::Conditions, Part::Tests]);
        assert_eq!(parts("How is coeliac disease diagnosed?"), [Part::Tests]);
        assert_eq!(parts("胃痛反酸，应该吃什么药？"), [Part::Treatments]);
        assert_eq!(parts("头痛恶心是什么病"), [Part::Conditions]);
        assert_eq!(parts("My knee hurts."), []);
        assert_eq!(parts("What could be the reason for these symptoms?"), [Part::Conditions]);
        let passed_over = Intent::of(&tokenise("How is pneumonia diagnosed?"));
        assert_eq!(passed_over.cue_tokens, [true, true, false, true], "what a gap passes over is no cue");
    }

    #[test]
    fn what_is_told_is_not_asked_for() {
        let parts = |question: &str| Intent::of(&tokenise(question)).parts;
        assert_eq!(parts("After some tests I was told that I have tuberculosis. What medication do I need?"), [Part::Treatments]);
        assert_eq!(parts("I feel sick after taking my medication."), []);
        assert_eq!(parts("I had a reaction to a drug."), []);
        assert_eq!(parts("What medications can I take to manage it?"), [Part::Treatments]);
        assert_eq!(parts("Can I take ibuprofen while pregnant?"), [Part::Cautions]);
        assert_eq!(parts("Which drug should I take after a stroke?"), [Part::Treatments]);
    }

    #[test]
    fn a_cue_within_the_name_of_a_finding_asks_for_nothing() {
        let mut intent = Intent::of(&tokenise("drug use disorder, which scan?"));
        assert_eq!(intent.parts, [Part::Tests, Part::Treatments]);
        intent.without_names([(0, 3)].into_iter());
        assert_eq!(intent.parts, [Part::Tests]);
    }
}
