//! The index over names and aliases: a finite-state map that answers both "which entity has this
//! name?" and "what is the longest name that begins at this word?".
//!
//! Keys are stemmed (`headaches` finds *Headache*), so that one look-up serves exact and inflected
//! forms; a posting leads to the unstemmed name, which distinguishes the two.

mod completion;

pub(super) use completion::{MOST_COMPLETIONS, NameCompletion, NameFit};

use std::collections::BTreeMap;

use bytemuck::{Pod, Zeroable};
use fst::raw::Output;
use fst::{Map, MapBuilder};
use rayon::prelude::*;

use super::entity::EntityId;
use super::snapshot::{Section, Snapshot, SnapshotSlice};
use crate::text::{Token, ends_within_word, fold, tokenise};

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameHit {
    /// Index of its first token.
    pub first: usize,
    /// Index just past its last token.
    pub last: usize,
    /// The entities of that name, each with whether it is named exactly; exact ones first.
    pub entities: Vec<(EntityId, bool)>,
}

/// An entity and the name of it that has this key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Posting {
    entity: EntityId,
    /// The number of the name (0 is the preferred one) times 4, plus the part of it: 0 the whole name, 1 the part before a
    /// bracket at its end, 2 the part within the bracket.
    name: u32,
}

/// A name that several entities share.
pub(super) struct SharedName {
    /// The name, folded.
    pub(super) name: String,
    /// The entities, by number.
    pub(super) entities: Vec<EntityId>,
}

/// The index as a snapshot stores it.
pub(super) struct IndexParts {
    /// A finite-state map from stemmed names to key numbers.
    pub(super) map: Vec<u8>,
    /// Postings of key `i` are `postings[starts[i]..starts[i + 1]]`.
    pub(super) starts: Vec<u32>,
    pub(super) postings: Vec<Posting>,
}

/// Names and aliases of a graph, by stemmed key.
#[derive(Debug)]
pub struct NameIndex {
    /// `None` if the snapshot's map is unreadable, which opening rules out.
    map: Option<Map<SnapshotSlice>>,
    snapshot: Snapshot,
}

/// The two parts of a name with an alias in brackets at its end: "Otitis externa (swimmer's ear)" is found by either.
pub(super) fn bracket_forms(name: &str) -> Option<[&str; 2]> {
    let (outer, rest) = name.split_once('(')?;
    let (inner, after) = rest.rsplit_once(')')?;
    (after.trim().is_empty() && outer.trim().len() > 2 && inner.trim().len() > 2).then(|| [outer.trim(), inner.trim()])
}

/// The stem of one folded English word. It removes only plurals and simple inflexions, so that different drugs or
/// diseases never share a stem. Words of four letters or fewer, and words with digits, do not change.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() <= 4 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    let singular = word.strip_suffix('s').filter(|base| !base.ends_with(['s', 'u', 'i'])).unwrap_or(word);
    // "rashes" and "rash", "headaches" and "headache": the e goes in all of them.
    match singular.strip_suffix('e') {
        Some(short) if ["ss", "sh", "ch", "x"].iter().any(|sibilant| short.ends_with(sibilant)) => short,
        _ => singular,
    }
}

pub(super) fn stemmed_key(tokens: &[Token], key: &mut String) {
    key.clear();
    let mut previous_cjk = true;
    for token in tokens {
        push_token(token, &mut previous_cjk, key);
    }
}

pub(super) fn push_token(token: &Token, previous_cjk: &mut bool, key: &mut String) {
    if !*previous_cjk && !token.cjk {
        key.push(' ');
    }
    *previous_cjk = token.cjk;
    key.push_str(stem(&token.text));
}

impl IndexParts {
    /// Indexes the names of some entities; leaves out names that fold to nothing.
    pub(super) fn of<'a, N: Iterator<Item = &'a str>>(
        entities: impl IntoParallelIterator<Item = EntityId>,
        names: impl Fn(EntityId) -> N + Sync,
    ) -> Self {
        let mut rows: Vec<(Box<str>, Posting)> = entities
            .into_par_iter()
            .flat_map_iter(|entity| {
                let mut rows = Vec::new();
                for (number, name) in (0u32..).zip(names(entity)) {
                    let whole = std::iter::once(name);
                    for (part, text) in (0..).zip(whole.chain(bracket_forms(name).into_iter().flatten())) {
                        let mut key = String::new();
                        stemmed_key(&tokenise(text), &mut key);
                        if !key.is_empty() {
                            rows.push((key.into_boxed_str(), Posting { entity, name: number << 2 | part }));
                        }
                    }
                }
                rows
            })
            .collect();
        rows.par_sort_unstable();

        let mut starts = Vec::new();
        let mut postings: Vec<Posting> = Vec::with_capacity(rows.len());
        let mut keys = MapBuilder::memory();
        let mut last: Option<&str> = None;
        for (key, posting) in &rows {
            if last != Some(key) {
                // This fails only if keys are unsorted or repeated, which they are not.
                let _ = keys.insert(&**key, starts.len() as u64);
                starts.push(postings.len() as u32);
                last = Some(key);
            }
            postings.push(*posting);
        }
        starts.push(postings.len() as u32);
        Self { map: keys.into_inner().unwrap_or_default(), starts, postings }
    }
}

impl NameIndex {
    /// The index of a snapshot.
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        Self { map: Map::new(snapshot.slice(Section::NameMap)).ok(), snapshot: snapshot.clone() }
    }

    /// How many distinct keys there are.
    pub fn len(&self) -> usize {
        self.map.as_ref().map_or(0, Map::len)
    }

    /// Whether the index is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text of a posting.
    fn text_of(&self, posting: Posting) -> &str {
        let name = self.snapshot.entity_names(posting.entity).nth(posting.name as usize >> 2).unwrap_or("");
        match (posting.name & 3, bracket_forms(name)) {
            (1, Some([outer, _])) => outer,
            (2, Some([_, inner])) => inner,
            _ => name,
        }
    }

    /// Entities with exactly this name or alias after folding, ordered by number.
    pub fn lookup_exact(&self, name: &str) -> Vec<EntityId> {
        let mut entities: Vec<_> = self.lookup(name).into_iter().filter(|(_, exact)| *exact).map(|(e, _)| e).collect();
        entities.sort_unstable();
        entities
    }

    /// Entities with this name or an inflected form of it; `true` marks the exact ones, which come first.
    pub fn lookup(&self, name: &str) -> Vec<(EntityId, bool)> {
        let mut key = String::new();
        stemmed_key(&tokenise(name), &mut key);
        self.map.as_ref().and_then(|map| map.get(&key)).map_or_else(Vec::new, |found| self.resolve(found, &fold(name)))
    }

    /// Folded names that several entities share, in the order of their stems.
    pub(super) fn shared(&self) -> impl Iterator<Item = SharedName> {
        (0..self.len()).flat_map(|key| {
            let postings: &[Posting] = self.snapshot.row(Section::KeyStarts, Section::Postings, key);
            let mut by_name: BTreeMap<String, Vec<EntityId>> = BTreeMap::new();
            if postings.windows(2).any(|w| w[0].entity != w[1].entity) {
                for posting in postings {
                    let entities = by_name.entry(fold(self.text_of(*posting))).or_default();
                    if entities.last() != Some(&posting.entity) {
                        entities.push(posting.entity);
                    }
                }
            }
            by_name.into_iter().filter(|(_, entities)| entities.len() > 1).map(|(name, entities)| SharedName { name, entities })
        })
    }

    fn resolve(&self, key: u64, folded: &str) -> Vec<(EntityId, bool)> {
        let mut entities: Vec<(EntityId, bool)> = Vec::new();
        for posting in self.snapshot.row::<Posting>(Section::KeyStarts, Section::Postings, key as usize) {
            let exact = fold(self.text_of(*posting)) == folded;
            match entities.iter_mut().find(|(entity, _)| *entity == posting.entity) {
                Some(known) => known.1 |= exact,
                None => entities.push((posting.entity, exact)),
            }
        }
        entities.sort_by_key(|(entity, exact)| (!exact, *entity));
        entities
    }

    /// The longest name that begins at token `first`, by walking the automaton once.
    pub fn longest_at(&self, tokens: &[Token], first: usize) -> Option<NameHit> {
        let automaton = self.map.as_ref()?.as_fst();
        let mut node = automaton.root();
        let mut output = Output::zero();
        let mut previous_cjk = true;
        let mut key = String::new();
        let mut walked = 0;
        let mut best: Option<(usize, u64)> = None;
        'tokens: for (at, token) in tokens.iter().enumerate().skip(first) {
            push_token(token, &mut previous_cjk, &mut key);
            for byte in &key.as_bytes()[walked..] {
                let Some(transition) = node.find_input(*byte) else { break 'tokens };
                let step = node.transition(transition);
                output = output.cat(step.out);
                node = automaton.node(step.addr);
            }
            walked = key.len();
            if node.is_final() && !ends_within_word(tokens, first, at + 1) {
                best = Some((at + 1, output.cat(node.final_output()).value()));
            }
        }
        let (last, found) = best?;
        let folded = folded_span(&tokens[first..last]);
        Some(NameHit { first, last, entities: self.resolve(found, &folded) })
    }
}

/// The folded form of a run of tokens.
pub(crate) fn folded_span(tokens: &[Token]) -> String {
    let mut folded = String::new();
    let mut previous_cjk = true;
    for token in tokens {
        if !previous_cjk && !token.cjk {
            folded.push(' ');
        }
        previous_cjk = token.cjk;
        folded.push_str(&token.text);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In the order of names, which is that of numbers.
    const NAMES: [&str; 9] =
        ["Cluster headache", "Crohn's disease", "Gas", "Gases", "Headache", "Heart failure", "Kidney stones", "胃", "胃痛"];

    fn graph() -> crate::graph::Graph {
        let mut builder = crate::graph::GraphBuilder::new("t");
        for name in NAMES {
            builder.entity(name);
        }
        builder.finish()
    }

    #[test]
    fn the_longest_name_wins() {
        let graph = graph();
        let index = graph.names();
        let text = "cluster headaches and 胃痛";
        let tokens = tokenise(text);
        let hit = index.longest_at(&tokens, 0).expect("a name");
        assert_eq!((hit.first, hit.last, hit.entities), (0, 2, vec![(EntityId(0), false)]));
        assert!(index.longest_at(&tokens, 2).is_none());
        let hit = index.longest_at(&tokens, 3).expect("a name");
        assert_eq!((hit.last, hit.entities), (5, vec![(EntityId(8), true)]));
    }

    #[test]
    fn exact_and_inflected_names_are_distinguished() {
        let graph = graph();
        let index = graph.names();
        assert_eq!(index.lookup("HEADACHE"), [(EntityId(4), true)]);
        assert_eq!(index.lookup("headaches"), [(EntityId(4), false)]);
        assert_eq!(index.lookup_exact("headaches"), []);
        assert_eq!(index.lookup_exact("crohns disease"), [EntityId(1)]);
        assert_eq!(index.lookup("heart"), []);
        assert_eq!(index.lookup(""), []);
    }

    #[test]
    fn stems_keep_different_words_apart() {
        for (word, want) in
            [("stones", "stone"), ("diabetes", "diabete"), ("pus", "pus"), ("sinusitis", "sinusitis"), ("rashes", "rash"), ("b12s", "b12s")]
        {
            assert_eq!(stem(word), want);
        }
    }
}
