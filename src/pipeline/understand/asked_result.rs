//! Results that nobody told: "does it push the INR up?" fears one, "are her kidneys ok?" asks for one, and neither is a result.

use super::layout::{Layout, Sentence};
use crate::language::lab::Measured;
use crate::run::ResultDirection;
use crate::text::Token;

/// Words with which a question begins that a "yes" or "no" answers, or that speak of what may come.
const ASKING: [&str; 26] = [
    "does", "do", "did", "will", "would", "could", "can", "might", "may", "should", "shall", "doesnt", "wont", "wouldnt", "couldnt",
    "cant", "if", "whether", "risk", "likely", "会", "能", "否", "怕", "担", "吗",
];
/// Words for what moves a value, before the value: a fear, not a result.
const MOVES: [&str; 34] = [
    "push", "put", "drive", "send", "bump", "shoot", "knock", "bring", "raise", "increase", "lower", "drop", "reduce", "tip", "throw",
    "affect", "pull", "jack", "spike", "elevate", "decrease", "boost", "pushing", "putting", "raising", "driving", "sending", "使", "让",
    "把", "致", "引", "导", "将",
];
/// Words with which one asks whether something is well.
const IS: [&str; 12] = ["is", "are", "was", "were", "will", "does", "do", "did", "arent", "isnt", "can", "could"];
/// What may stand between them and the test.
const WHOSE: [&str; 14] = ["my", "his", "her", "the", "their", "our", "your", "a", "this", "that", "all", "these", "those", "both"];
/// Chinese ends such a question.
const ENDS_CHINESE: [&str; 3] = ["吗", "嘛", "么"];

/// Whether a result is only feared or asked for.
pub(super) fn is_only_asked(tokens: &[Token], layout: &Layout, result: &Measured) -> bool {
    if !result.is_told() {
        return false;
    }
    let sentence = layout.sentence(result.span.first);
    match result.direction {
        ResultDirection::Normal | ResultDirection::Negative => asks_if_well(tokens, &sentence, result),
        _ => is_feared(tokens, &sentence, result),
    }
}

/// "Does it push the INR up?", "会不会让血钾升高": a question, then what moves a value, then the value.
fn is_feared(tokens: &[Token], sentence: &Sentence, result: &Measured) -> bool {
    let is_one_of = |words: &[&str], at: usize| tokens.get(at).is_some_and(|token| words.contains(&token.text.as_str()));
    let moved = (sentence.first..result.name.first).rev().find(|at| is_one_of(&MOVES, *at));
    let asks = |moved: usize| (sentence.first..moved).any(|at| is_one_of(&ASKING, at));
    // "You can't put weight on it, potassium high": another clause tells anew.
    let is_one_clause = |moved: usize| (moved + 1..=result.name.first).all(|at| tokens.get(at).is_some_and(|token| !token.after_break));
    moved.is_some_and(|moved| asks(moved) && is_one_clause(moved))
}

/// Whether a sentence asks what something does to a value: "does it raise the potassium?"
pub(super) fn asks_of_effect(tokens: &[Token], sentence: &Sentence) -> bool {
    let is_one_of = |words: &[&str], at: usize| tokens.get(at).is_some_and(|token| words.contains(&token.text.as_str()));
    let asks = (sentence.first..sentence.last).find(|at| is_one_of(&ASKING, *at));
    asks.is_some_and(|asks| (asks + 1..sentence.last).any(|at| is_one_of(&MOVES, at)))
}

/// "Are her kidneys ok?", "肾功能正常吗".
fn asks_if_well(tokens: &[Token], sentence: &Sentence, result: &Measured) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // What stands before its test is told: "is a normal ECG enough?".
    if result.span.first < result.name.first {
        return false;
    }
    if ENDS_CHINESE.contains(&word(result.span.last)) && tokens.get(result.span.last).is_some_and(|token| !token.after_break) {
        return true;
    }
    let is_between = |at: &usize| WHOSE.contains(&word(*at)) || word(*at).ends_with('s') && word(*at).len() > 3;
    let begin = result.name.first.saturating_sub(3).max(sentence.first);
    let leads = (begin..result.name.first).rev().find(|at| !is_between(at)).filter(|at| IS.contains(&word(*at)));
    let begins =
        |at: usize| at == sentence.first || tokens.get(at).is_some_and(|token| token.after_break) || matches!(word(at - 1), "so" | "and");
    // "Is a breathing test ok for me": the order of the words asks, too.
    let asks = |at: usize| sentence.asks || at == sentence.first && !matches!(word(at), "was" | "were" | "did");
    leads.is_some_and(|at| begins(at) && asks(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::lab::results;
    use crate::text::tokenise;

    fn told(text: &str) -> usize {
        let tokens = tokenise(text);
        let layout = Layout::of(text, &tokens);
        results(text, &tokens).iter().filter(|result| !is_only_asked(&tokens, &layout, result)).count()
    }

    #[test]
    fn what_is_feared_or_asked_for_is_no_result() {
        for text in [
            "Will clarithromycin push her INR up?",
            "Could it send his potassium high?",
            "I don't know whether it would raise sodium too high",
            "Are her kidneys ok?",
            "is my thyroid fine?",
            "is my thyroid ok",
            "会不会让血钾升高？",
            "他的肾功能正常吗",
        ] {
            assert_eq!(told(text), 0, "{text}");
        }
        for text in [
            "Her INR is up. Why?",
            "Why is my potassium high?",
            "Could high potassium do this?",
            "Is a normal ECG enough?",
            "Kidneys fine. Can I take ibuprofen?",
            "血钾升高，会不会有危险？",
            "Can I push fluids, sodium low?",
        ] {
            assert_eq!(told(text), 1, "{text}");
        }
    }
}
