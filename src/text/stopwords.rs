//! Stop words: words without clinical content.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The longest Chinese stop word that is recognised, in characters.
const LONGEST: usize = 4;

/// A set of stop words, folded.
#[derive(Debug)]
pub struct StopWords {
    words: HashSet<String>,
}

static BUILT_IN: LazyLock<StopWords> = LazyLock::new(|| {
    StopWords::parse(concat!(include_str!("../../assets/stopwords/en.txt"), "\n", include_str!("../../assets/stopwords/zh.txt")))
});

impl StopWords {
    /// The built-in English and Chinese list (`assets/stopwords/`).
    pub fn built_in() -> &'static StopWords {
        &BUILT_IN
    }

    /// Reads a list with one word a line; `#` begins a comment.
    pub fn parse(list: &str) -> Self {
        let words =
            list.lines().map(|line| line.split('#').next().unwrap_or_default()).map(super::fold).filter(|word| !word.is_empty()).collect();
        Self { words }
    }

    /// Whether a folded word is a stop word.
    pub fn contains(&self, folded: &str) -> bool {
        self.words.contains(folded)
    }
}

impl StopWords {
    /// Marks the stop words among tokens. In Chinese, whose tokens are single characters, it also finds stop words of several characters.
    pub fn mark(&self, tokens: &[super::Token]) -> Vec<bool> {
        let mut marks: Vec<bool> = tokens.iter().map(|token| self.contains(&token.text)).collect();
        for first in 0..tokens.len() {
            let mut word = String::new();
            for (last, token) in tokens.iter().enumerate().skip(first).take(LONGEST).take_while(|(_, token)| token.cjk) {
                word.push_str(&token.text);
                if last > first && self.contains(&word) {
                    marks[first..=last].fill(true);
                }
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_stop_words_of_several_characters_are_found() {
        let tokens = crate::text::tokenise("请问头痛怎么办");
        let marked = StopWords::built_in().mark(&tokens);
        assert_eq!(marked, [true, true, false, false, true, true, true]);
    }

    #[test]
    fn clinical_words_are_not_stop_words() {
        let stop = StopWords::built_in();
        for word in ["the", "should", "的", "什么", "i", "cant"] {
            assert!(stop.contains(word), "{word} should be a stop word");
        }
        for word in ["pain", "blood", "fever", "痛", "reflux", "no"] {
            assert!(!stop.contains(word), "{word} carries content");
        }
    }
}
