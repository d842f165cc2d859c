//! Effects that are asked about or expected of a drug: "will it make the baby drowsy?", "could sertraline cause a seizure?", 会导致肌肉痛吗. They
//! are not there.

use std::ops::Range;

use super::layout::Layout;
use super::named::{Class, Named};
use super::patient::Patient;
use super::scope::{Scopes, is_contrast};
use crate::text::Token;

/// How many words may stand between "will" and "make", and between "make" and the effect.
const WITHIN: usize = 5;
const EFFECT_WITHIN: usize = 6;
/// How many characters may stand between 会 and what it brings about, and from there to the effect.
const WITHIN_CHINESE: usize = 3;
/// What asks for an effect or expects one.
const MAY: [&str; 8] = ["will", "would", "could", "can", "might", "may", "does", "do"];
/// Of these, what expects an effect also where nothing is asked: "my tablets can make me dizzy" tells of one.
const EXPECTS: [&str; 4] = ["would", "could", "might", "may"];
/// What brings it about.
const BRINGS: [&str; 15] = [
    "make",
    "makes",
    "cause",
    "causes",
    "give",
    "gives",
    "trigger",
    "triggers",
    "induce",
    "induces",
    "produce",
    "provoke",
    "precipitate",
    "bring",
    "lead",
];
/// A drug that was named before.
const IT: [&str; 8] = ["it", "this", "they", "these", "that", "tablets", "medicine", "medication"];
/// Words before "will", or between it and the verb, with which the effect is told: "why does it make me sick?", "could it be causing my cough?"
const TOLD: [&str; 9] = ["why", "what", "when", "how", "be", "been", "have", "which", "already"];
/// What ends what is asked for.
const ENDS: [&str; 13] = ["because", "since", "i", "im", "ive", "he", "she", "my", "has", "have", "is", "are", "if"];
/// Chinese: what brings something about.
const BRINGS_CHINESE: [&str; 6] = ["引起", "导致", "造成", "诱发", "引发", "出现"];

/// Marks effects that are asked about or expected as no more than possible.
pub(super) fn mark_asked_effects(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    let drugs: Vec<usize> = named.iter().filter(|named| named.class == Class::Drug).map(|named| named.span.first).collect();
    if drugs.is_empty() || is_described(tokens) {
        return;
    }
    for at in 0..tokens.len() {
        let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
        let effects = if is_chinese { asked_in_chinese(tokens, layout, at, &drugs) } else { asked(tokens, layout, at, &drugs) };
        let Some(effects) = effects.filter(|effects| !has_happened(tokens, effects.end)) else { continue };
        for effect in named.iter().filter(|named| matches!(named.class, Class::Finding | Class::Condition)) {
            let before =
                |back: usize| effect.span.first.checked_sub(back).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
            // "Cause the rash" tells of one; "make the baby drowsy" does not.
            let is_told = matches!(before(1), "my" | "this" | "these" | "such")
                || matches!(before(1), "the" | "his" | "her")
                    && BRINGS.contains(&before(2))
                    && !matches!(before(2), "make" | "makes" | "give" | "gives");
            if effects.contains(&effect.span.first) && !is_told {
                scopes.mark(effect.span.first..effect.span.last, |marks| marks.risk = true);
            }
        }
    }
}

/// Whether a patient is described, who may have what is asked about: "could lamotrigine cause a rash? 25F".
fn is_described(tokens: &[Token]) -> bool {
    let has_number = tokens.iter().any(|token| token.text.starts_with(|c: char| c.is_ascii_digit()));
    let patient = Patient::of(tokens);
    has_number && (patient.age.is_some() || patient.sex.is_some())
}

/// Whether it is told behind a question that what it asks about has happened: "could it cause a seizure? He had one this morning".
fn has_happened(tokens: &[Token], from: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_it = |at: usize| matches!(word(at), "one" | "it" | "this" | "that" | "them" | "these" | "some" | "two" | "both");
    (from..tokens.len()).any(|at| {
        let asks = at > 0
            && matches!(word(at - 1), "i" | "we" | "he" | "she")
            && at > 1
            && matches!(word(at - 2), "should" | "can" | "could" | "may");
        matches!(word(at), "had" | "has" | "have" | "ive" | "got" | "getting" | "having" | "happened")
            && !asks
            && (at + 1..at + 3).any(is_it)
    })
}

/// The words behind "will it make" at a token, up to the end of what is asked for.
fn asked(tokens: &[Token], layout: &Layout, at: usize, drugs: &[usize]) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let sentence = layout.sentence(at);
    if !MAY.contains(&word(at)) || !sentence.asks && !EXPECTS.contains(&word(at)) {
        return None;
    }
    let verb = (at + 1..sentence.last.min(at + 1 + WITHIN)).find(|at| BRINGS.contains(&word(*at)))?;
    // "Can you give me something for headache?": it is given by somebody, for what is there.
    if (at + 1..verb).any(|at| matches!(word(at), "i" | "we" | "you" | "he" | "she" | "someone" | "anyone")) {
        return None;
    }
    let begin = at.saturating_sub(WITHIN).max(sentence.first);
    let is_told = (at.saturating_sub(2).max(sentence.first)..verb).any(|at| TOLD.contains(&word(at)));
    // "Can stress cause chest pain?" asks about no drug.
    let of_drug = drugs.iter().any(|drug| (begin..verb).contains(drug));
    let of_it = (begin..verb).any(|at| IT.contains(&word(at))) && drugs.iter().any(|drug| *drug < at);
    if is_told || !(of_drug || of_it) {
        return None;
    }
    let ends = |at: &usize| {
        let breaks = tokens.get(*at).is_some_and(|token| token.after_break);
        breaks && !layout.sentence(*at).asks || is_contrast(word(*at)) || ENDS.contains(&word(*at))
    };
    let last = sentence.last.min(verb + 1 + if sentence.asks { 2 * EFFECT_WITHIN } else { EFFECT_WITHIN });
    Some(verb + 1..(verb + 1..last).find(ends).unwrap_or(last))
}

/// The characters behind 会不会 or 会导致 at a token, up to the end of the clause.
fn asked_in_chinese(tokens: &[Token], layout: &Layout, at: usize, drugs: &[usize]) -> Option<Range<usize>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let pair = |at: usize| [word(at), word(at + 1)].concat();
    let sentence = layout.sentence(at);
    if !drugs.iter().any(|drug| *drug < at) {
        return None;
    }
    let is_whether = word(at) == "会" && word(at + 1) == "不" && word(at + 2) == "会" && word(at + 3) != "是";
    // 吃药会头晕 is told; 会导致头晕吗 is asked.
    let asks = (at..sentence.last).any(|at| word(at) == "吗") || sentence.asks;
    let brings = || (at + 1..=at + WITHIN_CHINESE).find(|next| BRINGS_CHINESE.contains(&pair(*next).as_str()));
    let begin = match word(at) {
        "会" if is_whether => at + 3,
        "会" | "能" | "可" if asks => brings()? + 2,
        _ => return None,
    };
    let ends = |at: &usize| *at > begin && tokens.get(*at).is_some_and(|token| token.after_break && token.after_stop);
    Some(begin..(begin..sentence.last).find(ends).unwrap_or(sentence.last))
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::FindingStatus;

    fn is_there(text: &str) -> bool {
        read(text).findings.iter().any(|finding| finding.status == FindingStatus::Present)
    }

    #[test]
    fn an_effect_that_is_asked_about_is_not_there() {
        for text in [
            "Can I take cetirizine while breastfeeding? Will it make the baby drowsy?",
            "Could sertraline cause a seizure?",
            "Would propranolol make me dizzy?",
            "吃氯雷他定会不会头晕？",
            "阿托伐他汀会导致肌肉痛吗？",
        ] {
            assert!(!is_there(text), "{text}: {:?}", read(text).findings);
        }
    }

    #[test]
    fn what_is_told_is_there_though_a_drug_may_have_caused_it() {
        for text in [
            "Could ramipril be causing my cough?",
            "Why does sertraline make me dizzy?",
            "On ramipril. Could it cause this cough?",
            "Could sertraline cause a seizure? He had one this morning.",
            "On aspirin and vomiting. Could it cause a seizure?",
            "I'm on apixaban, can you give me something for headache and slurred speech?",
            "Aspirin - can I give it to a man with crushing chest pain?",
            "On warfarin, can I give ibuprofen for his chest pain and sweating?",
            "Could lamotrigine cause a rash with blisters in the mouth? 25F, week 2",
            "吃布洛芬后头晕，会不会是过敏？",
        ] {
            assert!(is_there(text), "{text}: {:?}", read(text).findings);
        }
    }
}
