//! Evidence from the shared documents: every passage stands word for word in its document.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use catena::evidence::reader::{DocumentFormat, read};
use catena::evidence::{Collection, Document, Library, SearchMethod, SearchOptions, sentences};
use catena::method::EngineOptions;
use catena::run::QuotedPassage;
use serde_json::Value;

use crate::support::data::{Draw, lines, shared};
use crate::support::engine::{encoder, open_with, starter};
use crate::support::runs::ask;

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

/// Abstracts as `benches/retrieval/sets.py` makes documents of them: without titles.
fn abstracts(of: &Path) -> Vec<Document> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("abstracts.jsonl");
    let line = |line: String| {
        let own: Value = serde_json::from_str(&line).expect("JSON");
        let text: Vec<&str> = own["CONTEXTS"].as_array().expect("texts").iter().filter_map(Value::as_str).collect();
        let id = format!("abstract-{}", own["pmid"].as_str().expect("an id"));
        serde_json::json!({ "id": id, "section": "abstract", "text": text.join("\n\n") }).to_string() + "\n"
    };
    std::fs::write(&file, lines(of).map(line).collect::<String>()).expect("a file");
    let mut documents = Vec::new();
    let report = read(DocumentFormat::JsonLines, &file, &mut |document| {
        documents.push(document);
        true
    });
    assert!(report.expect("reads").rejected.is_empty());
    documents
}

/// The passage stands in its document where it says.
fn assert_verbatim(documents: &HashMap<&str, &Document>, passage: &QuotedPassage) {
    let sections = &documents[passage.document.as_str()].sections;
    // 730 sections of MedQuAD share their name with another of their document.
    let section = sections.iter().filter(|section| section.name == passage.section).nth(passage.nth).expect("the section");
    let stands: String = section.text.chars().skip(passage.start).take(passage.end - passage.start).collect();
    assert!(stands == passage.text && !stands.is_empty(), "{passage:?}");
}

/// Cited passages of documents, questions and methods drawn by chance; with `CATENA_ALL_DOCUMENTS=1`, of all shared documents, a question
/// about each: `CATENA_ALL_DOCUMENTS=1 cargo test --release --test pipeline passages_cite`.
#[test]
fn passages_cite_what_stands_in_the_shared_documents() {
    let Some(labels) = documents(DocumentFormat::OpenFda, "drug-labels/labels.jsonl.gz") else { return };
    let Some(medquad) = documents(DocumentFormat::MedQuad, "en-medquad/medquad_docs.jsonl.gz") else { return };
    let Some(abstracts) = shared("en-pubmedqa/ori_pqal.jsonl.gz").map(|file| abstracts(&file)) else { return };
    let whole = std::env::var("CATENA_ALL_DOCUMENTS").as_deref() == Ok("1");
    let mut draw = Draw(35);
    let mut all = Vec::new();
    for (of_one, drawn) in [(labels, 10), (medquad, 50), (abstracts, 30)] {
        let drawn = if whole { of_one.len() } else { drawn };
        all.extend(draw.sample(of_one, drawn));
    }
    let graph = starter();
    let collection = Collection::build("shared", &all, &graph, &|_| true).expect("builds");
    let without = collection.meta().without_evidence.values().flat_map(|without| &without.documents);
    assert!(without.clone().all(|id| id.starts_with("abstract-")), "only what has no title: {:?}", without.collect::<Vec<_>>());
    let by_id: HashMap<&str, &Document> = all.iter().map(|document| (document.id.as_str(), document)).collect();
    assert!(collection.documents().eq(all.iter().cloned()), "documents come back as they were read");
    let library = Arc::new(Library::of(vec![("shared".into(), collection)]));
    let options = EngineOptions { library: Arc::clone(&library), ..EngineOptions::default() };
    let engine = open_with(starter(), encoder(), &options);

    let (mut cited, mut asked) = (0, Vec::new());
    for (number, document) in all.iter().enumerate().filter(|(number, _)| whole || number % 3 == 0) {
        let section = &document.sections[draw.below(document.sections.len())];
        let spans = sentences(&section.text);
        let Some(span) = spans.get(draw.below(spans.len())) else { continue };
        let sentence = &section.text[span.clone()];
        let question = match draw.below(4) {
            // An abstract has no title.
            0 if !document.title.is_empty() => format!("What are the side effects, the treatment and the symptoms of {}?", document.title),
            1 if !document.title.is_empty() => format!("{}: {}?", document.title, section.name.replace('_', " ")),
            2 => format!("Is it true? {sentence}"),
            _ => sentence.split_whitespace().take(12).collect::<Vec<_>>().join(" "),
        };
        let methods = SearchMethod::ALL;
        // In the whole, one method for each document takes minutes, and all of them would take an hour.
        let methods = if whole { methods[number % methods.len()..][..1].to_vec() } else { methods.to_vec() };
        for method in methods {
            let options = SearchOptions { seed: number as u64, ..SearchOptions::default() };
            for (passage, found) in library.search(&graph, &question, method, &options).expect("searches") {
                assert_verbatim(&by_id, &passage);
                assert_eq!(passage.text, found.text);
                assert_eq!(library.passage(&passage.key()).as_ref(), Some(&passage), "read back as it was found");
                cited += 1;
            }
        }
        asked.push(question);
    }
    assert!(cited > 5 * asked.len(), "{cited} passages for {} questions", asked.len());
    // Answers cite in their own way: beside chains, below the safety pass, instead of the graph.
    let mut in_answers = 0;
    for question in draw.sample(asked, if whole { 300 } else { 10 }) {
        let run = ask(&engine, &question);
        run.trace.passages.iter().for_each(|passage| assert_verbatim(&by_id, passage));
        in_answers += run.trace.answer.passages.len();
    }
    assert!(in_answers > 0, "some answers cite documents");
    println!("{} documents: {cited} passages found and {in_answers} cited in answers stand word for word in them", all.len());
}
