//! "My period is late, test negative": a test that nothing names, where a period is missed, is a pregnancy test.

use super::analytes::{Analyte, NameUse, called};
use crate::text::Token;

/// What may stand right before it, besides the beginning of a clause.
const LEADS: [&str; 20] = [
    "the", "a", "my", "her", "did", "took", "done", "taken", "home", "urine", "and", "but", "negative", "positive", "neg", "pos", "two",
    "three", "one", "wee",
];
/// What tells that a period is missed or a pregnancy is thought of.
const OF_PERIODS: [&str; 5] = ["period", "periods", "pregnant", "pregnancy", "conceive"];

/// The test, one past its word, and how it counts.
pub(super) fn test_at(tokens: &[Token], first: usize) -> Option<(&'static Analyte, usize, NameUse)> {
    let token = tokens.get(first).filter(|token| matches!(token.text.as_str(), "test" | "tests"))?;
    let before = first.checked_sub(1).and_then(|at| tokens.get(at)).filter(|_| !token.after_break);
    let is_bare = before.is_none_or(|before| LEADS.contains(&before.text.as_str()));
    let is_of_periods = tokens.iter().any(|token| OF_PERIODS.contains(&token.text.as_str()));
    if !is_bare || !is_of_periods {
        return None;
    }
    Some((called("pregnancy test")?, first + 1, NameUse::Free))
}
