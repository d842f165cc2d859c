//! Drugs that are no longer taken because another took their place: "failed sertraline, now on mirtazapine".

use super::layout::Sentence;
use super::named::Named;
use super::past_treatment::PastTreatment;
use crate::language::negation::Denied;
use crate::language::recognise::Span;
use crate::text::Token;

/// Words right before a drug that is taken in place of one that failed …
const IN_ITS_PLACE: [[&str; 2]; 9] = [
    ["now", "on"],
    ["now", "taking"],
    ["now", "takes"],
    ["switched", "to"],
    ["changed", "to"],
    ["swapped", "to"],
    ["replaced", "by"],
    ["replaced", "with"],
    ["moved", "to"],
];
/// … and words by which it may have come on top of it.
const ON_TOP: [&str; 11] = ["too", "also", "add", "added", "adding", "plus", "both", "still", "combined", "well", "and"];

/// Whether a drug is said to have failed, or not to be tolerated, and another to be taken in its place. Where the other may have come on top of it, and
/// where it is named once more, it is still taken.
pub(super) fn is_replaced(tokens: &[Token], sentence: Sentence, span: Span, drugs: &[Named]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_behind = |drug: &&Named| drug.span.first >= span.last && drug.span.last <= sentence.last;
    let is_now_on = |drug: &Named| {
        let before = drug.span.first.checked_sub(2).filter(|at| *at >= span.last);
        before.is_some_and(|at| IN_ITS_PLACE.contains(&[word(at), word(at + 1)]))
    };
    let Some(other) = drugs.iter().filter(is_behind).find(|drug| is_now_on(drug)) else { return false };
    let entity = drugs.iter().find(|drug| drug.span == span).map(|drug| drug.entity);
    let is_named_again = drugs.iter().filter(is_behind).any(|drug| Some(drug.entity) == entity);
    // Up to the end of the clause in which the other is named.
    let end = (other.span.last..sentence.last).find(|at| tokens.get(*at).is_some_and(|token| token.after_break)).unwrap_or(sentence.last);
    let is_on_top = (other.span.first.saturating_sub(3).max(span.last)..end)
        .any(|at| ON_TOP.contains(&word(at)) && !is_between_failed(tokens, at, other));
    if is_named_again || is_on_top {
        return false;
    }
    let places = places_of(tokens, drugs);
    let mut failed = PastTreatment::failed_of(tokens, &places);
    failed.extend(PastTreatment::not_tolerated_of(tokens, &places));
    failed.into_iter().filter_map(|number| drugs.get(number)).any(|drug| drug.span == span)
}

/// The shortest course, in days, that is over where another drug follows.
const COURSE: f64 = 14.0;
/// How many words may stand between a drug and the one that follows it.
const FOLLOWS_WITHIN: usize = 10;

/// Whether a drug was taken for some weeks and another then: "sertraline 8 weeks then escitalopram", 舍曲林8周后改艾司西酞普兰. `days`: how long it was taken. What is taken by turns,
/// or comes on top, is taken.
pub(super) fn is_followed(tokens: &[Token], sentence: Sentence, span: Span, drugs: &[Named], days: Option<f64>) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let Some(next) = drugs.iter().find(|drug| drug.span.first >= span.last && drug.span.last <= sentence.last) else { return false };
    let between = span.last..next.span.first;
    let is_then = |at: usize| {
        matches!((word(at), word(at + 1)), ("then" | "subsequently", _) | ("followed", "by") | ("之", "后") | ("后", "改") | ("随", "后"))
    };
    let may_be_on_top =
        |at: usize| ON_TOP.contains(&word(at)) && word(at) != "and" || matches!(word(at), "加" | "increased" | "up" | "restarted");
    let entity = drugs.iter().find(|drug| drug.span == span).map(|drug| drug.entity);
    let is_named_again = drugs.iter().any(|drug| drug.span.first >= span.last && Some(drug.entity) == entity);
    between.len() <= FOLLOWS_WITHIN
        && days.is_some_and(|days| days >= COURSE)
        && between.clone().any(is_then)
        && !between.clone().any(may_be_on_top)
        && !(next.span.last..next.span.last + 2).any(may_be_on_top)
        && !is_named_again
}

/// Whether what is denied right before a drug is that it helped, so that the drug was given: "no response to topiramate".
pub(super) fn has_denied_effect(tokens: &[Token], span: Span, drugs: &[Named]) -> bool {
    let before = span.first.checked_sub(1).and_then(|at| tokens.get(at)).map_or("", |token| token.text.as_str());
    let failed = || PastTreatment::failed_of(tokens, &places_of(tokens, drugs));
    matches!(before, "to" | "on" | "with" | "after" | "from")
        && failed().into_iter().filter_map(|number| drugs.get(number)).any(|drug| drug.span == span)
}

/// Words for complaints that name none by themselves, and words in -ing that tell of taking a drug.
const COMPLAINTS: [&str; 8] = ["symptoms", "problems", "issues", "effects", "bruises", "bleeds", "complaints", "reactions"];
const OF_TAKING: [&str; 8] = ["being", "taking", "going", "starting", "using", "having", "staying", "keeping"];

/// Whether what is denied before a drug is a complaint of somebody who takes it: "no bleeding on warfarin", but not "not on warfarin".
pub(super) fn is_taken_beside_denial(tokens: &[Token], span: Span, denied: &[Denied], complaints: &[Span]) -> bool {
    let Some(before) = span.first.checked_sub(1) else { return false };
    let takes = tokens.get(before).is_some_and(|token| matches!(token.text.as_str(), "on" | "taking" | "takes" | "using"));
    let is_of_it = |of: &&Denied| (of.first..of.last).contains(&span.first);
    let is_complaint = |word: &str| COMPLAINTS.contains(&word) || word.ends_with("ing") && !OF_TAKING.contains(&word);
    let holds = |of: &Denied| {
        let between = tokens.get(of.first..before).unwrap_or_default();
        complaints.iter().any(|complaint| complaint.first >= of.first && complaint.last <= before)
            || between.iter().any(|token| is_complaint(&token.text))
    };
    takes && denied.iter().filter(is_of_it).any(holds)
}

/// Where the names of drugs begin and end, in bytes.
fn places_of(tokens: &[Token], drugs: &[Named]) -> Vec<(usize, usize)> {
    let start = |at: usize| tokens.get(at).map_or(0, |token| token.start);
    let stop = |at: usize| tokens.get(at).map_or(0, |token| token.end);
    drugs.iter().map(|drug| (start(drug.span.first), stop(drug.span.last.saturating_sub(1)))).collect()
}

/// Whether a word only joins the sentence to the other drug: "failed sertraline and is now on mirtazapine".
fn is_between_failed(tokens: &[Token], at: usize, other: &Named) -> bool {
    at < other.span.first && tokens.get(at).is_some_and(|token| token.text == "and")
}
