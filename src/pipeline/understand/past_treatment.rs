//! What a question says of the treatment so far: that it failed, is not tolerated or was repeated, and whether the next or another one is asked for. The
//! phrases are in `assets/past-treatment.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::done_by_drug::caused_by;
use crate::language::phrase_table::{FoundPhrase, PhraseTable};
use crate::language::wordings::deserialize as wordings;
use crate::text::Token;

/// How many words may stand between a drug and the word that says that it failed.
const BESIDE_DRUG: usize = 2;
/// How many words may say how much of it was given.
const AMOUNT: usize = 5;
/// Words that say so.
const HOW_MUCH: [&str; 36] = [
    "x", "im", "iv", "po", "sc", "mg", "mcg", "g", "ml", "units", "dose", "doses", "times", "twice", "once", "daily", "bd", "tds", "od",
    "qds", "for", "of", "days", "day", "weeks", "week", "months", "month", "two", "three", "four", "five", "six", "given", "so", "far",
];

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrases {
    #[serde(deserialize_with = "wordings")]
    next: Vec<String>,
    closing: Vec<String>,
    #[serde(deserialize_with = "wordings")]
    failed: Vec<String>,
    failed_drug: Vec<String>,
    #[serde(deserialize_with = "wordings")]
    failed_before: Vec<String>,
    #[serde(deserialize_with = "wordings")]
    failed_behind: Vec<String>,
    #[serde(deserialize_with = "wordings")]
    not_tolerated: Vec<String>,
    instead: Vec<String>,
    repeated: Vec<String>,
}

struct Tables {
    next: PhraseTable<()>,
    closing: Vec<String>,
    failed: PhraseTable<()>,
    failed_drug: Vec<String>,
    failed_before: PhraseTable<()>,
    failed_behind: PhraseTable<()>,
    not_tolerated: PhraseTable<()>,
    instead: PhraseTable<()>,
    repeated: PhraseTable<()>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let phrases: Phrases = toml::from_str(include_str!("../../../assets/past-treatment.toml")).unwrap_or_default();
    Tables {
        next: PhraseTable::of_phrases(&phrases.next),
        failed: PhraseTable::of_phrases(&phrases.failed),
        failed_before: PhraseTable::of_phrases(&phrases.failed_before),
        failed_behind: PhraseTable::of_phrases(&phrases.failed_behind),
        not_tolerated: PhraseTable::of_phrases(&phrases.not_tolerated),
        instead: PhraseTable::of_phrases(&phrases.instead),
        repeated: PhraseTable::of_phrases(&phrases.repeated),
        closing: phrases.closing,
        failed_drug: phrases.failed_drug,
    }
});

/// What a question says of the treatment so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PastTreatment {
    /// It asks what comes after what was given: "next drug?", "Add?".
    pub(crate) asks_for_next: bool,
    /// It asks for another drug in place of one that did harm: "what instead?".
    pub(crate) asks_for_another: bool,
    /// It tells that a treatment failed, or asks what to add to it: "despite", "wearing off", 加什么.
    pub(crate) failed: bool,
    /// It tells that a drug is not tolerated ("gives me muscle pain", 不耐受), or asks for another in its place.
    pub(crate) not_tolerated: bool,
    /// It tells that something was given more than once: "lorazepam twice".
    pub(crate) repeated: bool,
}

impl PastTreatment {
    /// Reads a question. `drugs`: where the names of its drugs begin and end, in bytes.
    pub(crate) fn of(tokens: &[Token], drugs: &[(usize, usize)]) -> Self {
        let says = |table: &PhraseTable<()>| !table.find_all(tokens).is_empty();
        let is_one_of = |at: usize, words: &[String]| tokens.get(at).is_some_and(|token| words.contains(&token.text));
        let ends_clause = |at: usize| tokens.get(at + 1).is_none_or(|next| next.after_break);
        let begins_drug = |at: usize| tokens.get(at).is_some_and(|token| drugs.iter().any(|(start, _)| *start == token.start));
        let ends_drug = |at: usize| tokens.get(at).is_some_and(|token| drugs.iter().any(|(_, end)| *end == token.end));
        let is_beside_drug =
            |at: usize| (at + 1..=at + BESIDE_DRUG).any(begins_drug) || (at.saturating_sub(BESIDE_DRUG)..at).any(ends_drug);
        let asks_for_another = says(&TABLES.instead);
        // "Colchicine gave him diarrhoea": not "we gave him colchicine".
        let did_harm = (1..=tokens.len()).any(|last| ends_drug(last - 1) && caused_by(tokens, last).is_some());
        Self {
            asks_for_next: says(&TABLES.next) || (0..tokens.len()).any(|at| is_one_of(at, &TABLES.closing) && ends_clause(at)),
            asks_for_another,
            failed: says(&TABLES.failed)
                || (0..tokens.len()).any(|at| is_one_of(at, &TABLES.failed_drug) && is_beside_drug(at))
                || !Self::failed_of(tokens, drugs).is_empty(),
            not_tolerated: asks_for_another || did_harm || says(&TABLES.not_tolerated),
            repeated: says(&TABLES.repeated),
        }
    }

    /// Of these drugs, by where their names begin and end in bytes, the numbers of those that are said to have failed: "refractory to lorazepam and
    /// levetiracetam", "adrenaline x3, no response". What stands between a drug and the words is how much of it was given, and no other drug.
    pub(crate) fn failed_of(tokens: &[Token], drugs: &[(usize, usize)]) -> Vec<usize> {
        let spans = spans_of(tokens, drugs);
        let numbers =
            |is_it: &dyn Fn(usize, usize) -> bool| spans.iter().position(|span| span.is_some_and(|(first, last)| is_it(first, last)));
        let is_in_drug = |at: usize| spans.iter().flatten().any(|(first, last)| (*first..*last).contains(&at));
        let is_clear = |from: usize, to: usize| !(from..to).any(is_in_drug);
        let breaks = |from: usize, to: usize| (from..=to).filter(|at| tokens.get(*at).is_none_or(|token| token.after_break)).count();
        let mut failed: Vec<usize> = Vec::new();
        for found in TABLES.failed_before.find_all(tokens) {
            // "Failing kidneys on apixaban" says nothing of apixaban.
            let links = |from: usize, to: usize| tokens.get(from..to).is_some_and(|words| words.iter().all(is_link));
            let is_behind = |first: usize, _: usize| {
                first >= found.last && first - found.last <= BESIDE_DRUG && links(found.last, first) && breaks(found.last, first) == 0
            };
            failed.extend(numbers(&is_behind));
        }
        for found in TABLES.failed_behind.find_all(tokens) {
            // "Adrenaline x3, no response": one mark may part them, where only an amount stands between.
            let is_before = |_: usize, last: usize| {
                let amount = found.first.checked_sub(last).filter(|apart| *apart <= AMOUNT && is_clear(last, found.first));
                let is_amount = || tokens.get(last..found.first).is_some_and(|words| words.iter().all(says_how_much));
                amount.is_some_and(|apart| match breaks(last, found.first) {
                    0 => apart <= BESIDE_DRUG || is_amount(),
                    1 => is_amount(),
                    _ => false,
                })
            };
            failed.extend(numbers(&is_before));
        }
        with_joined(tokens, &spans, failed)
    }

    /// Of these drugs, by where their names begin and end in bytes, the numbers of those that are said not to be tolerated: "could not tolerate
    /// metformin", and otherwise the one before, "amitriptyline not tolerated". What a drug merely does ("makes me sick") does not say that it was
    /// stopped, and where something is "still" taken, nothing is sure.
    pub(crate) fn not_tolerated_of(tokens: &[Token], drugs: &[(usize, usize)]) -> Vec<usize> {
        let goes_on = |token: &Token| matches!(token.text.as_str(), "still" | "仍" | "还");
        if tokens.iter().any(goes_on) {
            return Vec::new();
        }
        let is_of_tolerance = |token: &Token| token.text.contains("toler") || token.text == "耐";
        let is_joined = |from: usize, to: usize| (from..=to).all(|at| tokens.get(at).is_some_and(|token| !token.after_break));
        let spans = spans_of(tokens, drugs);
        let at = |is_it: &dyn Fn(usize, usize) -> bool| spans.iter().position(|span| span.is_some_and(|(first, last)| is_it(first, last)));
        let said = TABLES.not_tolerated.find_all(tokens).into_iter();
        let said = said.filter(|found| tokens.get(found.first..found.last).is_some_and(|words| words.iter().any(is_of_tolerance)));
        let of = |found: FoundPhrase<()>| {
            let is_behind =
                |first: usize, _: usize| first >= found.last && first - found.last < BESIDE_DRUG && is_joined(found.last, first);
            let is_before = |_: usize, last: usize| last <= found.first && found.first - last < BESIDE_DRUG && is_joined(last, found.first);
            // "Propranolol not tolerated and topiramate failed": what is not tolerated stands before it.
            let is_passive = found.last.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|token| token.text == "tolerated");
            match is_passive {
                true => at(&is_before).or_else(|| at(&is_behind)),
                false => at(&is_behind).or_else(|| at(&is_before)),
            }
        };
        said.filter_map(of).collect()
    }
}

/// Whether a word only links what failed to a drug: "failed treatment with", "no response to two doses of".
fn is_link(token: &Token) -> bool {
    const LINKS: [&str; 24] = [
        "the",
        "his",
        "her",
        "my",
        "their",
        "a",
        "an",
        "on",
        "with",
        "to",
        "of",
        "under",
        "treatment",
        "therapy",
        "trial",
        "course",
        "dose",
        "doses",
        "maximal",
        "oral",
        "iv",
        "im",
        "two",
        "three",
    ];
    token.cjk || LINKS.contains(&token.text.as_str())
}

/// Where drugs stand among the tokens, by where their names begin and end in bytes.
fn spans_of(tokens: &[Token], drugs: &[(usize, usize)]) -> Vec<Option<(usize, usize)>> {
    let span = |(start, end): &(usize, usize)| {
        let first = tokens.iter().position(|token| token.start == *start)?;
        Some((first, tokens.iter().position(|token| token.end == *end)? + 1))
    };
    drugs.iter().map(span).collect()
}

/// Some drugs with those that stand with them in one list: "lorazepam and levetiracetam", "sertraline and then citalopram".
fn with_joined(tokens: &[Token], spans: &[Option<(usize, usize)>], mut some: Vec<usize>) -> Vec<usize> {
    let joins = |from: usize, to: usize| {
        let between = tokens.get(from..to).filter(|_| to >= from && to - from <= BESIDE_DRUG).unwrap_or_default();
        let is_joining = |token: &Token| matches!(token.text.as_str(), "and" | "or" | "then" | "plus" | "both" | "和" | "及" | "与");
        let is_list = !between.is_empty() && between.iter().all(is_joining);
        is_list && tokens.get(from..=to).is_some_and(|words| words.iter().all(|token| !token.after_break))
    };
    // "After a PPI, amoxicillin and clarithromycin": a comma joins where "and" joins the last; not "failed lorazepam, phenytoin running".
    let ends_list = |last: usize| spans.iter().flatten().any(|(first, _)| *first > last && joins(last, *first));
    let is_comma =
        |last: usize, first: usize| first == last && tokens.get(first).is_some_and(|token| token.after_break && !token.after_stop);
    let is_joined = |one: usize, other: usize| {
        let both = spans.get(one).copied().flatten().zip(spans.get(other).copied().flatten());
        both.is_some_and(|((_, last), (first, end))| last <= first && (joins(last, first) || is_comma(last, first) && ends_list(end)))
    };
    // Until no more are found.
    for _ in 0..spans.len() {
        let more =
            (0..spans.len()).find(|at| !some.contains(at) && some.iter().any(|known| is_joined(*known, *at) || is_joined(*at, *known)));
        match more {
            Some(more) => some.push(more),
            None => break,
        }
    }
    some.sort_unstable();
    some.dedup();
    some
}

/// Whether a word says how much of a drug was given, how, or how long: "x3", "IM", "5 mg", "3 weeks".
fn says_how_much(token: &Token) -> bool {
    let word = token.text.as_str();
    let is_number = word.trim_start_matches('x').starts_with(|c: char| c.is_ascii_digit());
    is_number || HOW_MUCH.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_is_said_of_the_treatment_so_far() {
        let read = |text: &str| PastTreatment::of(&tokenise(text), &[]);
        assert!(toml::from_str::<Phrases>(include_str!("../../../assets/past-treatment.toml")).is_ok());
        assert!(read("on metformin. What next?").asks_for_next && read("COPD on tiotropium. Add?").asks_for_next);
        assert!(!read("vomited the next day").asks_for_next && !read("I want to add that he sleeps").asks_for_next);
        assert!(read("cough on ramipril, what instead?").asks_for_another && read("cough on ramipril, what instead?").not_tolerated);
        assert!(read("HbA1c 9 despite metformin").failed && !read("failed his exam").failed);
        assert!(read("lorazepam twice").repeated && !read("lorazepam once").repeated);
        let text = "olanzapine failed";
        assert!(PastTreatment::of(&tokenise(text), &[(0, 10)]).failed, "beside a drug");
        let failed = |text: &str, names: &[&str]| {
            let drugs: Vec<(usize, usize)> = names.iter().map(|name| text.find(name).map_or((0, 0), |at| (at, at + name.len()))).collect();
            PastTreatment::failed_of(&tokenise(text), &drugs)
        };
        let (lorazepam, levetiracetam) = ("lorazepam", "levetiracetam");
        assert_eq!(failed("fits refractory to lorazepam and levetiracetam", &[lorazepam, levetiracetam]), [0, 1]);
        assert_eq!(failed("inadequate response to methotrexate, on warfarin", &["methotrexate", "warfarin"]), [0]);
        assert_eq!(failed("on warfarin, adrenaline x3 IM no response", &["warfarin", "adrenaline"]), [1]);
        assert_eq!(failed("no better on doxycycline", &["doxycycline"]), [0]);
        assert_eq!(failed("sertraline and then citalopram failed", &["sertraline", "citalopram"]), [0, 1]);
        assert!(failed("on lorazepam. Refractory to everything", &[lorazepam]).is_empty());
        assert!(failed("heart failure, on ramipril, much better on it", &["ramipril"]).is_empty());
        assert!(failed("lorazepam is for fits, not enough sleep", &[lorazepam]).is_empty(), "what stands between is no amount");
        assert!(failed("could I add lorazepam if there is no response", &[lorazepam]).is_empty(), "it is not said to have been given");
        let not_tolerated = |text: &str, drugs: &[(usize, usize)]| PastTreatment::not_tolerated_of(&tokenise(text), drugs);
        assert_eq!(not_tolerated("amitriptyline not tolerated, on warfarin", &[(0, 13), (32, 40)]), [0]);
        assert_eq!(not_tolerated("could not tolerate metformin", &[(19, 28)]), [0]);
        assert_eq!(not_tolerated("propranolol not tolerated and topiramate failed", &[(0, 11), (30, 40)]), [0]);
        assert!(not_tolerated("on warfarin. Not tolerated: pain", &[(3, 11)]).is_empty());
        let text = "on warfarin and could not tolerate amiodarone";
        assert_eq!(not_tolerated(text, &[(3, 11), (35, 45)]), [1], "the drug behind");
        assert!(not_tolerated("methotrexate not tolerated but still on it", &[(0, 12)]).is_empty());
        assert!(not_tolerated("methotrexate makes me sick", &[(0, 12)]).is_empty());
    }
}
