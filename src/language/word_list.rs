//! A list of single words in a file of `assets/`. For phrases of several words there is [`super::phrase_table::PhraseTable`].

use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct WordList(Vec<String>);

impl WordList {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.iter().any(|listed| listed == word)
    }

    /// Whether a text has one of them anywhere: for Chinese, which has no spaces between words.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.iter().any(|listed| text.contains(listed.as_str()))
    }
}
