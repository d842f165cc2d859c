//! The words by which a sentence says how two things are related: `assets/relation-cues.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::graph::Role;
use crate::text::tokenise;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CueFile {
    by_order: Vec<ByOrder>,
    by_preposition: Vec<ByPreposition>,
    words: WordLists,
    languages: Languages,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByOrder {
    words: Vec<String>,
    #[serde(default)]
    owner_first: Vec<Role>,
    #[serde(default)]
    player_first: Vec<Role>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    Owner,
    Player,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByPreposition {
    words: Vec<String>,
    after_preposition: Side,
    roles: Vec<Role>,
    #[serde(default)]
    denied: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WordLists {
    to_a_side: Vec<String>,
    to_the_means: Vec<String>,
    between: Vec<String>,
    denies: Vec<String>,
    denies_nothing: Vec<String>,
    turns: Vec<String>,
    fillers: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Languages {
    foreign: Vec<String>,
}

/// How a cue relates what stands around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CueForm {
    /// What stands before it to what stands after it: each role, and whether its owner stands first.
    Order(Vec<(Role, bool)>),
    /// What a preposition leads to, to the rest.
    Preposition {
        /// The roles that may be meant.
        roles: Vec<Role>,
        /// What the preposition leads to.
        after: Side,
        /// The cue says that the relation does not hold ("safe in").
        denied: bool,
    },
}

/// A cue: its words, folded, and how it relates things.
#[derive(Debug)]
pub(super) struct Cue {
    words: Vec<String>,
    pub(super) form: CueForm,
}

/// A list of phrases, folded into tokens.
pub(super) struct Phrases(Vec<Vec<String>>);

impl Phrases {
    fn of(list: &[String]) -> Self {
        let mut phrases: Vec<Vec<String>> = list.iter().map(|phrase| folded(phrase)).filter(|words| !words.is_empty()).collect();
        phrases.sort_by_key(|words| std::cmp::Reverse(words.len()));
        Self(phrases)
    }

    /// The number of words of the longest phrase that a text begins with.
    pub(super) fn at<T: AsRef<str>>(&self, words: &[T]) -> Option<usize> {
        self.0.iter().find(|phrase| begins_with(words, phrase)).map(Vec::len)
    }

    /// Whether a text holds one of them.
    pub(super) fn within<T: AsRef<str>>(&self, words: &[T]) -> bool {
        (0..words.len()).any(|at| self.at(&words[at..]).is_some())
    }
}

/// All lists.
pub(super) struct Cues {
    cues: Vec<Cue>,
    pub(super) to_a_side: Phrases,
    pub(super) to_the_means: Phrases,
    pub(super) between: Phrases,
    pub(super) denies: Phrases,
    pub(super) denies_nothing: Phrases,
    pub(super) turns: Phrases,
    pub(super) fillers: Phrases,
    pub(super) foreign: HashSet<String>,
}

static CUES: LazyLock<Cues> = LazyLock::new(|| {
    // A test ensures that the file can be read.
    let file: CueFile = toml::from_str(include_str!("../../../assets/relation-cues.toml")).unwrap_or_default();
    let mut cues: Vec<Cue> = Vec::new();
    for entry in &file.by_order {
        let means = entry.owner_first.iter().map(|role| (*role, true)).chain(entry.player_first.iter().map(|role| (*role, false)));
        let form = CueForm::Order(means.collect());
        cues.extend(entry.words.iter().map(|words| Cue { words: folded(words), form: form.clone() }));
    }
    for entry in &file.by_preposition {
        let form = CueForm::Preposition { roles: entry.roles.clone(), after: entry.after_preposition, denied: entry.denied };
        cues.extend(entry.words.iter().map(|words| Cue { words: folded(words), form: form.clone() }));
    }
    // Of two that begin at one place, the longer.
    cues.sort_by_key(|cue| std::cmp::Reverse(cue.words.len()));
    let words = &file.words;
    Cues {
        cues,
        to_a_side: Phrases::of(&words.to_a_side),
        to_the_means: Phrases::of(&words.to_the_means),
        between: Phrases::of(&words.between),
        denies: Phrases::of(&words.denies),
        denies_nothing: Phrases::of(&words.denies_nothing),
        turns: Phrases::of(&words.turns),
        fillers: Phrases::of(&words.fillers),
        foreign: file.languages.foreign.into_iter().collect(),
    }
});

impl Cues {
    pub(super) fn built_in() -> &'static Self {
        &CUES
    }

    /// The cue that a text begins with, and its number of words.
    pub(super) fn at<T: AsRef<str>>(&self, words: &[T]) -> Option<(&Cue, usize)> {
        self.cues.iter().find(|cue| begins_with(words, &cue.words)).map(|cue| (cue, cue.words.len()))
    }
}

fn folded(phrase: &str) -> Vec<String> {
    tokenise(phrase).into_iter().map(|token| token.text).collect()
}

fn begins_with<T: AsRef<str>>(words: &[T], phrase: &[String]) -> bool {
    words.len() >= phrase.len() && phrase.iter().zip(words).all(|(wanted, word)| wanted == word.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole_and_the_longest_cue_counts() {
        let file: CueFile = toml::from_str(include_str!("../../../assets/relation-cues.toml")).expect("valid");
        assert!(
            file.by_order.iter().all(|entry| !(entry.words.is_empty() || entry.owner_first.is_empty() && entry.player_first.is_empty()))
        );
        assert!(file.by_preposition.iter().all(|entry| !entry.words.is_empty() && !entry.roles.is_empty()));
        let cues = Cues::built_in();
        let of = |text: &str| cues.at(&folded(text)).map(|(_, words)| words);
        assert_eq!(of("treated with omeprazole"), Some(2));
        assert_eq!(of("should not be used in"), Some(4));
        assert_eq!(of("可用于治疗反流"), Some(5));
        assert_eq!(of("omeprazole"), None);
        assert!(cues.denies.within(&folded("it does not")) && !cues.denies.within(&folded("knot")));
    }
}
