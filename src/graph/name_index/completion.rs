//! Completion of names while the user types: names that begin with the typed text, names with a word that does, names that differ
//! by one typing error, and names that contain the typed letters in order.
//!
//! Whole names are found by walking the finite-state map. The map does not know where words begin within a name, so words are
//! found by a vectorised search through the bytes of all names, in a few milliseconds for two million names. All work is bounded,
//! whatever the user types.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use fst::raw::{CompiledAddr, Output};
use memchr::memmem::Finder;

use super::{EntityId, NameIndex, Posting, Section, fold, stemmed_key, tokenise};

/// How many typed characters count.
const TYPED: usize = 80;
/// The most completions.
pub(crate) const MOST_COMPLETIONS: usize = 200;
/// The most keys read below a prefix. In a large graph only prefixes of one or two letters have more.
const KEYS: usize = 20_000;
/// The most places in the names' bytes at which a word is looked for.
const PLACES: usize = 20_000;
/// The most steps in the map in search of typing errors or of scattered letters.
const STEPS: usize = 60_000;
/// The fewest letters for which typing errors, or scattered letters, are tried.
const FOR_TYPO: usize = 4;
const FOR_SCATTERED: usize = 3;

/// How a name matches the typed text, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameFit {
    Whole,
    Inflected,
    Prefix,
    Word,
    Typo,
    Scattered,
}

/// An entity whose name matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameCompletion<'a> {
    pub(crate) entity: EntityId,
    /// The name that matches best.
    pub(crate) name: &'a str,
    /// How it matches.
    pub(crate) fit: NameFit,
}

impl NameFit {
    /// How a name matches the folded typed text: as a whole, by its beginning, or by one of its words.
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

/// For each entity found, its best match and the name that matches.
type BestFits = HashMap<EntityId, (NameFit, Posting)>;

/// The state of a walk in the map: a node, the output on the way to it, how many typed bytes are consumed, and whether a typing error is.
type WalkState = (CompiledAddr, Output, usize, bool);

impl NameIndex {
    /// Entities with names that match the typed text, best match first, then most triples first. At most `most`, and never more than 200.
    pub(crate) fn complete(&self, typed: &str, most: usize, degree: impl Fn(EntityId) -> usize) -> Vec<NameCompletion<'_>> {
        let typed: String = typed.chars().take(TYPED).collect();
        let (folded, tokens) = (fold(&typed), tokenise(&typed));
        let most = most.min(MOST_COMPLETIONS);
        if folded.is_empty() || most == 0 {
            return Vec::new();
        }
        let mut stemmed = String::new();
        stemmed_key(&tokens, &mut stemmed);
        let mut found = BestFits::new();
        // The last word stays unstemmed, because it may be the beginning of a longer one.
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
            let keys = self.walk(prefix.as_bytes(), LetterMatch::Exact);
            self.add_keys(
                &mut found,
                keys.into_iter().filter(|key| seen.insert(*key)),
                NameFit::Prefix,
                (&folded, &stemmed),
                (most, &degree),
            );
        }
        let word = tokens.iter().max_by_key(|token| token.text.len()).map_or("", |token| &typed[token.start..token.end]);
        self.add_words(&mut found, word, &folded);
        if found.len() < most && folded.chars().count() >= FOR_TYPO {
            let keys = self.walk(stemmed.as_bytes(), LetterMatch::Typo);
            self.add_keys(&mut found, keys.into_iter(), NameFit::Typo, (&folded, &stemmed), (most, &degree));
        }
        if found.len() < most && folded.chars().count() >= FOR_SCATTERED {
            let letters: String = stemmed.chars().filter(|c| *c != ' ').collect();
            let keys = self.walk(letters.as_bytes(), LetterMatch::Scattered);
            self.add_keys(&mut found, keys.into_iter(), NameFit::Scattered, (&folded, &stemmed), (most, &degree));
        }
        let mut best: Vec<(NameFit, Reverse<usize>, EntityId, Posting)> =
            found.into_iter().map(|(entity, (fit, posting))| (fit, Reverse(degree(entity)), entity, posting)).collect();
        best.sort_unstable();
        best.truncate(most);
        best.into_iter().map(|(fit, _, entity, posting)| NameCompletion { entity, name: self.text_of(posting), fit }).collect()
    }

    /// Adds the entities of some keys, those with the most triples first, each with how its name matches.
    fn add_keys(
        &self,
        found: &mut BestFits,
        keys: impl Iterator<Item = u64>,
        fit: NameFit,
        (folded, stemmed): (&str, &str),
        (most, degree): (usize, &impl Fn(EntityId) -> usize),
    ) {
        let postings = keys.flat_map(|key| self.snapshot.row::<Posting>(Section::KeyStarts, Section::Postings, key as usize));
        let mut postings: Vec<(Reverse<usize>, Posting)> = postings.map(|posting| (Reverse(degree(posting.entity)), *posting)).collect();
        postings.sort_unstable();
        // Whole names first, so that none is left out for having few triples.
        let whole: HashSet<EntityId> = self.lookup(folded).into_iter().map(|(entity, _)| entity).collect();
        postings.sort_by_key(|(_, posting)| !whole.contains(&posting.entity));
        let mut key = String::new();
        for (_, posting) in postings.into_iter().take(4 * most + whole.len()) {
            let name = fold(self.text_of(posting));
            stemmed_key(&tokenise(&name), &mut key);
            let fit = match fit {
                NameFit::Prefix if name == folded => NameFit::Whole,
                NameFit::Prefix if key == stemmed => NameFit::Inflected,
                NameFit::Prefix if !name.starts_with(folded) && !name.starts_with(stemmed) => continue,
                fit => fit,
            };
            keep_best_fit(found, fit, posting);
        }
    }

    /// Adds names with a word that begins with the typed text. `word`: its longest word, as typed.
    fn add_words(&self, found: &mut BestFits, word: &str, folded: &str) {
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
                    keep_best_fit(found, NameFit::Word, Posting { entity: EntityId(entity as u32), name: number << 2 });
                }
            }
        }
    }

    /// The numbers of the keys that begin with the typed bytes, matched as `way` says.
    fn walk(&self, typed: &[u8], way: LetterMatch) -> Vec<u64> {
        let Some(map) = &self.map else { return Vec::new() };
        let automaton = map.as_fst();
        let mut places: Vec<WalkState> = vec![(automaton.root().addr(), Output::zero(), 0, false)];
        let mut seen: HashSet<(CompiledAddr, u64, usize, bool)> = HashSet::new();
        let mut keys = Vec::new();
        let (mut steps, mut below): (usize, Vec<WalkState>) = (0, Vec::new());
        while let Some((addr, output, used, erred)) = places.pop() {
            steps += 1;
            if steps > STEPS || keys.len() >= KEYS {
                break;
            }
            let node = automaton.node(addr);
            let Some(wanted) = typed.get(used) else {
                // Every key below this node matches.
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
                if way == LetterMatch::Exact || seen.insert((addr, output.value(), used, erred)) {
                    places.push((addr, output, used, erred));
                }
            };
            match way {
                LetterMatch::Scattered => {
                    for step in node.transitions() {
                        // The first letter begins the name.
                        if step.inp == *wanted {
                            go(step.addr, output.cat(step.out), used + 1, false);
                        } else if used > 0 {
                            go(step.addr, output.cat(step.out), used, false);
                        }
                    }
                }
                LetterMatch::Typo if !erred => {
                    // One letter too many.
                    go(addr, output, used + 1, true);
                    for step in node.transitions() {
                        let (to, output) = (step.addr, output.cat(step.out));
                        if step.inp == *wanted {
                            go(to, output, used + 1, false);
                            continue;
                        }
                        // One letter missing, one replaced, two transposed.
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
                LetterMatch::Exact | LetterMatch::Typo => {
                    if let Some(step) = node.find_input(*wanted).map(|at| node.transition(at)) {
                        go(step.addr, output.cat(step.out), used + 1, erred);
                    }
                }
            }
        }
        keys
    }
}

/// How typed letters match those of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterMatch {
    Exact,
    /// With at most one typing error.
    Typo,
    /// With others between them.
    Scattered,
}

/// Keeps a name if it is the best match of its entity so far; of equal matches, the first name.
fn keep_best_fit(found: &mut BestFits, fit: NameFit, posting: Posting) {
    let best = found.entry(posting.entity).or_insert((fit, posting));
    if (fit, posting.name) < (best.0, best.1.name) {
        *best = (fit, posting);
    }
}

/// Whether a folded text occurs in a folded name at the beginning of a word.
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
            prop_assert!(found.len() <= most.min(MOST_COMPLETIONS));
            let distinct: HashSet<EntityId> = found.iter().map(|completion| completion.entity).collect();
            prop_assert_eq!(distinct.len(), found.len());
        }
    }
}
