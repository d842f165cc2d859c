//! A weekly dose that was taken every day: "methotrexate daily instead of weekly", 甲氨蝶呤误每日服. A few such days are dangerous.

use super::named::{Class, Named};
use crate::language::recognise::Span;
use crate::text::Token;

/// The drug of which a weekly dose taken daily kills.
pub(super) const METHOTREXATE: &str = "Methotrexate";
/// How far before and behind the drug it may be told, in words.
const BEFORE: usize = 12;
const BEHIND: usize = 20;
/// How far before "daily" another drug may be that it is said of, and a word with which nobody has taken anything, in words.
const OF_OTHER: usize = 4;
const MEANT_WITHIN: usize = 7;
/// What says that it was a mistake.
const MISTAKES: [&str; 11] =
    ["instead", "mistake", "mistakenly", "accident", "accidentally", "error", "wrongly", "misread", "misunderstood", "误", "错"];
/// With these before it, nobody has taken it so.
const MEANT: [&str; 18] = [
    "if",
    "never",
    "avoid",
    "prevent",
    "preventing",
    "risk",
    "can",
    "could",
    "may",
    "warn",
    "warned",
    "would",
    "why",
    "防",
    "避",
    "勿",
    "别",
    "能",
];

/// Whether it is told near the drug that it was taken daily by mistake.
pub(super) fn is_daily_for_weekly(tokens: &[Token], drug: Span, named: &[Named]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let near = drug.first.saturating_sub(BEFORE)..tokens.len().min(drug.last + BEHIND);
    if !near.clone().any(|at| MISTAKES.contains(&word(at))) {
        return false;
    }
    let is_daily = |at: usize| {
        matches!((word(at), word(at + 1)), ("daily" | "everyday", _) | ("every" | "each", "day") | ("每", "日" | "天") | ("天", "天"))
    };
    // "Methotrexate weekly, folic acid daily".
    let own = named.iter().find(|of| of.span == drug).map(|of| of.entity);
    let is_of_other = |at: usize| {
        let mut others = named.iter().filter(|other| other.class == Class::Drug && Some(other.entity) != own);
        others.any(|other| other.span.last <= at && at < other.span.last + OF_OTHER)
    };
    // "It should have been weekly" tells of a mistake, "should it be daily instead of weekly?" asks.
    let is_meant = |at: usize| {
        (at.saturating_sub(MEANT_WITHIN)..at).any(|before| {
            let should = word(before) == "should" && !matches!(word(before + 1), "have" | "be" | "of");
            let is_forbidden = matches!(word(before), "dont" | "not") && matches!(word(before + 1), "take" | "taking" | "be");
            should || is_forbidden || MEANT.contains(&word(before))
        })
    };
    near.into_iter().any(|at| is_daily(at) && !is_of_other(at) && !is_meant(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EntityId;
    use crate::text::tokenise;

    #[test]
    fn a_weekly_dose_taken_daily_is_too_much() {
        let daily = |text: &str, drug: &str| {
            let tokens = tokenise(text);
            let words = tokenise(drug);
            let fits =
                |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(fits).expect("is there");
            let named = Named { span: Span { first, last: first + words.len() }, entity: EntityId(0), class: Class::Drug };
            is_daily_for_weekly(&tokens, named.span, std::slice::from_ref(&named))
        };
        for (text, drug) in [
            ("methotrexate taken daily instead of weekly for 6 days, mouth ulcers", "methotrexate"),
            ("did not realise and took methotrexate daily instead of weekly", "methotrexate"),
            ("by mistake mum took her methotrexate every day this week", "methotrexate"),
            ("RA，MTX 10mg/周，误每日服×6d，口腔溃疡", "mtx"),
            ("甲氨蝶呤应该每周一次，错吃成每天一次", "甲氨蝶呤"),
        ] {
            assert!(daily(text, drug), "{text}");
        }
        for (text, drug) in [
            ("methotrexate weekly, folic acid daily", "methotrexate"),
            ("what happens if methotrexate is taken daily instead of weekly", "methotrexate"),
            ("methotrexate: why is it dangerous to take it daily instead of weekly", "methotrexate"),
            ("new methotrexate, never take it daily by mistake", "methotrexate"),
            ("甲氨蝶呤每周一次，怎么防止误每日服", "甲氨蝶呤"),
        ] {
            assert!(!daily(text, drug), "{text}");
        }
    }
}
