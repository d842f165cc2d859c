//! A relative's treatment or pregnancy where the asker asks for himself: "my husband has chemo tomorrow, is it safe to kiss him?", "my wife's pregnant, can
//! I have the MMR?", 我老公正在化疗，我能抱他吗. Who asks what the other may be given asks for the other.
//!
//! The words are in `assets/treated-beside.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use super::scope::Scopes;
use super::whose::person_at;
use crate::language::word_list::WordList;
use crate::text::{Token, clause_around, word};

/// How many words may stand between somebody and his state, and behind "safe" what is asked.
const WITHIN: usize = 6;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    states: WordList,
    states_zh: WordList,
    near: WordList,
    near_zh: WordList,
    cleaning: WordList,
    cleaned: WordList,
    jabs: WordList,
    ill: WordList,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| toml::from_str(include_str!("../../../assets/treated-beside.toml")).unwrap_or_default());

impl Scopes {
    /// Marks a relative's treatment or pregnancy where the asker asks for himself.
    pub(super) fn find_treated_beside(&mut self, tokens: &[Token]) {
        for at in 0..tokens.len() {
            let pair = || [word(tokens, at), word(tokens, at + 1)].concat();
            let is_chinese = tokens.get(at).is_some_and(|token| token.cjk);
            let is_state = if is_chinese { WORDS.states_zh.has(&pair()) } else { WORDS.states.has(word(tokens, at)) };
            if !is_state {
                continue;
            }
            let clause = clause_around(tokens, at);
            let from = clause.start.max(at.saturating_sub(WITHIN));
            let person = (from..at).find(|person| is_person(tokens, *person));
            let Some(person) = person.filter(|person| !(*person + 1..at).any(|between| is_self(tokens, between))) else { continue };
            let is_ill = tokens.iter().any(|token| WORDS.ill.has(&token.text));
            if !is_ill && (at + 1..tokens.len()).any(|ask| asks_for_self(tokens, ask)) {
                self.mark(person..at + if is_chinese { 2 } else { 1 }, |marks| marks.family = true);
            }
        }
    }
}

/// Whether somebody of the asker's is named at a token: "my husband", "our daughter", 我老公.
fn is_person(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    person_at(tokens, at).is_some() && (tokens.get(at).is_some_and(|token| token.cjk) || matches!(before, "my" | "our"))
}

fn is_self(tokens: &[Token], at: usize) -> bool {
    matches!(word(tokens, at), "i" | "im" | "ive" | "me")
}

/// Whether somebody asks at a token what he himself may do beside another: "can I have the jab", "is it safe to kiss him", 我能抱他吗.
fn asks_for_self(tokens: &[Token], at: usize) -> bool {
    let next = |steps: usize| word(tokens, at + steps);
    match word(tokens, at) {
        "can" | "could" | "should" | "may" | "must" | "do" | "will" if matches!(next(1), "i" | "we") => {
            let says = |words: &WordList| (3..3 + WITHIN).any(|steps| words.has(next(steps)));
            let is_for_other = matches!(next(3), "him" | "her" | "them" | "his" | "their" | "it");
            WORDS.near.has(next(2))
                || WORDS.cleaning.has(next(2)) && says(&WORDS.cleaned)
                || matches!(next(2), "have" | "get") && !is_for_other && says(&WORDS.jabs)
        }
        "safe" | "ok" | "okay" | "alright" => (1..WITHIN).any(|steps| next(steps) == "to" && WORDS.near.has(next(steps + 1))),
        "我" => {
            let may = (1..4).find(|steps| matches!(next(*steps), "能" | "要" | "会" | "可"));
            let doing = |steps: usize| {
                let two = [next(steps), next(steps + 1)].concat();
                WORDS.near_zh.has(next(steps)) || WORDS.near_zh.has(&two)
            };
            may.is_some_and(|may| (may + 1..may + 4).any(doing))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::is_of_another;
    use super::*;

    #[test]
    fn the_list_is_valid() {
        toml::from_str::<Words>(include_str!("../../../assets/treated-beside.toml")).expect("valid");
    }

    #[test]
    fn what_is_done_to_another_is_not_the_askers_where_he_asks_for_himself() {
        for (text, word) in [
            ("my husband is having chemo, can I clean up his sick?", "chemo"),
            ("My husband has chemo tomorrow, is it safe to kiss him?", "chemo"),
            ("my wife's pregnant, can I have the MMR?", "pregnant"),
            ("我老公正在化疗，我能抱他吗", "化"),
        ] {
            assert!(is_of_another(text, word), "{text}");
        }
        for (text, word) in [
            ("My husband is having chemo, what can I give him for the sickness?", "chemo"),
            ("my wife is pregnant, can she have the MMR?", "pregnant"),
            ("my wife is pregnant, can I give her ibuprofen?", "pregnant"),
            ("my sister had a baby and I am pregnant, can I have the flu jab?", "pregnant"),
            ("I am having chemo, can I kiss my husband?", "chemo"),
            ("我老公正在化疗，发烧怎么办", "化"),
            ("My husband is having chemo and has a fever, should I be worried? Can I kiss him?", "chemo"),
            ("my wife is pregnant and bleeding, can I have some advice?", "pregnant"),
        ] {
            assert!(!is_of_another(text, word), "{text}");
        }
    }
}
