//! The library: the collections that questions use, opened once, and the passages that they hold.

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use super::claim::Agreement;
use super::collection::Collection;
use super::error::CollectionError;
use super::search::{Advisor, Communities, Lengths, Passage, SearchMethod, SearchOptions, Searcher, SharedEncoder};
use super::stating::Sought;
use super::store::DocumentStore;
use crate::graph::Graph;
use crate::model::StaticEncoder;
use crate::run::{PassageKey, QuotedPassage, StoredDocument, StoredSection};

/// The most sentences of a collection that are offered for one statement.
const MOST_STATING: usize = 8;

/// Open collections. Cheap to share behind an `Arc`.
#[derive(Default)]
pub struct Library {
    shelves: Vec<Shelf>,
    /// Loaded with the first search.
    encoder: OnceLock<SharedEncoder>,
}

struct Shelf {
    name: String,
    collection: Collection,
    lengths: Lengths,
    communities: Arc<OnceLock<Communities>>,
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").field("collections", &self.names().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}

impl Library {
    /// Opens stored collections.
    ///
    /// # Errors
    /// If one of them does not exist or cannot be used.
    pub fn open(store: &DocumentStore, names: &[String]) -> Result<Self, CollectionError> {
        let open = |name: &String| Ok::<_, CollectionError>((name.clone(), store.open(name)?));
        let collections: Result<Vec<_>, _> = names.iter().map(open).collect();
        Ok(Self::of(collections?))
    }

    /// A library of these collections.
    pub fn of(collections: Vec<(String, Collection)>) -> Self {
        let shelf = |(name, collection): (String, Collection)| Shelf {
            name,
            lengths: Lengths::of(&collection),
            collection,
            communities: Arc::default(),
        };
        Self { shelves: collections.into_iter().map(shelf).collect(), encoder: OnceLock::new() }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.shelves.is_empty()
    }

    /// The names of its collections.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shelves.iter().map(|shelf| shelf.name.as_str())
    }

    /// The name of each collection, with a number that changes with its bytes.
    pub fn identities(&self) -> Vec<String> {
        self.shelves.iter().map(|shelf| format!("{} {:016x}", shelf.name, shelf.collection.identity())).collect()
    }

    /// A collection by its name.
    pub fn collection(&self, name: &str) -> Option<&Collection> {
        self.shelves.iter().find(|shelf| shelf.name == name).map(|shelf| &shelf.collection)
    }

    /// A stored document; `None` if there is none.
    pub fn stored(&self, collection: &str, document: &str) -> Option<StoredDocument> {
        let document = self.collection(collection)?.document(document)?;
        let sections = document.sections.into_iter().map(|section| StoredSection { name: section.name, text: section.text });
        let (title, source, date, url) = (document.title, document.source, document.date, document.url);
        Some(StoredDocument { title, source, date, url, sections: sections.collect() })
    }

    /// The passage at a place, word for word; `None` if there is none (any more).
    pub fn passage(&self, key: &PassageKey) -> Option<QuotedPassage> {
        let document = self.collection(&key.collection)?.document(&key.document)?;
        let length = key.end.checked_sub(key.start).filter(|length| *length > 0)?;
        let section = document.sections.iter().filter(|section| section.name == key.section).nth(key.nth)?;
        let text: String = section.text.chars().skip(key.start).take(length).collect();
        if text.chars().count() < length {
            return None;
        }
        let (nth, start, end) = (key.nth, key.start, key.end);
        let (collection, section) = (key.collection.clone(), key.section.clone());
        Some(QuotedPassage {
            collection,
            document: document.id,
            title: document.title,
            section,
            nth,
            date: document.date,
            url: document.url,
            start,
            end,
            text,
        })
    }

    /// The other evidence of a found passage's unit as passages, the best first.
    pub fn others(&self, passage: &QuotedPassage, found: &Passage) -> Vec<QuotedPassage> {
        let document = self.collection(&passage.collection).and_then(|collection| collection.document(&passage.document));
        let sections = document.into_iter().flat_map(|document| document.sections);
        let Some(section) = sections.filter(|section| section.name == passage.section).nth(passage.nth) else { return Vec::new() };
        let other = |span: &Range<usize>| {
            let text = section.text.get(span.clone())?.to_owned();
            let characters = Collection::in_characters(&section.text, span.clone());
            Some(QuotedPassage { start: characters.start, end: characters.end, text, ..passage.clone() })
        };
        found.others.iter().filter_map(other).collect()
    }

    /// What the documents say of a claim, and the sentence that says so: `true` if it states the claim, `false` if it says otherwise. `None`: nothing.
    pub fn on_claim(&self, claim: &str) -> Option<(bool, QuotedPassage)> {
        let mut best: Option<(Agreement, usize, QuotedPassage)> = None;
        for shelf in &self.shelves {
            let Some((agreement, agreeing, evidence)) = shelf.collection.on_claim(&shelf.lengths, claim) else { continue };
            let is_better = best.as_ref().is_none_or(|(known, most, _)| agreement < *known || (agreement == *known && agreeing > *most));
            if let Some(passage) = shelf.quoted(evidence).filter(|_| is_better) {
                best = Some((agreement, agreeing, passage));
            }
        }
        best.map(|(agreement, _, passage)| (agreement == Agreement::States, passage))
    }

    /// The sentence that states best what is sought and that `wanted` accepts; of collections that state it equally well, the first.
    pub fn stating(&self, sought: &Sought, wanted: impl Fn(&QuotedPassage) -> bool) -> Option<QuotedPassage> {
        self.best(|collection| collection.stating(sought, MOST_STATING), wanted)
    }

    /// The sentence that denies what is sought; `None` if none does.
    pub fn denying(&self, sought: &Sought) -> Option<QuotedPassage> {
        self.best(|collection| collection.denying(sought, MOST_STATING), |_| true)
    }

    fn best(
        &self,
        candidates: impl Fn(&Collection) -> Vec<super::stating::Stating>,
        wanted: impl Fn(&QuotedPassage) -> bool,
    ) -> Option<QuotedPassage> {
        let mut best = None;
        for shelf in &self.shelves {
            let candidates = candidates(&shelf.collection);
            let found = candidates.into_iter().find_map(|one| {
                let passage = shelf.quoted(one.evidence).filter(|passage| wanted(passage))?;
                Some((one, passage))
            });
            if let Some(found) = found
                && best.as_ref().is_none_or(|(known, _): &(super::stating::Stating, QuotedPassage)| found.0.is_better_than(known))
            {
                best = Some(found);
            }
        }
        best.map(|(_, passage)| passage)
    }

    /// The passages that answer a question best, of all collections, the best first, each with what the search says of it. Names are recognised by the
    /// graph, too.
    ///
    /// # Errors
    /// If the built-in encoder fails.
    pub fn search(
        &self,
        graph: &Graph,
        question: &str,
        method: SearchMethod,
        options: &SearchOptions,
    ) -> Result<Vec<(QuotedPassage, Passage)>, CollectionError> {
        self.advised_search(graph, question, (method, options), None)
    }

    /// As [`Self::search`]; with `idep`, an advisor names search terms and features, as far as it can.
    ///
    /// # Errors
    /// If the built-in encoder fails.
    pub fn advised_search(
        &self,
        graph: &Graph,
        question: &str,
        (method, options): (SearchMethod, &SearchOptions),
        mut advisor: Option<&mut dyn Advisor>,
    ) -> Result<Vec<(QuotedPassage, Passage)>, CollectionError> {
        let mut found: Vec<(QuotedPassage, Passage)> = Vec::new();
        if self.is_empty() {
            return Ok(found);
        }
        let encoder = match self.encoder.get() {
            Some(encoder) => Arc::clone(encoder),
            None => {
                let loaded = Arc::new(Mutex::new(StaticEncoder::built_in()?));
                Arc::clone(self.encoder.get_or_init(|| loaded))
            }
        };
        for shelf in &self.shelves {
            let mut searcher =
                Searcher::with(&shelf.collection, graph, Arc::clone(&encoder), shelf.lengths, Arc::clone(&shelf.communities));
            let passages = match &mut advisor {
                Some(advisor) => searcher.advised_search(question, method, options, Some(&mut **advisor))?,
                None => searcher.search(question, method, options)?,
            };
            found.extend(passages.into_iter().map(|passage| (shelf.passage(&passage), passage)));
        }
        // Stable: of equal ones, the collection that was named first.
        found.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
        found.truncate(options.limit);
        Ok(found)
    }
}

impl Shelf {
    fn passage(&self, passage: &Passage) -> QuotedPassage {
        QuotedPassage {
            collection: self.name.clone(),
            document: passage.document.clone(),
            title: passage.title.clone(),
            section: passage.section.clone(),
            nth: passage.nth,
            date: passage.date.clone(),
            url: passage.url.clone(),
            start: passage.characters.start,
            end: passage.characters.end,
            text: passage.text.clone(),
        }
    }

    /// A piece of evidence as a passage.
    fn quoted(&self, evidence: u32) -> Option<QuotedPassage> {
        let row = self.collection.piece(evidence)?;
        let section = self.collection.section(row.section)?;
        let span: Range<usize> = row.start as usize..row.end as usize;
        let text = section.text.get(span.clone())?.to_owned();
        let characters = Collection::in_characters(section.text, span);
        Some(QuotedPassage {
            collection: self.name.clone(),
            document: section.document.to_owned(),
            title: section.title.to_owned(),
            section: section.name.to_owned(),
            nth: self.collection.nth_of_name(row.section),
            date: section.date.to_owned(),
            url: section.url.to_owned(),
            start: characters.start,
            end: characters.end,
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Document, Section};
    use crate::graph::starter_graph;

    const FIRST: &str = "Asthma narrows the airways.";
    const SECOND: &str = "Help is near: 5 µg do it. Salbutamol opens the airways within some minutes.";

    #[test]
    fn a_passage_is_read_back_from_its_own_section_where_others_have_the_same_name() {
        let graph = starter_graph().expect("a graph");
        let sections = [("information", FIRST), ("symptoms", "Wheeze and cough at night."), ("information", SECOND)];
        let section = |(name, text): (&str, &str)| Section { name: name.into(), heading: String::new(), text: text.into() };
        let document = Document {
            id: "a".into(),
            title: "Asthma".into(),
            date: "2024-05-01".into(),
            sections: sections.into_iter().map(section).collect(),
            ..Document::default()
        };
        let collection = Collection::build("mine", &[document], &graph, &|_| true).expect("builds");
        let library = Library::of(vec![("mine".into(), collection)]);
        let characters = |text: &str, key: &PassageKey| text.chars().skip(key.start).take(key.end - key.start).collect::<String>();

        for method in [SearchMethod::Bm25, SearchMethod::default()] {
            let found = library.search(&graph, "Does salbutamol open the airways?", method, &SearchOptions::default()).expect("searches");
            let (found, passage) = found.into_iter().find(|(passage, _)| passage.nth == 1).expect("the second of this name");
            let others = library.others(&found, &passage);
            assert_eq!(others.iter().map(|other| other.text.as_str()).collect::<Vec<_>>(), ["Help is near: 5 µg do it."]);
            assert_eq!(others.iter().filter_map(|other| library.passage(&other.key())).collect::<Vec<_>>(), others, "verbatim");
            assert_eq!((found.section.as_str(), found.text.as_str()), ("information", characters(SECOND, &found.key()).as_str()));
            assert_eq!(library.passage(&found.key()), Some(found), "read back as it was found");
        }
        let (states, on_claim) = library.on_claim("Salbutamol opens the airways within some minutes.").expect("a sentence");
        assert!(states && on_claim.nth == 1, "{on_claim:?}");
        assert_eq!(on_claim.text, characters(SECOND, &on_claim.key()), "verbatim at its place");
        assert_eq!(library.passage(&on_claim.key()), Some(on_claim));

        // A key from before sections of one name were told apart.
        let old = r#"{"collection":"mine","document":"a","section":"information","start":0,"end":6}"#;
        let old: PassageKey = serde_json::from_str(old).expect("a key");
        assert_eq!(library.passage(&old).map(|passage| (passage.nth, passage.text)), Some((0, "Asthma".to_owned())));
        let too_long = PassageKey { end: FIRST.chars().count() + 1, ..old.clone() };
        assert_eq!(library.passage(&too_long), None, "never another section's text");
        assert_eq!(library.passage(&PassageKey { nth: 2, ..old }), None);
    }
}
