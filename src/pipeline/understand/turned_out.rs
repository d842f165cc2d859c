//! What it was taken for and was not, and what was long ago: "a stroke scare that turned out to be migraine", "chickenpox as a child".

use super::layout::Layout;
use super::named::{Class, Named};
use super::scope::{Scopes, is_contrast};
use crate::language::negation::Denied;
use crate::language::recognise::Span;
use crate::text::Token;

/// How many words before "turned out to be" may name what it was taken for, and how many behind it what it was.
const BEFORE: usize = 9;
const BEHIND: usize = 6;
/// How many words before "as a child" may name what was had then.
const HAD_WITHIN: usize = 7;
/// What may stand before what it was.
const SMALL: [&str; 12] = ["to", "be", "have", "been", "a", "an", "the", "just", "only", "simple", "really", "due"];
/// What says behind "turned out" that nothing was there.
const NOTHING: [&str; 8] = ["nothing", "fine", "normal", "negative", "benign", "harmless", "false", "clear"];
/// Behind these of them it is something of the illness that was not there: "negative for EGFR", "clear cell".
const OF_IT: [&str; 6] = ["for", "of", "in", "to", "on", "cell"];

/// Marks conditions that were ruled out by what they turned out to be as absent, and those of childhood as past.
pub(super) fn mark_turned_out(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    for at in 0..tokens.len() {
        if let Some(out) = taken_for(scopes, (tokens, layout), named, at) {
            scopes.mark(out.first..out.last, |marks| marks.absent = true);
            scopes.denied.push(Denied { cue: out.first, first: out.first, last: out.last });
        }
        if is_of_childhood(tokens, at) {
            let sentence = layout.sentence(at);
            let breaks = |at: &usize| tokens.get(*at).is_some_and(|token| token.after_break || is_contrast(&token.text));
            // "As a child he had asthma".
            let told = if at == sentence.first || breaks(&at) {
                let last = sentence.last.min(at + HAD_WITHIN);
                at..(at + 1..last).find(breaks).unwrap_or(last)
            } else {
                let begin = sentence.first.max(at.saturating_sub(HAD_WITHIN));
                (begin + 1..at).rev().find(breaks).unwrap_or(begin)..at
            };
            let still = |token: &Token| matches!(token.text.as_str(), "still" | "since" | "always" | "again" | "now");
            if !tokens.get(told.start..sentence.last).unwrap_or_default().iter().any(still) {
                scopes.mark(told, |marks| marks.past = true);
            }
        }
    }
    scopes.denied.sort_by_key(|denied| denied.cue);
}

/// What something was taken for that turned out to be something else at a token.
fn taken_for(scopes: &Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named], at: usize) -> Option<Span> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let end = turned_out(tokens, at)?;
    let sentence = layout.sentence(at);
    let begin = sentence.first.max(at.saturating_sub(BEFORE));
    let is_of_patient = |named: &&Named| matches!(named.class, Class::Condition | Class::Finding);
    // "Turned out to be a migraine", "turned out to be nothing"; of "turned out to be worse", nothing is known.
    let first = (end..sentence.last.min(end + BEHIND)).find(|at| !SMALL.contains(&word(*at)))?;
    let was = named.iter().filter(is_of_patient).find(|named| named.span.first == first);
    if was.is_none() && (!NOTHING.contains(&word(first)) || OF_IT.contains(&word(first + 1))) {
        return None;
    }
    // The name right before it, if that is a condition: "a diabetic whose chest pain turned out to be a PE".
    let out = named.iter().filter(is_of_patient).rfind(|named| named.span.first >= begin && named.span.last <= at)?;
    let span = out.span;
    let before = span.first.checked_sub(1).map_or("", word);
    let is_patients = matches!(before, "with" | "has" | "and" | "known" | "of");
    let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
    let is_doubted = scopes.at(span.first).uncertain || scopes.at(span.first).opinion;
    let is_same = was.is_some_and(|was| {
        let words = |span: Span| tokens.get(span.first..span.last).unwrap_or_default();
        // "Type 1 diabetes turned out to be type 2 diabetes".
        let repeats = words(span).iter().any(|token| token.text.len() > 3 && words(was.span).iter().any(|other| other.text == token.text));
        repeats || was.entity == out.entity
    });
    (out.class == Class::Condition && !is_same && (is_doubted || !is_patients && !is_chinese)).then_some(span)
}

/// Where what it was begins behind "turned out to be" at a token.
fn turned_out(tokens: &[Token], at: usize) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    match (word(at), word(at + 1), word(at + 2)) {
        ("turned", "out", _) | ("was", "actually", _) => Some(at + 2),
        ("proved", "to", "be") => Some(at + 3),
        ("结", "果", "是") | ("其", "实", "是") => Some(at + 3),
        _ => None,
    }
}

/// Whether "as a child", "in childhood" or 小时候 begins at a token. 小时候 tells of what stands behind it, and is no such place.
fn is_of_childhood(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    match word(at) {
        "as" => {
            let is_young = matches!(word(at + 2), "child" | "kid" | "toddler" | "teenager" | "teen" | "youngster" | "boy" | "girl");
            word(at + 1) == "a" && is_young
        }
        "in" => matches!(word(at + 1), "childhood" | "infancy" | "adolescence"),
        "during" => word(at + 1) == "childhood",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::run::ConditionStatus;

    fn status(text: &str, what: &str) -> Option<ConditionStatus> {
        read(text).conditions.iter().find(|condition| condition.text.to_lowercase().contains(what)).map(|condition| condition.status)
    }

    #[test]
    fn what_it_was_taken_for_is_excluded() {
        assert_eq!(status("Suspected PE turned out to be pneumonia. Still breathless.", "pe"), Some(ConditionStatus::Excluded));
        assert_ne!(status("Suspected PE turned out to be pneumonia.", "pneumonia"), Some(ConditionStatus::Excluded));
        assert_ne!(status("Her DVT was actually not treated, now chest pain and breathless", "dvt"), Some(ConditionStatus::Excluded));
        assert_ne!(status("The pneumonia turned out not to respond to amoxicillin", "pneumonia"), Some(ConditionStatus::Excluded));
        assert_ne!(status("Lung cancer that turned out negative for EGFR", "cancer"), Some(ConditionStatus::Excluded));
        assert_ne!(status("Stroke turned out to be haemorrhagic", "stroke"), Some(ConditionStatus::Excluded));
    }

    #[test]
    fn what_was_had_as_a_child_is_past() {
        assert_eq!(status("Had chickenpox as a child, can I catch it?", "chickenpox"), Some(ConditionStatus::Past));
        assert_ne!(status("Has had asthma since childhood", "asthma"), Some(ConditionStatus::Past));
    }
}
