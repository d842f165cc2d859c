//! Evidence from the shared documents: every passage stands word for word in its document.

use std::collections::HashMap;

use catena::evidence::reader::{DocumentFormat, read};
use catena::evidence::{Collection, Document, SearchMethod, SearchOptions, Searcher, sentences};
use catena::graph::starter_graph;

use crate::support::data::shared;

fn documents(format: DocumentFormat, name: &str) -> Option<Vec<Document>> {
    let mut documents = Vec::new();
    let report = read(format, &shared(name)?, &mut |document| {
        documents.push(document);
        true
    });
    assert!(report.expect("reads").rejected.is_empty(), "{name}");
    Some(documents)
}

#[test]
fn every_piece_of_evidence_of_the_shared_documents_is_verbatim_and_no_word_is_lost() {
    let corpora = [
        (DocumentFormat::MedQuad, "en-medquad/medquad_docs.jsonl.gz", 2743),
        (DocumentFormat::OpenFda, "drug-labels/labels.jsonl.gz", 363),
    ];
    for (format, name, count) in corpora {
        let Some(documents) = documents(format, name) else { return };
        assert_eq!(documents.len(), count);
        for section in documents.iter().flat_map(|document| &document.sections) {
            let mut end = 0;
            for span in sentences(&section.text) {
                let piece = section.text.get(span.clone()).expect("at characters");
                assert!(span.start >= end && !piece.is_empty() && piece.trim() == piece);
                assert!(!section.text[end..span.start].chars().any(char::is_alphanumeric), "{}: a word is lost", section.name);
                end = span.end;
            }
            assert!(!section.text[end..].chars().any(char::is_alphanumeric), "{}: the end is lost", section.name);
        }
    }
}

#[test]
fn passages_cite_what_stands_in_the_shared_documents() {
    let Some(mut all) = documents(DocumentFormat::OpenFda, "drug-labels/labels.jsonl.gz") else { return };
    all.truncate(12);
    let Some(medquad) = documents(DocumentFormat::MedQuad, "en-medquad/medquad_docs.jsonl.gz") else { return };
    all.extend(medquad.into_iter().step_by(60));
    let graph = starter_graph().expect("the starter graph");
    let collection = Collection::build("shared", &all, &graph, &|_| true).expect("builds");
    assert!(collection.meta().without_evidence.is_empty(), "{:?}", collection.meta().without_evidence);
    let by_id: HashMap<&str, &Document> = all.iter().map(|document| (document.id.as_str(), document)).collect();
    assert!(collection.documents().eq(all.iter().cloned()), "documents come back as they were read");
    let mut searcher = Searcher::new(&collection, &graph).expect("a searcher");
    for document in all.iter().step_by(5) {
        let question = format!("What are the side effects, the treatment and the symptoms of {}?", document.title);
        for method in SearchMethod::ALL {
            let found = searcher.search(&question, method, &SearchOptions::default()).expect("searches");
            assert!(!found.is_empty(), "{question}");
            for passage in found {
                let sections = &by_id[passage.document.as_str()].sections;
                // 730 sections of MedQuAD share their name with another of their document.
                let section = sections.iter().filter(|section| section.name == passage.section).nth(passage.nth).expect("the section");
                assert_eq!(section.text.get(passage.bytes.clone()), Some(passage.text.as_str()), "{passage:?}");
            }
        }
    }
}
