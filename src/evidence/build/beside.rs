//! Builds an addition: the documents that are new or replaced, and those of the base that name what the new ones are about, read as if all
//! documents were read at once.

use std::collections::{BTreeMap, BTreeSet};

use fst::{Map, Streamer};
use rayon::prelude::*;

use super::entities::{Found, Subjects, in_graph};
use super::{BuildStep, CollectionMeta, WithoutEvidence, go_on, laid_out, put};
use crate::evidence::document::Document;
use crate::evidence::error::CollectionError;
use crate::evidence::label::Label;
use crate::evidence::layers::{Added, Beside, Layer, base_of};
use crate::evidence::names::{Names, forms, key, longest_at};
use crate::evidence::reading::Reading;
use crate::evidence::segment::{PARTS, Part, Segment};
use crate::evidence::terms::{term_of, terms};
use crate::graph::{Graph, stem};
use crate::text::tokenise;

/// The most documents of an addition, so that it is soon written …
const MOST: usize = 500;
/// … and the part of the base that it may reach, by documents and by text: a search reads both, and a merge must be worth its time.
const SHARE: usize = 8;

/// Builds the addition with these documents, each by the number of the one that it replaces in the base; new ones have the numbers after it.
/// `None`: it would be too large, or something would have to change in the base; then all documents must be read again.
///
/// # Errors
/// As [`super::build`].
pub(in crate::evidence) fn build_beside(
    base: &Layer,
    own: &BTreeMap<u32, Document>,
    graph: &Graph,
    wanted: &(dyn Fn(BuildStep) -> bool + Sync),
) -> Result<Option<Segment>, CollectionError> {
    let known = base.documents().len();
    if !is_small(base, own) || own.range(..known as u32).any(|(place, document)| loses_names(base, *place, document)) {
        return Ok(None);
    }
    go_on(wanted, BuildStep::Reading(own.len()))?;
    let mut heads: Vec<Document> = base.documents().iter().map(|row| base.head_of(row)).collect();
    for (place, document) in own {
        let head = Document { sections: Vec::new(), ..document.clone() };
        match heads.get_mut(*place as usize) {
            Some(replaced) => *replaced = head,
            None => heads.push(head),
        }
    }
    let subjects = Subjects::of(&heads, graph);
    let Some(naming) = naming(base, &gained(base, own, &subjects), own) else { return Ok(None) };
    let mut all = own.clone();
    all.extend(naming);
    if !is_small(base, &all) {
        return Ok(None);
    }
    let subjects = subjects.only(&all.keys().map(|place| *place as usize).collect::<Vec<_>>());
    let places: Vec<u32> = all.keys().map(|place| (*place).min(known as u32)).collect();
    let replaces = own.range(..known as u32).map(|(_, document)| document.id.clone()).collect();
    let documents: Vec<Document> = all.into_values().collect();
    let (_, mut parts) = laid_out(&base.meta.name, &documents, &subjects, (graph, &Reading::default()), wanted)?;
    let beside = Beside { base: base_of(base), places, replaces, whole: CollectionMeta::default() };
    let layer = Layer::of(Segment::assemble(parts.clone()), &base.meta.name)?;
    let Some(added) = Added::over(base, layer, beside.clone()) else { return Ok(None) };
    let beside = Beside { whole: whole(base, &added, (&heads, graph)), ..beside };
    Ok(Some(with_beside(&mut parts, &beside)))
}

fn with_beside(parts: &mut [Vec<u8>; PARTS], beside: &Beside) -> Segment {
    put(parts, Part::Beside, serde_json::to_vec(beside).unwrap_or_default());
    Segment::assemble(std::mem::replace(parts, std::array::from_fn(|_| Vec::new())))
}

fn is_small(base: &Layer, documents: &BTreeMap<u32, Document>) -> bool {
    let text: usize = documents.values().flat_map(|document| &document.sections).map(|section| section.text.len()).sum();
    let share = |part: usize, whole: usize| part.saturating_mul(SHARE) <= whole;
    documents.len() <= MOST && share(documents.len(), base.documents().len()) && share(text, base.segment.raw(Part::Text).len())
}

/// Whether a name of what the replaced document is about would be gone. It may be named in any other document, and be any other's too.
fn loses_names(base: &Layer, place: u32, document: &Document) -> bool {
    base.documents()
        .get(place as usize)
        .map(|row| base.head_of(row))
        .is_none_or(|before| before.title != document.title || !before.aliases.iter().all(|alias| document.aliases.contains(alias)))
}

/// The keys of names, of what these documents are about and the graph does not know, that the base does not look for.
fn gained(base: &Layer, own: &BTreeMap<u32, Document>, subjects: &Subjects) -> BTreeSet<String> {
    let mut gained = BTreeSet::new();
    for (place, document) in own {
        let main = subjects.of_document.get(*place as usize).and_then(|about| about.first());
        let Some(Found::Own(number)) = main else { continue };
        let Some(title) = subjects.titles.get(*number as usize) else { continue };
        for key in std::iter::once(&document.title).chain(&document.aliases).flat_map(|name| forms(name)).filter_map(key) {
            if !base.of_key(&key).iter().any(|entity| base.entity_name(*entity) == title) {
                gained.insert(key);
            }
        }
    }
    gained
}

/// The documents of the base whose texts have one of these names, but for those that are replaced; `None` if that cannot be looked up.
fn naming(base: &Layer, keys: &BTreeSet<String>, own: &BTreeMap<u32, Document>) -> Option<BTreeMap<u32, Document>> {
    let mut documents: BTreeSet<u32> = BTreeSet::new();
    let mut names = Names::default();
    for key in keys {
        documents.extend(with_words(base, key)?.into_iter().filter(|document| !own.contains_key(document)));
        names.add_key(key.clone(), 0);
    }
    let map = Map::new(names.parts().map).ok()?;
    let documents: Vec<u32> = documents.into_iter().collect();
    let named = |place: &u32| {
        let document = base.document_of(base.documents().get(*place as usize)?);
        let has_name = document.sections.iter().any(|section| {
            let tokens = tokenise(&section.text);
            (0..tokens.len()).any(|at| longest_at(&map, &tokens, at).is_some())
        });
        has_name.then_some((*place, document))
    };
    Some(documents.par_iter().filter_map(named).collect())
}

/// The documents of the base whose texts have all words of a name; `None` if the index has none of the words.
fn with_words(base: &Layer, key: &str) -> Option<Vec<u32>> {
    let mut all: Option<Vec<u32>> = None;
    for word in key.split(' ') {
        let Some(terms) = terms_like(word) else { continue };
        let mut own: Vec<u32> = terms
            .iter()
            .flat_map(|term| base.postings(term))
            .filter(|posting| posting.body > 0)
            .filter_map(|posting| Some(base.sections().get(base.units().get(posting.unit as usize)?.section as usize)?.document))
            .collect();
        own.sort_unstable();
        own.dedup();
        all = Some(match all {
            Some(all) => all.into_iter().filter(|document| own.binary_search(document).is_ok()).collect(),
            None => own,
        });
    }
    all
}

/// The terms of the words whose stem in names this is; `None` if one of them is no term.
fn terms_like(stemmed: &str) -> Option<BTreeSet<String>> {
    let words = ["", "s", "e", "es"].map(|ending| format!("{stemmed}{ending}"));
    words.iter().filter(|word| stem(word) == stemmed).map(|word| term_of(word)).collect()
}

/// What base and addition are together.
fn whole(base: &Layer, added: &Added, (heads, graph): (&[Document], &Graph)) -> CollectionMeta {
    let (there, own) = (&base.meta, &added.layer.meta);
    let in_graph = |layer: &Layer, entity: u32| usize::from(in_graph(graph, layer.entity_name(entity)).is_some());
    let graph_lost: usize = added.entities.removed().iter().map(|entity| in_graph(base, *entity)).sum();
    let graph_new: usize = added.entities.only_added().map(|entity| in_graph(&added.layer, entity)).sum();
    let removed = || added.sections.removed().iter().filter_map(|section| base.sections().get(*section as usize));
    let unlabelled = removed().filter(|section| Label::of_number(section.label) == Label::NONE).count();
    CollectionMeta {
        documents: added.documents.len(),
        sections: added.sections.len(),
        units: added.units.len(),
        evidence: added.evidence.len(),
        entities: added.entities.len(),
        graph_entities: (there.graph_entities + graph_new).saturating_sub(graph_lost),
        topics: added.topics.len(),
        edges: added.edge_count(base),
        terms: term_count(base, added),
        without_label: (there.without_label + own.without_label).saturating_sub(unlabelled),
        without_evidence: without_evidence(base, added, heads),
        ..there.clone()
    }
}

/// How many terms there are: those of the base, less those that only replaced documents have, and those of the addition alone.
fn term_count(base: &Layer, added: &Added) -> usize {
    let mut changed: BTreeSet<String> = BTreeSet::new();
    for row in added.documents.removed().iter().filter_map(|document| base.documents().get(*document as usize)) {
        let document = base.document_of(row);
        changed.extend(std::iter::once(&document.title).chain(&document.aliases).flat_map(|name| terms(name)));
        for section in &document.sections {
            changed.extend(terms(&section.text));
            changed.extend([&section.name, &section.heading].into_iter().flat_map(|heading| terms(&heading.replace('_', " "))));
        }
    }
    if let Some(map) = added.layer.terms() {
        let mut stream = map.stream();
        while let Some((term, _)) = stream.next() {
            changed.insert(String::from_utf8_lossy(term).into_owned());
        }
    }
    let mut count = base.meta.terms;
    for term in &changed {
        let before = base.postings(term);
        let is_left = !added.layer.postings(term).is_empty() || before.iter().any(|posting| !added.units.is_removed(posting.unit));
        match (before.is_empty(), is_left) {
            (true, true) => count += 1,
            (false, false) => count = count.saturating_sub(1),
            _ => {}
        }
    }
    count
}

/// The documents that gave nothing, in the order of the collection.
fn without_evidence(base: &Layer, added: &Added, heads: &[Document]) -> BTreeMap<String, WithoutEvidence> {
    let own: BTreeSet<&str> = added.layer.documents().iter().map(|row| added.layer.string(row.id)).collect();
    let mut reasons: BTreeMap<&str, &str> = BTreeMap::new();
    for (why, without) in &base.meta.without_evidence {
        reasons.extend(without.documents.iter().filter(|id| !own.contains(id.as_str())).map(|id| (id.as_str(), why.as_str())));
    }
    for (why, without) in &added.layer.meta.without_evidence {
        reasons.extend(without.documents.iter().map(|id| (id.as_str(), why.as_str())));
    }
    let mut all: BTreeMap<String, WithoutEvidence> = BTreeMap::new();
    for (document, why) in heads.iter().filter_map(|document| Some((document, reasons.get(document.id.as_str())?))) {
        let those = all.entry((*why).to_owned()).or_default();
        those.count += 1;
        those.documents.push(document.id.clone());
    }
    all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_word_is_found_by_the_stem_that_names_give_it(word in "[a-z]{1,7}(s|e|es|sses|xes|ches)?") {
            if let (Some(terms), Some(term)) = (terms_like(stem(&word)), term_of(&word)) {
                prop_assert!(terms.contains(&term), "{} {:?}", word, terms);
            }
        }
    }
}
