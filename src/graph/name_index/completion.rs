//! Names as one types them: those that begin with what was typed, those with a word that does, those that differ by a slip of
//! the finger, those that have its letters in this order.
//!
//! Whole names are walked in the finite-state map. It does not know where words begin within them, so these are found in the
//! bytes of all names, by vector instructions: some milliseconds for two million names. All work is bounded, whatever is typed.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use fst::raw::{CompiledAddr, Output};
use memchr::memmem::Finder;

use super::{EntityId, NameIndex, Posting, Section, fold, stemmed_key, tokenise};

/// The most characters that are looked at.
const TYPED: usize = 80;
/// The most entities in a list.
pub(crate) const MOST: usize = 200;
/// The most keys below a prefix that are looked at: all but those of one or two letters in a large graph have fewer.
const KEYS: usize = 20_000;
/// The most places at which a word is found among the names' bytes.
const PLACES: usize = 20_000;
/// The most steps in the map in search of typing errors, or of scattered letters.
const STEPS: usize = 60_000;
/// Fewer letters are too few for a typing error, or for scattered letters.
const FOR_TYPO: usize = 4;
const FOR_SCATTERED: usize = 3;

/// How a name fits what was typed, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    Whole,
    Inflected,
    Prefix,
    Word,
    Typo,
    Scattered,
}

/// An entity whose name fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Completion<'a> {
    pub(crate) entity: EntityId,
    /// The name that fits best.
    pub(crate) name: &'a str,
    /// How it does.
    pub(crate) fit: Fit,
}

impl Fit {
    /// How a name fits what was typed (folded): as a whole, by its beginning, by one of its words.
    pub(crate) fn of(name: &str, folded: &str) -> Option<Self> {
        let name = fold(name);
        if name == folded {
            Some(Self::Whole)
        } else if name.starts_with(folded) {
            Some(Self::Prefix)
        } else {
            has_word(&name, folded).then_some(Self::Word)
        }
    }
}

/// What has been found: for each entity its best fit, and the name of it.
type Found = HashMap<EntityId, (Fit, Posting)>;

/// A place in the map: a node, what led to it, how much of what was typed is used up, and whether a typing error is.
type Place = (CompiledAddr, Output, usize, bool);

impl NameIndex {
    /// Entities with names that fit what was typed, best first, then those with the most triples. At most `most`, and never more than 200.
    pub(crate) fn complete(&self, typed: &str, most: usize, degree: impl Fn(EntityId) -> usize) -> Vec<Completion<'_>> {
        let typed: String = typed.chars().take(TYPED).collect();
        let (folded, tokens) = (fold(&typed), tokenise(&typed));
        let most = most.min(MOST);
        if folded.is_empty() || most == 0 {
            return Vec::new();
        }
        let mut stemmed = String::new();
        stemmed_key(&tokens, &mut stemmed);
        let mut found = Found::new();
        // Keys are stemmed but for their last word as it is typed: it may be the beginning of a longer one.
        let begun = match tokens.split_last() {
            Some((last, before)) => {
                let mut key = String::new();
                stemmed_key(before, &mut key);
                let apart = !before.is_empty() && !last.cjk && before.last().is_some_and(|token| !token.cjk);
                key.push_str(if apart { " " } else { "" });
                key.push_str(&last.text);
                key
            }
            None => String::new(),
        };
        let mut seen = HashSet::new();
        for prefix in [&begun, &stemmed] {
            let keys = self.walk(prefix.as_bytes(), Way::Exact);
            self.take(&mut found, keys.into_iter().filter(|key| seen.insert(*key)), Fit::Prefix, (&folded, &stemmed), (most, &degree));
        }
        let word = tokens.iter().max_by_key(|token| token.text.len()).map_or("", |token| &typed[token.start..token.end]);
        self.take_words(&mut found, word, &folded);
        if found.len() < most && folded.chars().count() >= FOR_TYPO {
            let keys = self.walk(stemmed.as_bytes(), Way::Typo);
            self.take(&mut found, keys.into_iter(), Fit::Typo, (&folded, &stemmed), (most, &degree));
        }
        if found.len() < most && folded.chars().count() >= FOR_SCATTERED {
            let letters: String = stemmed.chars().filter(|c| *c != ' ').collect();
            let keys = self.walk(letters.as_bytes(), Way::Scattered);
            self.take(&mut found, keys.into_iter(), Fit::Scattered, (&folded, &stemmed), (most, &degree));
        }
        let mut best: Vec<(Fit, Reverse<usize>, EntityId, Posting)> =
            found.into_iter().map(|(entity, (fit, posting))| (fit, Reverse(degree(entity)), entity, posting)).collect();
        best.sort_unstable();
        best.truncate(most);
        best.into_iter().map(|(fit, _, entity, posting)| Completion { entity, name: self.text_of(posting), fit }).collect()
    }

    /// Takes in the entities of some keys, those with the most triples; their names tell how well they fit.
    fn take(
        &self,
        found: &mut Found,
        keys: impl Iterator<Item = u64>,
        fit: Fit,
        (folded, stemmed): (&str, &str),
        (most, degree): (usize, &impl Fn(EntityId) -> usize),
    ) {
        let postings = keys.flat_map(|key| self.snapshot.row::<Posting>(Section::KeyStarts, Section::Postings, key as usize));
        let mut postings: Vec<(Reverse<usize>, Posting)> = postings.map(|posting| (Reverse(degree(posting.entity)), *posting)).collect();
        postings.sort_unstable();
        // Whole names first: they must not be left out for having few triples.
        let whole: HashSet<EntityId> = self.lookup(folded).into_iter().map(|(entity, _)| entity).collect();
        postings.sort_by_key(|(_, posting)| !whole.contains(&posting.entity));
        let mut key = String::new();
        for (_, posting) in postings.into_iter().take(4 * most + whole.len()) {
            let name = fold(self.text_of(posting));
            stemmed_key(&tokenise(&name), &mut key);
            let fit = match fit {
                Fit::Prefix if name == folded => Fit::Whole,
                Fit::Prefix if key == stemmed => Fit::Inflected,
                Fit::Prefix if !name.starts_with(folded) && !name.starts_with(stemmed) => continue,
                fit => fit,
            };
            put(found, fit, posting);
        }
    }

    /// Takes in names with a word that begins with what was typed. `word`: its longest word, as typed.
    fn take_words(&self, found: &mut Found, word: &str, folded: &str) {
        // A single letter begins a word of nearly every name.
        if word.len() < 2 {
            return;
        }
        let offsets: &[u64] = self.snapshot.rows(Section::NameOffsets);
        let starts: &[u32] = self.snapshot.rows(Section::NameStarts);
        let bytes = self.snapshot.raw(Section::NameBytes);
        let lower = word.to_lowercase();
        let mut characters = lower.chars();
        let capital: String = characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default();
        let spellings: HashSet<String> = [lower.clone(), capital, word.to_uppercase(), word.to_owned()].into();
        let mut last = None;
        for spelling in spellings {
            for at in Finder::new(spelling.as_bytes()).find_iter(bytes).take(PLACES) {
                let row = offsets.partition_point(|offset| *offset as usize <= at).saturating_sub(1);
                if last.replace(row) == Some(row) {
                    continue;
                }
                let name = fold(self.snapshot.text(Section::NameOffsets, Section::NameBytes, row));
                if has_word(&name, folded) {
                    let entity = starts.partition_point(|start| *start as usize <= row).saturating_sub(1);
                    let number = row as u32 - starts.get(entity).copied().unwrap_or(0);
                    put(found, Fit::Word, Posting { entity: EntityId(entity as u32), name: number << 2 });
                }
            }
        }
    }

    /// Numbers of the keys that begin with what was typed, in one way or another.
    fn walk(&self, typed: &[u8], way: Way) -> Vec<u64> {
        let Some(map) = &self.map else { return Vec::new() };
        let automaton = map.as_fst();
        let mut places: Vec<Place> = vec![(automaton.root().addr(), Output::zero(), 0, false)];
        let mut seen: HashSet<(CompiledAddr, u64, usize, bool)> = HashSet::new();
        let mut keys = Vec::new();
        let (mut steps, mut below): (usize, Vec<Place>) = (0, Vec::new());
        while let Some((addr, output, used, erred)) = places.pop() {
            steps += 1;
            if steps > STEPS || keys.len() >= KEYS {
                break;
            }
            let node = automaton.node(addr);
            let Some(wanted) = typed.get(used) else {
                // All that follows fits.
                below.push((addr, output, used, erred));
                while let Some((addr, output, ..)) = below.pop().filter(|_| keys.len() < KEYS) {
                    let node = automaton.node(addr);
                    if node.is_final() {
                        keys.push(output.cat(node.final_output()).value());
                    }
                    below.extend(node.transitions().map(|step| (step.addr, output.cat(step.out), used, erred)));
                }
                below.clear();
                continue;
            };
            let mut go = |addr, output: Output, used, erred| {
                if way == Way::Exact || seen.insert((addr, output.value(), used, erred)) {
                    places.push((addr, output, used, erred));
                }
            };
            match way {
                Way::Scattered => {
                    for step in node.transitions() {
                        // The first letter begins the name.
                        if step.inp == *wanted {
                            go(step.addr, output.cat(step.out), used + 1, false);
                        } else if used > 0 {
                            go(step.addr, output.cat(step.out), used, false);
                        }
                    }
                }
                Way::Typo if !erred => {
                    // One letter too many.
                    go(addr, output, used + 1, true);
                    for step in node.transitions() {
                        let (to, output) = (step.addr, output.cat(step.out));
                        if step.inp == *wanted {
                            go(to, output, used + 1, false);
                            continue;
                        }
                        // One missing, one instead of another, two the wrong way round.
                        go(to, output, used, true);
                        go(to, output, used + 1, true);
                        if typed.get(used + 1) == Some(&step.inp) {
                            let next = automaton.node(to);
                            if let Some(then) = next.find_input(*wanted).map(|at| next.transition(at)) {
                                go(then.addr, output.cat(then.out), used + 2, true);
                            }
                        }
                    }
                }
                Way::Exact | Way::Typo => {
                    if let Some(step) = node.find_input(*wanted).map(|at| node.transition(at)) {
                        go(step.addr, output.cat(step.out), used + 1, erred);
                    }
                }
            }
        }
        keys
    }
}

/// How letters may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Exact,
    /// With at most one typing error.
    Typo,
    /// With others between them.
    Scattered,
}

/// Takes a name in, if it is the best of its entity so far; of equals the first of its names.
fn put(found: &mut Found, fit: Fit, posting: Posting) {
    let best = found.entry(posting.entity).or_insert((fit, posting));
    if (fit, posting.name) < (best.0, best.1.name) {
        *best = (fit, posting);
    }
}

/// Whether a folded text stands in a folded name at the beginning of a word.
fn has_word(name: &str, folded: &str) -> bool {
    name.match_indices(folded).any(|(at, _)| {
        let cjk = |c: Option<char>| c.is_some_and(crate::text::is_cjk);
        at == 0 || name[..at].ends_with(' ') || cjk(name[at..].chars().next()) || cjk(name[..at].chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::{Graph, GraphBuilder, starter_graph};

    fn names(graph: &Graph, typed: &str) -> Vec<String> {
        let found = graph.names().complete(typed, 10, |entity| graph.degree(entity));
        found.into_iter().map(|completion| completion.name.to_owned()).collect()
    }

    #[test]
    fn whole_names_come_first_then_beginnings_words_slips_and_scattered_letters() {
        let mut builder = GraphBuilder::new("t");
        let relation = builder.relation(crate::graph::RoleRules::built_in().expect("rules").guess("treats")).expect("room");
        let all = ["Headache", "Headache disorder", "Cluster headache", "Heartburn", "Hepatitis", "胃痛", "慢性胃痛", "Ménière's disease"];
        let ids: Vec<u32> = all.iter().map(|name| builder.entity(name)).collect();
        // The disorder has more triples than the others.
        for other in [2, 3, 4] {
            builder.triple(ids[1], relation, ids[other]);
        }
        let graph = builder.finish();
        assert_eq!(names(&graph, "headache"), ["Headache", "Headache disorder", "Cluster headache"]);
        assert_eq!(names(&graph, "HEADACHES")[0], "Headache", "but for its inflexion");
        assert_eq!(names(&graph, "headac"), ["Headache disorder", "Headache", "Cluster headache"]);
        assert_eq!(names(&graph, "hea")[0], "Headache disorder");
        assert_eq!(names(&graph, "clusterh"), ["Cluster headache"]);
        for slip in ["haedache", "hedache", "heaadache", "hexdache"] {
            assert!(names(&graph, slip).contains(&"Headache".to_owned()), "{slip}: {:?}", names(&graph, slip));
        }
        assert_eq!(names(&graph, "hbrn"), ["Heartburn"]);
        assert_eq!(names(&graph, "胃"), ["胃痛", "慢性胃痛"]);
        assert_eq!(names(&graph, "menieres dis"), ["Ménière's disease"]);
        assert_eq!(names(&graph, "zzzz"), [""; 0]);
        assert_eq!(names(&graph, " \u{1b}[ "), [""; 0]);
        assert_eq!(graph.names().complete("headache", 1, |_| 0).len(), 1);
    }

    #[test]
    fn every_entity_is_found_by_its_name_and_by_each_beginning_of_it() {
        let graph = starter_graph().expect("sound");
        for entity in graph.entity_ids().step_by(37) {
            for name in std::iter::once(graph.entity_name(entity)).chain(graph.aliases(entity)) {
                let first = graph.names().complete(name, 10, |entity| graph.degree(entity));
                assert!(first.iter().any(|found| found.entity == entity), "{name}");
                let begun: String = name.chars().take(name.chars().count() * 3 / 4).collect();
                // One or two letters begin more names than a list holds.
                if begun.len() < 3 {
                    continue;
                }
                let found = graph.names().complete(&begun, 200, |entity| graph.degree(entity));
                assert!(found.iter().any(|found| found.entity == entity), "{begun} of {name}");
            }
        }
    }

    proptest! {
        #[test]
        fn whatever_is_typed_is_answered_by_names_of_the_graph(typed in "\\PC{0,120}", most in 0usize..300) {
            let graph = starter_graph().expect("sound");
            let found = graph.names().complete(&typed, most, |entity| graph.degree(entity));
            prop_assert!(found.len() <= most.min(MOST));
            let distinct: HashSet<EntityId> = found.iter().map(|completion| completion.entity).collect();
            prop_assert_eq!(distinct.len(), found.len());
        }
    }
}
