//! Signs: what a question tells or asks for in one of many wordings, of which no single word is telling. They say whether
//! somebody plans to harm himself though he does not say so, and whether something illegal or deceitful is asked for.
//!
//! The words are in `assets/gates.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::gate::{Phrases, is_without};
use crate::text::Token;

/// Within how many words of each other the parts of a sign stand.
const PARTS_WITHIN: usize = 6;
/// Within how many words something tells that a sign means something else.
const MEANT_WITHIN: usize = 5;
/// How many signs, or signs and asides, tell of a plan; and how many asides alone.
const TELLING: usize = 2;
const TELLING_ASIDES: usize = 3;

/// How much a sign says by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Weight {
    /// It counts only beside others: "everything is ready".
    Aside,
    /// One more tells of a plan: farewell letters.
    Sign,
    /// It is enough.
    #[default]
    Strong,
}

/// One thing that a question may tell.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sign {
    name: String,
    #[serde(default)]
    weight: Weight,
    /// One of these tells it …
    #[serde(default)]
    says: Phrases,
    /// … or one of each of these, in this order, near each other.
    #[serde(default)]
    parts: Vec<Phrases>,
    /// One of each of these must stand anywhere.
    #[serde(default)]
    with: Vec<Phrases>,
    /// Near it, these say that something else is meant.
    #[serde(default)]
    unless: Phrases,
    /// Anywhere, these say that something else is meant.
    #[serde(default)]
    never: Phrases,
    /// Around it, these say that it is not so.
    #[serde(default)]
    denied: Phrases,
}

impl Sign {
    fn is_told(&self, tokens: &[Token]) -> bool {
        self.told_at(tokens).is_some()
    }

    /// Where it is told: first token, and one past the last.
    fn told_at(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        let in_parts = (0..tokens.len()).filter_map(|first| Some((first, self.parts_end(tokens, first)?)));
        let mut told = self.says.all(tokens).chain(in_parts);
        let is_meant = |(first, last): (usize, usize)| {
            let is_other = self.unless.all(tokens).any(|said| said.0 < last + MEANT_WITHIN && first < said.1 + MEANT_WITHIN);
            let is_denied = self.denied.all(tokens).any(|said| said.0 < last && first < said.1);
            // What is enough by itself is denied only in words that leave no doubt; 不想拖累 denies no burden.
            let can_be_denied = self.weight != Weight::Strong && !tokens.get(first).is_some_and(|token| token.cjk);
            !(is_other || is_denied || can_be_denied && is_without(tokens, first))
        };
        told.find(|said| is_meant(*said)).filter(|_| self.with.iter().all(|words| words.any(tokens)) && !self.never.any(tokens))
    }

    /// One past the last word of its parts, of which the first begins at a token.
    fn parts_end(&self, tokens: &[Token], first: usize) -> Option<usize> {
        let (head, rest) = self.parts.split_first()?;
        let head = head.at(tokens, first)?;
        rest.iter().try_fold(head, |last, part| (last..last + PARTS_WITHIN).find_map(|at| part.at(tokens, at)))
    }
}

/// Whether one of these signs is told: that something illegal or deceitful is asked for, that the program is given orders.
pub(super) fn is_any_told(signs: &[Sign], tokens: &[Token]) -> bool {
    signs.iter().any(|sign| sign.is_told(tokens))
}

/// What tells of planned self-harm.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SelfHarm {
    /// Who asks about such signs in general tells of nobody.
    general: Phrases,
    sign: Vec<Sign>,
}

impl SelfHarm {
    /// Where the first of its signs is told, if they tell of a plan: first token, and one past the last.
    pub(super) fn told_at(&self, tokens: &[Token]) -> Option<(usize, usize)> {
        if !self.is_told(tokens) {
            return None;
        }
        // Of equals the first: `max_by_key` keeps the last.
        let told = self.sign.iter().rev().filter_map(|sign| Some((sign.weight, sign.told_at(tokens)?)));
        told.max_by_key(|(weight, _)| *weight).map(|(_, said)| said)
    }

    /// Whether somebody speaks of killing himself or of another who may: one strong sign, or several together.
    pub(super) fn is_told(&self, tokens: &[Token]) -> bool {
        let mut told: BTreeMap<&str, Weight> = BTreeMap::new();
        for sign in self.sign.iter().filter(|sign| sign.is_told(tokens)) {
            let weight = told.entry(&sign.name).or_insert(sign.weight);
            *weight = sign.weight.max(*weight);
        }
        let count = |weight| told.values().filter(|known| **known == weight).count();
        let signs = count(Weight::Sign);
        let is_planned = signs > 0 && told.len() >= TELLING || told.len() >= TELLING_ASIDES;
        count(Weight::Strong) > 0 || is_planned && !self.general.any(tokens)
    }
}

#[cfg(test)]
#[path = "signs_tests.rs"]
mod tests;
