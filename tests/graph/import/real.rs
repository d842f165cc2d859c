//! Real graphs (`CATENA_TEST_DATA`), every line of theirs accounted for.

use catena::graph::import::{ImportSource, InputFile, TriplesOptions};
use catena::graph::{BuildReport, Graph, Kind, Role};

use super::graphs::{graph_of, left_out};
use crate::support::data::{lines, shared};

fn triple_count(graph: &Graph) -> usize {
    graph.entity_ids().map(|e| graph.outgoing(e).len()).sum()
}

fn rejected_with(report: &BuildReport, reason: &str) -> usize {
    report.rejected_by_reason.iter().filter(|(r, _)| r.contains(reason)).map(|(_, n)| n).sum()
}

#[test]
fn emckg() {
    let Some(path) = shared("en-emckg/emckg796_triples.tsv.gz") else { return };
    let (graph, report) = graph_of(&ImportSource::Triples { files: vec![InputFile::on_disk(&path)], options: TriplesOptions::tsv() });
    assert_eq!((report.lines, report.accepted + report.duplicates, report.rejected_count()), (45_600, 45_600, 0));
    assert_eq!(triple_count(&graph), 45_600);
    assert_eq!(graph.entity_ids().count(), 2_628);
}

#[test]
fn hetionet() {
    let (Some(nodes), Some(edges), Some(metaedges)) =
        (shared("hetionet/hetionet-v1.0-nodes.tsv.gz"), shared("hetionet/hetionet-partial.sif.gz"), shared("hetionet/metaedges.tsv"))
    else {
        return;
    };
    let [nodes, edges, metaedges] = [nodes, edges, metaedges].map(InputFile::on_disk);
    let (graph, report) = graph_of(&ImportSource::Hetionet { nodes, edges: vec![edges], metaedges: Some(metaedges) });
    assert_eq!(report.lines, 47_031 + 383_330 + 24);
    assert_eq!((report.accepted + report.duplicates, report.rejected_count()), (383_330, 0), "{:?}", report.rejected);
    // networkx keeps every identifier as a node of its own. Here a symptom (MeSH) and a side effect (UMLS) of one name are one entity, but
    // no two of Hetionet's own identifiers of one kind: the 14 pathways and 2 genes that share a name stay.
    assert_eq!((graph.entity_count(), report.merged), (47_031 - 153, 153));
    assert_eq!(triple_count(&graph), 383_330, "{:?}", report.left_out);
    assert_eq!(graph.relations().len(), 24);
    let treats = graph.relations().iter().find(|r| r.name == "Compound treats Disease").expect("it is there");
    assert_eq!((treats.display.as_str(), treats.role), ("treats", Role::Treatment));
    let metformin = graph.find("Metformin").expect("it is there");
    assert_eq!(graph.kind(metformin), &Kind::Drug);
    let treated: Vec<&str> = graph
        .outgoing(metformin)
        .iter()
        .filter(|edge| graph.relation(edge.relation).name == treats.name)
        .map(|edge| graph.entity_name(edge.to))
        .collect();
    assert!(treated.contains(&"type 2 diabetes mellitus"), "{treated:?}");
}

#[test]
fn disease_ontology() {
    let Some(path) = shared("onto-doid/doid-2016-03-04.obo.gz") else { return };
    let (graph, report) = graph_of(&ImportSource::Obo { files: vec![InputFile::on_disk(&path)], kind: None });
    let count = |beginning: &str| lines(&path).filter(|line| line.starts_with(beginning)).count();
    assert_eq!((count("[Term]"), count("synonym:"), count("is_a:")), (9_243, 16_302, 8_062));

    assert_eq!(left_out(&report, "obsolete term"), 2_369);
    assert_eq!(rejected_with(&report, "a term"), rejected_with(&report, "leads to"), "{:?}", report.rejected_by_reason);
    let terms = 9_243 - 2_369;
    let entities = graph.entity_ids().count();
    assert!(entities <= terms && entities > terms - 50, "{entities} of {terms}: what is one thing under two identifiers may be one entity");

    let aliases: usize = graph.entity_ids().map(|e| graph.aliases(e).count()).sum();
    let without = left_out(&report, "synonym of an obsolete term") + left_out(&report, "synonym that repeats a name of its term");
    assert_eq!(rejected_with(&report, "synonym"), 0);
    let alike = left_out(&report, "alias that repeats another name of its entity");
    assert_eq!(aliases + without + alike - report.merged, 16_302, "what was merged brought its own name as an alias");

    let is_a = report.accepted + report.duplicates + left_out(&report, "is_a of an obsolete term") + rejected_with(&report, "is_a");
    assert_eq!(is_a, 8_062, "{report:?}");
    assert_eq!(triple_count(&graph), report.accepted);

    let angiosarcoma = graph.find("hemangiosarcoma").expect("a synonym leads to its term");
    assert_eq!(graph.entity_name(angiosarcoma), "angiosarcoma");
    assert_eq!(graph.kind(angiosarcoma), &Kind::Disease);
    assert!(graph.description(angiosarcoma).starts_with("A malignant vascular tumor"));
}

#[test]
fn chinese_dictionaries() {
    let kinds = [
        ("disease", 8_807),
        ("symptom", 5_998),
        ("drug", 3_828),
        ("check", 3_353),
        ("food", 4_870),
        ("producer", 17_201),
        ("department", 54),
    ];
    let mut files = Vec::new();
    for (kind, _) in kinds {
        let Some(path) = shared(&format!("zh-disease-kb/{kind}.txt.gz")) else { return };
        files.push((InputFile::on_disk(path), Some(Kind::parse(kind))));
    }
    let (graph, report) = graph_of(&ImportSource::Dictionary { files });
    let lines: usize = kinds.iter().map(|(_, count)| count).sum();
    let taken = graph.entity_ids().count();
    assert_eq!(taken + left_out(&report, "name that is already listed") + report.rejected_count() + report.merged, lines, "{report:?}");
    assert!(report.rejected_count() < 5, "{:?}", report.rejected);
    for (kind, count) in kinds {
        let kind = Kind::parse(kind);
        let there = graph.entity_ids().filter(|e| graph.kind(*e) == &kind).count();
        assert!(there <= count && there * 100 >= count * 95, "{kind:?}: {there} of {count}");
    }
}
