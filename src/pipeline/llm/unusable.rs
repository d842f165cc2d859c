//! Why a language model's text is not used at all: it is empty, goes in circles, is in another language, or is about something else.

use std::collections::{HashMap, HashSet};

use super::cues::Cues;
use crate::pipeline::answer::wording::Wording;
use crate::text::{StopWords, fold, is_cjk, tokenise};

/// Words in a row that are compared to find a loop.
const IN_A_ROW: usize = 6;
/// The fewest words of a text that is tested for its language.
const FEWEST_WORDS: usize = 8;

/// Why a text is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unusable {
    /// There is nothing in it.
    Empty,
    /// It repeats itself.
    Loops,
    /// It is not in the language of the question.
    Language,
    /// It names nothing that the question or the evidence is about.
    OffTheQuestion,
    /// The evidence bears out less than half of it.
    Unsupported {
        /// Sentences that the evidence supports.
        supported: usize,
        /// All sentences.
        all: usize,
    },
    /// The model failed.
    Failed,
}

impl Unusable {
    /// The line that says so.
    pub(super) fn line(self, wording: &Wording) -> String {
        let texts = &wording.model;
        match self {
            Self::Empty => texts.empty.clone(),
            Self::Loops => texts.loops.clone(),
            Self::Language => texts.language.clone(),
            Self::OffTheQuestion => texts.off_the_question.clone(),
            Self::Failed => texts.failed.clone(),
            Self::Unsupported { supported, all } => {
                texts.unsupported.replace("{supported}", &supported.to_string()).replace("{all}", &all.to_string())
            }
        }
    }
}

/// Whether a text is unusable by its form alone. `sentences`: its sentences, as written.
pub(super) fn by_form(text: &str, sentences: &[&str], wording: &Wording) -> Option<Unusable> {
    if !text.chars().any(char::is_alphabetic) {
        return Some(Unusable::Empty);
    }
    if loops(text, sentences) {
        return Some(Unusable::Loops);
    }
    is_in_another_language(text, wording.is_chinese()).then_some(Unusable::Language)
}

/// Whether more than half of three or more sentences repeat others, or the same words in a row make up a third of the text.
fn loops(text: &str, sentences: &[&str]) -> bool {
    let folded: Vec<String> = sentences.iter().map(|sentence| fold(sentence)).filter(|sentence| !sentence.is_empty()).collect();
    let distinct: HashSet<&String> = folded.iter().collect();
    if folded.len() > 2 && distinct.len() * 2 <= folded.len() {
        return true;
    }
    let words: Vec<String> = tokenise(text).into_iter().map(|token| token.text).collect();
    let mut counts: HashMap<&[String], usize> = HashMap::new();
    for row in words.windows(IN_A_ROW) {
        *counts.entry(row).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or(0);
    let rows: usize = counts.values().filter(|count| **count > 2).sum();
    most > 3 && rows * 3 >= words.len()
}

/// Whether a text is in another language than the question's, by its script and its commonest words.
fn is_in_another_language(text: &str, chinese: bool) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count().max(1);
    let cjk = text.chars().filter(|c| is_cjk(*c)).count();
    let latin = text.chars().filter(|c| c.is_alphabetic() && (*c as u32) < 0x250).count();
    if chinese {
        return cjk * 3 < letters;
    }
    if cjk * 3 >= letters || latin * 2 < letters {
        return true;
    }
    let words: Vec<String> = tokenise(text).into_iter().map(|token| token.text).collect();
    if words.len() < FEWEST_WORDS {
        return false;
    }
    let foreign = words.iter().filter(|word| Cues::built_in().foreign.contains(*word)).count();
    let english = words.iter().filter(|word| StopWords::built_in().contains(word)).count();
    foreign > 2 && foreign > english
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, question: &str) -> Option<Unusable> {
        let sentences: Vec<&str> = text.split_inclusive(['.', '。']).collect();
        by_form(text, &sentences, Wording::for_text(question))
    }

    #[test]
    fn a_text_is_refused_for_its_form_and_a_plain_one_is_not() {
        assert_eq!(of(" \n…", "Heartburn?"), Some(Unusable::Empty));
        assert_eq!(of(&"Take an antacid. ".repeat(5), "Heartburn?"), Some(Unusable::Loops));
        assert_eq!(of(&"and then the doctor may see the patient ".repeat(8), "Heartburn?"), Some(Unusable::Loops));
        let german = "Das Sodbrennen ist eine Folge der Refluxkrankheit und wird mit Omeprazol behandelt, nicht mit Aspirin.";
        assert_eq!(of(german, "Heartburn?"), Some(Unusable::Language));
        assert_eq!(of("Изжогу лечат омепразолом и другими средствами.", "Heartburn?"), Some(Unusable::Language));
        assert_eq!(of("可能是胃炎。", "Heartburn?"), Some(Unusable::Language));
        assert_eq!(of("Omeprazole treats reflux.", "烧心怎么办？"), Some(Unusable::Language));
        for text in ["Omeprazole, ranitidine, cimetidine.", "The reflux is treated with omeprazole. An antacid may help too."] {
            assert_eq!(of(text, "Heartburn?"), None, "{text}");
        }
        assert_eq!(of("可用奥美拉唑治疗胃食管反流。", "烧心怎么办？"), None);
    }
}
