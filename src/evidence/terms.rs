//! The terms by which texts are indexed and searched: folded words without stop words, stemmed.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::text::{StopWords, Token, tokenise};

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));
/// The longest word that is a term, in bytes; what is longer is no word.
const LONGEST: usize = 64;

/// The term of a folded word; `None` for stop words and what is no word.
pub(super) fn term(token: &Token) -> Option<String> {
    term_of(&token.text)
}

/// As [`term`], of the word alone.
pub(super) fn term_of(word: &str) -> Option<String> {
    if word.len() > LONGEST || StopWords::built_in().contains(word) {
        return None;
    }
    Some(stem(word))
}

/// The stem of a folded word (Snowball's English stemmer); words of other scripts and words with digits stay as they are.
pub(super) fn stem(word: &str) -> String {
    let is_english = word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_english { STEMMER.stem(word).into_owned() } else { word.to_owned() }
}

/// The terms of a text, in order, repeated ones as often as they stand there.
pub(super) fn terms(text: &str) -> Vec<String> {
    tokenise(text).iter().filter_map(term).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_stems_without_stop_words() {
        assert_eq!(terms("The treatments for Crohn's disease, CYP3A4 and B12."), ["treatment", "crohn", "cyp3a4", "b12"]);
        assert_eq!(terms(&"x".repeat(500)), Vec::<String>::new());
    }
}
