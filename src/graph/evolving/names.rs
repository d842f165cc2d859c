//! The index over the names of the DKG: the base graph's index and the names of learned entities, with the same look-ups over both.
//!
//! Learned names are in shards that clones share until one of them changes. An entity that is no longer part of any triple keeps its
//! number, but look-ups do not find it.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3DefaultBuilder;

use super::EvolvingGraph;
use crate::graph::entity::EntityId;
use crate::graph::name_index::{MOST_COMPLETIONS, NameCompletion, NameFit, NameHit, bracket_forms, folded_span, push_token, stemmed_key};
use crate::text::{Token, ends_within_word, fold, tokenise};

/// The number of shards: enough that copying one takes microseconds with half a million learned names.
const SHARDS: usize = 1024;
/// The longest name to look for in a text, in words or ideographs.
const MOST_TOKENS: usize = 24;

type NameShard = HashMap<Box<str>, Vec<EntityId>, Xxh3DefaultBuilder>;

/// Learned names by stemmed key.
#[derive(Debug, Clone, Default)]
pub(super) struct LearnedNames {
    shards: Vec<Option<Arc<NameShard>>>,
    /// The number of tokens of the longest name.
    longest: usize,
}

impl LearnedNames {
    /// Adds an entity's name.
    pub(super) fn insert(&mut self, name: &str, entity: EntityId) {
        if self.shards.is_empty() {
            self.shards.resize(SHARDS, None);
        }
        for text in std::iter::once(name).chain(bracket_forms(name).into_iter().flatten()) {
            let (tokens, mut key) = (tokenise(text), String::new());
            stemmed_key(&tokens, &mut key);
            if key.is_empty() {
                continue;
            }
            self.longest = self.longest.max(tokens.len().min(MOST_TOKENS));
            let shard = Arc::make_mut(self.shards[shard_of(&key)].get_or_insert_with(Arc::default));
            let entities = shard.entry(key.into_boxed_str()).or_default();
            if entities.last() != Some(&entity) {
                entities.push(entity);
            }
        }
    }

    /// Entities with exactly this name after folding, in use or not.
    pub(super) fn of_name(&self, graph: &EvolvingGraph, name: &str) -> Vec<EntityId> {
        let mut key = String::new();
        stemmed_key(&tokenise(name), &mut key);
        let found = self.get(&key);
        if found.is_empty() {
            return Vec::new();
        }
        let folded = fold(name);
        found.iter().copied().filter(|entity| fold(graph.entity_name(*entity)) == folded).collect()
    }

    fn get(&self, key: &str) -> &[EntityId] {
        let shard = self.shards.get(shard_of(key)).and_then(Option::as_deref);
        shard.and_then(|shard| shard.get(key)).map_or(&[], Vec::as_slice)
    }
}

fn shard_of(key: &str) -> usize {
    Xxh3DefaultBuilder::new().hash_one(key) as usize % SHARDS
}

/// The names and aliases of the base graph, and learned names.
#[derive(Debug, Clone, Copy)]
pub struct EvolvingNames<'a> {
    graph: &'a EvolvingGraph,
}

impl<'a> EvolvingNames<'a> {
    pub(super) fn new(graph: &'a EvolvingGraph) -> Self {
        Self { graph }
    }

    /// The learned entities of a key; `true` marks exact names.
    fn learned(self, key: &str, folded: &str) -> Vec<(EntityId, bool)> {
        let exact = |entity: EntityId| {
            let name = self.graph.entity_name(entity);
            fold(name) == folded || bracket_forms(name).into_iter().flatten().any(|part| fold(part) == folded)
        };
        let found = self.graph.names.get(key).iter().copied();
        found.filter(|entity| self.graph.is_in_use(*entity)).map(|entity| (entity, exact(entity))).collect()
    }

    /// Whether an entity has a folded name in capital letters only, as an abbreviation: TOE, and no toe.
    pub(crate) fn is_in_capitals(self, entity: EntityId, folded: &str) -> bool {
        let names = std::iter::once(self.graph.entity_name(entity)).chain(self.graph.aliases(entity));
        let mut written = names.filter(|name| name.len() == folded.len() && fold(name) == folded).peekable();
        written.peek().is_some() && written.all(|name| name.chars().all(char::is_uppercase))
    }

    /// Entities with exactly this name or alias after folding, ordered by number.
    pub fn lookup_exact(self, name: &str) -> Vec<EntityId> {
        let mut entities: Vec<EntityId> = self.lookup(name).into_iter().filter(|(_, exact)| *exact).map(|(e, _)| e).collect();
        entities.sort_unstable();
        entities
    }

    /// Entities with this name or an inflected form of it; `true` marks the exact ones, which come first.
    pub fn lookup(self, name: &str) -> Vec<(EntityId, bool)> {
        let base = self.graph.base.names().lookup(name);
        if self.graph.names.longest == 0 {
            return base;
        }
        let mut key = String::new();
        stemmed_key(&tokenise(name), &mut key);
        exact_first(base, self.learned(&key, &fold(name)))
    }

    /// The longest name that begins at token `first`.
    pub fn longest_at(self, tokens: &[Token], first: usize) -> Option<NameHit> {
        let base = self.graph.base.names().longest_at(tokens, first);
        let learned = self.longest_learned(tokens, first);
        match (base, learned) {
            (Some(base), Some(learned)) if base.last == learned.last => {
                Some(NameHit { entities: exact_first(base.entities, learned.entities), ..base })
            }
            (Some(base), Some(learned)) => Some(if base.last > learned.last { base } else { learned }),
            (base, learned) => base.or(learned),
        }
    }

    /// Entities with names that match the typed text, best match first, then most triples first. At most `most`, and never more than 200.
    pub(crate) fn complete(self, typed: &str, most: usize) -> Vec<NameCompletion<'a>> {
        let graph = self.graph;
        let mut found = graph.base.names().complete(typed, most, |entity| graph.degree(entity));
        let folded = fold(typed);
        if !folded.is_empty() {
            let fitting = graph.new_entities().filter(|(entity, ..)| graph.is_in_use(*entity));
            found.extend(fitting.filter_map(|(entity, name, _)| Some(NameCompletion { entity, name, fit: NameFit::of(name, &folded)? })));
        }
        found.sort_by_key(|completion| (completion.fit, std::cmp::Reverse(graph.degree(completion.entity)), completion.entity));
        found.truncate(most.min(MOST_COMPLETIONS));
        found
    }

    fn longest_learned(self, tokens: &[Token], first: usize) -> Option<NameHit> {
        let (mut key, mut previous_cjk) = (String::new(), true);
        let mut best = None;
        for (at, token) in tokens.iter().enumerate().skip(first).take(self.graph.names.longest) {
            push_token(token, &mut previous_cjk, &mut key);
            if self.graph.names.get(&key).is_empty() {
                continue;
            }
            let entities = self.learned(&key, &folded_span(&tokens[first..=at]));
            if !entities.is_empty() && !ends_within_word(tokens, first, at + 1) {
                best = Some(NameHit { first, last: at + 1, entities });
            }
        }
        best
    }
}

/// Exact ones first, then by number.
fn exact_first(mut base: Vec<(EntityId, bool)>, learned: Vec<(EntityId, bool)>) -> Vec<(EntityId, bool)> {
    base.extend(learned);
    base.sort_by_key(|(entity, exact)| (!exact, *entity));
    base
}
