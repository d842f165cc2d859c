//! Complaints that "do not" denies: "I do not get breathless on the stairs", "doesn't vomit". What does not stop, or is not so only at times, is there. The
//! words are in `assets/status.toml`.

use serde::Deserialize;

use super::hedges::is_not_really;
use super::layout::Layout;
use super::named::{Class, Named};
use super::scope::{Scopes, WORDS};
use crate::language::negation::{Denied, is_perfect_denial};
use crate::language::recognise::Span;
use crate::text::{Token, clause_around};

/// How many small words may stand between "do not" and the complaint.
const WITHIN: usize = 3;
/// What a body does, that who cannot do it has not.
const DONE: [&str; 8] = ["cough", "vomit", "cry", "sneeze", "belch", "burp", "laugh", "sweat"];

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeniedVerbs {
    between: Vec<String>,
    limits: Vec<String>,
    changes: Vec<String>,
}

/// Marks such findings as absent.
pub(super) fn mark_denied_verbs(scopes: &mut Scopes, (tokens, layout): (&[Token], &Layout), named: &[Named]) {
    for finding in named.iter().filter(|named| named.class == Class::Finding) {
        let span = finding.span;
        let verb = cue_before(tokens, span).filter(|cue| !is_limited(tokens, layout, *cue));
        let Some(cue) = verb.or_else(|| not_before(tokens, layout, span)).or_else(|| unable_before(tokens, span)) else { continue };
        // Who chokes and cannot cough any more has tried: it speaks for what is in the airway.
        let chokes = |token: &Token| token.text.starts_with("chok") || matches!(token.text.as_str(), "呛" | "噎" | "卡");
        if unable_before(tokens, span) == Some(cue) && tokens.iter().any(chokes) {
            continue;
        }
        // "Doesn't really cough".
        if (cue..span.first).any(|at| is_not_really(tokens, at)) {
            scopes.mark(span.first..span.last, |marks| marks.hardly = true);
            continue;
        }
        scopes.mark(span.first..span.last, |marks| marks.absent = true);
        scopes.denied.push(Denied { cue, first: span.first, last: span.last });
    }
    scopes.denied.sort_by_key(|denied| denied.cue);
}

/// Where "cannot" begins right before a complaint of one word that is what a body does: a child that "cannot cough" has no cough; 咳不出来, but not 痰咳不出来. "Cannot sleep"
/// is a name of its own.
fn unable_before(tokens: &[Token], span: Span) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let joined = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
    if word(span.first) == "咳" {
        let is_unable = (span.first + 1..=span.last).any(|at| (word(at), word(at + 1)) == ("不", "出") && (at..at + 2).all(joined));
        let clause = clause_around(tokens, span.first);
        return (is_unable && !clause.into_iter().any(|at| word(at) == "痰")).then_some(span.first);
    }
    let is_done = span.last == span.first + 1 && DONE.contains(&word(span.first)) && joined(span.first);
    // "I can't cough without bringing up blood": he does.
    let is_done_with = (span.last..clause_around(tokens, span.first).end).any(|at| matches!(word(at), "without" | "unless"));
    let before = span.first.checked_sub(1).filter(|_| is_done && !is_done_with)?;
    let two = before.checked_sub(1).filter(|_| joined(before));
    match word(before) {
        "cannot" | "cant" | "couldnt" => Some(before),
        "not" => two.filter(|at| matches!(word(*at), "can" | "could")),
        "to" => two.filter(|at| word(*at) == "unable"),
        _ => None,
    }
}

/// Where "do not" begins that stands before a finding.
fn cue_before(tokens: &[Token], span: Span) -> Option<usize> {
    let joined = |at: usize| tokens.get(at).is_some_and(|token| !token.after_break);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut at = span.first;
    for _ in 0..=WITHIN {
        if !joined(at) {
            return None;
        }
        at = at.checked_sub(1)?;
        match word(at) {
            "dont" | "doesnt" => return Some(at),
            "not" => return at.checked_sub(1).filter(|before| joined(at) && matches!(word(*before), "do" | "does")),
            small if WORDS.denied_verbs.between.iter().any(|between| between == small) => {}
            _ => return None,
        }
    }
    None
}

/// Where a "not" stands right before a finding of several words ("not short of breath"), or "nothing" before any ("nothing swollen", "nothing red or
/// swollen").
fn not_before(tokens: &[Token], layout: &Layout, span: Span) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let cue = span.first.checked_sub(1).filter(|_| tokens.get(span.first).is_some_and(|token| !token.after_break))?;
    let of_pair = cue.checked_sub(2).filter(|_| word(cue) == "or");
    if let Some(nothing) = [Some(cue), of_pair].into_iter().flatten().find(|at| word(*at) == "nothing") {
        return Some(nothing);
    }
    let denies = matches!(word(cue), "not" | "isnt" | "arent" | "aint");
    let sentence = layout.sentence(cue);
    let is_open = (sentence.first..cue).any(|at| matches!(word(at), "why" | "if" | "whether" | "can" | "could" | "or"))
        || (cue..sentence.last).any(|at| matches!(word(at), "unless" | "until" | "except" | "only"));
    (denies && !is_open && span.last > span.first + 1).then_some(cue)
}

/// Whether the complaint is there at other times, or it is asked why it is not.
fn is_limited(tokens: &[Token], layout: &Layout, cue: usize) -> bool {
    let sentence = layout.sentence(cue);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let is_asked = (sentence.first..cue).any(|at| matches!(word(at), "why" | "if" | "whether" | "what"));
    is_asked || (cue..sentence.last).any(|at| WORDS.denied_verbs.limits.iter().any(|limit| limit == word(at)))
}

/// Whether "do not" stands within words that are found apart ("when I laugh my knees do not go weak"), or "has not": "the mole hasn't grown".
pub(super) fn has_denial_within(tokens: &[Token], span: Span) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    (span.first + 1..span.last).any(|at| {
        matches!(word(at), "dont" | "doesnt")
            || (word(at) == "not" && matches!(word(at - 1), "do" | "does"))
            || (is_perfect_denial(word(at)) && denies_rest(tokens, (at + 1, span.last)))
    })
}

/// Whether the words from one to another tell, in the same clause, of a change that has not happened. What "but" says behind them may be there: "the mole
/// hasn't grown but bleeds".
fn denies_rest(tokens: &[Token], (first, last): (usize, usize)) -> bool {
    let goes_on = |token: &Token| token.after_break || matches!(token.text.as_str(), "and" | "since" | "so" | "because");
    let contrasts = |token: &Token| matches!(token.text.as_str(), "but" | "though" | "although" | "however" | "except" | "yet");
    let changes = |token: &Token| WORDS.denied_verbs.changes.contains(&token.text);
    let is_taken_back = tokens.get(first..).is_some_and(|rest| rest.iter().any(contrasts));
    !is_taken_back && tokens.get(first..last).is_some_and(|rest| rest.iter().any(changes) && !rest.iter().any(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn who_cannot_cough_without_blood_coughs() {
        let is_unable = |text: &str| {
            let tokens = tokenise(text);
            let at = tokens.iter().position(|token| token.text == "cough").expect("is there");
            unable_before(&tokens, Span { first: at, last: at + 1 }).is_some()
        };
        assert!(is_unable("He cannot cough") && is_unable("MND, unable to cough, without pain"));
        assert!(!is_unable("I can't cough without bringing up blood"));
    }

    #[test]
    fn what_has_not_happened_is_denied_and_what_has_not_stopped_is_not() {
        let denies = |text: &str| {
            let tokens = tokenise(text);
            has_denial_within(&tokens, Span { first: 0, last: tokens.len() })
        };
        for text in ["mole hasn't grown", "moles haven't changed shape", "lump had not, hasn't bled", "knees do not go weak"] {
            assert!(denies(text), "{text}");
        }
        for text in [
            "mole hasn't grown but bleeds",
            "leg hasn't stopped swelling",
            "rash hasn't gone",
            "ankle hasn't been right, swollen",
            "mole has grown",
            "baby hasn't fed",
        ] {
            assert!(!denies(text), "{text}");
        }
    }
}
