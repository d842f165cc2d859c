//! `catena kg import`: a graph from a file. It is read whole before anything is put in its place.

use std::fs::{self, File};
use std::io::{Write, stderr, stdout};

use anyhow::Context;

use crate::cli::args::ImportFormat;
use crate::cli::exit::{self, Usage};
use crate::cli::open::{graph_file, is_graph_name, notices, role_rules, roles_file};
use crate::config::{Config, Paths, write_atomically};
use crate::graph::import::read_tsv;
use crate::graph::{Graph, RoleRules};

/// What stands at the head of the file that keeps a graph's roles.
const ROLES_NOTE: &str =
    "What the relations of this graph say (form: assets/roles.toml). Correct it here; `guessed = false` stops the notice.";

pub(super) fn run(paths: &Paths, config: &Config, format: ImportFormat) -> anyhow::Result<u8> {
    let ImportFormat::Tsv { path, name, roles } = format;
    let rules = role_rules(&[roles.as_deref(), config.roles.as_deref()])?;
    if !is_graph_name(&name) {
        return Err(Usage(format!("{name:?} cannot be a graph's name: use letters, digits, '-', '_' and '.', and not \"starter\"")).into());
    }
    let file = File::open(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let (graph, report) = read_tsv(file, &path.display().to_string(), &name, &rules)?;
    put_in_place(paths, &name, &graph)?;
    for rejection in &report.rejected {
        writeln!(stderr(), "catena: line {} rejected: {}", rejection.line, rejection.reason)?;
    }
    for notice in notices(&graph, Some(&report)) {
        writeln!(stderr(), "catena: {notice}")?;
    }
    let (entities, triples) = (graph.entity_count(), graph.triple_count());
    writeln!(stdout(), "{name}: {entities} entities, {triples} triples. `catena kg use {name}` makes it the default.")?;
    Ok(exit::DONE)
}

/// Puts the graph in its place, complete or not at all, and beside it the roles of its relations for the user to
/// correct. (The graph has its roles within; without the file beside it nothing is missing.)
fn put_in_place(paths: &Paths, name: &str, graph: &Graph) -> anyhow::Result<()> {
    let (snapshot, roles) = (graph_file(paths, name), roles_file(paths, name));
    fs::create_dir_all(paths.graphs())
        .and_then(|()| graph.save(&snapshot))
        .with_context(|| format!("{} cannot be written", snapshot.display()))?;
    let text = RoleRules::of(graph.relations()).to_toml()?;
    write_atomically(&roles, |out| write!(out, "# {ROLES_NOTE}\n\n{text}"))
        .with_context(|| format!("{} cannot be written", roles.display()))
}
