//! Painkillers that are taken for headache on most days, as it is told: "co-codamol every day", "sumatriptan 15 days a month", 几乎每天吃布洛芬. How often
//! must be said of the drug: a headache every day that paracetamol helps tells of no overuse.

use super::named::{Class, Named};
use super::times::number_of;
use crate::graph::{Role, classes_of};
use crate::language::knowledge::Knowledge;
use crate::language::recognise::Span;
use crate::text::Token;

/// What the graph calls it, and what it makes.
const ON_MOST_DAYS: &str = "Painkillers for headache on most days";
const OVERUSE: &str = "Medication-overuse headache";
/// What they are taken for.
const HEADACHES: [&str; 4] = ["Headache", "Migraine", "Tension-type headache", "Morning headache"];
/// How many words may stand between the drug and how often.
const WITHIN: usize = 7;
/// From so many days a week, or a month, on they are most days: of triptans and opioids ten a month.
const A_WEEK: f64 = 3.0;
const A_MONTH: f64 = 10.0;

/// The finding, where a drug that makes such a headache is taken so often beside a headache.
pub(super) fn on_most_days(knowledge: &Knowledge, tokens: &[Token], named: &[Named]) -> Option<Named> {
    let graph = &knowledge.graph;
    let (finding, overuse) = (graph.find(ON_MOST_DAYS)?, graph.find(OVERUSE)?);
    let names = |what: &str| named.iter().any(|of| graph.entity_name(of.entity) == what);
    if names(ON_MOST_DAYS) || !HEADACHES.iter().any(|headache| names(headache)) {
        return None;
    }
    let makes = |drug: &&Named| {
        let mut of = std::iter::once(drug.entity).chain(classes_of(graph, drug.entity));
        drug.class == Class::Drug && of.any(|of| knowledge.facts().states(overuse, of, |role| role == Role::Cause))
    };
    let span = named.iter().filter(makes).find_map(|drug| taken_often(tokens, drug.span))?;
    Some(Named { span, entity: finding, class: Class::Finding })
}

/// The words that say that a drug is taken on most days: behind it, or before it where Chinese says so.
fn taken_often(tokens: &[Token], drug: Span) -> Option<Span> {
    let is_broken = |from: usize, to: usize| (from..to).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
    let behind = (drug.last..tokens.len().min(drug.last + WITHIN)).find_map(|at| Some((at, often_at(tokens, at)?)));
    if let Some((_, last)) = behind.filter(|(at, _)| !is_broken(drug.last, at + 1)) {
        return Some(Span { first: drug.first, last });
    }
    let before = (drug.first.saturating_sub(WITHIN)..drug.first).find(|at| often_at(tokens, *at).is_some())?;
    let is_chinese = tokens.get(before).is_some_and(|token| token.cjk);
    let is_taken = tokens.get(before..drug.first)?.iter().any(|token| matches!(token.text.as_str(), "吃" | "服" | "用"));
    (is_chinese && is_taken && !is_broken(before + 1, drug.first + 1)).then_some(Span { first: before, last: drug.last })
}

/// One past the words that say "on most days" at a token.
fn often_at(tokens: &[Token], at: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    match (word(at), word(at + 1)) {
        ("daily", _) => return Some(at + 1),
        ("every" | "each" | "most", "day" | "days" | "morning" | "night") => return Some(at + 2),
        ("每" | "天", "天") => return Some(at + 2),
        _ => {}
    }
    let number = number_of(word(at)).filter(|_| !matches!(word(at), "a" | "an"))?;
    let is_counted = matches!(word(at + 1), "times" | "days" | "x");
    let least = match (word(at + 2), word(at + 3)) {
        ("a" | "per" | "each" | "every", "week") => A_WEEK,
        ("a" | "per" | "each" | "every", "month") => A_MONTH,
        _ => return None,
    };
    (is_counted && number >= least).then_some(at + 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn how_often_is_said_of_the_drug_and_not_of_the_headache() {
        let often = |text: &str, drug: &str| {
            let (tokens, words) = (tokenise(text), tokenise(drug));
            let fits =
                |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
            let first = (0..tokens.len()).find(fits).expect("is there");
            taken_often(&tokens, Span { first, last: first + words.len() }).is_some()
        };
        assert!(often("headache, takes ibuprofen every day", "ibuprofen"));
        assert!(often("sumatriptan 15 days a month", "sumatriptan"));
        assert!(often("using ibuprofen 5 times a week for migraine", "ibuprofen"));
        assert!(often("头痛，几乎每天吃布洛芬半年", "布洛芬"));
        assert!(!often("headache at the end of every day, paracetamol helps", "paracetamol"));
        assert!(!often("paracetamol helps, headache every day", "paracetamol"));
        assert!(!often("sumatriptan 2 days a month", "sumatriptan"));
        assert!(!often("每天头痛，布洛芬有效", "布洛芬"));
    }
}
