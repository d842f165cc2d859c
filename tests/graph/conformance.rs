//! Imports and ranks beside reference implementations, on suites that `tests/conformance/run.sh` gets.

use std::collections::BTreeSet;
use std::path::PathBuf;

use catena::graph::import::{HeaderLine, ImportError, ImportSource, InputFile, RdfOptions, TriplesOptions};
use catena::graph::{
    BuildReport, EntityId, Following, GlobalPageRank, Graph, GraphBuilder, PersonalisedPageRank, RoleRules, global_pagerank,
};
use catena::graph::{import::Column, personalised_pagerank};
use serde_json::Value;

use crate::import::graphs::{entities, graph_of, triples, try_import};

fn references(name: &str) -> Vec<Value> {
    let folder: PathBuf = std::env::var_os("CATENA_CONFORMANCE").expect("tests/conformance/run.sh sets CATENA_CONFORMANCE").into();
    let text = std::fs::read_to_string(folder.join(name)).expect("the references");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a text")
}

/// The graph of an RDF file, `None` if it states nothing between resources, and how many of its statements were rejected.
fn rdf(file: &str) -> (Option<Graph>, usize) {
    let source = ImportSource::Rdf { files: vec![InputFile::on_disk(file)], options: RdfOptions::default() };
    match try_import(&source) {
        Ok((builder, mut report)) => (Some(builder.finish_with(&mut report)), report.rejected_count()),
        Err(ImportError::NoEntities { report, .. }) => (None, report.rejected_count()),
        Err(error) => panic!("{file}: {error}"),
    }
}

/// W3C's cases: sound files without a rejection, and of those with a stated result the same graph; the others with one.
#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_rdf() {
    let cases = references("rdf.jsonl");
    let mut as_stated = 0;
    for case in &cases {
        let (graph, rejected) = rdf(text(case, "file"));
        let same = |result: &str| {
            let (wanted, rejected) = rdf(result);
            let shown = |graph: &Option<Graph>| graph.as_ref().map(|graph| (entities(graph), triples(graph)));
            // One result has an IRI that RFC 3987 does not allow (U+E01EF), which only prefixed names of Turtle may spell.
            rejected > 0 || shown(&graph) == shown(&wanted)
        };
        let right = if case["sound"] == true { rejected == 0 && case["result"].as_str().is_none_or(same) } else { rejected > 0 };
        as_stated += usize::from(right);
        if !right {
            println!("{}: {rejected} rejected, sound: {}", text(case, "name"), case["sound"]);
        }
    }
    println!("RDF: {as_stated} of {} cases of W3C's suites as stated", cases.len());
    // W3C has 383 today, rdflib's package 359.
    assert!(as_stated == cases.len() && cases.len() >= 359, "{as_stated} of {}", cases.len());
}

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_tables() {
    let cases = references("tables.jsonl");
    let mut same = 0;
    for case in &cases {
        let options = TriplesOptions {
            delimiter: text(case, "delimiter").as_bytes()[0],
            header: if case["header"] == true { HeaderLine::Yes } else { HeaderLine::No },
            head: Some(Column::Number(1)),
            relation: Some(Column::Number(2)),
            tail: Some(Column::Number(3)),
            ..if case["quotes"] == true { TriplesOptions::csv() } else { TriplesOptions::tsv() }
        };
        let source = ImportSource::Triples { files: vec![InputFile::in_memory("t", text(case, "text"))], options };
        let wanted = case["rows"].as_array().expect("a list");
        let (taken, report): (usize, BuildReport) = match try_import(&source) {
            Ok((builder, report)) => (builder.stated_triples(), report),
            Err(ImportError::NoTriples { report, .. }) => (0, *report),
            Err(error) => panic!("{}: {error}", text(case, "name")),
        };
        let named = wanted.is_empty() || {
            let (builder, _) = try_import(&source).expect("a graph");
            let graph = builder.finish();
            wanted.iter().all(|row| {
                let [head, relation, tail] = [0, 1, 2].map(|at| row[at].as_str().expect("a text"));
                let relation = graph.relations().iter().position(|known| known.name == relation);
                graph.triples().any(|triple| {
                    let all_names = |entity: EntityId| {
                        std::iter::once(graph.entity_name(entity))
                            .chain(graph.aliases(entity))
                            .map(catena::text::fold)
                            .collect::<BTreeSet<_>>()
                    };
                    Some(triple.relation.index()) == relation
                        && all_names(triple.head).contains(&catena::text::fold(head))
                        && all_names(triple.tail).contains(&catena::text::fold(tail))
                }) || head == tail
                    || catena::text::fold(head) == catena::text::fold(tail)
            })
        };
        // Every row is a triple, or is rejected or left out with a reason.
        let right = taken == wanted.len() && named && report.lines == taken + report.rejected_count();
        same += usize::from(right);
        if !right {
            println!("{}: {taken} triples for {} rows, {report:?}", text(case, "name"), wanted.len());
        }
    }
    println!("tables: {same} of {} as Python's csv module reads them", cases.len());
    assert_eq!(same, cases.len());
}

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_ontologies() {
    let files = references("ontologies.jsonl");
    for case in &files {
        let (graph, report) = graph_of(&ImportSource::Obo { files: vec![InputFile::on_disk(text(case, "file"))], kind: None });
        let names: BTreeSet<&str> = case["names"].as_array().expect("a list").iter().map(|name| name.as_str().expect("a text")).collect();
        let ours: BTreeSet<&str> = graph.entity_ids().map(|entity| graph.entity_name(entity)).collect();
        let missing = names.iter().filter(|name| !ours.contains(*name) && graph.find(name).is_none()).count();
        let edges: BTreeSet<String> = case["edges"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|edge| {
                format!(
                    "{} -{}-> {}",
                    edge[0].as_str().expect("a text"),
                    edge[1].as_str().expect("a text"),
                    edge[2].as_str().expect("a text")
                )
            })
            .collect();
        let found = edges.intersection(&triples(&graph)).count();
        println!(
            "ontologies: {}: {missing} of {} names missing, {found} of {} relations of obonet found",
            text(case, "file"),
            names.len(),
            edges.len()
        );
        assert_eq!((missing, found), (0, edges.len()), "{report:?}");
    }
    assert_eq!(files.len(), 2);
}

#[test]
#[ignore = "tests/conformance/run.sh runs it"]
fn conformance_page_ranks() {
    let (mut worst, mut cases) = (0.0f64, 0);
    for case in references("ranks.jsonl") {
        let number = |value: &Value| value.as_u64().expect("a number") as u32;
        let mut builder = GraphBuilder::new("t");
        let ids: Vec<u32> = (0..number(&case["count"])).map(|at| builder.entity(&format!("e{at:03}"))).collect();
        for (at, edge) in case["edges"].as_array().expect("a list").iter().enumerate() {
            // A relation for each triple: networkx counts parallel edges, a graph holds a triple once.
            let relation = builder.relation(RoleRules::built_in().expect("rules").guess(&format!("r{at}"))).expect("room");
            builder.triple(ids[number(&edge[0]) as usize], relation, ids[number(&edge[1]) as usize]);
        }
        let graph = builder.finish();
        let seeds: Vec<(EntityId, f64)> = case["seeds"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|seed| (EntityId(number(&seed[0])), f64::from(number(&seed[1]))))
            .collect();
        let how = PersonalisedPageRank { restart: 0.25, tolerance: 1e-12, max_pushes: 10_000_000 };
        for (entity, rank) in personalised_pagerank(&graph, &seeds, how) {
            worst = worst.max((rank - case["own"][entity.index()].as_f64().expect("a number")).abs());
        }
        let whole = global_pagerank(
            &graph,
            GlobalPageRank { following: Following::Both, tolerance: 1e-13, max_rounds: 5000, ..GlobalPageRank::default() },
        );
        for (rank, reference) in whole.ranks.iter().zip(case["whole"].as_array().expect("a list")) {
            worst = worst.max((rank - reference.as_f64().expect("a number")).abs());
        }
        cases += 1;
    }
    println!("PageRank: {cases} random graphs; whole and personalised ranks differ from networkx by {worst:e} at most");
    assert!(cases == 60 && worst < 1e-8, "{worst}");
}
