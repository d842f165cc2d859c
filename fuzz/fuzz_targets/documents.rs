//! Readers of documents: the first byte says of which format. What is read is made a collection, opened again and searched.
#![no_main]

use catena::evidence::reader::{DocumentFormat, read};
use catena::evidence::{Collection, SearchMethod, SearchOptions, Searcher};
use catena::graph::GraphBuilder;
use catena_fuzz::{choice, init, shown_safely};
use libfuzzer_sys::fuzz_target;

/// More takes too long for one input.
const MOST: usize = 50;

fuzz_target!(init: init(), |input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    let file = std::env::temp_dir().join(format!("catena-fuzz-{}", std::process::id()));
    std::fs::write(&file, bytes).expect("a file");
    let mut documents = Vec::new();
    let report = read(choice(*first, &DocumentFormat::ALL), &file, &mut |document| {
        documents.push(document);
        documents.len() < MOST
    });
    match report {
        Err(error) => shown_safely(&error.to_string()),
        Ok(report) => report.rejected.keys().for_each(|why| shown_safely(why)),
    }
    let mut seen = std::collections::HashSet::new();
    documents.retain(|document| seen.insert(document.id.clone()));
    let graph = GraphBuilder::new("fuzzed").finish();
    let Ok(collection) = Collection::build("fuzzed", &documents, &graph, &|_| true) else { return };
    let again = Collection::from_bytes(collection.bytes()).expect("what was written opens");
    assert_eq!(again.documents().collect::<Vec<_>>(), documents, "documents come back word for word");
    let mut searcher = Searcher::new(&again, &graph).expect("a searcher");
    let question = documents.first().map(|document| document.title.clone()).unwrap_or_default();
    for passage in searcher.search(&question, SearchMethod::default(), &SearchOptions::default()).expect("searches") {
        let document = documents.iter().find(|document| document.id == passage.document).expect("its document");
        let section = document.sections.iter().filter(|section| section.name == passage.section).nth(passage.nth).expect("a section");
        assert_eq!(section.text.get(passage.bytes.clone()), Some(passage.text.as_str()), "a passage stands in its section");
    }
});
