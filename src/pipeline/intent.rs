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
}

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
        Ok(Self { cues })
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
}

impl Intent {
    /// Reads the intent of a question from its tokens.
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let mut intent = Self { parts: Vec::new(), goals: Vec::new(), cue_tokens: vec![false; tokens.len()] };
        for (cue, part) in &CUES.cues {
            for first in 0..tokens.len() {
                let mut words = Vec::new();
                if matches_at(tokens, first, cue, &mut words) {
                    for word in words {
                        intent.cue_tokens[word] = true;
                    }
                    intent.parts.push(*part);
                }
            }
        }
        intent.parts.sort_unstable();
        intent.parts.dedup();
        intent
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
        let passed_over = Intent::of(&tokenise("How is pneumonia diagnosed?"));
        assert_eq!(passed_over.cue_tokens, [true, true, false, true], "what a gap passes over is no cue");
    }
}
