//! The level of a drug that is named before: "on lithium, level 2.1".

use super::analytes::{Analyte, called};
use super::gap;
use crate::text::Token;

/// How many words may stand between a drug and its level.
const APART: usize = 6;

/// The test of a drug's level, and one past the word "level", where nothing else stands before the value and the sentence has named one drug with such a
/// test.
pub(super) fn level_at(text: &str, tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize)> {
    let is_level = tokens.get(first).is_some_and(|token| matches!(token.text.as_str(), "level" | "levels"));
    let value = tokens.get(first + 1).filter(|token| !token.after_break && token.text.parse::<f64>().is_ok());
    if !is_level || value.is_none() {
        return None;
    }
    let sentence = (0..first).rev().take_while(|at| !gap(text, tokens, *at).contains(['.', ';', '\n', '?', '!'])).take(APART);
    let mut known: Vec<&'static Analyte> = Vec::new();
    for at in sentence {
        let level = tokens.get(at).filter(|token| !token.cjk).and_then(|token| called(&format!("{} level", token.text)));
        if let Some(level) = level.filter(|level| !known.iter().any(|one| std::ptr::eq(*one, *level))) {
            known.push(level);
        }
    }
    match known.as_slice() {
        [one] => Some((*one, first + 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    fn level(text: &str) -> Option<&'static str> {
        let tokens = tokenise(text);
        (0..tokens.len()).find_map(|first| level_at(text, &tokens, first)).and_then(|(test, _)| test.names.first()).map(String::as_str)
    }

    #[test]
    fn a_level_is_of_the_one_drug_before_it() {
        assert_eq!(level("on lithium, level 2.1"), Some("lithium level"));
        assert_eq!(level("takes digoxin, last level 3.4"), Some("digoxin level"));
        for text in
            ["on lithium. Hb level 90", "on lithium and digoxin, level 2.1", "on ramipril, level 2.1", "on lithium, sensory level T8"]
        {
            assert_eq!(level(text), None, "{text}");
        }
    }
}
