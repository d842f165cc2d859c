//! Common words: words of questions and clinical texts that name nothing by themselves. They link by their exact names only, and no
//! similarity rests on them. The lists are in `assets/common/`; its README says how they were compiled.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::misspelling::is_ordinary;
use crate::text::{StopWords, Token};

static ENGLISH: LazyLock<StopWords> = LazyLock::new(|| StopWords::parse(include_str!("../../assets/common/en.txt")));
static QUALIFIERS: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("../../assets/common/qualifiers.txt").split_whitespace().collect());
static CHINESE: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("../../assets/common/zh.txt").lines();
    lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});
static REGISTER: LazyLock<StopWords> = LazyLock::new(|| StopWords::parse(include_str!("../../assets/common/register.txt")));

/// Whether a folded word says nothing of what a phrase names.
pub(crate) fn is_common(word: &str) -> bool {
    ENGLISH.contains(word) || QUALIFIERS.contains(word) || StopWords::built_in().contains(word)
}

/// Whether a folded word only qualifies a name and tells it from no other ("acute", "type").
pub(crate) fn is_qualifier(word: &str) -> bool {
    QUALIFIERS.contains(word)
}

/// For each token, whether it is a common English word. (Chinese words have no bounds of their own; see [`only_common`].)
pub(crate) fn common(tokens: &[Token]) -> Vec<bool> {
    tokens.iter().map(|token| !token.cjk && is_common(&token.text)).collect()
}

/// For each token, whether it is a word of the clinical register that never names anything.
pub(crate) fn of_register(tokens: &[Token]) -> Vec<bool> {
    REGISTER.mark(tokens)
}

/// Whether common words are all that these tokens consist of. In Chinese, every character belongs to a common pair or is a stop word.
pub(crate) fn only_common(tokens: &[Token]) -> bool {
    let stopped = StopWords::built_in().mark(tokens);
    let register = of_register(tokens);
    let paired = |at: usize| {
        let pair = |first: usize| {
            let (Some(a), Some(b)) = (tokens.get(first), tokens.get(first + 1)) else { return false };
            a.cjk && b.cjk && CHINESE.contains(format!("{}{}", a.text, b.text).as_str())
        };
        pair(at) || at.checked_sub(1).is_some_and(pair)
    };
    let is_common = |(at, token): (usize, &Token)| {
        let marked = |marks: &[bool]| marks.get(at).copied().unwrap_or(false);
        marked(&stopped) || marked(&register) || if token.cjk { paired(at) } else { is_common(&token.text) || is_ordinary(&token.text) }
    };
    tokens.iter().enumerate().all(is_common)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn everyday_words_are_common_and_words_that_name_something_are_not() {
        for text in ["started last week", "the patient presents with a history", "another appointment", "患者检查", "目前情况"] {
            assert!(only_common(&tokenise(text)), "{text}");
        }
        for text in ["pain", "started digoxin", "heart", "fever last week", "头痛", "患者头痛", "low", "suicide"] {
            assert!(!only_common(&tokenise(text)), "{text}");
        }
    }

    #[test]
    fn the_lists_hold_folded_words() {
        let english: Vec<&str> = include_str!("../../assets/common/en.txt").lines().filter(|line| !line.starts_with('#')).collect();
        assert!(english.len() > 2000 && english.iter().all(|word| crate::text::fold(word) == *word));
        assert!(CHINESE.len() > 300 && CHINESE.iter().all(|pair| pair.chars().count() == 2));
    }
}
