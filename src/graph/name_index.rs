//! The index over names and aliases: a finite-state map that answers both "which entity has this
//! name?" and "what is the longest name that begins at this word?".
//!
//! Keys are stemmed (`headaches` finds *Headache*), so that one look-up serves exact and inflected
//! forms; each posting keeps the unstemmed folded name and says which of the two it was.

use fst::Map;
use fst::raw::Output;

use super::entity::EntityId;
use crate::text::{Token, fold, tokenise};

/// A name found in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameHit {
    /// Index of its first token.
    pub first: usize,
    /// Index just past its last token.
    pub last: usize,
    /// The entities of that name, exact ones first, and whether each is named exactly.
    pub entities: Vec<(EntityId, bool)>,
}

#[derive(Debug, Clone)]
struct Posting {
    folded: Box<str>,
    entity: EntityId,
}

/// Names and aliases of a graph, by stemmed key.
#[derive(Debug)]
pub struct NameIndex {
    map: Map<Vec<u8>>,
    /// Postings of key `i` are `postings[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    postings: Vec<Posting>,
}

/// The stem of one folded English word: plural and simple inflexion only, so that different drugs or
/// diseases never fall together. Words of four letters or fewer, and words with digits, stay as they are.
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

fn stemmed_key(tokens: &[Token], key: &mut String) {
    key.clear();
    let mut previous_cjk = true;
    for token in tokens {
        push_token(token, &mut previous_cjk, key);
    }
}

fn push_token(token: &Token, previous_cjk: &mut bool, key: &mut String) {
    if !*previous_cjk && !token.cjk {
        key.push(' ');
    }
    *previous_cjk = token.cjk;
    key.push_str(stem(&token.text));
}

impl NameIndex {
    /// Indexes `(name, entity)` pairs; names that fold to nothing are left out.
    pub(super) fn build<'a>(names: impl Iterator<Item = (&'a str, EntityId)>) -> Self {
        let mut rows: Vec<(String, Posting)> = Vec::new();
        for (name, entity) in names {
            let tokens = tokenise(name);
            if tokens.is_empty() {
                continue;
            }
            let mut key = String::new();
            stemmed_key(&tokens, &mut key);
            rows.push((key, Posting { folded: fold(name).into(), entity }));
        }
        rows.sort_by(|a, b| (&a.0, a.1.entity, &a.1.folded).cmp(&(&b.0, b.1.entity, &b.1.folded)));
        rows.dedup_by(|a, b| a.0 == b.0 && a.1.entity == b.1.entity && a.1.folded == b.1.folded);

        let mut starts = Vec::new();
        let mut postings: Vec<Posting> = Vec::with_capacity(rows.len());
        let mut keys: Vec<(String, u64)> = Vec::new();
        for (key, posting) in rows {
            if keys.last().is_none_or(|(last, _)| *last != key) {
                starts.push(postings.len() as u32);
                keys.push((key, keys.len() as u64));
            }
            postings.push(posting);
        }
        starts.push(postings.len() as u32);
        // Keys are sorted and unique by construction, the one condition under which this can fail.
        let map = Map::from_iter(keys).unwrap_or_default();
        Self { map, starts, postings }
    }

    /// How many distinct keys there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether nothing is indexed.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    fn postings(&self, key: u64) -> &[Posting] {
        let key = key as usize;
        &self.postings[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    /// Entities with this very name or alias (equal after folding), by number.
    pub fn lookup_exact(&self, name: &str) -> Vec<EntityId> {
        let mut entities: Vec<_> = self.lookup(name).into_iter().filter(|(_, exact)| *exact).map(|(e, _)| e).collect();
        entities.sort_unstable();
        entities
    }

    /// Entities with this name or an inflected form of it; `true` marks the exact ones, which come first.
    pub fn lookup(&self, name: &str) -> Vec<(EntityId, bool)> {
        let mut key = String::new();
        stemmed_key(&tokenise(name), &mut key);
        self.map.get(&key).map_or_else(Vec::new, |found| self.resolve(found, &fold(name)))
    }

    fn resolve(&self, key: u64, folded: &str) -> Vec<(EntityId, bool)> {
        let mut entities: Vec<(EntityId, bool)> = Vec::new();
        for posting in self.postings(key) {
            let exact = &*posting.folded == folded;
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
        let automaton = self.map.as_fst();
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
            if node.is_final() {
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

    fn index() -> NameIndex {
        let names = ["Headache", "Cluster headache", "Heart failure", "胃痛", "胃", "Kidney stones", "Crohn's disease", "Gas", "Gases"];
        NameIndex::build(names.iter().zip(0..).map(|(name, i)| (*name, EntityId(i))))
    }

    #[test]
    fn the_longest_name_wins() {
        let index = index();
        let text = "cluster headaches and 胃痛";
        let tokens = tokenise(text);
        let hit = index.longest_at(&tokens, 0).expect("a name");
        assert_eq!((hit.first, hit.last, hit.entities), (0, 2, vec![(EntityId(1), false)]));
        assert!(index.longest_at(&tokens, 2).is_none());
        let hit = index.longest_at(&tokens, 3).expect("a name");
        assert_eq!((hit.last, hit.entities), (5, vec![(EntityId(3), true)]));
    }

    #[test]
    fn exact_and_inflected_names_are_told_apart() {
        let index = index();
        assert_eq!(index.lookup("HEADACHE"), [(EntityId(0), true)]);
        assert_eq!(index.lookup("headaches"), [(EntityId(0), false)]);
        assert_eq!(index.lookup_exact("headaches"), []);
        assert_eq!(index.lookup_exact("crohns disease"), [EntityId(6)]);
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
