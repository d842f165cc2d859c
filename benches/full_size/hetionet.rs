//! Hetionet as triples of names, so that every peer reads the same file.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use catena::text::{fold, sanitise_line};
use flate2::read::GzDecoder;
use serde_json::{Value, json};

fn lines(file: &Path) -> impl Iterator<Item = String> + use<> {
    let opened = File::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    BufReader::new(GzDecoder::new(opened)).lines().skip(1).map(|line| line.expect("text"))
}

/// Writes `hetionet-partial` of the folder as TSV. A name that several nodes have gets the node's identifier behind it.
pub(crate) fn write_tsv(data: &Path, out: &Path) -> Value {
    let nodes: Vec<(String, String)> = lines(&data.join("hetionet-v1.0-nodes.tsv.gz"))
        .filter_map(|line| {
            let mut columns = line.split('\t');
            Some((columns.next()?.to_owned(), sanitise_line(columns.next()?)))
        })
        .collect();
    let mut bearers: HashMap<String, usize> = HashMap::new();
    for (_, name) in &nodes {
        *bearers.entry(fold(name)).or_default() += 1;
    }
    let names: HashMap<String, String> = nodes
        .into_iter()
        .map(|(id, name)| {
            let unique = bearers[&fold(&name)] == 1;
            let unique_name = if unique { name } else { format!("{name} {id}") };
            (id, unique_name)
        })
        .collect();
    let mut to = BufWriter::new(File::create(out).expect("a new file"));
    let mut triples = 0u64;
    for line in lines(&data.join("hetionet-partial.sif.gz")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [head, relation, tail] = columns[..] else { panic!("three columns: {line}") };
        writeln!(to, "{}\t{relation}\t{}", names[head], names[tail]).expect("room for the graph");
        triples += 1;
    }
    to.flush().expect("room for the graph");
    json!({ "nodes": names.len(), "lines": triples })
}
