//! A base with an addition is the collection that one import of all documents makes, number for number.

use std::path::Path;
use std::sync::LazyLock;

use fst::Streamer;
use proptest::prelude::*;

use crate::config::Paths;
use crate::evidence::{
    BuildStep, Change, Collection, CollectionError, Document, DocumentStore, Library, SearchMethod, SearchOptions, Searcher, Section,
};
use crate::graph::{Graph, GraphBuilder, starter_graph};

static GRAPH: LazyLock<Graph> = LazyLock::new(|| starter_graph().expect("a graph"));

const TITLES: [&str; 10] = [
    "Asthma",
    "Warfarin",
    "Hypertension",
    "Zorbazine",
    "zorbazine",
    "Zorbazine syndrome",
    "Quelloma (quell fever)",
    "Notes on everything",
    "Ibuprofen",
    "",
];
const ALIASES: [&str; 4] = ["Zorba drops", "Brufen", "Quellomas", "High blood pressure"];
const NAMES: [&str; 5] = ["symptoms", "treatment", "drug_interactions", "Notes", "adverse_reactions"];
const SENTENCES: [&str; 12] = [
    "Zorbazine raises the level of warfarin.",
    "Quell fever may cause wheeze at night.",
    "Give ibuprofen for pain, but never with warfarin.",
    "Asthma narrows the airways and brings a cough.",
    "The zorbazine syndrome is rare.",
    "Zorba drops help in hypertension.",
    "Quellomas are seen in asthma.",
    "Rareword stands here alone.",
    "Another rareword lowers the blood pressure.",
    "Monitor the INR closely when ibuprofen is given with warfarin.",
    "Zzxq vvkj qqwx.",
    "Salbutamol opens the airways within some minutes.",
];
const QUESTIONS: [&str; 5] = [
    "What are the symptoms of asthma?",
    "Can zorbazine be given with warfarin?",
    "How is quell fever treated, and what of quelloma?",
    "rareword wheeze at nihgt",
    "Which drugs lower high blood pressure?",
];
const CLAIMS: [&str; 2] = ["Zorbazine raises the level of warfarin.", "Zorba drops do not help in hypertension."];

fn go(_: BuildStep) -> bool {
    true
}

fn document(id: usize, title: &str, aliases: &[&str], sections: &[(&str, &str)]) -> Document {
    let section = |(name, text): &(&str, &str)| Section { name: (*name).into(), heading: String::new(), text: (*text).into() };
    let aliases = aliases.iter().map(|alias| (*alias).to_owned()).collect();
    let sections = sections.iter().map(section).collect();
    let document = Document { id: format!("d{id:02}"), title: title.into(), aliases, sections, ..Document::default() };
    document.checked().expect("usable")
}

prop_compose! {
    fn any_document(ids: std::ops::Range<usize>)(
        id in ids,
        title in 0..TITLES.len(),
        aliases in prop::collection::vec(0..ALIASES.len(), 0..2),
        sections in prop::collection::vec((0..NAMES.len(), prop::collection::vec(0..SENTENCES.len(), 1..4)), 1..3),
    ) -> Document {
        let aliases: Vec<&str> = aliases.into_iter().map(|alias| ALIASES[alias]).collect();
        let texts: Vec<(&str, String)> = sections
            .into_iter()
            .map(|(name, text)| (NAMES[name], text.into_iter().map(|at| SENTENCES[at]).collect::<Vec<_>>().join(" ")))
            .collect();
        let sections: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
        document(id, TITLES[title], &aliases, &sections)
    }
}

/// Sentences of [`SENTENCES`] with names that are no titles in the base.
const UNKNOWN: [usize; 4] = [1, 4, 5, 6];

/// The documents of a base: enough of them for additions, and few with names that may come to be titles.
fn base_documents() -> Vec<Document> {
    (0..56)
        .map(|id| {
            let names_unknown = id % 23 == 4;
            let at = |step: usize| match (id * step + id / 7) % SENTENCES.len() {
                at if UNKNOWN.contains(&at) && !names_unknown => SENTENCES[11],
                at => SENTENCES[at],
            };
            let more = if names_unknown { UNKNOWN.map(|at| SENTENCES[at]).join(" ") } else { String::new() };
            let text = format!("{} {} It was seen {id} times in all of the many years. {} {more}", at(1), at(5), at(7));
            let aliases = if id % 9 == 3 { vec![ALIASES[1 + 2 * (id % 2)]] } else { Vec::new() };
            let title = if id % 5 == 0 { format!("Subject{id}") } else { TITLES[[0, 1, 2, 7, 8, 9, 3][id % 7]].to_owned() };
            document(id, &title, &aliases, &[(NAMES[id % 5], &text), (NAMES[(id + 1) % 5], at(3))])
        })
        .collect()
}

/// What a collection of these documents becomes by adding others.
fn added_to(documents: &mut Vec<Document>, new: &[Document]) {
    for document in new {
        match documents.iter_mut().find(|known| known.id == document.id) {
            Some(known) => known.clone_from(document),
            None => documents.push(document.clone()),
        }
    }
}

/// Everything that a search reads.
fn assert_same(found: &Collection, whole: &Collection) {
    assert_eq!(found.meta(), whole.meta());
    assert!(found.documents().eq(whole.documents()) && found.ids().eq(whole.ids()));
    for section in 0..=whole.meta().sections as u32 {
        assert_eq!(found.section(section), whole.section(section), "section {section}");
        assert_eq!((found.nth_of_name(section), found.subjects_of(section)), (whole.nth_of_name(section), whole.subjects_of(section)));
        let row = |collection: &Collection| {
            let row = collection.section_row(section)?;
            let (first, evidence) = collection.evidence_of(section);
            let evidence: Vec<(u32, u32)> = evidence.iter().map(|row| (row.start, row.end)).collect();
            Some((row.document, row.label, row.units, (row.units > 0).then_some(row.first_unit), first, evidence))
        };
        assert_eq!(row(found), row(whole), "section {section}");
    }
    for unit in 0..=whole.meta().units as u32 {
        let row = |collection: &Collection| collection.unit(unit).map(|row| bytemuck::bytes_of(&row).to_vec());
        assert_eq!((row(found), found.unit_vector(unit)), (row(whole), whole.unit_vector(unit)), "unit {unit}");
    }
    for piece in 0..=whole.meta().evidence as u32 {
        let row = |collection: &Collection| collection.piece(piece).map(|row| (row.section, row.start, row.end));
        assert_eq!(row(found), row(whole), "piece {piece}");
    }
    for entity in 0..=whole.meta().entities as u32 {
        let of = |c: &Collection| [c.entity_name(entity), c.entity_kind(entity), c.entity_identifier(entity)].map(str::to_owned);
        assert_eq!(of(found), of(whole), "entity {entity}");
        let edges = |c: &Collection| c.edges_of_entity(entity).iter().collect::<Vec<_>>();
        assert_eq!(edges(found), edges(whole), "entity {entity}");
    }
    for topic in 0..=whole.meta().topics as u32 {
        let of = |c: &Collection| {
            (c.topic_row(topic), c.evidence_of_topic(topic).into_owned(), c.edges_of_topic(topic).iter().collect::<Vec<_>>())
        };
        assert_eq!(of(found), of(whole), "topic {topic}");
    }
    let mut terms = 0;
    for layer in [Some(&found.base), found.added.as_deref().map(|added| &added.layer), Some(&whole.base)].into_iter().flatten() {
        let mut stream = layer.terms().expect("terms").stream();
        terms = 0;
        while let Some((term, _)) = stream.next() {
            let term = std::str::from_utf8(term).expect("text");
            assert_eq!(found.postings(term), whole.postings(term), "{term}");
            terms += 1;
        }
        let mut stream = layer.names().expect("names").stream();
        while let Some((key, _)) = stream.next() {
            let key = std::str::from_utf8(key).expect("text");
            assert_eq!(found.of_key(key), whole.of_key(key), "{key}");
        }
    }
    assert_eq!(terms, whole.meta().terms);
    for text in SENTENCES {
        assert_eq!(found.names_in(text), whole.names_in(text), "{text}");
    }
}

/// What is found.
fn assert_finds_the_same(found: &Collection, whole: &Collection) {
    let methods =
        ["idep-exact", "idep-neighbours-n1", "idep-published-cosine"].map(|method| method.parse::<SearchMethod>().expect("a method"));
    let mut searchers = [found, whole].map(|collection| Searcher::new(collection, &GRAPH).expect("a searcher"));
    for method in SearchMethod::ALL.into_iter().chain(methods) {
        for question in QUESTIONS {
            let [one, other] =
                searchers.each_mut().map(|searcher| searcher.search(question, method, &SearchOptions::default()).expect("searches"));
            assert_eq!(one, other, "{method}: {question}");
        }
    }
    let [one, other] = [found, whole].map(|collection| {
        let library = Library::of(vec![("t".into(), collection.clone())]);
        CLAIMS.map(|claim| library.on_claim(claim))
    });
    assert_eq!(one, other);
}

fn store() -> (tempfile::TempDir, DocumentStore) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = DocumentStore::of(&Paths::under(folder.path()));
    store.add("t", base_documents(), &GRAPH, &go).expect("adds");
    (folder, store)
}

/// Whether a text is in a file of a folder.
fn holds(folder: &Path, text: &str) -> bool {
    std::fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        let path = entry.path();
        let in_file = || std::fs::read(&path).is_ok_and(|bytes| bytes.windows(text.len()).any(|w| w.eq_ignore_ascii_case(text.as_bytes())));
        if path.is_dir() { holds(&path, text) } else { in_file() }
    })
}

fn addition(store: &DocumentStore) -> Option<Vec<u8>> {
    std::fs::read(crate::evidence::collection::added_beside(&store.file("t"))).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn added_and_replaced_documents_are_found_as_if_all_were_imported_at_once(
        new in prop::collection::vec(prop::collection::vec(prop_oneof![any_document(0..56), any_document(56..62)], 1..3), 1..4),
        same_title in any::<bool>(),
    ) {
        let (_folder, store) = store();
        let mut documents = base_documents();
        for mut new in new {
            // Most documents that are replaced keep their names.
            for document in new.iter_mut().filter(|_| same_title) {
                if let Some(known) = documents.iter().find(|known| known.id == document.id) {
                    document.title.clone_from(&known.title);
                    document.aliases.clone_from(&known.aliases);
                }
            }
            new.dedup_by(|one, other| one.id == other.id);
            added_to(&mut documents, &new);
            let (told, _) = store.add("t", new, &GRAPH, &go).expect("adds");
            let whole = Collection::build("t", &documents, &GRAPH, &go).expect("builds");
            assert_same(&told, &whole);
            let opened = store.open("t").expect("opens");
            opened.verify().expect("intact");
            assert_same(&opened, &whole);
            assert_finds_the_same(&opened, &whole);
        }
    }
}

#[test]
fn one_document_leaves_the_base_as_it_is_and_is_found_by_its_name_in_older_ones() {
    let (_folder, store) = store();
    let before = std::fs::read(store.file("t")).expect("a file");
    let new = document(90, "Zorbazine syndrome", &[], &[("symptoms", "A blue tongue, and a cough.")]);
    let (collection, change) = store.add("t", vec![new.clone()], &GRAPH, &go).expect("adds");
    assert_eq!(change, Change { added: 1, ..Change::default() });
    assert_eq!(std::fs::read(store.file("t")).expect("a file"), before);
    let added = collection.added.as_ref().expect("an addition");
    assert!(added.layer.meta.documents > 1, "older documents name the syndrome");
    assert!(added.layer.meta.documents < 10 && added.beside.replaces.is_empty(), "{:?}", added.beside.places);
    let mut documents = base_documents();
    added_to(&mut documents, std::slice::from_ref(&new));
    assert_same(&collection, &Collection::build("t", &documents, &GRAPH, &go).expect("builds"));

    let bytes = addition(&store).expect("an addition");
    let (_, change) = store.add("t", vec![new.clone()], &GRAPH, &go).expect("adds");
    assert_eq!(change, Change { unchanged: 1, ..Change::default() });
    assert_eq!(addition(&store), Some(bytes.clone()), "the same documents, the same bytes");
    // By another way to the same documents.
    let other = document(91, "Asthma", &[], &[("treatment", "Breathe out slowly.")]);
    store.add("t", vec![other.clone()], &GRAPH, &go).expect("adds");
    let (_again, second) = self::store();
    second.add("t", vec![new, other], &GRAPH, &go).expect("adds");
    assert_ne!(addition(&store), Some(bytes));
    assert_eq!(addition(&store), addition(&second));
}

#[test]
fn a_replaced_text_is_shown_nowhere_and_a_removed_one_is_in_no_file() {
    let (folder, store) = store();
    let was = store.open("t").expect("opens").document("d08").expect("a document");
    let with = |text: &str| {
        let mut sections = was.sections.clone();
        sections[0].text = text.into();
        Document { sections, ..was.clone() }
    };
    let old = "It was seen 8 times in all of the many years.";
    let text = "Secretword lowers the pressure of patient Smith.";
    let (collection, change) = store.add("t", vec![with(text)], &GRAPH, &go).expect("adds");
    assert_eq!(change, Change { replaced: 1, ..Change::default() });
    let added = collection.added.as_ref().expect("an addition");
    assert_eq!(added.beside.replaces, ["d08"]);
    let shows = |collection: &Collection, text: &str| {
        let documents: Vec<String> = collection.documents().flat_map(|d| d.sections).map(|section| section.text).collect();
        let mut searcher = Searcher::new(collection, &GRAPH).expect("a searcher");
        let options = SearchOptions { limit: 100, ..SearchOptions::default() };
        let found = SearchMethod::ALL.into_iter().flat_map(|method| searcher.search(text, method, &options).expect("searches"));
        let found: Vec<String> = found.map(|passage| passage.text).collect();
        documents.into_iter().chain(found).any(|shown| shown.contains(text))
    };
    assert!(!shows(&collection, old) && shows(&collection, text));
    assert!(!shows(&store.open("t").expect("opens"), old));
    assert_eq!(collection.meta().documents, 56);

    // Put back, nothing is beside the base.
    let (collection, _) = store.add("t", vec![was.clone()], &GRAPH, &go).expect("adds");
    assert!(collection.added.is_none() && addition(&store).is_none() && !holds(folder.path(), "secretword"));

    store.add("t", vec![with(text)], &GRAPH, &go).expect("adds");
    assert!(holds(folder.path(), "secretword"));
    let (collection, change) = store.remove("t", &["d08".into()], &GRAPH, &go).expect("removes");
    assert_eq!((change.removed, collection.added.is_none(), addition(&store)), (1, true, None));
    assert!(!holds(folder.path(), "secretword") && !holds(folder.path(), old));
    let left: Vec<Document> = base_documents().into_iter().filter(|document| document.id != "d08").collect();
    let whole = Collection::build("t", &left, &GRAPH, &go).expect("builds");
    assert_eq!(std::fs::read(store.file("t")).expect("a file"), whole.bytes(), "as one import of what is left");

    store.add("t", vec![document(95, "Asthma", &[], &[("treatment", "Secretword again.")])], &GRAPH, &go).expect("adds");
    assert!(addition(&store).is_some());
    store.remove_all("t").expect("removes");
    assert!(!holds(folder.path(), "secretword"));
}

#[test]
fn too_much_other_names_and_other_graphs_make_one_file_again() {
    let (_folder, store) = store();
    let one = document(90, "Asthma", &[], &[("treatment", "Breathe out slowly.")]);
    store.add("t", vec![one.clone()], &GRAPH, &go).expect("adds");
    assert!(addition(&store).is_some());
    let many: Vec<Document> = (91..99).map(|id| document(id, "Asthma", &[], &[("symptoms", "A cough.")])).collect();
    let (collection, _) = store.add("t", many.clone(), &GRAPH, &go).expect("adds");
    assert!(addition(&store).is_none(), "more than an eighth");
    let mut documents = base_documents();
    added_to(&mut documents, &[one]);
    added_to(&mut documents, &many);
    let whole = Collection::build("t", &documents, &GRAPH, &go).expect("builds");
    assert_eq!(collection.bytes(), whole.bytes());

    let renamed = Document { title: "Another subject".into(), ..base_documents()[5].clone() };
    store.add("t", vec![renamed], &GRAPH, &go).expect("adds");
    assert!(addition(&store).is_none(), "a name of the base is gone");
    let mut graph = GraphBuilder::new("starter");
    graph.entity("Quelloma");
    let one = document(98, "Asthma", &[], &[("treatment", "Rest.")]);
    let (collection, _) = store.add("t", vec![one], &graph.finish(), &go).expect("adds");
    assert!(addition(&store).is_none() && collection.meta().graph_entities <= 1, "read by another graph");
}

#[test]
fn a_kill_or_a_stop_leaves_the_old_collection_or_the_new_one() {
    let (folder, store) = store();
    let one = document(90, "Asthma", &[], &[("treatment", "Secretword, breathe out slowly.")]);
    for stop in [BuildStep::Reading(1), BuildStep::Topics, BuildStep::Vectors] {
        let stopped = store.add("t", vec![one.clone()], &GRAPH, &|step| step != stop);
        assert!(matches!(stopped, Err(CollectionError::Stopped)) && addition(&store).is_none());
    }
    store.add("t", vec![one], &GRAPH, &go).expect("adds");
    let bytes = addition(&store).expect("an addition");
    // Killed after the new base is in place, before the addition is gone.
    store.remove("t", &["d90".into(), "d01".into()], &GRAPH, &go).expect("removes");
    let file = crate::evidence::collection::added_beside(&store.file("t"));
    std::fs::write(&file, &bytes).expect("the old addition");
    let collection = store.open("t").expect("opens");
    assert!(collection.added.is_none() && collection.meta().documents == 55, "it belongs to another base");
    let again = store.remove("t", &["d90".into()], &GRAPH, &go);
    assert!(matches!(again, Err(CollectionError::NoDocument { .. })));
    assert!(!holds(folder.path(), "secretword"), "the next change takes it away");

    store.add("t", vec![document(91, "Asthma", &[], &[("treatment", "Rest.")])], &GRAPH, &go).expect("adds");
    let mut bytes = addition(&store).expect("an addition");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&file, &bytes).expect("a damaged addition");
    assert!(matches!(store.open("t"), Err(CollectionError::Damaged { .. })));
}
