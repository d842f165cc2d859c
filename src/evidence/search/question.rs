//! Reads a question for a search: its words with weights, the collection's entities that it names (also by synonyms of the graph, in lay words, or
//! misspelt), and what it asks for.

use std::collections::BTreeMap;

use super::weights::Weights;
use crate::evidence::collection::Collection;
use crate::evidence::label::AskedLabels;
use crate::evidence::terms::{stem, term, terms};
use crate::graph::{EntityId, Graph};
use crate::language::common_words::{is_common, only_common};
use crate::language::lay;
use crate::text::{Token, tokenise};

/// The most tokens of a question that are read.
const MOST_TOKENS: usize = 1000;
/// What an entity counts for that the question names in lay words.
const LAY: f32 = 0.5;
/// What a corrected word counts for.
const CORRECTED: f32 = 0.8;
/// The shortest word that is corrected, in letters, and the shortest of which two letters may be wrong.
const CORRECTABLE: usize = 5;
const TWO_WRONG: usize = 8;
/// The shortest part of a word that is written as two, in letters.
const PART: usize = 3;
/// The most names of an entity whose words are searched.
const MOST_SYNONYMS: usize = 8;
/// The fewest search terms (EbmKG, appendix A.2: at least five).
const SEARCH_TERMS: usize = 5;

/// A question as a search reads it.
#[derive(Debug, Clone, Default)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) asked: AskedLabels,
    /// Terms with weights.
    pub(super) words: BTreeMap<String, f32>,
    /// The collection's entities that it names, with weights from 0 to 1, the surest first.
    pub(super) entities: Vec<(u32, f32)>,
    /// Search terms that name no entity: words, the rarest first.
    pub(super) search_terms: Vec<String>,
}

impl Question {
    pub(super) fn read(collection: &Collection, graph: &Graph, text: &str, weights: &Weights, rarity: impl Fn(usize) -> f32) -> Self {
        let mut tokens = tokenise(text);
        tokens.truncate(MOST_TOKENS);
        let asked = AskedLabels::of(&tokens);
        let mut words: BTreeMap<String, f32> = BTreeMap::new();
        let add = |words: &mut BTreeMap<String, f32>, term: String, weight: f32| {
            let known = words.entry(term).or_default();
            *known = known.max(weight);
        };
        for at in 0..tokens.len() {
            let Some(token) = tokens.get(at).cloned() else { break };
            let Some(found) = term(&token) else { continue };
            let weight = if asked.is_cue(at) { weights.cue } else { 1.0 };
            if !collection.postings(&found).is_empty() {
                add(&mut words, found, weight);
            } else if let Some((near, word)) = corrected(collection, &token) {
                add(&mut words, near, weight * CORRECTED);
                if let Some(token) = tokens.get_mut(at) {
                    token.text = word;
                }
            }
        }
        for word in joined(collection, &tokens) {
            add(&mut words, word, 1.0);
        }
        let mut entities: BTreeMap<u32, f32> = BTreeMap::new();
        let mut synonyms: Vec<EntityId> = Vec::new();
        let mut covered = vec![false; tokens.len()];
        let mut first = 0;
        while first < tokens.len() {
            let own = collection.longest_name(&tokens, first);
            let of_graph =
                graph.names().longest_at(&tokens, first).filter(|hit| tokens.get(first..hit.last).is_some_and(|w| !only_common(w)));
            let last = own.as_ref().map_or(0, |(last, _)| *last).max(of_graph.as_ref().map_or(0, |hit| hit.last));
            if last == 0 {
                first += 1;
                continue;
            }
            if let Some((_, named)) = own.filter(|(own_last, _)| *own_last == last) {
                entities.extend(named.into_iter().map(|entity| (entity, 1.0)));
            }
            if let Some(hit) = of_graph.filter(|hit| hit.last == last) {
                let exact = hit.entities.first().is_some_and(|(_, exact)| *exact);
                synonyms.extend(hit.entities.iter().filter(|(_, own)| *own == exact).map(|(entity, _)| *entity).take(2));
            }
            covered.iter_mut().take(last).skip(first).for_each(|covered| *covered = true);
            first = last;
        }
        for entity in &synonyms {
            for name in names_of(graph, *entity) {
                entities.extend(by_name(collection, name).map(|entity| (entity, 1.0)));
            }
        }
        for phrase in lay::reworded(text, &tokens, |_| false) {
            let named: Vec<EntityId> = graph.names().lookup(&phrase.text).into_iter().map(|(entity, _)| entity).take(2).collect();
            for name in named.iter().flat_map(|entity| names_of(graph, *entity)).chain([phrase.text.as_str()]) {
                for entity in by_name(collection, name) {
                    entities.entry(entity).or_insert(LAY);
                }
            }
            terms(&phrase.text).into_iter().for_each(|term| add(&mut words, term, weights.synonym * LAY));
        }
        // Words of other names: each name's words share the weight, so that long names do not outweigh the question.
        for entity in &synonyms {
            for name in names_of(graph, *entity) {
                let own = terms(name);
                let weight = weights.synonym / (own.len().max(1) as f32).sqrt();
                own.into_iter().for_each(|term| add(&mut words, term, weight));
            }
        }
        let mut entities: Vec<(u32, f32)> = entities.into_iter().collect();
        entities.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let search_terms = search_terms(collection, &tokens, &covered, &asked, entities.len(), rarity);
        Self { text: text.chars().take(4000).collect(), asked, words, entities, search_terms }
    }
}

impl Question {
    /// Adds terms that a language model names: those that are names of the collection's entities count as named in lay words, the others as words to
    /// search by.
    pub(super) fn add_terms(&mut self, collection: &Collection, named: &[String]) {
        for text in named {
            let mut known = false;
            for entity in by_name(collection, text) {
                known = true;
                if !self.entities.iter().any(|(own, _)| *own == entity) {
                    self.entities.push((entity, LAY));
                }
            }
            let own = terms(text);
            let weight = LAY / (own.len().max(1) as f32).sqrt();
            for term in own.into_iter().filter(|term| !collection.postings(term).is_empty()) {
                let weights = self.words.entry(term).or_default();
                *weights = weights.max(weight);
            }
            if !known && !self.search_terms.contains(text) {
                self.search_terms.push(text.clone());
            }
        }
    }
}

/// An entity's names in the graph.
fn names_of(graph: &Graph, entity: EntityId) -> impl Iterator<Item = &str> {
    std::iter::once(graph.entity_name(entity)).chain(graph.aliases(entity)).take(MOST_SYNONYMS)
}

/// The collection's entities of a name.
fn by_name<'c>(collection: &'c Collection, name: &str) -> impl Iterator<Item = u32> + use<'c> {
    collection.entities_named(name)
}

/// The term that a word outside the collection probably is, misspelt, and the word to read; the commonest of the nearest. Only words with the same
/// first letter are looked through.
fn corrected(collection: &Collection, token: &Token) -> Option<(String, String)> {
    let written = &token.text;
    let is_word = written.len() >= CORRECTABLE && written.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_word || is_common(written) {
        return None;
    }
    let stemmed = stem(written);
    let first = written.get(..1)?;
    let wrong = if written.len() >= TWO_WRONG { 2 } else { 1 };
    let mut best: Option<(usize, std::cmp::Reverse<usize>, String)> = None;
    collection.terms_beginning(first, &mut |term| {
        if term.len().abs_diff(stemmed.len()) > wrong || term.len() < 4 || !can_be_near(term, &stemmed, wrong) {
            return;
        }
        let distance = strsim::damerau_levenshtein(term, &stemmed);
        let postings = if distance <= wrong { collection.postings(term).len() } else { 0 };
        if postings > 0 {
            let found = (distance, std::cmp::Reverse(postings), term.to_owned());
            if best.as_ref().is_none_or(|best| found < *best) {
                best = Some(found);
            }
        }
    });
    best.map(|(_, _, term)| (term.clone(), term))
}

/// Terms of the collection that two neighbouring words are when written as one ("pin worms", "brain stem").
fn joined(collection: &Collection, tokens: &[Token]) -> Vec<String> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let one = |(first, second): (&Token, &Token)| {
        let is_word = |word: &str| word.len() >= PART && word.bytes().all(|byte| byte.is_ascii_lowercase()) && !is_common(word);
        let both = !second.after_break && is_word(&first.text) && is_word(&second.text);
        let whole = both.then(|| Token { text: format!("{}{}", first.text, second.text), ..first.clone() })?;
        term(&whole).filter(|term| !collection.postings(term).is_empty())
    };
    pairs.filter_map(one).collect()
}

/// Whether so few wrong letters can make one word of the other, by their letters alone: each changes at most two of their counts. It spares most words
/// the exact comparison, which takes a hundred times as long.
fn can_be_near(a: &str, b: &str, wrong: usize) -> bool {
    let mut counts = [0i32; 26];
    let mut count = |word: &str, by: i32| {
        for byte in word.bytes().filter(u8::is_ascii_lowercase) {
            if let Some(count) = counts.get_mut(usize::from(byte - b'a')) {
                *count += by;
            }
        }
    };
    count(a, 1);
    count(b, -1);
    counts.iter().map(|count| count.unsigned_abs() as usize).sum::<usize>() <= 2 * wrong
}

/// Words that name no entity, the rarest first, so that there are at least five search terms with the entities.
fn search_terms(
    collection: &Collection,
    tokens: &[Token],
    covered: &[bool],
    asked: &AskedLabels,
    entities: usize,
    rarity: impl Fn(usize) -> f32,
) -> Vec<String> {
    let mut words: Vec<(f32, String)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_known = covered.get(at).copied().unwrap_or(false) || asked.is_cue(at) || is_common(&token.text);
        let Some(term) = term(token).filter(|_| !is_known) else { continue };
        let postings = collection.postings(&term).len();
        if postings > 0 && !words.iter().any(|(_, word)| *word == token.text) {
            words.push((rarity(postings), token.text.clone()));
        }
    }
    words.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    words.into_iter().map(|(_, word)| word).take(SEARCH_TERMS.saturating_sub(entities)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_alone_tell_most_words_apart() {
        assert!(can_be_near("sertralin", "sertraline", 1) && can_be_near("asthma", "ashtma", 1));
        assert!(!can_be_near("sertralin", "simvastatin", 2) && !can_be_near("asthma", "anaemia", 2));
    }

    proptest! {
        #[test]
        fn no_word_that_is_near_is_passed_over(a in "[a-e]{3,9}", b in "[a-e1]{3,9}") {
            let distance = strsim::damerau_levenshtein(&a, &b);
            prop_assert!(can_be_near(&a, &b, distance));
        }
    }
}
