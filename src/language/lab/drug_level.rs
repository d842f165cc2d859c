//! The level of a drug that is named before: "on lithium, level 2.1".

use super::analytes::{Analyte, called};
use super::gap;
use crate::text::Token;

/// How many words may stand between a drug and its level.
const APART: usize = 6;

/// The test of a drug's level, and one past the word "level", where nothing else stands before the value and the sentence has named one drug with such a
/// test.
pub(super) fn level_at(text: &str, tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize)> {
    if let Some(bare) = bare_level_at(tokens, first) {
        return Some(bare);
    }
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

/// Drugs whose level is told by the bare number, from and below which no dose is: "lithium 1.6".
const BARE: [(&str, f64, f64); 3] = [("lithium", 0.3, 6.0), ("锂", 0.3, 6.0), ("digoxin", 0.4, 8.0)];
/// What stands behind a dose.
const OF_DOSE: [&str; 16] = [
    "mg",
    "g",
    "mcg",
    "microgram",
    "micrograms",
    "tablet",
    "tablets",
    "tabs",
    "od",
    "bd",
    "daily",
    "once",
    "twice",
    "times",
    "months",
    "years",
];

/// The level of a drug that stands right before a number which is no dose.
fn bare_level_at(tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize)> {
    let drug = tokens.get(first)?;
    let (_, from, below) = BARE.into_iter().find(|(name, ..)| *name == drug.text)?;
    let value = tokens.get(first + 1).filter(|token| !token.after_break).and_then(|token| token.text.parse::<f64>().ok())?;
    let is_dose = tokens.get(first + 2).is_some_and(|next| !next.after_break && OF_DOSE.contains(&next.text.as_str()));
    let test = if drug.cjk { "lithium level".to_owned() } else { format!("{} level", drug.text) };
    called(&test).filter(|_| (from..below).contains(&value) && !is_dose).map(|test| (test, first + 1))
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
        assert_eq!(level("66F, lithium 1.6, tremor"), Some("lithium level"));
        for text in ["lithium 400 mg", "lithium 2 tablets", "digoxin 0.25", "on lithium 3 years"] {
            assert_eq!(level(text), None, "{text}");
        }
        for text in
            ["on lithium. Hb level 90", "on lithium and digoxin, level 2.1", "on ramipril, level 2.1", "on lithium, sensory level T8"]
        {
            assert_eq!(level(text), None, "{text}");
        }
    }
}
