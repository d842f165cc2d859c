//! Graphs as plain sets, to be compared with what a file says.

use std::collections::BTreeSet;
use std::io::Write;

use catena::graph::import::{GraphFormat, ImportError, ImportSource, InputFile, import, import_bytes};
use catena::graph::{BuildReport, Graph, RoleRules};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Imports, and finishes the graph.
pub(crate) fn graph_of(source: &ImportSource) -> (Graph, BuildReport) {
    let (builder, mut report) = try_import(source).expect("a graph");
    (builder.finish_with(&mut report), report)
}

pub(crate) fn try_import(source: &ImportSource) -> Result<(catena::graph::GraphBuilder, BuildReport), ImportError> {
    import(source, "t", &RoleRules::built_in().expect("rules"), &mut |_| true)
}

pub(crate) fn graph_of_bytes(format: GraphFormat, bytes: &[u8]) -> (Graph, BuildReport) {
    let (builder, mut report) = import_bytes(format, bytes, "t", &RoleRules::built_in().expect("rules")).expect("a graph");
    (builder.finish_with(&mut report), report)
}

pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> InputFile {
    InputFile::in_memory(name, content.as_ref())
}

pub(crate) fn gzipped(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

/// Entities as "name|kind|alias, alias|description", in the graph's order.
pub(crate) fn entities(graph: &Graph) -> Vec<String> {
    let text = |e| {
        let mut aliases: Vec<&str> = graph.aliases(e).collect();
        aliases.sort_unstable();
        format!("{}|{}|{}|{}", graph.entity_name(e), graph.kind(e).as_str(), aliases.join(", "), graph.description(e))
    };
    graph.entity_ids().map(text).collect()
}

/// Triples as "head -relation-> tail".
pub(crate) fn triples(graph: &Graph) -> BTreeSet<String> {
    let of = |e| {
        let text = move |edge: &catena::graph::Edge| {
            format!("{} -{}-> {}", graph.entity_name(e), graph.relation(edge.relation).name, graph.entity_name(edge.to))
        };
        graph.outgoing(e).iter().map(text).collect::<Vec<_>>()
    };
    graph.entity_ids().flat_map(of).collect()
}

pub(crate) fn set(items: &[&str]) -> BTreeSet<String> {
    items.iter().map(|item| (*item).to_owned()).collect()
}

/// Rejected lines as "line: reason".
pub(crate) fn rejected(report: &BuildReport) -> Vec<String> {
    report.rejected.iter().map(|r| format!("{}: {}", r.line, r.reason)).collect()
}

pub(crate) fn left_out(report: &BuildReport, what: &str) -> usize {
    report.left_out.get(what).copied().unwrap_or(0)
}
