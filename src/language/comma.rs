//! Names do not join the end of one phrase with the beginning of the next: "pupils equal and brisk, reflexes normal" names no brisk
//! reflexes.

use crate::graph::{EvolvingNames, NameHit};
use crate::text::Token;

/// An abbreviation has as many letters at most.
const SHORT: usize = 3;

/// The name that was found, if it stands within a phrase; of two words with a comma, a semicolon or the end of a sentence between, the first, if that
/// is a name.
pub(crate) fn within_phrase(index: EvolvingNames<'_>, text: &str, tokens: &[Token], hit: NameHit) -> Option<NameHit> {
    let (Some(before), Some(behind)) = (tokens.get(hit.first), tokens.get(hit.first + 1)) else { return Some(hit) };
    let between = text.get(before.end..behind.start).unwrap_or_default();
    if hit.last != hit.first + 2
        || behind.cjk
        || !(between.starts_with([',', ';', '!', '?']) || ends_sentence(text, between, before, behind))
    {
        return Some(hit);
    }
    let entities = index.lookup(&before.text);
    (!entities.is_empty()).then_some(NameHit { first: hit.first, last: hit.first + 1, entities })
}

/// Whether a full stop ends a sentence. Behind a short word it may be one of an abbreviation: "St. John's wort".
fn ends_sentence(text: &str, between: &str, before: &Token, behind: &Token) -> bool {
    let is_capital = || text.get(behind.start..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase);
    between.starts_with(". ") && before.text.chars().count() > SHORT && is_capital()
}
