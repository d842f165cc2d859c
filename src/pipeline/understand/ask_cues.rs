//! Words around what is asked: that stand for drugs, that forbid, that begin a treatment.

use crate::text::Token;

/// Words behind a question for safety that may stand for a drug or take one: "should I stop it", "is it ok to keep taking them".
pub(super) const STANDS_FOR_DRUGS: [&str; 53] = [
    "it",
    "them",
    "this",
    "that",
    "these",
    "those",
    "both",
    "all",
    "either",
    "any",
    "one",
    "two",
    "the",
    "my",
    "his",
    "her",
    "our",
    "their",
    "a",
    "an",
    "to",
    "taking",
    "take",
    "using",
    "use",
    "having",
    "have",
    "giving",
    "give",
    "or",
    "and",
    "with",
    "without",
    "in",
    "for",
    "if",
    "when",
    "while",
    "now",
    "today",
    "tonight",
    "together",
    "completely",
    "abruptly",
    "suddenly",
    "drug",
    "drugs",
    "medicine",
    "medication",
    "tablet",
    "tablets",
    "pill",
    "treatment",
];

/// Words between what is asked for and where it is said that it must not be done: "which drugs (should) I avoid".
const FORBIDS: [&str; 28] = [
    "should",
    "shouldnt",
    "must",
    "mustnt",
    "do",
    "does",
    "are",
    "is",
    "can",
    "cant",
    "could",
    "have",
    "has",
    "need",
    "needs",
    "to",
    "be",
    "i",
    "we",
    "she",
    "he",
    "they",
    "you",
    "that",
    "which",
    "drugs",
    "medicines",
    "tablets",
];
/// The most of them.
const BETWEEN: usize = 4;
/// Words before a drug that is to be begun …
const BEGINS: [&str; 12] = [
    "starting",
    "start",
    "commencing",
    "commence",
    "initiating",
    "initiate",
    "initiation",
    "beginning",
    "begin",
    "before",
    "prior",
    "baseline",
];
/// … and how far before.
const WITHIN: usize = 3;

/// Whether only what forbids stands between tokens `from` and `to`.
pub(super) fn is_only_forbidden(tokens: &[Token], from: usize, to: usize) -> bool {
    let forbids = |token: &Token| FORBIDS.contains(&token.text.as_str());
    to >= from && to - from <= BETWEEN && tokens.get(from..to).is_some_and(|between| between.iter().all(forbids))
}

/// Whether the drug at token `drug` of the sentence that begins at `first` is to be begun.
pub(super) fn begins_before(tokens: &[Token], first: usize, drug: usize) -> bool {
    let before = tokens.get(drug.saturating_sub(WITHIN).max(first)..drug);
    before.is_some_and(|before| before.iter().any(|token| BEGINS.contains(&token.text.as_str())))
}

/// Whether the drug that ends before this place is being started, by the words right behind it: "methotrexate - new start".
pub(super) fn begins_behind(tokens: &[Token], behind: usize, last: usize) -> bool {
    const BEGUN: [&str; 6] = ["start", "starting", "commencing", "initiation", "starter", "started"];
    let near = tokens.get(behind..(behind + WITHIN).min(last));
    near.is_some_and(|near| near.iter().any(|token| BEGUN.contains(&token.text.as_str())))
}

/// Words before "dose" that say how much is taken.
const DEGREES: [&str; 11] = ["low", "high", "medium", "moderate", "standard", "full", "small", "stable", "低", "高", "小"];

/// Whether a word for a dose says how much is taken: "low-dose ICS", 低剂量激素. "What is a high dose?" asks.
pub(super) fn is_told_dose(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let before = at.checked_sub(1).map_or("", word);
    let is_of_drug = tokens.get(at + 1).is_some_and(|next| !next.after_break);
    let is_alone = tokens.get(at).is_some_and(|token| matches!(token.text.as_str(), "dose" | "剂"));
    is_alone && DEGREES.contains(&before) && (is_of_drug || tokens.get(at).is_some_and(|token| token.cjk))
}

/// Words right behind a test that tell what came of it.
const TELLS: [&str; 13] =
    ["says", "said", "shows", "show", "showed", "showing", "shown", "came", "comes", "back", "revealed", "reveals", "reads"];

/// Whether the words right behind a test tell its result, so that it asks for none: "my blood test says eGFR 58".
pub(super) fn is_told_result(tokens: &[Token], behind: usize) -> bool {
    tokens.get(behind).is_some_and(|token| !token.after_break && TELLS.contains(&token.text.as_str()))
}

/// Kinds of drugs whose name alone asks whether any are given.
const KINDS: [&str; 12] = [
    "painkiller",
    "painkillers",
    "analgesia",
    "analgesics",
    "analgesic",
    "antibiotic",
    "antibiotics",
    "abx",
    "antivirals",
    "steroids",
    "止痛药",
    "抗生素",
];

/// Whether a sentence is nothing but the name of such a kind: "Painkillers?", "And antibiotics?".
pub(super) fn names_kind(tokens: &[Token], first: usize, last: usize) -> bool {
    let words: Vec<&str> = tokens.get(first..last).unwrap_or_default().iter().map(|token| token.text.as_str()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !matches!(*word, "and" | "any" | "or" | "also" | "要" | "用")).collect();
    let whole = words.concat();
    !words.is_empty() && KINDS.contains(&whole.as_str())
}

/// Whether a sentence asks after going where help is: 要不要去医院, "do I need A&E?"
pub(super) fn names_help(tokens: &[Token], first: usize, last: usize) -> bool {
    let word = |at: usize| tokens.get(at).filter(|_| at < last).map_or("", |token| token.text.as_str());
    (first..last).any(|at| match (word(at), word(at + 1)) {
        ("医", "院") | ("急", "诊") | ("就", "医" | "诊") | ("看", "医") => true,
        ("a", "e") | ("emergency", "room" | "department") | ("walk", "in") => true,
        ("doctor" | "gp", _) => {
            (at.saturating_sub(3).max(first)..at).any(|at| matches!(word(at), "see" | "to" | "call" | "ring" | "need" | "visit"))
        }
        (one, _) => matches!(one, "hospital" | "casualty" | "999" | "111" | "ambulance"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenise;

    #[test]
    fn what_must_not_be_done_is_said_right_behind_it() {
        let tokens = tokenise("which painkillers should be avoided");
        assert!(is_only_forbidden(&tokens, 2, 4));
        let tokens = tokenise("which antibiotic works and what to avoid");
        assert!(!is_only_forbidden(&tokens, 2, 6));
    }

    #[test]
    fn a_result_that_is_told_asks_for_no_test() {
        let behind_test = |text: &str| is_told_result(&tokenise(text), 3);
        assert!(behind_test("my blood test says egfr 58") && behind_test("his last scan showed a cyst"));
        assert!(!behind_test("what blood test should I do") && !behind_test("his blood test. says he is fine"));
    }

    #[test]
    fn a_drug_is_begun_where_a_word_for_it_stands_before() {
        let tokens = tokenise("which bloods before starting azathioprine");
        assert!(begins_before(&tokens, 0, 4));
        assert!(!begins_before(&tokenise("takes azathioprine"), 0, 1));
        assert!(begins_behind(&tokenise("azathioprine - new start for colitis"), 1, 6));
        assert!(!begins_behind(&tokenise("azathioprine and a cough"), 1, 4));
    }
}
