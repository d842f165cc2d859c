//! Names of entities: keys under which they are found, and the longest name that begins at a word, by a finite-state map.

use std::collections::BTreeMap;

use fst::raw::Output;
use fst::{Map, MapBuilder};

use crate::graph::stem;
use crate::language::common_words::is_common;
use crate::text::{Token, tokenise};

/// The most words of a name that is looked for in texts.
const MOST_WORDS: usize = 12;

/// Names with the entities that bear them.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<String, Vec<u32>>);

/// The names as a segment stores them.
pub(super) struct NameParts {
    pub(super) map: Vec<u8>,
    pub(super) starts: Vec<u32>,
    pub(super) entities: Vec<u32>,
}

/// The key of a name; `None` if it says too little to be looked for: no words, or only common ones.
pub(super) fn key(name: &str) -> Option<String> {
    let tokens = tokenise(name);
    let says_enough = tokens.iter().any(|token| token.cjk || (token.text.len() > 2 && !is_common(&token.text)));
    if !says_enough || tokens.len() > MOST_WORDS {
        return None;
    }
    let mut key = String::new();
    for token in &tokens {
        push(token, &mut key);
    }
    Some(key)
}

fn push(token: &Token, key: &mut String) {
    if !key.is_empty() {
        key.push(' ');
    }
    key.push_str(stem(&token.text));
}

/// The parts of a name that are names too: what stands before a bracket at its end and what stands within.
pub(super) fn forms(name: &str) -> Vec<&str> {
    let mut forms = vec![name];
    if let Some((outer, rest)) = name.split_once('(')
        && let Some((inner, after)) = rest.rsplit_once(')')
        && after.trim().is_empty()
    {
        forms.extend([outer.trim(), inner.trim()].into_iter().filter(|form| form.len() > 2));
    }
    forms
}

impl Names {
    /// Adds a name of an entity, and its forms.
    pub(super) fn add(&mut self, name: &str, entity: u32) {
        for key in forms(name).into_iter().filter_map(key) {
            self.add_key(key, entity);
        }
    }

    /// Adds the key of a name of an entity.
    pub(super) fn add_key(&mut self, key: String, entity: u32) {
        let entities = self.0.entry(key).or_default();
        if !entities.contains(&entity) {
            entities.push(entity);
        }
    }

    /// As stored.
    pub(super) fn parts(self) -> NameParts {
        let (mut starts, mut entities) = (Vec::with_capacity(self.0.len() + 1), Vec::new());
        let mut map = MapBuilder::memory();
        for (key, mut of) in self.0 {
            // It fails only on keys out of order, which a sorted map has not.
            let _ = map.insert(key, starts.len() as u64);
            starts.push(entities.len() as u32);
            of.sort_unstable();
            entities.append(&mut of);
        }
        starts.push(entities.len() as u32);
        NameParts { map: map.into_inner().unwrap_or_default(), starts, entities }
    }
}

/// The longest name that begins at token `first`: one past its last token, and its number.
pub(super) fn longest_at<D: AsRef<[u8]>>(map: &Map<D>, tokens: &[Token], first: usize) -> Option<(usize, u64)> {
    longest_where(map, tokens, first, |_| true)
}

/// As [`longest_at`], of the names whose number is accepted.
pub(super) fn longest_where<D: AsRef<[u8]>>(
    map: &Map<D>,
    tokens: &[Token],
    first: usize,
    accepts: impl Fn(u64) -> bool,
) -> Option<(usize, u64)> {
    let automaton = map.as_fst();
    let mut node = automaton.root();
    let mut output = Output::zero();
    let (mut key, mut walked) = (String::new(), 0);
    let mut best = None;
    'tokens: for (at, token) in tokens.iter().enumerate().skip(first).take(MOST_WORDS) {
        push(token, &mut key);
        for byte in key.as_bytes().get(walked..).unwrap_or_default() {
            let Some(transition) = node.find_input(*byte) else { break 'tokens };
            let step = node.transition(transition);
            output = output.cat(step.out);
            node = automaton.node(step.addr);
        }
        walked = key.len();
        if node.is_final() {
            let number = output.cat(node.final_output()).value();
            if accepts(number) {
                best = Some((at + 1, number));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_wins_and_common_words_are_none() {
        let mut names = Names::default();
        names.add("Epzicom (abacavir and lamivudine)", 3);
        names.add("abacavir", 1);
        names.add("All", 2);
        names.add("Abacavirs", 4);
        let parts = names.parts();
        let map = Map::new(parts.map).expect("a map");
        let of = |number: u64| &parts.entities[parts.starts[number as usize] as usize..parts.starts[number as usize + 1] as usize];
        let tokens = tokenise("Take abacavir and lamivudine, all of epzicom; abacavir too");
        let (last, number) = longest_at(&map, &tokens, 1).expect("a name");
        assert_eq!((last, of(number)), (4, &[3][..]));
        assert!(longest_at(&map, &tokens, 4).is_none(), "a common word is no name");
        let (last, number) = longest_at(&map, &tokens, 7).expect("a name");
        assert_eq!((last, of(number)), (8, &[1, 4][..]), "inflected forms share a key");
    }
}
