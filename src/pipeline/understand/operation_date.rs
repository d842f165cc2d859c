//! Whether a question gives an operation a date ahead, or says that it cannot wait: what is told of a planned operation, such as days without a blood
//! thinner, is wrong of one that is done today.
//!
//! The words are in `assets/operation-date.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::word_list::WordList;
use crate::text::{Token, clause_around, word};

/// When an operation is done, by the words of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    /// It has a date, or a place on a list.
    Ahead,
    /// Nothing is said.
    Unsaid,
    /// It is done today, or because of something that cannot wait.
    AtOnce,
}

/// The most words between "in" and a span of time: "in about a couple of weeks".
const NEAR: usize = 5;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    at_once: WordList,
    at_once_zh: WordList,
    same_day: WordList,
    same_day_zh: WordList,
    ahead: WordList,
    ahead_zh: WordList,
    operation: WordList,
    days: WordList,
    spans: WordList,
    numbers: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/operation-date.toml")).unwrap_or_default());

/// When the operation of a question is done. `names_one`: whether a word stands for the name of an operation.
pub(crate) fn timing(question: &str, tokens: &[Token], names_one: impl Fn(usize) -> bool) -> Timing {
    let word = |at: usize| word(tokens, at);
    let is_denied = |at: usize| at.checked_sub(1).is_some_and(|before| matches!(word(before), "not" | "non"));
    let is_at_once = |at: usize| WORDS.at_once.has(word(at)) && !is_denied(at);
    if (0..tokens.len()).any(is_at_once) || WORDS.at_once_zh.is_in(question) {
        return Timing::AtOnce;
    }
    let is_of_operation = |at: usize| clause_around(tokens, at).any(|at| names_one(at) || WORDS.operation.has(word(at)));
    // "Hernia repair, booked for March": the clause that follows may tell of it, if it begins with its date.
    let follows = |at: usize| {
        let first = clause_around(tokens, at).start;
        first == at && first.checked_sub(1).is_some_and(is_of_operation)
    };
    let is_ahead = |at: usize| says_ahead(&word, at) && !is_denied(at) && (is_of_operation(at) || follows(at));
    let is_same_day = |at: usize| {
        let says = WORDS.same_day.has(word(at)) || word(at) == "this" && matches!(word(at + 1), "morning" | "afternoon" | "evening");
        says && is_of_operation(at)
    };
    let is_ahead_in_chinese = || WORDS.ahead_zh.is_in(question) || is_counted_in_chinese(question);
    if (0..tokens.len()).any(is_same_day) {
        return Timing::AtOnce;
    }
    if (0..tokens.len()).any(is_ahead) || is_ahead_in_chinese() {
        return Timing::Ahead;
    }
    if WORDS.same_day_zh.is_in(question) { Timing::AtOnce } else { Timing::Unsaid }
}

/// Whether words say that something has a date ahead: "elective", "next week", "in three weeks", "on Monday", "waiting list".
fn says_ahead<'a>(word: &impl Fn(usize) -> &'a str, at: usize) -> bool {
    let is_number = |at: usize| WORDS.numbers.has(word(at)) || word(at).parse::<u16>().is_ok();
    match word(at) {
        "next" => WORDS.spans.has(word(at + 1)) || WORDS.days.has(word(at + 1)) || word(at + 1) == "year",
        "on" => WORDS.days.has(word(at + 1)),
        "waiting" => word(at + 1) == "list",
        "in" => {
            let span = (at + 1..=at + NEAR).find(|place| WORDS.spans.has(word(*place)));
            let fills = |at: usize| is_number(at) || matches!(word(at), "about" | "around" | "roughly" | "of" | "to" | "or");
            span.is_some_and(|span| span > at + 1 && (at + 1..span).all(fills))
        }
        one => WORDS.ahead.has(one),
    }
}

/// Whether a Chinese text counts the time to an operation: 3周后手术, 两天后要做; not 3天后腹痛.
fn is_counted_in_chinese(question: &str) -> bool {
    let is_operation = |rest: &str| rest.starts_with(['要', '拟', '有']) || ["手术", "做", "行"].iter().any(|word| rest.starts_with(word));
    ["天后", "周后", "月后", "星期后"].iter().any(|span| question.split(span).skip(1).any(is_operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Words>(include_str!("../../../assets/operation-date.toml")).expect("valid");
    }

    fn timing_of(question: &str) -> Timing {
        timing(question, &tokenise(question), |_| false)
    }

    #[test]
    fn what_cannot_wait_has_no_date() {
        for question in [
            "on apixaban, perforated bowel, before surgery?",
            "Warfarin, emergency surgery tonight",
            "急诊手术前华法林怎么办",
            "Spinal surgery this afternoon, can't feel my bottom, on rivaroxaban",
            "Operation today: the lump is hard and red, on warfarin",
            "emergency operation in two days, on warfarin",
            "今天要做手术，吃华法林",
        ] {
            assert_eq!(timing_of(question), Timing::AtOnce, "{question}");
        }
    }

    #[test]
    fn a_date_or_a_list_is_ahead() {
        for question in [
            "warfarin before surgery next week",
            "Elective surgery, on apixaban",
            "My operation is in about three weeks, I take apixaban",
            "I saw the surgeon today, my operation is booked for March",
            "On the waiting list for an operation, takes warfarin",
            "择期手术前华法林怎么办",
            "两周后手术，华法林要停吗",
        ] {
            assert_eq!(timing_of(question), Timing::Ahead, "{question}");
        }
    }

    #[test]
    fn other_words_of_time_say_nothing_of_an_operation() {
        for question in [
            "on apixaban, non-urgent operation",
            "surgery: the lump has got bigger in three days, on warfarin",
            "How many days before surgery is warfarin stopped?",
            "3天后腹痛，手术前华法林怎么办",
            "I saw my doctor today, do I stop warfarin?",
        ] {
            assert_eq!(timing_of(question), Timing::Unsaid, "{question}");
        }
    }
}
