//! Overdoses that are told by their weight: "22 g of paracetamol nine hours ago", "40 tablets of 500 mg", 对乙酰氨基酚22克.
//!
//! More than is ever given in a day is an overdose, once it was taken. Who asks whether so much may be taken has taken none; who asks for
//! the antidote has.

use super::named::{Class, Named};
use super::times::number_of;
use crate::language::recognise::Span;
use crate::text::{Token, clause_around};

/// From more than this weight on, in grams, poisoning is to be feared in an adult: of paracetamol more than the most of a day; of the
/// others what poisons centres send to hospital. By names of the starter graph.
const MOST: [(&str, f64); 4] = [("Paracetamol", 4.0), ("Aspirin", 6.5), ("Amitriptyline", 0.35), ("Propranolol", 1.0)];
/// How many words may stand between the weight and the drug, and between the drug and the weight behind it.
const BEFORE: usize = 3;
const BEHIND: usize = 4;
/// How many words before the weight, and behind the drug, it may be told that it was taken.
const TAKEN_BEFORE: usize = 10;
const TAKEN_BEHIND: usize = 9;
/// The most tablets that are counted; more are a year or another number.
const MOST_TABLETS: f64 = 400.0;
/// What may stand between the number of tablets and the strength of one, and between the weight and the drug.
const BETWEEN: [&str; 17] =
    ["x", "of", "the", "my", "his", "her", "times", "tablets", "tablet", "tabs", "pills", "capsules", "worth", "片", "粒", "颗", "的"];
/// What else may stand between the drug and the weight behind it.
const JOINS: [&str; 17] = [
    "and",
    "has",
    "have",
    "had",
    "he",
    "she",
    "i",
    "then",
    "about",
    "around",
    "approximately",
    "roughly",
    "maybe",
    "probably",
    "a",
    "total",
    "in",
];
/// What tells that something was taken.
const TAKEN: [&str; 24] = [
    "took",
    "taken",
    "swallowed",
    "swallow",
    "ingested",
    "ingestion",
    "ate",
    "eaten",
    "downed",
    "overdosed",
    "overdose",
    "od",
    "drank",
    "had",
    "necked",
    "swallowing",
    "since",
    "ago",
    "吃",
    "服",
    "吞",
    "喝",
    "前",
    "误",
];
/// What tells that it is only asked about, or given by somebody who knows what he does.
const PLANNED: [&str; 16] =
    ["can", "may", "could", "should", "shall", "if", "maximum", "max", "limit", "prescribed", "give", "most", "能", "可", "最", "应"];

/// Where a drug stands of which too much was taken, with its weight. `asks_for_antidote`: whether the text names what is given against
/// too much of it.
pub(super) fn too_much_by_weight(tokens: &[Token], drug: &Named, name: &str, asks_for_antidote: bool) -> Option<Span> {
    let (_, most) = MOST.iter().find(|(known, _)| *known == name).filter(|_| drug.class == Class::Drug)?;
    let (grams, span) = weight_before(tokens, drug.span).or_else(|| weight_behind(tokens, drug.span))?;
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let sentence = clause_around(tokens, span.first);
    let before = sentence.start.max(span.first.saturating_sub(TAKEN_BEFORE))..span.first;
    // The nearest word decides: "prescribed paracetamol, took 12 g", "could not cope and took 22 g".
    let is_told = |at: &usize| TAKEN.contains(&word(*at)) || PLANNED.contains(&word(*at));
    let told = (before.start..span.last).rev().find(is_told).map(|at| TAKEN.contains(&word(at)));
    let is_behind = || (span.last..span.last + TAKEN_BEHIND).any(|at| TAKEN.contains(&word(at)));
    let is_taken = asks_for_antidote || told.unwrap_or_else(is_behind);
    (grams > *most && is_taken).then_some(span)
}

/// The grams that stand at a token, and one past their unit: "22 g", "22g", "500 mg", 22克; not "200 mg/l", a level.
fn grams_at(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let whole = word(at);
    let digits = whole.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(whole.len());
    let (number, unit) = (whole.get(..digits)?, whole.get(digits..)?);
    let (number, unit, end) = match (number.parse::<f64>().ok(), unit) {
        (Some(number), "") => (number, word(at + 1), at + 2),
        (Some(number), unit) => (number, unit, at + 1),
        (None, _) => (number_of(whole).filter(|_| !matches!(whole, "a" | "an"))?, word(at + 1), at + 2),
    };
    let (factor, end) = match unit {
        "g" | "gm" | "gms" | "gram" | "grams" | "gramme" | "grammes" | "克" => (1.0, end),
        "mg" | "mgs" | "milligram" | "milligrams" => (0.001, end),
        "毫" if word(end) == "克" => (0.001, end + 1),
        _ => return None,
    };
    let is_level =
        matches!(word(end), "l" | "dl" | "ml" | "kg" | "litre" | "per") && !tokens.get(end).is_some_and(|token| token.after_break);
    (!is_level).then_some((number * factor, end))
}

/// How many tablets are told right before a strength: "40 tablets of 500 mg", "32 x 500mg".
fn count_before(tokens: &[Token], strength: usize) -> Option<(f64, usize)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let at = (strength.saturating_sub(BEFORE)..strength).rev().find(|at| !BETWEEN.contains(&word(*at)))?;
    let count = number_of(word(at)).filter(|count| (2.0..=MOST_TABLETS).contains(count) && count.fract() == 0.0)?;
    let is_joined = !(at + 1..=strength).any(|at| tokens.get(at).is_some_and(|token| token.after_break));
    is_joined.then_some((count, at))
}

fn weight_before(tokens: &[Token], drug: Span) -> Option<(f64, Span)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (drug.first.saturating_sub(BEFORE + 2)..drug.first).rev().find_map(|at| {
        let (grams, end) = grams_at(tokens, at).filter(|(_, end)| *end <= drug.first && drug.first - end <= BEFORE)?;
        if !(end..drug.first).all(|at| BETWEEN.contains(&word(at))) {
            return None;
        }
        let (count, first) = count_before(tokens, at).unwrap_or((1.0, at));
        Some((count * grams, Span { first, last: drug.last }))
    })
}

fn weight_behind(tokens: &[Token], drug: Span) -> Option<(f64, Span)> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (drug.last..drug.last + BEHIND).find_map(|at| {
        // What stands between tells of nothing else: "propranolol and took metformin 2 g".
        let is_joined = |at: usize| [&BETWEEN[..], &TAKEN[..], &JOINS[..]].iter().any(|words| words.contains(&word(at)));
        let (grams, end) = grams_at(tokens, at).filter(|_| (drug.last..at).all(is_joined))?;
        // "Paracetamol 500 mg x 40", 500毫克40片.
        let counted = |at: usize| number_of(word(at)).filter(|count| (2.0..=MOST_TABLETS).contains(count) && count.fract() == 0.0);
        let by_sign = (word(end) == "x").then(|| counted(end + 1)).flatten().map(|count| (count, end + 2));
        let is_counted = matches!(word(end + 1), "tablets" | "tabs" | "pills" | "capsules" | "片" | "粒" | "颗");
        let (count, last) = by_sign.or_else(|| counted(end).filter(|_| is_counted).map(|count| (count, end + 2))).unwrap_or((1.0, end));
        Some((count * grams, Span { first: drug.first, last }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EntityId;
    use crate::text::tokenise;

    fn is_too_much(text: &str, drug: &str, name: &str, antidote: bool) -> bool {
        let (tokens, words) = (tokenise(text), tokenise(drug));
        let fits = |at: &usize| words.iter().enumerate().all(|(i, word)| tokens.get(at + i).is_some_and(|token| token.text == word.text));
        let first = (0..tokens.len()).find(fits).expect("is there");
        let named = Named { span: Span { first, last: first + words.len() }, entity: EntityId(0), class: Class::Drug };
        too_much_by_weight(&tokens, &named, name, antidote).is_some()
    }

    #[test]
    fn more_than_is_given_in_a_day_is_an_overdose_once_it_was_taken() {
        for text in [
            "22 g of paracetamol nine hours ago",
            "swallowed 16g paracetamol",
            "She took 40 tablets of 500 mg paracetamol at eight",
            "took 24 x 500mg paracetamol",
            "ingested paracetamol 12 grams last night",
            "paracetamol 500 mg x 30 taken at noon",
            "he has eaten ten grams of paracetamol",
            "my mother could not cope and took 22 g of paracetamol",
            "if it matters I took 15g paracetamol at 6pm",
            "prescribed paracetamol, took 12 g last night",
        ] {
            assert!(is_too_much(text, "paracetamol", "Paracetamol", false), "{text}");
        }
        assert!(is_too_much("对乙酰氨基酚22克，9小时前服用", "对乙酰氨基酚", "Paracetamol", false));
        assert!(is_too_much("Is NAC needed for 5 g of paracetamol", "paracetamol", "Paracetamol", true));
        assert!(is_too_much("swallowed 900 mg amitriptyline", "amitriptyline", "Amitriptyline", false));
        assert!(is_too_much("has his grandma's amitriptyline and has swallowed 900 mg", "amitriptyline", "Amitriptyline", false));
    }

    #[test]
    fn a_dose_a_level_or_a_question_is_none() {
        for text in [
            "took 1 g of paracetamol an hour ago",
            "took 2 x 500 mg paracetamol",
            "takes paracetamol 1 g four times a day",
            "can I take 5 g of paracetamol",
            "paracetamol 190 mg/l, taken four hours ago",
            "what is the maximum, 4 g of paracetamol",
            "paracetamol for 3 days since Monday",
            "prescribed paracetamol and took metformin 5 g",
        ] {
            assert!(!is_too_much(text, "paracetamol", "Paracetamol", false), "{text}");
        }
        assert!(!is_too_much("took 400 mg ibuprofen", "ibuprofen", "Ibuprofen", false));
    }
}
