//! `catena kg import`: builds a graph from files. It reads all files before it replaces anything.

use std::ffi::OsStr;
use std::fs;
use std::io::{IsTerminal, Write, stderr, stdin, stdout};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;

use crate::cli::exit::{self, UsageError};
use crate::cli::graphs::{build_notices, graph_file, imported_graph, is_graph_name, role_rules, roles_file};
use crate::cli::import_args::{ColumnArgs, HeaderChoice, ImportArgs, ImportFormat, Syntax};
use crate::cli::interrupt::Interrupt;
use crate::cli::messages::note;
use crate::cli::name_vectors::build_for_import;
use crate::cli::progress::{byte_bar, spinner};
use crate::cli::setup::Setup;
use crate::config::{Paths, write_atomically};
use crate::graph::import::{Column, HeaderLine, ImportSource, InputFile, Neo4jOptions, RdfOptions, RdfSyntax, TriplesOptions, import};
use crate::graph::{BuildReport, Graph, GraphProvenance, Kind, RoleRules};
use crate::text::sanitise_line;

/// The comment at the beginning of a file of relation roles.
const ROLES_NOTE: &str =
    "The roles of this graph's relations (format: assets/roles.toml). Correct them here; `guessed = false` stops the notice.";

pub(super) fn run(setup: &Setup, format: &ImportFormat) -> anyhow::Result<u8> {
    let Setup { paths, config } = setup;
    let ImportArgs { name, roles, .. } = format.common();
    let rules = role_rules(&[roles.as_deref(), config.roles.as_deref()])?;
    if !is_graph_name(name) {
        return Err(
            UsageError(format!("a graph cannot be called {name:?}: use letters, digits, '-', '_' and '.'; \"starter\" is taken")).into()
        );
    }
    if imported_graph(paths, name).is_some() && !replaces(name)? {
        note(&format!("nothing was imported; the graph {name} is as it was"))?;
        return Ok(exit::FAILED);
    }
    let source = source(format)?;
    let (graph, report) = read(&source, format, name, &rules)?;
    save(paths, name, &graph)?;
    print_notes(&graph, &report)?;
    let (entities, triples) = (graph.entity_count(), graph.triple_count());
    drop(graph);
    if !format.common().no_vectors {
        build_for_import(paths, name, &graph_file(paths, name))?;
    }
    writeln!(stdout(), "{name}: {entities} entities, {triples} triples. `catena kg use {name}` makes it the default.")?;
    Ok(exit::DONE)
}

/// Whether a graph of the same name is to be replaced: asked on a terminal; elsewhere it is replaced, and that is said.
fn replaces(name: &str) -> anyhow::Result<bool> {
    if !(stdin().is_terminal() && stderr().is_terminal()) {
        note(&format!("the graph {name} exists and is replaced"))?;
        return Ok(true);
    }
    write!(stderr(), "There is a graph {name} already. Replace it? [y/N] ")?;
    stderr().flush()?;
    let mut answer = String::new();
    stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Reads the files. Ctrl-C stops it, and nothing is written.
fn read(source: &ImportSource, format: &ImportFormat, name: &str, rules: &RoleRules) -> anyhow::Result<(Graph, BuildReport)> {
    let interrupt = Interrupt::listen();
    let bar = byte_bar();
    let (mut builder, mut report) = import(source, name, rules, &mut |progress| {
        bar.set_length(progress.bytes_total);
        bar.set_position(progress.bytes_read);
        bar.set_message(format!("{} lines", progress.lines));
        !interrupt.requested()
    })?;
    bar.finish_and_clear();
    let files = source.files().iter().map(|file| sanitise_line(file.shown())).collect();
    let imported_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    builder.set_provenance(GraphProvenance { format: format.title().into(), files, imported_at, ..GraphProvenance::default() });
    let waiting = spinner("sorting the graph");
    let graph = builder.finish_with(&mut report);
    waiting.finish_and_clear();
    if interrupt.requested() {
        return Err(crate::graph::import::ImportError::Interrupted.into());
    }
    Ok((graph, report))
}

/// Prints what the user should know: lines rejected and left out, names merged, roles guessed.
fn print_notes(graph: &Graph, report: &BuildReport) -> anyhow::Result<()> {
    for rejection in &report.rejected {
        note(&format!("line {} rejected: {}", rejection.line, sanitise_line(&rejection.reason)))?;
    }
    build_notices(graph, report).iter().try_for_each(|notice| note(notice))?;
    for (what, count) in &report.left_out {
        note(&format!("left out {count}: {}", sanitise_line(what)))?;
    }
    for (what, count) in &report.hints {
        note(&format!("{count}: {}", sanitise_line(what)))?;
    }
    if report.merged > 0 {
        let name = graph.name();
        note(&format!("names merged with other entities: {}; `catena kg check {name} --merges` lists them", report.merged))?;
    }
    Ok(())
}

/// Saves the graph, completely or not at all, and beside it the roles of its relations, for the user to correct. (The snapshot holds
/// the roles, too; it works without that file.)
fn save(paths: &Paths, name: &str, graph: &Graph) -> anyhow::Result<()> {
    let (snapshot, roles) = (graph_file(paths, name), roles_file(paths, name));
    fs::create_dir_all(paths.graphs())
        .and_then(|()| graph.save(&snapshot))
        .with_context(|| format!("cannot write {}", snapshot.display()))?;
    let text = RoleRules::of(graph.relations()).to_toml()?;
    write_atomically(&roles, |out| write!(out, "# {ROLES_NOTE}\n\n{text}")).with_context(|| format!("cannot write {}", roles.display()))
}

/// The files and options of the import, from the command line.
fn source(format: &ImportFormat) -> anyhow::Result<ImportSource> {
    let files = || format.common().paths.iter().map(InputFile::on_disk).collect::<Vec<_>>();
    Ok(match format {
        ImportFormat::Tsv { columns, .. } => ImportSource::Triples { files: files(), options: table(columns, TriplesOptions::tsv())? },
        ImportFormat::Csv { columns, .. } => ImportSource::Triples { files: files(), options: table(columns, TriplesOptions::csv())? },
        ImportFormat::Hetionet { import } => hetionet(&import.paths)?,
        ImportFormat::Primekg { .. } => ImportSource::PrimeKg { files: files() },
        ImportFormat::Obo { kind, .. } => ImportSource::Obo { files: files(), kind: kind.as_deref().map(Kind::parse) },
        ImportFormat::Rdf { syntax, languages, .. } => {
            let syntax = syntax.map(|syntax| match syntax {
                Syntax::Ntriples => RdfSyntax::NTriples,
                Syntax::Turtle => RdfSyntax::Turtle,
            });
            let defaults = RdfOptions::default();
            let languages = if languages.is_empty() { defaults.languages } else { languages.clone() };
            ImportSource::Rdf { files: files(), options: RdfOptions { syntax, languages } }
        }
        ImportFormat::Neo4j { delimiter, array_delimiter, name_column, aliases_column, .. } => {
            let options = Neo4jOptions {
                delimiter: one_byte(*delimiter)?,
                array_delimiter: *array_delimiter,
                name: name_column.clone(),
                aliases: aliases_column.clone(),
            };
            ImportSource::Neo4j { files: files(), options }
        }
        ImportFormat::DiseaseJson { .. } => ImportSource::DiseaseJson { files: files() },
        ImportFormat::Dictionary { import } => {
            ImportSource::Dictionary { files: import.paths.iter().map(|path| dictionary(path)).collect() }
        }
    })
}

fn one_byte(delimiter: char) -> anyhow::Result<u8> {
    let ascii = u8::try_from(delimiter).ok().filter(u8::is_ascii);
    ascii.ok_or_else(|| UsageError(format!("{delimiter:?} cannot separate columns; use one ASCII character")).into())
}

fn table(columns: &ColumnArgs, defaults: TriplesOptions) -> anyhow::Result<TriplesOptions> {
    let column = |named: &Option<String>| named.as_deref().map(Column::parse);
    Ok(TriplesOptions {
        delimiter: columns.delimiter.map_or(Ok(defaults.delimiter), one_byte)?,
        header: match columns.header {
            HeaderChoice::Auto => HeaderLine::Auto,
            HeaderChoice::Yes => HeaderLine::Yes,
            HeaderChoice::No => HeaderLine::No,
        },
        head: column(&columns.head),
        relation: column(&columns.relation),
        tail: column(&columns.tail),
        head_kind: column(&columns.head_kind),
        tail_kind: column(&columns.tail_kind),
        head_id: column(&columns.head_id),
        tail_id: column(&columns.tail_id),
        ..defaults
    })
}

/// A file of names, or "FILE=KIND". Without a kind, the name of the file is the kind: `symptom.txt.gz` has symptoms.
fn dictionary(path: &Path) -> (InputFile, Option<Kind>) {
    let text = path.to_string_lossy();
    match text.rsplit_once('=') {
        Some((file, kind)) if !path.exists() => (InputFile::on_disk(file), Some(Kind::parse(kind))),
        _ => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let kind = name.split('.').next().unwrap_or_default();
            (InputFile::on_disk(path), (!kind.is_empty()).then(|| Kind::parse(kind)))
        }
    }
}

/// Recognises Hetionet's files by their names; a folder stands for the files in it.
fn hetionet(paths: &[PathBuf]) -> anyhow::Result<ImportSource> {
    let mut all = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
            for entry in entries {
                all.push(entry.with_context(|| format!("cannot read {}", path.display()))?.path());
            }
        } else {
            all.push(path.clone());
        }
    }
    all.sort();
    let has_part =
        |path: &Path, part: &str| path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.to_lowercase().contains(part));
    let of = |part: &'static str| all.iter().filter(move |path| has_part(path, part)).map(InputFile::on_disk);
    let (mut nodes, edges, mut metaedges) = (of("nodes"), of(".sif").collect::<Vec<_>>(), of("metaedges.tsv"));
    match (nodes.next(), edges.is_empty()) {
        (Some(nodes), false) => Ok(ImportSource::Hetionet { nodes, edges, metaedges: metaedges.next() }),
        (nodes, _) => {
            let missing = if nodes.is_none() {
                "the file of nodes (its name contains \"nodes\")"
            } else {
                "the file of edges (its name contains \".sif\")"
            };
            Err(UsageError(format!("Hetionet has several files, and {missing} is missing; name all of them, or their folder")).into())
        }
    }
}
