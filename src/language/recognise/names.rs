//! Names that a text says in lay words, or in another order.

use super::super::lay;
use super::super::reordered_names::ReorderedNames;
use super::{NameMention, REORDERED, Reading, Span};
use crate::graph::{EntityId, EvolvingNames};
use crate::text::Token;

impl Reading<'_> {
    /// Findings of the graph, and events, that lay words stand for; not within a longer name ("painful bladder syndrome"), and
    /// never other conditions: "I feel anxious" does not state an anxiety disorder.
    pub(crate) fn lay_names(&mut self, index: EvolvingNames<'_>, is_finding: impl Fn(EntityId) -> bool) -> Vec<NameMention> {
        // Among them the denied ones: they are findings that are absent.
        let mut phrases = lay::reworded(self.text, &self.tokens, |_| false);
        if phrases.is_empty() {
            return Vec::new();
        }
        let hits = (0..self.tokens.len()).filter_map(|first| index.longest_at(&self.tokens, first));
        let long_names: Vec<Span> =
            hits.filter(|hit| hit.last > hit.first + 1).map(|hit| Span { first: hit.first, last: hit.last }).collect();
        // 左手没劲 says more than 没劲.
        let is_of_longer = |token: usize, phrase: Span| {
            let says_less = |name: &Span| {
                let is_within =
                    phrase.first <= name.first && name.last <= phrase.last && name.last - name.first < phrase.last - phrase.first;
                is_within && self.tokens.get(token).is_some_and(|token| token.cjk)
            };
            long_names.iter().any(|name| (name.first..name.last).contains(&token) && !says_less(name))
        };
        // Longer phrases first: they say more.
        phrases.sort_by_key(|phrase| (phrase.is_further, std::cmp::Reverse(phrase.parts.len()), phrase.span.first));
        let mut mentions: Vec<NameMention> = Vec::new();
        let (mut taken, mut covered) = (vec![false; self.tokens.len()], vec![false; self.tokens.len()]);
        for phrase in phrases {
            // Several complaints may share one part of the body.
            let is_known = |token: &usize| is_of_longer(*token, phrase.span) || self.covered[*token];
            let is_taken = match phrase.is_further {
                true => phrase.parts.iter().all(|token| is_known(token) || taken[*token]),
                false => phrase.parts.iter().any(is_known) || phrase.complaint().is_none_or(|token| taken[token]),
            };
            if is_taken || self.is_asked(&phrase) {
                continue;
            }
            let named = index.lookup(&phrase.text).into_iter().filter(|(entity, _)| is_finding(*entity));
            let entities: Vec<(EntityId, bool)> = named.map(|(entity, _)| (entity, false)).collect();
            if !entities.is_empty() {
                phrase.parts.iter().for_each(|token| taken[*token] = true);
                // What else the words of a further wording are like is read all the same.
                phrase.parts.iter().filter(|_| !phrase.is_further).for_each(|token| covered[*token] = true);
                mentions.push(NameMention { span: phrase.span, entities, recogniser: "lay words" });
            }
        }
        for (token, covered) in covered.into_iter().enumerate() {
            self.covered[token] |= covered;
        }
        mentions
    }

    /// Names whose words stand in another order or apart ([`super::reordered_names`]). One takes the place of the names that it says more than
    /// (`known`), and shares words with others only if it has one of its own. `is_closed`: tokens of something that is no name.
    pub(crate) fn reordered_names(
        &mut self,
        index: &ReorderedNames,
        known: &mut Vec<NameMention>,
        is_closed: impl Fn(usize) -> bool,
        is_fixed: impl Fn(&NameMention) -> bool,
    ) {
        let mut own = vec![true; self.tokens.len()];
        known.iter().flat_map(|name| name.span.first..name.span.last).for_each(|token| own[token] = false);
        let fixed: Vec<Span> = known.iter().filter(|name| is_fixed(name)).map(|name| name.span).collect();
        let is_closed = |token: usize| is_closed(token) || fixed.iter().any(|span| (span.first..span.last).contains(&token));
        let mut kept: Vec<NameMention> = Vec::new();
        for said in index.found(&self.tokens, is_closed) {
            let (Some(first), Some(last)) = (said.parts.first().copied(), said.parts.last().copied()) else { continue };
            let says_whole = |span: &Span| (span.first..span.last).all(|token| said.parts.contains(&token) || self.is_idle(token));
            let replaces: Vec<Span> = known.iter().map(|name| name.span).filter(says_whole).collect();
            let says_more = replaces.iter().all(|span| said.parts.len() > span.last - span.first);
            let has_own = said.parts.iter().any(|token| own[*token]);
            // "Spinal percussion tenderness" is no percussion tenderness of the abdomen.
            let is_within = |other: &NameMention| {
                let (from, to) = (other.span.first, other.span.last);
                let joins = |token: &Token| token.after_break || matches!(token.text.as_str(), "and" | "or");
                from <= first && last < to && !self.tokens[from + 1..to].iter().any(joins)
            };
            if !has_own || !says_more || kept.iter().any(is_within) {
                continue;
            }
            let joined = |from: usize, to: usize| {
                let joins = |token: &Token| token.after_break || matches!(token.text.as_str(), "and" | "or");
                self.tokens.get(from + 1..to).is_some_and(|between| between.iter().any(joins))
            };
            kept.retain(|other| !(first < other.span.first && other.span.last == last + 1 && !joined(first, last + 1)));
            said.parts.iter().for_each(|token| (own[*token], self.covered[*token]) = (false, true));
            known.retain(|name| !replaces.contains(&name.span));
            let entities = said.entities.into_iter().map(|entity| (entity, false)).collect();
            let span = Span { first, last: last + 1 };
            kept.push(NameMention { span, entities, recogniser: REORDERED });
        }
        known.extend(kept);
    }
}
